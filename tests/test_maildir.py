"""Maildirs: which of their files are mails, and what is a label."""

from __future__ import annotations

import mailbox
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mails import all_of, pack, save
from reading import refusal
from rosenblatt.mailtext.mail import parse
from rosenblatt.read import open_source
from rosenblatt.read.mail.folder import folder_names, is_left_out
from rosenblatt.read.mail.source import MailSource
from rosenblatt.read.mail.store import LEFT_OUT, LINKS, NO_MAIL, VANISHED

ONE = b"Subject: one\n\nfree\n"
STAMP = "1700000000.M1P2.host"


def maildir(root: Path, *folders: str) -> Path:
    for folder in ("", *folders):
        for part in ("cur", "new", "tmp"):
            (root / folder / part).mkdir(parents=True)
    return root


@pytest.mark.parametrize(
    ("name", "out"),
    [
        (STAMP, False),
        (f"{STAMP}:2,", False),
        (f"{STAMP},S=123,W=130:2,FRSP", False),
        (f"{STAMP}:2,ST", True),
        (f"{STAMP};2,DS", True),
        (f"{STAMP}!2,T", True),
        ("T:1,T", False),
        ("2,T", False),
    ],
)
def test_flags(name: str, out: bool) -> None:
    assert is_left_out(name) is out


def test_which_files_of_a_maildir_are_mails(tmp_path: Path) -> None:
    """Those in new and cur, seen or not; none in tmp, none marked as trashed or drafts, none of the server's own."""
    root = maildir(tmp_path)
    mails = {f"cur/{STAMP}.1:2,S": ONE, f"cur/{STAMP}.2:2,": ONE, f"new/{STAMP}.3": ONE, "cur/odd name": ONE}
    others = {f"tmp/{STAMP}.4": ONE, "dovecot-uidlist": b"3 V1", "maildirfolder": b"", "cur/.nfs01": b""}
    save(root, {**mails, **others, f"cur/{STAMP}.5:2,ST": ONE, f"cur/{STAMP}.6:2,D": ONE})
    (root / "cur" / "link").symlink_to(root / "cur" / "odd name")
    source = open_source(root)
    documents, y, ids = all_of(source)
    assert (ids, y) == (sorted(mails), None)
    assert documents == [parse(ONE)] * 4
    # What lies beside cur and new is read as in any folder, and a maildir is a folder.
    assert source.notes == {NO_MAIL: 4, LEFT_OUT: 2, LINKS: 1}


def test_subfolders_are_labels(tmp_path: Path) -> None:
    """Maildir++ (`.Junk`), nested folders, and the inbox beside them; empty ones do no harm."""
    dotted = maildir(tmp_path / "dotted", ".Junk", ".Archive.2020", ".Empty")
    save(dotted, {f"cur/{STAMP}.1:2,S": ONE, f".Junk/cur/{STAMP}.2:2,S": ONE, f".Archive.2020/new/{STAMP}.3": ONE})
    assert all_of(MailSource(dotted))[1] == ["Archive", "Junk", "INBOX"]
    assert all_of(MailSource(dotted, labels=["INBOX", "Junk"]))[1] == ["Junk", "INBOX"]
    nested = maildir(tmp_path / "nested", "Junk", "Work/2020")
    save(nested, {f"cur/{STAMP}.1": ONE, f"Junk/cur/{STAMP}.2": ONE, f"Work/2020/cur/{STAMP}.3": ONE})
    assert all_of(MailSource(nested))[1:] == (
        ["Junk", "Work", "INBOX"],
        [f"Junk/cur/{STAMP}.2", f"Work/2020/cur/{STAMP}.3", f"cur/{STAMP}.1"],
    )
    pair = maildir(tmp_path / "pair", "spam", "ham/.Old")
    save(pair, {f"spam/cur/{STAMP}.1": ONE, f"ham/.Old/cur/{STAMP}.2": ONE})
    assert all_of(MailSource(pair))[1] == ["ham", "spam"]
    people = maildir(tmp_path / "people" / "a", ".Spam").parent
    save(maildir(people / "b", ".Ham"), {f".Ham/cur/{STAMP}.1": ONE})
    save(people, {f"a/.Spam/new/{STAMP}.2": ONE, f"a/new/{STAMP}.3": ONE})
    assert all_of(MailSource(people))[1] == ["spam", "ham"]


