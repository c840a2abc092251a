"""Parquet and Arrow files → batches of dense rows, or of texts; columns are chosen as in a table with a header."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from ..core.rows import Array, dense
from ..data.batch import Batch
from ..errors import RosenblattError, SettingError
from .columns import checked, choose
from .parameters import BAD, DROP, LABEL, TEXT
from .source import ROOM, ArraySource, as_labels, seekable

NUMBERS = ("integer", "floating", "boolean", "decimal")


def needed() -> Any:
    """The package pyarrow. SettingError where it is not installed."""
    try:
        import pyarrow
        import pyarrow.ipc
    except ImportError:
        message = "Parquet and Arrow files need the package pyarrow; install rosenblatt[parquet]"
        raise SettingError(message) from None
    return pyarrow


class Parquet(ArraySource):
    """A source of `Batch(Dense, y)` or, with a text column, of `Batch([Document], y)`, a piece at a time.

    path: a file, or `-` (what is piped or compressed as a whole is first copied to a temporary file).
    label, text, labelled, expect, drop: as in `Table`; all columns have names. A column of text (or of
        categories) is the likely label, never a feature. Nor is an index of pandas.
    Features are whole numbers, floats, decimals or booleans; rows are float32 where all of them are float32, else
    float64. Lists, structs, dates and texts among them are refused (DataError naming column and type).
    bad: a row with a missing or non-finite value, or without a label: "error" (default) or "skip" and count it.
    y: numbers or text, as the column has them.
    """

    name = "parquet"
    rank = 2
    suffixes: tuple[str, ...] = (".parquet", ".pq")
    magic = (b"PAR1",)
    kind = ""
    family = "columns"
    called = "a Parquet"
    parameters = (LABEL, TEXT, DROP, BAD)
    further = {"labelled": True, "expect": None, "learned": False}

    def _prepare(self) -> None:
        checked(self.asked)
        self.pyarrow = needed()
        self._file = seekable(self._path, self._open())
        with ExitStack() as stack:
            stack.callback(self._file.close)
            with self._clear():
                self._schema = self._look()
                names = list(self._schema.names)
                self.asked.index = _index_of(self._schema)
            self._choose(names)
            if self.one_shot:
                stack.pop_all()

    def _choose(self, names: list[str]) -> None:
        """What the columns mean, and whether they can be that."""
        if not names:
            raise self._wrong("found no columns", "expected at least one")
        sample = ["0" if self._is(field.type, *NUMBERS) else "text" for field in self._schema]
        self.columns = choose([names, sample], self.asked, self.origin)
        self.kind, self.feature_names = self.columns.kind, self.columns.feature_names
        for p in self.columns.features:
            if not self._is(self._schema.field(p).type, *NUMBERS):
                found = f"found the type {self._schema.field(p).type} in {self.columns.called(p)}"
                or_else = "numbers (or {text:s} for a column of texts; "
                raise self._wrong(found, self.columns.numbers(self.asked, or_else, text=""))
        for p in [p for p in (self.columns.text, self.columns.label) if p is not None]:
            if self._is(self._schema.field(p).type, "nested", "binary", "large_binary"):
                found = f"found the type {self._schema.field(p).type} in {self.columns.called(p)}"
                raise self._wrong(found, "expected text or numbers")

    def recipe(self) -> dict[str, Any]:
        return {**super().recipe(), **self.columns.recipe(expect=self.feature_names)}

    def batches(self) -> Iterator[Batch]:
        if self._file.closed:
            self._file = seekable(self._path, self._open())
        self.notes.clear()
        chosen = [p for p in (self.columns.label, self.columns.text) if p is not None]
        used = sorted({*chosen, *self.columns.features})
        self._note_columns(self.columns)
        first = 1
        try:
            with self._clear():
                for table in self._tables(max(1, ROOM // max(len(used), 1)), used):
                    yield self._batch(table, first)
                    first += table.num_rows
        finally:
            self._file.close()

    # --- columns -----------------------------------------------------------------------------------------------------

    def _is(self, kind: Any, *names: str) -> bool:
        """Whether a type is of one of these kinds, as pyarrow calls them."""
        return any(getattr(self.pyarrow.types, f"is_{name}")(kind) for name in names)

    def _batch(self, table: Any, first: int) -> Batch:
        columns, names = self.columns, self._schema.names
        label = None if self.asked.labelled is False else columns.label
        used = [p for p in (label, columns.text, *columns.features) if p is not None]
        table, places = self._whole_rows(table, first, used)
        good = np.ones(table.num_rows, bool)
        y = None if label is None else self._labels(table.column(names[label]))
        if y is not None and y.dtype.kind == "f":
            good &= self._good_rows(dense(y.reshape(-1, 1)), first, [names[label]])
        if columns.text is not None:
            texts = table.column(names[columns.text]).cast(self.pyarrow.string()).to_pylist()
            batch = Batch([[("", text)] for text in texts], y)
        else:
            values = np.empty((table.num_rows, len(columns.features)), self._kind())
            for j, p in enumerate(columns.features):
                values[:, j] = self._numbers(table.column(names[p]))
            batch = Batch(dense(values), y)
            good &= self._good_rows(dense(values), first, self.feature_names)
        batch = self._numbered(batch, first + places)
        return batch if good.all() else batch.take(np.flatnonzero(good))

    def _whole_rows(self, table: Any, first: int, used: list[int]) -> tuple[Any, Array]:
        """The rows with a value in each of these columns, and their places; others are bad."""
        good = np.ones(table.num_rows, bool)
        for p in used:
            column = table.column(self._schema.names[p])
            if column.null_count:
                missing = np.asarray(column.is_null().to_numpy(), bool)
                found = f"found no value in {self.columns.called(p)}"
                self._bad_row(first + int(np.argmax(missing)), found, "expected one in each row")
                good &= ~missing
        self._note("bad rows skipped", int(np.count_nonzero(~good)))
        return table if good.all() else table.filter(self.pyarrow.array(good)), np.flatnonzero(good)

    def _kind(self) -> Any:
        kinds = [self._schema.field(p).type for p in self.columns.features]
        return np.float32 if all(self._is(kind, "float32", "float16") for kind in kinds) else np.float64

    def _numbers(self, column: Any) -> Array:
        if self._is(column.type, "boolean", "decimal"):
            column = column.cast(self.pyarrow.float64())
        return np.asarray(column.to_numpy())

    def _labels(self, column: Any) -> Array:
        if self._is(column.type, "integer", "floating"):
            return as_labels(self._numbers(column))
        if self._is(column.type, "boolean"):
            return as_labels(np.array(column.to_pylist(), bool))  # True, as other files and Python have it
        texts = [str(text).strip() for text in column.cast(self.pyarrow.string()).to_pylist()]
        return np.array(texts, np.str_)

    @contextmanager
    def _clear(self) -> Iterator[None]:
        """Turns what pyarrow says of a damaged file into one sentence."""
        try:
            yield
        except RosenblattError:
            raise
        except (self.pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            words = " ".join(str(error).split())[:120]
            found = f"it is not {self.called} file, or a damaged one ({words})"
            raise self._wrong(found, "expected an intact file") from None

    # --- files -------------------------------------------------------------------------------------------------------

    def _look(self) -> Any:
        from pyarrow import parquet

        return parquet.ParquetFile(self._file).schema_arrow

    def _tables(self, rows: int, columns: list[int]) -> Iterator[Any]:
        from pyarrow import parquet

        self._file.seek(0)
        names = [self._schema.names[p] for p in columns]
        for batch in parquet.ParquetFile(self._file).iter_batches(rows, columns=names):
            yield self.pyarrow.Table.from_batches([batch])


def _index_of(schema: Any) -> list[str]:
    """The columns that pandas has written as the index of a DataFrame."""
    said = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
    return [name for name in said.get("index_columns", ()) if isinstance(name, str)]


class Arrow(Parquet):
    """The same from an Arrow IPC file or stream (Feather version 2)."""

    name = "arrow"
    rank = 3
    suffixes = (".arrow", ".feather", ".ipc")
    magic = (b"ARROW1",)
    called = "an Arrow"

    def _look(self) -> Any:
        return self._ipc().schema

    def _ipc(self) -> Any:
        self._file.seek(0)
        magic = self._file.read(6)
        self._file.seek(0)
        return (self.pyarrow.ipc.open_file if magic == b"ARROW1" else self.pyarrow.ipc.open_stream)(self._file)

    def _tables(self, rows: int, columns: list[int]) -> Iterator[Any]:
        reader = self._ipc()
        batches: Any = reader
        if hasattr(reader, "num_record_batches"):
            batches = (reader.get_batch(i) for i in range(reader.num_record_batches))
        for batch in batches:
            table = self.pyarrow.Table.from_batches([batch]).select(columns)
            for start in range(0, table.num_rows, rows):
                yield table.slice(start, rows)
