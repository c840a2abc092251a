"""Certificate files and `rosenblatt verify`: anyone can check them, and what was tampered with is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import pages
from command import run
from proofs import crowded, proves
from rosenblatt import Recipe
from rosenblatt.errors import DataError, ModelError
from rosenblatt.theory.problem import Problem, as_problem
from rosenblatt.theory.proof.certificate import Farkas, Separator
from rosenblatt.theory.proof.certificate_file import Saved, read_certificate, save_certificate
from rosenblatt.theory.proof.farkas import decide, enclose


def made(folder: Path, separable: bool = False, recipe: dict[str, Any] | None = None) -> tuple[Path, Problem]:
    x = np.array([[0.0, 0.1], [1.1, 1.3], [0.1, 0.9], [0.7, 0.3], [-1.0, 4.0]])
    problem = as_problem(x, ["a", "b", "a", "b", "a"] if separable else ["a", "a", "b", "b", "b"])
    path = folder / "it.proof"
    save_certificate(path, decide(problem), problem, recipe)
    return path, problem


SCRIPT = """
import json, sys
from fractions import Fraction

proof_path, data_path = sys.argv[1:]
found = json.load(open(proof_path))
data, proof = found["data"], found["proof"]
rows = []
for line in open(data_path):
    *values, label = line.split(",")
    y = 1 if label.strip() == data["classes"][1] else -1
    bar = [Fraction(float(value)) for value in values] + [Fraction(1)] * data["fit_intercept"]
    rows.append([y * value for value in bar])
whole = int(proof["denominator"], 16)
if found["kind"] == "separator":
    w = [int(each, 16) for each in [*proof["w"], proof["b"]]]
    good = whole > 0 and all(sum(a * b for a, b in zip(row, w)) > 0 for row in rows)
else:
    lam = [Fraction(int(each, 16), whole) for each in proof["multipliers"]]
    chosen = [rows[i] for i in proof["rows"]]
    good = min(lam) >= 0 and sum(lam) == 1
    good = good and all(sum(a * row[j] for a, row in zip(lam, chosen)) == 0 for j in range(len(rows[0])))
