"""What the other tests stand on: the same examples in every run, and an end of the run that says what was left out."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

HERE = Path(__file__).parent
TESTS = """
import pytest
from hypothesis import given, settings, strategies as st
COUNT = dict.fromkeys(["usual", "few"], 0)

@pytest.mark.parametrize("number", range(3))
def test_absent(number):
    pytest.skip("shared data set 'a9a' is not here")

@pytest.mark.xfail(reason="weights are not repetitions")
def test_known():
    assert False

@pytest.mark.skip
def test_silent():
    pass

@given(st.integers())
def test_usual(number):
    COUNT["usual"] += 1

@given(st.integers())
@settings(max_examples=7)
def test_few(number):
    COUNT["few"] += 1

def test_counts():
    print(COUNT)
"""


def ran(folder: Path, *words: str, **environment: str) -> str:
    """What pytest prints that runs TESTS with this conftest."""
    (folder / "test_small.py").write_text(TESTS)
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-q", "-p", "no:cacheprovider", *words]
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": path, "ROSENBLATT_EXPLORE": "", **environment},
        capture_output=True, encoding="utf-8",
    ).stdout  # fmt: skip


@pytest.mark.parametrize("words", [(), ("-n", "1")], ids=["alone", "workers"])
def test_the_end_of_a_run_counts_what_was_left_out(tmp_path: Path, words: tuple[str, ...]) -> None:
    out = ran(tmp_path, *words)
    lines = [line.strip() for line in out.splitlines()]
    start = next(i for i, line in enumerate(lines) if "not run, or failed as expected" in line)
    assert lines[start + 1 : start + 4] == [
        "1 skipped: no reason is given by test_small.py::test_silent",
        "3 skipped: shared data set 'a9a' is not here",
        "1 xfailed: weights are not repetitions",
    ], out


def test_exploring_draws_as_many_examples_of_every_test(tmp_path: Path) -> None:
    assert "{'usual': 60, 'few': 60}" in ran(tmp_path, "-s", ROSENBLATT_EXPLORE="60")
    assert "{'usual': 30, 'few': 7}" in ran(tmp_path, "-s")


def test_examples_are_the_same_whatever_was_imported_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hypothesis draws the constants of loaded modules, too: another order of the tests would be other examples."""
    drawn: list[list[float]] = []

    @given(st.lists(st.floats(), min_size=20))
    @settings(settings.get_profile("same"))
    def draw(values: list[float]) -> None:
        drawn.append(values)

    def draws() -> str:
        drawn.clear()
        draw()
        return repr(drawn)

    before = draws()
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "constants_of_mine.py").write_text(f"VALUES = {[k + 0.12345 for k in range(1000, 1100)]}\n")
    monkeypatch.syspath_prepend(folder)
    importlib.import_module("constants_of_mine")
    assert draws() == before and len(drawn) == 30


def test_a_ticking_clock_counts_looks(ticking: None) -> None:
    import time

    first = time.monotonic()
    assert [round(1000 * (time.monotonic() - first)) for _ in range(3)] == [1, 2, 3]
