"""Keep every weight vector that ever was, with its survival count, and let them vote.

Voting replays a log of steps as scores, survival counts and the mean vector. One class's log is a `Path`. Between two
folds (where the scale was multiplied into the weights) raw scores are running sums of coef·K(row, x); a fold multiplies
what came before."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..core.dispatch import Kernel
from ..core.loop import BIAS, UPDATES, Keep, State, empty_keep, log_space
from ..core.rows import Array, Rows
from ..core.verbs import add
from ..parameters import Parameter
from .last import Last, Weights
from .support import Support


class Path(NamedTuple):
    """One class's steps, in order. row: (e,) support row, −1 at a fold. coef: (e,) raw coefficient; a fold's scale.

    scale: (e,) after the step. starts: (r,) places after which a new weight vector starts. counts: (r + 1,) survivals
    of the vectors, the first being the one before any mistake.
    """

    row: Array
    coef: Array
    scale: Array
    starts: Array
    counts: Array


def segments(path: Path) -> Iterator[tuple[int, int, float]]:
    """(begin, end, factor): stretches without a fold, and the factor that the fold before each applies."""
    begin, factor = 0, 1.0
    for fold in np.flatnonzero(path.row < 0):
        yield begin, int(fold), factor
        begin, factor = int(fold) + 1, float(path.coef[fold])
    yield begin, path.row.size, factor


def biases(path: Path, start: float, weight: float) -> Array:
    """(r + 1,) the bias of each vector: true coefficients summed; L2 does not shrink it."""
    steps = np.where(path.row >= 0, path.coef * path.scale * weight, 0.0)
    return start + np.concatenate([[0.0], np.cumsum(steps)[path.starts]])


def vector_scores(path: Path, products: Array, start: Array) -> Array:
    """(m, r + 1) score, without bias, of m rows by each vector. products: (m, support) x·x_s; start: (m,) x·w_0."""
    scores = np.empty((products.shape[0], path.starts.size + 1))
    scores[:, 0] = start
    running = start.astype(float)
    for begin, end, factor in segments(path):
        running = running * factor
        raw = products[:, path.row[begin:end]] * path.coef[begin:end]
        np.cumsum(raw, axis=1, out=raw)
        raw += running[:, None]
        low, high = np.searchsorted(path.starts, [begin, end])
        here = path.starts[low:high]
        scores[:, low + 1 : high + 1] = raw[:, here - begin] * path.scale[here]
        if end > begin:
            running = raw[:, -1]
    return scores


def mean_weights(path: Path) -> tuple[Array, float]:
    """(e,) how much each step's row weighs in Σ c_n·w_n, and how much w_0 does."""
    alpha = np.zeros(path.row.size)
    ahead = 0.0
    for begin, end, factor in reversed(list(segments(path))):
        later = np.zeros(end - begin)
        low, high = np.searchsorted(path.starts, [begin, end])
        here = path.starts[low:high]
        later[here - begin] = path.counts[low + 1 : high + 1] * path.scale[here]
        suffix = ahead + np.cumsum(later[::-1])[::-1]
        alpha[begin:end] = path.coef[begin:end] * suffix
        ahead = (suffix[0] if end > begin else ahead) * factor
    return alpha, ahead + float(path.counts[0])


def replayed(path: Path, support: Support, w: Array, rows: Rows, pairs: tuple[Array, Array]) -> Array:
    """(p,) scores, without bias, of the vectors themselves, summed column by column as they were learned.

    w: (d,) w_0. pairs: p rows of `rows`, and as many vectors, which ascend.
    """
    out, w, done = np.empty(pairs[0].size), w.astype(float), 0
    take_steps = steps.for_work(path.row.size * rows.width)
    vectors, first = np.unique(pairs[1], return_index=True)
    for vector, place in zip(vectors, np.split(np.arange(out.size), first[1:]), strict=True):
        end = int(path.starts[vector - 1]) + 1 if vector else 0
        take_steps(support.rows, path.row, path.coef, w, (done, end))
        done = end
        out[place] = rows.take(pairs[0][place]).scores(w) * (path.scale[end - 1] if end else 1.0)
    return out


def _steps(rows: Rows, row: Array, coef: Array, w: Array, places: tuple[int, int]) -> None:
    for s in range(places[0], places[1]):
        if row[s] < 0:
            for j in range(w.size):
                w[j] *= coef[s]
        else:
            add(rows, np.uint64(row[s]), coef[s], w)


steps = Kernel(_steps, exact=True, rows=True)
"""The steps of a path from one place to another, made again."""


