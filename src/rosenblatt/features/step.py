"""The contract of a step of features: partial(batch) → merge → finish, then transform(batch).

    read(documents)   documents as the others take them, made once: words counted, addresses read
    stacked(parts)    several of these, or of rows, made by the same step, one below the other
    partial(batch)    what one batch contributes: a plain value, which can be pickled and sent to another process
    merge(a, b)       two of these as one; neither is changed. Associative, `nothing` is its neutral element, and it
                      does not matter how the rows were cut into batches or which came first; the moments of `Standard`
                      differ by rounding then, everything else not at all
    finish(partial)   the fitted step
    transform(batch)  rows of the batch, by the fitted step

A step `takes` "documents" or "rows". Steps that take documents stand side by side, and one pass over the data serves
all of them. Those that take rows are a chain: each needs the rows as the ones before it left them (see `fitted_chain`).
A new step is a class of this folder that derives from `Step`; the tests find it.
"""

from collections.abc import Iterable
from functools import reduce
from typing import Any, Self

import numpy as np

from ..core.rows import Array, Rows, stack
from ..errors import ModelError
from ..mailtext.fields import Document


class Step:
    """A step that learns nothing, and changes rows in nothing; each of the others changes what differs."""

    kind = ""
    takes = "rows"
    nothing: Any = None

    def prepared(self, batch: Any) -> Any:
        """Documents read; what was read already, and rows, as they are."""
        return self.read(batch) if isinstance(batch, list) else batch

    def read(self, documents: list[Document]) -> Any:
        raise NotImplementedError

    def stacked(self, parts: Any) -> Any:
        return stack(parts)

    def taken(self, batch: Any, numbers: Array) -> Any:
        """What `stacked` gives, of the rows of these numbers alone."""
        return batch.take(numbers)

    def partial(self, batch: Any) -> Any:
        return self.nothing

    def merge(self, a: Any, b: Any) -> Any:
        return a

    def finish(self, partial: Any) -> Self:
        return self

    def fitted(self, batches: Iterable[Any]) -> Self:
        """The step fitted to batches, in order."""
        return self.finish(reduce(self.merge, map(self.partial, batches), self.nothing))

    def transform(self, batch: Any) -> Any:
        return self.prepared(batch)

    def learned(self, rows: Any, others: bool = False) -> Any:
        """The rows that it was fitted to, transformed to be learned from; others: there are more among them."""
        return self.transform(rows)

    def recipe(self) -> dict[str, Any]:
        """What JSON can hold of the fitted step; `tensors` is the rest."""
        return {"kind": self.kind}

    def tensors(self) -> dict[str, Array]:
        return {}


class OfAllRows(Step):
    """A step that is fitted to all rows at once, in order; what a batch contributes are its rows."""

    def partial(self, batch: Any) -> Any:
        return batch

    def merge(self, a: Any, b: Any) -> Any:
        parts = [rows for rows in (a, b) if rows is not None]
        return stack(parts) if parts else None


def fitted_chain(steps: Iterable[Step], rows: Rows) -> tuple[list[Step], Rows]:
    """The steps, each fitted to the rows as the ones before left them, and the rows as the last leaves them."""
    fitted = []
    for step in steps:
        fitted.append(step.fitted([rows]))
        rows = fitted[-1].learned(rows)
    return fitted, rows


def as_lines(texts: Iterable[str], errors: str = "strict") -> Array:
    """Texts as an array of bytes, a line each: a million words load in under a second. errors: as of `str.encode`."""
    return np.frombuffer("\n".join(texts).encode("utf-8", errors), np.uint8)


def from_lines(tensors: dict[str, Array], name: str, what: str) -> list[str]:
    """The inverse. ModelError where this tensor is damaged or not there; what: what is in it, for the message."""
    try:
        return tensors[name].astype(np.uint8).tobytes().decode().split("\n")
    except (KeyError, UnicodeDecodeError):
        raise ModelError(f"the model's {what} is missing or damaged; train it again") from None


def padded(values: Array, width: int) -> Array:
    """(width,) the values, and zeros for columns that came later."""
    return np.concatenate([values, np.zeros(width - values.size, values.dtype)])
