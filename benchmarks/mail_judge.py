"""The judge of mail at its default: corpora by wrong verdicts, each expert alone, a quick start, one corrected mail,
one kind learned after the other.

    python benchmarks/mail_judge.py [table] [experts] [candidates] [start] [corrected] [order]
        [--orders 5] [--corpus NAME …] [--json]

Order: index.csv shuffled by `default_rng(s).permutation(n)`, s = 0, 1, …; figures are means over the orders. table: the
default at 0, 1, 5 and 20 % wrong verdicts. experts: each alone, and all but one. candidates: other learners alone, at
0 and 5 %. start: (1−ROCA)% of all later mails
after the first 20 + 20 and 200 + 200 were learned. corrected: the mails that are mistaken at p > .5 after the first
fifth; of each the judge learns the right verdict and is asked again, of itself and of a copy with another recipient,
date, Message-ID, Received and a changed line; cost: how many of 500 other mails change sides by that. order: how
many of 501 mails are wrong at p > .5, and (1−ROCA)%, after others were learned, at most 20, 200 and 2,000 of a kind, by
a judge as they come, and by a store; later: all but 200 + 200, which came side by side.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from _command_line import parsed, parser

from rosenblatt.mail import Judge, Plan, read_stream
from rosenblatt.mail.judge import EXPERTS, Expert
from rosenblatt.mail.measures import lam, one_minus_roca
from rosenblatt.mail.store.learning import Store, Verdict

CORPORA = ("spamassassin_dev", "lingspam_dev", "enron_dev", "csdmc2010_dev")
NOISES = (0.0, 0.01, 0.05, 0.20)
OTHERS = 500
CANDIDATES: dict[str, Any] = {
    "perceptron": "perceptron",
    "perceptron averaged": {"keep": "averaged"},
    "margin": "margin",
    "margin averaged": {"rule": "margin", "keep": "averaged"},
    "PA-I C=0.1": "passive-aggressive:C=0.1",
    "PA-I C=1": "passive-aggressive:C=1",
    "PA-I C=0.1 averaged": {"rule": "passive-aggressive:C=0.1", "keep": "averaged"},
    "logistic eta=10": {"rule": "logistic", "eta0": 10.0},
    "logistic eta=30": {"rule": "logistic", "eta0": 30.0},
    "AdaGrad-logistic eta=0.3": {"rule": "logistic", "metric": "adagrad", "eta0": 0.3},
    "AdaGrad-logistic eta=0.7": {"rule": "logistic", "metric": "adagrad", "eta0": 0.7},
    "AROW r=0.1": "arow:r=0.1",
    "AROW r=1": "arow:r=1",
    "AROW r=1 averaged": {"metric": "arow:r=1", "keep": "averaged"},
    "SCW-I": "scw",
}
"""Some step at mistakes (perceptron), some until a margin holds (margin, PA-I, SCW-I), the others at every mail."""
MOST = 60
"""Corrected mails of an order."""


def changed(raw: bytes) -> bytes:
    """A copy as it comes to somebody else on another day."""
    head, blank, body = raw.partition(b"\n\n")
    for name, value in ((b"To", b"someone@elsewhere.example"), (b"Date", b"Fri, 06 Mar 2009 03:14:15 +0100"),
                        (b"Message-ID", b"<0123456789.abcdef@host.elsewhere.example>"),
                        (b"Received", b"from relay.example by mx.elsewhere.example; Fri, 6 Mar 2009")):  # fmt: skip
        head = re.sub(rb"(?im)^" + name + rb":.*(?:\n[ \t].*)*", name + b": " + value, head)
    lines = body.split(b"\n")
    at = max(range(len(lines)), key=lambda i: len(lines[i]) < 200 and len(lines[i]))
    lines[at] = b"This line is another one."
    return head + blank + b"\n".join(lines)


def measured(scores: Any, spam: Any) -> tuple[float, float]:
    """(1−ROCA)% and LAM % at p > .5."""
    lost, through = (scores[~spam] > 0).sum(), (scores[spam] <= 0).sum()
    mean = lam((lost + 0.5) / ((~spam).sum() + 1), (through + 0.5) / (spam.sum() + 1))
    return 100 * one_minus_roca(scores[~spam], scores[spam]), 100 * float(mean)


class Corpus:
    """Mails, looked at once."""

    def __init__(self, folder: Any, name: str) -> None:
        self.name, stream = name, read_stream(folder / name / f"{name}.tar.xz")
        self.stream, self.spam = stream, stream.spam
        look = Judge().look
        self.looked = [look(raw) for raw in stream.raws]

    def order(self, seed: int) -> Any:
        return np.random.default_rng(seed).permutation(len(self.spam))

    def run(self, seed: int, noise: float, experts: Any) -> tuple[float, float]:
        order, shown = Plan("shuffled", seed, 1, noise).arrivals(self.spam, seed)
        opinions = Judge(experts=experts).learn([self.looked[i] for i in order], shown.tolist())
        return measured(np.array([opinion.score for opinion in opinions]), self.spam[order])

    def mean(self, options: Any, noise: float, experts: Any = EXPERTS) -> dict[str, float]:
        runs = np.array([self.run(seed, noise, experts) for seed in range(options.orders)])
        return {"roca": float(runs[:, 0].mean()), "lam": float(runs[:, 1].mean())}


def table(corpus: Corpus, options: Any) -> Iterator[dict[str, Any]]:
    for noise in NOISES:
        yield {"part": "table", "corpus": corpus.name, "noise": noise, **corpus.mean(options, noise)}


def experts(corpus: Corpus, options: Any) -> Iterator[dict[str, Any]]:
    for k in range(len(EXPERTS)):
        for which, some in (("alone", EXPERTS[k : k + 1]), ("without", EXPERTS[:k] + EXPERTS[k + 1 :])):
            for noise in NOISES:
                row = {"part": "experts", "corpus": corpus.name, "expert": k + 1, "which": which, "noise": noise}
                yield row | corpus.mean(options, noise, some)


def candidates(corpus: Corpus, options: Any) -> Iterator[dict[str, Any]]:
    for name, learner in CANDIDATES.items():
        for noise in (0.0, 0.05):
            row = {"part": "candidates", "corpus": corpus.name, "learner": name, "noise": noise}
            yield row | corpus.mean(options, noise, [Expert(learner, 1.0)])


def start(corpus: Corpus, options: Any) -> Iterator[dict[str, Any]]:
    for few in (20, 200):
        found = []
        for seed in range(options.orders):
            order = corpus.order(seed)
            first = np.sort(np.concatenate([np.flatnonzero(corpus.spam[order] == kind)[:few] for kind in (0, 1)]))
            later = np.setdiff1d(np.arange(len(order)), first)
            judge = Judge()
            judge.learn([corpus.looked[i] for i in order[first]], corpus.spam[order[first]].tolist())
            opinions = judge.score([corpus.looked[i] for i in order[later]])
            found.append(measured(np.array([opinion.score for opinion in opinions]), corpus.spam[order[later]])[0])
        yield {"part": "start", "corpus": corpus.name, "learned": f"{few} + {few}", "roca": float(np.mean(found))}


def corrected(corpus: Corpus, options: Any) -> Iterator[dict[str, Any]]:
    right = {"mails": 0, "right": 0, "right or unsure": 0, "copy right": 0, "copy right or unsure": 0, "others": 0}
    for seed in range(options.orders):
        order, judge = corpus.order(seed), Judge()
        others = [corpus.looked[i] for i in order[:OTHERS]]
        for t, i in enumerate(order.tolist()):
            mail, label = corpus.looked[i], bool(corpus.spam[i])
            opinion = judge.score([mail])[0]
            if t >= len(order) // 5 and (opinion.score > 0) != label and right["mails"] < MOST * (seed + 1):
                right["mails"] += 1
                before, own = judge.score(others), copy.deepcopy(judge)
                own.learn([mail], [label])
                after = own.score([mail, own.look(changed(corpus.stream.raws[i])), *others])
                wrong = "ham" if label else "spam"
                for name, now in zip(("", "copy "), after, strict=False):
                    right[f"{name}right"] += (now.score > 0) == label
                    right[f"{name}right or unsure"] += now.verdict != wrong
                moved = [(a.score > 0) != (b.score > 0) for a, b in zip(before, after[2:], strict=True)]
                right["others"] += sum(moved)
            judge.learn([mail], [label])
    of = max(right["mails"], 1)
    shares = {name: 100 * count / of for name, count in right.items() if "right" in name}
    row = {"part": "corrected", "corpus": corpus.name, "mails": right["mails"], **shares}
    yield row | {f"changed of {OTHERS}": right["others"] / of}


def side_by_side(mails: Any, spam: Any) -> Any:
    """Each kind as far along as the other."""
    place = np.empty(len(mails))
    for kind in (False, True):
        own = spam[mails] == kind
        place[own] = np.arange(own.sum()) / own.sum()
    return mails[np.argsort(place, kind="stable")]


def learned(corpus: Corpus, mails: Any, stored: bool) -> Judge:
    """By a store, or in memory, in this order."""
    verdicts = [Verdict(b"%d" % i, corpus.looked[i], bool(corpus.spam[i])) for i in mails]
    if not stored:
        judge = Judge()
        judge.learn([each.looked for each in verdicts], [each.spam for each in verdicts])
        return judge
    with TemporaryDirectory() as folder, Store(f"{folder}/mail.db") as store:
        for at in range(0, len(verdicts), 256):
            store.learn(verdicts[at : at + 256])
        with Store(store.path) as again:  # with all columns in memory
            again.forget([])
            again._load(np.arange(1 << again.look.bits))
            return again.judge


def order(corpus: Corpus, options: Any) -> Iterator[dict[str, Any]]:
    spam, found = corpus.spam, dict[tuple[str, str], list[Any]]()
    for seed in range(options.orders):
        mails = corpus.order(seed)
        tested, others = mails[:501], mails[501:]
        for few in (20, 200, 2000):
            kinds = {kind: others[spam[others] == kind][:few] for kind in (False, True)}
            some = others[np.isin(others, np.concatenate([*kinds.values()]))]
            ways = {"side by side": side_by_side(some, spam), "spam, ham": [*kinds[True], *kinds[False]],
                    "ham, spam": [*kinds[False], *kinds[True]]}  # fmt: skip
            if few == 2000:
                first = np.concatenate([own[:200] for own in kinds.values()])
                early = [*side_by_side(others[np.isin(others, first)], spam)]
                ways |= {f"{way}, later": [*early, *(i for i in ways[way] if i not in set(first))]
                         for way in ("spam, ham", "ham, spam")}  # fmt: skip
            for way, row in ways.items():
                for how in ("judge", "store"):
                    opinions = learned(corpus, row, how == "store").score([corpus.looked[i] for i in tested])
                    scores = np.array([opinion.score for opinion in opinions])
                    wrong = int(((scores > 0) != spam[tested]).sum())
                    roca = measured(scores, spam[tested])[0]
                    found.setdefault((f"{few} + {few}", way), []).append({how: wrong, f"{how} roca": roca})
    for (learned_, way), rows in found.items():
        means = {key: float(np.mean([row[key] for row in rows if key in row])) for each in rows[:2] for key in each}
        yield {"part": "order", "corpus": corpus.name, "learned": learned_, "order": way} | means


PARTS = {part.__name__: part for part in (table, experts, candidates, start, corrected, order)}


def main() -> None:
    options = parser(__doc__)
    options.add_argument("parts", nargs="*", default=[])
    options.add_argument("--corpus", nargs="+", choices=CORPORA, default=list(CORPORA))
    options.add_argument("--orders", type=int, default=5)
    arguments = parsed(options)
    for name in arguments.corpus:
        corpus = Corpus(arguments.data, name)
        for part in arguments.parts or PARTS:
            for row in PARTS[part](corpus, arguments):
                shown = {key: f"{value:.3f}" if isinstance(value, float) else value for key, value in row.items()}
                print(
                    json.dumps(row) if arguments.json else "  ".join(f"{key} {value}" for key, value in shown.items()),
                    flush=True,
                )


if __name__ == "__main__":
    main()
