"""The files of a package as trees: their lines, their imports and circles, their wide functions. For measure.py."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

MOST_PARAMETERS = 6
NOT_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING,
    tokenize.ENDMARKER,
}  # fmt: skip
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Place(NamedTuple):
    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.what}".rstrip()


class Source:
    """A file. name: relative to the package. module: dotted, "" for the package itself."""

    def __init__(self, root: Path, path: Path) -> None:
        self.name = path.relative_to(root).as_posix()
        parts = self.name.removesuffix(".py").split("/")
        self.folder = ".".join(parts[:-1])
        self.module = self.folder if parts[-1] == "__init__" else ".".join(parts)
        self.text = path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[tuple[ast.AST, Function | None]]:
        """Every node with the function it is in."""
        out: list[tuple[ast.AST, Function | None]] = []
        stack: list[tuple[ast.AST, Function | None]] = [(self.tree, None)]
        while stack:
            node, function = stack.pop()
            out.append((node, function))
            inner = node if isinstance(node, Function) else function
            stack += [(child, inner) for child in ast.iter_child_nodes(node)]
        return out

    @cached_property
    def values(self) -> dict[str, ast.expr]:
        """What the file assigns to a name outside functions and classes."""
        return {name: value for name, value in assignments(self.tree.body) if value is not None}

    def of(self, kind: Any) -> Iterator[Any]:
        return (node for node, _ in self.nodes if isinstance(node, kind))

    def place(self, node: Any, what: str = "") -> Place:
        return Place(self.name, node.lineno, what or shortened(ast.unparse(node)))


class Code:
    """All files of a package folder."""

    def __init__(self, root: Path) -> None:
        self.title = root.name
        self.sources = [Source(root, path) for path in sorted(root.rglob("*.py"))]
        self.by_module = {source.module: source for source in self.sources}

    def target(self, source: Source, node: ast.ImportFrom) -> str | None:
        """The module of this package that `from … import` names, dotted; None: another package's."""
        if node.level == 0:
            top, _, rest = (node.module or "").partition(".")
            return rest if top == self.title else None
        parts = source.folder.split(".") if source.folder else []
        if node.level - 1 > len(parts):
            return None
        parts = parts[: len(parts) - (node.level - 1)]
        return ".".join([*parts, *([node.module] if node.module else [])])

    def imported(self, source: Source) -> dict[str, tuple[str, str]]:
        """name here → (module, name there), of what comes from this package."""
        out: dict[str, tuple[str, str]] = {}
        for node in source.of(ast.ImportFrom):
            if (module := self.target(source, node)) is not None:
                out |= {alias.asname or alias.name: (module, alias.name) for alias in node.names}
        return out


def assignments(body: Iterable[ast.AST]) -> Iterator[tuple[str, ast.expr | None]]:
    for node in body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, (ast.AnnAssign, ast.NamedExpr)) else targets
        yield from ((target.id, node.value) for target in targets if isinstance(target, ast.Name))  # type: ignore[attr-defined]


def shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 100 else text[:99] + "…"


def names_in(node: ast.AST) -> set[str]:
    """Names and last attributes: of `rows.Csr | Dense` it is rows, Csr, Dense."""
    found = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return found | {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}


def called(node: ast.AST) -> str:
    """The last name of what is called, "" where nothing is."""
    func = node.func if isinstance(node, ast.Call) else None
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""


