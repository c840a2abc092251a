"""`rosenblatt …` for the hundreds of commands of the pages: a process that has imported everything forks one for each.

A command is a process of its own, as in a shell: its folder, environment, streams and exit code are its own. What it
does not do anew is import numba and scikit-learn and load the first machine code: nine small commands take 6.5 s of a
core when each is started, and 1.8 s when they are forked; the pages have two hundred. That a fresh process works is
what test_cli_process.py and the surroundings in test_robustness.py are about.

    python forked.py SOCKET             the process that forks: ready when the socket is there, ends with its input
    python forked.py SOCKET WORD …      one command; to a shell, this is the program
"""

from __future__ import annotations

import marshal
import os
import socket
import sys


def ask(address: str, words: list[str]) -> int:
    """Have the words run with what is ours, and their exit code. What is not imported here makes it quick."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(address)
        message = marshal.dumps((os.getcwd(), words, dict(os.environ)))
        socket.send_fds(line, [len(message).to_bytes(8, "big")], [0, 1, 2])
        line.sendall(message)
        return int(line.recv(16) or b"70")


def serve(address: str) -> None:
    """Fork a process for each that asks, until standard input ends."""
    import select
    import signal

    warm_up(os.path.dirname(address))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them here
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(f"{address}.new")
        door.listen(64)
        os.rename(f"{address}.new", address)
        while 0 not in select.select([door, 0], [], [])[0]:
            line, _ = door.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                door.close()
                answer(line)
            line.close()


def warm_up(folder: str) -> None:
    """What most commands would import and load; nothing that starts threads, of which a fork would have none."""
    import threading

    import highspy  # noqa: F401

    from rosenblatt.cli.app import app

    data, model = os.path.join(folder, "four.svm"), os.path.join(folder, "four.model")
    with open(data, "w", encoding="utf-8") as lines:
        lines.write("1 1:2 3:0.5\n-1 2:1\n1 1:1\n-1\n")
    for words in (["train", data, "-o", model], ["evaluate", model, data]):
        try:
            app(words)
        except SystemExit as ended:
            assert not ended.code, words
    assert threading.active_count() == 1, "a fork would have one of them"


def answer(line: socket.socket) -> None:
    """Be the process of one command."""
    import traceback

    from rosenblatt.cli import main

    length, streams, *_ = socket.recv_fds(line, 8, 3)
    folder, words, environment = marshal.loads(line.makefile("rb").read(int.from_bytes(length, "big")))
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        mode, errors = "w" if number else "r", "backslashreplace" if number == 2 else "strict"
        setattr(sys, name, os.fdopen(number, mode, 1 if number == 2 else -1, "utf-8", errors, closefd=False))
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    leave, os._exit = os._exit, sys.exit  # a filter would leave before its code is sent
    sys.argv, sys.path[0], code = ["rosenblatt", *words], "", 1
    try:
        main()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        line.sendall(str(code).encode())
        leave(code)


if __name__ == "__main__":
    if sys.argv[2:]:
        sys.exit(ask(sys.argv[1], sys.argv[2:]))
    serve(sys.argv[1])