assert not {"numpy", "rosenblatt", "flint"} & set(sys.modules)
print(found["kind"], len(rows), good)
"""


@pytest.mark.parametrize("separable", [False, True])
def test_anyone_can_check_it(separable: bool, tmp_path: Path) -> None:
    """In another process that has the standard library alone, from the file and the data."""
    path, problem = made(tmp_path, separable)
    labels = [problem.classes[int(y > 0)] for y in problem.y]
    data = tmp_path / "data.csv"
    lines = [",".join([*map(repr, row), label]) for row, label in zip(problem.x.tolist(), labels, strict=True)]
    data.write_text("\n".join(lines) + "\n")
    (tmp_path / "check.py").write_text(SCRIPT)
    other = {"a": "b", "b": "a"}

    def checked() -> str:
        words = [sys.executable, "-I", "-S", str(tmp_path / "check.py"), str(path), str(data)]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()

    kind = "separator" if separable else "farkas"
    assert checked() == f"{kind} 5 True"
    data.write_text("\n".join([lines[0][:-1] + other[lines[0][-1]], *lines[1:]]) + "\n")
    assert checked() == f"{kind} 5 False"


def test_the_checker_in_the_docs_checks(tmp_path: Path) -> None:
    """The block of docs/theory/certificates.md, as it stands."""
    page = next((each for each in pages.pages() if each.name == "certificates.md"), None)
    assert page is not None
    (block,) = pages.blocks(page, "python")
    script, data, path = tmp_path / "check.py", tmp_path / "it.csv", tmp_path / "it.proof"
    script.write_text(block.text, encoding="utf-8")
    rows = {"a,b,kind": "", "0,0": "red", "2,2": "red", "0,2": "blue", "2,0": "blue"}
    data.write_text("".join(f"{row},{label}".rstrip(",") + "\n" for row, label in rows.items()))
    assert run("separable", data, "--save", path).code == 0
    words = [sys.executable, "-I", "-S", str(script), str(path), str(data)]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "proven\n"
    data.write_text(data.read_text().replace("2,2", "2,1.9999999"))
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "not proven\n"


def same(a: Saved, b: Saved) -> bool:
    return replace(a, path="") == replace(b, path="")


@pytest.mark.parametrize("separable", [False, True])
def test_a_file_gives_back_what_was_saved(separable: bool, tmp_path: Path) -> None:
    path, problem = made(tmp_path, separable, {"reading": {}, "features": {}, "only": None, "positive": None})
    saved = read_certificate(path)
    assert saved.separable == separable and saved.verify(problem) and saved.certificate == decide(problem)
    before = path.read_bytes()
    save_certificate(path, saved.certificate, problem, saved.recipe)
    assert path.read_bytes() == before
    turned = problem._replace(y=-problem.y, classes=problem.classes[::-1])
    assert saved.verify(turned)  # the order of the labels is no difference


def test_an_enclosure_is_kept_to_the_last_bit(tmp_path: Path) -> None:
    problem, lam = crowded(np.random.default_rng(4), 40, 5)
    found = enclose(problem, np.arange(40), lam)
    assert found is not None
    save_certificate(tmp_path / "it", found, problem)
    saved = read_certificate(tmp_path / "it")
    assert saved.certificate == found and saved.verify(problem) and not saved.separable


def test_numbers_of_any_length_are_read(tmp_path: Path) -> None:
    """Longer than the 4,300 digits at which Python refuses decimal ones."""
    problem = as_problem(np.array([[1.0], [-1.0]]), [1, 0])
    big = Separator((2**40_000 + 1,), 0, 3**20_000)
    save_certificate(tmp_path / "it", big, problem)
    saved = read_certificate(tmp_path / "it")
    assert saved.certificate == big and saved.verify(problem)


@given(st.data(), st.booleans(), st.booleans())
@settings(max_examples=150, deadline=None)
def test_any_other_digit_is_refused(data: Any, separable: bool, hidden: bool) -> None:
    """Of any number or name in the file; with `hidden` the file's own digest is made to fit again."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path, problem = made(Path(folder), separable)
        text = path.read_text()
        start, end = (text.index('"data"'), text.rindex('"digest"')) if hidden else (0, len(text))
        at = data.draw(st.sampled_from([i for i in range(start, end) if text[i].isdigit()]))
        digit = data.draw(st.sampled_from([each for each in "0123456789" if each != text[at]]))
        new = text[:at] + digit + text[at + 1 :]
        path.write_text(rehashed(new) if hidden else new)
        try:
            saved = read_certificate(path)
            proven = saved.verify(problem)
        except (ModelError, DataError):
            return
        assert hidden
        assert not proven or proves(problem, saved.certificate), new  # another true proof is no forgery


def rehashed(text: str) -> str:
    from rosenblatt.theory.proof.certificate_file import _digest

    try:
        content = json.loads(text)
    except ValueError:
        return text
    content["digest"] = _digest(content)
    return json.dumps(content)


def test_every_multiplier_counts(tmp_path: Path) -> None:
    problem, _ = crowded(np.random.default_rng(5), 30, 4)
    found = decide(problem)
    assert isinstance(found, Farkas) and found.check(problem)
    for i in range(len(found.rows)):
        more = tuple(each + (at == i) for at, each in enumerate(found.multipliers))
        assert not Farkas(found.rows, more, found.denominator + 1).check(problem)
        assert not Farkas(found.rows, more, found.denominator).check(problem)
    first, *others = found.multipliers
    assert not Farkas(found.rows, (-first, *others), found.denominator).check(problem)
    assert not Farkas(found.rows[:1] * 2 + found.rows[2:], found.multipliers, found.denominator).check(problem)
    assert not Farkas((*found.rows[1:], problem.n), found.multipliers, found.denominator).check(problem)
    assert not Farkas((), (), 1).check(problem)
    assert not Farkas(found.rows, tuple(0 for _ in found.rows), 0).check(problem)


