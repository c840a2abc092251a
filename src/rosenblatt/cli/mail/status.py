"""`rosenblatt mail status`: what is learned, what is missing, and whether the store is whole."""

from typing import Any

from ...mail.store.listing import status as status_of
from ...report.words import plural
from ..command import command, json_option
from ..output import show
from .shared import shown_time, store_option


@command()
@store_option
@json_option
def status(store: str, as_json: bool) -> None:
    """Say what is learned, what is missing, and whether the store is whole.

    Example:
        rosenblatt mail status
        rosenblatt mail status --json | jq .messages
    """
    made = status_of(store)
    show(made, as_text(made), as_json)


def as_text(made: dict[str, Any]) -> list[str]:
    """Lines for people."""
    messages, judge, file = made["messages"], made["judge"], made["store"]
    total, days = sum(messages.values()), made["days"]
    last = "" if days is None else f"; last verdict {shown_time(made['last'])}, {max(days, 0.0):,.1f} days ago"
    low, high = judge["interval_percent"]
    health = "whole" if file["integrity"] == "ok" else "DAMAGED"
    site = made["settings"]["site"]
    lines = [
        f"{plural(total, 'mail')} learned, {messages['spam']:,} spam and {messages['ham']:,} ham{last}",
        f"{made['corrections']:,} were thought otherwise before, or unsure; {made['forgettable']:,} can be forgotten",
        f"store {file['path']}: {health}, {file['bytes'] / 1e6:.1f} MB, version {file['schema']},"
        f" {plural(file['columns'], 'column')}, {plural(file['senders'], 'sender')}",
        *([f"stands on {site}"] if site else []),
        *(
            [f"{plural(file['mails'], 'mail')} kept for `mail rebuild`, {file['mail_bytes'] / 1e6:.1f} MB"]
            if file["mails"]
            else []
        ),
        f"threshold {judge['threshold']:.3g}: {judge['ham_above']} of {judge['ham']:,} ham above it,"
        f" {low:.3f} to {high:.3f} %; at most {judge['target_percent']:g} %:"
        f" {'shown' if judge['shown'] else 'not yet shown'}",
        "experts: " + ", ".join(f"{each['weight']:.3f} {each['expert']}" for each in judge["experts"]),
    ]
    lines += [f"missing: {text}" for text in made["missing"]]
    return lines + [f"warning: {text}" for text in made["warnings"]]
