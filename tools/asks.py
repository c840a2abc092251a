"""Places that ask what one folder should know: how rows are stored, which memory or optimizer it is. For measure.py."""

from __future__ import annotations

import ast
import re

from shape import Code, Function, Place, Source, assignments, called, last_name, names_in

ROWS = "core/rows/"
NAMED = ("memory", "optimizers")
FALLBACK = ("KEEPS", "OPTIMIZERS")
"""Tuples of defaults.py that hold the names as long as a folder of NAMED is not there."""
LIKELY = {"keep", "keeps", "kept", "memory", "memories", "optimizer", "optimizers", "optimiser", "how", "picker"}

# --- questions about storage ------------------------------------------------------------------------------------------


def kinds_of_rows(code: Code) -> set[str]:
    """The classes of core/rows/ and the names made of nothing else."""
    rows = [source for source in code.sources if source.name.startswith(ROWS)]
    classes = {node.name for source in rows for node in source.tree.body if isinstance(node, ast.ClassDef)}
    values = {name: value for source in rows for name, value in source.values.items()}
    return classes | {name for name, value in values.items() if names_in(value) and names_in(value) <= classes}


def asks_storage(node: ast.AST, kinds: set[str]) -> bool:
    match node:
        case ast.Call() if called(node) in ("isinstance", "issubclass"):
            return bool(names_in(node.args[-1]) & kinds)
        case ast.Call() if called(node) in ("hasattr", "getattr"):
            return isinstance(node.args[1], ast.Constant) and node.args[1].value == "indptr"
        case ast.Call():
            return called(node) == "issparse"
        case ast.MatchClass():
            return bool(names_in(node.cls) & kinds)
        case ast.Attribute():
            named = node.attr.lstrip("_") in ("indptr", "is_sparse", "is_dense")
            if node.attr == "sparse" and isinstance(node.ctx, ast.Load):
                return not names_in(node.value) <= {"scipy", "sp"}
            return named and (node.attr == "indptr" or isinstance(node.ctx, ast.Load))
        case ast.Compare():
            sides = [node.left, *node.comparators]
            if any(last_name(side) == "storage" for side in sides):
                return True
            if any(isinstance(side, ast.Constant) and side.value in kinds for side in sides):
                return True
            types = [side for side in sides if called(side) == "type" or last_name(side) == "__class__"]
            known = any(names_in(side) & kinds for side in sides)
            return bool(types) and (known or len(types) > 1 and "rows" in ast.unparse(node))
    return False


def storage_checks(code: Code) -> list[Place]:
    kinds, places = kinds_of_rows(code), []
    for source in code.sources:
        if source.name.startswith(ROWS):
            continue
        here = kinds | {name for name, (_, there) in code.imported(source).items() if there in kinds}
        here |= {name for name, value in source.values.items() if names_in(value) & here and not made(value)}
        places += [source.place(node) for node, _ in source.nodes if asks_storage(node, here)]  # type: ignore[arg-type]
    return sorted(set(places))  # the same words twice in a line are one question


def made(value: ast.expr) -> bool:
    """An object made by a call is no alias of a class."""
    return any(isinstance(node, ast.Call) for node in ast.walk(value))


# --- names of memories and optimizers ---------------------------------------------------------------------------------


def is_named_folder(source: Source) -> bool:
    return bool(set(source.name.split("/")[:-1]) & set(NAMED))


def member_names(code: Code) -> set[str]:
    """`name = "…"` of the classes in `memory/` and `optimizers/`; where a folder has none, the tuple of defaults.py."""
    defaults, names = code.by_module.get("defaults"), set()
    for folder, constant in zip(NAMED, FALLBACK, strict=True):
        found: set[str] = set()
        for source in code.sources:
            if folder in source.name.split("/")[:-1]:
                for cls in source.of(ast.ClassDef):
                    found |= {
                        word for key, value in assignments(cls.body) if key == "name" and value for word in words(value)
                    }
        if not found and defaults and constant in defaults.values:
            found = words(defaults.values[constant])
        names |= found
    return names


def words(node: ast.AST) -> set[str]:
    """The strings of a literal: one, or those of a tuple, list, set, frozenset(…) or of a dict's keys."""
    match node:
        case ast.Constant(value=str() as word):
            return {word}
        case ast.Tuple() | ast.List() | ast.Set():
            return {word for item in node.elts for word in words(item)}
        case ast.Dict():
            return {word for key in node.keys if key is not None for word in words(key)}
        case ast.Call() if called(node) in ("frozenset", "set", "tuple") and node.args:
            return words(node.args[0])
        case ast.Call() if called(node) == "dict":
            return {keyword.arg for keyword in node.keywords if keyword.arg}
    return set()


