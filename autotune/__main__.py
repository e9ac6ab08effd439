"""The `autotune` command: `python -m autotune`, and the entry point of the installed script."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress

from autotune.interruption import exit_code, listening


def main() -> None:
    """Run the command line; an interruption while it is still being loaded is one line too."""
    try:
        with listening():
            from autotune.cli import app

            app()
    except KeyboardInterrupt as error:
        if sys.stderr:
            with suppress(OSError):
                print("error: interrupted", file=sys.stderr)
        sys.exit(exit_code(error))
    finally:
        # Nothing is left to keep: from here on Ctrl-C ends the process without a word.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    main()
