"""The outcome: rows in order, how far each is behind the best, and which one to pick."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array
from ..data.batch import Batch
from ..data.checks import check_finite
from ..data.labels import class_list, class_numbers
from ..errors import DataError, Message, SettingError
from ..lazy import lazily
from ..read.anything import at_hand
from ..recipe.trial import Trial, Watch
from .contenders import Contender, contenders
from .intervals import Interval, holm, jackknife, over_folds, over_groups, over_rows
from .race import NOISE, Plan, Race, check_noise, flipped, folds

METHODS = {
    "folds": "paired over the folds, corrected resampled t (Nadeau & Bengio 2003)",
    "rows": "paired over the test rows, score interval (Newcombe 1998); p-values of McNemar's exact test",
    "groups": "paired, jackknife over 20 groups of test rows",
}
COUNTS = ("mistakes", "updates", "epochs", "seconds")
_report, _ = lazily(__package__, dict.fromkeys(("table", "verdict", "records"), "..report.compare"))
"""How a comparison reads is a report's affair: the function of this name."""


class Row(NamedTuple):
    """One contender; numbers are means over the folds.

    error, deviation: on test rows; the deviation over the folds, of a single test set the binomial one. score: of the
    scorer, or None. false_positives: of two classes, the share of the negative one's test rows that are called
    positive. training_error: share with y·u ≤ 0, None where not counted. limited: a limit came before the rule
    was finished, in some fold; stop: that limit, or why it stopped in the first. behind: to the best, in error or
    score; holm: its p-value for all comparisons at once; both None for the best. on_all: rows with y·u ≤ 0 among all
    the data, having learned from all; None: not asked for, or too many votes. nonzero_weights: None: they vote.
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
    false_positives: float | None = None
    nonzero_weights: float | None = None

    @property
    def measured(self) -> tuple[float, float]:
        """The error, or the score where there is one, with its deviation."""
        if self.score is None or self.score_deviation is None:
            return self.error, self.deviation
        return self.score, self.score_deviation

    @property
    def loss(self) -> float:
        """What is compared: the error, or minus the score; small is good."""
        return self.error if self.score is None else -self.score

    @property
    def level(self) -> bool:
        """Not told apart from the best."""
        return self.behind is None or self.behind.includes_zero


@dataclass(frozen=True, repr=False)
class Comparison:
    """rows: sorted, the best first. failed: contender → why it has no numbers.

    baseline: (error, score) of always saying the most frequent class. method: how differences are judged. sizes:
    (training, test) rows of each part. pick: the simplest of the rows that are near the best (`near`). classes: the
    labels, of two the positive one last. noise: share of flipped training labels → the rows there; all else is of the
    first share.
    """

    rows: list[Row]
    failed: dict[Contender, Message]
    baseline: tuple[float, float | None]
    sizes: list[tuple[int, int]]
    tested: bool
    scoring: str | None
    method: str
    pick: Row
    interrupted: bool
    classes: list[Any] = field(default_factory=list)
    optima: dict[str, Any] = field(default_factory=dict)
    noise: dict[float, dict[Contender, Row]] = field(default_factory=dict)

    def __repr__(self) -> str:
        best, pick = self.best.contender.name, self.pick.contender.name
        shown = f"best {best}, error {self.best.error:.4g}; pick {pick}"
        return f"<Comparison: {len(self.rows)} learners; {shown}>"

    @property
    def best(self) -> Row:
        return self.rows[0]

    def value(self, row: Row) -> float:
        """What is compared: the error, or minus the score; small is good."""
        return row.loss

    def near(self, row: Row) -> bool:
        """See `near_to`."""
        return near_to(self.best, row, len(self.sizes))

    def level(self) -> list[Row]:
        """The rows that are not told apart from the best, the best first."""
        return [row for row in self.rows if row.level]

    def table(self, width: int = 100) -> str:
        """The rows as text, at most `width` letters a line."""
        return "\n".join(_report("table")(self, width))

    def verdict(self) -> str:
        """What to pick, and why."""
        return " ".join(_report("verdict")(self))

    def records(self) -> list[dict[str, Any]]:
        """A dict a row, for JSON and CSV, those that failed at the end."""
        return _report("records")(self)  # type: ignore[no-any-return]

    def to_frame(self) -> Any:
        """The records as a DataFrame of pandas, a row each."""
        return import_module("pandas").DataFrame.from_records(self.records())


def compare(X: Any, y: Any = None, plan: Plan = Plan(), test: Any = None, watch: Watch | None = None) -> Any:
    """A `Comparison` of the plan's learners on labelled rows, in folds or on a test set.

    X: (n, d) array or sparse matrix, or a list of texts; or a `Batch`, with y=None. test: (X, y) or a `Batch`. Raises
    DataError for values that are not finite, classes that are too small for the folds, and where nobody could learn;
    SettingError for names and numbers that make no sense. Ctrl-C ends it with what is done (`interrupted`).
    """
    data = at_hand(X, y).batch
    held = None if test is None else at_hand(*([test] if isinstance(test, Batch) else test)).batch
    if data.y is None or (held is not None and held.y is None):
        raise DataError("there are no labels; rows to compare learners on need one each")
    for name, least in (("epochs", 1), ("jobs", 1), ("max_time", 0)):
        value = getattr(plan, name)
        if value is not None and not value >= least:
            raise SettingError(f"{{{name}}} must be None or a number ≥ {least}", **{name: value})
    check_noise(plan.noise)
    class_list(data.y, plan.positive)
    for each in (data, held):
        if each is not None and not isinstance(each.rows, list):
            check_finite(each.rows)
    if held is None:
        pairs = [(data.take(kept), data.take(out)) for kept, out in folds(data.y, plan.folds, plan.seed)]
    else:
        class_numbers(held.y, np.unique(data.y))  # type: ignore[arg-type]
        pairs = [(data, held)]
    kind = "documents" if isinstance(data.rows, list) else "rows"
    learners = contenders(kind, np.unique(data.y).size) if plan.learners is None else plan.learners
    found: list[Comparison] = []
    levels = sorted({*plan.noise}) or [0.0]
    for place, share in enumerate(levels):
        seeds = [(plan.seed, part, NOISE) for part in range(len(pairs))]
        noisy = [(flipped(train, share, own), test) for own, (train, test) in zip(seeds, pairs, strict=True)]
        race = Race(plan, list(learners), noisy if share else pairs)
        try:
            for number in range(len(pairs)):
                race.run(number, partial(_later, watch, place, len(levels)))
        except KeyboardInterrupt:
            if found:  # of the first share all is known
                found[0] = replace(found[0], interrupted=True)
                break
            race = race.without_unfinished()
        found.append(comparison(race, held is not None))
        if race.interrupted:
            break
    both = zip(levels, found, strict=False)
    noise = {share: {row.contender: row for row in each.rows} for share, each in both if plan.noise}
    return replace(found[0], noise=noise)


def _later(watch: Watch | None, place: int, levels: int, what: str, done: int, of: int) -> None:
    """Tells the watch of trials, where as many come before and after at other shares of noise."""
    if watch is not None:
        watch(what, place * of + done, levels * of)


def comparison(race: Race, tested: bool) -> Comparison:
    """What a race comes to. DataError where nobody could learn."""
    if not race.running:
        reason = next(iter(race.failed.values()), Message("there are none"))
        raise DataError(reason.within(f"none of the {len(race.failed)} learners could learn: "))
    sizes = [(train.n, test.n) for train, test in race.pairs]
    one, scored = len(sizes) == 1, race.plan.scoring is not None
    rows = [_row(contender, race.trials[contender]) for contender in race.running]
    loss = {row.contender: float(_losses(race.trials[row.contender]).mean()) for row in rows}
    path = any(row.contender.l1 for row in rows)
    rows.sort(key=lambda row: (round(loss[row.contender], 12), *_effort(row, path)))
    best = rows[0]
    own, others = race.trials[best.contender], [race.trials[row.contender] for row in rows[1:]]
    behind = [_behind(trials, own, np.mean(sizes, axis=0)) for trials in others]
    adjusted = holm(np.array([each.p for each in behind])).tolist()
    judged = [row._replace(behind=each, holm=p) for row, each, p in zip(rows[1:], behind, adjusted, strict=True)]
    judged.insert(0, best)
    near = [row for row in judged if near_to(best, row, len(sizes))]
    errors, scores = zip(*(_most_frequent(*pair, race.plan.scoring) for pair in race.pairs), strict=True)
    return Comparison(
        judged, race.failed, (float(np.mean(errors)), None if None in scores else float(np.mean(scores))), sizes,
        tested, race.plan.scoring, METHODS["folds" if not one else "groups" if scored else "rows"],
        min(near, key=partial(_effort, path=path)), race.interrupted,
        class_list(np.asarray(race.pairs[0][0].y), race.plan.positive).tolist(),
    )  # fmt: skip


def near_to(best: Row, row: Row, parts: int) -> bool:
    """Not told apart from the best, within one standard error s of it, and no wilder: its own standard error above its
    loss is within 2s of the best. A learner that is wild from fold to fold has an interval that holds anything."""
    root = parts**0.5
    one, own = best.measured[1] / root, row.measured[1] / root
    return row.level and row.loss <= best.loss + one and row.loss + own <= best.loss + 2.0 * one


def _row(contender: Contender, trials: Sequence[Trial]) -> Row:
    several, first = len(trials) > 1, trials[0]
    errors, scores = [trial.error for trial in trials], [trial.score[0] for trial in trials if trial.score]
    lost = [trial.false_positives for trial in trials if trial.false_positives is not None]
    weights = [trial.nonzero_weights for trial in trials if trial.nonzero_weights is not None]
    training = [None if trial.training_errors is None else trial.training_errors / trial.n for trial in trials]
    means: dict[str, Any] = {n: _mean([getattr(t, n) for t in trials]) for n in COUNTS}
    error = _mean(errors)
    return Row(
        contender, error,
        _deviation(errors) if several else float((error * (1.0 - error) / len(first.wrong)) ** 0.5),  # type: ignore[arg-type]
        _mean(scores) if scores else None,
        None if not scores else _deviation(scores) if several else float(jackknife(first.score[1]) ** 0.5),
        None if None in training else _mean(training),
        limited=any(trial.stop.is_limit for trial in trials),
        false_positives=_mean(lost) if lost else None,
        nonzero_weights=_mean(weights) if weights else None,
        stop=next((trial.stop for trial in trials if trial.stop.is_limit), first.stop).text,
        **means,
    )  # fmt: skip


def _mean(values: Any) -> float:
    return float(np.mean(values))


def _deviation(values: Any) -> float:
    return float(np.std(values, ddof=1))


def _behind(a: Sequence[Trial], best: Sequence[Trial], sizes: Any) -> Interval:
    """sizes: training and test rows of a part."""
    differences, own, other = _losses(a) - _losses(best), a[0], best[0]
    if len(differences) > 1:
        found = over_folds(differences, *sizes)
        # Of few folds t reaches beyond what a difference of two shares can be.
        bounds = {} if own.score is not None else {"low": max(found.low, -1.0), "high": min(found.high, 1.0)}
        return found._replace(**bounds)
    if own.score is None:
        return over_rows(own.wrong, other.wrong)  # type: ignore[arg-type]
    return over_groups(float(differences[0]), other.score[1] - own.score[1])


def _losses(trials: Sequence[Trial]) -> Array:
    """What is compared: errors, or minus the scores."""
    return np.array([-trial.score[0] if trial.score else trial.error for trial in trials])


def _effort(row: Row, path: bool) -> tuple[bool, float, float, float]:
    """What is simpler comes first: one weight vector before many that vote, on a path of L1 then fewer weights, then
    fewer passes, then fewer updates."""
    return not row.contender.is_linear, (row.nonzero_weights or 0.0) if path else 0.0, row.epochs, row.updates


def _most_frequent(train: Batch, test: Batch, scoring: str | None) -> tuple[float, float | None]:
    """(error, score) of calling every row what most training rows are."""
    from sklearn.dummy import DummyClassifier
    from sklearn.metrics import get_scorer

    labels: Any = [train.y, test.y]
    codes = np.unique(np.concatenate(labels), return_inverse=True)[1]
    own, truth = codes[: train.n], codes[train.n :]
    dummy, nothing = DummyClassifier(strategy="prior").fit(np.zeros((len(own), 1)), own), np.zeros((len(truth), 1))
    error = float((dummy.predict(nothing) != truth).mean())
    try:
        return error, None if scoring is None else float(get_scorer(scoring)(dummy, nothing, truth))
    except (ValueError, AttributeError):
        return error, None
