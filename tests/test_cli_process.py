"""The command line among other programs: pipes, signals, full disks, terminals, locales, and errors of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from command import MAIN, NEVER, NUMBERS, on_a_terminal, one_of_each, process, run, well, write
from rosenblatt.cli import evaluate as evaluate_module
from rosenblatt.cli import progress as progress_module
from rosenblatt.cli.output import check_writable, to_json
from rosenblatt.cli.progress import Progress, _amount, _clock

ENDLESS = "1 1:1\n-1 1:1\n" * 500
"""No line parts these, so that learning goes on until it is stopped."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Here, with one small set in each format and a model of words."""
    one_of_each(tmp_path)
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "endless.svm", ENDLESS)
    well("train", "words.txt", "-o", "words.model")
    return tmp_path


# --- pipes -----------------------------------------------------------------------------------------------------------


def test_a_reader_that_goes_away_is_no_error(folder: Path) -> None:
    """`rosenblatt predict … | head -1`."""
    write(folder / "many.txt", "free prize now\n" * 200_000)
    running = process("predict", "words.model", "many.txt")
    assert running.stdin and running.stdout and running.stderr
    running.stdin.close()
    assert running.stdout.readline() == b"spam\n"
    running.stdout.close()
    assert running.stderr.read() == b"" and running.wait() == 141
    running.stderr.close()


