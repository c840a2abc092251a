"""What a run did, update by update: recorded, kept in a file, told in words, and run again."""

from .record import Trace

__all__ = ["Trace"]
