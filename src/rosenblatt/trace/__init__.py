"""What a run did, update by update: recorded, kept in a file, told in words, and run again."""

from ..lazy import lazily
from .file import read, save
from .observer import Trace
from .record import Record
from .replay import Replay, again, verify
from .told import PLACES

OWN = ("Record", "Replay", "Trace", "again", "read", "save", "verify")
__all__ = [*OWN, "page_of", "sentence", "sentences"]
__getattr__, __dir__ = lazily(__name__, dict.fromkeys(PLACES, ".told"), *OWN)
