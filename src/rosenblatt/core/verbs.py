"""What loops ask of rules, metrics, rows and recorders: each *verb* calls the method of the value's own class.

For compiled code `dispatch` registers each once with numba and inlines it.
"""

from collections.abc import Callable
from typing import Any

from .rows import Array, Index

Function = Callable[..., Any]


def step(self: Any, u: float, y: float, sq_norm: float) -> float:
    """The rule's unit step for a score u, label y ∈ {−1, +1} and ‖x̄‖²."""
    return self.step(u, y, sq_norm)  # type: ignore[no-any-return]


def loss(self: Any, u: float, y: float) -> float:
    """The rule's loss, or the mistake indicator for a rule that names none."""
    own = getattr(self, "loss", None)
    return own(u, y) if own is not None else _mistake(self, u, y)


def _mistake(self: Any, u: float, y: float) -> float:
    return 1.0 if y * u <= 0.0 else 0.0


def steps(self: Any, u: Array, y: int, sq_norm: float, a: Array, wrong: Array) -> float:
    """All classes' unit steps into a, mistakes into wrong; returns the loss. y: the right class's index."""
    return self.steps(u, y, sq_norm, a, wrong)  # type: ignore[no-any-return]


def dot(self: Any, i: Index, w: Array) -> float:
    return self.dot(i, w)  # type: ignore[no-any-return]


def add(self: Any, i: Index, a: float, w: Array) -> None:
    self.add(i, a, w)


def sq_norm(self: Any, i: Index) -> float:
    return self.sq_norm(i)  # type: ignore[no-any-return]


def dots(self: Any, i: Index, w: Array, out: Array) -> None:
    self.dots(i, w, out)


def add_to(self: Any, i: Index, k: int, a: float, w: Array) -> None:
    self.add_to(i, k, a, w)


def span(self: Any, i: Index) -> tuple[Index, Index]:
    return self.span(i)  # type: ignore[no-any-return]


def column(self: Any, i: Index, p: Index) -> Index:
    return self.column(i, p)  # type: ignore[no-any-return]


def value(self: Any, i: Index, p: Index) -> float:
    return self.value(i, p)  # type: ignore[no-any-return]


def layout(self: Any, d: int, classes: int) -> tuple[int, int]:
    return self.layout(d, classes)  # type: ignore[no-any-return]


def move(self: Any, c: Any, w: float, x: float, a: Any) -> tuple[float, Any]:
    return self.move(c, w, x, a)  # type: ignore[no-any-return]


# Of a metric; what it may leave out has a default.


def see(self: Any, c: Any, x: float) -> tuple[Any, float]:
    return self.see(c, x) if sees(self) else (c, 1)


def news(self: Any, c: Any, x: float) -> bool:
    return self.news(c, x) if sees(self) else _no_news(self, c, x)


def _no_news(self: Any, c: Any, x: float) -> bool:
    return False


def sees(self: Any) -> bool:
    return hasattr(self, "see")


def measure(self: Any, c: Any, x: float) -> float:
    return self.measure(c, x) if hasattr(self, "measure") else _nothing(self, c, x)


def _nothing(self: Any, c: Any, x: float) -> float:
    return 0 * x


def shrink(self: Any, c: Any) -> float:
    return self.shrink(c) if hasattr(self, "shrink") else _fully(self, c)


def _fully(self: Any, c: Any) -> float:
    return 1.0


def rate(self: Any, v: float, past: Array) -> float:
    return self.rate(v, past) if hasattr(self, "rate") else _one(self, v, past)


def _one(self: Any, v: float, past: Array) -> float:
    return 1.0


def brings(self: Any) -> bool:
    return hasattr(self, "stride")


def twofold(self: Any) -> bool:
    return len(self.starts) > 1


def adjoining(self: Any) -> bool:
    return self.adjoining  # type: ignore[no-any-return]


def stride(self: Any, u: float, y: float, v: float) -> tuple[float, float, float]:
    return self.stride(u, y, v) if brings(self) else _none(self, u, y, v)


def _none(self: Any, u: float, y: float, v: float) -> tuple[float, float, float]:
    return 0.0, 0.0, 0.0


def _unseen(self: Any, c: Any, x: float) -> tuple[Any, float]:
    return c, 1


def of_bias(self: Any) -> Any:
    return self.of_bias() if hasattr(self, "of_bias") else self


def _itself(self: Any) -> Any:
    return self


# Of what stands around a rule to record what it does (`recorder`); of all others nothing is left in the machine code.


def records(self: Any) -> bool:
    return hasattr(self, "entry")


def entry(self: Any, ago: int, cls: int, a: float, after: float, b: float) -> None:
    """The row that was scored so many rows ago moved a class by a; its score and the bias after the block."""
    if records(self):
        self.entry(ago, cls, a, after, b)


def _no_entry(self: Any, ago: int, cls: int, a: float, after: float, b: float) -> None:
    pass


def closed(self: Any, w: Array, scales: tuple[float, float], seen: int, mistakes: int) -> None:
    """A block, or a part of one, has moved something. scales: of w, and what the block shrank it by."""
    if records(self):
        self.closed(w, scales, seen, mistakes)


def _not_closed(self: Any, w: Array, scales: tuple[float, float], seen: int, mistakes: int) -> None:
    pass


OPTIONAL: dict[Function, Function] = {
    loss: _mistake, see: _unseen, news: _no_news, measure: _nothing, shrink: _fully, rate: _one, stride: _none,
    of_bias: _itself, entry: _no_entry, closed: _not_closed,
}  # fmt: skip
"""verb → what stands for it in a class that has none."""
ASKED: tuple[Function, ...] = (sees, brings, twofold, adjoining, records)
"""Questions that the class answers, so that compiled code does not ask them."""
VERBS: tuple[Function, ...] = (step, steps, dot, add, sq_norm, dots, add_to, span, column, value, layout, move)
METHODS = ("starts", "adjoining", *(verb.__name__ for verb in (*OPTIONAL, *VERBS)))
"""What compiled code may ask of a rule, of a metric or of rows."""
