"""Does an unrelated change of a program leave the explanation of its failure as it was?"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.causes.explaining import PROGRAMS, causes, explained, names, predicate
from whence.causes.tree import CauseSearch
from whence.model import Cause, Influence

UNRELATED = """
static int never(int value) {
    if (value > 3) return never(value - 1);
    return value * 2;
}
static int busy(int turns) {
    int made = 1, odd = 0;
    for (int i = 0; i < turns; i++) {
        made = made * 3 % 101;
        if (made % 2) odd++;
    }
    return odd;
}
"""
Content = tuple[Influence, str, str, frozenset[str], str]


def contents(tree: CauseSearch) -> list[Content]:
    """Return what the causes contain, for the lines that have names."""

    def parent(cause: Cause) -> str:
        return "" if cause.parent is None else predicate(tree, tree.cause(cause.parent))

    return [
        (
            cause.influence,
            predicate(tree, cause),
            cause.predicate.outcome.replace(
                "my_", ""
            ),  # an address contains the name of the variable
            frozenset(names(cause)),
            parent(cause),
        )
        for cause in causes(tree)
    ]


# --- changes of a program -----------------------------------------------------------------------


def renamed(text: str, prefix: str = "my_") -> str:
    """Return the program with all variables renamed, and no type."""
    names = r"(?<!enum )\b(longest|middle|shortest|kind|half|found|[a-hj-tv-z]\d+)\b"
    return re.sub(names, rf"{prefix}\1", text)


def with_dead_code(text: str) -> str:
    text = text.replace("int main", f"{UNRELATED}int main")
    return text.replace("return 0;\n}", "return 0;\n    never(busy(3));\n}")


def with_unrelated_call(text: str) -> str:
    """Return the program with an unrelated call before the others."""
    return re.sub(r"int main\(void\) \{\n", rf"{UNRELATED}\g<0>    busy(40);\n", text)


CHANGES: list[Callable[[str], str]] = [renamed, with_dead_code, with_unrelated_call]


# --- claims -------------------------------------------------------------------------------------

AREAS = (PROGRAMS / "areas.c").read_text()


@pytest.fixture(scope="module")
def areas(tmp_path_factory: pytest.TempPathFactory) -> list[Content]:
    return contents(explained(AREAS, tmp_path_factory.mktemp("areas")))


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_the_causes_of_a_wrong_area_stay(
    change: Callable[[str], str], areas: list[Content], tmp_path: Path
) -> None:
    assert change(AREAS) != AREAS
    assert contents(explained(change(AREAS), tmp_path)) == areas


def test_the_causes_of_a_wrong_area_stay_under_long_names(
    areas: list[Content], tmp_path: Path
) -> None:
    assert contents(explained(renamed(AREAS, "that_which_we_call_"), tmp_path)) == areas


def numbered(text: str) -> str:
    """Return a program whose statements are named by numbers."""
    lines = text.splitlines()
    first = lines.index(next(line for line in lines if "static u64 sum;" in line))
    for number, line in enumerate(lines):
        if number > first and line.endswith((";", "{")):
            lines[number] = f"{line} // [{number}]"
    return "\n".join(lines) + "\n"


def test_the_causes_of_what_a_generated_program_printed_stay(
    generated_texts: list[str], tmp_path: Path
) -> None:
    for number, text in enumerate(map(numbered, generated_texts[:2])):
        other = renamed(with_unrelated_call(text))
        before, after = (
            explained(one, tmp_path / f"{number}-{k}") for k, one in enumerate((text, other))
        )
        assert contents(after) == contents(before)
