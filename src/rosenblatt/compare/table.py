"""A comparison in words: a table that fits, what to pick and why, and records for machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..learn.settings import DEFAULTS
from ..report import words
from ..report.words import listed

if TYPE_CHECKING:
    from .result import Comparison, Row

SHORT = {
    "passive-aggressive-2": "PA-2",
    "passive-aggressive": "PA",
    "multi-class-perceptron": "multi-class",
}
NAMED = 3
"""Learners named in the verdict; the others are counted."""


class Column(NamedTuple):
    """head: full and narrow. cell: full and narrow text of a row. left: its cells begin together."""

    head: tuple[str, str]
    cell: Callable[[Row], tuple[str, str]]
    left: bool = False


class Style(NamedTuple):
    """narrow: short words. gap: blanks between columns. without: heads of columns that are left out."""

    narrow: bool
    gap: int
    without: tuple[str, ...] = ()


STYLES = (
    Style(False, 2),
    Style(True, 2),
    Style(True, 1),
    Style(True, 1, ("mistakes",)),
    Style(True, 1, ("mistakes", "training")),
    Style(True, 1, ("mistakes", "training", "updates")),
    Style(True, 1, ("mistakes", "training", "updates", "seconds")),
    Style(True, 1, ("mistakes", "training", "updates", "seconds", "epochs", "behind, 95 %")),
)


def table(found: Comparison, width: int, top: int | None = None) -> list[str]:
    """Head and rows in the widest style that fits; top: the most rows. `*` marks the pick, `=` what is level."""
    rows = found.rows[:top]
    columns = list(_columns(found))
    for style in STYLES:
        lines = _lines(rows, [c for c in columns if c.head[0] not in style.without], style)
        if max(map(len, lines)) <= width:
            break
    if any(row.limited for row in rows):
        lines.append("+ a limit came before the rule was finished")
    if style.narrow and any(row.contender.rule.startswith("passive") for row in rows):
        lines.append("PA, PA-2: passive-aggressive, passive-aggressive-2")
    if style.without:
        lines.append(f"left out, the lines are too short: {'; '.join(style.without)}")
    return lines


def _columns(found: Comparison) -> Iterator[Column]:
    learners = [row.contender for row in found.rows]
    yield Column(("", ""), lambda row: _both("*" if row is found.pick else "=" if row.level else ""), True)
    yield Column(("rule", "rule"), lambda row: (row.contender.rule, _short(row.contender.rule)), True)
    yield Column(("keep", "keep"), lambda row: _both(row.contender.keep), True)
    if len({c.scale for c in learners}) > 1:
        yield Column(("scale", "scale"), lambda row: _both(row.contender.scale), True)
    if any(c.optimizer != DEFAULTS["optimizer"] for c in learners):
        yield Column(("optimizer", "optimizer"), lambda row: _both(row.contender.optimizer), True)
    if found.scoring is not None:
        yield Column(
            (found.scoring, found.scoring[:12]), lambda row: _both(f"{row.score:.4f} ±{row.score_deviation:.4f}")
        )
        yield Column(("error %", "err %"), lambda row: _both(_percent(row.error)))
    else:
        yield Column(("error %", "err %"), lambda row: _both(f"{_percent(row.error)} ±{_percent(row.deviation)}"))
    yield Column(("training", "train"), lambda row: _both(_percent(row.training_error)))
    if found.optima:
        yield Column(("on all", "all"), lambda row: _both("-" if row.on_all is None else f"{row.on_all:,}"))
    yield Column(("behind, 95 %", "behind"), lambda row: _both(_interval(found, row)))
    yield Column(("mistakes", "mist"), lambda row: (f"{row.mistakes:,.0f}", _amount(row.mistakes)))
    yield Column(("updates", "upd"), lambda row: (f"{row.updates:,.0f}", _amount(row.updates)))
    yield Column(("epochs", "ep"), lambda row: _both(f"{row.epochs:.0f}{'+' if row.limited else ''}"))
    yield Column(("seconds", "s"), lambda row: _both(f"{row.seconds:.3f}"))


def _lines(rows: Sequence[Row], columns: Sequence[Column], style: Style) -> list[str]:
    which = int(style.narrow)
    cells = [[column.head[which] for column in columns]]
    cells += [[column.cell(row)[which] for column in columns] for row in rows]
    return words.table(cells, [place for place, column in enumerate(columns) if not column.left], style.gap)


def _both(text: str) -> tuple[str, str]:
    return text, text


def _short(rule: str) -> str:
    name, colon, rest = rule.partition(":")
    return SHORT.get(name, name) + colon + rest


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f}"


def _interval(found: Comparison, row: Row) -> str:
    if row.behind is None:
        return "best"
    if found.scoring is not None:
        return f"{row.behind.low:+.4f}…{row.behind.high:+.4f}"
    return f"{100 * row.behind.low:+.1f}…{100 * row.behind.high:+.1f}"


def _amount(count: float) -> str:
    """`950`, `9.5k`, `61k`, `1.2M`: four letters at most."""
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if round(count) >= factor:
            number = count / factor
            return f"{number:.1f}{letter}" if number < 9.95 else f"{number:.0f}{letter}"
    return f"{count:.0f}"


def value(found: Comparison, row: Row) -> str:
    """`6.89 % ± 0.86`, or the score."""
    if found.scoring is not None:
        return f"{found.scoring} {row.score:.4f} ± {row.score_deviation:.4f}"
    return f"error {_percent(row.error)} % ± {_percent(row.deviation)}"


def fewest(found: Comparison) -> Iterator[str]:
    """The optimum beside the best single hyperplane of a learner: `perceptron pocket none 36, the optimum 34 …`."""
    for scale, optimum in found.optima.items():
        of = "" if len(found.optima) == 1 else f", scaled {scale}"
        rows = [row for row in optimum.learners if row[1] is not None]
        least = min(rows, key=lambda row: row[1] or 0, default=None)
        learner = "" if least is None else f"{least[0]} {least[1]:,}, "
        yield f"errors on all rows{of}: {learner}the optimum {optimum.words}."
    if found.optima and any(not row.contender.is_linear for row in found.rows):
        yield "Voted is many hyperplanes, no single one, and may make fewer."


def verdict(found: Comparison) -> Iterator[str]:
    """What to pick and why; what cannot be told apart; how far to trust it."""
    pick, best, level = found.pick, found.best, found.level()
    yield f"pick {pick.contender.name}: {value(found, pick)}; {_why(found)}."
    if pick.error >= found.baseline[0]:
        yield "It makes no fewer errors than calling every row the most frequent class."
    others = [row.contender.name for row in level if row is not pick]
    if not others:
        yield "No other learner comes close: all are worse than it, each by its 95 % interval."
    else:
        yield f"Not told apart from {'it' if pick is best else 'the best'}: {listed(others, NAMED)}."
    count = len(found.rows) - 1
    if count:
        worse = sum(row.holm is not None and row.holm <= 0.05 for row in found.rows)
        yield f"Intervals: {found.method}; each is for one comparison with the best."
        are = "is" if worse == 1 else "are"
        if count > 1:
            yield f"For all {count} at once, by Holm's correction, {worse} of them {are} worse than the best."
        yield f"The best of {count + 1} looks better than it is: judge the pick on data not used here."


def _why(found: Comparison) -> str:
    pick, best = found.pick, found.best
    if pick is best:
        near = any(row is not best and row.level and found.value(row) <= found.limit for row in found.rows)
        return "the best, and the least effort among those near it" if near else "the best"
    if pick.contender.is_linear and not best.contender.is_linear:
        less = f"one weight vector, not {best.updates:,.0f} that vote"
    elif round(pick.epochs) < round(best.epochs):
        less = f"with {pick.epochs:.0f} passes over the data, not {best.epochs:.0f}"
    else:
        less = f"with {pick.updates:,.0f} updates, not {best.updates:,.0f}"
    return f"within one standard error of the best, {best.contender.name} ({value(found, best)}), {less}"


def records(found: Comparison) -> list[dict[str, Any]]:
    """A dict a row: names, numbers, `behind_low`, `behind_high` …; those that failed come last, with their reason."""
    made: list[dict[str, Any]] = []
    for place, row in enumerate(found.rows, 1):
        behind = row.behind
        made.append({
            "place": place, **row.contender.words, "error": row.error, "error_deviation": row.deviation,
            "score": row.score, "score_deviation": row.score_deviation, "training_error": row.training_error,
            "errors_on_all": row.on_all,
            "mistakes": row.mistakes, "updates": row.updates, "epochs": row.epochs, "limited": row.limited,
            "stop_reason": row.stop, "seconds": round(row.seconds, 4),
            "behind": 0.0 if behind is None else behind.value, "behind_low": 0.0 if behind is None else behind.low,
            "behind_high": 0.0 if behind is None else behind.high, "p": None if behind is None else behind.p,
            "p_holm": row.holm, "level": row.level, "picked": row is found.pick, "failed": None,
        })  # fmt: skip
    for contender, reason in found.failed.items():
        empty = dict.fromkeys(made[0]) if made else {}
        made.append({**empty, **contender.words, "failed": reason})
    return made
