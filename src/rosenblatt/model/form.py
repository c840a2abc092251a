"""What the header and the arrays of a model file must be, in one table: what is anything else is damaged, and found so
when the file is loaded, whatever its digest says."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.loop import FOLD, PLAINLY
from ..core.rows import Array
from ..data.checks import labels_from
from ..errors import ModelError, plain, short
from ..parameters import CALIBRATIONS
from ..read import reader_classes, reading_table


class Is(NamedTuple):
    """A value of some types, one of some choices, or between two bounds; words: what it should be."""

    words: str
    types: tuple[type, ...] = (object,)
    least: float = -np.inf
    most: float = np.inf
    choices: tuple[Any, ...] = ()
    whole: int = 2**63

    def fits(self, value: Any) -> bool:
        right = (
            self.types == (object,) or type(value) in self.types and (type(value) is not int or abs(value) < self.whole)
        )
        if self.choices:
            return right and value in self.choices
        return right and (self.types[-1] not in (int, float) or self.least <= value <= self.most or value != value)


class Maybe(NamedTuple):
    """Also None."""

    form: Any


class Each(NamedTuple):
    """A table whose values are of one form, by whatever names."""

    form: Any


COUNT = Is("a whole number from 0", (int,), 0, 2**63 - 1)
SOME = Is("a whole number from 1", (int,), 1)
NUMBER = Is("a number", (int, float))
SHARE = Is("a share from 0 to 1", (int, float), 0, 1)
TEXT, YES, ANY = Is("text", (str,)), Is("true or false", (bool,)), Is("anything")
WORD = Is("text, a number, true, false or null", (str, int, float, bool, type(None)))
LABEL = WORD._replace(whole=2**64)

HEADER = {
    "schema": COUNT,
    "classes": {"kind": Is("a kind of labels", (str,), choices=("int", "float", "bool", "str")),
                "values": [LABEL]},
    "reading": Each(ANY),
    "names": Maybe([TEXT]),
    "features": Maybe({"width": COUNT, "dictionary": Maybe(Each(ANY)), "senders?": Maybe(COUNT), "scale": [Each(ANY)]}),
    "recipe?": Each(ANY),
    "settings": {"rule": TEXT, "keep": TEXT, "learning_rate": TEXT, "*": WORD},
    "by_column": YES,
    "joint": YES,
    "epoch": COUNT,
    "rows": COUNT,
    "blocks": COUNT,
    "stale": COUNT,
    "converged": YES,
    "history": {"mistakes": [COUNT], "updates": [COUNT], "loss": [NUMBER], "class_mistakes": [[COUNT]],
                "validation?": [NUMBER]},
    "position": (COUNT, COUNT),
    "best_loss": Maybe(NUMBER),
    "start_loss?": Maybe(NUMBER),
    "stop_reason": TEXT,
    "final?": YES,
    "sparse?": Each([Is("a whole number from 1 to 2^31", (int,), 1, 2**31)]),
    "best?": {"score": NUMBER, "epoch": COUNT, "by_column": YES},
    "threshold?": Maybe(NUMBER),
    "calibration?": Maybe({"kind": Is("a kind of curve", (str,), choices=CALIBRATIONS), "folds": COUNT, "rows": COUNT}),
    "choice?": Maybe({
        "rows": TEXT, "confidence": SHARE, "by": Is("a wish", (str,), choices=("at", "cost", "max_false_positives",
        "max_false_negatives")), "cost?": Each(NUMBER), "limit?": SHARE, "false_positives": COUNT, "negatives": SOME,
        "false_negatives": COUNT, "positives": SOME, "at?": NUMBER, "known?": SHARE, "before?": NUMBER,
        "allows?": NUMBER, "false_positives_before?": COUNT, "false_negatives_before?": COUNT, "promised?": YES,
        "promised_by_folds?": YES, "kept?": YES, "rows_needed?": Maybe(COUNT), "*": ANY,
    }),
}  # fmt: skip
"""name → form of the header; `name?` may be missing, `*` stands for all other names."""


def check_form(value: Any, form: Any = HEADER, where: str = "header") -> None:
    """ModelError where a value has another form."""
    if isinstance(form, Is):
        _check(form.fits(value), value, where, form.words)
    elif isinstance(form, Maybe):
        if value is not None:
            check_form(value, form.form, where)
    elif isinstance(form, Each):
        _check(isinstance(value, dict), value, where, "a table")
        for name, own in value.items():
            check_form(own, form.form, f"{where}, {short(name, 30)}")
    elif isinstance(form, dict):
        _check(isinstance(value, dict), value, where, "a table")
        known = {name.rstrip("?"): own for name, own in form.items()}
        missing = [name for name in form if name[-1] not in "?*" and name not in value]
        if missing:
            raise ModelError(f"damaged: its {where} has no {missing[0]}")
        for name, own in value.items():
            _check(name in known or "*" in known, name, where, "no such name")
            check_form(own, known.get(name, known.get("*")), f"{where}, {short(name, 30)}")
    else:
        right = isinstance(value, list) and (isinstance(form, list) or len(value) == len(form))
        _check(right, value, where, "a list" if isinstance(form, list) else f"a list of {len(form)}")
        for place, own in enumerate(value):
            check_form(own, form[place if isinstance(form, tuple) else 0], f"{where}, place {place + 1}")


def _check(right: bool, value: Any, where: str, words: str) -> None:
    if not right:
        raise ModelError(f"damaged: its {where} says {plain(short(repr(value), 40))}; expected {words}")


def check_classes(classes: Array) -> None:
    """Two or more, in one row, each another; of a kind that has an order."""
    if classes.ndim != 1 or classes.size < 2 or len(set(classes.tolist())) < classes.size:
        raise ModelError(f"damaged: its classes are {short(classes.tolist(), 40)}; expected two or more, all different")
    labels_from(classes, classes.size)


def check_reading(reading: dict[str, Any]) -> None:
    """ModelError where a format is not known, or a choice is none of its kind."""
    form = reading.get("format", "table")
    if form not in list(reader_classes()):
        raise ModelError(
            f"it was learned from data of the format {short(form, 40)!r}, which this version does not know"
        )
    for name, value in reading.items():
        entry = reading_table().get(name)
        if entry is not None and entry.kind is list:
            check_form(value, Maybe([WORD if name == "drop" else TEXT]), f"reading, {name}")
        elif entry is not None and name != "format":
            check_form(value, WORD, f"reading, {name}")
            if entry.kind is not object and value != entry.default:
                entry.check(value)
        elif entry is None:
            check_form(value, [TEXT] if isinstance(value, list) else WORD, f"reading, {name}")
    if 0 in [reading.get("label"), reading.get("text"), *(reading.get("drop") or [])]:
        raise ModelError("damaged: it reads a column 0; they count from 1")


def check_arrays(header: dict[str, Any], tensors: dict[str, Array], width: int) -> None:
    """ModelError where an array of the run is missing, has another type or shape, or counts below 0."""
    k = 1 if len(header["classes"]["values"]) == 2 else len(header["classes"]["values"])
    history = {name: values for name, values in header["history"].items() if name != "validation"}
    if {len(values) for values in history.values()} != {header["epoch"]} or any(
        len(counts) != k for counts in history["class_mistakes"]
    ):
        raise ModelError(f"damaged: its history is not that of {header['epoch']} epochs and {k} classes")
    for prefix, part in (("", header), ("best.", header.get("best"))):
        if part is not None and not (prefix and header.get("final")):
            _check_run(prefix, (k, width, part["by_column"]), tensors)
    if "learned_from" in tensors:
        _array(tensors, "learned_from", np.uint32, tensors["learned_from"].shape[:1])
    if "mark.n" in tensors:
        _array(tensors, "mark.n", np.int64, (5,))
        _array(tensors, "mark.m", np.int64, (k,))


def _check_run(prefix: str, size: tuple[int, int, bool], tensors: dict[str, Array]) -> None:
    k, width, by_column = size
    whole = (width,) if k == 1 else (width, k) if by_column else (k, width)
    w = tensors[f"{prefix}state.w"]
    dtype = w.dtype if w.dtype in (np.float32, np.float64) else np.float64
    remembers = tensors.get(f"{prefix}state.c_b", w).shape[:1]
    shapes: dict[str, tuple[Any, tuple[int, ...]]] = {
        "state.w": (dtype, whole), "state.b": (np.float64, (k,)), "state.f": (np.float64, (5,)),
        "state.n": (np.int64, (5,)), "state.m": (np.int64, (2, k)),
        "state.c": (dtype, (*remembers, k * width)), "state.c_b": (np.float64, (*remembers, k)),
        "state.past": (np.float64, (3,)), "state.pulled": (np.float64, (2, k * width)),
        "memory.late": (np.float64, whole), "memory.late_b": (np.float64, (k,)),
    }  # fmt: skip
    for name in ("pocket", "final", "start"):
        shapes |= {f"memory.{name}_w": (dtype, (k, width)), f"memory.{name}_b": (np.float64, (k,))}
    here = {name for name in tensors if name.startswith((f"{prefix}state.", f"{prefix}memory."))}
    own = {f"{prefix}state.{name}" for name in PLAINLY} | (here - _logged(prefix, here))
    remembered = ("c", "c_b", "past") if width else ("c_b", "past")
    own |= {f"{prefix}state.{name}" for name in remembered} if f"{prefix}state.past" in here else set()
    bases = {name.removesuffix("_b").removesuffix("_w") for name in own if "memory." in name}
    bases |= {f"{prefix}memory.start"} if f"{prefix}memory.log_row" in here else set()
    bases |= {f"{prefix}memory.pocket"} if f"{prefix}memory.final" in bases else set()
    for base in bases:
        own |= {base if base.endswith("late") else f"{base}_w", f"{base}_b"}
    for name in sorted(own):
        if name.removeprefix(prefix) not in shapes:
            raise ModelError(f"damaged: it has an array {short(name, 40)} that no model has")
        _array(tensors, name, *shapes[name.removeprefix(prefix)])
    scale = tensors[f"{prefix}state.f"][0]
    if not FOLD / 2 <= scale <= 1.0:
        raise ModelError(f"damaged: its weights have the scale {scale:g}")
    if not (np.isfinite(w).all() and np.isfinite(tensors[f"{prefix}state.b"]).all()):
        raise ModelError("damaged: its weights are not all finite")
    _check_log(prefix, (k, width, w.dtype), tensors)


def _logged(prefix: str, names: set[str]) -> set[str]:
    return {name for name in names if name.startswith((f"{prefix}memory.log_", f"{prefix}memory.support_"))}


def _check_log(prefix: str, size: tuple[int, int, Any], tensors: dict[str, Array]) -> None:
    """The steps of voted weights, and the rows that they are multiples of."""
    k, width, dtype = size
    own = {name: tensors[name] for name in _logged(prefix, set(tensors))}
    rows, place = own.get(f"{prefix}memory.log_row"), f"{prefix}memory."
    if rows is None:
        _check(not own, sorted(own)[:1], "arrays", "steps and rows together")
        return
    count = (rows.size,)
    for name, kinds in (("row", "iu"), ("cls", "iu"), ("coef", "f"), ("scale", "f"), ("count", "i")):
        values = own.get(f"{place}log_{name}")
        if values is None or values.shape != count or values.dtype.kind not in kinds:
            raise ModelError(f"damaged: its steps have no {name} each")
    if not rows.size:
        return
    n = _support_rows(place, own, width, dtype)
    cls = own[f"{place}log_cls"][rows >= 0]  # −1: a fold, which is of no class
    if rows.min() < -1 or rows.max() >= n or cls.min(initial=0) < 0 or cls.max(initial=0) >= k:
        raise ModelError("damaged: its steps name rows or classes that there are not")


def _support_rows(place: str, own: dict[str, Array], width: int, dtype: Any) -> int:
    """How many there are; ModelError where they are none of this width."""
    parts = {name.removeprefix(f"{place}support_"): own[name] for name in own if "support_" in name}
    if not parts:
        return 0
    if "own" in parts:
        own_rows = parts["own"]
        right = (
            own_rows.ndim == 1 and own_rows.dtype.kind in "iu" and parts.get("width", np.empty(0)).tolist() == [width]
        )
        right = right and (not own_rows.size or bool(own_rows.min() >= 0 and own_rows.max() < width))
        n = len(own_rows)
    elif "values" in parts:
        right = parts["values"].ndim == 2 and parts["values"].shape[1] == width and parts["values"].dtype == dtype
        n = len(parts["values"])
    else:
        ends, columns, values = (parts.get(name, np.empty(0)) for name in ("indptr", "indices", "data"))
        right = ends.ndim == columns.ndim == values.ndim == 1 and ends.size > 0 and ends.dtype.kind in "iu"
        right = right and columns.dtype.kind in "iu" and values.dtype == dtype and ends[0] == 0
        right = right and ends[-1] == columns.size == values.size and bool((ends[1:] >= ends[:-1]).all())
        right = right and (not columns.size or bool((columns >= 0).all() and columns.max() < width))
        right = right and parts.get("shape", np.empty(0)).tolist() == [width]
        n = ends.size - 1
    if not right:
        raise ModelError("damaged: its rows are not what its header says")
    return n


def _array(tensors: dict[str, Array], name: str, dtype: Any, shape: tuple[int, ...]) -> None:
    if name not in tensors:
        raise ModelError(f"damaged: it has no array {name}")
    own = tensors[name]
    if own.dtype != dtype or own.shape != shape:
        found = f"its array {name} is of {own.dtype} and shape {own.shape}"
        raise ModelError(f"damaged: {found}; expected {np.dtype(dtype)} and {shape}")
    if dtype is np.int64 and own.size and own.min() < 0:
        raise ModelError(f"damaged: its array {name} counts below 0")
