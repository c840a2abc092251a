"""Whatever holds labelled rows or texts → a source: a path, an array, a DataFrame, a list of texts."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..data.batch import AtHand, Batch, Source
from ..data.checks import labels_from, rows_from
from ..errors import DataError, plain
from . import from_recipe, open_source
from .open import is_remote


def source_of(data: Any, y: Any = None, **options: Any) -> Source:
    """A source of labelled batches.

    data: a path (str or Path, also an address that fsspec reads; "-": standard input), a `Source`, a `Batch`, an
    (n, d) array, list, sparse matrix or DataFrame, or texts: a list of str, or of bytes, each a whole mail. y: (n,)
    labels of all but paths, sources and batches; of a DataFrame also the name of its column of labels. options: the
    reader's, for paths. Raises DataError for a str that is no path, and where labels are missing or too many.
    """
    if isinstance(data, (str, os.PathLike)) or is_source(data):
        if y is not None:
            raise DataError("the labels of a file are in the file; y is for arrays, DataFrames and texts")
        return open_source(data, labelled=True, **options) if isinstance(data, (str, os.PathLike)) else data
    if isinstance(y, str) and column_names(data) is not None:
        data, y = _parted(data, y)
    return at_hand(data, y)


def source_like(data: Any, model: Any, y: Any = None, **options: Any) -> Source:
    """The same for a model that is there: read as its own data were, its columns by their names. y may be missing."""
    if isinstance(data, (str, os.PathLike)):
        columns = {} if model.reads_texts else {"expect": model.names or model.given_width}
        return from_recipe(
            data,
            model.reading or columns,
            options.pop("format", None) or "auto",
            width=model.given_width,
            classes=model.classes.tolist(),
            **{"labelled": "auto", **options},
        )
    if is_source(data):
        return data  # type: ignore[no-any-return]
    names = column_names(data)
    if isinstance(y, str) and names is not None:
        data, y = _parted(data, y)
    if model.names is not None and names is not None:
        missing = [name for name in model.names if name not in names]
        if missing:
            raise DataError(f"the data have no column {missing[0]!r}; expected all features of the model")
        data = data[list(model.names)]
    return at_hand(data, y, model.reading.get("fields"))


def is_source(data: Any) -> bool:
    return hasattr(data, "one_shot") and hasattr(data, "recipe")


def no_text(data: Any) -> Any:
    """The data themselves. DataError for a str that is no path: most likely a text."""
    if isinstance(data, str) and data != "-" and not is_remote(data) and not os.path.exists(data):
        shown = data if len(data) <= 60 else data[:59] + "…"
        raise DataError(f"{shown}: there is no such file; a list of texts: [text]")
    return data


def at_hand(data: Any, y: Any = None, fields: Any = None) -> AtHand:
    """A source of what is in memory. fields: of mails. DataError where there are not as many labels as rows."""
    if isinstance(data, Batch):
        return AtHand(data)
    names = column_names(data)
    rows: Any = documents(data, fields)
    rows = rows_from(data).without_duplicates() if rows is None else rows
    batch = Batch(rows, None)
    return AtHand(batch if y is None else batch._replace(y=labels_from(y, batch.n)), names)


def documents(data: Any, fields: Any = None) -> list[Any] | None:
    """Documents of texts, or of whole mails as bytes; None for what is no list of them."""
    first = data[0] if isinstance(data, (list, tuple)) and data else None
    if first is None and getattr(data, "ndim", 0) == 1 and len(data):
        data = np.asarray(data).tolist()
        first = data[0]
    if isinstance(first, bytes):
        from ..mailtext.fields import FIELDS
        from ..mailtext.mail import parse

        return [parse(each, fields or FIELDS) for each in data]
    if not isinstance(first, str):
        return None
    for row, each in enumerate(data):
        if not isinstance(each, str):
            raise DataError(f"row {row}: found {plain(type(each).__name__)} among texts; expected str")
    return [[("", text)] for text in data]


def column_names(data: Any) -> list[str] | None:
    """The names of a DataFrame's columns, where all are text."""
    names = list(getattr(data, "columns", ()))
    return names if names and all(isinstance(name, str) for name in names) else None


def _parted(frame: Any, label: str) -> tuple[Any, Any]:
    """A DataFrame without its column of labels, and that column."""
    names = list(frame.columns)
    if label not in names:
        raise DataError(f"the DataFrame has no column {label!r}; its columns are {', '.join(names[:10])}")
    return frame[[name for name in names if name != label]], np.asarray(frame[label])
