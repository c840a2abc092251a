"""Learning in the dual: with x·z as without a kernel, with every other kernel as the plain reference."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel
from sklearn.svm import SVC

import naive
from learners import PROBLEMS, SEED, STEP_RULES, Problem, errors, expected, orders, paths, problem
from rosenblatt.core.loop import SCALE
from rosenblatt.core.rows import csr, dense
from rosenblatt.datasets import load_sms
from rosenblatt.errors import DataError, RosenblattError, SettingError
from rosenblatt.features.spectrum import Spectrum
from rosenblatt.kernels import blocks, kernel_classes, kernel_from, kernel_name
from rosenblatt.kernels.rows import KernelRows, rows_to_learn_from
from rosenblatt.learn.run import Limits
from rosenblatt.learn.settings import Settings
from rosenblatt.memory import memory_classes, voted
from rosenblatt.model.fit import Held, Task, fit, learn_more
from rosenblatt.model.model import Model
from rosenblatt.optimizers import optimizer_classes
from rosenblatt.recipe.recipe import Recipe

Array = np.ndarray[Any, Any]

KINDS_OF = [*((rule, kind_of) for rule in STEP_RULES for kind_of in PROBLEMS[:2]), ("perceptron", PROBLEMS[2])]
SWEEPS = [name for name, cls in optimizer_classes().items() if not cls.picks]
SIZES = {"as they are": None, "small": (5, 3, 7), "one by one": (1, 1, 16)}
"""BLOCK, WAITING, CHUNK: small, so that 24 rows meet every border between blocks, and all that is caught up with."""


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the compiler."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


@pytest.fixture(params=SIZES)
def sizes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if SIZES[request.param] is not None:
        for name, size in zip(("BLOCK", "WAITING", "CHUNK"), SIZES[request.param], strict=True):
            monkeypatch.setattr(blocks, name, size)


def dual(p: Problem, kernel: Any = "linear", epochs: int = 3, dtype: Any = float, **words: Any) -> Model:
    """Learned through a kernel. words: settings, and `weight` and what else a `Task` has."""
    return learned(p, rows_to_learn_from(kernel_from(kernel), dense(p.x.astype(dtype))), epochs, **words)


def learned(p: Problem, rows: Any, epochs: int = 3, weight: Any = None, **words: Any) -> Model:
    task = Task(**{name: words.pop(name) for name in list(words) if name in Task._fields})
    settings = Settings.of(**{"random_state": SEED, "tol": None, **words})
    return fit(rows, p.y, settings, Limits(epochs), task, weight)


def asked(kernel: Any, fresh: Array, x: Array) -> KernelRows:
    """Other rows, by their kernel with those that were learned from."""
    return KernelRows(kernel, dense(fresh), dense(x), np.full(len(fresh), -1))


def of(kind_of: str, n: int = 24) -> tuple[Problem, dict[str, Any]]:
    """A problem of the kind, and the settings for it."""
    words = {} if kind_of == PROBLEMS[0] else {"multi_class": kind_of}
    return problem(2 if kind_of == PROBLEMS[0] else 3, n=n), words


def agree(found: Model, plain: Model, p: Problem) -> None:
    """The same path, and scores to 1e-9; the weights that answer are Σ a_j·x_j."""
    assert found.run.history["mistakes"] == plain.run.history["mistakes"]
    assert found.run.history["updates"] == plain.run.history["updates"]
    assert found.run.stop == plain.run.stop and found.run.converged == plain.run.converged
    np.testing.assert_allclose(found.run.history["loss"], plain.run.history["loss"], rtol=1e-9, atol=1e-12)
    own, rows = asked(kernel_from("linear"), p.fresh, p.x), dense(p.fresh)
    np.testing.assert_allclose(found.scores(own), plain.scores(rows), rtol=1e-9, atol=1e-9)


# --- the linear kernel is the linear classifier ----------------------------------------------------------------------


@pytest.mark.parametrize("keep", memory_classes())
@pytest.mark.parametrize(("rule", "kind_of"), KINDS_OF)
def test_with_a_linear_kernel_as_without(plain: None, sizes: None, rule: str, kind_of: str, keep: str) -> None:
    p, words = of(kind_of)
    for more in ({}, {"fit_intercept": False}, {"alpha": 0.1, "eta0": 0.25}):
        own = {"rule": rule, "keep": keep, **words, **more}
        agree(dual(p, **own), learned(p, dense(p.x), **own), p)


@pytest.mark.parametrize("kind_of", PROBLEMS)
@pytest.mark.parametrize("keep", memory_classes())
@pytest.mark.parametrize("optimizer", SWEEPS)
def test_in_blocks(plain: None, sizes: None, optimizer: str, keep: str, kind_of: str) -> None:
    """Of 8 rows, the last one of 8 too, and of all; powers of two, so that steps that cancel do so in both."""
    p, words = of(kind_of)
    for rule in ("perceptron",) if kind_of == PROBLEMS[2] else ("perceptron", "logistic", "passive-aggressive"):
        for more in ({}, {"alpha": 0.25, "eta0": 0.5, "learning_rate": "inverse", "decay": 0.1}):
            own = {"rule": rule, "keep": keep, "optimizer": optimizer, "batch_size": 8, **words, **more}
            agree(dual(p, **own), learned(p, dense(p.x), **own), p)


@pytest.mark.parametrize("keep", memory_classes())
@pytest.mark.parametrize("kind_of", PROBLEMS)
def test_weights_of_rows_and_classes_and_orders(
    plain: None, monkeypatch: pytest.MonkeyPatch, kind_of: str, keep: str
) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 5)
    monkeypatch.setattr(blocks, "WAITING", 3)
    p, words = of(kind_of)
    weight = np.random.default_rng(3).uniform(0.5, 2.0, len(p.x))
    weight[[1, 7]] = 0.0
    order = np.array([*range(23, 7, -1), *range(12), 3, 3, 3])
    for optimizer in SWEEPS:
        for more in (
            {"weight": weight}, {"class_weight": "balanced"}, {"class_weight": {1.0: 3.0}}, {"order": order},
            {"shuffle": False}, {"weight": weight, "order": order},
        ):  # fmt: skip
            own = {"keep": keep, "optimizer": optimizer, "batch_size": 4, **words, **more}
            agree(dual(p, **own), learned(p, dense(p.x), **own), p)


@pytest.mark.parametrize("keep", memory_classes())
@pytest.mark.parametrize("kind_of", PROBLEMS)
def test_on_whole_numbers_to_the_last_vote(plain: None, sizes: None, kind_of: str, keep: str) -> None:
    p, words = of(kind_of)
    p = p._replace(x=np.round(2 * p.x), fresh=np.round(2 * p.fresh))
    for rule in ("perceptron", "until-right") if kind_of != PROBLEMS[2] else ("perceptron",):
        for kernel, x, fresh in (("linear", p.x, p.fresh), ("poly:degree=2", *map(squared, (p.x, p.fresh)))):
            own = {"rule": rule, "keep": keep, "fit_intercept": kernel == "linear", **words}
            found, wanted = dual(p, kernel, 6, **own), learned(p, dense(x), 6, **own)
            assert found.run.history == wanted.run.history
            scores = found.scores(asked(kernel_from(kernel), p.fresh, p.x))
            if keep == "averaged":
                np.testing.assert_allclose(scores, wanted.scores(dense(fresh)), rtol=1e-12)
            else:
                np.testing.assert_array_equal(scores, wanted.scores(dense(fresh)))


def squared(x: Array) -> Array:
    """φ with φ(x)·φ(z) = (x·z + 1)² in whole numbers: each product once for each order of its factors."""
    x = np.column_stack([x, np.ones(len(x))])
    return np.einsum("ni,nj->nij", x, x).reshape(len(x), -1)


@pytest.mark.parametrize("degree", [2, 4])
def test_in_float32_the_same_mistakes_on_whole_numbers(plain: None, degree: int) -> None:
    p = problem(3, n=60)
    p = p._replace(x=np.round(2 * p.x))
    for words in ({}, {"multi_class": "multi-class-perceptron"}):
        wide, narrow = (dual(p, f"poly:degree={degree}", 8, dtype, **words) for dtype in (np.float64, np.float32))
        assert wide.run.history == narrow.run.history
        np.testing.assert_array_equal(wide.weights[0], narrow.weights[0])


@pytest.mark.parametrize("keep", ["last", "averaged", "voted"])
@pytest.mark.parametrize("kind_of", PROBLEMS)
def test_a_long_run_with_a_strong_pull(plain: None, sizes: None, kind_of: str, keep: str) -> None:
    """0.95 a step, 360 steps: the scale is folded into the weights again and again, also in the middle of a block."""
    p, words = of(kind_of)
    own = {"keep": keep, "alpha": 0.5, "eta0": 0.1, **words}
    found, wanted = dual(p, "linear", 15, **own), learned(p, dense(p.x), 15, **own)
    agree(found, wanted, p)
    assert found.run.state.f[SCALE] == pytest.approx(wanted.run.state.f[SCALE], rel=1e-12)


@pytest.mark.parametrize("kind_of", PROBLEMS)
def test_compiled(sizes: None, kind_of: str) -> None:
    p, words = of(kind_of)
    for keep in ("averaged", "voted"):
        agree(dual(p, keep=keep, **words), learned(p, dense(p.x), keep=keep, **words), p)


rows_of_whole = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.booleans()), min_size=4, max_size=30)


@given(rows_of_whole, st.sampled_from(["last", "averaged", "voted", "pocket"]), st.integers(1, 9), st.integers(1, 9))
def test_random_problems(rows: list[Any], keep: str, size: int, waiting: int) -> None:
    rows = [*rows, (1, 2, True), (0, -1, False)]
    x, y = np.array([row[:2] for row in rows], float), np.array([2.0 * row[2] - 1.0 for row in rows])
    p = Problem(x, y, 2, x[::2] + 1.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROSENBLATT_JIT", "0")
        for name, value in (("BLOCK", size), ("WAITING", waiting), ("CHUNK", size + 1)):
            patch.setattr(blocks, name, value)
        found, wanted = dual(p, epochs=4, keep=keep), learned(p, dense(x), 4, keep=keep)
    agree(found, wanted, p)


# --- the other kernels against the plain reference -------------------------------------------------------------------


def of_function(a: Array, b: Array) -> Array:
    return np.asarray((1.0 + np.abs(a @ b.T)) * (a @ b.T))


REFERENCES = {
    "linear": linear_kernel,
    "linear:unit=true": lambda a, b: of_unit(linear_kernel, a, b),
    "poly": lambda a, b: polynomial_kernel(a, b, 3, 1.0, 1.0),
    "poly:degree=5,gamma=0.5,coef0=0": lambda a, b: polynomial_kernel(a, b, 5, 0.5, 0.0),
    "poly:degree=2,unit=true": lambda a, b: of_unit(lambda a, b: polynomial_kernel(a, b, 2, 1.0, 1.0), a, b),
    "poly:coef0=0,unit=true": lambda a, b: of_unit(lambda a, b: polynomial_kernel(a, b, 3, 1.0, 0.0), a, b),
    "rbf:gamma=0.3": lambda a, b: rbf_kernel(a, b, 0.3),
}
FUNCTIONS = {**REFERENCES, of_function: of_function}


def of_unit(kernel: Any, a: Array, b: Array) -> Array:
    left, right = (np.array([kernel(row[None], row[None])[0, 0] for row in rows]) for rows in (a, b))
    lengths = np.sqrt(np.outer(left, right))
    return np.divide(kernel(a, b), lengths, out=np.zeros(lengths.shape), where=lengths > 0.0)


def test_every_kernel_has_a_reference() -> None:
    lacking = set(kernel_classes()) - {name.partition(":")[0] for name in REFERENCES} - {"precomputed", "spectrum"}
    assert not lacking, f"no reference of {', '.join(lacking)}: add a line to REFERENCES"


@pytest.mark.parametrize("storage", [dense, "csr"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", REFERENCES)
def test_values(name: str, dtype: Any, storage: Any) -> None:
    """K of scikit-learn, of dense and sparse rows, one of them of zeros."""
    p = problem(n=20)
    near = {"rtol": 1e-12, "atol": 1e-12} if dtype == np.float64 else {"rtol": 2e-5, "atol": 1e-5}
    x, fresh = p.x.astype(dtype), p.fresh.astype(dtype)
    rows, others = (made(part, storage) for part in (x, fresh))
    kernel = kernel_from(name)
    values = kernel.block(others, rows)
    assert values.dtype == dtype
    np.testing.assert_allclose(values, REFERENCES[name](p.fresh, p.x), **near)
    own = kernel.own(rows, np.arange(20))
    assert own.dtype == np.float64
    np.testing.assert_allclose(own, np.diag(REFERENCES[name](p.x, p.x)), **near)
    if "coef0=0" in name or name.startswith("linear"):
        assert own[10] == 0.0 and not values[:, 10].any(), "K(x, x) = 0 stays 0"


def made(x: Array, storage: Any) -> Any:
    if storage is dense:
        return dense(x)
    x = csr_array(x)
    return csr(x.data, x.indices, x.indptr, x.shape[1])


@pytest.mark.parametrize("name", REFERENCES)
def test_values_of_few_that_are_not_0(name: str) -> None:
    """As of words: sparse rows are multiplied as they are."""
    random = np.random.default_rng(0)
    x = random.normal(size=(12, 300)) * (random.random((12, 300)) < 0.02)
    rows = made(x, "csr")
    np.testing.assert_allclose(kernel_from(name).block(rows, rows), REFERENCES[name](x, x), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("storage", [dense, "csr"])
def test_the_width_of_a_gaussian_is_as_scikit_learns(storage: Any) -> None:
    p = problem(n=20)
    svc = SVC(gamma="scale").fit(p.x, p.y)
    assert kernel_from("rbf").fitted(made(p.x, storage)).gamma == pytest.approx(svc._gamma, rel=1e-12)
    assert kernel_from("rbf").fitted(made(np.full((4, 2), 3.0), storage)).gamma == 1.0
    assert kernel_from("rbf:gamma=2").fitted(dense(p.x)).gamma == 2.0


@cache
def references(kernel: Any, rule: str, kind_of: str, epochs: int = 3) -> tuple[Problem, Any, Problem]:
    """(the problem, the reference runs, the problem as the dual has it: rows are their kernel values)."""
    p = of(kind_of, 24)[0]
    p = p._replace(x=p.x / 4.0, fresh=p.fresh / 4.0)
    through = p._replace(x=FUNCTIONS[kernel](p.x, p.x), fresh=FUNCTIONS[kernel](p.fresh, p.x))
    how = naive.How(naive.constant(0.5), dual=True)
    return p, paths(through, rule, kind_of == PROBLEMS[2], how, orders(len(p.x), epochs)), through


EVERY = [(kernel, *KINDS_OF[-1]) for kernel in FUNCTIONS] + [(kernel, *KINDS_OF[0]) for kernel in FUNCTIONS]
EVERY += [(of_function, *each) for each in KINDS_OF]


@pytest.mark.parametrize(("kernel", "rule", "kind_of"), EVERY)
def test_as_the_reference(plain: None, monkeypatch: pytest.MonkeyPatch, kernel: Any, rule: str, kind_of: str) -> None:
    """Every kernel, and every rule with one of them that no other test has."""
    p, runs, through = references(kernel, rule, kind_of)
    words = of(kind_of)[1]
    for keep in memory_classes():
        wanted = expected(runs, through, keep)
        for size in (256, 5):
            monkeypatch.setattr(blocks, "BLOCK", size)
            measure = None if keep != "pocket" else lambda m, rows, y: errors(through.x, through.y)(m.weights)
            found = dual(p, kernel, rule=rule, keep=keep, eta0=0.5, scorer=measure, **words)
            assert found.run.history["mistakes"] == wanted.mistakes and found.run.history["updates"] == wanted.updates
            for here, right in zip(found.weights, wanted.answer, strict=True):
                np.testing.assert_allclose(here, right, rtol=1e-9, atol=1e-9)
            scores = found.scores(asked(kernel_from(kernel), p.fresh, p.x))
            np.testing.assert_allclose(scores, wanted.decision, rtol=1e-9, atol=1e-9)


# --- stops and returns on the way ------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", memory_classes())
@pytest.mark.parametrize("kind_of", PROBLEMS)
def test_stopped_by_steps_and_gone_on(plain: None, sizes: None, kind_of: str, keep: str) -> None:
    """In the middle of a block and of an epoch; the scores that are kept are those of the weights that went on."""
    p, words = of(kind_of)
    rows, other = rows_to_learn_from(kernel_from("linear"), dense(p.x)), dense(p.x)
    own = Settings.of(random_state=SEED, keep=keep, **words)
    found, wanted = (fit(each, p.y, own, Limits(1)) for each in (rows, other))
    for limits in (Limits(9, 7), Limits(9, 1), Limits(3), Limits(9, 12)):
        found, wanted = learn_more(found, rows, p.y, limits), learn_more(wanted, other, p.y, limits)
        assert found.run.position == wanted.run.position
        agree(found, wanted, p)
    again = learn_more(found, rows_to_learn_from(kernel_from("linear"), dense(p.x)), p.y, Limits(2))
    agree(again, learn_more(wanted, other, p.y, Limits(2)), p)


@pytest.mark.parametrize("keep", memory_classes())
def test_rows_held_out_stop_as_without_a_kernel(plain: None, sizes: None, keep: str) -> None:
    p, _ = of(PROBLEMS[0])
    y = np.resize([1.0, -1.0], len(p.fresh))
    held = Held(asked(kernel_from("linear"), p.fresh, p.x), y), Held(dense(p.fresh), y)
    found = dual(p, epochs=30, keep=keep, validation=held[0])
    wanted = learned(p, dense(p.x), 30, keep=keep, validation=held[1])
    assert found.run.history["validation"] == wanted.run.history["validation"]
    agree(found, wanted, p)


def test_a_log_that_is_full_in_the_middle_of_a_block(plain: None, sizes: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voted, "ROOM", 30)
    for kind_of in PROBLEMS:
        p, words = of(kind_of)
        agree(dual(p, keep="voted", **words), learned(p, dense(p.x), keep="voted", **words), p)


def test_a_start_and_a_random_one_are_weights_of_rows(plain: None, sizes: None) -> None:
    p, _ = of(PROBLEMS[0])
    a, b = np.random.default_rng(0).normal(size=(1, len(p.x))), np.array([0.5])
    for keep in memory_classes():
        found = dual(p, keep=keep, start=(a, b))
        agree(found, learned(p, dense(p.x), keep=keep, start=(a @ p.x, b)), p)


# --- a function, and values that are there already -------------------------------------------------------------------


def gram(p: Problem) -> tuple[Array, Array]:
    return p.x @ p.x.T, p.fresh @ p.x.T


@pytest.mark.parametrize("storage", [dense, "csr"])
@pytest.mark.parametrize("keep", memory_classes())
def test_values_that_are_there_already(plain: None, sizes: None, keep: str, storage: Any) -> None:
    for kind_of in PROBLEMS:
        p, words = of(kind_of)
        own, fresh = gram(p)
        rows = rows_to_learn_from(kernel_from("precomputed"), made(own, storage))
        found, wanted = learned(p, rows, keep=keep, **words), learned(p, dense(p.x), keep=keep, **words)
        assert found.run.history["mistakes"] == wanted.run.history["mistakes"]
        scores = found.scores(KernelRows(rows.kernel, made(fresh, storage), rows.base, np.full(len(fresh), -1)))
        np.testing.assert_allclose(scores, wanted.scores(dense(p.fresh)), rtol=1e-9, atol=1e-9)


def test_precomputed_is_square() -> None:
    with pytest.raises(DataError, match="precomputed: found 3 rows of 2 values; expected K of each row with each"):
        rows_to_learn_from(kernel_from("precomputed"), dense(np.ones((3, 2))))


BAD: dict[str, tuple[Any, str]] = {
    "of another shape": (
        lambda a, b: np.ones((len(a), 1)),
        r"of shape \(24, 1\): .*; expected finite numbers of shape",
    ),
    "one number": (lambda a, b: 1.0, r"of shape \(\): 1.0; expected finite numbers of shape"),
    "not a number": (lambda a, b: np.full((len(a), len(b)), np.nan), "nan.*expected finite numbers of shape"),
    "of other functions": (
        lambda a, b: linear_kernel(a, b[:0]),
        "kernel .* fails: ValueError: Found array with 0 sample",
    ),
    "text": (lambda a, b: [["x"] * len(b)] * len(a), "gave <U1 of shape.*expected finite"),
    "complex": (lambda a, b: 1j * (a @ b.T), "gave complex128 of shape"),
    "of too few": (lambda a: 1.0, "kernel .* fails: TypeError"),
    "nothing": (lambda a, b: None, "kernel .* gave"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_function_that_is_no_kernel_is_refused_by_name(name: str) -> None:
    function, sentence = BAD[name]
    p, _ = of(PROBLEMS[0])
    with pytest.raises(RosenblattError, match=sentence) as caught:
        dual(p, function)
    assert "test_kernels:<lambda>" in str(caught.value) and "\n" not in str(caught.value)


def test_a_function_of_others(plain: None) -> None:
    """It is not asked about no rows, which scikit-learn's refuse."""
    p, _ = of(PROBLEMS[0])
    for optimizer in SWEEPS:
        found, wanted = (dual(p, kernel, optimizer=optimizer) for kernel in (rbf_kernel, "rbf:gamma=0.25"))
        assert found.run.history["mistakes"] == wanted.run.history["mistakes"]


