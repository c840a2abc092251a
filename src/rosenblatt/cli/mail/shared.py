"""What the commands of mail share. Nothing here loads numpy: one mail is judged without."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator, Sequence
from typing import Any

import click

from ...mail.paths import Mail, Mails, side_by_side
from ..command import option


def _store(ctx: click.Context, param: click.Parameter, value: str | None) -> str:
    from ...mail.store.file import default_path

    return value or default_path()


store_option = option(
    "Store", "--store", metavar="PATH", default="", callback=_store,
    help="What is learned.  [default: $ROSENBLATT_STORE, or rosenblatt/mail.db in the user's folder for data]",
)  # fmt: skip
site_option = option(
    "Store", "--site", metavar="PATH", default="",
    help="The site's store, to judge by where there is no own one yet, as `mail store --publish` wrote it.",
)  # fmt: skip
many_option = option(
    "Mails", "--many", is_flag=True, help="Standard input is an mbox or an archive.  [default: one mail]"
)


def watched(sources: Sequence[Mails], what: str, printing: bool = False) -> Generator[Mail, None, None]:
    """The mails of all sources; on a terminal with a bar from the second mail on."""
    progress: Any = None
    tell: Any = None

    def far(number: int) -> tuple[str, float, float | None, str]:
        share = sum(source.share for source in sources) / len(sources)
        return what, number, number / share if share else None, "mails"

    try:
        for number, mail in enumerate(side_by_side(sources), 1):
            if number == 2 and sys.stderr is not None and sys.stderr.isatty():
                from ..progress import Progress

                progress = Progress(printing)
                tell = progress.watching(what, far)
            if tell:
                tell(number)
            yield mail
    finally:
        if progress:
            progress.end()


def shown_time(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
