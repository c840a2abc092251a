"""One raw mail → the columns of what it shows: `Look()(raw)`. Plain Python: no numpy, nothing fitted.

Groups of names, by default and beyond:

    headers      from:ann@example.org  has:cc  date:+0200   `SAFE` headers, and how the mail was made (mailtext.headers)
    senders      known.ham:4  known:never                   how many mails of this sender were learned (`known`)
    style        capitals.body:20%  shouted:FREE            shares of capitals, and words in them
    attachments  attachment:report.pdf  attachment:pdf      name, suffix, type, size (`mailtext`)
    links        links:example.com  links.path:login        hosts, domains above, paths, oddities (mailtext.links)
    markup       tag:table  attribute:bgcolor               of HTML parts
    words        free  subject:free  first:free             of the body; the subject, also as the body's; `FIRST` ones
    ngrams       4:free                                     four characters in a row of the subject and From
    spelling     spelling.body:digits                       `mailtext`'s spelling, charset, missing
    grammar      grammar.body:small20%                      `mailtext.grammar`
    bodygrams    4:free                                     four characters in a row of the body's first `GRAMS`
    pairs        2:free+money                               two words up to `APART` apart, of the first `PAIRED`

Headers are safe where the sender's side writes them. What a collector or another filter adds says where a mail lay or
what others thought of it: Received, Delivered-To, Return-Path, Status, List-*, X-Spam-* and all that are not named here
change nothing. Authentication-Results counts only where a server of `trusted` wrote it.

A name's column is the same in every process, on every machine: the low bits of `hashed(name)`.
"""

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from itertools import chain, islice
from operator import index
from typing import Any, Generic, NamedTuple, TypeVar

from ..errors import DataError, SettingError
from ..mailtext import mail
from ..mailtext.fields import FAILED, Document
from ..mailtext.tokens import Memory, hashed, named, units
from .rewriting import bare

BITS, MOST = 20, 8000
"""Columns: 2^bits, and of one mail."""
FIRST, HEAD, GRAMS, PAIRED, APART = 12, 300, 3000, 1500, 4
"""Words, characters, characters, words, words."""
GRAM, SHOUT = "4:", "shouted:"
PEOPLE, PROGRAMS = ("from", "to", "cc", "reply-to"), ("x-mailer", "user-agent", "organization")
IMPORTANCE = ("x-priority", "x-msmail-priority", "importance")
MIME = ("content-type", "content-transfer-encoding", "mime-version", "content-disposition", "content-class")
SAFE = (*PEOPLE, *PROGRAMS, *IMPORTANCE, *MIME, "in-reply-to", "message-id", "date")
RESULTS = "authentication-results"
SENDERS = "senders"
"""The group that depends on what was learned; `Look.with_sender` adds its names."""
FIELDS = {
    "headers": (*SAFE, "headers"),
    SENDERS: (),
    "style": (),
    "attachments": ("attachment",),
    "links": ("links", "links.path"),
    "markup": ("html",),
    "words": (),
    "ngrams": ("from",),
    "spelling": ("spelling", "charset", "missing"),
    "grammar": ("grammar",),
    "bodygrams": (),
    "pairs": (),
}
"""What `mailtext.parse` is asked for, by group; in this order columns are kept, up to `MOST`."""
GROUPS = tuple(FIELDS)
DEFAULT = GROUPS[: GROUPS.index("spelling")]
GROUP_OF = {
    **dict.fromkeys((*SAFE, "headers", "sender"), "headers"), "html": "markup", "attachment": "attachments",
    "links": "links", "spelling": "spelling", "charset": "spelling", "missing": "spelling", FAILED[0]: "spelling",
    "grammar": "grammar",
}  # fmt: skip
"""Of the fields that are no running text."""


NEW = ("date", "message-id", "in-reply-to")
"""Hardly ever the same again; of other fields `REMEMBERED` texts up to `LONGEST` characters are remembered."""
LONGEST, REMEMBERED = 200, 1 << 14

