"""The parts of the pages that are made from the program itself: help texts and tables of what can be chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

import rosenblatt
from rosenblatt.cli.app import COMMANDS, EXIT_CODES, app
from rosenblatt.learn.metric import metric_classes
from rosenblatt.learn.rule import rule_classes
from rosenblatt.learn.settings import DEFAULTS
from rosenblatt.memory import memory_classes
from rosenblatt.optimizers import optimizer_classes
from rosenblatt.parameters import MULTI_CLASS
from rosenblatt.read import reader_classes

SHAPING = {name: cls for name, cls in metric_classes().items() if not hasattr(cls, "plain")}
METRIC_PAGES = {"nherd-exact": "nherd", "nherd-project": "nherd"}
"""Metrics that share a page."""
PATIENCE = DEFAULTS["n_iter_no_change"]
OPTIMIZERS = tuple(optimizer_classes())
WIDTH = 78
"""Of the help on a terminal of 80 columns, in which click leaves 2 free."""
RECIPES = rosenblatt._RECIPES
OPTIMIZER_PAGES = {"pick-first": "pick", "pick-random": "pick", "pick-worst": "pick"}
"""Optimizers that share a page."""


def made(name: str) -> str:
    """The text of a part: `commands`, `exit-codes`, `help:train`, `rules`, `rule:margin`, `keep:voted` …"""
    kind, _, which = name.partition(":")
    return PARTS[kind](which) if which else PARTS[kind]()


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def commands(folder: str = "commands/") -> str:
    return table(["command", "what it does"], [[f"[`{c}`]({folder}{c}.md)", says] for c, says in COMMANDS.items()])


def exit_codes() -> str:
    return table(["code", "meaning"], [[f"`{code}`", meaning] for code, meaning in EXIT_CODES.items()])


def help_text(command: str = "") -> str:
    """`rosenblatt COMMAND --help`, as on a terminal of 80 columns. command: of a group as `mail-evaluate`."""
    found: Any = app
    context = app.make_context("rosenblatt", [], resilient_parsing=True, terminal_width=WIDTH)
    for name in command.split("-", 1) if command else ():
        found = found.get_command(context, name)
        assert found is not None, f"there is no command {command}"
        context = click.Context(found, info_name=name, parent=context, terminal_width=WIDTH)
    with context:
        return f"```text\n{found.get_help(context)}\n```\n"


def rules() -> str:
    rows = []
    for name, cls in rule_classes().items():
        rows.append([f"[`{name}`]({name}.md)", *_first_line(cls)])
    return table(["rule", "the step"], rows)


def memories() -> str:
    rows = [[f"[`{name}`](../memories/{name}.md)", *_first_line(cls)] for name, cls in memory_classes().items()]
    return table(["keep", "what answers"], rows)


def optimizers() -> str:
    rows = [
        [f"[`{n}`](../optimizers/{OPTIMIZER_PAGES.get(n, n)}.md)", cls.when] for n, cls in optimizer_classes().items()
    ]
    return table(["optimizer", "steps are applied"], rows)


def rule(name: str) -> str:
    """Facts about a rule: how it is called, its parameters, η, and when it has finished."""
    cls: Any = rule_classes()[name]
    option = f"`--multi-class {name}`" if name in MULTI_CLASS else f"`--rule {name}`"
    values = ",".join(f"{field}={default:g}" for field, default in cls._field_defaults.items())
    if values:
        option += f", the same as `--rule {name}:{values}`"
    rate = f"{cls.eta0:g}"
    if hasattr(cls, "reach"):
        rate += f", at most {cls.reach:g}/max(weight·‖x̄‖²)"
    ended = "at an epoch without an update"
    if cls.tol is not None:
        ended = f"when the loss falls by less than {cls.tol:g} for {PATIENCE} epochs"
    rows = [
        ["command line", option],
        ["Python", _python(name)],
        ["learning rate η, if not given", rate],
        ["finished", ended],
        ["probabilities of its own", "yes" if hasattr(cls, "probability") else "no"],
    ]
    return table(["", ""], rows)


def steps(name: str) -> str:
    """The unit step at some scores, for y = +1 and ‖x̄‖² = 2."""
    cls: Any = rule_classes()[name]
    scores = (-10.0, -2.0, -0.5, 0.0, 0.5, 1.0, 2.0)
    found = [f"{cls().step(u, 1.0, 2.0) + 0.0:.3g}".replace("-", "−") for u in scores]
    return table(["y·u", *(f"{u:g}".replace("-", "−") for u in scores)], [["step", *found]])


def keep(name: str) -> str:
    own = _own("keep", memory_classes()[name])
    return table(["", ""], [["command line", f"`--keep {name}`"], ["Python", _recipes("keep", name)], *own])


def metrics() -> str:
    pages = {name: f"[`{name}`](../metrics/{METRIC_PAGES.get(name, name)}.md)" for name in SHAPING}
    says = {name: " ".join(cls.__doc__.split()).partition(". ")[0].rstrip(".") for name, cls in SHAPING.items()}
    return table(["metric", "how a step moves column j"], [[pages[name], f"{says[name]}."] for name in SHAPING])


def metric(name: str) -> str:
    """Facts about a metric and its other forms: how it is called, what it goes with, η, and when it has finished."""
    cls: Any = SHAPING[name]
    brings = cls.eta0 is None
    values = ",".join(f"{field}={default:g}" for field, default in cls._field_defaults.items())
    shell = [f"`--metric {each}`" for each in SHAPING if METRIC_PAGES.get(each, each) == name]
    shell += [f"with parameters `--metric {name}:{values}`"] if values else []
    python = [f"`{r}()`" for r in RECIPES if getattr(getattr(rosenblatt, r), "metric", "") == name]
    words = f'metric="{name}"' if brings else f'rule="logistic", metric="{name}"'
    gradients = [each for each, rule in rule_classes().items() if not hasattr(rule, "mends")]
    rules = ", ".join(f"`{each}`" for each in getattr(cls, "rules", gradients))
    loss = f"when the hinge loss falls by less than {cls.tol:g} for {PATIENCE} epochs" if brings else ""
    rows = [
        ["command line", ", ".join(shell)],
        ["Python", ", ".join([*python, f"`LinearClassifier({words})`"])],
        ["rules", "none: it brings its step" if brings else rules],
        ["learning rate η, if not given", "there is none" if brings else f"{cls.eta0:g}"],
        ["finished", loss or "as its rule is"],
    ]
    return table(["", ""], rows)


def moves(*names: str) -> str:
    """What a step does to a weight of 0, for y = +1, x_j = 1, Σ_j = 1 and v = 2."""
    margins = (-2.0, 0.0, 0.5, 0.9, 1.0, 2.0)
    rows = []
    for name in names:
        cls: Any = SHAPING[name]
        state = cls.starts[0], cls.starts[-1]
        pairs = [cls().move(state, 0.0, 1.0, cls().stride(u, 1.0, 2.0)) for u in margins]
        rows.append([f"`{name}`: change of w_j", *(f"{change:.3g}" for change, _ in pairs)])
        rows.append([f"`{name}`: Σ_j after it", *(f"{c[0]:.3g}" for _, c in pairs)])
    return table(["y·u", *(f"{u:g}".replace("-", "−") for u in margins)], rows)


def optimizer(name: str) -> str:
    names = [each for each in OPTIMIZERS if OPTIMIZER_PAGES.get(each, each) == name]
    shell = ", ".join(f"`--optimizer {each}`" for each in names)
    own = [row for each in names for row in _own("optimizer", optimizer_classes()[each])]
    return table(["", ""], [["command line", shell], ["Python", _recipes("optimizer", *names)], *own])


def _own(setting: str, cls: Any) -> list[list[str]]:
    """A row for each of its parameters: inside its own text, as an option, and in Python."""
    rows = []
    for each in cls.parameters:
        text = f"{cls.name}:{each.inner}={each.default}"
        rows.append(["parameter", f"`--{setting} {text}`, the same as `{each.options} {each.default}`, `{each.name}=`"])
    return rows


def formats() -> str:
    rows = []
    for name, reader in reader_classes().items():
        suffixes = " ".join(f"`{suffix}`" for suffix in reader.suffixes)
        rows.append([", ".join(f"`{each}`" for each in [name, *reader.aliases]), suffixes or "its look, or `--format`"])
    return table(["`--format`", "recognised by"], rows)


def _first_line(cls: Any) -> list[str]:
    return [(cls.__doc__ or "").strip().partition("\n")[0]]


def _python(name: str) -> str:
    if name in MULTI_CLASS:
        return f'`MultiClassPerceptron()`, `LinearClassifier(multi_class="{name}")`'
    family, _, variant = name.partition("-2")
    general = f'`LinearClassifier(rule="{name}")`'
    own = "PassiveAggressive(variant=2)" if name.endswith("-2") else next(
        (f"{r}()" for r in RECIPES if getattr(rosenblatt, r).rule == name), ""
    )  # fmt: skip
    return f"`{own}`, {general}" if own else general


def _recipes(setting: str, *values: str) -> str:
    default = DEFAULTS[setting]
    named = [
        f"`{r}()`"
        for r in RECIPES
        if getattr(getattr(rosenblatt, r), setting, default) in values and default not in values
    ]
    return ", ".join([*named, *(f'`LinearClassifier({setting}="{value}")`' for value in values)])


PARTS: dict[str, Callable[..., str]] = {
    "commands": commands,
    "commands-here": lambda: commands(""),
    "exit-codes": exit_codes,
    "help": help_text,
    "rules": rules,
    "memories": memories,
    "optimizers": optimizers,
    "rule": rule,
    "metrics": metrics,
    "metric": metric,
    "moves": lambda names: moves(*names.split("+")),
    "steps": steps,
    "keep": keep,
    "optimizer": optimizer,
    "formats": formats,
}
