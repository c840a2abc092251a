"""`rosenblatt compare`: all learners on the same data, in one table."""

from typing import Any

import click

from ...learn.rule import rule_classes
from ..command import Number, command, given, option, option_of
from ..options import TABLE, data_options, json_option, plot_option, reading
from ..output import check_writable, note, notes, show


# fmt: off
@command(data="DATA")
@option("Comparison", "--folds", type=Number(int, 2), default=5,
        help="DATA in N parts, each tested once by what the others teach.  [default: 5]")
@option("Comparison", "--test", metavar="FILE", help="Learn from all of DATA and test on this file, once.")
@option("Comparison", "--scoring", metavar="NAME",
        help="Sort by a scorer of scikit-learn, as balanced_accuracy or roc_auc.  [default: errors]")
@option("Comparison", "--seed", type=Number(int, 0), default=TABLE["random_state"].default,
        help="Of the folds and of the shuffled orders.  [default: 0]")
@option("Comparison", "--jobs", type=Number(int, 1), help="Threads; the result is the same.  [default: one a core]")
@option("Learners", "--rules", metavar="A,B,...",
        help=f"{', '.join(rule_classes())}; with parameters: margin:tau=2; your own: FILE.py:CLASS.  [default: all]")
@option("Learners", "--keeps", metavar="A,B,...",
        help=f"{', '.join(TABLE['keep'].choices)}.  [default: all, but voted for the units: linear, sigmoid, tanh,"
             " logistic]")
@option("Learners", "--scalings", metavar="A,B,...",
        help="As --scale of train.  [default: none,standard for numbers, idf+unit:2,none for texts]")
@option("Learners", "--optimizers", metavar="A,B,...", default="online",
        help=f"{', '.join(TABLE['optimizer'].choices)}.  [default: online]")
@option("Learners", "--epochs", type=Number(int, 1, auto=None), default=None,
        help="The most passes of a run; auto: 300, on larger data fewer, so that a run takes less than a second."
             "  [default: auto]")
@option("Learners", "--max-time", type=Number(float, 0, none=None), default=None,
        help="The most seconds of a run; with it, other machines give other results.  [default: none]")
@option("Comparison", "--optimum", is_flag=True, default=False,
        help="Two classes: also the errors of each learner on all of DATA, learned from all of it, and the fewest that"
             " any hyperplane makes there.")
@option("Comparison", "--optimum-time", type=Number(float, 0, none=None), default=60.0,
        help="--optimum: the most seconds of the search.  [default: 60]")
@option_of(TABLE["positive"]._replace(section="Learners"))
@option("Output", "--top", type=Number(int, 1, all=None), default=None, help="Rows to show.  [default: all]")
@option("Output", "--csv", "csv_file", metavar="FILE", help="Write the table, all numbers at full length.")
@plot_option("Draw the errors and the intervals: a .png, .svg or .pdf.")
@json_option
@data_options
# fmt: on
def compare(data: str, as_json: bool, **words: Any) -> None:
    """Try all learners on the labelled rows of DATA, and say which to pick.

    Every rule with every memory and some scalings, in folds, side by side in threads. Errors come with their deviation,
    and differences to the best with an interval. Words and scalings are learned from the training rows alone. Ctrl-C
    ends it with what is done. DATA is what `rosenblatt train` reads.

    Example:
        rosenblatt compare heart.svm.xz --plot learners.png
        rosenblatt compare mails/ --test new-mails/ --keeps averaged,voted --scoring f1
    """
    from ..pictures import check_picture
    from .run import run, write_csv, write_plot

    if words["csv_file"] is not None:
        check_writable(words["csv_file"], data, words["test"])
    check_picture("--plot", words["plot"], data, words["test"], words["csv_file"])
    done = run(data, reading(words), words, given(words))
    notes(done.notes)
    if words["csv_file"] is not None:
        write_csv(done.found, words["csv_file"])
    if words["plot"] is not None:
        write_plot(done, words["plot"])
    show(done.values, done.as_text(words["top"]), as_json, (words["csv_file"], words["plot"]))
    if done.found.interrupted:
        note("stopped by Ctrl-C: the table has what was done by then")
        raise click.exceptions.Exit(130)


compare.params = [parameter for parameter in compare.params if parameter.name != "scale"]  # there are --scalings
