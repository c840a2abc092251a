"""The outcome: rows in order, how far each is behind the best, and which one to pick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array
from ..errors import DataError, Message
from .contenders import Contender
from .intervals import Interval, holm, over_folds, over_groups, over_rows
from .race import Plan, Ran, Turn, rows_of

METHODS = {
    "folds": "paired over the folds, corrected resampled t (Nadeau & Bengio 2003)",
    "rows": "paired over the test rows on which two differ, exact (McNemar; Clopper & Pearson)",
    "groups": "paired, jackknife over 20 groups of test rows",
}


class Row(NamedTuple):
    """One contender; numbers are means over the folds.

    error, deviation: on test rows; the deviation over the folds, of a single test set the binomial one. score: of the
    scorer, or None. training_error: share with y·u ≤ 0, None where not counted. limited: a limit came before the rule
    was finished, in some fold; stop: that limit, or why it stopped in the first. behind: to the best, in error or
    score; holm: its p-value for all comparisons at once; both None for the best. on_all: rows with y·u ≤ 0 among all
    the data, having learned from all; None: not asked for, or too many votes.
    """

    contender: Contender
    error: float
    deviation: float
    score: float | None
    score_deviation: float | None
    training_error: float | None
    mistakes: float
    updates: float
    epochs: float
    limited: bool
    stop: str
    seconds: float
    behind: Interval | None = None
    holm: float | None = None
    on_all: int | None = None

    @property
    def level(self) -> bool:
        """Not told apart from the best."""
        return self.behind is None or self.behind.includes_zero


@dataclass(frozen=True)
class Comparison:
    """rows: sorted, the best first. failed: contender → why it has no numbers. pick: the row to take, see `reason`.

    baseline: (error, score) of always saying the most frequent class. method: how differences are judged. sizes:
    (training, test) rows of each part.
    """

    rows: list[Row]
    failed: dict[Contender, Message]
    baseline: tuple[float, float | None]
    sizes: list[tuple[int, int]]
    tested: bool
    scoring: str | None
    method: str
    pick: Row
    limit: float
    interrupted: bool
    optima: dict[str, Any] = field(default_factory=dict)

    @property
    def best(self) -> Row:
        return self.rows[0]

    def value(self, row: Row) -> float:
        """What is compared: the error, or minus the score; small is good."""
        return row.error if row.score is None else -row.score

    def level(self) -> list[Row]:
        """The rows that are not told apart from the best, the best first."""
        return [row for row in self.rows if row.level]

    def table(self, width: int = 100) -> str:
        """The rows as text, at most `width` letters a line."""
        from .table import table

        return "\n".join(table(self, width))

    def verdict(self) -> str:
        """What to pick, and why."""
        from .table import verdict

        return " ".join(verdict(self))

    def records(self) -> list[dict[str, Any]]:
        """A dict a row, for JSON and CSV, those that failed at the end."""
        from .table import records

        return records(self)


def comparison(ran: Ran, plan: Plan, tested: bool) -> Comparison:
    """What a race comes to. DataError where nobody could learn."""
    found = rows_of(ran)
    if not found:
        reason = next(iter(ran.failed.values()), Message("there are none"))
        raise DataError(reason.within(f"none of the {len(ran.failed)} learners could learn: "))
    rows = [_row(contender, turns) for contender, turns in found]
    losses = {contender: _losses(turns) for contender, turns in found}
    mean = [round(float(losses[row.contender].mean()), 12) for row in rows]
    order = sorted(range(len(rows)), key=lambda i: (mean[i], *_effort(rows[i])))
    best = rows[order[0]].contender
    one = len(ran.sizes) == 1
    method = METHODS["folds" if not one else "rows" if plan.scoring is None else "groups"]
    judged = [rows[order[0]]]
    behind = [_behind(ran, rows[i].contender, best, losses) for i in order[1:]]
    adjusted = holm(np.array([each.p for each in behind]))
    for i, interval, p in zip(order[1:], behind, adjusted, strict=True):
        judged.append(rows[i]._replace(behind=interval, holm=float(p)))
    limit = float(losses[best].mean()) + _standard_error(ran.turns[best], rows[order[0]], one)
    baseline = [np.mean([b[k] for b in ran.baseline]) if ran.baseline[0][k] is not None else None for k in (0, 1)]
    return Comparison(
        judged, ran.failed, (float(baseline[0]), None if baseline[1] is None else float(baseline[1])), ran.sizes,  # type: ignore[arg-type]
        tested, plan.scoring, method, _pick(judged, losses, limit), limit, ran.interrupted,
    )  # fmt: skip


def _row(contender: Contender, turns: Sequence[Turn]) -> Row:
    errors = np.array([turn.wrong.mean() for turn in turns])
    scores = np.array([turn.score for turn in turns], float)
    training = [turn.training_error for turn in turns]
    scored, several = turns[0].score is not None, len(turns) > 1
    spread = float(np.std(errors, ddof=1)) if several else _binomial(float(errors[0]), len(turns[0].wrong))
    return Row(
        contender, float(errors.mean()), spread,
        float(scores.mean()) if scored else None,
        (float(np.std(scores, ddof=1)) if several else _jackknife(turns[0].without)) if scored else None,
        None if None in training else float(np.mean(training)),  # type: ignore[arg-type]
        float(np.mean([turn.mistakes for turn in turns])), float(np.mean([turn.updates for turn in turns])),
        float(np.mean([turn.epochs for turn in turns])), any(turn.limited for turn in turns),
        next((turn.stop for turn in turns if turn.limited), turns[0].stop),
        float(np.mean([turn.seconds for turn in turns])),
    )  # fmt: skip


def _losses(turns: Sequence[Turn]) -> Array:
    return np.array([turn.wrong.mean() if turn.score is None else -turn.score for turn in turns])


def _behind(ran: Ran, contender: Contender, best: Contender, losses: dict[Contender, Array]) -> Interval:
    difference = losses[contender] - losses[best]
    own, other = ran.turns[contender][0], ran.turns[best][0]
    if len(difference) > 1:
        train, test = np.mean(ran.sizes, axis=0)
        return over_folds(difference, train, test)
    if own.without is None or other.without is None:
        return over_rows(own.wrong, other.wrong)
    return over_groups(float(difference[0]), other.without - own.without)


def _standard_error(turns: Sequence[Turn], row: Row, one: bool) -> float:
    """Of the best's own value: what "within one standard error of the best" is measured by."""
    spread = row.deviation if row.score_deviation is None else row.score_deviation
    return spread if one else spread / len(turns) ** 0.5


def _effort(row: Row) -> tuple[bool, float, float]:
    """What is simpler comes first: one weight vector before many that vote, then fewer passes, then fewer updates."""
    return not row.contender.is_linear, row.epochs, row.updates


def _pick(rows: Sequence[Row], losses: dict[Contender, Array], limit: float) -> Row:
    """The simplest of the rows that are not told apart from the best and within one standard error of it.

    Both conditions: a learner that is wild from fold to fold has an interval that holds anything.
    """
    near = [row for row in rows if row.level and losses[row.contender].mean() <= limit]
    return min(near, key=_effort)


def _binomial(error: float, rows: int) -> float:
    return float((error * (1.0 - error) / rows) ** 0.5)


def _jackknife(without: Array | None) -> float:
    assert without is not None
    g = len(without)
    return float(((g - 1) / g * ((without - without.mean()) ** 2).sum()) ** 0.5)
