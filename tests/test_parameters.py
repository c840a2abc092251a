"""The one table of parameters: who declares them, where they are shown, what they refuse, and in whose words."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from command import one_of_each, run
from rosenblatt import LinearClassifier
from rosenblatt.cli.command import in_shell
from rosenblatt.cli.options import TABLE
from rosenblatt.cli.train import train
from rosenblatt.errors import Message, SettingError, plain
from rosenblatt.features import bag, hashing, ngrams, pipeline, quadratic, scaling, senders, vocabulary
from rosenblatt.features.parameters import FEATURES
from rosenblatt.learn.settings import learner_table
from rosenblatt.parameters import Parameter
from rosenblatt.read import reader_classes, reading_table
from rosenblatt.read.parameters import FORMAT

ROOT = Path(__file__).parent.parent
LEARNER = learner_table()
OPTIONS = {name: parameter for parameter in train.params for name in [*parameter.opts, *parameter.secondary_opts]}
RANGED = [entry for entry in TABLE.values() if entry.choices or entry.least is not None]


# --- who declares them, and where they are shown --------------------------------------------------------------------


@pytest.mark.parametrize("name", LEARNER)
def test_a_parameter_of_the_learner_is_everywhere(name: str) -> None:
    entry = LEARNER[name]
    parameter = inspect.signature(LinearClassifier).parameters[name]
    assert (parameter.default, parameter.annotation) == (entry.default, entry.annotation)
    said = re.search(
        rf"^    {name} : (.*), default (.*)\n((?:     .*\n)+)", LinearClassifier.__doc__ or "", re.MULTILINE
    )
    assert said and (said[1], said[2]) == (entry.type_text, entry.default_text)
    assert " ".join(said[3].split()) == " ".join(entry.meaning.split()) != ""
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    listed = f"| `{name}` |" in page and entry.meaning.replace("|", "\\|") in page
    assert listed, f"docs/settings.md does not say what {name} means: run tools/write_settings.py"


@pytest.mark.parametrize("name", TABLE)
def test_a_parameter_has_an_option_or_says_that_it_has_none(name: str) -> None:
    entry = TABLE[name]
    if not entry.options:
        assert all(parameter.name != name for parameter in train.params)
        return
    option = OPTIONS[re.split(r"[ /]", entry.options)[0]]
    if entry.section:
        assert option.name == name and getattr(option, "section", "") == entry.section and entry.help
        assert (option.help or "").startswith(entry.help.partition("{choices}")[0])


def test_a_need_names_an_entry_and_a_value_that_it_can_have() -> None:
    for entry in TABLE.values():
        if entry.needs is not None:
            other, value = entry.needs
            TABLE[other].check(value)
            assert value != TABLE[other].default or entry.name in ("min_documents", "max_size")


def test_every_reader_names_its_parameters_and_takes_them() -> None:
    named: set[str] = set()
    declared = {FORMAT.name}
    table = reading_table()
    for reader in reader_classes().values():
        taken = inspect.signature(reader).parameters
        for entry in reader.parameters:
            assert table[entry.name] == entry and taken[entry.name].default == entry.default, (reader, entry.name)
        declared |= {entry.name for entry in reader.parameters}
        named |= set(taken) & set(table)
    assert declared - {FORMAT.name} == named and declared == set(table)


def test_every_step_of_features_names_its_parameters() -> None:
    steps = [
        vocabulary.Vocabulary,
        hashing.Hashing,
        ngrams,
        quadratic.Quadratic,
        senders.Senders,
        scaling,
        bag,
        pipeline,
    ]
    named = [entry for step in steps for entry in step.parameters]  # type: ignore[attr-defined]
    assert sorted(entry.name for entry in named) == sorted(entry.name for entry in FEATURES)
    defaults = {**pipeline.Options._field_defaults, "scale": "auto"}
    assert (defaults.pop("kernel"), defaults.pop("seed")) == (None, 0)  # of the learner
    assert defaults == {entry.name: entry.default for entry in FEATURES}


# --- what they refuse -------------------------------------------------------------------------------------------------


def outside(entry: Parameter) -> Iterator[Any]:
    """Values just outside the range."""
    if entry.choices:
        yield "elsewhere"
        return
    step = 1 if entry.kind is int else 1e-9
    assert entry.least is not None
    yield entry.least if entry.above else entry.least - step
    yield math.nan
    yield "elsewhere"
    yield True
    if entry.kind is int:
        yield entry.least + 0.5
    if entry.most is not None:
        yield entry.most + step
    if entry.below is not None:
        yield entry.below


def inside(entry: Parameter) -> Iterator[Any]:
    yield entry.default
    yield from entry.choices
    yield from entry.words.values()
    if entry.least is not None:
        step = 1 if entry.kind is int else 1e-9
        yield entry.least + step if entry.above else entry.kind(entry.least)
    if entry.most is not None:
        yield int(entry.most)


@pytest.mark.parametrize("entry", RANGED, ids=lambda entry: entry.name)
def test_a_check_refuses_what_is_just_outside(entry: Parameter) -> None:
    for value in inside(entry):
        entry.check(value)
    for value in outside(entry):
        with pytest.raises(SettingError) as refused:
            entry.check(value)
        assert entry.name in str(refused.value) and str(value) in str(refused.value)
        if entry.section and entry.options:
            shell = in_shell(refused.value.message, train)
            assert re.split("[ /]", entry.options)[0] in shell and f"{entry.name}=" not in shell


# --- in whose words ---------------------------------------------------------------------------------------------------

WRONG = {
    "--eta -1": "--eta -1.0 must be a number > 0",
    "--eta 0": "--eta 0.0 must be a number > 0",
    "--decay -1": "--decay -1.0 must be a number ≥ 0",
    "--l2 -1": "--l2 -1.0 must be",
    "--l2 2": "must stay below 1",
    "--batch-size -1 --optimizer mini-batch": "--batch-size -1 must be",
    "--patience 0": "--patience 0 must be a whole number > 0",
    "--check-every -1 --keep pocket": "--check-every -1 must be",
    "--tol -1": "--tol -1.0 must be none",
    "--epsilon -1 --optimizer batch": "--epsilon -1.0 must be",
    "--positive nobody": "--positive nobody is not a label; the labels are",
    "--class-weight 1=-2": "weights must be finite",
    "--scoring nobody --keep pocket": "--scoring nobody is no scorer",
    "--optimizer pick-first --rule logistic": "--optimizer pick-first picks mistakes",
    "--multi-class multi-class-perceptron --rule margin": "use --multi-class one-vs-rest",
    "--stop-if-not-separable --rule logistic": "--stop-if-not-separable goes with rules",
    "--degree 3": "--degree 3 is out of range",
    "--format nobody": "--format nobody: choose auto",
    "--folders a,b": "--folders is no option of the format svmlight, whose options are: --base",
    "--delimiter ;;": "is no option of the format svmlight",
    "--max-false-positives 0": "--max-false-positives 0 must be a share",
    "--confidence 1 --cost 1=1,-1=1": "--confidence",
    "--rule linear --eta 1e300": "lower --eta",
}
"""Options of `train` that are wrong → what is said of them."""
PYTHON = re.compile(rf"\b(?:{'|'.join(sorted(TABLE, key=len, reverse=True))}|max_false_positives|confidence)=")


@pytest.mark.parametrize("options", WRONG)
def test_no_word_of_python_in_the_shell(options: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("numbers.svm").write_text("1 1:2 3:1e20\n-1 2:3\n1 1:1\n-1 2:2 3:1\n")
    done = run("train", "numbers.svm", "-o", "m.model", *options.split())
    assert done.code in (2, 3) and WRONG[options] in done.err, done
    assert not PYTHON.search(done.err), done.err


def test_a_message_knows_its_settings() -> None:
    """Braces of the user's are no settings; what is said around a message keeps them."""
    error = SettingError(f"{{eta0}} and {{eta0_}} of {plain('{x}')} need {{tol.name}}", eta0=1, eta0_=2.5, tol=None)
    assert str(error) == "eta0=1 and eta0=2.5 of {x} need tol"
    assert (
        in_shell(error.within("in {y}: ", " {z}").message, train)
        == "in {y}: --eta 1 and --eta 2.5 of {x} need --tol {z}"
    )
    assert str(SettingError("{not} a template")) == "{not} a template"
    assert str(Message("{eta0:g} {keep:s} {fit_intercept}", eta0=0.10, keep="last", fit_intercept=False)) == (
        "eta0=0.1 keep=last fit_intercept=False"
    )


def test_a_command_without_the_option_says_it_in_python() -> None:
    @click.command()
    def bare() -> None:
        pass

    assert in_shell(Message("{eta0} is wrong", eta0=1), bare) == "eta0=1 is wrong"


def test_every_command_says_its_own_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one_of_each(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert "--to" in run("convert", "numbers.svm", "x.nothing").err
    assert "--optimizer batch" in run("bound", "numbers.svm", "--optimizer", "batch", "--epochs", "3").out
