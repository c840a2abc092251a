"""Verdicts with proof: CPU seconds of each set, and beside it scipy's linear program on all rows, which proves nothing.

    OMP_NUM_THREADS=1 python benchmarks/separable.py [--data FOLDER] [--only NAME,...] [--peer] [--json]

The peer answers min 0 with y(w·x + b) ≥ 1 in floats (HiGHS), within --patience seconds. Synthetic sets: normal rows and
the signs of a random plane with offset ½, seed 4; "flipped" turns the row nearest to the middle of its class over, "5 %
noise" turns labels at random. Each verdict is checked once more, after the time was taken.
"""

from __future__ import annotations

import json
import lzma
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _command_line import parsed, parser

Made = tuple[Any, Any, dict[str, Any]]
"""Rows, labels, and words for `separable`."""


def svm(folder: Path, name: str, **words: Any) -> Made:
    from sklearn.datasets import load_svmlight_file

    with lzma.open(folder / name / f"{name}.svm.xz") as lines:
        x, y = load_svmlight_file(lines, zero_based=False)
    return x, y, words


def mnist(folder: Path, one: int, other: int) -> Made:
    """All training rows of two digits, pixels 0 … 255 in float64."""

    def read(name: str) -> Any:
        raw = lzma.decompress((folder / "mnist" / f"train-{name}-ubyte.xz").read_bytes())
        shape = [int.from_bytes(raw[4 + 4 * i : 8 + 4 * i], "big") for i in range(raw[3])]
        return np.frombuffer(raw, np.uint8, offset=4 + 4 * len(shape)).reshape(shape)

    x, y = read("images-idx3").reshape(-1, 784), read("labels-idx1")
    chosen = (y == one) | (y == other)
    return x[chosen].astype(np.float64), y[chosen], {}


def planted(n: int, d: int, flip: float = 0.0, inside: bool = False) -> Made:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(n, d))
    y = np.sign(x @ rng.normal(size=d) + 0.5)
    y[rng.random(n) < flip] *= -1
    if inside:
        positive = np.flatnonzero(y > 0)
        distance = np.linalg.norm(x[positive] - x[positive].mean(axis=0), axis=1)
        y[positive[distance.argmin()]] = -1
    return x, y, {}


def sets(folder: Path) -> dict[str, Callable[[], Made]]:
    real = (
        "mushrooms_agaricus", "breast_cancer_w", "ionosphere", "heart_scale", "pima", "spambase", "a1a", "a9a",
        "rcv1_small", "sofia_demo",
    )  # fmt: skip
    return {
        "iris setosa": lambda: svm(folder, "iris", positive=0),
        "iris versicolor": lambda: svm(folder, "iris", positive=1),
        "sonar": lambda: svm(folder, "sonar"),
        "sonar, origin": lambda: svm(folder, "sonar", fit_intercept=False),
        **{name: lambda name=name: svm(folder, name) for name in real},  # type: ignore[misc]
        "mnist 0/1": lambda: mnist(folder, 0, 1),
        "mnist 4/9": lambda: mnist(folder, 4, 9),
        "1e6 x 10": lambda: planted(1_000_000, 10),
        "1e6 x 10 flipped": lambda: planted(1_000_000, 10, inside=True),
        "1e6 x 130": lambda: planted(1_000_000, 130),
        "1e6 x 130 flipped": lambda: planted(1_000_000, 130, inside=True),
        "1e5 x 1e3": lambda: planted(100_000, 1_000),
        "1e5 x 1e3, 5 % noise": lambda: planted(100_000, 1_000, 0.05),
    }


def measured(made: Made) -> dict[str, Any]:
    from rosenblatt.theory import separable

    x, y, words = made
    begun = time.process_time()
    found = separable(x, y, **words)
    spent = time.process_time() - begun
    begun = time.process_time()
    verified = found.verify()
    return {
        "rows": x.shape[0], "columns": x.shape[1], "separable": found.separable, "kind": found.kind,
        "support": None if found.rows is None else len(found.rows),
        "bits": found.certificate.denominator.bit_length() if found.kind == "farkas" else None,  # type: ignore[union-attr]
        "seconds": spent, "verified": verified, "verify_seconds": time.process_time() - begun, "tried": found.tried,
    }  # fmt: skip


def peer(made: Made, patience: float) -> dict[str, Any]:
    """scipy's linprog on all rows at once, in floats."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack, issparse

    x, y, words = made
    positive = words.get("positive", np.unique(y)[-1])
    signs = np.where(y == positive, 1.0, -1.0)
    if words.get("fit_intercept", True):
        column = np.ones((x.shape[0], 1))
        x = hstack([csr_array(x), column]) if issparse(x) else np.hstack([x, column])
    z = csr_array(x).multiply(-signs[:, None]) if issparse(x) else x * -signs[:, None]
    begun = time.process_time()
    words = {"time_limit": patience}
    result = linprog(np.zeros(z.shape[1]), z, -np.ones(z.shape[0]), bounds=(None, None), method="highs", options=words)
    verdict = {0: "yes", 2: "no"}.get(result.status, "gave up")
    return {"peer": verdict, "peer_seconds": time.process_time() - begun}


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--only", help="names of sets, with commas; part of a name will do")
    made.add_argument("--peer", action="store_true", help="also time scipy's linear program")
    made.add_argument("--patience", type=float, default=60.0, help="seconds for the peer")
    arguments = parsed(made)
    wanted = arguments.only.split(",") if arguments.only else [""]
    warm = planted(50, 3)
    measured(warm)  # loading the libraries is no part of any set
    if not arguments.json:
        print(
            f"{'set':22}{'rows':>10}{'columns':>8}  {'verdict':9}{'kind':10}{'support':>8}{'bits':>7}{'CPU s':>8}  peer"
        )
    for name, make in sets(arguments.data).items():
        if not any(each in name for each in wanted):
            continue
        data = make()
        row = {"set": name, **measured(data), **(peer(data, arguments.patience) if arguments.peer else {})}
        print(json.dumps(row) if arguments.json else told(row), flush=True)


def told(row: dict[str, Any]) -> str:
    verdict = {True: "yes", False: "no", None: "undecided"}[row["separable"]] + ("" if row["verified"] else " (!)")
    beside = f"  {row['peer']}, {row['peer_seconds']:.2f} s" if "peer" in row else ""
    counts = f"{row['support'] or '':>8}{row['bits'] or '':>7}{row['seconds']:8.2f}"
    return f"{row['set']:22}{row['rows']:10,}{row['columns']:8,}  {verdict:9}{row['kind']:10}{counts}{beside}"


if __name__ == "__main__":
    main()
