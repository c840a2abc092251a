"""Learning from expert advice: halving, weighted majority, Hedge, follow the leader, with their guarantees checked."""

from __future__ import annotations

import importlib
from typing import Any

_PLACES = {
    "Halving": ".algorithms",
    "WeightedMajority": ".algorithms",
    "RandomizedWeightedMajority": ".algorithms",
    "Hedge": ".hedge",
    "FollowTheLeader": ".algorithms",
    "Advised": ".advised",
    "Round": ".ledger",
    "Ledger": ".ledger",
    "Bound": ".bounds",
    "BoundViolated": ".bounds",
    "against_the_leader": ".adversary",
    "load": ".state",
    "OnlineCommittee": ".committee",
}
__all__ = list(_PLACES)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name], __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
