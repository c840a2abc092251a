"""MB/s of writing svmlight and CSV against scikit-learn and numpy, in the same run.

    python benchmarks/convert.py [--rounds 3] [--json]

Rounds alternate between the programs; the figure is the ratio of the least times. Data: 20,000 CSR rows with 89 values
in 47,000 columns, of 17 digits and of whole numbers, and 5,000 × 784 dense rows of two digits. Everything goes to
memory, so that no disk is measured.
"""

from __future__ import annotations

import argparse
import io
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.datasets import dump_svmlight_file

from rosenblatt.core.rows import csr, dense
from rosenblatt.data.batch import Batch
from rosenblatt.write import Shape, open_writer

ROWS, PER_ROW, COLUMNS = 20_000, 89, 47_000


def sparse(digits: int) -> tuple[Any, Any]:
    """(X, y): values of 17 digits, or whole numbers of so many."""
    rng = np.random.default_rng(0)
    columns = np.sort(rng.integers(0, COLUMNS - PER_ROW, (ROWS, PER_ROW)), axis=1) + np.arange(PER_ROW)
    values = rng.normal(size=columns.size) if digits > 16 else rng.integers(1, 10**digits, columns.size).astype(float)
    starts = np.arange(ROWS + 1, dtype=np.int32) * PER_ROW
    return csr_array((values, columns.ravel().astype(np.int32), starts), shape=(ROWS, COLUMNS)), rng.integers(
        0, 2, ROWS
    ).astype(float)


def pixels() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return rng.integers(0, 100, (5_000, 784)) / 100.0, rng.integers(0, 10, 5_000).astype(float)


def ours(format: str, x: Any, y: Any) -> int:
    rows = dense(x) if isinstance(x, np.ndarray) else csr(x.data, x.indices, x.indptr, x.shape[1])
    out = io.BytesIO()
    writer = open_writer(out, format, Shape("rows", x.shape[1]))
    writer.write(Batch(rows, y))
    return out.tell()


def scikit(x: Any, y: Any) -> int:
    out = io.BytesIO()
    dump_svmlight_file(x, y, out, zero_based=False)
    return out.tell()


def plain(x: Any, y: Any) -> int:
    out = io.BytesIO()
    np.savetxt(out, np.column_stack([x, y]), "%.17g", ",")
    return out.tell()


def measured(one: Callable[[], int], other: Callable[[], int], rounds: int) -> dict[str, float]:
    times: dict[Callable[[], int], list[float]] = {one: [], other: []}
    sizes = {each: each() for each in times}  # compiles
    for _ in range(rounds):
        for each, spent in times.items():
            start = time.perf_counter()
            each()
            spent.append(time.perf_counter() - start)
    ours, theirs = (sizes[each] / min(times[each]) / 1e6 for each in (one, other))
    return {"ours_mb_s": ours, "theirs_mb_s": theirs, "ratio": min(times[other]) / min(times[one])}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    found = {}
    for name, (x, y) in {"17 digits": sparse(17), "3 digits": sparse(3), "pixels": pixels()}.items():
        run = measured(lambda x=x, y=y: ours("svmlight", x, y), lambda x=x, y=y: scikit(x, y), asked.rounds)
        found[f"svmlight, {name}, against scikit-learn"] = run
    x, y = pixels()
    found["CSV, pixels, against numpy.savetxt"] = measured(lambda: ours("csv", x, y), lambda: plain(x, y), asked.rounds)
    if asked.json:
        print(json.dumps(found))
        return
    for name, run in found.items():
        print(f"{name}: {run['ours_mb_s']:.0f} MB/s, theirs {run['theirs_mb_s']:.0f}; {run['ratio']:.1f} times as fast")


if __name__ == "__main__":
    main()
