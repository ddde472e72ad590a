"""Does the page of a cause tree work in a real browser?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any
from unicodedata import ucd_3_2_0

import pytest

from tests.report.browser import Browser
from tests.report.example import CAUSES, large, triangle
from tests.report.strategies import NASTY
from whence.model import Mark, Predicate, Statement, WhyResult
from whence.report.html import why_page
from whence.report.visible import visible


@pytest.fixture
def browser(started: Browser) -> Iterator[Browser]:
    """A browser that shows the tree of the triangle; afterwards, check that it had no errors."""
    started.resize(1280, 800)
    started.open(page_of(f"test {next(_numbers)}"))
    yield started
    assert started.troubles() == []


_numbers = count()


def page_of(point: str, **marks: Mark) -> str:
    """Return the triangle's page; the browser keeps its marks for pages with the same point."""
    return why_page(replace(triangle(**marks), point=point))


def seen(browser: Browser) -> list[int]:
    """Return the numbers of the visible causes, from top to bottom."""
    rows = """[...document.querySelectorAll("#tree .row")].filter((row) => row.offsetHeight)"""
    found: list[int] = browser.evaluate(f"{rows}.map((row) => Number(row.id.slice(4)))")
    return found


def text(browser: Browser, selector: str) -> str:
    found: str = browser.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")
    return found


def status(browser: Browser) -> str:
    return text(browser, "#status")


def focused(browser: Browser) -> Any:
    return browser.evaluate("document.activeElement.id || document.activeElement.className")


def attribute(browser: Browser, selector: str, name: str) -> Any:
    element = f"document.querySelector({json.dumps(selector)})"
    return browser.evaluate(f"{element}.getAttribute({json.dumps(name)})")


# --- walking ---------------------------------------------------------------------------------


def test_all_of_a_small_tree_is_there_at_once(browser: Browser) -> None:
    assert seen(browser) == [0, 1, 3, 4, 2]
    assert text(browser, "#detail h2") == "found == atol(argv[4]) was false"


def test_it_is_a_tree_for_a_screen_reader(browser: Browser) -> None:
    item = "#cause-4"
    assert attribute(browser, "#tree", "role") == "tree"
    assert attribute(browser, "#cause-1 > ul", "role") == "group"
    names = ("role", "aria-level", "aria-posinset", "aria-setsize", "aria-selected")
    assert [attribute(browser, item, name) for name in names] == [
        *("treeitem", "3", "2", "2", "false"),
    ]
    assert attribute(browser, item, "aria-expanded") is None  # it has nothing to unfold
    assert attribute(browser, "#cause-1", "aria-expanded") == "true"
    label = attribute(browser, item, "aria-labelledby")
    assert "a == b was false shape.c:16 · could have changed" in text(browser, f"#{label}")


def test_keys_walk_the_tree(browser: Browser) -> None:
    browser.click("#row-0")
    steps = {
        "ArrowDown": "cause-1",
        "j": "cause-3",
        "End": "cause-2",
        "ArrowUp": "cause-4",
        "k": "cause-3",
        "ArrowLeft": "cause-1",
        "ArrowRight": "cause-3",
        "Home": "cause-0",
    }
    for key, cause in steps.items():
        browser.press(key)
        assert focused(browser) == cause, key
        assert attribute(browser, f"#{cause}", "aria-selected") == "true"
    tab_stops = browser.evaluate("document.querySelectorAll('#tree [tabindex=\"0\"]').length")
    assert tab_stops == 1


def test_the_ends_of_the_tree_are_ends(browser: Browser) -> None:
    browser.click("#row-0")
    browser.press("ArrowUp", "ArrowLeft", "ArrowLeft")
    assert focused(browser) == "cause-0"
    browser.press("End", "ArrowDown", "ArrowRight")
    assert focused(browser) == "cause-0"  # its tree was folded
    assert seen(browser) == [0, 1, 3, 4, 2]


def test_keys_and_clicks_fold(browser: Browser) -> None:
    browser.click("#row-1")
    browser.press("ArrowLeft")
    assert seen(browser) == [0, 1, 2]
    assert attribute(browser, "#cause-1", "aria-expanded") == "false"
    assert status(browser) == "folded"
    browser.click("#row-1 .twisty")
    assert seen(browser) == [0, 1, 3, 4, 2]
    assert status(browser) == "2 causes unfolded"


def test_help_opens_and_closes(browser: Browser) -> None:
    browser.click("#row-0")
    browser.press("?")
    assert browser.evaluate("document.getElementById('help').open")
    browser.press("Escape")
    assert not browser.evaluate("document.getElementById('help').open")
    assert focused(browser) == "cause-0"


# --- marks -----------------------------------------------------------------------------------


