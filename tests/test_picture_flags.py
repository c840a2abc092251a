"""A flag for each picture: the shell draws what `plots` draws, and says before it begins what cannot be drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import TABLE, WORDS, run, well, write
from pictured import assert_legible, numbers, texts, watched
from rosenblatt import LogisticUnit, Perceptron, VotedPerceptron, plots
from rosenblatt.model.model import Model
from rosenblatt.report.pictures import models
from rosenblatt.theory import Ledger

Y = np.repeat(["ham", "spam", "why"], 10)


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops in plain Python, also where learners are fitted here."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    monkeypatch.setattr("warnings.warn", lambda *_, **__: None)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The figures that are written, in order."""
    return watched(monkeypatch)


def data(folder: Path, classes: int = 2, columns: int = 2) -> tuple[Path, Any, Any]:
    """(a file of 10 rows a class that no line tells apart, X, y)."""
    y, random = Y[: 10 * classes], np.random.default_rng(5)
    x = np.round(
        random.normal(size=(len(y), columns)) + np.arange(columns) + 1.2 * np.repeat(range(classes), 10)[:, None], 3
    )
    head = ",".join([f"c{j}" for j in range(columns)] + ["kind"])
    lines = [",".join(map(str, [*row, label])) for row, label in zip(x.tolist(), y, strict=True)]
    return write(folder / "d.csv", "\n".join([head, *lines]) + "\n"), x, y


def assert_same(shell: Any, python: Any) -> None:
    """The same numbers in the axes; and that it can be read."""
    assert_legible(shell)
    ours, theirs = numbers(shell), numbers(python)
    assert len(ours) == len(theirs) and sum(map(len, ours)) > 3 * len(ours)
    for one, other in zip(ours, theirs, strict=True):
        assert one[:3] == other[:3] and len(one) == len(other)
        for part, its in zip(one[3:], other[3:], strict=True):
            np.testing.assert_allclose(part, its, rtol=1e-9, atol=1e-12)


def covered(figure: Any) -> list[str]:
    """Words along lines that lie on a point, its ring, or the frame of a nearest row."""
    (axes,), renderer, found = figure.axes, figure.canvas.get_renderer(), []
    for text in axes.texts:
        turn = np.radians(text.get_rotation())
        middle = np.mean(text.get_window_extent(renderer).get_points(), axis=0)
        text.set_rotation(0.0)
        half = np.ptp(text.get_window_extent(renderer).get_points(), axis=0) / 2.0
        along = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        for points in (each for each in axes.collections if hasattr(each, "get_sizes") and len(each.get_offsets())):
            away = (axes.transData.transform(np.asarray(points.get_offsets())) - middle) @ along
            radii = np.sqrt(np.broadcast_to(points.get_sizes(), len(away))) * figure.dpi / 144.0
            if text.get_text() and (np.hypot(*np.maximum(np.abs(away) - 0.9 * half, 0.0).T) < radii).any():
                found.append(text.get_text())
    return found


@pytest.mark.parametrize("seed", range(6))
def test_words_along_lines_lie_on_no_point(seed: int) -> None:
    random, n = np.random.default_rng(seed), (4, 10, 30)[seed % 3]
    x, y = np.vstack([random.normal(size=(n, 2)), random.normal(size=(n, 2)) + [4.5, 3.5]]), np.repeat(["a", "b"], n)
    assert not [text for text in covered(plots.margin(np.round(x, 1), y)) if text != "w"]
    apart = np.round(x - 0.6 * x.mean(axis=0) * (y == "b")[:, None], 1)  # some are wrong, and have rings
    assert not [text for text in covered(plots.regions(Perceptron(max_iter=5).fit(apart, y), apart, y)) if text != "w"]


# --- evaluate and threshold ---


