"""What a run did, update by update: recorded, kept in a file, told in words, and run again."""

from ..lazy import lazily
from .observer import Trace
from .record import Record
from .told import PLACES

__all__ = ["Record", "Trace", "page_of", "sentence", "sentences"]
__getattr__, __dir__ = lazily(__name__, dict.fromkeys(PLACES, ".told"), "Record", "Trace")
