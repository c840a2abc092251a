"""Who sent a mail and how it was made, from headers that the sender's side writes.

    sender:ann@example.org  sender:example.org  the address in From, and the domains above it
    sender.odd:none                             From has no address
    sender.odd:several                          more than one
    sender.odd:bare                             no name beside it
    sender.odd:name                             the name is another address
    sender.odd:digits                           four and more digits in a row before the @

    headers:reply-to  headers:cc …              headers of PRESENT that are there
    headers.type:multipart  headers.type:html   content type of the whole
    headers.coding:base64                       transfer encoding of the whole
    headers.date:…                              none, broken, no-zone, odd-zone, weekday (the wrong one)
    headers.id:…                                Message-ID none, broken, no-dot, other (domain than From's)
    headers.reply:other                         Reply-To leads to another domain than From
    headers.reply:false                         "Re:" in the subject of a mail that answers none
    headers.to:…                                none, hidden (no address), many (six and more), self (From's address)
    headers.hops:1, 2, 4, 8                     at least so many Received

Only headers of this list are looked at, and of most only whether they are there: they say what kind of program made the
mail. Left out is what tells where and when a mail was *collected*, because a corpus of spam and one of ham never
come from one place and day: dates themselves, names of servers and lists, Delivered-To, Return-Path, Status, X-Spam and
what filters write, X-Mailman, X-Keywords. A mail without headers gives no words here, not "none" for each.
"""

import re
from datetime import date
from functools import lru_cache
from typing import Any

from .content import Headers, parameter, values
from .fields import Document
from .links import domain, parents
from .mime import decode_header, parts, plain, unwrapped

PRESENT = (
    "reply-to", "cc", "in-reply-to", "references", "organization", "user-agent", "x-mailer", "x-priority",
    "x-msmail-priority", "importance", "x-mimeole", "mime-version", "list-unsubscribe", "list-id",
    "disposition-notification-to",
)  # fmt: skip
ADDRESS = re.compile(r"[^\s<>\"'(),:;@\[\]]{1,64}@[a-z0-9.-]{1,255}", re.IGNORECASE)
ID = re.compile(rb"\s*<[^<>\s@]+@([^<>\s@]+)>\s*")
RE = re.compile(r"\s*re\s*:", re.IGNORECASE)
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
WEEKDAY = re.compile(rf"\s*({'|'.join(DAYS)})", re.IGNORECASE)
DATED = re.compile(
    r"(?:[A-Za-z]{3},[ ]+)?([0-9]{1,2}) ([A-Za-z]{3}) ([12][0-9]{3})"
    r" [0-9]{2}:[0-9]{2}(?::[0-9]{2})? ([+-][0-9]{4})(?!\S)"
)
"""The usual form of a date, which every reader understands alike."""
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
HOPS = (1, 2, 4, 8)
MANY = 6
VALUE_LIMIT = 4000
REMEMBERED = 4096
"""Values of From, To and Reply-To that are remembered: people write again."""
INSIDE, OUTSIDE = re.compile(r"<([^<>]*)>"), re.compile(r"<[^<>]*>")
ZONE = re.compile(r"[+-]\d{4}|\b(?:GMT|UTC?|[A-Z]{2,4}T)\b")


def _text(headers: Headers, name: str) -> str:
    """The first value of a header, decoded; "" where it is not there."""
    sent = headers.get(name)
    if not sent:
        return ""
    raw = sent[0][:VALUE_LIMIT]
    said = plain(raw)
    return decode_header(raw).text.strip() if said is None else said


@lru_cache(maxsize=REMEMBERED)
def addresses(text: str) -> tuple[str, ...]:
    """Mail addresses in a text, in lower case. That between < and > comes first, as it is the one that counts."""
    if "@" not in text:
        return ()
    listed = [
        address.lower().rstrip(".") for part in [*INSIDE.findall(text), text] for address in ADDRESS.findall(part)
    ]
    return tuple(dict.fromkeys(listed))


def listed(raw: bytes, name: str) -> list[str]:
    """The values of a header of a mail that is a list: parted by commas, some in quotes, decoded and unfolded."""
    import csv

    headers = next(parts(unwrapped(raw))).headers
    text = ",".join(decode_header(value).text for value in values(headers, name.lower()))
    cells = next(csv.reader([" ".join(text.split())], skipinitialspace=True), [])
    return [cell.strip() for cell in cells if cell.strip()]


def header(raw: bytes, name: str) -> str:
    """The first value of a header of a mail, decoded and unfolded; "" where it is not there. name: in lower case."""
    return " ".join(_text(next(parts(unwrapped(raw))).headers, name).split())


def sender(headers: Headers) -> Document:
    """What From says; its first word is the address itself."""
    return list(_sender(_text(headers, "from"))) if headers else []


