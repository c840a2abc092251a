"""`rosenblatt mail learn`: what mails are, as somebody says."""

import os
import time
from collections import Counter
from contextlib import closing
from itertools import chain, islice
from typing import Any

import click

from ...errors import SettingError, plain
from ...mail.features import Look
from ...mail.judge import LOST
from ...mail.looking import KINDS
from ...mail.parameters import JUDGE
from ...mail.paths import Mails, notes_of
from ...mail.store.bulk import learn as learned
from ...mail.store.learning import ADDED, AGAIN, CHANGED, NEW, SETTINGS, Store
from ...mail.store.order import one_kind_only
from ...mail.store.reading import LOOKED_AT
from ..command import Command, Number, as_names, command, given, json_option, option, option_of, together
from ..output import note, notes, show
from .shared import many_option, store_option, watched

MOST = 10**9
"""Latest mails of which all is kept."""
LATER = (LOST.name, "whole", "keep")
"""Settings that can be changed."""


class Learn(Command):
    """All words behind --spam, --ham or --sent, up to another of them, are mails of that kind."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options = [each for each in self.params if isinstance(each, click.Option)]
        takes = {name for each in options if not each.is_flag for name in each.opts}
        kinds, kind, out, words = dict[str, int](), "", list[str](), iter(args)
        for word in words:
            if word.removeprefix("--") in KINDS and word.startswith("--"):
                kind = word
                kinds.setdefault(kind, 0)
            elif word.startswith("-") and word != "-":
                out += [word, *islice(words, int(word in takes))]
            elif kind:
                out += [kind, word]
                kinds[kind] += 1
            else:
                raise click.UsageError(f"What is {word!r}? Put --spam or --ham before it.", ctx)
        return super().parse_args(ctx, [*out, *(part for kind, n in kinds.items() if not n for part in (kind, "-"))])


# fmt: off
@command(cls=Learn)
@option("Mails", "--spam", metavar="PATH...", multiple=True, help="These are spam.  [default: standard input]")
@option("Mails", "--ham", metavar="PATH...", multiple=True, help="These are real mail.")
@option("Mails", "--sent", metavar="PATH...", multiple=True,
        help="Its user has sent these: whom they went to is known, their words are ham; nothing is learned of From.")
@option("Mails", "--confirm-after", type=Number(float, 0), metavar="DAYS",
        help="Of maildirs, and only what is read and lies where it is for so many days, unmoved and unmarked: as"
        " confirmed by its folder. What has a verdict keeps it.  [default: off]")
@many_option
@option("Mails", "--jobs", type=Number(int, 1), help="Processes that look at the mails; the result is the same."
        "  [default: one a core]")
@store_option
@option("Store", "--site", metavar="PATH",
        help="A new store: it stands on this one, which is left as it is. See `mail store --publish`.")
@together(option_of(each._replace(section="Store", help=f"A new store: {each.help[0].lower()}{each.help[1:]}"))
          for each in JUDGE if each.name in LOOKED_AT)
@option("Store", "--trusted", metavar="A,B,...", callback=as_names,
        help="A new store: servers whose Authentication-Results count.")
@option_of(LOST._replace(section="Store", shown="0.1%, or as before"))
@option("Store", "--whole", type=Number(int, 0),
        help="The latest mails of which all is kept, so that they can be forgotten.  [default: 5000, or as before]")
@option("Store", "--keep", type=Number(int, 0),
        help="Mails that are kept as they are, the latest, for `mail rebuild`.  [default: 0, or as before]")
@json_option
# fmt: on
def learn(
    store: str, jobs: int | None, many: bool, confirm_after: float | None, as_json: bool, **words: Any
) -> None:
    """Learn that mails are spam, or ham, which is real mail. A mail counts once, with its last verdict.

    PATHs are mails, folders, maildirs, mbox files, archives (tar), or - for one mail on standard input. Mails that are
    learned already are passed over: a command that was stopped is completed by the same command. Mails of both kinds
    are learned side by side: until there are both, the first kind waits, and all mail is unsure. A folder is read with
    those inside, but for what is named as another kind: --spam Maildir/.Junk --ham Maildir.

    Example:
        rosenblatt mail learn --spam Junk/ --ham Inbox/ Archive/
        rosenblatt mail learn --spam < mail.eml
        rosenblatt mail learn --sent Sent/
        rosenblatt mail learn --confirm-after 7 --spam Maildir/.Junk --ham Maildir
    """
    others = {kind: [path for other in KINDS if other != kind for path in words[other]] for kind in KINDS}
    settled = None if confirm_after is None else time.time() - 86400 * confirm_after
    sources = [Mails(words[kind], kind, many, others[kind], settled) for kind in KINDS if words[kind]]
    if not sources:
        raise SettingError("no mails are given; --spam, --ham and --sent say what they are, as --spam Junk/")
    if sum(path == "-" for source in sources for path in source.paths) > 1:
        raise SettingError("standard input is given twice; it can be read once")
    asked = {name: words[name] for name in given(words) & SETTINGS.keys()}
    check_settings(asked)
    done, jobs = Counter[str](), jobs or len(os.sched_getaffinity(0))
    with closing(watched(sources, "learning")) as mails:
        first = [*islice(mails, 1)]  # where there is none, no store is made
        with Store(store, asked, words["site"] or "") as opened:
            keep_settings(opened, asked)
            try:
                for sums in learned(opened, chain(first, mails), jobs, settled is not None):
                    done = sums
            except (KeyboardInterrupt, SystemExit):
                note(f"\n{done.total():,} mails are done; the same command again goes on from there")
                raise
            alone = opened.order.alone
    notes(notes_of(sources))
    if alone:
        note(f"note: {one_kind_only(alone)}")
    values = {"new": done[NEW], "known": done[AGAIN], "changed": done[CHANGED] + done[ADDED]}
    show(values, ["{new:,} new, {known:,} known already, {changed:,} changed".format(**values)], as_json)


def check_settings(asked: dict[str, Any]) -> None:
    """SettingError for those out of range, before there is a store."""
    if asked.get("whole", 0) > MOST:
        raise SettingError(f"{{whole}} must be at most {MOST}", whole=asked["whole"])
    for each in JUDGE:
        if each.name in asked:
            each.check(asked[each.name])
    Look(**{name: asked[name] for name in LOOKED_AT if name in asked})


def keep_settings(store: Store, asked: dict[str, Any]) -> None:
    """Change those that can be. SettingError for others than those of the store."""
    other = {name: value for name, value in asked.items() if value != store.settings[name]}
    for name in LOOKED_AT:
        own, wanted = getattr(store.look, name), asked.get(name)
        if name in other and (not isinstance(wanted, list) or {*map(str.lower, wanted)} != {*own}):
            found = ",".join(own) or "none" if isinstance(wanted, list) else own
            text = f"{store.path} has {found}; what is looked at in a mail stays as its store began"
            raise SettingError(f"{{{name}.name}}: {plain(text)}", **{name: None})
    if later := {name: other[name] for name in LATER if name in other}:
        store.change(**later)
