"""What pictures and pages of a run show: of rows that are read again, of ties, of more than can be shown whole."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from selectolax.lexbor import LexborHTMLParser

from command import TABLE, run, well, write
from pictured import assert_legible, texts, watched
from rosenblatt import LinearClassifier, Perceptron, plots
from rosenblatt.errors import DataError, ModelError
from rosenblatt.report.page import bound, frames, page_of
from rosenblatt.trace import Record, Trace, lines, read, save, with_rows

THREE = "x,y,kind\n0,3,a\n1,4,a\n3,-1,b\n4,0,b\n-3,-2,c\n-4,-1,c\n"
CLOSE = np.array([[0.0], [1.0], [2.0], [2.5]]), np.array(["a", "a", "a", "b"])


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops in plain Python."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    monkeypatch.setattr("warnings.warn", lambda *_, **__: None)


@pytest.fixture
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """(a run whose rows were too many to be in its file, where they lie)."""
    monkeypatch.setattr(lines, "EMBEDDED", 0)
    data = write(tmp_path / "d.csv", TABLE)
    well("trace", data, "-o", tmp_path / "run.jsonl", "--order", "given", "--errors")
    return tmp_path / "run.jsonl", data


def recorded(learner: Any, X: Any, y: Any, weights: int = 1 << 20) -> Record:
    trace = Trace(weights)
    learner.fit(X, y, callback=trace)
    return trace.record


def seen(page: str, css: str) -> str:
    return " ".join(each.text(separator=" ", strip=True) for each in LexborHTMLParser(page).css(css))


def data_of(page: str) -> dict[str, Any]:
    return json.loads(LexborHTMLParser(page).css_first("#data").text())


# --- rows that are read again ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [("--plot", "p.png"), ("--film", "f.gif"), ("--html", "h.html")])
def test_rows_that_are_not_in_the_file_are_read_for_what_is_shown(
    away: tuple[Path, Path], words: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path, data = away
    assert read(path).chunk is None
    shown, some = [], [] if words[0] == "--html" else ["--strip", 2]
    for given in ([], ["moved.csv"]):
        if given:
            data.rename("moved.csv")
        well("replay", path, *given, *words, *some)
        made = Path(words[1]).read_bytes()
        shown.append(data_of(made.decode())["frames"] if words[0] == "--html" else made)
    assert shown[0] == shown[1] and (words[0] != "--html" or all(shown[0]["lines"]))
    done = run("replay", path, write(tmp_path / "other.csv", THREE), *words)
    assert done.code == 3 and "the rows are not those that the run learned from" in done.err


def test_where_rows_are_gone_pictures_say_so_and_pages_do_without(away: tuple[Path, Path], tmp_path: Path) -> None:
    path, data = away
    data.unlink()
    for words in (["--plot", tmp_path / "p.png"], ["--film", tmp_path / "f.gif", "--html", tmp_path / "h.html"]):
        done = run("replay", path, *words)
        assert done.code == 3 and "6 rows are too many to be in the trace" in done.err and not words[1].exists()
    for kind in ("errors", "loss"):  # of what is in the file
        well("replay", path, "--plot", tmp_path / "p.png", "--picture", kind)
    well("replay", path, "--html", tmp_path / "h.html")
    page = (tmp_path / "h.html").read_text()
    assert data_of(page)["plane"] is None
    assert "There is no picture: 6 rows are too many to be in the trace" in seen(page, "#notes")
    assert seen(page, "#limit") == "How many mistakes are possible is not known: the rows are not at hand."
    assert "weights" not in seen(page, "#notes")


def test_data_are_refused_where_nothing_reads_them(away: tuple[Path, Path], tmp_path: Path) -> None:
    path, data = away
    done = run("replay", path, data)
    assert done.code == 2 and "data are read for --verify, --ledger and pictures alone; leave it out" in done.err
    page = data.rename(tmp_path / "d.html")
    done = run("replay", path, page, "--html", page)
    assert done.code == 5 and "it is one of the files to read" in done.err and page.read_text() == TABLE


def test_with_rows_gives_a_record_its_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = np.array([[0.0, 1.0], [2.0, 0.0], [3.0, 3.0]]), np.array(["a", "b", "b"])
    whole = recorded(Perceptron(), X, y)
    monkeypatch.setattr(lines, "EMBEDDED", 0)
    save(whole, tmp_path / "run.jsonl")
    record = read(tmp_path / "run.jsonl")
    with pytest.raises(DataError, match="with_rows"):
        plots.update(record, 1)
    again = with_rows(record, (X, y))
    assert again.chunk is not None and whole.chunk is not None and record.chunk is None
    np.testing.assert_array_equal(again.chunk.rows.matrix(), whole.chunk.rows.matrix())
    assert texts(plots.update(again, 1)) == texts(plots.update(whole, 1))
    assert with_rows(whole) is whole
    for bad, error in (((X + 1.0, y), DataError), (X, ModelError), (None, DataError)):
        with pytest.raises(error):
            with_rows(record, bad)


# --- what cannot be drawn --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", [("--plot", "p.png"), ("--film", "p.gif"), ("--plot", "p.png", "--picture", "errors")]
)
@pytest.mark.parametrize("learner", [("--rule", "logistic", "--l1", "0.1"), ("--kernel", "rbf")])
def test_a_run_that_keeps_no_weights_is_refused_before_learning(
    tmp_path: Path, words: tuple[str, ...], learner: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("trace", "there is no such file", "-o", "run.jsonl", *learner, *words)
    assert done.code == 2 and f"{' '.join(learner[-2:])}: a run with" in done.err
    data = write(tmp_path / "d.csv", TABLE)
    well("trace", data, "-o", "run.jsonl", *learner, "--epochs", 2, "--html", "h.html")  # a page does without
    done = run("replay", "run.jsonl", *words)
    assert done.code == 2 and f"{' '.join(learner[-2:])}: a run with" in done.err
    well("train", data, "-o", "m", *learner, "--epochs", 1)
    done = run("trace", data, "--continue", "m", *words)
    assert done.code == 2 and f"{' '.join(learner[-2:])}: a run with" in done.err
    page = Path("h.html").read_text()
    assert seen(page, "#legend li:not([hidden])") == "● square ■ tall ◯ row of this update"
    assert "l1=" not in seen(page, "#limit") and "no line" in seen(page, "#notes")


def test_a_picture_that_fails_leaves_the_run(tmp_path: Path) -> None:
    data, path = write(tmp_path / "d.csv", TABLE), tmp_path / "run.jsonl"
    done = run("trace", data, "-o", path, "--plot", tmp_path / "p.png", "--update", 99)
    assert done.code == 3 and f"{path} is written, and then: there is no update 99" in done.err
    assert len(read(path)) and not (tmp_path / "p.png").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--strip", "13"], "--strip: the number of updates must be from 1 to 12, found 13"),
        (["--strip", "3", "--picture", "loss"], "--picture loss does not"),
        (["--strip", "3", "--update", "2"], "--update 2 does not"),
        (["--strip", "3", "--rates", "1,2"], "--rates does not"),
    ],
)
def test_options_are_named_that_do_not_go_together(tmp_path: Path, words: list[str], said: str) -> None:
    done = run("trace", write(tmp_path / "d.csv", TABLE), "--plot", tmp_path / "p.png", *words)
    assert done.code == 2 and said in done.err


# --- ties, and what is wrong -----------------------------------------------------------------------------------------


def test_rows_that_two_classes_tie_for_are_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the first update the weights of b and c are equal: the rows of both are mistakes, as --errors has it."""
    drawn = watched(monkeypatch)
    data = write(tmp_path / "d.csv", THREE)
    done = well("trace", data, "-o", tmp_path / "r.jsonl", "--plot", tmp_path / "p.png", "--update", 1,
                "--order", "given", "--errors")  # fmt: skip
    assert done.code == 0
    record = read(tmp_path / "r.jsonl")
    w, b = record.weights(1)  # type: ignore[misc]
    assert (w[1] == w[2]).all() and b[1] == b[2] and record.error(1) == pytest.approx(4 / 6)
    rings = next(each for each in drawn[0].axes[0].collections if each.get_label() == "wrong after it")
    assert len(rings.get_offsets()) == 4


