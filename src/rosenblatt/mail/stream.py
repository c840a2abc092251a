"""Labelled mails in the order in which they come: from a TREC index, an archive, or a folder."""

from __future__ import annotations

import csv
import os
import re
import tarfile
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable
from hashlib import sha256
from io import StringIO
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array
from ..errors import DataError, SettingError, located, plural
from ..mailtext.mail import MAIL_LIMIT
from ..parameters import Parameter
from ..read.mail import MailSource
from ..read.mail.source import CUT, is_tar
from ..read.mail.store import NO_MAIL, PAIR
from ..read.open import is_folder, is_read_once, is_remote, open_bytes
from ..read.several import TWICE, InTurn, Several, several

TABLE = "index.csv"
INDEXES = (TABLE, "index", "full/index")
"""What says labels and order: columns `path` and `label`; lines `spam ../data/inmail.1`, where TREC's corpora have
them, too. The first that is there; in an archive also in its only folder."""
UNNAMED = "mails that the index does not name, left out"
PARTS = "spam=PATH ham=PATH say what lies where"
LABELS = "expected the labels spam and ham"
NO_LABELS = (
    f"expected mails in folders named spam and ham, a TREC index, or {TABLE} with the columns path and label; {PARTS}"
)
PLAN = (
    Parameter("order", "given", choices=("given", "shuffled"), help="given, or shuffled by --seed.", metavar="ORDER"),
    Parameter("seed", 0, int, "Of the shuffled order and the noise.", least=0),
    Parameter("repeat", 1, int, "Runs, with the seeds S, S+1, ...: their means, and each.", least=1),
    Parameter(
        "noise", 0.0, float, "Verdicts that are shown wrong to the learner, as 5%; the true ones count mistakes.",
        least=0, below=1, metavar="SHARE", refusal="{noise:g} must be a share from 0 to below 1, as 0.05 or 5%",
    ),
    Parameter("delay", 0, int, "A verdict comes after N more mails were judged.", least=0),
    Parameter(
        "feedback_first", None, int, "Verdicts come of the first N mails only.", least=0, words={"all": None},
        shown="all",
    ),
)  # fmt: skip
"""What can be set of how mails come, as `Plan` has it."""

Named = list[tuple[int, str, str]]
"""Line, label and path of each mail."""


class Stream(NamedTuple):
    """Mails in their given order. origin: what they are called together. names: their paths, or what the reader calls
    them. raws: their bytes. spam: (n,) bool. notes: what was skipped on the way, counted."""

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

    def __repr__(self) -> str:
        return f"<Stream: {self.origin}, {plural(len(self.raws), 'mail')}>"


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

    def checked(self) -> Plan:
        """The same in Python's own numbers. SettingError where one is out of range."""
        for each in PLAN:
            each.check(getattr(self, each.name))
        if self.repeat > 1 and self.order == "given" and not self.noise:
            text = "{repeat}: mails in the given order without noise come the same each time; {order} shuffles them"
            raise SettingError(text, repeat=self.repeat, order="shuffled")
        values: list[Any] = [each.item() if isinstance(each, np.generic) else each for each in self]
        return Plan(*values)

    def arrivals(self, spam: Array, seed: int) -> tuple[Array, Array]:
        """(order, shown), (n,): which mail comes when, and the verdict that is shown of it, True for spam."""
        n = len(spam)
        order = np.random.default_rng(seed).permutation(n) if self.order == "shuffled" else np.arange(n)
        return order, spam[order] ^ (np.random.default_rng([seed, 1]).random(n) < self.noise)


