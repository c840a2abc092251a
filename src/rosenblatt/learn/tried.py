"""Whether a metric is what the loop needs: its functions are called once, as the first value of a column would.

Compiled, what is wrong with them is said in pages, or never.
"""

from contextlib import suppress
from numbers import Real
from typing import Any

import numpy as np

from ..errors import SettingError, short


def check_metric(metric: Any) -> None:
    """SettingError, one sentence, where it is not what metrics/ describes, or where a function of it fails for a first
    value 1. What only overflows is infinite when compiled, and passes."""
    starts: Any = getattr(metric, "starts", None)
    eta0, rules = getattr(metric, "eta0", None), getattr(metric, "rules", ())
    _wanted(metric, _numbers(starts, 1, 2), "starts must be a tuple of one number or two", starts)
    _wanted(metric, eta0 is None or (_number(eta0) and eta0 > 0.0), "eta0 must be a number > 0 or None", eta0)
    _wanted(metric, isinstance(rules, tuple), "rules must be a tuple of names", rules)
    sees = [name for name in ("news", "see") if hasattr(metric, name)]
    _wanted(metric, len(sees) != 1, "news and see go together", " and ".join(sees) + " alone")
    with suppress(OverflowError):
        _call_all(metric, starts, (1.0, eta0 or 1.0, 0.0))


def _call_all(metric: Any, starts: tuple[float, ...], a: Any) -> None:
    c: Any = (starts[0], starts[-1])
    remembered = "what is remembered, a tuple of as many numbers as starts has"

    def remembers(found: Any) -> bool:
        return _numbers(found, len(starts), 2) and (len(found) == len(starts) or found[1] == c[1])

    def one(verb: str, *args: Any) -> Any:
        if not hasattr(metric, verb):
            return 0.0
        found = _called(metric, verb, *args)
        _wanted(metric, _number(found), f"{verb} must return a number", found)
        return found

    one("news", c, 1.0)
    if hasattr(metric, "see"):
        found = _called(metric, "see", c, 1.0)
        right = isinstance(found, tuple) and len(found) == 2 and remembers(found[0]) and _number(found[1])
        _wanted(metric, right, f"see must return (c, factor): {remembered}, and a number", found)
        c = found[0][0], found[0][-1]
    v = one("measure", c, 1.0)
    one("rate", v, np.zeros(2))
    one("shrink", c)
    if hasattr(metric, "stride"):
        found = _called(metric, "stride", 0.0, 1.0, v)
        _wanted(metric, _numbers(found, 3, 3), "stride must return a tuple of three numbers", found)
        a = found if found[0] != 0.0 else (1.0, 1.0, 1.0)
    found = _called(metric, "move", c, 0.0, 1.0, a)
    right = isinstance(found, tuple) and len(found) == 2 and _number(found[0]) and remembers(found[1])
    _wanted(metric, right, f"move must return (change, c): a number, and {remembered}", found)


def _called(metric: Any, verb: str, *args: Any) -> Any:
    try:
        return getattr(metric, verb)(*args)
    except OverflowError:
        raise
    except Exception as error:
        given = ", ".join("array" if isinstance(arg, np.ndarray) else str(arg) for arg in args)
        why = short(f"{type(error).__name__}: {error}", 120)
        raise SettingError(f"metric {_name(metric)}: {verb}({given}) fails: {why}") from None


def _wanted(metric: Any, right: bool, wanted: str, found: Any) -> None:
    if not right:
        raise SettingError(f"metric {_name(metric)}: {wanted}; found {short(found)}")


def _name(metric: Any) -> str:
    return str(getattr(metric, "name", type(metric).__name__))


def _number(value: Any) -> bool:
    return isinstance(value, (Real, np.bool_))


def _numbers(value: Any, least: int, most: int) -> bool:
    return isinstance(value, tuple) and least <= len(value) <= most and all(map(_number, value))
