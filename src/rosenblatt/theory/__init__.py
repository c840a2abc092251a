"""The theorems of linear classification, checked on data: proofs, bounds, and the best that any hyperplane can do."""

from ..lazy import lazily

_PLACES = {
    "separable": ".separability",
    "Separability": ".separability",
    "max_margin": ".margins.maximum",
    "MaxMargin": ".margins.maximum",
    "minimum_error": ".fewest.errors",
    "MinimumError": ".fewest.errors",
    "Ledger": ".ledger.ledger",
    "Bound": ".ledger.bounds",
    "BoundViolated": "..errors",
    "read_certificate": ".proof.certificate_file",
    "Problem": ".problem",
    "as_problem": ".problem",
    "in_kernel": ".space",
}
__all__ = list(_PLACES)
__getattr__, __dir__ = lazily(__name__, _PLACES)
