"""A dictionary of one's own: `--dictionary FILE`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from command import run, well
from rosenblatt import Model, Recipe
from rosenblatt.core.rows import matrix
from rosenblatt.data.batch import Batch
from rosenblatt.errors import DataError, SettingError
from rosenblatt.features.ngrams import Grams, text_names
from rosenblatt.features.word_file import read_words

TEXTS = ["Free prize now", "lunch at noon", "prize inside, free prize", "nothing of these"]
LABELS = ["spam", "ham", "spam", "ham"]


@pytest.fixture
def words(tmp_path: Path) -> Path:
    path = tmp_path / "words"
    path.write_text("prize\nlunch\n\nnever\n")
    return path


def test_its_words_are_the_columns_in_its_order(words: Path) -> None:
    model = Recipe(dictionary=str(words), scale="none", values="count").fit(TEXTS, LABELS)
    assert model.feature_names == ["prize", "lunch", "never"]
    rows = model.rows(Batch([[("", text)] for text in TEXTS], None))
    assert matrix(rows).toarray().tolist() == [[1, 0, 0], [0, 1, 0], [2, 0, 0], [0, 0, 0]]


def test_all_words_as_a_file_are_the_learned_dictionary(tmp_path: Path) -> None:
    """The same columns, so the same weights and scores, saved and loaded."""
    for more in ({}, {"word_ngrams": 2}, {"char_ngrams": "2-3"}):
        learned = Recipe(min_documents=1, **more).fit(TEXTS, LABELS)
        path = tmp_path / "all"
        path.write_text("\n".join(learned.feature_names))
        mine = Recipe(dictionary=str(path), **more).fit(TEXTS, LABELS)
        assert mine.feature_names == learned.feature_names
        assert np.array_equal(mine.decision(TEXTS), learned.decision(TEXTS))
        mine.save(tmp_path / "m")
        path.unlink()
        assert np.array_equal(Model.load(tmp_path / "m").decision(TEXTS), mine.decision(TEXTS)), (
            "the model holds the words"
        )


def test_fields_have_names_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "w").write_text("subject:free\nfree\nhtml:1\n")
    assert read_words(str(tmp_path / "w"), Grams())[:2] == ["subject:free", "free"]
    assert "subject:free" in list(text_names("subject", "Free", Grams()))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prize\nFree\n", r"line 2: found 'Free'; expected a word as texts yield it, a line each; a text has 'free'"),
        ("prize\n\nprize\n", "line 3: found 'prize'; expected each word once; it is in line 1"),
        ("free prize\n", "line 1: found 'free prize'"),
        ("\n \n", "no words; expected one a line"),
    ],
)
def test_what_no_text_yields_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "w").write_text(text)
    with pytest.raises(DataError, match=message):
        Recipe(dictionary=str(tmp_path / "w")).fit(TEXTS, LABELS)


def test_a_word_wins_and_a_path_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("words").write_text("prize\n")
    assert len(Recipe(dictionary="words", min_documents=1).fit(TEXTS, LABELS).feature_names) > 1
    assert Recipe(dictionary="./words").fit(TEXTS, LABELS).feature_names == ["prize"]
    with pytest.raises(SettingError, match="dictionary 'wrods' is unknown; it must be words, hashed, or a file"):
        Recipe(dictionary="wrods").fit(TEXTS, LABELS)


def test_in_the_shell(tmp_path: Path, words: Path) -> None:
    data = tmp_path / "t.txt"
    data.write_text("".join(f"{label}\t{text}\n" for label, text in zip(LABELS, TEXTS, strict=True)))
    well("train", data, "-o", tmp_path / "m", "--dictionary", words)
    assert "3 features" in well("inspect", tmp_path / "m").out
    assert well("predict", tmp_path / "m", data).out.split()[0] == "spam"
    well("train", data, "-o", tmp_path / "m2", "--continue", tmp_path / "m")
    words.write_text("Prize\n")
    done = run("train", data, "-o", tmp_path / "n", "--dictionary", words)
    assert done.code == 3 and done.err.startswith(f"Error: {words}, line 1: found 'Prize'")
    done = run("train", data, "-o", tmp_path / "n", "--dictionary", words, "--min-documents", "1")
    assert done.code == 2 and "--min-documents has an effect only with --dictionary words" in done.err
