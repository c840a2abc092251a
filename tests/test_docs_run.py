"""Every block of every page is executed: commands and Python print what the page shows. README.md is a page, too."""

from __future__ import annotations

import doctest
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from conftest import DATA
from pages import (
    SET_UP,
    blocks,
    commands,
    file_name,
    forking,
    is_error,
    is_plain,
    make_place,
    pages,
    same,
    shell,
    title,
)

try:
    PAGES = pages()
except pytest.skip.Exception:
    PAGES = []
KINDS = {"console", "pycon", "python", "text", "sh", "", "procmail", "maildrop"}  # those: test_mail_recipes.py


def with_blocks(*kinds: str) -> list[Any]:
    """The pages with blocks of these kinds; one that says `<!-- slow -->` takes minutes: `make test-slow`."""
    found = [page for page in PAGES if blocks(page, *kinds)]
    slow = {page for page in found if "<!-- slow -->" in page.read_text(encoding="utf-8")}
    return [pytest.param(page, marks=pytest.mark.slow if page in slow else ()) for page in found]


class Ran(NamedTuple):
    """A page that was run in a folder. shown: (command, what it printed, what the page shows); missing: data sets."""

    place: Path
    shown: list[tuple[str, str, str]]
    missing: list[str]


def ran(page: Path, place: Path, program: Sequence[str]) -> Ran:
    make_place(place, page, program)
    shown, missing = [], []
    for block in blocks(page, "console"):
        if block.needs and not (DATA / block.needs).is_dir():
            missing.append(block.needs)
            continue
        if block.needs and not (place / block.needs).exists():
            (place / block.needs).symlink_to(DATA / block.needs)
        for command, output in commands(block.text):
            shown.append((command, shell(command, place, fails=is_error(output)), output))
    return Ran(place, shown, missing)


@pytest.fixture(scope="module")
def running(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[Path, Any]]:
    """The pages of this session, all begun: a page is little work for one core. Their commands are forked by a process
    that has imported everything: see forked.py. Started each, those of the README took 15 s of CPU; forked 5.7."""
    items = [item for item in request.session.items if "running" in getattr(item, "fixturenames", ())]
    chosen = dict.fromkeys(item.callspec.params["page"] for item in items)  # type: ignore[attr-defined]
    # Beside other processes two pages at a time are no sooner ready, and compile the same loop twice: 15 s of CPU.
    at_a_time = 1 if "PYTEST_XDIST_WORKER" in os.environ else os.cpu_count()
    with forking() as forked, ThreadPoolExecutor(at_a_time) as pool:
        yield {page: pool.submit(ran, page, tmp_path_factory.mktemp("page"), forked) for page in chosen}


@pytest.mark.parametrize("page", with_blocks("console"), ids=title)
def test_every_command_prints_what_is_shown(page: Path, running: dict[Path, Any]) -> None:
    text = str(blocks(page, "console"))
    if "xzcat" in text and shutil.which("xzcat") is None:
        pytest.skip("xzcat is not here")
    assert all(next(commands(block.text), None) for block in blocks(page, "console")), "a block without a command"
    _, shown, missing = running[page].result()
    for command, found, output in shown:
        assert same(found, output), f"$ {command}\n{found}"
    if missing and not shown:
        pytest.skip(f"shared data sets {', '.join(missing)} are not here")


@pytest.mark.parametrize("page", with_blocks("pycon"), ids=title)
def test_the_python_prints_what_is_shown(page: Path, running: dict[Path, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """In the folder of the page's commands, whose files it may use."""
    monkeypatch.chdir(running[page].result().place)
    monkeypatch.syspath_prepend(".")
    if is_plain(page):
        monkeypatch.setenv("ROSENBLATT_JIT", "0")
    text = "\n".join(block.text for block in blocks(page, "pycon"))
    examples = doctest.DocTestParser().get_doctest(text, {}, title(page), str(page), 0)
    assert examples.examples
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(examples, out=told.append)
    assert runner.failures == 0, "".join(told)


@pytest.mark.parametrize("page", with_blocks("python"), ids=title)
def test_the_python_files_run(page: Path, tmp_path: Path) -> None:
    place = make_place(tmp_path, page)
    for block in blocks(page, "python"):
        assert file_name(block.text), f"a python block begins with the name of its file: {block.text}"
        shell(f"python {file_name(block.text)}", place)


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_no_block_goes_unchecked(page: Path) -> None:
    """Only formulas, drawings and setting up are not run."""
    for block in blocks(page):
        assert block.kind in KINDS, f"{block.kind!r} is not run by a test: {block.text}"
        if block.kind == "text":
            assert not re.search(r"^(\$|>>>) ", block.text, re.M), f"a session in a block that is not run: {block.text}"
        if block.kind in ("sh", ""):
            for line in filter(None, block.text.splitlines()):
                assert line.startswith(SET_UP), f"{line!r} is not run by a test"


def test_what_pages_ask_of_make_is_there() -> None:
    if not PAGES:
        pytest.skip("the pages are not here: not a checkout")
    makefile = (PAGES[0].parent / "Makefile").read_text(encoding="utf-8")
    asked = {name for page in PAGES for name in re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text(), re.M)}
    assert {"demo", "test"} <= asked
    assert asked <= set(re.findall(r"^([a-z-]+):", makefile, re.M))


def test_the_comparison_notices_a_difference() -> None:
    """The tests above are only as good as this."""
    assert same("5 epochs in 0.7 s\n+0.1301  a\n", "5 epochs in 1.9 s\n+0.1302  a\n")
    assert not same("1,234 updates\n", "1,235 updates\n")
    assert not same("5 errors\n", "6 errors\n")
    assert not same("ham\t0.5\n", "spam\t0.5\n")
    assert not same("+0.130 a", "-0.130 a")
