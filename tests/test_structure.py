"""The shape of the package: who may import whom, what start-up loads, how long a file may be."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import rosenblatt

PACKAGE = Path(rosenblatt.__file__).parent
ROOT = Path(__file__).parent.parent

LAYERS = [
    {"errors", "lazy"},
    {"parameters", "mailtext"},
    {"rules", "metrics"},
    {"core"},  # rows and the loop: what readers yield is made of core's rows
    {"data", "kernels"},
    {"memory", "optimizers"},
    {"read"},
    {"write"},
    {"features"},
    {"learn"},
    {"model"},
    {"theory"},
    {"recipe"},
    {"trace"},
    {"experts", "datasets"},
    {"compare", "doctor", "mail"},
    {"report"},
    {"estimators", "plots", "lab", "cli"},
]
"""From the bottom up: a module imports its own folder and layers below. A new module gets its place here."""
SHELLS = {"estimators", "plots", "lab", "cli"}
"""Imported by nobody. Only the package itself names them, lazily, in `__getattr__`."""
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
RULES_MAY_IMPORT = {"__future__", "math", "typing"}
ENGINES = {"core", "learn", "memory", "model", "recipe", "theory", "experts", "compare", "doctor"}
HEAVY = ("matplotlib", "numba", "scipy", "sklearn")
MAX_LINES = 400

SOURCES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


def area(source: str) -> str:
    """The layer's name of a file: its top folder, or the module itself; "" for the package's own `__init__` (a value in
    it, such as `__version__`, is nobody's layer)."""
    top = source.split("/")[0].removesuffix(".py")
    return "" if top.startswith("__") else top


def imports(source: str) -> Iterator[tuple[int, str]]:
    """(line, absolute module name) of every import in a file, inside functions and type-only blocks too."""
    tree = ast.parse((PACKAGE / source).read_text(encoding="utf-8"))
    folder = ["rosenblatt", *source.split("/")[:-1]]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = folder[: len(folder) + 1 - node.level] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            yield from ((node.lineno, arg.value) for arg in node.args[:1] if isinstance(arg, ast.Constant))


def inside(module: str) -> str | None:
    """The layer of an absolute name inside this package, None for other packages."""
    top, _, rest = module.partition(".")
    return area(rest.replace(".", "/")) if top == "rosenblatt" else None


def test_the_readers_of_imports_see_every_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks below are only as good as this: relative, absolute, local, and by name."""
    (tmp_path / "read").mkdir()
    (tmp_path / "read" / "x.py").write_text(
        "import numba.extending\nfrom ..core.rows import Csr\nfrom . import open\nfrom .. import cli\n"
        "def f():\n    from rosenblatt import estimators\n    import_module('rosenblatt.lab')\n"
    )
    monkeypatch.setattr(sys.modules[__name__], "PACKAGE", tmp_path)
    assert [(line, name, inside(name)) for line, name in sorted(imports("read/x.py"))] == [
        (1, "numba.extending", None),
        (2, "rosenblatt.core.rows.Csr", "core"),
        (3, "rosenblatt.read.open", "read"),
        (4, "rosenblatt.cli", "cli"),
        (6, "rosenblatt.estimators", "estimators"),
        (7, "rosenblatt.lab", "lab"),
    ]


@pytest.mark.parametrize("source", SOURCES)
def test_imports_go_down_the_layers_only(source: str) -> None:
    here = area(source)
    if here == "":
        return
    assert here in RANK, f"{here} has no place in LAYERS"
    for line, module in imports(source):
        there = inside(module)
        if there in (None, "", here):
            continue
        assert there in RANK, f"{source}:{line} imports {module}: {there!r} has no place in LAYERS"
        assert there not in SHELLS, f"{source}:{line} imports {module}: nothing imports a shell"
        assert RANK[there] < RANK[here], f"{source}:{line} imports {module}: that is not below {here}"


@pytest.mark.parametrize("source", [s for s in SOURCES if s.startswith(("rules/", "metrics/"))])
def test_rules_import_nothing_but_math_typing_and_each_other(source: str) -> None:
    for line, module in imports(source):
        allowed = inside(module) == area(source) or module.split(".")[0] in RULES_MAY_IMPORT
        assert allowed, f"{source}:{line} imports {module}"


@pytest.mark.parametrize("source", SOURCES)
def test_only_core_imports_numba(source: str) -> None:
    for line, module in imports(source):
        assert module.split(".")[0] not in ("numba", "llvmlite") or area(source) == "core", f"{source}:{line}"


@pytest.mark.parametrize("source", [source for source in SOURCES if area(source) in ENGINES])
def test_engines_know_no_options_of_the_shell(source: str) -> None:
    """They return values, with settings by their names in Python; who speaks to people says them in their words."""
    nodes = ast.walk(ast.parse((PACKAGE / source).read_text(encoding="utf-8")))
    texts = [node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    assert not [f"{source}:{text.lineno}: {text.value}" for text in texts if re.search(r"--[a-z]", text.value)]


@pytest.mark.parametrize("source", SOURCES)
def test_a_file_can_be_read_in_one_sitting(source: str) -> None:
    lines = len((PACKAGE / source).read_text(encoding="utf-8").splitlines())
    assert lines <= MAX_LINES, f"{source} has {lines} lines; is there a second file inside?"


# --- what start-up loads ---------------------------------------------------------------------------------------------

RUN = f"""
import sys
code = 0
if len(sys.argv) > 1:
    from rosenblatt.cli import main
    sys.argv[0] = "rosenblatt"
    try:
        main()
    except SystemExit as stop:
        code = stop.code or 0
else:
    import rosenblatt
print("loaded:", *(name for name in {HEAVY!r} if name in sys.modules), file=sys.stderr)
sys.exit(code)
"""


def loaded(*arguments: str | Path) -> tuple[set[str], str]:
    """(heavy packages in memory at the end, standard output) of one `rosenblatt …`; no arguments: of the import."""
    done = subprocess.run([sys.executable, "-c", RUN, *map(str, arguments)], capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith("loaded:"), done.stderr
    return set(last.split()[1:]), done.stdout


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded()[0] == set()


def test_a_mail_becomes_tokens_without_numpy() -> None:
    """A filter that judges one mail starts in milliseconds; `email` waits until a mail is parsed."""
    code = (
        "import sys, rosenblatt.mailtext as mailtext; before = 'email.parser' in sys.modules;"
        "fields = mailtext.parse(b'Subject: free\\n\\nmoney');"
        f"print(fields, callable(mailtext.tokens), before, {{'numpy', *{HEAVY!r}}} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[('subject', 'free'), ('', 'money')] True False set()\n", done.stderr


@pytest.mark.parametrize(
    "command",
    ["", "train", "predict", "evaluate", "explain", "inspect", "demo",
     "convert", "shuffle", "split", "head", "summary", "threshold", "doctor"],
)  # fmt: skip
def test_help_loads_nothing_heavy(command: str) -> None:
    heavy, printed = loaded(*filter(None, [command, "--help"]))
    assert "Usage" in printed or "usage" in printed
    assert heavy == set()


NUMBERS = "1 1:2 3:1\n-1 2:1.5\n1 1:1\n-1 2:2 3:0.5\n"
WORDS = "spam\tfree money now\nham\tsee you at noon\nspam\tfree prize\nham\tlunch at noon then\n"


@pytest.mark.parametrize(
    ("suffix", "rows", "label"), [(".svm", NUMBERS, "1"), (".txt", WORDS, "spam")], ids=["numbers", "words"]
)
def test_predicting_one_line_compiles_nothing(tmp_path: Path, suffix: str, rows: str, label: str) -> None:
    """scipy may be there; numba (0.3 s), scikit-learn (1.1 s) and matplotlib may not."""
    data, one, model = tmp_path / f"train{suffix}", tmp_path / f"one{suffix}", tmp_path / "model"
    data.write_text(rows)
    one.write_text(rows.splitlines()[0] + "\n")
    loaded("train", data, "-o", model)
    heavy, printed = loaded("predict", model, one)
    assert printed.split() == [label]
    assert heavy <= {"scipy"}


@pytest.mark.parametrize("command", ["classify", "explain"])
def test_one_mail_is_judged_without_numpy(tmp_path: Path, command: str) -> None:
    """A filter calls it for each mail: numpy takes 0.1 s. From standard input and from a file."""
    one, store = tmp_path / "one.eml", tmp_path / "mail.db"
    one.write_text("Subject: free\nFrom: ann@example.org\n\nmoney\n")
    loaded("mail", "learn", "--spam", one, "--store", store)
    program = RUN.replace(repr(HEAVY), repr(("numpy", "rich", *HEAVY)))
    for words in ([one], []):
        line = [sys.executable, "-c", program, "mail", command, *words, "--store", store]
        done = subprocess.run([*map(str, line)], capture_output=True, text=True, input=one.read_text())
        assert done.stderr == "loaded:\n" and done.stdout.startswith(("spam", "ham", "unsure")), done


# --- what is committed -----------------------------------------------------------------------------------------------

# In two parts each, so that this file does not name what it looks for.
MACHINE_PATH = re.compile(r"(?:^|[^\w.])/(?:work|farm|root|home|tmp)/[A-Za-z]", re.MULTILINE)
REGISTRY = re.compile("python" + r"hosted|pypi\." + r"org|npmjs\." + r"(?:com|org)|deb\." + "debian")
LOCK_FILES = {"uv.lock", "poetry.lock", "pdm.lock", "package-lock.json", "Pipfile.lock"}


def committed() -> list[Path]:
    """Files that git has or would take; skips outside a checkout."""
    listing = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(listing, capture_output=True)
    except FileNotFoundError:
        pytest.skip("git is not here")
    if done.returncode or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    files = [ROOT / name for name in done.stdout.decode().split("\0") if name]
    return [path for path in files if path.is_file()]


def test_no_committed_file_names_a_machine_path_or_a_registry() -> None:
    found = []
    for path in committed():
        try:
            text = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue
        for pattern in (MACHINE_PATH, REGISTRY):
            found += [f"{path.relative_to(ROOT)}: {match[0].strip()}" for match in pattern.finditer(text)]
    assert not found


def test_no_lock_file_with_addresses_is_committed() -> None:
    names = [path.name for path in committed()]
    assert names and not LOCK_FILES & set(names)


@pytest.mark.parametrize(
    ("text", "caught"),
    [("see /" + "work/x", True), ('"/' + 'tmp/a"', True), ("../shared/data", False), ("a/home/b", False)],
)
def test_the_pattern_for_machine_paths(text: str, caught: bool) -> None:
    assert bool(MACHINE_PATH.search(text)) is caught
