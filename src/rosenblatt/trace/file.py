"""The file of a record: lines of JSON, and beside it, of long runs and wide rows, arrays."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..core.rows import Array
from ..data import labels
from ..errors import DataError, ModelError, RosenblattError, short
from ..model.file import settings_of
from ..read.open import open_bytes
from ..read.several import paths_of
from ..write.files import whole_files
from .lines import FORMAT, RECORDED, VERSION, Line, as_text, closing, written
from .observer import record_of
from .packing import chunk_of, digest_of, unpack
from .record import Entries, Record, Updates, Weights

BESIDE = ".safetensors"
"""Behind the name of the file, where arrays lie."""
MISFITS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
COPY = 1 << 20


def save(record: Record, path: str | os.PathLike[str]) -> list[str]:
    """Write a record, or that of a `Trace`, whole or not at all; gives the files that were written: path, and where
    there are arrays beside it `PATH.safetensors`. With .gz, .xz, .bz2 and .zst lines are compressed. ModelError where
    it cannot be written."""
    lines, beside = written(record_of(record))
    name = os.fspath(path)
    paths = [name, name + BESIDE] if beside else [name]
    try:
        with whole_files(*paths) as files:
            for _, text in closing(lines):
                files[0].write(f"{text}\n".encode())
            if beside:
                from safetensors.numpy import save as to_bytes

                plain = {name: np.ascontiguousarray(values) for name, values in beside.items()}
                files[1].write(to_bytes(plain, metadata={FORMAT: str(VERSION)}))
    except OSError as error:
        raise ModelError(f"{name}: cannot be written: {error.strerror or error}") from None
    return paths


def files_of(data: str) -> list[dict[str, Any]]:
    """Where data lie, for the record: label, path, and the SHA-256 of each that is one file, else None."""
    parts = getattr(data, "parts", [(None, path) for path in paths_of(data)])
    return [{"label": label, "path": path, "sha256": sha256_of(path)} for label, path in parts]


def sha256_of(path: str) -> str | None:
    """Of a file's bytes, as they lie there; None of a folder, a pipe, an address, and what is not there."""
    if not os.path.isfile(path):
        return None
    found = hashlib.sha256()
    with open(path, "rb") as file:
        while data := file.read(COPY):
            found.update(data)
    return found.hexdigest()


def read(path: str | os.PathLike[str]) -> Record:
    """The record in the file at path. ModelError, naming file and line, for what is none, is cut off, or changed."""
    saved = SavedTrace.load(path)
    if not saved.intact:
        raise ModelError(f"{saved.path}: changed since it was written; verifying it against its run says where")
    return saved.record


