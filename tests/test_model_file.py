"""The model file: pure saving, exact loading, one sentence for anything else, and never half a file."""

from __future__ import annotations

import json
import os
import pickle
import struct
import threading
import tracemalloc
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from learners import KINDS, everything, learned, problem, rows_of, same_bits
from rosenblatt.core.rows import dense
from rosenblatt.errors import ModelError
from rosenblatt.learn.run import Chunk, Limits, new_run
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.train import train
from rosenblatt.memory import memory_classes
from rosenblatt.model import file as model_file
from rosenblatt.model.model import Model

Array = np.ndarray[Any, Any]
MEGABYTE = 1 << 20


@pytest.fixture(autouse=True, scope="module")
def plain() -> Any:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("ROSENBLATT_JIT", "0")
        yield


def tiny(classes: Array | None = None, rule: Any = "perceptron", **words: Any) -> Model:
    """A model of two features, four rows, one epoch."""
    rows = dense(np.array([[1.0, 2.0], [-1.0, 0.5], [0.25, -1.0], [3.0, 0.0]]))
    run = new_run(Settings.of(rule=rule, tol=None, **words), rows, 2)
    train(run, [Chunk(rows, np.array([1.0, -1.0, -1.0, 1.0]))], Limits(1))
    return Model(
        run=run,
        classes=np.array([0, 1]) if classes is None else classes,
        reading={"format": "svmlight"},
        names=["ä", "b"],
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a tiny model lies."""
    place = tmp_path / "model"
    tiny().save(place)
    return place


def refused(path: Path) -> str:
    """The error that loading gives: one sentence that names the file."""
    with pytest.raises(ModelError) as caught:
        Model.load(path)
    text = str(caught.value)
    assert str(path) in text and "\n" not in text and caught.value.exit_code == 4
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    return text


# --- saving ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", memory_classes())
def test_the_same_model_gives_the_same_bytes_and_saving_is_pure(tmp_path: Path, keep: str) -> None:
    """peers.md, Models: saving changes predictions or resets weights."""
    for classes in (2, 3):
        p = problem(classes)
        run = learned(p, KINDS[2], 3, keep=keep, alpha=0.1)
        held = everything(run, p, KINDS[2])
        before = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in held.items()}
        model = Model(run=run, classes=np.arange(classes), reading={"base": 1})
        files = [tmp_path / f"{i}" for i in range(4)]
        model.save(files[0])
        model.save(files[1])
        Model.load(files[0]).save(files[2])
        Model(run=learned(p, KINDS[2], 3, keep=keep, alpha=0.1), classes=np.arange(classes), reading={"base": 1}).save(
            files[3]
        )
        assert len({file.read_bytes() for file in files}) == 1
        same_bits(everything(run, p, KINDS[2]), before, "after saving")
        loaded = Model.load(files[0])
        same_bits(everything(loaded.run, p, KINDS[2]), before, "loaded")
        assert loaded.reading == {"base": 1} and loaded.run.stop_reason == run.stop_reason


def test_everything_in_the_header_comes_back(path: Path) -> None:
    model, loaded = tiny(), Model.load(path)
    assert loaded.run.settings == model.run.settings and loaded.run.history == model.run.history
    assert loaded.names == ["ä", "b"] and loaded.reading == {"format": "svmlight"} and loaded.features is None
    assert path.stat().st_size < 4000


@pytest.mark.parametrize(
    "classes",
    [[-1, 1], [3, 0], [0.5, 2.5], ["ham", "spam"], ["käse", "Ω \U0001f600"], ["odd\udcff", "x"], [False, True]],
    ids=["int", "turned over", "float", "str", "Unicode", "not Unicode", "bool"],
)
def test_labels_of_every_kind(tmp_path: Path, classes: list[Any]) -> None:
    model = tiny(np.array(classes))
    model.save(tmp_path / "model")
    loaded = Model.load(tmp_path / "model")
    assert loaded.classes.tolist() == classes and loaded.classes.dtype.kind == np.array(classes).dtype.kind
    x = dense(np.array([[3.0, 3.0], [-3.0, -3.0]]))
    assert loaded.predict(x).tolist() == model.predict(x).tolist() == [classes[1], classes[0]]


def test_settings_given_as_numpy_numbers_are_saved_as_numbers(tmp_path: Path) -> None:
    """A grid search hands over np.int64 and np.float64, which JSON does not know."""
    numbers = {"optimizer": "mini-batch", "eta0": np.float32(0.5), "batch_size": np.int64(2), "alpha": np.float64(0.1)}
    tiny(fit_intercept=np.bool_(False), **numbers).save(tmp_path / "model")
    loaded = Model.load(tmp_path / "model").run.settings
    assert (loaded.eta0, loaded.optimizer.size, loaded.alpha, loaded.fit_intercept) == (0.5, 2, 0.1, False)


def test_a_failing_write_leaves_the_old_file_and_nothing_else(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk, an interrupt, a rename that fails."""
    old = path.read_bytes()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    for name in ("fsync", "replace", "chmod"):
        for failure, error in ((full, ModelError), (interrupt, KeyboardInterrupt)):
            with monkeypatch.context() as patched:
                patched.setattr(os, name, failure)
                with pytest.raises(error) as caught:
                    tiny(np.array(["a", "b"])).save(path)
            if error is ModelError:
                assert str(caught.value) == f"{path}: cannot be written: No space left on device"
            assert path.read_bytes() == old and os.listdir(path.parent) == [path.name]


def test_where_nothing_can_be_written_the_sentence_says_so(tmp_path: Path) -> None:
    for place in (tmp_path / "no" / "model", tmp_path, Path("")):
        with pytest.raises(ModelError, match="cannot be written"):
            tiny().save(place)
    assert os.listdir(tmp_path) == []


def test_a_link_stays_a_link_and_a_pipe_a_pipe(tmp_path: Path) -> None:
    """Replacing /dev/stdout, or what a link stands for, would break more than a model."""
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(target)
    tiny().save(link)
    assert link.is_symlink() and Model.load(target).classes.tolist() == [0, 1]
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    tiny().save(pipe)
    reader.join(timeout=600)
    assert pipe.is_fifo() and got == [target.read_bytes()]


def test_a_pipe_can_be_loaded(tmp_path: Path, path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(path.read_bytes()))
    writer.start()
    assert Model.load(pipe).classes.tolist() == [0, 1]
    writer.join(timeout=600)


# --- damage ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", [0, 3])
def test_one_flipped_bit_anywhere_is_noticed_or_harmless(path: Path, shift: int) -> None:
    """Harmless: white space, or the e of a number turned into E. Then the model is the same one, to the last bit."""
    whole, harmless = path.read_bytes(), 0
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << (5 * place + shift) % 8
        path.write_bytes(damaged)
        try:
            model = Model.load(path)
        except ModelError as error:
            assert str(path) in str(error) and "\n" not in str(error)
        else:
            harmless += 1
            model.save(path)
            assert path.read_bytes() == whole, place
    assert harmless < len(whole) / 100


def test_every_truncation_is_noticed(path: Path) -> None:
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        refused(path)
    path.write_bytes(whole + b"\0")
    refused(path)


def test_damage_never_allocates_much(path: Path) -> None:
    """Every byte of the length field set to every power of two, and a huge file that is not ours."""
    whole = path.read_bytes()
    tracemalloc.start()
    try:
        for place in range(8):
            for bit in range(8):
                damaged = bytearray(whole)
                damaged[place] ^= 1 << bit
                path.write_bytes(damaged)
                refused(path)
        with path.open("wb") as file:
            file.truncate(1 << 33)
        refused(path)
        with path.open("wb") as file:
            file.write(b"1 1:0.5 2:0.25\n")
            file.truncate(1 << 33)
        refused(path)
        assert tracemalloc.get_traced_memory()[1] < 20 * MEGABYTE
    finally:
        tracemalloc.stop()


def test_shapes_that_promise_more_than_there_is_allocate_nothing(path: Path) -> None:
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + length])
    header["state.w"]["shape"] = [1 << 40]
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + raw[8 + length :])
    tracemalloc.start()
    refused(path)
    assert tracemalloc.get_traced_memory()[1] < 20 * MEGABYTE
    tracemalloc.stop()


