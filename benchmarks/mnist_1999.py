"""The table of Freund & Schapire (1999) again: MNIST in the dual, K = (1 + x·z)^d, one class against the rest.

    python benchmarks/mnist_1999.py [table | speed | past | floats | peers] [--degrees 1 2 3 4 5 6] [--epochs 10]
                                    [--permutations 1] [--scale S] [--data ../shared/data] [--json]

table: test error % of the voted, averaged and last weights after T = 0.1, 1, 2, 3, 4, 10 (30) epochs, support vectors
and mistakes, beside the means of ten permutations that are published; through the origin, survivals counted from 1,
averages not normalised, one order in all epochs. All three answers are of one run: the mean of the voters is the
average. Pixels are divided by 255, which changes no count of d = 2, 3, 4 by more than a permutation does, but of d = 1,
whose counts are those of pixels as they are, where the 1 of K counts for nothing. Of more permutations the means come
last. speed: d = 4, averaged, without looking at it
on the way: seconds, and the most memory. past: K of unit length, d = 5, 4 epochs, averaged; then 4 epochs more with
virtual examples, the support vectors moved by a pixel. floats: one epoch of float32 beside one of float64 (d = 2, 4
unless --degrees): mistakes of all classes, the first row and class whose step differs, and how near scores come to 0 on
the way in units of rounding, 2^−24·Σ|a_j|·K_j: at the nearest, beside how far float32 is off there, in the root mean
square and at most, and how often by more than the score. peers: one epoch beside scikit-learn's SVC with the same
kernel, on 10,000 rows of MNIST and of a9a, tested on 10,000 others.
"""

from __future__ import annotations

import json
import lzma
import resource
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from _command_line import parsed, parser

from rosenblatt import LinearClassifier
from rosenblatt.core.rows import dense
from rosenblatt.kernels import kernel_from
from rosenblatt.kernels.rows import KernelRows

ANSWERS = ("voted", "averaged", "last")
TIMES = (0.1, 1, 2, 3, 4, 10, 30)
SCALE = 255.0
PUBLISHED: dict[int, dict[str, list[float]]] = {
    1: {"voted": [10.7, 8.5, 8.3, 8.2, 8.2, 8.1], "averaged": [10.9, 8.7, 8.5, 8.4, 8.3, 8.3],
        "last": [16.0, 14.7, 13.6, 13.9, 13.7, 13.5], "support": [2489, 19795, 24263, 26704, 28322, 32994],
        "mistakes": [3342, 25461, 48431, 70915, 93090, 223657]},
    2: {"voted": [6.0, 2.8, 2.4, 2.2, 2.1, 1.8, 1.8], "averaged": [6.0, 2.8, 2.4, 2.2, 2.1, 1.9, 1.8],
        "last": [8.6, 4.0, 3.4, 3.0, 2.7, 2.3, 2.0], "support": [1639, 8190, 9888, 10818, 11424, 12963, 13861],
        "mistakes": [2150, 10201, 15290, 19093, 22100, 32451, 41614]},
    3: {"voted": [5.4, 2.3, 1.9, 1.8, 1.7, 1.6, 1.6], "averaged": [5.3, 2.3, 1.9, 1.8, 1.7, 1.6, 1.5],
        "last": [6.9, 3.1, 2.5, 2.2, 2.0, 1.7, 1.6], "support": [1460, 6774, 8073, 8715, 9102, 9883, 10094],
        "mistakes": [1937, 8475, 11739, 13757, 15129, 18422, 19473]},
    4: {"voted": [5.4, 2.2, 1.8, 1.7, 1.6, 1.6, 1.6], "averaged": [5.3, 2.2, 1.8, 1.7, 1.7, 1.6, 1.6],
        "last": [6.5, 2.8, 2.3, 2.0, 1.9, 1.6, 1.6], "support": [1406, 6338, 7453, 7944, 8214, 8673, 8717],
        "mistakes": [1882, 7977, 10543, 11933, 12780, 14375, 14538]},
    5: {"voted": [5.7, 2.2, 1.9, 1.8, 1.8, 1.7, 1.7], "averaged": [5.7, 2.3, 1.9, 1.8, 1.7, 1.7, 1.7],
        "last": [6.6, 3.0, 2.2, 1.9, 1.9, 1.8, 1.7]},
    6: {"voted": [6.0, 2.5, 2.1, 2.0, 1.9, 1.9, 1.9], "averaged": [6.2, 2.5, 2.1, 2.0, 1.9, 1.9, 1.9],
        "last": [7.3, 3.2, 2.4, 2.2, 2.0, 1.9, 1.9]},
}  # fmt: skip
"""Table 1 and 2 of the paper, by T."""


