"""Every step of features: partial → merge → finish gives the same step however the data were cut, and in any order."""

from __future__ import annotations

import importlib
import pickle
import pkgutil
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import features
from rosenblatt.core.rows import Rows, dense, from_matrix, laid_out, matrix, stack
from rosenblatt.data.batch import Batch
from rosenblatt.features.hashing import Hashing
from rosenblatt.features.kernel import InKernel
from rosenblatt.features.maps import Map
from rosenblatt.features.ngrams import Grams
from rosenblatt.features.pairs import Pairs
from rosenblatt.features.pipeline import Features, Options
from rosenblatt.features.quadratic import Quadratic
from rosenblatt.features.scaling import Idf, Standard, UnitLength
from rosenblatt.features.senders import Senders
from rosenblatt.features.spectrum import Spectrum
from rosenblatt.features.step import OfAllRows, Step
from rosenblatt.features.vocabulary import Vocabulary
from rosenblatt.mailtext.fields import Document

Array = np.ndarray[Any, Any]
SAMPLES: dict[type[Step], list[Callable[[], Step]]] = {
    Vocabulary: [
        lambda: Vocabulary(min_documents=1),
        lambda: Vocabulary(None, "count", "float32", min_documents=2, max_size=3),
        lambda: Vocabulary(None, "share", grams=Grams(2, (2, 3)), min_documents=1),
    ],
    Hashing: [lambda: Hashing(3), lambda: Hashing(4, True, "count", grams=Grams(2))],
    Spectrum: [Spectrum, lambda: Spectrum(2, "float32")],
    Senders: [Senders],
    Standard: [Standard],
    Idf: [Idf],
    UnitLength: [lambda: UnitLength(2.0)],
    Quadratic: [Quadratic, lambda: Quadratic(products="pairs")],
    Pairs: [lambda: Pairs(3)],
}
"""Each step not fitted yet, as another process would make it."""
WIDE = 1000
CASES = [(cls.__name__, make) for cls, makes in SAMPLES.items() for make in makes]


def steps_of_the_folder() -> Iterator[type[Step]]:
    for module in pkgutil.iter_modules(features.__path__):
        for value in vars(importlib.import_module(f"{features.__name__}.{module.name}")).values():
            if isinstance(value, type) and issubclass(value, Step) and value not in (Step, OfAllRows):
                yield value


def test_every_step_is_tested_here() -> None:
    """But the one into a kernel's space, which keeps the rows themselves (tests/test_kernels.py), and maps that are
    drawn by a seed (tests/test_maps.py)."""
    drawn = {step for step in steps_of_the_folder() if issubclass(step, Map)}
    assert set(steps_of_the_folder()) == {*SAMPLES, InKernel, *drawn}


senders = st.sampled_from([("sender", "ann@a.example a.example"), ("sender", "bob@b.example"), ("sender", "")])
words = st.tuples(st.sampled_from(["", "subject"]), st.text(st.sampled_from("abcA -."), max_size=12))
documents = st.lists(st.lists(st.one_of(words, senders), max_size=4), max_size=9)
numbers = st.integers(1, 4).flatmap(
    lambda d: st.lists(
        st.lists(st.integers(-9, 9).map(lambda x: x / 4), min_size=d, max_size=d), min_size=1, max_size=9
    )
)
batches = st.tuples(documents, numbers, st.booleans())


def whole(step: Step, data: Any) -> Any:
    """The sample that the step takes."""
    texts, array, sparse = data
    return texts if step.takes == "documents" else (from_matrix if sparse else dense)(np.array(array))


def take(batch: Any, chosen: list[int]) -> Any:
    return [batch[i] for i in chosen] if isinstance(batch, list) else batch.take(np.array(chosen, int))


def size(batch: Any) -> int:
    return len(batch) if isinstance(batch, list) else batch.n  # type: ignore[no-any-return]


def plain(made: Any) -> Array:
    """What a step made of a batch, as an array; of rows of a million columns the values that are not 0 and where they
    are, as laid out they took most of this file's time."""
    if isinstance(made, np.ndarray):
        return made
    own = matrix(made)
    if own.shape[1] < WIDE:
        return laid_out(own)
    own = own.tocoo()
    at = np.lexsort((own.col, own.row))
    return np.vstack([(part.astype(float))[at] for part in (own.row, own.col, own.data)])


