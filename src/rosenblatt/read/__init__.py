"""Data → batches: one reader a format, chosen by name, by suffix, or by the look of the first line.

A new format is one file with a class like `Svmlight` and one line in `FORMATS`.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from ..data.batch import Source
from ..errors import DataError, SettingError, located, plain
from .mail.look import holds_mail
from .mail.mbox import LOOK
from .open import STDIN, ByteStream, PathLike, is_read_once, is_remote, open_bytes, plain_name

__all__ = ["FORMATS", "Format", "from_recipe", "open_bytes", "open_source"]


class Format(NamedTuple):
    """Where a reader lives (module.Class; its keyword arguments are the format's options) and its file suffixes."""

    reader: str
    suffixes: tuple[str, ...]


FORMATS = {
    "svmlight": Format("svmlight.Svmlight", (".svm", ".svmlight", ".libsvm", ".dat", ".t")),
    "table": Format("table.Table", (".csv", ".tsv")),
    "parquet": Format("arrow.Parquet", (".parquet", ".pq")),
    "arrow": Format("arrow.Arrow", (".arrow", ".feather", ".ipc")),
    "npy": Format("arrays.Npy", (".npy",)),
    "npz": Format("npz.Npz", (".npz",)),
    "idx": Format("idx.Idx", (".idx", ".idx2-ubyte", ".idx3-ubyte")),
    "text": Format("text.TextLines", ()),
    "mail": Format("mail.source.MailSource", (".tar", ".tgz", ".txz", ".tbz2", ".mbox", ".eml")),
}
ALIASES: dict[str, tuple[str, dict[str, Any]]] = {
    "libsvm": ("svmlight", {}),
    "csv": ("table", {}),
    "tsv": ("table", {"delimiter": "\t"}),
    "mbox": ("mail", {"store": "mbox"}),
    "maildir": ("mail", {"store": "maildir"}),
    "trec": ("mail", {"store": "trec"}),
}
FAMILIES = ({"table", "parquet", "arrow"}, {"npy", "npz"})
"""Formats with the same choices: a model of the one reads the other."""
NUMBERS_ONLY = {"svmlight", "npy", "npz", "idx"}
MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\x93NUMPY": "npy",
    b"PK\x03\x04": "npz",
    **{bytes([0, 0, kind]): "idx" for kind in (8, 9, 11, 12, 13, 14)},
}
"""How files that hold no lines begin."""
OURS = {"labelled", "classes", "width", "expect", "block_bytes", "batch_size"}
"""Arguments of readers that the program gives, not its users."""
NUMBER = rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
SVMLIGHT_LINE = re.compile(rb"[ \t]*(?:%s|\d+:%s)(?:[ \t]+(?:qid:\d+|\d+:\S*))*[ \t]*(?:#.*)?" % (NUMBER, NUMBER))


def open_source(path: PathLike, format: str = "auto", **options: Any) -> Source:
    """A source of batches from a file, a folder of mails, or standard input (`-`).

    format: svmlight (libsvm), table (csv, tsv), parquet, arrow, npy, npz, idx, text, mail (mbox, maildir, trec:
    mail of one kind); "auto" (default): by the suffix without .gz, .xz, .bz2, .zst; a folder is mail; else by the first
    line. path: also an address with a scheme (https://…), which is read through fsspec. options: the reader's own (see
    `Svmlight`, `Table`, `Parquet`, `Npy`, `Npz`, `Idx`, `TextLines`, `MailSource`). Raises SettingError for an unknown
    format or option, DataError where no format fits.
    """
    name, preset = _known(format)
    given: PathLike | ByteStream = path
    if name == "auto":
        name = _by_suffix(path) or ""
        if not name:
            name, given = _by_first_line(path)
    return _read(given, name, {**preset, **options})


