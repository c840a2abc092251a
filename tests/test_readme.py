"""The README says what is so: its commands are run and its Python is executed, and both print what it shows."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECONDS = re.compile(r"\d+\.\d+ s\b|(?<= )\d+\.\d{3}(?=\n)")
"""Times: `0.7 s`, and the last column of the demo's table."""
NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")


def blocks(kind: str) -> list[str]:
    """The fenced blocks of a kind, in order. Skips the test where the README is not here: an installed package."""
    if not README.exists() or not (ROOT / "src").is_dir():
        pytest.skip("README.md is not here: not a checkout")
    return [text for name, text in BLOCK.findall(README.read_text(encoding="utf-8")) if name == kind]


def commands(block: str) -> Iterator[tuple[str, str]]:
    """(command, what it prints) for each line that begins with `$ `."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def make_place(folder: Path) -> Path:
    """A folder in which the README's commands find what they name: `rosenblatt`, the sources and the rule's file."""
    script = folder / "bin" / "rosenblatt"
    script.parent.mkdir()
    program = "import sys; sys.argv[0] = 'rosenblatt'; from rosenblatt.cli import main; main()"
    script.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, "-c", program])} "$@"\n')
    script.chmod(0o755)
    (folder / "src").symlink_to(ROOT / "src")
    for text in blocks("python"):
        (folder / re.findall(r"# (\w+\.py)", text)[0]).write_text(text)
    return folder


def shell(command: str, folder: Path) -> str:
    """What a command prints, messages included."""
    environment = {**os.environ, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=folder, env=environment, encoding="utf-8", timeout=300,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return done.stdout


def same(found: str, shown: str) -> bool:
    """Equal, apart from times and the last digits of numbers, which may differ on another machine."""
    found, shown = SECONDS.sub("?", found), SECONDS.sub("?", shown)
    if NUMBER.sub("#", found).split() != NUMBER.sub("#", shown).split():
        return False
    pairs = zip(NUMBER.findall(found), NUMBER.findall(shown), strict=True)
    return all(a == b or ("." in b and abs(float(a) - float(b)) <= 2e-3 * abs(float(b)) + 2e-3) for a, b in pairs)


def test_every_command_prints_what_is_shown(tmp_path: Path) -> None:
    shown = [each for block in blocks("console") for each in commands(block)]
    assert len(shown) > 10
    if shutil.which("xzcat") is None:
        pytest.skip("xzcat is not here")
    place = make_place(tmp_path)
    for command, output in shown:
        found = shell(command, place)
        assert same(found, output), f"$ {command}\n{found}"


def test_the_python_prints_what_is_shown() -> None:
    examples = doctest.DocTestParser().get_doctest("\n".join(blocks("pycon")), {}, "README.md", str(README), 0)
    assert len(examples.examples) > 10
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(examples, out=told.append)
    assert runner.failures == 0, "".join(told)


def test_the_rule_of_the_readme_works_in_python() -> None:
    """`LinearClassifier(rule=Forgiving(limit=5.0))`: it learns, but not from a row that is too wrong."""
    from rosenblatt import LinearClassifier

    space: dict[str, type] = {"__name__": "forgiving"}
    exec(blocks("python")[0], space)
    rows, labels = [[-1.0], [1.0], [-2.0], [2.0], [40.0]], [0, 1, 0, 1, 0]
    learned = LinearClassifier(rule=space["Forgiving"](limit=5.0), shuffle=False).fit(rows, labels)
    assert learned.predict(rows).tolist() == [0, 1, 0, 1, 1]
    assert (learned.n_updates_, learned.stop_reason_) == (2, "an epoch without an update")


def test_the_comparison_notices_a_difference() -> None:
    """The tests above are only as good as this."""
    assert same("5 epochs in 0.7 s\n+0.1301  a\n", "5 epochs in 1.9 s\n+0.1302  a\n")
    assert not same("1,234 updates\n", "1,235 updates\n")
    assert not same("5 errors\n", "6 errors\n")
    assert not same("ham\t0.5\n", "spam\t0.5\n")
    assert not same("+0.130 a", "-0.130 a")


def test_the_readme_opens_with_the_two_commands() -> None:
    if not README.exists():
        pytest.skip("README.md is not here: not a checkout")
    text = README.read_text(encoding="utf-8")
    first = text.partition("```\n")[2].partition("```")[0]
    assert first.splitlines() == ["make demo", "make test"]
    for picture in re.findall(r"!\[.*?\]\((.*?)\)", text):
        assert (ROOT / picture).stat().st_size <= 100_000
