"""rosenblatt: the perceptron family. Linear classifiers that learn from their mistakes.

Everything is loaded when it is first used, so that importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.3.0"

_RECIPES = (
    "Perceptron",
    "MarginPerceptron",
    "AveragedPerceptron",
    "VotedPerceptron",
    "PocketPerceptron",
    "BatchPerceptron",
    "LinearUnit",
    "SigmoidUnit",
    "TanhUnit",
    "LogisticUnit",
    "PassiveAggressive",
    "MultiClassPerceptron",
)
_PLACES = {
    "LinearClassifier": ".estimators",
    **dict.fromkeys(_RECIPES, ".recipes"),
    "MaximumMargin": ".maximum_margin",
    "Model": ".model",
    "DEFAULTS": ".defaults",
}

__all__ = [*_PLACES, "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name], __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