WORD = re.compile(r"[^\s<>(),;:\"=\[\]]+")
WORDS = 60
"""Words of one header."""
HOST = re.compile(r"@([\w.-]+)")
SHOUTED = re.compile(r"[A-Z](?<![^\W\d_].)[A-Z]{2,39}(?![^\W\d_])")
TAG, BACKWARDS = re.compile(r"</?([A-Za-z][A-Za-z0-9]*)"), re.compile(r"=([a-zA-Z-]++)\s")
"""Attributes are read backwards: there are fewer = than blanks."""
USUAL = re.compile(
    r"([A-Z][a-z]{2}, )[0-9]{1,2} [A-Z][a-z]{2} [0-9]{4}( [0-9]{2}:)[0-9]{2}:[0-9]{2}( [+-][0-9]{4}(?: [(A-Z)]{3,6})?)"
)
"""The date of which only weekday, hour and zone are seen: one for many."""
ZONE, HOUR = re.compile(r"[+-]\d{4}"), re.compile(r"\b(\d\d):\d\d")
SHAPES = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZghijklmnopqrstuvwxyz0123456789abcdef", "A" * 26 + "a" * 20 + "0" * 16)
LETTERS, DIGITS, RUN = re.compile("[A-Za-z]+"), re.compile("[0-9]+"), re.compile(r"(.)\1+")
RESULT = re.compile(r";\s*([\w-]{1,20})\s*=\s*(\w{1,20})")
STEPS = (1, 2, 4, 8)
"""Mails of a sender."""

Column = TypeVar("Column")


class Looked(NamedTuple):
    """columns: array("I"), distinct, ascending, below 2^bits, at most `MOST`; each has the value 1/√m, so that the row
    has length 1. sender: the address in From, "" without one; of a mail that its user sent all that it went to, blanks
    between. dropped: columns beyond `MOST`."""

    columns: "array[int]"
    sender: str
    dropped: int = 0


def known(sender: str, counts: Mapping[str, tuple[int, int]]) -> list[str]:
    """Names for what is known of a sender. counts: (spam, ham) learned of each address, before this mail."""
    kinds = zip(("spam", "ham"), counts.get(sender, (0, 0)), strict=True)
    return [f"known.{kind}:{step}" for kind, mails in kinds for step in STEPS if mails >= step] or ["known:never"]


def _header(name: str, text: str) -> list[str]:
    """The names that a header of `SAFE` gives."""
    if name == "message-id":
        local, _, host = text.strip("<> ").partition("@")
        return [f"id:{_shape(local)}", f"id:@{host.lower()}"]
    if name == "date":
        shape = LETTERS.sub("a", DIGITS.sub("0", text[:100]))[:40]
        words = [shape, text.split(",")[0][:3], *ZONE.findall(text)[:1], *HOUR.findall(text)[:1]]
        return [f"date:{word}" for word in words]
    words = [word.lower() for word in WORD.findall(text)[:WORDS]]
    if name == "in-reply-to":
        words = [f"@{host}" for host in HOST.findall(text.lower())[:2]]
    elif name in PEOPLE:
        words += [f"@{host}" for host in HOST.findall(" ".join(words))[:20]]
    elif name in MIME:  # boundaries are new in every mail
        words = [word for word in words if "_" not in word and len(word) < 25]
    tag = "to" if name == "cc" else name
    return [f"has:{name}", *(f"{tag}:{word}" for word in words)]


def _shape(text: str) -> str:
    """How a Message-ID is built: capitals A, letters a, hexadecimal digits 0, runs as one with a +."""
    parts = RUN.split(text[:200].translate(SHAPES))
    parts[1::2] = [f"{character}+" for character in parts[1::2]]
    return "".join(parts)[:30]


def _is_safe(tag: str, word: str) -> bool:
    """Whether the sender's side says this: how many servers and which lists a mail went through is not of it."""
    if tag == "missing":
        return word in ("subject", "body")
    return tag != "headers.hops" and not (tag == "headers" and word.startswith("list-"))


def _field(tag: str, text: str) -> list[str]:
    """The names that a field of `GROUP_OF` gives."""
    if tag in SAFE:
        return _header(tag, text)
    if tag == "html":
        text = "\n" + "\n".join(set(text.split("\n")))
        names = {f"tag:{name.lower()}" for name in set(TAG.findall(text))}
        return [*names, *{f"attribute:{name[::-1].lower()}" for name in set(BACKWARDS.findall(text[::-1]))}]
    return [f"{tag}:{word}" for word in set(text.lower().split()) if _is_safe(tag, word)]


class Fields(dict[tuple[str, str], tuple[str, tuple[Column, ...]]]):
    """A field, (tag, text) → the group that it belongs to, "" for running text, and what it gives there."""

    def __init__(self, names: Memory[Column]) -> None:
        super().__init__()
        self._names = names

    def __missing__(self, field: tuple[str, str]) -> tuple[str, tuple[Column, ...]]:
        tag, text = field
        usual = USUAL.fullmatch(text) if tag == "date" else None
        alike = f"{usual[1]}1 Jan 2000{usual[2]}00:00{usual[3]}" if usual else ""
        if alike not in ("", text):
            return self[tag, alike]
        group = GROUP_OF.get(tag) or GROUP_OF.get(tag.partition(".")[0], "")
        seen = group, tuple(map(self._names.__getitem__, _field(tag, text))) if group else ()
        if (alike or tag not in NEW) and len(text) <= LONGEST:
            if len(self) >= REMEMBERED:
                self.clear()
            self[field] = seen
        return seen


