"""A condition, a call and a macro are shown in the words that the programmer wrote."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whence.frontend.c.source_conditions import Operand, SourceSyntax, settled
from whence.program.source import Place, SourceLines

SOURCE = """\
int f(int a, int b, int c, struct s *p)
{
    if (a && (b && c || !b))
        return 1;
    if (!p)
        return MAX(a, b) + FIELD(p);
    while (isalpha(a) && b != 3)
        a++;
    for (int i = 0; i < a - 1 && p->x; i++) c++;
    OK(a > 4 && FIELD(p) > 1);
    switch (a & 3) { case 1: return 2; }
    return g(a)
        /* a comment */ && h(b);
}
"""


def syntax(folder: Path, text: str, name: str = "p.c") -> SourceSyntax:
    (folder / name).write_text(text)
    return SourceSyntax(SourceLines(folder))


@pytest.fixture
def source(tmp_path: Path) -> SourceSyntax:
    return syntax(tmp_path, SOURCE)


def place_of(
    text: str, line: int, start: int = 0, name: str = "p.c", source: str = SOURCE
) -> Place:
    """Return the place of a text on a line, as a compiler counts."""
    column = source.splitlines()[line - 1].index(text, start) + 1
    return Place(name, line, column, "f")


def operand(source: SourceSyntax, text: str, line: int, start: int = 0) -> Operand:
    found = source.operand(place_of(text, line, start), is_cpp=False)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("line", "token", "is_true", "whole", "truth"),
    [
        (3, "a", False, "a && (b && c || !b)", False),
        (3, "a", True, "a", True),
        (3, "b", False, "b && c", False),  # the other side of || may still be true
        (5, "p", False, "!p", True),
        (7, "isalpha", False, "isalpha(a) && b != 3", False),
        (9, "< a", False, "i < a - 1 && p->x", False),
        (10, "> 4", False, "a > 4 && FIELD(p) > 1", False),
        (12, "g", False, "g(a) && h(b)", False),
    ],
)
def test_the_largest_part_of_a_condition_whose_outcome_is_known(
    source: SourceSyntax, line: int, token: str, is_true: bool, whole: str, truth: bool
) -> None:
    found = operand(source, token, line, start=7)
    assert settled(found, {found.id: is_true}) == (whole, truth)


def test_a_branch_inside_a_macro_does_not_test_the_macro(source: SourceSyntax) -> None:
    assert not operand(source, "MAX", 6).is_tested
    assert operand(source, "isalpha", 7).is_tested


def test_the_use_of_a_macro_is_its_text(source: SourceSyntax) -> None:
    assert source.called(place_of("MAX", 6), is_cpp=False) == ("MAX", "MAX(a, b)")
    assert source.called(place_of("FIELD", 6), is_cpp=False) == ("FIELD", "FIELD(p)")
    assert source.called(place_of("+", 6), is_cpp=False) is None


def test_a_loop_or_switch_begins_with_its_keyword(source: SourceSyntax) -> None:
    found = source.construct(place_of("while", 7), is_cpp=False)
    assert found is not None
    assert found.text == "isalpha(a) && b != 3"
    found = source.construct(place_of("switch", 11), is_cpp=False)
    assert found is not None
    assert found.text == "a & 3"


def test_cpp(tmp_path: Path) -> None:
    text = "int f(V &v) {\n  for (const auto &x : v) if (x.ok() and not v.empty()) return 1;\n}\n"
    source = syntax(tmp_path, text, "p.cpp")
    looped = source.operand(place_of(":", 2, 0, "p.cpp", text), is_cpp=True)
    assert looped is not None
    assert looped.text == "const auto &x : v"
    method = place_of("empty", 2, 0, "p.cpp", text)
    assert source.called(method, is_cpp=True) == ("empty", "v.empty()")
    tested = source.operand(method, is_cpp=True)
    assert tested is not None
    assert settled(tested, {tested.id: True}) == ("not v.empty()", False)


def test_a_place_without_an_expression_has_none(source: SourceSyntax) -> None:
    assert source.operand(Place("p.c", 2, 1, "f"), is_cpp=False) is None
    assert source.operand(Place("p.c", 99, 1, "f"), is_cpp=False) is None
    assert source.operand(Place("other.c", 1, 1, "f"), is_cpp=False) is None


# --- conditions in general -----------------------------------------------------------------------


@dataclass(frozen=True)
class Condition:
    """A condition: a variable, or a negation, conjunction or disjunction of conditions."""

    operator: str  # "", "!", "&&" or "||"
    parts: tuple[Condition, ...] = ()

    def text(self, names: list[str]) -> str:
        """Return the text; each variable gets a new name, which is added to `names`."""
        if not self.operator:
            names.append(f"v{len(names)}")
            return names[-1]
        if self.operator == "!":
            return f"!({self.parts[0].text(names)})"
        left, right = (f"({part.text(names)})" for part in self.parts)
        return f"{left} {self.operator} {right}"

    def evaluate(self, values: list[bool], ran: dict[int, bool], at: list[int]) -> bool:
        """Return the truth as C evaluates it; note which variables were read."""
        if not self.operator:
            number = at[0]
            at[0] += 1
            ran[number] = values[number % len(values)]
            return ran[number]
        first = self.parts[0].evaluate(values, ran, at)
        if self.operator == "!":
            return not first
        if first is (self.operator == "||"):
            at[0] += self.parts[1].size
            return first
        return self.parts[1].evaluate(values, ran, at)

    @property
    def size(self) -> int:
        return sum(part.size for part in self.parts) if self.operator else 1


CONDITIONS = st.recursive(
    st.just(Condition("")),
    lambda inner: st.one_of(
        st.builds(lambda part: Condition("!", (part,)), inner),
        st.builds(
            lambda operator, left, right: Condition(operator, (left, right)),
            st.sampled_from(["&&", "||"]),
            inner,
            inner,
        ),
    ),
    max_leaves=8,
)


@given(condition=CONDITIONS, values=st.lists(st.booleans(), min_size=1, max_size=8))
def test_the_outcome_of_a_condition_is_that_of_c(
    condition: Condition, values: list[bool], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The variables that C reads, up to the last, settle the whole condition as C does."""
    names: list[str] = []
    text = condition.text(names)
    source = syntax(tmp_path_factory.mktemp("p"), f"int f() {{\n  if ({text})\n    return 1;\n}}\n")
    ran: dict[int, bool] = {}
    truth = condition.evaluate(values, ran, [0])
    known: dict[int, bool] = {}
    for number, value in ran.items():
        column = 6 + _column(text, names[number])
        found = source.operand(Place("p.c", 2, column + 1, "f"), is_cpp=False)
        assert found is not None
        assert found.text == names[number]
        known[found.id] = value
        last = found
    whole, outcome = settled(last, known)
    assert outcome == truth
    assert _unwrapped(whole) == _unwrapped(text)


def _column(text: str, name: str) -> int:
    match = re.search(rf"\b{name}\b", text)
    assert match
    return match.start()


def _unwrapped(text: str) -> str:
    return text.replace("(", "").replace(")", "")
