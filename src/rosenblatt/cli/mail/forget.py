"""`rosenblatt mail forget`: what mails have taught, taken back."""

import math
from contextlib import closing
from datetime import datetime

import click

from ...errors import SettingError
from ...mail.digest import digest
from ...mail.paths import Mails
from ...mail.store.file import opened
from ...mail.store.learning import Store
from ...mail.store.listing import learned_before
from ..command import command, json_option, option
from ..output import notes, show
from .shared import many_option, store_option, watched

BATCH = 200
"""Mails of a transaction, below a second."""
FIRST = datetime(1970, 1, 2)
DATES = ("%Y-%m-%d", "%Y-%m-%dT%H:%M")


# fmt: off
@command(paths="[PATH]...")
@option("Mails", "--from", "sender", metavar="ADDRESS", help="All from this address, and all sent to it.")
@option("Mails", "--before", type=click.DateTime(DATES), metavar="DATE", 
        help="All whose verdict came before, as 2026-01-31.")
@many_option
@store_option
@json_option
# fmt: on
def forget(
    paths: tuple[str, ...], sender: str | None, before: datetime | None, many: bool, store: str, as_json: bool
) -> None:
    """Take back what mails have taught: weights, counts and thresholds are as if they had made no step.

    Of a store's latest mails only (`--whole` of `mail learn`): of older ones no more than digest and verdict is kept.

    Example:
        rosenblatt mail forget wrong.eml
        rosenblatt mail forget --from ann@example.org --before 2026-01-31
    """
    if bool(paths) == (sender is not None or before is not None):
        raise SettingError("which mails? Give their PATHs, or --from, --before or both")
    if sender is not None and not sender.strip():
        raise SettingError("--from has no address")
    opened(store).close()
    if paths:
        source = Mails(paths, many=many)
        with closing(watched([source], "reading")) as mails:
            digests = [digest(mail.raw) for mail in mails]
        notes(+source.notes)
    else:
        seconds = max(before, FIRST).timestamp() if before else math.inf
        address = (sender or "").encode(errors="replace").decode()
        digests = learned_before(store, seconds, address.lower())
    forgotten = 0
    with Store(store) as learned:
        for at in range(0, len(digests), BATCH):
            forgotten += learned.forget(digests[at : at + BATCH])
    values = {"forgotten": forgotten, "unknown": len({*digests}) - forgotten}
    show(values, ["{forgotten:,} forgotten, {unknown:,} not known".format(**values)], as_json)
