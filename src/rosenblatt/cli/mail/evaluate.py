"""`rosenblatt mail evaluate`: how good the judge is on a labelled stream, each mail judged before it is learned."""

import os
from typing import Any

from ...errors import SettingError
from ...mail.evaluation import Difference, ablate, nested
from ...mail.evaluation import evaluate as evaluated
from ...mail.parameters import JUDGE, judge_from
from ...mail.saved import Saved
from ...mail.stream import PLAN, Plan, read_stream
from ...read.open import STDIN
from ...report.mail import ablation_text, as_text, difference_text
from ...write.files import whole_file
from ..command import Number, command, option, option_of, switch, together
from ..options import json_option, plot_option
from ..output import check_writable, notes, show, to_json
from ..pictures import check_picture, write_picture
from ..progress import Progress
from ..sources import output_errors, read_twice


# fmt: off
@command(stream="STREAM...")
@switch("Stream", "--online", "Judge each mail, then learn it, one after the other: as it is always done here.")
@together(option_of(each._replace(section="Stream")) for each in PLAN)
@option("Stream", "--jobs", type=Number(int, 1), help="Processes that look at the mails; the result is the same."
        "  [default: one a core]")
@together(map(option_of, JUDGE))
@option("Judge", "--ablate", is_flag=True,
        help="What each group is worth: without it, with right verdicts and with 5 % wrong ones.")
@option("Output", "--against", metavar="FILE",
        help="Also the differences to another result on the same stream, written by -o or --json, mail by mail.")
@option("Output", "-o", "--output", metavar="FILE", help="Write the result, what was said of each mail too, as JSON.")
@plot_option("Draw how the mistakes fall along the stream: .png, .svg, .pdf.", "--picture")
@json_option
# fmt: on
def evaluate(stream: str, online: bool, output: str | None, picture: str | None, as_json: bool, **words: Any) -> None:
    """Judge the labelled mails of STREAM one by one, each before it is learned, and say how well that went.

    STREAM is a TREC index (lines "spam ../data/inmail.1"), a tar, or a folder. The labels and the order are those of
    index.csv (columns path and label), index or full/index in it; else of its folders spam and ham, by sorted paths.
    spam=PATH ham=PATH say of folders and files of any name what is in them.

    Example:
        rosenblatt mail evaluate mails/ --order shuffled --repeat 5 --picture progress.png
        rosenblatt mail evaluate spam=Mail/.Junk ham=Mail/cur ham=old.mbox --order shuffled
        rosenblatt mail evaluate trec07p/full/index --noise 5% -o noisy.json
        rosenblatt mail evaluate trec07p/full/index --against noisy.json
    """
    _check(stream, output, picture, words)
    asked = {each.name: words[each.name] for each in JUDGE}
    plan = Plan(**{name: words[name] for name in Plan._fields}).checked()
    judge_from(**asked)
    before = Saved(words["against"]) if words["against"] else None
    if before is not None:
        before.check(plan._asdict())
    called = STDIN if stream == "-" else getattr(stream, "origin", stream)
    with Progress() as progress, read_twice(stream) as path:
        mails = read_stream(path, progress.reading)._replace(origin=called)
        notes(mails.notes)
        if before is not None:
            before.check({"messages": len(mails.raws), "digest": mails.digest})
        tell = progress.watching("judging", lambda what, done, of: (what, done, of, "mails"))
        jobs = words["jobs"] or len(os.sched_getaffinity(0))
        if words["ablate"]:
            rows = ablate(mails, plan, jobs, tell, **asked)
            lines = ablation_text(rows)
            made = rows[0].clean
            values = {name: value for name, value in made.as_dict().items() if name not in ("runs", "mails")}
            values["ablation"] = [{"without": row.without, **_both(row)} for row in rows]
        else:
            made = evaluated(mails, plan, jobs, tell, **asked)
            values, lines = made.as_dict(), as_text(made)
            if before is not None:
                difference = Difference(before.name, made, before.runs(made))
                values["against"] = difference.as_dict()
                lines += ["", *difference_text(difference)]
    if output:
        with output_errors(output), whole_file(output) as file:
            file.write(f"{to_json(values)}\n".encode())
    if picture:
        from ...report.pictures.mail import figure_of_stream

        write_picture(figure_of_stream(made, as_text(made)[:2]), picture)
    show(values, lines, as_json, [output, picture])


def _both(row: Any) -> dict[str, Any]:
    return {name: nested(own.values) for name, own in (("clean", row.clean), ("noisy", row.noisy))}


def _check(stream: str, output: str | None, picture: str | None, words: dict[str, Any]) -> None:
    """What can be said before the work begins."""
    check_picture("--picture", picture, stream, output, words["against"])
    if output is not None:
        check_writable(output, stream, words["against"])
    if words["ablate"] and (words["against"] or picture):
        other = "--against" if words["against"] else "--picture"
        raise SettingError(f"--ablate and {other}: an ablation is many runs, {other} is of one; leave one of them out")
