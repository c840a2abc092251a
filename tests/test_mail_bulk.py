"""Many mails at a time are seen as one by one."""

from __future__ import annotations

import lzma
import pickle
import tarfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt
from rosenblatt.core import dispatch
from rosenblatt.features import bag
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
