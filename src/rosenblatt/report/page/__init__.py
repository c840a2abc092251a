"""A recorded run as one HTML file that plays it: no server, no other file, no address."""

from __future__ import annotations

import html
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from ...errors import Message, SettingError
from ...learn.run import stop_from
from ...trace.record import Record
from ..words import plural, printable, short
from .bound import limit_of
from .frames import FIRST, Scene, frames_of, scene_of, shown

HERE = Path(__file__).parent
NEEDED = "a page that plays a run is made with the package bokeh; install rosenblatt[lab]"
HIGH = 820
"""Of the frame in a notebook."""


def page_of(record: Record, title: str = "", say: Callable[[str], str] = str, missing: str = "") -> str:
    """HTML that plays a record in a browser: the rows, the line before and after each update, w and what was added, the
    update in a sentence, and the mistakes so far with what the theorems allow.

    title: above it; default: the learner. say: puts what mentions settings in other words than Python's. missing: why a
    record has no rows. Of more than 2,000 updates the first 100 are shown, and then every second, fourth …; rows beyond
    2,000 are drawn where an update moved by them. SettingError where bokeh, of the extra `lab`, is not installed.
    """
    try:
        from bokeh.embed import json_item
        from bokeh.resources import Resources
    except ImportError:
        raise SettingError(NEEDED) from None
    from .drawing import count_of, plane_of

    updates = shown(record)
    scene = scene_of(record, updates)
    frames, limit = frames_of(record, updates, scene), limit_of(record)
    classes = [short(printable(str(label)), 40) or "(empty)" for label in record.classes.tolist()]
    count, drawn = count_of(updates, frames["mistakes"], limit.most)
    data: dict[str, Any] = {
        "frames": frames,
        "classes": len(record.start[1]),
        "shapes": len(classes),
        "plane": None if scene is None else json_item(plane_of(scene, classes)),
        "count": json_item(count),
        "x_range": [0.0, 1.0] if scene is None else scene.x_range,
        "y_range": [0.0, 1.0] if scene is None else scene.y_range,
        "tail": [0.0, 0.0] if scene is None else scene.tail,
        "column": scene is not None and not scene.plane.names[1],
        "arrows": scene is not None and scene.arrows,
    }
    where = " (dashed)" if drawn else "" if limit.most is None else " That is beyond the picture."
    stop, told = say(stop_from(record.stop).text), say(limit.told)
    learner, about = record.settings.learner, f"{plural(len(record), 'update')}; stopped: {stop}"
    return Template((HERE / "page.html").read_text(encoding="utf-8")).substitute(
        title=html.escape(printable(title) or learner),
        about=html.escape(f"{learner}, {about}" if title else about),
        style=(HERE / "page.css").read_text(encoding="utf-8"),
        legend="\n".join(_legend(record, scene, classes, _lined(frames))),
        end=len(updates) - 1,
        limit=html.escape(told.removesuffix(".") + where + "." if drawn else told + where),
        notes="\n".join(f"<p>{html.escape(note)}</p>" for note in _notes(record, updates, scene, say, missing)),
        data=json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
        library="\n".join(Resources(mode="inline", components=["bokeh"], log_level="error").js_raw),
        script=(HERE / "page.js").read_text(encoding="utf-8"),
    )


def check_page(path: str) -> None:
    """SettingError where no page can be written by this name, or bokeh is not installed."""
    if not path.lower().endswith((".html", ".htm")):
        raise SettingError(f"{path!r} is not the name of a page; expected one that ends in .html")
    if importlib.util.find_spec("bokeh") is None:
        raise SettingError(NEEDED)


def in_notebook(record: Record) -> str | None:
    """The page in a frame of its own; None where bokeh is not installed, so that a notebook shows the record's line."""
    try:
        page = page_of(record)
    except SettingError:
        return None
    style = f"width: 100%; height: {HIGH}px; border: 0"
    return f'<iframe title="{html.escape(repr(record))}" srcdoc="{html.escape(page)}" style="{style}"></iframe>'


def _lined(frames: dict[str, list[Any]]) -> bool:
    """Whether there is any line: weights that are not 0, and known."""
    return any(any(line) for lines in frames["lines"] if lines for line in lines)


def _legend(record: Record, scene: Scene | None, classes: list[str], lined: bool) -> list[str]:
    """lined: whether there is any line."""
    from .drawing import SIGNS

    if scene is None:
        return []
    lines = []
    for k, name in enumerate(classes):
        sign = f'<span class="sign" style="color: var(--c{k % 8})">{SIGNS[(k + k // 8) % 8]}</span>'
        lines.append(f"<li>{sign} {html.escape(name)}</li>")
    lines.append('<li><span class="sign">◯</span> row of this update</li>')
    if lined:
        many = " of each class" if len(record.start[1]) > 1 else ""
        lines.append(f'<li><span class="line"></span> score 0{many} after the update<span id="nowhere"></span></li>')
        lines.append('<li><span class="line before"></span> <span id="before">before it</span></li>')
        lines.append("<li>areas: what is answered there</li>")
        arrows = '<span class="sign">→</span> w and <span class="added">what was added<span id="since"></span></span>'
        lines.append(f'<li{"" if scene.arrows else " hidden"}>{arrows}<span id="scale"></span></li>')
    else:
        unseen = "".join(f'<span id="{name}"></span>' for name in ("scale", "nowhere", "before", "since"))
        lines.append(f"<li hidden>{unseen}</li>")
    return lines


def _notes(
    record: Record, updates: list[int], scene: Scene | None, say: Callable[[str], str], missing: str
) -> list[str]:
    notes = [] if scene is None else list(scene.notes)
    if record.chunk is None:
        notes.append(f"There is no picture: {missing or 'the rows are not in the record; with_rows reads them anew'}.")
    elif scene is None:
        notes.append("The rows are beyond what can be drawn.")
    if len(updates) - 1 < len(record):
        gaps = np.diff(updates)
        first, every = int(np.argmax(gaps > 1)), int(gaps.max())
        beginning = f"the first {first:,}, then " if first else ""
        notes.append(
            f"{len(updates) - 1:,} of the {len(record):,} updates are shown, {beginning}one in {every:,} and the last. "
            "Where some lie between, what is dashed is how it was at the one shown before."
        )
    if record.settings.kernel is not None:
        notes.append("The scores are those of a kernel: there is no line.")
    elif not len(record.kept.update) and len(record):
        notes.append(say(_unkept(record)))
    return notes


def _unkept(record: Record) -> Message:
    """Why there is no line, and what would be done for one."""
    why = "no line is drawn"
    if record.settings.pulls:
        return Message(f"A run with L1 keeps no weights, so that {why}.")
    w, b = record.start
    needed = 10 ** len(str((w.size + b.size) * min(len(record) + 1, FIRST)))
    return Message(f"No weights were kept, so that {why}; recorded with {{weights}} they are.", weights=needed)
