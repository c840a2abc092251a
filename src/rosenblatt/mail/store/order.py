"""In which order a store learns, so that mails of one kind do not undo what those of the other have taught.

Who learns 2,000 spam and then 2,000 ham has 137 to 220 of 501 other mails wrong, side by side 2 to 10. Two things mend
it (`python benchmarks/mail_judge.py order`). As long as one kind only is known, its mails wait: nothing can be told
apart yet, and each one of the other kind then brings the first of them with it, side by side. Later, in a long row of
one kind, mails of the other are forgotten and learned again (`rehearses`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

SHARE, LEAST = 2, 2
"""A row is long from SHARE times the ratio of its kind to the other on, and LEAST more: 2 % of the mails of a mixed
stream bring such a one, 6 % where there are ten ham to a spam, which are judged better by it."""
NONE = -1
"""No tick."""


def one_kind_only(kind: str) -> str:
    """What is to be said of a store that knows one kind."""
    other = "ham" if kind == "spam" else "spam"
    return f"only {kind} is learned: it waits for {other}, and until then all mail is unsure"


class Order:
    """known, waiting: mails that are learned, and that wait, (ham, spam). saved: of `as_dict`.

    behind: (ham, spam), the tick before which the next one to be rehearsed lies. The latest come first: the first mails
    of a store are what the others stand on, and to take those out did harm (14 wrong instead of 10 on enron_dev).
    """

    def __init__(self, known: Sequence[int], waiting: Sequence[int], saved: dict[str, Any] | None = None) -> None:
        self.known, self.waiting = [*known], [*waiting]
        self.last, self.row, self.behind = False, 0, [NONE, NONE]
        if saved:
            self.last, self.row, self.behind = saved["last"], saved["row"], saved["behind"]

    def as_dict(self) -> dict[str, Any]:
        """What is not in the store elsewhere, as JSON holds it."""
        return {"last": self.last, "row": self.row, "behind": self.behind}

    @property
    def alone(self) -> str:
        """The kind that is the only one, "" where there are both or none."""
        kinds = [known + waiting > 0 for known, waiting in zip(self.known, self.waiting, strict=True)]
        return "" if kinds[0] == kinds[1] else ("ham", "spam")[kinds[1]]

    def waits(self, spam: bool) -> bool:
        """Whether a mail waits: nothing of the other kind is there."""
        return not self.known[not spam] and not self.waiting[not spam]

    def brings(self, spam: bool) -> bool:
        """Whether it brings one of the other kind that waits."""
        return self.waiting[not spam] > 0

    def rehearses(self, spam: bool) -> bool:
        """Whether one of the other kind is learned again before it."""
        own, other = self.known[spam], self.known[not spam]
        return spam == self.last and other > 0 and self.row * other >= SHARE * own + LEAST * other

    def learns(self, spam: bool) -> None:
        """A mail is learned."""
        self.row = self.row + 1 if spam == self.last else 1
        self.known[spam], self.last = self.known[spam] + 1, spam
