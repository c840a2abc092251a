"""The documentation builds without a warning, as `make docs` does, and loads nothing from elsewhere."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pages import DOCS, ROOT, pages

NEEDED = ("mkdocs", "material", "mkdocstrings")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pages()
    for name in NEEDED:
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed: python -m pip install '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    told = done.stdout.decode()
    assert done.returncode == 0 and "WARNING" not in told, told
    return folder


def test_it_builds_strictly_and_every_page_is_there(site: Path) -> None:
    built = {path.relative_to(site).with_suffix("").as_posix() for path in site.rglob("*.html")} - {"404"}
    assert built == {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")}


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loads = re.findall(r"<(?:script|img|iframe|source)[^>]*\ssrc=[\"']?(\w+:)?//[^\"'>\s]*", text)
        loads += re.findall(
            r"<link[^>]*rel=[\"']?(?:stylesheet|preconnect|preload)[^>]*href=[\"']?https?://[^>]*", text
        )
        assert not loads, f"{page.name} loads {loads}"


def test_the_reference_has_names_and_parameters(site: Path) -> None:
    """An empty reference would build, too."""
    text = (site / "reference.html").read_text(encoding="utf-8")
    for name in ("rosenblatt.LinearClassifier", "rosenblatt.LinearClassifier.fit", "rosenblatt.datasets.load_sms"):
        assert f'id="{name}"' in text, name
    assert "n_iter_no_change" in text and "Learning rate η" in text
    assert "pick-random" in text and "pick - random" not in re.sub(r"<[^>]*>", "", text)
