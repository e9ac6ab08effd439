"""Recorded sweeps: spaces of which every point was measured, and searches replayed on them."""
