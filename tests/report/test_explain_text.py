"""Does the text show what broke the test, and how, on one screen?"""

from __future__ import annotations

import re
from dataclasses import replace
from unicodedata import category

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from tests.report.explained import (
    CHAIN,
    REDUCING,
    edit,
    explanations,
    invoice,
    isolated,
    long_chain,
)
from whence.model import Alternative, Explanation, Failure, Span
from whence.report.explanation import sentence
from whence.report.lines import SCREEN
from whence.report.story import _Diff, explain_story, explain_text


def shown(explanation: Explanation, width: int = 100) -> list[str]:
    return explain_text(explanation, width=width).plain.split("\n")


def long_change(lines: int) -> Explanation:
    """Return the explanation of an invoice that a change of `lines` lines broke."""
    added = "".join(f"    line({number});\n" for number in range(lines))
    change = edit(4, Span(7, 1), Span(7, lines), "    old();\n", added, "rounded")
    return invoice(about={"root": (change,)})


def test_it_begins_with_what_broke_it_and_where() -> None:
    lines = shown(invoice())
    assert lines[1].startswith(
        "With them and 1 auxiliary change reverted, the test passes; with any"
    )
    assert [lines[0], *lines[2:4]] == [
        "2 of 71 changes broke the test: src/invoice.c:7 in rounded and src/invoice.c:20 in total",
        "failure  Assertion `due == atol(argv[1])' failed.  (src/invoice.c:26)",
        "",
    ]


def test_then_comes_what_was_changed() -> None:
    assert shown(invoice())[4:9] == [
        "  src/invoice.c:7 in rounded",
        "  -    return (tenths + 5) / 10;",
        "  +    return tenths / 10;",
        "  src/invoice.c:20 in total",
        "  -    sum = reduced(sum);",
    ]


def test_of_long_lines_the_part_that_differs_is_shown() -> None:
    same = "    if (" + " && ".join(f"flags[{number}] == expected[{number}]" for number in range(6))
    change = edit(4, Span(7, 1), Span(7, 1), f"{same} && a < b)\n", f"{same} && a <= b)\n", "ok")
    old, new = shown(invoice(about={"root": (change,)}))[4:6]
    assert (old[:5], old[-10:]) == ("  -… ", " && a < b)")
    assert (new[:5], new[-10:]) == ("  +… ", "&& a <= b)")


def test_one_change_is_named_once() -> None:
    lines = shown(invoice(about={"root": (REDUCING,), "auxiliary": ()}))
    assert lines[0] == "1 of 71 changes broke the test: src/invoice.c:20 in total"
    assert lines[1] == "With it reverted, the test passes."
    assert lines[4] == "  -    sum = reduced(sum);"


def test_then_how_from_the_change_to_the_failure() -> None:
    lines = shown(invoice(), width=110)
    legend = "good: the version that passes; failing: the bad version"
    at = lines.index(f"From the changes to the failure ({legend}):")
    assert lines[at + 1 : at + 7] == [
        "  1  src/invoice.c:7 in rounded  return tenths / 10;",
        "     The changed line computes something else.  "
        "good: rounded = 505, failing: rounded = 504  (2 times)",
        "  2  src/invoice.c:20 in total   sum += rounded(atol(prices[i]));",
        "     good: sum = 1005, failing: sum = 1003  (2 times)",
        "  3  src/invoice.c:20 in total   not run: sum = reduced(sum);",
        "     This does not run any more: it was removed.  good: sum = 905",
    ]
    assert lines[at + 9].endswith("assert(due == atol(argv[1]));")


@pytest.mark.parametrize(
    "old",
    ["", "; this line was changed: before, it was `printf(a);`", "; this line is new"],
)
def test_an_exit_status_is_shown_with_what_was_wrong(old: str) -> None:
    """The line that failed may be a changed one; the chain says that."""
    failure = Failure("exit", "exit status 1", "exit status 1", None, None)
    says = f'the failure: line 2 of standard output: "7" instead of "8"{old}'
    chain = (*CHAIN[:-1], replace(CHAIN[-1], says=says))
    lines = shown(replace(invoice(about={"failure": failure}), chain=chain))
    assert lines[2] == 'failure  line 2 of standard output: "7" instead of "8"  (exit status 1)'


