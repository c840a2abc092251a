"""The most mistakes that the theorems allow a recorded run, where they say something of it."""

from __future__ import annotations

import math
from typing import NamedTuple

from ...learn.run import new_run
from ...theory.ledger.bounds import whole
from ...theory.ledger.ledger import Ledger
from ...trace.record import Record

SECONDS = 5.0
"""For the search of the widest margin."""


class Limit(NamedTuple):
    """most: mistakes, at the most, None where nothing limits them; told: that, or why not, in a sentence."""

    most: int | None
    told: str


def limit_of(record: Record) -> Limit:
    """R̄²/γ̄² (of a margin perceptron with 2τ/η beside R̄²), as the ledger of theorems has it."""
    why = ""
    if record.chunk is None:
        why = "the rows are not at hand"
    elif record.settings.kernel is not None:
        why = "scores are those of a kernel"
    elif record.start[0].any() or record.start[1].any():
        why = "learning went on from other weights than zeros"
    else:
        ledger = Ledger(time_limit=SECONDS)
        classes = max(2, len(record.start[1]))
        ledger.begin(new_run(record.settings, record.chunk.rows, classes), [record.chunk], None)
        why = str(ledger.why_not)
        if not why and ledger.limit is not None and ledger.limit < 1e15:
            most, tau = whole(ledger.limit), 2.0 * ledger.law.tau / ledger.law.eta
            bars = ("R̄²", "γ̄²") if record.settings.fit_intercept else ("R²", "γ₀²")
            over = f"({bars[0]} + {tau:g})" if tau else bars[0]
            number = f"{over}/{bars[1]} = {ledger.limit:,.4g}"
            size = f"{bars[0]} = {ledger.longest:.4g}, {bars[1][:-1]} = {ledger.margin:.4g}"
            return Limit(most, f"At most {most:,} mistakes are possible, {number} ({size}).")
        if not why:
            why = {
                True: "float64 has too few digits for the widest margin",
                False: "the rows are not separable" + ("" if record.settings.fit_intercept else " through the origin"),
                None: "no separator was found in time",
            }[ledger.separable if not math.isinf(ledger.limit or 0.0) else True]
    return Limit(None, f"No theorem limits the mistakes: {why}.")
