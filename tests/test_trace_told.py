"""Sentences about updates say what happened: each word agrees with the sign of the number that it is about."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learners import problem
from rosenblatt import KernelPerceptron, Perceptron
from rosenblatt.errors import DataError, SettingError
from rosenblatt.learn.metric import shaping
from rosenblatt.learn.rule import rule_classes
from rosenblatt.report.trace import jointly, sentence, sentences, signed
from rosenblatt.trace import Record, Trace
from test_trace import OPTIMIZERS, recorded


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops in plain Python."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


def number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", "").replace("∞", "inf"))


def last_number(text: str) -> float:
    return number(re.findall(r"[−\d.,e+-]*\d(?:e[+-]\d+)?", text)[-1])


def one_move(told: str, before: float, after: float) -> None:
    """What is told of the scores y·u of one class on both sides of an update."""
    before, after = float(before), float(after)
    now, end = told.rsplit(": ", 1)
    allowed = ("right", "still right") if after > 0.0 else ("still wrong", "still wrong (undershoot)", "now wrong")
    assert end in allowed, told
    assert end.startswith(("still right", "now")) is (before > 0.0), told
    assert ("was right by" in told) is (before > 0.0), told
    assert ("which is a mistake" in told) is (before == 0.0), told
    for sign, shown in ((before, number(re.split(r"was right by |y·u was ", told)[1].split(",")[0].rstrip(","))),
                        (after, last_number(now))):  # fmt: skip
        assert shown == pytest.approx(sign, rel=6e-3) and np.sign(shown) == np.sign(sign), told


def ahead(own: Any, u: Any) -> float:
    return float(u[own.y > 0][0] - u[own.y < 0].max())


def tells_what_happened(record: Record, x: Any) -> None:
    """Every sentence of a record, by its numbers alone; x: the rows, by which classes that did not move are judged."""
    all_told = list(sentences(record))
    assert len(all_told) == len(record) > 0
    for k, told in enumerate(all_told, 1):
        own, rows = record.of(k), len(set(record.of(k).row.tolist()))
        assert told.startswith(f"update {k}") and "nan" not in told.lower()
        if rows > 1:
            assert told.startswith(f"update {k}: {rows} rows moved w together"), told
            if not jointly(record):
                counts = [len(set(own.row[own.y * u <= 0].tolist())) for u in (own.u, own.after)]
                assert told.endswith(f"{counts[0]} of them wrong before it, {counts[1]} after it"), told
            continue
        head, rest = told.split("): ", 1)
        assert head.startswith(f"update {k}, row {own.row[0] + 1} (")
        if jointly(record):
            end, before, after = rest.rsplit(": ", 1)[1], ahead(own, own.u), ahead(own, own.after)
            w, b = record.weights(k)  # type: ignore[misc]
            scores = w @ x[own.row[0]] + b
            mine = own.cls[own.y > 0][0]
            truly = scores[mine] > np.delete(scores, mine).max()
            if end.startswith("ahead of"):
                assert after > 0.0 and "may be ahead" in end
            else:
                assert end.startswith(("right", "still right")) is bool(truly) is (after > 0.0), told
                assert end.startswith(("still right", "now wrong")) is (before > 0.0), told
        elif len(record.start[1]) == 1:
            one_move(rest, own.y[0] * own.u[0], own.y[0] * own.after[0])
        else:
            parts = [part.split(": ", 1) for part in rest.split("; ")]
            for cls, y, u, after in zip(own.cls, own.y, own.u, own.after, strict=True):
                side = f"{'towards' if y > 0 else 'away from'} {record.classes[cls]}"
                (move,) = (move for sides, move in parts if side in sides.split(", "))
                one_move(move, y * u, y * after)


@pytest.mark.parametrize(("rule", "classes"), [*product(rule_classes(), (2, 3))])
def test_every_rule_and_optimizer(rule: str, classes: int) -> None:
    for optimizer in OPTIMIZERS:
        try:
            trace, _, x = recorded(classes, rule=rule, optimizer=optimizer)
        except SettingError:  # the two do not go together
            continue
        tells_what_happened(trace.record, x)


@pytest.mark.parametrize(("metric", "classes"), [*product(shaping(), (2, 3))])
def test_every_metric(metric: str, classes: int) -> None:
    own = hasattr(shaping()[metric], "stride")
    trace, _, x = recorded(classes, metric=metric, **({} if own else {"rule": "logistic"}))
    tells_what_happened(trace.record, x)
    told = sentence(trace.record, 1)
    assert ("adds y·a·x̄ᵀΣx̄ = " if own else "adds η·y·a·x̄ᵀΣx̄ = ") in told


@given(st.floats(allow_nan=False, width=64))
def test_a_number_is_short_and_keeps_its_sign(value: float) -> None:
    text = signed(value)
    assert number(text) == pytest.approx(value, rel=6e-3) and np.sign(number(text)) == np.sign(value)
    assert len(text) <= 14


AND = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array(["no", "no", "no", "yes"])


def of_and(**words: Any) -> Record:
    trace = Trace()
    Perceptron(shuffle=False, **words).fit(*AND, callback=trace)
    return trace.record


def test_the_sentences_of_and() -> None:
    told = list(sentences(of_and()))
    assert told[:3] == [
        "update 1, row 1 (no): y·u was 0, which is a mistake, the update adds η‖x̄‖² = 1, now 1: right",
        "update 2, row 4 (yes): y·u was −1, the update adds η‖x̄‖² = 3, now 2: right",
        "update 3, row 1 (no): y·u was 0, which is a mistake, the update adds η‖x̄‖² = 1, now 1: right",
    ]
    assert told[3:5] == [sentence(of_and(), 4), sentence(of_and(), 5)]
    assert list(sentences(of_and(), 2, 2)) == told[1:2]
    assert "adds η‖x‖² = " in sentence(of_and(fit_intercept=False, max_iter=9), 2)


def test_undershoot_is_called_so() -> None:
    x, y = np.array([[3.0], [0.5]]), np.array([1, 0])
    trace = Trace()
    Perceptron(shuffle=False, max_iter=3, fit_intercept=False).fit(x, y, callback=trace)
    assert sentence(trace.record, 2) == (
        "update 2, row 2 (0): y·u was −1.5, the update adds η‖x‖² = 0.25, now −1.25: still wrong (undershoot)"
    )


@pytest.mark.parametrize("classes", [2, 3])
def test_shrinking_is_told_apart_from_the_step(classes: int) -> None:
    trace, _, x = recorded(classes, rule="logistic", alpha=0.1, eta0=0.5)
    record = trace.record
    for k in range(2, 12):
        own, told = record.of(k), sentence(record, k)
        w, b = record.weights(k - 1)  # type: ignore[misc]
        if not x[own.row[0]].any():  # no weight moves its score
            continue
        assert len(re.findall("when L2 had shrunk w by 5 %", told)) == told.count("adds y·a")
        if classes == 2:
            shrunk = own.y[0] * (0.95 * (w[0] @ x[own.row[0]]) + b[0])
            assert f", {signed(shrunk)} when L2" in told
            assert f"adds y·a‖x̄‖² = {signed(own.y[0] * own.after[0] - shrunk)}," in told


def test_what_was_not_measured_is_said_to_be() -> None:
    trace, _, _ = recorded(optimizer="batch", chunks=3)
    assert sentence(trace.record, 1).endswith("of them wrong before it, how many after it was not measured")
    p, trace = problem(), Trace()
    KernelPerceptron(kernel="poly", max_iter=2, budget=3, tol=None).fit(p.x, p.y, callback=trace)
    assert all(told.endswith("what it is after the update was not measured") for told in sentences(trace.record))


def test_of_many_classes_the_rows_own_and_the_worst_are_named() -> None:
    p = problem(8, n=24)
    trace = Trace()
    Perceptron(max_iter=2).fit(p.x, p.y, callback=trace)
    told = max(sentences(trace.record, 2), key=len)
    assert len(told) < 700 and told.count("; ") <= 3
    first = sentence(trace.record, 1)
    assert re.fullmatch(
        r"update 1, row \d+ \((.)\.0\): towards \1.0, away from .\.0, away from .\.0 and 5 more: "
        r"y·u was 0, which is a mistake, the update adds η‖x̄‖² = \S+, now \S+: right",
        first,
    ), first


def test_labels_cannot_steer_and_wrong_numbers_are_refused() -> None:
    x, y = AND[0], np.array(["a\x1b[31m" + "b" * 60, "a\x1b[31m" + "b" * 60, "", ""])
    trace = Trace()
    Perceptron(max_iter=4).fit(x, y, callback=trace)
    told = list(sentences(trace.record))
    assert all("\x1b" not in each and len(each) < 160 for each in told) and any("(empty)" in each for each in told)
    with pytest.raises(DataError, match="there is no update 0"):
        sentence(of_and(), 0)
    with pytest.raises(DataError, match="there is no update 99"):
        list(sentences(of_and(), 99, 99))