BAD: list[tuple[str, Any, str]] = [
    ("schema", 0, "schema 0 is not a version number"),
    ("schema", 3, "newer version"),
    ("schema", True, "not a version number"),
    ("format", "other", "not a certificate"),
    ("kind", "guess", "no kind"),
    ("kind", [], "no kind"),
    ("claim", "separable", "claim"),
    ("rows_count_from", 1, "claim"),
    ("data", [], "must be objects"),
    ("data.n", -1, "n must be a whole number"),
    ("data.n", 2**60, "n must be a whole number"),
    ("data.d", "2", "d must be a whole number"),
    ("data.dtype", "int8", "float32 or float64"),
    ("data.storage", None, "dense or sparse"),
    ("data.classes", ["a"], "two labels"),
    ("data.classes", [["a"], "b"], "two labels"),
    ("data.fit_intercept", 1, "true or false"),
    ("data.recipe", "x", "recipe an object"),
    ("data.digest", 5, "must be texts"),
    ("version", "9", "do not fit their digest"),
    ("proof.rows", [0], "for 1 rows"),
    ("proof.rows", [0, 0, 1, 2], "twice"),
    ("proof.rows", [0, 1, 2, 5], "from 0 to 4"),
    ("proof.rows", [0, 1, 2, 1.0], "whole number"),
    ("proof.rows", {}, "must be a list"),
    ("proof.denominator", "0x0", "above 0"),
    ("proof.denominator", 10, "base 16"),
    ("proof.denominator", "0x1_0", "base 16"),
    ("proof.denominator", "0x7", "do not sum"),
    ("proof.multipliers", ["-0x1", "0x1", "0x1", "0x1"], "negative"),
    ("proof.multipliers", [1, 1, 1, 1], "base 16"),
]


@pytest.mark.parametrize(("name", "value", "said"), BAD)
def test_damage_is_named_in_one_sentence(name: str, value: Any, said: str, tmp_path: Path) -> None:
    path, _ = made(tmp_path)
    content = json.loads(path.read_text())
    assert len(content["proof"]["rows"]) == 4
    *parts, last = name.split(".")
    place = content[parts[0]] if parts else content
    place[last] = value
    path.write_text(json.dumps(content))
    with pytest.raises(ModelError) as caught:
        read_certificate(path)
    assert said in str(caught.value) and str(caught.value).startswith(str(path)) and "\n" not in str(caught.value)
    del place[last]
    path.write_text(json.dumps(content))
    with pytest.raises(ModelError):
        read_certificate(path)


@pytest.mark.parametrize("text", ["", "{", "[]", "a,b\n1,2\n", '{"format": "rosenblatt certificate"', "{" * 5000])
def test_what_is_no_certificate_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_text(text)
    with pytest.raises(ModelError, match="not a certificate|not valid JSON|missing"):
        read_certificate(tmp_path / "x")
    with pytest.raises(ModelError, match="cannot be read"):
        read_certificate(tmp_path / "none")


def test_names_twice_and_cut_files_are_refused(tmp_path: Path) -> None:
    path, _ = made(tmp_path)
    text = path.read_text()
    path.write_text(text.replace('"schema": 1,', '"schema": 1, "schema": 1,'))
    with pytest.raises(ModelError, match="not valid JSON"):
        read_certificate(path)
    for cut in range(0, len(text) - 2, 37):
        path.write_text(text[:cut])
        with pytest.raises(ModelError):
            read_certificate(path)


def test_other_rows_are_named_as_such(tmp_path: Path) -> None:
    path, problem = made(tmp_path)
    saved = read_certificate(path)
    x, y = problem.x, ["a", "a", "b", "b", "b"]
    moved = x.copy()
    moved[4, 1] = np.nextafter(moved[4, 1], 9)
    for other, said in (
        (as_problem(x[:4], y[:4]), "4 rows, the certificate is about 5 rows"),
        (as_problem(x[:, :1], y), "1 columns, the certificate is about 2 columns"),
        (as_problem(x.astype(np.float32), y), "float32, the certificate is about float64"),
        (as_problem(csr_array(x), y), "sparse rows, the certificate is about dense rows"),
        (as_problem(x, y, False), "through the origin, the certificate is about hyperplanes with an offset"),
        (as_problem(x, ["a", "a", "c", "c", "c"]), "labels a and c, the certificate is about a and b"),
        (as_problem(moved, y), "some value, sign or the order"),
        (as_problem(x[::-1], y[::-1]), "some value, sign or the order"),
    ):
        with pytest.raises(DataError, match="the rows are not those that the certificate is about") as caught:
            saved.verify(other)
        assert said in str(caught.value)


