"""Methods that are not always there, and why."""

from types import MethodType
from typing import Any

from ..learn.rule import rule_from
from ..memory import memory_from


class OnlyIf:
    """A method that is not there where `why_not(estimator)` says why; as scikit-learn's available_if, with the reason
    in the first line that is seen."""

    def __init__(self, why_not: Any, method: Any) -> None:
        self.why_not, self.method = why_not, method

    def __get__(self, estimator: Any, owner: Any = None) -> Any:
        if estimator is None:
            return self.method
        if why := self.why_not(estimator):
            raise AttributeError(f"{type(estimator).__name__} has no {self.method.__name__}: {why}")
        return MethodType(self.method, estimator)


class Absent:
    """An attribute of an instance that is not there, with the reason; of those that have it nobody asks here."""

    def __set_name__(self, owner: Any, name: str) -> None:
        self.name = name

    def __get__(self, estimator: Any, owner: Any = None) -> Any:
        if estimator is None:
            return self
        why = "it is not fitted"
        if hasattr(estimator, "model_"):
            kernel = hasattr(estimator, "dual_coef_")
            of_rows = "with a kernel weights are of rows, dual_coef_" if self.name == "coef_" else "it has K, not rows"
            why = of_rows if kernel else "there is no kernel"
        raise AttributeError(f"{type(estimator).__name__} has no {self.name}: {why}")


def no_probabilities(estimator: Any) -> str:
    """Why there are none, or ""."""
    if hasattr(estimator, "model_"):
        there = estimator.model_.has_probabilities
    else:
        own = memory_from(estimator.keep).is_linear and hasattr(rule_from(estimator._rule()), "probability")
        there = own or estimator.calibrate is not None
    if there:
        return ""
    return 'its scores are no probabilities; fit it with calibrate="sigmoid", or take the rule logistic or softmax'


def no_parts(estimator: Any) -> str:
    """Why it cannot learn in parts, or ""."""
    if estimator.early_stopping:
        return "it sees a part once, and early_stopping compares epochs; use fit, or early_stopping=False"
    if getattr(estimator, "virtual", None) is not None:
        return "virtual examples are made when all rows were learned; use fit, or virtual=None"
    return "" if estimator.calibrate is None else "a part has too few rows for calibrate; use fit, or calibrate=None"
