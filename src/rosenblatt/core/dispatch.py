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
import types
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from .rows import Array

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


def dot(self: Any, i: int, w: Array) -> float:
    return self.dot(i, w)  # type: ignore[no-any-return]


def add(self: Any, i: int, a: float, w: Array) -> None:
    self.add(i, a, w)


def sq_norm(self: Any, i: int) -> float:
    return self.sq_norm(i)  # type: ignore[no-any-return]


def dots(self: Any, i: int, w: Array, out: Array) -> None:
    self.dots(i, w, out)


def add_to(self: Any, i: int, k: int, a: float, w: Array) -> None:
    self.add_to(i, k, a, w)


VERBS: tuple[Function, ...] = (step, steps, dot, add, sq_norm, dots, add_to)


@lru_cache(maxsize=1)
def _register_verbs() -> None:
    from numba.extending import overload

    inline = {"forceinline": True, **OPTIONS}
    for verb in VERBS:
        name = verb.__name__
        overload(verb, jit_options=inline, strict=False)(
            lambda self, *args, _name=name: getattr(self.instance_class, _name)
        )
    overload(loss, jit_options=inline, strict=False)(
        lambda self, u, y: getattr(self.instance_class, "loss", _mistake)
    )


@lru_cache(maxsize=None)
def _register_helper(function: types.FunctionType, exact: bool = False) -> None:
    """Let compiled code call a plain function that a rule or kernel uses (numba knows only its own)."""
    from numba.extending import overload

    inline = {"forceinline": True, **(EXACT_OPTIONS if exact else OPTIONS)}
    overload(function, jit_options=inline, strict=False)(lambda *args: function)


# --- fingerprints ----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _package_fingerprint() -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    package = Path(__file__).parent.parent
    for folder in ("core", "rules"):
        for path in sorted((package / folder).glob("*.py")):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    return digest.digest()


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _parts(function: types.FunctionType, seen: set[types.FunctionType]) -> Iterator[bytes]:
    """What a function's behaviour depends on: its code, the constants and the functions that it names."""
    if function in seen:
        return
    seen.add(function)
    for code in _codes(function.__code__):
        yield code.co_code
        yield repr([c for c in code.co_consts if not isinstance(c, types.CodeType)]).encode()
        yield repr(code.co_names).encode()
        for name in code.co_names:
            value = function.__globals__.get(name)
            if isinstance(value, types.FunctionType):
                yield from _parts(value, seen)
            elif isinstance(value, (int, float, complex, str, bytes, tuple)):
                yield f"{name}={value!r}".encode()


def _rule_classes(rule: Any) -> Iterator[type]:
    yield type(rule)
    for field in rule:
        if isinstance(field, tuple):
            yield from _rule_classes(field)


def _methods(rule: Any) -> list[types.FunctionType]:
    return [
        method
        for cls in _rule_classes(rule)
        for name in ("step", "loss", "steps")
        if isinstance(method := getattr(cls, name, None), types.FunctionType)
    ]


def fingerprint(rule: Any = ()) -> str:
    """A short name for the sources of core/ and rules/ and the code of one rule, helpers included."""
    digest = hashlib.blake2b(_package_fingerprint(), digest_size=10)
    seen: set[types.FunctionType] = set()
    for method in _methods(rule):
        for part in _parts(method, seen):
            digest.update(part)
    return digest.hexdigest()


def _helpers(functions: list[types.FunctionType]) -> set[types.FunctionType]:
    """The plain functions that these call, directly or not: compiled code must be told of each."""
    seen: set[types.FunctionType] = set()
    for function in functions:
        for _ in _parts(function, seen):
            pass
    return seen - set(functions) - set(VERBS) - {loss, _mistake}


# --- compiling -------------------------------------------------------------------------------------------------------


def _compile(function: Function, name: str, cache: bool, exact: bool = False) -> Function:
    import numba

    own = types.FunctionType(
        function.__code__, function.__globals__, name, function.__defaults__, function.__closure__
    )
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


_LOOPS: dict[tuple[Function, tuple[type, ...], str], Function] = {}


def loop_for(loop: types.FunctionType, rule: Any) -> Function:
    """`loop` compiled for one rule's class, cached on disk under a name of its own.

    A rule that lives in `__main__` cannot be found again by another process, so it is compiled anew each time.
    """
    if not jit_enabled():
        return loop
    classes = tuple(_rule_classes(rule))
    key = (loop, classes, fingerprint(rule))
    if key not in _LOOPS:
        _register_verbs()
        for helper in _helpers([*_methods(rule), loop]):
            _register_helper(helper)
        name = "_".join([loop.__name__, *(cls.__name__ for cls in classes), key[2]])
        cache = all(cls.__module__ not in ("__main__", "__mp_main__", "builtins") for cls in classes)
        _LOOPS[key] = _compile(loop, name, cache)
    return _LOOPS[key]


def signature_count() -> int:
    """How many machine-code versions of the loops this process holds."""
    return sum(len(getattr(function, "signatures", ())) for function in _LOOPS.values())
