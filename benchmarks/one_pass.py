"""One pass over the rows: steps with and without a metric, and Vowpal Wabbit at its defaults on the same orders.

    python benchmarks/one_pass.py [--orders 5] [--only SET …] [--data ../shared/data] [--json]

Orders: `default_rng(s).permutation(n)` for s = 0, 1, …; the figures are means over them. a9a: mistakes made while
learning its training part, in %; rcv1_small, sofia_demo: errors on the given test part; spambase: the columns
standardised on the training part, a stratified third of the rows is the test (`random_state=0`).
seconds: least CPU of the whole pass, from the file of training rows to the model: svmlight for ours, VW's own text for
VW. MB: the most memory that a process with one learner takes for it, beyond what it held when it had learned 10 rows.
VW is left out, and that is said, where its package is missing (`pip install vowpalwabbit`).
"""

from __future__ import annotations

import json
import lzma
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from _command_line import parsed, parser
from scipy.sparse import csr_matrix
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

ONE_PASS = {"max_iter": 1, "order": "given", "tol": None, "calibrate": None}
OURS: dict[str, dict[str, Any]] = {
    "perceptron": {},
    "perceptron, averaged": {"keep": "averaged"},
    "passive-aggressive C=1": {"rule": "passive-aggressive:C=1"},
    "passive-aggressive C=1, averaged": {"rule": "passive-aggressive:C=1", "keep": "averaged"},
    "logistic": {"rule": "logistic"},
    "logistic, averaged": {"rule": "logistic", "keep": "averaged"},
    "arow r=1": {"metric": "arow"},
    "arow r=0.1": {"metric": "arow:r=0.1"},
    "scw-I": {"metric": "scw"},
    "scw-II": {"metric": "scw:variant=2"},
    "nherd": {"metric": "nherd"},
    "logistic, adagrad 0.5": {"rule": "logistic", "metric": "adagrad", "eta0": 0.5},
    "logistic, adagrad 0.1": {"rule": "logistic", "metric": "adagrad", "eta0": 0.1},
    "logistic, normalised": {"rule": "logistic", "metric": "normalised"},
    "logistic, ftrl": {"rule": "logistic", "metric": "ftrl"},
}
LINE = "{set:11} {learner:32} {error:6.2f} % ± {deviation:4.2f}  {seconds:6.2f} s {MB:6.1f} MB"
VW = {"VW logistic": "--loss_function logistic", "VW hinge": "--loss_function hinge"}
ONLINE = ("a9a",)
SETS = (*ONLINE, "rcv1_small", "sofia_demo", "spambase")


def parts(folder: Path, name: str) -> tuple[Any, Any, Any, Any]:
    """(rows, labels, test rows, test labels)."""

    def load(part: str) -> tuple[Any, Any]:
        with lzma.open(folder / name / f"{name}{part}.svm.xz") as lines:
            x, y = load_svmlight_file(lines, zero_based=False)
            return csr_matrix(x), np.where(y > 0, 1, -1)

    x, y = load("")
    if (folder / name / f"{name}.t.svm.xz").exists():
        return x, y, *load(".t")
    x, tx, y, ty = train_test_split(x.toarray(), y, test_size=1 / 3, stratify=y, random_state=0)
    scaler = StandardScaler().fit(x)
    return csr_matrix(scaler.transform(x)), y, csr_matrix(scaler.transform(tx)), ty


def write(place: Path, x: Any, y: Any) -> None:
    """The rows as svmlight and as VW's text, their labels as numbers."""
    dump_svmlight_file(x, y, str(place.with_suffix(".svm")), zero_based=False)
    with open(place.with_suffix(".svm")) as lines, open(place.with_suffix(".vw"), "w") as out:
        for label, _, rest in (line.partition(" ") for line in lines):
            out.write(f"{label} | {rest}")
    np.save(place.with_suffix(".npy"), y)


