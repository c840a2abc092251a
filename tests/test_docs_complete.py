"""Nothing goes undocumented: a page for each command, rule, memory and optimizer, a place for each public name."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import rosenblatt
import rosenblatt.cli.mail
import rosenblatt.datasets
from pages import DOCS, MADE, ROOT, blocks, pages, shell, title
from rosenblatt.cli.app import COMMANDS, app
from rosenblatt.learn.metric import metric_classes
from rosenblatt.learn.rule import rule_classes
from rosenblatt.learn.settings import DEFAULTS, learner_table
from rosenblatt.read import format_names, reader_classes

SECTIONS = {
    "learners": ("The step", "The algorithm", "When to use it", "What it costs", "What is known about it", "Try it"),
    "metrics": ("The step", "When to use it", "What it costs", "What is known about it", "Try it"),
    "memories": ("The answer", "The algorithm", "When to use it", "What it costs", "What is known about it", "Try it"),
    "optimizers": ("The algorithm", "When to use it", "What it costs", "What is known about it", "Try it"),
    "commands": ("Examples", "What to look at", "When it says no", "All options"),
}
PACKAGE = Path(rosenblatt.__file__).parent
PICK = {"pick-first": "pick", "pick-random": "pick", "pick-worst": "pick"}


@pytest.fixture(autouse=True)
def _checkout() -> None:
    pages()  # skips where the pages are not


def has_page(folder: str, name: str) -> str:
    """The page's text; it must be there, have its sections, and be in the table of contents."""
    path = DOCS / folder / f"{name}.md"
    assert path.is_file(), f"{name!r} is undocumented: write docs/{folder}/{name}.md"
    text = path.read_text(encoding="utf-8")
    missing = [section for section in SECTIONS[folder] if f"\n## {section}\n" not in text]
    assert not missing, f"{title(path)} has no section {', '.join(missing)}"
    contents = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert f": {folder}/{name}.md\n" in contents, f"{title(path)} is not in the nav of mkdocs.yml"
    return text


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_page_with_its_help(name: str) -> None:
    text = has_page("commands", name)
    assert f"<!-- made: help:{name} -->" in text
    assert blocks(DOCS / "commands" / f"{name}.md", "console"), f"the page of {name} shows no example"


@pytest.mark.parametrize("name", rule_classes())
def test_every_rule_has_a_page(name: str) -> None:
    text = has_page("learners", name)
    assert f"<!-- made: rule:{name} -->" in text
    assert blocks(DOCS / "learners" / f"{name}.md", "pycon", "console"), f"the page of {name} shows no example"


@pytest.mark.parametrize("name", [name for name, cls in metric_classes().items() if not hasattr(cls, "plain")])
def test_every_metric_has_a_page(name: str) -> None:
    page = name.partition("-")[0]  # the forms of one share it
    text = has_page("metrics", page)
    assert f"<!-- made: metric:{page} -->" in text and f"`--metric {name}`" in text
    assert blocks(DOCS / "metrics" / f"{page}.md", "pycon", "console"), f"the page of {name} shows no example"


@pytest.mark.parametrize("name", learner_table()["keep"].choices)
def test_every_memory_has_a_page(name: str) -> None:
    assert f"<!-- made: keep:{name} -->" in has_page("memories", name)


@pytest.mark.parametrize("name", learner_table()["optimizer"].choices)
def test_every_optimizer_has_a_page(name: str) -> None:
    assert f"`--optimizer {name}`" in has_page("optimizers", PICK.get(name, name))


def test_every_public_name_is_in_the_reference() -> None:
    text = (DOCS / "reference.md").read_text(encoding="utf-8")
    for name in rosenblatt.__all__:
        assert f"::: rosenblatt.{name}\n" in text or f"`{name}`" in text, f"rosenblatt.{name} is undocumented"
    (listed,) = re.findall(r"::: rosenblatt\.datasets\n.*?members: \[(.*?)\]", text, re.S)
    assert listed.split(", ") == rosenblatt.datasets.__all__


