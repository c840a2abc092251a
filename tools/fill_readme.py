"""Run the README's commands and examples, and write what they print into it; `tests/test_readme.py` compares later.

    PYTHONPATH=tests python tools/fill_readme.py

The picture beside it is the demo's, with fewer colours.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

import test_readme as readme

PICTURE = readme.ROOT / "docs" / "images" / "mistakes.png"
COLORS = 64
"""More than the picture needs; 28 kB instead of 99."""


def ran(block: str, place: Path) -> str:
    """A console block with fresh output."""
    return "".join(f"$ {command}\n{readme.shell(command, place)}" for command, _ in readme.commands(block))


def executed(block: str, names: dict[str, Any]) -> str:
    """A Python session with fresh output."""
    out = []
    for part in block.strip("\n").split("\n\n"):
        for example in doctest.DocTestParser().get_examples(part + "\n"):
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(example.source, "README.md", "single"), names)
            first, *more = example.source.splitlines()
            out += [f">>> {first}", *(f"... {line}" for line in more), *printed.getvalue().splitlines()]
        out.append("")
    return "\n".join(out)


def main() -> None:
    place, names = readme.make_place(Path(tempfile.mkdtemp())), dict[str, Any]()

    def fresh(block: re.Match[str]) -> str:
        kind, text = block[1], block[2]
        if kind == "console":
            text = ran(text, place)
        elif kind == "pycon":
            text = executed(text, names)
        return f"```{kind}\n{text}```"

    text = readme.README.read_text(encoding="utf-8")
    readme.README.write_text(readme.BLOCK.sub(fresh, text), encoding="utf-8")
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    picture = Image.open(place / "rosenblatt-demo" / "mistakes.png").convert("RGB")
    picture.quantize(COLORS).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
