"""From plain Python to machine code: the only file but `loading` that imports numba, when something is compiled.

Every kernel is ordinary Python that runs without numba (`ROSENBLATT_JIT=0`, or little work). A *verb* (`step`, `dot`,
…) calls the method of the value's own class; for compiled code each verb is registered once with numba and inlined.

numba's disk cache looks only at the kernel's own file: changed helpers, rules and rows would keep running old machine
code, one index for all rules would break when a user's module disappears, and a comment would compile anew. So each
compiled function gets a name of its own, which holds the classes whose verbs it calls and a fingerprint of all it uses.
"""

import os
import re
import sys
import types
from collections.abc import Iterator
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from ..errors import SettingError
from .collecting import without_collecting
from .fingerprint import codes, fingerprint, functions_in
from .loading import load_numba
from .verbs import ASKED, METHODS, OPTIONAL, VERBS, Function

FASTMATH = {"reassoc", "contract", "nsz", "arcp"}
"""Not "fast": that lets the compiler assume there are no NaNs, and checks for them stop working."""
SMALL_WORK = 20_000
"""Elementary steps (bytes, values) that plain Python does sooner than numba can be imported (0.3 s)."""


def jit_enabled() -> bool:
    """False when ROSENBLATT_JIT=0 asks for plain Python (coverage, debugging)."""
    return os.environ.get("ROSENBLATT_JIT", "1") != "0"


def _options(exact: bool = False, **more: bool) -> dict[str, Any]:
    """exact: every operation must be the one written (reading numbers: correctly rounded).

    Nothing calls the loops from C; without a wrapper for that, compiling and loading them takes 5 % less.
    """
    return {"error_model": "numpy", "fastmath": False if exact else FASTMATH, "no_cfunc_wrapper": True, **more}


