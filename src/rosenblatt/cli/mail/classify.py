"""`rosenblatt mail classify`: the verdict on mails, as words and as an exit code."""

import click

from ...errors import RosenblattError
from ...mail.paths import Mails
from ...mail.store.judging import judged
from ...mail.store.reading import reader_of
from ..command import command, json_option, option
from ..output import notes, to_json, write_lines
from .shared import many_option, site_option, store_option, watched

EXITS = {
    "sysexits": {"spam": 0, "ham": 1, "unsure": 2},
    "bogofilter": {"spam": 0, "ham": 1, "unsure": 2, "error": 3},
    "spamc": {"spam": 1, "ham": 0, "unsure": 0},
}
"""Style → exit code of one mail."""


# fmt: off
@command(paths="[PATH]...")
@many_option
@store_option
@site_option
@option("Output", "--exit-style", "style", type=click.Choice(list(EXITS)), default="sysexits", metavar="STYLE",
        help="sysexits: 0 spam, 1 ham, 2 unsure, errors 64 and above. bogofilter: the same, errors 3. spamc: 1 spam, 0"
             " not.  [default: sysexits]")
@json_option
# fmt: on
def classify(paths: tuple[str, ...], many: bool, store: str, site: str, style: str, as_json: bool) -> None:
    """Say of mails whether they are spam; nothing is learned. Without PATH the mail is on standard input.

    A line of each mail: verdict (spam, ham, unsure), probability, score (above 0: rather spam), and where it lies. The
    exit code of one mail is its verdict; of several it is 0.

    Example:
        rosenblatt mail classify new.eml && echo spam
        rosenblatt mail classify Maildir/ --json
    """
    try:
        source, done, verdict = Mails(paths or ("-",), many=many), 0, ""
        with reader_of(store, site) as reader:
            for mail, opinion in judged(reader, watched([source], "judging", printing=True)):
                done, verdict = done + 1, opinion.verdict
                values = {"path": mail.path, "verdict": verdict, "probability": opinion.probability}
                line = f"{verdict}\t{opinion.probability:.4f}\t{opinion.score:.3f}\t{mail.path}"
                write_lines([to_json(values | {"score": opinion.score}) if as_json else line])
        notes(+source.notes)
    except RosenblattError as error:
        if (code := EXITS[style].get("error")) is not None:
            error.exit_code = code
        raise
    if done == 1 and len(paths) <= 1:
        click.get_current_context().exit(EXITS[style][verdict])
