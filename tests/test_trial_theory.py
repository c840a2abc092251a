"""What a teacher found wrong in a trial of the theory, the doctor, the experts and the pictures."""

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import run, well
from rosenblatt import LinearClassifier, Model, PocketPerceptron
from rosenblatt.doctor import Plan, diagnose
from rosenblatt.report.pictures.lines import figure_of_experts
from rosenblatt.report.pictures.regions import Plane, figure_of_regions
from rosenblatt.report.pictures.training import figure_of_mistakes
from rosenblatt.theory import Ledger

CORNERS = [[0.0, 0], [0, 1], [1, 0], [1, 1]]
AND, XOR = ["no", "no", "no", "yes"], ["no", "yes", "yes", "no"]


def page(y: Any, X: Any = CORNERS, **words: Any) -> str:
    plan = {name: words.pop(name) for name in ("class_weight", "epochs") if name in words}
    return " ".join(str(diagnose(X, y, Plan(words, **plan, max_time=20.0))).split())


@pytest.fixture
def table(tmp_path: Path) -> Any:
    def write(y: list[str], X: Any = CORNERS, name: str = "table.csv") -> str:
        rows = "".join(",".join(f"{value!r}" for value in x) + f",{label}\n" for x, label in zip(X, y, strict=True))
        path = tmp_path / name
        path.write_text(",".join(f"c{j}" for j in range(len(X[0]))) + ",label\n" + rows)
        return str(path)

    return write


# --- the doctor says what the theorems say, no more -------------------------------------------------------------------


@pytest.mark.parametrize("words", [{}, {"rule": "margin"}, {"rule": "until-right"}])
def test_the_doctor_knows_that_rows_have_weights(words: dict[str, Any]) -> None:
    text = page(AND, class_weight={"yes": 100.0}, **words)
    assert "it does not speak of this learner (rows have weights, which multiply the steps)" in text
    assert "must converge" not in text and "mistakes are possible here" not in text
    assert "mistakes are possible here" in page(AND, class_weight={"yes": 1.0}, **words)


def test_the_doctor_knows_it_of_three_classes() -> None:
    X, y = [[0.0, 0], [5, 0], [0, 5], [5.1, 0]], ["x", "y", "z", "y"]
    assert "must converge here" in page(y, X)
    for words in ({"class_weight": {"x": 9.0}}, {"optimizer": "batch"}):
        text = page(y, X, **words)
        assert "must converge" not in text and "each of them can be parted" in text


def test_a_learner_that_stops_by_its_loss_is_not_said_to_go_on_for_ever() -> None:
    X, y = [*CORNERS, [5, 5]], ["no", "yes", "yes", "no", "other"]
    text = page(y, X, rule="logistic", epochs=2)
    assert "stops where its loss settles" in text and "never stops by itself" not in text
    assert "Do not wait for zero errors" in text
    text = page(y, X, epochs=2)
    assert "never stops by itself" in text and "Do not wait for the learner as it is to converge" in text


def test_a_run_that_l2_ends_has_not_converged(table: Any, tmp_path: Path) -> None:
    text = page(AND, alpha=0.5, epochs=100)
    assert (
        "did not converge" in text and "Nothing needs to be done" not in text and "1. A smaller --l2, or none" in text
    )
    done = well("train", table(AND), "--l2", 0.5, "--epochs", 100, "-o", tmp_path / "m")
    assert "but L2 has shrunk the weights until rows ask for one" in done.out
    assert "next: a smaller --l2, or none" in done.out
    small = LinearClassifier(alpha=1e-6).fit(CORNERS, AND)
    assert small.converged_ and small.stop_reason_ == "an epoch without an update"


def test_a_loss_that_grows_wants_smaller_steps(table: Any, tmp_path: Path) -> None:
    text = page(AND, rule="linear", eta0=2.0, optimizer="batch", epochs=60)
    assert "1. A loss that does not settle wants a smaller --eta" in text
    assert "use --scale standard" not in text, "that has more errors"
    assert "More epochs" not in text, "it ended by itself"
    words = ("--rule", "linear", "--eta", 2, "--optimizer", "batch", "--epochs", 100, "--tol", "none")
    done = well("train", table(AND), *words, "-o", tmp_path / "m")
    assert done.out.splitlines()[-1] == "next: a loss that does not settle wants a smaller --eta or --schedule sqrt"


