"""The README: short, its two commands first, its pictures small. That its blocks are true, test_docs_run.py holds."""

from __future__ import annotations

import re

from pages import DOCS, README, ROOT, blocks, pages


def test_the_readme_opens_with_the_two_commands() -> None:
    assert README in pages()
    text = README.read_text(encoding="utf-8")
    first = text.partition("```\n")[2].partition("```")[0]
    assert first.splitlines() == ["make demo", "make test"]
    for picture in re.findall(r"!\[.*?\]\((.*?)\)", text):
        assert (ROOT / picture).stat().st_size <= 100_000


def test_the_readme_is_read_in_one_sitting_and_its_links_lead_somewhere() -> None:
    """Its links: the build of the documentation follows those of docs/ only."""
    assert README in pages()
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 250
    links = [link for link in re.findall(r"\]\((.*?)\)", text) if "://" not in link]
    assert links and not [link for link in links if not (ROOT / link).is_file()]


def test_the_rule_of_the_page_works_in_python() -> None:
    """`LinearClassifier(rule=Forgiving(limit=5.0))`: it learns, but not from a row that is too wrong."""
    from rosenblatt import LinearClassifier

    pages()  # skips where they are not
    space: dict[str, type] = {"__name__": "forgiving"}
    exec(blocks(DOCS / "own-rule.md", "python")[0].text, space)
    rows, labels = [[-1.0], [1.0], [-2.0], [2.0], [40.0]], [0, 1, 0, 1, 0]
    learned = LinearClassifier(rule=space["Forgiving"](limit=5.0), shuffle=False).fit(rows, labels)
    assert learned.predict(rows).tolist() == [0, 1, 0, 1, 1]
    assert (learned.n_updates_, learned.stop_reason_) == (2, "an epoch without an update")
