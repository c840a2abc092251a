"""Which of the folders above a mail is its label."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

PAIR = ("ham", "spam")
"""The folders that are looked for where no labels are named, in any case of letters."""

Folders = tuple[str, ...]
LabelOf = Callable[[Folders], str | None]


def nearest(labels: Sequence[str] | None = None) -> LabelOf:
    """What gives a mail's folders the label nearest to it, None where there is none of `labels` (None: spam, ham)."""
    wanted = {name: str(name) for name in labels} if labels is not None else {}

    def label(folders: Folders) -> str | None:
        for folder in reversed(folders):
            if labels is not None and folder in wanted:
                return wanted[folder]
            if labels is None and folder.lower() in PAIR:
                return folder.lower()
        return None

    return label


def labelling(places: Sequence[Folders], labels: Sequence[str] | None = None) -> LabelOf | None:
    """From the folders of all mails to what gives each its label, or None for a mail outside; None if nothing does.

    labels: folders that are labels, else spam and ham, else the folders in which the paths part. A mail has the label
    of the nearest such folder above it.
    """
    near = nearest(labels)
    if any(near(folders) is not None for folders in places):
        return near
    if labels is not None:
        return None
    depth = len(os.path.commonprefix(list(places))) if places else 0
    if len({folders[depth : depth + 1] for folders in places}) < 2 or any(len(f) <= depth for f in places):
        return None
    return lambda folders: folders[depth]
