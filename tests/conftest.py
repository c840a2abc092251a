"""What all tests share: the full data sets where they lie beside the repository, how hypothesis runs, a clock that no
load moves, and what a run says at its end about tests that did not run."""

from __future__ import annotations

import io
import itertools
import lzma
import os
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("ROSENBLATT_DATA") or ROOT.parent / "shared" / "data")

EXPLORE = int(os.environ.get("ROSENBLATT_EXPLORE") or 0)
"""Random examples of each property test, at least; 0: the same 30 everywhere. `make test-slow` sets it."""
# No deadline and no too_slow: the first example of a kernel compiles it, and a busy machine is no mistake.
settings.register_profile(
    "same",
    deadline=None,
    max_examples=30,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "explore", settings.get_profile("same"), derandomize=False, max_examples=max(EXPLORE, 1), print_blob=True
)
settings.load_profile("explore" if EXPLORE else "same")
if not EXPLORE and hasattr(providers, "_get_local_constants"):
    # Hypothesis also draws numbers and words that it reads in the modules loaded so far, if they do not lie in
    # site-packages: which ones depends on the tests that ran before in this process, and on how we are installed.
    providers._get_local_constants = lambda: providers._local_constants


LONG = ("test_docs_run", "test_dispatch", "test_robustness", "test_measure", "test_docs_build", "test_bounds")
"""Files of ten seconds to minutes, the longest first."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first, so that at the end no process is alone with one: with --dist loadfile a file is not divided.
    A property test that names its own number of examples explores as many as the others."""
    items.sort(key=lambda item: LONG.index(item.path.stem) if item.path.stem in LONG else len(LONG))
    if not EXPLORE:
        return
    for test in {item.function for item in items if isinstance(item, pytest.Function)}:
        own = getattr(test, "_hypothesis_internal_use_settings", None)
        if own is not None and own.max_examples < EXPLORE:
            test._hypothesis_internal_use_settings = settings(own, max_examples=EXPLORE)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """How many tests did not run, or failed as expected, for each reason: a line each is 53 lines."""
    reasons: Counter[tuple[str, str]] = Counter()
    for kind in ("skipped", "xfailed"):
        for report in terminalreporter.stats.get(kind, []):
            words = report.wasxfail if kind == "xfailed" else str(report.longrepr[-1])
            reason = words.removeprefix("reason: ").removeprefix("Skipped").removeprefix(":").strip()
            if reason in ("", "unconditional skip"):
                reason = f"no reason is given by {report.nodeid}"
            reasons[kind, reason] += 1
    if reasons:
        terminalreporter.section("not run, or failed as expected")
    for (kind, reason), count in sorted(reasons.items()):
        terminalreporter.line(f"{count:>5} {kind}: {reason}")


def shared_data(name: str) -> Path:
    """The folder of a full data set; skips the test, by the set's name, where it is absent."""
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip(f"shared data set {name!r} is not here")
    return folder


def load_shared(name: str, split: str = "", n_features: int | None = None) -> tuple[Any, Any]:
    """(X, y) of a numeric set as scikit-learn reads it: a CSR matrix and float labels. split: "" or "t" (test part)."""
    from sklearn.datasets import load_svmlight_file

    suffix = f".{split}.svm.xz" if split else ".svm.xz"
    with lzma.open(shared_data(name) / f"{name}{suffix}") as lines:
        return load_svmlight_file(lines, n_features=n_features, zero_based=False)


@pytest.fixture(name="shared_data", scope="session")
def _shared_data() -> Callable[[str], Path]:
    """`shared_data`, for tests that ask for it as a fixture."""
    return shared_data


@pytest.fixture(name="load_shared", scope="session")
def _load_shared() -> Callable[..., tuple[Any, Any]]:
    return load_shared


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file and gives its path."""

    def write(content: str | bytes, name: str = "data.svm") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Lays bytes on standard input."""
    return lambda content: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look at the clock takes a millisecond, so that time limits end work at the same place on every machine."""
    looks = itertools.count()
    monkeypatch.setattr(time, "monotonic", lambda: next(looks) / 1000.0)
