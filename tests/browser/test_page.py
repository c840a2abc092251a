"""The page that plays a run, in Chromium: what it shows is what Python says, with the keyboard alone, at any size."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from rosenblatt import KernelPerceptron, LogisticUnit, Perceptron
from rosenblatt.core.rows import matrix
from rosenblatt.trace import Record, Trace, page_of, sentence

pytestmark = pytest.mark.browser
SIZES = {"screen": (1280, 800), "phone": (375, 667)}
NAMES = ("and", "xor", "three classes", "30 columns", "logistic")
AND = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array(["no", "no", "no", "yes"])


def recorded(learner: Any, x: Any, y: Any) -> Record:
    trace = Trace()
    learner.fit(x, y, callback=trace)
    return trace.record


@pytest.fixture(scope="module")
def records() -> dict[str, Record]:
    iris, cancer = load_iris(), load_breast_cancer()
    scaled = (cancer.data - cancer.data.mean(axis=0)) / cancer.data.std(axis=0)
    long = np.array([f"{name}, a name that needs a line of its own" for name in ("one", "another")])
    return {
        "and": recorded(Perceptron(shuffle=False), *AND),
        "xor": recorded(Perceptron(max_iter=6), AND[0], np.array([0, 1, 1, 0])),
        "three classes": recorded(Perceptron(max_iter=4), iris.data[:, 2:], iris.target_names[iris.target]),
        "30 columns": recorded(Perceptron(max_iter=20), scaled, long[cancer.target]),
        "kernel": recorded(KernelPerceptron(kernel="poly", degree=2), AND[0], np.array([0, 1, 1, 0])),
        "one column": recorded(Perceptron(max_iter=2), iris.data[:, 2:3], iris.target),
        "logistic": recorded(LogisticUnit(max_iter=2), iris.data[:100, :2], iris.target[:100]),
    }


@pytest.fixture(scope="module")
def pages(records: dict[str, Record]) -> Callable[[str], str]:
    return cache(lambda name: page_of(records[name]))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium on this machine (apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()


Opened = Callable[..., Any]


@pytest.fixture
def opened(browser: Any, pages: Callable[[str], str], tmp_path: Path) -> Iterator[Opened]:
    """Opens the page of a record, or a text; at the end nothing was asked for but the file, and nothing went wrong."""
    contexts, wrong, asked = list[Any](), list[str](), list[str]()

    def opened(name: str, text: str = "") -> Any:
        width, height = SIZES["screen"]
        context = browser.new_context(viewport={"width": width, "height": height})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(message.text) if message.type != "log" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        file = tmp_path / f"{len(contexts)}.html"
        file.write_text(text or pages(name), encoding="utf-8")
        page.goto(file.as_uri())
        if not text:
            page.wait_for_selector("body[data-ready]")
        return page

    yield opened
    own = [(tmp_path / f"{i + 1}.html").as_uri() for i in range(len(contexts))]
    for context in contexts:
        context.close()
    assert not wrong
    assert [address for address in asked if not address.startswith("data:")] == own


def told(page: Any) -> str:
    return str(page.inner_text("#told"))


def counted(page: Any, name: str) -> str:
    return str(page.inner_text(f'dd[data-name="{name}"]'))


def source(page: Any, name: str) -> dict[str, list[Any]]:
    """What Bokeh draws under this name."""
    code = (
        "name => { const model = Bokeh.documents[0].get_model_by_name(name);"
        "const {data} = model.data_source || model.source;"
        "return Object.fromEntries(Object.entries(data).map(([key, values]) => [key, Array.from(values)])) }"
    )
    return page.evaluate(code, name)  # type: ignore[no-any-return]


def arrow(page: Any, name: str) -> Any:
    data = source(page, f"arrow {name}")
    ends = [np.array([data[f"x_{end}"], data[f"y_{end}"]]).T for end in ("start", "end")]
    return ends[1] - ends[0]


def test_step_by_step_the_page_shows_what_python_says(opened: Opened, records: dict[str, Record]) -> None:
    record, page = records["and"], opened("and")
    assert told(page).startswith("before the first update: all weights are 0")
    w_before, scales = np.zeros(2), set[tuple[int, float]]()
    for k in range(1, len(record) + 1):
        page.keyboard.press("ArrowRight")
        (w,), (b,) = record.weights(k)  # type: ignore[misc]
        assert told(page) == sentence(record, k)
        assert counted(page, "update") == f"{k} of {len(record)}"
        assert counted(page, "mistakes") == str(record.updates.mistakes[k - 1])
        shown = [float(part) for part in counted(page, "w").replace("−", "-").strip("()").split(", ")]
        assert shown == w.tolist() and float(counted(page, "b").replace("−", "-")) == b
        row = record.of(k).row[0]
        marks = source(page, "marks")
        assert [marks["x"], marks["y"]] == [[AND[0][row, 0]], [AND[0][row, 1]]]
        line = source(page, "after")
        for x, y in zip(line["xs"], line["ys"], strict=True):
            np.testing.assert_allclose(w[0] * np.array(x) + w[1] * np.array(y) + b, 0.0, atol=1e-9)
        arrows = {name: arrow(page, name) for name in ("before", "after", "added")}
        for name, vector in (("before", w_before), ("after", w), ("added", w - w_before)):
            assert len(arrows[name]) == bool(vector.any())  # of a row of zeros only b moves
            if vector.any():
                scale = 2.0 ** round(np.log2(np.linalg.norm(arrows[name][0]) / np.linalg.norm(vector)))
                np.testing.assert_allclose(arrows[name][0], scale * vector, atol=1e-9)
                scales.add((k, scale))
        now = page.evaluate("Bokeh.documents[1].get_model_by_name('now').data_source.data")
        assert [now["x"], now["y"]] == [[k], [record.updates.mistakes[k - 1]]]
        w_before = w
    assert len(scales) == len({k for k, _ in scales})  # one scale for the arrows of an update
    assert page.is_disabled("#step") and page.is_disabled("#last") and page.is_enabled("#first")
    assert len(source(page, "after")["xs"]) == 1
    areas = source(page, "regions")  # each corner in the area of the class that it is of
    assert len(areas["xs"]) == 2


def test_the_areas_are_what_is_answered(opened: Opened, records: dict[str, Record]) -> None:
    """Inside of each area the class that it is painted for has the highest score."""
    record, page = records["three classes"], opened("three classes")
    page.keyboard.press("End")
    w, b = record.weights(len(record))  # type: ignore[misc]
    areas = source(page, "regions")
    colors = page.evaluate("[0, 1, 2].map(k => getComputedStyle(document.documentElement).getPropertyValue(`--c${k}`))")
    assert len(areas["xs"]) == 3
    for x, y, color in zip(areas["xs"], areas["ys"], areas["color"], strict=True):
        middle = np.array([np.mean(x), np.mean(y)])
        assert colors.index(color) == (w @ middle + b).argmax()


def test_the_keyboard_does_it_all(opened: Opened, records: dict[str, Record]) -> None:
    record, page = records["logistic"], opened("logistic")
    wrong = [k for k in range(1, len(record) + 1) if (record.of(k).y * record.of(k).u <= 0.0).any()]
    for k in wrong[:3]:
        page.keyboard.press("m")
        assert told(page) == sentence(record, k)
    page.keyboard.press("Shift+M")
    assert told(page) == sentence(record, wrong[1])
    page.keyboard.press("End")
    assert told(page) == sentence(record, len(record))
    page.keyboard.press("ArrowLeft")
    assert told(page) == sentence(record, len(record) - 1)
    page.keyboard.press("Home")
    assert counted(page, "update") == f"0 of {len(record)}"
    for _ in range(9):
        page.keyboard.press("+")
    assert page.inner_text("#pace") == "32 a second"
    page.keyboard.press("Space")
    assert page.get_attribute("#play", "aria-label") == "Pause"
    page.wait_for_function("Number(document.getElementById('place').value) > 2")
    page.keyboard.press("Space")
    assert page.get_attribute("#play", "aria-label") == "Play"
    stopped = counted(page, "update")
    page.wait_for_timeout(150)
    assert counted(page, "update") == stopped
    page.keyboard.press("-")
    assert page.inner_text("#pace") == "16 a second"


def test_each_control_has_a_name_and_is_reached_by_tab(opened: Opened, records: dict[str, Record]) -> None:
    page, record = opened("and"), records["and"]
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    reached = []
    for _ in range(9):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id"))
    assert reached == ["first", "earlier", "back", "play", "step", "later", "last", "place", "speed"]
    page.get_by_role("button", name="Last").click()
    page.get_by_role("button", name="Back").click()
    assert told(page) == sentence(record, len(record) - 1)
    page.keyboard.press("Space")  # after a click of the mouse, too, it plays
    assert page.get_attribute("#play", "aria-label") == "Pause"
    page.get_by_role("button", name="First").focus()
    page.keyboard.press("Space")  # a button that has the focus is pressed
    assert counted(page, "update") == "0 of 18" and page.get_attribute("#play", "aria-label") == "Play"
    page.get_by_label("update", exact=True).focus()
    page.keyboard.press("ArrowRight")
    assert told(page) == sentence(record, 1)
    assert page.get_attribute("#place", "aria-valuetext") == "update 1"


@pytest.mark.parametrize("name", NAMES)
def test_all_is_in_the_window_and_told_apart(opened: Opened, name: str) -> None:
    """At each size, by day and by night, and where both change while the page is open."""
    page = opened(name)
    page.keyboard.press("End")
    for size, scheme in product(SIZES, ("light", "dark")):
        width, height = SIZES[size]
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": height})
        # Until the pictures have been laid out anew.
        page.wait_for_function("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        seen = page.evaluate("document.documentElement.clientWidth")
        assert seen <= width
        for part in ("#plane", "#controls", "#told", "#count", "#legend", "#keys"):
            box = page.locator(part).bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= seen and box["height"] > 10, f"{part} at {size}"
            assert page.evaluate(f"(e => e.scrollWidth <= e.clientWidth)(document.querySelector('{part}'))"), part
        top = page.locator("#told").bounding_box()
        assert top["y"] + 40 < height  # the sentence begins where nobody has to scroll
        style = "getComputedStyle(document.body)"
        paper, ink = page.evaluate(f"[{style}.backgroundColor, {style}.color]")
        assert (brightness(paper) > brightness(ink)) is (scheme == "light")
        drawn = page.evaluate("Bokeh.documents[0].get_model_by_name('plane').background_fill_color")
        assert drawn == {"light": "#ffffff", "dark": "#181a1b"}[scheme]
        heights = page.evaluate("[...document.querySelectorAll('button')].map(e => e.getBoundingClientRect().height)")
        assert min(heights) >= 44  # for a finger


def brightness(color: str) -> int:
    return sum(int(part) for part in color.removeprefix("rgb(").removesuffix(")").split(","))


def test_all_rows_are_drawn_where_they_are(opened: Opened, records: dict[str, Record]) -> None:
    record, page = records["three classes"], opened("three classes")
    assert record.chunk is not None
    x = matrix(record.chunk.rows)
    for k in range(3):
        data = source(page, f"class {k}")
        np.testing.assert_array_equal(np.array([data["x"], data["y"]]).T, x[record.chunk.y == k])


@pytest.mark.parametrize("name", [*NAMES, "kernel", "one column"])
def test_before_the_first_update_the_rows_are_drawn_and_it_is_said(
    opened: Opened, records: dict[str, Record], name: str
) -> None:
    """At 1280×800, in pixels: each class in its colour, and no line, arrow or mark of an update that there was not."""
    import io

    from PIL import Image

    record, page = records[name], opened(name)
    assert record.chunk is not None and counted(page, "update") == f"0 of {len(record)}"
    assert told(page) == "before the first update: all weights are 0, and so is every score"
    page.wait_for_timeout(100)
    seen = np.asarray(Image.open(io.BytesIO(page.locator("#plane-drawn").screenshot())).convert("RGB")).astype(int)
    for k in range(len(record.classes)):
        assert len(source(page, f"class {k}")["x"]) > 0
        color = page.evaluate(f"getComputedStyle(document.documentElement).getPropertyValue('--c{k}').trim()")
        own = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)])
        near = (np.abs(seen - own).sum(axis=2) < 120).sum()  # they are drawn a little transparent
        assert near > 20, f"class {k} is not seen"
    for empty in ("before", "after", "regions", "marks", "arrow before", "arrow after", "arrow added"):
        assert not any(source(page, empty).values()), empty


def test_of_more_classes_the_weights_of_those_that_moved_are_shown(opened: Opened, records: dict[str, Record]) -> None:
    record, page = records["three classes"], opened("three classes")
    page.keyboard.press("End")
    w, _ = record.weights(len(record))  # type: ignore[misc]
    moved = np.unique(record.of(len(record)).cls)
    for k in moved:
        shown = counted(page, f"w of {record.classes[k]}").replace("−", "-").strip("()").split(", ")
        assert [float(part) for part in shown] == pytest.approx(w[k].tolist(), rel=0.01)
    assert page.locator('dd[data-name^="w of"]').count() == len(moved)


def test_a_notebook_plays_it_in_a_frame(opened: Opened, records: dict[str, Record]) -> None:
    page = opened("", text=f"<!DOCTYPE html><title>notebook</title>{records['xor']._repr_html_()}")
    frame = page.frame_locator("iframe")
    frame.get_by_role("button", name="Step").click()
    frame.locator(f'text="{sentence(records["xor"], 1)}"').wait_for()
