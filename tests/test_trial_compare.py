"""What a user of the shell found in doctor, compare, experts and pictures, with metrics and L1 among the learners."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from command import run, well
from pictured import assert_legible, texts
from rosenblatt import LinearClassifier, plots
from rosenblatt.compare import Contender, along, compare, contenders
from rosenblatt.compare import Plan as Compared
from rosenblatt.doctor import Plan, diagnose
from rosenblatt.errors import SettingError
from rosenblatt.learn.epochs import Epochs
from rosenblatt.report.pictures.learners import figure_of_learners
from rosenblatt.report.pictures.lines import figure_of_bound, figure_of_path


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch, ticking: None) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


def clouds(rows: int = 30) -> tuple[Any, Any]:
    """Two columns, separable by the first."""
    x = np.random.default_rng(0).normal(size=(rows, 2))
    y = (x[:, 0] > 0.0).astype(int)
    x[:, 0] += np.where(y == 1, 0.05, -0.05)
    return x, y


@pytest.fixture
def file(tmp_path: Path) -> Path:
    x, y = clouds()
    path = tmp_path / "two.svm"
    path.write_text("".join(f"{label} 1:{a:.4f} 2:{b:.4f}\n" for (a, b), label in zip(x, y, strict=True)))
    return path


# --- doctor -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            {"rule": "logistic", "l1": 0.3},
            "own rule after 12 epochs and 54 mistakes, and was not finished; a loss",
        ),
        ({"l1": 0.1}, "own rule after 438 epochs and 1,956 mistakes, and was not finished; a smaller --l1"),
        ({"rule": "margin", "l1": 0.3}, "(the time for a trial was over)"),
    ],
)
def test_why_more_epochs_do_not_help_is_the_runs_own_reason(words: dict[str, Any], said: str) -> None:
    (sentence,) = [each for each in diagnose(*clouds(), Plan(words, 3, max_time=6.0, folds=2)).advice if "More" in each]
    assert said in sentence
    assert sentence.startswith("More epochs do not help" if "own rule" in said else "More epochs may help, or not")


def test_a_first_sentence_does_not_begin_with_or() -> None:
    words: dict[str, Any] = {"rule": "logistic", "metric": "ftrl", "l1": 1.0}
    first = diagnose(*clouds(), Plan(words, 5, max_time=10.0, folds=2)).advice[0]
    assert first == "Let it run until it is finished, with --epochs none: that took 147 epochs and 5 mistakes."


def test_compiling_takes_no_time_from_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first loop over each kind of rows takes 10 s, as with a cold cache: no trial ends for it."""
    warm, own, compiling = set[type](), Epochs.loop, [0.0]
    tick = time.monotonic

    def loop(self: Epochs, rows: Any, *args: Any) -> Any:
        compiling[0] += 10.0 * (type(rows) not in warm)
        warm.add(type(rows))
        return own(self, rows, *args)

    monkeypatch.setattr(time, "monotonic", lambda: tick() + compiling[0])
    monkeypatch.setattr(Epochs, "loop", loop)
    x, y = clouds()
    found = diagnose(csr_array(x), y, Plan({"metric": "nherd"}, 5, max_time=20.0, folds=2))
    assert len(warm) > 1  # centred rows are another kind
    assert not [trial.what for trial in found.trials if trial.stop.kind == "time"]


# --- who takes part ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [("compare", "--rules"), ("experts", "--learners")])
@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("perceptron+arow,arow", "'perceptron+arow': arow brings its own step; say it without a rule: arow"),
        ("margin:tau=2+scw:C=2,phi=1", "'margin:tau=2+scw:C=2,phi=1': scw:C=2,phi=1 brings its own step"),
        ("arrow,perceptron", "unknown rule 'arrow'; did you mean the metric arow?"),
        ("perceptron+ftrl", "metric ftrl goes with rule logistic, not with rule perceptron"),
        ("passive-aggressive+adagrad", "metric adagrad goes with steps down a gradient; rule passive-aggressive makes"),
    ],
)
def test_a_learner_that_is_none_is_refused_in_one_sentence(
    command: tuple[str, str], named: str, said: str, file: Path
) -> None:
    done = run(command[0], file, command[1], named)
    assert (done.code, done.out) == (2, "") and done.err.startswith(f"Error: {said}") and done.err.count("\n") == 1


def test_commas_inside_a_learner_part_no_experts(file: Path) -> None:
    done = well("experts", file, "--learners", "scw:C=1,phi=2, averaged perceptron,adagrad", "--json")
    assert sorted(each["name"] for each in done.json["experts"]) == ["adagrad", "averaged perceptron", "scw:C=1,phi=2"]


