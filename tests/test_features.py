"""Text → tokens → columns: the token rules, the dictionary, hashing."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import datasets
from rosenblatt.core.rows import Csr, matrix
from rosenblatt.errors import SettingError
from rosenblatt.features import bag, scaling
from rosenblatt.features.bag import Bag
from rosenblatt.features.hashing import Hashing
from rosenblatt.features.vocabulary import Vocabulary
from rosenblatt.mailtext.fields import MADE, Document
from rosenblatt.mailtext.tokens import LONGEST, Memory, normal, split, tagged, tokens
from rosenblatt.read import open_source
from steps import learn, learn_transform

Array = np.ndarray[Any, Any]

# --- tokens ----------------------------------------------------------------------------------------------------------


def words_of(text: str) -> list[str]:
    """The tokens of a text without fields."""
    return tokens([("", text)])


RULES = [
    ("Get $$$ NOW!!!", ["get", "$$$", "now", "!!!"]),
    ("a B c", ["a", "b", "c"]),
    ("wow!!!!!!!! $ ?", ["wow", "!!!", "$", "?"]),
    ("only $19.99, 1,000 or 50% off", ["only", "$19.99", "1,000", "or", "50%", "off"]),
    ("£5 €3.50 3.14. 7", ["£5", "€3.50", "3.14", "7"]),
    ("don't e-mail", ["don't", "don", "t", "e-mail", "e", "mail"]),
    ("don\u2019t", ["don't", "don", "t"]),
    ("('quoted') --dashed-- end.", ["quoted", "dashed", "end"]),
    ("http://www.foo.com/a_b", ["http", "www.foo.com", "www", "foo", "com", "a", "b"]),
    ("<me@foo.org>", ["<", "me@foo.org", "me", "foo", "org", ">"]),
    ("foo\u2122 \uff26\uff32\uff25\uff25", ["footm", "free"]),
    ("Stra\u00dfe", ["strasse"]),
    ("v\u200bi\u00adagra", ["viagra"]),
    ("\u2764\ufe0f\U0001f44d\U0001f3fd", ["\u2764", "\U0001f44d"]),
    ("\u4e2d\u6587\u5b57 \u5b57", ["\u4e2d\u6587", "\u6587\u5b57", "\u5b57"]),
    ("\u65e5\u672c\u30c6\u30b9", ["\u65e5\u672c", "\u672c\u30c6", "\u30c6\u30b9"]),
    ("\u0939\u093f\u0928\u094d\u0926\u0940", ["\u0939\u093f\u0928\u094d\u0926\u0940"]),
    ("x" * 57, ["skip:x50"]),
    ("a." * 30 + "b", ["skip:a60", *"a" * 30, "b"]),
    ("\0\ud800 \u00a0", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), RULES)
def test_token_rules(text: str, expected: list[str]) -> None:
    """peers.md, Text: `$$$`, emoji, one-letter words are kept; a Chinese phrase is many tokens; footm from foo™."""
    assert words_of(text) == expected


def test_composed_or_not_is_the_same() -> None:
    """peers.md, Text: accents composed or not (#21207)."""
    assert words_of("caf\u00e9") == words_of("cafe\u0301") == words_of("CAFE\u0301")


@given(st.text())
def test_normal_form_is_idempotent(text: str) -> None:
    """peers.md, Text: NFKC, then casefold (#15087)."""
    once = normal(text)
    assert normal(once) == once


def test_normal_form_is_idempotent_for_every_character() -> None:
    for start in range(0, sys.maxunicode + 1, 1 << 8):
        text = " ".join(map(chr, range(start, start + (1 << 8))))
        assert normal(normal(text)) == normal(text)


@given(st.text())
def test_tokens_are_clean(text: str) -> None:
    """No blanks, so that names can stand in lines; no surrogates, so that they can be stored; never overlong."""
    for token in words_of(text):
        assert token and not any(character.isspace() for character in token)
        assert len(token.encode()) > 0
        assert len(token) <= LONGEST + 10


@given(st.text())
def test_case_does_not_matter_in_ascii(text: str) -> None:
    upper = "".join(c.upper() if c.isascii() else c for c in text)
    assert words_of(upper) == words_of(text)


def test_tags_say_where_a_word_stands() -> None:
    assert tagged("subject", ("free", "!")) == ["subject:free", "subject:!"]
    assert list(tagged("", ("free",))) == ["free"]
    fields = [("subject", "Free-mail!"), ("links", "a.b"), ("", "a.b")]
    assert tokens(fields) == [
        "subject:free-mail", "subject:free", "subject:mail", "subject:!", "links:a.b", "a.b", "a", "b",
    ]  # fmt: skip


def test_a_memory_asks_once_and_forgets_long_pieces() -> None:
    asked: list[str] = []
    memory = Memory(lambda piece: asked.append(piece), most=2)
    for piece in ("a", "b", "a", "x" * 99, "x" * 99):
        memory[piece]
    assert asked == ["a", "b", "x" * 99, "x" * 99]
    memory["c"]
    assert list(memory) == ["c"]


# --- documents → rows ------------------------------------------------------------------------------------------------


def body(*texts: str) -> list[Document]:
    return [[("", text)] for text in texts]


def naive(documents: list[Document]) -> list[Counter[str]]:
    return [Counter(tokens(document)) for document in documents]


def named(rows: Csr, names: list[str]) -> list[dict[str, float]]:
    """Each row as {name: value}; checks that columns ascend."""
    found = []
    for start, end in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        assert (np.diff(rows.indices[start:end].astype(np.int64)) > 0).all()
        found.append({names[rows.indices[p]]: float(rows.data[p]) for p in range(start, end)})
    return found


texts = st.text(alphabet=st.one_of(st.sampled_from("aAbB $!.-,'@\n\t:é中1"), st.characters()), max_size=30)
documents = st.lists(st.lists(st.tuples(st.sampled_from(["", "subject"]), texts), max_size=3), max_size=6)


@given(documents, st.integers(1, 3))
def test_the_dictionary_against_its_definition(docs: list[Document], min_documents: int) -> None:
    """Words of enough documents, sorted; counts as counted by hand; learning gives the rows of transforming."""
    counts = naive(docs)
    frequency = Counter(name for row in counts for name in row)
    expected = sorted(name for name, number in frequency.items() if number >= min_documents)
    vocabulary, rows = learn_transform([docs], "count", min_documents)
    assert vocabulary.names == expected
    again = vocabulary.transform(docs)
    wanted = [{name: float(number) for name, number in row.items() if name in set(expected)} for row in counts]
    assert named(rows, expected) == named(again, expected) == wanted


@given(documents)
def test_compiled_and_plain_look_up_agree(docs: list[Document]) -> None:
    """Little text is looked up in Python, much in compiled code: the same rows, also while the table fills."""
    plain, _ = learn_transform([docs], min_documents=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bag, "MUCH", 0)
        patch.setattr(bag, "CHUNK", 16)
        patch.setattr(bag, "SLOTS", 64)
        compiled, rows = learn_transform([docs, docs], "count", min_documents=1)
        again = compiled.transform(docs)
    assert compiled.names == plain.names
    assert named(rows, compiled.names) == 2 * named(again, compiled.names)
    assert named(again, compiled.names) == [dict(row) for row in naive(docs)]


def in_order(docs: list[Document], much: int, patch: pytest.MonkeyPatch) -> list[list[str]]:
    """Each document's tokens as the tokeniser finds them; much: bytes of text from which on it is compiled."""
    names: list[list[str]] = []

    def make(tag: str, piece: str) -> int:
        names.append(tokens([(tag, piece)]))
        return len(names) - 1

    patch.setattr(bag, "MUCH", much)
    found = []
    for document in docs:
        every: list[str] = []
        numbered = bag.Pieces(make, names.clear)
        for numbers, field in numbered.find([tag for tag, _ in document], [text for _, text in document]):
            assert (np.diff(field) >= 0).all()
            every += [name for number in numbers for name in names[number]]
        found.append(every)
    return found


TAGS = ["", "subject", *MADE, "links.odd"]
anything = st.text(
    alphabet=st.one_of(
        st.sampled_from(
            "aAbBß $!?%.-,'@&:;_\"()[]{}/\\`<>~\n\t\r\0\v\x1c\x85\xa0\u2028\u2019\u200b\ufe0f\u3000é中文ا1٣９™"
        ),
        st.characters(),
    ),
    max_size=120,
)


@given(st.lists(st.lists(st.tuples(st.sampled_from(TAGS), anything), max_size=4), max_size=4), st.integers(1, 64))
def test_compiled_and_plain_tokenisers_find_the_tokens_in_order(docs: list[Document], chunk: int) -> None:
    """Any tag, any characters, edges, pieces longer than are remembered, texts longer than a chunk."""
    expected = [tokens(document) for document in docs]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bag, "CHUNK", chunk)
        assert in_order(docs, 1 << 40, patch) == expected
        assert in_order(docs, 0, patch) == expected


