"""Several data as one: files and folders, one behind the other, with labels of their own or labels by word."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np

from ..data.batch import Batch, Source
from ..data.labels import class_numbers
from ..errors import DataError
from .open import is_remote

SHOWN = 3
"""Parts that messages name; of more the first, and how many there are."""

TWO_LABELS = "{}: it is given as {} and as {}; expected one label"
TWICE = "mails given twice, read once"
OF_THEIR_OWN = "found {0!r} and a TAB before the text of every line; expected texts alone, or the file without {0}="


BAD_ROWS = ("bad lines skipped", "bad rows skipped")
"""Notes of rows that count, though they are left out."""


def begin_with(label: str, rows: Any) -> bool:
    """Whether rows are lines of text that all say the label themselves."""
    start = f"{label}\t"
    texts = isinstance(rows, list) and bool(rows) and not isinstance(rows[0], bytes)
    return texts and all(row and row[0][1].startswith(start) for row in rows)


class Several(str):
    """Data in parts, as a text that says them: `spam=junk.mbox ham=cur ham=old.mbox`.

    parts: (label, path), the label None where the rows have their own. A `~` at the start of a path is the home.
    """

    parts: list[tuple[str | None, str]]
    words: list[str]
    """The same as words of the shell."""

    def __new__(cls, parts: Sequence[tuple[Any, Any]]) -> Self:
        """DataError for a label that is empty or has blanks: it would be two words in an index; and for two of one
        file."""
        words = [os.fspath(path) if label is None else f"{label}={os.fspath(path)}" for label, path in parts]
        made = super().__new__(cls, " ".join(words))
        made.words, made.parts = words, []
        for label, path in parts:
            if label is not None and str(label).split() != [str(label)]:
                raise DataError(f"found the label {str(label)!r} for {path}; expected one without blanks")
            own = os.fspath(path) if os.path.exists(path) else os.path.expanduser(path)
            made.parts.append((None if label is None else str(label), own))
        labels: dict[str, str] = {}
        for label, path in made.parts:
            if label is not None and (other := labels.setdefault(os.path.realpath(path), label)) != label:
                raise DataError(TWO_LABELS.format(path, other, label))
        return made

    def __reduce__(self) -> Any:
        return Several, (self.parts,)

    @property
    def origin(self) -> str:
        """What they are called in messages."""
        return str(self) if len(self.words) <= SHOWN else f"{self.words[0]} and {len(self.words) - 1} more"

    def as_data(self) -> Any:
        """As Python says it, and JSON holds it."""
        return [path if label is None else {label: path} for label, path in self.parts]


def from_words(words: Sequence[str]) -> str:
    """The data that words of the shell name: paths, or `label=path` where there is no such file."""
    parts = list(map(_parted, words))
    return words[0] if len(parts) == 1 and parts[0][0] is None else Several(parts)


def _parted(word: str) -> tuple[str | None, str]:
    label, _, path = word.partition("=")
    plain = not label or not path or os.sep in label or is_remote(word) or os.path.exists(word)
    return (None, word) if plain else (label, path)


def several(data: Any) -> Any:
    """A list of paths, {label: path or list of paths}, or a list of both, as `Several`; other data as they are.

    Texts are no paths: a list of str is one of paths where each is a file, or a folder written with a slash.
    """
    if isinstance(data, Mapping) and data:
        data = [data]
    if not isinstance(data, (list, tuple)) or not data or not all(map(_is_part, data)):
        return data
    parts: list[tuple[Any, Any]] = []
    for each in data:
        for label, paths in each.items() if isinstance(each, Mapping) else [(None, each)]:
            own = paths if isinstance(paths, (list, tuple)) else [paths]
            if not own or not all(isinstance(path, (str, os.PathLike)) for path in own):
                raise DataError(f"found {type(paths).__name__} for the label {label!r}; expected a path, or several")
            parts += [(label, path) for path in own]
    return Several(parts)


def _is_part(data: Any) -> bool:
    if isinstance(data, (os.PathLike, Mapping)):
        return True
    return _is_short(data) and (os.path.isfile(data) or (os.sep in data and os.path.isdir(data)))


def is_file(text: Any) -> bool:
    """Whether a text is the path of a file, and not a text of its own."""
    return _is_short(text) and os.path.isfile(text)


def _is_short(text: Any) -> bool:
    """Whether it may be a path."""
    return isinstance(text, str) and len(text) < 4096 and "\n" not in text and "\0" not in text


def paths_of(data: Any) -> list[str]:
    """The paths of data that are one or several; none of what is not in files."""
    own = data.parts if isinstance(data, Several) else [(None, data)] if isinstance(data, str) else []
    return [path for _, path in own]


def words_of(data: str) -> list[str]:
    """The same as words of the shell."""
    return data.words if isinstance(data, Several) else [data]


class InTurn:
    """A source of several data, read one after the other.

    opened: (path, label, the source of the first part or None) → a source. labelled: as readers are told; False: the
    labels that are said are none, either. classes: of a model; where labels are needed, each must be one of them.
    """

    def __init__(
        self, data: Several, opened: Callable[..., Source], labelled: Any = True, classes: Sequence[Any] | None = None
    ) -> None:
        self.origin, self.notes = data.origin, dict[str, int]()
        self._may_be_empty = labelled == "unneeded"
        self._labels = [None if labelled is False else label for label, _ in data.parts]
        self._classes = np.array(classes) if classes is not None and labelled is True else None
        self._sources: list[Any] = []
        for label, path in data.parts:
            self._sources.append(opened(path, label, self._sources[0] if self._sources else None))
        self.one_shot = any(source.one_shot for source in self._sources)

    def __getattr__(self, name: str) -> Any:
        """All parts are of one kind: what is asked of them, the first one answers."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._sources[0], name)

    @property
    def bytes_read(self) -> int:
        return sum(source.bytes_read for source in self._sources)

    @property
    def bytes_total(self) -> int | None:
        """None until all are open."""
        totals = [source.bytes_total for source in self._sources]
        return None if None in totals else sum(totals)

    def __iter__(self) -> Iterator[Batch]:
        self.notes.clear()
        before, some, seen = 0, False, dict[str, tuple[Source, Any]]()
        for label, source in zip(self._labels, self._sources, strict=True):
            first = 1
            try:
                for batch in source:
                    y = batch.y if label is None else np.full(batch.n, label, object)
                    if label is not None and begin_with(label, batch.rows):  # else it would be the best of words
                        raise DataError(f"{source.origin}: {OF_THEIR_OWN.format(label)}")
                    self._check(y, source.origin, first if batch.numbers is None else batch.numbers)
                    first += batch.n
                    own = None if batch.numbers is None else batch.numbers + before
                    ids = None if batch.ids is None else [source.placed(name) for name in batch.ids]
                    if (new := self._once(batch._replace(y=y, ids=ids, numbers=own), source, seen)).n:
                        some = True
                        yield new
                before += first - 1 + sum(source.notes.get(what, 0) for what in BAD_ROWS)
            except DataError as error:
                if error.empty and self._may_be_empty and (some or source is not self._sources[-1]):
                    continue
                error.names_its_file, error.notes = True, self.notes
                raise
            finally:
                for what, count in source.notes.items():
                    self.notes[what] = self.notes.get(what, 0) + count

    def _once(self, batch: Batch, source: Source, seen: dict[str, tuple[Source, Any]]) -> Batch:
        """Without the mails that came from a source before. seen: file → source and label. DataError where the labels
        differ."""
        if batch.ids is None:
            return batch
        new = list(range(batch.n))
        for i, name in enumerate(batch.ids):
            label = None if batch.y is None else batch.y[i]
            first, other = seen.setdefault(os.path.realpath(name), (source, label))
            if first is not source:
                new.remove(i)
                if other != label:
                    raise DataError(TWO_LABELS.format(name, other, label))
        if len(new) < batch.n:
            self.notes[TWICE] = self.notes.get(TWICE, 0) + batch.n - len(new)
        return batch if len(new) == batch.n else batch.take(np.array(new, int))

    def _check(self, y: Any, origin: str, first: Any) -> None:
        """Here, where it is known which file a row lies in."""
        try:
            if self._classes is not None and y is not None:
                class_numbers(y, self._classes, first)
        except DataError as error:
            raise error.within(f"{origin}, ") from None