class Reading(Generic[Column]):
    """What `make` says of names, remembered: by name and by field, and of text by piece."""

    def __init__(self, make: Callable[[str], Column]) -> None:
        self._make = make
        self.names: Memory[Column] = Memory(make)
        self.fields = Fields(self.names)
        self._pieces: dict[str, Memory[tuple[Column, ...]]] = {}

    def _said(self, kind: str, piece: str) -> tuple[Column, ...]:
        return tuple(map(self._make, named(kind, units(piece))))

    def pieces(self, kind: str, pieces: Iterable[str]) -> Iterator[Column]:
        """Of pieces of text. kind: the tag of a field."""
        if kind not in self._pieces:
            self._pieces[kind] = Memory(partial(self._said, kind), LONGEST)
        return chain.from_iterable(map(self._pieces[kind].__getitem__, pieces))


class Texts:
    """What is read as running text."""

    def __init__(self, body: str, subject: str, sent_from: str) -> None:
        self.body, self.subject, self.sent_from = body, subject, sent_from

    @property
    def head(self) -> str:
        return f"{self.subject}{self.sent_from}"[:HEAD]

    @cached_property
    def pieces(self) -> list[str]:
        return self.body.split()


def _words(reading: Reading[Column], texts: Texts) -> Iterable[Column]:
    subject = texts.subject.split()
    return chain(
        reading.pieces("", set(texts.pieces)),
        reading.pieces("", subject),
        reading.pieces("subject", subject),
        first_words(reading, texts),
    )


def first_words(reading: Reading[Column], texts: Texts) -> Iterable[Column]:
    """Of the group words, those that begin the body."""
    return islice(reading.pieces("first", texts.body.split(None, FIRST)[:FIRST]), FIRST)


def style_names(part: str, text: str) -> list[str]:
    """part: "body" or "subject"."""
    names = [f"capitals.{part}:{step}%" for step in mail.capital_steps(text)]
    names += [f"capitals.{part}:words"] * bool(mail.SHOUTED.search(text))
    return names + [f"{SHOUT}{word}" for word in SHOUTED.findall(text)]


def _style(reading: Reading[Column], texts: Texts) -> Iterable[Column]:
    both = style_names("body", texts.body) + style_names("subject", texts.subject)
    return map(reading.names.__getitem__, both)


def _grams(text: str, reading: Reading[Column]) -> Iterable[Column]:
    return map(reading.names.__getitem__, {f"{GRAM}{text[at : at + 4]}" for at in range(len(text) - 3)})


def _pairs(reading: Reading[Column], texts: Texts) -> Iterable[Column]:
    pieces = [*texts.subject.split(), *texts.pieces[:PAIRED]]
    words = [unit[0] for piece in pieces for unit in units(piece)][:PAIRED]
    pairs = ((apart, zip(words, words[apart:], strict=False)) for apart in range(1, APART + 1))
    return (reading.names[f"{apart}:{a}+{b}"] for apart, both in pairs for a, b in both)


def sender_of(document: Document) -> str:
    """The address in From, "" without one."""
    return next((text.split()[0] for tag, text in reversed(document) if tag == "sender"), "")


Running = Mapping[str, Callable[[Reading[Any], Texts], Iterable[Any]]]
RUNNING: Running = {
    "words": _words,
    "style": _style,
    "ngrams": lambda reading, texts: _grams(texts.head, reading),
    "bodygrams": lambda reading, texts: _grams(" ".join(texts.pieces[:GRAMS])[:GRAMS], reading),
    "pairs": _pairs,
}
"""What groups take from the running text."""


