"""Runs of words and characters: what they are called, both dictionaries, stored and found again."""

from __future__ import annotations

import json
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from command import run
from rosenblatt.core.rows import Csr, matrix
from rosenblatt.data.batch import AtHand, Batch
from rosenblatt.errors import SettingError
from rosenblatt.features import bag, ngrams
from rosenblatt.features.hashing import Hashing
from rosenblatt.features.ngrams import Grams, Ragged, parse
from rosenblatt.features.pipeline import Features, Options
from rosenblatt.features.vocabulary import Vocabulary
from rosenblatt.mailtext.fields import LATER, MADE, Document
from rosenblatt.mailtext.tokens import split, tokens, units
from rosenblatt.model.model import Model
from steps import learn_transform

Array = np.ndarray[Any, Any]
BOTH = Grams(2, (3, 4))


def body(*texts: str) -> list[Document]:
    return [[("", text)] for text in texts]


def named(rows: Csr, names: list[str]) -> list[dict[str, float]]:
    starts = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    return [{names[rows.indices[p]]: float(rows.data[p]) for p in range(start, end)} for start, end in starts]


def whole(piece: str) -> tuple[str, ...]:
    """Whole words, without the parts of joined ones: don't, not don and t."""
    return tuple(unit[0] for unit in units(piece))


def counted(documents: list[Document], grams: Grams) -> list[Counter[str]]:
    """The names of each document by the plain definitions."""
    found = []
    for document in documents:
        names: list[str] = []
        for tag, text in document:
            whole_words = [word for piece in text.split() for word in whole(piece)]
            own = whole_words if tag.split(".")[0] in LATER else tokens([("", text)])
            if tag.split(".")[0] not in MADE:
                own = [*own, *naive.word_runs(whole_words, grams.words)]
                if grams.chars[1]:
                    own += [run for word in whole_words for run in naive.character_runs(word, *grams.chars)]
            names += [f"{tag}:{name}" if tag else name for name in own]
        found.append(Counter(names))
    return found


texts = st.text(alphabet=st.one_of(st.sampled_from("aAbB $!.-,'@\n\t:/_é中1"), st.characters()), max_size=30)
documents = st.lists(
    st.lists(st.tuples(st.sampled_from(["", "subject", "html", "links.odd"]), texts), max_size=3), max_size=6
)
all_grams = st.builds(Grams, st.integers(1, 4), st.sampled_from([(0, 0), (1, 1), (2, 3), (3, 5)]))


def test_what_runs_are_called() -> None:
    vocabulary, _ = learn_transform([[[("", "Free prize, don't!"), ("subject", "prize")]]], "count", 1, grams=BOTH)
    assert {name for name in vocabulary.names if " " in name} == {"free prize", "prize don't", "don't !"}
    assert {"/_fr/", "/fre/", "/free/", "/ee_/", "/n't/", "subject:/_pri/", "subject:prize"} <= set(vocabulary.names)
    assert not {"don't don", "/_!_/", "/_/"} & set(vocabulary.names)


@given(texts)
def test_whole_words_are_those_of_the_text_without_their_parts(text: str) -> None:
    """No word has a blank or a slash in it, so that none can be mistaken for a run."""
    for piece in text.split():
        assert set(whole(piece)) <= set(split(piece))
        assert not any(" " in word or "/" in word for word in split(piece))
    assert whole("don't") == ("don't",) and split("don't") == ("don't", "don", "t")


@given(documents, all_grams)
def test_the_dictionary_against_its_definition(docs: list[Document], grams: Grams) -> None:
    expected = counted(docs, grams)
    vocabulary, rows = learn_transform([docs], "count", 1, grams=grams)
    assert vocabulary.names == sorted({name for row in expected for name in row})
    wanted = [dict(row) for row in expected]
    assert named(rows, vocabulary.names) == named(vocabulary.transform(docs), vocabulary.names) == wanted


@given(documents, all_grams, st.booleans())
def test_compiled_and_plain_look_up_agree(docs: list[Document], grams: Grams, crowded: bool) -> None:
    """Little text is looked up in Python, much in compiled code; also while all is forgotten now and then."""
    expected = counted(docs, grams)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bag, "MUCH", 0)
        patch.setattr(bag, "CHUNK", 16)
        patch.setattr(bag, "SLOTS", 64)
        patch.setattr(ngrams, "RUNS_REMEMBERED", 2 if crowded else 1 << 19)
        vocabulary, rows = learn_transform([docs, docs], "count", 1, grams=grams)
        again = vocabulary.transform(docs)
    assert named(rows, vocabulary.names) == 2 * named(again, vocabulary.names)
    assert named(again, vocabulary.names) == [dict(row) for row in expected]


@given(documents, all_grams)
def test_hashed_rows_are_the_sums_of_their_runs(docs: list[Document], grams: Grams) -> None:
    hashing = Hashing(bits=4, values="count", grams=grams)
    expected = np.zeros((len(docs), 16))
    for row, counts in enumerate(counted(docs, grams)):
        for name, number in counts.items():
            expected[row, hashing.column(name)] += number
    np.testing.assert_array_equal(matrix(hashing.transform(docs)).toarray().reshape(-1, 16), expected)
    named_columns = hashing.names_in(docs)
    assert sum(sum(names.values()) for names in named_columns.values()) == expected.sum()


