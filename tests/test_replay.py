"""A recorded run made again is the same to the last bit; whatever was changed in its file is named."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import run, well
from learners import KINDS, problem
from recorded import changed, fitted, places, recorded
from rosenblatt import KernelPerceptron, LinearClassifier, Perceptron, Recipe
from rosenblatt.errors import ModelError, SettingError
from rosenblatt.kernels.rows import KernelRows
from rosenblatt.learn.metric import shaping
from rosenblatt.learn.rule import rule_classes
from rosenblatt.learn.run import Limits
from rosenblatt.memory import memory_classes
from rosenblatt.optimizers import optimizer_classes
from rosenblatt.trace import Record, Trace, lines, read, replay, save
from rosenblatt.trace.replay import verify


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops in plain Python."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


def made_again(record: Record, path: Path) -> None:
    """Bit for bit, from memory and from the file."""
    save(record, path)
    for found in (replay.replay(record), verify(path)):
        assert found.equal and found.exact and found.same, found.differences[:3]
        assert found.record is not None and len(found.record) == len(record)


@pytest.mark.parametrize(("rule", "keep"), [*product(rule_classes(), memory_classes())])
def test_every_rule_memory_optimizer_and_metric(path: Path, rule: str, keep: str) -> None:
    number, choices = 0, [*((each, "none") for each in optimizer_classes()), *(("online", each) for each in shaping())]
    for classes, (optimizer, metric) in product((2, 3), choices):
        kind, chunks = KINDS[number % len(KINDS)], 1 + number // 4 % 2
        try:
            record = recorded(classes, kind, chunks, rule=rule, keep=keep, optimizer=optimizer, metric=metric)
        except SettingError:  # they do not go together
            continue
        number += 1
        save(record, path)
        found = verify(path)
        assert found.equal and found.exact, (optimizer, metric, classes, kind, found.differences[:3])
    assert number


def test_starts_orders_weights_kernels_and_runs_that_go_on(path: Path) -> None:
    for classes in (2, 3):
        p = problem(classes)
        k = 1 if classes == 2 else 3
        start: dict[str, Any] = {"coef_init": np.ones((k, 4)) / 3, "intercept_init": np.full(k, 0.5)}
        weight, going = np.linspace(0.0, 2.0, len(p.y)), {"warm_start": True, "max_iter": 2}
        for record in (
            fitted(Perceptron(max_iter=3), p.x, p.y, order=[3, 1, 1, 0, 5], **start),
            fitted(LinearClassifier(metric="ftrl", rule="logistic", max_iter=2), p.x, p.y, **start),
            fitted(LinearClassifier(rule="logistic", alpha=0.1, max_iter=3), p.x, p.y, sample_weight=weight),
            fitted(LinearClassifier(learning_rate=lambda t: 1.0 / (1 + t), max_iter=2), p.x, p.y),
            fitted(KernelPerceptron(kernel="rbf", max_iter=3), p.x, p.y),
            fitted(KernelPerceptron(kernel="poly", budget=4, max_iter=3), p.x.astype(np.float32), p.y),
            fitted(KernelPerceptron(kernel="precomputed", keep="voted", max_iter=3), p.x @ p.x.T, p.y),
            fitted(LinearClassifier(keep="averaged", **going).fit(p.x, p.y), p.x[::2], p.y[::2]),
            fitted(LinearClassifier(metric="arow", **going).fit(p.x, p.y), p.x, p.y),
            fitted(KernelPerceptron(kernel="rbf", **going).fit(p.x[::2], p.y[::2]), p.x, p.y),
        ):
            if "callable" not in record.settings.words().values():
                made_again(record, path)
            else:
                assert replay.replay(record).exact
        trace = Trace()  # of learning with virtual examples the second part, which goes on from the first one's weights
        Recipe(kernel="poly", virtual=lambda rows: [-rows], max_iter=2).fit(p.x, p.y, observers=trace)
        made_again(trace.record, path)


STOPS: dict[str, dict[str, Any]] = {
    "step limit (max_updates=7)": {"limits": Limits(9, 7)},
    "epoch limit (max_iter=2)": {"limits": Limits(2)},
    "step limit (max_updates=5)": {"limits": Limits(None, 5), "optimizer": "pick-first"},
    "no progress by tol=0.1 for 2 epochs": {"limits": Limits(99), "tol": 0.1, "n_iter_no_change": 2},
    "small gradient (below epsilon=0.5)": {"optimizer": "batch", "epsilon": 0.5},
}


@pytest.mark.parametrize("stop", STOPS)
def test_stops_of_the_run_itself_come_again(path: Path, stop: str) -> None:
    record = recorded(**STOPS[stop])
    assert record.stop == stop
    made_again(record, path)
    other = replace(record, stop="an epoch without an update")
    assert "end.stop" in [each.field for each in replay.replay(other).differences]


def test_stops_from_outside_are_taken_as_they_are(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A callback in mid-epoch and at an epoch's end, and validation, which the record knows nothing of."""
    p = problem()
    monkeypatch.setattr("rosenblatt.learn.epochs.SEGMENT", 4)
    for callback in (lambda e: e.run.epoch == 1 and e.done == 8, lambda e: e.epoch_ended and "enough"):
        trace = Trace()
        Perceptron(max_iter=9).fit(p.x, p.y, callback=[trace, callback])
        assert trace.record.stop in ("stopped by the callback", "enough")
        made_again(trace.record, path)
    record = fitted(Perceptron(max_iter=99, n_iter_no_change=2), p.x, p.y, validation=(p.x, p.y))
    assert "on the validation rows no better" in record.stop
    made_again(record, path)


