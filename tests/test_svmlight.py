"""svmlight files, and numbers that are exactly those of float()."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reading import WRITTEN, Write, refusal, whole
from rosenblatt.core.rows import Csr, matrix, stack
from rosenblatt.errors import SettingError
from rosenblatt.read import parse
from rosenblatt.read.svmlight import Svmlight
from rosenblatt.read.table import Table
from rosenblatt.read.text import TextLines

# --- numbers: exactly Python's float ---------------------------------------------------------------------------------

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


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
@given(st.lists(WRITTEN, min_size=1, max_size=60))
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
        found.append((end, out.used.tolist(), out.row_ends[: n + 1].tolist(), out.labels[:n].tobytes()))
    assert found[0] == found[1]


# --- svmlight --------------------------------------------------------------------------------------------------------

row = st.tuples(st.floats(-5, 5).map(lambda v: round(v, 3)), st.dictionaries(st.integers(0, 30), WRITTEN, max_size=6))


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
    source = Svmlight(write("1 1:1 7:1\n2 3:4 4:1\n"), width=3, wider="skip")
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
        ("1 1:", "1:"),
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
