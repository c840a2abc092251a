"""A text in fields."""

from __future__ import annotations

Document = list[tuple[str, str]]
"""A text in fields: [(tag, text), …]; the tag "" is the body, "subject" the subject, and so on."""
