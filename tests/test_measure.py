"""tools/measure.py on small packages: each measure sees what it should, and nothing else. Then the code itself."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TOOL = Path(__file__).parent.parent / "tools" / "measure.py"
if not TOOL.is_file():
    pytest.skip("tools/measure.py is not here: not a checkout", allow_module_level=True)
sys.path.insert(0, str(TOOL.parent))
measure = importlib.import_module("measure").measure

ROWS = "class Dense:\n    pass\nclass Csr:\n    pass\nRows = Dense | Csr\nArray = object\n"
MEMORY = {
    "memory/last.py": 'class Last:\n    name = "last"\n    def f(self): return self.name == "last"\n',
    "memory/voted.py": 'class Voted:\n    name: str = "voted"\n',
    "defaults.py": 'KEEPS = ("gone",)\nOPTIMIZERS = ("online", "batch", "mini-batch", "pick-first")\n',
}


def shape_of(folder: Path, **files: str) -> dict[str, Any]:
    """The measures of a package of these files: name with __ for / → content."""
    return shape_of_files(folder, {name.replace("__", "/") + ".py": text for name, text in files.items()})


def shape_of_files(folder: Path, files: dict[str, str]) -> dict[str, Any]:
    for name, text in files.items():
        path = folder / "rosenblatt" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    shape = measure(folder / "rosenblatt")
    return {**shape, "places": {name: [str(place) for place in found] for name, found in shape["places"].items()}}


def test_lines_of_code_are_neither_blank_nor_prose(tmp_path: Path) -> None:
    prose = '"""Says.\n\nMore."""\n\n# why\nX = 1  # here\n"""Of X."""\n\n'
    code = 'def f(\n    a,\n\n    b,\n):\n    """One."""\n    return """\nline\n\nline"""\n\nclass A: "both"\n'
    shape = shape_of(tmp_path, one=prose, room__two=code, room__inner__three="x = 1\n", room____init__="")
    # X; def f( a, b, ): return""" line line; class
    assert shape["code_lines_by_package"] == {"room": 9, ".": 1}
    assert shape["code_lines"] == 10


def test_loose_files_are_those_at_the_root(tmp_path: Path) -> None:
    files = dict.fromkeys(["__init__.py", "__main__.py", "model.py", "read/__init__.py", "read/x.py"], "")
    shape = shape_of_files(tmp_path, files)
    assert shape["places"]["loose_files"] == ["__init__.py:1", "__main__.py:1", "model.py:1"]
    assert shape["loose_files"] == 3


TWO = [
    ("from .b import f", "from .a import g"),
    ("from . import b", "import rosenblatt.room.a"),
    ("from rosenblatt.room.b import f", "def f():\n    from ..room import a"),
    ("if x:\n    from .b import f", "from importlib import import_module\nimport_module('rosenblatt.room.a')"),
    ("if TYPE_CHECKING:\n    pass\nelse:\n    from .b import f", "class A:\n    from .a import *"),
]


@pytest.mark.parametrize(("a", "b"), TWO)
def test_circles_are_seen_through_every_import(tmp_path: Path, a: str, b: str) -> None:
    shape = shape_of(tmp_path, room__a=a, room__b=b, room__c="from . import a, b", room____init__="")
    assert shape["circles"] == 1 and shape["package_circles"] == 0
    assert "2 members: room.a, room.b" in shape["places"]["circles"][0]


@pytest.mark.parametrize(
    "b",
    [
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .a import g",
        "import typing\nif typing.TYPE_CHECKING:\n    from . import a",
        "__getattr__ = lazily(__name__, {'g': '.a'})",
        "from importlib import import_module\nimport_module(f'.{name}', __package__)",
        "import a\nfrom a import g\nfrom other.room.a import g",
    ],
)
def test_what_is_no_import_makes_no_circle(tmp_path: Path, b: str) -> None:
    assert shape_of(tmp_path, room__a="from .b import f", room__b=b, room____init__="")["circles"] == 0