class Near:
    """Votes that rounding may have decided, as of a vector that is 0 where scores come out as 1e-17: asked again.

    What came out as 0 is taken for 0. together: one vote for each vector's winner. biases: of each class's vectors.
    """

    def __init__(self, paths: list[Path], support: Support, start: Weights, factor: float, together: bool) -> None:
        self.paths, self.support, self.start, self.together = paths, support, start[0], together
        self.biases = [biases(path, float(bias), factor) for path, bias in zip(paths, start[1], strict=True)]
        self._asked: list[tuple[Array, Array, Array, Array]] = []
        norms = np.zeros(0) if support.rows is None else np.sqrt(support.rows.sq_norms())
        steps = [(path.row[path.row >= 0], np.abs(path.coef[path.row >= 0])) for path in paths]
        reach = [float(np.bincount(row, coef, support.n) @ norms) for row, coef in steps]
        longest = float(np.max(np.sqrt((self.start.astype(float) ** 2).sum(axis=1)) + reach))
        self._reach = (max(path.row.size for path in paths) + self.start.shape[1] + 8) * EPS * longest

    def look(self, part: Rows, first: int, values: Array, said: Array, k: int = 0) -> None:
        """values: (m, r + 1) what each vote hangs on, sure if far from 0. said: (m, r + 1) the votes."""
        size = np.abs(values)
        row, vector = np.nonzero((size > 0.0) & (size <= self._reach * np.sqrt(part.sq_norms())[:, None]))
        self._asked.append((row + first, vector, said[row, vector], np.full(row.size, k)))

    def settle(self, rows: Rows, out: Array) -> None:
        """Put right in the (n, K) sums of votes. rows: all of them."""
        row, vector, said, of = (np.concatenate(parts) for parts in zip(*self._asked, strict=True))
        order = np.argsort(vector, kind="stable")
        for k in np.unique(of):
            at = order[of[order] == k]
            pairs, count = (row[at], vector[at]), self.paths[k].counts[vector[at]]
            scores = [
                replayed(self.paths[j], self.support, self.start[j], rows, pairs) + self.biases[j][pairs[1]]
                for j in (range(len(self.paths)) if self.together else [k])
            ]
            if self.together:
                np.add.at(out, (pairs[0], said[at]), -count)
                np.add.at(out, (pairs[0], np.argmax(scores, axis=0)), count)
            else:
                np.add.at(out, (pairs[0], k), 2.0 * count * ((scores[0] > 0.0) - said[at].astype(float)))


EPS = float(np.finfo(float).eps)
ROOM = 1 << 16
"""Logged steps between two visits of Python."""
BLOCK = 1 << 22
"""Scores held at once while voting (32 MB)."""
FIELDS = ("row", "cls", "coef", "scale", "count")


