"""Any text as a label in a picture: every script, dollar signs, control characters, names of any length."""

import unicodedata
from functools import lru_cache
from typing import Any

FONT = "DejaVu Sans"
"""Comes with matplotlib, so that the same picture has the same letters everywhere; other fonts only help out."""

BOXES = "Last Resort"
"""Comes with matplotlib too, and has for each script the same box."""


def readable(text: Any, most: int = 28) -> str:
    r"""A label on one line of at most `most` letters, for matplotlib.

    A longer one is cut inside, because names that begin alike often differ at the end.

    Dollar signs are escaped, because two of them are a formula to matplotlib. Control characters become blanks, marks
    that say how to lay out text are left out, an empty text is `(empty)`. A letter that no font here has is its number,
    `\u4e2d`: unlike a box it can be looked up, and two names stay two.
    """
    letters = " ".join(_drawable(str(text)).split())
    if len(letters) > 2 * most:  # of a page of text only the ends are looked at
        letters = letters[:most] + letters[-most:]
    parts = [letter if letter == " " or family(letter) else _number(letter) for letter in letters]
    if sum(map(len, parts)) > most:
        end = _within(parts[::-1], most // 3)[::-1]
        parts = [*_within(parts, most - 1 - sum(map(len, end))), "…", *end]
    return "".join(parts).replace("$", r"\$") or "(empty)"


def _within(parts: list[str], most: int) -> list[str]:
    """The first parts that have at most so many letters together."""
    count, length = 0, 0
    while count < len(parts) and length + len(parts[count]) <= most:
        length += len(parts[count])
        count += 1
    return parts[:count]


def families(text: str) -> list[str]:
    """The fonts that a text needs, the usual one first."""
    return list(dict.fromkeys([FONT, *(found for letter in set(text) if (found := family(letter)))]))


@lru_cache(maxsize=4096)
def family(letter: str) -> str | None:
    """A font of this machine that has the letter: the usual one if it can, else Noto, else any."""
    from matplotlib.font_manager import findfont, fontManager, get_font

    if get_font(findfont(FONT)).get_char_index(ord(letter)):
        return FONT
    fonts = {font.name: font.fname for font in fontManager.ttflist if font.style == "normal"}
    fonts = {name: file for name, file in fonts.items() if not name.startswith(BOXES)}
    for name in sorted(fonts, key=lambda name: (not name.startswith("Noto"), name)):
        try:
            font = get_font(fonts[name])
            if font.scalable and font.get_char_index(ord(letter)):  # fonts of coloured pictures cannot be drawn
                return name
        except (OSError, RuntimeError):
            continue
    return None


def _drawable(text: str) -> str:
    """Without what has no shape: control characters, layout marks, half characters of undecodable file names."""
    kinds = {letter: unicodedata.category(letter) for letter in set(text)}
    changed = {"Cc": " ", "Zl": " ", "Zp": " ", "Cf": "", "Cs": "\ufffd"}
    table = {ord(letter): changed[kind] for letter, kind in kinds.items() if kind in changed}
    return text.translate({**table, **dict.fromkeys(range(0xFE00, 0xFE10), "")})  # which of its shapes an emoji has


def _number(letter: str) -> str:
    code = ord(letter)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