def test_a_name_from_a_package_leads_to_its_module_else_to_the_package(tmp_path: Path) -> None:
    into_module = {"room/__init__.py": "from ..user import x", "room/part.py": "", "user.py": "from .room import part"}
    assert shape_of_files(tmp_path / "1", into_module)["circles"] == 0
    into_package = {**into_module, "user.py": "from .room import whole"}
    assert shape_of_files(tmp_path / "2", into_package)["circles"] == 1


def test_folders_can_go_round_where_files_do_not(tmp_path: Path) -> None:
    files = {"up/a.py": "from ..down import c", "down/d.py": "from ..up import b", "up/b.py": "", "down/c.py": ""}
    shape = shape_of_files(tmp_path, files)
    assert (shape["circles"], shape["package_circles"]) == (0, 1)
    assert "2 members: down, up" in shape["places"]["package_circles"][0]


def test_three_that_go_round_are_one_circle_with_its_shortest_way(tmp_path: Path) -> None:
    shape = shape_of(tmp_path, a="from . import b", b="from . import c, a", c="from . import a\n", d="from . import d")
    assert shape["circles"] == 1
    assert "3 members: a, b, c; the shortest way round: a → b → a" in shape["places"]["circles"][0]


IMPORT_KINDS = "from .core.rows.kinds import Csr, Dense, Rows\n"


@pytest.mark.parametrize(
    "asks",
    [
        "isinstance(x, Csr)",
        "isinstance(x, (int, Dense))",
        "isinstance(x, Csr | None)",
        "isinstance(x, Rows)",
        "isinstance(x, rows.Csr)",
        "isinstance(x, Sparse)",
        "isinstance(x, BOTH)",
        "issubclass(kind, Csr)",
        "type(x) is Csr",
        "type(x) == Csr",
        "type(x) in (Csr, Dense)",
        "x.__class__ is not Dense",
        "type(x).__name__ == 'Csr'",
        "type(rows) is type(other)",
        "hasattr(x, 'indptr')",
        "getattr(x, 'indptr', None)",
        "x.indptr",
        "issparse(x)",
        "scipy.sparse.issparse(x)",
        "x.is_sparse",
        "x.is_sparse()",
        "self._is_sparse",
        "x.sparse",
        "x.is_dense",
        "x.storage == 'dense'",
        "storage in ('sparse',)",
        "x['storage'] != 'dense'",
    ],
)
def test_questions_about_storage(tmp_path: Path, asks: str) -> None:
    text = (
        IMPORT_KINDS
        + f"from .core.rows.kinds import Csr as Sparse\nBOTH = (Csr, Dense)\nask = {asks}\nask = {asks} or 0\n"
    )
    shape = shape_of(tmp_path, core__rows__kinds=ROWS + f"ask = {asks}\n", x=text)
    assert [place.split(" ")[0] for place in shape["places"]["storage_checks"]] == ["x.py:4", "x.py:5"]


def test_patterns_that_ask_for_storage_are_one_question_a_case(tmp_path: Path) -> None:
    text = (
        IMPORT_KINDS
        + "match x:\n    case Csr(data=d):\n        0\n    case Dense():\n        0\n    case int():\n        0\n"
    )
    assert shape_of(tmp_path, core__rows__kinds=ROWS, x=text)["storage_checks"] == 2


@pytest.mark.parametrize(
    "asks",
    [
        "isinstance(x, Array)",
        "isinstance(x, str)",
        "Csr(1, 2)",
        "f(x) is g",
        "type(x) is int",
        "type(a) is type(b)",
        "hasattr(x, 'shape')",
        "scipy.sparse.csr_array(x)",
        "'x.indptr'",
        "storage(x)",
        "x.dense",
        "isinstance(x, type(MADE))",
    ],
)
def test_what_is_no_question_about_storage(tmp_path: Path, asks: str) -> None:
    text = IMPORT_KINDS + f"MADE = Csr()\nself.sparse = True\nask = {asks}  # isinstance(x, Csr)\n"
    assert shape_of(tmp_path, core__rows__kinds=ROWS, x=text)["places"]["storage_checks"] == []