def test_both_tokenisers_on_real_mails_and_on_every_character(monkeypatch: pytest.MonkeyPatch) -> None:
    mails = [document for batch in open_source(datasets.path("mails")) for document in batch.rows]  # type: ignore[union-attr]
    everything = [
        f"x{chr(code)}y {chr(code)}z" for code in range(sys.maxunicode + 1) if code % 101 == 0 or code < 0x3100
    ]
    mails.append([("", " ".join(everything)), ("subject", "q" * 40 + " " + "q" * 41 + " " + "q" * 300_000)])
    expected = [tokens(document) for document in mails]
    assert sum(map(len, expected)) > 100_000
    for much in (0, 1 << 40):
        assert in_order(mails, much, monkeypatch) == expected


def test_forgetting_keeps_the_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """When too much has been remembered all is forgotten, in both ways of looking up, and nothing changes."""
    monkeypatch.setattr(bag, "SLOTS", 8)
    monkeypatch.setattr(bag, "CHUNK", 8)
    docs = body(*(f"a{number} b-c{number} d" for number in range(50)))
    names = learn([docs], min_documents=1).names
    for much in (0, 1 << 40):
        monkeypatch.setattr(bag, "MUCH", much)
        vocabulary = Vocabulary(names, "count")
        rows = [vocabulary.transform([document]) for document in docs]
        assert [named(row, names)[0] for row in rows] == [dict(row) for row in naive(docs)]


