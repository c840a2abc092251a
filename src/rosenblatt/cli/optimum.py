"""`rosenblatt optimum`: how few errors any hyperplane makes on the rows, found and proven."""

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

import numpy as np

from ..errors import SettingError, naming
from ..kernels import kernel_name
from ..report.words import dimensions, hyperplane, listed, plural, short
from ..theory.fewest.errors import MinimumError, minimum_error
from ..theory.problem import Problem
from ..theory.proof.certificate_file import in_text
from ..theory.proof.exact import NOT_IN_FLOATS
from .command import command
from .options import data_options, json_option, kernel_option, names_option, plot_option, problem_options, time_option
from .output import notes, show
from .pictures import check_picture, write_picture
from .problem import read, wanted
from .progress import Progress

VALUES = ("errors", "lower_bound", "optimal", "method", "supports", "w", "b", "in_floats")
"""What JSON shows of a result as it is."""

HOW = {
    "enumeration": "all {what} were looked at, without rounding",
    "supports": "{supports}: of each, every {one} gets one wrong at least",
    "separable": "a {one} with every row on its right side was found, and checked exactly",
    "learners": "by learners alone; the data are too large for more to be proven",
}
MOST_WEIGHTS, MOST_ROWS = 6, 12
"""Shown."""
WIDE = 100
"""Columns of a line at most, but for a name that is longer."""


@command(data="DATA...")
@names_option(
    "Problem",
    "--columns",
    help="Only these columns of numbers, by name or number (from 1, the label not counted).  [default: all]",
)
@time_option("The most seconds of each problem; none may take for ever.", 60.0)
@plot_option("Two columns: draw rows and line: a .png, .svg or .pdf.")
@json_option
@problem_options
@kernel_option
@data_options
def optimum(
    data: str, columns: list[str] | None, time_limit: float | None, plot: str | None, as_json: bool, **words: Any
) -> None:
    """Find the hyperplane with the fewest errors on the labelled rows of DATA, and prove how few are possible.

    Up to three columns all hyperplanes are looked at, exactly. With more, two numbers close in on each other: errors
    found and errors proven; "optimal" is said only where they meet. Constant answers take part, and a row on the
    hyperplane is an error.

    Example:
        rosenblatt optimum iris.csv --columns petal_length,petal_width --positive versicolor
        rosenblatt optimum heart.svm.xz --columns 3,10,13 --plot heart.png
    """
    check_picture("--plot", plot, data)
    wish = wanted(words)
    if (kernel := wish.recipe.settings.kernel) is not None and (columns is not None or plot):
        option = "--plot draws" if plot else "--columns chooses"
        raise SettingError(f"{option} columns, and {{kernel:s}} has none; leave one out", kernel=kernel_name(kernel))
    with Progress() as progress:
        rows = read(data, wish, progress).in_kernel()
        problems = [chosen(problem, columns, rows.used) for problem in rows.problems]
        if plot and problems[0].d != 2:
            raise SettingError(f"--plot draws two columns, and there are {problems[0].d}; choose two with --columns")
        if plot and len(problems) > 1:
            raise SettingError(f"--plot draws one class against the rest, of {len(problems)}; name it by --positive")
        results = []
        with naming(rows.origin):
            for problem in problems:
                about = "" if problem.classes[0] != "the rest" else f"{problem.classes[1]}: "
                results.append(minimum_error(problem, time_limit=time_limit, progress=progress.bounds(about)))
    notes(rows.notes)
    if plot:
        write_picture(_picture(results[0], rows.origin), plot)
    show(lambda: _values(results, rows.origin), _text(results, rows.origin), as_json, [plot])


def chosen(problem: Problem, columns: Sequence[str] | None, used: Any = None) -> Problem:
    """The problem in these columns. used: numbers of those that are in use, where the others were left out.
    SettingError where one is not there, or named twice."""
    if columns is None:
        return problem
    names = None if problem.names is None else [str(name) for name in problem.names]
    picked = [_number(column, names, problem.d, used) for column in columns]
    if len(set(picked)) < len(picked):
        raise SettingError(f"--columns {','.join(columns)}: a column is named twice")
    names = [name_of(problem, column) for column in picked]
    return problem._replace(rows=problem.rows.take_columns(picked), names=names)


def _number(column: str, names: list[str] | None, d: int, used: Any = None) -> int:
    if names is not None and column in names:
        return names.index(column)
    if used is not None:
        if column.isdecimal() and int(column) - 1 in used:
            return int(np.searchsorted(used, int(column) - 1))
        raise SettingError(f"--columns {column}: there is no such column with a value in it")
    if column.isdecimal() and 1 <= int(column) <= d:
        return int(column) - 1
    there = f"the columns are 1 to {d}" if names is None else f"there are {short(', '.join(names))}, or 1 to {d}"
    raise SettingError(f"--columns {column}: there is no such column; {there}")


def name_of(problem: Problem, column: int) -> str:
    return f"column {column + 1}" if problem.names is None else str(problem.names[column])


