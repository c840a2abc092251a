"""A comparison in words: a table that fits, what to pick and why, and records for machines."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from ..compare.contenders import Contender
from ..compare.intervals import Interval
from ..compare.result import Comparison, Row
from ..learn.metric import GRADIENT, algorithm
from ..learn.settings import DEFAULTS
from . import words
from .words import listed

SHORT = {"passive-aggressive-2": "PA-2", "passive-aggressive": "PA", "multi-class-perceptron": "multi-class"}
NAMED = 3
"""Learners named in the verdict; the others are counted."""
FALSE = "false + %"
LEFT_OUT = ("mistakes", "training", "updates", "seconds", "epochs", FALSE, "behind, 95 %")
"""Columns, in the order in which lines that are too long lose them."""
STYLES = ((False, 2, 0), (True, 2, 0), *((True, 1, count) for count in (0, 1, 2, 3, 4, 5, 6, 7)))
"""(short words, blanks between columns, how many of LEFT_OUT are left out), from wide to narrow."""


class Column(NamedTuple):
    """name, short: its head, in a narrow table the second. cell: a row's text. left: its cells begin together."""

    name: str
    short: str
    cell: Callable[[Row], str]
    left: bool = False


def table(comparison: Comparison, width: int, top: int | None = None) -> list[str]:
    """Head and rows in the widest style that fits; top: the most rows, and the pick, wherever it is. `*` marks the
    pick, `=` what is level."""
    rows = [row for place, row in enumerate(comparison.rows) if top is None or place < top or row is comparison.pick]
    for narrow, gap, count in STYLES:
        every = list(_columns(comparison, narrow))
        columns = [each for each in every if each.name not in LEFT_OUT[:count]]
        cells = zip(*([each[narrow], *map(each.cell, rows)] for each in columns), strict=True)
        lines = words.table(cells, [place for place, each in enumerate(columns) if not each.left], gap)
        if max(map(len, lines)) <= width:
            break
    if called := next((each[narrow] for each in columns if each.name == FALSE), None):
        negative, positive = (words.short(name, 20) for name in comparison.classes)
        sentence = f"{called}: of the rows of {negative}, those called {positive}, the positive class"
        lines += words.wrapped(sentence, width)
    if any(row.limited for row in rows):
        lines.append("+ a limit came before the rule was finished")
    if narrow and any(row.contender.rule.startswith("passive") for row in rows):
        lines.append("PA, PA-2: passive-aggressive, passive-aggressive-2")
    metrics = {row.contender.rule for row in rows if algorithm(row.contender.rule) == (GRADIENT, row.contender.rule)}
    if metrics:
        lines += words.wrapped(f"{', '.join(sorted(metrics))}: with rule {GRADIENT}", width)
    if first := list(comparison.noise)[:1]:
        lines += words.wrapped(_of_noise(first[0], list(comparison.noise)[1:]), width)
    if left_out := [name for name in LEFT_OUT[:count] if any(each.name == name for each in every)]:
        lines.append(f"left out, the lines are too short: {'; '.join(left_out)}")
    return lines


def _columns(comparison: Comparison, narrow: bool) -> Iterator[Column]:
    learners, scoring, pick = [row.contender for row in comparison.rows], comparison.scoring, comparison.pick
    rule: Any = _short if narrow else str
    amount = _amount if narrow else "{:,.0f}".format
    yield Column("", "", lambda row: "*" if row is pick else "=" if row.level else "", True)
    yield Column("rule", "rule", lambda row: rule(row.contender.rule), True)
    yield Column("keep", "keep", lambda row: row.contender.keep, True)
    if len({c.scale for c in learners}) > 1:
        yield Column("scale", "scale", lambda row: row.contender.scale, True)
    if len({c.space for c in learners}) > 1:
        yield Column("space", "space", lambda row: row.contender.space, True)
    path = any(c.l1 for c in learners)
    if path:
        yield Column("l1", "l1", lambda row: f"{row.contender.l1:g}")
        yield Column(
            "weights", "weights", lambda row: "-" if row.nonzero_weights is None else f"{row.nonzero_weights:,.0f}"
        )
    if any(c.optimizer != DEFAULTS["optimizer"] for c in learners):
        yield Column("optimizer", "optimizer", lambda row: row.contender.optimizer, True)
    if scoring is not None:
        yield Column(scoring, scoring[:12], lambda row: f"{row.score:.4f} ±{row.score_deviation:.4f}")
        yield Column("error %", "err %", lambda row: _percent(row.error))
    else:
        yield Column("error %", "err %", lambda row: f"{_percent(row.error)} ±{_percent(row.deviation)}")
    for share in list(comparison.noise)[1:]:
        yield Column(_share(share), _share(share), partial(_there, comparison.noise[share]))
    if len(comparison.classes) == 2:
        yield Column(FALSE, "f+ %", lambda row: _percent(row.false_positives))
    yield Column("training", "train", lambda row: _percent(row.training_error))
    if comparison.optima:
        yield Column("on all", "all", lambda row: "-" if row.on_all is None else f"{row.on_all:,}")
    yield Column("behind, 95 %", "behind", lambda row: _interval(comparison, row))
    yield Column("mistakes", "mist", lambda row: amount(row.mistakes))
    yield Column("updates", "upd", lambda row: amount(row.updates))
    yield Column("epochs", "ep", lambda row: f"{row.epochs:.0f}{'+' if row.limited else ''}")
    yield Column("seconds", "s", lambda row: f"{row.seconds:.3f}")


