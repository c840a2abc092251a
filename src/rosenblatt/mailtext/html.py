"""HTML → the text that a reader sees, and the markup around it."""

from __future__ import annotations

import re
from html import unescape
from typing import NamedTuple

HTML_LIMIT = 1 << 19
"""Characters of one HTML part that are read; the longest of 7,523 mails of two corpora has a third of it."""
TAG_LIMIT = 10_000
RUN_LIMIT = 1 << 16
"""More tags, or a longer run without one, are only stripped of their tags: the parser's time grows with the square of
the nesting and of the number of attributes (100,000 nested <div> took 22 s)."""

UNSEEN = ["script", "style"]
BREAK = re.compile(
    r"<(?=/?(?:p|br|div|t[drh]|table|li|[ou]l|d[dlt]|h[1-6r]|option|title|center|blockquote|pre|section|article|html|head|body)\b)",
    re.IGNORECASE,
)
"""Tags that end a word. Others do not: V<b>i</b>agra is one word to the reader."""
TAG = re.compile(r"<[^<>]*>")


class Page(NamedTuple):
    """text: as seen, without scripts, styles and comments, block tags as line breaks. markup: all tags, a line each."""

    text: str
    markup: str


def read_html(source: str) -> Page:
    """Text and markup of an HTML page, however broken; what is beyond the limits is cut or only stripped."""
    source = source[:HTML_LIMIT]
    markup = "\n".join(TAG.findall(source))
    if source.count("<") > TAG_LIMIT or max(map(len, source.split("<"))) > RUN_LIMIT:
        return Page(unescape(TAG.sub(" ", source)), markup)
    # Loaded here, as most plain mails need none of it (20 ms).
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(BREAK.sub("\n<", source))
    tree.strip_tags(UNSEEN)
    root = tree.root
    return Page("" if root is None else root.text(), markup)
