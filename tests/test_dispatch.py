"""A compiled kernel is never stale, and a rule of one's own works wherever it is written.

Each test runs processes on a copy of the package, whose cache is the copy's own, edits a source and runs again. The
nasty edits keep the file's size and time of change, which is all that numba looks at. Importing numba and its first
compilation take over a second of a core: a process that has done both forks most of ours, which import the copy anew.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import rosenblatt

PACKAGE = Path(rosenblatt.__file__).parent

LEARN = """
import sys
import numpy as np
from rosenblatt.core import dispatch
from rosenblatt.core.rows import Dense, dense
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.run import Chunk, Limits, new_run
from rosenblatt.learn.train import train

def learn(rule, kind=Dense):
    rows, y = kind(*dense(np.random.default_rng(0).normal(size=(12, 3)))), np.tile([1.0, -1.0, -1.0], 4)
    run = new_run(Settings.of(rule=rule, tol=None, shuffle=False), rows, 2)
    train(run, [Chunk(rows, y)], Limits(1))
    return [*run.state.w.round(6).tolist(), round(float(run.state.b[0]), 6)]

def small(rule, kind=Dense):
    from rosenblatt.core import smaller
    rows, y, w = kind(*dense(np.random.default_rng(0).normal(size=(12, 3)))), np.tile([1.0, -1.0, -1.0], 4), np.zeros(3)
    rule = new_run(Settings.of(rule=rule), rows, 2).rule
    dispatch.loop_for(smaller.learn, rule, rows)(rule, rows, y, w)
    return w.round(6).tolist()

def compiled_now():
    # Which loops and kernels did not come from the disk.
    return sorted(key[0].__name__ for key, loop in dispatch._LOOPS.items() if sum(loop.stats.cache_misses.values()))
"""

SMALLER = """
import numpy as np
from .verbs import add, dot, sq_norm, step

def learn(rule, rows, y, w):
    for p in range(y.size):
        i = np.uint64(p)
        add(rows, i, step(rule, dot(rows, i, w), y[p], sq_norm(rows, i)), w)
"""
"""A loop that is compiled in a fourth of the time, where the test is about the verbs that it calls."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The sources of core/, rules/, memory/ and training, without anything that is compiled."""
    target = tmp_path / "copy" / "rosenblatt"
    ignored = shutil.ignore_patterns("__pycache__", "datasets", "cli", "mail", "report", "features")
    shutil.copytree(PACKAGE, target, ignore=ignored)
    (target / "core" / "smaller.py").write_text(SMALLER, encoding="utf-8")
    return target


FORKER = """
import json, os, sys, traceback
import numba, numpy
numba.njit(lambda x: x + 1.0)(numpy.ones(2))
for line in sys.stdin:
    code, environment, out = json.loads(line)
    pid = os.fork()
    if not pid:
        for number, end in enumerate(("out", "err"), start=1):
            os.dup2(os.open(f"{out}.{end}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        os.environ.clear()
        os.environ.update(environment)
        sys.path[1:1] = environment["PYTHONPATH"].split(os.pathsep)
        failed = 0
        try:
            exec(code, sys.modules["__main__"].__dict__)
        except BaseException:
            traceback.print_exc()
            failed = 1
        sys.stdout.flush()
        os._exit(failed)
    print(os.waitpid(pid, 0)[1], flush=True)
"""


@pytest.fixture(scope="module", autouse=True)
def forker() -> Iterator[None]:
    """A process that has numba at hand and forks another for each code."""
    global _forker
    with subprocess.Popen([sys.executable, "-c", FORKER], stdin=-1, stdout=-1, encoding="utf-8") as _forker:
        yield
        _forker.communicate()


def python(copy: Path, code: str, *, where: Path | None = None, fresh: bool = False, **environment: str) -> str:
    """What a process prints that finds the copy, and `where`, before everything else. fresh: it is not forked."""
    path = os.pathsep.join(map(str, filter(None, [copy.parent, where])))
    own = {"PATH": os.environ.get("PATH", ""), "HOME": str(copy.parent / "home"), "PYTHONPATH": path, **environment}
    if fresh:
        done = subprocess.run([sys.executable, "-c", LEARN + code], capture_output=True, encoding="utf-8", env=own)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()
    out = copy.parent / "printed"
    print(json.dumps([LEARN + code, own, str(out)]), file=_forker.stdin, flush=True)
    assert int(_forker.stdout.readline()) == 0, out.with_suffix(".err").read_text(encoding="utf-8")
    return out.with_suffix(".out").read_text(encoding="utf-8").strip()