@lru_cache(maxsize=1)
def _register_verbs() -> None:
    from numba.extending import overload

    inline = _options(forceinline=True)
    for verb in VERBS:
        name = verb.__name__
        overload(verb, jit_options=inline, strict=False)(  # type: ignore[arg-type]
            lambda self, *args, _name=name: _linked(getattr(self.instance_class, _name))
        )
    for verb, default in OPTIONAL.items():
        overload(verb, jit_options=inline, strict=False)(  # type: ignore[arg-type]
            lambda self, *args, _name=verb.__name__, _default=default: _linked(
                getattr(self.instance_class, _name, _default)
            )
        )
    for verb in ASKED:
        overload(verb, jit_options=inline, strict=False)(  # type: ignore[arg-type]
            lambda self, _asked=verb: (lambda self: True) if _asked(self.instance_class) else lambda self: False
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
        plain = isinstance(value, types.FunctionType) and value not in (function, *OPTIONAL, *ASKED, *VERBS)
        return numba.njit(**_options(forceinline=True))(_linked(value)) if plain else value

    names = {name for code in codes(function.__code__) for name in code.co_names}
    helpers = {name: ready(function.__globals__[name]) for name in names if name in function.__globals__}
    cells = tuple(types.CellType(ready(cell.cell_contents)) for cell in function.__closure__ or ())
    own = {**function.__globals__, **helpers}
    return types.FunctionType(function.__code__, own, function.__name__, function.__defaults__, cells)


@cache
def _register_helper(function: types.FunctionType, exact: bool = False) -> None:
    """Let compiled code call a plain function that a loop or kernel of the package uses."""
    from numba.extending import overload

    inline = _options(exact, forceinline=True)
    overload(function, jit_options=inline, strict=False)(lambda *args: function)  # type: ignore[arg-type]


# --- compiling -------------------------------------------------------------------------------------------------------


def _compile(function: Function, name: str, cache: bool, exact: bool) -> Function:
    """A copy of the function under that name, for numba to compile.

    Its code says that it is line 1 of this folder's `__init__.py`, which is empty: numba puts the line into the cached
    file's name and begins again when the source has changed. The name alone tells machine code apart, so that a comment
    costs nothing: in parse.py 1.4 s of CPU, in digits.py twice 2.1, in loop.py 1.7 for each rule and kind of rows.
    """
    import numba

    code = function.__code__.replace(co_filename=str(Path(__file__).with_name("__init__.py")), co_firstlineno=1)
    own = types.FunctionType(code, function.__globals__, name, function.__defaults__, function.__closure__)
    own.__qualname__ = name
    own.__module__ = function.__module__
    options = _options(exact, nogil=True)
    try:
        made: Any = numba.njit(cache=cache, **options)(own)
    except RuntimeError:  # nowhere to write: no locator for the cache; compile for this process only
        made = numba.njit(**options)(own)
    made.compile = partial(without_collecting, made.compile)
    return made  # type: ignore[no-any-return]


class Kernel:
    """A function that is compiled when it is first called; `plain` is the same function in Python.

    exact: compile without fast-math. rows: its first argument is rows, whose verbs it calls.
    """

    def __init__(self, function: Function, exact: bool = False, rows: bool = False) -> None:
        self.plain = function
        self._exact, self._rows = exact, rows
        self._compiled: Function | None = None

    def __call__(self, *args: Any) -> Any:
        return self.compiled()(*args)

    def compiled(self) -> Function:
        if not jit_enabled():
            return self.plain
        if self._compiled is None:
            self._compiled = self._for_rows if self._rows else _compiled(self.plain, (), self._exact)
        return self._compiled

    def _for_rows(self, rows: Any, *rest: Any) -> Any:
        return loop_for(self.plain, rows, exact=self._exact)(rows, *rest)

    def for_work(self, work: int) -> Function:
        """The plain function where the work is too little to be worth loading numba, else the compiled one."""
        return self.plain if work < SMALL_WORK and self._compiled is None else self.compiled()


_LOOPS: dict[tuple[Function, tuple[type, ...], bool], Function] = {}
_FIRST: dict[type, str] = {}
_TWINS: dict[tuple[type, str], type] = {}


def _current(value: Any) -> Any:
    """A rule or rows, in a class of its own if the class's code, a helper or a constant changed since first compiled.

    numba keeps what it has compiled for a class; in a notebook, the next cell may redefine what the rule calls.
    """
    cls, mark = type(value), fingerprint(type(value), names=METHODS)
    fields = [_current(field) if hasattr(field, "_fields") else field for field in value]
    if _FIRST.setdefault(cls, mark) != mark:
        if (cls, mark) not in _TWINS:
            own = {"__slots__": (), "__module__": cls.__module__}
            _TWINS[cls, mark] = type(cls.__name__, (cls,), own)
        return _TWINS[cls, mark]._make(fields)  # type: ignore[attr-defined]
    same = all(new is old for new, old in zip(fields, value, strict=True))
    return value if same else cls._make(fields)


def _classes(value: Any) -> Iterator[type]:
    """The class of a rule or of rows, and those of the values in it that have verbs of their own."""
    yield type(value)
    for field in value:
        if hasattr(field, "_fields"):
            yield from _classes(field)


def _findable(cls: type) -> bool:
    """Whether another process finds this very class by its name; only then can it find the machine code for it."""
    module = sys.modules.get(cls.__module__)
    return cls.__module__ not in ("__main__", "__mp_main__") and getattr(module, cls.__qualname__, None) is cls


def _compiled(function: Function, classes: tuple[type, ...], exact: bool) -> Function:
    """The function compiled for these classes, cached on disk where another process can find all of them."""
    if (function, classes, exact) not in _LOOPS:
        load_numba()
        _register_verbs()
        for helper in functions_in(function) - {function, *OPTIONAL, *OPTIONAL.values(), *ASKED, *VERBS}:
            _register_helper(helper, exact)
        how = (_options(exact), _register_verbs, _register_helper, _linked)
        made_of = fingerprint(function, *classes, how, names=METHODS)
        name = "_".join([function.__name__, *(cls.__name__ for cls in classes), made_of])
        _LOOPS[function, classes, exact] = _compile(function, name, all(map(_findable, classes)), exact)
    return _LOOPS[function, classes, exact]


def loop_for(loop: Function, *values: Any, exact: bool = False) -> Function:
    """`loop` compiled for the classes of its first arguments, cached on disk under a name of its own.

    values: those arguments whose verbs it calls: the rule, the rows. Another rule or other rows of the same classes may
    be given when it is called; for those of other classes it takes the loop that is theirs. A class that another
    process could not find by its name (one of a script's, say) is compiled anew each time. Raises SettingError, when
    first called, where a class cannot be compiled.
    """
    if not jit_enabled():
        return loop
    current = tuple(map(_current, values))
    changed = any(new is not old for new, old in zip(current, values, strict=True))
    classes = tuple(cls for value in current for cls in _classes(value))
    compiled, kinds, n = _compiled(loop, classes, exact), tuple(map(type, values)), len(values)
    from numba.core.errors import NumbaError, UnsupportedBytecodeError

    def run(*args: Any) -> Any:
        first = args[:n]
        if tuple(map(type, first)) != kinds:
            return loop_for(loop, *first, exact=exact)(*args)
        try:
            return compiled(*map(_current, first), *args[n:]) if changed else compiled(*args)
        except (NumbaError, UnsupportedBytecodeError, TypeError) as error:
            raise SettingError(_one_sentence(error, classes)) from None

    return run


def _one_sentence(error: Exception, classes: tuple[type, ...]) -> str:
    """numba's pages of explanation. The package's own classes can be compiled, so it is about the others."""
    text = re.sub("\x1b\\[[0-9;]*m", "", str(error)).rpartition("raised a specific error:")[2]  # without its colours
    lines = [line.strip() for line in text.splitlines() if line.strip() and "nopython" not in line]
    why = lines[0].removeprefix("TypingError: ").rstrip(".") if lines else type(error).__name__
    ours = __name__.partition(".")[0] + "."
    others = [cls for cls in classes if not cls.__module__.startswith(ours)] or classes[:1]
    kinds = ["rows" if hasattr(cls, "dot") else "metric" if hasattr(cls, "move") else "rule" for cls in others]
    names = " with ".join(f"{kind} {cls.__name__}" for kind, cls in zip(kinds, others, strict=True))
    step = "its functions may use their" if "metric" in kinds else "a step may use its"
    must = "move must return (change, c)" if "metric" in kinds else "must return a number"
    return (
        f"{names} cannot be compiled ({why}); {step} parameters, plain functions and math, and {must}, rows likewise "
        f"numpy (ROSENBLATT_JIT=0 runs any Python)"
    )


def versions() -> dict[tuple[str, str], bool]:
    """(name, types) of the machine code that this process holds → whether it was compiled here, not loaded."""
    loops: list[Any] = [loop for loop in _LOOPS.values() if hasattr(loop, "stats")]
    return {(loop.__name__, str(sig)): loop.stats.cache_misses[sig] > 0 for loop in loops for sig in loop.signatures}