# --- what was changed ---


def named(path: Path, line: int, place: tuple[Any, ...]) -> str:
    """The field that verifying names, of that line alone."""
    done = run("replay", path, "--verify", "--json")
    assert done.code == 1, (line, place, done)
    found = done.json["differences"]
    assert {each["line"] for each in found} == {line}, (line, place, found)
    text = run("replay", path, "--verify")
    assert text.code == 1 and f"{path}, line {line}: {found[0]['field']} is " in text.out.replace("\n", " ")
    return str(found[0]["field"])


@pytest.mark.parametrize("words", [{"classes": 3}, {"optimizer": "mini-batch", "batch_size": 5}], ids=str)
def test_each_field_that_is_changed_is_named(path: Path, words: dict[str, Any]) -> None:
    """Each number, text and empty value of each line in turn; but of the first, which say that it is a trace at all."""
    record = recorded(limits=Limits(2), **words)
    save(record, path)
    texts = path.read_text().splitlines()
    count = 0
    for number, text in enumerate(texts, 1):
        line = json.loads(text)
        for place in places(line):
            new, value = changed(line, place)
            path.write_text("\n".join([*texts[: number - 1], new, *texts[number:]]) + "\n")
            if place in (("format",), ("version",)):
                assert run("replay", path, "--verify").code == 4
                continue
            found = verify(path)
            assert len(found.differences) == 1 and not found.equal, (number, place, found.differences)
            field = "".join(f"[{key + 1}]" if isinstance(key, int) else f".{key}" for key in place)[1:]
            (each,) = found.differences
            assert each.line == number and field.startswith(each.field), (number, place, each)
            assert each.field == field or isinstance(each.file, list), (field, each)
            assert each.file == value or isinstance(each.file, list)
            count += 1
    assert count > 150
    path.write_text("\n".join([*texts[:1], changed(json.loads(texts[1]), ("entries", 0, "u"))[0], *texts[2:]]) + "\n")
    assert named(path, 2, ()) == "entries[1].u"


def test_lines_that_are_gone_moved_or_written_otherwise(path: Path) -> None:
    save(recorded(), path)
    texts = path.read_text().splitlines()

    def found(*own: str) -> list[Any]:
        path.write_text("\n".join(own) + "\n")
        return verify(path).differences

    assert found(*texts[:2], *texts[3:])[0].line == 3
    assert found(*texts[:2], texts[3], texts[2], *texts[4:])[0].field == "update"
    assert found(*texts[:-1], texts[-2], texts[-1])[0].line == len(texts)
    (each,) = found(*texts[:2], texts[2].replace(":", ": "), *texts[3:])
    assert (each.line, each.file) == (3, "the same, written in another way")
    (each,) = found(*texts[:2], texts[2].replace("{", '{"mine":1,', 1), *texts[3:])
    assert (each.line, each.field, each.run) == (3, "mine", "nothing")


def test_what_lies_beside_is_held_against_the_run_too(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "EVENTS", 10)
    record = recorded(3)
    save(record, path)
    assert verify(path).exact
    whole = [line for line, _ in lines.closing(lines.written(record).lines)]
    other = record.entries.u.copy()
    other[4] += 1.0
    save(replace(record, entries=record.entries._replace(u=other)), path)
    path.write_text("".join(f"{lines.as_text(line)}\n" for line in whole))
    (each,) = verify(path).differences
    assert (each.line, each.field, each.file - each.run) == (0, "entries.u[5]", 1.0)
    done = run("replay", path, "--verify")
    assert done.code == 1 and done.out.startswith(f"{path}.safetensors: entries.u[5] is ")


# --- other machines ---