# --- runs of characters ----------------------------------------------------------------------------------------------


def of_runs(a: str, b: str, length: int) -> int:
    """How often each run of one text comes in the other, as literally as it can be."""
    one, other = (" ".join(text.lower().split()) for text in (a, b))
    runs = [one[i : i + length] for i in range(len(one) - length + 1)]
    return sum(run == other[j : j + length] for run in runs for j in range(len(other) - length + 1))


@pytest.mark.parametrize("length", [1, 3, 4])
def test_runs_of_characters(length: int) -> None:
    texts = [
        "Free  entry, FREE prize",
        "see you\nat home",
        "free",
        "fre",
        "",
        "größer € 𝄞𝄞𝄞𝄞𝄞",
        "at home at home at home",
    ]
    rows = Spectrum(length).transform([[("", text)] for text in texts])
    values = [[of_runs(a, b, length) for b in texts] for a in texts]
    for unit in ("", ",unit=true"):
        kernel = kernel_from(f"spectrum:length={length}{unit}").fitted(rows)
        own = np.sqrt(np.outer(np.diag(values), np.diag(values)))
        wanted = np.divide(values, own, out=np.zeros(own.shape), where=own > 0.0) if unit else values
        np.testing.assert_allclose(kernel.block(rows, rows), wanted, rtol=1e-12)


