"""Do the text and the JSON of a cause tree contain everything that is known?"""

from __future__ import annotations

import json
from dataclasses import replace
from unicodedata import category

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.report.example import CAUSES, FILE, large, predicate, statement, triangle
from tests.report.strategies import results
from whence.model import Cause, Influence, Mark, WhyResult
from whence.report.cause_way import way_of
from whence.report.causes import in_order, why_document, why_text
from whence.report.lines import SCREEN

UNEXPLAINED = replace(
    triangle(), status="unexplained", reason="the run ended outside recorded code", causes=()
)


def shown(result: WhyResult, width: int = 100) -> list[str]:
    """Return the lines of the whole tree."""
    return why_text(result, width=width, everything=True).plain.split("\n")


def on_screen(result: WhyResult, width: int = 100) -> list[str]:
    """Return the lines that the user sees without --all."""
    return why_text(result, width=width).plain.split("\n")


def numbers(result: WhyResult) -> list[str]:
    """Return the numbers of the causes in the text, in its order."""
    words = [line.split() for line in shown(result)]
    return [line[0] for line in words if line and line[0].isdigit()]


# --- JSON ------------------------------------------------------------------------------------


def test_the_document_has_what_every_command_has() -> None:
    document = why_document(triangle(c3=Mark.ROOT, c2=Mark.BENIGN))
    assert document["whence"] == 1
    assert document["command"] == "why"
    assert document["status"] == "explained"
    assert document["failure"]["line"] == 36
    assert document["marks"] == {"2": "benign", "3": "root"}
    assert document["of"] == {"steps": 87, "lines": 15}
    assert document["cost"]["solver_calls"] == 5
    assert document["cost"]["seconds"]["total"] == 0.45


def test_a_cause_says_what_it_explains_and_by_what() -> None:
    cause = why_document(triangle())["causes"][1]
    assert (cause["parent"], cause["level"], cause["influence"]) == (0, 1, "direct")
    assert cause["predicate"] == {
        "file": "shape.c",
        "line": 18,
        "function": "area",
        "text": "kind",
        "outcome": "RIGHT",
        "values": {"kind": "RIGHT"},
        "passing": None,
        "passing_text": None,
        "passing_values": {},
    }
    assert [statement["line"] for statement in cause["statements"]] == [15, 18]
    assert cause["children"] == [3, 4]


def test_children_that_were_not_computed_are_not_an_empty_list() -> None:
    causes = why_document(triangle())["causes"]
    assert causes[2]["children"] == []
    assert causes[3]["children"] is None


@given(results())
@settings(max_examples=50, deadline=None)
def test_any_result_can_be_written_and_read_back(result: WhyResult) -> None:
    document = why_document(result)
    assert json.loads(json.dumps(document)) == document


# --- text ------------------------------------------------------------------------------------


def test_a_cause_is_shown_with_its_statements_and_values() -> None:
    assert shown(triangle())[11:14] == [
        "  1  kind was RIGHT  shape.c:18 in area  decided that it ran",
        "     `kind` was RIGHT because line 15 set it",
        "       shape.c:15  kind = RIGHT;    kind = RIGHT",
    ]


def test_causes_are_below_what_they_explain() -> None:
    assert numbers(triangle()) == ["0", "1", "3", "4", "2"]


def test_causes_below_a_benign_one_are_hidden() -> None:
    result = triangle(c1=Mark.BENIGN)
    assert numbers(result) == ["0", "1", "2"]
    assert "note: 2 causes hidden below causes marked benign" in shown(result)
    assert "     `kind` was RIGHT because line 15 set it" not in shown(result)


def test_the_root_is_marked() -> None:
    assert any(
        "shape.c:14 in area  root; decided" in line for line in shown(triangle(c3=Mark.ROOT))
    )


def test_a_note_says_that_causes_were_not_computed() -> None:
    text = "\n".join(shown(triangle()))
    assert "the causes below 1 cause (…) were not computed: a larger --depth computes more" in text


def test_a_cause_that_is_not_proved_is_marked() -> None:
    causes = (*CAUSES[:4], replace(CAUSES[4], times=3, is_proved=False))
    text = "\n".join(shown(replace(triangle(), causes=causes), width=200))
    assert "stands for 3 iterations of a loop; also bears on 0; not proved" in text


def test_notes_come_last() -> None:
    assert shown(triangle())[-1].startswith("note: line 16 is one condition")


def test_no_causes_and_why() -> None:
    lines = shown(UNEXPLAINED)
    assert lines[0] == "Not explained: the run ended outside recorded code"
    assert lines[1] == "  Assertion `found == atol(argv[4])' failed."


