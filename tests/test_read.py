"""Readers: bytes → batches. Names of tests in "peers:" are lines of the list of what neighbours' users ran into."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.core import parse
from rosenblatt.core.rows import Csr, Dense, matrix, stack
from rosenblatt.errors import DataError, SettingError
from rosenblatt.read import FORMATS, Format, from_recipe, open_bytes, open_source
from rosenblatt.read.open import ByteStream, blocks
from rosenblatt.read.svmlight import Svmlight
from rosenblatt.read.table import Table
from rosenblatt.read.text import TextLines

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(content: str | bytes, name: str = "data.svm") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    return lambda content: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def whole(source: Any) -> tuple[list[list[float]], list[Any] | None]:
    """All rows as lists of all columns, and all labels."""
    batches = list(source)
    rows = matrix(stack([batch.rows for batch in batches]))
    labels = None if batches[0].y is None else np.concatenate([batch.y for batch in batches]).tolist()
    return (rows if isinstance(rows, np.ndarray) else rows.toarray()).tolist(), labels


def texts(source: Any) -> tuple[list[str], list[str] | None]:
    batches = list(source)
    labels = None if batches[0].y is None else [label for batch in batches for label in batch.y]
    documents = [document for batch in batches for document in batch.rows]
    assert all(len(document) == 1 and document[0][0] == "" for document in documents)
    return [document[0][1] for document in documents], labels


def refusal(source: Callable[[], Any], error: type[Exception] = DataError) -> str:
    """The one sentence with which a source refuses its data."""
    with pytest.raises(error) as caught:
        list(source())
    message = str(caught.value)
    assert "\n" not in message
    return message


# --- bytes -----------------------------------------------------------------------------------------------------------

PACK = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": zstandard.ZstdCompressor(write_checksum=True).compress,  # as the command line tool does
}
LINES = b"".join(b"%d 1:%d\n" % (i % 2, i) for i in range(20_000))


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("name", ["right", "none"])
def test_compression_is_known_by_its_first_bytes(write: Write, suffix: str, name: str) -> None:
    path = write(PACK[suffix](LINES), "data" + (suffix if name == "right" else ""))
    with open_bytes(path) as stream:
        assert stream.bytes_total == path.stat().st_size
        assert stream.read() == LINES
        assert stream.bytes_read == stream.bytes_total


@pytest.mark.parametrize("suffix", PACK)
def test_standard_input_is_decompressed_too(stdin: Any, suffix: str) -> None:
    stdin(PACK[suffix](LINES))
    with open_bytes("-") as stream:
        assert stream.read() == LINES and stream.bytes_total is None
    assert not sys.stdin.buffer.closed


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".zst", ".xz"])
def test_several_members_one_after_the_other(write: Write, suffix: str) -> None:
    with open_bytes(write(PACK[suffix](b"1 1:1\n") + PACK[suffix](b"2 1:2\n"))) as stream:
        assert stream.read() == b"1 1:1\n2 1:2\n"


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".bz2", ".zst"])
def test_an_archive_cut_short_or_damaged_is_refused_by_name(write: Write, suffix: str) -> None:
    noise = np.random.default_rng(0).integers(33, 126, 100_000).astype(np.uint8).tobytes()
    packed = PACK[suffix](noise)
    for share in (0.3, 0.9, 0.9999):
        path = write(packed[: int(len(packed) * share)], "short" + suffix)
        assert "short" + suffix in refusal(lambda path=path: [open_bytes(path).read()])
    broken = bytearray(packed)
    for i in range(len(broken) // 2, len(broken) // 2 + 200):
        broken[i] ^= 0x5A
    path = write(bytes(broken), "broken" + suffix)
    assert "broken" + suffix in refusal(lambda: [open_bytes(path).read()])
    path = write(b"1 1:1\n", "plain" + suffix)
    assert "plain" + suffix in refusal(lambda: [open_bytes(path)])


def test_what_is_no_file_is_refused_in_one_sentence(tmp_path: Path, write: Write) -> None:
    assert "no such file" in refusal(lambda: [open_bytes(tmp_path / "absent")])
    assert "no such file" in refusal(lambda: Svmlight(tmp_path / "absent.svm"))
    assert "folder" in refusal(lambda: [open_bytes(tmp_path)])
    assert "cannot be opened" in refusal(lambda: [open_bytes("a\0b")])
    if os.geteuid() != 0:
        path = write("1 1:1\n")
        path.chmod(0)
        assert "ermission" in refusal(lambda: Svmlight(path))


@given(st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"")), max_size=30), st.integers(1, 40))
def test_blocks_are_whole_lines_with_their_number(lines: list[bytes], size: int) -> None:
    content = b"x" + b"".join(line + b"\n" for line in lines)  # x: no mark of UTF-16 or of an archive
    content = content if lines else b""
    parts = list(blocks(ByteStream(Trickle(content), "pipe", None), size))
    assert b"".join(text for text, _ in parts) == content
    at = 1
    for text, line in parts:
        assert text.endswith(b"\n") and line == at
        at += text.count(b"\n")


class Trickle(io.BytesIO):
    """A pipe that gives a few bytes at a time."""

    def read1(self, size: int | None = -1) -> bytes:
        return self.read(min(3, size or 3))


def test_the_first_line_is_seen_without_being_read() -> None:
    content = b"\xef\xbb\xbf\r\n# a comment\r\n1 1:2\r\nmore"
    stream = ByteStream(Trickle(content), "pipe", None)
    assert stream.first_line() == b"1 1:2"
    assert stream.first_line() == b"1 1:2"
    assert stream.read() == content
    assert ByteStream(io.BytesIO(b"no newline"), "x", None).first_line() == b"no newline"
    assert ByteStream(io.BytesIO(b"\n#\n"), "x", None).first_line() == b""


def test_utf16_is_named(write: Write) -> None:
    assert "UTF-16" in refusal(lambda: Svmlight(write("1 1:1\n".encode("utf-16"))))


# --- numbers: exactly Python's float ---------------------------------------------------------------------------------

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
written = st.one_of(
    st.from_regex(r"[+-]?([0-9]{1,25}(\.[0-9]{0,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,4})?", fullmatch=True),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e6, 1e6).map(lambda v: f"{v:.17g}"),
    st.floats(-1e3, 1e3).map(lambda v: f"{v:.6f}"),
    st.floats(1e-3, 1e15).map(lambda v: str((Decimal(v) + Decimal(math.nextafter(v, math.inf))) / 2)),  # half-way
)


def parsed(kernel: Any, text: bytes, base: int = 1) -> tuple[int, np.ndarray]:
    """(what the kernel returns, values with the hard ones done by Python)."""
    out = parse.room(text)
    code, _ = kernel(text, 0, base, True, out)
    values = out.data[: out.used[parse.VALUES]].copy()
    for slot, start, end in out.hard[: out.used[parse.HARDS]].tolist():
        values[slot] = float(text[start:end])
    return code, values


KERNELS = [parse.parse_svmlight.plain, parse.parse_svmlight]


@settings(max_examples=200)
@given(st.lists(written, min_size=1, max_size=60))
def test_numbers_are_those_of_float_bit_for_bit(numbers: list[str]) -> None:
    text = ("1 " + " ".join(f"{i}:{number}" for i, number in enumerate(numbers, 1)) + "\n").encode()
    expected = np.array([float(number) for number in numbers])
    for kernel in KERNELS:
        code, values = parsed(kernel, text)
        assert code == parse.OK
        assert values.tobytes() == expected.tobytes()


def test_many_random_numbers_compiled() -> None:
    r = np.random.default_rng(0)
    numbers = [
        f"{v:.{d}g}" for d in (3, 6, 15, 16, 17, 18) for v in (r.normal(size=3000) * 10.0 ** r.integers(-8, 9, 3000))
    ]
    numbers += [f"{a}.{b}e{c}" for a, b, c in r.integers([0, 0, -40], [10**6, 10**12, 40], (20_000, 3)).tolist()]
    text = ("1 " + " ".join(f"{i}:{number}" for i, number in enumerate(numbers, 1)) + "\n").encode()
    code, values = parsed(parse.parse_svmlight, text)
    assert code == parse.OK and values.tobytes() == np.array([float(n) for n in numbers]).tobytes()
    # The exact paths, not Python, must have done nearly all numbers of up to 18 digits.
    plain = ("1 " + " ".join(f"{i}:{number}" for i, number in enumerate(numbers[:15_000], 1)) + "\n").encode()
    out = parse.room(plain)
    parse.parse_svmlight(plain, 0, 1, True, out)
    assert out.used[parse.HARDS] < 1000


@settings(max_examples=300)
@given(st.text("0123456789+-.eExnaif_,", max_size=6))
def test_what_is_no_number_is_refused(cell: str) -> None:
    text = f"1 1:{cell}\n".encode()
    for kernel in KERNELS:
        code, _ = parsed(kernel, text)
        assert code == (parse.OK if NUMBER.fullmatch(cell) else parse.BAD_VALUE)


@settings(max_examples=200)
@given(st.binary(max_size=40))
def test_any_bytes_give_rows_or_an_error_the_same_compiled_and_plain(content: bytes) -> None:
    found = []
    for kernel in KERNELS:
        out = parse.room(content + b"\n")
        end = kernel(content + b"\n", 0, 0, True, out)
        n = out.used[parse.ROWS]
        found.append((end, out.used.tolist(), out.indptr[: n + 1].tolist(), out.labels[:n].tobytes()))
    assert found[0] == found[1]


# --- svmlight --------------------------------------------------------------------------------------------------------

row = st.tuples(st.floats(-5, 5).map(lambda v: round(v, 3)), st.dictionaries(st.integers(0, 30), written, max_size=6))


@given(st.lists(row, min_size=1, max_size=12), st.integers(1, 200), st.sampled_from([0, 1]), st.data())
def test_rows_written_are_the_rows_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any], size: int, base: int, data: Any
) -> None:
    """peers: unsorted indices, a row with a label only; comments, blank lines, CRLF, tabs, a BOM, no last newline."""
    rows = [(y, {j: v for j, v in x.items() if math.isfinite(float(v))}) for y, x in rows]
    blank = st.sampled_from([" ", "\t", "  ", " \t "])
    text = data.draw(st.sampled_from(["", "\ufeff"]))
    for y, x in rows:
        text += data.draw(st.sampled_from(["", "\n", "# comment 1:2\n", "  \r\n"]))
        pairs = data.draw(st.permutations([f"{j + base}:{v}" for j, v in x.items()]))
        text += "".join([repr(y), *(data.draw(blank) + pair for pair in pairs)])
        text += data.draw(st.sampled_from(["\n", "\r\n", " \n", " # 9:9\n", "#x\n"]))
    path = tmp_path_factory.mktemp("rows") / "data.svm"
    path.write_bytes(text.rstrip("\r\n").encode())
    values, labels = whole(Svmlight(path, base=base, block_bytes=size, width=31))
    expected = np.zeros((len(rows), 31))
    for i, (_, x) in enumerate(rows):
        for j, v in x.items():
            expected[i, j] = float(v)
    assert values == expected.tolist()
    assert labels == [y for y, _ in rows]


def test_peers_the_column_base_is_explicit(write: Write) -> None:
    """peers: the column base of svmlight is guessed per file; width inferred too small from the test file."""
    values, _ = whole(Svmlight(write("1 1:5\n")))
    assert values == [[5]]
    values, _ = whole(Svmlight(write("1 1:5\n"), base=0))
    assert values == [[0, 5]]
    message = refusal(lambda: Svmlight(write("1 2:1\n-1 0:1 1:5\n")))
    assert "line 2" in message and "'0:1'" in message and "base 0" in message
    refusal(lambda: Svmlight(write("1 1:1\n"), base=2), SettingError)
    source = Svmlight(write("1 1:1 7:1\n2 3:4 4:1\n"), width=3)
    assert whole(source)[0] == [[1, 0, 0], [0, 0, 4]]
    assert source.notes == {"values in columns beyond 3 skipped": 2}
    assert whole(source)[0] == [[1, 0, 0], [0, 0, 4]] and source.notes == {"values in columns beyond 3 skipped": 2}
    assert whole(Svmlight(write("1 1:1\n"), width=9))[0] == [[1] + [0] * 8]


def test_without_a_width_a_batch_is_as_wide_as_what_was_read(write: Write) -> None:
    batches = list(Svmlight(write("1 5:1\n1 2:1\n1 9:1\n"), block_bytes=6))
    assert [int(batch.rows.shape[0]) for batch in batches] == [5, 5, 9]
    rows = batches[0].rows
    assert isinstance(rows, Csr) and rows.indices.dtype == np.uint32 and rows.indptr.dtype == np.int64


def test_peers_duplicates_name_the_line_or_are_merged(write: Write) -> None:
    """peers: `1 1:2 1:3` (duplicate), `1 3:2 1:3` (unsorted): "sorted and unique" without a line number."""
    path = write("1 3:2 1:3\n\n-1 2:1 5:1 2:4 5:1\n1 1:1\n")
    message = refusal(lambda: Svmlight(path))
    assert "line 3" in message and "index 2 twice" in message
    for duplicates, second in (("sum", [0, 5, 0, 0, 2]), ("last", [0, 4, 0, 0, 1])):
        values, labels = whole(Svmlight(path, duplicates=duplicates))  # type: ignore[arg-type]
        assert values == [[3, 0, 2, 0, 0], second, [1, 0, 0, 0, 0]] and labels == [1, -1, 1]
    assert whole(Svmlight(path, bad="skip"))[1] == [1, 1]
    assert "overflows" in refusal(lambda: Svmlight(write("1 1:1e308 1:1e308\n"), duplicates="sum"))


def test_peers_a_label_alone_is_a_row_of_zeros(write: Write) -> None:
    values, labels = whole(Svmlight(write("1\n-1 2:1\n1 # nothing\n")))
    assert values == [[0, 0], [0, 1], [0, 0]] and labels == [1, -1, 1]
    assert whole(Svmlight(write("1\n1\n")))[0] == [[], []]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("1 1:nan", "1:nan"),
        ("1 1:inf", "1:inf"),
        ("1 1:-Infinity", "1:-Infinity"),
        ("1 1:1e400", "1:1e400"),
        ("1 1:1_000", "1:1_000"),
        ("1 x:abc", "x:abc"),
        ("1 1:abc", "1:abc"),
        ("1 1:", "1:"),
        ("1 1: 5", "1:"),
        ("1 1:2,5", "1:2,5"),
        ("1 1:0x10", "1:0x10"),
        ("1 -1:5", "-1:5"),
        ("1 5", "5"),
        ("1 1:2:3", "1:2:3"),
        ("spam 1:2", "spam"),
        ("nan 1:2", "nan"),
        ("1e999 1:2", "1e999"),
        ("1,2 1:2", "1,2"),
        ("1_0 1:2", "1_0"),
        ("1:2 2:3", "1:2"),
        ("qid:1 2:3", "qid:1"),
        ("1 qid:x 2:3", "qid:x"),
        ("1 2147483648:1", "2147483648:1"),
        ("1 99999999999999999999999999:1", "9"),
    ],
)
@pytest.mark.parametrize("size", [10, 1 << 20])
def test_peers_bad_lines_are_refused_or_skipped(write: Write, line: str, found: str, size: int) -> None:
    """peers: nan and 1e400 taken silently; VW trains on x:abc, x:nan, labels spam; `1:1_000` reads as 1000."""
    path = write(f"1 1:1\n# {line}\n-1 2:2\n{line}\n1 3:3\n{line}")
    message = refusal(lambda: Svmlight(path, block_bytes=size))
    assert f"{path}, line 4: found '{found}" in message and "expected" in message
    source = Svmlight(path, bad="skip", block_bytes=size)
    values, labels = whole(source)
    assert values == [[1, 0, 0], [0, 2, 0], [0, 0, 3]] and labels == [1, -1, 1]
    assert source.notes == {"bad lines skipped": 2}


def test_the_largest_index_is_read(write: Write) -> None:
    (batch,) = Svmlight(write("1 2147483647:1\n"))
    assert batch.rows.indices.tolist() == [2147483646]
    assert matrix(batch.rows).shape == (1, 2147483647)


def test_qid_is_skipped_with_a_note(write: Write) -> None:
    source = Svmlight(write("1 qid:3 1:1\n2 qid:10\n"))
    assert whole(source)[0] == [[1], [0]]
    assert source.notes == {"qid fields skipped": 2}


def test_rows_without_labels(write: Write) -> None:
    assert "label" in refusal(lambda: Svmlight(write("1:5 2:1\n")))
    for labelled in (False, "auto"):
        source = Svmlight(write("# test\n1:5 2:1\nqid:4 2:3\n"), labelled=labelled)  # type: ignore[arg-type]
        values, labels = whole(source)
        assert values == [[5, 1], [0, 3]] and labels is None
    assert whole(Svmlight(write("1 1:5\n2\n"), labelled="auto")) == ([[5], [0]], [1, 2])
    source = Svmlight(write("1 1:5\n2:3\n"), labelled=False)
    assert whole(source)[1] is None and source.notes == {"labels ignored": 1}
    assert "line 2" in refusal(lambda: Svmlight(write("1 1:5\n2:3\n"), labelled="auto"))


def test_float32_is_kept_and_checked(write: Write) -> None:
    (batch,) = Svmlight(write("1 1:0.1\n"), dtype=np.float32)
    assert batch.rows.data.dtype == np.float32 and batch.rows.data[0] == np.float32(0.1)
    assert "line 2" in refusal(lambda: Svmlight(write("1 1:1\n1 1:1e39\n"), dtype="float32"))
    assert whole(Svmlight(write("1 1:1\n1 1:1e39\n2 1:2\n"), dtype="float32", bad="skip"))[1] == [1, 2]
    refusal(lambda: Svmlight(write("1 1:1\n"), dtype=int), SettingError)


EMPTY = [
    (reader, content) for reader in (Svmlight, Table, TextLines) for content in ("", "\n\n", "\ufeff", "\r\n \t\n")
]


@pytest.mark.parametrize(("reader", "content"), [*EMPTY, (Svmlight, "# only this\n")])
def test_an_empty_file_is_one_clear_error(write: Write, reader: Any, content: str) -> None:
    assert "no rows" in refusal(lambda: reader(write(content)))


def test_every_line_bad_says_so(write: Write) -> None:
    assert "bad lines skipped: 2" in refusal(lambda: Svmlight(write("a\nb\n"), bad="skip"))


@pytest.mark.parametrize("name", ["iris", "heart_scale", "spambase", "usps_test", "a1a", "rcv1_small", "vowel"])
def test_shared_files_as_scikit_learn_reads_them(
    name: str, shared_data: Callable[[str], Path], load_shared: Callable[..., Any]
) -> None:
    path = shared_data(name) / f"{name}.svm.xz"
    for size in (5_000, 1 << 21):
        expected, y = load_shared(name)
        batches = list(Svmlight(path, block_bytes=size))
        rows = matrix(stack([batch.rows for batch in batches]))
        assert rows.shape == expected.shape
        assert (rows.data == expected.data).all() and (rows.indices == expected.indices).all()
        assert (rows.indptr == expected.indptr).all()
        assert (np.concatenate([batch.y for batch in batches]) == y).all()


# --- tables ----------------------------------------------------------------------------------------------------------


def test_a_table_with_a_header(write: Write) -> None:
    source = Table(write("a,b,label\n1,2,spam\n3,4.5, ham \n", "t.csv"))
    assert source.kind == "rows" and source.feature_names == ["a", "b"]
    assert whole(source) == ([[1, 2], [3, 4.5]], ["spam", "ham"])
    (batch,) = source
    assert isinstance(batch.rows, Dense) and batch.y.dtype == object


@pytest.mark.parametrize(
    ("content", "names", "label", "labels"),
    [
        ("1,2,3\n4,5,6\n", None, 3, ["3", "6"]),  # no header: the last
        ("spam,2,3\nham,5,6\n", None, 1, ["spam", "ham"]),  # the only one that is not a number
        ("a,b,c\n1,2,3\n", ["a", "b"], "c", ["3"]),
        ("y,b,c\n1,2,3\n", ["b", "c"], "y", ["1"]),
        ("a,Class,c\n1,2,3\n", ["a", "c"], "Class", ["2"]),
        ("0,1,label\n1,2,3\n", ["0", "1"], "label", ["3"]),
        ('"a","b","species"\n1,2,"x, y"\n', ["a", "b"], "species", ["x, y"]),
        ("\ufeffa,b\r\n\r\n1,2\r\n", ["a"], "b", ["2"]),
        ("a;b\n1;2\n", ["a"], "b", ["2"]),
    ],
)
def test_header_and_label_are_found(write: Write, content: str, names: Any, label: Any, labels: list[str]) -> None:
    source = Table(write(content, "t.csv"))
    assert source.feature_names == names and source.recipe()["label"] == label
    assert whole(source)[1] == labels


def test_header_label_and_delimiter_as_asked(write: Write) -> None:
    path = write("a,b,c\n1,2,3\n", "abc.csv")
    assert whole(Table(path, label="a"))[1] == ["1"] == whole(Table(path, label=1))[1]
    assert whole(Table(path, label="2"))[1] == ["2"] == whole(Table(path, label=-2))[1]
    assert whole(Table(write("1,2\n3,4\n", "t.csv"), header=True))[1] == ["4"]
    assert "'a' in column 1" in refusal(lambda: Table(path, header=False))
    message = refusal(lambda: Table(path, label="z"))
    assert "'z'" in message and "a, b, c" in message
    refusal(lambda: Table(path, label=4))
    assert "only the label" in refusal(lambda: Table(write("1 1:2\n", "t.csv")))
    refusal(lambda: Table(path, label=0), SettingError)
    refusal(lambda: Table(path, delimiter=",,"), SettingError)
    assert whole(Table(write("1|2\n", "t.csv"), delimiter="|"))[0] == [[1]]
    assert whole(Table(write("1\t2\n", "t.tsv.gz".replace(".gz", ""))))[0] == [[1]]
    assert "'a'" in refusal(lambda: Table(write("a,a,label\n1,2,3\n", "t.csv")))


@pytest.mark.parametrize(
    ("bad", "found"),
    [
        ("1,,x", "an empty cell in column 2 (b)"),
        ("1,abc,x", "'abc' in column 2 (b)"),
        ("nan,1,x", "'nan' in column 1 (a)"),
        ("inf,1,x", "'inf' in column 1 (a)"),
        ("1,1e999,x", "'1e999' in column 2 (b)"),
        ("1_000,1,x", "'1_000' in column 1 (a)"),
        ("1,2", "2 cells"),
        ("1,2,x,4", "4 cells"),
        ("1,2,", "an empty cell in column 3 (label)"),
    ],
)
@pytest.mark.parametrize("quotes", [False, True])
@pytest.mark.parametrize("size", [8, 1 << 20])
def test_peers_bad_cells_name_line_and_column(write: Write, bad: str, found: str, quotes: bool, size: int) -> None:
    """peers: strict by default, a counter when told to skip; underscores, nan and 1e400 refused."""
    start = '"5","6","a\nb"\n' if quotes else "5,6,a\n\n"
    path = write(f"a,b,label\n{start}{bad}\n7,8,c\n", "t.csv")
    message = refusal(lambda: Table(path, block_bytes=size))
    assert f"{path}, line 4: found {found}" in message
    source = Table(path, bad="skip", block_bytes=size)
    assert whole(source) == ([[5, 6], [7, 8]], ["a\nb" if quotes else "a", "c"])
    assert source.notes == {"bad lines skipped": 1}


def test_broken_quotes_name_the_line(write: Write) -> None:
    assert "line 3" in refusal(lambda: Table(write('a,label\n1,x\n2,"y\n3,z\n', "t.csv")))
    assert "line 2" in refusal(lambda: Table(write('1,x\n"2"3,y\n', "t.csv")))


cell = st.one_of(written, st.floats(allow_nan=False, allow_infinity=False).map(lambda v: f" {v!r} "))


@given(
    st.lists(st.tuples(cell, cell, st.sampled_from(["x", '"x,y"', '"a\n""b"""', "ü"])), min_size=1), st.integers(1, 99)
)
def test_cells_are_those_of_float_whichever_reader(tmp_path_factory: Any, rows: list[Any], size: int) -> None:
    """peers (text): quotes, delimiters and newlines in cells survive."""
    rows = [row for row in rows if all(math.isfinite(float(c)) for c in row[:2])] or [("1", "2", "x")]
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text("a,b,label\n" + "".join(",".join(row) + "\n" for row in rows), newline="")
    values, labels = whole(Table(path, block_bytes=size))
    assert np.array(values).tobytes() == np.array([[float(a), float(b)] for a, b, _ in rows]).tobytes()
    assert labels == [c[1:-1].replace('""', '"') if c[0] == '"' else c for _, _, c in rows]


