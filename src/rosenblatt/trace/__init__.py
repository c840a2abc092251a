"""What a run did, update by update: recorded, kept in a file, told in words, and run again."""

from .file import read, save
from .observer import Trace
from .record import Record
from .replay import Replay, again, verify

__all__ = ["Record", "Replay", "Trace", "again", "read", "save", "verify"]
