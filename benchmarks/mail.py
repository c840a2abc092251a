"""Filters of mail on one stream: score, then learn, message by message, each verdict at once; ours beside its peers.

    python benchmarks/mail.py [--corpus NAME …] [--programs NAME …] [--orders 5] [--noise .05] [--json]
    python benchmarks/mail.py --across
    python benchmarks/mail.py --speed
    python benchmarks/mail.py --process 1000 100000
    python benchmarks/mail.py --hostile .3 3 30

Order: that of index.csv, shuffled by `default_rng(s).permutation(n)` for s = 0, 1, …; figures are means over them.
--noise flips what the learner is told of a mail (`default_rng([s, 1]).random(n) < P`); figures are by true labels.
(1−ROCA)%: pairs of a ham and a spam that the scores turn around, ties count half. lost: ham judged spam. through: spam
not judged spam. LAM: the mean of their logits, as a share, each as (n + ½)/(N + 1). All but the first at the program's
own threshold, and at p > .5. mails/s: of CPU, judging and learning; ours and SpamAssassin and bsfilter run in one
process, rspamd is a daemon, the others are started twice a mail.
--headers: peers read the mail as it is (raw), or its safe headers only, which is what ours reads in either. --glued:
csdmc2010_dev has no headers, but a collector's line and MIME headers glued to the subject of 188 of 957 spam and 33 of
2,043 ham: removed, or kept. --across: learned on one corpus, tested on another: spam missed where .1, .8 and 1.6 % of
the ham are lost. --speed: learning and judging in bulk. What is not installed is named and left out.
--process: `mail filter` as a new process, on stores that have learned so many mails. --hostile: the same for mails of
so many MB that are made to cost much (tests/hostile.py); CPU and memory of the whole process.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from _command_line import parsed, parser
from _mail_process import by_messages, by_size
from _mail_programs import PROGRAMS, Bogofilter, Ours, OursStored, Program
from scipy.special import expit, logit
from scipy.stats import rankdata

GLUED = re.compile(rb"From nobody \w{3} \w{3} [ \d]\d [\d:]{8} \d{4}\n(?:[\w-]+:.*\n|[ \t]+\S.*\n)*")
SAFE = re.compile(
    rb"(?:From|Reply-To|To|Cc|Subject|Content-[\w-]+|MIME-Version|X-Mailer|User-Agent|Organization|In-Reply-To|Date"
    rb"|Message-ID)\s*:",
    re.IGNORECASE,
)
FIELD = re.compile(rb"(?:.*\n)(?:[ \t].*\n)*")
HEAD = re.compile(rb"(?:From .*\n)?((?:[!-9;-~]+[ \t]*:.*\n(?:[ \t].*\n)*)*)")
CORPORA = ("spamassassin_dev", "csdmc2010_dev", "enron_dev", "lingspam_dev")
HEADERS, GLUE = ("raw", "safe"), ("remove", "keep")
ACROSS = (
    ("spamassassin_dev", "csdmc2010_dev"),
    ("csdmc2010_dev", "spamassassin_dev"),
    ("enron_dev", "spamassassin_dev"),
)
LOST = (0.001, 0.008, 0.016)
ONLINE = "{corpus:16} {form:6} {program:12} {roca:7.4f}  own {own}  p>.5 {even}  {speed:6,.0f} mails/s"


def safe(raw: bytes) -> bytes:
    """A mail without the headers that a collector, a server on the way or another filter can have written."""
    head = HEAD.match(raw)
    return b"".join(field for field in FIELD.findall(head[1]) if SAFE.match(field)) + raw[head.end() :]


FORMS = {"raw": bytes, "keep": bytes, "safe": safe, "remove": lambda raw: GLUED.sub(b"\n", raw, count=1)}


def form_of(name: str, options: Any) -> list[str]:
    """The forms of a corpus that are asked for; where there are no headers but the subject there is one form."""
    forms: dict[str, list[str]] = {"spamassassin_dev": options.headers, "csdmc2010_dev": options.glued}
    return forms.get(name, ["raw"])


def unpacked(data: Path, name: str, form: str, place: Path) -> tuple[list[Path], Any]:
    """The mails of a corpus in the order of its index, as files of that form, and which of them are spam."""
    with tarfile.open(data / name / f"{name}.tar.xz") as tar:
        held = {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}
    index = list(csv.DictReader(io.StringIO(held[f"{name}/index.csv"].decode())))
    files = [place / f"{number:05}.eml" for number in range(len(index))]
    place.mkdir()
    for file, line in zip(files, index, strict=True):
        file.write_bytes(FORMS[form](held[f"{name}/{line['path']}"]))
    return files, np.array([line["label"] == "spam" for line in index])


def measures(spam: Any, scores: Any, verdicts: Any, even: float) -> dict[str, Any]:
    """roca, and lam, lost, through (all in %) by the program's own verdicts and by p > .5."""
    ranks, hams = rankdata(scores), (~spam).sum()
    spams = len(spam) - hams
    area = (ranks[spam].sum() - spams * (spams + 1) / 2) / (hams * spams)

    def of(called: Any) -> dict[str, float]:
        lost, through = (~spam & called).sum(), (spam & ~called).sum()
        lam = expit(logit([(lost + 0.5) / (hams + 1), (through + 0.5) / (spams + 1)]).mean())
        return {"lam": 100 * float(lam), "lost": 100 * float(lost / hams), "through": 100 * float(through / spams)}

    return {"roca": 100 * float(1 - area), "own": of(verdicts), "even": of(scores > even)}


