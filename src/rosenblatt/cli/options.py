"""Options that commands share, in sections, made from the table of parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..features import parameters as features
from ..learn.settings import learner_table
from ..parameters import Parameter, ordered
from ..read import reading_table
from ..read.parameters import FIELDS
from .command import Decorator, Share, as_names, option, option_of, together

READING = tuple(reading_table())
"""Names of the options that go to the readers; those not given are the format's own defaults."""
FEATURES = tuple(entry.name for entry in features.FEATURES)
"""Names of those that go to `features.pipeline.Options`."""
TABLE = {**learner_table(), **{entry.name: entry for entry in features.FEATURES}, **reading_table()}
IN_HELP = {"multi_class": "optimizer", "positive": "fit_intercept", "class_weight": "positive"}
"""Entries that stand behind others in the help than in the documentation."""


def section_of(name: str, entries: Iterable[Parameter]) -> list[Parameter]:
    """The entries of a section of the help, in its order."""
    own = [entry for entry in entries if entry.section == name]
    moved = [entry._replace(after=IN_HELP[entry.name]) for entry in own if entry.name in IN_HELP]
    first = [entry for entry in own if entry.name not in IN_HELP]
    return list(ordered(first, sorted(moved, key=lambda entry: list(IN_HELP).index(entry.name))).values())


def options_of(name: str, entries: Iterable[Parameter], **behind: Decorator) -> Decorator:
    """The options of a section. behind: others, each by the name of the entry behind which it stands."""
    made = [[option_of(entry), *filter(None, [behind.get(entry.name)])] for entry in section_of(name, entries)]
    return together([each for pair in made for each in pair])


reading_options = options_of("Reading", reading_table().values())
learner_options = options_of("Learner", learner_table().values())
run_options = options_of(
    "Run",
    learner_table().values(),
    tol=option("Run", "--validation", type=Share(file=True), metavar="SHARE|FILE",
               help="Learn from the other rows only, and stop when these get no better; the best epoch answers."),
    stop_if_not_separable=option(
        "Run", "--order", metavar="ORDER", default="shuffled" if learner_table()["shuffle"].default else "given",
        help="shuffled (anew each epoch), given, or a FILE of row numbers, from 1.  [default: shuffled]"),
)  # fmt: skip
features_options = options_of("Features", ordered(features.FEATURES, [FIELDS]).values())
probability_options = options_of("Probabilities", learner_table().values())


def only_option(section: str) -> Decorator:
    text = "Only the rows with these labels.  [default: all]"
    return option(section, "--only", metavar="A,B,...", callback=as_names, help=text)


_POSITIVE = "The class of one side; none: the last of two, and of more each against the rest."
_INTERCEPT = "Hyperplanes with an offset, or through the origin."
problem_options = together([
    option_of(TABLE["positive"]._replace(section="Problem", help=_POSITIVE)),
    only_option("Problem"),
    option_of(TABLE["fit_intercept"]._replace(section="Problem", help=_INTERCEPT)),
])  # fmt: skip


def plot_option(what: str) -> Decorator:
    return option("Output", "--plot", metavar="PICTURE", help=what)


data_options = together([features_options, reading_options])
json_option = option("Output", "--json", "as_json", is_flag=True, help="Machine-readable: JSON on standard output.")


def reading(words: dict[str, Any]) -> dict[str, Any]:
    """The readers' options that were given."""
    return {name: words[name] for name in READING if words.get(name) is not None}
