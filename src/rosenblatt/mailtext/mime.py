"""Raw bytes of one mail → its parts, by offset. Headers are split here, bodies stay in place.

The standard `email` package's own tree of a mail costs eight times its size (236 MB for 30 MB of attachment) and goes
through every line once for each level of nesting; offsets cost nothing, and an attachment is never copied or decoded.
Headers are those that the package's parser (compat32) reads, in a sixth of its time; it is asked itself about what is
unusual: a lone carriage return between them (and see `content`).

Bytes become text by the declared charset, else as UTF-8 in which foreign bytes are Windows-1252; encoded words of
headers are decoded; neither ever raises.
"""

import binascii
import codecs
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, zip_longest
from typing import NamedTuple

from .content import STRUCTURED, Headers, parameter, values

HEADER_LIMIT = 20_000
"""Bytes of one header that are decoded; the longest Subject in 7,523 mails of two corpora has 301."""
PLAIN_LIMIT = 400
"""Bytes of one that is remembered."""
ALIASES = {
    "iso-8859-1": "cp1252",  # what mailers mean by it, as browsers read it too
    "gb2312": "gb18030",  # supersets: a character outside the declared set would lose the whole text
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "iso-8859-8-i": "iso-8859-8",
    "iso-8859-6-i": "iso-8859-6",
}
REFUSED = {"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"}
"""Codecs of Python that are not charsets: the first two take quadratic time, the escapes warn on standard error."""


class Decoded(NamedTuple):
    """text: never fails. problem: "", or "unknown x-foo" / "wrong us-ascii" where the declared charset did not do."""

    text: str
    problem: str = ""


@lru_cache(maxsize=512)
def _codec(name: str) -> str | None:
    """Python's name of a charset, None where there is none."""
    try:
        codec = codecs.lookup(ALIASES.get(name, name))
    except (LookupError, ValueError):
        return None
    return codec.name if codec._is_text_encoding and codec.name not in REFUSED else None


@lru_cache(maxsize=512)
def _is_by_byte(codec: str) -> bool:
    """Whether a charset has a character for each byte: three for these, which are one of UTF-8 and two of others."""
    return len(b"\xe4\xb8\xad".decode(codec, "replace")) == 3


WIDE = ("utf-16", "utf-32")
"""Charsets whose Western texts are half zeros."""
ESCAPES = {"iso2022": b"\x1b", "hz": b"~{"}
"""How charsets of seven bits begin what is not ASCII: in UTF-8 that would be letters and signs."""
FEW = 10
"""One foreign byte in so many beyond ASCII leaves a text in the charset that it declares."""
FOREIGN = "rosenblatt-foreign-bytes"


