"""The scripts of examples/: each runs, says what its picture shows, and writes it."""

from __future__ import annotations

import ast
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread

from rosenblatt.trace import Trace

FOLDER = Path(__file__).parent.parent / "examples"
if not FOLDER.is_dir():
    pytest.skip("examples/ is not here: not a checkout", allow_module_level=True)
SAYS = {
    "barely": "perceptron: 0 of 120 rows wrong\n",
    "before_after": "w was [-1.  2.], and is [1.  2.5]\n",
    "convergence": "18 mistakes of at most 51 possible\n",
    "figure_1": "2 updates; stopped: an epoch without an update\n",
    "margin": "margin 0.925133, with the bias counted 0.29528",
    "offset": "through the origin: False; with an offset: True\n",
    "online_batch": "batch, η = 1: loss",
    "order": "20 orders:",
    "rates": "η = 0.02: the loss was 0.5, and is 0.34\n",
    "sign_cases": "y = +1, w·x > 0: right: no update\ny = +1, w·x < 0: mended\n"
    "y = −1, w·x > 0: not enough yet (undershoot)\ny = −1, w·x < 0: right: no update\n",
    "thrash": "updates; stopped: epoch limit",
    "undershoot": "update 4, row 2 (0): y·u was −2, the update adds η‖x‖² = 1.25, now −0.75: still wrong",
    "votes": "88 weight vectors vote",
    "xor": "80 updates; stopped: epoch limit",
}
"""script → a part of what it prints."""


@pytest.fixture
def done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Any:
    """What a script prints, and the pixels of what it draws."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    monkeypatch.setattr("warnings.warn", lambda *_, **__: None)

    def run(name: str) -> tuple[str, Any]:
        picture = tmp_path / f"{name}.png"
        monkeypatch.setattr(sys, "argv", [name, str(picture)])
        runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
        return capsys.readouterr().out, imread(picture)[:, :, :3]

    return run


@pytest.mark.parametrize("name", SAYS)
def test_an_example_says_what_it_shows_and_draws_it(name: str, done: Any) -> None:
    said, pixels = done(name)
    assert SAYS[name] in said
    assert (
        min(pixels.shape[:2]) > 300 and len(np.unique((pixels[::3, ::3] * 255).astype(int).reshape(-1, 3), axis=0)) > 20
    )


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_examples_are_short_and_say_what_they_are(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 40 and ast.get_docstring(ast.parse(text))
    assert path.stem in {*SAYS, "forgiving"}, "an example that no test runs"


def test_what_the_drawings_of_the_notes_show_is_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exclusive or comes back to where it was; a barely separating line is nearer to a row than the widest margin."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    monkeypatch.setattr("warnings.warn", lambda *_, **__: None)
    monkeypatch.setattr(sys, "argv", ["x"])
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda *_, **__: None)
    trace = runpy.run_path(str(FOLDER / "xor.py"))["trace"]
    assert isinstance(trace, Trace)
    for epoch in range(1, 20):
        w, b = trace.record.weights(4 * epoch)
        assert not w.any() and not b.any()
    found = runpy.run_path(str(FOLDER / "barely.py"))
    least = [
        float(np.min(found["y"] * (found["X"] @ each.coef_[0] + each.intercept_)) / np.linalg.norm(each.coef_))
        for each in found["learned"].values()
    ]
    assert 0.0 < least[0] < least[1] < least[2]
