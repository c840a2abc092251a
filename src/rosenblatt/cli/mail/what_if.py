"""`rosenblatt mail what-if`: a whole mailbox judged, nothing changed."""

import os
from collections import Counter
from contextlib import closing
from typing import Any

from ...mail.opinion import VERDICTS
from ...mail.paths import JUNK, Mails, folder_of
from ...mail.store.judging import judged
from ...mail.store.reading import reader_of
from ...mailtext.headers import header
from ...report.words import plural, short, table
from ..command import command, json_option
from ..output import notes, show
from .shared import site_option, store_option, watched


@command(path="PATH")
@store_option
@site_option
@json_option
def what_if(path: str, store: str, site: str, as_json: bool) -> None:
    """Judge a whole mailbox, and say what would move where; nothing is changed, nothing is learned.

    PATH is a folder, a maildir, an mbox or an archive. Spam would move out of folders that are not called Spam, Junk or
    Bulk; ham out of those that are; what is unsure stays.

    Example:
        rosenblatt mail what-if Maildir/
    """
    source, counts, moves = Mails([path]), dict[str, Counter[str]](), []
    above = os.path.dirname(os.path.abspath(path))

    def is_junk(folder: str) -> bool:
        return JUNK.search(os.path.relpath(folder, above)) is not None

    with reader_of(store, site) as reader, closing(watched([source], "judging")) as mails:
        for mail, opinion in judged(reader, mails):
            folder = folder_of(mail.path)
            counts.setdefault(folder, Counter())[opinion.verdict] += 1
            if opinion.verdict == ("ham" if is_junk(folder) else "spam"):
                subject = header(mail.raw, "subject")
                moves.append({"path": mail.path, "folder": folder, **opinion._asdict(), "subject": subject})
    notes(+source.notes)
    leaving = Counter(move["folder"] for move in moves)
    folders: list[dict[str, Any]] = [
        {"folder": name, "spam_folder": is_junk(name), "mails": own.total(),
         **{verdict: own[verdict] for verdict in VERDICTS}, "move": leaving[name]}
        for name, own in counts.items()
    ]  # fmt: skip
    lines = table([["folder", "mails", *VERDICTS, "would move"],
                   *([row["folder"], *(f"{row[key]:,}" for key in ("mails", *VERDICTS, "move"))] for row in folders)],
                  right=range(1, 6))  # fmt: skip
    for verdict, where in (("spam", "to the spam folder"), ("ham", "out of it")):
        own = [move for move in moves if move["verdict"] == verdict]
        if own:
            lines += ["", f"{plural(len(own), 'mail')} {where}:"]
            own.sort(key=lambda move: -abs(move["score"]))
            rows = [[f"{move['probability']:.4f}", move["path"], short(move["subject"], 40)] for move in own]
            lines += table([["probability", "where", "subject"], *rows])
    show({"folders": folders, "moves": moves}, lines, as_json)