def test_rows_on_the_border_of_classes_have_a_ring_in_regions() -> None:
    X = np.array([[0.0, 1.0], [0.0, 2.0], [1.0, 0.0], [-1.0, -1.0]])

    class Given:
        classes_ = np.array(["a", "b", "c"])
        coef_ = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, -1.0]])
        intercept_ = np.zeros(3)

        def decision_function(self, X: Any) -> Any:
            return np.asarray(X) @ self.coef_.T

        def predict(self, X: Any) -> Any:
            return self.classes_[self.decision_function(X).argmax(axis=1)]

    title = plots.regions(Given(), X, np.array(["a", "b", "a", "c"])).axes[0].get_title(loc="left")
    assert "1 of 4 rows wrong,\n2 more on the border (training errors, too)" in title


def test_weights_of_0_answer_nothing_anywhere() -> None:
    """Updates 2 and 4 of equal rows take back what the ones before added: w = 0 and b = 0."""
    record = recorded(Perceptron(shuffle=False, max_iter=2), np.zeros((2, 2)), np.array(["a", "b"]))
    white = [plots.update(record, k).axes[0].get_facecolor() == (1.0, 1.0, 1.0, 1.0) for k in (1, 2)]
    assert [bool(record.weights(k)[1].any()) for k in (1, 2)] == [True, False]  # type: ignore[index]
    assert white == [False, True]