def test_a_full_disk_and_a_closed_output_have_their_exit_code() -> None:
    closed = f"import os, sys; os.close(1); sys.stdout = None; {MAIN}"
    words = ["inspect", "words.model"]
    done = subprocess.run([sys.executable, "-c", closed, *words], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (5, "Error: standard output is closed; the result has nowhere to go\n")
    if Path("/dev/full").exists():
        with open("/dev/full", "wb") as full:
            running = process(*words, stdout=full)
            _, err = running.communicate()
        assert running.returncode == 5
        assert err == b"Error: standard output cannot be written: No space left on device\n"


def test_predicting_a_line_of_standard_input_loads_nothing_heavy() -> None:
    program = (
        "import sys\nfrom rosenblatt.cli.app import app\ntry: app(sys.argv[1:])\nexcept SystemExit: pass\n"
        "print(*sorted({'numba', 'sklearn', 'matplotlib', 'rich'} & set(sys.modules)), file=sys.stderr)"
    )
    words = [sys.executable, "-c", program, "predict", "words.model", "-", "--scores"]
    done = subprocess.run(words, input="free prize\n", capture_output=True, text=True)
    assert done.stdout.startswith("spam\t") and done.stderr == "\n"


def test_a_line_is_answered_before_the_next_one_comes(folder: Path) -> None:
    """`tail -f log | rosenblatt predict model -`: nobody waits for a block to fill."""
    running = process("predict", folder / "words.model", "-")
    assert running.stdin is not None and running.stdout is not None
    for text, label in ((b"free prize\n", b"spam\n"), (b"see you at noon\n", b"ham\n")):
        running.stdin.write(text)
        running.stdin.flush()
        assert running.stdout.readline() == label
    assert running.communicate() == (b"", b"") and running.returncode == 0


def test_the_locale_does_not_matter(folder: Path) -> None:
    write(folder / "u.txt", "größe\tweit und größer\nпривет\tпока мир\n" * 3)
    well("train", "u.txt", "-o", "u.model")
    for encoding in ({"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}):
        running = process("predict", "u.model", "-", env={**encoding, "NO_COLOR": "1"})
        out, err = running.communicate("пока\n".encode())
        assert running.returncode == 0 and err == b""
        expected = "привет\n".encode() if "LC_ALL" in encoding else "привет\n".encode("ascii", "backslashreplace")
        assert out == expected


# --- Ctrl-C ----------------------------------------------------------------------------------------------------------


def test_ctrl_c_stops_cleanly_and_leaves_nothing_half_written(folder: Path) -> None:
    before = sorted(folder.iterdir())
    code, out, shown = on_a_terminal("train", "endless.svm", "-o", "m", "--epochs", "none", until="epoch [1-9]")
    assert (code, out) == (130, "")
    assert "Traceback" not in shown and shown.split()[-3:] == ["stopped", "by", "Ctrl-C"]
    assert sorted(folder.iterdir()) == before


# --- the bar ---------------------------------------------------------------------------------------------------------


def test_long_learning_shows_a_bar_with_rate_and_time_left() -> None:
    """peers.md, Training: no loss curve, no progress bar → a bar, on a terminal only."""
    words = ("train", "endless.svm", "-o", "m", "--epochs", "20")
    code, out, shown = on_a_terminal(*words)
    assert re.search(r"epoch \d+, [\d,]+ mistakes .* [\d.]+k? rows/s +\d+:\d\d left", shown), shown
    assert code == 0 and out.startswith("1,000 rows (-1: 500, 1: 500; positive: 1)")
    narrow = on_a_terminal(*words, COLUMNS="40")[2]
    assert "rows/s" in narrow and max(map(len, re.split(r"[\r\n]", narrow))) <= 40
    assert "rows/s" not in well(*words).err, "not on a terminal"


def test_short_work_shows_no_bar() -> None:
    """Short is what takes less than `WAIT`, of which the clock below says how long it is."""
    words = ("predict", "words.model", "words.txt")
    assert on_a_terminal(*words, program=NEVER)[::2] == (0, "")
    assert "reading" in on_a_terminal(*words)[2], "the same work has a bar when it takes long"


def test_a_bar_comes_after_half_a_second_and_ten_times_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, looks = [100.0], []
    monkeypatch.setattr(progress_module, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr(progress_module, "_is_terminal", lambda stream: True)
    watch = Progress()
    monkeypatch.setattr(watch, "_show", lambda *words: looks.append(round(clock[0], 2)))
    told = watch.runs()
    for hundredths in range(0, 80, 3):
        clock[0] = 100.0 + hundredths / 100
        told("a run", hundredths, 80)
    assert looks == [100.51, 100.63, 100.75]


def test_time_left_is_that_of_the_nearer_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of rows to learn, 10 of 40 in 5 s leave 15 s; a time limit of 12 s leaves 7."""
    clock = [100.0]
    monkeypatch.setattr(progress_module, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr(progress_module, "_is_terminal", lambda stream: True)
    monkeypatch.setattr(progress_module, "_new_bar", lambda: bar)
    bar, watch = MagicMock(), Progress()
    bar.console.width = 80
    clock[0] = 105.0
    left = []
    for seconds in (None, 12.0, 4.0):
        watch._show("epoch 1", 10, 40, "rows", seconds)
        left.append(bar.update.call_args.kwargs["left"])
    assert left == ["0:15 left", "0:07 left", "0:00 left"]
    assert bar.update.call_args.kwargs["rate"] == "2 rows/s"


@pytest.mark.parametrize(
    ("count", "unit", "text"),
    [(12.3, "rows", "12 rows"), (45_678, "rows", "45.7k rows"), (3.21e6, "B", "3.21 MB"), (5e9, "rows", "5G rows")],
)
def test_amounts_are_short(count: float, unit: str, text: str) -> None:
    assert _amount(count, unit) == text


def test_times_are_clocks() -> None:
    assert [_clock(s) for s in (0.2, 59.6, 3599, 3725)] == ["0:00", "1:00", "59:59", "1:02:05"]


def test_json_has_no_nan() -> None:
    import numpy as np

    values = {"a": float("nan"), "b": [np.float64("inf"), np.int64(3)], "c": np.array([1.5, np.nan]), 4: ("é", None)}
    assert to_json(values) == '{"a": null, "b": [null, 3], "c": [1.5, null], "4": ["é", null]}'


# --- what cannot be written ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("nowhere/m", "there is no folder nowhere; make it first"),
        ("mails", "it is a folder"),
        ("numbers.svm", "it is one of the files to read"),
        ("./numbers.svm", "it is one of the files to read"),
    ],
)
def test_a_model_that_cannot_be_written(output: str, message: str, folder: Path) -> None:
    _refused(["train", "numbers.svm", "-o", output], 5, message)
    assert (folder / "numbers.svm").read_text() == NUMBERS


def test_a_folder_that_is_not_writable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Known before the work; for an administrator, who may write anywhere, by what the system says at the end."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    _refused(["train", "missing.svm", "-o", "mails/m"], 5, "mails/m: the folder mails is not writable")
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    monkeypatch.setattr("tempfile.mkstemp", _no_space)
    _refused(["train", "numbers.svm", "-o", "mails/m"], 5, "mails/m: cannot be written: No space left on device")


def _no_space(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.skipif(not Path(os.devnull).is_char_device(), reason="no such device here")
def test_a_device_is_written_to_and_stays_one() -> None:
    check_writable(Path(os.devnull))
    well("train", "numbers.svm", "-o", os.devnull)
    assert Path(os.devnull).is_char_device()


# --- errors of our own -----------------------------------------------------------------------------------------------


def _refused(words: list[str], code: int, message: str) -> None:
    done = run(*words)
    assert (done.code, done.out) == (code, "") and message in done.err and done.err.count("\n") == 1


def test_an_error_inside_is_one_line_and_a_traceback_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("boom\nand more")

    monkeypatch.setattr(evaluate_module, "_report", broken)
    done = run("evaluate", "words.model", "words.txt")
    assert (done.code, done.out) == (70, "")
    assert done.err == "internal error: RuntimeError: boom and more; run with ROSENBLATT_DEBUG=1 for the traceback\n"
    with pytest.raises(AssertionError, match="boom"):
        run("evaluate", "words.model", "words.txt", ROSENBLATT_DEBUG="1")


def test_the_package_is_a_command_too() -> None:
    done = subprocess.run([sys.executable, "-m", "rosenblatt", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "\nExample:\n" in done.stdout
    assert done.stdout.startswith("Usage: rosenblatt ")