def check_same(one: Any, other: Any, batch: Any) -> None:
    """Fitted alike, and the same rows: but for the rounding of moments, exactly."""
    assert (one is None) == (other is None)
    if one is None:
        return
    assert one.recipe() == other.recipe()
    assert one.tensors().keys() == other.tensors().keys()
    pairs = [(one.tensors()[name], other.tensors()[name]) for name in one.tensors()]
    for a, b in [*pairs, (plain(one.transform(batch)), plain(other.transform(batch)))]:
        if isinstance(one, Standard):
            np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)
        else:
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("make", [make for _, make in CASES], ids=[name for name, _ in CASES])
@given(batches, st.randoms(use_true_random=False))
def test_the_cut_the_order_and_the_process_do_not_matter(make: Callable[[], Step], data: Any, random: Any) -> None:
    batch = whole(make(), data)
    expected = make().fitted([batch])
    order = list(range(size(batch)))
    random.shuffle(order)
    cuts = sorted(random.randint(0, len(order)) for _ in range(random.randint(0, 3)))
    parts = [take(batch, order[a:b]) for a, b in zip([0, *cuts], [*cuts, len(order)], strict=True)]
    here = make()
    # Counted by one step that goes through all, or each in a process of its own; sent as bytes.
    partials = [pickle.loads(pickle.dumps(random.choice([here, make()]).partial(part))) for part in parts]
    before = pickle.dumps(partials)
    while len(partials) > 1:  # neighbours, any first: merging is associative
        at = random.randrange(len(partials) - 1)
        partials[at : at + 2] = [here.merge(*partials[at : at + 2])]
    check_same(here.finish(partials[0]), expected, batch)
    check_same(here.finish(reduce(here.merge, pickle.loads(before), here.nothing)), expected, batch)


@pytest.mark.parametrize("make", [make for _, make in CASES], ids=[name for name, _ in CASES])
@given(batches, st.integers(0, 9))
def test_nothing_changes_nothing_and_partials_stay_as_they_are(make: Callable[[], Step], data: Any, cut: int) -> None:
    step = make()
    batch = whole(step, data)
    rows = list(range(size(batch)))
    one, other = (step.partial(take(batch, chosen)) for chosen in (rows[:cut], rows[cut:]))
    before = pickle.dumps((one, other, step.nothing))
    expected = step.fitted([batch])
    for partial in (
        step.merge(step.merge(step.nothing, one), other),
        step.merge(one, step.merge(other, step.nothing)),
    ):
        check_same(step.finish(partial), expected, batch)
    assert pickle.dumps((one, other, step.nothing)) == before


@pytest.mark.parametrize("make", [make for _, make in CASES], ids=[name for name, _ in CASES])
@given(batches, st.integers(0, 9))
def test_batches_prepared_once_serve_both_passes(make: Callable[[], Step], data: Any, cut: int) -> None:
    step = make()
    batch = whole(step, data)
    rows = list(range(size(batch)))
    parts = [step.prepared(take(batch, chosen)) for chosen in (rows[:cut], rows[cut:])]
    fitted, expected = step.fitted(parts), make().fitted([batch])
    check_same(fitted, expected, batch)
    if fitted is not None:
        made = [plain(fitted.transform(each)) for each in (step.stacked(parts), batch)]
        np.testing.assert_array_equal(made[0], made[1])


def test_a_step_sent_to_another_process_can_be_fitted_there() -> None:
    texts: list[Document] = [[("", "a b"), ("sender", "x@y.example")], [("", "b c"), ("sender", "x@y.example")]]
    for make in (lambda: Vocabulary(min_documents=1), Senders, Hashing):
        sent = pickle.loads(pickle.dumps(make()))
        check_same(sent.fitted([texts]), make().fitted([texts]), texts)


class Source:
    """Batches as they are given."""

    one_shot = True
    notes: dict[str, int] = {}

    def __init__(self, kind: str, parts: list[Batch]) -> None:
        self.kind, self.parts = kind, parts

    def __iter__(self) -> Iterator[Batch]:
        return iter(self.parts)

    def recipe(self) -> dict[str, Any]:
        return {}


@given(batches, st.integers(1, 8), st.sampled_from(["none", "standard", "idf+unit:2"]))
def test_features_do_not_depend_on_the_batches_of_the_reader(data: Any, cut: int, scale: str) -> None:
    """Bit for bit: scalings are fitted to all rows at once."""
    for kind in ("documents", "rows"):
        batch = data[0] or [[("", "a")]] if kind == "documents" else dense(np.array(data[1]))
        rows = list(range(size(batch)))
        halves = [take(batch, chosen) for chosen in (rows[:cut], rows[cut:]) if chosen]
        options = Options(scale=scale, min_documents=1)
        one = Features.fit(Source(kind, [Batch(batch, None)]), options)
        two = Features.fit(Source(kind, [Batch(half, None) for half in halves]), options)
        np.testing.assert_array_equal(plain(one[1]), plain(two[1]))
        made: list[Rows] = [two[0].transform(Batch(half, None)) for half in halves]
        np.testing.assert_array_equal(plain(stack(made)), plain(one[1]))
