"""What a run did, update by update: recorded, kept in a file, told in words, and run again."""

from ..lazy import lazily
from .file import read, save
from .observer import Trace
from .record import Record
from .replay import Replay, again, verify, with_rows
from .told import PLACES

__all__ = [
    "Record", "Replay", "Trace", "again", "page_of", "read", "save", "sentence", "sentences", "verify", "with_rows",
]  # fmt: skip
__getattr__, __dir__ = lazily(__name__, dict.fromkeys(PLACES, ".told"), *__all__)
