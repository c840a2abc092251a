"""The opponent that shows why following the leader promises so little."""

from __future__ import annotations

import numpy as np

from ..core.rows import Array
from ..errors import SettingError


def against_the_leader(n: int, rounds: int) -> tuple[Array, Array]:
    """(advice, outcomes), (T, n) and (T,) of 0 and 1, on which `FollowTheLeader` errs in every round.

    In each round one of the leaders says 1 and everybody else 0; the leader is followed (a tie predicts 1), and the
    outcome is 0. So the leader errs, and the next one leads: after T rounds nobody has more than ⌈T/n⌉ mistakes, the
    best ⌊T/n⌋, and follow the leader T. At T = n·m + n − 1 that is its bound n·m + n − 1 exactly.
    """
    whole = all(isinstance(count, (int, np.integer)) for count in (n, rounds))
    if not whole or n < 1 or rounds < 0:
        raise SettingError(
            "{n} and {rounds}: expected at least one expert and no fewer than 0 rounds", n=n, rounds=rounds
        )
    advice = np.zeros((rounds, n))
    advice[np.arange(rounds), np.arange(rounds) % n] = 1.0
    return advice, np.zeros(rounds)
