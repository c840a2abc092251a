"""Mails a second of each step from raw bytes to columns, in one process, beside the standard package's parse.

    python benchmarks/mail_extract.py [--set spamassassin_dev] [--data ../shared/data] [--rounds 3] [--json]

CPU time, the best of the rounds; `first` is with nothing remembered, as in a new process, and so the best of new looks.
The ratio is to `email.message_from_bytes`, which makes no text of a body. A group: what it adds to reading the mail.
look, together: by `Bulk`, which gives the same. judged: with the judge's score, after it has learned them all.
"""

from __future__ import annotations

import email
import json
import tarfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from _command_line import parsed, parser

from rosenblatt.mail import Judge
from rosenblatt.mail.bulk import Bulk
from rosenblatt.mail.features import DEFAULT, GROUPS, Look
from rosenblatt.mailtext import parse


def seconds(work: Callable[[bytes], Any], mails: list[bytes]) -> float:
    start = time.process_time()
    for raw in mails:
        work(raw)
    return time.process_time() - start


def together(work: Callable[[list[bytes]], Any], mails: list[bytes]) -> float:
    start = time.process_time()
    list(work(mails))
    return time.process_time() - start


def steps(mails: list[bytes], rounds: int) -> Iterator[tuple[str, float]]:
    """(name, seconds)"""
    yield "email.message_from_bytes", min(seconds(email.message_from_bytes, mails) for _ in range(rounds))
    yield "parse, subject and body", min(seconds(lambda raw: parse(raw, ("subject",)), mails) for _ in range(rounds))
    yield "parse, default fields", min(seconds(parse, mails) for _ in range(rounds))
    yield "look, first", min(seconds(Look(), mails) for _ in range(rounds))
    yield "look, together, first", min(together(Bulk(Look()), mails) for _ in range(rounds))
    looks = {"look": Look(), "no group": Look([]), **{name: Look([name]) for name in GROUPS}}
    again = {name: min(seconds(look, mails) for _ in range(rounds + 1)) for name, look in looks.items()}
    yield "look", again["look"]
    bulk, judge = Bulk(Look()), Judge()
    judge.learn(list(bulk(mails)), [at % 2 == 0 for at in range(len(mails))])
    yield "look, together", min(together(bulk, mails) for _ in range(rounds))
    yield "judged", min(together(lambda raws: judge.score(list(bulk(raws))), mails) for _ in range(rounds))
    for name in GROUPS:
        mark = "" if name in DEFAULT else " (off)"
        yield f"  {name}{mark}", max(again[name] - again["no group"], 0)


def mails_of(path: Path) -> list[bytes]:
    """The mails of an archive; a set's own files lie at its top."""
    with tarfile.open(path) as archive:
        files = (archive.extractfile(member) for member in archive if member.isfile() and member.name.count("/") > 1)
        return [file.read() for file in files if file is not None]


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--set", default="spamassassin_dev")
    made.add_argument("--rounds", type=int, default=3)
    arguments = parsed(made)
    mails = mails_of(arguments.data / arguments.set / f"{arguments.set}.tar.xz")
    rows = [{"step": name, "us": 1e6 * spent / len(mails)} for name, spent in steps(mails, arguments.rounds)]
    if arguments.json:
        print(json.dumps({"mails": len(mails), "steps": rows}))
        return
    print(f"{len(mails):,} mails{'':17}µs a mail  mails a second  times email's parse")
    for row in rows:
        rate = "" if row["step"].startswith(" ") else f"{1e6 / row['us']:,.0f}"
        print(f"{row['step']:28}{row['us']:10.0f}{rate:>16}{row['us'] / rows[0]['us']:21.1f}")


if __name__ == "__main__":
    main()