def main() -> None:
    program = parser(__doc__)
    program.add_argument("what", nargs="?", default="table", choices=PARTS)
    program.add_argument("--degrees", nargs="*", type=int, default=[1, 2, 3, 4, 5, 6], choices=PUBLISHED)
    program.add_argument("--epochs", type=int, default=10)
    program.add_argument("--permutations", type=int, default=1)
    program.add_argument("--scale", type=float)
    given = parsed(program)
    rows = PARTS[given.what](given)
    if given.json:
        print(json.dumps(rows, indent=2))


def mnist(folder: Path, scale: float, dtype: Any = np.float32) -> tuple[Any, Any, Any, Any]:
    """(X, y, X of the test, y of the test)."""
    out = []
    for part in ("train", "t10k"):
        raw = [
            lzma.decompress((folder / "mnist" / f"{part}-{name}-ubyte.xz").read_bytes())
            for name in ("images-idx3", "labels-idx1")
        ]
        pixels = np.frombuffer(raw[0], np.uint8, offset=16).reshape(-1, 784)
        values = pixels.astype(dtype)
        values /= dtype(scale)
        out += [values, np.frombuffer(raw[1], np.uint8, offset=8)]
    return tuple(out)  # type: ignore[return-value]


class Seen:
    """What an epoch's end shows, for each T: errors by all three answers, support vectors, mistakes, seconds."""

    def __init__(self, d: int, data: Any, rows: int, times: tuple[float, ...], called: dict[str, Any]) -> None:
        x, _, test, self.truth = data
        base = dense(x[:rows])
        self.test = KernelRows(kernel_from(f"poly:degree={d}"), dense(test), base, np.full(len(test), -1))
        self.d, self.times, self.called = d, times, called
        self.found, self.aside, self.begun = list[dict[str, Any]](), 0.0, time.perf_counter()

    def __call__(self, event: Any) -> None:
        number = event.run.epoch
        if not event.epoch_ended or number > len(self.times) or not self.times[number - 1]:
            return
        now, t = time.perf_counter(), self.times[number - 1]
        memory, state, rows = event.run.memory, event.run.state, self.test
        row = self.called | {"d": self.d, "T": t, "seconds": now - self.begun - self.aside, "gigabytes": held()}
        answers = {"averaged": memory.answer(state), "last": memory.weights(state)}
        scores = {"voted": memory.scores(rows, state)} | {name: rows.scores(w) + b for name, (w, b) in answers.items()}
        row |= {name: 100.0 * float(np.mean(u.argmax(axis=1) != self.truth)) for name, u in scores.items()}
        row |= {"support": memory.support.n, "mistakes": int(state.m[0].sum())}
        row |= {f"published {name}": own[TIMES.index(t)] for name, own in PUBLISHED[self.d].items()}
        self.found.append(row)
        self.aside += time.perf_counter() - now