def test_causes_below_a_benign_one_are_hidden(browser: Browser) -> None:
    browser.click("#row-1")
    browser.press("b")
    assert seen(browser) == [0, 1, 2]
    assert status(browser) == "cause 1 is benign: 2 causes below it folded"
    style = "getComputedStyle(document.querySelector('#row-1 .what')).textDecorationLine"
    assert browser.evaluate(style) == "line-through"
    browser.press("ArrowRight")
    assert seen(browser) == [0, 1, 2]
    browser.press("b")
    assert seen(browser) == [0, 1, 3, 4, 2]
    assert status(browser) == "cause 1 is no longer marked benign"


def test_marking_the_root_shows_the_path_to_the_failure(browser: Browser) -> None:
    assert not browser.evaluate("document.getElementById('travels').offsetHeight")
    browser.click("#row-3")
    browser.press("r")
    steps = browser.evaluate(
        "[...document.querySelectorAll('.path li')].map((step) => step.textContent)"
    )
    assert steps == [
        "a * a != b * b + c * c was true shape.c:14decided that it ran:",
        "kind was RIGHT shape.c:18decided that it ran:",
        "found == atol(argv[4]) was false shape.c:36the failure",
    ]
    assert status(browser).startswith("cause 3 is the root: a * a != b * b + c * c was true → kind")
    browser.click(".path li:nth-child(2) button")
    assert focused(browser) == "cause-1"


def test_the_mouse_can_mark_as_well(browser: Browser) -> None:
    browser.click("#row-2")
    browser.click("[data-act=benign]")
    assert attribute(browser, "#row-2", "data-mark") == "benign"
    assert attribute(browser, "[data-act=benign]", "aria-pressed") == "true"
    browser.click("[data-act=root]")
    assert attribute(browser, "#row-2", "data-mark") == "root"


def test_marks_are_kept_for_the_next_visit(browser: Browser) -> None:
    browser.open(page_of("here"))
    browser.click("#row-1")
    browser.press("b")
    for _ in range(20):  # what a page stores is available only after a moment
        browser.open(page_of("here", c1=Mark.ROOT, c2=Mark.BENIGN))
        if attribute(browser, "#row-1", "data-mark") == "benign":
            break
    assert attribute(browser, "#row-1", "data-mark") == "benign"  # marked in the browser
    assert attribute(browser, "#row-2", "data-mark") == "benign"  # marked in the page


def test_a_root_below_a_benign_cause_is_not_selected_first(browser: Browser) -> None:
    browser.open(page_of("benign", c1=Mark.BENIGN, c3=Mark.ROOT))
    assert seen(browser) == [0, 1, 2]
    assert attribute(browser, "#cause-0", "aria-selected") == "true"


def test_marks_can_be_saved(browser: Browser) -> None:
    browser.click("#row-3")
    browser.press("r", "ArrowDown", "b")
    browser.evaluate(
        """(() => {
            const make = URL.createObjectURL;
            URL.createObjectURL = (blob) => make((window.saved = blob));
        })()"""
    )
    browser.click("#save")
    assert json.loads(browser.evaluate("saved.text()")) == {"if 14": "root", "if 16": "benign"}
    assert status(browser) == "2 marks saved as marks.json"


# --- the source ------------------------------------------------------------------------------


def test_the_selected_cause_is_shown_in_its_source(browser: Browser) -> None:
    browser.click("#row-1")
    lines = browser.evaluate(
        "[...document.querySelectorAll('.line.cited')].map((line) => line.innerText.split('\\n'))"
    )
    assert len(lines) == 2
    assert text(browser, ".line.cited .number") == "15"
    assert "kind = RIGHT;" in text(browser, ".line.cited code")
    assert text(browser, ".line.cited .values") == "kind = RIGHT"
    assert attribute(browser, ".line.predicate", "data-line") == "18"


def test_a_statement_leads_to_its_line(browser: Browser) -> None:
    browser.resize(1280, 500)
    browser.click("#row-0")
    browser.press("Enter")
    assert focused(browser) == "statement"
    browser.press("Enter")
    assert attribute(browser, ".line.now", "data-line") == "34"
    browser.click(".statements li:nth-child(2) button")
    assert attribute(browser, ".line.now", "data-line") == "20"
    assert browser.evaluate(
        """new Promise((tell) => setTimeout(() => {
            const line = document.querySelector(".line.now").getBoundingClientRect();
            const box = document.querySelector(".source").getBoundingClientRect();
            tell(line.top >= box.top && line.bottom <= box.bottom);
        }, 600))"""
    )
    browser.press("Escape")
    assert focused(browser) == "cause-0"


def test_long_sources_are_shown_in_parts(browser: Browser) -> None:
    browser.open(why_page(large(10, 1)))
    assert browser.evaluate("document.querySelectorAll('.line').length") < 60
    browser.click(".gap")
    assert browser.evaluate("document.querySelectorAll('.line').length") > 500
    assert focused(browser) == "source"


