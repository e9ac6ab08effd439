"""Explorers: which schedules to measure next. One file each, found by name."""