def test_tables_of_text(write: Write) -> None:
    path = write('text,id,label\n"free, ""now""\nline",7,spam\nhi,8,ham\n', "t.csv")
    source = Table(path)
    assert source.kind == "documents" and source.feature_names is None
    assert texts(source) == (['free, "now"\nline', "hi"], ["spam", "ham"])
    assert source.notes == {"columns ignored": 1}
    assert texts(Table(write("ham,hi\nspam,free\n", "t.csv"), text=2)) == (["hi", "free"], ["ham", "spam"])
    message = refusal(lambda: Table(write("text,a,b\nx,1,2\n", "t.csv")))
    assert "label" in message
    refusal(lambda: Table(write("ham,hi\n", "t.csv"), text=2, label=2))
    long = "word " * 100_000
    assert texts(Table(write(f"label,text\nham,{long}\n", "t.csv")))[0] == [long]


def test_a_line_that_is_not_utf8_is_read_as_latin1(write: Write) -> None:
    source = Table(write(b"label,text\nham,caf\xe9\nham,caf\xc3\xa9\n", "t.csv"))
    assert texts(source)[0] == ["café", "café"] == texts(source)[0]
    assert source.notes == {"lines read as latin-1": 1}


def test_new_tables_are_matched_by_name(write: Write) -> None:
    """peers: feature order and unseen features; width comes from the model."""
    recipe = json.loads(json.dumps(Table(write("a,b,label\n1,2,x\n", "t.csv")).recipe()))
    again = lambda content, **options: from_recipe(write(content, "new.csv"), recipe, **options)  # noqa: E731
    assert whole(again("a,b,label\n1,2,x\n")) == ([[1, 2]], ["x"])
    assert whole(again("label,b,a\nx,2,1\n")) == ([[1, 2]], ["x"])
    assert whole(again("b,a\n2,1\n")) == ([[1, 2]], None)
    assert whole(again("b,a,label\n2,1,x\n", labelled=False)) == ([[1, 2]], None)
    assert "'b'" in refusal(lambda: again("a,label\n1,x\n"))
    assert "'c'" in refusal(lambda: again("a,b,c\n1,2,3\n"))
    assert "no header" in refusal(lambda: again("1,2\n"))
    assert "'label'" in refusal(lambda: again("a,b\n1,2\n", labelled=True))
    assert "label='a'" in refusal(lambda: again("a,b,label\n1,2,x\n", label="a"))
    assert "no rows" in refusal(lambda: again("a,b,label\n"))


