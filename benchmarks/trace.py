"""What recording costs: a run with a `Trace` beside the same run without one, and the file of a long one.

    python benchmarks/trace.py [--epochs 5] [--repeats 5] [--data ../shared/data] [--json]

ms: least CPU of an epoch, of the plain run, of one that records (`Trace(weights=0)`), and of one that keeps weights too
(`Trace()`), all in memory. a9a: sparse, two classes; mnist: dense, ten; 2-d: 100,000 rows of two columns.

write, read, replay: CPU of saving and reading the record of a million updates (2-d, whose labels no line parts), and of
making that run again, with MB of the files, of the record in memory, and at the most while it is recorded, beyond the
rows. recorded: CPU of the run itself.
"""

from __future__ import annotations

import json
import lzma
import multiprocessing
import resource
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from _command_line import parsed, parser

Array = np.ndarray[Any, Any]
KEEPS = ("last", "averaged")
MILLION = 1_000_000
LINE = "{data:6} {keep:9} {plain:8.2f} ms {recorded:8.2f} ms ({ratio:.2f}) {weights:8.2f} ms ({ratio_weights:.2f})"


def data_of(name: str, folder: Path) -> tuple[Any, Array, int]:
    """(rows, labels as the loop has them, classes)."""
    from sklearn.datasets import load_svmlight_file

    from rosenblatt.core.rows import csr, dense
    from rosenblatt.data.batch import joined
    from rosenblatt.read import open_source

    if name == "a9a":
        with lzma.open(folder / "a9a" / "a9a.svm.xz") as lines:
            X, y = load_svmlight_file(lines)
        return csr(X.data, X.indices, X.indptr, X.shape[1]), y, 2
    if name == "mnist":
        data = joined(list(open_source(str(folder / "mnist" / "train-images-idx3-ubyte.xz"))))
        return dense(np.asarray(data.rows.toarray(), np.float32) / 255.0), np.asarray(data.y).astype(float), 10
    r = np.random.default_rng(0)
    x = r.normal(size=(100_000, 2))
    return dense(x), np.where(x @ [1.0, 2.0] + r.normal(size=len(x)) > 0.0, 1.0, -1.0), 2


def seconds(data: Any, keep: str, epochs: int, observer: Any = ()) -> float:
    """CPU of a run."""
    from rosenblatt.learn.run import Chunk, Limits, new_run
    from rosenblatt.learn.settings import Settings
    from rosenblatt.learn.train import train

    rows, y, classes = data
    run = new_run(Settings.of(keep=keep, tol=None), rows, classes)
    begun = time.process_time()
    train(run, [Chunk(rows, y)], Limits(epochs), None, observer)
    return time.process_time() - begun


def ratios(name: str, folder: Path, epochs: int, repeats: int) -> list[dict[str, Any]]:
    from rosenblatt.trace import Trace

    data, out = data_of(name, folder), []
    makers: dict[str, Any] = {"plain": tuple, "recorded": lambda: Trace(weights=0), "weights": Trace}
    for keep in KEEPS:
        best = dict.fromkeys(makers, np.inf)
        for repeat in range(repeats + 1):
            for what, make in makers.items():
                spent = seconds(data, keep, epochs if repeat else 1, make())  # the first time compiles
                best[what] = min(best[what], spent) if repeat else best[what]
        ms = {what: 1000.0 * spent / epochs for what, spent in best.items()}
        own = {"ratio": ms["recorded"] / ms["plain"], "ratio_weights": ms["weights"] / ms["plain"]}
        out.append({"data": name, "keep": keep, **ms, **own})
    return out


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000.0


def million() -> dict[str, Any]:
    """A record of a million updates."""
    from rosenblatt import Perceptron
    from rosenblatt.trace import Trace, read, save
    from rosenblatt.trace.replay import verify

    rows, y, _ = data_of("2-d", Path())
    warnings.simplefilter("ignore")
    X, trace = rows.values, Trace()
    Perceptron(max_iter=1).fit(X, y, callback=trace)
    epochs = MILLION // len(trace.record) + 1
    before, clock, trace = megabytes(), time.process_time(), Trace()
    Perceptron(max_iter=epochs).fit(X, y, callback=trace)
    spent, record = {"recorded": time.process_time() - clock}, trace.record
    own = sum(values.nbytes for part in (record.entries, record.updates, record.kept) for values in part)
    out: dict[str, Any] = {"updates": len(record), "epochs": epochs, "peak_MB": megabytes() - before}
    out["record_MB"] = own / 1e6
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.jsonl"
        clock = time.process_time()
        files = save(record, path)
        spent["write"], clock = time.process_time() - clock, time.process_time()
        found = read(path)
        spent["read"], clock = time.process_time() - clock, time.process_time()
        verdict = verify(path, (X, y))
        spent["replay"] = time.process_time() - clock
        assert verdict.exact and len(found) == len(record)
        out["files_MB"] = {Path(file).suffix: Path(file).stat().st_size / 1e6 for file in files}
    return {**out, **{f"{what}_s": each for what, each in spent.items()}}


def main() -> None:
    warnings.simplefilter("ignore")  # runs stop early on purpose
    own = parser(__doc__)
    own.add_argument("--epochs", type=int, default=5)
    own.add_argument("--repeats", type=int, default=5)
    asked = parsed(own)
    # First, as it begins with the peak of its parent.
    with multiprocessing.get_context("spawn").Pool(1) as alone:
        long = alone.apply(million)
    lines = [line for name in ("a9a", "mnist", "2-d") for line in ratios(name, asked.data, asked.epochs, asked.repeats)]
    for line in [] if asked.json else lines:
        print(LINE.format(**line), flush=True)
    if asked.json:
        print(json.dumps({"ratios": lines, "million": long}))
        return
    for name, value in long.items():
        print(f"{name:12} {value}")


if __name__ == "__main__":
    main()