@pytest.mark.parametrize(("classes", "columns", "words"), [
    (2, 1, ()), (2, 2, ("--scale", "standard")), (3, 2, ("--degree", 2)), (2, 4, ("--rule", "logistic", "--at", "0.4")),
    (3, 4, ("--scale", "standard")),
])  # fmt: skip
def test_regions_and_margins_of_a_model(
    tmp_path: Path, drawn: list[Any], classes: int, columns: int, words: tuple[Any, ...]
) -> None:
    path, x, y = data(tmp_path, classes, columns)
    well("train", path, "-o", tmp_path / "m", "--epochs", 4, *words)
    model, picture = Model.load(tmp_path / "m"), tmp_path / "p.png"
    for kind, draw in (("regions", plots.regions), ("margins", plots.margins)):
        done = well("evaluate", tmp_path / "m", path, "--plot", picture, "--picture", kind)
        assert f"wrote {picture}" in done.out
        assert_same(drawn[-1], draw({model.run.settings.learner: model} if kind == "margins" else model, x, y))
        assert any(f"{tmp_path / 'm'} on {path}"[-20:] in text.replace("\n", "") for text in texts(drawn[-1]))
    wrong = int((model.predict(x) != y).sum())
    assert any(f": {wrong} of {len(y)} rows wrong, the least margin" in text for text in texts(drawn[-1]))
    if classes == 2:  # by hand
        step = x if "--scale" not in words else (x - x.mean(axis=0)) / x.std(axis=0)
        (w,), (b,) = model.weights
        own = np.where(y == "spam", 1.0, -1.0) * (step @ w + b - model.cut) / np.linalg.norm(w)
        assert drawn[-1].axes[0].lines[1].get_xdata()[0] == pytest.approx(own.min(), abs=1e-6)


def test_regions_of_a_kernel_and_of_votes_in_many_columns(tmp_path: Path, drawn: list[Any]) -> None:
    path, x, y = data(tmp_path, columns=4)
    for words in (("--kernel", "rbf"), ("--keep", "voted")):
        well("train", path, "-o", tmp_path / "m", "--epochs", 2, *words)
        well("evaluate", tmp_path / "m", path, "--plot", tmp_path / "p.png", "--picture", "regions")
        model = Model.load(tmp_path / "m")
        assert_same(drawn[-1], plots.regions(model, x, y))
        wrong = int((model.predict(x) != y).sum())
        assert f"answers by place: {wrong} of 20 rows wrong,\nof 4 columns in two directions" in texts(drawn[-1])


@pytest.mark.parametrize("columns", [2, 3])
@pytest.mark.parametrize("words", [(), ("--scale", "standard")])
def test_votes_of_a_model_are_in_its_features(
    tmp_path: Path, drawn: list[Any], columns: int, words: tuple[str, ...]
) -> None:
    path, x, y = data(tmp_path, columns=columns)
    well("train", path, "-o", tmp_path / "m", "--keep", "voted", "--epochs", 2, *words)
    well("evaluate", tmp_path / "m", path, "--plot", tmp_path / "p.png", "--picture", "votes")
    model = Model.load(tmp_path / "m")
    assert_same(drawn[-1], plots.votes(model, x, y))
    if columns == 2:
        step = (x - x.mean(axis=0)) / x.std(axis=0) if words else x
        points = [each for each in drawn[-1].axes[1].collections if each.get_label() in ("ham", "spam")]
        shown = np.concatenate([each.get_offsets() for each in points])
        assert sorted(map(tuple, np.round(shown, 6).tolist())) == sorted(map(tuple, np.round(step, 6).tolist()))
        assert drawn[-1].axes[1].get_xlabel() == ("c0 (scaled)" if words else "c0")
    learned = VotedPerceptron(max_iter=2).fit(x, y)
    if not words:
        given = numbers(plots.votes(learned, x, y))
        assert [part[3:] for part in given] == [part[3:] for part in numbers(drawn[-1])]


def test_texts_are_drawn_too(tmp_path: Path, drawn: list[Any]) -> None:
    path, picture = write(tmp_path / "d.txt", WORDS), tmp_path / "p.png"
    well("train", path, "-o", tmp_path / "m", "--min-documents", 1)
    well("train", path, "-o", tmp_path / "v", "--min-documents", 1, "--keep", "voted")
    for model, kind in (("m", "regions"), ("m", "margins"), ("v", "votes")):
        well("evaluate", tmp_path / model, path, "--plot", picture, "--picture", kind)
        assert_legible(drawn[-1])
    done = run("evaluate", tmp_path / "v", path, "--plot", picture, "--picture", "regions")
    assert done.code == 3 and "v: regions of a vote and of a kernel are drawn of columns of numbers" in done.err


