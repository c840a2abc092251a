"""Runs of words and of letters, and what they are called.

    free prize          the words free and prize, one after the other (`words` 2); in a field: subject:free prize
    /_fr/  /fre/  /ee_/  letters of one word, _ where it begins or ends (`chars` (3, 3)); in a field: subject:/fre/

No word has a blank or a slash in it, so that none can be mistaken for a run. Runs are made of whole words: a joined one
(don't) counts as one, and its parts are in no run. They do not cross from one field into the next, but lines of a text
they do. Fields of a mail that are worked out (html, links, …) are no running text and have no runs.

`AveragedPerceptron(max_iter=10)`, default features but for the runs: sms_dev 5-fold (mean of seeds 0, 1, 2),
spamassassin_dev and csdmc2010_dev 5-fold (seed 0), trained on one and tested on the other (mean of seeds 0, 1, 2):

                     sms   spamassassin  csdmc2010  across  back
    words           .9856      .9936       .9920     .960   .989
    2 words         .9852      .9934       .9903     .966   .991
    3 words         .9842      .9931       .9863     .965   .991
    chars 2-4       .9897      .9920       .9897     .939   .988
    chars 3-5       .9887      .9929       .9857     .941   .987

Runs of characters help where texts are short and spelled as one likes; runs of words carry over to other mails.
Neither is the default: the dictionary grows fivefold (38,618 names to 182,722 with runs of two words).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import ModelError, SettingError
from ..mailtext.fields import is_made
from ..mailtext.tokens import named, tagged, units
from .parameters import CHAR_NGRAMS, WORD_NGRAMS

Array = np.ndarray[Any, Any]
LONGEST_GRAM = 10
parameters = (WORD_NGRAMS, CHAR_NGRAMS)
RUNS_REMEMBERED = 1 << 19
"""Runs of words that are remembered at most, about 120 MB."""


class Grams(NamedTuple):
    """words: runs of 1 … words words. chars: (a, b), runs of a … b characters within a word; (0, 0): none."""

    words: int = 1
    chars: tuple[int, int] = (0, 0)

    def recipe(self) -> dict[str, Any]:
        return {"word_ngrams": self.words, "char_ngrams": list(self.chars)}

    @classmethod
    def restore(cls, recipe: dict[str, Any]) -> Grams:
        """From a dictionary's recipe; those of version 0.1.0 have no runs."""
        first, last = recipe.get("char_ngrams", (0, 0))
        words, none = recipe.get("word_ngrams", 1), (first, last) == (0, 0)
        if not all(type(number) is int for number in (words, first, last)):
            raise ModelError(f"damaged: its runs of words or characters are {words!r} and {first!r} to {last!r}")
        return parse(words, None if none else f"{first}-{last}")


WORDS = Grams()
"""Words alone."""


def parse(words: int, chars: str | None) -> Grams:
    """2, "3-5" → Grams(2, (3, 5)). Raises SettingError where a number is out of range."""
    WORD_NGRAMS.check(words)
    match = re.fullmatch(r"([0-9]{1,3})(?:-([0-9]{1,3}))?", chars) if isinstance(chars, str) else None
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if chars is not None and not 1 <= first <= last <= LONGEST_GRAM:
        text = f"{{char_ngrams:s}} is not understood; it must be A-B with 1 ≤ A ≤ B ≤ {LONGEST_GRAM}"
        raise SettingError(text, char_ngrams=chars)
    return Grams(words, (first, last))


def characters(word: str, chars: tuple[int, int]) -> list[str]:
    """The runs of characters of a word, in order, the short ones first. Signs, emoji and cut words have none."""
    if not chars[1] or ":" in word or not any(map(str.isalnum, word)):
        return []
    marked = f"_{word}_"
    runs = (marked[at : at + n] for n in range(chars[0], chars[1] + 1) for at in range(len(marked) - n + 1))
    return [f"/{run}/" for run in runs if run != "_"]


