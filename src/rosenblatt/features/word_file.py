"""A dictionary of one's own: a file with a word a line, in the names that features have."""

from pathlib import Path

from ..errors import DataError, SettingError, located
from .ngrams import Grams, text_names

LEARNED, HASHED = "words", "hashed"


def lines_of(path: str) -> list[str]:
    """The lines of a text file. DataError where it cannot be read."""
    try:
        return Path(path).read_bytes().decode("utf-8-sig", "replace").splitlines()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None


def read_words(path: str, grams: Grams) -> list[str]:
    """The names of a file, a line each, in its order: `prize`, `subject:prize`, and with runs of words `free prize`.

    Empty lines are passed over. SettingError where there is no such file; DataError names the line of what no text
    can yield (words are found in lower case, without marks), or of a word that is there twice.
    """
    if not Path(path).exists():
        text = (
            "{dictionary.name} {dictionary.value} is unknown; it must be words, hashed, or a file, which is not there"
        )
        raise SettingError(text, dictionary=path)
    first: dict[str, int] = {}
    for number, name in enumerate(lines_of(path), 1):
        if not name.strip():
            continue
        tag, _, word = name.rpartition(":")
        possible = [*text_names("", name, grams), *(text_names(tag, word, grams) if tag else ())]
        if name not in possible:
            known = f"; a text has {possible[0]!r}" if possible else ""
            raise located(
                path, number, f"found {name[:40]!r}", f"expected a word as texts yield it, a line each{known}"
            )
        if name in first:
            raise located(path, number, f"found {name[:40]!r}", f"expected each word once; it is in line {first[name]}")
        first[name] = number
    if not first:
        raise DataError(f"{path}: no words; expected one a line")
    return list(first)
