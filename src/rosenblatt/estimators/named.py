"""The named learners: `LinearClassifier` with some of its choices fixed."""

from typing import Any

from ..errors import SettingError
from ..kernels import kernel_classes, kernel_from
from ..learn.settings import DEFAULTS
from ..memory import memory_classes
from ..metrics.arow import Arow
from ..metrics.ftrl import Ftrl
from ..metrics.nherd import NherdDrop, NherdExact, NherdProject
from ..metrics.scw import Scw
from ..parameters import member
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


class KernelPerceptron(
    LinearClassifier,
    fixed={"rule": "perceptron", "kernel": None},
    extra={"kernel": "rbf", "degree": 3, "gamma": "auto", "coef0": 1.0, "unit": False},
):
    """The perceptron in a kernel's space (Aizerman 1964; Freund & Schapire 1999): u = Σ_j a_j·K(x_j, x) + b.

    kernel: "rbf" exp(−gamma·‖x − z‖²), "poly" (gamma·x·z + coef0)^degree, "linear" x·z, "precomputed" (X is (n, n),
    then (m, n)), or a function of two arrays; "poly:degree=4" takes what it does not say from the other parameters.
    "spectrum" is of texts, as `Recipe` takes them. gamma: "auto": 1 for poly; for rbf "scale", 1/(d·variance). unit:
    divide K by √(K(x, x)·K(z, z)). A bias is K + 1. Further parameters and attributes as `LinearClassifier`, with rule
    "perceptron".

    >>> from rosenblatt import KernelPerceptron
    >>> xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> KernelPerceptron(kernel="poly", degree=2).fit(xor, [0, 1, 1, 0]).predict(xor)
    array([0, 1, 1, 0])
    """

    def _kernel(self) -> Any:
        """The kernel with those of the parameters that it takes."""
        known = kernel_classes()
        if not isinstance(self.kernel, str) or self.kernel.partition(":")[0] not in known:
            return kernel_from(self.kernel)
        cls, said = member(self.kernel, known, "kernel")
        own = dict[str, Any]()
        for each in cls.parameters:
            value = getattr(self, each.inner, each.default)
            value = each.default if value == "auto" else value
            each.check(value)
            if value not in (each.default, own.setdefault(each.inner, said.get(each.name, value))):
                text = f"{{kernel}} and {{{each.inner}}}: give one of them"
                raise SettingError(text, kernel=self.kernel, **{each.inner: value})
        return cls(**own)


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


_FALLS_BY_ITSELF = {name: DEFAULTS[name] for name in ("learning_rate", "decay")}
_FIXED = ("rule", "optimizer", "batch_size", "epsilon", "multi_class", "eta0", "alpha", "l1")
_BRINGS = {name: DEFAULTS[name] for name in _FIXED} | _FALLS_BY_ITSELF


class AROW(LinearClassifier, fixed={**_BRINGS, "metric": "arow"}, extra=Arow._field_defaults):
    """Adaptive regularisation of weights (Crammer, Kulesza & Dredze 2009), diagonal: each column has a variance Σ_j.

    Where y·u < 1, with v = Σ_j Σ_j·x_j² and β = 1/(v + r): w_j += y·(1 − y·u)·β·Σ_j·x_j and Σ_j −= β·(Σ_j·x_j)². Σ_j
    begins at 1; the bias is a column of value 1. r (float > 0, default 1): the larger, the shorter the steps; with a
    small one wrong labels are followed. Several classes: each against the rest, with a Σ of its own.

    Further parameters and attributes as `LinearClassifier`, with metric "arow", which takes no rule and no η.
    """

    def _metric(self) -> Any:
        return Arow(self.r)  # type: ignore[call-arg]


class SCW(LinearClassifier, fixed={**_BRINGS, "metric": "scw"}, extra={**Scw._field_defaults, "variant": 1}):
    """Soft confidence-weighted learning I or II (variant 1 or 2; Wang, Zhao & Hoi 2012), diagonal.

    Where φ·√v > y·u, with v = Σ_j Σ_j·x_j²: w_j += α·y·Σ_j·x_j and Σ_j −= β·(Σ_j·x_j)²: the smallest change of N(w, Σ)
    after which the row is right with probability Φ(φ). C (float > 0, default 1): what a row may ask for; I limits α by
    it, II weighs the square of what is missing. phi (float > 0, default 1): how sure it shall be.

    Further parameters and attributes as `LinearClassifier`, with metric "scw", which takes no rule and no η.
    """

    def _metric(self) -> Any:
        return Scw(self.C, self.phi, self.variant)  # type: ignore[call-arg]


_FORMS: dict[str, Any] = {"drop": NherdDrop, "project": NherdProject, "exact": NherdExact}
_NHERD = {**NherdDrop._field_defaults, "variant": "drop"}


class NHERD(LinearClassifier, fixed={**_BRINGS, "metric": "nherd"}, extra=_NHERD):
    """Normal herding (Crammer & Lee 2010), one of its diagonal forms: variant "drop", "project" or "exact".

    Where y·u < 1, with v = Σ_j Σ_j·x_j²: w_j += y·(1 − y·u)/(v + 1/C)·Σ_j·x_j. "drop": Σ_j falls as the full matrix
    would have it, what is off the diagonal dropped; "project": as its inverse would, projected; "exact": to the best
    diagonal matrix. C (float > 0, default 1): the larger, the longer the steps.

    Further parameters and attributes as `LinearClassifier`, with metric "nherd", which takes no rule and no η.
    """

    def _metric(self) -> Any:
        if self.variant not in _FORMS:
            raise SettingError(f"{{variant}} must be one of {', '.join(_FORMS)}", variant=self.variant)
        return _FORMS[self.variant](self.C)


_FTRL = {"rule": "logistic", "metric": "ftrl", **_FALLS_BY_ITSELF}


class FTRL(LinearClassifier, fixed=_FTRL, extra=Ftrl._field_defaults):
    """Follow the regularised leader, proximal (McMahan et al. 2013): logistic regression, most weights exactly 0.

    With g = a·x_j, a the logistic unit's step: z_j += g + (√(n_j + g²) − √n_j)/η·w_j, n_j += g², and
    w_j = sign(z_j)·max(0, |z_j| − l1)/((beta + √n_j)/η + alpha). eta0: η, the paper's α; "auto": 0.5. beta (float > 0,
    default 1): shortens the first steps. l1, alpha: λ1 and λ2; the bias is free of both. Weights
    to start with (coef_init) count as past λ1. Has probabilities.

    Further parameters and attributes as `LinearClassifier`, with rule "logistic" and metric "ftrl".
    """

    def _metric(self) -> Any:
        return Ftrl(self.beta)  # type: ignore[call-arg]


class MultiClassPerceptron(LinearClassifier, fixed={"rule": "perceptron", "multi_class": "multi-class-perceptron"}):
    """Multi-class perceptron: after a mistake add x̄ to the right class, subtract it from the wrongly winning one.

    Parameters and attributes as `LinearClassifier`; two classes are the perceptron itself.
    """
