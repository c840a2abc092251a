"""Keep every weight vector that ever was, with its survival count, and let them vote."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.learn import BIAS, Keep, State, empty_keep, log_space
from ..core.rows import Array, Csr, Rows, csr, dense, matrix, n_rows, stack, take, width
from ..defaults import COUNTINGS
from ..errors import SettingError
from .last import Last, Weights
from .votes import Path, biases, mean_weights, vector_scores

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

    def __init__(self, counting: str = "notes") -> None:
        super().__init__()
        if counting not in COUNTINGS:
            raise SettingError(f"unknown counting={counting!r}; one of {', '.join(COUNTINGS)}")
        self.counting = counting
        self.joint = False
        self._logs: list[dict[str, Array]] = []
        self._support: list[Rows] = []
        self._places: dict[bytes, int] = {}

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
        distinct, first, inverse = np.unique(log["row"], return_index=True, return_inverse=True)
        places, fresh = np.full(distinct.size, -1, np.int32), []
        for at in np.argsort(first):  # by first use: the same places, however often the loop returned on the way
            i = distinct[at]
            if i < 0:
                continue
            key = _row_bytes(rows, int(i))
            if key not in self._places:
                self._places[key] = len(self._places)
                fresh.append(int(i))
            places[at] = self._places[key]
        log["row"] = places[inverse]
        self._logs.append(log)
        if fresh:
            self._support.append(_stored_like(take(rows, np.array(fresh)), self._support))
        keep.used[0] = 0

    def copy(self) -> Any:
        new = super().copy()
        new._logs, new._support, new._places = list(self._logs), list(self._support), dict(self._places)
        return new

    # --- the whole log, and saving it ---

    @property
    def support(self) -> Rows | None:
        """The distinct rows that made a step."""
        if len(self._support) > 1:
            self._support = [stack(self._support)]
        return self._support[0] if self._support else None

    def log(self) -> dict[str, Array]:
        if len(self._logs) > 1:
            self._logs = [{name: np.concatenate([part[name] for part in self._logs]) for name in FIELDS}]
        empty = {name: np.empty(0, np.int64 if name in ("row", "cls", "count") else float) for name in FIELDS}
        return self._logs[0] if self._logs else empty

    def saved(self) -> dict[str, Array]:
        parts = {**self.tensors, **{f"log_{name}": values for name, values in self.log().items()}}
        support = self.support
        if isinstance(support, Csr):
            names = ("data", "indices", "indptr", "shape")
            parts |= {f"support_{name}": values for name, values in zip(names, support, strict=True)}
        elif support is not None:
            parts["support_values"] = support.values
        return parts

    def restore(self, saved: dict[str, Array]) -> None:
        self.tensors = {name: saved[name] for name in ("start_w", "start_b") if name in saved}
        if saved.get("log_row", np.empty(0)).size:
            self._logs = [{name: saved[f"log_{name}"] for name in FIELDS}]
        if "support_values" in saved:
            self._support = [dense(saved["support_values"])]
        elif "support_data" in saved:
            d = int(saved["support_shape"][0])
            self._support = [csr(saved["support_data"], saved["support_indices"], saved["support_indptr"], d)]
        support = self.support
        if support is not None:
            self._places = {_row_bytes(support, i): i for i in range(n_rows(support))}

    # --- answering ---

    def path(self, state: State, k: int) -> Path:
        """Class k's steps; of a joint log all steps, those of other classes with coefficient 0."""
        log = self.log()
        folds = log["row"] < 0
        if self.joint:
            chosen = np.ones(folds.size, bool)
            coef = np.where(folds | (log["cls"] == k), log["coef"], 0.0)
        else:
            chosen = folds | (log["cls"] == k)
            coef = log["coef"][chosen]
        count = log["count"][chosen]
        starts = np.flatnonzero(count >= 0)
        now = state.m[1, 0 if self.joint else k]
        counts = np.concatenate([count[starts], [now]]).astype(float)
        if self.counting == "freund-schapire":
            counts[1:] += 1.0
        return Path(log["row"][chosen], coef, log["scale"][chosen], starts, counts)

    def votes(self, rows: Rows, state: State) -> Array:
        """(n, K) the share of votes for each class less the share against, in [−1, 1]; joint: the share for.

        Where no vector has survived anything, the last weights' scores.
        """
        classes = state.b.size
        paths = [self.path(state, k) for k in range(classes)]
        total = np.array([path.counts.sum() for path in paths])
        out = np.empty((n_rows(rows), classes))
        x, start = matrix(rows), self.tensors["start_w"]
        support = matrix(self.support).T if self.support is not None else None
        size = max(1, BLOCK // max(1, *(p.row.size for p in paths), 1 if support is None else support.shape[1]))
        for first in range(0, len(out), size):
            part = x[first : first + size]
            products = np.empty((part.shape[0], 0)) if support is None else part @ support
            products = np.asarray(products if isinstance(products, np.ndarray) else products.toarray(), float)
            scores = (self._scores(path, k, products, part @ start[k], state) for k, path in enumerate(paths))
            if self.joint:
                winners = np.argmax(np.stack(list(scores)), axis=0)
                out[first : first + size] = np.stack([(winners == k) @ paths[0].counts for k in range(classes)], axis=1)
            else:
                for k, values in enumerate(scores):
                    out[first : first + size, k] = np.where(values > 0.0, 1.0, -1.0) @ paths[k].counts
        silent = total == 0.0
        out /= np.where(silent, 1.0, total)
        if silent.any():
            w, b = self.weights(state)
            out[:, silent] = (x @ w.T + b)[:, silent]
        return out

    def _scores(self, path: Path, k: int, products: Array, start: Array, state: State) -> Array:
        return vector_scores(path, products, start) + biases(path, self.tensors["start_b"][k], state.f[BIAS])

    def answer(self, state: State) -> Weights:
        """Σ c_n·w̄_n / Σ c_n: the mean of the voters, for reading; the vote itself is not linear."""
        w, b = self.weights(state)
        support = None if self.support is None else matrix(self.support)
        for k in range(b.size):
            path = self.path(state, k)
            total = path.counts.sum()
            if total == 0.0:
                continue
            alpha, first = mean_weights(path)
            w[k] = self.tensors["start_w"][k] * (first / total)
            if support is not None:
                real = path.row >= 0
                shares = np.bincount(path.row[real], alpha[real], support.shape[0]) / total
                w[k] += (support.T @ shares).astype(w.dtype)
            b[k] = path.counts @ biases(path, float(self.tensors["start_b"][k]), float(state.f[BIAS])) / total
        return w, b


def _row_bytes(rows: Rows, i: int) -> bytes:
    """What tells two rows apart: the same row in a later epoch is stored once."""
    if isinstance(rows, Csr):
        here = slice(rows.indptr[i], rows.indptr[i + 1])
        return rows.indices[here].tobytes() + rows.data[here].tobytes()  # type: ignore[no-any-return]
    return rows.values[i].tobytes()  # type: ignore[no-any-return]


def _stored_like(rows: Rows, others: list[Rows]) -> Rows:
    """Rows in the storage of those already kept: dense and sparse calls may follow each other."""
    if not others or type(others[0]) is type(rows):
        return rows
    values = matrix(rows)
    if isinstance(others[0], Csr):
        from scipy.sparse import csr_array

        sparse = csr_array(values)
        return csr(sparse.data, sparse.indices, sparse.indptr, width(rows))
    return dense(values.toarray())