@dataclass(frozen=True)
class SavedTrace:
    """A file as it is. lines: each as a dict; texts: as it stands there."""

    path: str
    texts: list[str]
    lines: list[Line]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SavedTrace:
        """ModelError where the lines are none of ours, or not all are there; what is in them is not looked at."""
        name = os.fspath(path)
        with open_bytes(name) as stream:
            raw = _start(stream)
            if not raw.lstrip().startswith(b"{") or FORMAT.encode() not in raw:
                raise ModelError(f"{name}: not a trace of rosenblatt")
            raw += stream.read()
        texts = raw.decode("utf-8", "replace").split("\n")
        cut = "cut off: the last line of a trace has its end and digests"
        whole = texts.pop() == ""
        lines = [_parsed(text, name, number) for number, text in enumerate(texts, 1)]
        _check_version(lines[0], name) if lines else None
        if not whole or "end" not in lines[-1]:
            raise ModelError(f"{name}, line {max(len(texts), 1)}: {cut}")
        return cls(name, texts, lines)

    @property
    def head(self) -> Line:
        return self.lines[0]

    @property
    def last(self) -> Line:
        return self.lines[-1]

    @cached_property
    def unchanged(self) -> bool:
        """Whether the lines fit the digest at their end."""
        found = hashlib.sha256()
        for text in self.texts[:-1]:
            found.update(f"{text}\n".encode())
        found.update(f"{as_text({'end': self.last['end']})}\n".encode())
        return found.hexdigest() == self.last.get("digest")

    @property
    def intact(self) -> bool:
        """Whether the arrays beside them, too, are what they were."""
        if not self.unchanged:
            return False
        own = self.beside
        return all(digest_of({name: own[name]}) == digest for name, digest in self.last["end"]["beside"].items())

    @cached_property
    def beside(self) -> dict[str, Array]:
        """The arrays beside it. ModelError where they are not there."""
        from safetensors import SafetensorError
        from safetensors.numpy import load as from_bytes

        with self.placed(len(self.lines)):
            digests = dict(self.last["end"]["beside"])
        if not digests:
            return {}
        name = self.path + BESIDE
        try:
            with open(name, "rb") as file:
                arrays = from_bytes(file.read())
        except (OSError, SafetensorError) as error:
            why = getattr(error, "strerror", None) or error
            raise ModelError(f"{name}: cannot be read: {why}; arrays of {self.path} lie there") from None
        for each in digests:
            if each not in arrays:
                raise ModelError(f"{name}: damaged: {each} is missing")
        return arrays

    @cached_property
    def beginning(self) -> Record:
        """The record without updates: what the first line says."""
        with self.placed(1):
            return self._beginning(self.head)

    def _beginning(self, head: Line) -> Record:
        settings, data = settings_of(head["settings"]), dict(head["data"])
        classes = labels.from_json(head["classes"])
        facts = {name: head["weights"][key] for name, key in (("weights", "budget"), ("errors", "errors"))}
        facts["machine"] = {name: dict(head[name]) for name in ("versions", "cpu")}
        known = {"recipe": head["recipe"], "data": data.pop("name"), "files": data.pop("files")}
        facts |= {name: value for name, value in known.items() if value is not None}
        sizes = tuple(map(int, data.pop("chunks")))
        facts |= {name: value for name, value in head["more"].items() if name not in (*RECORDED, "rows")}
        chunk = None
        if head["rows"] is None:
            facts["rows"] = data
        else:
            chunk = chunk_of({name: unpack(values) for name, values in head["rows"].items()}, data["kernel"])
        k, d = map(int, head["weights"]["shape"])
        start = np.zeros((k, d)), np.zeros(k)
        if head["start"] is not None:
            start = self._array(head["start"]["w"]).reshape(k, d), self._array(head["start"]["b"]).reshape(k)
        begun = None
        if head["begun"] is not None:
            arrays = {name: self._array(value) for name, value in head["begun"]["arrays"].items()}
            begun = head["begun"]["run"], arrays
        order = None if head["order"] is None else np.array(head["order"], np.int64) - 1
        empty = Entries(*(np.empty(0, kind) for kind in "qqiddddd")), Updates(*(np.empty(0, kind) for kind in "qqqdd"))
        kept = Weights(np.empty(0, np.int64), np.empty((0, k, d)), np.empty((0, k)), np.empty(0))
        stop = str(self.last["end"]["stop"])
        return Record(
            settings, classes, head["names"], chunk, start, *empty, kept, [], stop, facts, order, sizes, begun
        )  # fmt: skip

    def _array(self, value: Any) -> Array:
        return self.beside[value["beside"]] if "beside" in value else unpack(value)

    @cached_property
    def record(self) -> Record:
        """All of it. ModelError names the line that cannot be read."""
        own = self.beginning
        digests, last = self.last["end"]["beside"], len(self.lines)
        epochs, updates, entries, weights = [], [], [], []
        places = {str(label): k for k, label in enumerate(own.classes.tolist())}
        many = own.classes.size > 2
        for number, line in enumerate(self.lines[1:-1], 2):
            with self.placed(number):
                if "update" not in line:
                    epochs.append(_epoch(line))
                    continue
                at = int(line["update"])
                updates.append([_number(line[name]) for name in Updates._fields])
                for each in line["entries"]:
                    cls = places[str(each["class"])] if many else 0
                    row = int(each["row"]) - 1
                    entries.append([at, row, cls, *(_number(each[name]) for name in Entries._fields[3:])])
                if "w" in line:
                    weights.append((at, _matrix(line["w"]), _matrix(line["b"]), _number(line.get("error"))))
        with self.placed(last):
            there = self.beside if "entries.update" in digests else None
            table, heads = np.array(entries, float).reshape(-1, 8), np.array(updates, float).reshape(-1, 5)
            made = replace(
                own,
                entries=Entries(*_columns("entries", Entries, table, "qqiddddd", there)),
                updates=Updates(*_columns("updates", Updates, heads, "qqqdd", there)),
                epochs=epochs,
                kept=self._kept(own, weights),
            )
            if len(made) != self.last["end"]["updates"] or len(made.entries.update) != self.last["end"]["entries"]:
                raise ValueError("not all updates are there")
            update, rows, moved = made.entries[:3]
            inside = (rows >= 0) & (rows < self.head["data"]["rows"]) & (moved >= 0) & (moved < len(own.start[1]))
            if not (inside & (update >= 1) & (update <= len(made))).all() or (np.diff(update) < 0).any():
                raise ValueError("its entries name rows, classes or updates that there are not")
        return made

    def _kept(self, own: Record, weights: list[Any]) -> Weights:
        if "kept.w" in self.last["end"]["beside"]:
            there = {name.removeprefix("kept."): self.beside[name] for name in self.beside if name.startswith("kept.")}
            return Weights(**{"errors": np.full(len(there["update"]), np.nan), **there})
        k, d = own.start[0].shape
        number, w, b, errors = zip(*weights, strict=True) if weights else ((), (), (), ())
        shapes = np.array(w, float).reshape(len(number), k, d), np.array(b, float).reshape(len(number), k)
        return Weights(np.array(number, np.int64), *shapes, np.array(errors, float))

    @contextmanager
    def placed(self, line: int) -> Iterator[None]:
        """What is wrong with a line of the file names both."""
        try:
            yield
        except (ModelError, DataError) as error:
            known = str(error).startswith(self.path)
            raise ModelError(str(error if known else error.within(f"{self.path}, line {line}: "))) from None
        except RosenblattError as error:
            raise ModelError(str(error.within(f"{self.path}, line {line}: damaged: "))) from None
        except KeyError as error:
            raise ModelError(f"{self.path}, line {line}: damaged: {error.args[0]!r} is missing") from None
        except MISFITS as error:
            raise ModelError(f"{self.path}, line {line}: damaged: {short(error, 120)}") from None


