"""Writes docs/settings.md: every setting with its Python word, its command-line option and the one default.

python tools/write_settings.py           write the page
python tools/write_settings.py --check   exit 1 where the page is not what would be written
"""

from __future__ import annotations

import sys
from pathlib import Path

from rosenblatt.cli.train import train
from rosenblatt.defaults import DEFAULTS
from rosenblatt.estimators import LinearClassifier

PAGE = Path(__file__).parent.parent / "docs" / "settings.md"
HEAD = """# Settings

One table of defaults (`rosenblatt.DEFAULTS`) serves the estimators, the command line and this page. `auto` for the
learning rate and the tolerance means the rule's own; `rosenblatt inspect` shows what it came to. This page is made by
`tools/write_settings.py`.

| Python | command line | default | meaning |
|---|---|---|---|
"""
ELSEWHERE = {
    "warm_start": "`--continue MODEL`",
    "shuffle": "`--order shuffled\\|given\\|FILE`",
    "n_jobs": "–",
    "early_stopping": "`--validation SHARE\\|FILE`",
    "validation_fraction": "`--validation SHARE`",
}


def meanings() -> dict[str, str]:
    """The parameters' descriptions, from the docstring of `LinearClassifier`."""
    found: dict[str, str] = {}
    name = ""
    text = (LinearClassifier.__doc__ or "").split("Attributes\n")[0].split("----------\n")[1]
    for line in text.splitlines():
        words = line.strip()
        if line.startswith("    ") and not line.startswith("        ") and " : " in line:
            name = words.split(" : ")[0]
            found[name] = ""
        elif name and words:
            found[name] += (" " if found[name] else "") + words
    return found


def page() -> str:
    options = {p.name: max(p.opts, key=len) for p in train.params if p.name in DEFAULTS}
    rows = []
    for name, meaning in meanings().items():
        shell = ELSEWHERE.get(name) or f"`{options[name]}`"
        rows.append(f"| `{name}` | {shell} | `{DEFAULTS[name]}` | {meaning.replace('|', chr(92) + '|')} |")
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(PAGE.read_text(encoding="utf-8") != page())
    PAGE.write_text(page(), encoding="utf-8")