def _text(results: Sequence[MinimumError], origin: str) -> Iterator[str]:
    """For people: of one problem in full, of several a line each."""
    first = results[0].problem
    size = dimensions(first.n, first.given.width)
    size += "" if first.kernel is None else f", in the space of {first.kernel}"
    if len(results) > 1:
        yield f"{origin}: {size}; each class against the rest"
        yield from (f"  {result.problem.classes[1]}: {_how_few(result)}, {result.seconds:.1f} s" for result in results)
        return
    result = results[0]
    plus = int(np.count_nonzero(first.y > 0))
    rest, own = first.classes
    against = "" if rest is None else f", {rest} ({first.n - plus:,})"
    yield f"{origin}: {size}; {own} ({plus:,}){against}"
    yield f"fewest errors: {_how_few(result)}"
    constant = min(plus, first.n - plus) if first.fit_intercept else first.n
    yield f"{'always the same answer' if first.fit_intercept else 'no weights at all'}: {plural(constant, 'error')}"
    sets, one = plural(result.supports, "set") + " of rows that cannot all be right", _one(result)
    yield f"{HOW[result.method].format(what=_one(result, many=True), one=one, supports=sets)}; {result.seconds:.1f} s"
    yield from _answers(result)
    if not result.in_floats:
        yield f"{NOT_IN_FLOATS}:"
        yield "  these are rounded and make more errors; --json has the hyperplane in whole numbers"
    if result.errors:
        yield f"wrong rows: {listed([f'{row:,}' for row in result.problem.numbered(result.rows_wrong)], MOST_ROWS)}"


def _how_few(result: MinimumError) -> str:
    share = f" of {plural(result.problem.n, 'row')} ({100.0 * result.errors / result.problem.n:.2f} %)"
    if result.optimal:
        return f"{result.errors:,}{share}, optimal: no {_one(result)} makes fewer"
    return f"{result.errors:,} found{share}, {result.lower_bound:,} proven: not known to be optimal"


def _one(result: MinimumError, many: bool = False) -> str:
    problem = result.problem
    return hyperplane(problem.fit_intercept, problem.d if problem.space is None else 0, many)


def _answers(result: MinimumError) -> list[str]:
    """`large where 0.5 width - 3 > 0`; without weights there is one answer for all rows."""
    rest, own = result.problem.classes
    if not np.any(result.w):
        if not result.b:
            return ["every weight is 0: no row is on either side"]
        return [f"always {own}" if result.b > 0 else f"always {'not ' + str(own) if rest is None else rest}"]
    return wrap(f"{own} where {_formula(result)} > 0", WIDE, subsequent_indent="  ", break_long_words=False)


def _formula(result: MinimumError) -> str:
    """`0.5 width - 1.25 height + 3`; in a kernel's space `0.5 K(row 2) - 0.25 K(row 4) + 3`."""
    order = np.argsort(-np.abs(result.w), kind="stable")[:MOST_WEIGHTS]
    form = "{}" if result.problem.space is None else "K({})"
    names = {j: form.format(name_of(result.problem, int(j))) for j in order}
    terms = [f"{_signed(result.w[j])} {names[j]}" for j in sorted(order) if result.w[j]]
    if len(terms) < np.count_nonzero(result.w):
        terms.append(f"+ {np.count_nonzero(result.w) - len(terms):,} more")
    if result.b or not terms:
        terms.append(_signed(result.b))
    return " ".join(terms).removeprefix("+ ")


def _signed(value: float) -> str:
    return f"{'-' if value < 0 else '+'} {abs(value):.6g}"


def _values(results: Sequence[MinimumError], origin: str) -> dict[str, Any]:
    """For machines. rows_wrong count from 1, as lines do."""
    first = results[0].problem
    return {
        "data": origin,
        "rows": first.n,
        **({} if first.kernel is None else {"kernel": first.kernel}),
        "columns": [name_of(first, j) for j in range(first.d)],
        "fit_intercept": first.fit_intercept,
        "problems": [
            {
                "positive": result.problem.classes[1], "negative": result.problem.classes[0],
                **{name: getattr(result, name) for name in VALUES},
                "exact_hyperplane": None if result.in_floats else in_text(result.separator),
                "rows_wrong": result.problem.numbered(result.rows_wrong), "seconds": round(result.seconds, 3),
            }
            for result in results
        ],
    }  # fmt: skip


def _picture(result: MinimumError, origin: str) -> Any:
    """The rows, the line, and rings around the wrong ones."""
    from ..report.pictures.regions import Plane, figure_of_regions

    problem = result.problem
    x = problem.rows.toarray().astype(np.float64)
    names = [name_of(problem, 0), name_of(problem, 1)]
    classes = [str(label) for label in problem.classes]
    plane = Plane(x, (problem.y > 0).astype(int), lambda at: at @ result.w + result.b, classes, names)
    return figure_of_regions(plane, [origin, f"fewest errors: {_how_few(result)}"])