def _short(rule: str) -> str:
    name, colon, rest = rule.partition(":")
    return SHORT.get(name, name) + colon + rest


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f}"


def _there(rows: dict[Contender, Row], row: Row) -> str:
    return _at(rows.get(row.contender))


def _at(row: Row | None) -> str:
    """What is compared, at another share of noise."""
    return "-" if row is None else _percent(row.error) if row.score is None else f"{row.score:.4f}"


def _share(share: float) -> str:
    return f"{100 * share:g} %"


def _of_noise(first: float, others: list[float]) -> str:
    """What the columns of other shares are."""
    wrong = "of the training rows have a wrong label, by the seed"
    there = f"{', '.join(map(_share, others))}: the same where so many {wrong}" if others else ""
    here = f"all else is where {_share(first)} {wrong}" if first else ""
    return "; ".join(filter(None, (there, here)))


def _interval(comparison: Comparison, row: Row) -> str:
    if row.behind is None:
        return "best"
    if comparison.scoring is not None:
        return f"{row.behind.low:+.4f}…{row.behind.high:+.4f}"
    return f"{100 * row.behind.low:+.1f}…{100 * row.behind.high:+.1f}"


def _amount(count: float) -> str:
    """`950`, `9.5k`, `61k`, `1.2M`: four letters at most."""
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if round(count) >= factor:
            number = count / factor
            return f"{number:.1f}{letter}" if number < 9.95 else f"{number:.0f}{letter}"
    return f"{count:.0f}"


def value(comparison: Comparison, row: Row) -> str:
    """`6.89 % ± 0.86`, or the score."""
    if comparison.scoring is not None:
        return f"{comparison.scoring} {row.score:.4f} ± {row.score_deviation:.4f}"
    return f"error {_percent(row.error)} % ± {_percent(row.deviation)}"


def fewest(comparison: Comparison) -> Iterator[str]:
    """The optimum beside the best single hyperplane of a learner: `perceptron pocket none 36, the optimum 34 …`."""
    for scale, optimum in comparison.optima.items():
        of = "" if len(comparison.optima) == 1 else f", scaled {scale}"
        rows = [row for row in optimum.learners if row[1] is not None]
        least = min(rows, key=lambda row: row[1] or 0, default=None)
        learner = "" if least is None else f"{least[0]} {least[1]:,}, "
        yield f"errors on all rows{of}: {learner}the optimum {optimum.words}."
    if comparison.optima and any(not row.contender.is_linear for row in comparison.rows):
        yield "Voted is many hyperplanes, no single one, and may make fewer."


def verdict(comparison: Comparison) -> Iterator[str]:
    """What to pick and why; what cannot be told apart; how far to trust it."""
    pick, best, level = comparison.pick, comparison.best, comparison.level()
    yield f"pick {pick.contender.name}: {value(comparison, pick)}; {_why(comparison)}."
    if pick.error >= comparison.baseline[0]:
        yield "It makes no fewer errors than calling every row the most frequent class."
    others = [row.contender.name for row in level if row is not pick]
    if len(comparison.rows) == 1:
        yield "No other learner was tried."
    elif not others:
        yield "No other learner comes close: all are worse than it, each by its 95 % interval."
    else:
        yield f"Not told apart from {'it' if pick is best else 'the best'}: {listed(others, NAMED)}."
    yield from _suffering(comparison)
    count = len(comparison.rows) - 1
    if count:
        worse = sum(row.holm is not None and row.holm <= 0.05 for row in comparison.rows)
        yield f"Intervals: {comparison.method}; each is for one comparison with the best."
        are = "is" if worse == 1 else "are"
        if count > 1:
            yield f"For all {count} at once, by Holm's correction, {worse} of them {are} worse than the best."
        yield f"The best of {count + 1} looks better than it is: judge the pick on data not used here."


