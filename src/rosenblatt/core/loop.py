"""The loop: every learner of the family, dense or sparse, online, mini-batch or batch.

    score a block of rows at the same weights;  decay;  w ← w + Σ a·x,  b ← b + Σ a,  with  a = c·step(u, y, ‖x̄‖²)/m

where m is the size of the block (1 when online, n for batch) and c = η_t times the example's weight. What survives of
the path of the weights (averages, the log of updates, a stop at record runs) is data that the loop fills. A block may
be cut into parts, a part a call: all are scored at the weights before it, and their steps go into other weights.

`learn` is for two classes, `learn_many` for K, all scored in one pass over each row. These are two loops, because one
loop run with K = 1 cost two classes 1.95 times on sparse rows. One pass for ten classes
gives the same weights, bit for bit, as ten fits, in a fifth (dense) to half (sparse) of their time.
"""

from typing import Any, NamedTuple

import numpy as np

from .rows import Array, Index
from .verbs import add, add_to, closed, dot, dots, entry, loss, records, sq_norm, step
from .verbs import steps as all_steps

# Places in State.f and State.n.
SCALE, CLOCK, BIAS, LOSS, LOSS_WEIGHT = 0, 1, 2, 3, 4
SEEN, UPDATES, MISTAKES, RUN, RECORD = 0, 1, 2, 3, 4
FOLD = 0.01
"""The scale is multiplied into the weights below this; further down the averages lose digits."""


class State(NamedTuple):
    """All that learning changes. Saved whole, it is exact resume.

    w: (d,), or (K, d) dense and (d, K) sparse for K classes; the data's dtype. True weights are f[SCALE]·w.
    b: (1,) or (K,) float64; the bias, which L2 does not shrink.
    f: float64: SCALE s; CLOCK Σ s over the examples; BIAS 1, or 0 through the origin; LOSS Σ c·loss and
       LOSS_WEIGHT Σ c since they were reset.
    n: int64: SEEN t; UPDATES; MISTAKES; RUN of right answers now, and the longest, RECORD.
    m: (2, K) int64: mistakes of each class; right answers since its last one.

    Empty, where no metric shapes the steps (see `columns`): c: (s, K·d), the s = 1 or 2 numbers that it remembers of
    each weight, in the data's dtype and as they lie; c_b: (s, K) float64, of the bias; past: (3,) float64, of the rows.
    pulled: (2, K·d) float64, where the pull of L1 stood when it last met each weight, and how strongly it pulls there;
    empty without L1.
    """

    w: Array
    b: Array
    f: Array
    n: Array
    m: Array
    c: Array
    c_b: Array
    past: Array
    pulled: Array


PLAINLY = State._fields[:5]
"""What there is of every state, whatever shapes the steps."""


class Keep(NamedTuple):
    """What the memories ask the loop to keep. An empty array is a memory that is off.

    late, late_b: float64 like w and b; Σ step·clock, so that the average is (S·w − late)/t for O(nnz) a step.
    row, cls: int32 row and class of each logged step; row −1: the scale was folded into the weights.
    coef: float64 its raw coefficient (the true one over scale); scale: float64 s after it.
    count: int64; ≥ 0: a mistake, after which a new weight vector starts, and how long the last one survived; −1: none.
    used: (1,) int64, how much of the log is filled.
    stop: return before a mistake that ends the longest run so far. until: return at this many updates (0: never).
    joint: many classes make one vector together (multi-class perceptron), not one each.
    """

    late: Array
    late_b: Array
    row: Array
    cls: Array
    coef: Array
    scale: Array
    count: Array  # type: ignore[assignment]
    used: Array
    stop: bool
    until: int
    joint: bool


class Steps(NamedTuple):
    """Which rows to learn from, and how.

    y: (n,) float64 ±1, or class numbers 0 … K−1. order: (m,) int64. c: (m,) float64 η_t·weight by position. decay: (m,)
    float64 1 − η_t·λ by position, or empty. a: (block,) or (block, K) float64 scratch. block: rows scored at the same
    weights. whole: rows of the one block that these are a part of, 0 where blocks are whole; last: no other part
    follows. w, b: where the steps go: the state's own, but of parts others, which become the state's after the last.
    carry: (1 + K,) int64, steps and each class's mistakes in the parts before. rate: with a metric (m,) η by position;
    c is then the weight alone, and w, b gather the gradient of a block.
    """

    y: Array
    order: Array
    c: Array
    decay: Array
    a: Array
    block: int
    whole: int
    last: bool
    w: Array
    b: Array
    carry: Array
    rate: Array