def piece_names(tag: str, parts: Sequence[list[str]], grams: Grams) -> list[str]:
    """The names of a piece of text without white space, from its `units`: words, and the runs of their characters."""
    names = list(named(tag, parts))
    if grams.chars[1] and not is_made(tag):
        names += tagged(tag, (run for part in parts for run in characters(part[0], grams.chars)))
    return names


def text_names(tag: str, text: str, grams: Grams) -> Iterator[str]:
    """All names of a text: what a bag counts, one after the other."""
    pieces = [units(piece) for piece in text.split()]
    for parts in pieces:
        yield from piece_names(tag, parts, grams)
    if grams.words > 1 and not is_made(tag):
        words = [part[0] for parts in pieces for part in parts]
        for n in range(2, grams.words + 1):
            yield from tagged(tag, (" ".join(words[at : at + n]) for at in range(len(words) - n + 1)))


class Ragged:
    """Rows of whole numbers of any length: appended one by one, taken many at a time."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self._flat, self._ends = array("q"), array("q", [0])

    def append(self, row: Iterable[int]) -> int:
        """The new row's number."""
        self._flat.extend(row)
        self._ends.append(len(self._flat))
        return len(self._ends) - 2

    def take(self, rows: Array) -> tuple[Array, Array]:
        """(all numbers of these rows one after the other, the length of each row), int64."""
        flat, ends = np.asarray(self._flat), np.asarray(self._ends)
        starts, lengths = ends[rows], ends[rows + 1] - ends[rows]
        return flat[np.arange(lengths.sum()) + np.repeat(starts - np.cumsum(lengths) + lengths, lengths)], lengths


class Runs:
    """Runs of 2 … n words → columns. A run is found by the number of the run without its last word, and that word.

    column: name → column. tagged, words: the words by number with and without their field's tag; both grow.
    """

    def __init__(self, n: int, column: Callable[[str], int], tagged: list[str], words: list[str]) -> None:
        self._n, self._column, self._tagged, self._words = n, column, tagged, words
        self.clear()

    def clear(self) -> None:
        self._known: list[dict[int, int]] = [{} for _ in range(self._n + 1)]
        self._names: list[list[str]] = [[] for _ in range(self._n + 1)]
        self._names[1] = self._tagged
        self._columns = [array("q") for _ in range(self._n + 1)]

    def columns(self, words: Array, text: Array) -> tuple[Array, Array]:
        """(column of every run, place of its first word). words: (m,) numbers in order. text: (m,) the text of each."""
        if sum(map(len, self._columns)) > RUNS_REMEMBERED:
            self.clear()
        columns, places, before = [np.empty(0, np.int64)], [np.empty(0, np.int64)], words
        for n in range(2, self._n + 1):
            inside = np.flatnonzero(text[: max(0, len(text) - n + 1)] == text[n - 1 :])
            numbers = self._numbers(n, before[inside] << 32 | words[inside + n - 1])
            columns.append(np.asarray(self._columns[n])[numbers])
            places.append(inside)
            before = np.full(len(words), -1)
            before[inside] = numbers
        return np.concatenate(columns), np.concatenate(places)

    def _numbers(self, n: int, keys: Array) -> Array:
        """The number of each run of n words, new ones after those that are known."""
        different, place = np.unique(keys, return_inverse=True)
        known = self._known[n]
        numbers = np.array([known.get(key, -1) for key in different.tolist()], np.int64)
        new = np.flatnonzero(numbers < 0)
        numbers[new] = np.arange(len(known), len(known) + len(new))
        fresh = different[new]
        known.update(zip(fresh.tolist(), numbers[new].tolist(), strict=True))
        shorter, words = self._names[n - 1], self._words
        pairs = zip((fresh >> 32).tolist(), (fresh & 0xFFFFFFFF).tolist(), strict=True)
        names = [f"{shorter[first]} {words[last]}" for first, last in pairs]
        self._columns[n].extend(map(self._column, names))
        if n < self._n:
            self._names[n] += names
        return numbers[place]
