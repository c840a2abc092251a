"""Products of columns: dense and sparse alike, named, stored, and what cannot fit is refused with its numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import PolynomialFeatures

import naive
from command import run
from rosenblatt.core.rows import Csr, csr, dense, matrix
from rosenblatt.data.batch import AtHand, Batch
from rosenblatt.errors import DataError, SettingError
from rosenblatt.features import parameters, quadratic
from rosenblatt.features.pipeline import Features, Options
from rosenblatt.features.quadratic import Quadratic, expand_rows
from rosenblatt.model.model import Model

Array = np.ndarray[Any, Any]


def sparse(array: Array) -> Csr:
    rows, columns = np.nonzero(array)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(array)))])
    return csr(array[rows, columns], columns, indptr, array.shape[1])


numbers = st.integers(1, 5).flatmap(
    lambda d: st.lists(
        st.lists(st.one_of(st.just(0.0), st.floats(-1e3, 1e3)), min_size=d, max_size=d), min_size=1, max_size=6
    ).map(np.array)
)


@given(numbers, st.sampled_from(parameters.PRODUCTS.choices), st.sampled_from([0, 1 << 30]))
def test_dense_and_sparse_against_the_definition(x: Array, which: str, much: int) -> None:
    """Exactly the same numbers, also as machine code; the columns of a sparse row ascend."""
    expected, factors = naive.products(x, which)
    step = Quadratic(x.shape[1], which)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rosenblatt.core.dispatch.SMALL_WORK", much)
        patch.setattr(expand_rows, "_compiled", None if much else expand_rows._compiled)
        made, rows = step.transform(dense(x)), step.transform(sparse(x))
    np.testing.assert_array_equal(made.values, expected)  # type: ignore[union-attr]
    np.testing.assert_array_equal(matrix(rows).toarray(), expected)
    assert isinstance(rows, Csr) and step.width == len(factors)
    for start, end in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        assert (np.diff(rows.indices[start:end].astype(np.int64)) > 0).all()
    own = [(j,) for j in range(x.shape[1])]
    assert [step.factors(j) or own[j] for j in range(step.width)] == [f if f[1:] else own[f[0]] for f in factors]


@pytest.mark.parametrize(("which", "words"), [("all", {}), ("pairs", {"interaction_only": True})])
def test_the_columns_are_those_of_scikit_learn(which: str, words: dict[str, bool]) -> None:
    x = np.random.default_rng(0).normal(size=(7, 4))
    theirs = PolynomialFeatures(2, include_bias=False, **words).fit(x)
    ours = Quadratic(4, which)
    np.testing.assert_array_equal(ours.transform(dense(x)).values, theirs.transform(x))  # type: ignore[union-attr]
    names = [name.replace(" ", "*") for name in theirs.get_feature_names_out()]
    assert [ours.name(j, "x{}".format) for j in range(ours.width)] == names


@pytest.mark.parametrize("make", [dense, sparse])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_dtype_stays_and_columns_may_come_in_any_order(make: Callable[[Array], Any], dtype: type) -> None:
    x = np.array([[1.5, 0.0, 2.5], [0.0, 3.0, 0.0], [0.0, 0.0, 0.0]], dtype)
    rows = Quadratic(3).transform(make(x))
    assert (rows.data if isinstance(rows, Csr) else rows.values).dtype == dtype  # type: ignore[union-attr]
    turned = csr(np.array([2.0, 3.0]), np.array([2, 0]), np.array([0, 2]), 3)
    assert matrix(Quadratic(3).transform(turned)).toarray().tolist() == [[3, 0, 2, 9, 0, 6, 0, 0, 4]]


def test_no_rows_and_no_columns() -> None:
    assert Quadratic(3).transform(dense(np.zeros((0, 3)))).values.shape == (0, 9)  # type: ignore[union-attr]
    assert matrix(Quadratic(3).transform(sparse(np.zeros((0, 3))))).shape == (0, 9)
    assert Quadratic(0).width == 0
    assert matrix(Quadratic(0).transform(sparse(np.zeros((2, 0))))).shape == (2, 0)


def test_too_many_columns_are_refused_with_their_number() -> None:
    assert Quadratic(1000).width == 1000 * 1003 // 2
    with pytest.raises(DataError, match=r"degree=2 of 50,000 columns makes 1,250,075,000, and at most 134,217,728"):
        Quadratic(50_000)
    assert Quadratic(50_000, "squares").width == 100_000


@pytest.mark.parametrize("make", [dense, sparse])
def test_what_does_not_fit_into_memory_is_refused_with_its_numbers(
    make: Callable[[Array], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quadratic, "machine_memory", lambda: 1000)
    with pytest.raises(DataError, match=r"degree=2 makes 650 values of 10 rows and 65 columns, .* the machine has"):
        Quadratic(10).transform(make(np.ones((10, 10))))
    with pytest.raises(DataError, match=r"degree=2 makes 550 values"):
        Quadratic(10, "pairs").transform(make(np.ones((10, 10))))


def test_unknown_settings() -> None:
    with pytest.raises(SettingError, match="products=cubes is unknown; it must be one of all, squares, pairs"):
        Quadratic(2, "cubes")
    for degree in (0, 3):
        with pytest.raises(SettingError, match=f"degree={degree} is out of range; it must be 1 or 2"):
            Features.fit(AtHand(Batch(dense(np.ones((1, 1))), None)), Options(degree=degree))
    with pytest.raises(SettingError, match="degree=2 is for numbers, and the data are texts"):
        Features.fit(AtHand(Batch([[("", "a")]], None)), Options(degree=2))


@pytest.mark.parametrize("make", [dense, sparse])
@pytest.mark.parametrize("which", parameters.PRODUCTS.choices)
def test_stored_and_restored_after_scaling(make: Callable[[Array], Any], which: str) -> None:
    """Scaled first, then multiplied; too narrow sparse rows are widened to the columns that were given."""
    x = np.random.default_rng(0).normal(5.0, 3.0, (20, 3))
    options = Options(scale="standard", degree=2, products=which)
    features, rows, _, _ = Features.fit(AtHand(Batch(make(x), None)), options)
    scaled = features.steps[0].transform(make(x))
    wanted, _ = naive.products(scaled.toarray(), which)
    np.testing.assert_array_equal(rows.toarray(), wanted)
    restored = Features.restore(json.loads(json.dumps(features.recipe())), features.tensors())
    assert (restored.columns, restored.width) == (3, wanted.shape[1])
    np.testing.assert_array_equal(restored.transform(Batch(make(x), None)).toarray(), wanted)
    if make is sparse:
        assert matrix(restored.transform(Batch(sparse(x[:, :2]), None))).shape == wanted.shape
    else:
        with pytest.raises(DataError, match="found 2 columns; the model was trained on 3"):
            restored.transform(Batch(dense(x[:, :2]), None))


XOR = "x1,x2,label\n0,0,same\n0,1,other\n1,0,other\n1,1,same\n"
XOR_SVM = "0 3:0\n1 7:1\n1 3:1\n0 3:1 7:1\n"


@pytest.mark.parametrize(
    ("name", "text", "product"), [("xor.csv", XOR, "x1*x2"), ("xor.svm", XOR_SVM, "x3*x7")], ids=["dense", "sparse"]
)
def test_xor_is_learned_and_explained_by_name(tmp_path: Path, name: str, text: str, product: str) -> None:
    """000 and spec.md: nonlinear features x₁², x₁x₂; with them XOR has a separating plane, and the perceptron stops."""
    data, model = tmp_path / name, tmp_path / "m"
    data.write_text(text)
    told = json.loads(run("train", data, "-o", model, "--degree", "2", "--json").out)
    assert told["converged"] is True
    assert run("evaluate", model, data).out.startswith("4 rows, 0 wrong")
    strongest = json.loads(run("inspect", model, "--json").out)["strongest"]
    assert product in [each["feature"] for features in strongest.values() for each in features]
    assert f" {product} " in run("explain", model, data, "--row", "4").out
    assert "products of the columns added" in run("inspect", model).out
    assert Model.load(model).features.quadratic is not None
    without = json.loads(run("train", data, "-o", model, "--epochs", "50", "--json").out)
    assert without["converged"] is False


def test_messages_name_the_product_and_the_file(tmp_path: Path) -> None:
    data = tmp_path / "big.svm"
    data.write_text("0 3:1e200 7:1e200\n1 3:1\n")
    done = run("train", data, "-o", tmp_path / "m", "--degree", "2")
    assert done.code == 3 and "big.svm: row 1, feature 'x3^2': found inf" in done.err
    data.write_text("0 300000:1\n1 3:1\n")
    done = run("train", data, "-o", tmp_path / "m", "--degree", "2")
    assert done.code == 3 and "big.svm: --degree 2 of 300,000 columns makes 45,000,450,000" in done.err
    done = run("train", data, "-o", tmp_path / "m", "--products", "pairs")
    assert done.code == 2 and "--products has an effect only with --degree 2" in done.err
    data = tmp_path / "t.txt"
    data.write_text("spam\tfree prize\nham\tsee you\n")
    done = run("train", data, "-o", tmp_path / "m", "--degree", "2")
    assert done.code == 2 and "--degree 2 is for numbers, and the data are texts" in done.err


def test_predicting_a_line_reads_the_width_that_was_given(tmp_path: Path) -> None:
    """peers.md, Files: the width comes from the model; with products it is that of the file's columns."""
    data, one, model = tmp_path / "xor.svm", tmp_path / "one.svm", tmp_path / "m"
    data.write_text(XOR_SVM)
    run("train", data, "-o", model, "--degree", "2")
    one.write_text("3:1\n")
    assert run("predict", model, one).out == "1\n"
    one.write_text("8:1\n")
    assert "columns beyond 7" in run("predict", model, one, "--wider", "skip").err
    assert "found index 8; expected indices up to 7" in run("predict", model, one).err