class NameChecks:
    """What is known while one file is read."""

    def __init__(self, code: Code, source: Source, names: set[str]) -> None:
        self.code, self.source, self.names = code, source, names
        self.imported = code.imported(source)
        self.local: dict[int, list[tuple[str, ast.expr | None]]] = {}

    def assigned(self, name: str, function: Function | None) -> list[ast.expr]:
        if function is None:
            return []
        if id(function) not in self.local:
            self.local[id(function)] = list(assignments(ast.walk(function)))
        return [value for key, value in self.local[id(function)] if key == name and value is not None]

    def literal(self, node: ast.AST, function: Function | None) -> set[str]:
        """The strings that an expression stands for: a literal, or a constant of this or an imported module."""
        if isinstance(node, ast.Name):
            if local := self.assigned(node.id, function):
                return {word for value in local for word in words(value)}
            source, name = self.source, node.id
            if name in self.imported and name not in source.values:
                module, name = self.imported[name]
                source = self.code.by_module.get(module, source)
            return words(source.values[name]) if name in source.values else set()
        if isinstance(node, ast.Attribute) and node.attr.isupper() and isinstance(node.value, ast.Name):
            module, name = self.imported.get(node.value.id, ("", ""))
            there = self.code.by_module.get(f"{module}.{name}".lstrip("."))
            return words(there.values[node.attr]) if there and node.attr in there.values else set()
        return words(node)

    def likely(self, node: ast.AST, function: Function | None) -> bool:
        """Whether an expression looks like a memory or an optimizer."""
        texts = [node, *(self.assigned(node.id, function) if isinstance(node, ast.Name) else [])]
        if isinstance(node, ast.Attribute) and node.attr == "name":
            return True
        return any(LIKELY & set(re.findall("[a-z]+", ast.unparse(text).lower())) for text in texts)

    def begins(self, word: str) -> bool:
        """A name, or how some begin: "pick" of "pick-first"."""
        return len(word) > 2 and any(name.startswith(word) for name in self.names)

    def asks(self, node: ast.AST, function: Function | None) -> bool:
        match node:
            case ast.Compare():
                sides = [node.left, *node.comparators]
                heads = {name.split("-")[0] for name in self.names if "-" in name}
                named = [bool(self.literal(side, function) & (self.names | heads)) for side in sides]
                rest = [side for side, hit in zip(sides, named, strict=True) if not hit]
                return any(named) and any(self.likely(side, function) for side in rest)
            case ast.Call(func=ast.Attribute(attr="startswith" | "endswith")) if node.args:
                hit = any(self.begins(word) for word in self.literal(node.args[0], function))
                return hit and self.likely(node.func.value, function)  # type: ignore[attr-defined]
            case ast.Match():
                cases = {w for case in node.cases for part in ast.walk(case.pattern) for w in self._of_pattern(part)}
                return bool(cases & self.names) and self.likely(node.subject, function)
            case ast.Subscript(ctx=ast.Load()):
                return self._indexed(node.value, node.slice, function)
            case ast.Call(func=ast.Attribute(attr="get" | "pop")) if node.args:
                return self._indexed(node.func.value, node.args[0], function)  # type: ignore[attr-defined]
        return False

    @staticmethod
    def _of_pattern(node: ast.AST) -> set[str]:
        return words(node.value) if isinstance(node, ast.MatchValue) else set()

    def _indexed(self, table: ast.expr, index: ast.expr, function: Function | None) -> bool:
        is_dict = isinstance(table, (ast.Dict, ast.Name, ast.Attribute)) or called(table) == "dict"
        if not is_dict or isinstance(index, ast.Slice):
            return False
        keys = self.literal(table, function)
        alone = len(keys & self.names) > 1 and keys <= self.names and not isinstance(index, ast.Constant)
        return bool(keys & self.names) and (alone or self.likely(index, function))


def name_checks(code: Code) -> list[Place]:
    names, places = member_names(code), []
    for source in code.sources:
        if not is_named_folder(source):
            checks = NameChecks(code, source, names)
            for node, function in source.nodes:
                if checks.asks(node, function):
                    what = f"match {ast.unparse(node.subject)}" if isinstance(node, ast.Match) else ""
                    places.append(source.place(node, what))
    return sorted(set(places))
