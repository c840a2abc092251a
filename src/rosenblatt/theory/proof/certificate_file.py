"""The certificate file: JSON that says which rows it is about and holds the proof in integers.

Integers that may be long are strings in base 16: Python reads those in linear time and of any length, while it refuses
decimal ones of more than 4,300 digits. Floats of an enclosure are written as float.hex() does, exactly. Row numbers
count from 0.
"""

import hashlib
import json
import math
import os
import re
from dataclasses import dataclass, fields
from typing import Any

from ...errors import DataError, ModelError
from ...write.files import whole_file
from ..problem import Problem
from .certificate import Certificate, Enclosure, Farkas, Separator
from .integers import whole

FORMAT = "rosenblatt certificate"
SCHEMA = 2
"""1: about columns; 2: in a kernel's space. A file says the lowest number that reads it."""
LIMIT = 2_000_000_000
"""Bytes of a file, at the most."""
HEX = re.compile(r"-?0x[0-9a-f]+", re.ASCII)
KINDS: dict[str, type[Certificate]] = {each.kind: each for each in (Separator, Farkas, Enclosure)}


@dataclass(frozen=True, repr=False)
class Saved:
    """A certificate as a file holds it, and the rows that it is about.

    n, d: rows and columns. dtype: "float32" or "float64". storage: "dense" or "sparse". classes: the labels of −1 and
    +1. kernel: in whose space the proof is, None: of the columns; weights: how many its hyperplanes have there. digest:
    of the rows and signs, see `Problem.digest`. recipe: how a command read them, None of arrays in Python.
    version: of the program that wrote it. path: of the file.
    """

    certificate: Certificate
    n: int
    d: int
    dtype: str
    storage: str
    fit_intercept: bool
    classes: tuple[Any, Any]
    kernel: str | None
    weights: int
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
        has = _about(problem)
        others = "the rows are not those that the certificate is about: "
        for name, words in WORDS.items():
            here, there = words(has[name]), words(getattr(self, name))
            if here != there:
                what = "labels " if name == "classes" else ""
                raise DataError(f"{others}{what}{here}, the certificate is about {there}")
        if has["digest"] != self.digest:
            why = "as many, with the same labels, but some value, sign or the order is different (SHA-256)"
            raise DataError(others + why)
        return problem

    def __str__(self) -> str:
        where = "with offset" if self.fit_intercept else "through the origin"
        verdict = "separable" if self.separable else "not separable"
        space = "" if self.kernel is None else f", in the space of {self.kernel}"
        size = f"{self.n:,} {self.storage} rows, {self.d:,} columns, {self.dtype}, {where}{space}"
        return f"{verdict}, to be verified: a {self.certificate.kind} ({size}; {self.path})"

    def __repr__(self) -> str:
        return f"<Saved: {self}>"

    def verify(self, problem: Problem) -> bool:
        """Whether it proves its verdict about these rows, in integers alone (an enclosure: by its bounds).

        Raises DataError where they are other rows.
        """
        problem = self.problem(problem)
        allowed = problem.space is None or problem.space.allows(problem, self.certificate)
        return bool(allowed) and self.certificate.plain(problem)


WORDS: dict[str, Any] = {
    "n": lambda value: f"{value:,} rows",
    "d": lambda value: f"{value:,} columns",
    "dtype": str,
    "storage": lambda value: f"{value} rows",
    "fit_intercept": lambda value: "hyperplanes with an offset" if value else "hyperplanes through the origin",
    "classes": lambda value: " and ".join(map(label_text, value)),
    "kernel": lambda value: "no kernel's space" if value is None else f"the space of {value}",
    "weights": lambda value: f"{value:,} weights",
}


def label_text(label: Any) -> str:
    """A label as it is compared and told: whole numbers without a fraction."""
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return "no rows" if label is None else str(label)


def _about(problem: Problem) -> dict[str, Any]:
    """Of the rows as they are, whose kernel values are made again."""
    rows = problem.given
    return {
        "n": rows.n,
        "d": rows.width,
        "dtype": rows.dtype.name,
        "storage": rows.storage,
        "fit_intercept": bool(problem.fit_intercept),
        "classes": [each if isinstance(each, (str, int, float, type(None))) else str(each) for each in problem.classes],
        "digest": problem._replace(rows=rows).digest(),
        "kernel": problem.kernel,
        "weights": problem.d,
    }


def save_certificate(
    path: str | os.PathLike[str], certificate: Certificate, problem: Problem, recipe: dict[str, Any] | None = None
) -> None:
    """Write it, whole or not at all. recipe: how the rows were read, as `cli.problem.Wanted.recipe` gives it.

    Raises ModelError where the file cannot be written.
    """
    from ... import __version__

    about = _about(problem)
    if problem.space is None:
        del about["kernel"], about["weights"]
    content: dict[str, Any] = {
        "format": FORMAT,
        "schema": 1 if problem.space is None else SCHEMA,
        "version": __version__,
        "kind": certificate.kind,
        "claim": certificate.claim,
        "rows_count_from": 0,
        "data": about | {"recipe": recipe},
        "proof": in_text(certificate),
    }
    content["digest"] = _digest(content)
    try:
        with whole_file(path) as file:
            file.write(json.dumps(content, indent=1, ensure_ascii=True).encode() + b"\n")
    except OSError as error:
        raise ModelError(f"{os.fspath(path)}: cannot be written: {error.strerror or error}") from None