@pytest.mark.parametrize("words", [(), ("--at", "0.3"), ("--keep", "voted")])
def test_costs_are_those_of_the_thresholds(tmp_path: Path, drawn: list[Any], words: tuple[str, ...]) -> None:
    path, x, y = data(tmp_path)
    well("train", path, "-o", tmp_path / "m", "--epochs", 3, *words)
    asked = ("threshold", tmp_path / "m", path, "--cost", "ham=3,spam=1", "-o", tmp_path / "n")
    done = well(*asked, "--plot", tmp_path / "p.png", "--json")
    assert done.json["pictures"] == [str(tmp_path / "p.png")]
    model = Model.load(tmp_path / "m")
    assert_same(drawn[0], plots.costs(model, x, y, {"ham": 3, "spam": 1}))
    chosen, _, right = Model.load(tmp_path / "n"), *drawn[0].axes
    best = [line for line in right.lines if str(line.get_label()).startswith("the cheapest")][0]
    assert best.get_xdata()[0] == pytest.approx(chosen.cut - model.cut)
    wrong = chosen.predict(x) != y
    assert best.get_ydata()[0] == pytest.approx((3 * wrong[y == "ham"].sum() + wrong[y == "spam"].sum()) / len(y))
    done = run(*asked[:3], "--at", "0.1", *asked[5:], "--plot", tmp_path / "p.png")
    assert done.code == 2 and "--plot draws what thresholds cost; say by --cost what mistakes do" in done.err


# --- bound and trace ---


def test_the_proof_of_convergence(tmp_path: Path, drawn: list[Any]) -> None:
    path = write(tmp_path / "and.csv", "a,b,c\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n")
    well("bound", path, "--order", "given", "--plot", tmp_path / "p.png", "--picture", "convergence")
    ledger = Ledger()
    Perceptron(shuffle=False).fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"], callback=ledger)
    assert_same(drawn[0], plots.convergence(ledger))
    done = run(
        "bound", path, "--plot", tmp_path / "q.png", "--picture", "convergence", "--rule", "logistic", "--epochs", 2
    )
    assert done.code == 3 and "the proof is not about this run: the rule is logistic" in done.err
    assert not (tmp_path / "q.png").exists()


