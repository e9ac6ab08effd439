"""Cost models: which candidates are promising. One file each, found by name."""
