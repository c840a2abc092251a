"""Lines of text, and the choice of a format."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reading import LINES, PACK, Write, refusal, texts, whole
from rosenblatt.errors import SettingError
from rosenblatt.read import from_recipe, open_source, reader_classes
from rosenblatt.read.svmlight import Svmlight
from rosenblatt.read.table import Table
from rosenblatt.read.text import TextLines

# --- lines of text ---------------------------------------------------------------------------------------------------


def test_lines_of_text(write: Write) -> None:
    path = write(b"\xef\xbb\xbfspam\tfree\tnow\r\n\nham \t caf\xe9\nham\t", "t.txt")
    source = TextLines(path, block_bytes=5)
    assert texts(source) == (["free\tnow", " café", ""], ["spam", "ham", "ham"])
    assert source.notes == {"lines with bytes that are no UTF-8, read as Windows-1252": 1, "blank lines skipped": 1}
    message = refusal(lambda: TextLines(write("ham\thi\n\nno tab\n")))
    assert "line 3" in message and "'no tab'" in message and "TAB" in message
    assert "line 1" in refusal(lambda: TextLines(write("\tno label\n")))


def test_new_lines_of_text(write: Write) -> None:
    again = lambda content, **options: TextLines(write(content), **{"classes": ["ham", "spam"], **options})  # noqa: E731
    assert texts(again("ham\thi\n", labelled="auto")) == (["hi"], ["ham"])
    assert texts(again("good\thi\n\nham\n", labelled="auto")) == (["good\thi", "", "ham"], None)
    assert texts(again("ham\thi\n", labelled=False)) == (["ham\thi"], None)
    message = refusal(lambda: again("ham\thi\nhello\n", labelled="auto"))
    assert "line 2" in message and "ham, spam" in message
    assert texts(again("1\thi\n", labelled="auto", classes=[1.0, 2.0])) == (["hi"], ["1"])
    assert texts(again("x\thi\n", labelled="auto", classes=None)) == (["hi"], ["x"])


# --- choosing a format -----------------------------------------------------------------------------------------------

SAMPLES = [
    ("1 1:2\n", "svmlight"),
    ("# comment\n\n-1 qid:3 4:1e-5 # x\n", "svmlight"),
    ("1:2 3:4\n", "svmlight"),
    ("a,b,label\n1,2,3\n", "table"),
    ("1,2,3\n", "table"),
    ("1;2;3\n", "table"),
    ("1\t2\t3\n", "table"),
    ("label\ttext\nham\thi\n", "table"),
    ("1\t2\n", "table"),
    ("ham\tsee you, there\n", "text"),
    ("1\tsee you\n", "text"),
]


@pytest.mark.parametrize(("content", "expected"), SAMPLES)
@pytest.mark.parametrize("compression", ["", ".gz"])
def test_the_first_line_tells_the_format(
    write: Write, stdin: Any, content: str, expected: str, compression: str
) -> None:
    """Also of standard input, which then loses nothing of it, and is read once only."""
    packed = PACK[compression](content.encode())
    labelled = {"labelled": "auto"} if content.startswith("1:2") else {}
    source = open_source(write(packed, "data" + compression), **labelled)
    stdin(packed)
    piped = open_source("-", **labelled)
    assert source.recipe()["format"] == piped.recipe()["format"] == expected
    assert (source.one_shot, piped.one_shot) == (False, True)
    read = texts if source.kind == "documents" else whole
    first, second = read(source), read(piped)
    assert first == second
    assert "only once" in refusal(lambda: piped)
    assert read(source) == first


def test_a_named_pipe_is_read_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = subprocess.Popen(["sh", "-c", f"printf 'a,label\\n1,x\\n' > '{tmp_path / 'pipe'}'"])
    source = open_source(tmp_path / "pipe")
    assert source.one_shot and whole(source) == ([[1]], ["x"])
    assert writer.wait() == 0


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.svm", "1 1:1\n", "svmlight"),
        ("a.T", "1 1:1\n", "svmlight"),
        ("a.t.libsvm", "1 1:1\n", "svmlight"),
        ("a.csv", "1,2\n", "table"),
        ("a.tsv", "1\t2\n", "table"),
        ("a.txt", "ham\tb\tc\n", "text"),
        ("a.txt", "1 1:1\n", "svmlight"),
    ],
)
@pytest.mark.parametrize("compression", PACK)
def test_the_suffix_tells_the_format(write: Write, name: str, content: str, expected: str, compression: str) -> None:
    path = write(PACK[compression](content.encode()), name + compression)
    source = open_source(path)
    assert source.recipe()["format"] == expected
    assert len(list(source)) == 1


def test_folders_and_archives_are_mail(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    suffixes = reader_classes()["mail"].suffixes
    mails = type("Mails", (TextLines,), {"suffixes": suffixes, "takes_folders": True})
    monkeypatch.setitem(reader_classes(), "mail", mails)
    (tmp_path / "a.tar.xz").write_bytes(lzma.compress(b"ham\thi\n"))
    assert isinstance(open_source(tmp_path / "a.tar.xz"), TextLines)
    assert isinstance(open_source(tmp_path), mails)


class Bars(TextLines):
    """A format of its own, as a new file would declare it."""

    name = "bars"
    suffixes = (".bars",)
    aliases = {"pipes": {"labelled": False}}
    magic = (b"BARS",)

    @classmethod
    def likeness(cls, line: bytes, name: str) -> int:
        return 9 if line.startswith(b"|") else 0


def test_a_reader_is_found_by_what_it_says_of_itself(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(reader_classes(), "bars", Bars)
    for content, name in [("a\tb\n", "x.bars"), ("a\tb\n", "x.BARS.gz"), ("BARS\tb\n", "x"), ("|1 1:1\n", "y")]:
        packed = gzip.compress(content.encode()) if name.endswith(".gz") else content
        assert isinstance(open_source(write(packed, name)), Bars), name
    assert texts(open_source(write("a\tb\n", "z"), "pipes")) == (["a\tb"], None)
    message = refusal(lambda: open_source(write("1 1:1\n"), "vw"), SettingError)
    assert "mail, bars, libsvm" in message and message.endswith(", pipes")


def test_formats_and_options_that_do_not_exist(write: Write) -> None:
    path = write("1 1:1\n")
    assert "svmlight" in refusal(lambda: open_source(path, "vw"), SettingError)
    assert "label" in refusal(lambda: open_source(path, label=3), SettingError)
    assert "base" in refusal(lambda: open_source(path, "csv", base=3), SettingError)
    assert "format" in refusal(lambda: open_source(write("what is this\n", "data")))
    assert open_source(write("1\t2\n", "data"), "tsv").recipe()["format"] == "table"
    assert whole(open_source(write("1 1:1\n", "a.csv"), "libsvm"))[1] == [1]


def test_peers_a_mismatch_with_the_model_is_an_error(write: Write) -> None:
    """peers: base is explicit, kept in the model; a mismatch between training and test is an error."""
    recipe = json.loads(json.dumps(Svmlight(write("1 0:1\n"), base=0).recipe()))
    assert recipe == {"format": "svmlight", "base": 0}
    assert whole(from_recipe(write("1 1:5 9:1\n"), recipe, width=3, wider="skip")) == ([[0, 5, 0]], [1])
    assert whole(from_recipe(write("0:5\n"), recipe, base=0, width=2)) == ([[5, 0]], None)
    assert "base=1" in refusal(lambda: from_recipe(write("1 1:5\n"), recipe, base=1))
    assert "svmlight" in refusal(lambda: from_recipe(write("1,2\n", "a.csv"), recipe))
    assert "table" in refusal(lambda: from_recipe(write("1 1:1\n"), recipe, "csv"))
    assert whole(from_recipe(write("1 1:1\n", "a.csv"), recipe, "svmlight"))[1] == [1]
    refusal(lambda: from_recipe(write("1 1:1\n"), recipe, label=1), SettingError)


def test_a_model_of_texts_takes_any_texts(write: Write, stdin: Any) -> None:
    lines, table = {"format": "text"}, Table(write("label,text\nham,hi\n", "t.csv")).recipe()
    options = {"classes": ["ham", "spam"], "width": 5}
    assert texts(from_recipe(write("label,text\nham,hi\n", "t.csv"), lines, **options)) == (["hi"], ["ham"])
    assert texts(from_recipe(write("ham\thi\n", "t.txt"), table, **options)) == (["hi"], ["ham"])
    assert texts(from_recipe(write("a,b\n", "t.dat.1"), lines, **options)) == (["a,b"], None)
    stdin(b"free money\n")
    assert texts(from_recipe("-", table, **options)) == (["free money"], None)
    assert "svmlight" in refusal(lambda: from_recipe(write("1 1:1\n", "a.svm"), lines, **options))


def test_small_inputs_load_nothing_heavy(write: Write) -> None:
    path = write("1 1:2.5 3:1e-5\n")
    code = (
        "import sys; from rosenblatt.read import open_source; list(open_source(sys.argv[1])); "
        "sys.exit([name for name in ('numba', 'scipy', 'sklearn', 'matplotlib') if name in sys.modules] or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_progress_is_known_while_reading(write: Write) -> None:
    source = Svmlight(write(gzip.compress(LINES), "a.svm.gz"), block_bytes=1000)
    assert source.bytes_read == 0
    places = [(source.bytes_read, source.bytes_total) for _ in source]
    assert places == sorted(places) and places[-1][0] == places[-1][1] == os.path.getsize(source.origin)
