"""A judge on a stream: which mails come when, what is shown of their labels, and what is said of that."""

from __future__ import annotations

import csv
import json
from array import array
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import naive
from command import mail_folder, run, well, write
from mails import pack, save
from pictured import assert_legible, texts
from rosenblatt.errors import DataError, SettingError
from rosenblatt.mail import Judge, Looked, Opinion, Plan, ablate, evaluate, evaluation, looking, read_stream
from rosenblatt.report.mail import ablation_text
from rosenblatt.report.pictures.mail import figure_of_stream

WORDS = {True: "free prize money now", False: "lunch at noon see you"}


def raw(number: int, spam: bool) -> bytes:
    """A mail of some words of its class, and a few of the other."""
    rng = np.random.default_rng([number, spam])
    words = [str(rng.choice(WORDS[bool(spam ^ (rng.random() < 0.2))].split())) for _ in range(6)]
    return f"Subject: {words[0]} {number}\nFrom: a{number}@example.org\n\n{' '.join(words)}\n".encode()


SPAM = np.random.default_rng(5).random(60) < 0.4
MAILS = {f"{'spam' if spam else 'ham'}/{number:02}.eml": raw(number, bool(spam)) for number, spam in enumerate(SPAM)}
TABLE = "path,label\nin/c,spam\nin/a,ham\nin/b,spam\n"
PLAIN = {f"in/{name}": f"Subject: {name}\n\nx\n".encode() for name in "abcd"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stream")
    save(path, MAILS)
    return path


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


# --- the stream ------------------------------------------------------------------------------------------------------


def test_a_folder_comes_by_sorted_paths_with_the_labels_of_its_folders(folder: Path) -> None:
    stream = read_stream(folder)
    assert stream.names == sorted(MAILS)
    assert stream.raws == [MAILS[name] for name in sorted(MAILS)]
    assert stream.spam.tolist() == [name.startswith("spam") for name in sorted(MAILS)]
    assert stream.digest == sha256(b"".join(stream.raws)).hexdigest() and not stream.notes


@pytest.mark.parametrize("top", ["", "set/"])
@pytest.mark.parametrize("index", ["index.csv", "index"])
def test_an_index_says_order_and_labels(top: str, index: str, tmp_path: Path) -> None:
    """In a folder, and in an archive at the top or in its only folder; a mail that it does not name is left out."""
    lines = TABLE if index == "index.csv" else "spam in/c\nHAM in/a\nspam in/b\n"
    files = {f"{top}{name}": own for name, own in {**PLAIN, index: lines.encode()}.items()}
    save(tmp_path, files)
    place = pack(tmp_path / "set.tar.gz", dict(reversed(files.items())))
    for path in [tmp_path / top, place, *([tmp_path / top / index])]:
        stream = read_stream(path)
        assert [name.removeprefix(top) for name in stream.names] == ["in/c", "in/a", "in/b"], path
        assert stream.spam.tolist() == [True, False, True]
        assert stream.raws[0] == PLAIN["in/c"]
    assert read_stream(place).notes == {"mails that the index does not name, left out": 1}


def test_an_archive_without_an_index_comes_by_sorted_paths(folder: Path, tmp_path: Path) -> None:
    path = pack(tmp_path / "mails.tar.gz", dict(reversed(MAILS.items())))
    assert read_stream(path)._replace(origin="")[1:3] == read_stream(folder)[1:3]


def test_a_tar_on_standard_input(folder: Path, tmp_path: Path) -> None:
    packed = pack(tmp_path / "m.tar.gz", MAILS).read_bytes()
    assert well("mail", "evaluate", "-", "--json", given=packed).json["digest"] == read_stream(folder).digest


BAD: dict[str, tuple[dict[str, str], str]] = {
    "not there": ({"index.csv": "path,label\nin/z,spam\n"}, "index.csv, line 2: found 'in/z', which is not there"),
    "two labels": (
        {"index.csv": f"{TABLE}./in/a, Spam \n"},
        "index.csv, line 5: found './in/a' as Spam, which line 3 says it is not; expected one label",
    ),
    "outside": ({"index.csv": "path,label\n../in/a,spam\n"}, "line 2: found '../in/a', which is not there; expected"),
    "a folder": ({"index.csv": "path,label\nin,spam\n"}, "line 2: found 'in', which is not there"),
    "semicolons": ({"index.csv": "path;label\nin/a;spam\n"}, "found the columns path;label; expected path and label"),
    "a long name": ({"index.csv": f"path,label\n{'x' * 100_000},spam\n"}, f"found '{'x' * 200}…', which is not there"),
    "columns": ({"index.csv": "file,label\nin/a,ham\n"}, "line 1: found the columns file, label; expected path"),
    "nothing": ({"index.csv": "path,label\n"}, "it names no mail"),
    "empty": ({"index.csv": ""}, "line 1: it is empty; expected path and label"),
    "label": ({"index.csv": "path,label\nin/a,eggs\n"}, "index.csv, line 2: found the label 'eggs'; expected the"),
    "no label": ({"index.csv": "path,label\nin/a\n"}, "found the label ''"),
    "unlabelled": ({}, "found mails without labels; expected mails in folders named spam and ham"),
    "other folders": (
        {"junk/a": "Subject: a\n\n"},
        "found the label 'in'; expected the labels spam and ham; spam=PATH",
    ),
    "one word": ({"index": "spam\n"}, "index, line 1: found 'spam'; expected a label and the path"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_a_stream_cannot_be(name: str, tmp_path: Path) -> None:
    files, said = BAD[name]
    save(tmp_path, {**PLAIN, **{path: text.encode() for path, text in files.items()}})
    done = run("mail", "evaluate", tmp_path)
    assert done.code == 65 and said in done.err and done.err.count("\n") <= 2, done.err
    with pytest.raises(DataError) as error:
        evaluate(tmp_path)
    assert done.err.splitlines()[-1] == f"Error: {error.value}"
    packed = pack(tmp_path.parent / f"{tmp_path.name}.tar.gz", {**PLAIN, **{k: v.encode() for k, v in files.items()}})
    assert run("mail", "evaluate", packed).code == 65


def test_what_is_no_table_is_said(tmp_path: Path) -> None:
    save(tmp_path, {**PLAIN, "index.csv": b"path,label\nin/a," + b"spam" * 50})
    before = csv.field_size_limit(100)
    try:
        with pytest.raises(DataError, match=r"index.csv, line 2: found no table \(field larger.*\); expected lines"):
            read_stream(tmp_path)
    finally:
        csv.field_size_limit(before)


def test_no_mail_and_no_file_are_said(tmp_path: Path) -> None:
    for path, said in ((tmp_path, "found no mail"), (tmp_path / "none", "no such file")):
        done = run("mail", "evaluate", path)
        assert done.code == 65 and said in done.err


# --- who comes when, and what is shown -------------------------------------------------------------------------------


def test_order_and_noise_are_those_of_their_seeds() -> None:
    spam = SPAM.copy()
    order, shown = Plan("shuffled", noise=0.3).arrivals(spam, 7)
    assert order.tolist() == np.random.default_rng(7).permutation(60).tolist()
    wrong = np.random.default_rng([7, 1]).random(60) < 0.3
    assert 5 < wrong.sum() < 30 and (shown == np.where(wrong, ~spam[order], spam[order])).all()
    order, shown = Plan().arrivals(spam, 7)
    assert order.tolist() == list(range(60)) and (shown == spam).all()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"order": "random"}, "unknown order='random'; one of given, shuffled"),
        ({"seed": -1}, "seed=-1 must be a whole number ≥ 0"),
        ({"seed": None}, "seed=None must be a whole number ≥ 0"),
        ({"feedback_first": "all"}, "feedback_first='all' must be None or a whole number ≥ 0"),
        ({"noise": "5%"}, "noise='5%' must be a share"),
        ({"repeat": 0}, "repeat=0 must be a whole number ≥ 1"),
        ({"delay": 1.5}, "delay=1.5 must be a whole number ≥ 0"),
        ({"noise": 1.0}, "noise=1 must be a share"),
        ({"noise": float("nan")}, "noise=nan must be a share"),
        ({"repeat": 2}, "repeat=2: mails in the given order without noise come the same each time"),
    ],
)
def test_plans_out_of_range(words: dict[str, Any], said: str, folder: Path) -> None:
    with pytest.raises(SettingError, match=said.replace("(", r"\(")):
        evaluate(folder, Plan(**words))


