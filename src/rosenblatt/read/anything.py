"""Whatever holds labelled rows or texts → a source: a path, an array, a DataFrame, a list of texts."""

import os
from typing import Any

import numpy as np

from ..data.batch import AtHand, Batch, Source
from ..data.checks import labels_from, name_twice, rows_from
from ..errors import DataError, SettingError, plain
from . import from_recipe, open_source
from .columns import as_names, listed
from .open import is_remote
from .several import Several, is_file, several


def source_of(data: Any, y: Any = None, **options: Any) -> Source:
    """A source of labelled batches.

    data: a path (str or Path, also an address that fsspec reads; "-": standard input), a list of paths or {label: path
    or list of paths}, a `Source`, a `Batch`, an (n, d) array, list, sparse matrix or DataFrame, or texts: a list of
    str, or of bytes, each a whole mail. y: (n,) labels of all but paths, sources and batches; of a DataFrame also the
    name of its column of labels. options: the reader's, for paths; of a DataFrame label, text and drop, of mails
    fields. Raises DataError for a str that is no path, and where labels are missing or too many.
    """
    data = several(data) if y is None else data
    if reads_itself(data, y):
        return data if is_source(data) else open_source(data, labelled=True, **options)
    data, names = framed(data)
    label = str(y) if isinstance(y, str) or _is_name(y, names) else options.get("label") if y is None else None
    mails = isinstance(data, (list, tuple)) and len(data) and isinstance(data[0], bytes)
    known = {"label", "text", "drop"} if names is not None else {"fields"} if mails else set[str]()
    for name in options.keys() - known:
        raise SettingError(f"{{{name}.name}}: the data are in memory; this is for files", **{name: options[name]})
    if names is not None:
        data, y, names = _columns(data, y, label, options)
    reading = {"label": label, "text": options.get("text")} if known >= {"label"} else {}
    reading |= {"drop": list(options["drop"])} if options.get("drop") else {}
    reading = {name: value for name, value in reading.items() if value is not None}
    return at_hand(data, y, options.get("fields"), names, reading)


def source_like(data: Any, model: Any, y: Any = None, **options: Any) -> Source:
    """The same for a model that is there: read as its own data were, its columns by their names, without its
    label and what it dropped; others are refused. y may be missing. options: also labelled, as of `from_recipe`."""
    data = several(data) if y is None else data
    if reads_itself(data, y) and not is_source(data):
        columns = {} if model.reads_texts else {"expect": model.names or model.given_width}
        return from_recipe(
            data,
            model.reading if "format" in model.reading else {**columns, **model.reading},
            options.pop("format", None) or "auto",
            width=model.given_width,
            classes=model.classes.tolist(),
            **{"labelled": "auto", **options},
        )
    data, names = (data, data.feature_names) if is_source(data) else framed(data)
    if is_source(data):
        if names and model.names and list(names) != list(model.names):
            found = f"the columns of the source are {listed(names)}"
            raise DataError(f"{found}; expected the model's, in this order: {listed(model.names)}")
        return data  # type: ignore[no-any-return]
    if names is not None:
        by_name = isinstance(y, str) or _is_name(y, names)
        label = str(y) if by_name else model.reading.get("label") if y is None else None
        label = label if by_name or label in names else None
        text = model.reading.get("text") if model.reads_texts else None
        if model.reads_texts and text not in names:
            others = [name for name in names if name != label]
            text = others[0] if text is None or isinstance(text, int) and len(others) == 1 else text
        own = [name for name in (*model.reading.get("drop", ()), model.reading.get("label")) if name in names]
        data, y, names = _columns(data, y, label, {"text": text, "drop": [name for name in own if name != label]})
        missing = [name for name in model.names or () if name not in (names or ())]
        if missing:
            raise DataError(f"the data have no column {missing[0]!r}; expected all features of the model")
        more = [name for name in names or () if model.names and name not in model.names]
        if more:
            text = f"the data have a column {more[0]!r}; expected only the features of the model"
            raise DataError(f"{text} (data.drop(columns=[{more[0]!r}]) leaves it out)")
        data = data if model.names is None else data[list(model.names)]
    return at_hand(data, y, model.reading.get("fields"))


def reads_itself(data: Any, y: Any) -> bool:
    """Whether data are a path or a source, whose labels are where the rows are. DataError for others beside them."""
    itself = isinstance(data, (str, os.PathLike)) or is_source(data)
    if itself and y is not None:
        raise DataError("the labels of a file are in the file; y is for arrays, DataFrames and texts")
    return itself


