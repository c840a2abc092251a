"""Raw mails in folders, or in a tar archive of folders, each folder a label."""

from __future__ import annotations

import os
import re
import stat
import tarfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import IO, Any

import numpy as np

from ..batch import Batch, Document
from ..errors import DataError, SettingError, located
from .mail import FAILED, FIELDS, parse_mail
from .open import STDIN, ByteStream, PathLike, file_size, open_bytes

PAIR = ("ham", "spam")
"""The folders that are looked for where no labels are named, in any case of letters."""
BATCH = 256
MAIL_LIMIT = 64 << 20
"""Bytes of one mail that are read."""
ARCHIVE = re.compile(r"\.(?:tar|tgz|txz|tbz2?|tzst)(?:\.\w+)?$", re.IGNORECASE)
EXPECTED = "expected raw mails in folders named spam and ham, or in one folder for each label"

NO_MAIL = "files that are no mail, skipped"
LINKS = "links, not followed"
UNREADABLE = "unreadable files, skipped"
OUTSIDE = "mails outside the labelled folders, skipped"
AS_TEXT = "mails that could not be taken apart, read as plain text"
CUT = "mails longer than 64 MB, cut"

Read = Callable[[], bytes]


class MailFolder:
    """A source of documents: mails below a folder, in a tar archive (plain or compressed), or a single mail.

    path: a folder, an archive, the file of one mail, or `-` for one mail on standard input.
    fields: see `parse_mail`. batch_size: mails in a batch.
    labels: the names of the folders that are labels, anywhere below the path; the nearest above a mail counts. None:
    spam and ham if there are such folders, else the first folders that tell mails apart (newsgroups).
    labelled: "auto" gives labels where there are such folders; True raises DataError where there are none; False gives
    every mail, without labels.
    Mails of a folder come in the order of their paths, those of an archive as they lie in it. `notes` counts what was
    skipped. Raises DataError where there is no mail, or the path cannot be read.
    """

    kind = "documents"

    def __init__(
        self,
        path: PathLike,
        fields: Sequence[str] = FIELDS,
        labels: Sequence[str] | None = None,
        labelled: bool | str = "auto",
        batch_size: int = BATCH,
    ) -> None:
        if batch_size < 1:
            raise SettingError(f"batch_size {batch_size} is out of range; it must be at least 1")
        if labelled not in (True, False, "auto"):
            raise SettingError(f"labelled {labelled!r} is unknown; it must be True, False or 'auto'")
        self._path, self._fields, self._labels = path, tuple(fields), labels
        self._labelled, self._batch_size = labelled, batch_size
        self.origin = STDIN if str(path) == "-" else str(path)
        self._is_folder = str(path) != "-" and Path(path).is_dir()
        self.one_shot = not self._is_folder and (str(path) == "-" or file_size(path) is None)
        self._is_archive = not self._is_folder and not self.one_shot and ARCHIVE.search(self.origin) is not None
        self.notes: dict[str, int] = {}
        self._stream: ByteStream | None = None
        self._label_of: Callable[[str], str | None] | None = None
        self._opened = False
        self._read_bytes = self._total_bytes = 0

    @property
    def bytes_read(self) -> int:
        """How far the reading is, for a progress bar."""
        return self._read_bytes if self._stream is None else self._stream.bytes_read

    @property
    def bytes_total(self) -> int | None:
        return self._total_bytes if self._stream is None else self._stream.bytes_total

    def recipe(self) -> dict[str, Any]:
        return {"format": "mail", "fields": list(self._fields)}

    def __iter__(self) -> Iterator[Batch]:
        if self.one_shot and self._opened:
            raise DataError(f"{self.origin}: it can be read only once; several passes over the data need a file")
        self._opened = True
        label_of = self._labels_by_path()
        self.notes.clear()
        documents: list[Document] = []
        labels: list[str] = []
        ids: list[str] = []
        none = True
        for name, read in self._mails():
            label = label_of(name) if label_of else ""
            if label is None:
                self._note(OUTSIDE)
                continue
            document = self._document(read)
            if document is None:
                continue
            documents.append(document)
            labels.append(label)
            ids.append(_printable(name))
            if len(documents) == self._batch_size:
                none = False
                yield self._batch(documents, labels, ids)
                documents, labels, ids = [], [], []
        if documents:
            yield self._batch(documents, labels, ids)
        elif none:
            notes = ", ".join(f"{what}: {count}" for what, count in self.notes.items())
            raise located(self.origin, None, "found no mail" + (f" ({notes})" if notes else ""), EXPECTED)

    def _batch(self, documents: list[Document], labels: list[str], ids: list[str]) -> Batch:
        return Batch(documents, np.array(labels, object) if self._label_of else None, ids)

    def _document(self, read: Read) -> Document | None:
        try:
            raw = read()
        except OSError:
            self._note(UNREADABLE)
            return None
        if len(raw) > MAIL_LIMIT:
            self._note(CUT)
        document = parse_mail(raw[:MAIL_LIMIT], self._fields)
        if document[-1] == FAILED:
            self._note(AS_TEXT)
        return document

    def _note(self, what: str) -> None:
        self.notes[what] = self.notes.get(what, 0) + 1

    # --- labels ------------------------------------------------------------------------------------------------------

    def _labels_by_path(self) -> Callable[[str], str | None] | None:
        """What gives a path its label; None where there are no labels. The paths are gone through once to find out."""
        if self._labelled is False or not (self._is_folder or self._is_archive):
            if self._labelled is True:
                raise located(self.origin, None, "found one mail without a label", EXPECTED)
            return None
        if self._label_of is None:
            self._label_of = labelling([name for name, _ in self._mails()], self._labels)
        if self._label_of is None and (self._labelled is True or self._labels is not None):
            wanted = "" if self._labels is None else f" named {', '.join(map(str, self._labels))}"
            raise located(self.origin, None, f"found no labelled folders{wanted}", EXPECTED)
        return self._label_of

    # --- files -------------------------------------------------------------------------------------------------------

    def _mails(self) -> Iterator[tuple[str, Read]]:
        """(path below the folder, what reads it) of every file that can be a mail."""
        if self._is_folder:
            yield from self._folder()
        elif self._is_archive:
            yield from self._archive()
        else:
            self._stream = open_bytes(self._path)
            with self._stream as stream:
                yield Path(self.origin).name, lambda: _up_to(stream, MAIL_LIMIT + 1)

    def _folder(self) -> Iterator[tuple[str, Read]]:
        root = os.fspath(self._path)
        found: list[tuple[str, int]] = []
        for folder, folders, files in os.walk(root, onerror=lambda error: self._note(UNREADABLE)):
            for name in [*folders, *files]:
                path = os.path.join(folder, name)
                below = os.path.relpath(path, root).replace(os.sep, "/")
                try:
                    status = os.lstat(path)
                except OSError:
                    self._note(UNREADABLE)
                    continue
                if stat.S_ISLNK(status.st_mode):
                    self._note(LINKS)
                elif stat.S_ISREG(status.st_mode) and _can_be_mail(below):
                    found.append((below, status.st_size))
                elif not stat.S_ISDIR(status.st_mode):
                    self._note(NO_MAIL)
        self._total_bytes, self._read_bytes = sum(size for _, size in found), 0
        for below, size in sorted(found):
            yield below, lambda below=below: _read_file(os.path.join(root, below))  # type: ignore[misc]
            self._read_bytes += size

    def _archive(self) -> Iterator[tuple[str, Read]]:
        self._stream = open_bytes(self._path)
        with self._stream as stream:
            try:
                with tarfile.open(fileobj=stream, mode="r|") as archive:
                    while (member := archive.next()) is not None:
                        archive.members = []  # type: ignore[attr-defined]  # it keeps all of them, 1 KB each
                        if member.issym() or member.islnk():
                            self._note(LINKS)
                        elif member.isfile() and _can_be_mail(member.name):
                            yield member.name, lambda member=member: _read_member(archive, member)  # type: ignore[misc]
                        elif not member.isdir():
                            self._note(NO_MAIL)
            except tarfile.TarError as error:
                found = f"it is no tar archive, or a damaged one ({error})"
                raise located(self.origin, None, found, "expected an intact archive of raw mails") from error


