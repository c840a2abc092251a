"""The one table of defaults: the Python API, the command line and the docs all read it."""

from __future__ import annotations

from typing import Any

DEFAULTS: dict[str, Any] = {
    "rule": "perceptron",
    "keep": "last",
    "optimizer": "online",
    "max_iter": 1000,
    "max_updates": None,
    "max_time": None,
    "tol": "auto",
    "n_iter_no_change": 5,
    "epsilon": 1e-12,
    "eta0": "auto",
    "learning_rate": "constant",
    "decay": 1e-3,
    "alpha": 0.0,
    "batch_size": 32,
    "shuffle": True,
    "random_state": 0,
    "fit_intercept": True,
    "counting": "notes",
    "check_every": 0,
    "scoring": None,
    "multi_class": "one-vs-rest",
    "positive": None,
    "class_weight": None,
    "warm_start": False,
    "n_jobs": None,
}
"""tol and eta0 "auto": the rule's own (`rosenblatt inspect` and the rules' pages name them)."""

PICK_LIMIT = 100_000
"""Updates after which "pick one mistake" gives up when max_updates is None: it counts no epochs."""

KEEPS = ("last", "averaged", "voted", "pocket")
COUNTINGS = ("notes", "freund-schapire")
OPTIMIZERS = ("online", "mini-batch", "batch", "pick-first", "pick-random", "pick-worst")
SCHEDULES = ("constant", "inverse", "sqrt")
MULTI_CLASS = ("one-vs-rest", "multi-class-perceptron")
