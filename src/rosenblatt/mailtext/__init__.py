"""Bytes of a mail → fields → tokens: `tokens(parse(raw))`. Plain Python: a single mail is judged in milliseconds.

`parse` is loaded when it is first used, as the standard library's `email` costs 15 ms.
"""

from ..lazy import lazily
from .tokens import tokens  # at once: a lazy name would be that of the module, and this loads nothing but `re`

__all__ = ["parse", "tokens"]

__getattr__, __dir__ = lazily(__name__, {"parse": ".mail"}, "tokens")
