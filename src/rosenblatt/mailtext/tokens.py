"""Text → tokens, made for mail: `$$$`, `!!!`, emoji, one-letter words, numbers and prices are kept.

    words     free  a  हिन्दी                     letters with their marks
    joined    don't → don't don t               words joined by one of ' . - @ & give themselves and their parts:
              www.example.com → www.example.com www example com
    numbers   7  1,000  3.50  $19.99  50%       with their sign of currency or percent
    signs     $  !!!  ?                         runs of one sign; longer runs count as three
    emoji     one token each, without skin tone or variant
    CJK       中文字 → 中文 文字                  pairs of neighbours, where words have no spaces between them
    overlong  skip:x40                          first letter and length in tens, instead of more than 40 letters

Text is split at white space, and what stands between is looked up: words repeat, so the rules run on few of them.
Averaged perceptron, 5-fold (mean of four seeds), spamassassin_dev / csdmc2010_dev / trained on one, tested on other:
these rules .9935 / .9902 / .955; joined words whole only .9929 / .9881 / .941, in parts only .9928 / .9906 / .948;
without signs .9931 / .9888 / .954; words of two and more letters only (scikit-learn's rule) .9925 / .9888 / .944.
"""

import re
from collections.abc import Callable, Iterable
from itertools import chain, groupby, islice
from typing import TypeVar
from unicodedata import category, combining, normalize
from zlib import crc32

from .fields import is_whole

LONGEST = 40
"""Letters of the longest token, and of the longest piece that is remembered."""
REMEMBERED = 1 << 18
"""Pieces that are remembered at most, about 40 MB."""

SIGNS = "!?%#*+=~^|<>"
EDGES = "'.-,@&"
"""ASCII that belongs to a token only inside it."""
SEPARATORS = ':;_"()[]{}/\\`'
"""ASCII that never belongs to a token."""
UNSPACED = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF),  # Thai, Lao; Burmese; Khmer
    (0x3005, 0x3007), (0x3041, 0x318F), (0x31A0, 0x31FF),  # 々〆〇; kana, bopomofo, Hangul jamo
    (0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),  # Han
    (0xA960, 0xA97F), (0xAC00, 0xD7FF),  # Hangul
)  # fmt: skip
"""Scripts written without spaces, or (Hangul) with many endings on a word: pairs of characters serve better."""

Value = TypeVar("Value")


def _kind(character: str) -> str:
    """w letter, d digit, m mark, c unspaced script, e emoji, $ currency; signs and joiners themselves; else a blank."""
    if character in SIGNS or character in EDGES:
        return character
    if character == "\u2019":
        return "'"
    group = category(character)
    if group[0] in "LM":
        if any(first <= ord(character) <= last for first, last in UNSPACED):
            return "c"
        return "w" if group[0] == "L" else "m"
    if group[0] == "N":
        return "d"
    return {"Sc": "$", "So": "e"}.get(group, " ")


