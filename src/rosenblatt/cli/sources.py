"""Data as they are, for the commands that look at files rather than learn from them."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from typing import Any

from ..data.batch import Batch, Source, joined
from ..data.labels import tidy
from ..errors import DataError, Message, ModelError, RosenblattError, plain
from ..read import open_source
from ..read.open import STDIN, is_read_once, open_bytes
from .command import option
from .output import OutputError

COPY = 1 << 20

unlabelled_option = option("Reading", "--unlabelled", is_flag=True, help="The rows have no labels: none is looked for.")


def as_it_is(path: str, reading: dict[str, Any], unlabelled: bool = False) -> Source:
    """The data with their labels, if they have any; of a table without a well-known label, the one `train` takes."""
    reading = dict(reading)
    format = reading.pop("format", None) or "auto"
    labelled: Any = False if unlabelled else "auto"
    try:
        source: Any = open_source(path, format, labelled=labelled, **reading)
    except DataError:
        if unlabelled or is_read_once(path):
            raise
        return open_source(path, format, labelled=True, **reading)  # a column of words that is no feature
    columns = getattr(source, "columns", None)
    if columns is not None and columns.label is None and not unlabelled and not source.one_shot:
        with contextlib.suppress(DataError):
            return open_source(path, format, labelled=True, **reading)
    return source  # type: ignore[no-any-return]


def whole(source: Source) -> Batch:
    """All batches as one, with plain labels."""
    batches = list(source)
    origin = getattr(source, "origin", "the data")
    if not batches:
        raise DataError(f"{origin}: found no rows; at least two of each class are needed")
    whole = joined(batches)
    if whole.y is None:
        raise DataError(f"{origin}: there are no labels; rows to learn from need one each")
    return whole._replace(y=tidy(whole.y))


@contextlib.contextmanager
def read_twice(path: str) -> Iterator[str]:
    """A path that can be opened again: what comes from standard input or a pipe is copied to a temporary file.

    Messages about the copy name what it is a copy of.
    """
    if os.path.isdir(path) or not is_read_once(path):
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