def test_who_was_named_and_has_no_l1_does_not_vanish(file: Path) -> None:
    done = run("compare", file, "--rules", "arow,logistic", "--l1", "0,1")
    assert done.code == 2 and done.err == "Error: metric arow brings its own step, so there is no --l1\n"
    learners = contenders("rows", 2, ["arow", "logistic"], ["last"], ["none"])
    assert {each.rule for each in along(learners, [0.0, 1.0])} == {"logistic"}
    with pytest.raises(SettingError, match="arow"):
        along(learners, [0.0, 1.0], asked=True)


@pytest.mark.parametrize(("share", "read"), [("0,10%", [0.0, 0.1]), ("0, .1", [0.0, 0.1]), ("0.7%", [0.007])])
def test_noise_is_a_share_as_elsewhere(share: str, read: list[float], file: Path) -> None:
    words = "--rules", "perceptron", "--keeps", "last", "--scales", "none", "--folds", "2", "--epochs", "1"
    assert well("compare", file, *words, "--noise", share, "--json").json["noise"] == read


def test_noise_that_is_no_share_is_said_how_to_write(file: Path) -> None:
    assert "'much' is not a share; give one as 0.1% or 0.001." in run("compare", file, "--noise", "0,much").err


# --- pictures ---------------------------------------------------------------------------------------------------------


def test_a_training_is_drawn_to_its_last_epoch() -> None:
    x, y = np.array([[-3.0], [-2.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    model = LinearClassifier(rule="logistic", max_iter=5, tol=None).fit(x, y)
    mistakes = model.history_["mistakes"]
    assert len(mistakes) == 5 and mistakes[-2:] == [0, 0]
    axes = plots.training(model).axes[0]
    assert list(axes.lines[0].get_ydata()) == mistakes
    low, high = axes.get_xlim()
    assert low < 1 and high > 5 and axes.get_ylim()[0] < 0
    assert list(axes.lines[1].get_xdata()) == [mistakes.index(0) + 1]  # the ring


def test_theorems_that_do_not_apply_take_a_small_sheet() -> None:
    figure = figure_of_bound({}, None, "arow")
    assert len(figure.axes) == 1 and figure.get_figheight() < 3
    assert_legible(figure)


@pytest.fixture(scope="module")
def compared() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROSENBLATT_JIT", "0")
        x = np.random.default_rng(1).normal(size=(60, 12))
        learners = along([Contender("logistic"), Contender("ftrl")], [0.0, 0.02])
        return compare(x, x[:, 0] > 0.3, Compared(learners=learners, folds=2, epochs=2, noise=(0.05, 0.3)))


def test_a_path_has_an_axis_that_can_be_read(compared: Any) -> None:
    titles = [each(compared, title).get_suptitle() for each in (figure_of_path, figure_of_learners)
              for title in ("data", ["data"])]  # fmt: skip
    assert titles[0] == titles[1] and titles[2] == titles[3] and all(title.startswith("data\n") for title in titles)
    assert not figure_of_path(compared, "").get_suptitle().startswith("\n")
    figure = figure_of_path(compared, ["data"])
    (axes,) = figure.axes
    low, high = axes.get_xlim()
    assert sum(low <= tick <= high for tick in axes.get_xticks()) >= 3
    assert {"what more wrong labels do is in the table", "5% of the training rows have a wrong label"} <= {
        line for text in texts(figure) for line in text.split("\n")
    }
    assert_legible(figure)


def test_noise_is_in_the_picture(compared: Any) -> None:
    figure = figure_of_learners(compared, "data")
    assert "with 30% wrong labels" in texts(figure)
    (marks,) = [line for line in figure.axes[0].lines if len(line.get_xdata()) == len(compared.rows)]
    assert list(marks.get_xdata()) == [compared.noise[0.3][row.contender].error for row in compared.rows]
    low, high = figure.axes[0].get_xlim()
    assert all(low <= x <= high for x in marks.get_xdata())
    assert_legible(figure)


def test_a_learner_that_was_asked_for_is_not_left_out_in_silence() -> None:
    with pytest.raises(SettingError, match="ftrl.*goes with rule logistic, not with rule='softmax'"):
        contenders("rows", 3, ["softmax", "softmax+ftrl"], ["last"])
    with pytest.raises(SettingError, match="scw.*does not go with keep='voted'"):
        contenders("rows", 3, ["scw", "perceptron"], ["voted"])
    assert {each.rule for each in contenders("rows", 2, ["arow", "perceptron"])} == {"arow", "perceptron"}
