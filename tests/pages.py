"""What the pages say, taken apart and run: README.md and docs/. Shared by their tests and by tools/fill_docs.py."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
DOCS = ROOT / "docs"
BLOCK = re.compile(r"(?P<before>^<!-- needs (?P<needs>\w+) -->\n)?^```(?P<kind>\w*)\n(?P<text>.*?)^```$", re.M | re.S)
"""A fenced block. `<!-- needs a9a -->` on the line before it: run only where that data set is at hand."""
SNIPPET = re.compile(r'^--8<-- "(.+)"$', re.M)
MADE = re.compile(r"^<!-- made: (?P<name>[\w:+-]+) -->\n(?P<text>.*?)^<!-- end -->$", re.M | re.S)
"""A part that tools/fill_docs.py writes."""
SECONDS = re.compile(r"\d+\.\d+ s\b|(?<= )\d+\.\d{3}(?=\n)|(?<=\"seconds\": )[\d.e-]+")
"""Times: `0.7 s`, and the last column of the demo's table."""
NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")
SET_UP = ("git clone ", "cd ", "make ", ". .venv/bin/activate", "python -m pip install ", "python -m http.server ")
"""What may stand in a block of kind `sh`, which is not run: setting up, which a test cannot do inside itself."""


class Block(NamedTuple):
    """One fenced block. needs: a data set that does not come with the package, or ""."""

    kind: str
    text: str
    needs: str


def pages() -> list[Path]:
    """The README and every page of docs/. Skips the test where they are not: an installed package."""
    if not README.exists() or not (ROOT / "src").is_dir():
        pytest.skip("the pages are not here: not a checkout")
    return [README, *sorted(DOCS.rglob("*.md"))]


def title(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def expanded(text: str) -> str:
    """With the files that it includes."""
    return SNIPPET.sub(lambda found: (ROOT / found[1]).read_text(encoding="utf-8").rstrip("\n"), text)


def blocks(page: Path, *kinds: str) -> list[Block]:
    """The fenced blocks of a page in order, of these kinds if any are named."""
    found = BLOCK.finditer(page.read_text(encoding="utf-8"))
    all_of_them = [Block(each["kind"], expanded(each["text"]), each["needs"] or "") for each in found]
    return [block for block in all_of_them if not kinds or block.kind in kinds]


def commands(text: str) -> Iterator[tuple[str, str]]:
    """(command, what it prints) for each line that begins with `$ `."""
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, output = part.partition("\n")
        while command.endswith("\\"):
            more, _, output = output.partition("\n")
            command += "\n" + more
        yield command, output


def file_name(text: str) -> str:
    """The name in the first line, `# name.py`, of a block that is a file; "" of another."""
    found = re.match(r"# (\w+\.py)\n", text)
    return found[1] if found else ""


PROGRAM = "import sys; sys.argv[0] = 'rosenblatt'; from rosenblatt.cli import main; main()"
FRESH = (sys.executable, "-c", PROGRAM)


def is_plain(page: Path) -> bool:
    """Whether the page says `<!-- plain -->`: what it runs is little, and not worth compiling a loop of its own for."""
    return "<!-- plain -->" in page.read_text(encoding="utf-8")


def make_place(folder: Path, page: Path, program: Sequence[str] = FRESH) -> Path:
    """A folder in which a page's commands find what they name: `rosenblatt`, what a clone has, and the page's files."""
    for name, words in {"rosenblatt": program, "python": [sys.executable]}.items():
        script = folder / "bin" / name
        script.parent.mkdir(exist_ok=True)
        script.write_text(f'#!/bin/sh\n{"export ROSENBLATT_JIT=0" * is_plain(page)}\nexec {shlex.join(words)} "$@"\n')
        script.chmod(0o755)
    for name in ("src", "examples", "benchmarks"):
        (folder / name).symlink_to(ROOT / name)
    for block in blocks(page, "python"):
        if file_name(block.text):
            (folder / file_name(block.text)).write_text(block.text, encoding="utf-8")
    return folder


@contextlib.contextmanager
def forking() -> Iterator[list[str]]:
    """The words that stand for `rosenblatt` in a shell, for as long as the process that forks (forked.py) is there."""
    program = str(Path(__file__).parent / "forked.py")
    with tempfile.TemporaryDirectory() as folder:  # a short path: an address has at most 107 characters
        address = Path(folder) / "s"
        words = [sys.executable, program, str(address)]
        parent = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment(Path(folder))
        )
        while not address.exists():
            assert parent.poll() is None, "it ended before it could fork"
            time.sleep(0.02)
        yield [sys.executable, "-S", "-E", program, str(address)]
        parent.communicate()


def environment(folder: Path) -> dict[str, str]:
    """What a page's commands find in theirs."""
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    more = {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": path}
    return {**os.environ, **more, "ROSENBLATT_STORE": "mail.db", "COLUMNS": "80", "LC_ALL": "C.UTF-8"}


def shell(command: str, folder: Path, fails: bool = False) -> str:
    """What a command prints, messages included; it must fail or succeed as said, unless it tells its exit code."""
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=folder, env=environment(folder), encoding="utf-8", timeout=3600,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert "$?" in command or (done.returncode != 0) is fails, f"{command}\n{done.stdout}"
    return done.stdout


def is_error(output: str) -> bool:
    """Whether what a page shows is an error, which a page may show."""
    return bool(re.search(r"^Error: ", output, re.M))


def same(found: str, shown: str) -> bool:
    """Equal, apart from times and the last digits of numbers, which may differ on another machine."""
    found, shown = SECONDS.sub("?", found), SECONDS.sub("?", shown)
    if NUMBER.sub("#", found).split() != NUMBER.sub("#", shown).split():
        return False
    pairs = zip(NUMBER.findall(found), NUMBER.findall(shown), strict=True)
    return all(a == b or ("." in b and abs(float(a) - float(b)) <= 2e-3 * abs(float(b)) + 2e-3) for a, b in pairs)
