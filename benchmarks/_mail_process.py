"""What `mail filter` costs as a process of its own: on a store of many mails, and for mails made to cost much."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from hostile import HOSTILE
from mails import learned_store, shipped
from rosenblatt.mail.store.learning import Store, Verdict

FILTER = (sys.executable, "-c", "from rosenblatt.cli import main; main()", "mail", "filter", "--store")
LAUNCH = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10)
os._exit(0)
"""
"""A small process, whose own memory the filter's does not begin with."""
RUNS, BATCH, NEW = 30, 1000, 30
"""Of each mail; mails of a transaction; columns of each mail that no other need have."""


def spent(store: str, mail: Path) -> tuple[float, int]:
    """(seconds of CPU, bytes of memory at most) of a new process."""
    with open(mail, "rb") as source:
        words = [sys.executable, "-S", "-c", LAUNCH, *FILTER, store]
        code, seconds, memory = subprocess.run(words, stdin=source, capture_output=True, check=True).stdout.split()
    if code != b"0":
        raise RuntimeError(f"mail filter ended with {code.decode()}")
    return float(seconds), int(memory)


def large_store(path: Path, mails: int) -> str:
    """A store that has learned so many: shipped mails, each again with `NEW` columns drawn from all that there are. Of
    100,000 these are 3 million, so that nearly every column is known."""
    rng = np.random.default_rng(0)
    with Store(str(path), {"whole": BATCH}) as store:
        seen = [(store.look(raw), "spam" in name) for name, raw in shipped()]
        for first in range(0, mails, BATCH):
            batch = []
            for number in range(first, min(first + BATCH, mails)):
                looked, spam = seen[rng.integers(len(seen))]
                columns = np.union1d(looked.columns, rng.integers(1 << store.look.bits, size=NEW))
                own = looked._replace(
                    columns=type(looked.columns)("I", columns.tolist()), sender=f"{number % 30011}@x.y"
                )
                batch.append(Verdict(sha256(b"%d" % number).digest(), own, spam))
            store.learn(batch)
    return str(path)


def by_messages(place: Path, numbers: list[int]) -> Iterator[dict[str, Any]]:
    """The least and the median of `RUNS` new processes for one mail, by how many the store has learned."""
    mail = place / "mail"
    mail.write_bytes(sorted((raw for _, raw in shipped()), key=len)[500])
    for mails in numbers:
        store = large_store(place / f"{mails}.db", mails)
        times = [spent(store, mail)[0] for _ in range(RUNS)]
        size = os.path.getsize(store)
        yield {"messages": mails, "bytes": size, "least": min(times), "median": median(times)}


def by_size(place: Path, sizes: list[float]) -> Iterator[dict[str, Any]]:
    """Seconds of CPU and bytes of memory of one new process for each hostile mail of so many MB."""
    store, mail = learned_store(place / "small.db", shipped()[:40]), place / "mail"
    for name, make in HOSTILE.items():
        found = []
        for size in sizes:
            mail.write_bytes(make(int(1e6 * size)))
            found.append(spent(store, mail))
        yield {"hostile": name, "sizes": sizes, "seconds": [s for s, _ in found], "memory": [m for _, m in found]}