# --- an order that leaves rows out ------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [[3, 0], [0, 0, 1], [1, 1, 1, 1], [3, 2, 1, 0, 0], [3, 0, 3]])
@pytest.mark.parametrize("rule", ["perceptron", "margin", "until-right"])
@pytest.mark.parametrize("y", [AND, XOR])
def test_every_order_keeps_the_theorems(order: list[int], rule: str, y: list[str]) -> None:
    ledger = Ledger()
    clf = LinearClassifier(rule=rule, max_iter=50).fit(CORNERS, y, order=order, callback=ledger)
    bounds = {bound.name: bound for bound in ledger.bounds()}
    every = set(order) == {0, 1, 2, 3}
    assert clf.converged_ <= every or (clf.predict(CORNERS) == y).all()
    if rule == "perceptron" and y is XOR:
        assert bounds["never stops"].applies == every
    if rule == "margin":
        assert bounds["finished margin"].applies == (every and y is AND)
    assert ("left out" in ledger.summary()) != every and "rows shuffled" not in ledger.summary()


def test_rows_without_weight_and_l2_may_end_what_never_stops(table: Any) -> None:
    xor = table(XOR)
    assert "never stops: does not apply: 2 rows of 4 are not" in well("bound", xor, "--class-weight", "no=0").out
    assert "never stops: does not apply: L2 shrinks" in well("bound", xor, "--l2", 0.9, "--epochs", 5).out


def test_train_says_which_rows_it_never_saw(table: Any, tmp_path: Path) -> None:
    order = tmp_path / "order.txt"
    order.write_text("4\n1\n")
    done = well("train", table(AND), "--order", order, "-o", tmp_path / "m")
    assert "note: rows that are not in the order, and not learned from: 2" in done.err
    assert "rows that are not in the order ask for one" in done.out and "every row in it" in done.out
    found = well("train", table(AND), "--order", order, "-o", tmp_path / "m", "--json").json
    assert found["converged"] is False and found["notes"] == {"rows that are not in the order, and not learned from": 2}
    order.write_text("4\n1\n2\n3\n1\n")
    done = well("train", table(AND), "--order", order, "-o", tmp_path / "m")
    assert "not in the order" not in done.err + done.out


def test_the_pocket_of_shuffled_epochs_need_not_find_the_fewest_errors(table: Any, tmp_path: Path) -> None:
    epochs = PocketPerceptron(max_iter=60, check_every=1).fit(CORNERS, XOR)
    drawn = PocketPerceptron(optimizer="pick-random", max_updates=300).fit(CORNERS, XOR)
    assert [(p.predict(CORNERS) != XOR).sum() for p in (epochs, drawn)] == [2, 1]
    done = well("train", table(XOR), "--keep", "pocket", "--epochs", 20, "-o", tmp_path / "m")
    assert "next: --optimizer pick-random, with which the pocket can" in done.out
    done = well("train", table(XOR), "--keep", "pocket", "--rule", "logistic", "--epochs", 2, "-o", tmp_path / "m")
    assert "pick-random" not in done.out, "it refuses this rule"
    words = ("--keep", "pocket", "--optimizer", "pick-random", "--max-updates", 50, "-o", tmp_path / "m")
    done = well("train", table(XOR), *words)
    assert "pick-random: 50 updates in" in done.out and "per epoch" not in done.out


# --- the shell --------------------------------------------------------------------------------------------------------


def test_the_proof_of_three_classes_is_asked_for_by_the_right_option(table: Any, tmp_path: Path) -> None:
    X, y = [*CORNERS, [5, 5]], [*XOR, "not this"]
    data = table(y, X)
    for words in ((), ("--multi-class", "multi-class-perceptron"), ("--no-intercept",)):
        done = well("train", data, "-o", tmp_path / "m", "--stop-if-not-separable", "--epochs", 50, *words)
        command = done.out[done.out.index("`rosenblatt separable DATA") :].split("`")[1]
        own = shlex.split(command)[3:]
        proof = tmp_path / "proof.json"
        well("separable", data, *own[:-1], proof)
        assert ("--only" in own) == bool(words and words[0] == "--multi-class")
        well("verify", proof, data)