class Numbered:
    """A look that sees which mail it is; of two groups the one that tells its class, and one that tells nothing."""

    bits = 20

    def __init__(self, groups: tuple[str, ...] = ()) -> None:
        self.groups = groups

    def __call__(self, raw: bytes) -> Looked:
        seen = [1 if b"prize" in raw or b"money" in raw else 2] * ("class" in self.groups)
        columns = seen or [int(raw.split(b"\n")[0].split()[-1])] * (not self.groups)
        return Looked(array("I", columns), "")

    def with_sender(self, looked: Looked, counts: Any) -> Looked:
        return looked


class OneByOne:
    def __init__(self, look: Any) -> None:
        self.few = lambda raws: list(map(look, raws))


class Diary:
    """A judge that writes down what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int, bool | None]] = []
        self.look, self.lost = Numbered(), 0.001

    def score(self, mails: list[Looked]) -> list[Opinion]:
        self.asked += [("score", mail.columns[0], None) for mail in mails]
        return [Opinion(0.0, 0.5, "unsure")] * len(mails)

    def learn(self, mails: list[Looked], spam: list[bool]) -> list[Opinion]:
        self.asked += [("learn", mail.columns[0], label) for mail, label in zip(mails, spam, strict=True)]
        return [Opinion(0.0, 0.5, "unsure")] * len(mails)

    def state(self) -> dict[str, Any]:
        return {}


def asked(folder: Path, monkeypatch: pytest.MonkeyPatch, **plan: Any) -> tuple[list[Any], Any]:
    judges: list[Diary] = []

    def new(**words: Any) -> Any:
        judges.append(Diary())
        return judges[-1]

    monkeypatch.setattr(evaluation, "judge_from", new)
    monkeypatch.setattr(evaluation, "Bulk", OneByOne)
    made = evaluate(folder, Plan(**plan))
    return judges[-1].asked, made.runs[0]


@pytest.mark.parametrize(("delay", "first"), [(0, None), (0, 10), (0, 0), (3, None), (3, 10), (100, None), (58, 10)])
def test_verdicts_come_when_they_are_planned(
    delay: int, first: int | None, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Word for word: score, then learn what has come by then."""
    monkeypatch.setattr(evaluation, "BLOCK", 7)
    stream = read_stream(folder)
    found, made = asked(folder, monkeypatch, delay=delay, feedback_first=first, noise=0.2, seed=1)
    numbers = [int(Path(name).stem) for name in stream.names]
    _, shown = Plan(noise=0.2).arrivals(stream.spam, 1)
    expected: list[Any] = []
    for t in range(60):
        if delay or t >= (60 if first is None else first):
            expected.append(("score", numbers[t], None))
        late = t - delay
        if 0 <= late < (60 if first is None else first):
            expected.append(("learn", numbers[late], bool(shown[late])))
    assert found == expected
    learned = {number for what, number, _ in expected if what == "learn"}
    assert made.arrived.tolist() == [number in learned for number in numbers]


