"""What the tests of the command line share: running it, inside this process or as one of its own, on little data."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from click.testing import CliRunner

from rosenblatt.cli.app import app

MAIN = "from rosenblatt.cli import main; main()"
AT_ONCE = "from rosenblatt.cli import main, progress; progress.WAIT = progress.EVERY = 0.0; main()"
"""The same, with the bar from the beginning: what a test waits for, or looks at, comes however busy the machine is."""
NEVER = "from rosenblatt.cli import main, progress; progress.WAIT = 1e9; main()"
"""The same, as if no work took long."""
ENVIRONMENT = {"ROSENBLATT_JIT": "0", "COLUMNS": "80", "PYTHONIOENCODING": "", "NO_COLOR": "", "ROSENBLATT_DEBUG": ""}
"""Plain Python: nothing here is worth compiling for."""

NUMBERS = "1 1:2 3:1\n-1 2:3\n1 1:1\n-1 2:2 3:1\n1 1:4 2:1 # odd\n-1\n"
TABLE = "wide,high,kind\n2,0,square\n0,3,tall\n1,0,square\n1,2,tall\n4,1,square\n0,1,tall\n"
THREE = "a\t1\t0\t0\nb\t0\t1\t0\nc\t0\t0\t1\na\t2\t0\t1\nb\t1\t3\t0\nc\t0\t1\t4\n"
WORDS = (
    "spam\tfree prize now\nham\tlunch at noon\nspam\tfree money\nham\tsee you at noon\nspam\tprize money now\n"
    "ham\tsee lunch\n"
)
MAIL = "Subject: {}\nFrom: someone@example.org\n\n{}\n"


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as one JSON value."""
        return json.loads(self.out)


def run(*words: Any, given: bytes | str | None = None, **environment: str) -> Done:
    """`rosenblatt …` inside this process. given: standard input."""
    found = CliRunner(env={**ENVIRONMENT, **environment}).invoke(app, [str(word) for word in words], input=given)
    assert found.exception is None or isinstance(found.exception, SystemExit), found.exception
    return Done(found.exit_code, found.stdout, found.stderr)


def well(*words: Any, given: bytes | str | None = None, **environment: str) -> Done:
    """The same, of a command that must succeed."""
    done = run(*words, given=given, **environment)
    assert done.code == 0, done.err
    return done


def process(*words: Any, program: str = MAIN, **options: Any) -> subprocess.Popen[bytes]:
    """`rosenblatt …` as a process of its own; standard streams are pipes unless said otherwise."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    environment = {**os.environ, **ENVIRONMENT, **options.pop("env", {})}
    return subprocess.Popen([sys.executable, "-c", program, *map(str, words)], env=environment, **{**pipes, **options})


def on_a_terminal(
    *words: Any, until: str | None = None, program: str = AT_ONCE, **environment: str
) -> tuple[int, str, str]:
    """(exit code, standard output, what a terminal showed of standard error). until: a pattern; when the terminal has
    shown it, Ctrl-C is pressed."""
    main, other = pty.openpty()
    running = process(
        *words, program=program, stderr=other, env={"TERM": "xterm", **environment}, preexec_fn=_hears_ctrl_c
    )
    os.close(other)
    assert running.stdin and running.stdout
    running.stdin.close()
    data, pressed = b"", until is None
    while True:
        try:
            more = os.read(main, 4096)
        except OSError:
            break
        if not more:
            break
        data += more
        if not pressed and re.search(str(until), _without_codes(data)):
            running.send_signal(signal.SIGINT)
            pressed = True
    out = running.stdout.read().decode()
    running.stdout.close()
    os.close(main)
    assert pressed, f"{until!r} was not shown: {_without_codes(data)}"
    return running.wait(), out, _without_codes(data)


def _without_codes(data: bytes) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", data.decode(errors="replace"))


def _hears_ctrl_c() -> None:
    """A runner in the background may ignore it, and its children would, too."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def mail_folder(folder: Path) -> Path:
    """The texts of WORDS as mails, in folders spam and ham."""
    for number, line in enumerate(WORDS.splitlines()):
        label, _, text = line.partition("\t")
        write(folder / label / f"{number}.eml", MAIL.format(text.split()[0], text))
    return folder


def one_of_each(folder: Path) -> dict[str, Path]:
    """One small set in each format, six rows each."""
    return {
        "svmlight": write(folder / "numbers.svm", NUMBERS),
        "table": write(folder / "table.csv", TABLE),
        "three": write(folder / "three.tsv", THREE),
        "text": write(folder / "words.txt", WORDS),
        "mail": mail_folder(folder / "mails"),
    }