@pytest.mark.parametrize(("X", "words"), [([[1e-160], [2e-160]], ()), ([[-1e-160], [2e-160]], ("--no-intercept",))])
def test_a_margin_whose_square_is_0(X: Any, words: Any, table: Any) -> None:
    data = table(["a", "b"], X)
    found = well("margin", data, *words, "--json").json["margins"][0]
    assert found["mistakes_possible"] == (4 if words else None)
    said = well("margin", data, *words).out
    assert f"mistakes possible for the perceptron: {'4' if words else '1e308 or more'}" in said
    done = well("bound", data, "--epochs", 3, *words).out
    assert "holds" in done and "inf" not in done
    assert "inf" not in page(["a", "b"], X, fit_intercept=not words)


def test_products_are_called_by_their_columns(table: Any) -> None:
    assert "0.5 for c0*c1" in well("separable", table(AND), "--degree", 2).out
    assert "c0*c1" in well("optimum", table(XOR), "--degree", 2).out


def test_rows_on_the_border_have_a_ring_and_the_title_is_whole() -> None:
    x = np.array(CORNERS)
    two = Plane(x, np.array([0, 0, 0, 1]), lambda at: at @ [-1.0, 2.0], ["no", "yes"], ["a", "b"], 40)
    figure = figure_of_regions(two, "")
    axes = figure.axes[0]
    title = axes._left_title
    assert title.get_text().startswith("answers by place: 1 of 4 rows wrong,\n1 more on the border")
    assert title.get_window_extent().x1 <= figure.bbox.x1
    rings = next(each for each in axes.collections if str(each.get_label()).startswith("wrong"))
    assert sorted(map(tuple, np.asarray(rings.get_offsets()))) == [(0.0, 0.0), (0.0, 1.0)]


def test_the_lowest_epoch_has_a_dot() -> None:
    mistakes = [40 - (epoch == 27) for epoch in range(40)]
    line = figure_of_mistakes({"one": mistakes}, "").axes[0].lines[0]
    assert 27 in line.get_markevery() and 28 not in line.get_markevery()


def test_the_legend_of_experts_names_what_is_drawn() -> None:
    rounds, none = np.arange(3), np.full(3, np.inf)
    for most, there in ((none, False), (np.ones(3), True)):
        axes = figure_of_experts([("halving", rounds, rounds, rounds, most)], "").axes[0]
        assert ("its bound" in [text.get_text() for text in axes.get_legend().get_texts()]) == there


def test_advice_beside_a_column_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "advice.csv"
    path.write_text("day,a,b,outcome\nmon,1,0,1\ntue,0,0,1\nwed,1,1,1\n")
    assert "--drop leaves a column out" in run("experts", path).err
    for name in ("day", "1"):
        done = well("experts", path, "--drop", name)
        assert "3 rounds, 2 experts" in done.out and "best expert: a, 1 mistake\n" in done.out
        assert "the best one has made 1 mistake\n" in done.out
    lines = well("experts", path, "--drop", "day", "--predict", "--algorithms", "halving,hedge").out.splitlines()
    assert lines[0] == "halving\thedge" and len(lines) == 4
    assert len(well("experts", path, "--drop", "day", "--predict", "--algorithms", "halving").out.splitlines()) == 3


def test_the_answers_to_order_and_stop_survive_a_model_file(tmp_path: Path) -> None:
    for words, fit in (({"alpha": 0.5}, {}), ({}, {"order": [3, 0]})):
        clf = LinearClassifier(max_iter=100, **words).fit(CORNERS, AND, **fit)
        clf.model_.save(tmp_path / "m")
        stop = Model.load(tmp_path / "m").run.stop
        assert stop.kind in ("shrunk", "left out") and str(stop.text) == clf.stop_reason_ and not clf.converged_
