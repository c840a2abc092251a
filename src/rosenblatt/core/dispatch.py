"""From plain Python to machine code: the only file that imports numba, and only when something is compiled.

Every kernel is ordinary Python that runs without numba (`ROSENBLATT_JIT=0`, or little work). A *verb* (`step`, `dot`,
…) calls the method of the value's own class; for compiled code each verb is registered once with numba and inlined.

numba's disk cache looks only at the kernel's own file. A changed rule, helper or rows.py would keep running old
machine code, and one index shared by all rules would break when a user's module disappears. So each compiled function
gets a name of its own that holds a fingerprint of everything it was built from.
"""

from __future__ import annotations

import hashlib
import os
import sys
import types
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import SettingError
from .rows import Array, Index

Function = Callable[..., Any]

FASTMATH = {"reassoc", "contract", "nsz", "arcp"}
"""Not "fast": that lets the compiler assume there are no NaNs, and checks for them stop working."""
OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": FASTMATH}
EXACT_OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": False}
"""For kernels whose every operation must be the one written (reading numbers: correctly rounded)."""
SMALL_WORK = 20_000
"""Elementary steps (bytes, values) that plain Python does sooner than numba can be imported (0.3 s)."""


def jit_enabled() -> bool:
    """False when ROSENBLATT_JIT=0 asks for plain Python (coverage, debugging)."""
    return os.environ.get("ROSENBLATT_JIT", "1") != "0"


# --- verbs -----------------------------------------------------------------------------------------------------------


def step(self: Any, u: float, y: float, sq_norm: float) -> float:
    """The rule's unit step for a score u, label y ∈ {−1, +1} and ‖x̄‖²."""
    return self.step(u, y, sq_norm)  # type: ignore[no-any-return]


def loss(self: Any, u: float, y: float) -> float:
    """The rule's loss, or the mistake indicator for a rule that names none."""
    own = getattr(self, "loss", None)
    return own(u, y) if own is not None else _mistake(self, u, y)


def _mistake(self: Any, u: float, y: float) -> float:
    return 1.0 if y * u <= 0.0 else 0.0


def steps(self: Any, u: Array, y: int, sq_norm: float, a: Array, wrong: Array) -> float:
    """All classes' unit steps into a, mistakes into wrong; returns the loss. y: the right class's index."""
    return self.steps(u, y, sq_norm, a, wrong)  # type: ignore[no-any-return]


def dot(self: Any, i: Index, w: Array) -> float:
    return self.dot(i, w)  # type: ignore[no-any-return]


def add(self: Any, i: Index, a: float, w: Array) -> None:
    self.add(i, a, w)


def sq_norm(self: Any, i: Index) -> float:
    return self.sq_norm(i)  # type: ignore[no-any-return]


def dots(self: Any, i: Index, w: Array, out: Array) -> None:
    self.dots(i, w, out)


def add_to(self: Any, i: Index, k: int, a: float, w: Array) -> None:
    self.add_to(i, k, a, w)


VERBS: tuple[Function, ...] = (step, steps, dot, add, sq_norm, dots, add_to)


@lru_cache(maxsize=1)
def _register_verbs() -> None:
    from numba.extending import overload

    inline = {"forceinline": True, **OPTIONS}
    for verb in VERBS:
        name = verb.__name__
        overload(verb, jit_options=inline, strict=False)(  # type: ignore[arg-type]
            lambda self, *args, _name=name: _linked(getattr(self.instance_class, _name))
        )
    overload(loss, jit_options=inline, strict=False)(  # type: ignore[arg-type]
        lambda self, u, y: _linked(getattr(self.instance_class, "loss", _mistake))
    )


def _linked(function: Any) -> Any:
    """The function with the plain functions that it names compiled as they are now: numba calls only its own.

    A copy with names of its own, and not one registration for good, because in a notebook the helper of today is not
    the helper of tomorrow.
    """
    if not isinstance(function, types.FunctionType):
        return function
    import numba

    def ready(value: Any) -> Any:
        plain = isinstance(value, types.FunctionType) and value not in (function, loss, *VERBS)
        return numba.njit(forceinline=True, **OPTIONS)(_linked(value)) if plain else value

    names = {name for code in _codes(function.__code__) for name in code.co_names}
    helpers = {name: ready(function.__globals__[name]) for name in names if name in function.__globals__}
    cells = tuple(types.CellType(ready(cell.cell_contents)) for cell in function.__closure__ or ())
    own = {**function.__globals__, **helpers}
    return types.FunctionType(function.__code__, own, function.__name__, function.__defaults__, cells)


