"""HiGHS that prints nothing: its banner comes before there is a chance to switch it off."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def _quiet() -> Any:
    import highspy

    class Quiet(highspy.Highs):  # type: ignore[misc]
        def enableCallbacks(self) -> None:
            self.setOptionValue("output_flag", False)
            super().enableCallbacks()

    return Quiet


def solver(**options: Any) -> Any:
    """A `highspy.Highs` on one thread, with these options."""
    made = _quiet()()
    for name, value in {"output_flag": False, "threads": 1, **options}.items():
        made.setOptionValue(name, value)
    return made
