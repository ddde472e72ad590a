"""Does the page of an explanation link the chain, the source, the diff and the causes?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.report.browser import Browser
from tests.report.explained import CAUSES, CHAIN, FILE, ROUNDING, WHY, invoice, isolated
from tests.report.strategies import NASTY
from whence.model import Statement
from whence.report.explain_html import explain_page


@pytest.fixture
def browser(started: Browser) -> Iterator[Browser]:
    """A browser that shows the invoice; afterwards, check that it had no errors."""
    started.resize(1280, 800)
    started.open(explain_page(invoice()))
    yield started
    assert started.troubles() == []


def texts(browser: Browser, selector: str) -> list[str]:
    found: list[str] = browser.evaluate(
        f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.textContent)"
    )
    return found


def now(browser: Browser) -> list[str]:
    """Return the highlighted source lines."""
    return [text.strip() for text in texts(browser, ".line.now code")]


def focused(browser: Browser) -> Any:
    return browser.evaluate("document.activeElement.textContent")


def test_it_begins_with_the_first_step(browser: Browser) -> None:
    assert texts(browser, "#chain [aria-current] .place") == [f"{FILE}:7 in rounded"]
    assert texts(browser, "#detail h2") == ["return tenths / 10;"]


def test_a_step_shows_its_line(browser: Browser) -> None:
    browser.click("#chain li:nth-child(4) button")
    assert now(browser) == ["long due = total(argc - 2, argv + 2);"]
    assert "good: due = 905, failing: due = 1003" in texts(browser, ".line.now .values")


def test_changes_are_marked_in_the_source(browser: Browser) -> None:
    assert texts(browser, ".line.added code") == ["    return tenths / 10;"]
    assert texts(browser, ".line.removed code") == [
        "    return (tenths + 5) / 10;",
        "    sum = reduced(sum);",
    ]


def test_a_missing_statement_is_shown_where_it_would_have_run(browser: Browser) -> None:
    browser.click("#chain li:nth-child(3) button")
    assert now(browser) == ["sum = reduced(sum);"]
    before = "document.querySelector('.line.now').previousSibling.dataset.line"
    assert browser.evaluate(before) == "20"


def test_what_is_missing_but_was_not_removed_is_shown_too(browser: Browser) -> None:
    link = replace(CHAIN[2], line=13, text="skipped();")
    browser.open(explain_page(invoice(chain=(link, *CHAIN[3:]))))
    browser.click("#chain button")
    assert now(browser) == ["skipped();"]


def test_the_source_leads_back_to_the_chain(browser: Browser) -> None:
    browser.click(".line:nth-child(27) .nth button")  # the script shows two removed lines before it
    assert texts(browser, "#chain [aria-current] .place") == [f"{FILE}:25 in main"]


def test_the_diff_leads_to_the_source(browser: Browser) -> None:
    browser.click("#change-1 button")
    assert now(browser) == ["sum = reduced(sum);"]
    assert "sum = reduced(sum);" in focused(browser)  # the link of that change


def test_keys_walk_the_chain(browser: Browser) -> None:
    browser.click("#chain li:nth-child(1) button")
    for key, line in (("ArrowDown", 20), ("j", 20), ("End", 26), ("k", 25), ("Home", 7)):
        browser.press(key)
        assert f"{FILE}:{line} in" in focused(browser), key
    browser.press("Enter")
    assert browser.evaluate("document.activeElement.className") == "source"
    browser.press("Escape")
    assert f"{FILE}:7 in" in focused(browser)


def test_the_chain_and_the_causes_lead_to_each_other(browser: Browser) -> None:
    browser.click("#detail .facts .link")
    assert texts(browser, "#detail h2") == ["due == atol(argv[1]) was false"]
    assert texts(browser, "#chain [aria-current]") == []
    facts = texts(browser, "#detail .facts")[0]
    assert "good: it was true" in facts
    assert texts(browser, "#detail .facts .link")[:2] == ["step 1", "step 2"]
    assert texts(browser, "#detail .missing code") == ["sum = reduced(sum);"]
    assert "sum = 1003 (good: sum = 1005)" in " ".join(texts(browser, ".statement .values"))
    browser.click("#detail .facts .link")
    assert texts(browser, "#detail h2") == ["return tenths / 10;"]


def test_a_cause_that_is_selected_can_be_shown_again(browser: Browser) -> None:
    browser.click("#row-0")
    browser.click("#chain li:nth-child(2) button")
    browser.click("#row-0")
    assert texts(browser, "#detail h2") == ["due == atol(argv[1]) was false"]


def test_letter_keys_do_nothing_while_a_link_is_shown(browser: Browser) -> None:
    browser.click("#chain li:nth-child(1) button")
    browser.press("Enter", "r", "b")
    assert texts(browser, ".row[data-mark=root]") == []


def test_a_page_with_only_a_diff(browser: Browser) -> None:
    browser.open(explain_page(isolated()))
    assert browser.evaluate("document.getElementById('tools').hidden") is True
    browser.click("#change-0 button")
    assert texts(browser, "#detail h2") == [f"{FILE}:7 in rounded"]


@pytest.mark.parametrize("width", [360, 1280])
def test_it_has_room(browser: Browser, width: int) -> None:
    browser.resize(width, 800)
    browser.open(explain_page(invoice()))
    wide = browser.evaluate("document.documentElement.scrollWidth")
    assert wide <= width


def test_text_of_the_program_stays_text(browser: Browser) -> None:
    for text in NASTY:
        said = Statement(text, 1, text, text, {text: text}, passing={text: text})
        predicate = replace(CAUSES[0].predicate, text=text, passing=text)
        link = replace(
            CHAIN[0], file=text, text=text, says=text, failing={text: text}, passing={text: text}
        )
        causes = (replace(CAUSES[0], statements=(said,), predicate=predicate),)
        sources: dict[str, tuple[str, ...]] = {text: (text, "b")}
        change = replace(ROUNDING, file=text, function=text)
        explanation = invoice(
            about={"root": (change,)},
            chain=(link, *CHAIN),
            why=replace(WHY, causes=causes, sources=sources),
        )
        browser.open(explain_page(explanation))
        browser.click("#chain button")
        browser.click("#row-0")
        assert browser.troubles() == [], text
