"""The command line as a whole: its defaults, its help, and what it prints word for word."""

from __future__ import annotations

import inspect
import os
import re
import shlex
from pathlib import Path

import click
import pytest

import rosenblatt.cli.train
from command import one_of_each, run, well
from rosenblatt.cli.app import COMMANDS, app
from rosenblatt.cli.options import FEATURES, TABLE
from rosenblatt.estimators.linear import LinearClassifier
from rosenblatt.features.pipeline import Options
from rosenblatt.learn.rule import rule_classes
from rosenblatt.learn.settings import DEFAULTS
from rosenblatt.memory import memory_classes

# --- one table of defaults -------------------------------------------------------------------------------------------

PYTHON_ONLY = {"warm_start", "n_jobs", "shuffle", "early_stopping", "validation_fraction"}
"""--continue, nothing, --order, and --validation for the last two."""
TRAIN: dict[str, click.Option] = {
    str(parameter.name): parameter
    for parameter in rosenblatt.cli.train.train.params
    if isinstance(parameter, click.Option)
}


def test_the_api_and_the_command_line_have_the_defaults_of_the_table() -> None:
    signature = inspect.signature(LinearClassifier.__init__).parameters
    assert {name: p.default for name, p in signature.items() if name != "self"} == DEFAULTS
    assert {name: TRAIN[name].default for name in DEFAULTS.keys() - PYTHON_ONLY} == {
        name: value for name, value in DEFAULTS.items() if name not in PYTHON_ONLY
    }
    assert (TRAIN["order"].default == "shuffled") is DEFAULTS["shuffle"]


def test_the_representation_has_its_defaults_too() -> None:
    words = {**Options._field_defaults, "scale": "auto"}
    del words["kernel"], words["seed"]  # which the learner's words say
    assert {name: TRAIN[name].default for name in FEATURES} == {name: words[name] for name in words}


def test_every_rule_memory_and_counting_is_offered() -> None:
    assert list(TRAIN["keep"].type.choices) == list(memory_classes())  # type: ignore[attr-defined]
    assert all(name in (TRAIN["rule"].help or "") for name in rule_classes())


@pytest.mark.parametrize("name", sorted(DEFAULTS.keys() - PYTHON_ONLY | set(FEATURES) - {"signed"}))
def test_the_help_shows_the_default(name: str) -> None:
    default, text = TRAIN[name].default, TRAIN[name].help or ""
    words = {"None": "none", "True": "yes", "False": "no"}
    shown = f"{default:g}" if isinstance(default, float) else words.get(str(default), default)
    shown = TABLE[name].shown or shown
    assert text.endswith(f"[default: {shown}]")


# --- help ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_help_ends_with_an_example_that_parses(command: str) -> None:
    example = well(command, "--help").out.partition("\nExample:\n")[2].splitlines()
    lines = [line.strip() for line in example if line.strip()]
    assert lines, "an example"
    used = set()
    for line in lines:
        words = shlex.split(line.partition("rosenblatt ")[2].partition(" | ")[0])
        used.add(words[0])
        found = app.get_command(click.Context(app), words[0])
        assert found is not None
        found.make_context(words[0], words[1:])
    assert command in used


def test_help_names_the_commands_and_the_exit_codes() -> None:
    text = well("--help").out
    listed = text.partition("Commands:\n")[2].partition("\n\n")[0]
    assert re.findall(r"^  (\S+)", listed, re.MULTILINE) == list(COMMANDS)
    for code in ("0", "2", "3", "4", "5", "70", "130", "141"):
        assert f"\n  {code} " in text


# --- what is printed, word for word ----------------------------------------------------------------------------------

GOLDEN = Path(__file__).parent / "golden"
VARYING = re.compile(r"""(?<= in )\d+\.\d(?= s)|(?<="seconds": )\d+\.\d+|\d+\.\d(?= kB)""")
"""Seconds, and sizes of files."""


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.txt")), ids=lambda path: path.stem)
def test_golden(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each `$ rosenblatt …` of the file prints what follows it. GOLDEN=write records what it prints now."""
    one_of_each(tmp_path)
    monkeypatch.chdir(tmp_path)
    expected = path.read_text(encoding="utf-8")
    found = ""
    for line in re.findall(r"^\$ rosenblatt (.*)$", expected, re.MULTILINE):
        done = run(*shlex.split(line))
        found += f"$ rosenblatt {line}\n{VARYING.sub('0.0', done.out)}{done.err}"
        found += f"[exit code {done.code}]\n" if done.code else ""
        found += "\n"
    if os.environ.get("GOLDEN") == "write":
        path.write_text(found, encoding="utf-8")
    assert found == expected
