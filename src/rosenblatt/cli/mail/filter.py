"""`rosenblatt mail filter`: what is not plain, as the help; see `mail.filtering`, which is called without this."""

import sys

import click

from ...mail.filtering import OPTIONS, run, standard_input
from ...mail.rewriting import STYLES
from ..command import command, option
from .shared import site_option, store_option


# fmt: off
@command()
@store_option
@site_option
@option("Output", "--style", type=click.Choice(list(STYLES)), default=OPTIONS["style"],
        help="Headers: spam (X-Spam-Status, X-Spam-Flag, X-Spam-Score) or bogofilter (X-Bogosity).  [default: spam]")
# fmt: on
def filter(store: str, site: str, style: str) -> None:
    """Read a mail from standard input, and write it to standard output with headers that say what it is.

    Headers of these names that it came with are gone; nothing else changes. Whatever goes wrong, the mail goes out as
    it came in, and the exit code is 75; else it is 0, whatever the verdict.

    Example:
        rosenblatt mail filter < mail.eml
        rosenblatt mail filter --store /var/lib/mail/ann.db --style bogofilter < mail.eml
    """
    sys.exit(run(standard_input(), 1, store, site, style))
