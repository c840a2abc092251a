"""Many mails at a time are seen as one by one."""

from __future__ import annotations

import lzma
import pickle
import subprocess
import sys
import tarfile
from collections.abc import Callable
from concurrent.futures import Future
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt
from rosenblatt.core import dispatch
from rosenblatt.features import bag
from rosenblatt.mail import bulk, looking
from rosenblatt.mail.bulk import CHUNK, ROOM, Bulk, chunks
from rosenblatt.mail.features import GROUPS, MOST, USUAL, Fields, Look, _header
from rosenblatt.mailtext.tokens import Memory

DATASETS = Path(rosenblatt.__file__).parent / "datasets"


def held(path: Path) -> list[bytes]:
    with lzma.open(path) as plain, tarfile.open(fileobj=plain) as tar:
        return [file.read() for member in tar if (file := tar.extractfile(member)) is not None]


@pytest.fixture(params=["compiled", "plain"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled from the first byte, or never."""
    monkeypatch.setattr(bag, "MUCH", 0)
    monkeypatch.setattr(bag, "jit_enabled", lambda: request.param == "compiled" and dispatch.jit_enabled())


def assert_alike(look: Look, raws: list[bytes]) -> None:
    for raw, seen in zip(raws, Bulk(look)(raws), strict=True):
        assert seen == look(raw), raw[:1000]


def test_shipped_mails(way: None) -> None:
    raws = held(DATASETS / "mails.tar.xz")
    assert len(raws) > 300
    assert_alike(Look(), raws)


def test_columns_stay_as_they_were() -> None:
    """What stores have learned lies at these columns: a change of one needs a new version of what is looked at."""
    look, seen = Look(GROUPS, 30), sha256()
    for raw in held(DATASETS / "mails.tar.xz")[::4]:
        seen.update(np.asarray(look(raw).columns, "<u4").tobytes())
    assert seen.hexdigest().startswith("87d91ad2a22157ec")


@given(st.from_regex(USUAL, fullmatch=True))
def test_usual_dates_give_what_any_date_does(text: str) -> None:
    assert set(Fields(Memory(str))["date", text][1]) == set(_header("date", text))


@pytest.mark.parametrize("look", [Look(GROUPS), Look(["ngrams"], 30), Look(["words"], 8), Look(["headers"]), Look([])])
def test_groups(look: Look, way: None) -> None:
    assert_alike(look, held(DATASETS / "mails.tar.xz")[: CHUNK + 20])


def test_awkward_mails(way: None, shared_data: Callable[[str], Path]) -> None:
    assert_alike(Look(), held(shared_data("awkward_dev") / "awkward_dev.tar.xz"))


TEXT = st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from("aAbB $!.'-@&,/:\0\n\t\r€é")), max_size=60)
MAILS = st.builds(
    lambda sender, subject, body, charset: (
        f"From: {sender}\nSubject: {subject}\nContent-Type: text/plain; charset={charset}\n\n{body}".encode()
    ),
    TEXT, TEXT, st.lists(TEXT, max_size=5).map(" ".join), st.sampled_from(["utf-8", "iso-8859-1", "x-none"]),
)  # fmt: skip
KEPT = Bulk(Look())
KEPT._bag._pieces._seen = bag.MUCH
"""So that the compiled code reads these few, too."""


@given(st.lists(st.one_of(MAILS, st.binary(max_size=60)), max_size=4))
def test_any_mails(raws: list[bytes]) -> None:
    for raw, seen in zip(raws, KEPT(raws), strict=True):
        assert seen == KEPT.look(raw)


def test_long_ones(way: None) -> None:
    many = b"\n\n" + b" ".join(b"w%d" % i for i in range(3 * MOST))
    raws = [b"", many, b"\n\n" + b"x" * 100_000, b"Subject: abc\n\n", b"Subject: abcd\n\nefgh"]
    assert [len(seen.columns) == MOST for seen in Bulk(Look())(raws)] == [False, True, False, False, False]
    assert_alike(Look(), raws)


def test_chunks() -> None:
    assert [len(few) for few in chunks([b"x"] * (CHUNK + 1))] == [CHUNK, 1] and list(chunks([])) == []
    assert [len(few) for few in chunks([b"x" * (ROOM // 2)] * 3)] == [2, 1]
    raws = [b"Subject: hello %d\n\nWORLD" % i for i in range(300)]
    assert Bulk(Look()).few(raws) == list(Bulk(Look())(raws)) == list(map(Look(), raws))


def test_another_process_has_the_same() -> None:
    kept = pickle.loads(pickle.dumps(Bulk(Look(["words"], 10))))
    assert (kept.look.groups, kept.look.bits) == (("words",), 10)
    assert pickle.loads(pickle.dumps(Bulk(Look(["words"], 10)))) is kept, "with what it remembers"


class Slow:
    """Another process, which has done every third chunk when it is asked for, and begun no other."""

    def __init__(self, jobs: int, *rest: Any) -> None:
        assert jobs == 1
        self.given = 0

    def submit(self, work: Any, chunk: list[int]) -> Future[Any]:
        self.given += 1
        future = Future[Any]()
        if self.given % 3 == 0:
            future.set_result([(each, "there") for each in chunk])
        return future

    def shutdown(self, cancel_futures: bool) -> None:
        pass


def test_what_no_other_process_has_begun_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "ProcessPoolExecutor", Slow)
    monkeypatch.setattr(looking, "FEW", 10)
    monkeypatch.setattr(bulk, "CHUNK", 2)
    made = list(looking.mapped(lambda some: [(each, "here") for each in some], range(60), 2, lambda each: 1))
    assert made == [(each, "there" if each // 2 % 3 == 2 else "here") for each in range(60)]


LOADED = """
import sys
import numpy as np
from rosenblatt.mail.bulk import find_capitals
find_capitals(np.zeros(9, np.uint8), np.array([9]), np.zeros((1, 3), np.int64), np.empty(9, np.int64))
assert "numba" in sys.modules and "scipy.linalg" not in sys.modules
from numba.np import linalg
linalg.ensure_blas()
assert "scipy.linalg" in sys.modules
"""


def test_numba_is_loaded_without_what_nobody_calls() -> None:
    subprocess.run([sys.executable, "-c", LOADED], check=True)