def test_long_code_in_a_sentence_leaves_room_for_its_end() -> None:
    code = " && ".join(f"first_condition_{number} < limit" for number in range(20))
    link = replace(CHAIN[1], before="x", says=f"so `{code}` is false instead of true")
    text = " ".join(" ".join(shown(replace(invoice(), chain=(link, *CHAIN[2:])))).split())
    assert "So `first_condition_0 < limit" in text
    assert "first_condition_19 < limit` is false instead of true." in text


def test_the_long_name_of_a_template_leaves_room_for_the_source() -> None:
    text = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"
    name = f"fuzzy::Cached<{text} >::ratio<{text} >"
    chain = tuple(replace(link, function=name) for link in invoice().chain)
    lines = shown(replace(invoice(), chain=chain))
    for link in chain:
        assert any("in Cached::ratio " in line and link.text in line for line in lines)


def test_of_many_changes_only_the_places_are_shown() -> None:
    changes = tuple(
        edit(n, Span(n, 3), Span(n, 3), "a\nb\nc\n", "d\ne\nf\n", f"f{n}") for n in range(1, 21)
    )
    explanation = isolated()
    lines = shown(replace(explanation, result=replace(explanation.result, root=changes)))
    at = lines.index("  src/invoice.c:1 in f1")
    assert lines[at + 1] == "  src/invoice.c:2 in f2"
    assert "  … --patch has their lines" in lines


def test_the_heading_says_what_the_labels_of_values_mean() -> None:
    text = "\n".join(shown(invoice(passing="reverted")))
    assert "to the failure (fixed: with the root reverted; failing: as is):" in text
    assert "fixed: sum = 1005, failing: sum = 1003" in text


def test_several_values_are_separated_by_a_semicolon() -> None:
    link = replace(CHAIN[1], passing={"a": "1", "b": "2"}, failing={"a": "3", "b": "4"})
    text = "\n".join(shown(invoice(chain=(link,))))
    assert "good: a = 1, b = 2; failing: a = 3, b = 4" in text


def test_a_long_chain_is_folded_in_the_middle() -> None:
    lines = shown(long_chain(40))
    assert SCREEN - 2 < len(lines) <= SCREEN
    assert "     … 30 more steps, in --html or --json" in lines
    numbers = [line.split()[0] for line in lines if re.match(" *[0-9]+  ", line)]
    assert numbers == ["1", "2", "3", "4", "5", "36", "37", "38", "39", "40"]


def test_a_long_change_is_cut_in_the_middle() -> None:
    lines = shown(long_change(200))
    assert len(lines) <= SCREEN
    assert "  -    old();" in lines
    assert "  +    line(199);" in lines
    assert any("more lines (--patch has them all)" in line for line in lines)


def test_a_short_change_leaves_its_room_to_a_long_one() -> None:
    short = edit(1, Span(1, 1), Span(1, 1), "a\n", "b\n", "f")
    long = edit(2, Span(5, 0), Span(5, 12), "", "".join(f"line {n}\n" for n in range(12)), "g")
    explanation = long_chain(40)
    lines = shown(replace(explanation, result=replace(explanation.result, root=(short, long))))
    assert lines.index("  -a") == lines.index("  +b") - 1
    both = [line for line in lines if line.startswith("  +line ")]
    alone = replace(explanation, result=replace(explanation.result, root=(long, long)))
    assert len(both) > sum(line.startswith("  +line ") for line in shown(alone)) / 2


