"""A compiled kernel is never stale, and a rule of one's own works wherever it is written.

Each test runs processes on a copy of the package, whose cache is the copy's own, edits a source and runs again. The
nasty edits keep the file's size and time of change, which is all that numba looks at.
"""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt
from rosenblatt.core import dispatch

PACKAGE = Path(rosenblatt.__file__).parent

LEARN = """
import sys
import numpy as np
from rosenblatt.core.rows import dense
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.run import Chunk, Limits, new_run
from rosenblatt.learn.train import train

def learn(rule, eta0=1.0):
    rows = dense(np.random.default_rng(0).normal(size=(12, 3)))
    run = new_run(Settings.of(rule=rule, eta0=eta0, tol=None, shuffle=False), rows, 2)
    train(run, [Chunk(rows, np.tile([1.0, -1.0, -1.0], 4))], Limits(1))
    return [*run.state.w.round(6).tolist(), round(float(run.state.b[0]), 6)]
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The sources of core/, rules/, memory/ and training, without anything that is compiled."""
    target = tmp_path / "copy" / "rosenblatt"
    ignored = shutil.ignore_patterns("__pycache__", "datasets", "cli", "mail", "report", "read", "features")
    shutil.copytree(PACKAGE, target, ignore=ignored)
    return target


def python(copy: Path, code: str, *, where: Path | None = None, **environment: str) -> str:
    """What a process prints that finds the copy, and `where`, before everything else."""
    path = os.pathsep.join(map(str, filter(None, [copy.parent, where])))
    own = {"PATH": os.environ.get("PATH", ""), "HOME": str(copy.parent / "home"), "PYTHONPATH": path, **environment}
    done = subprocess.run([sys.executable, "-c", LEARN + code], capture_output=True, encoding="utf-8", env=own)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


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
    """Issue: edit a rule, a helper and rows.py in a copy, and see the new behaviour."""
    run = "print([learn(rule) for rule in ('perceptron', 'logistic')])"
    first = python(copy, run)
    cached = machine_code(copy)
    assert len(cached) == 2, "the cache lies in the copy"
    assert python(copy, run) == first and machine_code(copy) == cached, "the second run compiles nothing"

    edit(copy / "rules" / "perceptron.py", "return y if y * u <= 0.0 else 0.0", "return 9 if y * u <= 0.0 else 0.0")
    second = python(copy, run)
    assert eval(second)[0] != eval(first)[0] and eval(second)[1] == eval(first)[1]

    edit(copy / "rules" / "functions.py", "return 1.0 / (1.0 + math", "return 1.0 / (3.0 + math")
    third = python(copy, run)
    assert eval(third)[0] == eval(second)[0] and eval(third)[1] != eval(second)[1]

    rows = copy / "core" / "rows.py"
    rows.write_text(rows.read_text() + OTHER_ROWS)
    fourth = python(copy, run)
    assert all(new != old for new, old in zip(eval(fourth), eval(third), strict=True))


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
    run = SCRIPT + "print([learn(r) for r in (Named, Named(2.0), Plain, enclosed(0.5), enclosed(100.0))])"
    compiled = eval(python(copy, run))
    assert compiled == eval(python(copy, run, ROSENBLATT_JIT="0"))
    assert len({str(c) for c in compiled}) == 5
    assert machine_code(copy) == [], "nobody could find these again"


NOTEBOOK = """
def again():
    global HALF, cut
    first = learn(Plain), learn(Named)
    HALF = 2.0
    second = learn(Plain), learn(Named)
    cut = lambda m: 1.0 - m
    third = learn(Plain), learn(Named)
    Named.step = lambda self, u, y, sq_norm: -y * self.tau
    return first, second, third, (learn(Plain), learn(Named))
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
    run = "from rules_of_mine import Mine\nprint(learn(Mine))"
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

    others = "print(learn('perceptron'))"
    wanted = python(copy, others, where=own)
    shutil.rmtree(own)
    before = machine_code(copy)
    assert python(copy, others) == wanted and machine_code(copy) == before, "one index for all would break here"


def test_where_nothing_can_be_written_it_runs_uncached(copy: Path) -> None:
    """No folder can be made, beside the code or at home: a file stands there, which stops root too."""
    for folder in (copy / "core", copy):
        (folder / "__pycache__").write_text("not a folder")
    home = copy.parent / "home"
    home.write_text("not a folder")
    run = """
import numba.core.caching as caching
from rosenblatt.core.learn import learn as loop
try:
    caching.FunctionCache(loop)
except RuntimeError as error:
    assert 'no locator available' in str(error)
else:
    raise AssertionError('there is a place to write after all')
print(learn('perceptron'))
"""
    quiet = {"PYTHONDONTWRITEBYTECODE": "1", "XDG_CACHE_HOME": str(home / "cache")}
    assert python(copy, run, **quiet) == python(copy, "print(learn('perceptron'))", ROSENBLATT_JIT="0")
    assert machine_code(copy) == []


# --- fingerprints, without compiling ---------------------------------------------------------------------------------


def rule(source: str, **names: Any) -> type:
    scope: dict[str, Any] = {"__name__": "own", **names}
    exec(source, scope)
    return scope["Rule"]  # type: ignore[no-any-return]


def module(**values: Any) -> types.ModuleType:
    made = types.ModuleType("helpers")
    vars(made).update(values)
    return made


BODY = "class Rule:\n    def step(self, u, y, q{default}):\n        return {value}\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"value": "y * 2.0"}, {"value": "y * 3.0"}),
        ({"value": "y + u"}, {"value": "y - u"}),
        ({"value": "y * K", "K": 1.0}, {"value": "y * K", "K": 2.0}),
        ({"value": "y * K[0]", "K": (1.0, 2.0)}, {"value": "y * K[0]", "K": (3.0, 2.0)}),
        ({"value": "y * K[0]", "K": np.array([1.0, 2.0])}, {"value": "y * K[0]", "K": np.array([1.5, 2.0])}),
        ({"value": "y * K.pi", "K": math}, {"value": "y * K.pi", "K": types.SimpleNamespace(pi=3.0)}),
        ({"value": "y * K.size", "K": module(size=1)}, {"value": "y * K.size", "K": module(size=2)}),
        ({"value": "y * K.f(u)", "K": module(f=lambda u: u)}, {"value": "y * K.f(u)", "K": module(f=lambda u: -u)}),
        ({"value": "k", "default": ", k=1.0"}, {"value": "k", "default": ", k=2.0"}),
        ({"value": "f(u)", "f": lambda u: u}, {"value": "f(u)", "f": lambda u: -u}),
        ({"value": "max(f(v) for v in (u, y))", "f": lambda u: u}, {"value": "max(f(v) for v in (u, y))", "f": abs}),
    ],
)
def test_a_fingerprint_sees_what_behaviour_depends_on(one: dict[str, Any], other: dict[str, Any]) -> None:
    def made(value: str, default: str = "", **names: Any) -> str:
        return dispatch.fingerprint(rule(BODY.format(value=value, default=default), **names))

    assert made(**one) == made(**one) != made(**other)


def test_without_the_compiler_the_loop_is_the_function_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    from rosenblatt.core.learn import learn
    from rosenblatt.rules.perceptron import Perceptron

    monkeypatch.setenv("ROSENBLATT_JIT", "0")
    assert dispatch.loop_for(learn, Perceptron()) is learn
