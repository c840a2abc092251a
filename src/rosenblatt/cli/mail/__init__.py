"""`rosenblatt mail`: a judge that learns mail by mail. A command is a file of its name."""

import click

from ..app import Group

COMMANDS = {
    "filter": "Read a mail, and write it with a header that says what it is.",
    "evaluate": "Judge a labelled stream mail by mail, each before it is learned, and count the mistakes.",
}
EXAMPLE = "rosenblatt mail evaluate mails/ --order shuffled --picture progress.png"


@click.group(cls=Group, table=COMMANDS, room=__package__, example=EXAMPLE)
def mail() -> None:
    """Tell spam from real mail, mail by mail: what comes is judged first, and learned when somebody says what it is."""
