"""`rosenblatt warm`: after it, a first run finds everything compiled."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rosenblatt
from command import well


def test_it_says_what_is_ready() -> None:
    values = json.loads(well("warm", "--rules", "perceptron", "--json", ROSENBLATT_JIT="1").out)
    assert values["rules"] == ["perceptron"] and values["ready"] == 9 and 0 <= values["compiled"] <= 9
    again = well("warm", "--rules", "perceptron", ROSENBLATT_JIT="1").out
    assert again.startswith("9 loops are ready, 0 of them compiled in ")


@pytest.mark.slow
def test_a_first_run_compiles_nothing_after_it(tmp_path: Path) -> None:
    """In a copy of the package, which has a cache of its own."""
    shutil.copytree(
        Path(rosenblatt.__file__).parent, tmp_path / "rosenblatt", ignore=shutil.ignore_patterns("__pycache__")
    )
    own = {**os.environ, "PYTHONPATH": str(tmp_path), "HOME": str(tmp_path)}
    line = [sys.executable, "-m", "rosenblatt", "warm", "--json"]
    ready = [json.loads(subprocess.run(line, env=own, check=True, capture_output=True).stdout) for _ in range(2)]
    assert ready[0]["compiled"] == ready[0]["ready"] == ready[1]["ready"] and ready[1]["compiled"] == 0
    data = tmp_path / "four.svm"
    data.write_text("1 1:2 3:0.5\n-1 2:1\n1 1:1\n-1\n")
    for rule in ready[0]["rules"]:
        code = f"""
from rosenblatt import Recipe
from rosenblatt.core.dispatch import versions
Recipe(rule={rule!r}, max_iter=3).fit({str(data)!r})
print(sum(versions().values()), len(versions()))
"""
        if rule != "multi-class-perceptron":
            done = subprocess.run([sys.executable, "-c", code], env=own, check=True, capture_output=True, text=True)
            assert done.stdout.startswith("0 ") and done.stdout != "0 0\n", (rule, done.stdout)
