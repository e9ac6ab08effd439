"""Machines as data: one file per named target, and `detect` for the host."""