# --- words of pictures -----------------------------------------------------------------------------------------------


def test_strips_of_many_columns_say_what_is_before_and_behind() -> None:
    random = np.random.default_rng(3)
    X, y = random.normal(size=(20, 4)), np.array(["n", "p"] * 10)
    record = recorded(Perceptron(max_iter=3), X, y)
    said = "4 columns in two directions: rows lie before and behind the plane"
    assert said in " ".join(texts(plots.strip(record, 2))).replace("\n", " ")
    assert said not in " ".join(texts(plots.update(record, 2))).replace("\n", " ")  # each row by both its scores


def test_titles_and_names_of_strips_are_whole() -> None:
    random = np.random.default_rng(4)
    X, y = random.normal(size=(30, 2)) + 1.0, np.array([f"{'long' * 5} {k}" for k in range(5)] * 6)
    record = recorded(Perceptron(max_iter=2), X, y)
    names = ["a very long name of a column that goes on and on", "another long name of a column that ends here"]
    figure = plots.strip(replace(record, names=names), 4)
    assert_legible(figure)
    for k, axes in enumerate(figure.axes[:4], 1):
        told = axes.get_title(loc="left").replace("\n", " ")
        assert told.startswith(f"update {k}, row") and re.search(r"(right|wrong|now|undershoot\))$", told), told
    assert figure.axes[0].get_xlabel().replace("\n", " ") == names[0] and "\n" in figure.axes[0].get_xlabel()
    one = plots.strip(recorded(Perceptron(), *CLOSE), 2)
    assert one.axes[0].get_ylabel() == ""


# --- pages -----------------------------------------------------------------------------------------------------------


