"""Data as they are, for the commands that look at files rather than learn from them; and rows that are moved, not read:
lines of files, and mails of a folder as lines of an index."""

import contextlib
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

from ..data.batch import Batch, Source, joined
from ..data.labels import tidy
from ..errors import DataError, Message, ModelError, RosenblattError, located, plain
from ..read import open_source
from ..read.mail.store import is_index
from ..read.open import STDIN, is_folder, is_read_once, open_bytes
from ..read.several import Several, paths_of
from ..read.source import filled
from ..write.records import Record, Records
from .command import option
from .output import OutputError

COPY = 1 << 20
FILES = "expected a folder with one file for each mail, or an index of such files"

unlabelled_option = option("Reading", "--unlabelled", is_flag=True, help="The rows have no labels: none is looked for.")


FEW = {"block_bytes": 1 << 16, "batch_size": 16}
"""What readers take at a time where only the first rows are wanted."""


def first_rows(path: str, reading: dict[str, Any], unlabelled: bool = False) -> Source:
    """The same as `as_it_is`, in small pieces: who stops early has not read far."""
    source: Any = as_it_is(path, reading, unlabelled)
    vars(source.asked).update({name: size for name, size in FEW.items() if hasattr(source.asked, name)})
    return source  # type: ignore[no-any-return]


def as_it_is(path: str, reading: dict[str, Any], unlabelled: bool = False) -> Source:
    """The data with their labels, if they have any; of a table without a well-known label, the one `train` takes."""
    try:
        source: Any = open_source(path, labelled=False if unlabelled else "auto", **reading)
    except DataError:
        if unlabelled or _once(path):
            raise
        return open_source(path, labelled=True, **reading)  # a column of words that is no feature
    columns = getattr(source, "columns", None)
    if columns is not None and columns.label is None and not unlabelled and not source.one_shot:
        with contextlib.suppress(DataError):
            return open_source(path, labelled=True, **reading)
    return source  # type: ignore[no-any-return]


def _once(data: str) -> bool:
    """Whether any part of it can be read only once."""
    return any(not is_folder(path) and is_read_once(path) for path in paths_of(data))


def whole(source: Source) -> Batch:
    """All batches as one, with plain labels."""
    batches = list(source)
    if not batches:
        raise DataError(f"{source.origin}: found no rows; at least two of each class are needed")
    whole = joined(batches)
    if whole.y is None:
        raise DataError(f"{source.origin}: there are no labels; rows to learn from need one each")
    return whole._replace(y=tidy(whole.y))


@contextlib.contextmanager
def read_twice(path: str) -> Iterator[str]:
    """A path that can be opened again: what comes from standard input or a pipe is copied to a temporary file.

    Messages about the copy name what it is a copy of. Several are left as they are.
    """
    if isinstance(path, Several) or not _once(path):
        yield path
        return
    name = STDIN if path == "-" else path
    handle, copy = tempfile.mkstemp(prefix="rosenblatt-")
    try:
        with os.fdopen(handle, "wb") as file, open_bytes(path) as stream:
            while data := stream.read(COPY):
                file.write(data)
        yield copy
    except RosenblattError as error:
        message, shown = error.message, plain(name) if error.message.settings else name
        raise error.saying(Message(message.template.replace(copy, shown), **message.settings)) from None
    finally:
        os.unlink(copy)


@contextlib.contextmanager
def output_errors(path: str) -> Iterator[None]:
    """Why a file, or a model, cannot be written, in one sentence."""
    try:
        yield
    except BrokenPipeError:
        raise
    except ModelError as error:
        raise OutputError(error.message) from None
    except OSError as error:
        name = "standard output" if path == "-" else error.filename or path
        raise OutputError(f"{name}: cannot be written: {error.strerror or error}") from None


class Mails:
    """The mails of a folder as lines `label path`, the path counted from the folder of the index that is written.

    Raises DataError where mails do not lie in files of their own, and where they have no labels.
    """

    header = b""
    format = "index"

    def __init__(self, path: str, source: Any, output: str) -> None:
        self.origin = source.origin
        self._source, self._root = source, os.getcwd() if isinstance(path, Several) else os.path.realpath(path)
        if not os.path.isdir(self._root):
            with open_bytes(path) as stream:
                if not is_index(filled(stream, 4096), path):
                    raise located(source.origin, None, "found mails that are no files of their own", FILES)
            self._root = os.path.dirname(self._root)
        self._base = os.path.dirname(os.path.realpath(output)) if output != "-" else os.getcwd()
        self.notes: dict[str, int] = source.notes
        self.labelled = True

    def __iter__(self) -> Iterator[Record]:
        for batch in self._source:
            if batch.y is None:
                raise located(self._source.origin, None, "found mails without labels", "expected labelled folders")
            for label, name in zip(batch.y.tolist(), batch.ids, strict=True):
                file = os.path.join(self._root, name)
                if not os.path.isfile(file):
                    raise located(self._source.origin, None, f"found {name!r}, which is no file of its own", FILES)
                if not label or label.split() != [label]:
                    found = f"found the label {label!r}"
                    raise located(self._source.origin, None, found, "expected one without blanks, for an index")
                yield os.fsencode(f"{label} {os.path.relpath(file, self._base)}\n"), label


class _InTurn:
    """The rows of several files, one behind the other. DataError where their headers differ."""

    def __init__(self, files: list[Any]) -> None:
        self._files, self.header, self.origin = files, files[0].header, files[0].origin
        for file in files:
            if (file.format, file.header) != (files[0].format, self.header):
                raise located(file.origin, None, "its format or header is another", f"expected that of {self.origin}")

    @property
    def notes(self) -> dict[str, int]:
        return dict(sum((Counter(file.notes) for file in self._files), Counter[str]()))

    def __iter__(self) -> Iterator[Record]:
        return chain.from_iterable(self._files)


def moved_rows(path: str, reading: dict[str, Any], labelled: bool | str, output: str) -> Any:
    """The rows of a file or folder, or of several. labelled: False where no labels are wanted. output: where an index
    will lie."""
    source: Any = as_it_is(path, reading, unlabelled=False)
    if source.recipe()["format"] == "mail":
        return Mails(path, source, output)
    if isinstance(path, Several):
        if any(label is not None for label, _ in path.parts):
            found = "labels in words cannot be written to lines that stay as they are"
            raise located(source.origin, None, found, "`rosenblatt convert` first")
        return _InTurn([Records(each, as_it_is(each, reading), labelled) for each in paths_of(path)])
    return Records(path, source, labelled)
