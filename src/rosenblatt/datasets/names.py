"""Names of the columns of spambase, as UCI documents them."""

from __future__ import annotations

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
