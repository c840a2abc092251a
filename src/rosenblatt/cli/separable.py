"""`rosenblatt separable`: is there a hyperplane without an error? With the proof, whatever the answer."""

import shlex
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import SettingError, naming
from ..read.several import words_of
from ..report.words import dimensions, hyperplane, hyperplanes, plural, short, size_of, table
from ..theory.proof.certificate_file import in_text, label_text
from ..theory.proof.exact import NOT_IN_FLOATS
from ..theory.separability import THEOREM, checked
from ..theory.separability import separable as decide
from .command import command, option
from .options import data_options, json_option, kernel_option, problem_options, time_option
from .output import check_writable, notes, show
from .problem import read, wanted
from .progress import Progress
from .sources import output_errors

LISTED = 5
"""Rows of the proof, or weights, that are shown."""
LARGE = 1_000_000
"""Values from which it is shown which method is at work; less takes no time."""


@command(data="DATA...")
@option("Output", "-o", "--save", "save", metavar="CERT", default=None,
        help="Write the proof, for `verify`.")  # fmt: skip
@time_option("The most seconds to look for each proof.")
@json_option
@problem_options
@kernel_option
@data_options
def separable(data: str, save: str | None, time_limit: float | None, as_json: bool, **words: Any) -> None:
    """Say whether a hyperplane has all rows of DATA on their right sides, and prove it.

    Separable: the hyperplane. Not separable: rows of both classes, weighted so that both make the same point, which no
    hyperplane can part. Both are checked in exact arithmetic before they are shown. Undecided: what was tried.

    More than two classes are taken one against the rest. The verdict is about the values as they are: --scale auto is
    none here.

    Example:
        rosenblatt separable iris.csv
        rosenblatt separable iris.csv --positive versicolor --save versicolor.proof
        rosenblatt verify versicolor.proof iris.csv
    """
    wish = wanted(words)
    if save is not None:
        check_writable(save, data)
    with Progress() as progress:
        rows = read(data, wish, progress).in_kernel()
        if save is not None and len(rows.problems) > 1:
            many = f"here are {len(rows.problems)} classes; name one by --positive, or two by --only"
            raise SettingError(f"--save is for one proof, and {many}")
        results = []
        with naming(rows.origin):
            for problem in rows.problems:
                watch = progress.working() if problem.n * problem.d > LARGE else None
                results.append(decide(problem, time_limit=time_limit, watch=watch))
    kept = None if results[0].certificate is None else save
    if kept is not None:
        with output_errors(kept):
            results[0].save(kept, wish.as_dict())
    notes(rows.notes)
    lines = _table(results) if len(results) > 1 else _text(results[0], data, save)
    first = rows.problems[0]
    size = {"rows": first.n, "features": first.given.width, "fit_intercept": first.fit_intercept, **rows.in_json}
    verdicts = [_verdict(each) for each in results] if as_json else []
    show({"data": data, **size, "verdicts": verdicts, "saved": kept, "notes": rows.notes}, lines, as_json)


def _verdict(verdict: Any) -> dict[str, Any]:
    """What JSON shows of a verdict: all of it, rows counted from 1, multipliers as fractions."""
    rest, positive = verdict.problem.classes
    rows = None if verdict.rows is None else verdict.problem.numbered(verdict.rows).tolist()
    multipliers = None if verdict.multipliers is None else [str(each) for each in verdict.multipliers]
    return {
        "positive": positive, "negative": rest, "separable": verdict.separable, "kind": verdict.kind,
        "exact": verdict.kind in ("separator", "farkas"), "w": verdict.w, "b": verdict.b,
        "in_floats": verdict.in_floats,
        "exact_hyperplane": in_text(verdict.certificate) if verdict.in_floats is False else None,
        "margin_at_least": None if verdict.margin == float("inf") else verdict.margin,
        "support": rows, "multipliers": multipliers, "tried": verdict.tried, "seconds": round(verdict.seconds, 4),
    }  # fmt: skip


def _name(label: Any) -> str:
    return short(label_text(label), 30)


def _text(verdict: Any, data: str, save: str | None) -> Iterator[str]:
    problem = verdict.problem
    (rest, positive), size = problem.classes, dimensions(problem.n, problem.given.width)
    sides = f"{_name(positive)} alone" if rest is None else f"{_name(positive)} against {_name(rest)}"
    yield f"{size}; {sides}, {hyperplanes(problem.fit_intercept, problem.kernel)}"
    if verdict.kind == "theorem":
        yield f"separable: {THEOREM}"
        yield f"after {verdict.seconds:.2f} s there is no hyperplane that could be checked; what was tried:"
        yield from (f"  {each}" for each in verdict.tried)
        return
    if verdict.separable is None:
        yield f"undecided after {verdict.seconds:.2f} s; what was tried:"
        yield from (f"  {each}" for each in verdict.tried)
        return
    yield from _separator(verdict) if verdict.separable else _contradiction(verdict)
    if save is None:
        yield f"found in {verdict.seconds:.2f} s; --save CERT writes the proof for `rosenblatt verify`"
    else:
        yield f"found in {verdict.seconds:.2f} s; wrote {save}"
        yield f"to check it: rosenblatt verify {shlex.join([save, *words_of(data)])}"