def edit(path: Path, old: str, new: str) -> None:
    """Change a source but not its size or its time of change."""
    text, times = path.read_text(encoding="utf-8"), path.stat()
    assert text.count(old) == 1 and len(old) == len(new), (path, old)
    path.write_text(text.replace(old, new), encoding="utf-8")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
        compiled.unlink()  # Python's own cache is by size and time too, and is not what this is about


def machine_code(copy: Path) -> list[str]:
    return sorted(path.name for path in copy.rglob("*.nbc"))


OTHER_ROWS = """

def _other(self: Any, i: int, a: float, w: Array) -> None:
    for j in range(w.size):
        w[j] -= a * self.values[i, j]


Dense.add = _other
"""


def test_an_edited_rule_helper_or_row_is_compiled_anew(copy: Path) -> None:
    """Issue: edit a rule, a helper and a kind of rows in a copy, and see the new behaviour."""
    run = "print([small(rule) for rule in ('perceptron', 'logistic')])"
    first = python(copy, run, fresh=True)
    cached = machine_code(copy)
    assert len(cached) == 2, "the cache lies in the copy"
    assert python(copy, run) == first and machine_code(copy) == cached, "the second run compiles nothing"

    edit(copy / "rules" / "perceptron.py", "return y if y * u <= 0.0 else 0.0", "return 9 if y * u <= 0.0 else 0.0")
    second = python(copy, run)
    assert eval(second)[0] != eval(first)[0] and eval(second)[1] == eval(first)[1]

    edit(copy / "rules" / "functions.py", "return 1.0 / (1.0 + math", "return 1.0 / (3.0 + math")
    third = python(copy, run)
    assert eval(third)[0] == eval(second)[0] and eval(third)[1] != eval(second)[1]

    rows = copy / "core" / "rows" / "dense.py"
    rows.write_text(rows.read_text() + OTHER_ROWS)
    assert eval(python(copy, "print(small('perceptron'))")) != eval(third)[0]


SCRIPT = """
import math
from typing import NamedTuple
HALF = 0.5

def cut(m):
    return max(0.0, HALF - m)

class Named(NamedTuple):
    tau: float = 1.0
    def step(self, u, y, sq_norm):
        return y if y * u < self.tau else 0.0

class Plain:
    def step(self, u, y, sq_norm):
        return y * cut(y * u) * math.sqrt(1.0)

def enclosed(tau):
    class Own:
        def step(self, u, y, sq_norm):
            return y if y * u < tau else 0.0
    return Own
"""


def test_a_rule_defined_in_a_script_works(copy: Path) -> None:
    """As a NamedTuple with a parameter; as a plain class with one method, a helper and a constant; from a closure."""
    run = SCRIPT + "print([small(r) for r in (Named, Named(2.0), Plain, enclosed(-1.0), enclosed(100.0))])"
    compiled = eval(python(copy, run))
    assert compiled == eval(python(copy, run, ROSENBLATT_JIT="0"))
    assert len({str(c) for c in compiled}) == 5
    assert machine_code(copy) == [], "nobody could find these again"


NOTEBOOK = """
def again():
    global HALF, cut
    first = small(Plain), small(Named)
    HALF = 2.0
    second = small(Plain), small(Named)
    cut = lambda m: 1.0 - m
    third = small(Plain), small(Named)
    Named.step = lambda self, u, y, sq_norm: -y * self.tau
    return first, second, third, (small(Plain), small(Named))
print(again())
"""


def test_a_helper_or_constant_redefined_while_running_counts(copy: Path) -> None:
    """In a notebook the next cell may redefine what the rule calls; numba alone keeps the first."""
    run = SCRIPT + NOTEBOOK
    compiled = eval(python(copy, run))
    assert compiled == eval(python(copy, run, ROSENBLATT_JIT="0"))
    plains, named = zip(*compiled, strict=True)
    assert len({str(p) for p in plains[:3]}) == 3 and named[0] == named[2] != named[3]


