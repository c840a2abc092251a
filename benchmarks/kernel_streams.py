"""Curved boundaries on a stream: budgets of support vectors beside maps, all supports and none.

    python benchmarks/kernel_streams.py stream [--rows 20000] [--data ../shared/data] [--json]
    python benchmarks/kernel_streams.py budgets [--only checkerboard mnist a9a] [--budget 100] [--data …] [--json]

stream: the digits of mnist, values 0 to 1, in chunks of 1,000 rows, each seen once (`Recipe.fit`, then `fit_more`):
errors on each chunk before it is learned, errors on the 10,000 test digits, both in %; CPU seconds of learning; MB: the
most memory that a second run takes for arrays, its chunk of 3 MB included; supports, or columns. Maps are drawn for the
first chunk. gamma 0.02, averaged, the perceptron unless it says logistic, which has eta 10.

budgets: what to do with a support vector too many, by plain references: one pass over 10,000 rows, errors on 5,000
others in % of the averaged (of the last) perceptron; with no budget the line `none`. A vector that goes takes its past
out of the average. checkerboard: 4 × 4 fields, 5 % of the labels wrong, gamma 4; mnist: even or odd, gamma 0.02; a9a:
gamma 0.04.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import tempfile
import time
import tracemalloc
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from _command_line import parsed, parser

Array = np.ndarray[Any, Any]
GAMMA = "gamma=0.02"
CHUNK = 1000
AVERAGED: dict[str, Any] = {"rule": "perceptron", "keep": "averaged"}
GRADIENT: dict[str, Any] = {"rule": "logistic", "keep": "averaged", "eta0": 10.0}
LEARNERS: dict[str, dict[str, Any]] = {
    "linear": AVERAGED,
    "kernel, no budget": AVERAGED | {"kernel": f"rbf:{GAMMA}"},
    **{f"kernel, budget {b:,}": AVERAGED | {"kernel": f"rbf:{GAMMA}", "budget": b} for b in (100, 500, 2000)},
    **{f"fourier {c:,}": AVERAGED | {"map": f"fourier:components={c},{GAMMA}"} for c in (1000, 4000)},
    **{f"fourier {c:,}, logistic (FOGD)": GRADIENT | {"map": f"fourier:components={c},{GAMMA}"} for c in (1000, 4000)},
    **{f"nystroem {c:,}": AVERAGED | {"map": f"nystroem:components={c},{GAMMA}"} for c in (500, 1000)},
    **{f"nystroem {c:,}, logistic (NOGD)": GRADIENT | {"map": f"nystroem:components={c},{GAMMA}"} for c in (500, 1000)},
}  # fmt: skip
LINE = "{learner:32} {online:6.2f} {error:6.2f} {seconds:7.2f} s {MB:7.1f} MB {width:6,}"
COLUMNS = 784


def digits(folder: Path, part: str) -> tuple[Array, Array]:
    """(rows, labels) of mnist, values 0 to 1, float32."""
    from rosenblatt.data.batch import joined
    from rosenblatt.read import open_source

    data = joined(list(open_source(str(folder / "mnist" / f"{part}-images-idx3-ubyte.xz"))))
    return np.asarray(data.rows.toarray(), np.float32) / 255.0, np.asarray(data.y).astype(int)


def learn(job: tuple[str, Path, int]) -> dict[str, Any]:
    """A line of `stream`, in a process of its own."""
    name, folder, rows = job
    from rosenblatt import Recipe

    warnings.simplefilter("ignore")
    first, more, y = Recipe(**LEARNERS[name], max_iter=1), Recipe(max_iter=1), np.load(folder / "labels.npy")

    def streamed(rows: int, judged: bool) -> tuple[Any, int, float]:
        """(model, errors on the way, seconds)"""
        seconds, wrong, model = 0.0, 0, None
        with open(folder / "rows", "rb") as file:
            for p in range(0, rows, CHUNK):
                x, truth = np.fromfile(file, np.float32, CHUNK * COLUMNS).reshape(-1, COLUMNS), y[p : p + CHUNK]
                wrong += int((model.predict(x) != truth).sum()) if judged and model is not None else 0
                begun = time.process_time()
                model = first.fit(x, truth) if model is None else more.fit_more(model, x, truth)
                seconds += time.process_time() - begun
        return model, wrong, seconds

    streamed(2 * CHUNK, judged=True)  # compiles
    model, wrong, seconds = streamed(rows, judged=True)
    tracemalloc.start()
    streamed(rows, judged=False)
    held = tracemalloc.get_traced_memory()[1] / 1e6
    error = 100.0 * float((model.predict(np.load(folder / "test.npy")) != np.load(folder / "truth.npy")).mean())
    return {"learner": name, "online": 100.0 * wrong / max(rows - CHUNK, 1), "error": error, "seconds": seconds,
            "MB": held, "width": model.width}  # fmt: skip


def write(folder: Path, place: Path, rows: int) -> None:
    """The stream and the test digits, as `learn` reads them."""
    x, y = digits(folder, "train")
    order = np.random.default_rng(0).permutation(len(y))[:rows]
    x[order].tofile(place / "rows")
    np.save(place / "labels.npy", y[order])
    for name, values in zip(("test", "truth"), digits(folder, "t10k"), strict=True):
        np.save(place / f"{name}.npy", values)


# --- what to do with one too many ------------------------------------------------------------------------------------


def of(name: str, folder: Path) -> tuple[Array, Array, Array, Array]:
    """(K of 10,000 rows, labels ±1, K of 5,000 others with them, their labels)."""
    random, n, m = np.random.default_rng(0), 10_000, 5_000
    if name == "checkerboard":
        x, gamma = random.uniform(0.0, 4.0, (n + m, 2)), 4.0
        y = np.where(np.floor(x).sum(axis=1) % 2, -1.0, 1.0)
        y[:n][random.random(n) < 0.05] *= -1.0
    elif name == "mnist":
        x, digit = digits(folder, "train")
        chosen, gamma = random.permutation(len(digit))[: n + m], 0.02
        x, y = x[chosen], np.where(digit[chosen] % 2, -1.0, 1.0)
    else:
        from rosenblatt.data.batch import joined
        from rosenblatt.read import open_source

        data, gamma = joined(list(open_source(str(folder / "a9a" / "a9a.svm.xz")))), 0.04
        chosen = random.permutation(data.n)[: n + m]
        x, y = data.rows.toarray()[chosen], np.where(np.asarray(data.y)[chosen].astype(float) > 0.0, 1.0, -1.0)
    x = x.astype(np.float32)
    norms = (x**2).sum(axis=1)
    k = np.exp(-gamma * np.maximum(norms[:, None] + norms[:n] - 2.0 * x @ x[:n].T, 0.0))
    return k[:n], y[:n], k[n:], y[n:]


class Few:
    """A perceptron with at most so many supports, a row at a time. a, late: coefficients, and Σ a·t of their steps: the
    average is (t·a − late)/t."""

    def __init__(self, k: Array, y: Array, budget: int) -> None:
        self.k, self.y, self.budget, self.t = k, y, budget, 0
        self.a, self.late, self.inside = np.zeros(len(y)), np.zeros(len(y)), list[int]()
        self.b, self.late_b = 0.0, 0.0
        self.random = np.random.default_rng(0)

    def run(self) -> None:
        for i in range(len(self.y)):
            u = self.k[i, self.inside] @ self.a[self.inside] + self.b
            if self.y[i] * u <= 0.0:
                self.mistake(i)
                self.b, self.late_b = self.b + self.y[i], self.late_b + self.y[i] * self.t
            self.t += 1

    def add(self, columns: Any, steps: Any) -> None:
        self.a[columns] += steps
        self.late[columns] += np.asarray(steps) * self.t

    def mistake(self, i: int) -> None:
        self.inside.append(i)
        self.add(i, self.y[i])
        if len(self.inside) > self.budget:
            self.too_many()

    def too_many(self) -> None:
        self.drop(0)

    def drop(self, place: int) -> None:
        gone = self.inside.pop(place)
        self.a[gone] = self.late[gone] = 0.0


class First(Few):
    """The first ones stay, and no other row makes a step."""

    def mistake(self, i: int) -> None:
        if len(self.inside) < self.budget:
            super().mistake(i)


class Random(Few):
    """A random one goes (RBP, Cavallanti, Cesa-Bianchi & Gentile 2007)."""

    def too_many(self) -> None:
        self.drop(int(self.random.integers(len(self.inside) - 1)))


class Least(Few):
    """The one of the least |a|·√K(x, x) goes, of several the oldest."""

    def least(self) -> int:
        own = self.inside[:-1]
        return int(np.argmin(np.abs(self.a[own]) * np.sqrt(self.k[own, own])))

    def too_many(self) -> None:
        self.drop(self.least())


class Merged(Least):
    """The least is given to the one nearest to it, with its past (as BPA-NN, Wang & Vucetic 2010)."""

    def too_many(self) -> None:
        place = self.least()
        gone, others = self.inside[place], np.array(self.inside[:place] + self.inside[place + 1 :])
        near = int(others[np.argmax(np.abs(self.k[others, gone]))])
        share = self.k[near, gone] / self.k[near, near]
        self.a[near] += share * self.a[gone]
        self.late[near] += share * self.late[gone]
        self.drop(place)


class Forgetron(Few):
    """All shrink, as much as its bound allows, and the oldest goes (Dekel, Shalev-Shwartz & Singer 2008)."""

    spent, made = 0.0, 0

    def mistake(self, i: int) -> None:
        self.made += 1
        super().mistake(i)

    def too_many(self) -> None:
        oldest = self.inside[0]
        size, mu = abs(self.a[oldest]), self.y[oldest] * (self.k[oldest, self.inside] @ self.a[self.inside])
        left, phis = 15.0 / 32.0 * self.made - self.spent, np.linspace(1.0, 0.0, 10_001)
        costs = (phis * size) ** 2 + 2.0 * phis * size * (1.0 - phis * mu)
        phi = float(phis[np.argmax(costs <= left)])
        self.spent += (phi * size) ** 2 + 2.0 * phi * size * (1.0 - phi * mu)
        self.add(self.inside, (phi - 1.0) * self.a[self.inside])
        self.drop(0)


class Projectron(Few):
    """See `rosenblatt.kernels.budget`."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.inverse = np.empty((0, 0))

    def mistake(self, i: int) -> None:
        k, own = self.k[i, self.inside].astype(float), float(self.k[i, i])
        d = self.inverse @ k
        outside = own - float(k @ d)
        if len(self.inside) == self.budget or outside <= 1e-3 * own:
            self.add(self.inside, self.y[i] * d)
            return
        corner = np.append(-d, 1.0)
        self.inverse = np.pad(self.inverse, ((0, 1), (0, 1))) + np.outer(corner, corner) / outside
        self.inside.append(i)
        self.add(i, self.y[i])