def foreign() -> dict[str, bytes]:
    from safetensors.numpy import save

    return {
        "empty": b"",
        "short": b"abc",
        "svmlight": b"1 1:0.5 3:2\n-1 2:1\n" * 100,
        "json": b'{"schema": 1}',
        "nested": b"\x00\x10\x00\x00\x00\x00\x00\x00" + b"[" * 4096,
        "deep": struct.pack("<Q", 99_999) + b'{"a":' * 20_000,
        "zeros": bytes(1000),
        "pickle": pickle.dumps({"w": np.zeros(3)}),
        "safetensors of others": save({"w": np.zeros(3)}, metadata={"format": "pt"}),
        "safetensors without words": save({"w": np.zeros(3)}),
        "list for a header": save({"w": np.zeros(3)}, metadata={"rosenblatt": "[1]"}),
        "no schema": save({"w": np.zeros(3)}, metadata={"rosenblatt": "{}"}),
        "schema of text": save({"w": np.zeros(3)}, metadata={"rosenblatt": '{"schema": "1"}'}),
        "nothing but a schema": save({"w": np.zeros(3)}, metadata={"rosenblatt": '{"schema": 1}'}),
    }


@pytest.mark.parametrize("kind", foreign())
def test_a_foreign_file_is_one_sentence(tmp_path: Path, kind: str) -> None:
    (tmp_path / "file").write_bytes(foreign()[kind])
    refused(tmp_path / "file")


