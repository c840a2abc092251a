"""The metrics that can be chosen, found by discovery, and values from their texts: `arow:r=0.1`."""

from functools import cache
from typing import Any

from .. import metrics
from ..errors import SettingError
from ..lazy import members
from ..parameters import nearest, pairs, positive
from .others import METRICS_OF_OTHERS
from .rule import check_name, made_of, rule_classes
from .tried import check_metric

GRADIENT = "logistic"
"""The rule of a metric that is named alone and needs one."""


@cache
def metric_classes() -> dict[str, type]:
    """name → class for every metric in metrics/."""
    return members(metrics, "move")


def shaping() -> dict[str, Any]:
    """name → class of every metric that shapes steps."""
    return {name: metric for name, metric in metric_classes().items() if not hasattr(metric, "plain")}


def metric_from(given: Any) -> Any:
    """A metric from a text, a class or a value. SettingError for an unknown name or parameter, for a parameter that is
    no finite number > 0, and for a metric of one's own that has the name of another or cannot be learned with."""
    if given is None:
        raise SettingError("{metric} is no metric; say {metric_}", metric=None, metric_="none")
    if isinstance(given, str):
        known: dict[str, Any] = metric_classes()
        name = given.partition(":")[0]
        if name not in known:
            raise _unknown(given, known)
        given = known[name](**dict(pairs(given, known[name]._fields, "metric")))
    value = made_of(given, "metric") if isinstance(given, type) else given
    if not (hasattr(value, "move") and hasattr(value, "_asdict")):
        raise SettingError(f"{given!r} is not a metric; a metric is a NamedTuple with a method move(self, c, w, x, a)")
    check_name(value, metric_classes(), "metric")
    value = positive(value, "metric", finite=True)
    check_metric(value)
    return value


def _unknown(text: str, known: dict[str, Any]) -> SettingError:
    name = text.partition(":")[0]
    if name in rule_classes():
        return SettingError(f"unknown metric {name!r}: that is a rule; say {{rule}}", rule=text)
    near = METRICS_OF_OTHERS.get(name.lower(), nearest(name, known))
    hint = f"did you mean {near}? The" if near else "the"
    return SettingError(f"unknown metric {name!r}; {hint} metrics are {', '.join(known)}")


def algorithm_from(text: str) -> tuple[str, str]:
    """`algorithm` of what somebody asks for. SettingError for an unknown metric, a metric that brings its step behind a
    rule, and an unknown rule where a metric is meant."""
    rule, metric = algorithm(text)
    name = rule.partition(":")[0]
    if metric and hasattr(metric_from(metric), "stride") and rule:
        raise SettingError(f"{text!r}: {metric} brings its own step; say it without a rule: {metric}")
    if not metric and name not in rule_classes() and (near := nearest(name, shaping())):
        raise SettingError(f"unknown rule {text!r}; did you mean the metric {near}?")
    return rule, metric


def algorithm(text: str) -> tuple[str, str]:
    """(rule, metric) of an algorithm's text, "" where it has none: a rule (`logistic`), a rule and a metric
    (`logistic+adagrad`), or a metric alone (`arow:r=0.1`): one that brings its step, else `GRADIENT` with it."""
    rule, plus, metric = text.rpartition("+")
    metrics, name = shaping(), metric.partition(":")[0]
    if plus and (name in metrics or rule.partition(":")[0] in rule_classes()):
        return rule, metric
    if text.partition(":")[0] not in metrics:
        return text, ""
    return "" if hasattr(metrics[name], "stride") else GRADIENT, text
