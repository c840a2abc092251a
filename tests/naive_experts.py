"""Expert advice in twenty plain lines each, with fractions: what the package's rounds are compared with."""

from __future__ import annotations

from fractions import Fraction

Advice = list[int | None]


def majority(rounds: list[Advice], outcomes: list[int], beta: Fraction) -> tuple[list[int], list[Fraction]]:
    """(predictions, weights after the last round, summing to one) of the deterministic weighted majority.

    None is asleep: the awake vote, and keep together the weight that they had.
    """
    weights = [Fraction(1, len(rounds[0]))] * len(rounds[0])
    said = []
    for advice, truth in zip(rounds, outcomes, strict=True):
        up = sum((w for w, a in zip(weights, advice, strict=True) if a == 1), Fraction(0))
        down = sum((w for w, a in zip(weights, advice, strict=True) if a == 0), Fraction(0))
        said.append(1 if up >= down else 0)
        weights = reduced(weights, advice, truth, beta)
    return said, weights


def randomised(rounds: list[Advice], outcomes: list[int], beta: Fraction) -> tuple[list[Fraction], list[Fraction]]:
    """(expected mistakes of each round, weights after the last) of the randomised weighted majority."""
    weights = [Fraction(1, len(rounds[0]))] * len(rounds[0])
    expected = []
    for advice, truth in zip(rounds, outcomes, strict=True):
        awake = sum((w for w, a in zip(weights, advice, strict=True) if a is not None), Fraction(0))
        wrong = sum((w for w, a in zip(weights, advice, strict=True) if a is not None and a != truth), Fraction(0))
        expected.append(wrong / awake if awake else Fraction(int(truth != 1)))  # a tie of nobody says 1
        weights = reduced(weights, advice, truth, beta)
    return expected, weights


def reduced(weights: list[Fraction], advice: Advice, truth: int, beta: Fraction) -> list[Fraction]:
    """β for the wrong, then all awake ones times what gives them their common weight back."""
    after = [w * beta if a is not None and a != truth else w for w, a in zip(weights, advice, strict=True)]
    before = sum((w for w, a in zip(weights, advice, strict=True) if a is not None), Fraction(0))
    now = sum((w for w, a in zip(after, advice, strict=True) if a is not None), Fraction(0))
    return [w * before / now if a is not None else w for w, a in zip(after, advice, strict=True)]


def halving(rounds: list[Advice], outcomes: list[int]) -> list[int]:
    """Predictions: the majority of those with the fewest mistakes so far, all awake."""
    wrong, said = [0] * len(rounds[0]), []
    for advice, truth in zip(rounds, outcomes, strict=True):
        votes = [a for a, m in zip(advice, wrong, strict=True) if m == min(wrong)]
        said.append(1 if 2 * sum(v or 0 for v in votes) >= len(votes) else 0)
        wrong = [m + (a != truth) for m, a in zip(wrong, advice, strict=True)]
    return said


def leader(rounds: list[Advice], outcomes: list[int]) -> list[int]:
    """Predictions of follow the leader, all awake."""
    wrong, said = [0] * len(rounds[0]), []
    for advice, truth in zip(rounds, outcomes, strict=True):
        said.append(max(a or 0 for a, m in zip(advice, wrong, strict=True) if m == min(wrong)))
        wrong = [m + (a != truth) for m, a in zip(wrong, advice, strict=True)]
    return said