@lru_cache(maxsize=REMEMBERED)
def _sender(text: str) -> tuple[tuple[str, str], ...]:
    listed = addresses(text)
    if not listed:
        return (("sender.odd", "none"),)
    name = OUTSIDE.sub("", text)
    named = ADDRESS.findall(name)
    user, _, host = listed[0].partition("@")
    seen = {
        "several": "," in text and len(listed) > 1,
        "bare": not name.strip(" \"'") or (name == text and "(" not in name),
        "name": "<" in text and any(address.lower() != listed[0] for address in named),
        "digits": re.search(r"\d{4}", user) is not None,
    }
    odd = " ".join(name for name in seen if seen[name])
    return ("sender", " ".join([listed[0], *parents(host)])), *([("sender.odd", odd)] if odd else [])


def headers_of(headers: Headers) -> Document:
    """How the mail was made; nothing for a mail without headers."""
    if not headers:
        return []
    sent_from = addresses(_text(headers, "from"))[:1]
    home, hops = _domains(sent_from), len(headers.get("received", ()))
    main, _, sub = parameter(headers, "get_content_type", "text/plain").partition("/")
    coding = _text(headers, "content-transfer-encoding").lower()
    out = {
        "headers": " ".join([name for name in PRESENT if name in headers]),
        "headers.type": f"{main} {sub}" if "content-type" in headers else "none",
        "headers.coding": coding if coding in ("7bit", "8bit", "base64", "quoted-printable", "binary") else "",
        "headers.date": _date(_text(headers, "date")),
        "headers.id": _id(headers, home),
        "headers.reply": _reply(headers, home),
        "headers.to": _to(headers, sent_from),
        "headers.hops": " ".join([str(step) for step in HOPS if step <= hops]),
    }
    return [(tag, words) for tag, words in out.items() if words]


@lru_cache(maxsize=REMEMBERED)
def _domains(listed: tuple[str, ...]) -> frozenset[str]:
    return frozenset([domain(address.rpartition("@")[2]) for address in listed])


def _usual(text: str) -> re.Match[str] | None:
    usual = DATED.match(text)
    return usual if usual and usual[2].lower() in MONTHS and usual[4] != "-0000" else None


def _when(text: str) -> tuple[Any, ...]:
    """(year, month, day, seconds east or None) as the standard package reads a date; it raises where there is none."""
    if usual := _usual(text):  # 3 µs, and without 10 ms for the import
        seconds = int(usual[4][1:3]) * 3600 + int(usual[4][3:]) * 60
        month = MONTHS.index(usual[2].lower()) + 1
        return int(usual[3]), month, int(usual[1]), -seconds if usual[4][0] == "-" else seconds
    from email.utils import parsedate_tz

    parsed: Any = parsedate_tz(text)
    return (*parsed[:3], parsed[9])


def _date(text: str) -> str:
    usual = _usual(text)
    return _dated(f"{text[: usual.end(3)]} 00:00 {usual[4]}" if usual else text)  # many are of one day


@lru_cache(maxsize=REMEMBERED)
def _dated(text: str) -> str:
    if not text:
        return "none"
    try:
        *day_of, zone = _when(text)
        day = date(*day_of).weekday()  # TypeError of what is no date at all
    except (ValueError, TypeError, IndexError, OverflowError):
        return "broken"
    named = WEEKDAY.match(text)
    odd = ["weekday"] if named and named[1].lower() != DAYS[day] else []
    if zone is None or not ZONE.search(text):
        odd.append("no-zone")
    elif abs(zone) > 14 * 3600 or zone % 900:
        odd.append("odd-zone")
    return " ".join(odd)


def _id(headers: Headers, home: frozenset[str]) -> str:
    ids = values(headers, "message-id")[:1]
    if not ids:
        return "none"
    match = ID.fullmatch(ids[0][:VALUE_LIMIT])
    if match is None:
        return "broken"
    host = match[1].decode("latin-1").lower()
    return " ".join(["no-dot"] * ("." not in host) + ["other"] * (domain(host) not in home))


def _reply(headers: Headers, home: frozenset[str]) -> str:
    hosts = _domains(addresses(_text(headers, "reply-to")))
    odd = ["other"] if hosts and home and not home & hosts else []
    if not ("in-reply-to" in headers or "references" in headers) and RE.match(_text(headers, "subject")):
        odd.append("false")
    return " ".join(odd)


def _to(headers: Headers, sent_from: tuple[str, ...]) -> str:
    if "to" not in headers:
        return "none"
    listed = addresses(_text(headers, "to"))
    odd = ["many"] * (len(listed) >= MANY) + ["self"] * (sent_from[:1] == listed[:1] and bool(listed))
    return " ".join(odd if listed else ["hidden"])