def from_recipe(
    path: PathLike,
    recipe: dict[str, Any],
    format: str = "auto",
    *,
    labelled: bool | Literal["auto"] = "auto",
    width: int | None = None,
    classes: Sequence[Any] | None = None,
    **options: Any,
) -> Source:
    """New data read with a model's reading choices (`Source.recipe()`).

    format, options: the user's own; DataError where they contradict the recipe. A model of texts takes any format that
    gives texts, one of numbers without names any that gives such numbers (svmlight, npy, npz, idx); a recipe without a
    format, of a model that learned from arrays, any. labelled: "auto"
    (default): labels are there or not, as the data show. width, classes: the model's; each goes to the readers that
    need it.
    """
    asked, preset = _known(format)
    given: PathLike | ByteStream = path
    name = _by_suffix(path) if asked == "auto" else asked
    if name is None and "format" not in recipe:
        name, given = _by_first_line(path)
    learned = str(recipe.get("format", name))
    texts = recipe.get("text") is not None or learned in ("text", "mail")
    if name is None or name == "auto":
        name = "text" if texts and plain_name(path).endswith(".txt") else learned
    origin = STDIN if str(path) == "-" else str(path)
    alike = any({name, learned} <= family for family in FAMILIES)
    numbers = {name, learned} <= NUMBERS_ONLY
    if name != learned and not (alike or numbers or (texts and name not in NUMBERS_ONLY)):
        found = f"it would be read as {name}, but the model learned from {learned}"
        raise located(
            origin, None, found, "expected the same ({format:s} where the file's name misleads)", format=learned
        )
    accepted = _options(name)
    kept = {key: value for key, value in recipe.items() if key in accepted and (name == learned or alike)}
    for key, value in options.items():
        if key in kept and kept[key] not in (value, "auto"):
            found = f"{plain(origin)}: {{{key}}} was asked for, but the model learned with {{{key}_}}"
            raise DataError(f"{found}; expected the same", **{key: value, f"{key}_": kept[key]})
    context = {"labelled": labelled, "width": width, "classes": classes}
    return _read(given, name, {**{k: v for k, v in context.items() if k in accepted}, **kept, **preset, **options})


def _known(format: str) -> tuple[str, dict[str, Any]]:
    if format in ALIASES:
        return ALIASES[format]
    if format != "auto" and format not in FORMATS:
        raise SettingError(f"{{format}}: choose auto, {', '.join([*FORMATS, *ALIASES])}", format=format)
    return format, {}


def _reader(name: str) -> Any:
    module, _, cls = FORMATS[name].reader.rpartition(".")
    return getattr(importlib.import_module(f".{module}", __package__), cls)


def _options(name: str) -> list[str]:
    return list(inspect.signature(_reader(name)).parameters)[1:]


def _read(path: PathLike | ByteStream, name: str, options: dict[str, Any]) -> Source:
    accepted = _options(name)
    for option in options:
        if option not in accepted:
            known = [each for each in accepted if each not in OURS]
            listed = ", ".join(f"{{{each}:s}}" for each in known) or "none"
            found = f"{{{option}:s}} is no option of the format {name}"
            raise SettingError(f"{found}, whose options are: {listed}", **dict.fromkeys([option, *known], ""))
    return _reader(name)(path, **options)  # type: ignore[no-any-return]


def _by_suffix(path: PathLike) -> str | None:
    """The format of a folder or of a suffix, None where it says nothing."""
    if not is_remote(path) and os.path.isdir(path):
        return "mail"
    last = plain_name(path)
    return next((name for name, known in FORMATS.items() if last.endswith(known.suffixes)), None)


def _by_first_line(path: PathLike) -> tuple[str, PathLike | ByteStream]:
    """The format of the first line, and what to read: the opened stream where it cannot be opened again."""
    stream = open_bytes(path)
    once = is_read_once(path)
    try:
        if holds_mail(stream.peek(LOOK), None if once else path):
            return "mail", stream if once else path
        line = stream.first_line()
        if not line:
            raise located(stream.name, None, "found no rows", "expected at least one")
        name = _look(line, ".txt" in plain_name(path))
        if name is None:
            found = f"found no known format in {line[:40].decode('utf-8', 'replace')!r}"
            raise located(stream.name, 1, found, f"expected one, or {{format:s}} {', '.join(FORMATS)}", format="")
    finally:
        if not once:
            stream.close()
    return name, stream if once else path


def _look(line: bytes, is_text: bool) -> str | None:
    """The format of a line. A single TAB in front of words parts a label from a text; numbers or names are a table."""
    for start, format in MAGIC.items():
        if line.startswith(start):
            return format
    if len(line) > 60_000:  # cut off somewhere
        line = line.rpartition(b" ")[0] or line
    if SVMLIGHT_LINE.fullmatch(line):
        return "svmlight"
    cells = [cell.strip() for cell in line.split(b"\t")]
    if is_text:
        return "text"
    if len(cells) == 2 and not re.fullmatch(NUMBER, cells[1]) and cells[1].lower() not in (b"label", b"text", b"class"):
        return "text"
    return "table" if len(cells) > 1 or b"," in line or b";" in line else None