RULES = """
from typing import NamedTuple
import helpers
from helpers import cut

class Mine(NamedTuple):
    tau: float = 1.0
    def step(self, u, y, sq_norm):
        return y * cut(self.tau - y * u) * helpers.SHARE
"""
HELPERS = """
import numpy as np
SHARE = 1.0
TABLE = np.array([1.0, 2.0])
def inner(m):
    return m * TABLE[0]
def cut(m):
    return max(0.0, inner(m))
"""


def test_a_rule_of_an_imported_module_is_cached_and_never_stale(copy: Path, tmp_path: Path) -> None:
    """Its helper's helper and another module's constant may change; numba sees that its own file did not."""
    own = tmp_path / "own"
    own.mkdir()
    (own / "rules_of_mine.py").write_text(RULES)
    (own / "helpers.py").write_text(HELPERS)
    run = "from rules_of_mine import Mine\nprint(small(Mine))"
    seen = [python(copy, run, where=own)]
    cached = machine_code(copy)
    assert len(cached) == 1 and "Mine" in cached[0]
    assert python(copy, run, where=own) == seen[0] and machine_code(copy) == cached, "the second run compiles nothing"
    for old, new in (("return m * TABLE[0]", "return m * TABLE[1]"), ("SHARE = 1.0", "SHARE = 5.0")):
        edit(own / "helpers.py", old, new)
        found = python(copy, run, where=own)
        assert found not in seen, new
        seen.append(found)
    assert seen[-1] == python(copy, run, where=own, ROSENBLATT_JIT="0")

    others = "print(small('perceptron'))"
    wanted = python(copy, others, where=own)
    shutil.rmtree(own)
    before = machine_code(copy)
    assert python(copy, others) == wanted and machine_code(copy) == before, "one index for all would break here"


ROWS = """
from rosenblatt.core.rows import Dense
SHARE = 1.0

class Mine(Dense):
    __slots__ = ()
    def add(self, i, a, w):
        for j in range(w.size):
            w[j] += SHARE * a * self.values[i, j]
"""


@pytest.fixture
def rows_of_mine(tmp_path: Path) -> Path:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "rows_of_mine.py").write_text(ROWS)
    return tmp_path / "own"


def test_edited_rows_of_ones_own_are_compiled_anew(copy: Path, rows_of_mine: Path) -> None:
    run = "from rows_of_mine import Mine\nprint(small('perceptron', kind=Mine))\nprint(compiled_now())"
    first = python(copy, run, where=rows_of_mine).splitlines()
    assert first[1] == "['learn']" and len(machine_code(copy)) == 1 and "Mine" in machine_code(copy)[0]
    assert python(copy, run, where=rows_of_mine).splitlines() == [first[0], "[]"]
    edit(rows_of_mine / "rows_of_mine.py", "a * self", "9 * self")
    second = python(copy, run, where=rows_of_mine).splitlines()
    assert second == [python(copy, run, where=rows_of_mine, ROSENBLATT_JIT="0").splitlines()[0], "['learn']"]
    assert second[0] != first[0]


def test_rows_redefined_while_running_count(copy: Path, rows_of_mine: Path) -> None:
    """A constant, then a method; and the first again when they are as they were."""
    run = """
import rows_of_mine
def again():
    Mine = rows_of_mine.Mine
    yield small('perceptron', kind=Mine)
    rows_of_mine.SHARE = 5.0
    yield small('perceptron', kind=Mine)
    first, Mine.add = Mine.add, lambda self, i, a, w: None
    yield small('perceptron', kind=Mine)
    rows_of_mine.SHARE, Mine.add = 1.0, first
    yield small('perceptron', kind=Mine)
print(list(again()))
"""
    compiled = eval(python(copy, run, where=rows_of_mine))
    assert compiled == eval(python(copy, run, where=rows_of_mine, ROSENBLATT_JIT="0"))
    assert compiled[0] == compiled[3] and len({str(each) for each in compiled}) == 3
    assert len(machine_code(copy)) == 1, "nobody could find what was redefined"


def test_rows_whose_module_has_gone_break_nothing(copy: Path, rows_of_mine: Path) -> None:
    plain = "print(small('perceptron'), compiled_now())"
    run = "from rows_of_mine import Mine\nsmall('perceptron', kind=Mine)\n" + plain
    wanted = python(copy, run, where=rows_of_mine)
    assert wanted.endswith("['learn', 'learn']") and len(machine_code(copy)) == 2
    shutil.rmtree(rows_of_mine)
    assert python(copy, plain) == wanted.replace("['learn', 'learn']", "[]")


