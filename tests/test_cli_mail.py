"""The command line on mails of every kind: one model reads them all."""

from __future__ import annotations

import mailbox
from pathlib import Path

import pytest

from command import MAIL, WORDS, mail_folder, run, well, write
from mails import pack

OPTIONS = ("--min-documents", "1")
LINE = "From someone@example.org Thu Aug 22 12:36:23 2002\n"


def mails() -> list[tuple[str, str]]:
    """(label, raw mail) of each line of WORDS."""
    found = []
    for line in WORDS.splitlines():
        label, _, text = line.partition("\t")
        found.append((label, MAIL.format(text.split()[0], text)))
    return found


@pytest.fixture
def model(tmp_path: Path) -> Path:
    well("train", mail_folder(tmp_path / "mails"), "-o", tmp_path / "m", *OPTIONS)
    return tmp_path / "m"


def stores(root: Path) -> dict[str, Path]:
    """The same mails in every kind of store, labelled where it can be."""
    root.mkdir(exist_ok=True)
    (root / "boxes").mkdir()
    boxes = {label: mailbox.mbox(root / f"boxes/{label}.mbox") for label in ("spam", "ham")}
    inbox = mailbox.Maildir(root / "Maildir")
    folders = {label: inbox.add_folder(label) for label in ("spam", "ham")}
    index = ""
    for number, (label, raw) in enumerate(mails()):
        boxes[label].add(raw.encode())
        folders[label].add(raw)
        write(root / f"trec/data/inmail.{number}", raw)
        index += f"{label} ../data/inmail.{number}\n"
    for box in boxes.values():
        box.close()
    archive = {f"{label}/{number}.eml": raw.encode() for number, (label, raw) in enumerate(mails())}
    return {
        "mbox": root / "boxes",
        "maildir": root / "Maildir",
        "trec": write(root / "trec/full/index", index),
        "tar": pack(root / "mails.tar.gz", archive),
    }


@pytest.mark.parametrize("kind", ["mbox", "maildir", "trec", "tar"])
def test_a_model_of_a_folder_reads_every_kind_of_store(tmp_path: Path, model: Path, kind: str) -> None:
    """And a model of a store reads folders and single mails."""
    data = stores(tmp_path)[kind]
    assert well("evaluate", model, data, "--json").json["accuracy"] == 1
    assert sorted(well("predict", model, data).out.split()) == ["ham"] * 3 + ["spam"] * 3
    well("train", data, "-o", tmp_path / "other", *OPTIONS)
    assert well("evaluate", tmp_path / "other", tmp_path / "mails", "--json").json["accuracy"] == 1
    if kind != "tar":
        named = well("predict", model, data, "--format", kind, "--ids").out
        assert named == well("predict", model, data, "--ids").out


def test_ids_say_where_a_mail_lies(tmp_path: Path, model: Path) -> None:
    content = "\n".join(LINE + raw for _, raw in mails())
    path = write(tmp_path / "in.mbox", content)
    lines = well("predict", model, path, "--ids").out.splitlines()
    assert lines == [f"in.mbox:{number}\t{label}" for number, (label, _) in enumerate(mails(), 1)]
    assert well("predict", model, "-", "--ids", given=content).out.startswith("standard input:1\tspam\n")
    assert well("predict", model, "-", given=mails()[1][1]).out == "ham\n"
    index = stores(tmp_path)["trec"]
    assert well("predict", model, index, "--ids").out.startswith("../data/inmail.0\tspam\n")


def test_an_archive_through_a_pipe(tmp_path: Path, model: Path) -> None:
    raw = stores(tmp_path)["tar"].read_bytes()
    assert sorted(well("predict", model, "-", given=raw).out.split()) == ["ham"] * 3 + ["spam"] * 3
    assert well("train", "-", "-o", tmp_path / "n", *OPTIONS, given=raw).code == 0
    assert well("evaluate", tmp_path / "n", "-", "--json", given=raw).json["accuracy"] == 1


def test_folders_name_labels_of_any_store(tmp_path: Path) -> None:
    data = stores(tmp_path)
    (tmp_path / "boxes" / "spam.mbox").rename(tmp_path / "boxes" / "junk.mbox")
    write(tmp_path / "boxes" / "other.mbox", LINE + "Subject: x\n\ny\n")
    done = well("train", data["mbox"], "-o", tmp_path / "m", *OPTIONS, "--folders", "ham,junk")
    assert "ham: 3, junk: 3" in done.out and "outside the labelled folders" in done.err


@pytest.mark.parametrize(
    ("format", "name", "message"),
    [
        ("trec", "mails", "it is a folder; expected a TREC index"),
        ("maildir", "mails", "found no maildir"),
        ("mbox", "mails", "found no mail (files that are no mail, skipped: 6)"),
        ("mbox", "one.eml", "line 1: found 'Subject: a'"),
        ("trec", "one.eml", "line 1: found 'a', which is not there"),
        ("auto", "cut.tar", "it is no tar archive, or a damaged one"),
        ("auto", "cut.mbox.gz", "cut short"),
    ],
)
def test_errors_are_one_sentence(tmp_path: Path, model: Path, format: str, name: str, message: str) -> None:
    write(tmp_path / "one.eml", "Subject: a\n\nb\n")
    write(tmp_path / "cut.tar", pack(tmp_path / "a.tar", {"spam/1": b"x" * 5000}, "w").read_bytes()[:3000])
    write(tmp_path / "empty.mbox", "")
    write(tmp_path / "cut.mbox.gz", pack(tmp_path / "a.tgz", {"spam/1": b"x"}).read_bytes()[:60])
    done = run("predict", model, tmp_path / name, "--format", format)
    assert done.code == 3 and done.out == ""
    *notes, error = done.err.strip().splitlines()
    assert message in error and all(note.startswith("note: ") for note in notes)
