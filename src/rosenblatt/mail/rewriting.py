"""A mail → the same mail with the filter's headers: `rewritten(raw, headers_for(opinion, threshold))`.

The standard library's `email` is no help: what it writes of a broken mail is another mail.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .opinion import Opinion

NAMES = ("X-Spam-Status", "X-Spam-Flag", "X-Spam-Score", "X-Bogosity")
"""What the filter writes in any style, and so takes away."""
STARTS = (b"x-spam-", b"x-bogosity")
LONGEST = 998
"""Characters of a line (RFC 5322)."""
MOST = 1e6
"""The largest score that is written."""

BEFORE = re.compile(rb"(?:From [^\n]*+\n?+)?+(?:[ \t][^\n]*+\n?+)*+")
"""What must stay first: the line that begins a mail in an mbox, and lines that would become folded ones of ours."""
HEADER = re.compile(rb"[!-9;-~]++[ \t]*+:|>++From ")
BLANK = re.compile(rb"^\r?\n", re.MULTILINE)


def lines_of(names: Iterable[str]) -> bytes:
    """A pattern: a header of one of these names, in any case, with its folded lines."""
    return rf"(?i:{'|'.join(names)})[ \t]*+:[^\n]*+\n?+(?:[ \t][^\n]*+\n?+)*+".encode()


ALL = re.compile(b"^" + lines_of(NAMES), re.MULTILINE)
FIRST = re.compile(b"(?:" + lines_of(NAMES) + b")*+")


def rewritten(raw: bytes, ours: Mapping[str, str]) -> bytes:
    r"""The mail without headers of `NAMES`, and with ours before its first header, a line each, in its own line ends.

    Headers end at the first blank line, as they do for procmail and bogofilter, which look behind broken lines too. Of
    a text that begins with no header only what stands at its top is taken. Lines end with \n or \r\n, and with \r
    where there is no \n. No other byte changes, but that a last line without an end gets one where ours must come
    after it (`BEFORE`). Twice is as once. Time is linear; memory that of the mail, and 14 times as much where every
    second line is such a header.

    ours: by names of `NAMES`, printable ASCII up to `LONGEST`; ValueError for others.
    """
    for name, value in ours.items():
        line = f"{name}: {value}"
        if name not in NAMES or not (line.isascii() and line.isprintable()) or len(line) > LONGEST:
            raise ValueError(f"found {line[:80]!r}; expected one of {', '.join(NAMES)}, and printable ASCII")
    if b"\n" not in raw and b"\r" in raw:
        return rewritten(raw.replace(b"\r", b"\n"), ours).replace(b"\n", b"\r")
    before = BEFORE.match(raw)
    place = before.end() if before else 0
    first, blank = FIRST.match(raw, place), BLANK.search(raw, place)
    start, stop = first.end() if first else place, blank.start() if blank else len(raw)
    headers = ALL.sub(b"", raw[start:stop]) if HEADER.match(raw, start) else raw[start:stop]
    end = _line_end(raw, place)
    added = [f"{name}: {value}".encode() + end for name, value in ours.items()]
    gap = end if place and not raw.endswith(b"\n", 0, place) else b""
    return b"".join([raw[:place], gap, *added, headers, raw[stop:]])


def bare(raw: bytes) -> bytes:
    """The mail without headers of `NAMES`. Most have none, which is seen in 2 µs; to look for them takes 24."""
    small = raw[: raw.find(b"\n\n")].lower()  # behind it are none; without it, a last byte names none
    return rewritten(raw, {}) if STARTS[0] in small or STARTS[1] in small else raw


def _line_end(raw: bytes, place: int) -> bytes:
    """That of the line there, or else of the first: some mbox files have a `From ` line of their own kind."""
    at = raw.find(b"\n", place)
    at = raw.find(b"\n") if at < 0 else at
    return b"\r\n" if at > 0 and raw[at - 1] == 13 else b"\n"


def headers_for(opinion: Opinion, threshold: float, style: str = "spam") -> dict[str, str]:
    """What the filter writes of an opinion, by name.

    threshold: the score above which mail is spam (`Record.threshold`). style: of `STYLES`.
    """
    return STYLES[style](opinion, threshold)


def _spam(opinion: Opinion, threshold: float) -> dict[str, str]:
    """What recipes for SpamAssassin look for: `Yes, score=` or `No, score=` with one decimal; a flag for spam only."""
    spam = opinion.verdict == "spam"
    # In tenths. Rounding must not lift what is no spam to what is required: sieve's spamtest would call it so.
    score, required = (round(10.0 * max(-MOST, min(value, MOST))) for value in (opinion.score, threshold))
    if not spam:
        score = min(score, required - 1)
    values = f"required={required / 10:.1f} verdict={opinion.verdict} probability={opinion.probability:.6f}"
    status = {"X-Spam-Status": f"{'Yes' if spam else 'No'}, score={score / 10:.1f} {values}"}
    return status | ({"X-Spam-Flag": "YES"} if spam else {}) | {"X-Spam-Score": f"{score / 10:.1f}"}


def _bogofilter(opinion: Opinion, threshold: float) -> dict[str, str]:
    """What recipes for bogofilter look for: `Spam, tests=bogofilter`, `Ham`, `Unsure`; the probability is spamicity."""
    values = f"tests=bogofilter, spamicity={opinion.probability:.6f}, version=rosenblatt"
    return {"X-Bogosity": f"{opinion.verdict.capitalize()}, {values}"}


STYLES: dict[str, Callable[[Opinion, float], dict[str, str]]] = {"spam": _spam, "bogofilter": _bogofilter}
