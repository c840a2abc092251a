"""The metrics that can be chosen, found by discovery, and values from their texts: `arow:r=0.1`."""

from functools import cache
from typing import Any

from .. import metrics
from ..errors import SettingError
from ..lazy import members
from ..parameters import pairs


@cache
def metric_classes() -> dict[str, type]:
    """name → class for every metric in metrics/."""
    return members(metrics, "move")


def metric_from(given: Any) -> Any:
    """A metric from a text, a class or a value. SettingError for an unknown name or parameter, or a parameter ≤ 0."""
    known = metric_classes()
    if isinstance(given, str):
        name = given.partition(":")[0]
        if name not in known:
            raise SettingError(f"unknown metric {name!r}; the metrics are {', '.join(known)}")
        cls: Any = known[name]
        try:
            given = cls(**{key: float(value) for key, value in pairs(given, cls._fields, "metric")})
        except ValueError:
            raise SettingError(f"metric {given!r}: expected numbers for its parameters") from None
    value = given() if isinstance(given, type) else given
    if not hasattr(value, "move"):
        raise SettingError(f"{given!r} is not a metric; a metric has a method move(self, c, w, x, a)")
    for name, number in value._asdict().items():
        if not number > 0.0:
            raise SettingError(f"metric {value.name!r}: {name}={number:g} must be a number > 0")
    return value
