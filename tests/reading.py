"""What the tests of the readers share."""

from __future__ import annotations

import bz2
import gzip
import lzma
import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard
from hypothesis import strategies as st

from rosenblatt.core.rows import matrix, stack
from rosenblatt.errors import DataError

Write = Callable[..., Path]
PACK = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": zstandard.ZstdCompressor(write_checksum=True).compress,  # as the command line tool does
}
LINES = b"".join(b"%d 1:%d\n" % (i % 2, i) for i in range(20_000))
WRITTEN = st.one_of(
    st.from_regex(r"[+-]?([0-9]{1,25}(\.[0-9]{0,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,4})?", fullmatch=True),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e6, 1e6).map(lambda v: f"{v:.17g}"),
    st.floats(-1e3, 1e3).map(lambda v: f"{v:.6f}"),
    st.floats(1e-3, 1e15).map(lambda v: str((Decimal(v) + Decimal(math.nextafter(v, math.inf))) / 2)),  # half-way
)
"""Numbers as people and programs write them."""


def whole(source: Any) -> tuple[list[list[float]], list[Any] | None]:
    """All rows as lists of all columns, and all labels."""
    batches = list(source)
    rows = matrix(stack([batch.rows for batch in batches]))
    labels = None if batches[0].y is None else np.concatenate([batch.y for batch in batches]).tolist()
    return (rows if isinstance(rows, np.ndarray) else rows.toarray()).tolist(), labels


def texts(source: Any) -> tuple[list[str], list[str] | None]:
    batches = list(source)
    labels = None if batches[0].y is None else [label for batch in batches for label in batch.y]
    documents = [document for batch in batches for document in batch.rows]
    assert all(len(document) == 1 and document[0][0] == "" for document in documents)
    return [document[0][1] for document in documents], labels


def refusal(source: Callable[[], Any], error: type[Exception] = DataError) -> str:
    """The one sentence with which a source refuses its data."""
    with pytest.raises(error) as caught:
        list(source())
    message = str(caught.value)
    assert "\n" not in message
    return message