def cpu(program: type[Program]) -> float:
    """Seconds of this process, where the program runs in it, or of those that have ended."""
    now = os.times()
    return now.user + now.system if issubclass(program, Ours) else now.children_user + now.children_system


@contextmanager
def started(program: type[Program]) -> Iterator[Program]:
    """The program with a folder of its own, ended afterwards."""
    with tempfile.TemporaryDirectory() as folder, closing(program(Path(folder))) as filter:
        yield filter


def online(program: type[Program], files: list[Path], spam: Any, options: Any) -> list[dict[str, Any]]:
    """What each order gives."""
    runs = []
    for seed in range(options.orders):
        order = np.random.default_rng(seed).permutation(len(files))
        flipped = np.random.default_rng([seed, 1]).random(len(files)) < options.noise
        scores, verdicts, start = [], [], cpu(program)
        with started(program) as filter:
            for i, label in zip(order, (spam[order] ^ flipped).tolist(), strict=True):
                scores.append(filter.judge(files[i]))
                verdicts.append(filter.is_spam(scores[-1]))
                filter.learn(files[i], label)
        figures = measures(spam[order], np.array(scores), np.array(verdicts), program.even)
        runs.append(figures | {"speed": len(files) / (cpu(program) - start)})
    return runs


def mean(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """The mean of each figure, also of those in a figure."""
    first = runs[0].items()
    return {
        key: mean([each[key] for each in runs]) if isinstance(value, dict) else float(np.mean([r[key] for r in runs]))
        for key, value in first
    }


def across(program: type[Program], train: tuple[list[Path], Any], test: tuple[list[Path], Any]) -> dict[str, Any]:
    """Spam missed, and ham lost, of the tests at each share of `LOST`; accuracy at p > .5."""
    order = np.random.default_rng(0).permutation(len(train[0]))
    spam = test[1]
    with started(program) as filter:
        filter.learn_all([train[0][i] for i in order], train[1][order].tolist())
        scores = np.array(filter.judge_all(test[0]))
    hams = np.sort(scores[~spam])[::-1]
    cuts = [hams[int(share * len(hams))] for share in LOST]
    return {
        "missed": [int((scores[spam] <= cut).sum()) for cut in cuts],
        "lost": [int((hams > cut).sum()) for cut in cuts],
        "spam": int(spam.sum()),
        "ham": len(hams),
        "accuracy": float(((scores > program.even) == spam).mean()),
    }


def speed(program: type[Program], files: list[Path], spam: Any) -> tuple[float, float]:
    """Mails learned, and mails judged, in bulk in a second of CPU; both look at each mail. Loading ours is left out."""
    with started(program) as warm:
        warm.learn_all(files[:10], spam[:10].tolist())
    with started(program) as filter:
        times = [cpu(program)]
        filter.learn_all(files, spam.tolist())
        times.append(cpu(program))
        filter.judge_all(files)
        learned, judged = np.diff([*times, cpu(program)])
    return len(files) / learned, len(files) / judged


def show(row: dict[str, Any], options: Any) -> None:
    """A row as JSON, or as a line."""
    if options.json:
        print(json.dumps(row), flush=True)
    elif "messages" in row:
        print(
            "{messages:9,} mails learned, {bytes:13,} bytes: {least:.3f} s at least, median {median:.3f}".format(**row)
        )
    elif "hostile" in row:
        both = zip(row["sizes"], row["seconds"], row["memory"], strict=True)
        words = (f"{size:g} MB {seconds:5.2f} s {memory / 1e6:4.0f} MB" for size, seconds, memory in both)
        print(f"{row['hostile']:28} {'   '.join(words)}", flush=True)
    elif "roca" in row:
        words = {
            key: "LAM {lam:6.3f} lost {lost:5.2f} through {through:5.2f}".format(**row[key]) for key in ("own", "even")
        }
        print(ONLINE.format(**row | words), flush=True)
    elif "missed" in row:
        words = [
            f"{100 * missed / row['spam']:5.1f} % ({missed:,} at {lost} ham)"
            for missed, lost in zip(row["missed"], row["lost"], strict=True)
        ]
        print(
            f"{row['train']} → {row['test']} ({row['spam']:,} spam, {row['ham']:,} ham)  {row['program']:12} missed"
            f" {', '.join(words)}; accuracy {row['accuracy']:.4f}",
            flush=True,
        )
    else:
        words = "; {:.2f} and {:.2f} times bogofilter".format(*row["to_bogofilter"]) if row["to_bogofilter"] else ""
        print("{corpus} {program:12} learns {learned:7,.0f}, judges {judged:7,.0f} mails/s".format(**row) + words)


def rows(options: Any, programs: list[type[Program]], place: Path) -> Iterator[dict[str, Any]]:
    """What was asked for, a row a program."""
    if options.process or options.hostile:
        yield from by_messages(place, options.process)
        yield from by_size(place, options.hostile) if options.hostile else ()
    elif options.speed:
        files, spam = unpacked(options.data, "spamassassin_dev", "raw", place / "mails")
        bulk = [program for program in (Ours, OursStored, Bogofilter) if {program, *program.__mro__} & {*programs}]
        found = {program: speed(program, files, spam) for program in bulk}
        for program, (learned, judged) in found.items():
            row = {"corpus": "spamassassin_dev", "program": program.name, "learned": learned, "judged": judged}
            other = found.get(Bogofilter)
            ratios = [a / b for a, b in zip((learned, judged), other, strict=True)] if other else None
            yield row | {"to_bogofilter": ratios}
    elif options.across:
        names = dict.fromkeys(name for pair in ACROSS for name in pair)
        sets = {name: unpacked(options.data, name, form_of(name, options)[0], place / name) for name in names}
        for train, test in ACROSS:
            for program in programs:
                found = across(program, sets[train], sets[test])
                yield {"train": train, "test": test, "program": program.name} | found
    else:
        for name in options.corpus:
            for form in form_of(name, options):
                files, spam = unpacked(options.data, name, form, place / f"{name}-{form}")
                for program in programs:
                    runs = online(program, files, spam, options)
                    keys = {"corpus": name, "form": form, "program": program.name, "noise": options.noise}
                    yield keys | mean(runs) | {"orders": runs}


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--corpus", nargs="+", choices=CORPORA, default=CORPORA[:2])
    options.add_argument("--programs", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    options.add_argument("--orders", type=int, default=1)
    options.add_argument("--headers", nargs="+", choices=HEADERS, default=HEADERS)
    options.add_argument("--glued", nargs="+", choices=GLUE, default=GLUE)
    options.add_argument("--noise", type=float, default=0.0)
    options.add_argument("--across", action="store_true")
    options.add_argument("--speed", action="store_true")
    options.add_argument("--process", nargs="+", type=int, default=[], metavar="MAILS")
    options.add_argument("--hostile", nargs="+", type=float, default=[], metavar="MB")
    arguments = parsed(options)
    programs = [PROGRAMS[name] for name in arguments.programs]
    for program in programs:
        if absent := program.missing():
            print(f"{program.name:12} {absent}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as place:
        for row in rows(arguments, [each for each in programs if not each.missing()], Path(place)):
            show(row, arguments)


if __name__ == "__main__":
    main()