def _start(stream: Any) -> bytes:
    """Enough to see what the file is: data given as a trace may be huge."""
    raw = b""
    while len(raw) < 200 and (more := stream.read(200 - len(raw))):
        raw += more
    return raw


def _parsed(text: str, path: str, number: int) -> Line:
    try:
        line = json.loads(text)
    except RecursionError:
        line = None
    except ValueError as error:
        place = f"column {error.colno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else str(error)
        raise ModelError(f"{path}, line {number}: no JSON ({place}); the file is cut off or damaged") from None
    if not isinstance(line, dict):
        raise ModelError(f"{path}, line {number}: found {short(text, 40)}; expected an object of JSON")
    return line


def _check_version(head: Line, path: str) -> None:
    if head.get("format") != FORMAT:
        raise ModelError(f"{path}, line 1: format is {head.get('format')!r:.40}; expected {FORMAT!r}")
    version = head.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise ModelError(f"{path}, line 1: version is {version!r:.40}; expected a number from 1")
    if version > VERSION:
        found = f"written by a newer version (version {version} of the format; this one reads up to {VERSION})"
        raise ModelError(f"{path}, line 1: {found}")


def _number(value: Any) -> float:
    """NaN where nothing was measured."""
    if value is None:
        return float("nan")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"found {value!r:.40}; expected a number")
    return value


def _matrix(values: Any) -> list[Any]:
    return [_matrix(value) if isinstance(value, list) else _number(value) for value in values]


def _epoch(line: Line) -> Line:
    epoch = {name: _number(line[name]) for name in line if name != "digest"}
    if set(epoch) != {"epoch", "mistakes", "updates", "loss", "by"}:
        raise ValueError("it is neither an update nor an epoch")
    return epoch


def _columns(what: str, columns: Any, table: Array, kinds: str, beside: dict[str, Array] | None) -> list[Array]:
    if beside is not None:
        return [beside[f"{what}.{name}"] for name in columns._fields]
    return [np.ascontiguousarray(table[:, j].astype(kind)) for j, kind in enumerate(kinds)]
