"""The package as it is installed: what the wheel holds, what its metadata say, what the constraints fix."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

import rosenblatt
from test_structure import SOURCES, imports

ROOT = Path(__file__).parent.parent
PACKAGE = Path(rosenblatt.__file__).parent
PIN = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)==[0-9][0-9A-Za-z.]*")


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture(scope="module")
def installed() -> metadata.Distribution:
    try:
        return metadata.distribution("rosenblatt")
    except metadata.PackageNotFoundError:
        pytest.skip("rosenblatt is on the path but not installed")


def names(requirements: list[str]) -> set[str]:
    return {normal(re.match(r"[\w.-]+", text)[0]) for text in requirements}  # type: ignore[index]


def test_metadata(installed: metadata.Distribution) -> None:
    assert installed.metadata["Requires-Python"] == ">=3.11"
    assert installed.metadata["License-Expression"] == "BSD-3-Clause"
    assert installed.version == rosenblatt.__version__
    scripts = {entry.name: entry.value for entry in installed.entry_points if entry.group == "console_scripts"}
    assert scripts == {"rosenblatt": "rosenblatt.cli:main"}


def test_runtime_requirements_are_what_the_package_imports(installed: metadata.Distribution) -> None:
    """None is missing, none is idle, and what only the tests need is not among them; nor what extras bring."""
    imported = {module.split(".")[0] for source in SOURCES for _, module in imports(source)}
    module_of = {"scikit-learn": "sklearn", "python-flint": "flint", "pillow": "PIL"}
    runtime = names([text for text in installed.requires or [] if "extra ==" not in text])
    extra = names(
        [text for text in installed.requires or [] if re.search(r"extra == .(parquet|remote|frame|lab)", text)]
    )
    ours = {module_of.get(name, name) for name in runtime | extra}
    assert len(runtime) == 16 and len(extra) == 4
    assert ours == imported - sys.stdlib_module_names - {"rosenblatt"}


def test_types_are_announced() -> None:
    assert (PACKAGE / "py.typed").is_file()


def test_constraints_are_exact_and_name_no_address(installed: metadata.Distribution) -> None:
    if not (ROOT / "constraints.txt").exists():
        pytest.skip("constraints.txt is not here: not a checkout")
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    matches = [PIN.fullmatch(line) for line in lines]
    assert all(matches), [line for line, match in zip(lines, matches, strict=True) if not match]
    pinned = [normal(match[1]) for match in matches if match]
    assert len(pinned) == len(set(pinned))
    assert names(installed.requires or []) <= set(pinned)


def test_everything_in_this_environment_is_pinned(installed: metadata.Distribution) -> None:
    """A package that came in unpinned would be another one next month. Only for the environment that make made."""
    if not (ROOT / "constraints.txt").exists() or Path(sys.prefix) != ROOT / ".venv":
        pytest.skip("not the environment that make test makes")
    pins = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line)
    expected = {normal(name): version for name, version in pins.items() if " " not in name}
    present = {normal(d.metadata["Name"]): d.version for d in metadata.distributions()}
    for own in ("rosenblatt", "pip", "setuptools"):
        present.pop(own, None)
    assert {name: expected.get(name) for name in present} == present


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_nothing_else(tmp_path: Path) -> None:
    """Builds it: needs the build backend, from a package index or pip's cache."""
    if not (ROOT / "src" / "rosenblatt").is_dir():
        pytest.skip("not a checkout")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), str(ROOT)]
    done = subprocess.run(build, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == f"rosenblatt-{rosenblatt.__version__}-py3-none-any.whl"
    assert wheel.stat().st_size < 2_000_000
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if not name.endswith("/")}
    info = f"rosenblatt-{rosenblatt.__version__}.dist-info"
    assert {name.split("/")[0] for name in held} == {"rosenblatt", info}
    assert f"{info}/licenses/LICENSE" in held
    files = [path.relative_to(ROOT / "src") for path in (ROOT / "src" / "rosenblatt").rglob("*") if path.is_file()]
    expected = {path.as_posix() for path in files if path.parent.name != "__pycache__"}
    assert {name for name in held if name.startswith("rosenblatt/")} == expected