# --- the command


def iris(folder: Path, *more: str) -> tuple[Path, Path]:
    """A table of three classes, and the certificate of one against the rest."""
    rng = np.random.default_rng(6)
    names = [name for name in ("low", "mid", "top") for _ in range(6)]
    x = rng.normal(size=(18, 2)).round(2) + np.repeat([0.0, 1.0, 2.0], 6)[:, None]
    data = folder / "it.csv"
    lines = [f"{a},{b},{name}" for (a, b), name in zip(x.tolist(), names, strict=True)]
    data.write_text("\n".join(["a,b,label", *lines]) + "\n")
    return data, folder / "it.proof"


def saved_by_recipe(data: Path, path: Path, positive: str) -> Problem:
    from rosenblatt.cli.problem import Wanted, read
    from rosenblatt.cli.progress import Progress

    wish = Wanted(Recipe(scale="none", positive=positive))
    with Progress() as progress:
        problem = read(str(data), wish, progress).problems[0]
    save_certificate(path, decide(problem), problem, wish.as_dict())
    return problem


def test_verify_says_what_is_proven(tmp_path: Path) -> None:
    data, path = iris(tmp_path)
    for positive in ("mid", "low"):
        problem = saved_by_recipe(data, path, positive)
        found = decide(problem)
        done = run("verify", str(path), str(data))
        assert done.code == 0 and f"18 rows, 2 columns; {positive} against the rest, with an offset" in done.out
        verdict = "separable: every one" if isinstance(found, Separator) else "not separable: multipliers on"
        assert f"\n{verdict}" in done.out
        told = json.loads(run("verify", str(path), str(data), "--json").out)
        assert told["verified"] and told["exact"] and told["separable"] == isinstance(found, Separator)
    moved = tmp_path / "elsewhere.csv"
    data.rename(moved)
    assert run("verify", str(path), str(moved)).code == 0


def test_verify_refuses_other_rows_and_forgeries(tmp_path: Path) -> None:
    data, path = iris(tmp_path)
    problem = saved_by_recipe(data, path, "mid")
    text = data.read_text()
    data.write_text(text.replace("\n", "\n0.5,0.5,low\n", 1))
    done = run("verify", str(path), str(data))
    assert done.code == 3 and "19 rows, the certificate is about 18 rows" in done.err
    data.write_text(text.replace("mid", "new"))
    assert run("verify", str(path), str(data)).code == 3
    data.write_text(text)
    forged = Separator((1, 0), 0, 1)
    save_certificate(path, forged, problem, json.loads(path.read_text())["data"]["recipe"])
    done = run("verify", str(path), str(data))
    assert done.code == 4 and "does not prove its claim" in done.err
    none: dict[str, Any] = {"only": None, "positive": None}
    for recipe in (
        {"reading": {"no_such": 1}},
        {"reading": {}, "features": {"no_such": 1}, **none},
        {"reading": "x", "features": {}, **none},
    ):
        save_certificate(path, decide(problem), problem, recipe)
        done = run("verify", str(path), str(data))
        assert done.code == 4 and "recipe" in done.err
    assert run("verify", str(data), str(data)).code == 4


def test_verify_of_rows_from_python_takes_the_options_given(tmp_path: Path) -> None:
    """Without a recipe; the format is told, the labels are in the other order."""
    data, path = iris(tmp_path)
    x = np.array([[1.0, 2.0], [3.0, 5.0], [2.0, 2.0]])
    problem = as_problem(x, [0, 1, 0], positive=0)
    save_certificate(path, decide(problem), problem)
    data.write_text("1,2,0\n3,5,1\n2,2,0\n")
    done = run("verify", str(path), str(data), "--format", "table", "--no-header", "--label", "3")
    assert done.code == 0, done.err
