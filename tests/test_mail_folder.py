"""Folders and archives of raw mails: labels, order, notes, errors; and the corpora as a whole."""

from __future__ import annotations

import io
import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest

from mails import MAILS, A, all_of, pack, save
from reading import PACK
from rosenblatt.errors import DataError, SettingError
from rosenblatt.mailtext import mail
from rosenblatt.mailtext.fields import FAILED
from rosenblatt.mailtext.mail import parse
from rosenblatt.mailtext.tokens import tokens
from rosenblatt.read.mail import source as mail_source
from rosenblatt.read.mail import store as mail_store
from rosenblatt.read.mail.folder import Folder
from rosenblatt.read.mail.source import MailSource


def test_folders_named_spam_and_ham_are_labels_wherever_they_are(tmp_path: Path) -> None:
    save(tmp_path, MAILS)
    documents, y, ids = all_of(MailSource(tmp_path))
    assert ids == ["a/Ham/old/3.eml", "b/spam/1.eml", "b/spam/2.eml"]
    assert y == ["ham", "spam", "spam"]
    assert documents[1] == [("subject", "one"), ("", "free")]


def test_the_nearest_labelled_folder_counts(tmp_path: Path) -> None:
    save(tmp_path, {"spam/ham/1": A, "ham/spam/deep/2": A})
    assert all_of(MailSource(tmp_path))[1] == ["spam", "ham"]


@pytest.mark.parametrize("packed", [False, True])
def test_other_folders_are_labels_where_there_are_no_such(tmp_path: Path, packed: bool) -> None:
    files = {"news/sci.space/1": A, "news/sci.space/x/2": A, "news/rec.autos/3": A}
    save(tmp_path, files)
    source = MailSource(pack(tmp_path / "n.tar.gz", files) if packed else tmp_path / "news")
    documents, y, ids = all_of(source)
    found = {name.split("news/")[-1]: label for name, label in zip(ids, y or [], strict=True)}
    assert found == {"sci.space/1": "sci.space", "sci.space/x/2": "sci.space", "rec.autos/3": "rec.autos"}


def test_labels_can_be_named(tmp_path: Path) -> None:
    save(tmp_path, {"good/1": A, "bad/2": A, "other/3": A})
    source = MailSource(tmp_path, labels=["good", "bad"])
    assert all_of(source)[1] == ["bad", "good"]
    assert source.notes == {mail_source.OUTSIDE: 1}
    with pytest.raises(DataError, match="no labelled folders named ugly"):
        list(MailSource(tmp_path, labels=["ugly"]))


def test_without_labels(tmp_path: Path) -> None:
    """labelled=False gives every mail; "auto" gives labels only where folders tell mails apart."""
    save(tmp_path, {"spam/1": A, "2": A})
    assert all_of(MailSource(tmp_path, labelled=False))[1:] == (None, ["2", "spam/1"])
    save(tmp_path / "flat", {"1": A, "2": A})
    assert all_of(MailSource(tmp_path / "flat"))[1] is None
    with pytest.raises(DataError, match="found no labelled folders; expected raw mails in folders"):
        list(MailSource(tmp_path / "flat", labelled=True))


@pytest.mark.parametrize("suffix", [".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2"])
def test_archives(tmp_path: Path, suffix: str) -> None:
    """In the order of the archive, twice the same, with the labels of the folders."""
    mode = {".tar": "w", ".tar.xz": "w:xz", ".tar.bz2": "w:bz2"}.get(suffix, "w:gz")
    files = {**MAILS, "b/index.csv": b"path,label", "a/cmds": b"mv", "a/Ham/.hidden": b"x"}
    source = MailSource(pack(tmp_path / f"mails{suffix}", files, mode))
    for _ in range(2):
        documents, y, ids = all_of(source)
        assert ids == list(MAILS)
        assert y == ["spam", "spam", "ham"]
        assert documents[0] == [("subject", "two"), ("", "free")]
        assert source.notes == {mail_store.NO_MAIL: 3}
    assert source.bytes_read == source.bytes_total == (tmp_path / f"mails{suffix}").stat().st_size


def test_batches_and_progress(tmp_path: Path) -> None:
    save(tmp_path, {f"spam/{number:03}": b"Subject: x\n\ny" for number in range(7)} | {"ham/a": A})
    source = MailSource(tmp_path, batch_size=3)
    assert [len(batch.rows) for batch in source] == [3, 3, 2]
    assert source.bytes_read == source.bytes_total == 7 * 13 + len(A)
    assert source.recipe() == {"format": "mail", "fields": list(mail.FIELDS)}


def test_one_mail_from_a_file_and_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path, {"spam/one.eml": b"Subject: one\n\nfree"})
    documents, y, ids = all_of(MailSource(tmp_path / "spam" / "one.eml"))
    assert (documents, y, ids) == ([[("subject", "one"), ("", "free")]], None, ["one.eml"])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Subject: two\n\nfree")))
    source = MailSource("-")
    assert source.one_shot
    assert all_of(source)[0] == [[("subject", "two"), ("", "free")]]
    with pytest.raises(DataError, match="read only once"):
        list(source)


def test_links_and_special_files_are_counted_and_not_followed(tmp_path: Path) -> None:
    save(tmp_path, MAILS)
    (tmp_path / "b" / "spam" / "link.eml").symlink_to(tmp_path / "b" / "spam" / "1.eml")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "b" / "spam" / "pipe")
    source = MailSource(tmp_path)
    assert len(all_of(source)[2]) == 3
    assert source.notes == {mail_store.LINKS: 2, mail_store.NO_MAIL: 1}