def test_hosts_and_other_names_are_not_taken_apart() -> None:
    """headers:reply-to says something else than a header To; without runs too."""
    docs: list[Document] = [[("headers", "reply-to"), ("links", "a.example.com"), ("html", "x-y")]]
    for grams in (Grams(), Grams(2)):
        names = learn_transform([docs], min_documents=1, grams=grams)[0].names
        assert names == ["headers:reply-to", "html:x", "html:x-y", "html:y", "links:a.example.com"]


def test_frequent_runs_stay_and_rare_ones_leave() -> None:
    docs = body("free prize now", "free prize then", "prize free")
    names = learn_transform([docs], min_documents=2, grams=Grams(2))[0].names
    assert names == ["free", "free prize", "prize"]
    assert learn_transform([docs], max_size=2, grams=Grams(2))[0].names == ["free", "prize"]


def test_runs_end_with_their_field_and_not_with_a_line() -> None:
    docs: list[Document] = [[("subject", "a b"), ("", "c\nd"), ("", "e"), ("html", "f g"), ("links.odd", "h i")]]
    names = learn_transform([docs], min_documents=1, grams=Grams(3))[0].names
    assert [name for name in names if " " in name] == ["c d", "subject:a b"]


def test_unseen_runs_are_ignored() -> None:
    vocabulary = Vocabulary(["free", "free prize"], grams=Grams(3))
    assert named(vocabulary.transform(body("a free prize", "prize free", "")), vocabulary.names) == [
        {"free": 1.0, "free prize": 1.0}, {"free": 1.0}, {},
    ]  # fmt: skip


@pytest.mark.parametrize("dictionary", ["words", "hashed"])
def test_stored_and_restored(dictionary: str) -> None:
    """Through JSON and tensors; recipes of 0.1.0 know no runs."""
    docs = body("free prize now", "see you at noon", "free prize")
    options = Options(dictionary=dictionary, word_ngrams=2, char_ngrams="2-3", min_documents=1)
    features, rows, _, _ = Features.fit(AtHand(Batch(docs, None)), options)
    restored = Features.restore(json.loads(json.dumps(features.recipe())), features.tensors())
    again = restored.transform(Batch(docs, None))
    np.testing.assert_array_equal(matrix(again).toarray(), matrix(rows).toarray())
    old = features.recipe()
    del old["dictionary"]["word_ngrams"], old["dictionary"]["char_ngrams"]
    assert Features.restore(old, features.tensors()).dictionary.grams == Grams()  # type: ignore[union-attr]


def test_a_model_with_runs_says_that_older_programs_cannot_read_it(tmp_path: Any) -> None:
    """peers.md, Models: an older program must not misread a newer file."""
    data = tmp_path / "t.txt"
    data.write_text("spam\tfree prize\nham\tprize free\nspam\tfree prize\nham\tprize free\n")
    for options, schema in (((), 1), (("--word-ngrams", "2"), 2)):
        assert run("train", data, "-o", tmp_path / "m", *options).code == 0
        assert json.loads(run("inspect", tmp_path / "m", "--json").out)["schema"] == schema
    assert Model.load(tmp_path / "m").features.names == ["free", "free prize", "prize", "prize free"]
    told = run("explain", tmp_path / "m", data, "--row", "1").out
    assert "free prize" in told.partition("score")[2]
    assert run("evaluate", tmp_path / "m", data).out.startswith("4 rows, 0 wrong")
    assert "runs of up to 2 words" in run("inspect", tmp_path / "m").out


def test_threads_may_share_a_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several threads score mails with one model."""
    monkeypatch.setattr(bag, "SLOTS", 64)
    docs = body(*(" ".join(f"w{(i * j) % 97}" for j in range(30)) for i in range(60)))
    vocabulary, rows = learn_transform([docs], "count", 1, grams=Grams(2))
    wanted = named(rows, vocabulary.names)
    fresh = Vocabulary(vocabulary.names, "count", grams=Grams(2))
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda i: named(fresh.transform(docs[i : i + 3]), fresh.names), range(0, 60, 3)))
    finally:
        sys.setswitchinterval(before)
    assert [row for part in found for row in part] == wanted


def test_ragged_rows() -> None:
    ragged = Ragged()
    assert [ragged.append(row) for row in [(), (5, 6), (7,)]] == [0, 1, 2]
    flat, lengths = ragged.take(np.array([1, 0, 2, 1]))
    assert flat.tolist() == [5, 6, 7, 5, 6] and lengths.tolist() == [2, 0, 1, 2]
    assert ragged.take(np.array([], np.int64))[0].tolist() == []


@pytest.mark.parametrize(
    ("words", "chars", "expected"),
    [(1, None, Grams()), (3, "3-5", Grams(3, (3, 5))), (1, "4", Grams(1, (4, 4))), (5, "1-10", Grams(5, (1, 10)))],
)
def test_settings(words: int, chars: str | None, expected: Grams) -> None:
    assert parse(words, chars) == expected
    assert Grams.restore(json.loads(json.dumps(expected.recipe()))) == expected


@pytest.mark.parametrize("words", [0, 6])
def test_words_out_of_range(words: int) -> None:
    with pytest.raises(SettingError, match=f"word_ngrams={words} is out of range; it must be 1 to 5"):
        parse(words, None)


@pytest.mark.parametrize("chars", ["", "a", "3-", "0-3", "5-3", "3-11", "3-5-7", "٣", "none"])
def test_characters_not_understood(chars: str) -> None:
    with pytest.raises(SettingError, match="char_ngrams=.* is not understood; it must be A-B"):
        parse(1, chars)
