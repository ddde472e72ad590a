"""Do programs shaped like the papers' examples have the causes that the papers give?

The names of the lines are the papers' line numbers.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.causes.explaining import (
    PROGRAMS,
    all_names,
    names,
    of_predicate,
    predicate,
    recorded,
    shape,
    whole_tree,
)
from tests.frontend import corpus
from whence.causes.tree import CauseSearch
from whence.model import Influence


def tree_of(source: Path, folder: Path) -> CauseSearch:
    return whole_tree(recorded(source, folder))


# --- CaFL, Fig. 1 and 4: an area by the wrong formula -------------------------------------------


@pytest.fixture(scope="module")
def areas(tmp_path_factory: pytest.TempPathFactory) -> CauseSearch:
    return tree_of(PROGRAMS / "areas.c", tmp_path_factory.mktemp("areas"))


def test_the_tree_of_the_wrong_area_is_that_of_fig_4(areas: CauseSearch) -> None:
    assert shape(areas) == ("26", (("13", (("11", ()), ("5", ()), ("9", ()))),))


@pytest.mark.parametrize(
    ("of", "lines", "influence"),
    [
        ("26", {"26", "15", "4"}, Influence.FAILURE),
        ("13", {"13", "10"}, Influence.DIRECT),
        ("9", {"9", "4"}, Influence.DIRECT),
        ("5", {"5", "4"}, Influence.DIRECT),
        ("11", {"11", "4"}, Influence.INDIRECT),
    ],
)
def test_each_cause_of_the_wrong_area_has_the_lines_of_fig_4(
    areas: CauseSearch, of: str, lines: set[str], influence: Influence
) -> None:
    cause = of_predicate(areas, of)
    assert names(cause) == lines
    assert cause.influence is influence


def test_an_overwritten_value_is_no_cause_of_the_wrong_area(areas: CauseSearch) -> None:
    assert not {"6", "7", "8"} & all_names(areas)


def test_a_condition_of_several_parts_is_one_predicate_of_the_wrong_area(
    areas: CauseSearch,
) -> None:
    found = of_predicate(areas, "5").predicate
    assert found.text == "longest >= middle && middle >= shortest"
    assert found.outcome == "true"
    assert found.values == {"longest": "6", "middle": "5", "shortest": "4"}


def test_across_functions_the_wrong_class_is_found_too(tmp_path: Path) -> None:
    tree = tree_of(corpus.PROGRAMS / "triangle.c", tmp_path)
    by_text = {cause.predicate.text: cause for cause in map(tree.cause, range(len(tree)))}
    wrong = by_text["a * a != b * b + c * c"]
    assert wrong.level == 2
    assert wrong.parent == by_text["kind"].id
    assert "a == b || b == c" not in by_text
    assert set(by_text) == {
        "found == 1575", "kind", "a * a != b * b + c * c", "a < b || b < c || a >= b + c",
        "a == b && b == c",
    }  # fmt: skip


# --- CaFL, Fig. 3 and 6: direct and indirect influence ------------------------------------------


def check_influence(
    tree: CauseSearch, first: set[int], below: list[tuple[Influence, set[int]]]
) -> None:
    """Check the lines of the first cause, and of all others, which are its children."""

    def lines(number: int) -> set[int]:
        return {statement.line for statement in tree.cause(number).statements}

    assert lines(0) == first
    children = tree.children(0)
    assert [(tree.cause(child).influence, lines(child)) for child in children] == below
    assert len(tree) == 1 + len(below)


def test_the_branch_that_was_taken_is_the_second_cause_of_fig_3(tmp_path: Path) -> None:
    # Lines 6, 7 and 8 are the paper's 1 and 2, 3 and 4, and 5.
    tree = tree_of(corpus.PROGRAMS / "direct_influence.c", tmp_path)
    check_influence(tree, {6, 7, 8}, [(Influence.DIRECT, {6, 7})])


def test_both_critical_conditions_of_fig_6_have_a_cause_each(tmp_path: Path) -> None:
    # Lines 6, 7, 8, 11 and 13 are the paper's 1, 2, 3, 6 and 7.
    tree = tree_of(corpus.PROGRAMS / "indirect_influence.c", tmp_path)
    check_influence(tree, {6, 11, 13}, [(Influence.DIRECT, {6, 7}), (Influence.INDIRECT, {6, 8})])


# --- CaFL, Table I: memory ----------------------------------------------------------------------


def test_a_value_under_another_name_has_the_cause_of_table_i(tmp_path: Path) -> None:
    tree = tree_of(PROGRAMS / "another_name.c", tmp_path)
    assert names(tree.cause(0)) == {"8", "4", "3", "2", "0"}
    below = {predicate(tree, tree.cause(child)) for child in tree.children(0)}
    assert below == {"6", "8"}  # a store that did not happen, and the address that was read


# --- AFTER, Fig. 6 and 7: a sum -----------------------------------------------------------------


@pytest.fixture(scope="module")
def summing(tmp_path_factory: pytest.TempPathFactory) -> CauseSearch:
    return tree_of(PROGRAMS / "summing.c", tmp_path_factory.mktemp("summing"))


def test_the_first_cause_of_the_wrong_sum_is_that_of_fig_7(summing: CauseSearch) -> None:
    assert names(summing.cause(0)) == {"2", "3", "7", "10", "13"}


@pytest.mark.parametrize("number", ["5", "9"])
def test_the_next_causes_of_the_wrong_sum_are_its_two_wrong_branches(
    summing: CauseSearch, number: str
) -> None:
    cause = of_predicate(summing, number)
    assert names(cause) == {"2", number}
    assert (cause.level, cause.influence) == (1, Influence.DIRECT)


def test_the_two_wrong_branches_are_all_of_the_first_level(summing: CauseSearch) -> None:
    assert shape(summing) == ("13", (("5", (("4", ()),)), ("9", ())))