class _Kinds(dict[int, str]):
    """The kind of each character, by code point, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        kind = self[code] = _kind(chr(code))
        return kind


_kinds = _Kinds()
LETTERS = "[wd][wdm]*"
WORD = rf"{LETTERS}(?:(?:['.@&-]|(?<=d),(?=d)){LETTERS})*"
SHAPE = re.compile(rf"\$?(?=d){WORD}%?|{WORD}|c+|e|\$+|" + "|".join(re.escape(sign) + "+" for sign in SIGNS))
"""The rules, over the kinds of the characters."""
JOINER = re.compile("['.@&,-]")
VARIANTS: dict[int, None] = dict.fromkeys((*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
"""Variation selectors: the same sign, drawn another way."""


MARKS = 30
"""Marks on one letter that are read, as in Unicode's stream-safe text (UAX #15). They are put in order, in a time that
grows with the square of their number: 40 KB of them took 0.8 s, 1 MB minutes."""


def normal(text: str) -> str:
    """NFKC, then casefold, without invisible format characters and marks beyond `MARKS`; idempotent.

    Case folding can undo the composed form, so both are repeated until nothing changes (the second time, mostly).
    """
    if text.isascii():
        return text.lower()
    text = "".join(c for c in text.translate(VARIANTS) if category(c) != "Cf")
    while (folded := normalize("NFKC", normalize("NFKC", _few_marks(text)).casefold())) != text:
        text = folded
    return text


def _few_marks(text: str) -> str:
    if len(text) <= MARKS:
        return text
    runs = groupby(text, lambda c: combining(c) > 0)
    return "".join(chain.from_iterable(islice(run, MARKS) if marks else run for marks, run in runs))


def _short(word: str) -> str:
    return word if len(word) <= LONGEST else f"skip:{word[0]}{len(word) // 10 * 10}"


def _unit(word: str) -> list[str]:
    """A word of letters and digits, and after it the parts of a joined one (not of numbers)."""
    parts = JOINER.split(word) if word[0].isalpha() else []
    return [_short(word), *(part for part in parts if len(part) <= LONGEST)] if len(parts) > 1 else [_short(word)]


def units(piece: str) -> list[list[str]]:
    """What a piece of text consists of: each whole word or sign, followed by its parts."""
    text = normal(piece)
    # 0.5 µs for a plain word in its punctuation, 4 µs by the rules.
    if text.isascii() and (word := text.strip(EDGES + SEPARATORS)).isalnum():
        return [[_short(word)]]
    shape = text.translate(_kinds)
    words: list[list[str]] = []
    for match in SHAPE.finditer(shape):
        start, end = match.span()
        first, last = shape[start], shape[end - 1]
        if first == "c" and end - start > 1:
            words += [[text[at : at + 2]] for at in range(start, end - 1)]
        elif first in SIGNS or last == "$":
            words.append([text[start : min(end, start + 3)]])
        else:
            words.append(_unit(text[start:end].replace("\u2019", "'")))
    return words


def split(piece: str) -> tuple[str, ...]:
    """The tokens of a piece of text without white space in it."""
    return tuple(chain.from_iterable(units(piece)))


class Memory(dict[str, Value]):
    """`make(piece)`, remembered: one look-up (0.2 µs) where a word is met again, 4 µs where it is new."""

    def __init__(self, make: Callable[[str], Value], longest: int = LONGEST, most: int = REMEMBERED) -> None:
        super().__init__()
        self._make, self._longest, self._most = make, longest, most

    def __missing__(self, piece: str) -> Value:
        value = self._make(piece)
        if len(piece) <= self._longest:
            if len(self) >= self._most:
                self.clear()
            self[piece] = value
        return value


def tagged(tag: str, words: Iterable[str]) -> Iterable[str]:
    """The names of a field's tokens: `subject:free`; those of the body (tag "") are the tokens themselves."""
    return [f"{tag}:{word}" for word in words] if tag else words


def named(tag: str, parts: Iterable[list[str]]) -> Iterable[str]:
    """The tokens of a piece of a field, from its `units`: all of them, or whole words only where they are names."""
    return tagged(tag, (part[0] for part in parts) if is_whole(tag) else chain.from_iterable(parts))


def tokens(fields: Iterable[tuple[str, str]]) -> list[str]:
    """All tokens of a text in fields (`Document`) in order, tagged: what a dictionary counts. Compiled code
    (`features.bag`) takes the same apart faster and is tested equal to this."""
    return [name for tag, text in fields for piece in text.split() for name in named(tag, units(piece))]


def hashed(name: str) -> int:
    """32 bits: the checksum every zlib computes, stirred (crc32 is linear: its low bits alone fall into patterns)."""
    h = crc32(name.encode("utf-8", "surrogatepass"))
    h = ((h ^ h >> 16) * 0x85EBCA6B) & 0xFFFFFFFF
    h = ((h ^ h >> 13) * 0xC2B2AE35) & 0xFFFFFFFF
    return h ^ h >> 16