def framed(data: Any) -> tuple[Any, list[str] | None]:
    """Tables of pyarrow as DataFrames, all else as it is; and the names of the columns, as text: numbers are names,
    too, but 0, 1, 2 …, which pandas gives by itself: they are places."""
    data = data.to_pandas() if hasattr(data, "column_names") and hasattr(data, "to_pandas") else data
    names = list(getattr(data, "columns", ()))
    if not names or not hasattr(data, "iloc"):
        return data, names or None
    if names == list(range(len(names))):  # nobody has named them
        return data, None
    if all(isinstance(name, int) for name in names) and sorted(names) == list(range(len(names))):
        return data[sorted(names)], None
    texts = list(map(str, names))
    if (twice := name_twice(texts)) is not None:
        raise DataError(f"found two columns called {twice!r}; expected a name for each")
    return (data if texts == names else data.set_axis(texts, axis=1)), texts


def _is_name(y: Any, names: list[str] | None) -> bool:
    """Whether y is the name of a column that is a number."""
    return isinstance(y, int) and names is not None and str(y) in names


def _columns(frame: Any, y: Any, label: str | None, options: dict[str, Any]) -> tuple[Any, Any, list[str] | None]:
    """(rows or texts, labels, names of the columns): a DataFrame without its labels and what is dropped."""
    names, text = list(frame.columns), options.get("text")
    drop = as_names(options.get("drop", ()), names)
    for name in filter(None, (label, text, *drop)):
        if name not in names:
            raise DataError(f"the DataFrame has no column {name!r}; its columns are {listed(names)}")
    y = y if label is None else np.asarray(frame[label])
    kept = [name for name in names if name != label and name not in drop]
    return (frame[text], y, None) if text is not None else (frame[kept], y, kept)


def is_source(data: Any) -> bool:
    return hasattr(data, "one_shot") and hasattr(data, "recipe")


def no_text(data: Any) -> Any:
    """The data themselves. DataError for a str that is no path: most likely a text."""
    path = isinstance(data, str) and not isinstance(data, Several)
    if path and data != "-" and not is_remote(data) and not os.path.exists(data):
        shown = data if len(data) <= 60 else data[:59] + "…"
        raise DataError(f"{shown}: there is no such file; a list of texts: [text]")
    return data


def at_hand(data: Any, y: Any = None, fields: Any = None, names: Any = None, reading: Any = None) -> AtHand:
    """A source of what is in memory. fields: of mails. names: of columns. reading: what a model of it must know.
    DataError where there are not as many labels as rows."""
    if isinstance(data, Batch) or hasattr(type(data), "scores"):
        return AtHand(data if isinstance(data, Batch) else Batch(data, y))
    if isinstance(data, (bytes, dict, set)) or not hasattr(data, "__len__") and not hasattr(data, "shape"):
        hint = "a mail: [mail]" if isinstance(data, bytes) else "an array, a DataFrame, a path, or a list of texts"
        raise DataError(f"the data are {type(data).__name__}; expected {hint}")
    rows: Any = documents(data, fields)
    if rows is not None and fields is not None:
        reading = {"fields": list(fields), **(reading or {})}
    rows = rows_from(data).without_duplicates() if rows is None else rows
    batch = Batch(rows, None)
    return AtHand(batch if y is None else batch._replace(y=labels_from(y, batch.n)), names, reading)


def documents(data: Any, fields: Any = None) -> list[Any] | None:
    """Documents of texts, or of whole mails as bytes; None for what is no list of them."""
    data = np.asarray(data).tolist() if getattr(data, "ndim", 0) == 1 else data
    first = data[0] if isinstance(data, (list, tuple)) and data else None
    if isinstance(first, bytes):
        from ..mailtext.fields import FIELDS
        from ..mailtext.mail import parse

        return [parse(each, fields or FIELDS) for each in data]
    if isinstance(first, os.PathLike) or (isinstance(first, str) and all(map(is_file, data))):
        raise DataError(f"the data are a list of paths ({plain(first)}); their labels are in the files, not in y")
    if not isinstance(first, str):
        return None
    for row, each in enumerate(data, 1):
        if not isinstance(each, str):
            raise DataError(f"row {row}: found {plain(type(each).__name__)} among texts; expected str")
    return [[("", text)] for text in data]
