"""The options by which a threshold is chosen."""

from __future__ import annotations

from .command import Share, option, together

threshold_options = together([
    option("Threshold", "--max-false-positives", type=Share(), metavar="SHARE",
           help="The most negative rows to call positive, as 0.1%.  [default: none]"),
    option("Threshold", "--max-false-negatives", type=Share(), metavar="SHARE",
           help="The most positive rows to call negative.  [default: none]"),
    option("Threshold", "--cost", metavar="COSTS",
           help="LABEL=COST,...: what a mistake on a row of each class costs; the least sum.  [default: none]"),
    option("Threshold", "--confidence", type=Share(), metavar="SHARE", default=0.95,
           help="With which a limit holds for rows to come; 0: for the rows at hand only.  [default: 95%]"),
])  # fmt: skip
