"""Learning in the dual with at most so many rows that have weights: others take part by their shadows on those.

A row that makes a step is taken in while there is room, and while φ(x) is not nearly in the span of those that are in
already. Else its step is made with the nearest point of the span in its place,

    P φ(x) = Σ_j d_j·φ(x_j),   K d = k,   K the kernel of those that are in with each other, k with x,

so that w stays in the span, nothing is ever taken out again, and averages are those of all weights. Source: Projectron
(Orabona, Keshet & Caputo 2009, "Bounded kernel-based online learning", JMLR 10), with a most beside its bound on the
distance. `python benchmarks/kernel_streams.py budgets` has what was tried beside it: one pass over 10,000 rows, errors
of the averaged (of the last) perceptron on 5,000 others in per cent:

    budget 100                            checkerboard     mnist, even or odd    a9a
    none                                   2.74  (8.28)     3.22  (4.86)         14.76 (17.92)
    the first ones, then no more steps    16.96 (34.40)    13.02 (15.24)         17.24 (19.58)
    the oldest goes                       29.64 (21.78)    51.06 (14.94)         24.06 (23.26)
    a random one goes (RBP)               40.50 (40.82)    51.06 (23.26)         75.94 (24.06)
    the one of the least |a|·√K goes      42.58 (19.28)    51.06 (26.58)         24.06 (23.26)
    that one is given to its nearest      10.60 (13.28)     7.90 (10.18)         18.04 (16.62)
    Forgetron                             22.38 (35.68)    51.06 (14.70)         24.06 (23.74)
    Projectron                             3.22  (7.76)     7.56  (7.82)         14.92 (17.10)

An average must leave out what goes, so that removals ruin it, and the last weights are no better. BOGD removes a random
one, too. Projectron++, which steps where the margin is too small, is the rule `margin` here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.dispatch import loop_for
from ..core.loop import UPDATES, State
from ..core.rows import Array, Index
from ..errors import SettingError
from .blocks import Blocks, Panel, apply_steps, checked_norms

if TYPE_CHECKING:
    from .rows import KernelRows

NEAR = 1e-3
"""A row is nearly in the span where less than this share of ‖φ(x)‖² lies outside of it."""


class Shadows(NamedTuple):
    """A block of rows whose weights are their scores, and which of them are taken in.

    products: (b, b) K of the rows with each other; norms: (b,) K(x, x). rest: (b, b) the same as products of what lies
    outside of the span, where its second row comes after the first. parts: (b, b) row i of one that was taken in: how
    much of what it added to the span is in each row from it on. room: (1,) how many more may be taken in.
    """

    products: Array
    norms: Array
    rest: Array
    parts: Array
    room: Array

    dot, sq_norm, dots = Panel.dot, Panel.sq_norm, Panel.dots  # type: ignore[misc]

    def add(self, i: Index, a: float, w: Array) -> None:
        take_in(self.norms, self.rest, self.parts, self.room, np.int64(i))
        for j in range(np.int64(i) + 1, w.size):
            w[j] += a * (self.products[i, j] - self.rest[i, j])

    def add_to(self, i: Index, k: int, a: float, w: Array) -> None:
        take_in(self.norms, self.rest, self.parts, self.room, np.int64(i))
        for j in range(np.int64(i) + 1, w.shape[1]):
            w[k, j] += a * (self.products[i, j] - self.rest[i, j])


def take_in(norms: Array, rest: Array, parts: Array, room: Array, i: Any) -> None:
    """Make row i one of the span, where it is to be; what lies outside then is reckoned anew for the rows behind it."""
    pivot = rest[i, i]
    if room[0] == 0 or pivot <= NEAR * norms[i]:
        return
    room[0] -= 1
    for j in range(i, norms.size):
        parts[i, j] = rest[i, j] / pivot
    for j in range(i + 1, norms.size):
        for k in range(j, norms.size):
            rest[j, k] -= parts[i, j] * rest[i, k]
    for j in range(i, norms.size):
        rest[i, j] = 0.0


class Span(NamedTuple):
    """The rows that have weights. columns: (s,) their numbers in the base. root, size: (s, s) L and (s, 1) S with
    S·L·Lᵀ·S their K with each other.

    Rows and models in memory keep it: made anew in each of 20 calls of 1,000 digits, with 2,000 of them, learning took
    9.6 s of CPU, and so 4.2. A model that was read makes it anew, which differs by rounding.
    """

    columns: Array
    root: Array
    size: Array

    @classmethod
    def of(cls, rows: KernelRows, columns: Array) -> Span:
        """The one that the rows have, where it is of these columns, else made anew."""
        if rows.span is not None and np.array_equal(np.sort(rows.span.columns), columns):
            return rows.span
        places, base = np.full(rows.width, -1), rows.own >= 0
        places[rows.own[base]] = np.flatnonzero(base)  # of rows that are given by their K, those of the base have none
        known = (places[columns] >= 0).all()
        own = rows.rows.take(places[columns]) if known else rows.base.take(columns)
        k = rows.kernel.block(own, rows.base.take(columns)).T.astype(float) if columns.size else np.empty((0, 0))
        return cls(columns, *rooted(rows, k, 0.0, columns.size))

    def seen_from(self, products: Array) -> Array:
        """(s, b) V with VᵀV what of the products of b rows lies in the span. products: (s, b) K with its rows."""
        return solved(self.root, products / self.size)

    def places(self, seen: Array) -> Array:
        """(s, b) d: the shadows as sums of its rows."""
        return solved(self.root, seen, turned=True) / self.size

    def more(self, rows: KernelRows, columns: Array, seen: Array, between: Array) -> Span:
        """With these m rows. seen: (s, m) as `seen_from` gives it; between: (m, m) K with each other."""
        root, size = rooted(rows, between, seen.T @ seen, self.columns.size)
        whole = np.block([[self.root, np.zeros(seen.shape)], [(seen / size.T).T, root]])
        return Span(np.concatenate([self.columns, columns]), whole, np.concatenate([self.size, size]))

    def moved(self, places: Array) -> Span | None:
        """The same in a base of other rows; places: where each of the old ones is, −1: gone. None where one is gone."""
        columns = places[self.columns]
        return self._replace(columns=columns) if (columns >= 0).all() else None


def rooted(rows: KernelRows, k: Array, seen: Any, before: int) -> tuple[Array, Array]:
    """(L, S) with S·L·Lᵀ·S = k − seen, S the roots of k's diagonal, (m, 1), but for the rounding of its values. before:
    how many are in already."""
    size = np.sqrt(k.diagonal())
    size = np.where(size > 0.0, size, 1.0)[:, None]
    whole = (k - seen) / size / size.T
    whole[np.diag_indices(len(whole))] += np.finfo(rows.rows.dtype).eps * (len(whole) + before)
    return np.linalg.cholesky(whole), size


def solved(root: Array, values: Array, turned: bool = False) -> Array:
    """x of L·x = values, or Lᵀ·x."""
    from scipy.linalg import solve_triangular

    return solve_triangular(root, values, trans=int(turned), lower=True, check_finite=False)  # type: ignore[no-any-return]


def walk_within(budget: int, loop: Any, rule: Any) -> Any:
    """As `walk`, with at most `budget` rows that have weights; no log is kept."""
    none = np.zeros((1, 1))
    inner = loop_for(loop, rule, Shadows(none, np.zeros(1), none, none, np.zeros(1, np.int64)))

    def run(rule: Any, rows: KernelRows, steps: Any, state: State, keep: Any, start: int) -> int:
        w = state.w.reshape(state.b.size, -1)
        late = keep.late.reshape(w.shape) if keep.late.size else w[:0]
        blocks = Blocks.of(inner, rule, steps, state, keep)
        checked_norms(rows)
        span = Span.of(rows, np.flatnonzero(np.concatenate([w, late]).any(axis=0)))
        if span.columns.size > budget:
            found = f"learning starts with {span.columns.size:,} support vectors"
            raise SettingError(f"{found}, and {{budget}} is the most that there may be", budget=budget)
        p = start
        while p < steps.order.size:
            q = min(p + blocks.size, steps.order.size)
            chosen, part = steps.order[p:q], rows.rows.take(steps.order[p:q])
            with_span = rows.block(chosen, span.columns).T.astype(float) if span.columns.size else np.zeros((0, q - p))
            products = rows.between(chosen, True).astype(float)
            seen = span.seen_from(with_span)
            room = np.array([max(0, budget - span.columns.size)])
            norms, rest = rows.kernel.own(part, rows.own[chosen]), products - seen.T @ seen
            panel = Shadows(products, norms, rest, np.zeros_like(products), room)
            log, where, decay = blocks.learn(panel, np.ascontiguousarray(w[:, span.columns] @ with_span), p, q)
            moved, s = np.unique(log[0][log[0] >= 0]), span.columns.size
            new = moved[panel.parts[moved, moved] > 0.0]
            both = [np.concatenate([each[:, span.columns], np.zeros((len(each), q - p))], axis=1) for each in (w, late)]
            apply_steps(log, s + np.arange(q - p), (*both, keep.late_b), where, decay)
            from_new = solved(panel.parts[np.ix_(new, new)].T, panel.parts[np.ix_(new, moved)], turned=True)
            from_old = span.places(seen[:, moved]) - span.places(seen[:, new]) @ from_new
            for whole, made in zip((w, late), both, strict=True):
                whole[:, span.columns] = made[:, :s] + made[:, s + moved] @ from_old.T
                whole[:, rows.own[chosen[new]]] = made[:, s + moved] @ from_new.T
            if new.size:
                span = span.more(rows, rows.own[chosen[new]], seen[:, new], products[np.ix_(new, new)])
            p += where[0]
            if p < q or 0 < keep.until <= state.n[UPDATES]:
                break
        rows.span = span
        return p

    return run
