"""The mails of `rosenblatt demo`: taken apart once, split by class, made rows over the training part's words."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...data.batch import AtHand, joined
from ...data.folds import two_parts
from ...datasets import path
from ...features.pipeline import Features
from ...mailtext.fields import Document
from ...read import open_source

SHARE = 0.7
"""Of the mails of each class, the part to learn from."""


class Mails(NamedTuple):
    """The shipped mails: those to learn from and those held out, each a `Batch` of rows over the words of the training
    mails, with labels and the files' names; how they became rows, and what was in them."""

    train: Any
    held: Any
    features: Any
    reading: dict[str, Any]
    documents: tuple[list[Document], list[Document]]


def read_mails(seed: int) -> Mails:
    """All mails, taken apart once; dictionary and scaling are learned from the training mails alone."""
    source = open_source(path("mails"))
    mails: Any = joined(list(source))
    mails = mails._replace(y=mails.y.astype(str))
    train, held = map(mails.take, two_parts(mails.y, SHARE, seed))
    features, rows, *_ = Features.fit(AtHand(train._replace(y=None)))
    own = train._replace(rows=rows), held._replace(rows=features.transform(held))
    return Mails(*own, features, source.recipe(), (train.rows, held.rows))


def about(mails: Mails, seed: int) -> dict[str, Any]:
    """What is learned from, in numbers."""
    train, held = mails.train.y.tolist(), mails.held.y.tolist()
    return {
        "seed": seed,
        "mails": {label: (train + held).count(label) for label in sorted(set(train))},
        "train": len(train),
        "held_out": len(held),
        "held_out_spam": held.count("spam"),
        "words": mails.features.width,
    }
