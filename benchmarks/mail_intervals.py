"""How often the 95 % intervals of `mail evaluate` hold the true value: of each measure, and of the difference of two
judges.

    python benchmarks/mail_intervals.py [--samples 300] [--json]

Scores are drawn anew for each sample, 1,000 or 3,000 ham and 400 or 1,200 spam, from two distributions: "tails", normal
ones far apart, where .2 % of the ham and 1 % of the spam look like the other class; "near", normal ones that overlap.
The other judge's scores are these and some noise. True values: of 2,000,000 of each class. Printed: in how many of 100
samples the interval held the value, for the measure that it holds least often and the one that it holds most often.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt.mail.evaluation import CUTS, OF_CUTS, OF_SCORES
from rosenblatt.mail.measures import Judged, differences, intervals, measures

SIZES = ((1_000, 400), (3_000, 1_200))
MANY = 2_000_000
NAMES = [*OF_SCORES, *(f"{cut} {name}".strip() for cut in CUTS for name in OF_CUTS)]


def judged(ham: Any, spam: Any) -> Judged:
    """At a line that loses some ham, and at one that loses little."""
    lines = 2.5, 3.2
    return Judged(ham, spam, np.stack([ham > x for x in lines], axis=1), np.stack([spam <= x for x in lines], axis=1))


def drawn(rng: Any, kind: str, hams: int, spams: int) -> tuple[Judged, Judged]:
    """What two judges say of the same mails."""
    if kind == "tails":
        ham, spam = rng.normal(0, 1, hams), rng.normal(6, 1.2, spams)
        odd, missed = rng.random(hams) < 0.002, rng.random(spams) < 0.01
        ham[odd], spam[missed] = rng.normal(4, 2, odd.sum()), rng.normal(0, 2, missed.sum())
    else:
        ham, spam = rng.normal(0, 1.2, hams), rng.normal(5, 1.5, spams)
    return judged(ham, spam), judged(ham + rng.normal(0, 0.5, hams), spam + rng.normal(0, 0.5, spams))


def held(kind: str, hams: int, spams: int, samples: int) -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(1)
    true, other = map(measures, drawn(rng, kind, MANY, MANY))
    own, apart = np.zeros(len(true)), np.zeros(len(true))
    for sample in range(samples):
        one, two = drawn(rng, kind, hams, spams)
        low, high = intervals([one], sample)
        own += (low <= true) & (true <= high)
        _, (low, high) = differences([one], [two], sample)
        apart += (low <= true - other) & (true - other <= high)
    for what, counts in (("the measure", own), ("the difference", apart)):
        shares = 100 * counts / samples
        worst, best = NAMES[int(shares.argmin())], NAMES[int(shares.argmax())]
        yield {"scores": kind, "ham": hams, "spam": spams, "of": what, "least": float(shares.min()), "worst": worst,
               "most": float(shares.max()), "best": best}  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--samples", type=int, default=300)
    options.add_argument("--json", action="store_true")
    asked = options.parse_args()
    for kind in ("tails", "near"):
        for size in SIZES:
            for row in held(kind, *size, asked.samples):
                text = "{scores}, {ham:,} ham, {spam:,} spam, {of}: {least:.0f} ({worst}) to {most:.0f} ({best}) of 100"
                print(json.dumps(row) if asked.json else text.format(**row), flush=True)


if __name__ == "__main__":
    main()