@pytest.mark.slow  # 26 s of compiling; test_fingerprint says what a name depends on
def test_only_what_uses_the_edited_code_is_compiled_anew(copy: Path) -> None:
    """Not for a comment or a docstring, wherever it shifts the lines; numba alone begins again at each new time."""
    run = """
from rosenblatt.write import digits
learn('perceptron')
text = np.zeros(99, np.uint8)
digits.dense_lines(text, digits.ends_of([b"-"]), np.ones((1, 1)).view(np.uint64), 44)
print(compiled_now())
"""
    core = copy / "core"
    assert python(copy, run) == "['dense', 'learn']"
    for name, old, new in (
        ("../write/digits.py", "def put_zeros(", "# A comment\n\n\ndef put_zeros("),
        ("../write/digits.py", "def dense(", "# A comment\n\n\ndef dense("),
        ("../write/digits.py", '"""Digits of m, at least 1."""', '"""At least 1."""'),
        ("rows/dense.py", "(self, i: Index, a: float, w: Array) -> None:", "(self, i: Any, a: float, w: Any) -> Any:"),
        ("rows/verbs.py", "def frozen(", "# A comment\n\n\ndef frozen("),
        ("loop.py", '"""Write one step', '"""Note one step'),
        ("loop.py", "    w, b, f, n, m, _, _, _, _ = state", "    # A comment\n    w, b, f, n, m, _, _, _, _ = state"),
        ("dispatch.py", "def _findable(", "# A comment\n\n\ndef _findable("),
    ):
        text = (core / name).read_text(encoding="utf-8")
        assert old in text, (name, old)
        (core / name).write_text(text.replace(old, new), encoding="utf-8")
    assert python(copy, run) == "[]"
    edit(copy / "write" / "digits.py", "        out[p] = 48\n", "        out[p] = 49\n")
    assert python(copy, run) == "['dense']"
    edit(core / "loop.py", "keep.used[0] = at + 1", "keep.used[0] = at + 2")
    assert python(copy, run) == "['learn']"
    edit(core / "loop.py", "    row: Array\n    cls: Array\n", "    cls: Array\n    row: Array\n")
    assert python(copy, run) == "['learn']", "compiled code takes State and Keep apart by place"


def test_where_nothing_can_be_written_it_runs_uncached(copy: Path) -> None:
    """No folder can be made, beside the code or at home: a file stands there, which stops root too."""
    for folder in (copy / "core", copy):
        (folder / "__pycache__").write_text("not a folder")
    home = copy.parent / "home"
    home.write_text("not a folder")
    run = """
import numba.core.caching as caching
from rosenblatt.core.loop import learn as loop
try:
    caching.FunctionCache(loop)
except RuntimeError as error:
    assert 'no locator available' in str(error)
else:
    raise AssertionError('there is a place to write after all')
print(learn('perceptron'))
"""
    quiet = {"PYTHONDONTWRITEBYTECODE": "1", "XDG_CACHE_HOME": str(home / "cache")}
    assert python(copy, run, fresh=True, **quiet) == python(copy, "print(learn('perceptron'))", ROSENBLATT_JIT="0")
    assert machine_code(copy) == []


def test_a_fingerprint_is_the_same_in_every_process(copy: Path) -> None:
    """Sets have another order in each, functions another address. numba is not needed for it."""
    code = """
from rosenblatt.core import dispatch, loop, rows
from rosenblatt.core.fingerprint import fingerprint
from rosenblatt.experts import learner
from rosenblatt.learn import converged
from rosenblatt.theory.fewest import sweep
from rosenblatt.write import digits
loops = loop.learn, loop.learn_many, sweep.scan, digits.dense, learner.progressive
how = dispatch._options(), dispatch._register_verbs, dispatch._register_helper, dispatch._linked
print(fingerprint(*loops, converged.scan_many, rows.Csr, how, names=dispatch.METHODS))
assert "numba" not in sys.modules
"""
    assert len({python(copy, code, fresh=True, PYTHONHASHSEED=str(seed)) for seed in (1, 2)}) == 1