@pytest.mark.parametrize(
    "asks",
    [
        "memory.name == 'voted'",
        "model.run.answering[0].name != 'voted'",
        "'last' == settings.keep",
        "words['keep'] in ('last', 'other')",
        "keep not in {'voted'}",
        "a.keep == 'voted' != b.keep",
        "words['optimizer'].startswith('pick')",
        "settings.optimizer.startswith(('pick', 'mini'))",
        "'pick' in optimizer",
        "optimizer.split('-')[0] == 'pick'",
        "keep in MEMORIES",
        "keep in FROZEN",
        "keep == BEST",
        "keep in elsewhere.KEPT",
        "keep in KEPT",
        "{'voted': 1, 'other': 2}[keep]",
        "{'batch': 1}.get(settings.optimizer, 0)",
        "dict(voted=1).get(keep)",
        "TABLE[keep]",
        "{'voted': 1, 'last': 2}[x]",
    ],
)
def test_names_of_memories_and_optimizers(tmp_path: Path, asks: str) -> None:
    text = (
        "from . import elsewhere\nfrom .elsewhere import KEPT\nMEMORIES = ('last', 'averaged')\nBEST = 'voted'\n"
        f"TABLE = {{'voted': 1}}\nFROZEN = frozenset(['last'])\ndef f():\n    return {asks}\n"
    )
    shape = shape_of_files(tmp_path, {**MEMORY, "elsewhere.py": "KEPT = ['voted']\n", "x.py": text})
    assert [place.split(" ")[0] for place in shape["places"]["name_checks"]] == ["x.py:8"]


def test_names_through_the_assignments_of_a_function(tmp_path: Path) -> None:
    text = (
        "def f(s):\n    which = s.optimizer\n    kinds = ('batch',)\n    return which == 'online' or s.keep in kinds\n"
    )
    text += "def g(s):\n    which = s.file\n    return which == 'online'\n"
    found = shape_of_files(tmp_path, {**MEMORY, "x.py": text})["places"]["name_checks"]
    assert found == ["x.py:4 s.keep in kinds", "x.py:4 which == 'online'"]


def test_a_match_on_names_is_one_question(tmp_path: Path) -> None:
    text = (
        "match run.keep:\n    case 'last' | 'voted':\n        pass\nmatch duplicates:\n    case 'last':\n        pass\n"
    )
    found = shape_of_files(tmp_path, {**MEMORY, "x.py": text})["places"]["name_checks"]
    assert found == ["x.py:1 match run.keep"]


@pytest.mark.parametrize(
    "asks",
    [
        "duplicates == 'last'",
        "duplicates not in ('error', 'sum', 'last')",
        "saved['last']",
        "{'last': 1, 'first': 2}[which]",
        "{'keep': 'last'}",
        "Settings(keep='voted')",
        "settings.keep == other.keep",
        "keep == 'something else'",
        "keep.startswith('x')",
        "keep in KEEPS()",
        "'voted keep' in text",
        "file.startswith('pick')",
        "run.memory.is_linear",
    ],
)
def test_what_is_no_question_of_a_name(tmp_path: Path, asks: str) -> None:
    text = f"from . import elsewhere\ndef f(last):\n    return {asks}\n"
    assert shape_of_files(tmp_path, {**MEMORY, "x.py": text})["places"]["name_checks"] == []