def log(keep: Keep, row: Index, cls: int, coef: float, scale: float) -> int:
    """Write one step into the log; returns its place."""
    at = keep.used[0]
    keep.row[at], keep.cls[at], keep.count[at] = row, cls, -1
    keep.coef[at], keep.scale[at] = coef, scale
    keep.used[0] = at + 1
    return at  # type: ignore[no-any-return]


def mark(keep: Keep, at: int, row: Index, cls: int, scale: float, survived: int) -> None:
    """A block with a mistake has ended: note in the log how many right answers the weights before it survived.

    at: the place of the last step of the block, −1 where it made none.
    """
    if at < 0:
        at = log(keep, row, cls, 0.0, scale)
    keep.count[at] = survived


def fold(keep: Keep, w: Array, scale: float, clock: float) -> None:
    """Multiply the scale into the weights; late takes in the sum so far, so that the clock can start at 0 again.

    A function of its own, called where it is needed only: `w *= scale` in the loop makes numba count references in
    every step, 8 ns each, and so does handing `keep` to a function in every step, 28 ns.
    """
    flat, late_flat = w.ravel(), keep.late.ravel()
    factor = w.dtype.type(scale)
    for j in range(late_flat.size):
        late_flat[j] -= clock * flat[j]
    for j in range(flat.size):
        flat[j] *= factor
    if keep.row.size > 0:
        log(keep, -1, -1, scale, 1.0)


def learn(rule: Any, rows: Any, steps: Steps, state: State, keep: Keep, start: int) -> int:
    """Learn from rows order[start:], block by block; returns the next position (len(order) when done).

    Returns early when the log is full or `keep` asks for a stop.
    """
    y, order, c, decay, a, block, whole, last, into, into_b, carry, _ = steps
    w, b, f, n, m, _, _, _, _ = state
    averaged, logged, decaying = keep.late.size > 0, keep.row.size > 0, decay.size > 0
    scale, clock, bias, bias_weight, bias_next = f[SCALE], f[CLOCK], f[BIAS], b[0], into_b[0]
    seen, run, record, survived = n[SEEN], n[RUN], n[RECORD], m[1, 0]
    # Summed on from what is there, not added at the end: a run stopped in mid-epoch rounds as one that was not.
    total_loss, total_weight = f[LOSS], f[LOSS_WEIGHT]
    updates, mistakes, moved, missed, at = 0, 0, carry[0], carry[1], -1
    p = start
    while p < order.size:
        q = min(p + block, order.size)
        if logged and keep.used[0] + (q - p) + 1 > keep.row.size:
            break
        count = whole if whole > 0 else q - p
        size = float(count)
        block_loss, block_weight, block_mistakes, block_moved = 0.0, 0.0, 0, 0
        block_run, longest = run, record
        for r in range(p, q):
            i = np.uint64(order[r])
            u = scale * dot(rows, i, w) + bias_weight
            g = step(rule, u, y[i], sq_norm(rows, i) + bias) * c[r] / size
            a[r - p] = g
            block_loss += loss(rule, u, y[i]) * c[r]
            block_weight += c[r]
            if g != 0.0:
                block_moved += 1
            if y[i] * u <= 0.0:
                block_mistakes += 1
                longest = max(longest, block_run)
                block_run = 0
            else:
                block_run += 1
        if keep.stop and longest > record:
            record = longest
            break
        run, record = block_run, max(record, longest)
        total_loss += block_loss
        total_weight += block_weight
        mistakes += block_mistakes
        missed += block_mistakes
        survived += (q - p) - block_mistakes
        # Where clock, t and scale stand when the steps of the block are made, all at its last row.
        late_clock, late_seen, after = clock + (size - 1.0) * scale, seen + count - 1, scale
        if decaying:
            after *= decay[p]
        if block_moved > 0:
            moved += block_moved
            for r in range(p, q):
                g = a[r - p]
                if g != 0.0:
                    add(rows, np.uint64(order[r]), g / after, into)
                    bias_next += g * bias
                    if averaged:
                        add(rows, np.uint64(order[r]), g / after * late_clock, keep.late)
                        keep.late_b[0] += g * bias * late_seen
                    if logged:
                        at = log(keep, order[r], 0, g / after, after)
        if records(rule) and block_moved > 0:
            for r in range(p, q):
                if a[r - p] != 0.0:
                    u = after * dot(rows, np.uint64(order[r]), w) + bias_next if whole == 0 else np.nan
                    entry(rule, q - r, 0, a[r - p], u, bias_next)
            closed(rule, into, (after, after / scale), late_seen + 1, n[MISTAKES] + mistakes)
        if whole == 0 or last:
            if moved > 0:
                updates += 1
            if missed > 0:
                if logged:
                    mark(keep, at, order[p], 0, after, survived)
                survived = 0
            bias_weight, seen = bias_next, late_seen + 1
            scale, clock = after, late_clock + after
            if scale < FOLD:
                fold(keep, into, scale, clock)
                scale, clock = 1.0, 0.0
            moved, missed, at = 0, 0, -1
        p = q
        if keep.until > 0 and n[UPDATES] + updates >= keep.until:
            break
    into_b[0] = bias_next
    f[SCALE], f[CLOCK] = scale, clock
    f[LOSS], f[LOSS_WEIGHT] = total_loss, total_weight
    n[SEEN], n[RUN], n[RECORD] = seen, run, record
    n[UPDATES] += updates
    n[MISTAKES] += mistakes
    m[0, 0] += mistakes
    m[1, 0] = survived
    carry[0], carry[1] = moved, missed
    return p