def test_new_tables_without_names_are_matched_by_number(write: Write) -> None:
    recipe = Table(write("x,1,2\n", "t.csv")).recipe()
    assert (recipe["expect"], recipe["label"]) == (2, 1)
    again = lambda content, **options: from_recipe(write(content, "new.csv"), recipe, **options)  # noqa: E731
    assert whole(again("y,3,4\n")) == ([[3, 4]], ["y"])
    assert whole(again("3,4\n")) == ([[3, 4]], None)
    assert "3 columns" in refusal(lambda: again("x,3,4,5\n"))
    assert "model's 2" in refusal(lambda: again("3\n", labelled=False))


# --- lines of text ---------------------------------------------------------------------------------------------------


def test_lines_of_text(write: Write) -> None:
    path = write(b"\xef\xbb\xbfspam\tfree\tnow\r\n\nham \t caf\xe9\nham\t", "t.txt")
    source = TextLines(path, block_bytes=5)
    assert texts(source) == (["free\tnow", " café", ""], ["spam", "ham", "ham"])
    assert source.notes == {"lines read as latin-1": 1, "blank lines skipped": 1}
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
    monkeypatch.setitem(FORMATS, "mail", Format("text.TextLines", FORMATS["mail"].suffixes))
    (tmp_path / "a.tar.xz").write_bytes(lzma.compress(b"ham\thi\n"))
    assert isinstance(open_source(tmp_path / "a.tar.xz"), TextLines)
    assert "folder" in refusal(lambda: open_source(tmp_path))


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
    assert whole(from_recipe(write("1 1:5 9:1\n"), recipe, width=3)) == ([[0, 5, 0]], [1])
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
