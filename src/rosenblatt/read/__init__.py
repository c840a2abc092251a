"""Data → batches: one reader a format, chosen by name, by suffix, or by the look of the first bytes or line.

A new format is one file here with a class like `Svmlight`: a `FileSource` that says of itself how it is called and
known, and what it takes. Help, pages and messages find it.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

from ..data.batch import Source
from ..errors import DataError, SettingError, located, plain
from ..lazy import members
from ..parameters import Parameter, ordered
from .open import STDIN, ByteStream, PathLike, is_folder, is_read_once, is_remote, open_bytes, plain_name
from .parameters import FORMAT, READING
from .several import InTurn, Several

__all__ = ["format_names", "from_recipe", "open_bytes", "open_source", "reader_classes", "reading_table"]

OURS = {"labelled", "classes", "learned", "width", "expect", "block_bytes", "batch_size"}
"""Arguments of readers that the program gives, not its users."""
FOREIGN = {
    b"PK\x03\x04": ("a zip archive, or a document in one", "unzip it, or save a spreadsheet as CSV"),
    b"\xd0\xcf\x11\xe0": ("an Outlook mail (.msg) or an Office document", "msgconvert makes .eml of a .msg"),
    b"!BDN": ("an Outlook mailbox (.pst)", "readpst makes mbox files of it"),
    b"\xcf\xad\x12\xfe": ("an Outlook Express mailbox (.dbx)", "undbx makes .eml files of it"),
    b"\1\1\1\1\n": ("an MMDF mailbox", "mutt saves it as mbox, and Python's mailbox.MMDF reads it"),
}
"""How files begin that are not read, what they are, and how they are opened."""
LOOK = 4096
"""First bytes of a file that are looked at."""
LONG = 60_000
"""Bytes of a first line, behind which it may be cut off somewhere."""


def reader_classes() -> dict[str, Any]:
    """name → class of every reader in this folder."""
    return members(sys.modules[__name__], "recipe")


def format_names() -> list[str]:
    """What can be asked for: the formats, then their other names."""
    return [*reader_classes(), *(alias for reader in reader_classes().values() for alias in reader.aliases)]


@cache
def reading_table() -> dict[str, Parameter]:
    """name → entry of the format and of what the readers take, in the order of the help."""
    listed = [
        name + (f" ({', '.join(reader.aliases)})" if reader.aliases else "")
        for name, reader in reader_classes().items()
    ]
    declared = (each for reader in reader_classes().values() for each in reader.parameters)
    return ordered([FORMAT._replace(help=f"{', '.join(listed)}."), *READING], declared)


def open_source(path: PathLike, format: str = "auto", **options: Any) -> Source:
    """A source of batches from a file, a folder of mails, or standard input (`-`).

    format: one of `format_names()`; "auto" (default): by the suffix without .gz, .xz, .bz2, .zst; a folder is mail;
    else by the first line. path: also an address with a scheme (https://…), which is read through fsspec. options: the
    reader's own (see `Svmlight`, `Table`, `Parquet`, `Npy`, `Npz`, `Idx`, `TextLines`, `MailSource`). Raises
    SettingError for an unknown format or option, DataError where no format fits. `Several` are read in turn.
    """
    if isinstance(path, Several):
        return _in_turn(path, format, options)
    asked, preset = _named(format)
    readable: PathLike | ByteStream = path
    name = _by_suffix(path) if asked == "auto" else asked
    said, name = name, _by_content(path, name) if asked == "auto" else name
    if name is None:
        name, readable = _by_first_line(path)
        hinted = (each for each, reader in reader_classes().items() if reader.hint and reader.hint in plain_name(path))
        said = next(hinted, None)
    source: Any = _read(readable, name, preset | options)
    if asked == "auto" and said not in (None, name) and hasattr(source, "always"):
        source.always = {f"read as {name}, as it looks, though its name says {said} (--format decides)": 0}
        source.notes.update(source.always)
    return source  # type: ignore[no-any-return]


def _check_labels(data: Several, options: dict[str, Any]) -> None:
    """SettingError where labels are said in two ways."""
    label = next((label for label, _ in data.parts if label is not None), None)
    if label is not None and options.get("label_header") is not None:
        text = f"{{label_header.name}} and {plain(label)}=... both say the labels; choose one"
        raise SettingError(text, label_header=options["label_header"])


def _in_turn(data: Several, format: str, options: dict[str, Any]) -> Source:
    """Several data; the later ones are read as the first."""
    _check_labels(data, options)

    def opened(path: str, label: str | None, first: Source | None) -> Source:
        own = options if label is None else {**options, "labelled": False}
        if first is None:
            return open_source(path, format, **own)
        reading = first.recipe()
        own = {name: value for name, value in own.items() if name not in reading}
        return from_recipe(path, {"expect": first.feature_names, **reading, "like": data.words[0]}, format, **own)

    return InTurn(data, opened, options.get("labelled", True))


def _by_content(path: PathLike, name: str | None) -> str | None:
    """The same format, or another of lines where the first two are surely that and not what the suffix says."""
    known = reader_classes()
    if name is None or not known[name].lines or is_remote(path) or is_read_once(path):
        return name
    with open_bytes(path) as stream:
        lines = _two_lines(stream)
    if not lines or known[name].surely(lines):
        return name
    return next((each for each, reader in known.items() if reader.surely(lines)), name)


def _two_lines(stream: ByteStream) -> list[bytes]:
    """The first two lines that are whole, neither blank nor a comment."""
    lines = stream.peek(LOOK).removeprefix(b"\xef\xbb\xbf").split(b"\n")
    whole = lines[:-1] if len(lines) > 1 else lines
    return [line.rstrip(b"\r") for line in whole if line.strip() and not line.lstrip().startswith(b"#")][:2]


def from_recipe(
    path: PathLike,
    recipe: dict[str, Any],
    format: str = "auto",
    *,
    labelled: bool | Literal["auto", "unneeded"] = "auto",
    width: int | None = None,
    classes: Sequence[Any] | None = None,
    **options: Any,
) -> Source:
    """New data read with a model's reading choices (`Source.recipe()`).

    format, options: the user's own; DataError where they contradict the recipe, but more may be dropped. A model of
    texts takes any format that gives texts, one of numbers without names any that gives such numbers (svmlight, npy,
    npz, idx); a recipe without a format, of a model that learned from arrays, any. labelled: "auto" (default): labels
    are there or not, as the data show; "unneeded": the same, but that no mail is left out for want of a label. width,
    classes: the model's; each goes to the readers that need it. A recipe that is of no model says by `like` what
    it is of.
    """
    if isinstance(path, Several):
        _check_labels(path, options)
        own = {"width": width, "classes": classes, **options}

        def opened(part: str, label: str | None, first: Source | None) -> Source:
            return from_recipe(part, recipe, format, labelled=labelled if label is None else False, **own)

        return InTurn(path, opened, labelled, classes)
    asked, preset = _named(format)
    given: PathLike | ByteStream = path
    name = _by_content(path, _by_suffix(path)) if asked == "auto" else asked
    if name is None and "format" not in recipe:
        name, given = _by_first_line(path)
    learned = str(recipe.get("format", name))
    known = reader_classes()
    texts = recipe.get("text") is not None or known[learned].kind == "documents"
    if name is None:
        name = "text" if texts and plain_name(path).endswith(".txt") else learned
    origin = STDIN if str(path) == "-" else str(path)
    alike = name == learned or known[name].family == known[learned].family != ""
    numbers = known[name].kind == "rows"
    like = recipe.get("like")
    if not (alike or like is None and ((numbers and known[learned].kind == "rows") or (texts and not numbers))):
        before = "the model learned from" if like is None else f"{plain(like)} as"
        found = f"it would be read as {name}, but {before} {learned}"
        raise located(
            origin, None, found, "expected the same ({format:s} where the file's name misleads)", format=learned
        )
    accepted = _options(name)
    kept = {key: value for key, value in recipe.items() if key in accepted and alike}
    if "format" not in recipe and "expect" not in accepted:
        kept.pop("label", None)  # of a DataFrame's columns, which the file does not have
    if kept.get("drop") and options.get("drop"):
        options["drop"] = kept["drop"] = [*dict.fromkeys([*kept["drop"], *options["drop"]])]
    for key, value in options.items():
        if key in kept and kept[key] not in (value, "auto"):
            found = f"{plain(origin)}: {{{key}}} was asked for, but the model learned with {{{key}_}}"
            raise DataError(f"{found}; expected the same", **{key: value, f"{key}_": kept[key]})
    if labelled == "unneeded":
        labelled = False if known[name].takes_folders else "auto"
    context = {"labelled": labelled, "width": width, "classes": classes, "learned": alike and "format" in recipe}
    return _read(given, name, {**{k: v for k, v in context.items() if k in accepted}, **kept, **preset, **options})


def _named(format: str) -> tuple[str, dict[str, Any]]:
    """The format of a name, and the options that the name stands for."""
    named: dict[str, tuple[str, dict[str, Any]]] = {"auto": ("auto", {})}
    for name, reader in reader_classes().items():
        named |= {alias: (name, preset) for alias, preset in [(name, reader.by_name), *reader.aliases.items()]}
    if format not in named:
        raise SettingError(f"{{format}}: choose auto, {', '.join(format_names())}", format=format)
    return named[format]


def _options(name: str) -> list[str]:
    return list(inspect.signature(reader_classes()[name]).parameters)[1:]


def _read(path: PathLike | ByteStream, name: str, options: dict[str, Any]) -> Source:
    accepted = _options(name)
    for option in options:
        if option not in accepted:
            known = [each.name for each in reader_classes()[name].parameters if each.section == "Reading"]
            listed = ", ".join(f"{{{each}:s}}" for each in known) or "none"
            found = f"{{{option}:s}} is no option of the format {name}"
            raise SettingError(f"{found}, whose options are: {listed}", **dict.fromkeys([option, *known], ""))
    return reader_classes()[name](path, **options)  # type: ignore[no-any-return]


def _by_suffix(path: PathLike) -> str | None:
    """The format of a folder or of a suffix, None where it says nothing."""
    folder, last = is_folder(path), plain_name(path)
    for name, reader in reader_classes().items():
        if reader.takes_folders if folder else last.endswith(reader.suffixes):
            return name
    return None


def _by_first_line(path: PathLike) -> tuple[str, PathLike | ByteStream]:
    """The format of the first bytes or line, and what to read: the opened stream where it cannot be opened again."""
    stream, once = open_bytes(path), is_read_once(path)
    try:
        return _by_look(stream, path, once), stream if once else path
    finally:
        if not once:
            stream.close()


def _by_look(stream: ByteStream, path: PathLike, once: bool) -> str:
    """The format of the first bytes or the first line. once: it cannot be opened again."""
    known = reader_classes()
    head = stream.peek(LOOK)
    for name, reader in known.items():
        if reader.begins(head, None if once else path):
            return name
    foreign = next((what for magic, what in FOREIGN.items() if head.startswith(magic)), None)
    if foreign is not None:
        raise located(stream.name, None, f"it is {foreign[0]}", f"expected what it holds: {foreign[1]}")
    line = stream.first_line()
    if not line:
        raise located(stream.name, None, "found no rows", "expected at least one")
    whole = line if len(line) <= LONG else line.rpartition(b" ")[0] or line
    likeness = {name: reader.likeness(whole, plain_name(path)) for name, reader in known.items()}
    best = max(likeness, key=likeness.__getitem__)
    if known[best].hint and known[best].hint in plain_name(path) and (lines := _two_lines(stream)):
        best = next((name for name, reader in known.items() if reader.surely(lines)), best)
    if not likeness[best]:
        found = f"found no known format in {line[:40].decode('utf-8', 'replace')!r}"
        wanted = f"expected one, or {{format:s}} {', '.join(known)}; cells of a table: {{delimiter:s}}"
        raise located(stream.name, 1, found, wanted, format="", delimiter="")
    return best
