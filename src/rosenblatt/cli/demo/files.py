"""What `rosenblatt demo` leaves behind: a model, a picture, one mail, short messages, and three commands."""

from __future__ import annotations

import os
import shutil
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from ...datasets import path as shipped
from ...errors import DataError, ModelError
from ..output import OutputError, check_writable

if TYPE_CHECKING:
    from ...model.model import Model

FILES = {"model": "spam.model", "picture": "mistakes.png", "mail": "mail.eml", "messages": "sms.txt.xz"}


def make_folder(path: Path) -> dict[str, Path]:
    """The files to be written, by what they are. OutputError where the folder cannot be made or written to."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{path}: the folder cannot be made: {error.strerror or error}") from None
    files = {name: path / file for name, file in FILES.items()}
    for file in files.values():
        check_writable(file)
    return files


def write_files(files: Mapping[str, Path], kept: Model, mail: str, histories: Mapping[str, Sequence[int]]) -> None:
    """Write them all. kept: the model. mail: the name of one of the shipped mails. histories: for the picture."""
    from ...report.pictures.mistakes import mistakes_per_epoch

    title = "Mistakes while learning to tell spam from real mail\n(a ring: from this epoch on, none)"
    try:
        kept.save(files["model"])
        mistakes_per_epoch(histories, files["picture"], title)
        files["mail"].write_bytes(raw_mail(mail))
        shutil.copyfile(shipped("sms"), files["messages"])
    except OSError as error:
        raise OutputError(f"{error.filename}: cannot be written: {error.strerror or error}") from None
    except (DataError, ModelError) as error:
        raise OutputError(error.message) from None


def raw_mail(name: str) -> bytes:
    """The bytes of one of the shipped mails, by the end of its path in their archive."""
    with tarfile.open(shipped("mails")) as archive:
        file = archive.extractfile(next(each for each in archive if each.name.endswith(name)))
        assert file is not None
        return file.read()


def next_commands(files: Mapping[str, Path]) -> Iterator[str]:
    """Three commands that work as printed, from the folder in which the demo ran."""
    run, model, mail = program(), quote(str(files["model"])), quote(str(files["mail"]))
    yield f"{run} predict {model} {mail} --scores"
    yield f"{run} explain {model} {mail} --top 20"
    messages = files["messages"]
    yield f"{run} train {quote(str(messages))} -o {quote(str(messages.with_name('sms.model')))} --keep averaged"


def program() -> str:
    """This program as the shell can call it: `rosenblatt` where it would find this one, else its path."""
    called = Path(sys.argv[0])
    script = called if called.name == "rosenblatt" else Path(sys.executable).with_name("rosenblatt")
    found = shutil.which("rosenblatt")
    if not script.is_file() or (found and os.path.samefile(found, script)):
        return "rosenblatt"
    return quote(str(script))
