"""Does docs/messages.md explain every message, and no others?"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import whence

SOURCES = Path(whence.__file__).parent
MESSAGES = Path(__file__).parents[1] / "docs" / "messages.md"


def slugs_in(source: str) -> set[str]:
    """Return the slug of every message in a source."""
    return {
        node.value.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.keyword) and node.arg == "slug"
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    }


def entries() -> list[tuple[str, str]]:
    found = re.findall(r"(?ms)^## (\S+)\n(.*?)(?=^## |\Z)", MESSAGES.read_text("utf-8"))
    return [(slug, text.strip()) for slug, text in found]


def test_slugs_are_found_in_a_source() -> None:
    source = "raise UserError('what', slug='a-b')\nraise UserError(reply.message, slug=reply.slug)"
    assert slugs_in(source) == {"a-b"}


def test_every_message_has_an_entry_and_every_entry_a_message() -> None:
    used = set().union(*(slugs_in(path.read_text("utf-8")) for path in SOURCES.rglob("*.py")))
    assert {slug for slug, _ in entries()} == used


def test_entries_are_sorted_and_short() -> None:
    slugs = [slug for slug, _ in entries()]
    assert slugs == sorted(set(slugs))
    for slug, text in entries():
        assert 2 <= len(text.splitlines()) <= 5, slug
        assert max(map(len, text.splitlines())) <= 100, slug
