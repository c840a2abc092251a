"""Labelled mails in the order in which they come: from a TREC index, an archive, or a folder."""

from __future__ import annotations

import csv
import os
import re
import tarfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array
from ..errors import DataError, SettingError, located
from ..mailtext.mail import MAIL_LIMIT
from ..read.mail import MailSource
from ..read.mail.source import CUT, is_tar
from ..read.mail.store import NO_MAIL, PAIR
from ..read.open import is_folder, is_read_once, is_remote, open_bytes

TABLE, INDEX = "index.csv", "index"
"""What says labels and order: columns `path` and `label`; lines `spam ../data/inmail.1`."""
DEEPEST = 2
"""Parts of the path of such a file in an archive: in its only folder."""
UNNAMED = "mails that the index does not name, left out"
LABELS = "expected the labels spam and ham"
NO_LABELS = f"expected mails in folders named spam and ham, a TREC index, or {TABLE} with the columns path and label"
ORDERS = ("given", "shuffled")

Named = list[tuple[int, str, str]]
"""Line, label and path of each mail."""


class Stream(NamedTuple):
    """Mails in their given order. names: paths, or what the reader calls them. spam: (n,) bool. notes: what was skipped
    on the way, counted."""

    origin: str
    names: list[str]
    raws: list[bytes]
    spam: Array
    notes: dict[str, int]

    @property
    def digest(self) -> str:
        """SHA-256 over all mails, one behind the other."""
        whole = sha256()
        for raw in self.raws:
            whole.update(raw)
        return whole.hexdigest()


class Plan(NamedTuple):
    """How mails come, and what is shown of their labels.

    order: "given" (default) or "shuffled", by default_rng(seed).permutation(n). seed: ≥ 0, default 0. repeat: times,
    with the seeds seed, seed + 1, …; default 1. noise: in [0, 1), default 0: the verdict of the t-th mail to come is
    shown wrong where default_rng([seed, 1]).random(n)[t] < noise. delay: a verdict comes after so many more mails were
    judged, default 0. feedback_first: none comes of those after the first so many; default None: of all.
    """

    order: str = "given"
    seed: int = 0
    repeat: int = 1
    noise: float = 0.0
    delay: int = 0
    feedback_first: int | None = None

    def check(self) -> None:
        """SettingError where one is out of range."""
        if self.order not in ORDERS:
            raise SettingError(f"unknown {{order}}; one of {', '.join(ORDERS)}", order=self.order)
        for name, least in (("seed", 0), ("repeat", 1), ("delay", 0), ("feedback_first", 0)):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, (int, np.integer)) or value < least):
                raise SettingError(f"{{{name}}} must be a whole number ≥ {least}", **{name: value})
        if not 0.0 <= self.noise < 1.0:
            raise SettingError("{noise:g} must be a share from 0 to below 1, as 0.05 or 5%", noise=self.noise)
        if self.repeat > 1 and self.order == "given" and not self.noise:
            text = "{repeat}: mails in the given order without noise come the same each time; {order} shuffles them"
            raise SettingError(text, repeat=self.repeat, order="shuffled")

    def arrivals(self, spam: Array, seed: int) -> tuple[Array, Array]:
        """(order, shown), (n,): which mail comes when, and the verdict that is shown of it, True for spam."""
        n = len(spam)
        order = np.random.default_rng(seed).permutation(n) if self.order == "shuffled" else np.arange(n)
        return order, spam[order] ^ (np.random.default_rng([seed, 1]).random(n) < self.noise)


def read_stream(path: str | os.PathLike[str], watched: Callable[[Any], Any] = lambda source: source) -> Stream:
    """The mails of a TREC index, an archive (a tar), or a folder, whole in memory.

    The labels are those of an index.csv, else of an index (both at the top, or in an archive in its only folder), else
    of folders named spam and ham, as everywhere. So is the order; without an index, that of the sorted paths; mails of
    one mbox stay in their order. watched: what wraps the source that is read, for a bar. Raises DataError where there
    are no mails, other labels or none, and where an index names a mail that is not there.
    """
    path = os.fspath(path)
    if os.path.basename(path) == TABLE and os.path.isfile(path):
        path = os.path.dirname(path) or "."
    index, store = _index(path), "auto"
    if index is not None and is_folder(path) and index[0] == INDEX:
        path, index, store = os.path.join(path, INDEX), None, "trec"
    source = RawSource(path, labelled="auto" if index is None else False, store=store)
    batches = list(watched(source))
    raws: list[Any] = [raw for batch in batches for raw in batch.rows]
    names = [name for batch in batches for name in batch.ids or ()]
    if index is not None:
        source.notes[NO_MAIL] -= 1  # the index itself
        places, labels = _ordered(index, names, source)
    elif batches[0].y is None:
        raise located(source.origin, None, "found mails without labels", NO_LABELS)
    else:
        labels = [label for batch in batches for label in (() if batch.y is None else batch.y.tolist())]
        places = list(range(len(names)))
        if source.is_archive:
            places.sort(key=lambda i: NUMBER.sub("", names[i]))
        labels = [labels[i] for i in places]
    spam = np.array([_is_spam(label, source.origin) for label in labels], bool)
    notes = {what: count for what, count in source.notes.items() if count or what != NO_MAIL}
    return Stream(str(source.origin), [names[i] for i in places], [raws[i] for i in places], spam, notes)


