"""The shape of the code in numbers: how long it is, and how often it asks what only one place should know.

python tools/measure.py                       the table
python tools/measure.py --json                everything, places too
python tools/measure.py --list name_checks    the places of one measure, as file:line
python tools/measure.py FOLDER …              of another package folder (default: src/rosenblatt)

code_lines: lines without blanks, comments and docstrings (every string that stands alone is one).
loose_files: .py files at the package root.
circles: strongly connected groups of modules in the import graph. Imports inside functions count, those for types only
(TYPE_CHECKING) and names in strings (lazy tables, import_module of a variable) do not. `from .x import y` leads to the
module x.y where there is one, else to x. package_circles: the same of folders, a file at the root being its own.
storage_checks: places outside core/rows/ that ask how rows are stored: isinstance, type(), `match` and comparisons
with a kind of rows (the classes of core/rows/, also through an alias), type(a) is type(b) of rows, `.indptr`,
hasattr(x, "indptr"), issparse(x), `.sparse`, `.is_sparse`, `.is_dense`, comparisons of a `storage`.
name_checks: places outside `memory/` and `optimizers/` that compare with the name of one of their members: ==, !=, in,
not in, startswith, `match`, and a dict literal by those names that is indexed; also where the names come through a
constant of this or another module. Some names are plain words ("last" row, one "batch"), so the other side must look
like a memory or an optimizer: its text, or what the function assigns to it, has a word of LIKELY, or it is an
attribute `.name`. A dict must be indexed by such a thing, or have no other keys than those names, and two of them.
wide_functions: functions of more than six parameters; self, cls, *args and **kw are not counted.
"""

from __future__ import annotations

import argparse
import json
import signal
from pathlib import Path
from typing import Any

from asks import name_checks, storage_checks
from shape import Code, Place, circle_places, folder_graph, lines_by_package, module_graph, wide_functions

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "rosenblatt"


def measure(root: Path = PACKAGE) -> dict[str, Any]:
    """Every measure's number, `code_lines_by_package`, and `places`: measure → where."""
    code = Code(root)
    modules = module_graph(code)
    by_package = lines_by_package(code)
    places = {
        "loose_files": [Place(source.name, 1, "") for source in code.sources if "/" not in source.name],
        "circles": circle_places(code, modules),
        "package_circles": circle_places(code, folder_graph(code, modules)),
        "storage_checks": storage_checks(code),
        "name_checks": name_checks(code),
        "wide_functions": wide_functions(code),
    }
    return {
        "code_lines": sum(by_package.values()),
        **{name: len(found) for name, found in places.items()},
        "code_lines_by_package": by_package,
        "places": places,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="The shape of the code in numbers.")
    parser.add_argument("folder", nargs="?", type=Path, default=PACKAGE, help="package folder (src/rosenblatt)")
    parser.add_argument("--json", action="store_true", help="everything as one JSON object")
    parser.add_argument("--list", metavar="MEASURE", help="the places of one measure, or of all")
    asked = parser.parse_args()
    shape = measure(asked.folder.resolve())
    places = shape["places"]
    if asked.json:
        print(json.dumps({**shape, "places": {k: [str(p) for p in v] for k, v in places.items()}}, indent=2))
    elif asked.list:
        if asked.list not in (*places, "all"):
            parser.error(f"--list {asked.list}: one of {', '.join(places)}, all")
        for kind in places if asked.list == "all" else [asked.list]:
            for place in places[kind]:
                print(place)
    else:
        for name in ("code_lines", *places):
            print(f"{name:<16}{shape[name]:>8,}")
            if name == "code_lines":
                for package, lines in shape["code_lines_by_package"].items():
                    print(f"  {package:<14}{lines:>8,}")


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` may close the pipe
    main()
