"""`rosenblatt mail explain`: what makes a mail spam or ham, token by token."""

from ...errors import DataError, plural
from ...mail.explain import explained
from ...mail.paths import Mails
from ...mail.store.reading import reader_of
from ...report.words import table
from ..command import Number, command, json_option, option
from ..output import show
from .shared import site_option, store_option

SHORT = 60


# fmt: off
@command(path="[PATH]")
@store_option
@site_option
@option("Output", "--top", type=Number(int, 1, all=None), default=20,
        help="How many tokens, the most telling first; --json has all.  [default: 20]")
@json_option
# fmt: on
def explain(path: str | None, store: str, site: str, top: int | None, as_json: bool) -> None:
    """Say what makes a mail spam (above 0) or ham (below). Without PATH the mail is on standard input.

    A token that is known adds its weight/√m, m the tokens of the mail; the score is the sum, less the middle between
    ham and spam. Names with one number in common, of 2^bits, are one line.

    Example:
        rosenblatt mail explain new.eml --top 10
    """
    mails = list(Mails(["-" if path is None else path]))
    if len(mails) != 1:
        raise DataError(f"{path}: found {plural(len(mails), 'mail')}; expected one")
    with reader_of(store, site) as reader:
        opinion, tokens, unknown = explained(reader, mails[0].raw)
    values = {"path": mails[0].path, "verdict": opinion.verdict, "probability": opinion.probability}
    values |= {"score": opinion.score, "unknown": unknown, "tokens": [token._asdict() for token in tokens]}
    *telling, middle = tokens
    rows = [["adds", "weight", "token"]]
    for token in [*telling[:top], middle]:
        name = " | ".join(token.names)
        rows.append([f"{token.contribution:+.4f}", f"{token.weight:+.3f}", name[:SHORT]])
    lines = [f"{opinion.verdict}, probability {opinion.probability:.4f}, score {opinion.score:.4f}", ""]
    more = len(telling[top:]) if top else 0
    rest = f"{plural(more, 'more token')} that are known, " if more else ""
    show(values, [*lines, *table(rows, right=(0, 1)), "", f"{rest}{unknown:,} that are not"], as_json)
