"""rosenblatt: the perceptron family. Linear classifiers that learn from their mistakes.

Everything is loaded when it is first used, so that importing the package costs nothing.
"""

from .lazy import lazily

__version__ = "0.3.0"

_RECIPES = (
    "Perceptron",
    "KernelPerceptron",
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
    "AROW",
    "SCW",
    "NHERD",
    "FTRL",
    "MultiClassPerceptron",
)
_PLACES = {
    "LinearClassifier": ".estimators.linear",
    **dict.fromkeys(_RECIPES, ".estimators.named"),
    "MaximumMargin": ".estimators.maximum_margin",
    "Model": ".model.model",
    "Recipe": ".recipe.recipe",
    "Source": ".data.batch",
    "DEFAULTS": ".learn.settings",
}
_MODULES = dict.fromkeys(("compare", "datasets", "doctor", "experts", "mail", "plots", "theory", "trace"), ".")

__all__ = [*_PLACES, "__version__"]
__getattr__, __dir__ = lazily(__name__, _PLACES | _MODULES, "__version__")
