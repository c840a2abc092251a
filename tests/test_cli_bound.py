"""`rosenblatt bound`: sentences with one's own numbers, JSON, pictures, and refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from command import NUMBERS, THREE, run, well, write
from rosenblatt.core.loop import Keep
from rosenblatt.theory.ledger.ledger import Ledger


def test_the_command_says_it_in_sentences(tmp_path: Path) -> None:
    data = write(tmp_path / "data.svm", "1 1:2 3:1\n-1 2:3\n1 1:1\n-1 2:2 3:1\n1 1:4 2:1\n")
    done = well("bound", data, "--order", "given", "--explain")
    assert "perceptron: 2 mistakes of at most 16 possible (R̄² = 18, γ̄ = 1.04881): 12 % used; holds" in done.out
    assert done.out.count("Why: ") == 7 and "does not apply: the rule is perceptron" in done.out
    bare = well("bound", data, "--no-intercept").out
    assert "γ₀ = " in bare and "γ̄" not in bare and "w̄" not in bare
    found = well("bound", data, "--json").json["problems"][0]
    assert [bound["name"] for bound in found["bounds"]].count("perceptron") == 1
    assert {bound["verdict"] for bound in found["bounds"]} == {"holds", "does not apply"}
    assert found["curves"]["additions"][-1] == found["additions"]


def test_the_command_draws(tmp_path: Path) -> None:
    data = write(tmp_path / "data.svm", NUMBERS)
    for suffix in (".png", ".svg"):
        well("bound", data, "--epochs", 5, "--plot", tmp_path / f"a{suffix}")
        assert (tmp_path / f"a{suffix}").stat().st_size > 1000
    assert "this run" in (tmp_path / "a.svg").read_text() or "theorem" in (tmp_path / "a.svg").read_text()
    assert run("bound", data, "--plot", tmp_path / "a.gif").code == 2


def test_the_command_says_that_theorems_are_about_plain_steps(tmp_path: Path) -> None:
    data = write(tmp_path / "data.svm", NUMBERS)
    out = well("bound", data, "--metric", "arow:r=2", "--epochs", 5, "--plot", tmp_path / "a.svg").out
    assert "followed: arow:r=2, keep last, online, rows shuffled\n" in out and " eta " not in out
    why = "does not apply: each column has a step of its own (--metric arow:r=2)"
    assert f"perceptron: {why}" in out and f"never stops: {why}" in out
    assert "theorems are not about" in (tmp_path / "a.svg").read_text()
    assert "(--l1 0.01)" in well("bound", data, "--l1", ".01", "--epochs", 5).out


def test_the_command_takes_each_class_against_the_rest(tmp_path: Path) -> None:
    data = write(tmp_path / "three.txt", THREE.replace("\t", ",").replace("a,", "a,", 1))
    csv = write(tmp_path / "three.csv", "kind,p,q,r\n" + data.read_text())
    out = well("bound", csv, "--label", "kind").out
    heads = [line for line in out.split("\n") if line.endswith("against the rest")]
    assert [head.split("; ")[1] for head in heads] == [f"{label} against the rest" for label in "abc"]
    assert "a against the rest" in well("bound", csv, "--label", "kind", "--positive", "a").out
    assert "b against a" in well("bound", csv, "--label", "kind", "--only", "a,b").out


def test_the_command_measures_by_a_model(tmp_path: Path) -> None:
    data = write(tmp_path / "data.svm", "1 1:2 3:1\n-1 2:3\n1 1:1\n-1 2:2 3:1\n")
    model, voted = tmp_path / "a.model", tmp_path / "b.model"
    well("train", data, "-o", model)
    well("train", data, "-o", voted, "--keep", "voted")
    assert "of the separator given" in well("bound", data, "--separator", model).out
    assert "of the separator given" in well("bound", data, "--separator", model, "--positive", "-1").out
    assert run("bound", data, "--separator", voted).code == 2
    well("train", write(tmp_path / "wrong.svm", "-1 1:2 3:1\n1 2:3\n"), "-o", model)
    refused = run("bound", data, "--separator", model)
    assert refused.code == 3 and "the separator is none" in refused.err


def test_settings_that_do_not_go_are_refused(tmp_path: Path) -> None:
    data = write(tmp_path / "data.svm", NUMBERS)
    assert run("bound", data, "--batch-size", 3).code == 2
    assert run("bound", data, "--rule", "nothing").code == 2
    assert run("bound", write(tmp_path / "one.svm", "1 1:2\n1 1:3\n")).code == 3


def test_the_shell_ends_with_70(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Ledger.steps

    def doubled(self: Ledger, keep: Keep, number: int) -> None:
        keep.coef[: keep.used[0]] *= 2.0
        plain(self, keep, number)

    monkeypatch.setattr(Ledger, "steps", doubled)
    done = run("bound", write(tmp_path / "a.svm", "1 1:1\n-1 2:1\n"))
    assert done.code == 70 and "BoundViolated: step 1" in done.err and "Traceback" not in done.err and not done.out