def read_stream(data: Any, watched: Callable[[Any], Any] = lambda source: source) -> Stream:
    """The mails of a TREC index, an archive (a tar), a folder, or of places with their labels, whole in memory.

    data: a path, or {"spam": path or paths, "ham": path or paths}, which come in this order. Of a path the labels are
    those of the first of `INDEXES`, else of folders named spam and ham, as everywhere. So is the order; without an
    index, that of the sorted paths; mails of one mbox stay in their order. watched: what wraps the source that is read,
    for a bar. Raises DataError where there are no mails, other labels or none, and where an index names a file that is
    not there, or a mail with both labels.
    """
    data = several(data)
    if isinstance(data, Several):
        return _parts(data, watched)
    if not isinstance(data, (str, os.PathLike)):
        found = f"found {type(data).__name__} for a stream of mails"
        raise DataError(f"{found}; expected a path, or a dict with the paths of spam and of ham")
    path = os.fspath(data)
    if os.path.basename(path) == TABLE and os.path.isfile(path):
        path = os.path.dirname(path) or "."
    index, store = _index(path), "auto"
    if index is not None and is_folder(path) and index.at != TABLE:
        path, index, store = os.path.join(path, index.at), None, "trec"
    source = RawSource(path, labelled="auto" if index is None else False, store=store)
    names, raws, own = _read(watched(source))
    if index is not None:
        source.notes[NO_MAIL] = source.notes.get(NO_MAIL, 1) - 1  # the index itself
        labels = _labels(index, names, source)
        places, spam = list(labels), list(labels.values())
    elif not own:
        raise located(source.origin, None, "found mails without labels", NO_LABELS)
    else:
        places = list(range(len(names)))
        if source.is_archive:
            places.sort(key=lambda i: NUMBER.sub("", names[i]))
        spam = [_is_spam(own[i], source.origin) for i in places]
    notes = {what: count for what, count in source.notes.items() if count or what != NO_MAIL}
    chosen = [names[i] for i in places], [raws[i] for i in places], np.array(spam, bool)
    return Stream(str(source.origin), *chosen, notes)


def _parts(data: Several, watched: Callable[[Any], Any]) -> Stream:
    """Of `spam=junk.mbox ham=cur`, one behind the other."""
    bare = next((path for label, path in data.parts if label is None), None)
    if bare is not None:
        raise DataError(f"{bare}: it is given without a label; expected one path, or a label for each: {PARTS}")
    for label, path in data.parts:
        _is_spam(label, path)
    source = InTurn(data, lambda path, label, first: RawSource(path, labelled=False))
    names, raws, labels = _read(watched(source))
    spam = np.array([_is_spam(label, data.origin) for label in labels], bool)
    return Stream(data.origin, names, raws, spam, dict(source.notes))


def _read(source: Any) -> tuple[list[str], list[Any], list[Any]]:
    """Names, mails and labels, if there are any."""
    batches = list(source)
    names = [name for batch in batches for name in batch.ids or ()]
    raws = [raw for batch in batches for raw in batch.rows]
    return names, raws, [label for batch in batches if batch.y is not None for label in batch.y.tolist()]


NUMBER = re.compile(r":\d+$")
"""Of a mail in an mbox."""


def _quoted(name: Any) -> str:
    """A name in a sentence; a damaged table may have one of 100 KB."""
    return repr(str(name) if len(str(name)) <= NAME else f"{str(name)[:NAME]}…")


NAME = 200


def _is_spam(label: Any, origin: str, line: int | None = None) -> bool:
    name = str(label).strip().lower()
    if name not in PAIR:
        raise located(origin, line, f"found the label {_quoted(label)}", LABELS if line else f"{LABELS}; {PARTS}")
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


class _Index(NamedTuple):
    """What says labels and order. at: its path from the top. has: whether there is a file of this path."""

    at: str
    content: bytes
    has: Callable[[str], bool]