def empty_keep(state: State, joint: bool = False) -> Keep:
    """A `Keep` with every memory off; its arrays have as many dimensions as the state's (one compiled type for all)."""
    none, small, large = np.empty(0), np.empty(0, np.int32), np.empty(0, np.int64)
    late = np.empty((0,) * state.w.ndim)
    return Keep(late, none, small, small, none, none, large, np.zeros(1, np.int64), False, 0, joint)


def new_state(shape: tuple[int, ...], classes: int, dtype: Any, bias: float) -> State:
    """Zero weights of this shape; bias: 1, or 0 for learning through the origin."""
    f, n, m = np.array([1.0, 0.0, bias, 0.0, 0.0]), np.zeros(5, np.int64), np.zeros((2, classes), np.int64)
    none, two = np.empty(0), np.empty((2, 0))
    return State(np.zeros(shape, dtype), np.zeros(classes), f, n, m, two.astype(dtype), two, none, two)


def log_space(keep: Keep, room: int) -> Keep:
    """The same with room for so many logged steps."""
    row, cls, count = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int64)
    return keep._replace(row=row, cls=cls, coef=np.empty(room), scale=np.empty(room), count=count)


class OneVsRest(NamedTuple):
    """Any two-class rule for K classes: class k learns its own rows (+1) against all others (−1)."""

    rule: Any

    def steps(self, u: Array, y: int, sq_norm: float, a: Array, wrong: Array) -> float:
        total = 0.0
        for k in range(u.size):
            label = 1.0 if k == y else -1.0
            a[k] = step(self.rule, u[k], label, sq_norm)
            wrong[k] = 1 if label * u[k] <= 0.0 else 0
            total += loss(self.rule, u[k], label)
        return total


