"""The certificate file: JSON that says which rows it is about and holds the proof in integers.

Integers that may be long are strings in base 16: Python reads those in linear time and of any length, while it refuses
decimal ones of more than 4,300 digits. Floats of an enclosure are written as float.hex() does, exactly. Row numbers
count from 0.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from dataclasses import dataclass
from typing import Any

from ...errors import DataError, ModelError
from ...write.files import whole_file
from ..problem import Problem
from .certificate import Certificate, Enclosure, Farkas, Separator
from .integers import whole

FORMAT = "rosenblatt certificate"
SCHEMA = 1
LIMIT = 2_000_000_000
"""Bytes of a file, at the most."""
HEX = re.compile(r"-?0x[0-9a-f]+", re.ASCII)
CLAIMS = {
    "separator": "separable: y(w·x + b) > 0 for every row",
    "farkas": "not separable: λ ≥ 0, Σλ = 1, Σ λᵢ yᵢ x̄ᵢ = 0",
    "enclosure": "not separable: near these multipliers are exact λ > 0 with Σ λᵢ yᵢ x̄ᵢ = 0",
}


@dataclass(frozen=True, repr=False)
class Saved:
    """A certificate as a file holds it, and the rows that it is about.

    n, d: rows and columns. dtype: "float32" or "float64". storage: "dense" or "sparse". classes: the labels of −1 and
    +1. digest: of the rows and signs, see `Problem.digest`. recipe: how a command read them, None of arrays in Python.
    version: of the program that wrote it. path: of the file.
    """

    certificate: Certificate
    n: int
    d: int
    dtype: str
    storage: str
    fit_intercept: bool
    classes: tuple[Any, Any]
    digest: str
    recipe: dict[str, Any] | None
    version: str
    path: str

    @property
    def separable(self) -> bool:
        return isinstance(self.certificate, Separator)

    def problem(self, problem: Problem) -> Problem:
        """The rows in the certificate's sense, with the signs turned where the labels are in the other order.

        Raises DataError with what is different where they are not the rows that the certificate is about.
        """
        if list(map(label_text, problem.classes)) == list(map(label_text, reversed(self.classes))):
            problem = problem._replace(y=-problem.y, classes=problem.classes[::-1])
        has, own = _about(problem), {name: getattr(self, name) for name in ("n", "d", "dtype", "storage")}
        own["fit_intercept"] = self.fit_intercept
        for name, words in WORDS.items():
            if has[name] != own[name]:
                found = f"{words(has[name])}, the certificate is about {words(own[name])}"
                raise DataError(f"the rows are not those that the certificate is about: {found}")
        texts = [" and ".join(map(label_text, each)) for each in (problem.classes, self.classes)]
        if texts[0] != texts[1]:
            found = f"labels {texts[0]}, the certificate is about {texts[1]}"
            raise DataError(f"the rows are not those that the certificate is about: {found}")
        if has["digest"] != self.digest:
            found = "as many, with the same labels, but some value, sign or the order is different (SHA-256)"
            raise DataError(f"the rows are not those that the certificate is about: {found}")
        return problem

    def __str__(self) -> str:
        where = "with offset" if self.fit_intercept else "through the origin"
        verdict = "separable" if self.separable else "not separable"
        size = f"{self.n:,} {self.storage} rows, {self.d:,} columns, {self.dtype}, {where}"
        return f"{verdict}, to be verified: a {self.certificate.kind} ({size}; {self.path})"

    def __repr__(self) -> str:
        return f"<Saved: {self}>"

    def verify(self, problem: Problem) -> bool:
        """Whether it proves its verdict about these rows, in integers alone (an enclosure: by its bounds).

        Raises DataError where they are other rows.
        """
        return self.certificate.plain(self.problem(problem))


WORDS: dict[str, Any] = {
    "n": lambda value: f"{value:,} rows",
    "d": lambda value: f"{value:,} columns",
    "dtype": str,
    "storage": lambda value: f"{value} rows",
    "fit_intercept": lambda value: "hyperplanes with an offset" if value else "hyperplanes through the origin",
}


def label_text(label: Any) -> str:
    """A label as it is compared and told: whole numbers without a fraction."""
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return "no rows" if label is None else str(label)


def _about(problem: Problem) -> dict[str, Any]:
    return {
        "n": problem.n,
        "d": problem.d,
        "dtype": problem.dtype.name,
        "storage": problem.rows.storage,
        "fit_intercept": bool(problem.fit_intercept),
        "classes": [each if isinstance(each, (str, int, float, type(None))) else str(each) for each in problem.classes],
        "digest": problem.digest(),
    }


def save_certificate(
    path: str | os.PathLike[str], certificate: Certificate, problem: Problem, recipe: dict[str, Any] | None = None
) -> None:
    """Write it, whole or not at all. recipe: how the rows were read, as `cli.problem.Wanted.recipe` gives it.

    Raises ModelError where the file cannot be written.
    """
    from ... import __version__

    content: dict[str, Any] = {
        "format": FORMAT,
        "schema": SCHEMA,
        "version": __version__,
        "kind": certificate.kind,
        "claim": CLAIMS[certificate.kind],
        "rows_count_from": 0,
        "data": {**_about(problem), "recipe": recipe},
        "proof": in_text(certificate),
    }
    content["digest"] = _digest(content)
    try:
        with whole_file(path) as file:
            file.write(json.dumps(content, indent=1, ensure_ascii=True).encode() + b"\n")
    except OSError as error:
        raise ModelError(f"{os.fspath(path)}: cannot be written: {error.strerror or error}") from None


def in_text(found: Certificate) -> dict[str, Any]:
    """The numbers of a proof, for JSON."""
    if isinstance(found, Separator):
        return {"w": [hex(each) for each in found.w], "b": hex(found.b), "denominator": hex(found.denominator)}
    if isinstance(found, Farkas):
        multipliers = [hex(each) for each in found.multipliers]
        return {"rows": list(found.rows), "multipliers": multipliers, "denominator": hex(found.denominator)}
    multipliers = [float(each).hex() for each in found.multipliers]
    return {"rows": list(found.rows), "multipliers": multipliers, "basis": list(found.basis)}


def _digest(content: dict[str, Any]) -> str:
    """SHA-256 of everything else in the file: a slip of a disk or hand is named as such."""
    rest = {name: value for name, value in content.items() if name != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def read_certificate(path: str | os.PathLike[str]) -> Saved:
    """The certificate in the file at path. ModelError in one sentence for anything that is not a whole one of ours."""
    path = os.fspath(path)
    content = _content(path)
    try:
        return _saved(content, path)
    except _Damaged as found:
        raise ModelError(f"{path}: damaged: {found}") from None
    except KeyError as error:
        raise ModelError(f"{path}: damaged: {error.args[0]!r} is missing") from None


class _Damaged(Exception):
    """What is wrong, in words."""


def _content(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            start = file.read(200)  # a data set given as a certificate may be huge
            if not start.lstrip().startswith(b"{") or FORMAT.encode() not in start:
                raise ModelError(f"{path}: not a certificate of rosenblatt")
            raw = start + file.read(LIMIT)
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from None
    if len(raw) > LIMIT:
        raise ModelError(f"{path}: damaged: longer than {LIMIT:,} bytes")
    try:
        content = json.loads(raw.decode("ascii"), object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        raise ModelError(f"{path}: damaged, or truncated: not valid JSON") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ModelError(f"{path}: not a certificate of rosenblatt")
    schema: Any = content.get("schema")
    if not whole(schema) or schema < 1:
        raise ModelError(f"{path}: damaged: schema {schema!r} is not a version number")
    if schema > SCHEMA:
        raise ModelError(f"{path}: written by a newer version (schema {schema}; this one reads up to {SCHEMA})")
    return content


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name twice")
    return found


def _saved(content: dict[str, Any], path: str) -> Saved:
    data, proof, kind = content["data"], content["proof"], content["kind"]
    if not isinstance(data, dict) or not isinstance(proof, dict):
        raise _Damaged("data and proof must be objects")
    if not isinstance(kind, str) or kind not in CLAIMS:
        raise _Damaged(f"there is no kind {kind!r:.50}; the kinds are {', '.join(CLAIMS)}")
    if content["rows_count_from"] != 0 or content["claim"] != CLAIMS[kind]:
        raise _Damaged("its claim is not the one of its kind")
    n, d = (_number(data[name], name, 0, 2**48) for name in ("n", "d"))
    if data["dtype"] not in ("float32", "float64") or not isinstance(data["storage"], str):
        raise _Damaged("the values must be float32 or float64, dense or sparse")
    classes = data["classes"]
    if not isinstance(classes, list) or len(classes) != 2 or any(isinstance(each, (list, dict)) for each in classes):
        raise _Damaged("classes must be two labels")
    if not isinstance(data["fit_intercept"], bool) or not isinstance(data["recipe"], (dict, type(None))):
        raise _Damaged("fit_intercept must be true or false, and recipe an object or null")
    if not isinstance(data["digest"], str) or not isinstance(content["version"], str):
        raise _Damaged("digest and version must be texts")
    certificate = _certificate(kind, proof, n, d)
    if isinstance(certificate, Separator) and certificate.b and not data["fit_intercept"]:
        raise _Damaged("b must be 0 without an offset")
    if content["digest"] != _digest(content):
        raise _Damaged("the contents do not fit their digest")
    about = (data["dtype"], data["storage"], data["fit_intercept"], (classes[0], classes[1]), data["digest"])
    return Saved(certificate, n, d, *about, data["recipe"], content["version"], path)


def _certificate(kind: str, proof: dict[str, Any], n: int, d: int) -> Certificate:
    if kind == "separator":
        w = [_integer(each, "w") for each in _list(proof["w"], "w")]
        if len(w) != d:
            raise _Damaged(f"{len(w):,} weights for {d:,} columns")
        return Separator(tuple(w), _integer(proof["b"], "b"), _positive(proof["denominator"]))
    rows = [_number(each, "a row number", 0, n - 1) for each in _list(proof["rows"], "rows")]
    multipliers = _list(proof["multipliers"], "multipliers")
    if not rows or len(rows) != len(multipliers):
        raise _Damaged(f"{len(multipliers):,} multipliers for {len(rows):,} rows")
    if len(set(rows)) != len(rows):
        raise _Damaged("a row number is there twice")
    if kind == "farkas":
        values, denominator = [_integer(each, "a multiplier") for each in multipliers], _positive(proof["denominator"])
        if min(values) < 0:
            raise _Damaged("a multiplier is negative")
        if sum(values) != denominator:
            raise _Damaged("the multipliers do not sum to the denominator")
        return Farkas(tuple(rows), tuple(values), denominator)
    basis = [_number(each, "a row number", 0, n - 1) for each in _list(proof["basis"], "basis")]
    if len(set(basis)) != len(basis) or not set(basis) <= set(rows):
        raise _Damaged("the basis must be some of the rows, none twice")
    return Enclosure(tuple(rows), tuple(map(_float, multipliers)), tuple(basis))


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise _Damaged(f"{name} must be a list")
    return value


def _number(value: Any, name: str, least: int, most: int) -> int:
    if not whole(value) or not least <= value <= most:
        raise _Damaged(f"{name} must be a whole number from {least:,} to {most:,}, found {value!r:.40}")
    return int(value)


def _integer(value: Any, name: str) -> int:
    if not isinstance(value, str) or not HEX.fullmatch(value):
        raise _Damaged(f'{name} must be an integer in base 16, as "0x1f", found {value!r:.40}')
    return int(value, 16)


def _positive(value: Any) -> int:
    found = _integer(value, "denominator")
    if found <= 0:
        raise _Damaged("the denominator must be above 0")
    return found


def _float(value: Any) -> float:
    try:
        found = float.fromhex(value)
    except (TypeError, ValueError, OverflowError):
        raise _Damaged(f'a multiplier must be a float in base 16, as "0x1.8p-3", found {value!r:.40}') from None
    if not (math.isfinite(found) and found > 0.0):
        raise _Damaged("a multiplier is not above 0")
    return found
