"""Does ARCHITECTURE.md describe the modules that there are, and no others?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture_tables import CHECKOUT, PAGE, first_sentence, packages, with_tables

LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")
PAGES = sorted(
    path
    for path in CHECKOUT.rglob("*.md")
    if not {".venv", ".bench", ".git", "node_modules"} & set(path.relative_to(CHECKOUT).parts)
)


def test_every_package_has_a_table() -> None:
    tables = re.findall(r"<!-- modules: (\S+) -->", PAGE.read_text("utf-8"))
    assert sorted(tables) == packages()


def test_the_tables_are_up_to_date() -> None:
    page = PAGE.read_text("utf-8")
    assert page == with_tables(page), "run: make docs"


def test_every_module_has_a_question() -> None:
    assert "|  |" not in with_tables(PAGE.read_text("utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(CHECKOUT).as_posix())
def test_every_page_links_to_files_that_exist(page: Path) -> None:
    links = LINK.findall(page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("What is 3.5?  A number.", "What is 3.5?"),
        ("Which\nway?\n\nMore.", "Which way?"),
        ("no end", "no end"),
    ],
)
def test_the_first_sentence_of_a_docstring(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence
