"""Comparisons along a path of L1: who has one, how many weights are left, and the picture."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import run, well
from command import write as written
from rosenblatt.compare import Comparison, Contender, Plan, along, compare, contenders
from rosenblatt.errors import SettingError
from rosenblatt.report.pictures.lines import PATHS, figure_of_path

PATH = (0.0, 0.1, 0.4)


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


def data() -> tuple[Any, Any]:
    """Twelve columns, of which three matter."""
    x = np.random.default_rng(5).normal(size=(100, 12))
    return x, (x @ np.array([2.0, -2.0, 1.5, *[0.0] * 9]) > 0).astype(int)


def compared(**words: Any) -> Comparison:
    learners = along(contenders("rows", 2, ["logistic", "adagrad", "ftrl"], ["last"], ["standard"]), PATH)
    found: Comparison = compare(*data(), Plan(learners, epochs=5, folds=3, **words))
    return found


def test_each_learner_that_l1_goes_with_is_tried_at_each_strength() -> None:
    """Not those whose steps are as long as needed, nor votes and means; of FTRL the mean is allowed."""
    path = along(contenders("rows", 2), (1e-3, 0.0, 1e-3))
    assert {c.l1 for c in path} == {0.0, 1e-3}
    plain = {c[:4] for c in path if c.l1 == 0.0}
    assert plain == {c[:4] for c in path if c.l1} and len(path) == 2 * len(plain)
    assert {c.keep for c in path} == {"last", "pocket"}
    assert {"logistic", "perceptron", "adagrad"} <= {c.rule for c in path}
    assert not {"arow", "passive-aggressive"} & {c.rule for c in path}
    assert {c.keep for c in along(contenders("rows", 2, ["ftrl"]), [1.0])} == {"last", "averaged", "pocket"}


@pytest.mark.parametrize(("strengths", "named"), [([0.0, 1.0], "arow.*its.*step"), ([-1.0], "l1=-1.0")])
def test_where_there_is_no_path(strengths: list[float], named: str) -> None:
    with pytest.raises(SettingError, match=named):
        along(contenders("rows", 2, ["arow"]), strengths)


def test_rows_have_their_weights_that_are_not_0() -> None:
    found = compared()
    x, y = data()
    by = {(row.contender.rule, row.contender.l1): row for row in found.rows}
    assert len(by) == 9 and all(row.nonzero_weights is not None for row in found.rows)
    for rule in ("logistic", "adagrad"):
        left = [by[rule, l1].nonzero_weights or 0.0 for l1 in PATH]
        assert left[0] == 12 > left[1] > left[2]
    alone = compare(x, y, Plan([Contender("adagrad", l1=0.5)], epochs=3), test=(x, y))
    model = Contender("adagrad", l1=0.5).recipe.with_(max_iter=3).fit(x, y)
    assert alone.rows[0].nonzero_weights == np.count_nonzero(model.weights[0]) < 12
    near = [row for row in found.rows if found.near(row)]
    assert found.pick.nonzero_weights == min(row.nonzero_weights or 0.0 for row in near)
    head, *lines = found.table(120).splitlines()
    assert {"l1", "weights"} <= set(head.split()) and "adagrad, ftrl: with rule logistic" in lines
    record = found.records()[0]
    assert {"l1": found.best.contender.l1, "nonzero_weights": found.best.nonzero_weights}.items() <= record.items()
    assert Contender("adagrad", l1=0.05).words == {
        "rule": "logistic", "metric": "adagrad", "l1": 0.05, "keep": "last", "scale": "none", "optimizer": "online",
    }  # fmt: skip


@pytest.mark.parametrize("scoring", [None, "roc_auc"])
def test_the_picture_has_a_line_for_each_learner(scoring: str | None) -> None:
    found = compared(scoring=scoring)
    (axes,) = figure_of_path(found, ["data"]).axes
    lines = {str(line.get_label()): line for line in axes.lines}
    assert set(lines) == {f"{rule} last standard" for rule in ("logistic", "adagrad", "ftrl")}
    for name, line in lines.items():
        own = [row for row in found.rows if row.contender._replace(l1=0.0).name == name]
        points = sorted((row.nonzero_weights, row.measured[0]) for row in own)
        assert sorted(zip(line.get_xdata(), line.get_ydata(), strict=True)) == points
    counts = [row.nonzero_weights for row in found.rows]
    assert axes.get_xscale() == ("linear" if max(counts) < 8 * min(counts) else "log" if all(counts) else "symlog")
    none = replace(found, rows=[row._replace(nonzero_weights=0.0) for row in found.rows])
    assert figure_of_path(none, ["data"]).axes[0].get_xscale() == "symlog", "a logarithm has no place for 0"
    wide = replace(found, rows=[row._replace(nonzero_weights=10.0**k) for k, row in enumerate(found.rows)])
    assert figure_of_path(wide, ["data"]).axes[0].get_xscale() == "log"
    rows = [row._replace(contender=Contender(str(k), l1=0.1)) for k in range(9) for row in found.rows[:1]]
    figure = figure_of_path(Comparison(rows, {}, (0.4, None), [], False, None, "", rows[0], False), ["data"])
    assert (
        figure.axes[0].get_xscale() == "linear"  # one count of weights: a logarithm would have no ticks
        and len(figure.axes[0].lines) == PATHS
        and "the best 8 of 9 learners" in figure.get_suptitle()
    )


def test_in_the_shell(tmp_path: Path) -> None:
    lines = "".join(f"{1 if i % 3 else -1} 1:{i % 7} 2:{(i * i) % 5} 3:{i % 3}\n" for i in range(1, 61))
    data, picture = written(tmp_path / "many.svm", lines), tmp_path / "path.png"
    words = ("compare", data, "--rules", "logistic+adagrad", "--keeps", "last", "--scales", "standard", "--epochs", 3)
    found = well(*words, "--l1", "0,.05", "--json", "--plot", picture).json
    assert [record["l1"] for record in found["learners"]] in ([0.0, 0.05], [0.05, 0.0])
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert ("--metric adagrad" in found["command"]) and ("--l1 0.05" in found["command"]) == (
        found["pick"].get("l1") == 0.05
    )
    assert run(*words, "--l1", "-1").code == 2
