"""`rosenblatt train`: every format, every option, and going on exactly."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from safetensors.numpy import load_file

from command import NUMBERS, WORDS, one_of_each, run, well, write
from rosenblatt.learn.settings import DEFAULTS
from rosenblatt.memory import memory_classes
from rosenblatt.model.model import Model


@pytest.fixture(name="data")
def _data(tmp_path: Path) -> dict[str, Path]:
    return one_of_each(tmp_path)


KEYS = {
    *("rows", "features", "classes", "rule", "keep", "epochs", "mistakes_per_epoch", "updates", "stop_reason"),
    *("converged", "training_errors", "seconds", "model"),
}


@pytest.mark.parametrize("kind", ["svmlight", "table", "three", "text", "mail"])
def test_train_on_every_format_and_repeat_its_steps(kind: str, data: dict[str, Path], tmp_path: Path) -> None:
    """The model keeps how its data were read and made into numbers: predictions on the training data are right."""
    model = tmp_path / "model"
    found = well("train", data[kind], "-o", model, "--json").json
    assert set(found) >= KEYS
    assert found["rows"] == 6 and sum(found["class_rows"].values()) == 6
    assert found["training_errors"] == 0 and found["converged"] and found["stop_reason"] == "an epoch without an update"
    assert found["mistakes_per_epoch"][-1] == 0 and len(found["mistakes_per_epoch"]) == found["epochs"]
    evaluated = well("evaluate", model, data[kind], "--json").json
    assert (evaluated["rows"], evaluated["errors"]) == (6, 0)
    assert evaluated["classes"] == found["classes"]


def test_train_tells_people_why_it_stopped_and_what_to_try_next(data: dict[str, Path], tmp_path: Path) -> None:
    """peers.md, Training: stops, and nobody can tell which rule stopped it → a reason; Mail: too few messages of one
    class, silence → counts per class."""
    done = well("train", data["text"], "-o", tmp_path / "m")
    assert "6 rows (ham: 3, spam: 3; positive: spam)" in done.out
    assert "stopped: an epoch without an update\ntraining errors: 0 of 6\n" in done.out and "next:" not in done.out
    both = write(tmp_path / "both.txt", "a\tx\nb\tx\n" * 3)
    done = well("train", both, "-o", tmp_path / "m", "--epochs", "4")
    assert "stopped: epoch limit (--epochs 4)\n" in done.out
    assert "next: --metric arow --keep averaged, which made the fewest errors over many data sets" in done.out
    assert ", or --keep pocket; " in done.out and "--epochs" in done.out
    asked = well("train", both, "-o", tmp_path / "m", "--epochs", "4", "--rule", "margin").out
    assert "next: --keep averaged or --keep pocket" in asked  # --metric arow would be refused beside a rule
    assert "more --max-updates" in well("train", data["text"], "-o", tmp_path / "m", "--max-updates", "1").out
    assert well("train", both, "-o", tmp_path / "m", "--epochs", "4", "--json").json["converged"] is False
    few = write(tmp_path / "few.txt", "a\tx\nb\ty\n")
    assert "next: there is no feature to learn from" in well("train", few, "-o", tmp_path / "m", "--epochs", "1").out
    assert "next:" not in well("train", few, "-o", tmp_path / "m", "--min-documents", "1").out


PACKED = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress, ".zst": zstandard.compress}


@pytest.mark.parametrize("suffix", PACKED)
def test_compressed_data_are_read_as_they_are(suffix: str, data: dict[str, Path], tmp_path: Path) -> None:
    pack: Callable[[bytes], bytes] = PACKED[suffix]
    packed, model = write(tmp_path / f"packed.svm{suffix}", pack(NUMBERS.encode())), tmp_path / "model"
    found, plain = (well("train", given, "-o", model, "--json").json for given in (packed, data["svmlight"]))
    assert {**found, "seconds": 0} == {**plain, "seconds": 0}
    assert well("predict", model, packed).out.split() == ["1", "-1", "1", "-1", "1", "-1"]


def test_a_tar_of_mails_is_a_folder_of_mails(data: dict[str, Path], tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "mails.tar.xz", "w:xz") as archive:
        archive.add(data["mail"], "mails")
    well("train", data["mail"], "-o", tmp_path / "one")
    well("train", tmp_path / "mails.tar.xz", "-o", tmp_path / "other")
    assert well("evaluate", tmp_path / "one", tmp_path / "mails.tar.xz", "--json").json["errors"] == 0
    one, other = (well("inspect", tmp_path / name, "--json").json for name in ("one", "other"))
    assert one["features"] == other["features"] and one["classes"] == ["ham", "spam"]


@pytest.mark.parametrize("kind", ["svmlight", "three", "text"])
def test_training_from_standard_input(kind: str, data: dict[str, Path], tmp_path: Path) -> None:
    given = data[kind].read_bytes()
    done = well("train", "-", "-o", tmp_path / "piped", "--json", given=given)
    well("train", data[kind], "-o", tmp_path / "read")
    assert (tmp_path / "piped").read_bytes() == (tmp_path / "read").read_bytes()
    assert done.json["rows"] == 6


def test_the_options_reach_the_learner(data: dict[str, Path], tmp_path: Path) -> None:
    words = [
        *("--rule", "margin:tau=2", "--keep", "pocket", "--check-every", "5", "--no-intercept", "--positive", "-1"),
        *("--optimizer", "mini-batch", "--batch-size", "3", "--order", "given", "--seed", "9", "--epochs", "7"),
        *("--eta", "0.5", "--schedule", "sqrt", "--decay", "0.1", "--l2", "0.01", "--tol", "none", "--patience", "4"),
    ]
    well("train", data["svmlight"], "-o", tmp_path / "m", *words, "--scale", "standard+unit")
    found = well("inspect", tmp_path / "m", "--json").json
    assert found["settings"] == {
        "rule": "margin:tau=2",
        "keep": "pocket",
        "optimizer": "mini-batch",
        "eta0": 0.5,
        "learning_rate": "sqrt",
        "decay": 0.1,
        "alpha": 0.01,
        "batch_size": 3,
        "shuffle": False,
        "random_state": 9,
        "fit_intercept": False,
        "tol": None,
        "n_iter_no_change": 4,
        "epsilon": DEFAULTS["epsilon"],
        "counting": DEFAULTS["counting"],
        "check_every": 5,
        "multi_class": DEFAULTS["multi_class"],
    }
    assert found["classes"] == [1, -1] and found["positive"] == -1
    assert [step["kind"] for step in found["representation"]["scale"]] == ["standard", "unit"]


def test_words_can_be_counted_limited_and_hashed(data: dict[str, Path], tmp_path: Path) -> None:
    def words(*options: str) -> Any:
        well("train", data["text"], "-o", tmp_path / "m", *options)
        return well("inspect", tmp_path / "m", "--json").json["representation"]["dictionary"]

    assert words()["size"] == 8, "all that are in two texts"
    assert words("--min-documents", "1")["size"] == 9 and words("--max-words", "4")["size"] == 4
    assert words("--features", "count")["values"] == "count"
    hashed = words("--dictionary", "hashed", "--bits", "9", "--signed", "--precision", "float32")
    assert (hashed["bits"], hashed["signed"], hashed["precision"]) == (9, True, "float32")


def test_class_weights_and_scorers(data: dict[str, Path], tmp_path: Path) -> None:
    def weights(*options: str) -> Any:
        well("train", data["text"], "-o", tmp_path / "m", "--epochs", "1", "--order", "given", *options)
        return Model.load(tmp_path / "m").weights[0]

    assert (weights("--class-weight", "ham=1,spam=1") == weights()).all()
    assert (weights("--class-weight", "balanced") == weights()).all(), "three of each"
    assert (weights("--class-weight", "spam=3") != weights()).any()
    for scoring in ("balanced_accuracy", "roc_auc", "f1"):
        well("train", data["text"], "-o", tmp_path / "m", "--keep", "pocket", "--scoring", scoring)


def test_an_order_from_a_file(data: dict[str, Path], tmp_path: Path) -> None:
    order = write(tmp_path / "order", "6\n5\n4\n3\n2\n1\n")
    turned = write(tmp_path / "turned.svm", "".join(f"{line}\n" for line in NUMBERS.splitlines()[::-1]))
    well("train", data["svmlight"], "-o", tmp_path / "one", "--order", order, "--epochs", "1")
    well("train", turned, "-o", tmp_path / "other", "--order", "given", "--epochs", "1")
    one, other = Model.load(tmp_path / "one"), Model.load(tmp_path / "other")
    assert (one.weights[0] == other.weights[0]).all() and one.run.history == other.run.history


RULE = "class Mine:\n    eta0 = 0.5\n    def step(self, u, y, sq_norm):\n        return y if y * u <= 0.25 else 0.0\n"


def test_a_rule_of_ones_own(data: dict[str, Path], tmp_path: Path) -> None:
    own = write(tmp_path / "own.py", RULE)
    found = well(
        "train", data["svmlight"], "-o", tmp_path / "m", "--rule", f"{own}:Mine", "--epochs", "2", "--json"
    ).json
    assert found["rule"] == "Mine"
    assert well("predict", tmp_path / "m", data["svmlight"]).out, "predicting needs no rule"
    refused = run("train", data["svmlight"], "-o", tmp_path / "n", "--continue", tmp_path / "m")
    assert refused.code == 4 and "give the rule 'Mine' again" in refused.err
    well("train", data["svmlight"], "-o", tmp_path / "n", "--continue", tmp_path / "m", "--rule", f"{own}:Mine")


# --- going on --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", memory_classes())
@pytest.mark.parametrize(
    ("kind", "rule"), [("text", "perceptron"), ("three", "logistic"), ("svmlight", "margin:tau=9")]
)
def test_going_on_is_the_same_as_never_having_stopped(
    kind: str, rule: str, keep: str, data: dict[str, Path], tmp_path: Path
) -> None:
    """peers.md, Training: warm start resets the counter → fit(5) ≡ 2 epochs, save, load, 3 more, bit for bit."""
    words = ["--rule", rule, "--keep", keep, "--schedule", "sqrt", "--l2", "0.001", "--tol", "none"]
    write(data["text"], WORDS + "ham\tfree prize now\n")  # never finished
    one, two, five = (tmp_path / name for name in ("one", "two", "five"))
    well("train", data[kind], "-o", five, *words, "--epochs", "5")
    well("train", data[kind], "-o", one, *words, "--epochs", "2")
    well("train", data[kind], "-o", two, "--continue", one, "--epochs", "3", "--keep", keep)
    expected, found = load_file(five), load_file(two)
    assert expected.keys() == found.keys()
    for name in expected:
        assert expected[name].tobytes() == found[name].tobytes(), name
    assert Model.load(five).run.history == Model.load(two).run.history


def test_going_on_after_a_step_limit_in_mid_epoch(data: dict[str, Path], tmp_path: Path) -> None:
    well("train", data["svmlight"], "-o", tmp_path / "whole")
    well("train", data["svmlight"], "-o", tmp_path / "m", "--max-updates", "1")
    well("train", data["svmlight"], "-o", tmp_path / "m", "--continue", tmp_path / "m")
    assert load_file(tmp_path / "whole")["state.w"].tobytes() == load_file(tmp_path / "m")["state.w"].tobytes()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), True),
        (("--rule", "margin"), True),
        (("--keep", "averaged"), False),
        (("--keep", "pocket"), False),
        (("--rule", "logistic"), False),
        (("--epochs", "9"), False),
    ],
)
def test_what_may_never_settle_is_said_while_it_runs(
    options: tuple[str, ...], said: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once; of long runs only, which this one is made to be."""
    monkeypatch.setattr("rosenblatt.cli.train.LONG", 0.0)
    data = tmp_path / "xor.svm"
    data.write_text("1 1:1 2:1\n1\n-1 1:1\n-1 2:1\n")
    done = well("train", data, "-o", tmp_path / "m", "--epochs", "40", *options)
    assert done.err.count("get no fewer") == said
    data.write_text("1 1:1\n-1 2:1\n")
    assert "fewer" not in well("train", data, "-o", tmp_path / "m", *options).err


def test_of_short_runs_nothing_is_said(tmp_path: Path) -> None:
    data = tmp_path / "xor.svm"
    data.write_text("1 1:1 2:1\n1\n-1 1:1\n-1 2:1\n")
    assert "fewer" not in well("train", data, "-o", tmp_path / "m", "--epochs", "40").err