def test_another_machine_is_equal_to_a_billionth(path: Path) -> None:
    record = recorded()
    here = record.facts["machine"]
    there = {**here, "versions": {**here["versions"], "numpy": "1.0"}}
    record = replace(record, facts={**record.facts, "machine": there})
    save(record, path)
    found = verify(path)
    assert found.equal and found.exact and not found.same
    assert run("replay", path, "--verify").code == 0
    assert "made on another machine or with other versions: " in well("replay", path).out
    for off, equal in ((1e-12, True), (1e-6, False)):
        own = replace(record, entries=record.entries._replace(u=record.entries.u + off))
        save(own, path)
        found = verify(path)
        assert found.equal is equal and not found.exact
        assert run("replay", path, "--verify").code == (6 if equal else 1)
    save(replace(record, entries=record.entries._replace(u=record.entries.u + 1e-12)), path)
    texts = path.read_text().splitlines()
    new, _ = changed(json.loads(texts[1]), ("entries", 0, "u"))  # by less than what is let pass
    path.write_text("\n".join([texts[0], new, *texts[2:]]) + "\n")
    assert [(each.field, each.line) for each in verify(path).differences] == [("digest", 8)]


def test_what_cannot_be_made_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Own:
        name = "mine"

        def step(self, u: float, y: float, sq_norm: float) -> float:
            return y if y * u <= 0.0 else 0.0

    p = problem()
    for learner, why in (
        (LinearClassifier(learning_rate=lambda t: 1.0), "the learning rate was a function, which no file holds"),
        (LinearClassifier(rule=Own()), "the rule 'mine' was one of its user's own, and no file holds code"),
    ):
        record = fitted(learner.set_params(max_iter=2), p.x, p.y)
        assert replay.replay(record).exact
        save(record, path)
        with pytest.raises(ModelError, match=why):
            verify(path)
        assert read(path).entries.u.tolist() == record.entries.u.tolist()
    model = Recipe(max_iter=2).fit(p.x, p.y)
    trace = Trace()
    Recipe.to_go_on(max_iter=2).fit_more(model, p.x, p.y, observers=trace)
    monkeypatch.setattr(lines, "EMBEDDED", 0)
    save(trace.record, path)
    with pytest.raises(ModelError, match="the run went on from a model, which has the features"):
        verify(path, (p.x, p.y))


def test_a_forged_record_is_refused_before_it_is_run(path: Path) -> None:
    """With right digests: compiled loops would read and write past the ends of arrays."""
    p = problem()
    plain, kernel = recorded(), fitted(KernelPerceptron(kernel="rbf", max_iter=2), p.x, p.y)
    going = fitted(LinearClassifier(warm_start=True, max_iter=2).fit(p.x, p.y), p.x, p.y)
    chunk, base = plain.chunk, kernel.chunk
    assert chunk is not None and base is not None and going.begun is not None
    header, tensors = going.begun
    narrow = {**tensors, "state.w": tensors["state.w"][:2].copy()}
    rows = KernelRows(base.rows.kernel, base.rows.rows, base.rows.base, base.rows.own + 5)
    for record, why in (
        (replace(plain, chunk=chunk._replace(y=chunk.y * 2)), "labels are not those of its classes"),
        (replace(plain, chunk=chunk._replace(weight=-chunk.y)), "not a weight ≥ 0 each"),
        (replace(plain, order=np.array([0, 12])), "its order names rows that there are not"),
        (replace(plain, order=np.array([-1])), "its order names rows that there are not"),
        (replace(plain, sizes=(5, 5)), "its chunks are not all of its rows"),
        (replace(plain, start=(np.ones((1, 3)), np.ones(1))), "w has another shape"),
        (replace(plain, start=(np.full((1, 4), np.nan), np.ones(1))), "w is not finite"),
        (replace(kernel, chunk=base._replace(rows=rows)), "its kernel has rows that there are not"),
        (replace(going, begun=(header, narrow)), "its array state.w is of float64 and shape"),
        (replace(going, begun=({**header, "blocks": "x"}, tensors)), "its state, blocks says 'x'"),
    ):
        with pytest.raises(ModelError, match=why):
            replay.again(record)
        save(record, path)
        with pytest.raises(ModelError, match=f"^{path}: damaged: .*{why}"):
            verify(path)


REAL = {"heart_scale": 5, "vowel": 3, "a9a": 1}
"""name → epochs; vowel has eleven classes."""


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_real_data_compiled(path: Path, name: str, load_shared: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every rule × memory × metric."""
    monkeypatch.setenv("ROSENBLATT_JIT", "1")
    X, y = load_shared(name)
    choices = [*product(rule_classes(), memory_classes(), ["none", *shaping()])]
    count = 0
    for rule, keep, metric in choices:
        try:
            learner = LinearClassifier(rule=rule, keep=keep, metric=metric, max_iter=REAL[name])
            record = fitted(learner, X, y)
        except SettingError:
            continue
        count += 1
        found = replay.replay(record)
        assert found.equal and found.exact, (rule, keep, metric, found.differences[:3])
    assert count > 50