@cache
def _register_helper(function: types.FunctionType, exact: bool = False) -> None:
    """Let compiled code call a plain function that a loop or kernel of the package uses."""
    from numba.extending import overload

    inline = {"forceinline": True, **(EXACT_OPTIONS if exact else OPTIONS)}
    overload(function, jit_options=inline, strict=False)(lambda *args: function)  # type: ignore[arg-type]


# --- fingerprints ----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _package_fingerprint() -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    package = Path(__file__).parent.parent
    for folder in ("core", "rules"):
        for path in sorted((package / folder).rglob("*.py")):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    return digest.digest()


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _parts(function: types.FunctionType, seen: set[Any]) -> Iterator[bytes]:
    """What a function's behaviour depends on: its code, defaults, closure, the values and functions that it names."""
    if function in seen:
        return
    seen.add(function)
    yield repr(function.__defaults__).encode()
    for cell in function.__closure__ or ():
        yield from _value_parts(cell.cell_contents, (), seen)
    for code in _codes(function.__code__):
        yield code.co_code
        yield repr([c for c in code.co_consts if not isinstance(c, types.CodeType)]).encode()
        yield repr(code.co_names).encode()
        for name in code.co_names:
            if name in function.__globals__:
                yield name.encode()
                yield from _value_parts(function.__globals__[name], code.co_names, seen)


def _value_parts(value: Any, names: tuple[str, ...], seen: set[Any]) -> Iterator[bytes]:
    """A value that compiled code takes in for good. names: which attributes of a module it may use.

    What has no better text is told apart by its address at worst: compiled anew each time, never stale.
    """
    value = getattr(value, "py_func", value)  # a function that its author has compiled
    if isinstance(value, types.FunctionType):
        yield from _parts(value, seen)
    elif isinstance(value, types.ModuleType):
        if value not in seen:
            seen.add(value)
            for name in names:
                if hasattr(value, name):
                    yield from _value_parts(getattr(value, name), names, seen)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape}".encode() + value.tobytes()
    else:
        yield repr(value).encode()


def _rule_classes(rule: Any) -> Iterator[type]:
    yield type(rule)
    for field in rule:
        if isinstance(field, tuple):
            yield from _rule_classes(field)


def fingerprint(*classes: type) -> str:
    """A short name for the sources of core/ and rules/ and the code of rules' classes, helpers included."""
    digest = hashlib.blake2b(_package_fingerprint(), digest_size=10)
    seen: set[Any] = set()
    for cls in classes:
        for name in ("step", "loss", "steps"):
            method = getattr(cls, name, None)
            if isinstance(method, types.FunctionType):
                for part in _parts(method, seen):
                    digest.update(part)
    return digest.hexdigest()


def _helpers(functions: list[types.FunctionType]) -> set[types.FunctionType]:
    """The plain functions that these call, directly or not: compiled code must be told of each."""
    seen: set[Any] = set()
    for function in functions:
        for _ in _parts(function, seen):
            pass
    plain = {value for value in seen if isinstance(value, types.FunctionType)}
    return plain - set(functions) - set(VERBS) - {loss, _mistake}


# --- compiling -------------------------------------------------------------------------------------------------------


def _compile(function: Function, name: str, cache: bool, exact: bool = False) -> Function:
    import numba

    own = types.FunctionType(function.__code__, function.__globals__, name, function.__defaults__, function.__closure__)
    own.__qualname__ = name
    own.__module__ = function.__module__
    options = {"nogil": True, **(EXACT_OPTIONS if exact else OPTIONS)}
    if cache:
        try:
            return numba.njit(cache=True, **options)(own)  # type: ignore[no-any-return]
        except RuntimeError:  # nowhere to write: no locator for the cache; compile for this process only
            pass
    return numba.njit(**options)(own)  # type: ignore[no-any-return]


