"""Scaling of rows, and the whole representation of a model: fitted once, repeated exactly, stored and restored."""

from __future__ import annotations

import json
import math
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.core.rows import Csr, Dense, Rows, csr, dense, matrix
from rosenblatt.data.batch import Batch
from rosenblatt.errors import DataError, ModelError, SettingError
from rosenblatt.features import scaling
from rosenblatt.features.pipeline import SCALE, Features, Options
from rosenblatt.features.scaling import Idf, Standard, UnitLength
from rosenblatt.features.step import fitted_chain
from steps import moments

Array = np.ndarray[Any, Any]


def sparse(array: Array) -> Csr:
    rows, columns = np.nonzero(array)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(array)))])
    return csr(array[rows, columns], columns, indptr, array.shape[1])


def values(rows: Rows) -> Array:
    return rows.values if isinstance(rows, Dense) else matrix(rows).toarray()  # type: ignore[no-any-return]


numbers = st.lists(
    st.lists(st.one_of(st.just(0.0), st.floats(-1e3, 1e3)), min_size=3, max_size=3), min_size=1, max_size=8
).map(np.array)


@given(numbers, st.integers(1, 7), st.sampled_from([dense, sparse]))
def test_moments_batch_by_batch(array: Array, cut: int, make: Callable[[Array], Rows]) -> None:
    batches = [make(part) for part in (array[:cut], array[cut:]) if len(part)]
    mean, sd = moments(batches)
    np.testing.assert_allclose(mean, array.mean(axis=0), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(sd, array.std(axis=0), rtol=1e-6, atol=1e-11)


@pytest.mark.parametrize("make", [dense, sparse])
@pytest.mark.parametrize("factor", [1.0, 1e-200, 1e200])
def test_moments_survive_large_values_and_small_spreads(make: Callable[[Array], Rows], factor: float) -> None:
    """The sum of squares minus the square of the sum would give 0 or nonsense here."""
    x = (1e9 + np.array([[4.0], [7.0], [13.0], [16.0]])) * factor
    mean, sd = moments([make(x[:1]), make(x[1:])])
    np.testing.assert_allclose([mean[0], sd[0]], [(1e9 + 10) * factor, math.sqrt(22.5) * factor], rtol=1e-7)
    assert moments([make(np.full((7, 1), 0.1 * factor))])[1][0] == 0.0


def test_moments_of_different_units_and_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.array([[1e-300, 0.0], [1.0, 0.0], [1e300, 5.0]])
    mean, sd = moments([dense(x[:1]), dense(x[1:2]), dense(x[2:])])
    np.testing.assert_allclose(mean, [1e300 / 3, 5 / 3])
    np.testing.assert_allclose(sd, [1e300 * math.sqrt(2) / 3, 5 * math.sqrt(2) / 3])
    monkeypatch.setattr("rosenblatt.features.scaling.BLOCK", 2)
    y = np.arange(12.0).reshape(6, 2)
    np.testing.assert_allclose(moments([dense(y)])[1], y.std(axis=0))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_standard_scaling(dtype: type) -> None:
    """Dense columns: mean 0, sd 1. Mostly zeros: sd 1, zeros stay. Constant columns: 0, or 1. The dtype stays."""
    rng = np.random.default_rng(0)
    x = (rng.normal(3.0, [1.0, 50.0, 0.0, 1e-3], (40, 4)) * (rng.random((40, 4)) < 0.7)).astype(dtype)
    x[:, 2] = 5.0
    scaled = values(Standard().fitted([dense(x)]).transform(dense(x)))
    assert scaled.dtype == dtype
    np.testing.assert_allclose(scaled[:, [0, 1, 3]].mean(axis=0), 0.0, atol=1e-5)
    np.testing.assert_allclose(scaled[:, [0, 1, 3]].std(axis=0), 1.0, rtol=1e-5)
    np.testing.assert_array_equal(scaled[:, 2], 0.0)
    x[:, [0, 1]] *= rng.random((40, 2)) < 0.3
    x[:, 3] = 0.0
    thin = Standard().fitted([sparse(x)]).transform(sparse(x))
    assert isinstance(thin, Csr) and thin.data.dtype == dtype
    np.testing.assert_allclose(values(thin)[:, :2], x[:, :2] / x[:, :2].std(axis=0), rtol=1e-5)
    np.testing.assert_array_equal(values(thin) == 0.0, x == 0.0)
    np.testing.assert_array_equal(values(thin)[:, 2], 1.0)


@pytest.mark.parametrize("step", ["standard", "idf", "unit:2"])
@pytest.mark.parametrize("learned", [dense, sparse])
def test_the_storage_of_later_rows_changes_nothing(step: str, learned: Callable[[Array], Rows]) -> None:
    """A model of dense rows reads sparse ones and the other way round, also after it was saved."""
    x = np.array([[1.0, 0.0, 7.0], [3.0, 8.0, 7.0], [0.0, -2.0, 7.0], [4.0, 0.0, 7.0]])
    (fitted,), own = fitted_chain(scaling.parse(step), learned(x))
    again = scaling.restore(json.loads(json.dumps(fitted.recipe())), fitted.tensors(), 3)
    for make in (dense, sparse):
        np.testing.assert_allclose(values(fitted.transform(make(x))), values(own), rtol=1e-15)
        np.testing.assert_allclose(values(again.transform(make(x))), values(own), rtol=1e-15)


@given(numbers, st.sampled_from([dense, sparse]), st.sampled_from([1.0, 2.0]))
def test_unit_length(array: Array, make: Callable[[Array], Rows], length: float) -> None:
    scaled = values(UnitLength(length).transform(make(array)))
    norms = np.linalg.norm(scaled, axis=1)
    zero = (array == 0.0).all(axis=1)
    np.testing.assert_allclose(norms, np.where(zero, 0.0, length), rtol=1e-12)
    assert (np.sign(scaled) == np.sign(array)).all() or (np.abs(array[array != 0]) < 1e-200).any()


@pytest.mark.parametrize("make", [dense, sparse])
@pytest.mark.parametrize("factor", [1e-300, 1e300])
def test_unit_length_of_values_whose_squares_are_not_numbers(make: Callable[[Array], Rows], factor: float) -> None:
    scaled = values(UnitLength().transform(make(np.array([[3.0, 4.0], [0.0, 0.0]]) * factor)))
    np.testing.assert_allclose(scaled, [[0.6, 0.8], [0.0, 0.0]], rtol=1e-15)


@pytest.mark.parametrize("make", [dense, sparse])
def test_idf(make: Callable[[Array], Rows]) -> None:
    x = np.array([[1.0, 2.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    weights = [1.0, math.log(4 / 2) + 1, math.log(4 / 1) + 1]
    np.testing.assert_allclose(values(Idf().fitted([make(x)]).transform(make(x))), x * weights)


def test_steps_work_on_what_the_ones_before_left() -> None:
    x = np.array([[1.0, 2.0], [3.0, 8.0], [5.0, 2.0]])
    steps, scaled = fitted_chain(scaling.parse("standard+unit:2"), dense(x))
    standard = (x - x.mean(axis=0)) / x.std(axis=0)
    np.testing.assert_allclose(values(scaled), 2 * standard / np.linalg.norm(standard, axis=1, keepdims=True))
    assert [step.recipe()["kind"] for step in steps] == ["standard", "unit"]
    assert scaling.parse("none") == []


# --- the whole representation ----------------------------------------------------------------------------------------


class Given:
    """A source of given batches that counts how often it is read."""

    one_shot = True

    def __init__(self, kind: str, batches: list[Batch]) -> None:
        self.kind, self.batches, self.notes, self.readings = kind, batches, dict[str, int](), 0

    def __iter__(self) -> Iterator[Batch]:
        self.readings += 1
        return iter(self.batches)

    def recipe(self) -> dict[str, Any]:
        return {}


TEXT = Given(
    "documents",
    [
        Batch(
            [[("subject", "free"), ("", "free money now")], [("", "lunch now")]],
            np.array(["s", "h"], object),
            ["1", "2"],
        ),
        Batch([[("subject", "free"), ("", "money")]], np.array(["s"], object), ["3"]),
    ],
)
NUMBERS = Given(
    "rows",
    [Batch(dense(np.array([[1.0, 2.0], [3.0, 5.0]])), np.array([0.0, 1.0])), Batch(dense(np.ones((1, 2))), np.ones(1))],
)
SPARSE = Given(
    "rows", [Batch(sparse(np.array([[1.0, 0.0]])), np.ones(1)), Batch(sparse(np.array([[0.0, 2.0, 3.0]])), np.zeros(1))]
)
CASES = [
    (TEXT, Options()),
    (TEXT, Options(values="count", scale="none", min_documents=1, precision="float32")),
    (TEXT, Options(values="share", scale="standard")),
    (TEXT, Options(dictionary="hashed", bits=5, signed=True, scale="unit")),
    (TEXT, Options(min_documents=9)),
    (NUMBERS, Options()),
    (NUMBERS, Options(scale="standard")),
    (SPARSE, Options(scale="idf+unit:3")),
]  # fmt: skip


@pytest.mark.parametrize(("source", "options"), CASES)
def test_prediction_applies_exactly_the_steps_of_training(source: Given, options: Options) -> None:
    """Also through JSON and tensors, and pickled to another process; the data are read once."""
    before = source.readings
    features, rows, y, ids = Features.fit(source, options)
    assert source.readings == before + 1
    copied = pickle.loads(pickle.dumps(features))
    restored = Features.restore(json.loads(json.dumps(features.recipe())), features.tensors())
    assert all(tensor.dtype in (np.uint8, np.float64) for tensor in features.tensors().values())
    for each in (features, restored, copied):
        again = np.concatenate([values(each.transform(batch)) for batch in source.batches])
        np.testing.assert_array_equal(again, values(rows))
    assert y is not None and len(y) == sum(len(batch.y) for batch in source.batches if batch.y is not None)
    assert ids == (["1", "2", "3"] if source is TEXT else None)
    assert restored.names == features.names
    assert restored.width == features.width == values(rows).shape[1]


def test_words_and_tags_are_the_names() -> None:
    features, rows, _, _ = Features.fit(TEXT, Options(scale="none"))
    assert features.names == ["money", "now", "subject:free"]
    np.testing.assert_array_equal(values(rows), [[1, 1, 1], [0, 1, 0], [1, 0, 1]])
    assert Features.fit(NUMBERS)[0].names is None


def test_text_is_scaled_by_default_and_numbers_are_not() -> None:
    assert [step["kind"] for step in Features.fit(TEXT)[0].recipe()["scale"]] == ["idf", "unit"]
    assert Features.fit(NUMBERS)[0].recipe()["scale"] == []
    assert set(SCALE) == {"documents", "rows"}


def test_labels_are_none_where_a_batch_has_none() -> None:
    source = Given("documents", [Batch([[("", "a")]], None), Batch([[("", "a")]], np.array(["x"], object))])
    assert Features.fit(source)[2] is None


def test_the_width_comes_from_the_model() -> None:
    """peers.md, Files: too small a width inferred from the test file (rumale#27); a changed one (#4906)."""
    features = Features.fit(SPARSE)[0]
    narrow = features.transform(Batch(sparse(np.array([[4.0]])), None))
    assert isinstance(narrow, Csr) and narrow.shape[0] == 3
    with pytest.raises(DataError, match="found 4 columns; the model was trained on 3"):
        features.transform(Batch(sparse(np.ones((1, 4))), None))
    with pytest.raises(DataError, match="found 1 column; the model was trained on 2"):
        Features.fit(NUMBERS)[0].transform(Batch(dense(np.ones((1, 1))), None))


def test_text_is_not_numbers() -> None:
    with pytest.raises(DataError, match="found text"):
        Features.fit(NUMBERS)[0].transform(Batch([[("", "a")]], None))
    with pytest.raises(DataError, match="found rows of numbers"):
        Features.fit(TEXT)[0].transform(NUMBERS.batches[0])


@pytest.mark.parametrize("kind", ["rows", "documents"])
@pytest.mark.parametrize("dictionary", ["words", "hashed"])
def test_no_data(kind: str, dictionary: str) -> None:
    with pytest.raises(DataError, match="no rows"):
        Features.fit(Given(kind, []), Options(dictionary=dictionary))


def test_unknown_options() -> None:
    with pytest.raises(SettingError, match="dictionary 'none' is unknown"):
        Features.fit(TEXT, Options(dictionary="none"))
    with pytest.raises(SettingError, match="at 'big'"):
        Features.fit(TEXT, Options(scale="big"))


DAMAGE: list[tuple[str, Callable[[dict[str, Any], dict[str, Array]], object]]] = [
    ("is missing or damaged", lambda recipe, tensors: tensors.pop("dictionary")),
    ("is missing or damaged", lambda recipe, tensors: tensors.update(dictionary=np.array([255], np.uint8))),
    ("has 1 words; its header says 3", lambda recipe, tensors: tensors.update(dictionary=np.array([97], np.uint8))),
    ("has 3 columns; its header says 4", lambda recipe, tensors: recipe.update(width=4)),
    ("cannot be read", lambda recipe, tensors: recipe.pop("width")),
    ("cannot be read", lambda recipe, tensors: recipe.update(dictionary=5)),
    ("cannot be read", lambda recipe, tensors: recipe["dictionary"].update(kind="other")),
    ("cannot be read", lambda recipe, tensors: tensors.pop("scale.0.weight")),
    ("does not have its 3 columns", lambda recipe, tensors: tensors.update({"scale.0.weight": np.ones(2)})),
    ("a scaling 'new' that this version does not know", lambda recipe, tensors: recipe["scale"][0].update(kind="new")),
]


@pytest.mark.parametrize(("message", "damage"), DAMAGE)
def test_damaged_features_are_refused(
    message: str, damage: Callable[[dict[str, Any], dict[str, Array]], object]
) -> None:
    features = Features.fit(TEXT)[0]
    recipe, tensors = json.loads(json.dumps(features.recipe())), dict(features.tensors())
    damage(recipe, tensors)
    with pytest.raises(ModelError, match=message):
        Features.restore(recipe, tensors)


def test_predicting_on_a_line_loads_nothing_heavy() -> None:
    code = (
        "import sys, numpy as np; from rosenblatt.features.pipeline import Features;"
        "from rosenblatt.data.batch import Batch;"
        "from rosenblatt.mailtext.mail import parse;"
        "recipe = {'width': 1, 'scale': [{'kind': 'unit', 'length': 1.0}], 'dictionary': {'kind': 'words', "
        "'values': 'present', 'precision': 'float64', 'size': 1}};"
        "features = Features.restore(recipe, {'dictionary': np.frombuffer(b'free', np.uint8)});"
        "print(features.transform(Batch([parse(b'Subject: a\\n\\nfree money')], None)).data.tolist(),"
        " sorted({'numba', 'sklearn', 'matplotlib', 'scipy', 'selectolax'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[1.0] []\n", done.stderr
