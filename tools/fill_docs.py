"""Writes into README.md and docs/ what their commands and examples print, and the parts made from the program.

    PYTHONPATH=tests python tools/fill_docs.py [PAGE …]    run everything (of these pages) and write what it prints
    PYTHONPATH=tests python tools/fill_docs.py --made      write only the made parts: help texts, tables of choices
    PYTHONPATH=tests python tools/fill_docs.py --check     exit 1 where a made part is not what would be written

tests/test_docs_run.py runs the same and compares. Pictures are taken from where the
commands drew them.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

from made import made

import pages
from pages import BLOCK, MADE

COLORS = 64
"""More than the picture needs; 28 kB instead of 99. Those that cover the most: the mean of colours that Pillow takes by
default has lost a rare one, as of a single mark, and is no smaller (49 kB; 42)."""


def with_made_parts(text: str) -> str:
    return MADE.sub(lambda part: f"<!-- made: {part['name']} -->\n{made(part['name'])}<!-- end -->", text)


def ran(text: str, place: Path) -> str:
    """A console block with fresh output; what differs in its times only stays as it is."""
    fresh = []
    for command, output in pages.commands(text):
        printed = pages.shell(command, place, fails=pages.is_error(output))
        printed = output if pages.same(printed, output) else printed
        fresh.append(f"$ {command}\n{printed}" + ("" if printed.endswith("\n") or not printed else "\n"))
    return "".join(fresh)


def executed(text: str, names: dict[str, Any]) -> str:
    """A Python session with fresh output; an error only where the page shows one."""
    out = []
    for part in text.strip("\n").split("\n\n"):
        for example in doctest.DocTestParser().get_examples(part + "\n"):
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                try:
                    exec(compile(example.source, "page", "single"), names)
                except Exception as error:
                    if not example.exc_msg:
                        raise
                    said = "".join(traceback.format_exception_only(error))
                    print(f"Traceback (most recent call last):\n    ...\n{said}", end="")
            first, *more = example.source.splitlines()
            out += [f">>> {first}", *(f"... {line}" for line in more), *printed.getvalue().splitlines()]
        out.append("")
    return "\n".join(out)


def filled(page: Path) -> str:
    """The page with all its blocks run, in a folder of its own."""
    os.environ["ROSENBLATT_JIT"] = "0" if pages.is_plain(page) else "1"
    place, names = pages.make_place(Path(tempfile.mkdtemp()), page), dict[str, Any]()
    sys.path.insert(0, str(place))

    def fresh(block: re.Match[str]) -> str:
        kind, text, data = block["kind"], block["text"], block["needs"]
        if data and not (pages.ROOT.parent / "shared" / "data" / data).is_dir():
            return block[0]
        if data and not (place / data).exists():
            (place / data).symlink_to(pages.ROOT.parent / "shared" / "data" / data)
        if kind == "console":
            text = ran(text, place)
        elif kind == "pycon":
            before = os.getcwd()
            os.chdir(place)
            text = executed(text, names)
            os.chdir(before)
        return f"{block['before'] or ''}```{kind}\n{text}```"

    text = BLOCK.sub(fresh, with_made_parts(page.read_text(encoding="utf-8")))
    take_pictures(page, text, place)
    return text


def take_pictures(page: Path, text: str, place: Path) -> None:
    """The pictures that a page shows and its commands have drawn, with fewer colours."""
    from PIL import Image

    for name in re.findall(r"!\[.*?\]\((.*?\.png)\)", text):
        for drawn in place.glob(f"**/{Path(name).name}"):
            target = (page.parent / name).resolve()
            target.parent.mkdir(parents=True, exist_ok=True)
            picture = Image.open(drawn).convert("RGB")
            picture.quantize(COLORS, Image.Quantize.MAXCOVERAGE).save(target, optimize=True)


def main() -> None:
    words = sys.argv[1:]
    chosen = [Path(word).resolve() for word in words if not word.startswith("--")] or pages.pages()
    stale = []
    for page in chosen:
        before = page.read_text(encoding="utf-8")
        after = with_made_parts(before) if "--made" in words or "--check" in words else filled(page)
        if after != before:
            stale.append(pages.title(page))
            if "--check" not in words:
                page.write_text(after, encoding="utf-8")
                print(f"wrote {stale[-1]}", file=sys.stderr)
    if "--check" in words and stale:
        sys.exit(f"stale: {', '.join(stale)}; run tools/fill_docs.py --made")


if __name__ == "__main__":
    main()
