"""Text → tokens, made for mail: `$$$`, `!!!`, emoji, one-letter words, numbers and prices are kept.

    words     don't, e-mail, www.example.com, 3.50      letters, marks and digits, joined by one of ' - . _ & @
    numbers   1,000   $19.99   50%                      with their sign of currency or percent
    signs     $  !!!  ?                                 runs of one sign; longer runs count as three
    emoji     one token each, without skin tone
    CJK       中文字 → 中文 文字                          pairs of neighbours, where words have no spaces between them
    overlong  skip:x40                                  first letter and length in tens, instead of more than 40 letters

Text is split at white space, and what stands between is looked up: words repeat, so the rules run on few of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain
from unicodedata import category, normalize

LONGEST = 40
"""Letters of the longest token."""
REMEMBERED = 1 << 18
"""Pieces whose tokens are remembered; about 40 MB."""

UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),
    (0x3041, 0x30FF),  # kana
    (0x3105, 0x312F),
    (0x3400, 0x9FFF),  # Han
    (0xA960, 0xA97F),
    (0xAC00, 0xD7FF),  # Hangul
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
SIGNS = "!?%#*+=~^|<>"


def _kind(character: str) -> str:
    """w letter, d digit, m mark, c unspaced script, e emoji, $ currency; signs stand for themselves; else a blank."""
    if character in SIGNS:
        return character
    if character in "'\u2019":
        return "'"
    if character in "-.,@&":
        return character
    group = category(character)
    if group[0] in "LM" and any(low <= ord(character) <= high for low, high in UNSPACED):
        return "c"
    if group[0] == "L":
        return "w"
    return {"N": "d", "M": "m"}.get(group[0], {"Sc": "$", "So": "e"}.get(group, " "))


class _Kinds(dict[int, str]):
    """The kind of each character, by code point, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        kind = self[code] = _kind(chr(code))
        return kind


_kinds = _Kinds()
WORD = r"[wd][wdm]*(?:(?:['.&@-]|(?<=d),(?=d))[wd][wdm]*)*"
SHAPE = re.compile(rf"\$?(?=d){WORD}%?|{WORD}|c+|e|\$+|" + "|".join(re.escape(sign) + "+" for sign in SIGNS))
DROPPED = {code: None for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))}
"""Variation selectors: the same sign, drawn another way."""


def normal(text: str) -> str:
    """NFKC, then casefold, without invisible format characters; idempotent.

    Case folding can undo the composed form, so the pair is repeated until nothing changes (twice at most).
    """
    if text.isascii():
        return text.lower()
    text = "".join(c for c in text.translate(DROPPED) if category(c) != "Cf")
    while (folded := normalize("NFKC", normalize("NFKC", text).casefold())) != text:
        text = folded
    return text


def split(piece: str) -> tuple[str, ...]:
    """The tokens of a piece of text without white space in it."""
    text = normal(piece)
    shape = text.translate(_kinds)
    found: list[str] = []
    for match in SHAPE.finditer(shape):
        start, end = match.span()
        first = shape[start]
        if first == "c" and end - start > 1:
            found += [text[i : i + 2] for i in range(start, end - 1)]
        elif first in SIGNS or (first == "$" and shape[end - 1] == "$"):
            found.append(text[start : min(end, start + 3)])
        elif end - start > LONGEST:
            found.append(f"skip:{text[start]}{(end - start) // 10 * 10}")
        else:
            found.append(text[start:end].replace("\u2019", "'"))
    return tuple(found)


class Memory(dict[str, tuple[str, ...]]):
    """The tokens of pieces met before."""

    def __missing__(self, piece: str) -> tuple[str, ...]:
        found = split(piece)
        if len(piece) <= LONGEST:
            if len(self) >= REMEMBERED:
                self.clear()
            self[piece] = found
        return found


_memory = Memory()


def tokens(text: str) -> list[str]:
    """All tokens of a text in order."""
    return list(chain.from_iterable(map(_memory.__getitem__, text.split())))


def tagged(tag: str, words: Iterable[str]) -> list[str]:
    """The names of a field's tokens: `subject:free`; those of the body (tag "") stay as they are."""
    return [f"{tag}:{word}" for word in words] if tag else list(words)
