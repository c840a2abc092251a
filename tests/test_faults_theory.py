"""faults.md, lines of theory, doctor and learning: each test is named after its line."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from command import run, well, write
from rosenblatt import BatchPerceptron, LinearClassifier
from rosenblatt.doctor import Plan, diagnose
from rosenblatt.errors import DataError
from rosenblatt.theory import max_margin, minimum_error, separable

ORIGIN = "through the origin"
LINE = np.array([*np.arange(1, 11) / 10, *range(2, 8)])[:, None]
SIDES = np.repeat([-1, 1], [10, 6])


@pytest.fixture
def line(tmp_path: Path) -> str:
    """One column: −1 at .1 … 1, +1 at 2 … 7: with an offset separable, through the origin not."""
    path = tmp_path / "line.csv"
    path.write_text("x,y\n" + "".join(f"{x:g},{y}\n" for x, y in zip(LINE[:, 0], SIDES, strict=True)))
    return str(path)


# --- A9: every verdict is read with every restriction -----------------------------------------------------------------


def test_a9_through_the_origin_an_offset_is_tried_first() -> None:
    found = diagnose(LINE, SIDES, Plan({"fit_intercept": False}, epochs=20))
    text = " ".join(str(found).split())
    assert found.trials[1].words == {"fit_intercept": True} and found.trials[1].converged
    assert f"allow no hyperplane {ORIGIN} without an error, but --intercept converged" in found.advice[0]
    assert f"Is there a hyperplane {ORIGIN} without an error?" in text
    assert "no linear learner without an offset can get to zero errors" in text
    assert "`rosenblatt optimum --no-intercept`" in text
    fewest = minimum_error(LINE, SIDES, fit_intercept=False).errors
    assert f"the best hyperplane {ORIGIN} in these columns has {fewest} wrong, which is proven" in text
    assert f"The best of those tried has {fewest}," in text, "centring is an offset"
    assert all("fit_intercept" not in trial.words for trial in diagnose(LINE, SIDES, Plan(epochs=20)).trials)


def test_a9_rows_of_equal_length_are_other_rows() -> None:
    """Points of two directions in some lengths: with an offset, rows of length 1 have other hyperplanes."""
    X = np.array([[1.0, 1], [2, 2], [3, 3], [4, 4], [-1, 1], [-2, 2]] * 2)
    found = diagnose(X, [0, 1, 0, 1, 0, 1] * 2, Plan(epochs=5))
    least = [
        trial for trial in found.trials if "unit" not in trial.words.get("scale", "") and "degree" not in trial.words
    ]
    fewest = min(trial.training_errors for trial in least if trial.training_errors is not None)
    assert f"The best of those tried has {fewest}," in " ".join(found.advice)


def test_a9_a_constant_column_is_an_offset_through_the_origin() -> None:
    X = np.c_[LINE, np.ones(16)]
    text = " ".join(str(diagnose(X, SIDES, Plan({"fit_intercept": False}, epochs=20))).split())
    assert "Without an offset, they are one." in text and "can be left out" not in text


@pytest.mark.parametrize("command", ["doctor --max-time 5 --epochs 20", "optimum", "separable", "bound --epochs 5"])
def test_a9_each_command_says_which_hyperplanes(line: str, command: str) -> None:
    text = " ".join(run(*command.split(), line, "--no-intercept").out.split())
    said = "no threshold at 0 makes fewer" if command == "optimum" else f"hyperplane {ORIGIN}"
    said = f"the rows are not separable {ORIGIN}" if command.startswith("bound") else said
    assert said in text
    for verdict in ("no hyperplane ", "not separable ", "no threshold "):
        for after in text.split(verdict)[1:]:
            assert after.startswith((ORIGIN, "at 0", "with an offset", "(proof")), (verdict, after[:60])


def test_a9_train_says_which_hyperplane_there_is_not(line: str, tmp_path: Path) -> None:
    words = ["train", line, "--no-intercept", "--stop-if-not-separable", "-o", str(tmp_path / "m")]
    text = run(*words).out
    assert f"no hyperplane {ORIGIN} is right on every row" in text and "separable DATA --no-intercept --save" in text


# --- section 3: documents and pages that lie --------------------------------------------------------------------------


def test_section_3_four_rows_recommend_nothing_by_held_out_errors() -> None:
    found = diagnose([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], Plan(epochs=20))
    assert "* " not in str(found) and found.as_dict()["best"] is None
    assert not [advice for advice in found.advice if "held-out rows" in advice and "say little" not in advice]


def test_section_3_lines_of_bound_are_drawn_to_where_they_meet() -> None:
    from rosenblatt import Perceptron
    from rosenblatt.report.pictures.lines import figure_of_bound
    from rosenblatt.theory import Ledger

    ledger = Ledger()
    Perceptron(shuffle=False).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1], callback=ledger)
    assert ledger.limit == pytest.approx(51.0)
    figure = figure_of_bound(ledger.curves(), ledger.limit, "and")
    figure.canvas.draw()
    (along, length), (square,), (cosine,) = ([*axes.lines][1:-1] for axes in figure.axes)
    ends = [tuple(float(values[-1]) for values in line.get_data()) for line in (along, length, square, cosine)]
    assert [k for k, _ in ends] == pytest.approx([ledger.limit] * 4)
    assert (
        ends[0][1] == pytest.approx(ends[1][1])
        and ends[2][1] == pytest.approx(153.0)
        and ends[3][1] == pytest.approx(1)
    )
    labels = [label.get_text() for label in figure.axes[1].get_yticklabels() + figure.axes[1].get_xticklabels()]
    assert {"1", "10", "100"} <= set(labels) and not [label for label in labels if "10^" in label]


@pytest.mark.parametrize("number", [1, 9, 10, 99, 100, 2**62, 10**62, 10**62 - 1, 2**20_000], ids=int.bit_length)
def test_section_3_sizes_are_said_in_digits(number: int) -> None:
    from rosenblatt.report.words import digits

    assert 10 ** (digits(number) - 1) <= number < 10 ** digits(number)


# --- A4: a score of exactly 0 is one ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a4_a_vector_that_is_0_votes_no(dtype: type) -> None:
    voted = LinearClassifier(keep="voted", counting="freund-schapire", max_iter=3, fit_intercept=False, shuffle=False)
    voted.fit(np.array([[-2.0], [-3.0]], dtype), [0, 1])
    found = voted.decision_function(np.array([[-0.1], [-0.7], [0.1]], dtype)).tolist()
    assert found == pytest.approx([0.0, 0.0, -1 / 3])


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("multi_class", ["one-vs-rest", "multi-class-perceptron"])
def test_a4_votes_are_those_of_whole_weights(multi_class: str, sparse: bool) -> None:
    """Whole values and η = 1 make whole weights: their scores of x ≥ 0 have the signs, and ties, of those of 1."""
    rng = np.random.default_rng(4)
    X, y = rng.integers(-3, 4, (12, 1)).astype(float), rng.integers(0, 3, 12)
    words: dict[str, Any] = {"keep": "voted", "multi_class": multi_class, "fit_intercept": False, "max_iter": 30}
    voted = LinearClassifier(**words).fit(csr_array(X) if sparse else X, y)
    fresh = rng.uniform(0.01, 1.0, (200, 1))
    whole = voted.decision_function(np.sign(fresh))
    assert np.allclose(voted.decision_function(csr_array(fresh) if sparse else fresh), whole, atol=1e-12)


# --- F2: work by the columns in use -----------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [10**7, 2**31 - 1])
def test_f2_columns_that_are_not_in_use_cost_nothing(tmp_path: Path, width: int) -> None:
    data = write(tmp_path / "wide.svm", f"1 1:1\n-1 {width}:1\n")
    found = well("separable", data, "--save", tmp_path / "proof", "--json").json
    assert found["columns_in_use"] == [1, width] and found["features"] == len(found["verdicts"][0]["w"]) == 2
    assert found["notes"] == {"columns without a value, left out": width - 2}
    assert "separable" in well("verify", tmp_path / "proof", data).out
    assert well("margin", data, "--json").json["margins"][0]["margin"] == pytest.approx(0.5**0.5)
    assert f"column {width} > 0" in well("optimum", data).out
    assert well("optimum", data, "--columns", width, "--json").json["columns"] == [f"column {width}"]
    assert "no such column with a value" in run("optimum", data, "--columns", 2).err
    assert "Why: " not in well("bound", data, "--epochs", 3).out
    assert "Nothing needs to be done to converge" in well("doctor", data, "--epochs", 3).out


@pytest.mark.parametrize("width", [10**8, 2**31 - 1])
def test_f2_too_many_columns_are_one_sentence(tmp_path: Path, width: int) -> None:
    X = csr_array((np.ones(2), ([0, 1], [0, width - 1])), shape=(2, width))
    why = f"{width:,} columns are too many; values stand in 2 of them"
    for ask in (separable, max_margin, minimum_error):
        with pytest.raises(DataError, match=why):
            ask(X, [0, 1])
    assert f"{width:,} features" in well("summary", write(tmp_path / "wide.svm", f"1 1:1\n-1 {width}:1\n")).out


# --- A7 ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [3, 65])
@pytest.mark.parametrize("ratio", [1e6, 1e12, 1e15])
def test_a7_columns_of_very_different_size_are_complete_only_where_the_bounds_meet(ratio: float, columns: int) -> None:
    """Of up to 64 columns they always meet: at 1e12 they were .2 apart, at 1e15 a factor of 40."""
    rng = np.random.default_rng(2)
    scale = np.geomspace(1.0, ratio, columns)
    X = rng.normal(size=(40, columns)) * scale
    u = X @ (rng.normal(size=columns) / scale)
    found = max_margin(X, u > np.median(u))
    gap = max(found.gap, found.gap_with_bias or 0.0)
    assert found.complete == (gap <= 1e-6) and (gap < 2e-9 or columns > 64)
    assert found.lower_bound == found.margin <= found.upper_bound
    assert found.attained == pytest.approx(found.margin, rel=1e-9)


@pytest.mark.filterwarnings("error")
def test_a7_weights_beyond_float64_are_one_sentence() -> None:
    for labels in ([1, 1, 0], [0, 1, 0]):
        with pytest.raises(DataError, match="the rows are separable with an offset, "):
            max_margin([[5e-324], [1e-323], [-5e-324]], labels)


# --- A8 ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "tiny"), [(np.float64, 1e-200), (np.float32, 1e-30)])
@pytest.mark.parametrize("sparse", [False, True])
def test_a8_values_whose_squares_are_0_are_refused(dtype: type, tiny: float, sparse: bool) -> None:
    X = np.array([[-1.0], [1.0]], dtype) * dtype(tiny)
    with pytest.raises(DataError, match="whose square is 0 in float.*scale the features"):
        LinearClassifier(fit_intercept=False).fit(csr_array(X) if sparse else X, [0, 1])
    assert separable(X, [0, 1], fit_intercept=False).separable, "a proof needs no squares"
    assert LinearClassifier().fit(X * 0, [0, 1]).n_updates_ > 0, "rows of zeros are learned from"


def test_a8_no_columns_and_no_offset_are_errors_of_all_rows() -> None:
    assert minimum_error(np.zeros((3, 0)), [1, 1, 0], fit_intercept=False).errors == 3


# --- G1 ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["logistic", "sigmoid", "tanh"])
def test_g1_a_loss_without_a_minimum_on_separable_rows_is_said(tmp_path: Path, rule: str) -> None:
    X, y = [[1.0], [2.0], [3.0], [4.0]] * 10, [0, 0, 1, 1] * 10
    learner = {"rule": rule, "random_state": 0, "eta0": 0.5}
    found = diagnose(X, y, Plan(learner))
    assert found.converged and "this loss has no finite minimum" in found.advice[0]
    assert "no finite minimum" not in " ".join(diagnose(X, y, Plan({**learner, "alpha": 1e-3})).advice)
    data = write(tmp_path / "d.svm", "".join(f"{label} 1:{row[0]:g}\n" for row, label in zip(X, y, strict=True)))
    assert "no finite minimum" in well("train", data, "-o", tmp_path / "m", "--rule", rule, "--eta", "0.5").out


# --- A2: `converged_` is what spec.md says ----------------------------------------------------------------------------


def test_a2_converged_is_no_step_asked_for_or_a_loss_that_has_settled() -> None:
    xor: Any = ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    assert not BatchPerceptron(tol=1e-4).fit(*xor).converged_
    shrunk = LinearClassifier(alpha=0.5, eta0=1.0, shuffle=False).fit(
        [[3, 3], [-2, -3], [1, -3], [-3, -3]], [0, 1, 0, 1]
    )
    assert not shrunk.converged_ or shrunk.score([[3, 3], [-2, -3], [1, -3], [-3, -3]], [0, 1, 0, 1]) == 1.0
    rising = LinearClassifier("linear", eta0=2.0).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    assert not rising.converged_


# --- G5 ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [1, 65])
def test_g5_a_thin_gap_is_one_story(tmp_path: Path, columns: int) -> None:
    """More than 64 columns have no margin in fractions."""
    ones, names = ",1" * (columns - 1), "".join(f",x{j}" for j in range(columns))[1:]
    data = write(tmp_path / "thin.csv", f"{names},l\n1{ones},a\n1.0000000000000002{ones},b\n")
    if columns == 1:
        assert "a free offset (γ): 1.11022e-16\n" in well("margin", data).out
    else:
        assert "by 1.11e-16 at least, but float64 has too few digits" in run("margin", data).err
    page = well("bound", data, "--epochs", 3).out
    assert "separable, but float64 has too few digits for the hyperplane of the widest margin; R̄²" in page
    assert "in time" not in page and "not known to be" not in page
    assert "-0\n" not in well("separable", data).out
    text = " ".join(well("doctor", data, "--epochs", 3, "--max-time", 3).out.split())
    why = "no float64 w and b were found" if columns == 1 else "float64 has too few digits to find the widest margin"
    assert why in text and "must converge" not in text and "time given" not in text


# --- A5: what floats do -----------------------------------------------------------------------------------------------


def test_a5_a_constant_rate_rescales_exactly_where_it_is_a_power_of_two() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    one, half, tenth = (LinearClassifier(eta0=eta, shuffle=False).fit(X, y) for eta in (1.0, 0.5, 0.1))
    assert np.array_equal(half.coef_ * 2, one.coef_) and one.n_updates_ == half.n_updates_ == 18
    assert tenth.n_updates_ < 18, "as docs/learners/perceptron.md says: sums of 0.1 are rounded"


# --- A12 --------------------------------------------------------------------------------------------------------------


def test_a12_where_all_scores_are_0_the_map_shows_the_answer() -> None:
    from matplotlib.colors import to_rgb

    from rosenblatt.report.pictures.canvas import FILLS
    from rosenblatt.report.pictures.regions import Plane, figure_of_regions

    x, names = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), ["a", "b"]
    for scores in (lambda at: np.zeros(len(at)), lambda at: np.zeros((len(at), 3))):
        figure = figure_of_regions(
            Plane(x, np.array([0, 1, 1, 0]), scores, ["no", "yes", "odd"][: scores(x).ndim + 1], names), "xor"
        )
        found = np.array(to_rgb(figure.axes[0].get_facecolor()))
        assert found == pytest.approx(0.7 + 0.3 * np.array(to_rgb(FILLS[0])), abs=0.01)
    two = figure_of_regions(Plane(x, np.array([0, 1, 1, 0]), lambda at: np.zeros(len(at)), ["no", "yes"], names), "xor")
    assert "2 of 4 rows wrong,\n2 more on the border" in two.axes[0].get_title("left") + two.axes[0].get_title()