def test_public_names_that_are_objects_have_their_docstring_in_the_reference() -> None:
    text = (DOCS / "reference.md").read_text(encoding="utf-8")
    for name in rosenblatt.__all__:
        if isinstance(getattr(rosenblatt, name), type):
            assert f"::: rosenblatt.{name}\n" in text, f"rosenblatt.{name} is undocumented"


@pytest.mark.parametrize("name", ["theory", "experts", "doctor", "mail", "trace"])
def test_every_public_name_of_a_part_is_in_the_reference(name: str) -> None:
    text = (DOCS / "reference.md").read_text(encoding="utf-8")
    assert f"\n## rosenblatt.{name}\n" in text
    part = importlib.import_module(f"rosenblatt.{name}")
    assert part.__all__
    for public in part.__all__:
        assert f"::: rosenblatt.{name}.{public}\n" in text, f"rosenblatt.{name}.{public} is undocumented"


@pytest.mark.parametrize("name", ["theory", "experts", "doctor", "mail", "trace"])
def test_docstrings_of_a_part_say_what_each_argument_is(name: str) -> None:
    """Every public function and class, each public method, and each of their arguments."""
    part = importlib.import_module(f"rosenblatt.{name}")
    for public in part.__all__:
        there = getattr(part, public)
        text = inspect.getdoc(there) or ""
        assert text, f"rosenblatt.{name}.{public} has no docstring"
        own = there if inspect.isclass(there) else None
        arguments = [] if own and issubclass(own, (float, Exception)) else inspect.signature(there).parameters
        unsaid = [each for each in arguments if not re.search(rf"\b{each}\b", text)]
        assert not unsaid, f"the docstring of rosenblatt.{name}.{public} does not name {', '.join(unsaid)}"
        public_ones = [each for each in vars(own or object) if not each.startswith("_")]
        says = [each for each in public_ones if callable(getattr(own, each)) or isinstance(vars(own)[each], property)]
        bare = [each for each in says if not inspect.getdoc(getattr(own, each))]
        assert not bare, f"rosenblatt.{name}.{public} has without a docstring: {', '.join(bare)}"


def test_every_format_is_described() -> None:
    text = (DOCS / "files.md").read_text(encoding="utf-8")
    prose = MADE.sub("", text)
    for name in format_names():
        assert re.search(rf"\b{name}\b", text), f"the format {name} is not in docs/files.md"
    for name in reader_classes():
        assert re.search(rf"\b{name}\b", prose, re.I), f"docs/files.md says nothing of {name}, it only lists it"


def test_every_setting_is_on_its_page() -> None:
    text = (DOCS / "settings.md").read_text(encoding="utf-8")
    missing = [name for name in DEFAULTS if f"| `{name}` |" not in text]
    assert not missing, f"docs/settings.md lacks {', '.join(missing)}: run tools/write_settings.py"


