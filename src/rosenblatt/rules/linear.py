"""The linear unit: least mean squares, Adaline (lecture note 003)."""

from typing import NamedTuple


class Linear(NamedTuple):
    """Linear unit: descends ½(y − u)², so the unit step is y − u. Also known as LMS, Widrow–Hoff, Adaline."""

    name = "linear"
    eta0 = 0.01
    tol = 1e-4
    reach = 1.0

    def step(self, u: float, y: float, sq_norm: float) -> float:
        return y - u

    def loss(self, u: float, y: float) -> float:
        return 0.5 * (y - u) * (y - u)
