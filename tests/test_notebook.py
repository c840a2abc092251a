"""examples/classroom.ipynb runs from the top to the bottom, and what its cells end with shows itself in a line or a
picture."""

from __future__ import annotations

import ast
import json
import warnings
from pathlib import Path
from typing import Any

import matplotlib.figure
import pytest

from rosenblatt.trace import Record

NOTEBOOK = Path(__file__).parent.parent / "examples" / "classroom.ipynb"
if not NOTEBOOK.exists():
    pytest.skip("examples/ is not here: not a checkout", allow_module_level=True)


def cells() -> list[dict[str, Any]]:
    return [cell for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]


def shown(source: str, names: dict[str, Any]) -> Any:
    """What a notebook shows of a cell: the value of its last line, None where that is none."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def test_the_notebook_runs_and_shows_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    names, values = dict[str, Any](), list[Any]()
    with warnings.catch_warnings():
        for cell in cells():
            values.append(shown("".join(cell["source"]), names))
    pictures = [value for value in values if isinstance(value, matplotlib.figure.Figure)]
    assert len(pictures) == 10 and all(hasattr(picture, "_repr_png_") for picture in pictures)
    others = [value for value in values if value is not None and value not in pictures]
    assert all(len(repr(value)) < 120 and "\n" not in repr(value) for value in others), others
    (record,) = [value for value in others if isinstance(value, Record)]
    assert "<iframe" in str(record._repr_html_())
    assert "at most 51" in repr(others[1]) and others[-1] is True
    said = capsys.readouterr().out
    assert "[2, 3, 3, 2, 2, 3, 2, 1, 0] [[3. 2.]] [-4.]" in said
    assert "now −3.25: still wrong (undershoot)" in said and "not separable: 4 rows prove it" in said


def test_no_results_are_stored_in_it() -> None:
    """They would be stale one day, and megabytes: the page of the record alone is 1.3 MB."""
    assert cells()
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells())
