"""`rosenblatt margin`: how far apart two classes are, with bounds that hold for certain."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import DataError, SettingError, naming
from ..kernels import kernel_name
from ..report.words import dimensions, hyperplanes, large, listed, plural, short, table
from ..theory.ledger.bounds import radius, whole
from ..theory.margins.maximum import MaxMargin, max_margin
from ..theory.proof.exact import NOT_IN_FLOATS
from ..theory.space import in_lengths
from .command import command
from .optimum import name_of
from .options import data_options, json_option, kernel_option, plot_option, problem_options, time_option
from .output import notes, show
from .pictures import check_picture, write_picture
from .problem import read, wanted
from .progress import Progress

LISTED = 10
"""Support rows that are named."""


@command(data="DATA...")
@time_option("The most seconds for each hyperplane; what is found by then is shown.")
@plot_option("Draw the hyperplane, the margin and the rows that hold it: a .png, .svg or .pdf.")
@json_option
@problem_options
@kernel_option
@data_options
def margin(data: str, plot: str | None, as_json: bool, time_limit: float | None, **words: Any) -> None:
    """Find the hyperplane of the widest margin between two classes of DATA, and how wide it is.

    Three margins are told apart: with an offset that costs nothing (the distance one sees), with the bias counted as a
    feature (the one in the mistake bounds), and with --no-intercept through the origin. Each is shown between two
    bounds: the margin of the hyperplane found, and what no hyperplane exceeds.

    More than two classes are taken one against the rest. Values are used as they are: --scale auto is none here.

    Example:
        rosenblatt margin iris.csv --positive setosa
        rosenblatt margin sonar.svm --no-intercept --json
        rosenblatt margin points.csv --plot margin.png
    """
    check_picture("--plot", plot, data)
    wish = wanted(words)
    if plot and wish.recipe.settings.kernel is not None:
        text = "--plot draws a hyperplane of columns; `rosenblatt train` with {kernel:s} and --plot draws its border"
        raise SettingError(text, kernel=kernel_name(wish.recipe.settings.kernel))
    with Progress() as progress:
        rows_read = read(data, wish, progress).in_kernel()
        watch, rows = progress.runs(), []
        with naming(rows_read.origin):
            for at, problem in enumerate(rows_read.problems):
                if watch is not None:
                    watch(f"class {problem.classes[1]}", at, len(rows_read.problems))
                found, row = _row(problem, time_limit, alone=len(rows_read.problems) == 1)
                rows.append(row)
                if plot and at == 0:  # of several problems the first: the picture is of one hyperplane
                    _draw(found, rows_read.origin, plot)
    first = rows_read.problems[0].given
    values = {"data": rows_read.origin, "time_limit": time_limit, "rows": first.n, "features": first.width,
              "fit_intercept": wish.recipe["fit_intercept"], **rows_read.in_json, "margins": rows,
              "notes": rows_read.notes, "pictures": [plot] if plot else []}  # fmt: skip
    notes(rows_read.notes)
    show(values, _text(values) if len(rows) == 1 else _table(values), as_json, values["pictures"])


def _draw(found: MaxMargin | None, origin: str, path: str) -> None:
    from ..report.pictures.margins import figure_of_margin

    if found is None:
        raise DataError("the first class cannot be separated from the rest; there is no margin to draw")
    names = [name_of(found.problem, j) for j in range(found.problem.d)] if found.problem.d <= 2 else None
    write_picture(figure_of_margin(found, names, str(origin)), path)


def _row(problem: Any, time_limit: float | None, alone: bool) -> tuple[MaxMargin | None, dict[str, Any]]:
    """What JSON shows of one class against another. Raises DataError where it is the only one and not separable."""
    rest, positive = problem.classes
    row: dict[str, Any] = {"positive": positive, "negative": rest, "separable": True}
    try:
        found = max_margin(problem, time_limit=time_limit)
    except DataError as error:
        if alone:
            raise
        return None, {**row, "separable": None if "no hyperplane" in str(error) else False, "reason": str(error)}
    names = ("margin", "lower_bound", "upper_bound", "gap", "w", "b", "in_floats")
    row |= {name: getattr(found, name) for name in names}
    row |= {"support": problem.numbered(found.support), "multipliers": found.multipliers}
    if problem.fit_intercept:
        row |= {f"{name}_with_bias": getattr(found, f"{name}_with_bias") for name in names}
        row |= {"support_with_bias": problem.numbered(found.support_with_bias)}
    # R̄, or R through the origin, and how many mistakes the perceptron can make: R̄²/γ̄², with γ̄ as it is for certain.
    least, longest = (
        row["lower_bound_with_bias" if problem.fit_intercept else "lower_bound"],
        radius(in_lengths(problem)),
    )
    ratio = (longest / least) * (longest / least)  # a power of floats raises where it overflows
    row |= {"radius": longest, "mistakes_possible": whole(ratio) if ratio < 1e18 else ratio}
    return found, row | {"complete": found.complete, "seconds": round(found.seconds, 3)}


def _kinds(row: dict[str, Any], fit_intercept: bool) -> list[tuple[str, str]]:
    """(what the margin is called, what its keys end in)."""
    if not fit_intercept:
        return [("through the origin (γ₀)", "")]
    return [("with a free offset (γ)", ""), ("with the bias as a feature (γ̄)", "_with_bias")]


def _text(values: dict[str, Any]) -> Iterator[str]:
    (row,) = values["margins"]
    rest = "alone" if row["negative"] is None else f"against {short(row['negative'], 30)}"
    size = dimensions(values["rows"], values["features"])
    which = hyperplanes(values["fit_intercept"], values.get("kernel"))
    yield f"{size}; {short(row['positive'], 30)} {rest}, {which}: separable"
    for what, end in _kinds(row, values["fit_intercept"]):
        if np.isinf(row["margin" + end]):
            yield f"margin {what}: without limit, as one class is alone"
            continue
        yield f"margin {what}: {row['margin' + end]:.6g}"
        low, high, gap = (row[name + end] for name in ("lower_bound", "upper_bound", "gap"))
        yield f"  at least {low:.12g}, at most {high:.12g}, gap {gap:.1e}"
        if gap > 1e-6:
            ended = values["time_limit"] is not None and row["seconds"] >= values["time_limit"]
            why = "more --max-time" if ended else "float64 has no more digits for these rows"
            why += "" if values.get("kernel") is None else ", of whose products K is made"
            yield f"  the bounds do not meet: {why}"
        if not row["in_floats" + end]:
            yield f"  {NOT_IN_FLOATS}:"
            yield "  those of --json are rounded; `rosenblatt separable` has a hyperplane in whole numbers"
    rows = f"{plural(len(row['support']), 'row')} ({listed(row['support'].tolist(), LISTED, ', ...')})"
    yield f"support: {rows if len(row['support']) else 'none, one class is alone'}"
    yield f"radius {row['radius']:.6g}; mistakes possible for the perceptron: {_count(row['mistakes_possible'])}"
    yield f"took {row['seconds']:.2f} s"


def _count(mistakes: float) -> str:
    return f"{mistakes:,}" if isinstance(mistakes, int) else large(mistakes)


def _table(values: dict[str, Any]) -> Iterator[str]:
    against = f"each of {len(values['margins'])} classes against the rest"
    which = hyperplanes(values["fit_intercept"], values.get("kernel"))
    yield f"{dimensions(values['rows'], values['features'])}; {against}, {which}"
    head = ["γ", "γ with bias"] if values["fit_intercept"] else ["γ₀"]
    cells = [["class", *head, "gap", "support", "mistakes possible"]]
    for row in values["margins"]:
        name = short(row["positive"], 20)
        if not row["separable"]:
            verdict = "undecided" if row["separable"] is None else "not separable"
            cells.append([name, verdict, *[""] * (len(head) + 2)])
            continue
        ends = [end for _, end in _kinds(row, values["fit_intercept"])]
        margins = [f"{row['margin' + end]:.6g}" for end in ends]
        gap = max(row["gap" + end] for end in ends)
        cells.append([name, *margins, f"{gap:.1e}", f"{len(row['support']):,}", _count(row["mistakes_possible"])])
    yield from table(cells, right=range(1, len(cells[0])))
