"""A worker that never gets ready."""

import sys

if __name__ == "__main__":
    sys.exit("no such library on this machine")
