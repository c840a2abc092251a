"""The parameters of features, each declared once; the steps name theirs, and `Options` has their defaults."""

from functools import partial

from ..parameters import Parameter

_of_texts = partial(Parameter, data="documents", section="Features")
_of_numbers = partial(Parameter, data="rows", section="Features")
_UNKNOWN = "is unknown; it must be one of {choices}"
_WORDS, _HASHED = ("dictionary", "words"), ("dictionary", "hashed")

SCALE = Parameter(
    "scale", "auto", metavar="SCALING", section="Features",
    help="none, or standard, idf, unit, unit:LENGTH joined by +; auto: idf+unit:2 for texts, none for numbers. standard"
         " does not centre sparse rows, as of svmlight, where most values are zero.",
)  # fmt: skip
VALUES = _of_texts(
    "values", "present", help="What a word of a text counts: {choices}.", choices=("present", "count", "share"),
    refusal=f"{{values.name}} {{values.value}} {_UNKNOWN}", option="--features", metavar="VALUES",
)  # fmt: skip
MIN_DOCUMENTS = _of_texts(
    "min_documents", 2, int, "Words in fewer texts are left out.", least=1, early=True, needs=_WORDS,
    refusal="{min_documents.name} {min_documents.value}: it must be at least 1",
)  # fmt: skip
MAX_SIZE = _of_texts(
    "max_size", None, int, "The most words, the most frequent ones.", least=1, words={"none": None}, early=True,
    refusal="{max_size.name} {max_size.value}: it must be None or at least 1", option="--max-words", needs=_WORDS,
)  # fmt: skip
DICTIONARY = _of_texts(
    "dictionary", "words", metavar="KIND|FILE", takes='{"words", "hashed"} or str',
    help="words, learned from DATA; hashed, which never grows; or a FILE of words, a line each.",
)  # fmt: skip
BITS = _of_texts(
    "bits", 18, int, "hashed: 2^bits columns.", least=1, most=31, early=True, needs=_HASHED,
    refusal="{bits.name} {bits.value} is out of range; it must be 1 to 31",
)  # fmt: skip
SIGNED = _of_texts("signed", False, bool, "hashed: half of the words count negatively.", shown="", needs=_HASHED)
PRECISION = _of_texts(
    "precision", "float64", help="Of the numbers made from texts: {choices}.", choices=("float64", "float32"),
    refusal=f"{{precision.name}} {{precision.value}} {_UNKNOWN}", metavar="DTYPE",
)  # fmt: skip
WORD_NGRAMS = _of_texts(
    "word_ngrams", 1, int, "Texts: runs of 1 to N words count as words.", least=1, most=5, early=True,
    refusal="{word_ngrams} is out of range; it must be 1 to 5",
)  # fmt: skip
CHAR_NGRAMS = _of_texts(
    "char_ngrams", None, metavar="A-B", help="Texts: also runs of A to B characters within words, as 3-5."
)
KNOWN_SENDERS = _of_texts(
    "known_senders", None, metavar="FILE",
    help="Mails, field sender: an address, or @ and a domain, a line; they count as known, and so does who sent two of"
         " the mails. The model holds the addresses.",
)  # fmt: skip
DEGREE = _of_numbers(
    "degree", 1, int, "Numbers: 2 adds the products of all columns, as they are after scaling.", least=1, most=2,
    refusal="{degree} is out of range; it must be 1 or 2", early=True,
)  # fmt: skip
PRODUCTS = _of_numbers(
    "products", "all", choices=("all", "squares", "pairs"), metavar="WHICH", needs=("degree", 2),
    help="--degree 2: all, squares (one column by itself), pairs (two by each other).",
    refusal=f"{{products:s}} {_UNKNOWN}",
)  # fmt: skip
MAP = Parameter(
    "map", None, words={"none": None}, metavar="MAP", section="Features", takes="str or None",
    help="Nearly a kernel, by columns: fourier, nystroem, pairs (of words); with parameters:"
         " fourier:components=500,gamma=0.1.",
    meaning="Columns in the place of all others, after scaling, whose inner products are nearly a kernel's:"
            " random Fourier features (`fourier:components=1000,gamma=0.1`) or those of Nyström"
            " (`nystroem:components=300,kernel=poly,degree=4`), drawn by `random_state`; or all others and their"
            " products of two, hashed (`pairs:bits=20`): pairs of words that are in a text together.",
)  # fmt: skip

FEATURES = (SCALE, VALUES, MIN_DOCUMENTS, MAX_SIZE, DICTIONARY, BITS, SIGNED, PRECISION, WORD_NGRAMS, CHAR_NGRAMS,
            KNOWN_SENDERS, DEGREE, PRODUCTS, MAP)  # fmt: skip
"""All of them, in the order of the help."""