def _suffering(comparison: Comparison) -> Iterator[str]:
    """Which learners wrong labels harm least and most: of those level with the best, if there are several."""
    if len(comparison.noise) < 2:
        return
    last = max(comparison.noise)
    there, level = comparison.noise[last], comparison.level()
    rows = [row for row in (level if len(level) > 1 else comparison.rows) if row.contender in there]
    if not rows:
        return
    unit = " %" if comparison.scoring is None else ""
    rows.sort(key=lambda row: there[row.contender].loss - row.loss)
    fewest = min(there.values(), key=lambda row: row.loss)
    yield f"With {_share(last)} wrong labels {fewest.contender.name} is the best ({_at(fewest)}{unit})."

    def harm(row: Row) -> str:
        return f"{row.contender.name} ({_at(row)} → {_at(there[row.contender])}{unit})"

    if len(rows) > 1:
        of = "those not told apart from the best" if len(level) > 1 else "all"
        yield f"Of {of}, {harm(rows[0])} suffers least, {harm(rows[-1])} most."


def _why(comparison: Comparison) -> str:
    pick, best = comparison.pick, comparison.best
    if pick is best:
        near = any(comparison.near(row) for row in comparison.rows[1:])
        return "the best, and the least effort among those near it" if near else "the best"
    if pick.contender.is_linear and not best.contender.is_linear:
        less = f"one weight vector, not {best.updates:,.0f} that vote"
    elif pick.nonzero_weights is not None and any(row.contender.l1 for row in comparison.rows):
        less = f"with {pick.nonzero_weights:,.0f} weights that are not 0, not {best.nonzero_weights or 0:,.0f}"
    elif round(pick.epochs) < round(best.epochs):
        less = f"with {pick.epochs:.0f} passes over the data, not {best.epochs:.0f}"
    else:
        less = f"with {pick.updates:,.0f} updates, not {best.updates:,.0f}"
    return f"within one standard error of the best, {best.contender.name} ({value(comparison, best)}), {less}"


def records(comparison: Comparison) -> list[dict[str, Any]]:
    """A dict a row: names, numbers, `behind_low`, `behind_high` …; those that failed come last, with their reason."""
    made: list[dict[str, Any]] = []
    for place, row in enumerate(comparison.rows, 1):
        behind: Any = row.behind or Interval(0.0, 0.0, 0.0, None)  # type: ignore[arg-type]
        made.append({
            "place": place, **_of(row.contender), "error": row.error, "error_deviation": row.deviation,
            "score": row.score, "score_deviation": row.score_deviation,
            "false_positives": row.false_positives, "training_error": row.training_error,
            "errors_on_all": row.on_all, "nonzero_weights": row.nonzero_weights,
            **{f"error_at_{share:g}": _get(there, row, "error") for share, there in comparison.noise.items()},
            **{f"score_at_{share:g}": _get(there, row, "score") for share, there in comparison.noise.items()},
            "mistakes": row.mistakes, "updates": row.updates, "epochs": row.epochs, "limited": row.limited,
            "stop_reason": row.stop, "seconds": round(row.seconds, 4),
            "behind": behind.value, "behind_low": behind.low, "behind_high": behind.high, "p": behind.p,
            "p_holm": row.holm, "level": row.level, "picked": row is comparison.pick, "failed": None,
        })  # fmt: skip
    for contender, reason in comparison.failed.items():
        empty = dict.fromkeys(made[0]) if made else {}
        made.append({**empty, **_of(contender), "failed": reason})
    return made


def _of(contender: Contender) -> dict[str, Any]:
    """Who it is; rule: the algorithm."""
    own = contender._asdict()
    return {name: own[name] for name in ("rule", "keep", "scale", "optimizer", "l1", "space")}


def _get(there: dict[Contender, Row], row: Row, name: str) -> Any:
    return getattr(there.get(row.contender), name, None)
