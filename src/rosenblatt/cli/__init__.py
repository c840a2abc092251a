"""The command line: a command is a file or folder of its name; parses, calls, prints. `app.py` has the table."""

import gc
import os
import signal
import sys


def main() -> None:
    """Run `rosenblatt` with the words of sys.argv and leave with its exit code.

    Nothing is done yet while it is loaded, which takes long enough for a Ctrl-C: that ends it at once. Afterwards
    SIGTERM and SIGHUP end it as Ctrl-C does, so that no half of a file is left behind.
    """
    interrupt = signal.getsignal(signal.SIGINT)
    if interrupt is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(128 + number))
    if sys.argv[1:3] == ["mail", "filter"]:  # a process for every mail, of a tenth of a second
        gc.disable()  # nothing that is loaded is garbage: 10 ms of 85

        from ..mail.filtering import main as plain_filter

        code = plain_filter(sys.argv[3:])
        if code is not None:
            os._exit(code)  # all is written, and taking down what was loaded takes 7 ms
        gc.enable()
    from .app import app
    from .output import buffer_standard_output

    buffer_standard_output()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # not where it is ignored, as by nohup
            signal.signal(number, lambda number, frame: sys.exit(128 + number))
    try:
        signal.signal(signal.SIGINT, interrupt)
        app()
    except KeyboardInterrupt:
        sys.exit(130)
