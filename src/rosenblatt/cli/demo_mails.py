"""The mails of `rosenblatt demo`: taken apart once, split by class, made rows over the training part's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ..core.rows import Array, Rows
    from ..mailtext.document import Document

SHARE = 0.7
"""Of the mails of each class, the part to learn from."""


class Part(NamedTuple):
    """Some of the mails. rows: (n, d), over the words of the training mails. y: (n,) labels. ids: the files' names."""

    rows: Rows
    documents: list[Document]
    y: Array
    ids: list[str]


class Mails(NamedTuple):
    """The shipped mails: those to learn from, those held out, and how both became rows."""

    train: Part
    held: Part
    features: Any
    reading: dict[str, Any]


def read_mails(seed: int) -> Mails:
    """All mails, taken apart once; dictionary and scaling are learned from the training mails alone."""
    from ..data.batch import AtHand, joined
    from ..data.folds import two_parts
    from ..datasets import path
    from ..features.pipeline import Features
    from ..read import open_source

    source = open_source(path("mails"))
    mails: Any = joined(list(source))
    mails = mails._replace(y=mails.y.astype(str))
    train, held = map(mails.take, two_parts(mails.y, SHARE, seed))
    features, rows, *_ = Features.fit(AtHand(train._replace(y=None)))
    held_rows = features.transform(held)
    return Mails(Part(rows, *train), Part(held_rows, *held), features, source.recipe())


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
