"""`rosenblatt mail`: a judge that learns mail by mail. A command is a file of its name."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from ...errors import DataError, SettingError
from ...mail.paths import NoInput
from ...mail.store.file import StoreBusy, StoreError
from ..app import Group
from ..output import OutputError

COMMANDS = {
    "learn": "Learn that mails are spam, or ham, which is real mail.",
    "forget": "Take back what mails have taught.",
    "filter": "Read a mail, and write it with headers that say what it is.",
    "classify": "Say of mails whether they are spam.",
    "explain": "Say what makes a mail spam or ham.",
    "mistakes": "List the mails that were thought otherwise before their verdict.",
    "what-if": "Judge a whole mailbox, and say what would move where.",
    "status": "Say what is learned, what is missing, and whether the store is whole.",
    "store": "Back up, restore, dump, compact, publish or set a store.",
    "rebuild": "Make a store anew from the mails that it keeps.",
    "evaluate": "Judge a labelled stream mail by mail, each before it is learned, and count the mistakes.",
}
EXAMPLE = """\
rosenblatt mail learn --spam Junk/ --ham Inbox/
rosenblatt mail classify new.eml"""
CODES: dict[type[BaseException], int] = {
    SettingError: 64, click.ClickException: 64, NoInput: 66, StoreBusy: 75, StoreError: 69, DataError: 65,
    OutputError: 73, MemoryError: 71,
}  # fmt: skip
"""Of sysexits.h, as mail programs know them; 0, 1 and 2 are verdicts here."""


@contextmanager
def _sysexits() -> Iterator[None]:
    """Errors with their codes under `mail`; one that has a code of its own keeps it."""
    try:
        yield
    except tuple(CODES) as error:
        if "exit_code" not in vars(error):
            error.exit_code = next(code for kind, code in CODES.items() if isinstance(error, kind))  # type: ignore[attr-defined]
        raise


class Mail(Group):
    """Its errors are ≥ 64."""

    def make_context(self, *args: Any, **words: Any) -> click.Context:
        with _sysexits():
            return super().make_context(*args, **words)

    def invoke(self, ctx: click.Context) -> Any:
        with _sysexits():
            return super().invoke(ctx)


@click.group(cls=Mail, table=COMMANDS, room=__package__, example=EXAMPLE)
def mail() -> None:
    """Tell spam from real mail, mail by mail: what comes is judged first, and learned when somebody says what it is.

    What is learned lies in a store, one file: --store PATH, by default $ROSENBLATT_STORE, else rosenblatt/mail.db in
    $XDG_DATA_HOME, or in ~/.local/share. Exit codes of errors are 64 and above.
    """