NUMBER = re.compile(r":\d+$")
"""Of a mail in an mbox."""


def _is_spam(label: Any, origin: str) -> bool:
    name = str(label).lower()
    if name not in PAIR:
        raise located(origin, None, f"found the label {str(label)!r}", LABELS)
    return name == "spam"


class RawSource(MailSource):
    """Mails as the bytes that they are, with all that the reader knows of stores and labels."""

    def _document(self, raw: bytes) -> Any:
        if len(raw) > MAIL_LIMIT:
            self._note(CUT)
        return raw[:MAIL_LIMIT]

    @property
    def is_archive(self) -> bool:
        from ..read.mail.folder import Tar

        return isinstance(self._store, Tar)


def _index(path: str) -> tuple[str, bytes] | None:
    """(name, content) of the file that says labels and order, below a folder or in an archive; None without one."""
    if is_folder(path):
        for name in (TABLE, INDEX):
            if os.path.isfile(os.path.join(path, name)):
                with open_bytes(os.path.join(path, name)) as stream:
                    return name, stream.read()
        return None
    if is_remote(path) or is_read_once(path):
        return None
    with open_bytes(path) as stream:
        if not is_tar(stream.peek(BLOCK)):
            return None
        found = dict[str, tuple[str, bytes]]()
        try:
            with tarfile.open(fileobj=stream, mode="r|") as archive:  # type: ignore[call-overload]
                for member in archive:
                    at = PurePosixPath(os.path.normpath(member.name))
                    file = archive.extractfile(member) if at.name in (TABLE, INDEX) else None
                    if file is not None and len(at.parts) <= DEEPEST:
                        found[at.name] = str(at), file.read()
        except (tarfile.TarError, DataError):
            return None  # the reader of mails says what is wrong
    return found.get(TABLE) or found.get(INDEX)


BLOCK = 512
"""Of a tar."""


def _ordered(index: tuple[str, bytes], names: list[str], source: MailSource) -> tuple[list[int], list[str]]:
    """The places of the mails that an index names, and their labels. DataError for one that is not there, or twice."""
    at, content = index
    origin = os.path.join(source.origin, at)
    there = {os.path.normpath(name): i for i, name in enumerate(names)}
    read = _of_table if PurePosixPath(at).name == TABLE else _of_lines
    labels = dict[int, str]()
    for line, label, name in read(content.decode("utf-8-sig", "surrogateescape"), origin):
        place = there.get(os.path.normpath(os.path.join(os.path.dirname(at), name)))
        if place is None or place in labels:
            found = f"found {name!r}, which is {'not there' if place is None else 'named twice'}"
            raise located(origin, line, found, "expected the path of each mail once, counted from the index's folder")
        labels[place] = label
    if not labels:
        raise located(origin, None, "it names no mail", "expected a path and a label for each")
    if len(labels) < len(names):
        source.notes[UNNAMED] = len(names) - len(labels)
    return list(labels), list(labels.values())


def _of_table(text: str, origin: str) -> Named:
    rows = csv.DictReader(text.splitlines())
    columns = [str(name).strip().lower() for name in rows.fieldnames or ()]
    if not {"path", "label"} <= {*columns}:
        found = f"found the columns {', '.join(columns)}" if columns else "it is empty"
        raise located(origin, 1, found, "expected path and label among them")
    rows.fieldnames = columns
    return [(rows.line_num, row["label"] or "", row["path"] or "") for row in rows]


def _of_lines(text: str, origin: str) -> Named:
    lines = [(number, line.split(maxsplit=1)) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    wrong = next((number for number, words in lines if len(words) < 2), None)
    if wrong is not None:
        raise located(origin, wrong, "found one word", "expected a label and the path of a mail")
    return [(number, label, name.strip()) for number, (label, name) in lines]
