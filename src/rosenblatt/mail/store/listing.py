"""What a store says of its mails and of itself. It is only read."""

from __future__ import annotations

import math
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

from ..features import Look
from ..judge import Judge
from ..record import FEW
from .care import whole
from .file import VERSION, WAITS, meta, opened, refused
from .learning import SETTINGS
from .order import one_kind_only

OLD = 30
"""Days without a verdict after which the filter no longer knows what comes today."""
LEAST = 50
"""Mails of each verdict below which a judge says little."""
LATEST = 20
"""Verdicts of which one at least should not be a correction."""


LATEST_FIRST = "time DESC, tick DESC"
"""By their verdicts; a mail that was learned again has a tick of its own."""


class Mistake(NamedTuple):
    """A learned mail. time: of its verdict, seconds since 1970. verdict: spam or ham. thought, score: just before."""

    time: float
    verdict: str
    thought: str
    score: float
    sender: str
    subject: str


@contextmanager
def _reading(path: str) -> Iterator[sqlite3.Connection]:
    with closing(opened(path)) as store, refused(path):
        yield store


def mistakes(path: str, unsure: bool = False) -> list[Mistake]:
    """Learned mails that were thought otherwise, the latest first. unsure: also those that nothing was thought of."""
    columns = "time, CASE spam WHEN 1 THEN 'spam' ELSE 'ham' END AS verdict, thought, score, sender, subject"
    where = f"thought != verdict AND NOT {WAITS} AND (? OR thought != 'unsure')"
    with _reading(path) as store:
        rows = store.execute(f"SELECT {columns} FROM messages WHERE {where} ORDER BY {LATEST_FIRST}", (unsure,))
        return [*map(Mistake._make, rows)]


def learned_before(path: str, before: float = math.inf, sender: str = "") -> list[bytes]:
    """Digests of mails whose verdict came before that time, the oldest first. sender: only from, or sent to, them."""
    where = "time < ? AND (? = '' OR instr(' ' || sender || ' ', ' ' || ? || ' '))"
    with _reading(path) as store:
        rows = store.execute(f"SELECT digest FROM messages WHERE {where} ORDER BY tick", (before, sender, sender))
        return [digest for (digest,) in rows]


def status(path: str, now: Callable[[], float] = time.time) -> dict[str, Any]:
    """As JSON holds it.

    messages: of each verdict. waiting: those of them that wait for the other kind (`Order`). corrections: mails that
    were thought otherwise, or unsure. forgettable: mails that can be forgotten. last: time of the last verdict, days:
    since then; None without one. judge: see `Judge.state`. store: integrity ("ok"), bytes, schema, columns, senders,
    mails that are kept and their bytes. missing, warnings: sentences.
    """
    with _reading(path) as store:
        integrity = whole(store)
        counts = dict(store.execute("SELECT spam, count(*) FROM messages GROUP BY spam").fetchall())
        last, forgettable, right = store.execute(
            f"SELECT max(time), count(added), total({WAITS} OR thought = iif(spam, 'spam', 'ham')) FROM messages"
        ).fetchone()
        waiting = dict(store.execute(f"SELECT spam, count(*) FROM messages WHERE {WAITS} GROUP BY spam").fetchall())
        latest = f"NOT {WAITS} ORDER BY {LATEST_FIRST} LIMIT {LATEST}"
        late = store.execute(f"SELECT spam, thought FROM messages WHERE {latest}").fetchall()
        columns, senders = (
            store.execute(f"SELECT count(*) FROM {part}").fetchone()[0]
            for part in ("weights", "senders WHERE spam > 0 OR ham > 0")
        )
        settings, clocks = SETTINGS | meta(store, "settings"), meta(store, "judge")
        kept, kept_bytes = store.execute("SELECT count(*), total(length(raw)) FROM mails").fetchone()
    judge = Judge(
        Look(settings["groups"], settings["bits"], settings["trusted"]),
        max_false_positives=settings["max_false_positives"],
    )
    judge.set_clocks(clocks)
    messages = {"spam": counts.get(1, 0), "ham": counts.get(0, 0)}
    made: dict[str, Any] = {
        "messages": messages,
        "waiting": {"spam": waiting.get(1, 0), "ham": waiting.get(0, 0)},
        "corrections": sum(messages.values()) - int(right),
        "forgettable": forgettable,
        "last": last,
        "days": None if last is None else (now() - last) / 86400,
        "judge": judge.state(),
        "settings": settings,
        "store": {
            "path": path,
            "integrity": integrity,
            "bytes": sum(os.path.getsize(path + end) for end in ("", "-wal") if os.path.exists(path + end)),
            "schema": VERSION,
            "columns": columns,
            "senders": senders,
            "mails": kept,
            "mail_bytes": int(kept_bytes),
        },
    }
    corrected = len(late) == LATEST and all(thought != ("spam" if spam else "ham") for spam, thought in late)
    return made | {"missing": _missing(made), "warnings": _warnings(made, corrected)}


def _missing(made: dict[str, Any]) -> list[str]:
    messages, judge, waiting = made["messages"], made["judge"], made["waiting"]
    few = [f"{LEAST - n:,} more {kind} for verdicts that say much" for kind, n in messages.items() if n < LEAST]
    for kind, other in (("spam", "ham"), ("ham", "spam")):
        if waiting[other] and messages[kind]:
            few.append(f"{waiting[other]:,} more {kind}, for as many {other} that wait to be learned beside them")
    ham, share = judge["ham"], judge["target_percent"] / 100
    if ham < FEW:
        few.append(f"{FEW - ham:,} more ham for a threshold of its own; until then it is by probability")
    needed = math.ceil(math.log(0.05) / math.log1p(-share))
    if ham < needed:
        few.append(f"{needed - ham:,} more ham to show that at most {100 * share:g} % is lost")
    return few


def _warnings(made: dict[str, Any], corrected: bool) -> list[str]:
    out, days = list[str](), made["days"]
    if made["store"]["integrity"] != "ok":
        out.append(f"the store is damaged ({made['store']['integrity']}); `rosenblatt mail store --restore BACKUP`")
    kinds = [kind for kind, n in made["messages"].items() if n]
    if len(kinds) == 1 and made["waiting"][kinds[0]]:
        out.append(one_kind_only(kinds[0]))
    if days is not None and days > OLD:
        out.append(f"no verdict for {days:,.0f} days; spam changes, and the filter learns from verdicts only")
    if days is not None and days < 0:
        out.append(f"the last verdict is {-days:.2g} days in the future; the clock went back")
    if corrected:
        out.append(
            f"the last {LATEST} verdicts are all corrections: probabilities and the threshold are those of mails that"
            " were hard, and hold for all mail only if right verdicts are confirmed too, as by"
            " `rosenblatt mail learn --confirm-after 7`"
        )
    if made["judge"]["ham"] >= FEW and made["judge"]["interval_percent"][0] > made["judge"]["target_percent"]:
        out.append("more real mail was above the threshold than it allows")
    return out
