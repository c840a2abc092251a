"""Rows in a random order, and in parts that keep the shares of the classes: functions of the seed alone.

Any number of records is shuffled in bounded memory; which part a row belongs to is decided row by row.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from itertools import count

import numpy as np

from ..errors import SettingError

HELD = 1 << 26
"""Bytes of records that are held in memory."""
DRAWN = 4096


def shuffled(records: Iterable[bytes], seed: int, held: int = HELD) -> Iterator[bytes]:
    """The records in the order `np.argsort(np.random.default_rng(seed).random(n), kind="stable")`.

    Record i has the i-th random number as its key, and records come by ascending key. SQLite sorts them, in temporary
    files as soon as they need more than `held` bytes, half for the table and half for sorting it, so the order does not
    depend on the memory. Disk: twice the records' size. OSError where there is no room for it.

    A million records of 100 bytes need 3.9 s of CPU, of 600 bytes 5.7; files of our own, one for each 64th of the keys,
    needed 2.6 and 3.9 in three times as many lines.
    """
    try:
        with closing(sqlite3.connect("", isolation_level=None)) as file:
            file.execute(f"PRAGMA cache_size = -{max(held >> 11, 1)}")
            file.execute("PRAGMA journal_mode = OFF")
            file.execute("CREATE TABLE records (number INTEGER PRIMARY KEY, key REAL, record BLOB)")
            file.execute("BEGIN")
            numbered = zip(count(), random_numbers(seed), records, strict=False)
            file.executemany("INSERT INTO records VALUES (?, ?, ?)", numbered)
            for (record,) in file.execute("SELECT record FROM records ORDER BY key, number"):
                yield record
    except sqlite3.OperationalError as error:
        raise OSError(f"records cannot be sorted in a temporary file ({error})") from error


def random_numbers(seed: int) -> Iterator[float]:
    """Those of `default_rng(seed).random(n)`, for any n."""
    rng = np.random.default_rng(seed)
    while True:
        yield from rng.random(DRAWN).tolist()


def parts_of(text: str) -> dict[str, float]:
    """name → share, which sum to 1, of `train=0.8,test=0.2`; whole numbers are parts of their sum (`train=8,test=2`).
    Raises SettingError."""
    names, sizes = [], []
    for word in text.split(","):
        name, _, size = word.partition("=")
        try:
            sizes.append(float(size))
        except ValueError:
            sizes.append(0.0)
        names.append(name.strip())
        if not names[-1] or "/" in names[-1] or not 0.0 < sizes[-1] < np.inf:
            raise SettingError("{parts}: write NAME=SHARE,NAME=SHARE, as train=0.8,test=0.2", parts=text)
    if len(set(names)) < len(names) or len(names) < 2:
        raise SettingError("{parts}: give two or more parts, each a name of its own", parts=text)
    total = sum(sizes)
    if all(size < 1.0 for size in sizes) and abs(total - 1.0) > 1e-6:
        raise SettingError(f"{{parts}}: the shares sum to {total:g}; make it 1", parts=text)
    return {name: size / total for name, size in zip(names, sizes, strict=True)}


def counts(rows: Mapping[str | None, int], shares: tuple[float, ...]) -> dict[str | None, list[int]]:
    """label → rows for each part: of every class its share to the nearest rows, and of all classes together too.

    A class in its turn (sorted) gets what its share of the rows so far still lacks; largest remainders are rounded up.
    So small classes differ from their share by less than two rows, and the parts as a whole by less than one.
    """
    dealt = np.zeros(len(shares))
    seen = 0
    due: dict[str | None, list[int]] = {}
    for label in sorted(rows, key=str):
        seen += rows[label]
        want = np.array(shares) * seen - dealt
        own = np.maximum(np.floor(want + 1e-9), 0.0).astype(int)
        while own.sum() > rows[label]:
            own[int(np.where(own > 0, want - own, np.inf).argmin())] -= 1
        while own.sum() < rows[label]:
            own[int((want - own).argmax())] += 1
        dealt += own
        due[label] = own.tolist()
    return due


class Dealer:
    """Gives each row its part. rows: how many there are of each label; shares: of the parts, which are exactly those of
    `counts`.

    With r rows of a class left and q_p of them due to part p, the next one goes to part p with probability q_p/r: every
    choice of rows is equally likely. One number of `default_rng(seed)` is drawn for each row.
    """

    def __init__(self, rows: Mapping[str | None, int], shares: tuple[float, ...], seed: int) -> None:
        self.due = counts(Counter(rows), shares)
        self._left = dict(rows)
        self._random = random_numbers(seed)

    def part(self, label: str | None) -> int:
        """The part of the next row, which has this label."""
        due = self.due[label]
        place = int(next(self._random) * self._left[label])
        self._left[label] -= 1
        part = 0
        while place >= due[part]:
            place -= due[part]
            part += 1
        due[part] -= 1
        return part
