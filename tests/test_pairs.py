"""Pairs of columns, hashed: products of words that are in a text together."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import naive
from command import run, well
from rosenblatt import Model, Recipe
from rosenblatt.core.rows import csr, dense, from_matrix, laid_out
from rosenblatt.errors import DataError, ModelError, SettingError
from rosenblatt.features.maps import map_from
from rosenblatt.features.pairs import pair_rows
from rosenblatt.features.pipeline import Features

TEXTS = ["good day", "bad night", "good night", "bad day"] * 3
LABELS = ["same", "same", "other", "other"] * 3
"""Words by themselves say nothing here."""
HOW: dict[str, Any] = {"min_documents": 1, "keep": "averaged", "scale": "none"}


def fitted(x: Any, bits: int) -> Any:
    return map_from(f"pairs:bits={bits}").fitted([dense(x)])


@given(st.integers(0, 9).flatmap(lambda d: st.lists(st.lists(st.integers(-3, 3), min_size=d, max_size=d), max_size=6)))
@pytest.mark.parametrize("bits", [1, 3, 9])
def test_as_the_plain_one(bits: int, x: list[list[int]]) -> None:
    """Whole numbers, of which pairs that share a column add up exactly; all storages, in any order of the columns."""
    array = np.array(x, float).reshape(len(x), len(x[0]) if x else 0)
    expected, step = naive.hashed_pairs(array, bits), fitted(array, bits)
    given = from_matrix(array)
    turned = given._replace(
        data=given.data[::-1], indices=given.indices[::-1], indptr=given.indptr[-1] - given.indptr[::-1]
    )
    for rows, wanted in ((dense(array), expected), (given, expected), (turned, expected[::-1])):
        made = step.transform(rows)
        assert made.dtype == rows.dtype and made.width == step.width == array.shape[1] + 2**bits
        np.testing.assert_array_equal(laid_out(made.matrix().toarray()), wanted)
        assert all(len(set(made.row(i)[0].tolist())) == len(made.row(i)[0]) for i in range(made.n))


def test_compiled_as_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    x = scipy.sparse.random_array((40, 300), density=0.1, rng=0, dtype=np.float32, format="csr")
    rows = csr(x.data, x.indices, x.indptr, 300)
    compiled = fitted(x.toarray(), 6)
    monkeypatch.setattr(pair_rows, "for_work", lambda work: pair_rows.compiled())
    made = compiled.transform(rows)
    monkeypatch.setattr(pair_rows, "for_work", lambda work: pair_rows.plain)
    plain = compiled.transform(rows)
    assert made.dtype == np.float32
    for one, other in zip(made.compressed(), plain.compressed(), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(made.matrix().toarray(), naive.hashed_pairs(x.toarray(), 6), atol=1e-5)


def test_products_are_in_the_mean_those_of_all_pairs() -> None:
    """Over columns in other places, which are other ways to hash: without signs the mean is 57 standard errors off."""
    random = np.random.default_rng(0)
    x, z = random.random((2, 6))
    wanted, found = ((x @ z) ** 2 - x**2 @ z**2) / 2.0, []
    for _ in range(400):
        wide = np.zeros((2, 1000))
        wide[:, random.permutation(1000)[:6]] = x, z
        made = fitted(wide, 3).transform(from_matrix(wide)).matrix().toarray()[:, 1000:]
        found.append(made[0] @ made[1])
    assert abs(np.mean(found) - wanted) < 3.0 * np.std(found) / 20.0


def test_words_that_say_something_together_only(tmp_path: Path) -> None:
    """Learned, saved, explained by the words of a pair; the weights of a model alone do not know which they are."""
    alone, model = (Recipe(**HOW, map=each, max_iter=20).fit(TEXTS, LABELS) for each in (None, "pairs:bits=12"))
    assert (alone.predict(TEXTS) != LABELS).any() and (model.predict(TEXTS) == LABELS).all()
    model.save(tmp_path / "a.model")
    read = Model.load(tmp_path / "a.model")
    assert (read.predict(TEXTS) == LABELS).all() and read.features.map.text == "pairs:bits=12"
    assert read.width == 4 + 2**12
    (why,) = read.explain(["good day"])
    parts = {part["feature"]: part["contribution"] for part in why.as_dict()["contributions"]}
    assert "day*good" in parts or "good*day" in parts
    assert why.evidence.score == pytest.approx(sum(parts.values()) + why.evidence.intercept)
    further = Recipe(max_iter=1).fit_more(read, TEXTS, LABELS)
    assert further.width == read.width and further.run.epoch > read.run.epoch


def test_two_pairs_of_a_column_are_both_named() -> None:
    words = [f"w{i}" for i in range(9)]
    model = Recipe(**HOW, map="pairs:bits=1").fit([" ".join(words), "w1", "w2"], ["a", "b", "b"])
    (why,) = model.explain([" ".join(words)])
    shared = [part["feature"] for part in why.as_dict()["contributions"] if "|" in part["feature"]]
    assert shared and {pair for name in shared for pair in name.split("|")} <= {
        f"{a}*{b}" for a in words for b in words
    }


def test_numbers_and_hashed_words_have_names_too() -> None:
    x = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]]) * 1.0
    model = Recipe(map="pairs", max_iter=20).fit(x, [1, 0, 0, 1])
    assert (model.predict(x) == [1, 0, 0, 1]).all()
    assert {part["feature"] for part in model.explain(x[:1])[0].as_dict()["contributions"]} <= {"x1", "x2", "x1*x2"}
    hashed = Recipe(map="pairs:bits=8", dictionary="hashed", bits=10, scale="none").fit(TEXTS, LABELS)
    names = {part["feature"] for part in hashed.explain(["good day"])[0].as_dict()["contributions"]}
    assert names & {"good*day", "day*good"}


@pytest.mark.parametrize("bits", ["0", "27", "x"])
def test_refused(bits: str) -> None:
    with pytest.raises(SettingError, match="map: bits=.* must be a whole number from 1 to 26"):
        Recipe(map=f"pairs:bits={bits}").fit(TEXTS, LABELS)


def test_what_does_not_fit_is_refused_with_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = csr(np.ones(1), np.zeros(1, np.int32), np.array([0, 1]), 100_000_000)
    with pytest.raises(DataError, match="takes at most 67,108,864 columns, and the data have 100,000,000"):
        map_from("pairs").fitted([wide])
    step = fitted(np.ones((10, 5)), 4)
    monkeypatch.setattr("rosenblatt.features.quadratic.machine_memory", lambda: 1000)
    with pytest.raises(DataError, match=r"makes up to 150 values of 10 rows and 21 columns, 0\.0 GB, and the machine"):
        step.transform(dense(np.ones((10, 5))))


def test_damaged() -> None:
    whole = Features(5, [fitted(np.ones((2, 5)), 4)])
    recipe = whole.recipe()
    assert Features.restore(recipe, {}).width == 21
    for words in ({"columns": 4}, {"columns": "5"}, {"columns": None}, {"columns": 5.0}, {"map": "pairs:bits=99"}):
        with pytest.raises(ModelError):
            Features.restore({**recipe, "scale": [{**recipe["scale"][0], **words}]}, {})
    with pytest.raises(ModelError):
        Features.restore({**recipe, "scale": [{"kind": "map", "map": "pairs:bits=4"}]}, {})


def test_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [f"{label}\t{text}" for text, label in zip(TEXTS, LABELS, strict=True)]
    Path("a.tsv").write_text("\n".join(["label\ttext", *lines]) + "\n")
    well("train", "a.tsv", "-o", "a.model", "--map", "pairs:bits=12", "--min-documents", "1", "--epochs", "20")
    assert "mapped: pairs:bits=12" in well("inspect", "a.model").out
    assert "*" in well("explain", "a.model", "a.tsv").out
    assert "map: bits=40 must be" in run("train", "a.tsv", "-o", "b", "--map", "pairs:bits=40").err
