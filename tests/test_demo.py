"""`rosenblatt demo`, end to end: what it prints, what it writes, and that nobody peeks at the held-out mails."""

from __future__ import annotations

import io
import json
import math
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from matplotlib.image import imread

from rosenblatt.cli import demo as demos
from rosenblatt.data.batch import AtHand
from rosenblatt.data.folds import two_parts
from rosenblatt.mail.digest import digest
from rosenblatt.mail.store.learning import Store, Verdict
from rosenblatt.mail.store.reading import Reader
from rosenblatt.model.model import Model

PROGRAM = [sys.executable, "-c", "from rosenblatt.cli import main; main()"]


def run(words: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    everything = {**os.environ, "PYTHONIOENCODING": "utf-8", **environment}
    return subprocess.run(words, cwd=folder, env=everything, capture_output=True, encoding="utf-8", timeout=3600)


class Done(NamedTuple):
    folder: Path
    printed: str


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """One demo, in a folder of its own."""
    folder = tmp_path_factory.mktemp("demo")
    found = run([*PROGRAM, "demo"], folder)
    assert found.returncode == 0, found.stderr
    assert found.stderr == ""
    return Done(folder, found.stdout)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The same once more as JSON, in another folder and process."""
    found = run([*PROGRAM, "demo", "--json", "--output", "other"], tmp_path_factory.mktemp("json"))
    assert found.returncode == 0, found.stderr
    (line,) = found.stdout.splitlines()
    value: dict[str, Any] = json.loads(line)
    return value


@pytest.fixture(scope="module")
def mails() -> demos.Mails:
    return demos.read_mails(0)


def rows_of(printed: str) -> dict[str, list[str]]:
    """learner → its numbers in the printed table."""
    found = {}
    for name in demos.LEARNERS:
        (line,) = [line for line in printed.splitlines() if re.match(rf"{name} +\d", line)]
        found[name] = line.removeprefix(name).split()
    return found


# --- the whole of it -------------------------------------------------------------------------------------------------


def test_the_table_has_every_learner(done: Done) -> None:
    table = rows_of(done.printed)
    assert len(table) == 10
    for errors, lost, through, mistakes, epochs, seconds in table.values():
        assert int(errors) == int(lost) + int(through) < 30
        assert int(mistakes.replace(",", "")) > 0 and int(epochs) > 1 and float(seconds) >= 0


def test_the_same_seed_gives_the_same_demo(done: Done, told: dict[str, Any]) -> None:
    """Table, words and explanation, in two processes; seconds apart."""
    table = rows_of(done.printed)
    for row in told["learners"]:
        assert demos.cells(row)[1:-1] == table[row["learner"]][:-1]
    for words in told["strongest_words"].values():
        for each in words:
            assert f"{each['weight']:+.3f}  {demos.short(each['word'], 24)}" in done.printed
    assert f"{told['explained']['score']:+.3f}  = score" in done.printed
    for line in told["filter"]["headers"]:
        assert f"\n  {line}\n" in done.printed


def test_the_score_of_the_explained_mail_is_the_sum_of_all(told: dict[str, Any], done: Done) -> None:
    why = told["explained"]
    parts = [each["contribution"] for each in why["contributions"]]
    assert math.isclose(math.fsum([*parts, why["rest"]["contribution"], why["intercept"]]), why["score"], rel_tol=1e-12)
    assert np.abs(parts).tolist() == sorted(np.abs(parts), reverse=True)
    assert why["predicted"] == ("spam" if why["score"] > 0 else "ham")
    assert demos.short(why["subject"], 60) in " ".join(done.printed.split())


def test_the_files_are_there_and_whole(done: Done, told: dict[str, Any], mails: demos.Mails) -> None:
    folder = done.folder / "rosenblatt-demo"
    assert sorted(path.name for path in folder.iterdir()) == sorted(demos.FILES.values())
    model = Model.load(folder / "spam.model")
    assert (model.run.settings.keep, model.classes.tolist()) == (demos.LEARNERS[demos.KEPT]["keep"], ["ham", "spam"])
    errors = int((model.labels(model.scores(mails.held.rows)) != mails.held.y).sum())
    (row,) = [row for row in told["learners"] if row["learner"] == demos.KEPT]
    assert errors == row["errors"], "the model that is written is the one in the table"
    assert (folder / "mail.eml").read_bytes() == demos.raw_mails()[told["explained"]["id"]]


def test_the_picture_is_not_blank(done: Done) -> None:
    pixels = imread(done.folder / "rosenblatt-demo" / "mistakes.png")[:, :, :3]
    assert min(pixels.shape[:2]) > 400
    assert 0.005 < (pixels.min(axis=2) < 0.9).mean() < 0.5


def test_the_three_commands_work_as_printed(done: Done, told: dict[str, Any]) -> None:
    commands = [line.strip() for line in done.printed.partition("To go on:\n")[2].splitlines()]
    assert len(commands) == 3
    printed = [as_printed(command, done.folder) for command in commands]
    assert printed[0].split("\t")[0] == told["explained"]["predicted"]
    assert math.isclose(float(printed[0].split("\t")[1]), told["explained"]["score"], rel_tol=1e-12)
    assert f"predicted {told['explained']['predicted']}" in printed[1]
    assert (done.folder / "rosenblatt-demo" / "sms.model").is_file()


def as_printed(command: str, folder: Path) -> str:
    """What a shell makes of a command. `rosenblatt` is spelled out where the package is only on the path."""
    try:
        metadata.distribution("rosenblatt")
    except metadata.PackageNotFoundError:
        word, rest = command.split(" ", 1)
        assert word == "rosenblatt"
        command = f"{shlex.join(PROGRAM)} {rest}"
    found = run(["/bin/sh", "-c", command], folder)
    assert found.returncode == 0, found.stderr
    return found.stdout


# --- held out means held out -----------------------------------------------------------------------------------------


def test_the_split_is_by_class_and_seed() -> None:
    y = np.array(["ham"] * 70 + ["spam"] * 30)
    train, held = two_parts(y, 0.7, 3)
    assert sorted([*train, *held]) == list(range(100))
    assert (y[train] == "ham").sum() == 49 and (y[train] == "spam").sum() == 21
    assert [part.tolist() for part in two_parts(y, 0.7, 3)] == [train.tolist(), held.tolist()]
    assert set(two_parts(y, 0.7, 4)[0]) != set(train)


def test_the_dictionary_is_that_of_the_training_mails(mails: demos.Mails) -> None:
    """Learned anew from the training mails alone it is the same, and with the held-out ones it would not be."""
    from rosenblatt.data.batch import Batch
    from rosenblatt.features.pipeline import Features

    assert not set(mails.train.ids) & set(mails.held.ids)
    alone = Features.fit(AtHand(Batch(mails.documents[0], None)))[0]
    both = Features.fit(AtHand(Batch(sum(mails.documents, []), None)))[0]
    assert mails.features.names == alone.names
    assert len(both.names or []) > len(alone.names or [])


def test_the_filter_has_learned_the_training_mails_and_judged_the_others(
    mails: demos.Mails, told: dict[str, Any], done: Done, tmp_path: Path
) -> None:
    """In Python it is the same."""
    raws, path = demos.raw_mails(), str(tmp_path / "mail.db")
    with Store(path) as store:
        spam = (mails.train.y == "spam").tolist()
        seen = zip(mails.train.ids, spam, strict=True)
        store.learn([Verdict(digest(raws[name]), store.look(raws[name]), is_spam) for name, is_spam in seen])
    with Reader(path) as reader:
        opinions = [reader.opinion(reader.looked(raws[name])) for name in mails.held.ids]
    counted = Counter(zip(mails.held.y.tolist(), (opinion.verdict for opinion in opinions), strict=True))
    for label, verdicts in told["filter"]["verdicts"].items():
        assert verdicts == {verdict: counted[label, verdict] for verdict in demos.VERDICTS}
        assert re.search(rf"^{label} +" + " +".join(map(str, verdicts.values())), done.printed, re.M)
    first = next(opinion for opinion in opinions if opinion.verdict == "spam")
    assert told["filter"]["headers"][1] == "X-Spam-Flag: YES"
    assert told["filter"]["headers"][0].endswith(f"verdict=spam probability={first.probability:.6f}")


# --- how it looks ----------------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


ROW = {"errors": 12, "real_mail_lost": 4, "spam_let_through": 8, "mistakes": 1234, "epochs": 56, "seconds": 1.5}
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> str:
    terminal = Terminal()
    for name, value in {"COLUMNS": str(columns), "LINES": "40", "NO_COLOR": "1", "TERM": "xterm-256color"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", terminal)
    names = list(demos.LEARNERS)
    with demos.View(silent=False).table(names) as table:
        table.status(0, "compiling")
        for number, name in enumerate(names):
            table.row(number, {"learner": name, **ROW})
    return terminal.getvalue()


@pytest.mark.parametrize(("columns", "numbers"), [(40, "12 4 8"), (100, "12 4 8 1,234 56 1.500")])
def test_on_a_terminal_the_table_is_live_and_fits(monkeypatch: pytest.MonkeyPatch, columns: int, numbers: str) -> None:
    shown = on_terminal(monkeypatch, columns)
    assert not re.search(r"\x1b\[[0-9;]*(?:3|4|9)[0-7]m", shown), "NO_COLOR"
    assert "compiling" in shown and "\x1b[1A" in shown, "drawn again in place"
    lines = [line.rstrip() for line in CONTROL.sub("", shown).replace("\r", "\n").split("\n")]
    assert max(map(len, lines)) <= columns
    final = [line.split() for line in lines if line.startswith("passive-aggressive")][-1]
    assert final == ["passive-aggressive", *numbers.split()]


def test_off_a_terminal_lines_come_one_by_one(capsys: pytest.CaptureFixture[str]) -> None:
    with demos.View(silent=False).table(["perceptron"]) as table:
        table.status(0, "compiling")
        table.row(0, {"learner": "perceptron", **ROW})
        assert capsys.readouterr().out.splitlines() == [
            "learner     errors  mail lost  spam through  mistakes  epochs  seconds",
            "perceptron      12          4             8     1,234      56    1.500",
        ]


def test_a_senders_control_characters_do_not_reach_the_terminal() -> None:
    assert demos.short("free \x1b]0;owned\x07 money\r\n\u202enow", 60) == "free ]0;owned money now"


# --- what can go wrong -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--epochs", "0"], 2, "--epochs 0"),
        (["--output", "taken"], 5, "taken"),
        (["--output", "taken/below"], 5, "taken"),
        (["--seed", "-1"], 2, "--seed"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(tmp_path: Path, words: list[str], code: int, said: str) -> None:
    (tmp_path / "taken").write_text("a file")
    found = run([*PROGRAM, "demo", *words], tmp_path)
    assert found.returncode == code
    assert said in found.stderr and "Traceback" not in found.stderr
    assert found.stdout == "" and [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_help_ends_with_an_example(tmp_path: Path) -> None:
    assert run([*PROGRAM, "demo", "--help"], tmp_path).stdout.rstrip().endswith(demos.demo.example)


def test_the_program_is_named_as_the_shell_finds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`make demo` runs it from a .venv that is not on the PATH."""
    script = tmp_path / "some where" / "rosenblatt"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(script), "demo"])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert demos.program() == shlex.quote(str(script))
    monkeypatch.setenv("PATH", str(script.parent))
    assert demos.program() == "rosenblatt"
