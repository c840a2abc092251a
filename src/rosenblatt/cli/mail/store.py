"""`rosenblatt mail store`: what keeps a store well."""

from typing import Any

from ...errors import SettingError
from ...mail.judge import LOST
from ...mail.store import care
from ...mail.store.file import opened
from ...mail.store.learning import Store
from ..command import Number, command, json_option, option, option_of
from ..output import check_writable, show, to_json, write_lines
from .learn import LATER, check_settings, keep_settings
from .shared import store_option

LEAST = 2


# fmt: off
@command()
@option("Care", "--backup", metavar="FILE", help="Write a copy, while others read and learn.")
@option("Care", "--restore", metavar="FILE", help="Put everything back as it is in a backup.")
@option("Care", "--publish", metavar="FILE", help="Write a snapshot that others may read, for `mail learn --site`.")
@option("Care", "--dump", is_flag=True, help="Print all of it, a line of JSON for each setting, mail, sender, column.")
@option("Care", "--compact", is_flag=True,
        help=f"Take out what fewer than {LEAST} mails had, and give its room back. What stays is as it was.")
@option_of(LOST._replace(section="Care", default=None, shown="",
                         help="Move the threshold, for another share of real mail lost."))
@option("Care", "--whole", type=Number(int, 0), help="Keep what so many of the latest mails added, to be forgotten.")
@option("Care", "--keep", type=Number(int, 0), help="Keep so many of the latest mails as they are, for `mail rebuild`.")
@store_option
@json_option
# fmt: on
def store(store: str, as_json: bool, **words: Any) -> None:
    """Back up, restore, dump, compact, publish or set a store. The file named takes its place when it is whole.

    Example:
        rosenblatt mail store --backup mail.backup
        rosenblatt mail store --restore mail.backup
        rosenblatt mail store --max-false-positives 0.5%
    """
    asked = {name: value for name, value in words.items() if value is not None and value is not False}
    if not asked or (len(asked) > 1 and not asked.keys() <= {*LATER}):
        actions = "--backup, --restore, --publish, --dump, --compact"
        raise SettingError(f"give one of {actions}, or --max-false-positives, --whole and --keep")
    (name, value), *_ = asked.items()
    if name == "dump":
        for entry in care.dump(store):
            write_lines([to_json(entry)])
        return
    values = dict[str, Any](asked)
    if name == "restore":
        aside = care.restore(store, value)
        lines = [f"{store} is as in {value}{f'; the damaged one is {aside}' if aside else ''}"]
    elif name in ("backup", "publish"):
        check_writable(value, store)
        (care.backup if name == "backup" else care.publish)(store, value)
        lines = [f"wrote {value}"]
    elif name == "compact":
        made = care.compact(store, LEAST)
        values = made._asdict()
        lines = [f"{made.columns:,} columns taken out, {made.left:,} left; {made.before:,} bytes, now {made.after:,}"]
    else:
        check_settings(asked)
        opened(store).close()
        with Store(store) as own:
            keep_settings(own, asked)
            values = {key: own.settings[key] for key in LATER}
        most = f"at most {100 * values[LOST.name]:g} % of the real mail lost"
        lines = [f"{most}; the latest {values['whole']:,} kept whole, {values['keep']:,} as mails"]
    show(values, lines, as_json)