def all_commands(group: click.Group = app) -> Iterator[click.Command]:
    """Those of groups, too."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield command
        if isinstance(command, click.Group):
            yield from all_commands(command)


def test_every_option_says_what_it_does() -> None:
    for command in all_commands():
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, f"{command.name} {parameter.opts[0]} has no help"


def test_every_command_of_mail_is_on_its_page() -> None:
    text = (DOCS / "commands" / "mail.md").read_text(encoding="utf-8")
    for name in rosenblatt.cli.mail.COMMANDS:
        assert f"<!-- made: help:mail-{name} -->" in text, f"mail {name} is undocumented"


@pytest.mark.parametrize(("section", "page"), [("Features", "features.md"), ("Reading", "files.md")])
def test_every_option_of_a_section_is_explained_on_its_page(section: str, page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    context = click.Context(app, info_name="rosenblatt")
    for command in ("train", "convert"):
        found = app.get_command(context, command)
        assert found is not None
        named = {p.opts[0] for p in found.params if getattr(p, "section", "") == section} - {"--model"}
        assert not {option for option in named if option not in text}, f"{page} does not explain them"


NAMED = re.compile(r"(?<![\w<-])--[a-z][a-z0-9-]*")
"""`--eta` and the like."""


def options() -> set[str]:
    """Those of all commands."""
    known = {"--help", "--version", "--c", "--editable"}
    for command in all_commands():
        known |= {option for parameter in command.params for option in [*parameter.opts, *parameter.secondary_opts]}
    return known


def test_options_named_in_the_text_exist() -> None:
    """In prose, tables and sessions of every page."""
    known = options()
    for page in pages():
        text = re.sub(r"^\$ (?!.*rosenblatt).*$|`vw [^`]*`", "", page.read_text(encoding="utf-8"), flags=re.M)
        named = set(NAMED.findall(text))
        assert not named - known, f"{title(page)} names {', '.join(sorted(named - known))}"


def test_options_named_in_sentences_exist() -> None:
    """In every text of the shell and of the reports, advice among them."""
    known = options()
    for path in [path for room in ("cli", "report") for path in (PACKAGE / room).rglob("*.py")]:
        texts = [node.value for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                 if isinstance(node, ast.Constant) and isinstance(node.value, str)]  # fmt: skip
        named = set(NAMED.findall("\n".join(texts)))
        assert not named - known, f"{path.name} names {', '.join(sorted(named - known))}"


def test_made_parts_are_what_the_program_says() -> None:
    """Help texts and tables of choices: tools/fill_docs.py --made writes them."""
    for page in pages():
        assert page.read_text(encoding="utf-8").count("<!-- made: ") == len(MADE.findall(page.read_text()))
    tool = [sys.executable, str(ROOT / "tools" / "fill_docs.py"), "--check"]
    path = f"{ROOT / 'src'}:{ROOT / 'tests'}"
    done = subprocess.run(tool, capture_output=True, encoding="utf-8", env={"PYTHONPATH": path, "PATH": "/usr/bin"})
    assert done.returncode == 0, done.stderr


def test_the_help_on_the_pages_is_what_the_shell_prints(tmp_path: Path) -> None:
    from pages import make_place

    place = make_place(tmp_path, DOCS / "commands" / "train.md")
    (shown,) = re.findall(
        r"<!-- made: help:train -->\n```text\n(.*?)```", (DOCS / "commands" / "train.md").read_text(), re.S
    )
    assert shell("rosenblatt train --help", place) == shown


def leads_somewhere(name: str) -> bool:
    """Whether a dotted name is a module, or something that can be got from one."""
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def test_dotted_names_in_the_text_exist() -> None:
    """`rosenblatt.theory.separable` and the like, in pages and docstrings: rooms move, and words stay behind."""
    assert leads_somewhere("rosenblatt.theory.Separability.verify") and not leads_somewhere("rosenblatt.no_such_room.f")
    sources = [path for room in ("src", "tools", "benchmarks", "examples") for path in (ROOT / room).rglob("*.py")]
    assert sources
    for path in [*pages(), ROOT / "pyproject.toml", *sources]:
        names = set(re.findall(r"(?<![\w./-])rosenblatt(?:\.[A-Za-z_]\w*)+", path.read_text(encoding="utf-8")))
        gone = sorted(name for name in names if not leads_somewhere(name))
        assert not gone, f"{title(path)} names {', '.join(gone)}"


def test_the_rule_that_a_page_includes_is_the_file() -> None:
    """own-rule.md shows examples/forgiving.py itself."""
    file = (ROOT / "examples" / "forgiving.py").read_text(encoding="utf-8")
    (block,) = blocks(DOCS / "own-rule.md", "python")
    assert block.text.rstrip("\n") == file.rstrip("\n")


def test_that_a_gap_would_be_noticed() -> None:
    with pytest.raises(AssertionError, match="undocumented"):
        has_page("commands", "no-such-command")