def _foreign(error: UnicodeError) -> tuple[str, int]:
    """Bytes outside of a charset as Windows-1252; the five that it leaves open as Latin-1."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    data = error.object[error.start : error.end]
    return "".join(chr(c) if c in b"\x81\x8d\x8f\x90\x9d" else bytes([c]).decode("cp1252") for c in data), error.end


codecs.register_error(FOREIGN, _foreign)


def _text(data: bytes, codec: str, cut: bool, errors: str = "strict") -> str | None:
    try:
        text = codecs.getincrementaldecoder(codec)(errors).decode(data) if cut else data.decode(codec, errors)
    except (UnicodeError, LookupError, ValueError, TypeError):
        return None
    # It alone decodes halves of pairs, which nothing could be written of.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if codec == "utf-7" else text


def _is_utf8(data: bytes, codec: str, cut: bool) -> bool:
    """Whether a text is UTF-8 that declares another charset: beyond ASCII it is hardly ever a text by single bytes, of
    which each letter would be two odd ones."""
    other = (not data.isascii() and _is_by_byte(codec)) or (codec.startswith(WIDE) and b"\0" not in data)
    return other and _text(data, "utf-8", cut) is not None


def _is_nearly(data: bytes, codec: str, cut: bool) -> bool:
    """Whether a text has but few bytes that its charset of several bytes a character does not know."""
    if _is_by_byte(codec) or _text(data, "utf-8", cut) is not None:
        return False
    replaced = _text(data, codec, cut, "replace") or "\ufffd" * len(data)
    return replaced.count("\ufffd") * FEW <= sum(c > 127 for c in data)


def decode(data: bytes, declared: str = "", cut: bool = False) -> Decoded:
    """The text in the declared charset; else, and where it is UTF-8 that declares a charset of single bytes, in UTF-8
    whose foreign bytes are Windows-1252 (which always does). Of a charset with escapes, a character that is not in it
    is lost alone.

    cut: the data end where a limit was, maybe inside a character.
    """
    declared = declared.strip(" \t\r\n\"'").lower()[:40]
    codec, problem = None, ""
    if declared:
        codec = _codec(declared)
        text = None if codec is None or _is_utf8(data, codec, cut) else _text(data, codec, cut)
        if text is not None:
            return Decoded(text)
        problem = f"{'unknown' if codec is None else 'wrong'} {declared}"
    if codec is not None and any(codec.startswith(name) and mark in data for name, mark in ESCAPES.items()):
        return Decoded(_text(data, codec, cut, "replace") or "", problem)
    nearest = codec if codec is not None and _is_nearly(data, codec, cut) else "utf-8"
    return Decoded(_text(data, nearest, cut, FOREIGN) or "", problem)


def _undeclared(data: bytes, charset: str) -> Decoded:
    """The text of bytes that declare nothing, in a mail that declares a charset: UTF-8, that, or neither."""
    text = _text(data, "utf-8", False)
    return decode(data) if text is not None or not charset else Decoded(decode(data, charset).text)


ENCODED_WORD = re.compile(rb"=\?([^?\s*]{1,60})(?:\*[^?\s]{0,20})?\?([bBqQ])\?(.{0,2000}?)\?=", re.DOTALL)
FOLD = re.compile(r"[\r\n]+[ \t]*")


def base64(data: bytes) -> bytes:
    """What base64 text says, letters outside its alphabet skipped; reads up to the first padding."""
    letters = re.sub(rb"[^A-Za-z0-9+/]+", b"", data.partition(b"=")[0])
    letters = letters[: len(letters) - (len(letters) % 4 == 1)]
    return binascii.a2b_base64(letters + b"=" * (-len(letters) % 4))


@lru_cache(maxsize=4096)
def plain(raw: bytes) -> str | None:
    """What a header says that is short, on one line and in ASCII, as most are; None of others. Asked again in a mail,
    and by many: 0.1 µs, by `decode_header` 1."""
    usual = len(raw) <= PLAIN_LIMIT and raw.isascii() and not (b"=?" in raw or b"\n" in raw or b"\r" in raw)
    return raw.decode().strip() if usual else None


def decode_header(raw: bytes, charset: str = "") -> Decoded:
    """A header's text: unfolded, with encoded words decoded and adjacent ones joined. charset: that of the mail's text.

    Neighbouring words of one charset are joined as bytes, because some mailers cut in the middle of a character.
    """
    raw, place = raw[:HEADER_LIMIT], 0
    if b"=?" not in raw and raw.isascii():  # 1 µs instead of 6
        return Decoded(FOLD.sub(" ", raw.decode()))
    parts: list[tuple[str, bytes]] = []  # (charset, bytes); without a charset what is not encoded
    for word in ENCODED_WORD.finditer(raw):
        own, between = word[1].decode("latin-1").lower(), raw[place : word.start()]
        data = base64(word[3]) if word[2] in b"bB" else binascii.a2b_qp(word[3], header=True)
        if between.strip() or place == 0:
            parts.append(("", between))
        if parts[-1][0] == own:
            data = parts.pop()[1] + data
        parts.append((own, data))
        place = word.end()
    decoded = [
        (own, decode(data, own) if own else _undeclared(data, charset))
        for own, data in [*parts, ("", raw[place:])]
        if data
    ]
    texts = (text if own else FOLD.sub(" ", text) for own, (text, _) in decoded)
    return Decoded("".join(texts), next((problem for _, (_, problem) in decoded if problem), ""))


HEAD_LIMIT = 1 << 18
"""Bytes of one header block that are parsed."""
DEPTH_LIMIT, PART_LIMIT = 20, 1000
"""Deeper or later parts are not opened: 1,000 levels in 60 KB are an attack, not a mail."""

LINE = rb"[^\n]*+\n?+"
"""Possessive, as a line that may end anywhere is tried in every combination (minutes on a mail of long lines)."""
NAME = rb"[^\x00-\x20:\x7f]+[ \t]*:"
KNOWN = rb"(?i:content-[a-z-]+|mime-version|subject|from|to|date|message-id|received|return-path|reply-to|x-[a-z-]+):"
JUNK = rb"[^\r\n]" + LINE + rb"(?=" + KNOWN + rb")"
HEAD = re.compile(rb"(?:(?:" + NAME + rb"|[ \t]+(?=\S))" + LINE + rb"|" + JUNK + rb")*")
"""Header lines and their continuations; one broken line is passed over where a well-known header follows."""
PLAIN_HEAD = re.compile(rb"(?:[!-9;-~]+[ \t]*:" + LINE + rb"(?:[ \t]+(?=\S)" + LINE + rb")*+)*+")
"""The usual block, of `PROPER` lines only; where a line's end follows, `HEAD` ends there too."""
PROPER = re.compile(rb"^(?:[!-9;-~]+[ \t]*:|[ \t])" + LINE, re.MULTILINE)
"""What the standard parser takes for header lines; it stops at any other."""
SPACED = re.compile(rb"^([!-9;-~]+)[ \t]+:", re.MULTILINE)
"""It would also stop at a blank before the colon."""
FIELD = re.compile(rb"^([!-9;-~]++)[ \t]*+:[ \t]*+([^\n]*+(?:\n[ \t][^\n]*+)*+)", re.MULTILINE)
"""A header and its continuations."""
A_KNOWN = re.compile(rb"^" + KNOWN, re.MULTILINE)
"""A block without any of these is no header block: plain text often begins with `Note: …`."""
STRAY = re.compile(rb"(?!" + NAME + rb")(?:[^\r\n]" + LINE + rb"){1,4}?(?=" + KNOWN + rb")")
"""A few first lines that are no headers although headers follow: some archives put the subject there."""
BLANK = re.compile(rb"[ \t]*\r*(?:\n|\Z)")
START = re.compile(rb"\s*(?:>?From [^\n]*\n)?")
"""Before the first header: blank lines, and the line that begins a message in an mbox file."""
GUESS = re.compile(rb"^--([^\s-][^\r\n]{0,68}?)[ \t]*\r*\n(?=content-)", re.MULTILINE | re.IGNORECASE)
"""A line that must be a boundary, where none is declared or the declared one does not occur."""


