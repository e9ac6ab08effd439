"""Operators: one file each, declaring a contraction, a shape grammar and a NumPy reference."""
