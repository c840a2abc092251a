"""Addresses (https://…, s3://…, memory://…) as data, through fsspec."""

from __future__ import annotations

import http.server
import sys
import threading
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from command import run
from mails import DOCUMENTS, MAILS, TWO, all_of, pack
from reading import LINES, PACK, refusal, texts, whole
from rosenblatt.errors import SettingError
from rosenblatt.read import from_recipe, open_bytes, open_source
from rosenblatt.read.open import is_read_once, plain_name
from rosenblatt.read.remote import is_remote

fsspec = pytest.importorskip("fsspec", reason="fsspec (the extra `remote`) is not here")


@pytest.fixture
def memory() -> Iterator[Any]:
    """fsspec's files in memory, none at first and at last."""
    system = fsspec.filesystem("memory")
    system.store.clear()
    yield system
    system.store.clear()


def test_what_is_an_address() -> None:
    assert all(map(is_remote, ["https://a/b.csv", "s3://b/k", "memory://x", "file:///x", "github+x.y://z"]))
    assert not any(map(is_remote, ["-", "a/b.svm", "C:\\x", "c:/x", "://x", "a//b", Path("https://a"), "1a://b"]))
    assert plain_name("https://example.org/A.CSV.gz?token=a.b/c#d") == "a.csv"
    assert plain_name("a/b.tar.xz") == "b.tar" and plain_name("what?.svm") == "what?.svm"


@pytest.mark.parametrize("suffix", PACK)
def test_a_file_is_read_as_a_local_one(memory: Any, suffix: str) -> None:
    """Compression by its first bytes, format by suffix or look, progress, and as often as asked."""
    packed = PACK[suffix](LINES)
    for name in (f"numbers.svm{suffix}", "numbers"):
        memory.pipe(f"/data/{name}", packed)
        source = open_source(f"memory://data/{name}")
        assert source.recipe()["format"] == "svmlight"
        assert not source.one_shot and not is_read_once(f"memory://data/{name}")
        first = whole(source)
        assert len(first[0]) == 20_000 and whole(source) == first
        assert source.bytes_read == source.bytes_total == len(packed)
        assert whole(from_recipe(f"memory://data/{name}", source.recipe(), width=1)) == first


def test_mails_and_texts(memory: Any, tmp_path: Path) -> None:
    memory.pipe("/in.mbox", TWO)
    memory.pipe("/a.tar.gz", pack(tmp_path / "a.tar.gz", MAILS).read_bytes())
    memory.pipe("/sms", b"ham\tsee you\n")
    assert all_of(open_source("memory://in.mbox"))[::2] == (DOCUMENTS, ["in.mbox:1", "in.mbox:2"])
    assert all_of(open_source("memory://a.tar.gz")) == all_of(open_source(tmp_path / "a.tar.gz"))
    assert texts(open_source("memory://sms")) == (["see you"], ["ham"])


def test_addresses_of_local_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"x,label\n1,a\n")
    assert whole(open_source((tmp_path / "a.csv").as_uri())) == ([[1]], ["a"])
    assert "it is a folder" in refusal(lambda: open_source(tmp_path.as_uri(), "csv"))
    assert "it is a folder" in refusal(lambda: open_source(tmp_path.as_uri()))


def test_what_cannot_be_read_is_refused_in_one_sentence(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.pipe("/data/a.svm.gz", b"1 1:1\n")
    memory.pipe("/cut.svm.gz", PACK[".gz"](LINES)[:-900])
    assert "memory://none.svm: there is no such file" in refusal(lambda: open_source("memory://none.svm"))
    assert "it is a folder" in refusal(lambda: open_source("memory://data"))
    assert "found no gzip data" in refusal(lambda: open_source("memory://data/a.svm.gz"))
    assert "memory://cut.svm.gz: the gzip data are cut short" in refusal(lambda: open_source("memory://cut.svm.gz"))
    assert "nosuch://a.svm" in refusal(lambda: open_source("nosuch://a.svm"))

    def fails(*words: Any, **more: Any) -> None:
        raise RuntimeError("the network\nis down.")

    monkeypatch.setattr(type(memory), "_open", fails)
    message = refusal(lambda: open_source("memory://data/a.svm"))
    monkeypatch.undo()
    assert "no such file" in message
    monkeypatch.setattr(type(memory), "info", fails)
    message = refusal(lambda: open_source("memory://data/a.svm"))
    assert message == "memory://data/a.svm: it cannot be opened (the network is down); expected a readable file"


def test_errors_while_reading_are_told_too(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.pipe("/a.svm", LINES)
    stream = open_bytes("memory://a.svm")

    def fails(size: int) -> bytes:
        raise RuntimeError("connection lost")

    monkeypatch.setattr(stream._raw, "_file", type("Broken", (), {"read": staticmethod(fails), "close": lambda: None}))
    assert "memory://a.svm: it cannot be read (connection lost)" in refusal(lambda: [stream.read()])


def test_without_fsspec_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    message = refusal(lambda: open_source("s3://bucket/a.svm"), SettingError)
    assert "s3://bucket/a.svm" in message and "pip install 'rosenblatt[remote]'" in message


def test_without_the_package_of_a_scheme_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*words: Any, **more: Any) -> None:
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr("fsspec.core.url_to_fs", missing)
    assert "Install s3fs" in refusal(lambda: open_source("s3://bucket/a.svm"), SettingError)


def test_on_the_command_line(memory: Any, tmp_path: Path) -> None:
    memory.pipe("/spam.txt", b"spam\tfree prize\nham\tsee you\nspam\tfree\nham\tsee\n")
    assert run("train", "memory://spam.txt", "-o", tmp_path / "m").code == 0
    done = run("predict", tmp_path / "m", "memory://spam.txt")
    assert (done.code, done.out.split()) == (0, ["spam", "ham", "spam", "ham"])
    done = run("train", "memory://none.txt", "-o", tmp_path / "m")
    assert done.code == 3 and "no such file" in done.err


class Files(http.server.BaseHTTPRequestHandler):
    """One file at /a.svm.gz, whole; no ranges."""

    content = PACK[".gz"](LINES)

    def do_HEAD(self) -> None:
        found = self.path.startswith("/a.svm.gz")
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", str(len(self.content) if found else 0))
        self.end_headers()

    def do_GET(self) -> None:
        self.do_HEAD()
        if self.path.startswith("/a.svm.gz"):
            self.wfile.write(self.content)

    def log_message(self, *words: Any) -> None: ...


def test_a_web_server() -> None:
    pytest.importorskip("aiohttp", reason="aiohttp (the extra `remote`) is not here")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        place = f"http://127.0.0.1:{server.server_address[1]}"
        source = open_source(f"{place}/a.svm.gz?version=1.2")
        assert len(whole(source)[0]) == 20_000 and len(whole(source)[0]) == 20_000
        assert source.bytes_read == source.bytes_total == len(Files.content)
        assert "no such file" in refusal(lambda: open_source(f"{place}/b.svm"))
        server.shutdown()
    assert "cannot be opened" in refusal(lambda: open_source(f"{place}/a.svm.gz"))


def test_a_large_file_is_not_held(memory: Any, tmp_path: Path) -> None:
    """40 MB by its address: no more of it at a time than of any file."""
    (tmp_path / "a.svm").write_bytes(LINES * 130)
    tracemalloc.start()
    with open_bytes((tmp_path / "a.svm").as_uri()) as stream:
        size = sum(len(data) for data in iter(lambda: stream.read(1 << 20), b""))
        held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size == len(LINES) * 130 and held < 8 << 20