def test_blocks_are_mails_one_by_one_and_a_score_is_the_one_before_learning(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = evaluate(folder, Plan("shuffled")).runs[0]
    monkeypatch.setattr(evaluation, "BLOCK", 1)
    single = evaluate(folder, Plan("shuffled")).runs[0]
    stream, judge = read_stream(folder), Judge()
    for t, i in enumerate(made.order):
        mail = judge.look(stream.raws[i])
        (opinion,) = judge.score([mail])
        for each in (made, single):
            assert (each.scores[t], each.probabilities[t]) == pytest.approx(opinion[:2], abs=1e-9)
            assert each.verdicts[t] == opinion.verdict
        judge.learn([mail], [bool(stream.spam[i])])


def test_processes_change_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = evaluate(folder, Plan("shuffled"))
    monkeypatch.setattr(looking, "FEW", 10)
    told: list[Any] = []
    assert evaluate(folder, Plan("shuffled"), 2, lambda *far: told.append(far)).as_dict() == one.as_dict()
    assert ("looking at mails", 60, 60) in told and told[-1] == ("seed 0", 60, 60)


# --- what is said ----------------------------------------------------------------------------------------------------


def test_the_measures_are_those_of_the_mails_that_are_listed(folder: Path) -> None:
    said = evaluate(folder, Plan("shuffled", seed=3, repeat=2, noise=0.1)).as_dict()
    assert [run["seed"] for run in said["runs"]] == [3, 4] and len(said["mails"]) == 120
    for own in said["runs"]:
        mails = [mail for mail in said["mails"] if mail["seed"] == own["seed"]]
        assert [mail["path"] for mail in mails] != sorted(MAILS) and {mail["path"] for mail in mails} == {*MAILS}
        assert any(mail["shown"] != mail["label"] for mail in mails)
        ham, spam = ([mail for mail in mails if mail["label"] == label] for label in ("ham", "spam"))
        scores = [np.array([mail["score"] for mail in side]) for side in (ham, spam)]
        assert own["roca_percent"] == pytest.approx(100 * naive.one_minus_roca(*scores))
        for where, lost, through in (
            (own, [m["probability"] > 0.5 for m in ham], [m["probability"] <= 0.5 for m in spam]),
            (own["at_threshold"], [m["verdict"] == "spam" for m in ham], [m["verdict"] != "spam" for m in spam]),
        ):
            assert where["ham_lost_percent"] == pytest.approx(100 * np.mean(lost))
            assert where["spam_through_percent"] == pytest.approx(100 * np.mean(through))
            found = naive.lam(sum(lost), len(ham), sum(through), len(spam))
            assert where["lam_percent"] == pytest.approx(100 * found)
    assert said["roca_percent"] == pytest.approx(np.mean([own["roca_percent"] for own in said["runs"]]))
    low, high = said["intervals"]["at_threshold"]["lam_percent"]
    assert low < said["at_threshold"]["lam_percent"] < high


def test_both_faces_say_the_same(folder: Path, tmp_path: Path) -> None:
    words = ["--order", "shuffled", "--seed", "2", "--repeat", "2", "--noise", "5%", "--delay", "2", "--bits", "12"]
    words += ["--feedback-first", "50", "--online", "--jobs", "1"]
    shell = well(
        "mail", "evaluate", folder, *words, "--json", "-o", tmp_path / "out.json", "--picture", tmp_path / "p.png"
    )
    python = evaluate(folder, Plan("shuffled", 2, 2, 0.05, 2, 50), bits=12).as_dict()
    assert shell.json == json.loads(json.dumps(python)) == json.loads((tmp_path / "out.json").read_text())
    assert shell.json["settings"] == {"groups": list(Judge().look.groups), "bits": 12, "max_false_positives": 0.001}
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_a_stream_of_one_class_says_what_is_not_defined(tmp_path: Path) -> None:
    save(tmp_path, {name: own for name, own in MAILS.items() if name.startswith("ham")})
    done = well("mail", "evaluate", tmp_path, "--picture", tmp_path / "p.svg")
    assert "all mails are ham: what needs both is not defined" in done.out
    assert [line for line in done.out.splitlines() if line.startswith("(1-ROCA) %") and "not defined" in line]
    said = well("mail", "evaluate", tmp_path, "--json")
    assert said.json["roca_percent"] is None and said.json["ham_lost_percent"] is not None


def test_the_picture(folder: Path) -> None:
    figure = figure_of_stream(evaluate(folder, Plan("shuffled", repeat=2)), "a stream")
    assert_legible(figure)
    assert {"1 − ROCA", "spam through, threshold", "real mail lost, p > .5"} <= {*texts(figure)}


@pytest.mark.parametrize("chosen", ["spam/", "ham/0", ""])
def test_the_picture_of_little_has_numbers_on_its_axes(chosen: str, tmp_path: Path) -> None:
    """Few mails, one class, mistakes of about one size or none at all: a power of ten may not be among them."""
    save(tmp_path, {name: own for name, own in MAILS.items() if name.startswith(chosen)})
    for plan in (Plan(), Plan("shuffled", feedback_first=0)):
        figure = figure_of_stream(evaluate(tmp_path, plan), "a stream")
        assert_legible(figure)
        said = {*texts(figure)}
        assert "100%" in said or "50%" in said
        assert sum(text.isdigit() for text in said) >= 2, said
        assert "real mail lost, threshold: none" in said
        assert ("1 − ROCA" in said) == (chosen == "")


# --- against another run ---------------------------------------------------------------------------------------------


def test_against_itself_nothing_moves_and_against_another_what_did(folder: Path, tmp_path: Path) -> None:
    saved = tmp_path / "one.json"
    well("mail", "evaluate", folder, "--order", "shuffled", "-o", saved)
    same = evaluate(folder, Plan("shuffled")).against(saved).as_dict()
    assert same["roca_percent"] == same["at_threshold"]["lam_percent"] == 0.0
    assert not {*same["moved"]["at_threshold"].values()} - {0}
    low, high = same["intervals"]["ham_lost_percent"]
    assert low < 0.0 < high, "what has not been seen may still differ"
    noisy = evaluate(folder, Plan("shuffled", noise=0.3))
    found, clean = noisy.against(saved).as_dict(), evaluate(folder, Plan("shuffled"))
    assert found["lam_percent"] == pytest.approx(noisy.as_dict()["lam_percent"] - clean.as_dict()["lam_percent"])
    pairs = list(zip(noisy.as_dict()["mails"], clean.as_dict()["mails"], strict=True))
    right = [[(m["probability"] > 0.5) == (m["label"] == "spam") for m in pair] for pair in pairs]
    worse = sum(was and not is_ for (is_, was) in right)
    assert worse == found["moved"]["ham_worse"] + found["moved"]["spam_worse"] > 0
    done = well("mail", "evaluate", folder, "--order", "shuffled", "--noise", "30%", "--against", saved)
    assert f"{worse} wrong here and right there" in done.out


def test_what_cannot_be_compared_is_said(folder: Path, tmp_path: Path) -> None:
    saved = tmp_path / "one.json"
    well("mail", "evaluate", folder, "--order", "shuffled", "-o", saved)
    said = json.loads(saved.read_text())
    other = tmp_path / "other"
    save(other, {**MAILS, "ham/00.eml": b"Subject: another\n\nx\n"})
    cases = [
        ([folder], "its order is shuffled, here it is given"),
        ([folder, "--order", "shuffled", "--seed", "1"], "its seed is 0, here it is 1"),
        ([folder, "--order", "shuffled", "--repeat", "2"], "its repeat is 1, here it is 2"),
        ([other, "--order", "shuffled"], "its digest is"),
    ]
    for words, why in cases:
        done = run("mail", "evaluate", *words, "--against", saved)
        assert done.code == 65 and f"one.json: {why}" in done.err
    damage: dict[str, Any] = {
        "[1]": "found other JSON",
        "{": "found no JSON",
        json.dumps({**said, "mails": said["mails"][:-1]}): "its mails are damaged",
        json.dumps({**said, "mails": said["mails"][::-1]}): "its mails are damaged",
        **{
            json.dumps({**said, "mails": [{**mail, **bad} for mail in said["mails"]]}): "its mails are damaged"
            for bad in ({"score": "x"}, {"score": np.nan}, {"score": None}, {"probability": 7}, {"verdict": ["spam"]})
        },
        json.dumps({**said, "mails": said["mails"] * 2}): "its mails are damaged",
        json.dumps({**said, "mails": None}): "expected path, label, score, probability and verdict of each of the 60",
        json.dumps({**said, "digest": "0" * 9000}): "its digest is 0{79}…, here it is",
        "[" * 100_000: "found no JSON",
    }
    made = evaluate(folder, Plan("shuffled"))
    for text, why in damage.items():
        with pytest.raises(DataError, match=why):
            made.against(write(tmp_path / "bad.json", text))
    with pytest.raises(DataError, match="cannot be read"):
        made.against(tmp_path / "none.json")


# --- groups, settings, options ---------------------------------------------------------------------------------------


def test_an_ablation_leaves_out_each_group(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def new(groups: Any = ("class", "nothing")) -> Any:
        judge: Any = Judge()
        judge.look = Numbered(tuple(groups))
        return judge

    monkeypatch.setattr(evaluation, "Bulk", OneByOne)
    monkeypatch.setattr(evaluation, "judge_from", new)
    rows = ablate(folder, Plan("shuffled"))
    assert [row.without for row in rows] == ["", "class", "nothing"]
    assert rows[0].clean.as_dict()["roca_percent"] < 30.0
    assert rows[1].clean.as_dict()["roca_percent"] > 45.0, "nothing is left"
    assert rows[0].clean.values == pytest.approx(rows[2].clean.values)
    assert {row.noisy.plan.noise for row in rows} == {0.05} and {row.clean.plan.noise for row in rows} == {0.0}
    assert [line.split()[:2] for line in ablation_text(rows)[-2:]] == [["without", "class"], ["without", "nothing"]]


def test_an_ablation_in_the_shell(folder: Path) -> None:
    done = well("mail", "evaluate", folder, "--ablate", "--order", "shuffled")
    assert "all groups" in done.out and "5 % wrong" in done.out
    said = well("mail", "evaluate", folder, "--ablate", "--json").json
    assert said["ablation"][0]["without"] == "" and "roca_percent" in said["ablation"][0]["noisy"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--groups", "words,eggs"], "--groups: unknown 'eggs'; expected some of"),
        (["--groups", ""], "--groups: unknown ''; expected some of"),
        (["--groups", "word"], "pairs; did you mean words?"),
        (["--max-false-positives", "0"], "--max-false-positives 0 must be a share above 0 and below 1"),
        (["--delay", "-1"], "--delay -1 must be a whole number ≥ 0"),
        (["--feedback-first", "-1"], "--feedback-first -1 must be all or a whole number ≥ 0"),
        (["--jobs", "0"], "0 must be 1 or more"),
        (["--bits", "99"], "--bits 99 must be a whole number from 8 to 28"),
        (["--noise", "100%"], "--noise 1 must be a share"),
        (["--repeat", "2"], "--repeat 2: mails in the given order without noise come the same each time; --order"),
        (["--ablate", "--noise", "5%"], "--noise 0.05: an ablation has its own"),
        (["--ablate", "--against", "x.json"], "--ablate and --against"),
        (["--picture", "p.gif"], "--picture p.gif: a picture's name ends in"),
    ],
)
def test_options_that_do_not_go(words: list[str], said: str, folder: Path) -> None:
    done = run("mail", "evaluate", folder, *words)
    assert done.code == 64 and said in done.err, done.err


def test_the_result_is_whole_or_not_there(tmp_path: Path) -> None:
    mail_folder(tmp_path / "m")
    assert run("mail", "evaluate", tmp_path / "m", "-o", tmp_path / "no" / "out.json").code == 73
    out = write(tmp_path / "out.json", "before")
    assert run("mail", "evaluate", tmp_path / "m", "--against", tmp_path / "none.json", "-o", out).code == 65
    assert out.read_text() == "before" and not list(tmp_path.glob(".out*"))


def test_a_command_that_mail_has_not() -> None:
    done = run("mail", "sort")
    assert (
        done.code == 64 and "there is no command 'sort'; the commands are learn, forget, filter, classify" in done.err
    )
