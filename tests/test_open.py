"""Bytes of files and pipes: compression, blocks of lines, what cannot be opened."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading import LINES, PACK, Write, refusal
from rosenblatt.read import open_bytes
from rosenblatt.read.open import ByteStream, blocks
from rosenblatt.read.svmlight import Svmlight

# --- bytes -----------------------------------------------------------------------------------------------------------


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
