"""A judge of mail that learns message by message, and how well it does on a stream."""

from ..lazy import lazily

_PLACES = {"Judge": ".judge", "Opinion": ".judge", "Look": ".features", "Looked": ".features"}
__all__ = list(_PLACES)
__getattr__, __dir__ = lazily(__name__, _PLACES)
