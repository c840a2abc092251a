"""How the learning rate η_t falls with t, the blocks seen before. A new class here is a new schedule everywhere."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError, SettingError
from ..parameters import Parameter, made

Array = np.ndarray[Any, Any]
DECAY = Parameter(
    "decay", 1e-3, float, least=0, after="learning_rate",
    help="How fast: eta/(1 + t*decay), or its root.", meaning="See learning_rate.",
)  # fmt: skip


@dataclass(frozen=True)
class Constant:
    """η"""

    name = "constant"
    constant = True
    parameters = ()

    def rates(self, eta0: float, t: Array) -> Array:
        return np.full(len(t), eta0)


@dataclass(frozen=True)
class Inverse:
    """η/(1 + t·decay)"""

    decay: float = DECAY.default

    name = "inverse"
    parameters = (DECAY,)

    def rates(self, eta0: float, t: Array) -> Array:
        return np.asarray(eta0 / (1.0 + t * self.decay))


class Sqrt(Inverse):
    """η/√(1 + t·decay)"""

    name = "sqrt"

    def rates(self, eta0: float, t: Array) -> Array:
        return np.asarray(eta0 / np.sqrt(1.0 + t * self.decay))


@dataclass(frozen=True)
class Own:
    """A function of t of one's own; eta0 is not asked. alpha: of the L2, which a rate must not turn over."""

    function: Callable[[int], float]
    alpha: float = 0.0

    parameters = ()

    def rates(self, eta0: float, t: Array) -> Array:
        rates = [float(self.function(int(i))) for i in t]
        for i, rate in zip(t, rates, strict=True):
            if not (np.isfinite(rate) and rate >= 0.0 and rate * self.alpha < 1.0):
                limit = f" and below 1/alpha = {1.0 / self.alpha:g}" if self.alpha > 0.0 else ""
                raise SettingError(f"learning_rate({i}) = {rate:g}; a learning rate must be a finite number ≥ 0{limit}")
        return np.array(rates)


def schedule_classes() -> dict[str, Any]:
    """name → class for every schedule of this file, in its order."""
    classes = [cls for cls in vars(sys.modules[__name__]).values() if hasattr(cls, "rates")]
    return {cls.name: cls for cls in classes if hasattr(cls, "name")}


def schedule_from(learning_rate: Any, decay: float, alpha: float) -> Any:
    """The schedule of a text (`inverse`, `sqrt:decay=0.1`) or a function of t. SettingError for another text."""
    if callable(learning_rate):
        return Own(learning_rate, alpha)
    if not isinstance(learning_rate, str) or learning_rate.partition(":")[0] not in schedule_classes():
        listed = ", ".join(schedule_classes())
        text = "unknown {learning_rate}; one of " + listed + ", or a function of t"
        raise SettingError(text, learning_rate=learning_rate)
    return made(learning_rate, schedule_classes(), "learning_rate", {"decay": decay})


def given_again(t: int) -> float:
    """Stands in for a function of t, which no model file holds."""
    raise ModelError("to go on learning, give the learning rate again; a function is not kept in a model file")
