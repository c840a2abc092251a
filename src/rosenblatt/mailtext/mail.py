"""One raw mail → a `Document`: subject, the text of all text parts, attachments by name, type and size.

Any bytes give a document. Headers are split and texts decoded here (`mime`), because the standard package's
`policy.default` raises on real mail and takes ten times as long.

Fields say how a mail is written: capitals, and words that are spelled so as not to be found.

    capitals.subject:20%  capitals.body:5%  at least that share of the letters are capitals (a word for each of `STEPS`)
    capitals.body:words                     a word of three and more letters all in capitals
    spelling.body:digits                    v1agra, c@sh: digits or signs for letters, between letters
    spelling.body:spaced                    f r e e, f.r.e.e, f*r*e*e: four and more letters held apart
    spelling.body:broken                    fr*ee, vi^agra: a sign inside a word
    spelling.body:repeated                  sooo, freeee: a letter three times and more
    spelling.body:marks                     !!, ??, $$: a sign twice and more
    spelling.body:mixed                     letters of Latin and of a script that looks like it in one word
    spelling.body:invisible                 invisible characters between Latin letters

Telling also which words are in capitals, or what digits and spaces hide (viagra), gained nothing: averaged perceptron,
trained on spamassassin_dev and tested on csdmc2010_dev, and the reverse, capitals with and without these words
.954 .990 and .953 .988, spelling .949 .988 and .954 .988.
"""

import binascii
import re
from collections.abc import Sequence
from functools import lru_cache

from .content import parameter, values
from .fields import FAILED, FIELDS, MADE, Document, is_made
from .headers import headers_of, sender
from .links import links
from .mime import HEADERS, Part, base64, decode, decode_header, parts, plain, unwrapped
from .tokens import Memory

STEPS = (5, 10, 20, 30, 50, 80)
"""Per cent. English has 3 to 5 in running text."""
FEWEST = 8
"""Letters below which a share says nothing."""

