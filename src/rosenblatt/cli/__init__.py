"""The command line: a command is a file or folder of its name; parses, calls, prints. `app.py` has the table."""

import sys


def main() -> None:
    """Run `rosenblatt` with the words of sys.argv and leave with its exit code. Importing is guarded as well: it takes
    long enough for a Ctrl-C."""
    try:
        from .app import app

        app()
    except KeyboardInterrupt:
        sys.exit(130)