def test_of_equal_lines_of_a_long_change_only_the_one_on_the_chain_must_be_shown() -> None:
    text = "".join(f"    check{n}();\n    return -1;\n" for n in range(40))
    change = edit(1, Span(5, 0), Span(5, 80), "", text, "g")
    link = replace(CHAIN[0], file=change.file, line=5 + 41, text="return -1;", changes=change.ids)
    explanation = long_chain(40)
    explanation = replace(
        explanation,
        result=replace(explanation.result, root=(change,)),
        chain=(link, *explanation.chain[1:]),
    )
    lines = shown(explanation)
    assert "  +    check0();" in lines
    assert lines.count("  +    return -1;") < sum("check" in line for line in lines) + 2
    assert sum("more line" in line for line in lines) == 2


def test_without_a_chain_the_text_says_why() -> None:
    lines = shown(isolated())
    assert lines[3] == "Isolated, not explained: no front end knows the language of main.rs"
    assert "  -    return (tenths + 5) / 10;" in lines
    assert not any("From the change" in line for line in lines)


def test_without_an_answer_the_text_says_why() -> None:
    about = {"status": "unexplained", "reason": "stopped after 20 runs"}
    lines = shown(Explanation(invoice(about=about).result))
    assert lines[0] == "Not isolated: 2 of 71 changes left."
    assert "stopped after 20 runs" in lines


def test_a_dodge_is_marked() -> None:
    lines = shown(invoice(dodged="reverting it only makes main skip `total`"))
    assert "beware: reverting it only makes main skip `total`" in lines
    assert any("src/invoice.c:25 in main  only avoids the faulty code; with" in x for x in lines)


def test_alternatives_notes_and_cost_follow_the_story() -> None:
    others = (Alternative((REDUCING,), why="its chain is longer"),) * 5
    lines = shown(invoice(alternatives=others))
    assert "  src/invoice.c:20 in total  its chain is longer" in lines
    assert "  … 2 more, in --html or --json" in lines
    assert "note: the test is flaky: it passed once on the bad version" in lines
    cost = "12 runs, 9 builds, 3 outcomes known from earlier runs, 3.7 s; the test"
    assert lines[-2].startswith(cost)


@given(explanations())
@settings(max_examples=40, deadline=None)
def test_any_story_fits_on_a_screen(explanation: Explanation) -> None:
    assert len(explain_story(explanation, width=100)) <= SCREEN


@pytest.mark.parametrize("length", range(2, 60, 3))
def test_a_chain_or_change_of_any_length_fits_on_a_screen(length: int) -> None:
    assert len(shown(long_chain(length))) <= SCREEN
    assert len(shown(long_change(length))) <= SCREEN


@given(explanations(), st.integers(20, 120))
@settings(max_examples=40, deadline=None)
def test_any_text_stays_in_its_lines(explanation: Explanation, width: int) -> None:
    text = explain_text(explanation, width=width).plain
    assert not {"Cc", "Cf", "Cs", "Zl", "Zp"} & set(map(category, text.replace("\n", "")))
    assert max(cell_len(line) for line in text.split("\n")) <= width
    text.encode("utf-8")


@given(
    st.integers(1, 60),
    st.sets(st.integers(0, 59)),
    st.integers(2, 50),
)
def test_lines_left_out_of_a_change_leave_a_mark(count: int, wanted: set[int], room: int) -> None:
    """The shown lines and the numbers in the marks add up, and a mark stands at each gap."""
    lines = [Text(f"+{number}") for number in range(count)]
    diff = _Diff(lines, frozenset(number for number in wanted if number < count))
    at = 0
    shortened = diff.shortened(room)
    for line in shortened:
        if line.plain.startswith("+"):
            assert line.plain == f"+{at}"
            at += 1
        else:
            at += int(line.plain.split()[1])
    assert at == count
    assert len(shortened) <= max(room, 3)


def test_a_sentence_that_begins_with_a_place_keeps_the_name_of_the_file() -> None:
    assert sentence("prices.c:43 uses what was changed here") == (
        "prices.c:43 uses what was changed here."
    )
    assert sentence("this line is new") == "This line is new."
