"""`rosenblatt experts`: predictions from the advice of experts, or of learners side by side, and what is guaranteed."""

from typing import Any

import click

from ...errors import SettingError
from ..command import Number, command, flag, given, option
from ..options import READING, json_option, like, names_option, plot_option, reading, reading_options
from ..output import show

ADVICE = ("outcome", "up", "losses")
"""Options for a table of advice; with --learners the data are read as those of `train`."""


@command(data="DATA")
@option(
    "Advice",
    "--outcome",
    metavar="COLUMN",
    help="The column of the outcome, by name or number (from 1; -1: last).  [default: by name, else the last]",
)
@option("Advice", "--up", metavar="WORD", help="The word that is 1.  [default: of 0/1, up/down, yes/no, ...]")
@option("Advice", "--losses", is_flag=True, help="Cells are losses from 0 to 1, without an outcome: for hedge.")
@names_option(
    "Advice",
    "--learners",
    help="DATA are labelled rows: the experts are these rules, which predict each row and then learn from it.",
)
@option("Advice", "--positive", metavar="LABEL", help="--learners: the class that is 1.  [default: the last in order]")
@like(
    "scale",
    "Advice",
    "--learners: none, unit or unit:LENGTH.",
    default=None,
    shown="unit:2 for texts, none for numbers",
)
@option("Advice", "--bits", type=Number(int, 1), default=18, help="--learners, texts: 2^bits columns.  [default: 18]")
@option(
    "Advice",
    "--order",
    type=click.Choice(["given", "shuffled"]),
    default="given",
    metavar="ORDER",
    help="--learners: given, or shuffled by --seed, for which all is read first.  [default: given]",
)
@names_option(
    "Algorithm",
    "--algorithm",
    "algorithms",
    help="halving, weighted-majority, randomized-weighted-majority, hedge, follow-the-leader.  [default: all]",
)
@option(
    "Algorithm", "--beta", type=Number(), default=0.5, help="Factor of the wrong, weighted majority.  [default: 0.5]"
)
@option(
    "Algorithm", "--eta", type=Number(anytime="anytime", doubling="doubling"), help="Rate of hedge.  [default: anytime]"
)
@option("Algorithm", "--horizon", type=Number(int, 1), default=None, help="hedge: the rate that is best for N rounds.")
@option("Algorithm", "--seed", type=Number(int, 0), default=0, help="Of draws and shuffling.  [default: 0]")
@option(
    "Output",
    "--predict",
    is_flag=True,
    help="A prediction a round, each before its outcome is used; a column for each algorithm.",
)
@option("Output", "--ledger", metavar="CSV", help="Write each round's account: mistakes, best expert, regret, bound.")
@plot_option("Draw mistakes, best expert and bounds: .png, .svg, .pdf.")
@json_option
@reading_options
def experts(data: str, predict: bool, as_json: bool, **words: Any) -> None:
    """Predict from the advice of experts, and hold the result against the best of them.

    DATA is a table with a row for each round: what each expert says (0/1, up/down, yes/no, ...; empty: asleep) and the
    outcome. Or, with --learners, labelled rows, texts or mails. "-" is standard input.

    Example:
        rosenblatt experts advice.csv --plot experts.png
        rosenblatt experts sms.txt --learners "perceptron,averaged perceptron,margin,passive-aggressive"
        tail -f advice.csv | rosenblatt experts - --algorithm weighted-majority --predict
    """
    from ..progress import Progress
    from .advice import Asked
    from .rounds import as_text, check_outputs, play, values

    _check(words, given(words))
    asked = Asked(data, words, reading(words), predict)
    check_outputs(asked)
    with Progress(printing=predict) as progress:
        outcome = play(asked, progress)
    if as_json or not predict:
        show(values(outcome), as_text(outcome), as_json)


def _check(words: dict[str, Any], there: set[str]) -> None:
    """SettingError for options that do not go together. there: those on the command line."""
    table = {"header", "delimiter"}
    own = {"positive", "scale", "bits", "order"} | (set(READING) - table)
    if words["learners"] is None:
        for name in sorted(own & there):
            raise SettingError(f"{flag(name)} has an effect only with --learners")
    else:
        for name in ADVICE:
            if name in there:
                raise SettingError(f"{flag(name)} is for a table of advice; with --learners DATA are labelled rows")
    if words["losses"] and (words["outcome"] or words["up"]):
        raise SettingError("--losses have no outcome; leave --outcome and --up out")
