"""Options that commands share, in sections, made from the table of parameters."""

from typing import Any

from ..features import parameters as features
from ..kernels import kernel_classes
from ..learn.settings import learner_table
from ..parameters import ordered
from ..read import reading_table
from ..recipe.table import recipe_table
from .command import Decorator, as_names, option, option_of, together
from .command import json_option as json_option

READING = tuple(reading_table())
"""Names of the options that go to the readers; those not given are the format's own defaults."""
FEATURES = tuple(entry.name for entry in features.FEATURES)
"""Names of those that go to `features.pipeline.Options`."""
TABLE = recipe_table() | learner_table()
IN_HELP = {
    "multi_class": "optimizer",
    "l1": "alpha",
    "positive": "fit_intercept",
    "class_weight": "positive",
    "order": "stop_if_not_separable",
    "fields": "char_ngrams",
}
"""Entries that stand behind others in the help than in the documentation."""


def options_of(section: str, without: tuple[str, ...] = ()) -> Decorator:
    """The options of the table's entries of a section of the help, in its order. without: names of those left out."""
    own = {entry.name: entry for entry in TABLE.values() if entry.section == section}
    moved = [own.pop(name)._replace(after=behind) for name, behind in IN_HELP.items() if name in own]
    entries = ordered(own.values(), moved).values()
    return together([option_of(entry) for entry in entries if entry.name not in without])


reading_options = options_of("Reading")
learner_options = options_of("Learner")
threshold_options = options_of("Threshold")
data_options = together([options_of("Features"), reading_options])
run_options = together([options_of("Run"), options_of("Probabilities")])
recipe_options = together([learner_options, run_options, threshold_options, data_options])
"""All of `train`."""


def names_option(section: str, *names: str, **words: Any) -> Decorator:
    """Of names with commas between them."""
    return option(section, *names, **{"metavar": "A,B,...", "callback": as_names, **words})


def only_option(section: str) -> Decorator:
    return names_option(section, "--only", help="Only the rows with these labels.  [default: all]")


def like(name: str, section: str, help: str, /, **others: Any) -> Decorator:
    """The option of an entry of the table, in another section and with another help. others: what else is another."""
    return option_of(TABLE[name]._replace(section=section, help=help, **others))


def time_option(help: str, default: float | None = None) -> Decorator:
    """Of a problem that is solved."""
    return like("max_time", "Problem", help, name="time_limit", option="--max-time", default=default)


problem_options = together([
    like("positive", "Problem", "The class of one side.", shown="the last of two; of more each against the rest"),
    only_option("Problem"),
    like("fit_intercept", "Problem", "Hyperplanes with an offset, or through the origin."),
])  # fmt: skip


kernel_option = like(
    "kernel",
    "Problem",
    f"Hyperplanes in a kernel's space: {', '.join(kernel_classes())}; with parameters: poly:degree=4.",
)


def plot_option(what: str, name: str = "--plot") -> Decorator:
    return option("Output", name, metavar="PICTURE", help=what)


def reading(words: dict[str, Any]) -> dict[str, Any]:
    """The readers' options that were given."""
    return {name: words[name] for name in READING if words.get(name) is not None}
