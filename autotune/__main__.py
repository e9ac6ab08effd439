"""The `autotune` command: `python -m autotune`, and the entry point of the installed script."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; an interruption while it is still being loaded is one line too."""
    try:
        from autotune.cli import main as run
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