@pytest.mark.parametrize("words", [(), ("--keep", "averaged", "--seed", "4")])
def test_orders_are_those_of_the_seeds(
    tmp_path: Path, drawn: list[Any], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr("rosenblatt.cli.again.ORDERS", 3)
    path, x, y = data(tmp_path)
    picture = ("--plot", tmp_path / "p.png", "--picture", "orders")
    well("trace", path, "--epochs", 4, *picture, *words)
    if not words:
        assert_same(drawn[0], plots.orders(Perceptron(max_iter=4), _named(x), y, orders=3))
    seeds = range(4, 7) if words else range(3)
    all_learned = []
    for seed in seeds:
        well("train", path, "-o", tmp_path / "m", "--epochs", 4, *words[:2], "--seed", seed)
        all_learned.append(Model.load(tmp_path / "m"))
    left, right = drawn[0].axes
    assert [list(line.get_ydata()) for line in left.lines if len(line.get_xdata()) > 1] == [
        each.run.history["mistakes"] for each in all_learned
    ]
    for line in right.lines:
        ends = np.column_stack(line.get_data())
        assert min(np.abs(ends @ each.weights[0][0] + each.weights[1]).max() for each in all_learned) < 1e-6
    # all on the same rows, in the same features
    well("trace", path, "--epochs", 2, *picture, "--scale", "standard", "--validation", "0.3")
    assert any(" of 14 rows wrong in the end" in text for text in texts(drawn[1]))
    assert drawn[1].axes[1].get_xlabel() == "c0 (scaled)"


def _named(x: Any) -> Any:
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(x, columns=[f"c{j}" for j in range(x.shape[1])])


@pytest.mark.parametrize("classes", [2, 3])
def test_rates_are_those_that_are_named(tmp_path: Path, drawn: list[Any], classes: int) -> None:
    path, x, y = data(tmp_path, classes)
    words = ("trace", path, "--rule", "logistic", "--epochs", 3, "--plot", tmp_path / "p.png")
    well(*words, "--rates", "0.05,2")
    assert_same(drawn[0], plots.rates(LogisticUnit(max_iter=3), _named(x), y, (0.05, 2.0)))
    well(*words, "--picture", "rates")
    tops = [axes.get_title(loc="left") for axes in drawn[1].axes[:3]]
    assert tops == ["η = 0.01", "η = 0.1", "η = 1"]
    assert drawn[1].axes[3].get_ylabel() == ("weights" if classes == 2 else "weights of class ham")


# --- what cannot be drawn ---


@pytest.mark.parametrize(("words", "message"), [
    (("--picture", "orders", "--order", "given"), "--order given: --picture orders shuffles the rows, by the seeds"),
    (("--picture", "orders", "--keep", "voted"), "each order must end in one line: two classes, and a learner with w"),
    (("--picture", "orders", "--kernel", "rbf"), "each order must end in one line"),
    (("--picture", "rates", "--continue", "m"), "--picture rates learns anew each time, and --continue goes on"),
    (("--picture", "rates", "--kernel", "rbf"), "drawn by weights of columns, and --kernel rbf has weights of rows"),
    (("--picture", "rates", "--l1", "0.1"), "weights on the way, which are not kept with --l1"),
    (("--picture", "rates", "--eta", "0.5"), "--eta 0.5: --picture rates has its own; name them by --rates"),
    (("--picture", "rates", "--metric", "arow"), "--metric arow brings its own step, so there is no --eta"),
    (("--picture", "rates", "--optimizer", "pick-first"), "by epochs, and --optimizer pick-first has none"),
    (("--rates", "0.1,0"), "--eta 0.0 must be a number > 0"), (("--rates", "a"), "'a' is not numbers with commas"),
    (("--rates", ",".join("1234567")), "rates must be 1 to 6 learning rates, found 7"),
    (("--rates", "1", "--picture", "loss"), "--rates draws runs of these rates, --picture loss does not"),
])  # fmt: skip
def test_what_trace_refuses_before_anything_is_read(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    done = run("trace", tmp_path / "missing.csv", "--plot", tmp_path / "p.png", *words)
    assert (done.code, done.out) == (2, "") and message in done.err and not list(tmp_path.iterdir())


def test_three_classes_have_no_orders_and_nothing_is_learned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, *_ = data(tmp_path, 3)
    done = run("trace", path, "--plot", tmp_path / "p.png", "--picture", "orders", "--max-time", 60, "--epochs", "none")
    assert done.code == 3 and "two classes, and a learner with w that does not vote; there are 3 classes" in done.err
    assert [each.name for each in tmp_path.iterdir()] == ["d.csv"]


def test_a_run_that_is_only_recorded_has_neither(tmp_path: Path) -> None:
    path, record, picture = write(tmp_path / "d.csv", TABLE), tmp_path / "run.jsonl", tmp_path / "p.png"
    well("trace", path, "-o", record, "--epochs", 2)
    for words in (("--picture", "orders"), ("--picture", "rates"), ("--rates", "1")):
        assert run("replay", record, "--plot", picture, *words).code == 2
    well("replay", record, "--plot", picture, "--picture", "loss")


def test_what_evaluate_refuses_before_the_rows_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, picture = data(tmp_path, 3)[0], tmp_path / "p.png"
    made = {"k": ("--kernel", "rbf"), "c": ("--calibrate", "sigmoid"), "v": ("--keep", "voted")}
    for name, words in made.items():
        well("train", path, "-o", tmp_path / name, "--epochs", 2, *words)

    def refused(name: str, kind: str) -> str:
        done = run("evaluate", tmp_path / name, tmp_path / "missing", "--plot", picture, "--picture", kind)
        assert (done.code, done.out) == (3, "") and not picture.exists()
        return done.err

    for name in made:
        assert f"{name}: margins are of learners that answer by w·x + b" in refused(name, "margins")
        assert f"{name}: votes are drawn of a fitted learner with keep voted" in refused(name, "votes")
    well("train", data(tmp_path)[0], "-o", tmp_path / "v", "--keep", "voted", "--epochs", 2)
    monkeypatch.setattr(models, "MOST_NUMBERS", 3)
    assert "weight vectors of 2 columns are too many to draw" in refused("v", "votes")
    monkeypatch.setattr(models, "WIDEST", 1)
    assert "the model has 2 columns, and no w for them; 1 can be drawn" in refused("v", "regions")
    for command in (("evaluate", tmp_path / "v", path), ("bound", path)):
        done = run(*command, "--picture", "margins" if command[0] == "evaluate" else "lines")
        assert done.code == 2 and "--picture is about --plot, which is not there" in done.err
