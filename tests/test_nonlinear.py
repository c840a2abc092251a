"""compare --nonlinear: linear, quadratic, Fourier and kernel side by side."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import run, well
from rosenblatt.compare import Contender, Plan, compare
from rosenblatt.compare.contenders import SPACES, in_all_spaces

pytestmark = pytest.mark.filterwarnings("ignore")


def rings(n: int = 120) -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    r, a = np.where(np.arange(n) % 2, 1.0, 2.0) + random.normal(0, 0.1, n), random.uniform(0, 2 * np.pi, n)
    return np.column_stack([r * np.cos(a), r * np.sin(a)]), np.arange(n) % 2


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    x, y = rings()
    lines = [f"{a},{b},{'in' if label else 'out'}" for (a, b), label in zip(x.tolist(), y.tolist(), strict=True)]
    Path("rings.csv").write_text("\n".join(["a,b,label", *lines]))
    return "rings.csv"


def test_side_by_side(data: str) -> None:
    words = ("compare", data, "--nonlinear", "--scales", "none", "--folds", "2", "--epochs", "10")
    found = well(*words, "--json").json
    errors = {row["space"]: row["error"] for row in found["learners"]}
    assert list(SPACES) == ["linear", "quadratic", "fourier", "kernel"] and set(errors) == set(SPACES)
    assert errors["linear"] > 0.3 > 0.05 > max(errors["quadratic"], errors["fourier"], errors["kernel"])
    assert all(row["seconds"] >= 0.0 and row["rule"] == "perceptron" for row in found["learners"])
    shown = well(*words).out
    assert all(f" {space} " in shown for space in SPACES) and "learn it: rosenblatt train rings.csv -o MODEL" in shown


def test_the_pick_can_be_learned(data: str) -> None:
    found = well("compare", data, "--nonlinear", "--scales", "none", "--folds", "2", "--epochs", "10", "--json").json
    command = found["command"].replace("MODEL", "a.model").split()[1:]
    assert any(option in command for option in ("--kernel", "--map", "--degree"))
    well(*command)


def test_threads_share_nothing() -> None:
    """Several learners of one kernel at once: each has scores of its own."""
    x, y = rings()
    own = [Contender(rule, keep) for rule in ("perceptron", "margin") for keep in ("last", "averaged", "voted")]
    one, two = (compare(x, y, Plan(in_all_spaces(own, "rows"), folds=2, epochs=4, jobs=jobs)) for jobs in (1, 2))
    assert [(row.contender, row.error, row.mistakes) for row in one.rows] == [
        (row.contender, row.error, row.mistakes) for row in two.rows
    ]
    assert len(one.rows) == 24 and not one.failed


def test_what_a_space_cannot_hold_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rosenblatt.features.quadratic.MOST", 4)
    x, y = rings()
    found = compare(x, y, Plan(in_all_spaces([Contender("perceptron", "averaged")], "rows"), folds=2, epochs=4))
    assert [c.space for c in found.failed] == ["quadratic"] and len(found.rows) == 3
    assert "at most 4 are possible" in str(next(iter(found.failed.values())))


def test_metrics_go_without_the_kernel_and_texts_without_products() -> None:
    spaces = [each.space for each in in_all_spaces([Contender("adagrad")], "rows")]
    assert spaces == ["linear", "quadratic", "fourier"]
    texts = ["good day", "bad day", "good sun", "bad rain"] * 5
    learners = in_all_spaces([Contender("perceptron", scale="idf+unit:2")], "documents")
    found = compare(texts, [1, 0, 1, 0] * 5, Plan(learners, folds=2, epochs=4))
    assert {row.contender.space for row in found.rows} == {"linear", "fourier", "kernel"} and not found.failed


@pytest.mark.parametrize("more", [("--degree", "2"), ("--map", "fourier"), ("--optimum",)])
def test_refused(data: str, more: tuple[str, ...]) -> None:
    done = run("compare", data, "--nonlinear", *more)
    assert done.code and f"--nonlinear and {more[0]}, which is" in done.err and "give one of them" in done.err
