"""Early stopping: rows set aside say when to stop and which epoch answers; warm starts from another model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from command import run, well, write
from learners import KINDS, STEP_RULES, problem, rows_of
from rosenblatt import LinearClassifier, Perceptron
from rosenblatt.data.folds import set_aside
from rosenblatt.datasets import load_sms, load_spambase
from rosenblatt.errors import DataError, SettingError
from rosenblatt.learn.run import Limits
from rosenblatt.learn.settings import Settings
from rosenblatt.memory import memory_classes
from rosenblatt.model.fit import Held, Task, fit, learn_more
from rosenblatt.model.model import Model

Array = np.ndarray[Any, Any]
RULES = [(rule, classes) for rule in STEP_RULES for classes in (2, 3)] + [("multi-class-perceptron", 3)]


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


def parts(classes: int, kind: str) -> tuple[Any, Array, Any, Array]:
    """Rows and labels to learn from, and others that are too few to be all right for long."""
    p, other = problem(classes, n=30, seed=3), problem(classes, n=11, seed=4)
    return rows_of(p.x, kind), p.y, rows_of(other.x, kind), other.y


def settings(rule: str, keep: str, patience: int = 3) -> Settings:
    return Settings.of(rule=rule, keep=keep, tol=None, n_iter_no_change=patience, eta0=0.3)


@pytest.mark.parametrize(("rule", "classes"), RULES)
@pytest.mark.parametrize("keep", memory_classes())
def test_the_model_is_the_one_stopped_at_the_best_epoch(plain: None, rule: str, keep: str, classes: int) -> None:
    """Reference: all epochs one by one, the first of the best by counting right answers; then `patience` more."""
    for kind in (KINDS[0], KINDS[2]):
        rows, y, held, truth = parts(classes, kind)
        early = fit(rows, y, settings(rule, keep), Limits(40), Task(validation=Held(held, truth)))
        by_epoch = [fit(rows, y, settings(rule, keep), Limits(e)) for e in range(1, early.run.epoch + 1)]
        scores = [float(np.mean(model.predict(held) == truth)) for model in by_epoch]
        assert early.run.history["validation"] == scores
        best = int(np.argmax(scores))
        assert early.run.best is not None and early.run.best.epoch == best + 1
        assert np.array_equal(early.decision(held), by_epoch[best].decision(held))
        assert all(np.array_equal(a, b) for a, b in zip(early.weights, by_epoch[best].weights, strict=True))
        if "validation rows" in early.run.stop_reason:
            assert early.run.epoch == best + 1 + 3, "three epochs that were no better"
            assert f"(best: {scores[best]:.4f} in epoch {best + 1})" in early.run.stop_reason


def test_it_is_resumed_exactly_also_from_a_file(plain: None, tmp_path: Path) -> None:
    rows, y, held, truth = parts(2, KINDS[0])
    task = Task(validation=Held(held, truth))
    for keep in memory_classes():
        whole = fit(rows, y, settings("perceptron", keep, 100), Limits(12), task)
        model = fit(rows, y, settings("perceptron", keep, 100), Limits(1), task)
        for _ in range(11):
            model.save(tmp_path / "m")
            model = learn_more(Model.load(tmp_path / "m"), rows, y, Limits(1), task)
        assert model.run.history == whole.run.history
        model.run.stop = whole.run.stop  # another limit
        model.save(tmp_path / "a"), whole.save(tmp_path / "b")
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes(), keep


def test_without_validation_the_present_weights_answer_again(plain: None) -> None:
    rows, y, held, truth = parts(2, KINDS[0])
    early = fit(rows, y, settings("perceptron", "last"), Limits(40), Task(validation=Held(held, truth)))
    more = learn_more(early, rows, y, Limits(1))
    assert more.run.best is None and early.run.best is not None, "and the old model is as it was"
    assert np.array_equal(more.weights[0], more.run.memory.weights(more.run.state)[0])


def test_a_scorer_and_its_name(plain: None) -> None:
    rows, y, held, truth = parts(2, KINDS[0])
    asked = Held(held, truth, lambda model, rows, y: -float(np.abs(model.decision(rows)).sum()), "smallness")
    model = fit(rows, y, settings("perceptron", "last", 2), Limits(50), Task(validation=asked))
    assert "smallness on the validation rows no better for 2 epochs" in model.run.stop_reason


def test_what_cannot_be_validated_is_refused(plain: None) -> None:
    rows, y, held, truth = parts(2, KINDS[0])
    words = settings("perceptron", "last")
    with pytest.raises(SettingError, match="picks its rows"):
        fit(rows, y, Settings.of(optimizer="pick-first"), Limits(), Task(validation=Held(held, truth)))
    with pytest.raises(DataError, match="11 validation rows and 10 labels"):
        fit(rows, y, words, Limits(), Task(validation=Held(held, truth[:-1])))
    with pytest.raises(DataError, match="the validation rows have 2 features, the others 4"):
        fit(rows, y, words, Limits(), Task(validation=Held(rows_of(np.ones((2, 2)), KINDS[0]), truth[:2])))
    with pytest.raises(DataError, match="of the validation rows, row 1: unknown label 7"):
        fit(rows, y, words, Limits(), Task(validation=Held(held, np.full(11, 7.0))))
    with pytest.raises(SettingError, match="returned NaN; what validation maximises must be a number"):
        fit(rows, y, words, Limits(), Task(validation=Held(held, truth, lambda model, rows, y: float("nan"))))
    for share in (0.0, 1.0, "a", True):
        with pytest.raises(SettingError, match="between 0 and 1"):
            set_aside(y, share, 0)  # type: ignore[arg-type]


def test_the_estimator_sets_a_share_of_each_class_aside() -> None:
    X, y, _ = load_spambase()
    one = LinearClassifier(keep="averaged", early_stopping=True, max_iter=200).fit(X, y)
    kept, out = set_aside(y, 0.1, 0)
    assert len(out) == 461 and abs(float(np.mean(y[out] == 1)) - float(np.mean(y == 1))) < 0.002
    same = LinearClassifier(keep="averaged", max_iter=200).fit(X[kept], y[kept], validation=(X[out], y[out]))
    assert np.array_equal(one.coef_, same.coef_) and one.stop_reason_ == same.stop_reason_
    assert one.history_["validation"][one.model_.run.best.epoch - 1] == one.score(X[out], y[out])
    by_f1 = clone(one).set_params(scoring="f1").fit(X, y)
    assert by_f1.stop_reason_.startswith("f1 on the validation rows")
    with pytest.raises(SettingError, match="an order names all rows"):
        clone(one).fit(X, y, order=np.arange(len(y)))


def test_sample_weights_go_with_their_rows() -> None:
    X, y, _ = load_spambase()
    weight = np.linspace(0.0, 2.0, len(y))
    kept, out = set_aside(y, 0.1, 0)
    one = Perceptron(early_stopping=True, max_iter=5).fit(X, y, sample_weight=weight)
    same = Perceptron(max_iter=5).fit(X[kept], y[kept], sample_weight=weight[kept], validation=(X[out], y[out]))
    assert np.array_equal(one.coef_, same.coef_)


@pytest.fixture(scope="module")
def sms(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    texts, labels = load_sms()
    folder = tmp_path_factory.mktemp("sms")
    lines = [f"{label}\t{text}\n" for text, label in zip(texts, labels, strict=True)]
    cuts = {"first": lines[:1000], "rest": lines[1000:1500], "all": lines[:1500]}
    for name, chosen in cuts.items():
        (folder / f"{name}.txt").write_text("".join(chosen), encoding="utf-8")
    return {name: folder / f"{name}.txt" for name in cuts}


def test_the_command_line_validates_on_a_file_or_a_share(sms: dict[str, Path], tmp_path: Path) -> None:
    done = well("train", sms["first"], "-o", tmp_path / "m", "--validation", sms["rest"], "--patience", "2", "--json")
    found = json.loads(done.out)
    scores = found["validation_per_epoch"]
    assert found["rows"] == 1000 and found["best_epoch"] == scores.index(max(scores)) + 1
    measured = json.loads(well("evaluate", tmp_path / "m", sms["rest"], "--json").out)
    assert measured["accuracy"] == pytest.approx(max(scores))
    told = well("train", sms["all"], "-o", tmp_path / "m", "--validation", "0.2", "--patience", "1").out
    assert "1,200 rows" in told and "validation per epoch: 0." in told
    assert "validation per epoch: 0." in well("inspect", tmp_path / "m").out


def test_a_model_that_goes_on_sets_the_same_rows_aside(sms: dict[str, Path], tmp_path: Path) -> None:
    """Others would have been learned from before; the seed is the model's own."""
    words = ("--validation", "0.2", "--patience", "9")
    well("train", sms["first"], "-o", tmp_path / "whole", *words, "--seed", "7", "--epochs", "4")
    well("train", sms["first"], "-o", tmp_path / "m", *words, "--seed", "7", "--epochs", "2")
    well("train", sms["first"], "-o", tmp_path / "m", *words, "--continue", tmp_path / "m", "--epochs", "2")
    assert Model.load(tmp_path / "m").run.history == Model.load(tmp_path / "whole").run.history
    done = well("train", sms["first"], "-o", tmp_path / "m", "--continue", tmp_path / "m", "--epochs", "1")
    assert "without --validation all are learned" in done.err
    assert "; the last weights answer\n" in well("inspect", tmp_path / "m").out
    order = write(tmp_path / "order", "1\n2\n3\n")
    refused = run("train", sms["first"], "-o", tmp_path / "m", *words, "--order", order)
    assert refused.code == 2 and "--validation sets some of them aside" in refused.err