@pytest.mark.parametrize(
    ("error", "note"), [(PermissionError, mail_store.UNREADABLE), (FileNotFoundError, mail_store.VANISHED)]
)
def test_unreadable_and_vanished_files_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[OSError], note: str
) -> None:
    """A mail server moves mails between the listing and the reading."""
    save(tmp_path, MAILS)
    opened = Folder._open

    def refused(self: Folder, below: str) -> IO[bytes]:
        if below.endswith("1.eml"):
            raise error
        return opened(self, below)

    monkeypatch.setattr(Folder, "_open", refused)
    source = MailSource(tmp_path)
    assert len(all_of(source)[2]) == 2
    assert source.notes == {note: 1}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_files_that_may_not_be_read_are_counted(tmp_path: Path) -> None:
    save(tmp_path, MAILS)
    (tmp_path / "b" / "spam" / "1.eml").chmod(0)
    source = MailSource(tmp_path)
    assert len(all_of(source)[2]) == 2
    assert source.notes == {mail_store.UNREADABLE: 1}


@pytest.mark.parametrize("suffix", PACK)
def test_compressed_mails_are_read(tmp_path: Path, suffix: str) -> None:
    """Also those whose name does not say it. A damaged one stops no folder."""
    files = {f"spam/1.eml{suffix}": PACK[suffix](MAILS["b/spam/1.eml"]), "ham/2": PACK[suffix](b"Subject: b\n\nc")}
    save(tmp_path, files)
    documents, y, _ = all_of(MailSource(tmp_path))
    assert (documents, y) == ([[("subject", "b"), ("", "c")], [("subject", "one"), ("", "free")]], ["ham", "spam"])
    if suffix:
        save(tmp_path, {f"spam/0.eml{suffix}": PACK[suffix](os.urandom(999))[:-40]})
        source = MailSource(tmp_path)
        assert all_of(source)[:2] == (documents, y)
        assert source.notes == {mail_store.UNREADABLE: 1}


def test_files_of_no_bytes_are_no_mails(tmp_path: Path) -> None:
    save(tmp_path, {"spam/0.eml": b"", "spam/0.mbox": b"", "ham/1.eml": b"Subject: a\n\nb"})
    source = MailSource(tmp_path)
    assert all_of(source)[1:] == (["ham"], ["ham/1.eml"])
    assert source.notes == {mail_store.NO_MAIL: 1}
    (tmp_path / "empty.eml").write_bytes(b"")
    with pytest.raises(DataError, match="empty.eml: found no mail"):
        all_of(MailSource(tmp_path / "empty.eml"))


def test_names_that_cannot_be_printed(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/spam"
    os.mkdir(folder)
    try:
        with open(folder + b"/caf\xe9.eml", "wb") as file:
            file.write(b"x")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    (tmp_path / "ham").mkdir()
    assert all_of(MailSource(tmp_path))[2] == ["spam/caf\udce9.eml"]


def damaged(tmp_path: Path) -> Path:
    path = pack(tmp_path / "cut.tar.gz", {"spam/1": os.urandom(5000), "ham/2": os.urandom(5000)})
    path.write_bytes(path.read_bytes()[:4000])
    return path


def no_archive(tmp_path: Path) -> Path:
    path = tmp_path / "text.tar"
    path.write_bytes(b"hello " * 200)
    return path


def empty_folder(tmp_path: Path) -> Path:
    save(tmp_path, {"empty/cmds": b"x"})
    return tmp_path / "empty"


BAD_PATHS: list[tuple[Callable[[Path], Path], str]] = [
    (lambda path: path / "none", "there is no such file"),
    (empty_folder, r"found no mail \(files that are no mail, skipped: 1\); expected at least one"),
    (no_archive, "it is no tar archive, or a damaged one"),
    (damaged, "cut short"),
]


@pytest.mark.parametrize(("make", "message"), BAD_PATHS)
def test_errors_name_the_path_and_what_would_be_right(
    tmp_path: Path, make: Callable[[Path], Path], message: str
) -> None:
    path = make(tmp_path)
    with pytest.raises(DataError, match=message) as caught:
        list(MailSource(path))
    assert str(path) in str(caught.value)


def test_settings_are_checked(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="batch_size 0"):
        MailSource(tmp_path, batch_size=0)
    with pytest.raises(SettingError, match="labelled 'yes'"):
        MailSource(tmp_path, labelled="yes")


def test_what_nobody_foresaw_still_gives_a_document(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One bad message never stops a folder, and is counted."""

    def broken(raw: bytes) -> None:
        raise RecursionError

    monkeypatch.setattr(mail, "parts", broken)
    assert parse(b"Subject: a\n\nse\xf1or") == [("", "Subject: a\n\nseñor"), FAILED]
    save(tmp_path, {"spam/1": A, "ham/1": A})
    source = MailSource(tmp_path)
    assert len(all_of(source)[0]) == 2
    assert source.notes == {mail_source.AS_TEXT: 2}


# --- full corpora ----------------------------------------------------------------------------------------------------


def test_every_awkward_mail_yields_features(shared_data: Callable[[str], Path]) -> None:
    """None raises, none falls back to plain text, and each has words or says what is missing."""
    path = shared_data("awkward_dev") / "awkward_dev.tar.xz"
    source = MailSource(path, labelled=False)
    documents, _, ids = all_of(source)
    without = [name for name, doc in zip(ids, documents, strict=True) if not tokens(doc)]
    assert len(documents) >= 467
    assert mail_source.AS_TEXT not in source.notes
    assert without == []


def test_labels_of_the_corpora(shared_data: Callable[[str], Path]) -> None:
    for name, expected in [("csdmc2010_dev", {"ham": 2043, "spam": 957}), ("mini_newsgroups", {"sci.med": 100})]:
        _, y, _ = all_of(MailSource(shared_data(name) / f"{name}.tar.xz"))
        found = Counter(y)
        assert {label: found[label] for label in expected} == expected
