"""How good a judge of mail is on a stream, as in the TREC spam track: each mail is judged, and only then learned."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .. import __version__
from ..core.rows import Array
from ..errors import DataError, SettingError, plural
from ..parameters import Parameter
from .bulk import Bulk
from .features import Look
from .judge import Judge, Opinion, truths
from .looking import mapped
from .measures import LIMITS, Judged, differences, intervals, measures
from .parameters import judge_from
from .saved import Saved
from .stream import Plan, Stream, read_stream

Tell = Callable[[str, int, int], Any] | None
"""(what, done, of): how far it is."""
BLOCK = 64
"""Mails in a call of the judge where verdicts come at once: 0.06 ms a mail, one by one 0.6, with the same result."""
HALF = 0.5
CUTS = ("", "at_threshold")
"""Where the measures of a line stand: at p > ½ beside the others, and at the judge's own threshold."""
OF_SCORES = ("roca_percent", *(f"spam_through_at_{100 * limit:g}_percent_lost" for limit in LIMITS))
OF_CUTS = ("lam_percent", "ham_lost_percent", "spam_through_percent")
WRONG = 0.05
"""The share of wrong verdicts that `ablate` adds."""
AS_GIVEN = Plan()
JOBS = Parameter("jobs", 1, int, least=1)


class Run(NamedTuple):
    """A pass over the stream, in the order in which the mails came.

    seed: of order and noise. order: (n,) which mails of the stream. shown: (n,) the verdicts for the learner, True for
    spam. arrived: (n,) whether it got them before the end. scores, probabilities: (n,) just before learning. verdicts:
    (n,) spam, ham, unsure. judge: `Judge.state` at the end.
    """

    seed: int
    order: Array
    shown: Array
    arrived: Array
    scores: Array
    probabilities: Array
    verdicts: Array
    judge: dict[str, Any]

    def __repr__(self) -> str:
        return f"<Run: seed {self.seed}, {plural(len(self.order), 'mail')}>"

    def judged(self, spam: Array) -> Judged:
        """Scores and wrong verdicts, in the stream's order. spam: (n,) the true labels there."""
        place = np.argsort(self.order)
        scores, called = self.scores[place], self.called[place]
        return Judged(scores[~spam], scores[spam], called[~spam], ~called[spam])

    @property
    def called(self) -> Array:
        """(n, 2) bool: who is called spam, at p > ½ and at the judge's threshold."""
        return np.stack([self.probabilities > HALF, self.verdicts == "spam"], axis=1)


def nested(values: Any) -> dict[str, Any]:
    """Numbers in the order of `measures`, by their names."""
    values = np.asarray(values)
    out: dict[str, Any] = dict(zip(OF_SCORES, values.tolist(), strict=False))
    for k, cut in enumerate(CUTS):
        start = len(OF_SCORES) + k * len(OF_CUTS)
        own = dict(zip(OF_CUTS, values[start : start + len(OF_CUTS)].tolist(), strict=True))
        out |= {cut: own} if cut else own
    return out