def labelling(names: Sequence[str], labels: Sequence[str] | None = None) -> Callable[[str], str | None] | None:
    """From the paths of all mails to what gives each its label, or None for a mail outside; None if nothing does.

    labels: folders that are labels, else spam and ham, else the folders in which the paths part. A mail has the label
    of the nearest such folder above it.
    """
    wanted = {name: str(name) for name in labels} if labels is not None else {}

    def nearest(path: str) -> str | None:
        for folder in reversed(PurePosixPath(path).parts[:-1]):
            if labels is not None and folder in wanted:
                return wanted[folder]
            if labels is None and folder.lower() in PAIR:
                return folder.lower()
        return None

    if any(nearest(name) is not None for name in names):
        return nearest
    if labels is not None:
        return None
    folders = [PurePosixPath(name).parts[:-1] for name in names]
    depth = len(os.path.commonprefix(folders)) if folders else 0
    if len({folder[depth : depth + 1] for folder in folders}) < 2 or any(len(folder) <= depth for folder in folders):
        return None
    return lambda path: PurePosixPath(path).parts[depth]


def _can_be_mail(path: str) -> bool:
    """Not hidden, no list of files (`cmds`, *.csv) such as corpora keep beside their mails."""
    parts = [part for part in PurePosixPath(path).parts if part not in (".", "..")]
    name = parts[-1].lower()
    return not (any(part.startswith(".") for part in parts) or name == "cmds" or name.endswith(".csv"))


def _printable(name: str) -> str:
    """A path as text: bytes of it that are no UTF-8 cannot be printed."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _up_to(stream: IO[bytes] | ByteStream, limit: int) -> bytes:
    """All of a stream, but not more than `limit` bytes."""
    parts: list[bytes] = []
    while limit > 0 and (data := stream.read(min(limit, 1 << 20))):
        parts.append(data)
        limit -= len(data)
    return b"".join(parts)


def _read_file(path: str) -> bytes:
    with open(path, "rb") as file:
        return _up_to(file, MAIL_LIMIT + 1)


def _read_member(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    return b"" if file is None else _up_to(file, MAIL_LIMIT + 1)
