"""The parameters of reading, each declared once; the readers name theirs."""

from __future__ import annotations

from ..mailtext.fields import FIELDS as MAIL_FIELDS
from ..mailtext.fields import MADE
from ..parameters import Parameter

FORMAT = Parameter("format", "auto", metavar="NAME", shown="by name or look", section="Reading")
BASE = Parameter(
    "base", 1, int, "svmlight: the index of the first column.", choices=(0, 1), metavar="0|1",
    refusal="{base}: the first column's index is 0 or 1", section="Reading",
)  # fmt: skip
LABEL = Parameter(
    "label", None, metavar="COLUMN", shown="by name", section="Reading",
    help="Table: the label, by name or number (from 1; -1: last). npy, npz, idx: the file or array of the labels.",
)  # fmt: skip
ARRAY = Parameter(
    "array", None, metavar="NAME", help="npz: the array of the rows.", shown="X, x_train, data ...", section="Reading"
)  # fmt: skip
TEXT = Parameter(
    "text", None, metavar="COLUMN", help="Table: the text, by name or number.", shown="", section="Reading"
)  # fmt: skip
DROP = Parameter(
    "drop", (), list, "Table: columns to leave out, as an id, by name or number.", metavar="A,B,...", shown="",
    section="Reading",
)  # fmt: skip
HEADER = Parameter(
    "header", "auto", bool, "Table: line 1 has names.", words={"auto": "auto"}, option="--header/--no-header",
    shown="by its look", section="Reading",
)  # fmt: skip
DELIMITER = Parameter(
    "delimiter", None, metavar="CHAR", help="Table: what parts cells.", shown="by line 1", section="Reading"
)  # fmt: skip
LABELS = Parameter(
    "labels", None, list, "Mail: the folders that are labels.", option="--folders", metavar="A,B,...",
    shown="spam,ham, else where paths part", section="Reading",
)  # fmt: skip
FIELDS = Parameter(
    "fields", MAIL_FIELDS, list, f"Mails, besides the body: names of headers, and of {', '.join(MADE)}.",
    option="--mail-fields", metavar="A,B,...", after="char_ngrams", data="documents", section="Features",
)  # fmt: skip
DUPLICATES = Parameter(
    "duplicates", "error", help="svmlight, an index twice in a row: {choices}.", choices=("error", "sum", "last"),
    metavar="HOW", refusal="{duplicates}: choose error, sum or last", section="Reading",
)  # fmt: skip
BAD = Parameter(
    "bad", "error", help="Lines that cannot be read: error, or skip and count them.", choices=("error", "skip"),
    metavar="HOW", refusal="{bad}: choose error or skip", section="Reading",
)  # fmt: skip

READING = (BASE, LABEL, ARRAY, TEXT, DROP, HEADER, DELIMITER, LABELS, FIELDS, DUPLICATES, BAD)
"""Those of this package's readers, in the order of the help; what another declares comes behind them."""
