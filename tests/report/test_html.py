"""Does the page need no other file, and does the program's text stay text?"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings

from tests.report.example import large, triangle
from tests.report.strategies import NASTY, results
from whence.model import Mark, WhyResult
from whence.report.causes import why_document
from whence.report.html import why_page
from whence.report.visible import visible

# Every element that the page may have, with its attributes and their values.
ALLOWED = {
    "html": {"lang": "en"},
    "meta": {"charset": ".*", "name": ".*", "content": ".*", "http-equiv": ".*"},
    "script": {"type": "application/json", "id": "data"},
    "button": {"type": "button", "id": "copy|save"},
    "details": {"id": "help"},
    "div": {"class": "row", "id": r"row-\d+|tools|paths", "hidden": ""},
    "h2": {"id": "travels-title"},
    "li": {"id": r"cause-\d+"},
    "nav": {"aria-label": "Causes"},
    "p": {"id": "status", "role": "status", "aria-live": "polite", "class": "[a-z]+"},
    "section": {
        "id": "travels|detail",
        "hidden": "",
        "tabindex": "-1",
        "aria-labelledby": "travels-title",
        "aria-label": "The selected step or cause",
    },
    "span": {"class": "what|about|place|values"},
    "ul": {"id": "tree", "class": "notes"},
}
PLAIN = re.compile("body|code|d[dlt]|h1|head|header|kbd|main|noscript|ol|style|summary|title")


class Page(HTMLParser):
    """A parsed page: its elements, and the texts by the kind of element."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.deepest = 0
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)
        self.deepest = max(self.deepest, len(self.open))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def data_of(page: str) -> dict[str, Any]:
    """Return the data of the script, with the statements put back into their causes."""
    found: dict[str, Any] = json.loads(Page(page).texts["script"][0])
    for cause in found["causes"]:
        cause["statements"] = [found["statements"][number] for number in cause["statements"]]
    return found


@given(results())
@settings(max_examples=100, deadline=None)
def test_nothing_breaks_out_of_the_page(result: WhyResult) -> None:
    page = Page(why_page(result))
    for tag, attributes in page.elements:
        assert tag in ALLOWED or (PLAIN.fullmatch(tag) and not attributes), (tag, attributes)
        for name, value in attributes.items():
            assert re.fullmatch(ALLOWED[tag][name], value or ""), (tag, name, value)
    assert page.open == []
    assert [tag for tag, _ in page.elements].count("script") == 2


@given(results())
@settings(max_examples=100, deadline=None)
def test_the_script_gets_the_data_as_it_is(result: WhyResult) -> None:
    page = why_page(result)
    data = data_of(page)
    document = why_document(result)
    assert {name: data[name] for name in document if name != "bearing"} == document
    assert data["sources"] == {file: list(lines) for file, lines in result.sources.items()}
    page.encode("utf-8")


def test_the_tree_can_be_read_without_a_script() -> None:
    page = Page(why_page(triangle()))
    assert "a * a != b * b + c * c" in page.texts["code"]
    assert "`found`" not in "".join(page.texts["p"])  # it is marked up as code
    assert page.texts["li"][0].startswith("line 16 is one condition")
    assert "a = 6, b = 5" in page.texts["span"]
    assert page.texts["title"] == ["Why the failed assertion at shape.c:36"]


def test_each_source_is_there_once() -> None:
    assert why_page(large(300)).count(json.dumps("    x77 = f(x76, 77);")) == 1


def test_a_deep_tree_is_not_nested_deeper_than_browsers_can() -> None:
    page = Page(why_page(large(1000, 1, width=1)))
    assert page.deepest < 40
    items = [name for _, attributes in page.elements if (name := attributes.get("id"))]
    assert [name for name in items if name.startswith("cause-")] == [
        f"cause-{number}" for number in range(1000)
    ]


def test_a_long_list_of_statements_is_left_to_the_script() -> None:
    page = why_page(large(2000, 3))
    assert "Too many statements to list" in page
    assert Page(page).elements.count(("ol", {})) == 0


def test_marks_are_in_the_page() -> None:
    assert data_of(why_page(triangle(c2=Mark.BENIGN)))["marks"] == {"2": "benign"}


# --- the policy ------------------------------------------------------------------------------


def test_the_policy_allows_only_our_script() -> None:
    page = Page(why_page(triangle()))
    policy = next(a["content"] for _, a in page.elements if "http-equiv" in a) or ""
    assert policy.startswith("default-src 'none'; ")
    for kind in ("style", "script"):
        digest = sha256(page.texts[kind][-1].encode()).digest()
        assert f"{kind}-src 'sha256-{b64encode(digest).decode()}'" in policy
    assert "unsafe" not in policy


def test_the_script_can_be_in_a_page() -> None:
    script = Page(why_page(triangle())).texts["script"][-1]
    assert "<!--" not in script
    assert "</script" not in script.lower()
    assert "innerHTML" not in script


# --- colours ---------------------------------------------------------------------------------

READ_ON = {
    "text": ("page", "pane", "selected", "cited", "predicate", "now", "root-pane"),
    "quiet": ("page", "pane", "selected", "cited", "now", "root-pane"),
    "value": ("page", "cited", "predicate", "now"),
    "link": ("page",),
    "root": ("pane", "root-pane"),
}


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_every_colour_can_be_read_on_its_ground(theme: int) -> None:
    style = Page(why_page(triangle())).texts["style"][0]
    colours = dict(re.findall(r"--([a-z-]+): (#\w{6});", style.split(":root {")[theme + 1]))
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    for colour, grounds in READ_ON.items():
        for ground in grounds:
            assert contrast(colours[colour], colours[ground]) >= 4.5, (colour, ground)


# --- invisible text---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext é 漢字 🙂", "plain\ttext é 漢字 🙂"),
        ("a\u202eb\u2066", "a⟨U+202E⟩b⟨U+2066⟩"),
        ("\x1b[2J\n\0", "␛[2J␊␀"),
        ("\udcff\ud800", "⟨xFF⟩⟨U+D800⟩"),
        ("\u3164\U000e0041", "⟨U+3164⟩⟨U+E0041⟩"),
    ],
)
def test_invisible_characters_are_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_all_shown_text_can_be_encoded() -> None:
    for text in NASTY:
        visible(text).encode("utf-8")
