"""Names of a package that are loaded when they are first used (PEP 562): importing it costs nothing."""

import importlib
from collections.abc import Callable, Mapping
from functools import cache
from types import ModuleType
from typing import Any

Hooks = tuple[Callable[[str], Any], Callable[[], list[str]]]


def lazily(package: str, places: Mapping[str, str], *others: str) -> Hooks:
    """`__getattr__` and `__dir__` of a package. places: name → module that has it, from there; ".": it is one itself.
    others: more names."""

    def find(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if places[name] == ".":
            return importlib.import_module(f".{name}", package)
        return getattr(importlib.import_module(places[name], package), name)

    return find, lambda: sorted([*places, *others])


@cache
def members(package: ModuleType, verb: str) -> dict[str, Any]:
    """name → class for every class of the package's modules that has a name and this method.

    In order of the names, behind those that ask for a place in the list by a `rank`.
    """
    import inspect
    import pkgutil  # both are slow to import, and `import rosenblatt` is outside of what answers a Ctrl-C

    modules = [importlib.import_module(f"{package.__name__}.{m.name}") for m in pkgutil.iter_modules(package.__path__)]
    classes = [cls for module in modules for cls in vars(module).values() if inspect.isclass(cls)]
    found = {cls.name: cls for cls in classes if hasattr(cls, verb) and hasattr(cls, "name")}
    return dict(sorted(found.items(), key=lambda item: (getattr(item[1], "rank", len(found)), item[0])))
