"""Whether a run finished as its rule should: `converged_`."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.dispatch import SMALL_WORK, loop_for
from ..core.loop import BIAS
from ..core.rows import Array
from ..core.verbs import loss, step, steps
from ..data.labels import encode
from .run import Chunk, Chunks, Run


def scan(rule: Any, u: Array, y: Array, sq_norms: Array, wrong: Array, losses: Array) -> None:
    """wrong[i] = 1 where the rule's step for score u[i] is not zero, losses[i] its loss. u: (n, 1) float64; sq_norms:
    (n,) ‖x̄‖²."""
    for i in range(y.size):
        wrong[i] = 1 if step(rule, u[i, 0], y[i], sq_norms[i]) != 0.0 else 0
        losses[i] = loss(rule, u[i, 0], y[i])


def scan_many(rule: Any, u: Array, y: Array, sq_norms: Array, wrong: Array, losses: Array) -> None:
    """The same for K classes, the loss summed over them. u: (n, K)."""
    a, flags = np.empty(u.shape[1]), np.empty(u.shape[1], np.uint8)
    for i in range(y.size):
        losses[i] = steps(rule, u[i], int(y[i]), sq_norms[i], a, flags)
        wrong[i] = 1 if (a != 0.0).any() else 0


MOST_VOTES = 100_000_000
"""Rows times vectors: each vote takes some 40 ns, so that these take 4 s."""


def asks_for_a_step(run: Run, chunks: Chunks, still: bool) -> bool:
    """Whether the rule still asks for a step on some row, at the weights that answer. One more pass, where needed.

    still: it asks for none at the last weights, which need no pass then. Where no single weights answer, whether the
    answer to some row is wrong; if that would be too many votes, the last weights are asked.
    """
    memory, state = run.answering
    votes = not memory.is_linear and run.rows * memory.vectors(state) <= MOST_VOTES
    if votes:
        return any(_mistaken_rows(run, chunk).any() for chunk in chunks)
    if still and memory is run.memory and (memory.answers_now or not memory.is_linear):
        return False
    return asks_at(run, chunks, memory.answer(state) if memory.is_linear else memory.weights(state))


def asks_at(run: Run, chunks: Chunks, weights: tuple[Array, Array]) -> bool:
    """The same at these weights."""
    return any(wrong.any() for _, _, wrong in Scan(run, once=True).wrong(chunks, weights))


def _mistaken_rows(run: Run, chunk: Chunk) -> Array:
    memory, state = run.answering
    scores = memory.scores(chunk.rows, state)
    wrong = mistaken(scores if run.many else scores[:, 0], chunk.y)
    return wrong if chunk.weight is None else wrong & (chunk.weight > 0.0)


def mistaken(scores: Array, y: Array) -> Array:
    """(n,) rows with y·u ≤ 0; of K classes those whose own score is not above all others. scores: (n,) or (n, K)."""
    if scores.ndim == 1:
        return np.asarray(y * scores <= 0.0)
    right, best = own_and_best(scores, y)
    return np.asarray(right <= best)


def training_errors(scores: Array, y: Array, classes: Array) -> int:
    """E_in as a count: rows with y·u ≤ 0; with more classes, rows whose own score is not above all others."""
    return int(mistaken(scores, encode(y, classes)).sum())


def own_and_best(scores: Array, y: Array) -> tuple[Array, Array]:
    """(n,) each: the score of a row's own class, and the best of the others. scores: (n, K); y: class numbers."""
    rows, own = np.arange(len(y)), y.astype(int)
    right, others = scores[rows, own], scores.copy()
    others[rows, own] = -np.inf
    return right, others.max(axis=1)


class Scan:
    """Which rows the rule of a run asks for a step on. norms: ‖x̄‖² of the chunks by number, kept for the next time.

    once: it is asked once, so that little work is done without loading the compiler.
    """

    def __init__(self, run: Run, once: bool = False) -> None:
        self.run, self.norms = run, dict[int, Array]()
        loop: Any = scan_many if run.many else scan
        self._scan = loop if once and run.rows * run.state.b.size <= SMALL_WORK else loop_for(loop, run.asking_rule)

    def wrong(self, chunks: Chunks, weights: tuple[Array, Array]) -> Iterator[tuple[Chunk, Array, Array]]:
        """(chunk, scores, wrong) at these weights: (n, K) float64, and (n,) 1 where a step is asked for."""
        run, (w, b) = self.run, weights
        for number, chunk in enumerate(chunks):
            if number not in self.norms:
                self.norms[number] = chunk.rows.sq_norms() + run.state.f[BIAS]
            u = np.ascontiguousarray(np.asarray(chunk.rows.scores(w), float) + b)
            wrong = np.empty(len(chunk.y), np.uint8)
            self._scan(run.asking_rule, u, chunk.y, self.norms[number], wrong, np.empty(len(chunk.y)))
            if chunk.weight is not None:
                wrong[chunk.weight <= 0.0] = 0
            yield chunk, u, wrong


def start_loss(run: Run, chunks: Chunks) -> float:
    """The mean loss at the weights as they are, each row weighted as while learning."""
    w, b = run.memory.weights(run.state)
    loop: Any = scan_many if run.many else scan
    zero = not (w.any() or b.any())
    loop = loop if zero else loop_for(loop, run.asking_rule)
    total = weight = 0.0
    for chunk in chunks:
        share = np.ones(len(chunk.y)) if chunk.weight is None else chunk.weight
        if zero:  # one loss for each label
            y, row = np.unique(chunk.y, return_inverse=True)
            share, u = np.bincount(row, share, len(y)), np.zeros((len(y), b.size))
        else:
            y, u = chunk.y, np.ascontiguousarray(np.asarray(chunk.rows.scores(w), float) + b)
        out = np.empty(len(y))
        loop(run.asking_rule, u, y, np.ones(len(y)), np.empty(len(y), np.uint8), out)
        total, weight = total + float(out @ share), weight + float(share.sum())
    return total / weight if weight > 0.0 else 0.0


def fell_little(run: Run, tol: float) -> bool:
    """Whether each of the last `n_iter_no_change` epochs ended less than tol below the lowest loss before it."""
    loss, lately = run.history["loss"], run.settings.n_iter_no_change
    lowest = np.minimum.accumulate(loss)
    return len(loss) > lately and bool((np.array(loss[-lately:]) > lowest[-lately - 1 : -1] - tol).all())


def unsettled(run: Run, tol: float) -> str:
    """What the loss is, where it is not within tol of the lowest epoch's or above the start's; "" where it settled.
    What rounding in the rows' dtype may do to a mean does not count."""
    loss = run.history["loss"]
    start = loss[0] if run.start_loss is None else run.start_loss
    rounding = 1024.0 * float(np.finfo(run.state.w.dtype).eps) * abs(start)
    if not loss[-1] <= start + rounding:
        return f"{start:g} at the start, now {loss[-1]:g}"
    if not loss[-1] <= min(loss) + max(tol, rounding):
        return f"lowest {min(loss):g}, now {loss[-1]:g}"
    return ""