class Kernel:
    """A function that is compiled when it is first called; `plain` is the same function in Python.

    exact: compile without fast-math. helpers: the plain functions that it calls, to be compiled in.
    """

    def __init__(self, function: Function, exact: bool = False, helpers: tuple[Any, ...] = ()) -> None:
        self.plain = function
        self._exact, self._helpers = exact, helpers
        self._compiled: Function | None = None

    def __call__(self, *args: Any) -> Any:
        return self.compiled()(*args)

    def compiled(self) -> Function:
        if not jit_enabled():
            return self.plain
        if self._compiled is None:
            _register_verbs()
            for helper in self._helpers:
                _register_helper(helper, self._exact)
            name = f"{self.plain.__name__}_{fingerprint()}"
            self._compiled = _compile(self.plain, name, cache=True, exact=self._exact)
        return self._compiled

    def for_work(self, work: int) -> Function:
        """The plain function where the work is too little to be worth loading numba, else the compiled one."""
        return self.plain if work < SMALL_WORK and self._compiled is None else self.compiled()


_LOOPS: dict[tuple[Function, tuple[type, ...]], Function] = {}
_FIRST: dict[type, str] = {}
_TWINS: dict[tuple[type, str], type] = {}


def _current(rule: Any) -> Any:
    """The rule, in a class of its own if its code, a helper or a constant changed since its class was first compiled.

    numba keeps what it has compiled for a class; in a notebook, the next cell may redefine what the rule calls.
    """
    cls, mark = type(rule), fingerprint(type(rule))
    fields = [_current(field) if isinstance(field, tuple) else field for field in rule]
    if _FIRST.setdefault(cls, mark) != mark:
        if (cls, mark) not in _TWINS:
            _TWINS[cls, mark] = type(cls.__name__, (cls,), {"__slots__": ()})
        cls = _TWINS[cls, mark]
    return cls(*fields)


def _findable(cls: type) -> bool:
    """Whether another process finds this very class by its name; only then can it find the machine code for it."""
    module = sys.modules.get(cls.__module__)
    return cls.__module__ not in ("__main__", "__mp_main__") and getattr(module, cls.__qualname__, None) is cls


def loop_for(loop: types.FunctionType, rule: Any, rows: Any = None) -> Function:
    """`loop` compiled for one rule's class, cached on disk under a name of its own.

    A rule that another process could not find by its name (one of a script's, say) is compiled anew each time. Raises
    SettingError, when first called, where the rule cannot be compiled.
    """
    if not jit_enabled():
        return loop
    rule = _current(rule)
    classes = tuple(_rule_classes(rule))
    if (loop, classes) not in _LOOPS:
        _register_verbs()
        for helper in _helpers([loop]):
            _register_helper(helper)
        name = "_".join([loop.__name__, *(cls.__name__ for cls in classes), fingerprint(*classes)])
        _LOOPS[loop, classes] = _compile(loop, name, all(map(_findable, classes)))
    return _guarded(_LOOPS[loop, classes], rule)


def _guarded(compiled: Function, rule: Any) -> Function:
    """The loop for the current rule, with numba's pages of explanation as one sentence."""
    from numba.core.errors import NumbaError, UnsupportedBytecodeError

    def run(_: Any, *rest: Any) -> Any:
        try:
            return compiled(rule, *rest)
        except (NumbaError, UnsupportedBytecodeError, TypeError) as error:
            text = str(error).rpartition("raised a specific error:")[2]
            lines = [line.strip() for line in text.splitlines() if line.strip() and "nopython" not in line]
            why = lines[0].removeprefix("TypingError: ").rstrip(".") if lines else type(error).__name__
            raise SettingError(
                f"rule {list(_rule_classes(rule))[-1].__name__} cannot be compiled ({why}); its step may use its "
                f"parameters, plain functions and math, and must return a number (ROSENBLATT_JIT=0 runs any Python)"
            ) from None

    return run


def signature_count() -> int:
    """How many machine-code versions of the loops this process holds."""
    return sum(len(getattr(function, "signatures", ())) for function in _LOOPS.values())
