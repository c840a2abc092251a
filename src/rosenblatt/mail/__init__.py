"""A judge of mail that learns message by message, and how well it does on a stream."""

from ..lazy import lazily

_PLACES = {
    **dict.fromkeys(("Expert", "Judge", "Opinion"), ".judge"),
    **dict.fromkeys(("Look", "Looked"), ".features"),
    **dict.fromkeys(("Plan", "Stream", "read_stream"), ".stream"),
    **dict.fromkeys(("Ablation", "Difference", "Evaluation", "Run", "ablate", "evaluate"), ".evaluation"),
}
__all__ = list(_PLACES)
__getattr__, __dir__ = lazily(__name__, _PLACES)
