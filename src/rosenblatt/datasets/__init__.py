"""Small real data that come with the package, each with its provenance and licence: sms, spambase, mails."""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..errors import SettingError

_WORDS = (
    "make address all 3d our over remove internet order mail receive will people report addresses free business email "
    "you credit your font 000 money hp hpl george 650 lab labs telnet 857 data 415 85 technology 1999 parts pm direct "
    "cs meeting original project re edu table conference"
)
_CHARACTERS = ";([!$#"
_RUNS = ("average", "longest", "total")

SPAMBASE = (
    *(f"word_freq_{word}" for word in _WORDS.split()),
    *(f"char_freq_{character}" for character in _CHARACTERS),
    *(f"capital_run_length_{run}" for run in _RUNS),
)
"""57 names: a word's or character's share of all words or characters in percent; lengths of runs of capitals."""


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FILES", "Table", "describe", "load_sms", "load_spambase", "path"]

FILES = {"sms": "sms.txt.xz", "spambase": "spambase.svm.xz", "mails": "mails.tar.xz"}
"""name → file beside this module: `label<TAB>text` lines; svmlight with columns from 1; a tar of raw mails."""


class Table(NamedTuple):
    """Numeric data. X: (n, d) float64; y: (n,) float64 in {−1, +1}; names: the d columns."""

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    names: list[str]


def path(name: str) -> Path:
    """The packed file of a data set, ready for `rosenblatt train`.

    name: "sms", "spambase" or "mails". Raises SettingError for any other.
    """
    if name not in FILES:
        raise SettingError(f"unknown data set {name!r}; the package ships {', '.join(FILES)}")
    return Path(__file__).parent / FILES[name]


def describe(name: str) -> str:
    """Where a data set comes from: content, authors, source, licence, changes, sha256. Unknown names as in `path`."""
    path(name)
    return (Path(__file__).parent / f"{name}.PROVENANCE.txt").read_text(encoding="utf-8")


def load_sms() -> tuple[list[str], list[str]]:
    """(texts, labels): 4,459 short messages and "ham" (3,857) or "spam" (602) for each, in the original order."""
    lines = lzma.decompress(path("sms").read_bytes()).decode("utf-8").removesuffix("\n").split("\n")
    labels, texts = zip(*(line.split("\t", 1) for line in lines), strict=True)
    return list(texts), list(labels)


def load_spambase() -> Table:
    """(X, y, names): 4,601 mails × 57 dense features; y is +1 for spam (1,813), −1 otherwise (2,788)."""
    from ..read.svmlight import Svmlight

    (batch,) = Svmlight(path("spambase"), width=len(SPAMBASE))
    assert not isinstance(batch.rows, list) and batch.y is not None  # what the reader's types leave open
    return Table(batch.rows.toarray(), batch.y, list(SPAMBASE))
