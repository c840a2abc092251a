"""HTML → the text that a reader sees."""

from __future__ import annotations

import re
from html import unescape

HTML_LIMIT = 1 << 19
"""Characters of one HTML part that are read; the longest of 7,523 mails of two corpora has a third of it."""
TAG_LIMIT = 10_000
RUN_LIMIT = 1 << 16
"""More tags, or a longer run without one, go to the plain fallback: the parser's time grows with the square of the
nesting and of the number of attributes (100,000 nested <div> took 22 s)."""

UNSEEN = ["script", "style", "head > meta", "noframes"]
BREAK = re.compile(
    r"<(?=/?(?:p|br|div|t[drh]|table|li|[ou]l|d[dlt]|h[1-6r]|option|title|center|blockquote|pre|section|article)\b)",
    re.IGNORECASE,
)
"""Tags that end a word. Others do not: V<b>i</b>agra is one word to the reader."""
ANY_TAG = re.compile(r"<[^<>]*>")


def html_text(source: str) -> str:
    """The visible text, without scripts, styles, comments and tags; block tags become line breaks."""
    source = source[:HTML_LIMIT]
    if source.count("<") > TAG_LIMIT or max(map(len, source.split("<"))) > RUN_LIMIT:
        return unescape(ANY_TAG.sub(" ", source))
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(BREAK.sub("\n<", source))
    tree.strip_tags(UNSEEN)
    root = tree.root
    return "" if root is None else root.text()
