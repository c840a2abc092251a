"""The names of a mail's fields, apart from the code that fills them.

Every name is that of a header, read as text, but for these, which are worked out:

    html        all tags of HTML parts
    attachment  name, suffix, type and size of each
    charset     charsets that did not fit
    missing     which of the headers asked for, and whether the body, are not there: even an empty mail has a feature
    links       see `links`
    capitals    see `mail`
    spelling    see `mail`
    grammar     see `grammar`
    sender      see `headers`; with it, who sent several mails is known (`features.senders`)
    headers     see `headers`
"""

import re

from ..errors import SettingError

Document = list[tuple[str, str]]
"""A text in fields: [(tag, text), …]; the tag "" is the body, "subject" the subject, and so on."""


MADE = ("html", "attachment", "charset", "missing", "links", "capitals", "spelling", "grammar", "sender", "headers")
"""Fields of a mail that are worked out (above); every other is a header."""
FIELDS = ("subject", "html", "attachment", "charset", "missing", "capitals", "spelling")
"""`AveragedPerceptron(max_iter=10)` on mails, otherwise default: 5-fold on each set; trained on spamassassin_dev and
tested on csdmc2010_dev; the reverse; each the mean of seeds 0, 1, 2.

                                            spamassassin_dev  csdmc2010_dev  across  back
    subject, html, attachment, charset, missing   .9937           .9904       .950   .986
    and capitals                                  .9940           .9910       .953   .988
    and spelling                                  .9931           .9903       .954   .987
    and capitals, spelling (the default)          .9935           .9906       .960   .989
    and links                                     .9932           .9900       .945   .987
    and sender                                    .9936           .9902       .955   .987
    and headers                                   .9937           .9887       .950   .980
    and capitals, spelling, links                 .9940           .9911       .950   .989

Within one collection all are alike; across, capitals and spelling help, and they cannot tell one collection from
another. Hosts, senders and headers can (csdmc2010 has lost its headers), so they are for those who train on their own
mail. Across, the least of seeds 0 to 5 is .949 with the default, .941 with the first line, .939 with links.
"""
NAME = re.compile(r"[!-+\--9;-~]+")
"""What a header can be called, but for commas, which part names here."""
FAILED = ("defect", "unread")
"""The field of a mail that could not be taken apart in an unforeseen way; its bytes are then read as plain text."""
LATER = MADE[4:]
"""Those that version 0.1.0 would take for headers."""


def is_made(tag: str) -> bool:
    """Whether a tag (`links`, `links.odd`) is of a field that is worked out, so that its words are no running text."""
    return tag.partition(".")[0] in MADE


def is_whole(tag: str) -> bool:
    """Whether the words of a field are names (hosts, addresses, reply-to) that are not taken apart."""
    return tag.partition(".")[0] in LATER


def checked(names: list[str]) -> list[str]:
    """Names of fields, in lower case, without `body`, which is read in any case. SettingError where one is no name of a
    header, or a slip for one of `MADE` or the subject."""
    from difflib import get_close_matches

    lower = [name.strip().lower() for name in names]
    for name in lower:
        if not NAME.fullmatch(name):
            raise SettingError(f"mail field {name!r} is no name: headers, or {', '.join(MADE)}, joined by commas")
        near = get_close_matches(name, (*MADE, "subject"), 1, 0.8)
        if near and near[0] != name:
            raise SettingError(f"mail field {name!r} would be a header of that name; for the field write {near[0]}")
    return [name for name in dict.fromkeys(lower) if name != "body"]
