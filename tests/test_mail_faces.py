"""`rosenblatt.mail` and `mail evaluate` as a postmaster and a data scientist meet them."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import MAIL, WORDS, run, well, write
from mails import LINE, pack, save
from rosenblatt.errors import DataError, RosenblattError, SettingError
from rosenblatt.mail import Judge, Look, Plan, Stream, ablate, evaluate, evaluation, looking, read_stream

LABELS, TEXTS = zip(*(line.split("\t") for line in WORDS.splitlines()), strict=True)
RAWS = [MAIL.format(text.split()[0], text).encode() for text in TEXTS]
SPAM = [label == "spam" for label in LABELS]
IN = {f"in/{number} é": raw for number, raw in enumerate(RAWS)}


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


# --- where mails lie -------------------------------------------------------------------------------------------------


def test_places_of_any_name_are_given_with_their_labels(tmp_path: Path) -> None:
    """A maildir, an mbox and a single folder; in the shell and in Python."""
    write(tmp_path / "Maildir/.Junk/cur/1600000000.M1.host:2,S", RAWS[0])
    (tmp_path / "Maildir/.Junk/new").mkdir()
    write(tmp_path / "mein Müll", b"".join(LINE + RAWS[i] + b"\n" for i in (2, 4)))
    save(tmp_path / "good", {f"{i}.eml": RAWS[i] for i in (1, 3, 5)})
    junk, box, good = tmp_path / "Maildir/.Junk", tmp_path / "mein Müll", tmp_path / "good"
    stream = read_stream({"spam": [junk, box], "Ham": good})
    assert stream.raws == [RAWS[i] for i in (0, 2, 4, 1, 3, 5)] and stream.spam.tolist() == [True] * 3 + [False] * 3
    words = [f"spam={junk}", f"spam={box}", f"Ham={good}"]
    done = well("mail", "evaluate", *words, "--json", "--order", "shuffled")
    python = evaluate({"spam": [junk, box], "Ham": good}, Plan("shuffled")).as_dict()
    assert done.json["mails"] == json.loads(json.dumps(python["mails"])) and done.json["digest"] == stream.digest
    assert "all spam came before all ham: --order shuffled mixes them" in well("mail", "evaluate", *words).out
    assert "came before" not in well("mail", "evaluate", *words, "--order", "shuffled").out
    for bad, said in (
        ([good, junk], "it is given without a label"),
        ([f"junk={junk}", f"ham={good}"], "found the label 'junk'; expected the labels spam and ham"),
        ([f"spam={good}", f"ham={good}"], "it is given as spam and as ham"),
        ([f"spam={tmp_path / 'none'}", f"ham={good}"], "there is no such file"),
    ):
        done = run("mail", "evaluate", *bad)
        assert done.code in (64, 65) and said in done.err, done.err


def test_trec_s_own_layout_is_a_folder_or_an_archive(tmp_path: Path) -> None:
    index = "".join(f"{label} ../data/inmail.{i}\n" for i, label in enumerate(LABELS))
    files = {f"trec/data/inmail.{i}": raw for i, raw in enumerate(RAWS)} | {"trec/full/index": index.encode()}
    save(tmp_path, files)
    places = [tmp_path / "trec", tmp_path / "trec/full/index", pack(tmp_path / "trec.tgz", files)]
    for stream in map(read_stream, places):
        assert stream.raws == RAWS and stream.spam.tolist() == SPAM and not stream.notes.get("links, not followed")


ROWS = "".join(f"in/{i} é,{label}\n" for i, label in enumerate(LABELS))
TABLES: dict[str, str | bytes] = {
    "as it should be": f"path,label\n{ROWS}",
    "byte order mark": f"\ufeffpath,label\n{ROWS}",
    "Windows": f"path,label\n{ROWS}".replace("\n", "\r\n"),
    "UTF-16": f"path,label\n{ROWS}".encode("utf-16"),
    "blanks and capitals": f"Path, Label , x\n{ROWS}".replace(",spam", ", SPAM ,1"),
    "quotes": 'path,label\n"' + ROWS.replace(",", '","').replace("\n", '"\n"').removesuffix('"'),
    "blank lines": f"path,label\n{ROWS}".replace("\n", "\n\n"),
}


@pytest.mark.parametrize("name", TABLES)
def test_an_index_as_programs_write_it(name: str, tmp_path: Path) -> None:
    save(tmp_path, IN)
    write(tmp_path / "index.csv", TABLES[name])
    assert read_stream(tmp_path).spam.tolist() == SPAM
    if name not in ("blanks and capitals", "quotes"):
        lines = TABLES[name] if isinstance(TABLES[name], str) else ""
        text = "".join(f"{label} in/{i} é\n" for i, label in enumerate(LABELS))
        text = text.replace("\n", "\r\n") if "\r" in lines else text
        (tmp_path / "index.csv").unlink()
        write(tmp_path / "index", "\ufeff" * lines.startswith("\ufeff") + text)
        assert read_stream(tmp_path).spam.tolist() == SPAM


@pytest.mark.parametrize("index", ["index.csv", "index"])
def test_a_folder_and_its_archive_are_one_stream(index: str, tmp_path: Path) -> None:
    """Also with a mail that is given twice, a file that is empty, and an mbox."""
    box = b"".join(LINE + raw + b"\n" for raw in RAWS[:2])
    rows = [("ham", "in/1"), ("spam", "in/0"), ("spam", "in/empty"), ("ham", "./in/1"), ("spam", "box.mbox")]
    lines = [f"{path},{label}" if index == "index.csv" else f"{label} {path}" for label, path in rows]
    text = "\n".join([*(["path,label"] * (index == "index.csv")), *lines, ""])
    files = {"in/0": RAWS[2], "in/1": RAWS[3], "in/empty": b"", "box.mbox": box, index: text.encode()}
    save(tmp_path / "top", files)
    for path in (tmp_path / "top", pack(tmp_path / "top.tar", files, "w")):
        stream = read_stream(path)
        assert stream.raws == [RAWS[3], RAWS[2], *RAWS[:2]] and stream.spam.tolist() == [False, True, True, True]
        assert stream.notes == {"mails given twice, read once": 1, "files that are no mail, skipped": 1}


# --- what Python is given, and what it gives -------------------------------------------------------------------------

LOOKED = [Look()(raw) for raw in RAWS]
HAND_MADE = Stream("mine", list("abcdef"), RAWS, np.array(SPAM), {})
WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "no stream": (lambda: evaluate(None), "found NoneType for a stream of mails; expected a path, or a dict"),
    "bytes for a path": (lambda: evaluate(b"mails"), "found bytes for a stream of mails"),
    "no plan": (lambda: evaluate(HAND_MADE, None), "plan=None must be a Plan, as Plan"),  # type: ignore[arg-type]
    "a word for a plan": (lambda: ablate(HAND_MADE, "shuffled"), "plan='shuffled' must be a Plan"),  # type: ignore[arg-type]
    "no jobs": (lambda: evaluate(HAND_MADE, jobs=0), "jobs=0 must be a whole number ≥ 1"),
    "jobs None": (lambda: evaluate(HAND_MADE, jobs=None), "jobs=None must be a whole number"),  # type: ignore[arg-type]
    "a group alone": (lambda: evaluate(HAND_MADE, groups="words"), "groups='words' must be names in a list"),
    "groups 3": (lambda: evaluate(HAND_MADE, groups=3), "groups=3 must be names in a list"),
    "no groups": (lambda: evaluate(HAND_MADE, groups=[]), "groups: there is none; expected some of headers"),
    "bits as text": (lambda: evaluate(HAND_MADE, bits="20"), "bits='20' must be a whole number from 8 to 28"),
    "another setting": (lambda: evaluate(HAND_MADE, order="shuffled"), "a judge has no setting order; it has groups"),
    "no target": (lambda: evaluate(HAND_MADE, max_false_positives=0), "max_false_positives=0 must be a share above 0"),
    "target nan": (lambda: Judge(max_false_positives=np.nan), "max_false_positives=nan must be a share above 0"),
    "words for a look": (lambda: Judge(["words"]), r"look=\['words'\] must be a Look"),  # type: ignore[arg-type]
    "raw mails": (lambda: Judge().score(RAWS), "found mails that were not looked at; expected a list"),  # type: ignore[arg-type]
    "one mail alone": (lambda: Judge().score(LOOKED[0]), "found mails that were not looked at"),  # type: ignore[arg-type]
    "verdicts as words": (lambda: Judge().learn(LOOKED, LABELS), "found .* for the verdicts of 6 mails"),  # type: ignore[arg-type]
    "verdicts of 1 and -1": (lambda: Judge().learn(LOOKED[:2], [1, -1]), "for the verdicts of 2 mails; expected True"),  # type: ignore[list-item]
    "verdicts missing": (lambda: Judge().learn(LOOKED, [True]), r"found \[True\] for the verdicts of 6 mails"),
    "other columns": (lambda: Judge(Look(bits=8)).score(LOOKED), "in a sparse matrix of 256 columns"),
    "an empty stream": (lambda: evaluate(HAND_MADE._replace(raws=[])), "mine: found 0 mails and 6 names"),
    "a stream of words": (lambda: evaluate(HAND_MADE._replace(spam=LABELS)), "for the verdicts of 6 mails"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_python_is_given_wrongly_is_said_in_a_sentence(name: str) -> None:
    call, said = WRONG[name]
    with pytest.raises(RosenblattError, match=said) as error:
        call()
    assert isinstance(error.value, (SettingError, DataError)) and len(str(error.value)) < 300


def test_what_is_refused_is_not_learned() -> None:
    judge = Judge()
    with pytest.raises(DataError):
        judge.learn(LOOKED, ["spam"] * 6)  # type: ignore[list-item]
    assert judge.senders == {} and judge.state() == Judge().state()


def test_numbers_of_numpy_are_numbers() -> None:
    numpy = Plan("shuffled", np.int64(1), np.int32(2), np.float64(0.1), np.uint8(1), np.int16(5))
    found = evaluate(HAND_MADE, numpy, bits=np.int64(12), groups=("words",)).as_dict()
    plain = evaluate(HAND_MADE, Plan("shuffled", 1, 2, 0.1, 1, 5), bits=12, groups=["words", "words"]).as_dict()
    assert json.loads(json.dumps(found)) == json.loads(json.dumps(plain))
    listed = HAND_MADE._replace(spam=[int(each) for each in SPAM])
    assert evaluate(listed).as_dict() == evaluate(HAND_MADE).as_dict()


def test_results_are_shown_shortly() -> None:
    """In a notebook: a stream holds all mails, an evaluation all verdicts."""
    made = evaluate(HAND_MADE)
    assert repr(HAND_MADE) == "<Stream: mine, 6 mails>" and repr(made.runs) == "[<Run: seed 0, 6 mails>]"
    assert repr(made).startswith("<Evaluation: mine, 6 mails, (1-ROCA) % ")


# --- the threshold's target, what is said early, and Ctrl-C ----------------------------------------------------------


def test_the_target_for_lost_mail_is_the_judge_s(tmp_path: Path) -> None:
    """Of 600 ham, .5 % are three: the threshold is where three were above it."""
    save(tmp_path, {f"ham/{i:03}.eml": MAIL.format(i, "lunch free" if i % 2 else "noon").encode() for i in range(600)})
    save(tmp_path, {f"spam/{i:03}.eml": MAIL.format(i, "free prize").encode() for i in range(200)})
    words = ["mail", "evaluate", tmp_path, "--order", "shuffled", "--noise", "10%", "--json", "--jobs", "1"]
    few, many = (well(*words, "--max-false-positives", share).json for share in ("0.5%", "10%"))
    assert (few["settings"]["max_false_positives"], few["runs"][0]["judge"]["target_percent"]) == (0.005, 0.5)
    for said, share in ((few, 0.005), (many, 0.1)):
        judge = said["runs"][0]["judge"]
        assert judge["ham_above"] <= share * judge["ham"]
    assert many["runs"][0]["judge"]["threshold"] < few["runs"][0]["judge"]["threshold"]
    assert many["at_threshold"]["spam_through_percent"] < few["at_threshold"]["spam_through_percent"]


def test_what_cannot_be_compared_is_said_before_the_mails_are_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(tmp_path / "m", {f"{label}/{i}.eml": raw for i, (label, raw) in enumerate(zip(LABELS, RAWS, strict=True))})
    saved, ablation = tmp_path / "a.json", tmp_path / "b.json"
    well("mail", "evaluate", tmp_path / "m", "-o", saved)
    well("mail", "evaluate", tmp_path / "m", "--ablate", "--groups", "words,links", "-o", ablation)
    (tmp_path / "m/ham/1.eml").write_bytes(RAWS[0])

    def judged(*words: Any) -> None:
        raise AssertionError("judged")

    monkeypatch.setattr(evaluation, "_looked", judged)
    for words, said in (
        (["--against", saved], "its digest is"),
        (["--against", saved, "--seed", "1"], "its seed is 0, here it is 1"),
        (["--against", ablation], "found other JSON; expected what an evaluation of mail wrote, of one run and not of"),
        (["--against", tmp_path / "m"], "cannot be read: Is a directory"),
        (["--against", saved, "-o", saved], "it is one of the files to read"),
    ):
        done = run("mail", "evaluate", tmp_path / "m", *words)
        assert done.code in (64, 65, 73) and said in done.err, done.err


def test_ctrl_c_is_not_for_the_processes_that_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """They have no time to say so themselves: loading what they need takes 0.3 s."""
    blocked: list[bool] = []

    class Pool(ThreadPoolExecutor):
        def __init__(self, jobs: int, context: Any, *begin: Any) -> None:
            super().__init__(jobs, "", *begin)

        def submit(self, *words: Any, **others: Any) -> Any:
            blocked.append(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))
            return super().submit(*words, **others)

    monkeypatch.setattr(looking, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(looking, "FEW", 1)
    assert evaluate(HAND_MADE, jobs=2).as_dict() == evaluate(HAND_MADE).as_dict()
    assert blocked and all(blocked) and signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_where_no_verdict_comes_that_is_said() -> None:
    from rosenblatt.report.mail import as_text

    for plan in (Plan(delay=6), Plan(feedback_first=0)):
        assert "so that none came" in as_text(evaluate(HAND_MADE, plan))[1]
    assert "none" not in as_text(evaluate(HAND_MADE, Plan(delay=5)))[1]
