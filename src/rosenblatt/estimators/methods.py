"""Methods that are made: an `__init__` from a table of parameters, and those that are not always there."""

import difflib
import inspect
from types import MethodType
from typing import Any

from ..learn.others import OF_OTHERS


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


def _hint(named: Any, signature: inspect.Signature) -> str:
    """`; did you mean eta0?` of the first unknown name, or ""."""
    known = list(signature.parameters)
    unknown = next((name for name in named if name not in known), "")
    meant = OF_OTHERS.get(unknown, "").partition("=")[0]
    near = [meant] if meant in known else difflib.get_close_matches(unknown, known, 1)
    return f"; did you mean {near[0]}?" if near else ""


def init_of(signature: inspect.Signature) -> Any:
    """An `__init__` that takes what the signature says, and keeps each argument under its name."""

    def __init__(*given: Any, **named: Any) -> None:
        try:
            bound = signature.bind(*given, **named)
        except TypeError as error:
            by_name = "parameters are given by their names, as max_iter=100"
            why = by_name if str(error) == "too many positional arguments" else f"{error}{_hint(named, signature)}"
            raise TypeError(f"{type(given[0]).__name__}: {why}") from None
        bound.apply_defaults()
        (_, self), *arguments = bound.arguments.items()
        for name, value in arguments:
            setattr(self, name, value)

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__