@dataclass(frozen=True, repr=False)
class Evaluation:
    """What came of a judge on a stream.

    origin, digest, names, spam, notes: of the stream, its mails in their given order. plan: how they came. settings: of
    the judge. runs: one for each seed.
    """

    origin: str
    digest: str
    names: list[str]
    spam: Array
    notes: dict[str, int]
    plan: Plan
    settings: dict[str, Any]
    runs: list[Run]

    def __repr__(self) -> str:
        return f"<Evaluation: {self.origin}, {plural(len(self.names), 'mail')}, (1-ROCA) % {self.values[0]:.3f}>"

    @cached_property
    def judged(self) -> list[Judged]:
        """Of each run scores and wrong verdicts."""
        return [run.judged(self.spam) for run in self.runs]

    @cached_property
    def each(self) -> Array:
        """(runs, 9) the measures of each run, in percent."""
        return 100.0 * np.stack([measures(judged) for judged in self.judged])

    @property
    def values(self) -> Array:
        """(9,) in percent, the mean over the runs: 1 − ROCA, spam through at each of `LIMITS`, then at p > ½ and at the
        threshold LAM, real mail lost, spam through. NaN: not defined."""
        return np.asarray(self.each.mean(axis=0))

    @cached_property
    def limits(self) -> Array:
        """(2, 9) around the values, 95 %."""
        return 100.0 * intervals(self.judged)

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON holds it. The mails stand run by run in the order in which they came."""
        spam = int(self.spam.sum())
        return {
            "messages": len(self.spam),
            "spam": spam,
            "ham": len(self.spam) - spam,
            **nested(self.values),
            "intervals": nested(np.moveaxis(self.limits, 0, 1)),
            "data": self.origin,
            "digest": self.digest,
            **self.plan._asdict(),
            "settings": self.settings,
            "version": __version__,
            "runs": [
                {"seed": run.seed, **nested(own), "judge": run.judge}
                for run, own in zip(self.runs, self.each, strict=True)
            ],
            "mails": [mail for run in self.runs for mail in self._mails(run)],
        }

    def _mails(self, run: Run) -> Iterator[dict[str, Any]]:
        words, labels, shown = ("ham", "spam"), self.spam.tolist(), run.shown.tolist()
        for t, i in enumerate(run.order.tolist()):
            yield {
                "seed": run.seed,
                "path": self.names[i],
                "label": words[labels[i]],
                "shown": words[shown[t]] if run.arrived[t] else None,
                "score": float(run.scores[t]),
                "probability": float(run.probabilities[t]),
                "verdict": str(run.verdicts[t]),
            }

    def against(self, path: str | os.PathLike[str]) -> Difference:
        """This less what is in a file of `as_dict`, mail by mail. DataError where it is no such file, or of other mails
        or another order."""
        return Difference(os.fspath(path), self, Saved(path).runs(self))


class Difference(NamedTuple):
    """Two evaluations of the same mails in the same order: here, and there, the runs of the file `path`."""

    path: str
    here: Evaluation
    there: list[Run]

    def measured(self) -> tuple[Array, Array]:
        """(9,) this less the other in percent, as of `Evaluation.values`, and (2, 9) the limits."""
        value, limits = differences(self.here.judged, [run.judged(self.here.spam) for run in self.there])
        return 100.0 * value, 100.0 * limits

    def moved(self) -> list[dict[str, int]]:
        """Of each cut: how many mails of each class only one of the two is right about, over all runs."""
        out = [dict.fromkeys(("ham_better", "ham_worse", "spam_better", "spam_worse"), 0) for _ in CUTS]
        for run, other in zip(self.here.runs, self.there, strict=True):
            spam = self.here.spam[run.order]
            right, before = run.called == spam[:, None], other.called == spam[:, None]
            for k, counts in enumerate(out):
                for name, own in (("ham", ~spam), ("spam", spam)):
                    counts[f"{name}_better"] += int((right & ~before)[own, k].sum())
                    counts[f"{name}_worse"] += int((before & ~right)[own, k].sum())
        return out

    def as_dict(self) -> dict[str, Any]:
        """The differences, their limits and what moved, as JSON holds it."""
        value, limits = self.measured()
        first, second = self.moved()
        moved = {"moved": {**first, CUTS[1]: second}}
        return {"file": self.path, **nested(value), "intervals": nested(np.moveaxis(limits, 0, 1)), **moved}


def evaluate(
    stream: Any,
    plan: Plan = AS_GIVEN,
    jobs: int = 1,
    tell: Tell = None,
    **settings: Any,
) -> Evaluation:
    """A new judge on a stream, as many times as planned: each mail is judged, then learned by `Judge.learn`.

    stream: as `read_stream` takes it, or a `Stream`. plan: how mails come, default: in the given order, once. jobs:
    processes that look at the mails, default 1; the result is the same (in a script, its main part must be guarded as
    multiprocessing asks for). tell: called with (what, done, of), how far it is. settings: of the judge, as `groups`,
    `bits` and `max_false_positives`. Raises DataError and SettingError.
    """
    plan, judge = _checked(plan, jobs), judge_from(**settings)
    stream = _stream(stream)
    looked = _looked(judge.look, stream.raws, jobs, tell)
    runs = [_run(judge_from(**settings), stream, looked, plan._replace(seed=seed), tell) for seed in _seeds(plan)]
    settled = {"groups": list(judge.look.groups), "bits": judge.look.bits, "max_false_positives": judge.lost}
    return Evaluation(stream.origin, stream.digest, stream.names, stream.spam, dict(stream.notes), plan, settled, runs)


class Ablation(NamedTuple):
    """without: the group that was left out, "" for none. clean, noisy: the evaluations with right and with some wrong
    verdicts."""

    without: str
    clean: Evaluation
    noisy: Evaluation


def ablate(
    stream: Any,
    plan: Plan = AS_GIVEN,
    jobs: int = 1,
    tell: Tell = None,
    **settings: Any,
) -> list[Ablation]:
    """What each group of features is worth: `evaluate` with all, then without each, at no wrong verdicts and at 5 %.
    stream, plan, jobs, tell, settings: as of `evaluate`. SettingError for a plan with noise of its own."""
    plan = _checked(plan, jobs)
    if plan.noise:
        raise SettingError("{noise:g}: an ablation has its own, none and 5 %; leave it out", noise=plan.noise)
    groups = judge_from(**settings).look.groups
    stream = _stream(stream)
    out = []
    for without in ["", *(groups if len(groups) > 1 else [])]:
        own = {**settings, "groups": [name for name in groups if name != without]}
        clean = evaluate(stream, plan, jobs, tell, **own)
        out.append(Ablation(without, clean, evaluate(stream, plan._replace(noise=WRONG), jobs, tell, **own)))
    return out


def _checked(plan: Any, jobs: Any) -> Plan:
    """SettingError where they are none."""
    JOBS.check(jobs)
    if not isinstance(plan, Plan):
        raise SettingError("{plan} must be a Plan, as Plan('shuffled', seed=1)", plan=plan)
    return plan.checked()


def _stream(stream: Any) -> Stream:
    """DataError where its parts do not fit."""
    if not isinstance(stream, Stream):
        return read_stream(stream)
    if not stream.raws or len(stream.names) != len(stream.raws):
        found = f"{plural(len(stream.raws), 'mail')} and {plural(len(stream.names), 'name')}"
        raise DataError(f"{stream.origin}: found {found}; expected a name for each mail, and at least one")
    return stream._replace(spam=truths(stream.spam, len(stream.raws)))


def _seeds(plan: Plan) -> range:
    return range(plan.seed, plan.seed + plan.repeat)


def _looked(look: Look, raws: Sequence[bytes], jobs: int, tell: Tell) -> list[Any]:
    """What is looked at in each mail, for all runs."""
    out = []
    for done, each in enumerate(mapped(Bulk(look).few, raws, jobs), 1):
        out.append(each)
        if tell:
            tell("looking at mails", done, len(raws))
    return out


def _run(judge: Judge, stream: Stream, looked: Sequence[Any], plan: Plan, tell: Tell) -> Run:
    order, shown = plan.arrivals(stream.spam, plan.seed)
    mails = [looked[i] for i in order.tolist()]
    n = len(mails)
    first = n if plan.feedback_first is None else min(plan.feedback_first, n)
    opinions: list[Opinion] = []
    for more in _late(judge, mails, shown, plan.delay, first) if plan.delay else _at_once(judge, mails, shown, first):
        opinions += more
        if tell:
            tell(f"seed {plan.seed}", len(opinions), n)
    scores, probabilities, verdicts = map(np.array, zip(*opinions, strict=True))
    if not np.isfinite(scores).all():
        raise DataError(f"{stream.origin}: the judge's scores overflowed; other settings may help")
    arrived = np.arange(n) < min(first, n - plan.delay)
    return Run(plan.seed, order, shown, arrived, scores, probabilities, verdicts, judge.state())


def _at_once(judge: Judge, mails: Sequence[Any], shown: Array, first: int) -> Iterator[list[Opinion]]:
    """A verdict comes before the next mail, for the first so many."""
    cuts = [*range(0, first, BLOCK), *range(first, len(mails), BLOCK), len(mails)]
    for a, b in pairwise(cuts):
        block = mails[a:b]
        yield judge.learn(block, shown[a:b].tolist()) if a < first else judge.score(block)


def _late(judge: Judge, mails: Sequence[Any], shown: Array, delay: int, first: int) -> Iterator[list[Opinion]]:
    """A verdict comes after `delay` more mails."""
    for t, mail in enumerate(mails):
        yield judge.score([mail])
        if 0 <= t - delay < first:
            judge.learn([mails[t - delay]], [bool(shown[t - delay])])
