"""The most mistakes that the theorems allow a recorded run, where they say something of it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...errors import DataError, Message
from ...kernels import kernel_name
from ...learn.run import new_run
from ...theory.ledger.bounds import whole
from ...theory.ledger.ledger import Ledger
from ...trace.record import Record

SECONDS = 5.0
"""For the search of the widest margin."""
ROWS = 4000
"""Of a kernel at most: its space is found without a time limit, of so many in 2 s of CPU."""


class Limit(NamedTuple):
    """most: mistakes, at the most, None where nothing limits them; told: that, or why not, in a sentence."""

    most: int | None
    told: str


def limit_of(record: Record) -> Limit:
    """R̄²/γ̄² (of a margin perceptron with 2τ/η beside R̄²), as the ledger of theorems has it, in a kernel's space where
    there is one."""
    why, kernel = "", record.settings.kernel
    where = "" if kernel is None else f" in the space of {kernel_name(kernel)}"
    if record.chunk is None:
        return _unknown("the rows are not at hand")
    elif went_on(record):
        why = "learning went on from other weights than zeros"
    elif kernel is not None and record.chunk.rows.n > ROWS:
        return _unknown(f"{record.chunk.rows.n:,} rows are too many for a page to look for a margin{where}")
    else:
        ledger = Ledger(time_limit=SECONDS)
        classes = max(2, len(record.start[1]))
        try:
            ledger.begin(new_run(record.settings, record.chunk.rows, classes), [record.chunk], None)
        except DataError as error:  # the values are those of no kernel
            return _none(str(error))
        why = ledger.why_not or ""
        if not why and ledger.limit is not None and ledger.limit < 1e15:
            most, tau = whole(ledger.limit), 2.0 * ledger.law.tau / ledger.law.eta
            bars = ("R̄²", "γ̄²") if record.settings.fit_intercept else ("R²", "γ₀²")
            over = f"({bars[0]} + {tau:g})" if tau else bars[0]
            number = f"{over}/{bars[1]} = {_told(ledger.limit, most)}"
            size = f"{bars[0]} = {ledger.longest:.4g}, {bars[1][:-1]} = {ledger.margin:.4g}{where}"
            return Limit(most, f"At most {most:,} mistakes are possible, {number} ({size}).")
        if not why and ledger.separable is None:
            return _unknown("no separator was found in time")
        if not why:
            origin = "" if record.settings.fit_intercept else " through the origin"
            why = f"the rows are not separable{origin}{where}"
            if ledger.separable or math.isinf(ledger.limit or 0.0):
                why = "float64 has too few digits for the widest margin"
    return _none(why)


def _told(limit: float, most: int) -> str:
    """To four digits, or so many more that its whole part is that of the most mistakes."""
    every = (f"{limit:,.{digits}g}" for digits in range(4, 16))
    return next((text for text in every if math.floor(float(text.replace(",", ""))) == most), f"{limit:,.4g}")


def _unknown(why: str) -> Limit:
    return Limit(None, f"How many mistakes are possible is not known: {why}.")


def _none(why: str) -> Limit:
    return Limit(None, Message(why).within("No theorem limits the mistakes: ", "."))


def went_on(record: Record) -> bool:
    """Whether learning began at other weights than zeros; those of a kernel's rows the start does not hold."""
    if record.settings.kernel is None or record.start[1].any():
        return bool(record.start[0].any() or record.start[1].any())
    return record.begun is not None and bool(np.any(record.begun[1].get("state.w", 0.0)))