def test_names_come_from_their_folders_and_from_defaults_only_without_them(tmp_path: Path) -> None:
    ask = "a = keep == 'gone'\nb = optimizer == 'batch'\nc = optimizer == 'newton'\n"
    own = {"optimizers/newton.py": "class Newton:\n    name = 'newton'\n    x = optimizer == 'newton'\n"}
    before = shape_of_files(tmp_path, {**MEMORY, "x.py": ask})
    assert before["places"]["name_checks"] == ["x.py:2 optimizer == 'batch'"]
    after = shape_of_files(tmp_path, own)
    assert after["places"]["name_checks"] == ["x.py:3 optimizer == 'newton'"]


def test_wide_functions_take_more_than_six(tmp_path: Path) -> None:
    text = (
        "def six(a, b, c, d, e, f, *args, **kw): pass\n"
        "def seven(a, b, /, c, d, *, e, f, g=1): pass\n"
        "class A:\n    def six(self, a, b, c, d, e, f): pass\n    async def seven(self, a, b, c, d, e, f, g): pass\n"
        "    @classmethod\n    def made(cls, a, b, c, d, e, f): pass\n"
        "    if 1:\n        def inner(self):\n            def deep(a, b, c, d, e, f, g): pass\n"
        "g = lambda a, b, c, d, e, f, g: 1\n"
    )
    assert shape_of(tmp_path, x=text)["places"]["wide_functions"] == [
        "x.py:2 seven (7 parameters)",
        "x.py:5 A.seven (7 parameters)",
        "x.py:10 A.inner.deep (7 parameters)",
    ]


def measured(*arguments: str | Path) -> str:
    """What the tool prints. -S: without any installed package."""
    done = subprocess.run([sys.executable, "-S", TOOL, *arguments], capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_table_and_the_places_say_the_same_as_json(tmp_path: Path) -> None:
    package = tmp_path / "rosenblatt"
    shape = shape_of_files(tmp_path, {**MEMORY, "x.py": "a = keep == 'last'\n"})
    assert json.loads(measured("--json", package)) == shape
    table = dict(line.split() for line in measured(package).splitlines())
    assert {name: int(table[name]) for name in shape["places"]} == {name: shape[name] for name in shape["places"]}
    assert int(table["code_lines"]) == shape["code_lines"] and int(table["memory"]) == 5
    assert measured("--list", "name_checks", package) == "x.py:1 keep == 'last'\n"


# --- the code itself -------------------------------------------------------------------------------------------------

WIDE = {"LinearClassifier.__init__", "LinearClassifier.fit"}
"""scikit-learn's contract: a constructor has every parameter, and `fit` some beside."""


@pytest.fixture(scope="module")
def code() -> dict[str, Any]:
    return measure()


def test_one_place_knows_how_rows_are_stored(code: dict[str, Any]) -> None:
    asks = code["places"]["storage_checks"]
    assert len(asks) <= 10, "ask core/rows.py instead:\n" + "\n".join(map(str, asks))


def test_nobody_outside_its_folder_asks_for_the_name_of_a_memory_or_an_optimizer(code: dict[str, Any]) -> None:
    asks = code["places"]["name_checks"]
    assert not asks, "ask the memory or the optimizer a question instead:\n" + "\n".join(map(str, asks))


def test_a_function_of_more_than_six_parameters_hides_a_value(code: dict[str, Any]) -> None:
    wide = [place for place in code["places"]["wide_functions"] if place.what.split(" ")[0] not in WIDE]
    assert not wide, "which of these belong together?\n" + "\n".join(map(str, wide))


def test_what_is_at_the_root_belongs_to_no_room(code: dict[str, Any]) -> None:
    assert code["loose_files"] <= 6, "which room is it of?\n" + "\n".join(map(str, code["places"]["loose_files"]))


def test_no_two_files_import_each_other_however_late(code: dict[str, Any]) -> None:
    assert code["circles"] == 0, "\n".join(map(str, code["places"]["circles"]))


def test_the_code_grows_by_decision_only(code: dict[str, Any]) -> None:
    """A new feature may raise it; what it took away is said beside it."""
    assert code["code_lines"] <= 33_600
