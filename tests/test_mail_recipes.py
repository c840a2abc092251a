"""The recipes of the docs, run by the programs that they are for: procmail and maildrop."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mails import learned_store, shipped
from rosenblatt.mail.digest import digest

PAGE = Path(__file__).parent.parent / "docs" / "mail-systems.md"
BOXES = ("Maildir", "Maildir/.Junk")
REAL = shipped()


def recipe(program: str) -> str:
    """As it stands on the page."""
    found = re.search(rf"```{program}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return learned_store(tmp_path_factory.mktemp("store") / "mail.db", REAL[:700])


@pytest.mark.parametrize("program", ["procmail", "maildrop"])
@pytest.mark.parametrize("there", [True, False])
def test_a_recipe_delivers(program: str, there: bool, store: str, tmp_path: Path) -> None:
    """Spam to the folder of spam, all else to the inbox; without a store everything to the inbox, as it came."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "rosenblatt"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m rosenblatt "$@"\n')
    command.chmod(0o755)
    rules = tmp_path / "rules"
    own = {
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "ROSENBLATT_STORE": store if there else str(tmp_path / "none.db"),
    }
    rules.write_text("".join(f'{name}="{value}"\n' for name, value in own.items()) + recipe(program))
    rules.chmod(0o600)
    for box in BOXES:
        for part in ("cur", "new", "tmp"):
            (tmp_path / box / part).mkdir(parents=True)
    words = {
        "procmail": ["procmail", f"HOME={tmp_path}", "-m", str(rules)],
        "maildrop": ["maildrop", str(rules)],
    }
    environment = {"HOME": str(tmp_path), "LOGNAME": os.environ.get("LOGNAME", "root"), "PATH": os.environ["PATH"]}
    some = [next(it for it in REAL[900:] if f"/{kind}" in it[0] or f"{kind}-" in it[0]) for kind in ("spam", "ham")]
    for _, raw in some:
        made = subprocess.run(
            words[program], input=raw, env=environment, cwd=tmp_path, capture_output=True, check=False
        )
        assert made.returncode == 0, made.stderr
    inbox, junk = (tmp_path / box / "new" for box in BOXES)
    boxes = {
        "inbox": [file.read_bytes() for file in inbox.iterdir()],
        "junk": [file.read_bytes() for file in junk.iterdir()],
    }
    digests = {box: {digest(raw) for raw in found} for box, found in boxes.items()}
    spam, ham = (digest(raw) for _, raw in some)
    if there:
        assert digests == {"inbox": {ham}, "junk": {spam}}
        assert b"\nX-Spam-Flag: YES\n" in boxes["junk"][0]
    else:
        assert digests == {"inbox": {ham, spam}, "junk": set()}
