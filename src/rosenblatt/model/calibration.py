"""Scores → probabilities: increasing curves, fitted to scores of rows that were not learned from."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array
from ..errors import SettingError
from ..parameters import CALIBRATIONS

FLATTEST = 1e-3
"""The least slope of a sigmoid, in log-odds a standard deviation of the scores. Where the scores say nothing, or the
opposite, the probabilities are then the classes' shares, and larger scores still speak for the class."""
TILT = 1e-6
"""What an isotonic curve rises by over the range of its scores, besides its steps: no ties, ranks and AUC are kept."""
MOST = 1e300
"""Log-odds are cut here, so that logarithms of probabilities stay finite."""


class Curve(NamedTuple):
    """log-odds(s) = slope·s + what the knots say (linear between them, constant beyond), with s = u − middle.

    middle: the score of even odds: log-odds(0) = 0, and their sign is that of s. scores, odds: (m,) the knots, rising;
    none for a sigmoid.
    """

    middle: float
    slope: float
    scores: Array
    odds: Array

    def log_odds(self, s: Array) -> Array:
        """(n,) float64 from s (n,)."""
        s = np.asarray(s, np.float64)
        with np.errstate(over="ignore"):
            out = self.slope * s
        if self.scores.size:
            steps = np.interp(s, self.scores, self.odds)
            out = out + np.where(s > 0.0, np.maximum(steps, 0.0), np.minimum(steps, 0.0))
        return np.clip(out, -MOST, MOST)