def _separator(verdict: Any) -> Iterator[str]:
    kernel = verdict.problem.kernel
    plane = ("w·x" if kernel is None else "w·φ(x)") + (" + b = 0" if verdict.problem.fit_intercept else " = 0")
    yield f"separable: a hyperplane {plane} has every row on its right side, {checked(verdict)}"
    names, kind = verdict.problem.names, "column" if kernel is None else "row"
    order = np.argsort(-np.abs(verdict.w), kind="stable")[: np.count_nonzero(verdict.w)]
    shown = [f"{verdict.w[j]:.6g} for {f'column {j + 1}' if names is None else names[j]}" for j in order[:LISTED]]
    more = f" and {len(order) - LISTED:,} more" if len(order) > LISTED else ""
    zero = len(verdict.w) - len(order)
    shown += [f"0 for {plural(zero, f'other {kind}' if shown else kind)}"] * (zero > 0 and not more)
    sums = "weights w" if kernel is None else "w = Σ a·φ(row), a"
    yield f"  {sums}: {', '.join(shown)}{more}" if shown else "  weights w: none, there are no columns"
    if verdict.problem.fit_intercept:
        yield f"  offset b: {verdict.b + 0.0:.6g}"
    if not verdict.in_floats:
        yield f"{NOT_IN_FLOATS}:"
        yield "  these are rounded and get some wrong; --save CERT and --json have the hyperplane in whole numbers"
    if verdict.margin == float("inf"):
        yield "one class is alone, and b puts it on its side"
        return
    yield f"nearest row: {verdict.problem.numbered(verdict.nearest):,}, at distance {verdict.margin + 0.0:.6g}"
    yield "the widest margin is at least that, and mostly more: `rosenblatt margin` finds it"


def _contradiction(verdict: Any) -> Iterator[str]:
    count, exact, numbers = len(verdict.rows), verdict.kind == "farkas", verdict.problem.numbered(verdict.rows)
    none = f"no {hyperplane(verdict.problem.fit_intercept)}"
    yield f"not separable: {none} has every row on its right side" + (", checked exactly" if exact else "")
    kernel = verdict.problem.kernel
    if count == 1:
        what = "is all zeros" if kernel is None else "has K(x, x) = 0"
        yield f"row {numbers[0]:,} {what}, and every hyperplane through the origin goes through it"
        return
    if count == 2 and verdict.problem.fit_intercept:
        where = "" if kernel is None else " in this space"
        yield f"rows {numbers[0]:,} and {numbers[1]:,} are equal{where}, but of different classes"
        return
    if verdict.problem.fit_intercept:
        yield f"{count:,} rows prove it: weighted as follows, those of either class have the same mean"
    else:
        yield f"{count:,} rows prove it: with the sign of its class and these weights each, they sum to 0"
    cells = [["row", "class", "weight"]]
    heaviest = sorted(range(count), key=lambda i: -verdict.multipliers[i])[:LISTED]
    for row, number, weight in ((verdict.rows[i], numbers[i], verdict.multipliers[i]) for i in heaviest):
        side = _name(verdict.problem.classes[int(verdict.problem.y[row] > 0)])
        cells.append([f"{number:,}", side, str(weight) if len(str(weight)) <= 12 else f"{float(weight):.6g}"])
    yield from (f"  {line}" for line in table(cells, right=[0]))
    if count > LISTED:
        yield f"  and {plural(count - LISTED, 'row')} more"
    if exact:
        yield f"the weights are fractions, over {size_of(verdict.certificate.denominator)}"
    else:
        yield "the weights are floats, and proven to be near exact ones by bounds on every rounding error"


def _table(results: list[Any]) -> Iterator[str]:
    problem, against = results[0].problem, f"each of {len(results)} classes against the rest"
    size = dimensions(problem.n, problem.given.width)
    yield f"{size}; {against}, {hyperplanes(problem.fit_intercept, problem.kernel)}"
    cells = [["class", "separable", "proof", "took"]]
    for verdict in results:
        answer = {True: "yes", False: "no", None: "undecided"}[verdict.separable]
        cells.append([_name(verdict.problem.classes[1]), answer, _proof(verdict), f"{verdict.seconds:.2f} s"])
    yield from table(cells, right=[3])
    if all(verdict.kind in ("separator", "farkas") for verdict in results):
        how = "was checked exactly" if problem.space is None or problem.space.exact else "holds, however K was rounded"
        yield f"each proof {how}; --positive CLASS shows one, and with --save CERT it can be kept"
    else:
        yield "--positive CLASS shows the proof of one, or what was tried"


def _proof(verdict: Any) -> str:
    if verdict.separable is None:
        return f"none; {len(verdict.tried)} methods tried"
    if verdict.kind == "theorem":
        return "Micchelli 1986: no rows of both classes are equal"
    if verdict.separable:
        return "one class" if verdict.margin == float("inf") else f"hyperplane, nearest row at {verdict.margin:.6g}"
    enclosed = ", within bounds" if verdict.kind == "enclosure" else ""
    count = len(verdict.rows)
    return "a row of zeros" if count == 1 else f"{count:,} rows that contradict each other{enclosed}"