def test_a_maildir_in_an_archive(tmp_path: Path) -> None:
    """There it is known by the names of its mails; archives have no empty folders."""
    files = {
        f"Maildir/.spam/cur/{STAMP}.1:2,S": ONE,
        f"Maildir/.spam/tmp/{STAMP}.2": ONE,
        f"Maildir/.ham/new/{STAMP}.3": ONE,
        f"Maildir/.ham/cur/{STAMP}.4:2,T": ONE,
        "Maildir/.ham/dovecot-uidlist": b"3 V1",
    }
    source = MailSource(pack(tmp_path / "a.tar.gz", files))
    assert all_of(source)[1] == ["spam", "ham"]
    assert source.notes == {NO_MAIL: 2, LEFT_OUT: 1}


def test_folders_called_new_are_no_maildir(tmp_path: Path) -> None:
    save(tmp_path, {"new/1.eml": ONE, "old/2.eml": ONE, "tmp/3.eml": ONE})
    assert all_of(MailSource(tmp_path))[1] == ["new", "old", "tmp"]


def test_a_maildir_can_be_demanded(tmp_path: Path) -> None:
    root = maildir(tmp_path / "a", "b")
    save(root, {"loose.eml": ONE, f"b/cur/{STAMP}:2,S": ONE})
    source = open_source(root, "maildir")
    assert all_of(source)[2] == [f"b/cur/{STAMP}:2,S"]
    assert source.notes == {NO_MAIL: 1}
    save(tmp_path, {"plain/1.eml": ONE})
    assert "found no maildir" in refusal(lambda: open_source(tmp_path / "plain", "maildir"))
    assert "it is a file" in refusal(lambda: open_source(tmp_path / "plain" / "1.eml", "maildir"))
    assert "found no mail" in refusal(lambda: open_source(maildir(tmp_path / "none"), "maildir"))


def test_a_mail_that_the_server_moves_meanwhile(tmp_path: Path) -> None:
    root = maildir(tmp_path)
    save(root, {f"new/{STAMP}.1": ONE, f"new/{STAMP}.2": ONE})
    source = MailSource(root, batch_size=1)
    reading = iter(source)
    next(reading)
    (root / "new" / f"{STAMP}.2").rename(root / "cur" / f"{STAMP}.2:2,S")
    assert list(reading) == []
    assert source.notes == {VANISHED: 1}


def test_names_of_folders() -> None:
    assert folder_names(("a", ".Junk")) == ("a", "Junk")
    assert folder_names((".Archive.2020",)) == ("Archive", "2020")
    assert folder_names((".", "..", "a.b")) == (".", "..", "a.b")


@given(st.lists(st.binary(min_size=1, max_size=60), min_size=1, max_size=5), st.sampled_from(["new", "cur"]))
def test_what_the_standard_library_writes_is_read_as_the_mails(
    tmp_path_factory: pytest.TempPathFactory, bodies: list[bytes], part: str
) -> None:
    path = tmp_path_factory.mktemp("mail") / "box"
    box = mailbox.Maildir(path)
    raws = [b"Subject: a\n\n" + body.replace(b"\r", b"") for body in bodies]
    for raw in raws:
        message = mailbox.MaildirMessage(raw)
        message.set_subdir(part)
        name = Path(box._path) / box._lookup(box.add(message))  # type: ignore[attr-defined]
        name.write_bytes(raw)  # the library writes the mail again from its parts, and differs
    documents, y, ids = all_of(MailSource(path))
    assert y is None and all(name.startswith(f"{part}/") for name in ids)
    assert sorted(map(repr, documents)) == sorted(repr(parse(raw)) for raw in raws)