def last_name(node: ast.AST) -> str:
    """a.storage, storage, a["storage"] → "storage"."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


# --- length -----------------------------------------------------------------------------------------------------------


def code_lines(source: Source) -> int:
    alone = [node for node in source.of(ast.Expr) if isinstance(node.value, ast.Constant)]
    prose = {
        line
        for node in alone
        if isinstance(node.value.value, (str, bytes))
        for line in range(node.lineno, node.end_lineno + 1)
    }
    lines = source.text.split("\n")
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        first, last = token.start[0], token.end[0]
        if token.type not in NOT_CODE and not (token.type == tokenize.STRING and first in prose and last in prose):
            code.update(range(first, last + 1))
    return sum(1 for line in code if lines[line - 1].strip())


def lines_by_package(code: Code) -> dict[str, int]:
    """code_lines by top folder, the files at the root under "."."""
    out: Counter[str] = Counter()
    for source in code.sources:
        out[source.name.split("/")[0] if "/" in source.name else "."] += code_lines(source)
    return dict(sorted(out.items(), key=lambda item: -item[1]))


# --- wide functions ---------------------------------------------------------------------------------------------------


def wide_functions(code: Code) -> list[Place]:
    places = []
    for source in code.sources:
        stack: list[tuple[ast.AST, str]] = [(source.tree, "")]
        while stack:
            node, prefix = stack.pop()
            if isinstance(node, (ast.ClassDef, Function)):
                prefix = f"{prefix}.{node.name}".lstrip(".")
            stack += [(child, prefix) for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)]
            if isinstance(node, Function):
                args = node.args
                names = [arg.arg for arg in (*args.posonlyargs, *args.args)]
                count = len(names) + len(args.kwonlyargs) - (names[:1] in (["self"], ["cls"]))
                if count > MOST_PARAMETERS:
                    places.append(Place(source.name, node.lineno, f"{prefix} ({count} parameters)"))
    return sorted(places)


# --- import circles ---------------------------------------------------------------------------------------------------


def imports(code: Code, source: Source) -> Iterator[tuple[str, int]]:
    """(module of this package, line) of everything that a file imports."""
    for_types = {
        id(part)
        for block in source.of(ast.If)
        if "TYPE_CHECKING" in names_in(block.test)
        for statement in block.body
        for part in ast.walk(statement)
    }
    for node in source.of((ast.Import, ast.ImportFrom, ast.Call)):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                top, _, rest = alias.name.partition(".")
                if top == code.title:
                    yield rest, node.lineno
        elif isinstance(node, ast.ImportFrom) and (module := code.target(source, node)) is not None:
            for alias in node.names:
                inner = f"{module}.{alias.name}".lstrip(".")
                yield inner if inner in code.by_module else module, node.lineno
        elif called(node) == "import_module" and node.args:
            name = node.args[0].value if isinstance(node.args[0], ast.Constant) else ""
            if isinstance(name, str) and name.startswith(code.title + "."):
                yield name.partition(".")[2], node.lineno


def module_graph(code: Code) -> dict[str, dict[str, int]]:
    """module → module that it imports → line."""
    graph: dict[str, dict[str, int]] = {source.module: {} for source in code.sources}
    for source in code.sources:
        for module, line in imports(code, source):
            if module in graph and module != source.module:
                graph[source.module].setdefault(module, line)
    return graph


def folder_graph(code: Code, graph: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    """The same of folders; a file at the root stands for itself."""

    def home(module: str) -> str:
        return code.by_module[module].folder or module

    out: dict[str, dict[str, int]] = {home(module): {} for module in graph}
    for module, edges in graph.items():
        for other, line in edges.items():
            if home(other) != home(module):
                out[home(module)].setdefault(home(other), line)
    return out


def circles(graph: dict[str, dict[str, int]]) -> list[list[str]]:
    """Members of every strongly connected group of more than one node."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        stack = [start]
        while stack:
            new = set(graph[stack.pop()]) - seen
            seen |= new
            stack += new
        return seen

    reach = {node: reached(node) for node in graph}
    groups = {frozenset(o for o in reach[node] if node in reach[o]) for node in graph if node in reach[node]}
    return sorted(sorted(group) for group in groups)


def shortest_loop(graph: dict[str, dict[str, int]], members: list[str]) -> list[str]:
    """One way round, the shortest, as a hint where to cut."""

    def back_to(start: str) -> list[str]:
        queue = deque([[start]])
        seen = set()
        while queue:
            path = queue.popleft()
            for node in graph[path[-1]]:
                if node == start:
                    return [*path, start]
                if node in members and node not in seen:
                    seen.add(node)
                    queue.append([*path, node])
        return []

    return min((back_to(member) for member in members), key=len)


def circle_places(code: Code, graph: dict[str, dict[str, int]]) -> list[Place]:
    places = []
    for members in circles(graph):
        loop = shortest_loop(graph, members)
        source = code.by_module.get(loop[0])
        what = f"{len(members)} members: {', '.join(members)}; the shortest way round: {' → '.join(loop)}"
        places.append(Place(source.name if source else loop[0], graph[loop[0]][loop[1]], what))
    return places
