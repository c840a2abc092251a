"""Softmax regression: all classes descend one loss together."""

import math
from typing import Any, NamedTuple


class Softmax(NamedTuple):
    """Softmax unit: descends −log p_y with p = softmax(u), so the unit step of class k is [k = y] − p_k.

    Two classes learn logistic regression, which it is then, with w = w₊ − w₋.
    """

    name = "softmax"
    eta0 = 0.1
    tol = 1e-4
    endless = True
    reach = 1.0
    two = "logistic"
    probability = True

    def steps(self, u: Any, y: int, sq_norm: float, a: Any, wrong: Any) -> float:
        top, rival = u[y], -math.inf
        for k in range(u.size):
            if k != y:
                rival = max(rival, u[k])
        top, total = max(top, rival), 0.0
        for k in range(u.size):
            a[k], wrong[k] = math.exp(u[k] - top), 0
            total += a[k]
        for k in range(u.size):
            a[k] = -a[k] / total
        a[y] += 1.0
        wrong[y] = 1 if u[y] <= rival else 0
        return math.log(total) + top - u[y]  # type: ignore[no-any-return]