def test_fields_of_a_mail_have_runs_of_their_own() -> None:
    a, b, c = ([("subject", "free entry")], [("", "free entry")], [("subject", "free"), ("", "entry")])
    rows = Spectrum(4).transform([a, b, c])
    assert kernel_from("spectrum").fitted(rows).block(rows, rows).tolist() == [[7, 0, 1], [0, 7, 2], [1, 2, 3]]


def test_texts_are_learned_from_by_runs(tmp_path: Path) -> None:
    texts, labels = load_sms()
    model = Recipe(kernel="spectrum", keep="averaged", max_iter=3).fit(texts[:300], labels[:300])
    assert model.evaluate(texts[300:600], labels[300:600])["accuracy"] > 0.95
    model.save(tmp_path / "m")
    again = Model.load(tmp_path / "m")
    assert np.array_equal(again.decision(texts[:50]), model.decision(texts[:50]))
    assert all(
        each.startswith("row ")
        for each in (part["feature"] for part in model.explain(texts[:1])[0].as_dict(3)["contributions"])
    )
    with pytest.raises(SettingError, match="kernel=spectrum is of texts, and here are rows of numbers"):
        Recipe(kernel="spectrum").fit(np.eye(2), [0, 1])
    with pytest.raises(SettingError, match="word_ngrams is of words, and kernel='spectrum' knows texts by runs"):
        Recipe(kernel="spectrum", word_ngrams=2).fit(texts[:30], labels[:30])


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", [*kernel_classes(), "linear:unit=true", "poly:degree=4,coef0=0.5,unit=true", "rbf:gamma=0.25"]
)
def test_a_name_names_what_it_makes(text: str) -> None:
    assert kernel_name(kernel_from(text)) == text
    assert kernel_name(kernel_from(kernel_from(text))) == text


