"""`rosenblatt mail rebuild`: a store made anew from the mails that it keeps."""

import os
from typing import Any

from ...mail.parameters import JUDGE
from ...mail.store.file import opened
from ...mail.store.learning import SETTINGS
from ...mail.store.reading import LOOKED_AT
from ...mail.store.rebuild import rebuild as rebuilt
from ...report.words import plural
from ..command import Number, as_names, command, given, json_option, option, option_of, together
from ..output import show
from .learn import check_settings
from .shared import store_option


# fmt: off
@command()
@together(option_of(each._replace(section="New", shown="as before")) for each in JUDGE if each.name in LOOKED_AT)
@option("New", "--trusted", metavar="A,B,...", callback=as_names,
        help="Servers whose Authentication-Results count.  [default: as before]")
@option("Store", "--jobs", type=Number(int, 1), help="Processes that look at the mails.  [default: one a core]")
@store_option
@json_option
# fmt: on
def rebuild(store: str, jobs: int | None, as_json: bool, **words: Any) -> None:
    """Make a store anew from the mails that it keeps: by other features, or by a newer program.

    How many are kept is a setting, none at first: `mail store --keep 10000`, or `mail learn --keep 10000` of a new
    store. What was learned and is not kept is gone; back the store up before. The new one takes its place when it is
    whole.

    Example:
        rosenblatt mail store --backup mail.backup
        rosenblatt mail rebuild --bits 22
    """
    asked = {name: words[name] for name in given(words) & SETTINGS.keys()}
    check_settings(asked)
    opened(store).close()
    made = rebuilt(store, asked, jobs or len(os.sched_getaffinity(0)))
    gone = f"; {made.gone:,} that were not kept are gone" if made.gone else ""
    show(made._asdict(), [f"{plural(made.mails, 'mail')} learned anew{gone}"], as_json)
