"""Links of a mail → where they lead, and what is odd about them.

links:www.example.com  links:example.com    hosts, and the domains above them down to two labels
links.path:login                            words of the paths, six of each; only where they are asked for
links.odd:ip                                a number instead of a name (also hexadecimal, or one long number)
links.odd:port                              a port is named
links.odd:user                              a user before the host: http://bank.example@elsewhere.example
links.odd:escaped                           %41 in the host
links.odd:punycode                          a host that is not plain ASCII, or says so (xn--)
links.odd:script                            javascript:, vbscript: or data: instead of an address
links.odd:disguised                         the text of the link shows another domain than the one it leads to
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from .fields import Document

LINK_LIMIT = 500
"""Links of one mail that are read."""

AFTER = r"([^\s<>\"')\]]{1,500})"
IN_TEXT = re.compile(rf"://{AFTER}")
WITHOUT_SCHEME = re.compile(rf"\.(?<=\b[wW]{{3}}\.){AFTER}")
IN_TAG = re.compile(rf"=(?<!xmlns=)\s{{0,9}}[\"']?[a-zA-Z]{{3,5}}://{AFTER}")
SCRIPT = re.compile(r"=\s{0,9}[\"']?\s{0,9}(?:javascript|vbscript|data):", re.IGNORECASE)
ANCHOR = re.compile(
    r"<a\b[^<>]{0,500}?\bhref\s{0,9}=\s{0,9}[\"']?([^\s\"'<>]{1,500})[^<>]{0,500}>(.{1,300}?)</a",
    re.IGNORECASE | re.DOTALL,
)
INNER_TAG = re.compile(r"<[^<>]{0,500}>")
SHOWN = re.compile(r"\s*(?:https?://)?((?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,18})(?:[:/?#]\S*)?\s*", re.IGNORECASE)
"""The text of a link that is itself an address."""
NUMBER = re.compile(r"\[[0-9a-f:.]+\]|(?:(?:0x[0-9a-f]+|\d+)\.){0,3}(?:0x[0-9a-f]+|\d+)")
NAME = re.compile(r"[^\s.@]{1,63}(?:\.[^\s.@]{1,63}){1,20}")
END = re.compile(r"[/?#\\]")
WORD, PATH_WORDS = re.compile(r"[^\W_]{1,40}"), 6
SECOND_LEVEL = {"co", "com", "org", "net", "gov", "edu", "ac", "gob", "or", "ne"}
"""Labels under which names are sold in countries: example.co.uk is a domain, co.uk is none."""


def links(text: str, markup: str, sources: Iterable[str], paths: bool = False) -> Document:
    """text: what is read. markup: all tags. sources: HTML, for what its links show. Without links: nothing."""
    tags = _unescaped(markup)
    urls = IN_TEXT.findall(text)[:LINK_LIMIT] if "://" in text else []
    urls += IN_TAG.findall(tags)[:LINK_LIMIT] if "://" in tags else []
    urls += [f"www.{url}" for url in WITHOUT_SCHEME.findall(text)[:LINK_LIMIT]]
    hosts: dict[str, None] = {}
    odd: dict[str, None] = {"script": None} if _has_script(tags) else {}
    parted = list(map(_parted, urls))
    words = [word for _, path in parted for word in path] if paths else []
    for where in dict.fromkeys([where for where, _ in parted]):
        host, oddities = place(where)
        hosts.update(dict.fromkeys(parents(host)))
        odd.update(dict.fromkeys(oddities))
    if any(map(_disguised, sources)):
        odd["disguised"] = None
    out = [("links", " ".join(hosts)), ("links.odd", " ".join(odd)), ("links.path", " ".join(words).lower())]
    return [(tag, words) for tag, words in out if words]


def _unescaped(text: str) -> str:
    if "&" not in text:
        return text
    from html import unescape  # 1 ms, which few mails need

    return unescape(text)


def _has_script(tags: str) -> bool:
    """Most tags have none, which is seen in half the time (1.8 µs a mail of 3.3)."""
    small = tags.lower()
    return ("pt:" in small or "ta:" in small) and SCRIPT.search(tags) is not None


@lru_cache(maxsize=1 << 14)
def _parted(url: str) -> tuple[str, list[str]]:
    """(what stands before the path, the words of that)"""
    where, *path = END.split(url, maxsplit=1)
    return where, WORD.findall("".join(path))[:PATH_WORDS]


def authority(url: str) -> str:
    """What stands between :// and the next slash; "" where nothing does (mailto:, cid:, a relative address)."""
    return END.split(url.partition("://")[2], maxsplit=1)[0]


@lru_cache(maxsize=1 << 13)  # hosts come again: 1 µs instead of 4
def place(where: str) -> tuple[str, list[str]]:
    """(host in lower case, its oddities) of what stands between :// and the next slash; ("", …) where no host is."""
    odd = []
    user, at, host = where.rpartition("@")
    host, colon, port = host.rpartition(":") if re.search(r":\d*$", host) else (host, "", "")
    if "%" in host:
        odd.append("escaped")
        host = re.sub(r"%([0-7][0-9a-fA-F])", lambda code: chr(int(code[1], 16)), host)
    host = host.strip(".,;!?*").lower()
    if NUMBER.fullmatch(host):
        odd.append("ip")
    elif not NAME.fullmatch(host):
        return "", odd
    elif "xn--" in host or not host.isascii():
        odd.append("punycode")
    return host, odd + ["user"] * bool(at) + ["port"] * bool(colon and port not in ("", "80", "443"))


@lru_cache(maxsize=1 << 13)
def parents(host: str) -> tuple[str, ...]:
    """`a.b.example.com` → itself, b.example.com, example.com; a number or nothing only itself."""
    if not host or NUMBER.fullmatch(host):
        return (host,) if host else ()
    labels = host.split(".")
    return tuple([".".join(labels[first:]) for first in range(len(labels) - 1)])


@lru_cache(maxsize=1 << 13)
def domain(host: str) -> str:
    """The part that someone owns: example.com, example.co.uk."""
    labels = host.split(".")
    several = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in SECOND_LEVEL
    return ".".join(labels[-3 if several else -2 :])


def _disguised(source: str) -> bool:
    """Whether a link shows the address of one domain and leads to another."""
    for target, label in ANCHOR.findall(source)[:LINK_LIMIT]:
        shown = SHOWN.fullmatch(_unescaped(INNER_TAG.sub("", label))) if "." in label or "&" in label else None
        host = place(authority(_unescaped(target)))[0] if shown else ""
        if shown and host and domain(shown[1].lower()) != domain(host):
            return True
    return False
