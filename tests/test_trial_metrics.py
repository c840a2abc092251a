"""Metrics of one's own: in files by name, tried out before they are compiled, named where they are to blame."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from rosenblatt import AROW, SCW, LinearClassifier, MarginPerceptron, Recipe
from rosenblatt.errors import DataError, ModelError, SettingError
from rosenblatt.learn.metric import metric_classes, metric_from
from rosenblatt.learn.rule import rule_from
from rosenblatt.metrics.adagrad import Adagrad
from rosenblatt.metrics.arow import Arow
from rosenblatt.model.model import Model
from samples import three_classes, two_classes


@pytest.fixture(autouse=True)
def _plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


class Mine(NamedTuple):
    """AdaGrad that begins at beta. One number is remembered, and returned alone."""

    beta: float = 1.0

    name = "mine"
    starts = (0.0,)

    def move(self, c: Any, w: float, x: float, a: Any) -> Any:
        total = c[0] + (a[0] * x) ** 2
        return a[1] * a[0] * x / math.sqrt(self.beta + total), (total,)


class Brings(NamedTuple):
    """AROW by another name."""

    r: float = 1.0

    starts = (1.0,)
    measure, stride, move = Arow.measure, Arow.stride, Arow.move  # type: ignore[assignment]


class Forgiving(NamedTuple):
    tau: float = 1.0

    def step(self, u: float, y: float, sq_norm: float) -> float:
        return y if y * u < self.tau else 0.0


# --- in files ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize(
    ("words", "given"),
    [
        ({"metric": Mine(0.25), "rule": "logistic", "l1": 0.01}, "metric 'mine:beta=0.25'"),  # type: ignore[call-arg]
        ({"metric": Mine, "rule": Forgiving, "keep": "averaged"}, "rule 'Forgiving'"),
        ({"metric": Brings, "keep": "averaged"}, "metric 'Brings'"),
    ],
)
def test_a_metric_of_ones_own_is_loaded_without_its_code(
    words: dict[str, Any], given: str, many: bool, tmp_path: Path
) -> None:
    """It predicts, and is saved again as it was; to go on learning takes the metric itself, and goes on as without a
    break."""
    x, y = three_classes() if many else two_classes()
    recipe = Recipe(**words, max_iter=2, tol=None, validation=None)
    model = recipe.fit(x, y)
    model.save(tmp_path / "a")
    loaded = Model.load(tmp_path / "a")
    assert np.array_equal(loaded.decision(x), model.decision(x))
    settings = loaded.run.settings
    assert (settings.learner, settings.brings) == (model.run.settings.learner, model.run.settings.brings)
    loaded.save(tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == (tmp_path / "a").read_bytes()
    with pytest.raises(ModelError, match=f"to go on learning, give the {given} again; model files hold no code"):
        Recipe.to_go_on(max_iter=1).fit_more(loaded, x, y)
    again = {name: words[name] for name in ("rule", "metric") if name in words}
    more = Recipe.to_go_on(**again, max_iter=3).fit_more(Model.load(tmp_path / "a"), x, y)
    assert np.array_equal(more.weights[0], recipe.with_(max_iter=5).fit(x, y).weights[0])
    with pytest.raises(SettingError, match="the model goes on as it began"):
        Recipe.to_go_on(**again | {"metric": "adagrad"}).fit_more(model, x, y)


# --- tried out --------------------------------------------------------------------------------------------------------


def own(**parts: Any) -> Any:
    """A class like `Mine` with other parts; None: without."""
    made = {"name": "bad", "starts": (0.0, 0.0), "move": lambda self, c, w, x, a: (x, (x, x)), **parts}
    return type("Bad", (NamedTuple("Base", [("gamma", float)]),), {n: v for n, v in made.items() if v is not None})


def pair(self: Any, c: Any, x: float) -> Any:
    return c, 1.0


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"starts": None}, "starts must be a tuple of one number or two; found None"),
        ({"starts": (0.0, 0.0, 0.0)}, "starts must be a tuple of one number or two; found (0.0, 0.0, 0.0)"),
        ({"starts": 0.0}, "starts must be a tuple of one number or two; found 0.0"),
        ({"eta0": "fast"}, "eta0 must be a number > 0 or None; found fast"),
        ({"eta0": -1.0}, "eta0 must be a number > 0 or None; found -1.0"),
        ({"rules": "logistic"}, "rules must be a tuple of names; found logistic"),
        ({"see": pair}, "news and see go together; found see alone"),
        ({"news": lambda self, c, x: True}, "news and see go together; found news alone"),
        ({"news": lambda self, c, x: True, "see": lambda self, c, x: c}, "see must return (c, factor)"),
        ({"move": lambda self, c, w, x, a: x}, "move must return (change, c): a number, and what is remembered"),
        ({"move": lambda self, c, w, x, a: (x, (x,))}, "as many numbers as starts has; found (1.0, (1.0,))"),
        ({"move": lambda self, c, w, x, a: (x, (x, x)), "starts": (0.0,)}, "as starts has; found (1.0, (1.0, 1.0))"),
        ({"move": lambda self, c, w, x, a: (x, [x, x])}, "as many numbers as starts has; found (1.0, [1.0, 1.0])"),
        ({"move": lambda self, c, w, x, a: (math.log(w), c)}, "fails: ValueError: math domain error"),
        ({"move": lambda self, c, w, x: (x, c)}, "move((0.0, 0.0), 0.0, 1.0, (1.0, 1.0, 0.0)) fails: TypeError"),
        ({"measure": lambda self, c, x: c}, "measure must return a number; found (0.0, 0.0)"),
        ({"rate": lambda self, v, past: past}, "rate must return a number; found [0. 0.]"),
        ({"stride": lambda self, u, y, v: (y, y)}, "stride must return a tuple of three numbers; found (1.0, 1.0)"),
    ],
)
def test_what_is_no_metric_is_one_sentence(parts: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingError, match="^metric bad: ") as caught:
        metric_from(own(**parts)(1.0))
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_what_is_a_metric_passes() -> None:
    """All of the package with parameters far out, and what was handed through beside one number."""
    for name, metric in metric_classes().items():
        assert metric_from(metric).name == name
        far = [1.0 if field in getattr(metric, "only", ()) else 1e300 for field in metric._fields]
        metric_from(metric(*far))
    metric_from(own(starts=(1.0,), move=lambda self, c, w, x, a: (x, (x, c[1])))(1.0))
    metric_from(own(name=None, move=lambda self, c, w, x, a: (x, (math.exp(1e4 * x), x)))(1.0))
    with pytest.raises(SettingError, match="metric 'Bad': gamma=0.0 must be a finite number > 0"):
        metric_from(own(name=None)(0.0))
    with pytest.raises(SettingError, match="metric Bad cannot be made: TypeError: .*gamma"):
        metric_from(own())
    with pytest.raises(SettingError, match="metric=None is no metric; say metric='none'"):
        Recipe(metric=None)


@pytest.mark.parametrize("name", ["adagrad", "none", "arow:r=2"])
def test_a_name_that_is_taken_is_refused(name: str) -> None:
    with pytest.raises(SettingError, match=f"metric Bad: the name '{name.partition(':')[0]}' is taken"):
        metric_from(own(name=name)(1.0))
    rule = type("Rule", (), {"name": "margin", "step": lambda self, u, y, sq_norm: y})
    with pytest.raises(SettingError, match="rule Rule: the name 'margin' is taken; give it another `name`"):
        rule_from(rule)
    with pytest.raises(SettingError, match="metric Bad: its name must be a text, not 3"):
        metric_from(own(name=3)(1.0))


def test_one_number_alone_is_remembered_by_compiled_code_too(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = two_classes()
    words = {"rule": "logistic", "metric": Mine, "max_iter": 2, "tol": None}
    plain = Recipe(**words).fit(x, y)
    monkeypatch.setenv("ROSENBLATT_JIT", "1")
    np.testing.assert_allclose(Recipe(**words).fit(x, y).weights[0], plain.weights[0], rtol=1e-9)


class Norm(NamedTuple):
    starts = (0.0,)

    def move(self, c: Any, w: float, x: float, a: Any) -> Any:
        return a[0] * float(np.linalg.norm([x])) + float(str(1)), c


def test_what_cannot_be_compiled_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "1")
    x, y = two_classes()
    with pytest.raises(SettingError, match=r"^metric Norm cannot be compiled .*must return \(change, c\)") as caught:
        LinearClassifier("logistic", metric=Norm).fit(x, y)
    assert str(caught.value).isprintable() and "rule" not in str(caught.value)


# --- on the way -------------------------------------------------------------------------------------------------------


class Grows(NamedTuple):
    name = "{grows}"
    starts = (0.0,)

    def move(self, c: Any, w: float, x: float, a: Any) -> Any:
        return a[0] * x + w * 1e200, c


class Steep(NamedTuple):
    def step(self, u: float, y: float, sq_norm: float) -> float:
        return y * (1.0 + abs(u)) * 1e200


@pytest.mark.filterwarnings("ignore")
def test_an_overflow_names_parts_of_ones_own() -> None:
    x, y = two_classes()
    for words, said in (
        ({"rule": "logistic", "metric": Grows}, "or lower eta0, or mend the move of {grows}$"),
        ({"rule": Steep}, "or lower eta0, or mend the step of Steep$"),
        ({"rule": "linear", "eta0": 1e200}, "or lower eta0$"),
    ):
        with pytest.raises(DataError, match=said):
            LinearClassifier(**words).fit(x, y)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("learner", "change", "said"),
    [
        (AROW(), {"r": 100}, "r cannot change while learning goes on: it was 1.0, and is 100.0 now"),
        (SCW(), {"C": 2.0}, "C cannot change while learning goes on: it was 1.0, and is 2.0 now"),
        (MarginPerceptron(), {"tau": 2}, "tau cannot change while learning goes on: it was 1.0, and is 2.0 now"),
        (LinearClassifier("logistic", l1=0.1), {"l1": 0.2}, "l1 cannot change .*: it was 0.1, and is 0.2 now"),
        (LinearClassifier(metric="arow"), {"metric": Arow(2.0)}, "metric cannot .*'arow', and is 'arow:r=2' now"),  # type: ignore[call-arg]
        (LinearClassifier("logistic"), {"metric": Adagrad()}, "metric cannot .*: it was 'none', and is 'adagrad' now"),  # type: ignore[call-arg]
        (LinearClassifier("margin"), {"rule": "margin:tau=2"}, "rule cannot .*'margin', and is 'margin:tau=2' now"),
    ],
)
def test_the_word_that_changed_is_named(learner: Any, change: dict[str, Any], said: str) -> None:
    x, y = two_classes()
    learner.partial_fit(x, y, classes=[0, 1])
    with pytest.raises(SettingError, match=f"^{said}"):
        learner.set_params(**change).partial_fit(x, y)
