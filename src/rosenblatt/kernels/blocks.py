"""Learning in the dual at the speed of matrix products: scores are kept, and corrected by what has changed since.

For a block of rows, u_i = Σ_j w_j·K(x_i, x_j) is known for all of them as it was; what has changed since is added by
one product of matrices, and inside of the block each step corrects the scores behind it. So the loop of all learners
runs on the scores of a block in the place of weights (`Panel`), and what it logs are the steps of the weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.dispatch import Kernel, loop_for
from ..core.loop import BIAS, CLOCK, FOLD, SCALE, SEEN, UPDATES, Keep, State, Steps, empty_keep, log_space
from ..core.rows import Array, Index
from ..errors import DataError

if TYPE_CHECKING:
    from .rows import KernelRows

BLOCK = 256
"""Rows that are scored together."""
WAITING = 512
"""Changed weights that each block brings in by itself, before all rows to come do."""
CHUNK = 1 << 20
"""Kernel values that are held at once."""


class Panel(NamedTuple):
    """A block of rows whose weights are their scores. products: (b, b) K, or (b, 0) where none scores after another's
    step. norms: (b,) K(x, x)."""

    products: Array
    norms: Array

    def dot(self, i: Index, w: Array) -> float:
        return w[i]  # type: ignore[no-any-return]

    def add(self, i: Index, a: float, w: Array) -> None:
        w[i] += a * self.norms[i]  # its own score, which a recorder looks at
        for j in range(np.int64(i) + 1, self.products.shape[1]):
            w[j] += a * self.products[i, j]

    def sq_norm(self, i: Index) -> float:
        return self.norms[i]  # type: ignore[no-any-return]

    def dots(self, i: Index, w: Array, out: Array) -> None:
        for k in range(out.size):
            out[k] = w[k, i]

    def add_to(self, i: Index, k: int, a: float, w: Array) -> None:
        w[k, i] += a * self.norms[i]
        for j in range(np.int64(i) + 1, self.products.shape[1]):
            w[k, j] += a * self.products[i, j]


def checked_norms(rows: KernelRows) -> Array:
    """(n,) K(x, x). DataError for one that is too large for sums, or less than 0, which no φ(x)·φ(x) is."""
    with np.errstate(all="ignore"):
        norms = rows.sq_norms()
    long = np.flatnonzero(~(np.abs(norms) <= (1e30 if rows.base.dtype == np.float32 else 1e290)))
    if long.size:
        found = f"row {long[0] + 1}: its K(x, x) is {norms[long[0]]:g}"
        text = f"too large for sums in {rows.base.dtype}; scale the features, or take another kernel"
        raise DataError(f"{found}, {text}")
    check_own(norms, 1e-6 * float(norms.max(initial=0.0)), rows.kernel.name)
    return norms


def check_own(norms: Array, room: float, name: str) -> None:
    """DataError where a K(x, x) is below 0 by more than rounding, the room."""
    below = np.flatnonzero(norms < -room)
    if below.size:
        found = f"row {below[0] + 1}: its K(x, x) is {norms[below[0]]:g}"
        raise DataError(f"kernel {name} is none: {found}; expected values ≥ 0, as of φ(x)·φ(x)")


class Scores:
    """The scores of all rows at the weights `w`, brought up to date when they are needed.

    f: (n, K). w: (K, s), as they were when the last change was noted. level: (n,) how many of `changes`, (columns,
    change), are in each row's.
    """

    def __init__(self, rows: KernelRows, classes: int) -> None:
        self.rows, self.f, self.w = rows, np.zeros((rows.n, classes)), np.zeros((classes, rows.width))
        self.level, self.changes = np.zeros(rows.n, np.int64), list[tuple[Array, Array]]()
        self.norms = checked_norms(rows)

    def note(self, w: Array, columns: Array) -> None:
        """These weights have changed."""
        self.changes.append((columns, w[:, columns] - self.w[:, columns]))
        self.w[:, columns] = w[:, columns]

    def bring(self, chosen: Array) -> None:
        """Bring the chosen rows up to date."""
        levels = self.level[chosen]
        for level in np.unique(levels[levels < len(self.changes)]):
            columns = np.concatenate([columns for columns, _ in self.changes[level:]])
            change = np.concatenate([change for _, change in self.changes[level:]], axis=1)
            used, place = np.unique(columns, return_inverse=True)
            total = np.zeros((len(change), used.size))
            np.add.at(total.T, place, change.T)
            self._add(chosen[levels == level], used, total)
        self.level[chosen] = len(self.changes)

    def bring_all(self) -> None:
        self.bring(np.arange(len(self.level)))
        self.level[:], self.changes = 0, []

    def of(self, chosen: Array, w: Array, columns: Array) -> Array:
        """(c, K) scores of chosen rows at w, which differs in these columns from what is noted."""
        if (self.level[chosen] < len(self.changes)).any():
            self.bring_all()
        out = self.f[chosen]
        if columns.size:
            change = w[:, columns] - self.w[:, columns]
            out += self.rows.block(chosen, columns) @ change.T
        return out

    def at(self, w: Array) -> Array:
        """(n, K) at these weights, (K, s) or (s,)."""
        w = np.atleast_2d(w)
        self.bring_all()
        columns = np.flatnonzero((w != self.w).any(axis=0))
        self.note(w, columns)
        self.bring_all()
        return self.f.copy()

    def scale(self, factor: float) -> None:
        self.bring_all()
        self.f *= factor
        self.w *= factor

    def _add(self, chosen: Array, columns: Array, change: Array) -> None:
        change, rows = change.T.astype(self.rows.base.dtype), self.rows
        # Of few columns all rows would be copied at once, 0.19 GB of MNIST.
        step = max(1, CHUNK // max(1, columns.size, rows.rows.size // max(1, rows.n)))
        # Summed in float64, an epoch of mnist, d = 4, took 3 % longer, and scores were off by 2 % less: 0.48 and not
        # 0.49 units of 2^−24·Σ|a_j|·K_j. It is the kernel's values that are rounded.
        for start in range(0, chosen.size, step):
            part = chosen[start : start + step]
            self.f[part] += rows.block(part, columns) @ change


class Blocks(NamedTuple):
    """What a walk through the blocks of an order needs. size: rows of a block of scores, in which no block of the steps
    is cut. own: the log of one."""

    inner: Any
    rule: Any
    steps: Steps
    state: State
    size: int
    own: Keep

    @classmethod
    def of(cls, inner: Any, rule: Any, steps: Steps, state: State, keep: Keep) -> Blocks:
        classes = state.b.size
        room = (keep.row.size - 2) // classes - 1 if keep.row.size else BLOCK  # so that an empty log takes a block
        size = max(steps.block, min(BLOCK, room) // steps.block * steps.block)
        own = log_space(empty_keep(state, keep.joint), (min(size, steps.order.size) + 1) * classes + 2)
        return cls(inner, rule, steps, state, size, own._replace(stop=keep.stop, until=keep.until))

    def learn(self, panel: Any, scores: Array, p: int, q: int) -> tuple[Any, Any, Array]:
        """(log, where, decay), as `steps_of` takes them, of the rows p to q of the order. scores: (K, q − p)."""
        state, steps = self.state, self.steps
        before = state.f[SCALE], state.f[CLOCK], float(state.n[SEEN])
        self.own.used[0] = 0
        inside = state._replace(w=scores if state.w.ndim == 2 else scores[0])
        decay = steps.decay[p:q] if steps.decay.size else steps.decay
        mine = steps._replace(
            y=steps.y[steps.order[p:q]], order=np.arange(q - p), c=steps.c[p:q], decay=decay, w=inside.w, b=state.b
        )
        done = self.inner(self.rule, panel, mine, inside, self.own, 0)
        used = int(self.own.used[0])
        log = tuple(getattr(self.own, name)[:used] for name in ("row", "cls", "coef"))
        return log, (done, steps.block, before, state.f[BIAS]), decay


def walk(loop: Any, rule: Any) -> Any:
    """A loop for kernel rows that takes what `loop` takes."""
    inner = loop_for(loop, rule, Panel(np.zeros((1, 1), np.float32), np.zeros(1)))

    def run(rule: Any, rows: KernelRows, steps: Any, state: State, keep: Any, start: int) -> int:
        classes, block, order = state.b.size, steps.block, steps.order
        kept = rows.kept(classes)
        w = state.w.reshape(classes, -1)
        kept.note(w, np.flatnonzero((w != kept.w).any(axis=0)))
        blocks = Blocks.of(inner, rule, steps, state, keep)
        own, size = blocks.own, blocks.size
        waiting, p = np.empty(0, np.int64), start
        while p < order.size:
            q = min(p + size, order.size)
            if keep.row.size and keep.used[0] + (q - p + 1) * classes + 2 > keep.row.size:
                break
            chosen = order[p:q]
            scores = np.ascontiguousarray(kept.of(chosen, w, waiting).T)
            panel = Panel(rows.between(chosen, block < q - p), kept.norms[chosen])
            log, where, decay = blocks.learn(panel, scores, p, q)
            done, used = where[0], len(log[0])
            late = keep.late.reshape(classes, -1) if keep.late.size else np.empty((0, 0))
            apply_steps(log, rows.own[chosen], (w, late, keep.late_b), where, decay)
            folds = own.row[:used] < 0
            for factor in own.coef[:used][folds]:
                kept.scale(float(factor))
            if keep.row.size:
                _log(keep, own, used, chosen)
            waiting = np.unique(np.concatenate([waiting, rows.own[chosen[own.row[:used][~folds]]]]))
            if folds.any():
                waiting = np.flatnonzero((w != kept.w).any(axis=0))
            p += done
            if waiting.size > WAITING:
                kept.note(w, waiting)
                waiting = np.empty(0, np.int64)
                kept.bring(np.unique(order[p:]))
            if p < q or 0 < keep.until <= state.n[UPDATES]:
                break
        kept.note(w, waiting)
        return p

    return run


def _log(keep: Any, own: Any, used: int, chosen: Array) -> None:
    at = int(keep.used[0])
    to = slice(at, at + used)
    keep.row[to] = np.where(own.row[:used] < 0, -1, chosen[own.row[:used]])
    for name in ("cls", "coef", "scale", "count"):
        getattr(keep, name)[to] = getattr(own, name)[:used]
    keep.used[0] = at + used


def steps_of(log: Any, own: Array, into: Any, where: Any, decay: Array) -> None:
    """The logged steps of one block of rows, made in `into`: w, late, late_b. where: rows done, rows a step, (scale,
    clock, seen) before, bias."""
    row, cls, coef = log
    w, late, late_b = into
    done, block, (scale, clock, seen), bias = where
    averaged, t, p = late.size > 0, 0, 0
    while p < done:
        q = min(p + block, done)
        count = q - p
        late_clock, late_seen, after = clock + (count - 1.0) * scale, seen + count - 1, scale
        if decay.size > 0:
            after *= decay[p]
        while t < row.size and row[t] >= 0 and row[t] < q:
            j, k = own[row[t]], cls[t]
            w[k, j] += coef[t]
            if averaged:
                late[k, j] += coef[t] * late_clock
                late_b[k] += coef[t] * after * bias * late_seen
            t += 1
        seen, scale, clock = late_seen + 1, after, late_clock + after
        if scale < FOLD:  # not where the log has it: the rows before it may have made no step
            if averaged:
                late -= clock * w
            w *= coef[t]
            scale, clock, t = 1.0, 0.0, t + 1
        p = q


apply_steps = Kernel(steps_of)
