"""Writes docs/settings.md: every setting with its Python word, its command-line option and the one default.

python tools/write_settings.py           write the page
python tools/write_settings.py --check   exit 1 where the page is not what would be written
"""

from __future__ import annotations

import sys
from pathlib import Path

from rosenblatt.learn.settings import learner_table

PAGE = Path(__file__).parent.parent / "docs" / "settings.md"
HEAD = """# Settings

One table of defaults (`rosenblatt.DEFAULTS`) serves the estimators, the command line and this page. `auto` for the
learning rate and the tolerance means the rule's own; `rosenblatt inspect` shows what it came to. This page is made by
`tools/write_settings.py`.

| Python | command line | default | meaning |
|---|---|---|---|
"""


def page() -> str:
    rows = []
    for name, entry in learner_table().items():
        shell = f"`{entry.options.split('/')[0]}`" if entry.options else "–"
        cells = (f"`{name}`", shell, f"`{entry.default}`", entry.meaning)
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(PAGE.read_text(encoding="utf-8") != page())
    PAGE.write_text(page(), encoding="utf-8")
