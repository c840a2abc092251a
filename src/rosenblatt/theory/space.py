"""A kernel's space, as far as rows span it: no theorem asks for more of it than K(x, z) = φ(x)·φ(z).

The hyperplanes that matter are w = Σ a_j·φ(x_j) over the distinct rows, u(x_i) = Σ_j a_j·K(x_j, x_i) + b. So two sets
of plain columns say all of it:

values   row i is (K(x_i, x_j))_j, its weights are a. Σ λ_i y_i K(x_i, x_j) = 0 for all j is ‖Σ λ_i y_i φ(x_i)‖² = 0.
         So a proof about these rows is one about φ(x), and it is exact where K is: of whole numbers below 2⁵³. Where K
         is rounded, only scores count that are above all that this may have done to them: of 30 rows with labels by
         lot, in the space of 15 products, the rounded K had a hyperplane without an error, "checked exactly".
root     row i is L_i with L_i·L_j = K(x_i, x_j): as long, at the same angles. Margins, radius and runs are those of
         φ(x), up to `error`. Ties are not: L is rounded.

Source: N. Aronszajn, Theory of reproducing kernels (1950); C. Micchelli, Interpolation of scattered data (1986).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..core.rows import Array, Rows, dense, from_matrix
from ..errors import DataError, plural
from ..kernels import kernel_from, kernel_name
from ..kernels.rows import KernelRows, Numbered, known, rows_to_learn_from
from .problem import Problem, as_problem
from .proof.certificate import Certificate, Farkas, Separator
from .proof.integers import UNIT, bounded_margins

MOST = 64_000_000
"""Kernel values at most, of 8,000 different rows: 0.5 GB, and some five times as much while they are worked on."""
DIGITS = {"float64": 1e-12, "float32": 1e-6}
"""What a kernel is off by, of √(K(x, x)·K(z, z)), that does not say it itself, by the dtype of its rows."""
ALIKE = 1e-6
"""Share of the largest K(x, x) by which values may differ from those of a kernel: float32 has about 1e-7."""
BLOCK = 1 << 22
"""Values that are worked on at a time."""


@dataclass(frozen=True, eq=False, repr=False)
class Space:
    """What n rows span.

    kernel: fitted. given: the rows as they are. first: (u,) number of the first of each of u distinct rows. own: (n,)
    which of those each row is. values: (u, u) float64 K of these. rounding: (u,) r ≥ 0, K(x_i, x_j) is within r_i·r_j
    of its value.
    """

    kernel: Any
    given: Rows
    first: Array
    own: Array
    values: Array
    rounding: Array

    @classmethod
    def of(cls, rows: KernelRows) -> Space:
        """DataError where there are too many rows, or their values are of no kernel."""
        plain, name = rows.rows.without_duplicates(), kernel_name(rows.kernel)
        given = _with_equal_bits(plain)
        first, own = np.unique(known(given, given)[0], return_inverse=True)
        if len(first) * rows.n > MOST:
            many = f"{plural(rows.n, 'row')}, {len(first):,} of them different, have {len(first) * rows.n:,} values"
            raise DataError(f"{many} of kernel {name}, more than {MOST:,}; take fewer rows")
        distinct = given.take(first)
        double = KernelRows(rows.kernel, distinct, rows.base.astype(np.float64), rows.own[first])
        with np.errstate(over="ignore", invalid="ignore"):
            values = double.products(Numbered(double.own, np.array([rows.width])))
        _check(values, first, name)
        rounding = getattr(rows.kernel, "rounding", lambda _: _unknown(values, plain.dtype))(distinct)
        return cls(rows.kernel, plain, first, own, values, rounding)

    @property
    def name(self) -> str:
        """Of the kernel, with its parameters."""
        return kernel_name(self.kernel)

    @property
    def exact(self) -> bool:
        """Whether the values are K itself."""
        return not self.rounding.any()

    @property
    def definite(self) -> bool:
        """Whether K of distinct rows is positive definite, whatever the rows are: then any labels can be had."""
        return bool(getattr(self.kernel, "definite", False))

    @cached_property
    def _factor(self) -> tuple[Array, Array]:
        """(pivots, L): (r,) distinct rows that span the space as far as floats tell, (u, r) L·Lᵀ = K."""
        from scipy.linalg.lapack import dpstrf

        lower, order, rank, _ = dpstrf(self.values.T, lower=1)
        root = np.empty((len(self.first), rank))
        root[order - 1] = np.tril(lower)[:, :rank]
        return order[:rank] - 1, root

    @property
    def pivots(self) -> Array:
        """(r,) places of the distinct rows that span the space, as far as floats tell. DataError as of `root`."""
        return self._factor[0] if self.root.size else np.zeros(0, np.int64)

    @cached_property
    def root(self) -> Array:
        """(u, r) L. DataError where no such rows have these products: the values are those of no kernel."""
        if not self.definite and self._off > ALIKE * self.largest:
            why = f"no rows of any space have these products; K differs from all that have by {self._off:.2g}"
            raise DataError(f"kernel {self.name} is none: {why}; its matrix must have no eigenvalue below 0")
        return self._factor[1]

    @property
    def largest(self) -> float:
        """R² = max K(x, x)."""
        return float(self.values.diagonal().max(initial=0.0))

    @cached_property
    def _off(self) -> float:
        """max |L·Lᵀ − K|, as floats have it."""
        root, off, size = self._factor[1], 0.0, max(1, BLOCK // max(1, len(self.first)))
        for start in range(0, len(root), size):
            part = slice(start, start + size)
            off = max(off, float(np.abs(root[part] @ root.T - self.values[part]).max(initial=0.0)))
        return off

    @property
    def error(self) -> float:
        """What L_i·L_j may be away from K(x_i, x_j), at the most."""
        rounded = 2.0 * (self.root.shape[1] + 2) * UNIT * self.largest
        return self._off + rounded + float(self.rounding.max(initial=0.0)) ** 2

    def vector(self, a: Array) -> Array:
        """(r,) w = Σ a_j·φ(x_j) as a row of L is φ(x). a: (u,)."""
        return np.asarray(self.root.T @ a)

    def weights(self, w: Array) -> Array:
        """(u,) a, of rows that span the space alone, with Σ a_j·φ(x_j) as a row of L: the inverse of `vector`."""
        from scipy.linalg import solve_triangular

        pivots, root = self._factor
        a = np.zeros(len(self.first))
        with np.errstate(all="ignore"):
            a[pivots] = solve_triangular(root[pivots], w, trans=1, lower=True, check_finite=False)
        return a

    def length(self, a: Array) -> float:
        """‖w‖ = √(aᵀKa), from L: far from 0 or not, it is not the root of a difference."""
        return float(np.linalg.norm(self.vector(a)))

    def combined(self, rows: Array, a: Array) -> Array:
        """(u,) weights of the distinct rows, of weights of rows by their numbers."""
        return np.bincount(self.own[rows], a, len(self.first)).astype(float)

    def through(self, y: Array) -> Array:
        """(u,) weights for which the score of each row that spans the space is its sign. y: (n,)."""
        from scipy.linalg import cho_solve

        pivots, root = self._factor
        a = np.zeros(len(self.first))
        with np.errstate(all="ignore"):
            a[pivots] = cho_solve((root[pivots], True), y[self.first[pivots]], check_finite=False)
        return a

    def contradiction(self, y: Array) -> Array:
        """Numbers of the first two rows that are equal and have other signs; none."""
        for side in (1.0, -1.0):
            there = np.zeros(len(self.first), bool)
            there[self.own[y == side]] = True
            against = np.flatnonzero(there[self.own] & (y != side))
            if len(against):
                return np.array([np.flatnonzero((self.own == self.own[against[0]]) & (y == side))[0], against[0]])
        return np.zeros(0, np.int64)

    def allows(self, problem: Problem, proof: Certificate) -> bool:
        """Whether a proof about `values` is one about K, from which they are rounded: each y·u of a hyperplane is above
        what that may have done, and multipliers cancel out on each distinct row."""
        if self.exact:
            return True
        if isinstance(proof, Farkas):
            rows, sums = np.array(proof.rows), np.zeros(len(self.first), object)
            np.add.at(sums, self.own[rows], np.array(proof.multipliers, object) * problem.y[rows].astype(int))
            return not sums.any()
        if not isinstance(proof, Separator):
            return False
        w, b = proof.floats()
        margins, bound = bounded_margins(problem, w, b)
        off = self.rounding * float(np.abs(w) @ self.rounding) * (1.0 + 1e-9)
        return bool((margins - bound > off[self.own]).all())


def in_kernel(X: Any, y: Any, kernel: Any, fit_intercept: bool = True, positive: Any = None) -> Problem:
    """The problem of rows φ(x) in a kernel's space, for `separable`, `max_margin` and `minimum_error`.

    Weights of what they find are a, one for each distinct row x_j of X in the order in which it comes first: the
    hyperplane is Σ_j a_j·K(x_j, x) + b = 0, margins are divided by ‖w‖ = √(aᵀKa), and `problem.x` is (n, u) K. A
    `Ledger` needs no problem: it follows `KernelPerceptron` and others by itself.

    X: (n, d) rows as of `as_problem`, or a `Problem`, in which case y, fit_intercept and positive are not looked at; of
    kernel "precomputed" (n, n) K. y: (n,) labels. kernel: a name ("rbf", "poly:degree=2"), a function of two arrays, or
    a kernel. fit_intercept: default True, u has an offset b; False: through the origin of the space. positive: as of
    `as_problem`. K is computed in float64; exact where whole numbers make it so (see `problem.space.exact`). Raises
    DataError as `as_problem`, for more than 6.4e7 values of K, and for those of no kernel (not symmetric, or with an
    eigenvalue below 0); SettingError for a kernel that there is not.
    """
    problem = as_problem(X, y, fit_intercept, positive)
    kernel = kernel_from(kernel)
    return problem if kernel is None else in_space(problem, Space.of(rows_to_learn_from(kernel, problem.rows)))


def in_space(problem: Problem, space: Space) -> Problem:
    """The same rows by `values`."""
    own = space.own
    whole = len(own) == len(space.first)
    values = space.values if whole and (own == np.arange(len(own))).all() else space.values[own]
    names = [f"row {number}" for number in problem.numbered(space.first).tolist()]
    return problem._replace(rows=dense(values), names=names, space=space)


def in_lengths(problem: Problem) -> Problem:
    """The same rows by `root`, as plain columns; a problem of plain columns itself."""
    space = problem.space
    return problem if space is None else problem._replace(rows=dense(space.root[space.own]), names=None, space=None)


def _with_equal_bits(rows: Rows) -> Rows:
    """Where rows are equal, in float64: none has −0, and sparse ones hold no 0."""
    held = rows.astype(np.float64).matrix()
    if isinstance(held, np.ndarray):
        return dense(held + 0.0)
    held = held.copy()
    held.eliminate_zeros()
    return from_matrix(held)


def _check(values: Array, first: Array, name: str) -> None:
    """Makes values symmetric to the last bit. DataError where they are far from it, or not finite."""
    for finite in np.isfinite(values.diagonal()), np.isfinite(values).all(axis=1):
        if finite.all():
            continue
        row = int(first[np.flatnonzero(~finite)[0]]) + 1
        raise DataError(f"row {row}: kernel {name} has values there that float64 does not hold; scale the features")
    room = ALIKE * float(np.abs(values.diagonal()).max(initial=0.0))
    for i in range(len(values)):
        above, below = values[i, i + 1 :], values[i + 1 :, i]
        off = np.abs(above - below)
        if off.max(initial=0.0) > room:
            j = i + 1 + int(off.argmax())
            here, there = f"{values[i, j]:g}", f"{values[j, i]:g}"
            rows = f"of rows {first[i] + 1:,} and {first[j] + 1:,}"
            raise DataError(f"kernel {name} is none: K {rows} is {here}, and the other way round {there}")
        above[:] = below


def _unknown(values: Array, dtype: np.dtype[Any]) -> Array:
    """The rounding of a kernel that does not say it."""
    if (values == np.rint(values)).all() and np.abs(values).max(initial=0.0) < 2.0**53:
        return np.zeros(len(values))
    return np.sqrt(DIGITS[dtype.name] * np.abs(values.diagonal()))