class Look:
    """What is seen of a mail.

    groups: names of `GROUPS`; default: `DEFAULT`. bits: 1 … 30, default 20: 2^bits columns. trusted: names of servers
    (authserv-id) whose Authentication-Results count; only the first such header does. SettingError for others.
    """

    def __init__(self, groups: Iterable[str] = DEFAULT, bits: int = BITS, trusted: Iterable[str] = ()) -> None:
        for name, names in (("groups", groups), ("trusted", trusted)):
            if isinstance(names, str) or not all(isinstance(each, str) for each in names):
                raise SettingError(f"{{{name}}} must be names in a list", **{name: names})
        if isinstance(bits, bool) or not hasattr(bits, "__index__"):
            raise SettingError("{bits} must be a whole number from 1 to 30", bits=bits)
        chosen, self.bits, self.trusted = list(groups), index(bits), tuple(name.lower() for name in trusted)
        if unknown := [name for name in chosen if name not in GROUPS]:
            raise SettingError(f"groups {unknown[0]!r} is unknown; it must be one of {', '.join(GROUPS)}")
        if not 1 <= bits <= 30:
            raise SettingError(f"bits {bits} is out of range; it must be 1 to 30")
        self.groups = tuple(group for group in GROUPS if group in chosen)
        asked = chain(("subject", "sender"), *(FIELDS[group] for group in self.groups), [RESULTS] * bool(self.trusted))
        self._fields = tuple(dict.fromkeys(asked))
        self.reading = Reading(self.column)

    def __reduce__(self) -> tuple[Any, ...]:
        return Look, (self.groups, self.bits, self.trusted)

    def without(self, group: str) -> "Look":
        """The same, but for one group."""
        return Look([name for name in self.groups if name != group], self.bits, self.trusted)

    def column(self, name: str) -> int:
        """Where a name is counted: the low bits of its hash."""
        return hashed(name) & ((1 << self.bits) - 1)

    def __call__(self, raw: bytes) -> Looked:
        """raw: as for `mailtext.parse`. Any bytes give columns, in bounded time.

        Of a mail with more than `MOST` the first groups are kept whole; of the group that goes beyond, its lowest
        columns, so that alike mails keep the same.
        """
        if not isinstance(raw, bytes):
            raise DataError(f"found a mail of type {type(raw).__name__}; expected its bytes")
        document = self.document(raw)
        return self.looked(document, self.read(document, self.reading)[0].values())

    def looked(self, document: Document, read: Iterable[list[int]]) -> Looked:
        """read: columns of the groups, in their order, maybe several times."""
        columns, dropped = set(chain.from_iterable(read)), 0
        if len(columns) > MOST:
            columns.clear()
            for entries in map(set, read):
                ranked, room = sorted(entries - columns), MOST - len(columns)
                dropped += len(ranked[room:])
                columns.update(ranked[:room])
        return Looked(array("I", sorted(columns)), sender_of(document), dropped)

    def names(self, raw: bytes) -> dict[str, set[str]]:
        """The names behind the columns of a mail, by group; also those that `MOST` drops."""
        read, _ = self.read(self.document(raw), Reading(str))
        return {group: set(names) for group, names in read.items()}

    def with_names(self, looked: Looked, names: Iterable[str]) -> Looked:
        """A mail with more names, such as those of `known`, for which the highest columns make room."""
        columns, more = looked.columns[:], set(map(self.reading.names.__getitem__, names))
        for column in more:
            at = bisect_left(columns, column)
            if at == len(columns) or columns[at] != column:
                columns.insert(at, column)
        while len(columns) > MOST:
            columns.pop(next(at for at in reversed(range(len(columns))) if columns[at] not in more))
        return looked._replace(columns=columns)

    def with_sender(self, looked: Looked, counts: Callable[[str], tuple[int, int]]) -> Looked:
        """A mail with the names of what is `known` of its sender. counts: address → (spam, ham) learned of it."""
        if not looked.sender or " " in looked.sender or SENDERS not in self.groups:
            return looked
        return self.with_names(looked, known(looked.sender, {looked.sender: counts(looked.sender)}))

    def document(self, raw: bytes) -> Document:
        """What is read in a mail, as it came to the filter."""
        raw = bare(raw)
        return mail.parse(raw.replace(b"\r\n", b"\n") if b"\r" in raw else raw, self._fields)

    def read(
        self, document: Document, reading: Reading[Column], running: Running = RUNNING
    ) -> tuple[dict[str, list[Column]], Texts]:
        """What each group gives, in their order, the same maybe several times; and what is running text."""
        found: dict[str, list[Column]] = {group: [] for group in self.groups}
        texts = {"": "", "subject": "", "from": ""}
        for field in document:
            if (tag := field[0]) in texts:
                texts[tag] += f"{field[1]}\n"
            if tag not in ("", "subject"):
                group, columns = reading.fields[field]
                if group in found:
                    found[group] += columns
        if self.trusted and "headers" in found:
            found["headers"] += map(reading.names.__getitem__, self._results(document))
        of = Texts(*texts.values())
        for group in found.keys() & running.keys():
            found[group] += running[group](reading, of)
        return found, of

    def _results(self, document: Document) -> list[str]:
        """What the first Authentication-Results of a trusted server says."""
        for tag, text in document:
            server = text.partition(";")[0].split()[:1]
            if tag == RESULTS and server and server[0].lower() in self.trusted:
                return [f"auth:{check}={result}".lower() for check, result in RESULT.findall(text)]
        return []
