"""mbox files → raw mails: parted at `From ` lines after a blank line, before a header; or by their Content-Length.

Why not the standard library's `mailbox.mbox`: it needs a file that it can seek in and write to, so neither a pipe nor
a compressed file; it parts at any line that begins with "From " (peers: cpython#93376; 30 such lines are in the bodies
of 26,206 mails of four corpora, 28 of them prose), keeps `>From`, and goes through the file twice, line by line:
99 MB/s on the 22 MB of spamassassin_dev in one mbox, this 230 MB/s (`mailtext.parse` after it: 20 MB/s).
`mailbox.Maildir` lists two folders and no nested ones, and its flags come with a parse of the whole mail.
"""

import re
from collections.abc import Callable, Iterator

from ...mailtext.mail import MAIL_LIMIT

BLOCK = 1 << 20
LINE = 1024
"""Bytes of the longest line that can part mails."""
LOOK = 4096
"""Bytes in which the first of them must be."""
HEAD_LIMIT = 1 << 18
"""Bytes of headers in which a Content-Length is looked for."""

ADDRESS = (
    rb"(?:\"[^\"\r\n]{0,200}\"\S{0,200}[ \t]+"
    rb"|\S{1,300}[ \t]+(?:at[ \t]+\S{1,300}[ \t]+|\[[^\]\s]{1,200}\][ \t]+)?)?"
)
"""One word, also quoted or `user at host` (as list archives hide it), or nothing. Two mails of spamassassin_dev have a
word in brackets after it."""
MONTH = rb"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
DAY = rb"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?[ \t]+"
DATE = (
    rb"(?:" + DAY + rb"(?:" + MONTH + rb"[ \t]+\d{1,2}|\d{1,2}[ \t]+" + MONTH + rb"(?:[ \t]+\d{4})?),?[ \t]+"
    rb"(?:\d{4}[ \t]+)?\d{1,2}:\d\d|\d{4}-\d\d-\d\d[T \t]\d\d:\d\d)"
)
FROM = re.compile(rb"From [ \t]*" + ADDRESS + DATE + rb"[^\r\n]{0,200}\r?\n", re.IGNORECASE)
FULL = re.compile(
    rb"From [ \t]*\S{1,300}[ \t]+" + DAY + MONTH + rb"[ \t]+\d{1,2}[ \t]+\d{1,2}:\d\d(?::\d\d)?(?:[ \t]+[+-]?\w{1,9})?"
    rb"[ \t]+\d{4}[ \t]*\r?\n",
    re.IGNORECASE,
)
"""As the standard has it, which no prose is: whatever comes next is a mail, though it has no headers."""
NAMES = (
    rb"subject|from|to|cc|bcc|date|sender|received|status|lines|path|newsgroups|xref|organization|[a-z]+(?:-[a-z0-9]+)+"
)
BEFORE_HEADER = re.compile(rb"From [^\r\n]{0,900}\r?\n(?=" + NAMES + rb")", re.IGNORECASE)
"""Whatever the address and the date look like (none, swapped, in other languages): a header comes next, as after no
prose. Names of headers that mails begin with: a hyphen within, or one of these."""
MAYBE = re.compile(rb"From (?:-|[^\s@]{1,200}@[^\s@]{1,200})?[ \t]*(?:\r?\n|[^\r\n]{0,200}\d\d:\d\d)")
"""What may be meant to part mails, though no header follows: an address or nothing, or a time of day."""
START = re.compile(rb"(?:\xef\xbb\xbf)?(?:[ \t]*\r?\n){0,100}(?=From )")
DELETED = re.compile(
    rb"^(?:X-Mozilla-Status:[ \t]*[0-9a-f]{3}[89a-f]|X-Status:[ \t]*[a-z]*[DT])", re.MULTILINE | re.IGNORECASE
)
"""What mail programs write into a mail that is deleted but still in the file: Mozilla bit 8, others D; T is a draft."""
INTERNAL = re.compile(rb"^Subject:[^\n]*FOLDER INTERNAL DATA", re.MULTILINE)
ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
LENGTH = re.compile(rb"^Content-Length:[ \t]*(\d{1,12})[ \t]*\r?$", re.MULTILINE | re.IGNORECASE)
HEAD_END = re.compile(rb"\n\r?\n")
BETWEEN = re.compile(rb"(?:\r?\n){0,2}")

LEFT_OUT = "mails marked as trashed or drafts, skipped"
OWN_DATA = "data that a mail program keeps in its mbox, skipped"
A_HEADER = re.compile(rb"[!-9;-~]{1,100}[ \t]*:")
NO_BLANK = "mails of an mbox that begin without a blank line before"
ODD = "lines in an mbox that may begin a mail, read as text"

Read = Callable[[int], bytes]
Note = Callable[[str], None]


def separator(data: bytes | bytearray, place: int, after_blank: bool = True) -> re.Match[bytes] | None:
    """The line there, if it parts mails: `From address date` as the standard has it; another `From ` before a header:
    what begins well-known ones, or any that looks so after an address and a date. Without a blank line before it must
    have both."""
    line, known = FROM.match(data, place), BEFORE_HEADER.match(data, place)
    if not after_blank:
        return line and known
    return known or FULL.match(data, place) or (line if line and A_HEADER.match(data, line.end()) else None)