HEADERS = "headers"
"""The kind of the first part: no leaf, but the headers of the message itself."""


class Part(NamedTuple):
    """One leaf of a mail: its headers, its content type, and its body as raw[start:end], still encoded."""

    headers: Headers
    kind: str
    start: int
    end: int


def _split(block: bytes) -> list[tuple[str, bytes]]:
    """(name, value) of the headers in lines that the standard parser takes for such."""
    if b"\r" not in block or block.count(b"\r") == block.count(b"\r\n"):
        return [(name.decode(), value.rstrip(b"\r")) for name, value in FIELD.findall(block)]
    from email.parser import BytesHeaderParser

    items = BytesHeaderParser().parsebytes(SPACED.sub(rb"\1:", block)).raw_items()
    return [(name, str(value).encode("utf-8", "surrogateescape")) for name, value in items]


def _headers(raw: bytes, start: int, end: int) -> tuple[Headers, int]:
    """The headers that begin at `start`, and where the body does."""
    limit = min(end, start + HEAD_LIMIT)
    head = PLAIN_HEAD.match(raw, start, limit)
    plain = head is not None and raw[head.end() : head.end() + 1] == b"\n" and head.end() < limit
    head = head if plain else HEAD.match(raw, start, limit)
    stop = head.end() if head and A_KNOWN.search(raw, start, head.end()) else start
    blank = BLANK.match(raw, stop, end)
    headers: Headers = {}
    for name, value in _split(raw[start:stop] if plain else b"".join(PROPER.findall(raw, start, stop))):
        if (name := name.lower()) in headers:
            headers[name].append(value)
        else:
            headers[name] = [value]
    for name in STRUCTURED:
        sent = values(headers, name)
        if sent and not sent[0].isascii():
            sent[0] = decode(sent[0]).text.encode("utf-8", "surrogateescape")
    return headers, blank.end() if blank else stop


def _pieces(raw: bytes, start: int, end: int, boundary: bytes) -> list[tuple[int, int]]:
    """Where the parts between the lines `--boundary` lie; a missing last boundary is the end."""
    line = re.compile(rb"\n--" + re.escape(boundary) + rb"(--)?[ \t]*\r*(?=\n|\Z)")
    lines = list(islice(line.finditer(raw, max(0, start - 1), end), PART_LIMIT + 1))
    last = next((i for i, match in enumerate(lines) if match[1]), len(lines))
    starts = [min(match.end() + 1, end) for match in lines[:last]]
    return list(zip_longest(starts, [match.start() + 1 for match in lines[1 : last + 1]], fillvalue=end))