def test_what_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    assert "No such file" in refused(tmp_path / "nothing") and "Is a directory" in refused(tmp_path)


def rewritten(path: Path, change: Any) -> None:
    """The model file with its header changed by someone who knows the format: the digest fits again."""
    from safetensors.numpy import load, save

    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    header = json.loads(json.loads(raw[8 : 8 + length])["__metadata__"]["rosenblatt"])
    tensors = load(raw)
    del header["digest"]
    change(header, tensors)
    header["digest"] = model_file._digest(header, tensors)
    path.write_bytes(save(tensors, metadata={"rosenblatt": json.dumps(header)}))


def test_a_newer_file_says_so(path: Path) -> None:
    rewritten(path, lambda header, tensors: header.update(schema=model_file.SCHEMA + 1))
    text = refused(path)
    assert f"newer version (schema {model_file.SCHEMA + 1}; this one reads up to {model_file.SCHEMA})" in text


@pytest.mark.parametrize(
    "change",
    [
        lambda h, t: h.pop("settings"),
        lambda h, t: h.pop("classes"),
        lambda h, t: t.pop("state.w"),
        lambda h, t: h["settings"].update(keep="everything"),
        lambda h, t: h["settings"].update(eta0="fast"),
        lambda h, t: h["settings"].update(surprise=1),
        lambda h, t: h["settings"].pop("rule"),
        lambda h, t: h["settings"].update(rule=7),
        lambda h, t: h["classes"].update(kind="object"),
        lambda h, t: h["classes"].update(kind="int", values=[1 << 80]),
        lambda h, t: h.update(position=[]),
        lambda h, t: h.update(features={"kind": "unheard of"}),
        lambda h, t: h.update(settings=[]),
    ],
)
def test_nonsense_with_a_fitting_digest_is_one_sentence_too(path: Path, change: Any) -> None:
    rewritten(path, change)
    assert "damaged" in refused(path)


# --- what a file cannot hold -----------------------------------------------------------------------------------------


class Own(NamedTuple):
    tau: float = 1.0
    name = "my own"

    def step(self, u: float, y: float, sq_norm: float) -> float:
        return y if y * u < self.tau else 0.0


def test_a_rule_of_ones_own_is_loaded_without_its_code(tmp_path: Path) -> None:
    """It predicts, and is saved again as it was; to go on learning takes the rule itself."""
    model = tiny(rule=Own(0.1234567890123))
    model.save(tmp_path / "a")
    loaded = Model.load(tmp_path / "a")
    x = rows_of(np.random.default_rng(0).normal(size=(20, 2)), KINDS[0])
    assert np.array_equal(loaded.scores(x), model.scores(x))
    loaded.save(tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == (tmp_path / "a").read_bytes()
    rows = dense(np.ones((1, 2)))
    with pytest.raises(ModelError, match="give the rule 'my own:tau=0.1234567890123' again"):
        train(loaded.run, [Chunk(rows, np.ones(1))], Limits(1))


def test_a_learning_rate_of_ones_own_must_be_given_again(tmp_path: Path) -> None:
    tiny(learning_rate=lambda t: 0.5).save(tmp_path / "model")
    loaded = Model.load(tmp_path / "model")
    rows = dense(np.ones((1, 2)))
    assert loaded.labels(loaded.scores(rows)).shape == (1,)
    with pytest.raises(ModelError, match="give the learning rate again"):
        train(loaded.run, [Chunk(rows, np.ones(1))], Limits(1))


def test_loading_imports_and_runs_nothing_of_the_files(tmp_path: Path) -> None:
    """peers.md, Models: pickled models run code. A rule named like a module is a name and no more."""
    (tmp_path / "trap.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\nclass Rule:\n    pass\n")
    tiny().save(tmp_path / "model")
    for name in (f"{tmp_path}/trap.py:Rule", "trap.Rule", "__import__('os').system('true')"):
        rewritten(tmp_path / "model", lambda header, tensors, name=name: header["settings"].update(rule=name))
        assert Model.load(tmp_path / "model").run.settings.rule.name == name
    assert not (tmp_path / "sprung").exists()
