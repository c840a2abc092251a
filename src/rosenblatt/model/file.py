"""The model file: one safetensors file with a JSON header. Loading runs no code; writing is all or nothing."""

from __future__ import annotations

import hashlib
import json
import os
import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.loop import PLAINLY, State
from ..core.rows import Array
from ..data import labels
from ..errors import ModelError, SettingError
from ..learn.run import Best, Run, stop_from
from ..learn.settings import DEFAULTS, Settings, settings_from
from ..write.files import whole_file
from .calibration import restored
from .form import check_arrays, check_classes, check_form, check_reading
from .sparse import packed, unpacked

if TYPE_CHECKING:
    from .model import Model

SCHEMA = 4
"""Raised whenever an older program could misread a newer file. 1: 0.1.0; 2: what answers may be the best epoch, or
calibrated, words may be in runs, mails have fields that were none, and there are more formats of data; 3: a metric or
L1 shaped the steps, or there is no more than answers; 4: a kernel, or a map. A file says the lowest number that reads
it rightly."""
FORMATS = ("svmlight", "table", "text", "mail")
"""Of data, that schema 1 knows."""
KEY = "rosenblatt"
HEADER_LIMIT = 100_000_000
"""Bytes; safetensors itself refuses longer headers."""
PLAIN = ("joint", "epoch", "rows", "blocks", "stale", "converged", "history")
"""What of a run is in the header as it is; whether classes are learned together, the memory says."""
_MISFITS = (ArithmeticError, LookupError, ValueError, TypeError, AttributeError, RecursionError)


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Write the model, whole or, also when the power fails, not at all. The same model gives the same bytes."""
    from safetensors.numpy import save as to_bytes

    path, later = _path(path), model.run.settings.shaped or model.run.final
    header, tensors = run_parts(model.run)
    curved = model.run.settings.kernel is not None or getattr(model.features, "map", None) is not None
    plainly = model.run.best is None and _answers_plainly(model) and _reads_plainly(model)
    header |= {
        "schema": 4 if curved else 3 if later else 1 if plainly else 2,
        "classes": labels.to_json(model.classes),
        "reading": model.reading,
        "names": model.names,
        "features": None if model.features is None else model.features.recipe(),
    }
    if model.recipe:
        header["recipe"] = model.recipe
    if model.features is not None:
        tensors |= {f"features.{name}": value for name, value in model.features.tensors().items()}
    if model.learned_from is not None:
        tensors["learned_from"] = model.learned_from
    if not _answers_plainly(model):
        header |= {"threshold": model.threshold, "choice": model.choice, "calibration": None}
    if model.calibration is not None:
        header["calibration"], curves = model.calibration.saved()
        tensors |= {f"calibration.{name}": value for name, value in curves.items()}
    tensors = {name: np.ascontiguousarray(value) for name, value in tensors.items()}
    if later:  # what plain steps have learned is written as ever
        header["sparse"], tensors = packed(tensors)
    header["digest"] = _digest(header, tensors)
    text = json.dumps(header, sort_keys=True)  # in ASCII: file names as labels need not be valid Unicode
    try:
        with whole_file(path) as file:
            file.write(to_bytes(tensors, metadata={KEY: text}))
    except OSError as error:
        raise ModelError(f"{os.fspath(path)}: cannot be written: {error.strerror or error}") from None


def _answers_plainly(model: Model) -> bool:
    """As 0.1.0 would: by the sign of the score."""
    return model.calibration is None and model.threshold is None


def _reads_plainly(model: Model) -> bool:
    """Whether the first version makes the same numbers of the same data (of products it says that it does not know)."""
    from ..features.ngrams import WORDS
    from ..mailtext.fields import LATER

    features = model.features
    plain = features is None or features.senders is None and getattr(features.dictionary, "grams", WORDS) == WORDS
    known = model.reading.get("format", FORMATS[0]) in FORMATS
    return plain and known and not set(model.reading.get("fields", ())) & set(LATER)


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The parts of the model in a file, by their names. Raises ModelError, one sentence, for what is no whole model of
    ours."""
    from safetensors import SafetensorError
    from safetensors.numpy import load as from_bytes

    path = _path(path)
    header, raw = _read(path)
    try:
        tensors = from_bytes(raw)
        if header.pop("digest", None) != _digest(header, tensors):
            raise ModelError(f"{path}: damaged: the contents do not fit their digest")
        check_form(header)
        return _parts(header, unpacked(header.get("sparse", {}), tensors))
    except ModelError as error:
        raise ModelError(f"{path}: {str(error).removeprefix(f'{path}: ')}") from None
    except (SafetensorError, *_MISFITS) as error:
        raise ModelError(f"{path}: damaged: {_short(error)}") from None


