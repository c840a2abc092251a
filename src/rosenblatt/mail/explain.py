"""What makes the score of a mail: `explained(reader, raw)`. Plain Python."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from .features import SENDERS, known
from .opinion import Opinion
from .store.reading import Reader

MIDDLE = "the middle between ham and spam"


class Token(NamedTuple):
    """names: one, or several that share a column. groups: that they are of. weight: of the column in the mixed score.
    contribution: to the score, weight/√m."""

    names: list[str]
    groups: list[str]
    weight: float
    contribution: float


class Explained(NamedTuple):
    """tokens: those that are known, the most telling first, and the middle, which is taken away, at the end: the
    `math.fsum` of their contributions is the score. unknown: names of the mail that no learned mail had."""

    opinion: Opinion
    tokens: list[Token]
    unknown: int


def explained(reader: Reader, raw: bytes) -> Explained:
    looked, look = reader.looked(raw), reader.look
    names, groups, there = defaultdict[int, list[str]](list), defaultdict[int, list[str]](list), {*looked.columns}
    found = look.names(raw)
    if SENDERS in found and looked.sender:
        found[SENDERS] = {*known(looked.sender, {looked.sender: reader.sender(looked.sender)})}
    for group, own in found.items():
        for name in sorted(own):
            column = look.column(name)
            if column in there and name not in names[column]:
                names[column].append(name)
                groups[column].append(group)
    weights = reader.weights(looked.columns)
    tokens = [Token(names[at], groups[at], weights[at], own) for at, own in reader.contributions(looked).items()]
    tokens.sort(key=lambda token: (-abs(token.contribution), token.names))
    middle = -reader.scale.middle
    return Explained(reader.opinion(looked), [*tokens, Token([MIDDLE], [], middle, middle)], len(there) - len(tokens))
