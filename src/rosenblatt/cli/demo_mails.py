"""The mails of `rosenblatt demo`: taken apart once, split by class, made rows over the training part's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ..batch import Document
    from ..core.rows import Array, Rows

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


def split(y: Array, seed: int, share: float = SHARE) -> tuple[Array, Array]:
    """(train, held): row numbers in a random order, `share` of each class in train."""
    import numpy as np

    order = np.random.default_rng(seed).permutation(len(y))
    in_train = np.zeros(len(y), bool)
    for label in np.unique(y):
        own = order[y[order] == label]
        in_train[own[: round(share * len(own))]] = True
    return order[in_train[order]], order[~in_train[order]]


def read_mails(seed: int) -> Mails:
    """All mails, taken apart once; dictionary and scaling are learned from the training mails alone."""
    import numpy as np

    from ..batch import AtHand, Batch
    from ..datasets import path
    from ..features.pipeline import Features
    from ..read import open_source

    source = open_source(path("mails"))
    parts = list(source)
    documents = [document for part in parts for document in part.rows]
    ids = [str(name) for part in parts for name in part.ids or ()]
    y = np.concatenate([part.y for part in parts if part.y is not None]).astype(str)

    def chosen(numbers: Array) -> tuple[list[Document], Array, list[str]]:
        return [documents[i] for i in numbers], y[numbers], [ids[i] for i in numbers]

    train, held = map(chosen, split(y, seed))
    features, rows, *_ = Features.fit(AtHand(Batch(train[0], None)))
    held_rows = features.transform(Batch(held[0], None))
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