def learn_many(rule: Any, rows: Any, steps: Steps, state: State, keep: Keep, start: int) -> int:
    """Learn K classes from rows order[start:]; returns the next position. As `learn`."""
    y, order, c, decay, a, block, whole, ends, into, into_b, carry, _ = steps
    w, b, f, n, m, _, _, _, _ = state
    classes = b.size
    averaged, logged, decaying = keep.late.size > 0, keep.row.size > 0, decay.size > 0
    scale, clock, bias = f[SCALE], f[CLOCK], f[BIAS]
    raw, u, wrong = np.empty(classes, w.dtype), np.empty(classes), np.empty(classes, np.uint8)
    last = np.full(classes, -1)
    block_missed, missed = np.empty(classes, np.int64), carry[1:]
    p = start
    while p < order.size:
        q = min(p + block, order.size)
        if logged and keep.used[0] + (q - p + 1) * classes + 1 > keep.row.size:
            break
        count = whole if whole > 0 else q - p
        size = float(count)
        block_loss, block_weight, moved = 0.0, 0.0, 0
        block_run, longest = n[RUN], n[RECORD]
        block_missed[:] = 0
        for r in range(p, q):
            i = np.uint64(order[r])
            dots(rows, i, w, raw)
            for k in range(classes):
                u[k] = scale * raw[k] + b[k]
            out = a[r - p]
            block_loss += all_steps(rule, u, int(y[i]), sq_norm(rows, i) + bias, out, wrong) * c[r]
            block_weight += c[r]
            any_wrong = False
            for k in range(classes):
                out[k] *= c[r] / size
                if out[k] != 0.0:
                    moved += 1
                if wrong[k] != 0:
                    block_missed[k] += 1
                    any_wrong = True
            if any_wrong:
                longest = max(longest, block_run)
                block_run = 0
            else:
                block_run += 1
        if keep.stop and longest > n[RECORD]:
            n[RECORD] = longest
            break
        n[RUN], n[RECORD] = block_run, longest
        f[LOSS] += block_loss
        f[LOSS_WEIGHT] += block_weight
        for k in range(classes):
            n[MISTAKES] += block_missed[k]
            m[0, k] += block_missed[k]
            missed[k] += block_missed[k]
        late_clock, late_seen, after = clock + (size - 1.0) * scale, n[SEEN] + count - 1, scale
        if decaying:
            after *= decay[p]
        if moved > 0:
            carry[0] += moved
            for r in range(p, q):
                i = np.uint64(order[r])
                for k in range(classes):
                    g = a[r - p, k]
                    if g != 0.0:
                        add_to(rows, i, k, g / after, into)
                        into_b[k] += g * bias
                        if averaged:
                            add_to(rows, i, k, g / after * late_clock, keep.late)
                            keep.late_b[k] += g * bias * late_seen
                        if logged:
                            last[k] = log(keep, i, k, g / after, after)
        if records(rule) and moved > 0:
            for r in range(p, q):
                dots(rows, np.uint64(order[r]), w, raw)
                for k in range(classes):
                    if a[r - p, k] != 0.0:
                        u[k] = after * raw[k] + into_b[k] if whole == 0 else np.nan
                        entry(rule, q - r, k, a[r - p, k], u[k], into_b[k])
            closed(rule, into, (after, after / scale), late_seen + 1, n[MISTAKES])
        if logged:
            survive(keep, m, block_missed, q - p)
        if whole == 0 or ends:
            if carry[0] > 0:
                n[UPDATES] += 1
            if logged:
                ended(keep, m, missed, last, order[p], after)
            n[SEEN] = late_seen + 1
            scale, clock = after, late_clock + after
            if scale < FOLD:
                fold(keep, into, scale, clock)
                scale, clock = 1.0, 0.0
            carry[:] = 0
            last[:] = -1
        p = q
        if keep.until > 0 and n[UPDATES] >= keep.until:
            break
    f[SCALE], f[CLOCK] = scale, clock
    return p


def survive(keep: Keep, m: Array, missed: Array, rows: int) -> None:
    """Count the right answers of so many rows: of each class, or of the vectors that the classes make together."""
    for k in range(1 if keep.joint else missed.size):
        m[1, k] += rows - (missed.sum() if keep.joint else missed[k])


def ended(keep: Keep, m: Array, missed: Array, last: Array, row: Index, scale: float) -> None:
    """`mark` for each class that made a mistake in the block that has ended, or once for all."""
    for k in range(1 if keep.joint else missed.size):
        if (missed.sum() if keep.joint else missed[k]) > 0:
            mark(keep, last.max() if keep.joint else last[k], row, k, scale, m[1, k])
            m[1, k] = 0