WRONG = {
    "polly": "unknown kernel='polly'; one of .*; did you mean poly",
    "poly:degree=0": "kernel poly: degree 0 must be a whole number ≥ 1",
    "poly:degree=2.5": "kernel poly: degree '2.5' must be a whole number ≥ 1",
    "poly:depth=2": "poly has no parameter 'depth'; its parameters: degree, gamma, coef0, unit",
    "poly:coef0=-1": "kernel poly: coef0 -1.0 must be a number ≥ 0",
    "poly:gamma=inf": "kernel poly: gamma inf must be a number > 0",
    "rbf:gamma=0": 'kernel rbf: gamma 0.0 must be "scale" or a number > 0',
    "rbf:gamma=nan": 'kernel rbf: gamma nan must be "scale" or a number > 0',
    "rbf:gamma=auto": "kernel rbf: gamma 'auto' must be",
    "linear:unit=maybe": "kernel: unit 'maybe' must be true or false",
    "precomputed:degree=2": "precomputed has no parameter 'degree'; its parameters: none",
    "": "unknown kernel=''; one of",
}


@pytest.mark.parametrize("text", WRONG)
def test_names_of_no_kernel_are_refused(text: str) -> None:
    with pytest.raises(SettingError, match=WRONG[text]):
        kernel_from(text)


