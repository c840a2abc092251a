"""Mails in tar archives and in the indexes of TREC."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import Any

import pytest

from mails import DOCUMENTS, MAILS, TWO, A, all_of, pack, save
from reading import PACK, refusal
from rosenblatt.read import open_source
from rosenblatt.read.mail import source as mail_source
from rosenblatt.read.mail import store as mail_store
from rosenblatt.read.mail.source import MailSource

NEWS = {"news/sci.space/1": A, "news/sci.space/x/2": A, "news/rec.autos/3": A}

# --- tar -------------------------------------------------------------------------------------------------------------


def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The archives that are opened, as often as they are."""
    names: list[str] = []
    real = mail_store.open_bytes

    def noted(path: Any) -> Any:
        names.append(Path(path).name)
        return real(path)

    monkeypatch.setattr(mail_store, "open_bytes", noted)
    return names


def test_an_archive_is_decompressed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the first mail lies in a folder that is a label; else once more for the names, and not again."""
    names = opened(monkeypatch)
    path = pack(tmp_path / "a.tgz", {**MAILS, "c/4.eml": A})
    source = MailSource(path)
    assert all_of(source)[1] == ["spam", "spam", "ham"]
    assert source.notes == {mail_source.OUTSIDE: 1}
    assert names == ["a.tgz"]
    list(source)
    assert names == ["a.tgz"] * 2
    names.clear()
    news = MailSource(pack(tmp_path / "b.tgz", NEWS))
    assert all_of(news)[1] == ["sci.space", "sci.space", "rec.autos"]
    assert names == ["b.tgz"] * 3  # the first time up to its first mail only
    list(news)
    assert names == ["b.tgz"] * 4
    names.clear()
    later = MailSource(pack(tmp_path / "c.tgz", {"c/4.eml": A, **MAILS}))
    assert all_of(later)[1] == ["spam", "spam", "ham"]
    assert all_of(MailSource(path, labelled=False))[1] is None
    assert names == ["c.tgz"] * 3 + ["a.tgz"]


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("format", ["auto", "mail"])
def test_an_archive_on_standard_input(tmp_path: Path, stdin: Any, suffix: str, format: str) -> None:
    for files in (MAILS, NEWS, {"loose.eml": A, **MAILS}):
        raw = pack(tmp_path / "a.tar", files, "w").read_bytes()
        stdin(PACK[suffix](raw))
        source = open_source("-", format)
        assert source.one_shot
        assert all_of(source) == all_of(MailSource(tmp_path / "a.tar"))
        assert source.notes == ({mail_source.OUTSIDE: 1} if "loose.eml" in files else {})


def test_an_archive_without_the_suffix(tmp_path: Path) -> None:
    """And one of 1978, which says nothing of itself at its beginning, with it."""
    pack(tmp_path / "a.tar.xz", MAILS, "w:xz").rename(tmp_path / "a")
    assert all_of(open_source(tmp_path / "a"))[2] == list(MAILS)
    with tarfile.open(tmp_path / "b.tar", "w", format=tarfile.USTAR_FORMAT) as archive:
        member = tarfile.TarInfo("spam/1")
        member.size = len(A)
        archive.addfile(member, io.BytesIO(A))
    old = bytearray((tmp_path / "b.tar").read_bytes())
    old[257:265] = bytes(8)
    old[148:156] = b"%06o\0 " % (sum(old[:148]) + sum(old[156:512]) + 8 * 32)
    (tmp_path / "b.tar").write_bytes(old)
    assert all_of(open_source(tmp_path / "b.tar"))[2] == ["spam/1"]


def test_mbox_files_and_compressed_mails_in_an_archive(tmp_path: Path) -> None:
    files = {"a/spam.mbox": TWO, "a/ham.mbox.gz": PACK[".gz"](TWO), "ham/1.eml.bz2": PACK[".bz2"](b"Subject: a\n\nb")}
    documents, y, ids = all_of(MailSource(pack(tmp_path / "a.tar", files, "w")))
    assert documents == [*DOCUMENTS, *DOCUMENTS, [("subject", "a"), ("", "b")]]
    assert y == ["spam", "spam", "ham", "ham", "ham"]
    assert ids == ["a/spam.mbox:1", "a/spam.mbox:2", "a/ham.mbox.gz:1", "a/ham.mbox.gz:2", "ham/1.eml.bz2"]


def test_a_damaged_mail_stops_no_archive_but_a_damaged_archive_does(tmp_path: Path) -> None:
    broken = PACK[".gz"](b"Subject: a\n\nb" * 999)
    source = MailSource(pack(tmp_path / "a.tar", {"spam/0.gz": broken[:50], **MAILS}, "w"))
    assert all_of(source)[2] == list(MAILS)
    assert source.notes == {mail_store.UNREADABLE: 1}
    assert len(all_of(source)[2]) == 3
    whole = (tmp_path / "a.tar").read_bytes()
    for length in range(1, 4096, 97):
        (tmp_path / "cut.tar").write_bytes(whole[:length])
        assert "damaged" in refusal(lambda: MailSource(tmp_path / "cut.tar")), length
    assert "found no mail" in refusal(lambda: MailSource(pack(tmp_path / "none.tar", {}, "w")))
    (tmp_path / "zero.tar").write_bytes(b"")
    assert "empty file" in refusal(lambda: MailSource(tmp_path / "zero.tar"))


def test_archives_in_a_folder_are_no_mails(tmp_path: Path) -> None:
    save(tmp_path, MAILS)
    pack(tmp_path / "b" / "spam" / "old.tar.gz", MAILS)
    source = MailSource(tmp_path)
    assert len(all_of(source)[2]) == 3
    assert source.notes == {mail_store.NO_MAIL: 1}


# --- TREC ------------------------------------------------------------------------------------------------------------


INDEX = "spam ../data/inmail.1\nham ../data/inmail.2\n\nspam ../data/inmail.3\n"


def corpus(tmp_path: Path, index: str = INDEX) -> Path:
    save(tmp_path, {f"data/inmail.{number}": TWO for number in (1, 2, 3)} | {"full/index": index.encode()})
    return tmp_path / "full" / "index"


@pytest.mark.parametrize("format", ["auto", "mail", "trec"])
def test_an_index_has_the_labels(tmp_path: Path, format: str) -> None:
    """In its order; each file is one mail, however it looks."""
    source = open_source(corpus(tmp_path), format)
    documents, y, ids = all_of(source)
    assert y == ["spam", "ham", "spam"]
    assert ids == ["../data/inmail.1", "../data/inmail.2", "../data/inmail.3"]
    assert [document[0] for document in documents] == [("subject", "one")] * 3
    assert source.bytes_read == source.bytes_total and not source.one_shot
    assert all_of(source)[1] == y
    assert all_of(MailSource(corpus(tmp_path), labelled=False))[1] is None
    assert all_of(MailSource(corpus(tmp_path), labels=["spam"]))[1] == ["spam", "spam"]
    assert source.recipe()["format"] == "mail"


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_an_index_can_be_compressed(tmp_path: Path, end: bytes) -> None:
    path = corpus(tmp_path).with_name("index.gz")
    path.write_bytes(PACK[".gz"](end.join([b"HAM\t../data/inmail.1", b"junk  ../data/inmail.2", b""])))
    assert all_of(open_source(path))[1] == ["HAM", "junk"]


def test_errors_name_the_line_of_the_index(tmp_path: Path) -> None:
    path = corpus(tmp_path, "spam ../data/inmail.1\nham ../data/inmail.9\n")
    message = refusal(lambda: open_source(path))
    assert "index, line 2: found '../data/inmail.9', which is not there" in message
    path = corpus(tmp_path, "spam ../data/inmail.1\n../data/inmail.2\n")
    assert "line 2: found '../data/inmail.2'; expected a label and the path" in refusal(lambda: open_source(path))
    path = corpus(tmp_path, "spam ../data/inmail.1\nspam ../data\n")
    assert "line 2: found '../data', which cannot be read" in refusal(lambda: open_source(path))
    path = corpus(tmp_path, "spam ../data/none\n")
    assert "line 1" in refusal(lambda: open_source(path, "trec"))
    assert "found no mail" in refusal(lambda: open_source(corpus(tmp_path, ""), "trec"))


def test_an_index_needs_a_folder(tmp_path: Path, stdin: Any) -> None:
    assert "it is a folder" in refusal(lambda: open_source(tmp_path, "trec"))
    stdin(b"spam ../data/inmail.1\n")
    assert "no local file" in refusal(lambda: open_source("-", "trec"))
