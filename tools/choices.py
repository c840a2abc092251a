"""For the API reference: `{"a", "b"}` as a parameter's type becomes words, which griffe else reads as an expression
(`mini - batch`). Named in mkdocs.yml."""

from __future__ import annotations

import re
from typing import Any

import griffe

CHOICES = re.compile(r'^(\w+) : \{(".+")\}(.*), default (.+)$', re.MULTILINE)


class Choices(griffe.Extension):
    """`name : {"a", "b"}, default "a"` → `name : str, default "a"`, and a description that begins with the choices."""

    def on_class(self, *, cls: griffe.Class, **others: Any) -> None:
        if cls.docstring is not None:
            cls.docstring.value = CHOICES.sub(r"\1 : str\3, default \4\n    One of \2.", cls.docstring.value)
