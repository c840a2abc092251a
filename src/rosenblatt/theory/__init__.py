"""The theorems of linear classification, checked on data: proofs, bounds, and the best that any hyperplane can do."""

from __future__ import annotations

import importlib
from typing import Any

_PLACES = {
    "separable": ".separability",
    "Separability": ".separability",
    "max_margin": ".margins.maximum",
    "MaxMargin": ".margins.maximum",
    "minimum_error": ".fewest.errors",
    "MinimumError": ".fewest.errors",
    "Ledger": ".ledger.ledger",
    "Bound": ".ledger.bounds",
    "BoundViolated": ".ledger.yardstick",
    "read_certificate": ".proof.certificate_file",
    "Problem": ".problem",
    "as_problem": ".problem",
}
__all__ = list(_PLACES)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name], __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