SHOUTED = re.compile(r"[A-Z](?<![\w.@/-].)[A-Z]{2,19}(?![\w@/-])")
"""Looks back from behind the first letter, so that all others are passed over."""
LETTERS, FOR_LETTERS = "[a-zA-Z]{1,15}+", "[013457@$!|]{1,2}+"
"""Possessive, as there is nothing to try again: 49 MB/s, without 23."""
ODD = {
    "digits": re.compile(rf"(?<![\w.@/=&?-]){LETTERS}(?:{FOR_LETTERS}{LETTERS}){{1,6}}+(?![\w.@/=&-])"),
    "spaced": re.compile(r"([.*_-])(?<=\b[a-zA-Z].)[a-zA-Z]\1[a-zA-Z]\1[a-zA-Z]\b"),
    "broken": re.compile(r"[*^](?<=[a-zA-Z].)(?=[a-zA-Z])"),
    "repeated": re.compile(r"([a-hj-vyzA-HJ-VYZ])\1\1(?=[a-zA-Z]*\b)"),
    "marks": re.compile(r"!!|\?\?|\$\$"),
}
"""What a piece of text without white space in it can show. Without www, xxx and Roman numbers."""
APART = re.compile(r" [a-zA-Z] (?<=\b[a-zA-Z].[a-zA-Z].)[a-zA-Z] [a-zA-Z]\b")
"""The only one that white space takes part in."""
LOOKALIKE = "\u0370-\u03ff\u0400-\u052f\u0530-\u058f\u13a0-\u13ff"
"""Greek, Cyrillic, Armenian, Cherokee."""
ODD_LETTERS = {
    "mixed": re.compile(rf"[A-Za-z][{LOOKALIKE}]|[{LOOKALIKE}][A-Za-z]"),
    "invisible": re.compile("[A-Za-z][\u00ad\u200b-\u200d\u2060\ufeff]+[A-Za-z]"),
}
"""Only where there are letters beyond ASCII."""
SIGNS = (*ODD, *ODD_LETTERS)
BEYOND = re.compile("[\0-\x7f]+")
NO_CAPITALS = bytes(set(range(256)) - set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
NO_SMALL = bytes(set(range(256)) - set(b"abcdefghijklmnopqrstuvwxyz"))


PLAIN = ".,;:()'\""
"""What a word can have at its edges without a sign."""


def signs(piece: str) -> frozenset[str]:
    """What a piece of text without white space shows: names of `ODD` and `ODD_LETTERS`, and "words" in capitals."""
    word = piece.strip(PLAIN)
    if word.isascii() and word.isalpha() and (word.islower() or word.istitle()):  # 1 µs instead of 4
        return REPEATED if ODD["repeated"].search(word) else NOTHING
    looks = ODD if piece.isascii() else ODD | ODD_LETTERS
    shown = [name for name, look in looks.items() if look.search(piece)]
    return frozenset([*shown, "words"] if SHOUTED.search(piece) else shown)


NOTHING, REPEATED = frozenset[str](), frozenset(["repeated"])
_remembered = Memory(signs)


@lru_cache(maxsize=4)  # asked twice for the subject and the body of a mail
def shown(text: str) -> frozenset[str]:
    """The signs of a text. Words repeat, so the rules run on few of its pieces: a third of the time."""
    apart = ["spaced"] if APART.search(text) else []
    return frozenset(apart).union(*set(map(_remembered.__getitem__, set(text.split()))))


def _letters(text: str) -> tuple[int, int]:
    """(capital letters, small letters). Bytes are counted ten times as fast (800 MB/s)."""
    data, beyond = text.encode("ascii", "ignore"), "" if text.isascii() else BEYOND.sub("", text)
    upper, lower = len(data.translate(None, NO_CAPITALS)), len(data.translate(None, NO_SMALL))
    return upper + sum(map(str.isupper, beyond)), lower + sum(map(str.islower, beyond))


def capital_steps(text: str) -> list[int]:
    """Those of `STEPS` that the share of capitals among a text's letters reaches."""
    upper, lower = _letters(text)
    return [step for step in STEPS if 100 * upper >= step * (upper + lower)] if upper + lower >= FEWEST else []


def capitals(where: str, text: str) -> Document:
    """The capitals of a text. where: "subject" or "body"."""
    words = [f"{step}%" for step in capital_steps(text)]
    if "words" in shown(text):
        words.append("words")
    return [(f"capitals.{where}", " ".join(words))] if words else []


def spelling(where: str, text: str) -> Document:
    """The odd spellings of a text. where: "subject" or "body"."""
    odd = " ".join(name for name in SIGNS if name in shown(text))
    return [(f"spelling.{where}", odd)] if odd else []


HTML_LIMIT = 1 << 19
"""Characters of one HTML part that are read; the longest of 7,523 mails of two corpora has a third of it."""
TAG_LIMIT = 10_000
RUN_LIMIT = 1 << 16
"""More tags, or a longer run without one, are only stripped of their tags: the parser's time grows with the square of
the nesting and of the number of attributes (100,000 nested <div> took 22 s)."""

UNSEEN = ["script", "style"]
BREAK = re.compile(
    r"<(?=/?(?:p(?:re)?|b(?:r|ody|lockquote)|d(?:iv|[dlt])|t(?:[drh]|able|itle)|li|[ou]l|h(?:[1-6r]|tml|ead)"
    r"|option|center|section|article)\b)",
    re.IGNORECASE,
)
"""Tags that end a word. Others do not: V<b>i</b>agra is one word to the reader."""
TAG = re.compile(r"<[^<>]*+>")


def read_html(source: str) -> tuple[str, str]:
    """(text, markup) of an HTML page, however broken; what is beyond the limits is cut or only stripped.

    text: as seen, without scripts, styles and comments, block tags as line breaks. markup: all tags, a line each.
    """
    source = source[:HTML_LIMIT]
    markup = "\n".join(TAG.findall(source))
    runs = source.split("<") if len(source) > RUN_LIMIT else ()
    if source.count("<") > TAG_LIMIT or max(map(len, runs), default=0) > RUN_LIMIT:
        from html import unescape

        return unescape(TAG.sub(" ", source)), markup
    # Loaded here, as most plain mails need none of it (20 ms).
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(BREAK.sub("\n<", source))
    tree.strip_tags(UNSEEN)
    root = tree.root
    return "" if root is None else root.text(), markup


MAIL_LIMIT = 64 << 20
"""Bytes of one mail that are read."""
TEXT_LIMIT = 1 << 19
"""Bytes of text that are read from one mail; the largest of 7,523 mails of two corpora has 0.2 MB."""
HEADER_REPEATS = 20
"""Occurrences of one header that are read."""

UU = re.compile(
    rb"^begin [0-7]{3,4} ([^\r\n]{1,200})\r?\n((?:[!-M][ -`]{1,84}\r?\n)+)(?:[` ]?\r?\nend\b)?", re.MULTILINE
)
SOFT_BREAK = re.compile(rb"=\r?\n(?<=[^\n]{40}\n)")
"""Two such lines, or three =3D, are quoted-printable even where no header says so (325 of 3,000 mails of a corpus that
lost its headers, 23 of 4,523 of another)."""
META_CHARSET = re.compile(rb"<meta[^>]{1,200}?charset\s*=\s*[\"']?\s*([\w-]{1,40})", re.IGNORECASE)
LOOKS_HTML = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
"""What makes a text HTML where it stands at the start, or anywhere if the mail does not say what it is."""


def parse(raw: bytes, fields: Sequence[str] = FIELDS) -> Document:
    """One mail as a document: [("subject", …), ("", body), ("html", …), ("attachment", …), …].

    raw: the message as sent or stored (an mbox "From " line before it is passed over). fields: headers in lower case,
    each occurrence a field; "html" (all tags of HTML parts), "attachment" ("name suffix type size"), "charset"
    ("unknown x-foo", "wrong us-ascii"), "missing" ("subject", "body"), and the others of `fields.MADE`, whose tags
    have parts ("links.odd"); the body (tag "") is always read. Never raises: what cannot be taken apart becomes plain
    text, with the field `FAILED`.
    """
    try:
        return _Reader(raw, fields).document()
    except Exception:
        return [("", raw[:TEXT_LIMIT].decode("latin-1")), FAILED]


class _Reader:
    """Collects the fields of one mail."""

    def __init__(self, raw: bytes, fields: Sequence[str]) -> None:
        self.raw = unwrapped(raw)
        self.fields, self.names, self.asked = _asked(tuple(fields))
        self.left = TEXT_LIMIT
        self.headers: Document = []
        self.texts: list[str] = []
        self.made: dict[str, list[str]] = {name: [] for name in COLLECTED}
        self.sources: list[str] = []
        self.sent: Document = []

    def document(self) -> Document:
        leaves = list(parts(self.raw))
        for part in leaves:
            if part.kind == HEADERS:
                self._read_headers(part, leaves)
            elif _is_text(part):
                self._read_text(part)
            else:
                self._read_attachment(part)
        body = "\n".join(self.texts)
        if not body or body.isspace():
            self.made["missing"].append("body")
        self.made["charset"] = list(dict.fromkeys(filter(None, self.made["charset"])))
        made = [(name, text) for name in self.asked for text in self.made[name]]
        return [*self.headers, ("", body), *made, *self._worked_out(body), *self.sent]

    def _worked_out(self, body: str) -> Document:
        """The fields that look at the mail as a whole, in a fixed order."""
        fields: Document = []
        if "links" in self.fields:
            fields += links(body, "\n".join(self.made["html"]), self.sources, "links.path" in self.fields)
        for look in [look for name, look in STYLES if name in self.fields]:
            subjects = [("subject", text) for name, text in self.headers if name == "subject"]
            fields += [word for where, text in [*subjects, ("body", body)] for word in look(where, text)]
        return fields

    def _read_headers(self, part: Part, leaves: list[Part]) -> None:
        """leaves: the first charset that one of them declares is that of headers which say none."""
        self.sent += sender(part.headers) if "sender" in self.fields else []
        self.sent += headers_of(part.headers) if "headers" in self.fields else []
        for name in self.names:
            occurrences = part.headers.get(name)
            if occurrences is None:
                self.made["missing"].append(name)
                continue
            for value in occurrences[:HEADER_REPEATS]:
                if (said := plain(value)) is not None:
                    self.headers.append((name, said))
                    continue
                declared = filter(None, (parameter(leaf.headers, "get_content_charset") for leaf in leaves))
                text, problem = decode_header(value, next(declared, ""))
                self.headers.append((name, text.strip()))
                self.made["charset"].append(problem)
        if part.end > part.start:
            self.texts.append(decode(self.raw[part.start : part.end][:TEXT_LIMIT]).text)

    def _read_attachment(self, part: Part) -> None:
        name = parameter(part.headers, "get_filename").encode("utf-8", "surrogateescape")
        size = part.end - part.start
        if _encoding(part).startswith(b"base64"):
            size = size * 3 // 4
        self.made["attachment"].append(_attachment(decode_header(name).text, part.kind, size))

    def _read_text(self, part: Part) -> None:
        if self.left <= 0:
            return
        data = _bytes(part, self.raw, self.left)
        cut = len(data) == self.left
        self.left -= part.end - part.start
        for file in UU.finditer(data) if (coded := b"begin " in data) else ():
            self.made["attachment"].append(_attachment(decode(file[1]).text, "uuencoded", len(file[2]) * 3 // 4))
        text, problem = decode(UU.sub(b"", data) if coded else data, _charset(part, data), cut)
        self.made["charset"].append(problem)
        look = LOOKS_HTML.match if any(values(part.headers, "content-type")[:1]) else LOOKS_HTML.search
        if part.kind == "text/html" or look(text.lstrip()):
            self.sources.append(text[:HTML_LIMIT])
            text, markup = read_html(text)
            self.made["html"].append(markup)
        self.texts.append(text)


COLLECTED = MADE[:4]
"""Those that are found part by part."""


def grammar(where: str, text: str) -> Document:
    from .grammar import grammar  # 2 ms to load, which few ask for

    return grammar(where, text)


STYLES = (("capitals", capitals), ("spelling", spelling), ("grammar", grammar))


@lru_cache(maxsize=64)
def _asked(fields: tuple[str, ...]) -> tuple[frozenset[str], list[str], list[str]]:
    """(all fields, the headers among them, those of `COLLECTED`)"""
    asked = frozenset(fields)
    return asked, [name for name in fields if not is_made(name)], [name for name in COLLECTED if name in asked]


def _is_text(part: Part) -> bool:
    disposition = parameter(part.headers, "get_content_disposition")
    return part.kind.split("/")[0] in ("text", "message") and disposition != "attachment"


def _encoding(part: Part) -> bytes:
    return b"".join(values(part.headers, "content-transfer-encoding")[:1]).strip().lower()


def _charset(part: Part, data: bytes) -> str:
    """The declared charset: of the header, or else of the HTML itself."""
    charset = parameter(part.headers, "get_content_charset")
    if not charset and part.kind == "text/html" and (meta := META_CHARSET.search(data, 0, 4096)):
        return meta[1].decode("ascii", "ignore")
    return charset


def _bytes(part: Part, raw: bytes, limit: int) -> bytes:
    """A text part's bytes after its transfer encoding, at most `limit`."""
    encoding = _encoding(part)
    body = raw[part.start : min(part.end, part.start + 2 * limit)]
    if encoding.startswith(b"base64"):
        # Some mails only say so: words with spaces between them are no base64.
        return body[:limit] if b" " in body.strip().split(b"\n")[0].strip() else base64(body)[:limit]
    if encoding in (b"x-uuencode", b"uuencode", b"x-uue"):
        return _uudecode(body)[:limit]
    undeclared = not encoding and body.count(b"=") > 1 and (len(SOFT_BREAK.findall(body)) > 1 or body.count(b"=3D") > 2)
    if undeclared or encoding.startswith(b"quoted-printable"):
        return binascii.a2b_qp(body)[:limit]
    return body[:limit]


def _uudecode(body: bytes) -> bytes:
    """The lines of a uuencoded body; lines that are none are left out."""
    out = []
    for line in body.splitlines():
        try:
            out.append(binascii.a2b_uu(line))
        except binascii.Error:
            continue
    return b"".join(out)


def _attachment(name: str, kind: str, size: int) -> str:
    """`report.pdf pdf application/pdf 64k`: the size as the next power of four."""
    steps = (f"{4**k}k" for k in range(7) if size <= 4**k << 10)
    last = next((each for each in re.split(r"[/\\]", name.replace("\0", ""))[::-1] if each not in ("", ".")), "")
    before, _, suffix = last.rpartition(".")
    suffix = suffix if before else ""
    return f"{name} {suffix} {kind} {next(steps, 'large')}"