def _children(raw: bytes, start: int, end: int, headers: Headers) -> list[tuple[int, int]]:
    declared = parameter(headers, "get_boundary").encode("utf-8", "surrogateescape")
    pieces = _pieces(raw, start, end, declared) if declared else []
    if not pieces and (guess := GUESS.search(raw, start, end)):
        pieces = _pieces(raw, start, end, guess[1])
    return pieces


MAGIC = (
    b"%PDF",
    b"\x89PNG",
    b"GIF8",
    b"\xff\xd8\xff",
    b"PK\x03\x04",
    b"\xd0\xcf\x11\xe0",
    b"\x7fELF",
    b"Rar!",
    b"{\\rtf",
)
"""How files begin that are no mails, whatever they hold: pictures, documents, archives, Outlook's .msg, programs."""
APPLE = re.compile(rb"\s*(\d{1,10})[ \t]*\r?\n")
"""The first line of an .emlx: the bytes of the mail, behind which comes a list of what the program knows of it."""
SURE = 4096
"""First bytes of a text that hold no zero."""
FLAGS = re.compile(rb"<key>flags</key>\s*<integer>(\d{1,18})</integer>")
UTF16 = re.compile(rb"(?:(?P<utf_16>\xff\xfe|\xfe\xff)|(?P<utf_16_le>(?:[!-~]\0){4})|(?P<utf_16_be>(?:\0[!-~]){4}))")


def unwrapped(raw: bytes) -> bytes:
    """A mail as it was sent: without the byte-order mark, the first and last lines of an .emlx, or UTF-16 around it."""
    wide = UTF16.match(raw)
    raw = raw.decode(str(wide.lastgroup), "replace").encode() if wide else raw.removeprefix(codecs.BOM_UTF8)
    size = APPLE.match(raw)
    if size and has_headers(raw[size.end() :]):
        raw = raw[size.end() :][: int(size[1])]
    return raw if b"\n" in raw else raw.replace(b"\r", b"\n")


def is_mail(head: bytes, sure: bool = False) -> bool:
    """Whether a file that begins with these bytes can be a mail: headers come first, perhaps after a few stray lines.

    sure: something else says that it is one; then any text will do, as corpora lose their headers (2,566 of the 3,001
    mails of csdmc2010_dev).
    """
    if head.startswith(MAGIC) or not head.strip():
        return False
    mail = unwrapped(head)
    return (sure and b"\0" not in mail[:SURE]) or has_headers(mail)  # the first costs nothing, the second 22 µs


def is_deleted(raw: bytes) -> bool:
    """Whether the flags of an .emlx say that the mail is deleted (bit 1)."""
    size = APPLE.match(raw)
    flags = FLAGS.search(raw, size.end() + int(size[1])) if size else None
    return flags is not None and bool(int(flags[1]) & 2)


def has_headers(raw: bytes) -> bool:
    """Whether a text begins with headers; see `parts`."""
    headers, _ = _headers(raw, _begin(raw)[1], len(raw))
    return len(headers) > 0


def _begin(raw: bytes) -> tuple[int, int]:
    """Where a mail begins, and where its headers do."""
    before = START.match(raw)
    begin = before.end() if before else 0
    stray = STRAY.match(raw, begin)
    return begin, stray.end() if stray else begin


def parts(raw: bytes) -> Iterator[Part]:
    """The message's own headers first, as a part of kind `HEADERS`, then every leaf.

    The body of that first part is what stood before the headers (seldom more than nothing).
    Empty input gives no headers and one leaf without a body.
    """
    begin, start = _begin(raw)
    stack = [(start, len(raw), 0)]
    left = PART_LIMIT
    while stack and left:
        start, end, depth = stack.pop()
        headers, body = _headers(raw, start, end)
        kind = parameter(headers, "get_content_type", "text/plain")
        if depth == 0:
            yield Part(headers, HEADERS, begin, start)
        if depth < DEPTH_LIMIT and kind.startswith("multipart/"):
            pieces = _children(raw, body, end, headers)
            stack += [(first, last, depth + 1) for first, last in reversed(pieces)]
            if pieces:
                continue
            kind = "text/plain"
        elif depth < DEPTH_LIMIT and kind in ("message/rfc822", "message/news", "message/global"):
            stack.append((body, end, depth + 1))
            continue
        left -= 1
        yield Part(headers, kind, body, end)
