"""Wide data: the logistic loss has a least value exactly where no hyperplane is without an error.

At its minimum Σ λᵢ zᵢ = 0 with λᵢ = 1/(1 + exp(zᵢ·w)) > 0, which is nearly Farkas' proof; where there is no minimum the
weights grow until all zᵢ·w > 0. Newton's method finds out in some 10 to 60 steps, on a part of the rows to which those
are added that its weights get wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...core.rows import Array
from .hunt import Hunt

STEPS = 120
CONVERGED = 1e-14
"""|Σ λ z| as a share of Σ λ, at which the multipliers are as good as floats get."""
RIDGE = 1e-12
"""Of the mean curvature, added so that the equations can be solved where columns depend on each other."""

NARROW = 300
"""Columns up to which the linear program makes a proof of what this method finds: on far fewer rows, for 0.02 s at 120
columns; at 1e3 it takes minutes."""
FIRST = 6
"""Times the width: rows to begin with. Fewer are mostly separable by chance."""
ADDED = 10
"""Times the width: rows added in a round at the most."""
MOST = 60_000_000
"""Numbers of the rows looked at together, 500 MB."""
ROUNDS = 60
NEARLY = 1e-7
"""Residual from which multipliers may be made exact."""


class Minimum(NamedTuple):
    """weights: (c,). multipliers: (k,) λ; residual: max|Σ λ z| / Σ λ. wrong: how many rows have z·w ≤ 0."""

    weights: Array
    multipliers: Array
    residual: float
    wrong: int


def minimise(z: Array, start: Array | None, running: Callable[[], bool]) -> Minimum:
    """Newton's method on Σ log(1 + exp(−z·w)), until no row is wrong, or the gradient is 0, or it gets no further.

    z: (k, c) signed rows. start: (c,) weights to begin with. running: False when time is up.
    """
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    k, c = z.shape
    w = np.zeros(c) if start is None else start.copy()
    u = z @ w
    value, best = _loss(u), np.inf
    minimum = Minimum(w, np.full(k, 0.5), np.inf, k)
    stale = 0
    for _ in range(STEPS):
        lam = _logistic(-u)
        gradient = lam @ z
        if not np.isfinite(gradient).all():
            break
        curved = z * np.sqrt(lam * (1.0 - lam))[:, None]
        square = curved.T @ curved
        square[np.diag_indices(c)] += RIDGE * square.trace() / c + 1e-300
        try:
            step = cho_solve(cho_factor(square, overwrite_a=True, check_finite=False), gradient)
        except LinAlgError:
            break
        along, length = z @ step, 1.0
        wanted = float(gradient @ step)
        while (new := _loss(u + length * along)) > value - 1e-4 * length * wanted + 1e-12 * value and length > 1e-6:
            length /= 2
        w, u, value = w + length * step, u + length * along, new
        lam = _logistic(-u)
        residual = float(np.abs(lam @ z).max(initial=0.0) / lam.sum()) if lam.any() else np.inf
        minimum = Minimum(w, lam, residual, int((u <= 0).sum()))
        stale = 0 if residual < 0.9 * best else stale + 1
        best = min(best, residual)
        # Near the limits of floats the residual only goes up and down; far from them Newton's method has its detours.
        if not minimum.wrong or residual < CONVERGED or (best < 1e-11 and stale >= 3) or not running():
            break
    return minimum


def _loss(u: Array) -> float:
    return float(np.logaddexp(0.0, -u).sum())


def _logistic(u: Array) -> Array:
    e = np.exp(-np.abs(u))
    return np.asarray(np.where(u >= 0, 1.0, e) / (1.0 + e))


def generate(hunt: Hunt) -> None:
    """Look at more and more rows until there is a hyperplane, or none for these, or time is up.

    Rows without a hyperplane are left to the linear program, unless there are too many columns for it.
    """
    view, active = hunt.view, hunt.view.active
    width, limit = view.width, max(1, MOST // view.width)
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permutation(active)[: min(len(active), FIRST * width, limit)])
    weights = None
    for _ in range(ROUNDS):
        hunt.say(f"Newton's method, {len(rows):,} rows")
        z, s = view.signed(rows)
        minimum = minimise(z.toarray(), weights, hunt.running)
        if minimum.wrong:
            if minimum.residual < NEARLY:
                hunt.contradictory = rows
                if width > NARROW:
                    hunt.multipliers(rows, minimum.multipliers * s)
            break
        weights = minimum.weights
        margins = view.margins(weights)
        if hunt.separator(weights, margins):
            break
        bad = np.flatnonzero(margins <= 0)
        new = np.setdiff1d(active[bad[np.argsort(margins[bad])[: ADDED * width]]], rows)
        if not new.size or len(rows) + len(new) > limit or not hunt.running():
            break
        rows = np.union1d(rows, new)
        weights = weights / 2  # long weights make the loss flat where new rows pull; half of them were soon found again
    if not hunt.contradictory.size or width > NARROW:
        hunt.failed(f"Newton's method on the logistic loss, {len(rows):,} rows")
