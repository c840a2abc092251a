"""The pictures of the page, as Bokeh holds them: what stays is here, what moves is filled in by page.js."""

from __future__ import annotations

from typing import Any

from ..pictures.labels import readable
from .frames import Scene

SHAPES = ("circle", "square", "triangle", "diamond", "inverted_triangle", "plus", "x", "star")
"""Of the classes, by Bokeh's names; SIGNS: the same in the legend."""
SIGNS = "●■▲◆▼✚✖★"
ROOMY = 400
"""Rows up to which they are drawn large."""
SHOWN = 3.0
"""A limit is drawn where it is at most so many times what was counted; or the counts would be flat."""


def plane_of(scene: Scene, classes: list[str]) -> Any:
    """The rows, and empty sources for regions, lines, arrows and the rows of an update."""
    from bokeh.models import Arrow, ColumnDataSource, NormalHead, Range1d
    from bokeh.plotting import figure

    across, up = (readable(name, 60) if name else "" for name in scene.plane.names)
    plot = figure(
        name="plane", tools="", toolbar_location=None, x_axis_label=across, y_axis_label=up,
        x_range=Range1d(*scene.x_range), y_range=Range1d(*scene.y_range), frame_width=300, frame_height=300,
        min_border_left=58, min_border_right=12, min_border_top=6, min_border_bottom=46,
    )  # fmt: skip
    if not up:  # one column: the classes one above the other
        plot.yaxis.ticker = list(range(len(classes)))
        plot.yaxis.major_label_overrides = {k: readable(name, 8) for k, name in enumerate(classes)}
    empty: dict[str, list[Any]] = {"xs": [], "ys": [], "color": []}
    plot.patches(
        "xs", "ys", source=ColumnDataSource(empty), fill_color="color", line_alpha=0.0, fill_alpha=0.13, name="regions"
    )
    lines: dict[str, Any] = {"line_color": "color", "line_width": 2.0}
    plot.multi_line("xs", "ys", source=ColumnDataSource(empty), line_dash=[6, 5], name="before", **lines)
    plot.multi_line("xs", "ys", source=ColumnDataSource(empty), name="after", **lines)
    few = scene.drawn.size <= ROOMY
    for k in range(len(classes)):
        own = scene.places[scene.drawn[scene.y[scene.drawn] == k]]
        plot.scatter(
            own[:, 0], own[:, 1], marker=SHAPES[(k + k // 8) % 8], size=11 if few else 7, name=f"class {k}",
            fill_alpha=0.9 if few else 0.6, line_width=0.7,
        )  # fmt: skip
    plot.scatter(
        "x", "y", source=ColumnDataSource({"x": [], "y": []}), size=22, fill_alpha=0.0, line_width=2.5, name="marks"
    )
    ends = {name: name for name in ("x_start", "y_start", "x_end", "y_end")}
    for name, dash, width in (("before", [5, 4], 2.0), ("after", [], 3.0), ("added", [2, 3], 3.0)):
        source = ColumnDataSource({**{end: [] for end in ends}, "color": []})
        head = NormalHead(size=11, fill_color="color", line_color="color")
        plot.add_layout(
            Arrow(
                source=source, **ends, end=head, line_color="color", line_dash=dash, line_width=width,
                name=f"arrow {name}",
            )
        )  # fmt: skip
    own = ("x", "y", "x_offset", "y_offset", "text", "text_color", "text_align")
    plot.text(
        **{name: name for name in own}, source=ColumnDataSource({name: [] for name in own}), text_font_size="14px",
        text_font_style="bold", text_baseline="middle", background_fill_alpha=0.7, name="tips",
    )  # fmt: skip
    return plot


def count_of(updates: list[int], mistakes: list[int], limit: int | None) -> tuple[Any, bool]:
    """Mistakes so far by update, with their limit; whether that is drawn."""
    from bokeh.models import NumeralTickFormatter, Range1d
    from bokeh.plotting import figure

    most, last = max(1, *mistakes), max(1, updates[-1])
    drawn = limit is not None and limit <= SHOWN * most
    high = max(most, limit) if limit is not None and drawn else most
    plot = figure(
        name="count", tools="", toolbar_location=None, x_axis_label="update", y_axis_label="mistakes",
        x_range=Range1d(-0.015 * last, 1.02 * last), y_range=Range1d(-0.08 * high, 1.12 * high),
        frame_width=300, frame_height=110, min_border_left=58, min_border_right=18, min_border_top=6,
        min_border_bottom=46,
    )  # fmt: skip
    for axis in (*plot.xaxis, *plot.yaxis):
        axis.ticker.min_interval = 1
        axis.ticker.desired_num_ticks = 4
        axis.formatter = NumeralTickFormatter(format="0.[0]a")  # 1,000,000 as 1m
    plot.step(updates, mistakes, mode="after", line_width=2.0, name="mistakes")
    if drawn:
        plot.line([0.0, 1.02 * last], [limit, limit], line_dash=[6, 4], line_width=2.0, name="limit")
    plot.scatter([0], [0], size=10, name="now")
    return plot, drawn
