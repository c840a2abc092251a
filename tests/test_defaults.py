"""One table of defaults for the Python API, the command line and the docs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rosenblatt.cli.train import train
from rosenblatt.learn.settings import DEFAULTS

ROOT = Path(__file__).parent.parent


def test_the_command_line_is_the_table() -> None:
    options = {parameter.name: parameter.default for parameter in train.params if parameter.name in DEFAULTS}
    assert options == {name: DEFAULTS[name] for name in options}
    other = {"warm_start", "shuffle", "n_jobs", "early_stopping", "validation_fraction"}
    assert set(DEFAULTS) - set(options) == other, "settings without an option"


def test_the_page_is_the_table() -> None:
    tool = ROOT / "tools" / "write_settings.py"
    if not tool.exists():
        pytest.skip("tools/ is not here (tests run outside the checkout)")
    result = subprocess.run([sys.executable, tool, "--check"], capture_output=True, text=True)
    assert result.returncode == 0, f"docs/settings.md is stale: run tools/write_settings.py {result.stderr}"
