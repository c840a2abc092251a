"""Raw mails → batches of documents, wherever they come from: folders, maildirs, mbox files, archives, indexes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ...data.batch import Batch
from ...errors import DataError, SettingError, located
from ...mailtext.document import Document
from ...mailtext.parse import FAILED, FIELDS, parse_mail
from .. import parameters as declared
from ..open import STDIN, ByteStream, PathLike, is_read_once, is_remote, open_bytes
from .labels import Folders, labelling, nearest
from .look import is_index, is_tar
from .mbox import LOOK, MAIL_LIMIT
from .store import ARCHIVE, NO_MAIL, UNREADABLE, VANISHED, Entry, NotMbox, Single, Store, messages
from .trec import Index

BATCH = 256
STORES = ("auto", "mbox", "maildir", "trec")
EXPECTED = "expected raw mails in folders named spam and ham, or in one folder for each label"

OUTSIDE = "mails outside the labelled folders, skipped"
AS_TEXT = "mails that could not be taken apart, read as plain text"
CUT = "mails longer than 64 MB, cut"


class _Row(NamedTuple):
    """A mail with what can give it a label."""

    entry: Entry
    document: Document
    id: str


class MailSource:
    """A source of documents: mails below a folder, in an archive, an mbox, or a TREC index; or a single mail.

    path: a folder, a file (also compressed), an address, or `-`. fields: see `parse_mail`. batch_size: mails in a
    batch. store: what lies there: "mbox" (in a folder: each file), "maildir", "trec", or "auto" (default): as it looks.
    labels: the names of the folders that are labels, anywhere below the path; the nearest above a mail counts. None:
    spam and ham if there are such folders, else the first folders that tell mails apart (newsgroups). The stem of an
    mbox file is the last folder of its mails. A TREC index has its own labels; `labels` then says which are read.
    labelled: "auto" gives labels where there are such folders; True raises DataError where there are none; False gives
    every mail, without labels.
    Mails of a folder come in the order of their paths, those of an archive, an mbox or an index as they lie in it. An
    archive is read once if its first mail lies in a labelled folder; else a second time, before, for the names alone;
    on standard input its documents are then held until the end. `notes` counts what was skipped. Raises DataError where
    there is no mail, or the path cannot be read.
    """

    kind = "documents"

    parameters = (declared.FIELDS, declared.LABELS)

    feature_names = None

    def __init__(
        self,
        path: PathLike | ByteStream,
        fields: Sequence[str] = FIELDS,
        labels: Sequence[str] | None = None,
        labelled: bool | str = "auto",
        batch_size: int = BATCH,
        store: str = "auto",
    ) -> None:
        if batch_size < 1:
            raise SettingError(f"batch_size {batch_size} is out of range; it must be at least 1")
        if labelled not in (True, False, "auto"):
            raise SettingError(f"labelled {labelled!r} is unknown; it must be True, False or 'auto'")
        if store not in STORES:
            raise SettingError(f"store {store!r} is unknown; it must be one of {', '.join(STORES)}")
        self._fields, self._labels = tuple(fields), labels
        self._labelled, self._batch_size = labelled, batch_size
        self.notes: dict[str, int] = {}
        self.origin = path.name if isinstance(path, ByteStream) else STDIN if str(path) == "-" else str(path)
        folder = not isinstance(path, ByteStream) and not is_remote(path) and os.path.isdir(path)
        self.one_shot = isinstance(path, ByteStream) or (not folder and is_read_once(path))
        self._store = _folder(path, store, self._note) if folder else _file(path, store, self._note)
        self._label_of: Callable[[Folders], str | None] | None = None
        self._settled = labelled is False
        self._opened = False

    @property
    def bytes_read(self) -> int:
        """How far the reading is, for a progress bar."""
        return self._store.bytes_read

    @property
    def bytes_total(self) -> int | None:
        return self._store.bytes_total

    def recipe(self) -> dict[str, Any]:
        return {"format": "mail", "fields": list(self._fields)}

    def __iter__(self) -> Iterator[Batch]:
        if self.one_shot and self._opened:
            raise DataError(f"{self.origin}: it can be read only once; several passes over the data need a file")
        self._opened = True
        self.notes.clear()
        rows: list[_Row] = []
        none = True
        for row in self._labelled_rows():
            rows.append(row)
            if len(rows) == self._batch_size:
                none = False
                yield self._batch(rows)
                rows = []
        if rows:
            yield self._batch(rows)
        elif none:
            notes = ", ".join(f"{what}: {count}" for what, count in self.notes.items())
            raise located(self.origin, None, "found no mail" + (f" ({notes})" if notes else ""), EXPECTED)

    def _batch(self, rows: list[_Row]) -> Batch:
        labels = None
        if self._has_labels:
            labels = np.array([self._label(row.entry) for row in rows], object)
        return Batch([row.document for row in rows], labels, [row.id for row in rows])

    def _note(self, what: str) -> None:
        self.notes[what] = self.notes.get(what, 0) + 1

    # --- labels ------------------------------------------------------------------------------------------------------

    @property
    def _has_labels(self) -> bool:
        return self._label_of is not None

    def _label(self, entry: Entry) -> str | None:
        """The label of a mail; None for one outside of the labels; "" where there are none."""
        if not self._has_labels:
            return ""
        if entry.label is not None:
            return entry.label if self._labels is None or entry.label in self._labels else None
        return self._label_of(entry.folders) if self._label_of else None

    def _labelled_rows(self) -> Iterator[_Row]:
        """All mails but those outside of the labels, which are settled first."""
        with closing(self._store.entries()) as entries:
            first = next(entries, None)
            if first is None:
                return
            if self._settled or self._by_first(first):
                yield from self._rows(chain([first], entries))
                return
            if self.one_shot:
                held = list(self._rows(chain([first], entries)))
                self._settle([row.entry.folders for row in held])
                for row in held:
                    if self._label(row.entry) is None:
                        self._note(OUTSIDE)
                    else:
                        yield row
                return
        self._settle([entry.folders for entry in self._store.entries()])
        self.notes.clear()
        with closing(self._store.entries()) as entries:
            yield from self._rows(entries)

    def _by_first(self, first: Entry) -> bool:
        """Whether the first mail says already how labels are found."""
        near = nearest(self._labels)
        if first.label is not None or near(first.folders) is not None:
            self._label_of = near
            self._settled = True
        elif isinstance(self._store, Single):
            self._settle([first.folders])
        return self._settled

    def _settle(self, places: list[Folders]) -> None:
        """Find what gives labels from the folders of all mails."""
        self._label_of = labelling(places, self._labels)
        single = isinstance(self._store, Single)
        if self._label_of is None and (self._labelled is True or (self._labels is not None and not single)):
            wanted = "" if self._labels is None else f" named {', '.join(map(str, self._labels))}"
            found = "mail without a label" if single else f"no labelled folders{wanted}"
            raise located(self.origin, None, f"found {found}", EXPECTED)
        self._settled = True

    # --- mails -------------------------------------------------------------------------------------------------------

    def _rows(self, entries: Iterator[Entry]) -> Iterator[_Row]:
        for entry in entries:
            if self._settled and self._label(entry) is None:
                self._note(OUTSIDE)
                continue
            try:
                with entry.open() as file:
                    for name, raw in messages(file, entry.name, entry.mbox):
                        yield _Row(entry, self._document(raw), _printable(name))
            except OSError as error:
                self._note(VANISHED if isinstance(error, FileNotFoundError) else UNREADABLE)
            except DataError as error:
                if self._store.broken:
                    raise
                self._note(NO_MAIL if isinstance(error, NotMbox) else UNREADABLE)

    def _document(self, raw: bytes) -> Document:
        if len(raw) > MAIL_LIMIT:
            self._note(CUT)
        document = parse_mail(raw[:MAIL_LIMIT], self._fields)
        if document[-1] == FAILED:
            self._note(AS_TEXT)
        return document


def _folder(path: Any, store: str, note: Callable[[str], None]) -> Store:
    from .folder import Folder

    if store == "trec":
        raise located(str(path), None, "it is a folder", "expected a TREC index, a file of labels and paths")
    return Folder(path, store, note)


def _file(path: PathLike | ByteStream, store: str, note: Callable[[str], None]) -> Store:
    """What lies in a file, by its first bytes; a file that cannot be opened twice is read on from there."""
    from .tar import Tar

    stream = path if isinstance(path, ByteStream) else open_bytes(path)
    head = stream.peek(LOOK)
    given: PathLike | ByteStream = stream
    if not isinstance(path, ByteStream) and not is_read_once(path):
        stream.close()
        given = path
    local = None if isinstance(given, ByteStream) or is_remote(given) else given
    if store == "maildir":
        raise located(stream.name, None, "it is a file", "expected a maildir, a folder that holds cur, new and tmp")
    if store == "trec" and local is None:
        raise located(stream.name, None, "it is no local file", "expected a TREC index, beside its mails")
    if local is not None and (store == "trec" or (store == "auto" and is_index(head, local))):
        return Index(local)
    if is_tar(head) or (store == "auto" and ARCHIVE.search(stream.name)):
        return Tar(given, store, note)
    return Single(given, True if store == "mbox" else None)


def _printable(name: str) -> str:
    """A path as text: bytes of it that are no UTF-8 cannot be printed."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
