"""Does the page of an explanation need no other file, and is the program's text only text?"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings

from tests.report.explained import BAD, FILE, explanations, invoice, isolated
from tests.report.test_html import ALLOWED, PLAIN, Page, contrast, data_of
from whence.model import Explanation
from whence.report.explain_html import explain_page
from whence.report.explanation import explain_document

# Elements and attributes that only the page of an explanation may have.
MORE = {
    "button": {"type": "button", "id": "copy|save", "class": "step [a-z]+"},
    "code": {"class": "added|removed|plain"},
    "div": {"class": "row|edit", "id": r"row-\d+|change-\d+|tools|paths", "hidden": ""},
    "nav": {"class": "explains", "aria-label": "What broke the test, and how"},
    "ol": {"id": "chain"},
    "pre": {"class": "diff"},
    "section": {**ALLOWED["section"], "id": "story|travels|detail"},
    "span": {"class": "what|about|place|values|says"},
}


@given(explanations())
@settings(max_examples=40, deadline=None)
def test_nothing_breaks_out_of_the_page(explanation: Explanation) -> None:
    page = Page(explain_page(explanation))
    allowed = {**ALLOWED, **MORE}
    for tag, attributes in page.elements:
        assert tag in allowed or (PLAIN.fullmatch(tag) and not attributes), (tag, attributes)
        for name, value in attributes.items():
            assert re.fullmatch(allowed[tag][name], value or ""), (tag, name, value)
    assert page.open == []
    assert [tag for tag, _ in page.elements].count("script") == 2


@given(explanations())
@settings(max_examples=50, deadline=None)
def test_the_script_gets_the_data_as_it_is(explanation: Explanation) -> None:
    page = explain_page(explanation)
    data, document = data_of(page), explain_document(explanation)
    assert {name: data[name] for name in document} == document
    assert len(data["edits"]) == len(document["root"]) + len(document["auxiliary"])
    page.encode("utf-8")


def test_the_story_can_be_read_without_a_script() -> None:
    page = Page(explain_page(invoice()))
    assert page.texts["title"][0].startswith("2 of 71 changes broke the test: src/invoice.c:7 in")
    assert "-    return (tenths + 5) / 10;" in page.texts["code"]
    assert "good: sum = 1005, failing: sum = 1003" in page.texts["span"]
    assert "src/tax.h (new file)" in page.texts["button"]
    assert "not run: " in "".join(page.texts["button"])
    assert "only avoids the faulty code; " in "".join(page.texts["li"])


def test_without_a_chain_the_page_has_the_reason_and_the_diff() -> None:
    page = Page(explain_page(isolated()))
    assert (
        page.texts["li"][0] == "isolated, not explained: no front end knows the language of main.rs"
    )
    assert "+    return tenths / 10;" in page.texts["code"]
    assert ("ol", {"id": "chain"}) not in page.elements


def test_a_dodge_is_the_first_note() -> None:
    page = Page(explain_page(invoice(dodged="it only skips the call")))
    assert page.texts["li"][0] == "it only skips the call"


def test_the_source_is_there() -> None:
    assert data_of(explain_page(invoice()))["sources"] == {FILE: BAD.splitlines()}


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_changed_lines_can_be_read(theme: int) -> None:
    style = Page(explain_page(invoice())).texts["style"][0]
    colours = dict(re.findall(r"--([a-z-]+): (#\w{6});", style.split(":root {")[theme + 1]))
    for ground in ("added", "removed"):
        for colour in ("text", "quiet", "value", "link"):
            assert contrast(colours[colour], colours[ground]) >= 4.5, (colour, ground)
    for colour, ground in (("quiet", "pane"), ("value", "pane"), ("value", "selected")):
        assert contrast(colours[colour], colours[ground]) >= 4.5, (colour, ground)
