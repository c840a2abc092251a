"""What the tests of pictures share: awkward names, and whether words are whole and apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Text

LONG = "a very long label that goes on and on without an end in sight"
AWKWARD = (
    *(
        "$a$",
        "b_c^2",
        "",
        "中文标签",
        "مرحبا",
        "שלום",
        "😀",
        LONG,
        "x\ny\tz",
        "\\frac{1}{2}",
        "%d",
        "12345678901234567890",
    ),
    *("ünïcödé", "&<>\"'", "$", "$$", "\udcff", "-", "٣٤", "\u200f", "{}", "#1", "a\\$b", "None", "NaN", "0"),
)
"""26 labels."""


def watched(monkeypatch: Any) -> list[Any]:
    """The figures that commands will write, in order."""
    from rosenblatt.report.pictures import canvas

    figures: list[Any] = []
    whole = canvas.save

    def save(figure: Any, path: Any) -> None:
        figures.append(figure)
        whole(figure, path)

    monkeypatch.setattr(canvas, "save", save)
    return figures


def numbers(figure: Any) -> list[list[Any]]:
    """What the axes hold: their titles, the places of lines and points, the corners of bars."""
    found: list[list[Any]] = []
    for axes in figure.axes:
        own: list[Any] = [axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel()]
        own += [np.column_stack(line.get_data()).tolist() for line in axes.lines]
        own += [each.get_offsets().tolist() for each in axes.collections if hasattr(each, "get_sizes")]
        own += [patch.get_bbox().extents.tolist() for patch in axes.patches if hasattr(patch, "get_bbox")]
        found.append(own)
    return found


def words(figure: Any) -> list[Text]:
    """All texts that are seen: not hidden, no label of a tick outside its axis, which matplotlib leaves out."""
    hidden = {label for axes in figure.findobj(Axes) for axis in (axes.xaxis, axes.yaxis) for label in _outside(axis)}
    hidden |= {
        text for axes in figure.axes if not axes.axison for text in axes.findobj(Text) if not _in_legend(axes, text)
    }
    found = figure.findobj(Text)
    return [text for text in found if text.get_visible() and text.get_text().strip() and text not in hidden]


def _outside(axis: Any) -> Iterator[Text]:
    low, high = sorted(axis.get_view_interval())
    room = 1e-9 * (high - low)
    for tick in (*axis.majorTicks, *axis.minorTicks):
        shown = axis.axes.axison and axis.get_visible() and low - room <= tick.get_loc() <= high + room
        yield from () if shown else (tick.label1, tick.label2)


def _in_legend(axes: Any, text: Text) -> bool:
    return axes.legend_ is not None and text in axes.legend_.findobj(Text)


def assert_legible(figure: Any) -> None:
    """Every word lies inside the sheet, none on another, and each is dark or on something dark."""
    figure.draw_without_rendering()  # the words stand where the last file wanted them, an SVG has 72 dots an inch
    renderer = figure.canvas.get_renderer()
    sheet = figure.bbox
    boxes = [(text, text.get_window_extent(renderer)) for text in words(figure)]
    assert boxes
    for text, box in boxes:
        inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= sheet.x1 + 1 and box.y1 <= sheet.y1 + 1
        assert inside, f"{text.get_text()!r} is cut off: {box.extents} of {sheet.extents}"
    for place, (text, box) in enumerate(boxes):
        for other, its in boxes[place + 1 :]:
            wide = min(box.x1, its.x1) - max(box.x0, its.x0)
            high = min(box.y1, its.y1) - max(box.y0, its.y0)
            turned = {text.get_rotation(), other.get_rotation()} - {0.0, 90.0}
            room = 12.0 if turned else 1.5  # the boxes of slanted words overlap before the words do
            assert min(wide, high) < room, f"{text.get_text()!r} lies on {other.get_text()!r}"


def texts(figure: Any) -> list[str]:
    """What the words say, with plain dollar signs."""
    return [text.get_text().replace(r"\$", "$") for text in words(figure)]
