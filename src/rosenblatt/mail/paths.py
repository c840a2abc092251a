"""The raw mails of files, folders, maildirs, mbox files, archives and standard input, one by one."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import DataError, located
from ..mailtext.mail import MAIL_LIMIT

STDIN, CUT = "standard input", "mails longer than 64 MB, cut"
HEADER = re.compile(rb"[!-9;-~]{1,100}[ \t]*:")
"""How a file begins that is a mail by itself. An mbox begins with a blank in its first word."""
LOOK = 512
ARCHIVE = slice(257, 262), b"ustar"


JUNK = re.compile(r"(?:^|[/.])(?:spam|junk|bulk)(?:[ _-]?e?-?mail)?(?:[/.]|$)", re.IGNORECASE)
"""How folders are called that spam lies in, or in folders of."""
UNSETTLED = "mails that are not of a maildir, not read, or were moved or marked of late"
READ = re.compile(r":2,[A-Z]*S[A-Z]*$")
IN_JUNK = "mails learned as ham that lie in a folder for spam"
"""In one inside what is named; who names it means it."""
PLACE, NUMBERED = re.compile(r"(?:/(?:cur|new))?/[^/]*$"), re.compile(r":\d+$")


def folder_of(path: str) -> str:
    """Where a mail lies: a folder, a maildir, or an mbox, whose mails are `box:1`, `box:2`, …"""
    if NUMBERED.search(path) and not os.path.exists(path):
        return NUMBERED.sub("", path)
    return PLACE.sub("", path) if "/" in path else "."


class NoInput(DataError):
    """There is no such file."""


class Mail(NamedTuple):
    """path: as readers call it, `in.mbox:3`. kind: what its user says that it is, "" where nothing."""

    path: str
    raw: bytes
    kind: str = ""


class Mails:
    """The mails of these paths, one behind the other; each is read when it is asked for.

    paths: as of `read.mail.MailSource`; `-` is standard input, one mail whatever lines are in it. many: or an mbox, an
    archive. kind: of all. but: paths inside of them that are left out, as they are of another kind. settled: only those
    of maildirs that are read, and that since this time (seconds since 1970) nobody has moved or marked, as their
    file's status says. notes: what was passed over, counted. share: of the work that is done, 0 … 1. Raises NoInput
    at once for paths that are not there, and DataError where there are no mails.
    """

    def __init__(
        self,
        paths: Sequence[str],
        kind: str = "",
        many: bool = False,
        but: Sequence[str] = (),
        settled: float | None = None,
    ) -> None:
        self.paths, self.kind, self._many, self._settled = paths, kind, many, settled
        own, but = (tuple(os.path.join(os.path.abspath(path), "") for path in some) for some in (paths, but))
        self._but = tuple(path for path in but if path not in own and path.startswith(own))
        self.notes, self.share = Counter[str](), 0.0
        for path in paths:
            if path != "-" and "://" not in path and not os.path.exists(path):
                raise NoInput(f"{path}: there is no such file; expected a file or folder of mails, or - for one mail")

    def __iter__(self) -> Iterator[Mail]:
        for number, path in enumerate(self.paths):
            raw = self._alone(path)
            alone = [] if raw is None else [Mail(STDIN if path == "-" else path, raw, self.kind)]
            for mail in alone or self._read(path, number):
                if self._settled is None or _settled(mail.path, self._settled):
                    yield mail
                else:
                    self.notes[UNSETTLED] += 1
            self.share = (number + 1) / len(self.paths)

    def _alone(self, path: str) -> bytes | None:
        """A file that is one mail by its first bytes. None where readers must look, which takes 0.2 s to load."""
        if path == "-":
            return None if self._many else self._standard_input()
        if not os.path.isfile(path) or os.path.getsize(path) > MAIL_LIMIT:
            return None
        try:
            with open(path, "rb") as file:
                head = file.read(LOOK)
                return head + file.read() if HEADER.match(head) and head[ARCHIVE[0]] != ARCHIVE[1] else None
        except OSError as error:
            found = f"it cannot be opened ({error.strerror})"
            raise located(path, None, found, "expected a readable file") from error

    def _standard_input(self) -> bytes:
        if sys.stdin is None:
            raise located(STDIN, None, "it is closed", "expected a mail")
        raw: bytes = sys.stdin.buffer.read(MAIL_LIMIT + 1)
        if not raw:
            raise located(STDIN, None, "found nothing", "expected a mail")
        self.notes[CUT] += len(raw) > MAIL_LIMIT
        return raw[:MAIL_LIMIT]

    def _read(self, path: str, number: int) -> Iterator[Mail]:
        from .stream import RawSource

        source: Any = RawSource(path, labelled=False, batch_size=1)
        try:
            for batch in source:
                place = source.placed(batch.ids[0])
                if not os.path.abspath(place).startswith(self._but):
                    if self.kind == "ham" and JUNK.search(os.path.relpath(folder_of(place), path)):
                        self.notes[IN_JUNK] += 1
                    yield Mail(place, batch.rows[0], self.kind)
                done, total = source.bytes_read, source.bytes_total
                self.share = (number + (done / total if total else 0.0)) / len(self.paths)
        except DataError as error:
            if not error.empty:
                raise
        finally:
            self.notes.update({what: n for what, n in source.notes.items() if n})


def _settled(path: str, since: float) -> bool:
    """A move and a mark rename the file, which its status has the time of."""
    try:
        return READ.search(path) is not None and os.stat(path).st_ctime <= since
    except OSError:  # it was moved just now
        return False


def side_by_side(sources: Sequence[Mails]) -> Iterator[Mail]:
    """Their mails, each source as far along as the others: who learns online from all the spam, and then from all the
    ham, ends up worse."""
    waiting = {number: iter(source) for number, source in enumerate(sources)}
    taken = Counter[int]()
    while waiting:
        number = min(waiting, key=lambda each: (sources[each].share, taken[each], each))
        mail = next(waiting[number], None)
        taken[number] += 1
        if mail is None:
            del waiting[number]
        else:
            yield mail


def notes_of(sources: Sequence[Mails]) -> Mapping[str, int]:
    """What was passed over in all of them."""
    return +sum((source.notes for source in sources), Counter[str]())