def test_values() -> None:
    docs = body("a a a b", "b c", "")
    rows = {values: learn_transform([docs], values, 1)[1] for values in bag.VALUES.choices}
    assert named(rows["present"], ["a", "b", "c"]) == [{"a": 1, "b": 1}, {"b": 1, "c": 1}, {}]
    assert named(rows["count"], ["a", "b", "c"]) == [{"a": 3, "b": 1}, {"b": 1, "c": 1}, {}]
    assert named(rows["share"], ["a", "b", "c"]) == [{"a": 0.75, "b": 0.25}, {"b": 0.5, "c": 0.5}, {}]
    assert rows["share"].data.dtype == np.float64
    assert learn_transform([docs], precision="float32")[1].data.dtype == np.float32


def test_the_share_is_of_the_words_in_the_dictionary() -> None:
    vocabulary = Vocabulary(["a", "b"], "share")
    assert named(vocabulary.transform(body("a b b c c c")), ["a", "b"]) == [{"a": 1 / 3, "b": 2 / 3}]


def test_the_dictionary_does_not_depend_on_the_order() -> None:
    docs = body("b a", "c a", "c b d", "d")
    assert learn([docs]).names == learn([docs[::-1][:2], docs[::-1][2:]]).names == ["a", "b", "c", "d"]


def test_a_maximum_size_keeps_the_most_frequent_ties_by_name() -> None:
    docs = body("d c b a", "d c b a", "d", "z")
    assert learn([docs], max_size=3).names == ["a", "b", "d"]
    assert learn([docs], max_size=1).names == ["d"]


def test_words_outside_the_dictionary_are_passed_over() -> None:
    vocabulary = learn([body("a-b", "a-b")])
    assert vocabulary.names == ["a", "a-b", "b"]
    assert named(vocabulary.transform(body("a-c x", "y")), vocabulary.names) == [{"a": 1.0}, {}]


