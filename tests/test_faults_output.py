"""Lines of the list of faults that are about what reaches the disk: every byte, or the exit code says so."""

from __future__ import annotations

import os
import signal
import stat
import time
from pathlib import Path

import pytest

from command import MAIN, mail_folder, process, run, well, write
from rosenblatt import Model

FULL = Path("/dev/full")
SVM = "1 1:1\n-1 2:1\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Here, with a small model and many rows to answer for."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.svm", SVM)
    write(tmp_path / "many.svm", SVM * 20_000)
    well("train", "a.svm", "-o", "m")
    mail_folder(tmp_path / "mails")
    return tmp_path


# --- F1: every byte is written, or the exit code says so ---

LONG = [
    ["predict", "m", "many.svm"],
    ["predict", "m", "many.svm", "--json"],
    ["head", "many.svm", "-n", "100000"],
    ["convert", "many.svm", "-", "--to", "csv"],
]
SHORT = [
    ["--help"],
    ["evaluate", "m", "a.svm", "--mistakes"],
    ["doctor", "a.svm", "--json"],
    ["train", "--help"],
    ["--version"],
    ["inspect", "m"],
    ["summary", "a.svm", "--json"],
    ["mail", "evaluate", "mails", "--json"],
]


def ended(words: list[str], unbuffered: str, **options: object) -> tuple[int, bytes]:
    running = process(*words, env={"PYTHONUNBUFFERED": unbuffered}, **options)
    _, err = running.communicate()
    return running.returncode, err


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [LONG[0], LONG[3], *SHORT], ids=" ".join)
def test_f1_a_full_disk_is_said_once(words: list[str], unbuffered: str) -> None:
    with FULL.open("wb") as full:
        code, err = ended(words, unbuffered, stdout=full)
    assert code == (73 if words[0] == "mail" else 5)
    assert err == b"Error: standard output cannot be written: No space left on device\n"


@pytest.mark.parametrize("words", LONG, ids=" ".join)
def test_f1_a_file_that_may_grow_no_more_is_said_once(words: list[str]) -> None:
    def limited() -> None:
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    with open("out", "wb") as out:
        code, err = ended(words, "1", stdout=out, preexec_fn=limited)
    assert (code, err) == (5, b"Error: standard output cannot be written: File too large\n")


@pytest.mark.parametrize("words", LONG, ids=" ".join)
def test_f1_a_reader_that_goes_away_is_told_from_the_end(words: list[str]) -> None:
    running = process(*words, env={"PYTHONUNBUFFERED": "1"})
    assert running.stdout and running.stderr and running.stdin
    running.stdin.close()
    assert running.stdout.readline()
    running.stdout.close()
    assert (running.wait(), running.stderr.read()) == (141, b"")
    running.stderr.close()


def test_f1_without_a_buffer_nothing_is_lost_to_a_slow_or_hasty_pipe() -> None:
    for blocking in (True, False):
        ours, theirs = os.pipe()
        os.set_blocking(theirs, blocking)
        running = process("predict", "m", "many.svm", stdout=theirs, env={"PYTHONUNBUFFERED": "1"})
        os.close(theirs)
        time.sleep(0.3)
        with open(ours, "rb") as pipe:
            assert pipe.read().count(b"\n") == 40_000
        running.communicate()
        assert running.returncode == 0


def test_f1_ctrl_c_while_it_is_loaded_is_no_traceback(tmp_path: Path) -> None:
    """The signal comes out of the import of a module that every command needs."""
    write(tmp_path / "click" / "__init__.py", "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    hears = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
    running = process("train", "a.svm", "-o", "x", program=f"{hears} import sys; sys.path.insert(0, '.'); {MAIN}")
    assert running.communicate() == (b"", b"") and running.returncode == 130


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_f1_a_save_that_is_ended_leaves_nothing_behind(number: signal.Signals, folder: Path) -> None:
    before, there = (folder / "m").read_bytes(), sorted(folder.iterdir())
    usual = f"signal.signal({int(number)}, signal.SIG_DFL)"  # who began the tests may have it ignored, as nohup does
    killed = f"import os, signal; {usual}; os.fsync = lambda handle: os.kill(os.getpid(), {int(number)});"
    running = process("train", "a.svm", "-o", "m", "--rule", "margin", program=f"{killed} {MAIN}")
    _, err = running.communicate()
    assert running.returncode == 128 + number and b"Traceback" not in err
    assert sorted(folder.iterdir()) == there and (folder / "m").read_bytes() == before


def test_f1_who_may_read_a_file_may_read_the_one_that_replaces_it(folder: Path) -> None:
    (folder / "m").chmod(0o600)
    well("train", "a.svm", "-o", "m", "--rule", "margin")
    Model.load("m").save("m")
    assert stat.S_IMODE((folder / "m").stat().st_mode) == 0o600
    well("convert", "a.svm", "b.csv")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((folder / "b.csv").stat().st_mode) == 0o666 & ~mask
    (folder / "b.csv").chmod(0o660)
    well("convert", "a.svm", "b.csv")
    assert stat.S_IMODE((folder / "b.csv").stat().st_mode) == 0o660


def test_f1_a_name_that_no_disk_takes_is_said() -> None:
    """As a folder that may not be looked into: whoever asks pathlib whether it is there gets an exception."""
    name = "x" * 300
    for words in (["convert", "a.svm", f"{name}.csv"], ["mail", "evaluate", "mails", "-o", f"{name}.json"]):
        done = run(*words)
        assert done.code in (5, 73) and "cannot be written: File name too long" in done.err, done.err
    assert run("mail", "evaluate", name).code == 65


# --- E6: two updates of one model at once ---


def test_e6_two_updates_at_once_are_made_one_after_the_other(folder: Path) -> None:
    write(folder / "noise.svm", "1 1:1\n-1 1:1\n" * 3)
    well("train", "noise.svm", "-o", "m", "--epochs", "3", "--keep", "averaged")
    slow = "import time, rosenblatt.recipe.training as t; f = t.further\n"
    slow += "def late(*a, **k):\n    time.sleep(.7); return f(*a, **k)\nt.further = late\n"
    words = ["train", "noise.svm", "--continue", "m", "-o", "m", "--epochs", "2"]
    both = [process(*words, program=slow + MAIN) for _ in range(2)]
    errors = b"".join(each.communicate()[1] for each in both)
    assert [each.returncode for each in both] == [0, 0]
    assert b"note: another program goes on with m; waiting until it has written it" in errors
    assert Model.load("m").run.epoch == 3 + 2 + 2