def _index(path: str) -> _Index | None:
    """The index of a folder or an archive; None without one."""
    if is_folder(path):
        for name in INDEXES:
            if os.path.isfile(os.path.join(path, name)):
                with open_bytes(os.path.join(path, name)) as stream:
                    return _Index(name, stream.read(), lambda name: _is_below(path, name))
        return None
    if is_remote(path) or is_read_once(path):
        return None
    with open_bytes(path) as stream:
        if not is_tar(stream.peek(BLOCK)):
            return None
        found, files = dict[int, tuple[str, bytes]](), set[str]()
        try:
            with tarfile.open(fileobj=stream, mode="r|") as archive:  # type: ignore[call-overload]
                for member in archive:
                    at = os.path.normpath(member.name)
                    files |= set() if member.isdir() else {at}
                    below = at.partition("/")[2]
                    rank = next((k for k, own in enumerate(INDEXES) if own in (at, below)), None)
                    file = None if rank is None else archive.extractfile(member)
                    if rank is not None and file is not None:
                        found[rank] = at, file.read()
        except (tarfile.TarError, DataError):
            return None  # the reader of mails says what is wrong
    return _Index(*found[min(found)], files.__contains__) if found else None


BLOCK = 512
"""Of a tar."""


def _is_below(folder: str, name: str) -> bool:
    """Whether a file, or a link, of this path is there, and not outside."""
    path = os.path.join(folder, name)
    return not name.startswith("..") and "\0" not in name and (os.path.isfile(path) or os.path.islink(path))


def _labels(index: _Index, names: list[str], source: MailSource) -> dict[int, bool]:
    """The places of the mails that an index names, and whether they are spam; a file that is no mail was counted.
    DataError for one that is not there, and for two labels."""
    origin = os.path.join(source.origin, index.at)
    there = dict[str, list[int]]()
    for i, name in enumerate(map(os.path.normpath, names)):
        for each in {name, NUMBER.sub("", name)}:  # a mail, or all of its mbox
            there.setdefault(each, []).append(i)
    read = _of_table if os.path.basename(index.at) == TABLE else _of_lines
    code = "utf-16" if index.content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
    text = index.content.decode(code, "surrogateescape" if code == "utf-8-sig" else "replace")
    labels, lines = dict[int, bool](), dict[int, int]()
    for line, label, name in read(text, origin):
        spam, path = _is_spam(label, origin, line), os.path.normpath(os.path.join(os.path.dirname(index.at), name))
        path = os.path.relpath(path, source.origin) if os.path.isabs(path) else path
        if path not in there and not index.has(path):
            expected = "expected the paths of mails, counted from the index's folder"
            raise located(origin, line, f"found {_quoted(name)}, which is not there", expected)
        for place in there.get(path, ()):
            if labels.setdefault(place, spam) != spam:
                found = f"found {_quoted(name)} as {label.strip()}, which line {lines[place]} says it is not"
                raise located(origin, line, found, "expected one label")
            if lines.setdefault(place, line) != line:
                source.notes[TWICE] = source.notes.get(TWICE, 0) + 1
    if not labels:
        raise located(origin, None, "it names no mail", "expected a path and a label for each")
    if len(labels) < len(names):
        source.notes[UNNAMED] = len(names) - len(labels)
    return labels


def _of_table(text: str, origin: str) -> Named:
    rows = csv.DictReader(StringIO(text, newline=""), skipinitialspace=True)
    try:
        columns = [str(name).strip().lower() for name in rows.fieldnames or ()]
        if not {"path", "label"} <= {*columns}:
            found = f"found the columns {', '.join(columns)}" if columns else "it is empty"
            raise located(origin, 1, found, "expected path and label among them, with commas between")
        rows.fieldnames = columns
        return [(rows.line_num, row["label"] or "", row["path"] or "") for row in rows]
    except csv.Error as error:
        raise located(origin, rows.reader.line_num, f"found no table ({error})", "expected lines path,label") from None


def _of_lines(text: str, origin: str) -> Named:
    lines = [(number, line.split(maxsplit=1)) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    wrong = next((number for number, words in lines if len(words) < 2), None)
    if wrong is not None:
        raise located(origin, wrong, "found one word", "expected a label and the path of a mail")
    return [(number, label, name.strip()) for number, (label, name) in lines]