def test_a_new_model_starts_from_another(sms: dict[str, Path], tmp_path: Path) -> None:
    """The weights that answered are where the new one begins; the dictionary is that of the other."""
    first, second = tmp_path / "first", tmp_path / "second"
    well("train", sms["first"], "-o", first, "--keep", "averaged")
    well("train", sms["rest"], "-o", second, "--rule", "logistic", "--start", first, "--epochs", "3")
    old, new = Model.load(first), Model.load(second)
    assert new.features.names == old.features.names and new.run.settings.words()["rule"] == "logistic"
    begun = tmp_path / "begun"
    well("train", sms["rest"], "-o", begun, "--rule", "linear", "--start", first, "--max-time", "0")
    assert np.array_equal(Model.load(begun).weights[0], old.weights[0])
    turned = tmp_path / "turned"
    well("train", sms["rest"], "-o", turned, "--start", first, "--max-time", "0", "--positive", "ham")
    assert np.array_equal(Model.load(turned).weights[0], -old.weights[0])
    assert Model.load(turned).classes.tolist() == ["spam", "ham"]


def test_tol_is_explained(tmp_path: Path, sms: dict[str, Path]) -> None:
    told = well("train", sms["first"], "-o", tmp_path / "m", "--rule", "logistic", "--tol", "0.01").out
    assert "mean loss per epoch: 0." in told and "(--tol 0.01: what it must fall by)" in told
    assert "stopped: loss fell by less than --tol 0.01 for 5 epochs" in told


def test_the_messages_speak_the_language_of_the_shell(sms: dict[str, Path], tmp_path: Path) -> None:
    """The Python API says eta0=…, the shell --eta …: nobody has to know both."""
    told = well("train", sms["first"], "-o", tmp_path / "m", "--epochs", "1").out
    assert "stopped: epoch limit (--epochs 1)" in told
    assert "stopped: epoch limit (--epochs 1)" in well("inspect", tmp_path / "m").out
    for words, wanted in {
        ("--no-intercept", "--positive", "eggs"): "--positive eggs is not a label",
        ("--l2", "1", "--eta", "2"): "it must stay below 1",
        ("--patience", "0"): "--patience 0 must be a whole number > 0",
    }.items():
        assert wanted in run("train", sms["first"], "-o", tmp_path / "m", *words).err
