"""What a user can get wrong: one sentence on standard error, an exit code of its own, and nothing written."""

from __future__ import annotations

import json
import re
import shutil
import struct
from pathlib import Path

import pytest

from command import NUMBERS, TABLE, one_of_each, run, well, write


@pytest.fixture(name="made", scope="module")
def _made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One small set in each format, files with something wrong, and a model of numbers, a table, and words."""
    folder = tmp_path_factory.mktemp("made")
    one_of_each(folder)
    for name, text in BAD.items():
        write(folder / name, text)
    for data in ("numbers.svm", "table.csv", "words.txt"):
        well("train", folder / data, "-o", folder / f"{data.split('.')[0]}.model")
    model = (folder / "words.model").read_bytes()
    write(folder / "cut.model", model[:-20])
    write(folder / "flipped.model", model[:-3] + bytes([model[-3] ^ 1]) + model[-2:])
    (length,) = struct.unpack("<Q", model[:8])
    header = json.loads(model[8 : 8 + length])
    own = json.loads(header["__metadata__"]["rosenblatt"])
    header["__metadata__"]["rosenblatt"] = json.dumps({**own, "schema": 99})
    text = json.dumps(header).encode()
    write(folder / "newer.model", struct.pack("<Q", len(text)) + text + model[8 + length :])
    return folder


@pytest.fixture(autouse=True)
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Here, in a copy of it."""
    shutil.copytree(made, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


BAD = {
    "empty.svm": "",
    "blank.txt": "\n\n",
    "nan.svm": NUMBERS + "1 2:nan\n",
    "huge.svm": NUMBERS + "1 2:1e400\n",
    "word.svm": NUMBERS + "1 x:1\n",
    "zero.svm": NUMBERS + "1 0:1\n",
    "twice.svm": NUMBERS + "1 1:2 1:3\n",
    "nan.csv": TABLE + "nan,1,tall\n",
    "short.csv": TABLE + "1,tall\n",
    "one.txt": "spam\tfree\nspam\tprize\n",
    "wide.csv": "wide,high,deep,kind\n1,2,3,tall\n",
    "narrow.csv": "wide,kind\n1,tall\n",
    "other.txt": "ham\tlunch\neggs\tfree\n",
    "other.svm": "1 1:1\n-1 2:1\n5 3:1\n",
    "same.svm": "1 1:1\n1 2:1\n",
    "bare.txt": "free prize\n",
    "noise.model": "\x00\x01 not a model",
    "empty.model": "",
    "order.far": "1\n7\n",
    "order.word": "1\ntwo\n",
    "order.empty": "\n",
    "cut.svm.gz": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x33",
    "plain.svm.gz": NUMBERS,
    "folder/inside": "",
    "broken.py": "1/0\n",
    "empty.py": "",
}

TRAIN = {
    "missing.svm": (3, r"missing.svm: there is no such file"),
    "folder": (3, r"folder: found no labelled folders; expected raw mails in folders named spam and ham"),
    "empty.svm": (3, r"empty.svm: found no rows"),
    "blank.txt": (3, r"blank.txt: found no rows"),
    "nan.svm": (3, r"nan.svm, line 7: found '2:nan'"),
    "huge.svm": (3, r"huge.svm, line 7: found '2:1e400'|huge.svm, line 7: found '1e400'"),
    "word.svm": (3, r"word.svm, line 7: found 'x:1'"),
    "zero.svm": (3, r"zero.svm, line 7: found '0:1'; expected indices from 1"),
    "twice.svm": (3, r"twice.svm, line 7: found index 1 twice"),
    "nan.csv": (3, r"nan.csv, line 8: found 'nan' in column 1 \(wide\)"),
    "short.csv": (3, r"short.csv, line 8: found 2 cells; expected 3"),
    "one.txt": (3, r"one.txt: the labels have only one class, .*spam"),
    "same.svm": (3, r"same.svm: the labels have only one class, .*1"),
    "cut.svm.gz": (3, r"cut.svm.gz: the gzip data are cut short"),
    "plain.svm.gz": (3, r"plain.svm.gz: found no gzip data"),
    "words.txt --format svmlight": (3, r"words.txt, line 1: found 'spam'"),
    "numbers.svm --format arff": (2, r"--format arff: choose auto, svmlight"),
    "numbers.svm --label 1": (2, r"--label is no option of the format svmlight"),
    "table.csv --label weight": (3, r"expected a column 'weight'"),
    "table.csv --label 9": (3, r"expected a column '9'"),
    "numbers.svm --base 2": (2, r"'2' is not one of '0', '1'"),
    "numbers.svm --rule perceptrom": (2, r"unknown rule 'perceptrom'; did you mean perceptron\? The rules are linear"),
    "numbers.svm --rule margin:c=2": (2, r"no parameter 'c'; its parameters: tau"),
    "numbers.svm --rule margin:tau=x": (2, r"tau=x must be a number > 0"),
    "numbers.svm --rule margin:tau=-1": (2, r"tau=-1 must be a number > 0"),
    "numbers.svm --rule missing.py:Mine": (2, r"missing.py: there is no such file"),
    "numbers.svm --rule broken.py:Mine": (2, r"broken.py fails to run: ZeroDivisionError"),
    "numbers.svm --rule empty.py:Mine": (2, r"no class 'Mine'"),
    "numbers.svm --keep best": (2, r"'best' is not one of 'last'"),
    "numbers.svm --epochs 0": (2, r"0 must be 1 or more"),
    "numbers.svm --epochs 1.5": (2, r"'1.5' is not a whole number or none"),
    "numbers.svm --max-time -1": (2, r"-1 must be 0 or more"),
    "numbers.svm --eta 0": (2, r"--eta 0.0 must be a number > 0"),
    "numbers.svm --eta nan": (2, r"--eta nan must be"),
    "numbers.svm --l2 2 --eta 1": (2, r"must stay below 1"),
    "numbers.svm --optimizer pick-worst --rule linear": (2, r"needs a rule that is zero when right"),
    "three.tsv --multi-class multi-class-perceptron --rule linear": (2, r"does not go with rule 'linear'"),
    "numbers.svm --scale wide": (2, r"scaling 'wide' is not understood"),
    "numbers.svm --features count": (2, r"--features: numbers.svm has numbers"),
    "words.txt --bits 9": (2, r"--bits has an effect only with --dictionary hashed"),
    "words.txt --bits 99 --dictionary hashed": (2, r"bits 99 is out of range"),
    "numbers.svm --scoring f1": (2, r"--scoring has an effect only with --keep pocket"),
    "numbers.svm --keep pocket --scoring f9": (2, r"--scoring f9 is no scorer of scikit-learn's"),
    "numbers.svm --counting freund-schapire": (2, r"--counting has an effect only with --keep voted"),
    "numbers.svm --batch-size 3": (2, r"--batch-size has an effect only with --optimizer mini-batch"),
    "words.txt --class-weight spam": (2, r"'spam' is not of the form LABEL=WEIGHT"),
    "words.txt --class-weight eggs=2": (2, r"'eggs' is not a label; the labels are ham, spam"),
    "words.txt --class-weight spam=-2": (2, r"class.weight of .spam. is -2.0; weights must be finite"),
    "words.txt --positive eggs": (2, r"--positive eggs is not a label; the labels are ham, spam"),
    "words.txt --validation 1": (2, r"1 is not between 0 and 1; give a share of the rows, as 0.2 or 20%, or a file"),
    "words.txt --validation 0.01": (2, r"0.01 of 6 rows cannot be set aside"),
    "words.txt --validation missing.txt": (3, r"missing.txt: there is no such file"),
    "words.txt --validation numbers.svm": (3, r"numbers.svm: it would be read as svmlight"),
    "numbers.svm --validation other.svm": (3, r"other.svm, row 3: unknown label 5; the classes are -1, 1"),
    "numbers.svm --validation 0.4 --optimizer pick-first": (2, r"--optimizer|picks its rows"),
    "numbers.svm --start missing.model": (4, r"missing.model: cannot be read"),
    "numbers.svm --start numbers.model --continue numbers.model": (2, r"choose one of them"),
    "words.txt --start words.model --scale unit": (2, r"--scale: the features are those of words.model"),
    "one.txt --start words.model": (3, r"one.txt: no row has the label ham"),
    "other.svm --start numbers.model": (3, r"other.svm, row 3: unknown label 5"),
    "three.tsv --positive a": (2, r"needs two classes; these labels have 3"),
    "numbers.svm --order sideways": (2, r"'sideways': choose shuffled, given, or a file"),
    "numbers.svm --order order.far": (3, r"order.far, line 2: found '7'; expected a row number from 1 to 6"),
    "numbers.svm --order order.word": (3, r"order.word, line 2: found 'two'"),
    "numbers.svm --order order.empty": (3, r"order.empty: found no row numbers"),
    "numbers.svm --order order.far --optimizer pick-first": (2, r"takes no order from a file"),
    "numbers.svm --continue missing.model": (4, r"missing.model: cannot be read"),
    "numbers.svm --continue numbers.model --keep averaged": (2, r"--keep averaged: the model goes on as it began"),
    "numbers.svm --continue numbers.model --rule margin": (2, r"--rule margin: the model goes on as it began"),
    "numbers.svm --continue numbers.model --order given": (2, r"--order given: the model goes on in the order"),
    "numbers.svm --continue numbers.model --scale unit": (2, r"--scale: the model goes on with what it has"),
    "other.svm --continue numbers.model": (3, r"other.svm, row 3: unknown label 5; the classes are -1, 1"),
    "words.txt --continue numbers.model": (3, r"words.txt"),
}

OTHERS = {
    "predict numbers.model missing.svm": (3, r"missing.svm: there is no such file"),
    "predict missing.model numbers.svm": (4, r"missing.model: cannot be read"),
    "predict noise.model numbers.svm": (4, r"noise.model: not a model file"),
    "predict empty.model numbers.svm": (4, r"empty.model: not a model file"),
    "predict numbers.svm numbers.svm": (4, r"numbers.svm: not a model file"),
    "predict folder numbers.svm": (4, r"folder: cannot be read"),
    "inspect cut.model": (4, r"cut.model: (damaged|not a model)"),
    "inspect flipped.model": (4, r"flipped.model: damaged"),
    "inspect newer.model": (4, r"newer.model: written by a newer version \(schema 99"),
    "predict words.model numbers.svm": (
        3,
        r"numbers.svm: it would be read as svmlight, but the model learned from text",
    ),
    "predict numbers.model words.txt --format text": (
        3,
        r"it would be read as text, but the model learned from svmlight",
    ),
    "predict numbers.model words.txt": (3, r"words.txt"),
    "predict numbers.model numbers.svm --base 0": (3, r"--base 0 was asked for, but the model learned with --base 1"),
    "predict numbers.model zero.svm": (3, r"zero.svm, line 7: found '0:1'"),
    "predict numbers.model nan.svm": (3, r"nan.svm, line 7: found '2:nan'"),
    "predict table.model wide.csv": (3, r"wide.csv, line 1: found a column 'deep'"),
    "predict table.model narrow.csv": (3, r"narrow.csv, line 1: found no column 'high'"),
    "predict table.model table.csv --proba": (2, r"perceptron with keep last has no probabilities"),
    "predict table.model table.csv --proba --scores": (2, r"--scores and --proba"),
    "evaluate numbers.model other.svm": (3, r"other.svm, row 3: unknown label 5; the classes are -1, 1"),
    "evaluate words.model other.txt": (3, r"other.txt, row 2: unknown label 'eggs'; the classes are ham, spam"),
    "evaluate words.model bare.txt": (3, r"bare.txt, line 1: found 'free prize'; expected a"),
    "explain words.model words.txt --row 7": (3, r"words.txt: there is no row 7; it has 6"),
    "explain words.model words.txt --row 0": (2, r"0 must be 1 or more"),
    "explain words.model words.txt --class eggs": (2, r"--class eggs: the model's classes are ham, spam"),
}


def refused(words: list[str], code: int, message: str) -> None:
    """One sentence, the exit code, and no output. Of click's own errors the sentence follows two lines of usage."""
    done = run(*words)
    *usage, line = done.err.splitlines()
    assert line.startswith("Error: ") and re.search(message, line), done.err
    assert not usage or usage[0].startswith("Usage: rosenblatt"), done.err
    assert done.code == code, done.err
    assert done.out == "" and "Traceback" not in done.err


@pytest.mark.parametrize("words", TRAIN)
def test_train_refuses(words: str, folder: Path) -> None:
    """Also: an old model under the same name stays as it was."""
    old = write(folder / "m", "an older model")
    refused(["train", *words.split(), "-o", "m"], *TRAIN[words])
    assert old.read_text() == "an older model"
    assert not [path.name for path in folder.iterdir() if path.name.startswith(".m")], "nothing half-written"


@pytest.mark.parametrize("words", OTHERS)
def test_others_refuse(words: str) -> None:
    refused(words.split(), *OTHERS[words])


def test_labels_without_text_or_features_are_rows() -> None:
    """peers.md, Files: a row with a label only → a valid zero row."""
    assert well("train", "-", "-o", "m", "--json", "--epochs", "5", given="1\n-1\n1 1:1\n-1\n").json["rows"] == 4


def test_lines_that_cannot_be_read_are_skipped_and_counted_on_request() -> None:
    """peers.md, Files: VW trains on x:abc without a word → strict by default, with a counter when told to skip."""
    done = well("train", "word.svm", "-o", "m", "--bad", "skip", "--json")
    assert done.json["rows"] == 6 and done.json["notes"] == {"bad lines skipped": 1}
    assert "note: bad lines skipped: 1\n" in done.err
    assert well("train", "twice.svm", "-o", "m", "--duplicates", "sum", "--json").json["rows"] == 7


def test_the_base_is_kept_in_the_model() -> None:
    """peers.md, Files: the column base is guessed per file → explicit, kept in the model."""
    write(Path("from_zero.svm"), "1 0:2 2:1\n-1 1:3\n1 0:1\n-1 1:2 2:1\n")
    well("train", "from_zero.svm", "-o", "zero.model", "--base", "0")
    assert well("inspect", "zero.model", "--json").json["reading"]["base"] == 0
    assert well("predict", "zero.model", "-", given="0:1\n1:1\n").out.split() == ["1", "-1"]
    assert "column 0" in well("explain", "zero.model", "from_zero.svm", "--row", "1").out


def test_labels_are_what_they_were_in_the_data() -> None:
    write(Path("floats.svm"), "0.5 1:1\n2.5 2:1\n0.5 1:2\n")
    well("train", "floats.svm", "-o", "m")
    assert well("predict", "m", "floats.svm").out.split() == ["0.5", "2.5", "0.5"]
    assert well("evaluate", "m", "floats.svm", "--json").json["classes"] == [0.5, 2.5]
    write(Path("mixed.txt"), "1\tfree prize\nx\tsee lunch\n1\tfree\nx\tlunch\n")
    well("train", "mixed.txt", "-o", "m")
    assert well("evaluate", "m", "-", "--json", given="1\tfree\n1\tfree\n").json["errors"] == 0, (
        "words that are numbers"
    )
    write(Path("numbers.txt"), "1\tfree prize\n2\tsee lunch\n1\tfree\n2\tlunch\n")
    well("train", "numbers.txt", "-o", "m")
    assert well("evaluate", "m", "-", "--json", given="1.0\tfree\n02\tlunch\n").json["errors"] == 0


def test_a_rule_that_cannot_be_made_and_outputs_that_are_no_files(folder: Path) -> None:
    (folder / "numbers.svm").write_text(NUMBERS)
    (folder / "broken.py").write_text("class Broken:\n    def __init__(self):\n        raise ValueError('boom')\n")
    for words, found in (
        (("--rule", "broken.py:Broken", "-o", "m"), "rule Broken cannot be made: ValueError: boom"),
        (("--rule", "nowhere.py:Rule", "-o", "m"), "rule file nowhere.py: there is no such file"),
        (("-o", "-"), "the output is written to a file, not to '-'; name one"),
        (("-o", ""), "the output is written to a file, not to '.'; name one"),
        (("--class-weight", "1=nan", "-o", "m"), "weight of 1 is nan"),
    ):
        done = run("train", "numbers.svm", *words)
        assert done.code in (2, 3) and found in done.err, done
    assert not (folder / "m").exists() and not (folder / "-").exists()
