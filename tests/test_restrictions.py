"""Every sentence of proofs, doctor, thresholds and comparisons under each restriction: tests/golden/restrictions.

Read by eye, as a mathematician would: is it true of rows through the origin, of two classes of more, of float32, of one
class, of equal rows with other labels, of some of the columns? What changes there is read again before it is recorded.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from command import run

GOLDEN = Path(__file__).parent / "golden" / "restrictions"
TABLES = {
    "line": "x,y\n.1,no\n.4,no\n.7,no\n1,no\n2,yes\n3,yes\n5,yes\n7,yes\n",
    "apart": "wide,high,kind\n3,1,square\n4,0,square\n2,0,square\n0,3,tall\n1,4,tall\n-1,2,tall\n",
    "cross": "a,b,kind\n0,0,even\n0,1,odd\n1,0,odd\n1,1,even\n",
    "twins": "a,b,kind\n1,2,x\n1,2,y\n2,1,x\n3,1,x\n0,3,y\n0,2,y\n",
    "zero": "a,b,kind\n0,0,x\n1,0,x\n0,1,y\n-1,1,y\n",
    "alone": "a,b,kind\n1,2,x\n2,1,x\n",
    "four": "a,b,c,d,kind\n1,0,2,1,x\n0,1,1,2,x\n1,1,0,1,y\n2,0,1,0,y\n0,2,0,1,x\n1,2,1,0,y\n",
    "three": "a,b,kind\n0,0,red\n1,0,red\n0,1,red\n5,0,green\n6,0,green\n5,1,green\n0,5,blue\n1,6,blue\n3,2,blue\n",
    "level": "x,y\n1,no\n1,yes\n1,no\n1,yes\n2,yes\n0,no\n",
    "none": "x,y\n1,\n2,\n",
}
"""line: an offset parts it, nothing through the origin does. level: rows with one score, of either class."""
VARYING = re.compile(r"(\d+\.\d+(?= s\b)|(?<= )\d\.\d{3}$)", re.MULTILINE)
"""Seconds."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("restrictions")
    for name, text in TABLES.items():
        (path / f"{name}.csv").write_text(text)
        *numbers, labels = zip(*(line.split(",") for line in text.splitlines()[1:]), strict=True)
        np.savez(path / f"{name}32.npz", X=np.array(numbers, np.float32).T, y=np.array(labels))
    return path


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.txt")), ids=lambda path: path.stem)
def test_every_sentence_under_every_restriction(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each `$ rosenblatt …` prints what follows it. GOLDEN=write records what it prints now."""
    monkeypatch.chdir(folder)
    expected, found = path.read_text(encoding="utf-8"), ""
    for line in re.findall(r"^\$ rosenblatt (.*)$", expected, re.MULTILINE):
        done = run(*shlex.split(line))
        found += f"$ rosenblatt {line}\n{VARYING.sub('0.0', done.out)}{done.err}"
        found += f"[exit code {done.code}]\n\n" if done.code else "\n"
    if os.environ.get("GOLDEN") == "write":
        path.write_text(found, encoding="utf-8")
    assert found == expected
