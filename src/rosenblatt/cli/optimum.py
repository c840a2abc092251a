"""`rosenblatt optimum`: how few errors any hyperplane makes on the rows, found and proven."""

from __future__ import annotations

from typing import Any

import click

from .options import (
    Command,
    Number,
    as_names,
    features_options,
    json_option,
    option,
    problem_options,
    reading_options,
)

EXAMPLE = """\
rosenblatt optimum iris.csv --columns petal_length,petal_width --positive versicolor
rosenblatt optimum heart.svm.xz --columns 3,10,13 --plot heart.png"""


@click.command(cls=Command, example=EXAMPLE)
@click.argument("data", metavar="DATA")
@option(
    "Problem",
    "--columns",
    metavar="A,B,...",
    callback=as_names,
    help="Only these columns of numbers, by name or number (from 1, the label not counted).  [default: all]",
)
@option(
    "Problem",
    "--max-time",
    "time_limit",
    type=Number(float, 0, none=None),
    default=60.0,
    help="The most seconds of each problem; none may take for ever.  [default: 60]",
)
@option("Output", "--plot", metavar="PICTURE", help="Two columns: draw rows and line: a .png, .svg or .pdf.")
@json_option
@problem_options
@features_options
@reading_options
def optimum(
    data: str, columns: list[str] | None, time_limit: float | None, plot: str | None, as_json: bool, **words: Any
) -> None:
    """Find the hyperplane with the fewest errors on the labelled rows of DATA, and prove how few are possible.

    Up to three columns all hyperplanes are looked at, exactly. With more, two numbers close in on each other: errors
    found and errors proven; "optimal" is said only where they meet. Constant answers take part, and a row on the
    hyperplane is an error.
    """
    from .fewest import Bounds, chosen, told, values
    from .output import notes, to_json, write_lines
    from .pictures import check_picture, write_picture
    from .problem import read, wanted

    check_picture("--plot", plot, data)
    asked = wanted(words)
    with Bounds() as progress:
        found = read(data, asked, progress)
        problems = [chosen(problem, columns) for problem in found.problems]
        if plot:
            from .fewest import check_plane

            check_plane(problems)
        from ..theory.fewest.errors import minimum_error

        results = [
            minimum_error(problem, time_limit=time_limit, progress=progress.bounds(problem)) for problem in problems
        ]
    notes(found.notes)
    if plot:
        from .fewest import picture

        write_picture(picture(results[0], found.origin), plot)
    made = [f"wrote {plot}"] if plot else []
    lines = [to_json(values(results, found.origin))] if as_json else [*told(results, found.origin), *made]
    write_lines(lines)
