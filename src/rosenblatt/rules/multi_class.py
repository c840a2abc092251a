"""The multi-class perceptron: one weight vector a class, updated together."""

from typing import Any, NamedTuple


class MultiClassPerceptron(NamedTuple):
    """Multi-class perceptron: after a mistake add x̄ to the right class and subtract it from the wrongly winning one.

    A mistake: the right class's score is not above all others (a tie is a mistake, as u = 0 is for two classes). The
    wrongly winning class is the best-scoring other one, the first of equals.
    """

    name = "multi-class-perceptron"
    eta0 = 1.0
    tol = None
    two = "perceptron"

    def steps(self, u: Any, y: int, sq_norm: float, a: Any, wrong: Any) -> float:
        rival = 1 if y == 0 else 0
        for k in range(u.size):
            a[k], wrong[k] = 0.0, 0
            if k != y and u[k] > u[rival]:
                rival = k
        if u[y] > u[rival]:
            return 0.0
        a[y], a[rival], wrong[y] = 1.0, -1.0, 1
        return u[rival] - u[y]  # type: ignore[no-any-return]