def _path(given: Any) -> str:
    try:
        return os.fsdecode(given)
    except TypeError:
        raise SettingError(f"{given!r} is no path of a model file; expected str or Path") from None


def _read(path: str) -> tuple[dict[str, Any], bytes]:
    """(header, all bytes). The rest is read only behind a header of ours: a data set given as a model may be huge."""
    try:
        with open(path, "rb") as file:
            start = file.read(8)
            size = os.fstat(file.fileno()).st_size or HEADER_LIMIT  # 0: a pipe
            (length,) = struct.unpack("<Q", start.ljust(8, b"\xff"))
            if length <= HEADER_LIMIT:
                start += file.read(min(length, size))
            return _header(start, path), start + file.read()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from None


def _header(raw: bytes, path: str) -> dict[str, Any]:
    if len(raw) < 8:
        raise ModelError(f"{path}: not a model file: only {len(raw)} bytes long")
    (length,) = struct.unpack("<Q", raw[:8])
    if length > len(raw) - 8:
        raise ModelError(f"{path}: not a model file, or truncated: it ends inside its header")
    try:
        header = json.loads(json.loads(raw[8 : 8 + length])["__metadata__"][KEY])
        schema = header["schema"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ModelError(f"{path}: not a model file of rosenblatt, or damaged: no readable header") from None
    if not isinstance(schema, int) or schema < 1:
        raise ModelError(f"{path}: damaged: schema {schema!r} is not a version number")
    if schema > SCHEMA:
        raise ModelError(f"{path}: written by a newer version (schema {schema}; this one reads up to {SCHEMA})")
    return header  # type: ignore[no-any-return]


def _digest(header: dict[str, Any], tensors: dict[str, Array]) -> str:
    digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name in sorted(tensors):
        value = tensors[name]
        digest.update(f"{name} {value.dtype} {value.shape}".encode())
        digest.update(value.tobytes())
    return digest.hexdigest()


def run_parts(run: Run) -> tuple[dict[str, Any], dict[str, Array]]:
    """What goes on with a run: what JSON holds of it, and its arrays, which are not copied."""
    tensors = _tensors("", run.memory, run.state)
    if run.mark is not None:
        tensors |= {"mark.n": run.mark[0], "mark.m": run.mark[1]}
    if run.best is not None and not run.final:
        tensors |= _tensors("best.", run.best.memory, run.best.state)
    header = {name: getattr(run, name) for name in PLAIN} | {
        "settings": run.settings.words(),
        "by_column": run.memory.by_column,
        "position": list(run.position),
        "best_loss": None if run.best_loss == float("inf") else run.best_loss,
        "stop_reason": str(run.stop_reason),
    }
    if run.start_loss is not None:
        header["start_loss"] = run.start_loss
    if run.final:
        header["final"] = True
    if run.best is not None:
        header["best"] = {"score": run.best.score, "epoch": run.best.epoch, "by_column": run.best.memory.by_column}
    return header, tensors


def _tensors(prefix: str, memory: Any, state: State) -> dict[str, Array]:
    """What answers and goes on learning; the names begin so."""
    own = {f"state.{name}": value for name, value in state._asdict().items() if name in PLAINLY or value.size}
    own |= {f"memory.{name}": value for name, value in memory.saved().items()}
    return {prefix + name: value for name, value in own.items()}


def run_from(header: dict[str, Any], tensors: dict[str, Array]) -> Run:
    """The inverse of `run_parts`. ModelError, or an error of Python, where they are damaged."""
    settings = settings_of(header["settings"])
    memory, state = _memory_and_state(settings, header["by_column"], header["joint"], "", tensors)
    there, asked = (state.past.size > 0, state.pulled.size > 0), (settings.shaped, settings.pulls and state.w.size > 0)
    if there != asked and not header.get("final", False):
        raise ModelError("damaged: it has not what its metric and L1 remember, or more")
    found, best = header.get("best"), None
    if found is not None:
        parts = (memory, state)  # of a final model, which has no others
        if not header.get("final", False):
            parts = _memory_and_state(settings, found["by_column"], header["joint"], "best.", tensors)
        best = Best(float(found["score"]), int(found["epoch"]), *parts)
    return Run(
        settings,
        state,
        memory,
        **{name: header[name] for name in PLAIN if name != "joint"},
        position=(header["position"][0], header["position"][1]),
        best_loss=float("inf") if header["best_loss"] is None else header["best_loss"],
        stop=stop_from(header["stop_reason"]),
        start_loss=header.get("start_loss"),
        mark=(tensors["mark.n"].copy(), tensors["mark.m"].copy()) if "mark.n" in tensors else None,
        best=best,
        final=header.get("final", False),
    )


def _memory_and_state(
    settings: Settings, by_column: bool, joint: bool, prefix: str, tensors: dict[str, Array]
) -> tuple[Any, State]:
    """The inverse of `_tensors`."""
    memory = settings.memory.copy()
    memory.by_column, memory.joint = by_column, joint
    memory.restore(_named(tensors, f"{prefix}memory."))
    none, two = np.empty(0), np.empty((2, 0))
    w = tensors[f"{prefix}state.w"]
    empty = {"c": two.astype(w.dtype), "c_b": two, "past": none, "pulled": two}
    state = State(*(tensors.get(f"{prefix}state.{name}", empty.get(name)).copy() for name in State._fields))  # type: ignore[union-attr]
    known = not hasattr(settings.metric, "missing")
    if state.past.size > 0 and known and len(state.c_b) != len(settings.loop_metric.starts):
        raise ModelError("damaged: its metric remembers another number of things")
    return memory, state


def _parts(header: dict[str, Any], tensors: dict[str, Array]) -> dict[str, Any]:
    from ..mailtext.fields import LATER

    later = sorted(set(header["reading"].get("fields", ())) & set(LATER))
    if later and header["schema"] < 2:
        raise ModelError(f"it reads a header called {later[0]}, which is no text any more; train it again")
    classes = labels.from_json(header["classes"])
    check_classes(classes)
    parts = {name: header[name] for name in ("reading", "names")}
    parts["learned_from"] = tensors.get("learned_from")
    own: Any = None
    if header["features"] is not None:
        from ..features.pipeline import Features

        own = parts["features"] = Features.restore(header["features"], _named(tensors, "features."))
    width = max(tensors["state.w"].shape, default=0) if own is None and classes.size == 2 else 0
    if own is None and classes.size > 2:
        width = tensors["state.w"].shape[0 if header["by_column"] else 1]
    check_arrays(header, tensors, width if own is None else own.width)
    numbers = own is None or own.dictionary is None
    if numbers and header["names"] is not None and len(header["names"]) != (width if own is None else own.columns):
        raise ModelError(f"damaged: it has {len(header['names'])} names for its columns, of which there are others")
    check_reading(header["reading"])
    parts |= {"run": run_from(header, tensors), "classes": classes, "recipe": header.get("recipe", {})}
    if (parts["run"].settings.kernel is None) != (own is None or own.kernel is None):
        raise ModelError("damaged: it has a kernel in its settings or in its features, not in both")
    if header.get("calibration") is not None:
        parts["calibration"] = restored(header["calibration"], _named(tensors, "calibration."), classes.size)
    if header.get("threshold") is not None:
        choice = header.get("choice") or {}
        by = choice.get("by")
        said = choice.get("cost", ()) if by == "cost" else map(str, classes)
        of = said if by in ("cost", "at") and by in choice or "limit" in choice else ()
        if set(of) != set(map(str, classes)) or classes.size > 2:
            raise ModelError("damaged: it has a threshold, but not how it was chosen, or other than two classes")
        parts |= {"threshold": float(header["threshold"]), "choice": header["choice"]}
    return parts


def _named(tensors: dict[str, Array], prefix: str) -> dict[str, Array]:
    return {name[len(prefix) :]: value for name, value in tensors.items() if name.startswith(prefix)}


class UnknownRule(NamedTuple):
    """Stands in for a rule of the user's own, whose code no model file holds: enough to predict, not to learn."""

    missing: str

    @property
    def name(self) -> str:
        return self.missing


class UnknownMetric(UnknownRule):
    """The same for a metric."""


class UnknownStep(UnknownMetric):
    """The same for a metric that brings its step."""

    stride = None


def settings_of(words: dict[str, Any]) -> Settings:
    """The inverse of `Settings.words`, with a stand-in for a rule or metric that is not ours."""
    from ..learn.metric import metric_classes
    from ..learn.rule import rule_classes

    own: dict[str, Any] = {}
    if words["rule"].partition(":")[0] not in rule_classes():
        own["rule"] = UnknownRule(words["rule"])
    metric = words.get("metric", "none")
    if metric.partition(":")[0] not in metric_classes():  # learning has made η "auto" a number where there is an η
        own["metric"] = UnknownStep(metric) if words["eta0"] == "auto" else UnknownMetric(metric)
    return replace(settings_from(words | {name: DEFAULTS[name] for name in own}), **own)


def _short(error: Exception) -> str:
    text = str(error).splitlines()
    return f"{type(error).__name__}" + (f" ({text[0][:120]})" if text else "")