class Voted(Last):
    """Voted: sgn Σ c_n·sgn(w̄_n·x̄), over every w̄_n with its survival count c_n; sgn(0) = −1.

    A new w̄_n starts right after the step of each mistake; c_n counts its right answers until the next one. counting:
    "notes" counts from 0 (lecture note 000), "freund-schapire" from 1 (Freund & Schapire 1999). Stored as the log of
    steps and the rows they used, never as n dense vectors: 190,000 vectors of 47,000 weights would be 72 TB, the log is
    0.2 GB. When all counts are 0, the last weights answer. One class against the rest votes class by class, the
    multi-class perceptron with one vote for each vector's winner.
    """

    name = "voted"
    rank = 2
    answers_now = False
    parameters = (
        Parameter(
            "counting", "notes", choices=("notes", "freund-schapire"), metavar="NAME", after="fit_intercept",
            needs=("keep", "voted"), help="voted: survivals count from 0 or 1: {choices}.",
            meaning='keep="voted": a vector\'s survival count starts at 0 (lecture notes) or 1 (Freund & Schapire '
            "1999).",
        ),
    )  # fmt: skip
    is_linear = False
    by_row = False
    by_width = ("start_w",)

    def __init__(self, counting: str = "notes") -> None:
        super().__init__()
        self.parameters[0].check(counting)
        self.counting = counting
        self.joint = False
        self.support = Support()
        self._logs: list[dict[str, Array]] = []

    # --- while learning ---

    def keep(self, state: State, joint: bool, block: int) -> Keep:
        self.joint = joint
        if "start_w" not in self.tensors:
            self.tensors["start_w"], self.tensors["start_b"] = self.weights(state)
        return log_space(empty_keep(state, joint), max(ROOM, (block + 1) * state.b.size + 2))

    def collect(self, keep: Keep, rows: Rows) -> None:
        used = int(keep.used[0])
        if used == 0:
            return
        log: dict[str, Array] = {name: getattr(keep, name)[:used].copy() for name in FIELDS}
        log["row"] = self.support.numbers(rows, log["row"])
        self._logs.append(log)
        keep.used[0] = 0

    def columns_used(self, state: State) -> Array:
        used, rows = super().columns_used(state), self.support.rows
        if rows is not None:
            used[rows.own] = True
        return used

    def moved(self, state: State, change: Callable[[Array], Array], places: Array) -> tuple[Any, State]:
        new, state = super().moved(state, change, places)
        new.support = self.support.moved(places, state.w.shape[-1])
        return new, state

    def copy(self) -> Any:
        new = super().copy()
        new._logs, new.support = list(self._logs), self.support.copy()
        return new

    # --- the whole log, and saving it ---

    def log(self) -> dict[str, Array]:
        if len(self._logs) > 1:
            self._logs = [{name: np.concatenate([part[name] for part in self._logs]) for name in FIELDS}]
        empty = {name: np.empty(0, np.int64 if name in ("row", "cls", "count") else float) for name in FIELDS}
        return self._logs[0] if self._logs else empty

    def saved(self) -> dict[str, Array]:
        log = {f"log_{name}": values for name, values in self.log().items()}
        return {**self.tensors, **log, **self.support.saved()}

    def restore(self, saved: dict[str, Array]) -> None:
        self.tensors = {name: saved[name] for name in ("start_w", "start_b") if name in saved}
        if saved.get("log_row", np.empty(0)).size:
            self._logs = [{name: saved[f"log_{name}"] for name in FIELDS}]
        self.support = Support.restored(saved)

    # --- answering ---

    def path(self, state: State, k: int) -> Path:
        """Class k's steps; of a joint log all steps, those of other classes with coefficient 0."""
        log = self.log()
        own = (log["row"] < 0) | (log["cls"] == k)
        chosen = np.ones(own.size, bool) if self.joint else own
        coef = np.where(own, log["coef"], 0.0)[chosen]
        count = log["count"][chosen]
        starts = np.flatnonzero(count >= 0)
        now = state.m[1, 0 if self.joint else k]
        counts = np.concatenate([count[starts], [now]]).astype(float)
        if self.counting == "freund-schapire":
            counts[1:] += 1.0
        return Path(log["row"][chosen], coef, log["scale"][chosen], starts, counts)

    def voters(self, state: State, k: int) -> tuple[Array, Array, Array]:
        """(m, d), (m,), (m,): the weight vectors of class k, their biases, and their votes."""
        path, start = self.path(state, k), self._start(state)
        d = start[0].shape[1]
        rows = np.empty((0, d)) if self.support.rows is None else np.asarray(self.support.rows.toarray(), float)
        w, out = start[0][k].astype(float), np.empty((len(path.counts), d))
        out[0], now = w, 0
        for begin, end, factor in segments(path):
            w = w * factor
            for at in range(begin, end):
                w = w + path.coef[at] * rows[path.row[at]]
                if now < len(path.starts) and path.starts[now] == at:
                    now += 1
                    out[now] = w * path.scale[at]
        return out, biases(path, float(start[1][k]), float(state.f[BIAS])), path.counts

    def vectors(self, state: State) -> int:
        return int(state.n[UPDATES]) + 1

    def scores(self, rows: Rows, state: State) -> Array:
        """(n, K) the share of votes for each class less the share against, in [−1, 1]; joint: the share for.

        Where no vector has survived anything, the last weights' scores.
        """
        classes = state.b.size
        paths = [self.path(state, k) for k in range(classes)]
        total = np.array([path.counts.sum() for path in paths])
        out = np.empty((rows.n, classes))
        size, first = max(1, BLOCK // max(1, *(p.row.size for p in paths), self.support.n)), 0
        near = Near(paths, self.support, self._start(state), float(state.f[BIAS]), self.joint)
        for part in rows.blocks(size):
            products, place = self.support.products(part.astype(np.float64)), slice(first, first + part.n)
            scores = (
                vector_scores(path, products, part.scores(near.start[k])) + near.biases[k]
                for k, path in enumerate(paths)
            )
            if self.joint:
                values = np.stack(list(scores))
                winners, (second, best) = np.argmax(values, axis=0), np.sort(values, axis=0)[-2:]
                out[place] = np.stack([(winners == k) @ paths[0].counts for k in range(classes)], axis=1)
                near.look(part, first, (best - second) / 2.0, winners)
            else:
                for k, values in enumerate(scores):
                    out[place, k] = np.where(values > 0.0, 1.0, -1.0) @ paths[k].counts
                    near.look(part, first, values, values > 0.0, k)
            first += part.n
        if first:
            near.settle(rows, out)
        silent = total == 0.0
        out /= np.where(silent, 1.0, total)
        if silent.any():
            w, b = self.weights(state)
            out[:, silent] = (rows.scores(w) + b)[:, silent]
        return out

    def _start(self, state: State) -> Weights:
        """The weights before the first step; before anything was learned, those there are."""
        return (self.tensors["start_w"], self.tensors["start_b"]) if self.tensors else self.weights(state)

    def answer(self, state: State) -> Weights:
        """Σ c_n·w̄_n / Σ c_n: the mean of the voters, for reading; the vote itself is not linear."""
        w, b = self.weights(state)
        start, bias = self._start(state)
        for k in range(b.size):
            path = self.path(state, k)
            total = path.counts.sum()
            if total == 0.0:
                continue
            alpha, first = mean_weights(path)
            w[k] = start[k] * (first / total)
            real = path.row >= 0
            shares = np.bincount(path.row[real], alpha[real], self.support.n) / total
            w[k] += np.asarray(self.support.combine(shares)).astype(w.dtype)
            b[k] = path.counts @ biases(path, float(bias[k]), float(state.f[BIAS])) / total
        return w, b