def test_a_tree_of_any_depth() -> None:
    assert len(numbers(large(3000, width=1))) == 3000
    assert len(list(in_order(large(3000).causes))) == 3000


@given(results(), st.integers(20, 120), st.booleans())
@settings(max_examples=100, deadline=None)
def test_any_text_stays_in_its_lines(result: WhyResult, width: int, everything: bool) -> None:
    text = why_text(result, width=width, everything=everything).plain
    assert not {"Cc", "Cf", "Cs", "Zl", "Zp"} & set(map(category, text.replace("\n", "")))
    assert max(cell_len(line) for line in text.split("\n")) <= width
    text.encode("utf-8")


# --- one screen ------------------------------------------------------------------------------


def test_a_small_tree_is_shown_whole() -> None:
    assert on_screen(triangle()) == shown(triangle())


@given(st.integers(1, 300), st.integers(1, 30), st.integers(60, 120))
@settings(max_examples=50, deadline=None)
def test_a_tree_of_any_size_fits_on_one_screen(size: int, width: int, columns: int) -> None:
    result = large(size, width=width)
    lines = on_screen(result, columns)
    assert len(lines) <= SCREEN
    if len(shown(result, columns)) > SCREEN:
        assert any("--all" in line for line in lines)


def test_each_cause_that_is_not_shown_is_counted() -> None:
    result = large(500, width=20)
    lines = on_screen(result)
    titles = [line for line in lines if line.strip()[:1].isdigit() and " was " in line]
    note = next(line for line in lines if "--all" in line)
    assert f"note: {500 - len(titles)} more causes are not on the way" in note


def test_a_cause_that_bears_on_many_names_only_a_few() -> None:
    causes = (*CAUSES[:4], replace(CAUSES[4], also=tuple(range(50))))
    text = " ".join(" ".join(shown(replace(triangle(), causes=causes))).split())
    assert "also bears on 0, 1, 2 and 47 more" in text


def test_a_cause_that_the_user_marked_is_shown() -> None:
    result = large(500, width=20)
    marked = replace(result, marks={499: Mark.ROOT})
    assert any(line.strip().startswith("499 ") for line in on_screen(marked))
    assert not any(line.strip().startswith("499 ") for line in on_screen(result))


# --- the way of the failing value ------------------------------------------------------------


def caused(number: int, parent: int, about: int, how: Influence, *lines: int) -> Cause:
    """Return a cause below another, with statements on some lines; the last is the predicate's."""
    return Cause(
        id=number,
        key=str(number),
        parent=parent,
        level=1,
        influence=how,
        predicate=predicate(lines[-1], "x", "true"),
        because="",
        statements=tuple(statement(line) for line in lines),
        instances=1,
        about=(FILE, about),
    )


def way(*below: Cause, without: frozenset[int] = frozenset()) -> list[int]:
    """Return the way from a failure on line 36 whose value was made on line 10, then on line 20."""
    children = tuple(cause.id for cause in below if cause.parent == 0)
    first = replace(caused(0, 0, 36, Influence.FAILURE, 10, 20, 36), parent=None, children=children)
    return [cause.id for cause in way_of([first, *below], without)]


def test_the_way_goes_to_the_condition_of_the_statement_that_made_the_value() -> None:
    guard = caused(1, 0, 36, Influence.DIRECT, 30)
    made = caused(2, 0, 20, Influence.DIRECT, 18)
    earlier = caused(3, 0, 10, Influence.DIRECT, 9)
    assert way(guard, made, earlier) == [0, 2]
    assert way(guard, earlier) == [0, 3]
    assert way(guard) == [0, 1]


def test_the_way_leaves_out_what_the_value_does_not_need() -> None:
    address = caused(1, 0, 20, Influence.ADDRESS, 30)
    far = caused(2, 0, 3, Influence.DIRECT, 2)
    made = caused(3, 0, 10, Influence.DIRECT, 9)
    assert way(address, far, made) == [0, 3]


def test_a_value_that_was_kept_has_several_ways() -> None:
    kept = [caused(n, 0, 36, Influence.INDIRECT, 30 - n) for n in range(1, 6)]
    assert way(*kept) == [0, 1, 2, 3]


def test_the_way_avoids_what_the_user_calls_benign() -> None:
    made = caused(1, 0, 20, Influence.DIRECT, 18)
    other = caused(2, 0, 10, Influence.DIRECT, 9)
    assert way(made, other, without=frozenset({1})) == [0, 2]