def test_no_documents_and_no_words() -> None:
    empty, rows = learn_transform([])
    assert (empty.names, len(rows.indptr), rows.shape[0]) == ([], 1, 0)
    assert len(empty.transform(body("a", "b")).indptr) == 3


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: learn([], min_documents=0), "min_documents 0"),
        (lambda: learn([], max_size=0), "max_size 0"),
        (lambda: Vocabulary([], "many"), "values 'many' is unknown"),
        (lambda: Vocabulary([], precision="float16"), "precision 'float16' is unknown"),
        (lambda: Hashing(bits=0), "bits 0 is out of range"),
        (lambda: Hashing(bits=32), "bits 32 is out of range"),
        (lambda: scaling.parse("standart"), "scaling 'standart' is not understood"),
        (lambda: scaling.parse("unit:-1"), "at 'unit:-1'"),
        (lambda: scaling.parse("unit:x"), "at 'unit:x'"),
        (lambda: scaling.parse("idf:2"), "at 'idf:2'"),
    ],
)
def test_settings_out_of_range(make: Callable[[], object], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        make()


# --- hashing ---------------------------------------------------------------------------------------------------------


@given(documents)
def test_hashed_rows_are_the_sums_of_their_words(docs: list[Document]) -> None:
    """peers.md, Text: unsigned by default, so words that share a column add up and never cancel (#7513)."""
    hashing = Hashing(bits=3, values="count")
    dense_rows = matrix(hashing.transform(docs)).toarray() if docs else np.zeros((0, 8))
    expected = np.zeros((len(docs), 8))
    for row, counts in enumerate(naive(docs)):
        for name, number in counts.items():
            expected[row, hashing.column(name)] += number
    np.testing.assert_array_equal(dense_rows, expected)
    present = Hashing(bits=3).transform(docs)
    assert (present.data == 1.0).all()
    assert len(present.data) == np.count_nonzero(expected)


def test_signed_hashing_lets_words_cancel() -> None:
    """peers.md, Text: what #7513 reports, on request only."""
    words = [f"w{number}" for number in range(200)]
    hashing = Hashing(bits=2, signed=True, values="count")
    rows = matrix(hashing.transform(body(" ".join(words)))).toarray()[0]
    assert np.abs(rows).sum() < 200
    signs = {word: matrix(hashing.transform(body(word))).toarray()[0].sum() for word in words}
    assert set(signs.values()) == {-1.0, 1.0}
    by_column = [sum(signs[word] for word in words if hashing.column(word) == column) for column in range(4)]
    np.testing.assert_array_equal(rows, by_column)


def test_the_hash_is_the_same_everywhere() -> None:
    """Columns are stored in models, so they may never change."""
    assert [Hashing().column(name) for name in ("free", "subject:free", "中文")] == [223350, 100523, 153988]


def test_collisions_are_reported_and_names_are_given_with_counts() -> None:
    """peers.md, Text: the collision rate; names kept on request, with count (#10478)."""
    docs = body(*(f"word{number} word{number // 2}" for number in range(1000)))
    wide, narrow = Hashing(bits=31).collisions(docs), Hashing(bits=8).collisions(docs)
    assert (wide.words, narrow.words) == (1000, 1000)
    assert (wide.columns, wide.rate) == (1000, 0.0)
    assert 200 < narrow.columns <= 1 << 8
    assert narrow.rate > 0.9
    assert Hashing().collisions([]) == (0, 0, 0.0)
    hashing = Hashing(bits=1)
    found = hashing.names_in(body("a b b c c c d e f"))
    assert sorted(name for names in found.values() for name in names) == list("abcdef")
    for column, names in found.items():
        assert {hashing.column(name) for name in names} == {column}
        assert list(names.values()) == sorted(names.values(), reverse=True)


def test_hashes_are_spread_as_chance_would() -> None:
    words, columns = 50_000, 1 << 16
    used = len({Hashing(bits=16).column(f"word{number}") for number in range(words)})
    expected = columns * (1 - math.exp(-words / columns))
    assert abs(used - expected) < 0.01 * expected


def test_plain_python_is_used_where_the_jit_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    monkeypatch.setattr(bag, "MUCH", 0)
    monkeypatch.setattr(bag, "find_pieces", None)
    assert len(Bag({"a": 0}.__getitem__).entries(body("a", "a")).columns) == 2


def test_split_is_what_tokens_joins() -> None:
    assert [word for piece in ("a-b", "c!", "1,000") for word in split(piece)] == words_of("a-b c! 1,000")


def test_the_expected_rate_of_collisions_is_near_the_counted_one() -> None:
    rng = np.random.default_rng(0)
    docs: list[Document] = [[("", " ".join(f"w{i}" for i in rng.integers(0, 9000, 400)))] for _ in range(40)]
    for bits in (12, 14, 16):
        hashing = Hashing(bits=bits)
        used = int(np.unique(hashing.transform(docs).indices).size)
        assert abs(hashing.expected_rate(used) - hashing.collisions(docs).rate) < 0.03
