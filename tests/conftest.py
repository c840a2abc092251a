"""What all tests share: the full data sets where they lie beside the repository, and how hypothesis runs."""

from __future__ import annotations

import io
import lzma
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("ROSENBLATT_DATA") or ROOT.parent / "shared" / "data")

# No deadline: the first example of a kernel compiles it. The same examples in every run on CI.
EXAMPLES = int(os.environ.get("ROSENBLATT_EXAMPLES", "50"))
settings.register_profile("rosenblatt", deadline=None, max_examples=EXAMPLES, derandomize=bool(os.environ.get("CI")))
settings.load_profile("rosenblatt")


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