def table(given: Any) -> list[dict[str, Any]]:
    rows = list[dict[str, Any]]()
    most = TIMES.index(given.epochs) if given.epochs in TIMES else None
    epochs = tuple(float(e) if e in TIMES else 0.0 for e in range(1, given.epochs + 1))
    if most is None:
        raise SystemExit(f"epochs {given.epochs}: it must be one of {', '.join(f'{t:g}' for t in TIMES[1:])}")
    for d in given.degrees:
        data = mnist(given.data, given.scale or (1.0 if d == 1 else SCALE))
        for seed in range(given.permutations):
            order = np.random.default_rng(seed).permutation(len(data[1]))
            own = (data[0][order], data[1][order], *data[2:])
            made = run(d, own, len(order) // 10, (0.1,), seed) + run(d, own, len(order), epochs, seed)
            rows += made
            if not given.json:
                print("\n".join(map(line, made)), flush=True)
        if given.permutations > 1 and not given.json:
            print("\n".join(["means:", *map(line, means([row for row in rows if row["d"] == d]))]), flush=True)
    return rows


def means(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of the rows of each T."""
    out = []
    for t in sorted({row["T"] for row in rows}):
        own = [row for row in rows if row["T"] == t]
        mean = {name: float(np.mean([row[name] for row in own])) for name in own[0]}
        counts = {name: round(mean[name]) for name in ("support", "mistakes")}
        out.append(mean | counts | {"d": own[0]["d"]})
    return out


def run(d: int, data: Any, rows: int, times: tuple[float, ...], seed: int) -> list[dict[str, Any]]:
    """A row for each T that the first rows are learned from; T by epochs, 0: not asked."""
    seen = Seen(d, data, rows, times, {"permutation": seed})
    how = {"keep": "voted", "counting": "freund-schapire", "fit_intercept": False, "shuffle": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the limit of epochs came first
        LinearClassifier(kernel=f"poly:degree={d}", max_iter=len(times), **how).fit(
            data[0][:rows], data[1][:rows], callback=seen
        )
    return seen.found


def line(row: dict[str, Any]) -> str:
    errors = "   ".join(f"{name} {row[name]:5.2f} ({row[f'published {name}']:4.1f})" for name in ANSWERS)
    counts = "   ".join(
        f"{name} {row[name]:,}"
        + (
            f" ({row[f'published {name}']:,}, {row[name] / row[f'published {name}'] - 1:+.1%})"
            if f"published {name}" in row
            else ""
        )
        for name in ("support", "mistakes")
    )
    return f"d={row['d']} T={row['T']:<4g} {errors}   {counts}   {row['seconds']:.1f} s, {row['gigabytes']:.2f} GB"


def held() -> float:
    """The most that this process has held so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def fitted(x: Any, y: Any, **words: Any) -> tuple[Any, float]:
    """(a kernel perceptron, seconds of learning)."""
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the limit of epochs came first
        made = LinearClassifier(**{"keep": "averaged", "fit_intercept": False, **words}).fit(x, y)
    return made, time.perf_counter() - begin


def told(rows: list[dict[str, Any]], given: Any) -> list[dict[str, Any]]:
    if not given.json:
        for row in rows:
            print(
                "   ".join(
                    f"{name} {value:,.4g}" if isinstance(value, float) else f"{name} {value}"
                    for name, value in row.items()
                )
            )
    return rows


def wrong(made: Any, x: Any, y: Any) -> float:
    """In percent."""
    return 100.0 * float(np.mean(made.predict(x) != y))


def speed(given: Any) -> list[dict[str, Any]]:
    x, y, test, truth = mnist(given.data, given.scale or SCALE)
    before = held()
    fitted(x[:100], y[:100], kernel="poly:degree=4", max_iter=1)  # loads what is compiled
    made, seconds = fitted(x, y, kernel="poly:degree=4", max_iter=given.epochs)
    row = {"d": 4, "epochs": given.epochs, "seconds": seconds, "GB": held(), "GB before": before}
    return told(
        [row | {"mistakes": sum(made.mistakes_), "support": made.n_support_, "error %": wrong(made, test, truth)}],
        given,
    )


def past(given: Any) -> list[dict[str, Any]]:
    x, y, test, truth = mnist(given.data, given.scale or SCALE)
    rows = []
    for seed in range(given.permutations):
        for virtual in (None, "shift:1"):
            how = {"kernel": "poly:degree=5,unit=true", "max_iter": 4, "random_state": seed, "virtual": virtual}
            made, seconds = fitted(x, y, **how)
            row = {"kernel": how["kernel"], "virtual": str(virtual), "seed": seed, "error %": wrong(made, test, truth)}
            rows += told([row | {"support": made.n_support_, "seconds": seconds}], given)
    return rows


def floats(given: Any) -> list[dict[str, Any]]:
    rows = []
    for d in given.degrees if given.degrees != [1, 2, 3, 4, 5, 6] else (2, 4):
        for seed in range(given.permutations):
            steps, seconds = list[Any](), list[float]()
            for dtype in (np.float32, np.float64):
                x, y, *_ = mnist(given.data, given.scale or SCALE, dtype)
                order = np.random.default_rng(seed).permutation(len(y))
                x, y, begun = x[order], y[order], time.process_time()
                made, _ = fitted(x, y, kernel=f"poly:degree={d}", max_iter=1, shuffle=False, keep="last")
                seconds.append(time.process_time() - begun)
                steps.append(np.zeros((len(y), len(made.classes_)), np.int8))
                steps[-1][made.support_] = np.sign(made.dual_coef_.T)
            other = np.argwhere(steps[0] != steps[1])
            row = {
                "d": d,
                "scale": given.scale or SCALE,
                "permutation": seed,
                "float32": int(np.count_nonzero(steps[0])),
            }
            row |= {"float64": int(np.count_nonzero(steps[1])), "different": len(other)}
            row |= {"first": str(tuple(other[0].tolist())) if len(other) else "none"}
            row |= {"CPU seconds": seconds[0], "of float64": seconds[1]}
            rows += told([row | nearness(x, steps[1], d)], given)
    return rows


def nearness(x: Any, steps: Any, d: int) -> dict[str, Any]:
    """How near scores come to 0 in an epoch of these steps, (n, K), each made at its row. x: (n, d) float64."""
    kernel, support = kernel_from(f"poly:degree={d}"), np.flatnonzero(steps.any(axis=1))
    units, off, places = list[Any](), list[Any](), list[Any]()
    for first in range(0, len(x), 1000):
        here = np.arange(first, min(first + 1000, len(x)))
        past = support[support < here[-1]]
        whole, half = (
            kernel.block(dense(x[here].astype(t)), dense(x[past].astype(t))) * (past < here[:, None])
            for t in (float, np.float32)
        )
        a = steps[past].astype(float)
        u, low, size = whole @ a, half.astype(float) @ a, whole @ np.abs(a) * 2.0**-24
        there = size > 0.0
        units.append((np.abs(u) / np.where(there, size, 1.0))[there])
        off.append((np.abs(u - low) / np.where(there, size, 1.0))[there])
        places.append(np.argwhere(there) + [first, 0])
    unit, far, place = np.concatenate(units), np.concatenate(off), np.concatenate(places)
    nearest = int(unit.argmin())
    found = {"nearest to 0": str(tuple(place[nearest].tolist())), "units": float(unit[nearest])}
    found |= {"float32 off there": float(far[nearest]), "root mean square": float(np.sqrt(np.mean(far**2)))}
    return found | {"at most": float(far.max()), "off by more than the score": int((far >= unit).sum())}


def peers(given: Any) -> list[dict[str, Any]]:
    from sklearn.datasets import load_svmlight_file
    from sklearn.svm import SVC

    x, y, test, truth = mnist(given.data, given.scale or SCALE)
    sets = {"mnist": (x[:10000], y[:10000], test, truth)}
    with lzma.open(given.data / "a9a" / "a9a.svm.xz") as file:
        ax, ay = load_svmlight_file(file, n_features=123)
    sets["a9a"] = (ax[:10000], ay[:10000], ax[10000:20000], ay[10000:20000])
    kernels = {
        "mnist": ("poly:degree=4", {"kernel": "poly", "degree": 4, "gamma": 1.0, "coef0": 1.0}),
        "a9a": ("rbf:gamma=0.05", {"kernel": "rbf", "gamma": 0.05}),
    }
    rows = []
    for name, (own, asked, others, right) in sets.items():
        ours, theirs = kernels[name]
        fitted(own[:100], asked[:100], kernel=ours, max_iter=1)
        made, seconds = fitted(own, asked, kernel=ours, max_iter=1)
        begin = time.perf_counter()
        svc = SVC(**theirs, cache_size=1000).fit(own, asked)
        took = time.perf_counter() - begin
        rows += told(
            [
                {
                    "set": name,
                    "kernel": ours,
                    "error %": wrong(made, others, right),
                    "SVC's error %": wrong(svc, others, right),
                    "seconds": seconds,
                    "SVC's seconds": took,
                    "times faster": took / seconds,
                }
            ],
            given,
        )
    return rows


PARTS: dict[str, Any] = {"table": table, "speed": speed, "past": past, "floats": floats, "peers": peers}

if __name__ == "__main__":
    main()
