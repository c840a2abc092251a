"""`rosenblatt warm`: compile ahead of time what learning and reading would compile when they first need it."""

import os
import signal
import time
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import numpy as np
from scipy.sparse import csr_array

from ..core.dispatch import jit_enabled, versions
from ..data.checks import rows_from
from ..errors import SettingError
from ..learn.metric import algorithm_from, shaping
from ..learn.rule import rule_classes
from ..mail.bulk import Bulk
from ..mail.judge import Judge
from ..recipe.recipe import Recipe
from ..recipe.training import learn
from .command import command, option, split_names
from .options import json_option
from .output import show
from .progress import Progress

KINDS = {"dense": np.asarray, "sparse": csr_array}
MAIL = "mail"
HELP = f"{', '.join(rule_classes())}; metrics: {', '.join(shaping())}; logistic+adagrad.  [default: all rules]"
LINES = 3_000
"""Rows of the data that are read, so that there is enough work for compiled readers."""


def _algorithms(ctx: click.Context, parameter: click.Parameter, text: str | None) -> list[str]:
    return list(rule_classes()) if text is None else split_names(text)


@command()
@option("Run", "--rules", callback=_algorithms, metavar="A,B,...", help=HELP)
@json_option
def warm(rules: list[str], as_json: bool) -> None:
    """Compile loops: of rules, alone or with a metric, for dense and sparse rows, two classes and more; of readers; of
    the mail filter.

    What is compiled is kept beside the code, or under ~/.cache where nothing can be written there, and loaded by every
    later run; without this, the first run of each rule compiles its own, which takes a second or two each time.

    Example:
        rosenblatt warm
        rosenblatt warm --rules perceptron,logistic,arow
    """
    if not jit_enabled():
        raise SettingError("nothing is compiled while ROSENBLATT_JIT=0 is set; unset it")
    for text in rules:
        _ = Recipe(**_words(text)).settings
    begun, loops = time.monotonic(), dict[tuple[str, str], bool]()
    work = [("", "", 0), ("", MAIL, 0), *product(rules, KINDS, (2, 3))]
    # Not forked: what this process has loaded by now may have threads. Ctrl-C is for this one, which ends the others.
    pool = get_context("spawn").Pool(os.cpu_count(), signal.signal, (signal.SIGINT, signal.SIG_IGN))
    with pool, Progress() as progress:
        tell = progress.runs()
        for done, ready in enumerate(pool.imap(_ready, work), start=1):
            loops.update({each: new or loops.get(each, False) for each, new in ready.items()})
            if tell:
                tell("compiling", done, len(work))
    compiled, seconds = sum(loops.values()), round(time.monotonic() - begun, 1)
    values = {"rules": rules, "ready": len(loops), "compiled": compiled, "seconds": seconds}
    show(values, [f"{len(loops):,} loops are ready, {compiled:,} of them compiled in {seconds:.1f} s"], as_json)


def _words(text: str) -> dict[str, str]:
    """Of a recipe."""
    rule, metric = algorithm_from(text)
    return {name: value for name, value in (("rule", rule), ("metric", metric)) if value}


def _ready(work: tuple[str, str, int]) -> dict[tuple[str, str], bool]:
    """`versions` after a rule has met a kind of rows and so many classes, or without a rule after reading, or
    after a mail was learned."""
    rule, kind, classes = work
    if rule:
        y = np.arange(2 * classes) % classes
        learn(Recipe(**_words(rule), max_iter=2), rows_from(KINDS[kind](np.eye(classes)[y])), y)
    elif kind == MAIL:
        judge = Judge()
        judge.learn(Bulk(judge.look).few([b"Subject: a\n\nb"]), [True])
    else:
        with TemporaryDirectory() as folder:
            _read(Path(folder))
    return versions()


def _read(folder: Path) -> None:
    """Read numbers and texts, more of them than plain Python does sooner."""
    numbers, texts = folder / "numbers.svm", folder / "texts.txt"
    numbers.write_text("".join(f"{i % 2} 1:{i}.5 2:1 {i % 7 + 3}:0.25\n" for i in range(LINES)), encoding="utf-8")
    texts.write_text(
        "".join(f"{'ab'[i % 2]}\t" + f"word{i % 50} or {i}, " * 40 + "\n" for i in range(LINES)), encoding="utf-8"
    )
    for path in (numbers, texts):
        Recipe(max_iter=1).fit(path)