def in_text(certificate: Certificate) -> dict[str, Any]:
    """The numbers of a proof, for JSON."""
    plain = ("rows", "basis")
    return {name: list(value) if name in plain else _in_hex(value) for name, value in vars(certificate).items()}


def _in_hex(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_in_hex(each) for each in value]
    return value.hex() if isinstance(value, float) else hex(value)


def _digest(content: dict[str, Any]) -> str:
    """SHA-256 of everything else in the file: a slip of a disk or hand is named as such."""
    rest = {name: value for name, value in content.items() if name != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def read_certificate(path: str | os.PathLike[str]) -> Saved:
    """The certificate in the file at path. ModelError in one sentence for anything that is not a whole one of ours."""
    path = os.fspath(path)
    try:
        return _saved(_content(path), path)
    except ModelError as error:
        raise error.within(f"{path}: ") from None
    except KeyError as error:
        raise ModelError(f"{path}: damaged: {error.args[0]!r} is missing") from None


def _content(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            start = file.read(200)  # a data set given as a certificate may be huge
            if not start.lstrip().startswith(b"{") or FORMAT.encode() not in start:
                raise ModelError("not a certificate of rosenblatt")
            raw = start + file.read(LIMIT)
    except OSError as error:
        raise ModelError(f"cannot be read: {error.strerror or error}") from None
    _demand(len(raw) <= LIMIT, f"longer than {LIMIT:,} bytes")
    try:
        content = json.loads(raw.decode("ascii"), object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        raise ModelError("damaged, or truncated: not valid JSON") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ModelError("not a certificate of rosenblatt")
    schema: Any = content.get("schema")
    _demand(whole(schema) and schema >= 1, f"schema {schema!r} is not a version number")
    if schema > SCHEMA:
        raise ModelError(f"written by a newer version (schema {schema}; this one reads up to {SCHEMA})")
    return content


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a name twice")
    return dict(pairs)


def _saved(content: dict[str, Any], path: str) -> Saved:
    data, proof, kind = content["data"], content["proof"], content["kind"]
    _demand(isinstance(data, dict) and isinstance(proof, dict), "data and proof must be objects")
    known = isinstance(kind, str) and kind in KINDS
    _demand(known, f"there is no kind {kind!r:.50}; the kinds are {', '.join(KINDS)}")
    claimed = content["rows_count_from"] == 0 and content["claim"] == KINDS[kind].claim
    _demand(claimed, "its claim is not the one of its kind")
    data = {"kernel": None, "weights": data["d"], **data}  # schema 1
    n, _, weights = (_number(data[name], name, 0, 2**48) for name in ("n", "d", "weights"))
    classes, digests = data["classes"], (data["digest"], content["version"])
    two = isinstance(classes, list) and len(classes) == 2 and not any(isinstance(one, (list, dict)) for one in classes)
    typed = data["dtype"] in ("float32", "float64") and isinstance(data["storage"], str)
    read = isinstance(data["fit_intercept"], bool) and isinstance(data["recipe"], (dict, type(None)))
    _demand(typed, "the values must be float32 or float64, dense or sparse")
    _demand(two, "classes must be two labels")
    of_columns = data["kernel"] is None and weights == data["d"]
    _demand(
        of_columns or isinstance(data["kernel"], str), "kernel must be a text, or null with a weight for each column"
    )
    _demand(read, "fit_intercept must be true or false, and recipe an object or null")
    _demand(all(isinstance(each, str) for each in digests), "digest and version must be texts")
    parts: dict[str, Any] = {field.name: _part(field.name, kind, proof[field.name], n) for field in fields(KINDS[kind])}
    certificate = KINDS[kind](**parts)
    flaw = certificate.flaw(weights, data["fit_intercept"])
    _demand(not flaw, flaw)
    _demand(content["digest"] == _digest(content), "the contents do not fit their digest")
    about = {name: data[name] for name in (*WORDS, "digest", "recipe")} | {"classes": tuple(classes)}
    return Saved(certificate, **about, version=content["version"], path=path)


def _part(name: str, kind: str, value: Any, n: int) -> Any:
    """A field of a proof, read."""
    if name in ("b", "denominator"):
        number = _integer(value, name)
        _demand(name == "b" or number > 0, "the denominator must be above 0")
        return number
    _demand(isinstance(value, list), f"{name} must be a list")
    if name in ("rows", "basis"):
        return tuple(_number(each, "a row number", 0, n - 1) for each in value)
    if kind == "enclosure":
        return tuple(map(_float, value))
    return tuple(_integer(each, "w" if name == "w" else "a multiplier") for each in value)


def _demand(met: Any, otherwise: str) -> None:
    if not met:
        raise ModelError(f"damaged: {otherwise}")


def _number(value: Any, name: str, least: int, most: int) -> int:
    fits = whole(value) and least <= value <= most
    _demand(fits, f"{name} must be a whole number from {least:,} to {most:,}, found {value!r:.40}")
    return int(value)


def _integer(value: Any, name: str) -> int:
    fits = isinstance(value, str) and HEX.fullmatch(value)
    _demand(fits, f'{name} must be an integer in base 16, as "0x1f", found {value!r:.40}')
    return int(value, 16)


def _float(value: Any) -> float:
    try:
        number = float.fromhex(value)
    except (TypeError, ValueError, OverflowError):
        words = f'a multiplier must be a float in base 16, as "0x1.8p-3", found {value!r:.40}'
        raise ModelError(f"damaged: {words}") from None
    _demand(0.0 < number < math.inf, "a multiplier is not above 0")
    return number