def test_a_page_shows_the_first_updates_all_and_says_where_some_lie_between(monkeypatch: pytest.MonkeyPatch) -> None:
    record = recorded(Perceptron(shuffle=False, max_iter=None), *CLOSE)
    last = len(record)
    monkeypatch.setattr(frames, "MOST", 4)
    monkeypatch.setattr(frames, "FIRST", 3)
    every = next(2**i for i in range(9) if last <= 4 * 2**i)
    assert last > 9 and every > 3
    wanted = [0, 1, 2, 3, *range(every, last, every), last]
    assert frames.shown(record) == wanted
    page = page_of(record)
    assert f"the first 3, then one in {every} and the last" in seen(page, "#notes")
    script = seen(page, "script:last-of-type")
    assert "since update" in script and {"since", "before"} <= set(re.findall(r'byId\("(\w+)"\)', script))
    assert all(data_of(page)["frames"]["lines"])
    thin = recorded(Perceptron(shuffle=False, max_iter=None), *CLOSE, weights=2 * 4)  # the first ones from their steps
    assert thin.weights(1) is None
    for ours, theirs in zip(
        data_of(page_of(thin))["frames"]["lines"][:4], data_of(page)["frames"]["lines"], strict=False
    ):
        np.testing.assert_allclose(np.array(ours), np.array(theirs))
    unknown = replace(thin, settings=replace(thin.settings, alpha=0.1))  # what L2 does is not in the steps
    assert 1 not in frames.shown(unknown)


def test_a_page_of_one_column_has_room_for_the_border() -> None:
    X, y = np.array([[1.0], [2.0], [3.0]]), np.array(["a", "a", "b"])
    record = recorded(Perceptron(shuffle=False, max_iter=None), X + 1.0, y)
    page = data_of(page_of(record))
    borders = [-c / a for ((a, _, c),) in filter(None, page["frames"]["lines"]) if a]
    near = [each for each in borders if abs(each - 3.0) < 2.5 * 2.0]
    assert near and min(near) < 2.0 and page["x_range"][0] < min(near) and page["x_range"][1] > max(near)


def test_a_page_speaks_as_the_shell_does(tmp_path: Path) -> None:
    data, page = write(tmp_path / "d.csv", TABLE.replace("1,2,tall", "1,0,tall")), tmp_path / "h.html"
    words = ("--epochs", 3, "--order", "given")
    well("trace", data, "-o", tmp_path / "r.jsonl", *words, "--html", page, "--weights", 0)
    for _ in range(2):
        told = page.read_text()
        assert "epoch limit (--epochs 3)" in seen(told, "header")
        notes = seen(told, "#notes")
        number = int(re.search(r"recorded with --weights (\d+) they are", notes).group(1))  # type: ignore[union-attr]
        assert seen(told, "#legend li:not([hidden])") == "● square ■ tall ◯ row of this update"
        well("replay", tmp_path / "r.jsonl", "--html", page)
    well("trace", data, *words, "--html", page, "--weights", number)
    assert all(data_of(page.read_text())["frames"]["lines"][1:])
    python = page_of(read(tmp_path / "r.jsonl"))
    assert "epoch limit (max_iter=3)" in seen(python, "header") and f"weights={number}" in seen(python, "#notes")


@pytest.mark.parametrize(
    ("limit", "told"), [(1139.6, "1,139.6"), (3.99996, "3.99996"), (754.0, "754"), (187.94, "187.9")]
)
def test_a_limit_has_the_digits_that_show_its_whole_part(limit: float, told: str) -> None:
    assert bound._told(limit, int(limit)) == told


def test_columns_that_are_not_scaled_alike_have_no_arrows_in_the_legend() -> None:
    X = np.array([[0.0, 0.0], [1.0, 500.0], [2.0, 100.0], [1.0, 900.0]])
    page = page_of(recorded(LinearClassifier(max_iter=3), X, np.array(["a", "b", "a", "b"])))
    legend = LexborHTMLParser(page).css_first("#legend")
    assert "what was added" not in seen(page, "#legend li:not([hidden])")
    assert all(legend.css_first(f"#{name}") is not None for name in ("scale", "since", "before", "nowhere"))
