"""Comparisons with wrong labels: what is flipped, what is not, and who suffers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from command import run, well
from command import write as written
from rosenblatt.compare import Contender, Plan, compare
from rosenblatt.compare.race import NOISE, flipped, folds
from rosenblatt.core.rows import dense
from rosenblatt.data.batch import Batch
from rosenblatt.datasets import load_sms
from rosenblatt.errors import SettingError
from rosenblatt.features.pipeline import DEFAULT
from rosenblatt.recipe.trial import parts
from samples import two_classes

FEW = [Contender("perceptron", "averaged"), Contender("arow:r=0.1"), Contender("passive-aggressive:C=0.5")]
LINES = "".join(f"{1 if i % 3 else -1} 1:{i % 7} 2:{(i * i) % 5} 3:{i % 3}\n" for i in range(1, 61))


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


@pytest.mark.parametrize("labels", [["a", "b"], [0, 1, 2, 3]])
def test_so_many_labels_become_another_class(labels: list[Any]) -> None:
    """Exactly the share; those of a smaller one are among those of a larger one; of more classes each is met."""
    data = Batch(dense(np.zeros((400, 1))), np.array(labels * (400 // len(labels))))
    before, few, many = (flipped(data, share, (0, 3)).y for share in (0.0, 0.05, 0.5))
    assert np.array_equal(before, data.y)
    assert np.count_nonzero(few != data.y) == 20 and np.count_nonzero(many != data.y) == 200
    changed = few != data.y
    assert np.array_equal(few[changed], many[changed])
    assert set(many[(many != data.y) & (data.y == labels[0])].tolist()) == set(labels[1:])
    assert np.array_equal(few, flipped(data, 0.05, (0, 3)).y) and not np.array_equal(few, flipped(data, 0.05, (1, 3)).y)


def test_training_labels_are_wrong_and_test_labels_true() -> None:
    """Each number again by hand, on the folds of the comparison without noise, whose numbers stay."""
    x, y = two_classes()
    found = compare(x, y, Plan(FEW, epochs=2, noise=(0.2, 0.0)))
    alone, data = compare(x, y, Plan(FEW, epochs=2)), Batch(dense(x), y)
    assert [row._replace(seconds=0) for row in found.rows] == [row._replace(seconds=0) for row in alone.rows]
    for contender in FEW:
        errors = []
        for number, (train, test) in enumerate(folds(y, 5, 0)):
            noisy = flipped(data.take(train), 0.2, (0, number, NOISE))
            part = parts(noisy, data.take(test), DEFAULT, ["none"])["none"]
            model = contender.recipe.with_(max_iter=2).fit(part.rows.toarray(), part.y)
            errors.append(float((model.predict(part.test.toarray()) != y[test]).mean()))
        assert found.noise[0.2][contender].error == pytest.approx(np.mean(errors))
        assert found.noise[0.0][contender].error == next(r.error for r in found.rows if r.contender == contender)


def test_the_table_has_a_column_for_each_share() -> None:
    x, y = two_classes()
    found = compare(x, y, Plan(FEW, epochs=2, noise=(0.0, 0.05, 0.2)))
    table, record = found.table(100), found.records()[0]
    assert table.splitlines()[0].split()[2:8] == ["err", "%", "5", "%", "20", "%"]
    assert "5 %, 20 %: the same where so many of the training rows have a wrong label" in " ".join(table.split())
    here = found.rows[0].contender
    assert f"{100 * found.noise[0.2][here].error:.2f}" in table.splitlines()[1]
    assert record["error_at_0.05"] == found.noise[0.05][here].error and record["error_at_0"] == record["error"]
    least = min(found.noise[0.2].values(), key=lambda row: row.error)
    assert f"With 20 % wrong labels {least.contender.name} is the best" in found.verdict()
    rise = {row.contender: found.noise[0.2][row.contender].error - row.error for row in found.level()}
    if len(rise) > 1:
        assert f"{min(rise, key=lambda c: rise[c]).name} (" in found.verdict().partition("suffers least")[0]
    only = compare(x, y, Plan(FEW, epochs=1, noise=[0.1]))
    assert "10 %" not in only.table(100).splitlines()[0] and "all else is where 10 % of the" in only.table(200)
    assert "suffers" not in only.verdict()


def test_a_little_noise_breaks_a_small_r() -> None:
    """Of short messages in one pass, 5 % wrong labels: AROW with r = 0.1 makes some four times the errors, with r = 10
    a quarter more; of PA with C = 0.5 the last weights break, too, and their mean hardly."""
    texts, y, *_ = load_sms()
    x, labels, test = np.array(texts, object), np.asarray(y), np.arange(len(y)) % 4 == 0
    few = [Contender("arow:r=0.1"), Contender("arow:r=10"), Contender("passive-aggressive:C=0.5", "averaged")]
    plan = Plan(few, epochs=1, noise=(0.0, 0.05))
    found = compare(x[~test].tolist(), labels[~test], plan, test=(x[test].tolist(), labels[test]))
    times = [found.noise[0.05][each].error / found.noise[0.0][each].error for each in few]
    assert times[0] > 2.5 and times[1] < 1.5 and times[2] < 1.6, times


def test_ctrl_c_leaves_the_shares_that_are_done() -> None:
    def watch(what: str, done: int, of: int) -> None:
        assert of == 2 * 5 * 3 and 0 <= done <= of
        if done >= 20:
            raise KeyboardInterrupt

    x, y = two_classes()
    found = compare(x, y, Plan(FEW, epochs=1, noise=(0.0, 0.1)), watch=watch)
    assert found.interrupted and list(found.noise) == [0.0] and len(found.sizes) == 5


@pytest.mark.parametrize("share", [1.0, -0.1, float("nan"), "0.1"])
def test_what_is_no_share_is_refused(share: Any) -> None:
    x, y = two_classes()
    with pytest.raises(SettingError, match=r"noise=.*: a share of the training rows is 0 or more and below 1"):
        compare(x, y, Plan(FEW, noise=[0.0, share]))


def test_in_the_shell(tmp_path: Any) -> None:
    data = written(tmp_path / "many.svm", LINES)
    words = ("compare", data, "--rules", "perceptron,arow:r=0.1", "--keeps", "last", "--epochs", 2)
    found = well(*words, "--noise", "0,.2", "--json").json
    assert found["noise"] == [0.0, 0.2]
    assert {record["rule"] for record in found["learners"]} == {"perceptron", "arow:r=0.1"}
    assert all(0.0 <= record["error_at_0.2"] <= 1.0 for record in found["learners"])
    for options, named in (
        (("--noise", "1"), "--noise 1.0: a share of the training rows is 0 or more and below 1"),
        (("--noise", "0,x"), "'x' is not a share; give one as 0.1% or 0.001"),
        (("--noise", ".1", "--optimum"), "--optimum is about the labels as they are; leave --noise out"),
    ):
        done = run(*words, *options)
        assert done.code == 2 and named in done.err and done.out == "", done.err
