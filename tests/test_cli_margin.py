"""`rosenblatt margin`: what it prints of each margin, its words, and what it refuses."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from command import run, well

TWO = "1 1:4 2:6\n-1 1:1 2:2\n1 1:9 2:9\n"


def test_the_command_names_each_margin_with_its_bounds(write: Any) -> None:
    told = well("margin", write(TWO)).out
    assert "with a free offset (γ): 2.5\n" in told and "with the bias as a feature (γ̄): " in told
    assert "at least 2.5, at most 2.5, gap " in told
    assert "support: 2 rows (1, 2)" in told and "mistakes possible for the perceptron: " in told


def test_the_command_through_the_origin_shows_no_other_margin(write: Any) -> None:
    told = well("margin", write("1 1:2\n-1 1:-1\n"), "--no-intercept").out
    assert "through the origin (γ₀): 1\n" in told and "γ̄" not in told
    assert "mistakes possible for the perceptron: 4\n" in told


def test_the_command_speaks_of_options_and_columns(write: Any) -> None:
    """--max-time 0 was refused as time_limit=0.0, and columns were features in the first line."""
    data = write(TWO)
    done = run("margin", data, "--max-time", "0")
    assert done.code == 2 and "--max-time 0" in done.err and "time_limit" not in done.err
    assert well("margin", data).out.startswith("3 rows, 2 columns; 1 against -1, with an offset: separable\n")


def test_the_command_in_json(write: Any) -> None:
    found = json.loads(well("margin", write(TWO), "--json").out)
    (row,) = found["margins"]
    assert row["margin"] == pytest.approx(2.5) and row["support"] == [1, 2] and row["separable"]
    assert row["lower_bound"] <= row["margin"] <= row["upper_bound"]
    assert row["margin_with_bias"] < 2.5 and row["radius"] == pytest.approx(math.sqrt(163))
    assert found["rows"] == 3 and found["features"] == 2 and found["fit_intercept"] is True


def test_the_command_says_which_classes_are_not_separable(write: Any) -> None:
    told = well("margin", write("1 1:0\n2 1:1\n3 1:2\n4 1:9\n")).out.splitlines()
    assert [line.split()[1] for line in told[2:]] == ["0.5", "not", "not", "3.5"]


def test_the_command_refuses_rows_that_are_not_separable(write: Any) -> None:
    done = run("margin", write("1 1:0\n-1 1:1\n1 1:2\n"))
    assert done.code == 3 and done.out == ""
    assert "not separable with an offset" in done.err and len(done.err.splitlines()) == 1
