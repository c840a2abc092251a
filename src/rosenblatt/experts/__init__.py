"""Learning from expert advice: halving, weighted majority, Hedge, follow the leader, with their guarantees checked."""

from ..lazy import lazily

_PLACES = {
    "Halving": ".algorithms",
    "WeightedMajority": ".algorithms",
    "RandomizedWeightedMajority": ".algorithms",
    "Hedge": ".algorithms",
    "FollowTheLeader": ".algorithms",
    "Advised": ".advised",
    "Round": ".play",
    "Ledger": ".play",
    "Bound": ".play",
    "BoundViolated": "..errors",
    "against_the_leader": ".algorithms",
    "load": ".algorithms",
    "OnlineCommittee": ".committee",
}
__all__ = list(_PLACES)
__getattr__, __dir__ = lazily(__name__, _PLACES)
