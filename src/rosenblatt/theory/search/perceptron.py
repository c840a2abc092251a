"""Wide data with room between the classes: the perceptron is there first."""

from __future__ import annotations

import numpy as np

from ...errors import RosenblattError
from ...learn.run import Limits
from ...learn.settings import Settings
from ...model.fit import fit
from .hunt import Hunt

EPOCHS = 50
WORK = 1_000_000_000
"""Products at most: 0.5 s."""


def generate(hunt: Hunt) -> None:
    """Learn for some epochs and hand in the weights, if the last epoch was without a mistake."""
    problem = hunt.problem
    epochs = int(min(EPOCHS, max(1, WORK // max(problem.rows.size, 1))))
    hunt.say(f"perceptron, {epochs} epochs")
    settings = Settings.of(rule="perceptron", fit_intercept=problem.fit_intercept, keep="last", shuffle=True)
    try:
        model = fit(problem.rows, problem.y, settings, Limits(epochs, None, hunt.left()))
    except RosenblattError:  # values too large for sums in their own dtype, or a single class
        model = None
    if model is not None and model.run.converged:
        (w,), (b,) = model.weights
        hunt.hyperplane(np.asarray(w, np.float64), float(b))
    hunt.failed(f"the perceptron, {epochs} epochs")
