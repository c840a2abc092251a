"""The parameters of features, each declared once; the steps name theirs, and `Options` has their defaults."""

from __future__ import annotations

from ..parameters import Parameter

_UNKNOWN = "is unknown; it must be one of {choices}"

SCALE = Parameter(
    "scale", "auto", metavar="SCALING", section="Features",
    help="none, or standard, idf, unit, unit:LENGTH joined by +; auto: idf+unit:2 for texts, none for numbers. standard"
         " centres dense rows only, as of tables; svmlight is sparse.",
)  # fmt: skip
VALUES = Parameter(
    "values", "present", choices=("present", "count", "share"), option="--features", metavar="VALUES",
    help="What a word of a text counts: {choices}.",
    refusal=f"{{values.name}} {{values.value}} {_UNKNOWN}", data="documents", section="Features",
)  # fmt: skip
MIN_DOCUMENTS = Parameter(
    "min_documents", 2, int, "Words in fewer texts are left out.", least=1, early=True,
    refusal="{min_documents.name} {min_documents.value}: it must be at least 1",
    needs=("dictionary", "words"), data="documents", section="Features",
)  # fmt: skip
MAX_SIZE = Parameter(
    "max_size", None, int, "The most words, the most frequent ones.", least=1, words={"none": None}, early=True,
    refusal="{max_size.name} {max_size.value}: it must be None or at least 1",
    option="--max-words", needs=("dictionary", "words"), data="documents", section="Features",
)  # fmt: skip
DICTIONARY = Parameter(
    "dictionary", "words", choices=("words", "hashed"), metavar="KIND",
    help="words, learned from DATA, or hashed, which never grows.",
    refusal="{dictionary.name} {dictionary.value} is unknown; it must be one of ('words', 'hashed')",
    data="documents", section="Features",
)  # fmt: skip
BITS = Parameter(
    "bits", 18, int, "hashed: 2^bits columns.", least=1, most=31, early=True,
    refusal="{bits.name} {bits.value} is out of range; it must be 1 to 31",
    needs=("dictionary", "hashed"), data="documents", section="Features",
)  # fmt: skip
SIGNED = Parameter(
    "signed", False, bool, "hashed: half of the words count negatively.", shown="",
    needs=("dictionary", "hashed"), data="documents", section="Features",
)  # fmt: skip
PRECISION = Parameter(
    "precision", "float64", choices=("float64", "float32"), metavar="DTYPE",
    help="Of the numbers made from texts: {choices}.",
    refusal=f"{{precision.name}} {{precision.value}} {_UNKNOWN}", data="documents", section="Features",
)  # fmt: skip
WORD_NGRAMS = Parameter(
    "word_ngrams", 1, int, "Texts: runs of 1 to N words count as words.", least=1, most=5, early=True,
    refusal="{word_ngrams} is out of range; it must be 1 to 5", data="documents", section="Features",
)  # fmt: skip
CHAR_NGRAMS = Parameter(
    "char_ngrams", None, metavar="A-B", help="Texts: also runs of A to B characters within words, as 3-5.",
    data="documents", section="Features",
)  # fmt: skip
KNOWN_SENDERS = Parameter(
    "known_senders", None, metavar="FILE", data="documents", section="Features",
    help="Mails, field sender: an address, or @ and a domain, a line; they count as known, and so does who sent two of"
         " the mails. The model holds the addresses.",
)  # fmt: skip
DEGREE = Parameter(
    "degree", 1, int, "Numbers: 2 adds the products of all columns, as they are after scaling.", least=1, most=2,
    refusal="{degree} is out of range; it must be 1 or 2", early=True, data="rows", section="Features",
)  # fmt: skip
PRODUCTS = Parameter(
    "products", "all", choices=("all", "squares", "pairs"), metavar="WHICH",
    help="--degree 2: all, squares (one column by itself), pairs (two by each other).",
    refusal=f"{{products:s}} {_UNKNOWN}", needs=("degree", 2), data="rows", section="Features",
)  # fmt: skip

FEATURES = (SCALE, VALUES, MIN_DOCUMENTS, MAX_SIZE, DICTIONARY, BITS, SIGNED, PRECISION, WORD_NGRAMS, CHAR_NGRAMS,
            KNOWN_SENDERS, DEGREE, PRODUCTS)  # fmt: skip
"""All of them, in the order of the help."""
