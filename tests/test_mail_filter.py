"""`mail filter`: a mail in, the same mail with a verdict out, whatever goes wrong."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given

from mails import learned_store, odd_mails, shipped
from rosenblatt.cli.mail.filter import filter as command
from rosenblatt.mail.digest import digest
from rosenblatt.mail.filtering import OPTIONS, UNCHANGED, filtered, plain_words
from rosenblatt.mail.rewriting import NAMES, rewritten
from rosenblatt.mail.store.care import publish
from rosenblatt.mail.store.learning import Store
from rosenblatt.mail.store.reading import Reader

MAIL = b"From: ann@example.org\nSubject: lunch\n\nToday at noon?\n"
REAL = shipped()
FILTER = (sys.executable, "-m", "rosenblatt", "mail", "filter")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of a hundred real mails."""
    return learned_store(tmp_path_factory.mktemp("store") / "mail.db", REAL[:100])


def run(*words: str, mail: bytes = MAIL, **more: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*FILTER, *words], input=mail, capture_output=True, timeout=60, check=False, **more)


def test_a_mail_gets_its_verdict_and_nothing_else(store: str) -> None:
    for _, raw in REAL[100:103]:
        made = run("--store", store, mail=raw)
        assert made.returncode == 0 and not made.stderr
        assert rewritten(made.stdout, {}) == rewritten(raw, {})
        with Reader(store) as reader:
            verdict = reader.opinion(reader.looked(raw)).verdict
        assert f"verdict={verdict} ".encode() in made.stdout
        assert made.stdout.count(b"\nX-Spam-Flag: YES\n") == (verdict == "spam")
        again = run(f"--store={store}", mail=made.stdout)
        assert again.stdout == made.stdout
        assert b"\nX-Bogosity: " in run("--store", store, "--style", "bogofilter", mail=raw).stdout


def test_start_loads_nothing_large(store: str) -> None:
    code = f"""
import os, sys
sys.argv[1:] = ["mail", "filter", "--store", {store!r}]
from rosenblatt.cli import main
os._exit = sys.exit
try:
    main()
finally:
    print(sorted({{name.partition(".")[0] for name in sys.modules}}), file=sys.stderr)
"""
    made = subprocess.run([sys.executable, "-c", code], input=MAIL, capture_output=True, timeout=60, check=True)
    assert b"X-Spam-Status" in made.stdout
    loaded = made.stderr.decode()
    assert "sqlite3" in loaded
    for name in ("click", "numpy", "numba", "sklearn", "scipy", "selectolax", "email", "pathlib", "urllib", "html"):
        assert f"'{name}'" not in loaded, name


def test_whatever_goes_wrong_the_mail_goes_out(store: str, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no store\n" * 100)
    damaged = tmp_path / "damaged"
    data = bytearray(Path(store).read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    damaged.write_bytes(data)
    for path in (tmp_path / "none", tmp_path / "text", damaged, tmp_path):
        made = run("--store", str(path))
        assert (made.returncode, made.stdout) == (UNCHANGED, MAIL)
        assert str(path).encode() in made.stderr and made.stderr.endswith(b"; the mail is unchanged\n")
        assert b"Traceback" not in made.stderr


def test_the_store_is_found_where_the_environment_says(store: str, tmp_path: Path) -> None:
    made = run(env={**os.environ, "ROSENBLATT_STORE": store})
    assert made.returncode == 0
    home = tmp_path / "rosenblatt"
    home.mkdir()
    publish(store, str(home / "mail.db"))
    bare = {name: value for name, value in os.environ.items() if name != "ROSENBLATT_STORE"}
    assert run(env=bare | {"XDG_DATA_HOME": str(tmp_path)}).stdout == made.stdout


def test_a_site_judges_for_who_has_no_store(store: str, tmp_path: Path) -> None:
    site, own = str(tmp_path / "site.db"), str(tmp_path / "own.db")
    publish(store, site)
    theirs = run("--store", own, "--site", site)
    assert theirs.stdout == run("--store", store).stdout and not os.path.exists(own)
    with Store(own, site=site):
        pass
    assert run("--store", own, "--site", site).stdout == run("--store", own).stdout == theirs.stdout
    other = run("--store", own, "--site", store)
    assert other.returncode == UNCHANGED and b"stands on" in other.stderr and other.stdout == MAIL


def test_output_that_goes_away(store: str) -> None:
    read, write = os.pipe()
    os.close(read)
    made = subprocess.run([*FILTER, "--store", store], input=MAIL, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert made.returncode == UNCHANGED and b"could not be written: Broken pipe" in made.stderr


def test_a_full_disk(store: str, tmp_path: Path) -> None:
    with open(tmp_path / "out", "wb") as out:
        made = subprocess.run(
            [*FILTER, "--store", store],
            input=MAIL + b"x" * 10000,
            stdout=out,
            stderr=subprocess.PIPE,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)),
        )
    assert made.returncode == UNCHANGED and b"could not be written: File too large" in made.stderr


def test_both_ways_in_take_the_same_words(store: str) -> None:
    """`mail.filtering` reads plain words itself, click all others: one set of options, with the same meaning."""
    named = {parameter.name: parameter for parameter in command.params if parameter.name != "help"}
    assert {name: parameter.default for name, parameter in named.items()} == OPTIONS
    for words in (
        ["--store", store],
        [f"--store={store}", "--style", "bogofilter"],
        ["--style=spam", "--store", store],
    ):
        assert plain_words(words) is not None
        by_click = CliRunner().invoke(command, words, input=MAIL)
        assert by_click.exit_code == run(*words).returncode == 0
    for words in (["--help"], ["--store"], ["--style", "x"], ["x"], ["--stor", store], ["-h"]):
        assert plain_words(words) is None
    wrong = run("--style", "x")
    assert wrong.returncode and b"--style" in wrong.stderr and not wrong.stdout


def test_closed_and_full_streams(store: str) -> None:
    """Where nothing can be said or read, the mail goes on all the same, and nothing else gets into it."""
    missing = f"exec {FILTER[0]} -m rosenblatt mail filter --store {store}x"
    for where, out in (("2>&-", MAIL), ("2>/dev/full", MAIL), ("<&-", b""), ("0>/dev/null", b"")):
        made = subprocess.run(["sh", "-c", f"{missing} {where}"], input=MAIL, capture_output=True, timeout=60)
        assert (made.returncode, made.stdout) == (UNCHANGED, out), where
    assert made.stderr == b"rosenblatt mail filter: the mail could not be read: Bad file descriptor\n"


@given(odd_mails())
def test_every_mail_goes_through(store: str, raw: bytes) -> None:
    out = filtered(raw, store, "", "spam")
    assert any(name.encode() in out for name in NAMES)
    assert digest(out) == digest(raw)
    with Reader(store) as reader:
        assert reader.opinion(reader.looked(out)) == reader.opinion(reader.looked(raw))
