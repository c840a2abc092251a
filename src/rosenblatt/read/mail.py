"""One raw mail → a `Document`: subject, the text of all text parts, attachments by name, type and size.

Any bytes give a document. The standard `email` package splits the headers (compat32); decoding is our own, because
`policy.default` raises on real mail and takes ten times as long.
"""

from __future__ import annotations

import binascii
import codecs
import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from ..batch import Document
from .charset import Decoded, base64, decode, decode_header, quoted_printable
from .html import html_text
from .mime import Part, parameter, parts, values

HEADERS = ("subject",)
"""Header fields that become features."""
TEXT_LIMIT = 1 << 20
"""Bytes of text that are read from one mail; the largest of 7,523 mails of two corpora has 0.3 MB in all."""
FAILED = ("defect", "unread")
"""The field of a mail that could not be taken apart in an unforeseen way; its bytes are then read as plain text."""

UU = re.compile(rb"^begin [0-7]{3,4} ([^\r\n]{1,200})\r?\n((?:[!-M][ -`]{1,84}\r?\n)+)(?:[` ]?\r?\nend\b)?", re.MULTILINE)
SOFT_BREAK = re.compile(rb"=\r?\n(?<=[^\n]{40}\n)")
"""Two such lines, or three =3D, are quoted-printable even where no header says so (325 of 3,000 mails of a corpus that
lost its headers, 23 of 4,523 of another)."""
META_CHARSET = re.compile(rb"<meta[^>]{1,200}?charset\s*=\s*[\"']?\s*([\w-]{1,40})", re.IGNORECASE)
LOOKS_HTML = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
"""What makes a text HTML where it stands at the start, or anywhere if the mail does not say what it is."""


def _uudecode(body: bytes) -> bytes:
    """The lines of a uuencoded body; lines that are none are left out."""
    out = []
    for line in body.splitlines():
        try:
            out.append(binascii.a2b_uu(line))
        except binascii.Error:
            continue
    return b"".join(out)


def _bytes(part: Part, raw: bytes, limit: int) -> bytes:
    """A text part's bytes after its transfer encoding, at most `limit`."""
    encoding = b"".join(values(part.headers, "content-transfer-encoding")[:1]).strip().lower()
    body = raw[part.start : min(part.end, part.start + 2 * limit)]
    if encoding.startswith(b"base64"):
        # Some mails only say so: words with spaces between them are no base64.
        return body if b" " in body.strip().split(b"\n")[0].strip() else base64(body)[:limit]
    if encoding.startswith(b"quoted-printable"):
        return quoted_printable(body)[:limit]
    if encoding in (b"x-uuencode", b"uuencode", b"x-uue"):
        return _uudecode(body)[:limit]
    if not encoding and (len(SOFT_BREAK.findall(body)) > 1 or body.count(b"=3D") > 2):
        return quoted_printable(body)[:limit]
    return body[:limit]


def _attachment(name: str, kind: str, size: int) -> str:
    """`report.pdf pdf application/pdf 64k`: the size as the next power of four."""
    step = 1
    while step < 4096 and size > step << 10:
        step *= 4
    suffix = PurePosixPath(name).suffix.lstrip(".")
    return f"{name} {suffix} {kind} {step}k" if size <= step << 10 else f"{name} {suffix} {kind} large"


def _text(part: Part, raw: bytes, limit: int) -> tuple[Decoded, list[str]]:
    """The text of one part, and the uuencoded files that stood in it."""
    data = _bytes(part, raw, limit)
    charset = parameter(part.headers, "get_content_charset")
    if not charset and part.kind == "text/html" and (meta := META_CHARSET.search(data, 0, 4096)):
        charset = meta[1].decode("ascii", "ignore")
    files = []
    for match in UU.finditer(data):
        files.append(_attachment(decode(match[1]).text, "uuencoded", len(match[2]) * 3 // 4))
    if files:
        data = UU.sub(b"", data)
    found = decode(data, charset)
    look = LOOKS_HTML.match if part.headers.get("content-type") else LOOKS_HTML.search
    if part.kind == "text/html" or look(found.text.lstrip()):
        found = Decoded(html_text(found.text), found.problem)
    return found, files


def _is_text(part: Part) -> bool:
    disposition = parameter(part.headers, "get_content_disposition")
    return part.kind.split("/")[0] in ("text", "message") and disposition != "attachment"


def _file(part: Part) -> str:
    name = parameter(part.headers, "get_filename").encode("utf-8", "surrogateescape")
    size = part.end - part.start
    if b"base64" in b"".join(values(part.headers, "content-transfer-encoding")).lower():
        size = size * 3 // 4
    return _attachment(decode_header(name).text, part.kind, size)


def _document(raw: bytes, headers: Sequence[str]) -> Document:
    fields: Document = []
    texts: list[str] = []
    files: list[str] = []
    problems: dict[str, None] = {}
    left = TEXT_LIMIT
    raw = raw.removeprefix(codecs.BOM_UTF8)
    if b"\n" not in raw:
        raw = raw.replace(b"\r", b"\n")
    for part in parts(raw):
        if part.kind == "headers":
            for name in headers:
                found = [decode_header(value) for value in values(part.headers, name)[:20]]
                fields += [(name, each.text.strip()) for each in found]
                problems.update((each.problem, None) for each in found)
            texts.append(decode(raw[part.start : part.end][:TEXT_LIMIT]).text)
        elif not _is_text(part):
            files.append(_file(part))
        elif left > 0:
            text, more = _text(part, raw, left)
            left -= min(left, part.end - part.start)
            texts.append(text.text)
            files += more
            problems[text.problem] = None
    fields.append(("", "\n".join(texts)))
    fields += [("attachment", file) for file in files]
    return fields + [("charset", problem) for problem in problems if problem]


def parse_mail(raw: bytes, headers: Sequence[str] = HEADERS) -> Document:
    """One mail as a document: [("subject", …), ("", body), ("attachment", "name suffix type size") …, ("charset", …)].

    raw: the message as sent or stored (an mbox "From " line before it is passed over). headers: the header fields to
    read, in lower case; each occurrence is a field. Never raises: what cannot be taken apart becomes plain text, with
    the field `FAILED`.
    """
    try:
        return _document(raw, headers)
    except Exception:
        return [("", raw[:TEXT_LIMIT].decode("latin-1")), FAILED]