@pytest.mark.parametrize("file", ["shape.c", "constructor"])
def test_a_missing_source_file_is_reported(browser: Browser, file: str) -> None:
    predicate = replace(CAUSES[0].predicate, file=file)
    statement = replace(CAUSES[0].statements[0], file=file)
    cause = replace(CAUSES[0], predicate=predicate, statements=(statement,))
    browser.open(why_page(replace(triangle(), causes=(cause,), sources={})))
    assert text(browser, ".source") == f"{file}This file is not available."
    browser.click(".statement")
    assert status(browser) == f"{file}:34 is not in the available source"


# --- hostile text ----------------------------------------------------------------------------


def hostile(number: int) -> WhyResult:
    nasty = NASTY[number]
    predicate = Predicate(nasty, 1, nasty, nasty, nasty, {nasty: nasty})
    statement = Statement(nasty, 1, nasty, nasty, {nasty: nasty})
    cause = replace(
        CAUSES[0],
        key=nasty,
        predicate=predicate,
        because=nasty,
        statements=(statement, statement),
        children=None,
    )
    failure = replace(triangle().failure, message=nasty)
    return replace(
        triangle(c0=Mark.ROOT),
        reason=nasty,
        failure=failure,
        point=nasty,
        causes=(cause,),
        sources={nasty: (nasty, nasty)},
        notes=(nasty,),
    )


@pytest.mark.parametrize("number", range(len(NASTY)))
def test_text_of_the_program_stays_text(browser: Browser, number: int) -> None:
    browser.open(why_page(hostile(number)))
    browser.click(".statement")
    browser.click("#row-0")
    browser.press("b", "r", "?")
    shown = visible(NASTY[number])
    assert text(browser, "#row-0 code") == shown
    assert text(browser, "#detail h2 code") == shown
    assert text(browser, ".statement .values") == f"{shown} = {shown}"
    assert text(browser, ".path code") == f"{shown} was {shown}"
    assert text(browser, ".line code").startswith(shown[:2000])
    assert browser.evaluate("document.querySelectorAll('img, svg, iframe, [onload]').length") == 0
    assert browser.evaluate("document.scripts.length") == 2


def test_the_policy_holds(browser: Browser) -> None:
    """The policy blocks scripts and requests even if markup got into the page."""
    blocked = """new Promise((tell) => {
        const isSeen = (event) => tell(event.violatedDirective);
        document.addEventListener("securitypolicyviolation", isSeen, {once: true});
        %s;
    })"""
    image = 'document.body.append(Object.assign(new Image(), {src: "https://example.invalid/"}))'
    assert browser.evaluate(blocked % image) == "img-src"
    markup = 'try { document.body.innerHTML = "<b>" } catch {}'
    assert browser.evaluate(blocked % markup) == "require-trusted-types-for"
    browser.troubles()  # the blocked requests are expected


def test_the_script_and_python_show_invisible_characters_alike(browser: Browser) -> None:
    points = map(chr, [*range(0x3200), *range(0xDC00, 0xE010), *range(0xFE00, 0x10000)])
    kinds = "".join(
        char for char in points if ucd_3_2_0.category(char) != "Cn"
    )  # assigned in every version of Unicode
    predicate = replace(CAUSES[0].predicate, outcome=kinds)
    cause = replace(CAUSES[0], predicate=predicate, children=())
    browser.open(why_page(replace(triangle(), causes=(cause,))))
    assert text(browser, "#detail h2 code:last-child") == visible(kinds)


# --- sizes -----------------------------------------------------------------------------------


def test_a_narrow_page_has_the_source_below_the_tree(browser: Browser) -> None:
    browser.resize(320, 600)
    browser.open(page_of("narrow", c3=Mark.ROOT))
    assert browser.evaluate("document.documentElement.scrollWidth") <= 320
    tree, source = browser.evaluate(
        "['#tree', '.source'].map((one) => document.querySelector(one).getBoundingClientRect().top)"
    )
    assert tree < source


def test_a_wide_page_scrolls_in_its_parts(browser: Browser) -> None:
    height = browser.evaluate("document.documentElement.scrollHeight")
    assert height <= 800


def test_a_large_tree_can_be_walked(browser: Browser) -> None:
    browser.open(why_page(large(5000, 20)))
    browser.click("#row-0")
    for _ in range(10):
        browser.press("ArrowDown", "ArrowRight")
    browser.press("r", "b", "End")
    assert browser.evaluate("document.querySelectorAll('[role=treeitem]').length") == 5000


def test_a_deep_tree_can_be_walked(browser: Browser) -> None:
    browser.open(why_page(large(50, 1, width=1)))
    browser.click("#row-0")
    browser.press("End")
    assert focused(browser) == "cause-49"
    assert attribute(browser, "#cause-49", "aria-level") == "50"
    browser.press(*["ArrowLeft"] * 10)
    assert focused(browser) == "cause-44"  # every second key folded a cause
    assert seen(browser) == list(range(45))


def test_a_page_without_causes(browser: Browser) -> None:
    browser.open(why_page(replace(triangle(), causes=(), reason="the solver gave up")))
    assert text(browser, ".notes").startswith("the solver gave up")
