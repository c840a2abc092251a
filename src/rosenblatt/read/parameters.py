"""The parameters of reading, each declared once; the readers name theirs."""

from functools import partial

from ..mailtext import fields
from ..parameters import Parameter

_reading = partial(Parameter, section="Reading")

FORMAT = _reading("format", "auto", metavar="NAME", shown="by name or look")
BASE = _reading(
    "base", 1, int, "svmlight: the index of the first column.", choices=(0, 1), metavar="0|1",
    refusal="{base}: the first column's index is 0 or 1",
)  # fmt: skip
LABEL = _reading(
    "label", None, metavar="COLUMN", shown="label, class, target or y",
    help="Table: the label, by name or number (from 1; -1: last). npy, npz, idx: the file or array of the labels.",
)  # fmt: skip
ARRAY = _reading("array", None, metavar="NAME", help="npz: the array of the rows.", shown="X, x_train, data ...")
TEXT = _reading("text", None, metavar="COLUMN", help="Table: the text, by name or number.", shown="")
DROP = _reading(
    "drop", (), list, "Table: columns to leave out, as an id, by name or number.", metavar="A,B,...", shown=""
)
HEADER = _reading(
    "header", "auto", bool, "Table: line 1 has names.", words={"auto": "auto"}, option="--header/--no-header",
    shown="by its look",
)  # fmt: skip
DELIMITER = _reading("delimiter", None, metavar="CHAR", help="Table: what parts cells.", shown="by line 1")
LABELS = _reading(
    "labels", None, list, "Mail: the folders that are labels.", option="--folders", metavar="A,B,...",
    shown="spam,ham, else where paths part",
)  # fmt: skip
LABEL_HEADER = _reading(
    "label_header", None, metavar="HEADER", help="Mail: a header that says the labels, as X-Gmail-Labels.", shown="",
)  # fmt: skip
LABEL_RULES = _reading(
    "label_rules", None, list, metavar="RULES", shown="",
    help="--label-header: which value is which class, as spam=Spam,ham=Inbox,\"Work, home\": ham has one or the other;"
         " CLASS=* takes the rest.",
    meaning="Of label_header, which value is which class: [\"spam=Spam\", \"ham=Inbox\"]; `class=*` takes the mails"
            " that meet no other rule. Mails that meet none, or rules of two classes, are left out.",
)  # fmt: skip
FIELDS = Parameter(
    "fields", fields.FIELDS, list, f"Mails, besides the body: names of headers, and of {', '.join(fields.MADE)}.",
    option="--mail-fields", metavar="A,B,...", after="char_ngrams", data="documents", section="Features",
)  # fmt: skip
DUPLICATES = _reading(
    "duplicates", "error", help="svmlight, an index twice in a row: {choices}.", choices=("error", "sum", "last"),
    metavar="HOW", refusal="{duplicates}: choose error, sum or last",
)  # fmt: skip
WIDER = _reading(
    "wider", "error", help="svmlight, columns that the model has not: error, or skip their values.",
    choices=("error", "skip"), metavar="HOW", refusal="{wider}: choose error or skip",
)  # fmt: skip
BAD = _reading(
    "bad", "error", help="Lines that cannot be read: error, or skip and count them.", choices=("error", "skip"),
    metavar="HOW", refusal="{bad}: choose error or skip",
)  # fmt: skip

READING = (
    BASE,
    LABEL,
    ARRAY,
    TEXT,
    DROP,
    HEADER,
    DELIMITER,
    LABELS,
    LABEL_HEADER,
    LABEL_RULES,
    FIELDS,
    DUPLICATES,
    WIDER,
    BAD,
)
"""Those of this package's readers, in the order of the help; what another declares comes behind them."""