@dataclass(frozen=True)
class Calibration:
    """A curve a class; with two classes one, of the positive class.

    kind: "sigmoid" or "isotonic". folds, rows: the held-out folds and rows that it was fitted to.
    """

    kind: str
    folds: int
    rows: int
    curves: tuple[Curve, ...]

    @property
    def middles(self) -> Array:
        """(1,) or (K,) the scores of even odds."""
        return np.array([curve.middle for curve in self.curves])

    @property
    def slopes(self) -> Array | None:
        """(1,) or (K,) log-odds a unit of score; None where curves are not straight."""
        return np.array([curve.slope for curve in self.curves]) if self.kind == "sigmoid" else None

    def log_odds(self, s: Array) -> Array:
        """Log-odds of each class against the rest, in the shape of s: (n,) or (n, K) scores less their middles."""
        if s.ndim == 1:
            return self.curves[0].log_odds(s)
        return np.stack([curve.log_odds(s[:, k]) for k, curve in enumerate(self.curves)], axis=1)

    def saved(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """(JSON-able, arrays) from which `restored` makes the same again."""
        words = {"kind": self.kind, "folds": self.folds, "rows": self.rows}
        middles, slopes, scores, odds = zip(*self.curves, strict=True)
        knots = np.array([own.size for own in scores], np.int64)
        arrays = {"middle": np.array(middles), "slope": np.array(slopes), "knots": knots}
        return words, arrays | {"scores": np.concatenate(scores), "odds": np.concatenate(odds)}


def restored(words: dict[str, Any], arrays: dict[str, Array], classes: int) -> Calibration:
    """What `saved` gave. ValueError where it does not fit so many classes."""
    own, (scores, odds) = ((1,) if classes == 2 else (classes,)), (arrays["scores"], arrays["odds"])
    floats = all(arrays[name].dtype == np.float64 for name in ("middle", "slope", "scores", "odds"))
    if words["kind"] not in CALIBRATIONS or any(arrays[name].shape != own for name in ("middle", "slope", "knots")):
        raise ValueError("the calibration does not fit the classes")
    whole = arrays["knots"].dtype.kind == "i" and (arrays["knots"] >= 0).all()
    if not (floats and whole and scores.shape == odds.shape == (arrays["knots"].sum(),)):
        raise ValueError("the calibration's curves are not whole")
    if not all(np.isfinite(arrays[name]).all() for name in ("middle", "slope", "scores", "odds")):
        raise ValueError("the calibration's curves are not finite")
    ends = np.cumsum(arrays["knots"])[:-1]
    knots = [np.split(arrays[name], ends) for name in ("scores", "odds")]
    curves = tuple(map(Curve, arrays["middle"].tolist(), arrays["slope"].tolist(), *knots))
    return Calibration(words["kind"], words["folds"], words["rows"], curves)


def calibration(kind: str, scores: Array, codes: Array, weight: Array | None = None, folds: int = 0) -> Calibration:
    """Curves for scores (n,) of two classes or (n, K), and class numbers (n,) 0 … K − 1; one class against the rest.

    weight: (n,) ≥ 0, how often each row counts. folds: kept, for information. Raises SettingError for another kind.
    """
    if kind not in CALIBRATIONS:
        raise SettingError(f"{{calibrate}} must be None or one of {', '.join(CALIBRATIONS)}", calibrate=kind)
    weight = np.ones(len(codes)) if weight is None else weight
    counts = weight > 0.0
    scores, codes, weight = scores[counts].astype(np.float64), codes[counts], weight[counts]
    weight = weight * (weight.size / weight.sum())
    columns = [(scores, codes == 1)] if scores.ndim == 1 else [(u, codes == k) for k, u in enumerate(scores.T)]
    curve = sigmoid if kind == "sigmoid" else isotonic
    return Calibration(kind, folds, len(codes), tuple(curve(u, is_class, weight) for u, is_class in columns))


def sigmoid(u: Array, is_class: Array, weight: Array) -> Curve:
    """p = σ(a·(u − middle)), the most likely a > 0 and middle for Platt's targets.

    Platt 1999: (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2) in place of 1 and 0, so that separated scores have finite slopes. By
    Newton's method with halved steps (Lin, Lin & Weng 2007), on scores of mean 0 and deviation 1.
    """
    size = float(np.abs(u).max()) or 1.0  # first of all, so that no square overflows
    v = u / size
    centre = float(np.average(v, weights=weight))
    spread = float(np.sqrt(np.average((v - centre) ** 2, weights=weight))) or 1.0
    v = (v - centre) / spread
    positive = float(weight @ is_class)
    negative = float(weight.sum()) - positive
    target = np.where(is_class, (positive + 1.0) / (positive + 2.0), 1.0 / (negative + 2.0))
    share = float(np.average(target, weights=weight))
    even = float(np.log(share / (1.0 - share)))
    a, b = _newton(v, target, weight, even)
    if not a >= FLATTEST:
        a, b = FLATTEST, even
    with np.errstate(over="ignore"):
        middle, slope = np.float64(size) * (centre - spread * b / a), np.float64(a) / spread / size
    return Curve(float(np.clip(middle, -MOST, MOST)), float(min(slope, MOST)), np.empty(0), np.empty(0))


def _newton(v: Array, target: Array, weight: Array, start: float) -> tuple[float, float]:
    """(a, b) that minimise Σ weight·cross-entropy(target, σ(a·v + b)): convex."""

    def loss(at: Array) -> float:
        z = at[0] * v + at[1]
        return float(weight @ (np.logaddexp(0.0, z) - target * z))

    at = np.array([0.0, start])
    x = np.stack([v, np.ones_like(v)], axis=1)
    before = loss(at)
    for _ in range(100):
        p = np.exp(-np.logaddexp(0.0, -(x @ at)))
        gradient = x.T @ (weight * (p - target))
        step = np.linalg.solve((x.T * (weight * p * (1.0 - p))) @ x + 1e-12 * np.eye(2), gradient)
        while (after := loss(at - step)) > before and np.abs(step).max() > 1e-12:
            step = step / 2.0
        if np.abs(step).max() <= 1e-10:
            break
        at, before = at - step, after
    return float(at[0]), float(at[1])


def isotonic(u: Array, is_class: Array, weight: Array) -> Curve:
    """The rising steps closest to the labels (Zadrozny & Elkan 2002), between 1/(n + 2) and 1 − 1/(n + 2).

    Beyond the scores at hand the log-odds go on in a straight line to these two, within once more the range of the
    scores: so even odds are always somewhere, also where no step reaches them.
    """
    from scipy.optimize import isotonic_regression

    x, place = np.unique(u, return_inverse=True)
    total = np.bincount(place, weight)
    p = isotonic_regression(np.bincount(place, weight * is_class) / total, weights=total).x
    floor = 1.0 / (len(u) + 2.0)
    p = np.clip(p, floor, 1.0 - floor)
    changes = p[1:] != p[:-1]
    kept = np.concatenate([[True], changes]) | np.concatenate([changes, [True]])  # the two ends of each step
    span = float(x[-1] - x[0]) or max(abs(float(x[0])), 1.0)
    limit = np.log((1.0 - floor) / floor)
    x = np.concatenate([[x[0] - span], x[kept], [x[-1] + span]])
    odds = np.concatenate([[-limit], np.log(p[kept] / (1.0 - p[kept])), [limit]])
    below = int(np.searchsorted(odds, 0.0, side="right")) - 1
    middle = x[below] + (x[below + 1] - x[below]) * (-odds[below] / (odds[below + 1] - odds[below]))
    knots, values = np.insert(x - middle, below + 1, 0.0), np.insert(odds, below + 1, 0.0)
    return Curve(float(middle), TILT / span, knots, values)
