"""Arrays and rows as a line of JSON holds them, and digests that say which rows a run learned from."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import numpy as np

from ..core.rows import Array, kind_of
from ..errors import ModelError
from ..kernels import arrays_of as arrays_of_kernel
from ..kernels import kernel_from, kernel_name, with_arrays
from ..kernels.rows import KernelRows, rows_to_learn_from
from ..learn.run import Chunk

EMBEDDED = 1_000_000
"""Bytes of rows, or of an array, that a line holds; larger rows are read again, larger arrays lie beside."""


def pack(values: Array) -> dict[str, Any]:
    """An array as JSON: its bytes are little-endian, in C order, in base 64."""
    little = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
    return {
        "dtype": little.dtype.str,
        "shape": list(values.shape),
        "base64": base64.b64encode(little.tobytes()).decode("ascii"),
    }


def unpack(packed: dict[str, Any]) -> Array:
    """The inverse."""
    raw = base64.b64decode(packed["base64"], validate=True)
    values = np.frombuffer(raw, np.dtype(packed["dtype"])).reshape(packed["shape"])
    return values.astype(values.dtype.newbyteorder("="))


def digest_of(arrays: dict[str, Array], about: str = "") -> str:
    """SHA-256 of a text, and of name, type, shape and little-endian bytes of each array, in the order of the names."""
    found = hashlib.sha256(about.encode())
    for name in sorted(arrays):
        little = np.ascontiguousarray(arrays[name], arrays[name].dtype.newbyteorder("<"))
        found.update(f"{name} {little.dtype.str} {little.shape}\n".encode())
        found.update(little.data if little.size else b"")
    return found.hexdigest()


def arrays_of(chunk: Chunk) -> dict[str, Array]:
    """All that is learned from, by name: of rows known by a kernel the rows themselves."""
    rows = chunk.rows
    arrays = {f"rows.{name}": value for name, value in rows.given._asdict().items()} | {"y": chunk.y}
    if chunk.weight is not None:
        arrays["weight"] = chunk.weight
    if _kerneled(rows) and not _plainly(rows):
        arrays |= {f"base.{name}": value for name, value in rows.base._asdict().items()} | {"own": rows.own}
        arrays |= {f"kernel.{name}": value for name, value in arrays_of_kernel(rows.kernel).items()}
    return arrays


def about_rows(chunk: Chunk) -> dict[str, Any]:
    """What rows, as they are learned from, are like, and their digest."""
    rows, given = chunk.rows, chunk.rows.given
    kernel = kernel_name(rows.kernel) if _kerneled(rows) else None
    return {
        "rows": given.n,
        "columns": given.width,
        "storage": given.storage,
        "dtype": given.dtype.name,
        "kernel": kernel,
        "digest": digest_of(arrays_of(chunk), f"{kernel} "),
    }


def chunk_of(arrays: dict[str, Array], kernel: str | None) -> Chunk:
    """The inverse of `arrays_of`. ModelError where they are no rows."""
    rows = _restored("rows.", arrays)
    if kernel is not None and "own" in arrays:
        own = {name.removeprefix("kernel."): arrays[name] for name in arrays if name.startswith("kernel.")}
        fitted = with_arrays(kernel_from(kernel), own, rows.width)
        rows = KernelRows(fitted, rows, _restored("base.", arrays), arrays["own"])
    elif kernel is not None:
        rows = rows_to_learn_from(kernel_from(kernel), rows)
    if not rows.width >= 0 or not rows.n == len(arrays["y"]) == len(arrays.get("weight", arrays["y"])):
        raise ModelError("damaged: not each of its rows has a label")
    return Chunk(rows, arrays["y"], arrays.get("weight"))


def _restored(prefix: str, arrays: dict[str, Array]) -> Any:
    parts = {name.removeprefix(prefix): value for name, value in arrays.items() if name.startswith(prefix)}
    kind = kind_of(parts)
    if kind is None:
        raise ModelError("damaged: its rows are of a kind that is not known")
    return kind.restored(parts)


def _kerneled(rows: Any) -> bool:
    return rows.given is not rows


def _plainly(rows: Any) -> bool:
    """Whether each row is one of the base, as where learning begins."""
    return rows.base.n == rows.n and bool((rows.own == np.arange(rows.n)).all())