def ours(words: dict[str, Any], train: Path, test: Path) -> tuple[float, ...]:
    """(CPU seconds, most MB held, mistakes while learning, errors on the test part: both in %)"""
    from rosenblatt import Recipe
    from rosenblatt.read import open_source

    start = time.process_time()
    model = Recipe(**ONE_PASS, **words).fit(train.with_suffix(".svm"))
    took, held = time.process_time() - start, peak()
    data = open_source(str(test.with_suffix(".svm")), width=model.width, wider="skip")
    wrong = model.predict(data) != np.load(test.with_suffix(".npy"))
    return took, held, 100.0 * model.run.history["mistakes"][-1] / model.run.rows, 100.0 * wrong.mean()


def vw(words: str, train: Path, test: Path) -> tuple[float, ...]:
    """As `ours`."""
    from vowpalwabbit import Workspace

    def run(how: str, data: Path) -> Any:
        """The scores of the rows, each told before the row is learned."""
        with tempfile.NamedTemporaryFile(suffix=".txt") as scores:
            Workspace(f"--quiet {how} -d {data.with_suffix('.vw')} -r {scores.name}").finish()
            told = np.array([float(line.split()[0]) for line in Path(scores.name).read_text().splitlines()])
        return np.where(told > 0, 1, -1) != np.load(data.with_suffix(".npy"))

    model = train.with_suffix(".model")
    start = time.process_time()
    online = run(f"{words} -f {model}", train)
    took, held = time.process_time() - start, peak()
    return took, held, 100.0 * online.mean(), 100.0 * run(f"-t -i {model}", test).mean()


def peak() -> float:
    """The most memory this process has held, in MB."""
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size / (1 << 20) if sys.platform == "darwin" else size / (1 << 10)


def learn(job: tuple[str, Any, Path, int]) -> list[tuple[float, ...]]:
    """For each order (seconds, MB, mistakes while learning, test errors), in a process of its own."""
    kind, words, folder, orders = job
    program = {"ours": ours, "vw": vw}[kind]
    program(words, folder / "few", folder / "few")
    before = peak()
    runs = [program(words, folder / f"order{s}", folder / "test") for s in range(orders)]
    return [(took, held - before, online, error) for took, held, online, error in runs]


def rows(folder: Path, name: str, orders: int) -> Iterator[dict[str, Any]]:
    """A row for each learner."""
    x, y, test, answers = parts(folder, name)
    learners = {key: ("ours", words) for key, words in OURS.items()}
    learners |= {key: ("vw", words) for key, words in VW.items()} if find_spec("vowpalwabbit") else {}
    with (
        tempfile.TemporaryDirectory() as made,
        multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool,
    ):
        place = Path(made)
        write(place / "test", test, answers)
        write(place / "few", x[:10], np.resize([1, -1], 10))
        for s in range(orders):
            order = np.random.default_rng(s).permutation(len(y))
            write(place / f"order{s}", x[order], y[order])
        for learner, (kind, words) in learners.items():
            runs = np.array(pool.apply(learn, ((kind, words, place, orders),)))
            figures = runs[:, 2 if name in ONLINE else 3]
            yield {"set": name, "learner": learner, "error": figures.mean(), "deviation": figures.std(),
                   "seconds": runs[:, 0].min(), "MB": runs[:, 1].max()}  # fmt: skip


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--orders", type=int, default=5)
    options.add_argument("--only", nargs="+", choices=SETS, default=SETS)
    arguments = parsed(options)
    if not find_spec("vowpalwabbit"):
        print("Vowpal Wabbit is not installed, so it is left out: pip install vowpalwabbit", file=sys.stderr)
    for name in arguments.only:
        best: dict[bool, dict[str, Any]] = {}
        for row in rows(arguments.data, name, arguments.orders):
            if arguments.json:
                print(json.dumps(row), flush=True)
                continue
            print(
                "{set:11} {learner:32} {error:6.2f} % ± {deviation:4.2f}  {seconds:6.2f} s {MB:6.1f} MB".format(**row),
                flush=True,
            )
            peer = row["learner"] in VW
            best[peer] = min(best.get(peer, row), row, key=lambda each: each["error"])
        if len(best) == 2:
            told = ("{learner} {error:.2f} %".format(**best[peer]) for peer in (False, True))
            print(f"{name:11} the best: {', '.join(told)}", flush=True)


if __name__ == "__main__":
    main()
