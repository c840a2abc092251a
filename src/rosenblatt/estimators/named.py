"""The named learners: `LinearClassifier` with some of its choices fixed."""

from typing import Any

from ..errors import SettingError
from ..memory import memory_classes
from ..rules.margin import Margin
from ..rules.passive_aggressive import PassiveAggressive as PassiveAggressive1
from ..rules.passive_aggressive import PassiveAggressive2
from .linear import LinearClassifier


def _keeping(keep: str) -> dict[str, Any]:
    """This memory, and none of what only the others take."""
    own = {name: {each.name: each.default for each in cls.parameters} for name, cls in memory_classes().items()}
    others = {name: default for other, taken in own.items() if other != keep for name, default in taken.items()}
    return {"keep": keep, **{name: default for name, default in others.items() if name not in own[keep]}}


class Perceptron(LinearClassifier, fixed={"rule": "perceptron", **_keeping("last")}):
    """The perceptron (Rosenblatt 1958): add y·x̄ after each mistake. Reaches zero mistakes on separable data.

    Parameters and attributes as `LinearClassifier`, with rule "perceptron" and keep "last".
    """


class AveragedPerceptron(LinearClassifier, fixed={"rule": "perceptron", **_keeping("averaged")}):
    """Averaged perceptron: predicts with the mean of the weights after every example.

    Parameters and attributes as `LinearClassifier`, with rule "perceptron" and keep "averaged".
    """


class VotedPerceptron(LinearClassifier, fixed={"rule": "perceptron", **_keeping("voted")}):
    """Voted perceptron (Freund & Schapire 1999): every weight vector votes, as often as it was right.

    Parameters and attributes as `LinearClassifier`, with rule "perceptron" and keep "voted".
    """


class PocketPerceptron(LinearClassifier, fixed={"rule": "perceptron", **_keeping("pocket")}):
    """Pocket perceptron (Gallant 1990): the best weights met on the way, by training error or any score.

    Parameters and attributes as `LinearClassifier`, with rule "perceptron" and keep "pocket".
    """


class BatchPerceptron(LinearClassifier, fixed={"rule": "perceptron", **_keeping("last"), "optimizer": "batch"}):
    """Batch perceptron: w̄ ← w̄ − ηδ with δ = −(1/N)·Σ_{mistakes} y·x̄, until ‖δ‖ < epsilon.

    Parameters and attributes as `LinearClassifier`, with rule "perceptron", keep "last" and optimizer "batch".
    """


class MarginPerceptron(LinearClassifier, fixed={"rule": "margin"}, extra=Margin._field_defaults):
    """Margin perceptron: add y·x̄ while y·u < tau (float > 0, default 1).

    Further parameters and attributes as `LinearClassifier`, with rule "margin".
    """

    def _rule(self) -> Any:
        return Margin(self.tau)  # type: ignore[call-arg]


class LinearUnit(LinearClassifier, fixed={"rule": "linear"}):
    """Linear unit (LMS, Adaline): gradient descent on ½(y − u)².

    Parameters and attributes as `LinearClassifier`, with rule "linear".
    """


class SigmoidUnit(LinearClassifier, fixed={"rule": "sigmoid"}):
    """Sigmoid unit: gradient descent on ½(t − σ(u))², t ∈ {0, 1}.

    Parameters and attributes as `LinearClassifier`, with rule "sigmoid".
    """


class TanhUnit(LinearClassifier, fixed={"rule": "tanh"}):
    """tanh unit: gradient descent on ½(y − tanh u)².

    Parameters and attributes as `LinearClassifier`, with rule "tanh".
    """


class LogisticUnit(LinearClassifier, fixed={"rule": "logistic"}):
    """Logistic regression: gradient descent on log(1 + e^(−y·u)); has probabilities.

    Parameters and attributes as `LinearClassifier`, with rule "logistic".
    """


_PASSIVE = {"rule": "passive-aggressive"}


class PassiveAggressive(LinearClassifier, fixed=_PASSIVE, extra={**PassiveAggressive1._field_defaults, "variant": 1}):
    """Passive-aggressive I or II (variant 1 or 2): the smallest step that reaches y·u = 1, limited by C > 0.

    Further parameters and attributes as `LinearClassifier`, with rule "passive-aggressive".
    """

    def _rule(self) -> Any:
        if self.variant not in (1, 2):
            raise SettingError("{variant} must be 1 or 2", variant=self.variant)
        return (PassiveAggressive1 if self.variant == 1 else PassiveAggressive2)(self.C)  # type: ignore[call-arg]


class MultiClassPerceptron(LinearClassifier, fixed={"rule": "perceptron", "multi_class": "multi-class-perceptron"}):
    """Multi-class perceptron: after a mistake add x̄ to the right class, subtract it from the wrongly winning one.

    Parameters and attributes as `LinearClassifier`; two classes are the perceptron itself.
    """
