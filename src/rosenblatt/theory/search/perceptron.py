"""Wide data with room between the classes: the perceptron is there first."""

from __future__ import annotations

import numpy as np

from ...core.rows import Array
from ...errors import RosenblattError
from ...learn.run import Limits
from ...learn.settings import Settings
from ...model.fit import fit
from ..problem import Problem
from .hunt import Hunt

EPOCHS = 50
WORK = 1_000_000_000
"""Products at most: 0.5 s."""


def generate(hunt: Hunt) -> None:
    """Learn for some epochs and hand in the weights, if the last epoch was without a mistake."""
    weights = learned(hunt)
    if weights is None or not hunt.given(*weights):
        hunt.failed(f"the perceptron, {epochs(hunt.problem)} epochs")


def epochs(problem: Problem) -> int:
    return int(min(EPOCHS, max(1, WORK // max(problem.rows.size, 1))))


def learned(hunt: Hunt) -> tuple[Array, float] | None:
    problem = hunt.problem
    count = epochs(problem)
    hunt.say(f"perceptron, {count} epochs")
    settings = Settings.of(rule="perceptron", fit_intercept=problem.fit_intercept, keep="last", shuffle=True)
    try:
        model = fit(problem.rows, problem.y, settings, Limits(count, None, hunt.left()))
    except RosenblattError:  # values too large for sums in their own dtype, or a single class
        return None
    w, b = model.weights
    return (np.asarray(w[0], np.float64), float(b[0])) if model.run.converged else None
