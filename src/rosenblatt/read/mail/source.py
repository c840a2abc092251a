"""Raw mails → batches of documents, wherever they come from: folders, maildirs, mbox files, archives, indexes."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import chain, islice
from typing import Any

import numpy as np

from ... import mailtext
from ...data.batch import Batch
from ...errors import DataError, SettingError, located
from ...mailtext.fields import FAILED, MADE, Document
from ...mailtext.fields import FIELDS as DEFAULT
from ...mailtext.mail import MAIL_LIMIT
from ..open import STDIN, ByteStream, PathLike, is_folder, is_read_once, is_remote, open_bytes
from ..parameters import FIELDS, LABEL_HEADER, LABEL_RULES, LABELS
from ..source import FileSource
from .labels import HeaderLabels
from .mbox import LEFT_OUT, LOOK, is_mbox
from .store import ARCHIVE, ONE, PAIR, Entry, Folders, Index, NoMail, Single, Store, is_index, messages, note_of

BATCH = 256
STORES = ("auto", "mbox", "maildir", "trec", ONE)
LOOKS = ("auto", ONE)
"""The stores that are known by their look."""
EXPECTED = (
    "expected raw mails in folders named spam and ham, or in one folder for each label; spam=PATH ham=PATH say what"
    " lies where, {label_header.name} which header of the mails does"
)
OUTSIDE = "mails outside the labelled folders, skipped"
AS_TEXT = "mails that could not be taken apart, read as plain text"
NO_HEADER = "no mail has the header {}, a field to read"
CUT = "mails longer than 64 MB, cut"

HEADER = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:return-path|received|delivered-to|subject|from|to|date|message-id|reply-to|mime-version"
    rb"|content-type|x-[a-z-]+):[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*(?:[a-z][a-z-]*:|\r?\n)",
    re.IGNORECASE,
)
"""How a mail begins: a well-known header, and another one or the end of the headers."""

LabelOf = Callable[[Folders], str | None]


_Row = tuple[Entry, Document, str]
"""A mail: with what can give it a label, and where it comes from."""


class MailSource(FileSource):
    """A source of documents: mails below a folder, in an archive, an mbox, or a TREC index; or a single mail.

    path: a folder, a file (also compressed), an address, or `-`. fields: see `mailtext.parse`. batch_size: mails in a
    batch. store: what lies there: "mbox" (in a folder: each file), "maildir", "trec", or "auto" (default): as it looks;
    "mail": the same, but standard input is one mail, whatever lines are in it.
    labels: the names of the folders that are labels, anywhere below the path; the nearest above a mail counts. None:
    spam and ham if there are such folders, else the first folders that tell mails apart (newsgroups). The stem of an
    mbox file is the last folder of its mails. A TREC index has its own labels; `labels` then says which are read.
    label_header, label_rules: see `HeaderLabels`; folders say nothing then, and new mails of a model have no labels
    unless they must.
    labelled: "auto" gives labels where there are such folders; True raises DataError where there are none; False gives
    every mail, without labels. classes: of a model that reads new mails; they are looked for below the path and along
    it, and with "auto" mails have labels only where each has one.
    Mails of a folder come in the order of their paths, those of an archive, an mbox or an index as they lie in it. An
    archive is read once if its first mail lies in a labelled folder; else a second time, before, for the names alone;
    on standard input its documents are then held until the end. `notes` counts what was skipped. Raises DataError where
    there is no mail, or the path cannot be read.
    """

    name = "mail"
    rank = 8
    suffixes = (".tar", ".tgz", ".txz", ".tbz2", ".mbox", ".eml", ".emlx")
    aliases = {store: {"store": store} for store in STORES[1:-1]}
    by_name = {"store": ONE}
    kind = "documents"
    takes_folders = True
    parameters = (FIELDS, LABELS, LABEL_HEADER, LABEL_RULES)
    further = {"labelled": "auto", "classes": None, "batch_size": BATCH, "store": STORES[0]}

    def _prepare(self) -> None:
        asked = self.asked
        if asked.batch_size < 1:
            raise SettingError(f"batch_size {asked.batch_size} is out of range; it must be at least 1")
        if asked.labelled not in (True, False, "auto"):
            raise SettingError(f"labelled {asked.labelled!r} is unknown; it must be True, False or 'auto'")
        if asked.store not in STORES:
            raise SettingError(f"store {asked.store!r} is unknown; it must be one of {', '.join(STORES)}")
        self._fields, self._labels = tuple(asked.fields), asked.labels
        self._store = self._stream = _store(self._path, asked.store, self._note)
        self._label_of: LabelOf | None = None
        self._settled = asked.labelled is False
        self._header = self._by_header()

    @classmethod
    def begins(cls, head: bytes, path: PathLike | None) -> bool:
        looks = is_tar(head) or is_mbox(head) or HEADER.match(head) is not None
        return looks or (path is not None and is_index(head, path))

    def recipe(self) -> dict[str, Any]:
        header = {name: getattr(self.asked, name) for name in (LABEL_HEADER.name, LABEL_RULES.name)}
        said = {name: value for name, value in header.items() if value is not None}
        return {**super().recipe(), "fields": list(self._fields), **said}

    def placed(self, name: str) -> str:
        return os.path.join(os.path.dirname(self.origin) if type(self._store) in (Single, Index) else self.origin, name)

    def batches(self) -> Iterator[Batch]:
        self._begin()
        if self._header is not None:
            self._header.values.clear()
            self._header.why = ""
        self._unseen = set() if self.asked.classes else {*self._fields} - {*MADE, *DEFAULT}
        rows = self._labelled_rows()
        seen: set[str] = set()
        while held := list(islice(rows, self.asked.batch_size)):
            batch = self._batch(held)
            seen.update(() if batch.y is None else batch.y.tolist())
            if self._unseen:
                self._unseen -= {tag for document in batch.rows for tag, _ in document}  # type: ignore[union-attr]
            yield batch
        self.notes.update({NO_HEADER.format(name): 0 for name in sorted(self._unseen)})
        if self._header is not None and not self.asked.classes:
            self.notes.update(dict.fromkeys(self._header.idle(), 0))
        outside = self.notes.get(OUTSIDE, 0)
        only_one = self.asked.labelled is True and self.asked.classes is None and len(seen) == 1
        if only_one and self._header is not None:
            raise self._header.wrong(self.origin, f"found only mails that are {seen.pop()!r} by {self._header.header}")
        if only_one and outside:
            found = f"found only folders named {seen.pop()!r}, and {outside} mails outside of them"
            raise located(self.origin, None, found, "expected two labels ({labels:s} names others)", labels="A,B")

    def _batch(self, rows: list[_Row]) -> Batch:
        entries, documents, ids = map(list, zip(*rows, strict=True))
        labels = None if self._label_of is None else np.array([self._label(entry) for entry in entries], object)
        return Batch(documents, labels, ids)

    def _no_rows(self, what: str = "mail", expected: str = "expected at least one") -> DataError:
        if self._header is not None and self._header.why in self.notes:
            return self._header.wrong(self.origin, f"found no mail of a class by {self._header.header}")
        error = super()._no_rows(what, expected)
        error.empty = self.notes.keys() <= {LEFT_OUT}
        return error

    # --- labels ------------------------------------------------------------------------------------------------------

    def _by_header(self) -> HeaderLabels | None:
        """What reads the labels in a header, where one is named and labels are wanted."""
        asked = self.asked
        if asked.label_header is None:
            if asked.label_rules is None:
                return None
            text = "{label_rules.name} has an effect only with {label_header.name}"
            raise SettingError(text, label_rules=None, label_header=None)
        header = HeaderLabels(str(asked.label_header), asked.label_rules or ())
        header.check(self._fields)
        if asked.labels is not None:
            text = "{labels.name} and {label_header.name} both say the labels; choose one"
            raise SettingError(text, labels=None, label_header=None)
        self._settled = True
        if asked.labelled is False or (asked.labelled == "auto" and asked.classes is not None):
            return None
        self._label_of = lambda folders: None
        return header

    def _label(self, entry: Entry) -> str | None:
        """The label of a mail; None for one outside of the labels; "" where there are none."""
        if self._label_of is None:
            return ""
        if entry.label is not None:
            return entry.label if self._labels is None or entry.label in self._labels else None
        return self._label_of(entry.folders)

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
                self._settle([entry.folders for entry, _, _ in held])
                inside = [row for row in held if self._label(row[0]) is not None]
                self._note(OUTSIDE, len(held) - len(inside))
                yield from inside
                return
        self.notes.clear()
        self._settle([entry.folders for entry in self._store.entries()])
        self.notes.clear()
        yield from self._labelled_rows()

    def _by_first(self, first: Entry) -> bool:
        """Whether the first mail says already how labels are found."""
        near = nearest(self._labels)
        if self.asked.labelled == "auto" and self.asked.classes is not None and first.label is None:
            return False
        if first.label is not None or near(first.folders) is not None:
            self._label_of, self._settled = near, True
        elif isinstance(self._store, Single):
            self._settle([first.folders])
        return self._settled

    def _settle(self, places: list[Folders]) -> None:
        """Find what gives labels from the folders of all mails."""
        self._label_of = self._known(places) or labelling(places, self._labels)
        single = isinstance(self._store, Single)
        auto = self.asked.labelled == "auto" and self.asked.classes is not None
        if auto and self._label_of is not None and None in map(self._label_of, places):
            self._label_of = None
        if self._label_of is None and (self.asked.labelled is True or (self._labels is not None and not single)):
            wanted = "" if self._labels is None else f" named {', '.join(map(str, self._labels))}"
            found = "mail without a label" if single else f"no labelled folders{wanted}"
            raise located(self.origin, None, f"found {found}", EXPECTED, label_header=None)
        self._settled = True

    def _known(self, places: list[Folders]) -> LabelOf | None:
        """What gives labels that a model knows: folders below the path, or the path itself; else None."""
        if self._labels is not None or self.asked.classes is None or self.origin == STDIN:
            return None
        if any(nearest()(folders) is not None for folders in places):
            return None
        near = nearest([str(label) for label in self.asked.classes])
        if any(near(folders) is not None for folders in places):
            return near
        path = os.path.realpath(self.origin)
        above = near(tuple(path.split(os.sep)) if os.path.isdir(path) else tuple(path.split(os.sep))[:-1])
        return None if above is None else lambda folders: near(folders) or above

    # --- mails -------------------------------------------------------------------------------------------------------

    def _rows(self, entries: Iterator[Entry]) -> Iterator[_Row]:
        for entry in entries:
            if self._settled and self._header is None and self._label(entry) is None:
                self._note(OUTSIDE)
                continue
            try:
                with entry.open() as file:
                    for name, raw in messages(file, entry, self._note):
                        if self._header is not None:
                            entry = entry._replace(label=self._header.label(raw))
                            if entry.label is None:
                                self._note(self._header.why)
                                continue
                        yield entry, self._document(raw), name
            except (OSError, DataError) as error:
                missing = isinstance(error, NoMail)
                if missing and isinstance(self._store, Single):
                    raise NoMail(self.origin + str(error).removeprefix(entry.name)) from None
                if isinstance(error, DataError) and not missing and self._store.broken:
                    raise
                self._note(note_of(error))

    def _document(self, raw: bytes) -> Document:
        if len(raw) > MAIL_LIMIT:
            self._note(CUT)
        document = mailtext.parse(raw[:MAIL_LIMIT], self._fields)
        if document[-1] == FAILED:
            self._note(AS_TEXT)
        return document


def _store(path: PathLike | ByteStream, kind: str, note: Callable[[str], None]) -> Store:
    """What lies there, of a file by its first bytes; one that cannot be opened twice is read on from there."""
    if not isinstance(path, ByteStream) and is_folder(path):
        from .folder import Folder

        if kind == "trec":
            raise located(str(path), None, "it is a folder", "expected a TREC index, a file of labels and paths")
        return Folder(path, kind, note)
    stream = path if isinstance(path, ByteStream) else open_bytes(path)
    head = stream.peek(LOOK)
    if isinstance(path, ByteStream) or is_read_once(path):
        path = stream
    else:
        stream.close()
    local = None if isinstance(path, ByteStream) or is_remote(path) else path
    if kind == "maildir":
        raise located(stream.name, None, "it is a file", "expected a maildir, a folder that holds cur, new and tmp")
    if kind == "trec" and local is None:
        raise located(stream.name, None, "it is no local file", "expected a TREC index, beside its mails")
    if local is not None and (kind == "trec" or (kind in LOOKS and is_index(head, local))):
        return Index(local, kind, note)
    if is_tar(head) or (kind in LOOKS and ARCHIVE.search(stream.name)):
        from .folder import Tar

        return Tar(path, kind, note)
    return Single(path, kind, note)


def is_tar(head: bytes) -> bool:
    """Whether a file that begins with these bytes is a tar archive (of any writer since 1988)."""
    return head[257:262] == b"ustar"


def nearest(labels: Sequence[str] | None = None) -> LabelOf:
    """What gives a mail's folders the label nearest to it, None where there is none of `labels` (None: spam, ham)."""
    wanted = frozenset(PAIR if labels is None else labels)

    def label(folders: Folders) -> str | None:
        names = map(str.lower, reversed(folders)) if labels is None else reversed(folders)
        return next((name for name in names if name in wanted), None)

    return label


def labelling(places: Sequence[Folders], labels: Sequence[str] | None = None) -> LabelOf | None:
    """From the folders of all mails to what gives each its label, or None for a mail outside; None if nothing does.

    labels: folders that are labels, else spam and ham, else the folders in which the paths part. A mail has the label
    of the nearest such folder above it.
    """
    near = nearest(labels)
    if any(near(folders) is not None for folders in places):
        return near
    if labels is not None:
        return None
    depth = len(os.path.commonprefix(list(places))) if places else 0
    if len({folders[depth : depth + 1] for folders in places}) < 2 or any(len(f) <= depth for f in places):
        return None
    return lambda folders: folders[depth]