@pytest.mark.parametrize("value", [3, 2.5, [1], True])
def test_what_is_no_name_is_refused(value: Any) -> None:
    with pytest.raises(SettingError, match="kernel=.* must be a name, a function of two arrays, or None"):
        kernel_from(value)


def test_what_does_not_go_with_a_kernel() -> None:
    for words, sentence in (
        ({"metric": "adagrad"}, "goes with no metric"),
        ({"l1": 0.1}, "goes with no l1"),
        ({"optimizer": "pick-first"}, "does not go with optimizer='pick-first'.*use optimizer='online'"),
    ):
        with pytest.raises(SettingError, match=sentence):
            Settings.of(kernel="rbf", **words)


def test_a_new_file_is_a_new_kernel(tmp_path: Path) -> None:
    """In a process of its own, whose package has one more file."""
    (tmp_path / "cosine.py").write_text("""
from rosenblatt.kernels.linear import Linear

class Cosine(Linear):
    name, parameters, unit = "cosine", (), True

    def __init__(self):
        pass
""")
    program = f"""
import rosenblatt.kernels as kernels
kernels.__path__.append({str(tmp_path)!r})
from rosenblatt import LinearClassifier
X, y = [[1, 0], [0, 1], [3, 0], [0, 2]], [0, 1, 0, 1]
print(LinearClassifier(kernel="cosine").fit(X, y).score(X, y), "cosine" in kernels.kernel_classes())
from rosenblatt.cli.app import app
app(["train", "--help"])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("1.0 True\n") and "cosine" in done.stdout.replace("\n", "")