RULES = {"first": First, "oldest": Few, "random": Random, "least": Least, "merged": Merged, "Forgetron": Forgetron,
         "Projectron": Projectron}  # fmt: skip


def tried(name: str, folder: Path, budget: int) -> list[dict[str, Any]]:
    k, y, test, truth = of(name, folder)
    out = []
    for rule, kind in {"none": Few, **RULES}.items():
        learner = kind(k, y, len(y) if rule == "none" else budget)
        begun = time.process_time()
        learner.run()
        seconds = time.process_time() - begun
        mean, last = learner.a - learner.late / learner.t, learner.a
        ways = ("averaged", mean, learner.b - learner.late_b / learner.t), ("last", last, learner.b)
        errors = {way: 100.0 * float((np.where(test @ a + b > 0.0, 1.0, -1.0) != truth).mean()) for way, a, b in ways}
        out.append({"set": name, "rule": rule, "supports": len(learner.inside), **errors, "seconds": seconds})
    return out


def main() -> None:
    options = parser(__doc__)
    options.add_argument("what", choices=("stream", "budgets"))
    options.add_argument("--rows", type=int, default=20_000)
    options.add_argument("--budget", type=int, default=100)
    options.add_argument("--only", nargs="+", default=["checkerboard", "mnist", "a9a"])
    arguments = parsed(options)
    if arguments.what == "stream":
        os.environ["OPENBLAS_NUM_THREADS"] = "1"  # of the processes, which read it before they can be told
        with (
            tempfile.TemporaryDirectory() as made,
            multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool,
        ):
            write(arguments.data, Path(made), arguments.rows)
            for name in LEARNERS:
                row = pool.apply(learn, ((name, Path(made), arguments.rows),))
                print(json.dumps(row) if arguments.json else LINE.format(**row), flush=True)
        return
    for name in arguments.only:
        for row in tried(name, arguments.data, arguments.budget):
            line = "{set:13} {rule:11} {averaged:6.2f} ({last:5.2f})  {supports:5,} {seconds:6.2f} s"
            print(json.dumps(row) if arguments.json else line.format(**row), flush=True)


if __name__ == "__main__":
    main()
