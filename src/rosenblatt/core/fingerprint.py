"""A short name for what code is made of: another as soon as it would behave otherwise, the same after a new comment.

Of a function count the instructions with the constants that they load (a docstring is one that none loads), defaults,
closure, the values and functions that it names, theirs in turn, and the fields of the NamedTuples among its parameters,
which compiled code takes apart by place. Lines, comments, docstrings and other hints do not.
"""

import dis
import hashlib
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

CONSTANT = frozenset(dis.hasconst)
FOREIGN = frozenset(("builtins", "cmath", "math", "numba", "numpy", "scipy"))
"""numba brings its own code for what these define: a name says it all. Some have no other text than an address."""


def fingerprint(*values: Any, names: Iterable[str] = ()) -> str:
    """Of functions, classes with their methods called `names`, and other values, with numpy's version; 20 letters.

    numba adds its own version and the processor. 1.4 ms for a loop with its rule and rows.
    """
    digest, seen = hashlib.blake2b(np.__version__.encode(), digest_size=10), set[Any]()
    for value in values:
        for part in _parts(value, tuple(names), seen):
            digest.update(part + b"\0")
    return digest.hexdigest()


def functions_in(function: Any) -> set[types.FunctionType]:
    """The plain functions that it names, directly or not, and itself."""
    seen: set[Any] = set()
    for _ in _parts(function, (), seen):
        pass
    return {value for value in seen if isinstance(value, types.FunctionType)}


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code and that of the functions and comprehensions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def _parts(value: Any, names: tuple[str, ...], seen: set[Any]) -> Iterator[bytes]:
    """A value that compiled code takes in for good. names: which attributes of a module or class it may use.

    What has no better text is told apart by its address at worst: compiled anew each time, never stale.
    """
    if hasattr(value, "py_func"):  # its author has compiled it
        yield from _parts(getattr(value, "targetoptions", None), (), seen)
        value = value.py_func
    elif not isinstance(value, types.FunctionType):  # a function's own wrapper counts, a cache of it does not
        value = getattr(value, "__wrapped__", value)
    if _foreign(value):
        yield _name(value)
    elif isinstance(value, types.FunctionType):
        yield from _function_parts(value, seen)
    elif isinstance(value, types.ModuleType | type):
        yield _name(value)
        yield from _fields(value, seen)
        for name in names:
            if (value, name) not in seen and hasattr(value, name):
                seen.add((value, name))
                yield name.encode()
                yield from _parts(getattr(value, name), names, seen)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape}".encode() + value.tobytes()
    elif isinstance(value, set | frozenset):
        yield from sorted(b" ".join(_parts(each, names, seen)) for each in value)  # their order differs by process
    elif isinstance(value, tuple | list | dict):
        yield f"{type(value).__qualname__} {len(value)}".encode()
        yield from _fields(type(value), seen)
        for each in value.items() if isinstance(value, dict) else value:
            yield from _parts(each, names, seen)
    else:
        yield repr(value).encode()


def _function_parts(function: types.FunctionType, seen: set[Any]) -> Iterator[bytes]:
    yield _name(function)
    if function in seen:
        return
    seen.add(function)
    yield from _parts((function.__defaults__, function.__kwdefaults__), (), seen)
    for cell in function.__closure__ or ():
        yield from _parts(cell.cell_contents, (), seen)
    for hinted in _hinted(function, function.__globals__):
        yield from _fields(hinted, seen)
    for code in codes(function.__code__):
        yield from _code_parts(code)
        for name in code.co_names:
            if name in function.__globals__:
                yield from _parts(function.__globals__[name], code.co_names, seen)


@lru_cache(4096)
def _code_parts(code: types.CodeType) -> tuple[bytes, ...]:
    """The instructions, without the places of constants, the constants that they load, and names.

    Kept, because `loop_for` asks each time whether a class is what it was: 0.1 ms for `Csr`, else 0.4.
    """
    steps, constants, high = bytearray(code.co_code), list[Any](), 0
    for at in range(0, len(steps), 2):
        place = high | steps[at + 1]
        high = place << 8 if steps[at] == dis.EXTENDED_ARG else 0
        if steps[at] in CONSTANT:
            steps[at + 1] = 0
            if not isinstance(code.co_consts[place], types.CodeType):
                constants.append(code.co_consts[place])
    names = repr((code.co_argcount, code.co_names)).encode()
    return bytes(steps), code.co_exceptiontable, names, *_parts(constants, (), set())


def _fields(cls: Any, seen: set[Any]) -> Iterator[bytes]:
    """Names, order and defaults of the fields of a NamedTuple, and of the NamedTuples in it; nothing for others."""
    if isinstance(cls, type) and hasattr(cls, "_fields") and (cls, "_fields") not in seen:
        seen.add((cls, "_fields"))
        yield _name(cls)
        yield from _parts((cls._fields, getattr(cls, "_field_defaults", {})), (), seen)
        for hinted in _hinted(cls, vars(sys.modules.get(cls.__module__, object))):
            yield from _fields(hinted, seen)


def _hinted(owner: Any, scope: Mapping[str, Any]) -> Iterator[Any]:
    """What the hints of a function or class stand for, where they are plain names."""
    try:
        hints = list(getattr(owner, "__annotations__", {}).values())
    except NameError:  # Python 3.14 looks names up only now; one that is imported for checkers alone is not there
        return
    for hint in hints:
        name = getattr(hint, "__forward_arg__", hint)
        yield scope.get(name) if isinstance(name, str) else hint


def _foreign(value: Any) -> bool:
    module = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    return str(module).partition(".")[0] in FOREIGN and hasattr(value, "__name__")


def _name(value: Any) -> bytes:
    if isinstance(value, types.ModuleType):
        return value.__name__.encode()
    return f"{value.__module__}.{getattr(value, '__qualname__', value.__name__)}".encode()