def refusal(raw: bytes) -> str | None:
    """Why a mail of an mbox is not read, None where it is."""
    head = raw[: head.start()] if (head := HEAD_END.search(raw, 0, HEAD_LIMIT)) else raw[:HEAD_LIMIT]
    if INTERNAL.search(head):
        return OWN_DATA
    return LEFT_OUT if DELETED.search(head) else None


def is_mbox(head: bytes) -> bool:
    """Whether a file that begins with these bytes is an mbox: its first line parts mails."""
    return _first(head[:LOOK]) is not None


def _first(head: bytes | bytearray) -> re.Match[bytes] | None:
    """The first line, if it is `From address date`, or another `From ` before a header."""
    start = START.match(head)
    return start and (FROM.match(head, start.end()) or separator(head, start.end()))


def split(read: Read, note: Note = lambda what: None) -> Iterator[bytes]:
    r"""The raw mails of an mbox that `read(size)` gives, in constant memory; none if it does not begin as one.

    A mail ends at a blank line and a line `From …` before a header, so that "From the desk of …" ends none. Where its
    Content-Length leads exactly to such a line or to the end, it ends there, whatever is in between (mboxcl). One `>`
    is taken from `>From `, `>>From ` … at the start of a line (mboxrd; an mboxo file that quotes a quotation loses one
    `>` of two), except in a mail that has such a line without one, and so was not escaped (mboxcl2). The blank line
    between mails belongs to none; a mail longer than `MAIL_LIMIT` is cut at one byte more. note: counts lines that may
    be meant to part mails and do not.
    """
    window = _Window(read, note)
    while len(window.data) < LOOK and window.grow():
        pass
    first = _first(window.data)
    if first is None:
        return
    window.at = window.seen = first.end()
    after: int | None = window.at
    while after is not None:
        counted = window.by_length()
        end, after = counted or window.by_line()
        raw = bytes(window.data[window.at : end])
        escaped = b">From " in raw and not (counted and b"\nFrom " in raw)
        yield ESCAPED.sub(rb"\1", raw) if escaped else raw
        window.at = window.seen = after or end


class _Window:
    """The part of a stream that is looked at. at: where the current mail begins; seen: up to where it has no end."""

    def __init__(self, read: Read, note: Note) -> None:
        self.data, self.at, self.seen = bytearray(), 0, 0
        self._read, self._note, self._ended = read, note, False

    def grow(self) -> bool:
        """Another block, in place of what was read before the current mail; False at the end of the stream."""
        before = max(0, self.at - 2)  # the end of a line, which may be the blank one
        del self.data[:before]
        self.at, self.seen = self.at - before, self.seen - before
        if len(self.data) - self.at > MAIL_LIMIT + HEAD_LIMIT + 4 * BLOCK:
            left = len(self.data) - self.seen
            del self.data[self.at + MAIL_LIMIT + 1 : self.seen - 2]
            self.seen = len(self.data) - left
        more = self._read(BLOCK)
        self.data += more
        self._ended = not more
        return bool(more)

    def by_line(self) -> tuple[int, int | None]:
        """Where the mail ends, and where the next begins, if there is one."""
        while True:
            while (place := self.data.find(b"\nFrom ", self.seen)) >= 0:
                if len(self.data) - place < LINE and not self._ended:
                    break  # the line goes on, or the next one does
                blank = self._blank(place)
                line = separator(self.data, place + 1, blank)
                if line:
                    if not blank:
                        self._note(NO_BLANK)
                    return place + (not blank) - (self.data[place - 1] == 13 and blank and place > self.at), line.end()
                if MAYBE.match(self.data, place + 1) if blank else BEFORE_HEADER.match(self.data, place + 1):
                    self._note(ODD)
                self.seen = place + 1
            self.seen = max(self.seen, len(self.data) - LINE if place < 0 else place)
            if self._ended:
                end = len(self.data)
                return end - _blank_line(self.data[max(self.at, end - 4) :]), None
            self.grow()

    def by_length(self) -> tuple[int, int | None] | None:
        """The same by the mail's Content-Length, None where there is none that is right."""
        # The search begins at the newline before: a mail without headers begins with a blank line.
        while (head := HEAD_END.search(self.data, self.at - 1)) is None:
            if len(self.data) - self.at > HEAD_LIMIT or not self.grow():
                return None
        length = LENGTH.search(self.data, self.at, head.end())
        if length is None or (size := int(length[1])) > MAIL_LIMIT:
            return None
        size += head.end() - self.at
        while len(self.data) < self.at + size + LINE and self.grow():
            pass
        end = self.at + size
        if end > len(self.data):
            return None
        between = BETWEEN.match(self.data, end)
        place = between.end() if between else end
        if self.data[place - 1] != 10:
            return None
        if place == len(self.data):
            return end, None
        line = separator(self.data, place)
        return (end, line.end()) if line else None

    def _blank(self, place: int) -> bool:
        """Whether the line that ends at `place` is blank."""
        before = self.data[max(0, place - 2) : place]
        return before.endswith(b"\n") or before == b"\n\r"


def _blank_line(end: bytes | bytearray) -> int:
    """Bytes of the blank line at the end of a file."""
    return 2 if end.endswith(b"\r\n\r\n") else int(end.endswith(b"\n\n"))
