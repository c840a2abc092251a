"""`rosenblatt mail mistakes`: what the filter was wrong about."""

from ...mail.store.listing import mistakes as listed
from ...report.words import plural, short, table
from ..command import command, json_option, switch
from ..output import show
from .shared import shown_time, store_option


@command()
@store_option
@switch("Output", "--unsure", "Also mails that it was unsure of.")
@json_option
def mistakes(unsure: bool, store: str, as_json: bool) -> None:
    """List learned mails that were thought otherwise before their verdict, the latest first.

    Each with the time and the verdict that was given, what was thought and its score, sender and subject.

    Example:
        rosenblatt mail mistakes | head
    """
    made = listed(store, unsure)
    rows = [["when", "it is", "thought", "score", "from", "subject"]]
    for each in made:
        when, score = shown_time(each.time), f"{each.score:.2f}"
        rows.append([when, each.verdict, each.thought, score, short(each.sender, 30), short(each.subject, 40)])
    lines = table(rows, right=(3,)) if made else []
    show({"mistakes": [each._asdict() for each in made]}, [*lines, plural(len(made), "mistake")], as_json)
