"""Can Graphviz read the graph, and does it contain all changes and causes?"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings

from tests.report.explained import CAUSES, WHY, explanations, invoice, isolated
from tests.report.strategies import NASTY
from whence.model import Explanation
from whence.report.dot import explain_dot

TOKEN = re.compile(r'\s*(->|[A-Za-z_]\w*|[0-9.]+|"(?:[^"\\]|\\["\\l])*"|[{}\[\]=,;])')


def tokens(dot: str) -> list[str]:
    """Return the tokens of a graph; fail at text that is not a token."""
    found, at = [], 0
    while at < len(dot.rstrip()):
        match = TOKEN.match(dot, at)
        assert match, dot[at : at + 60]
        found.append(match[1])
        at = match.end()
    return found


def statements(dot: str) -> list[str]:
    """Return the statements between the braces, with `?` for each text."""
    words = tokens(dot)
    assert words[:3] == ["digraph", "whence", "{"]
    assert words[-1] == "}"
    text = " ".join("?" if word[0] == '"' else word for word in words[3:-1])
    return [one.strip() for one in text.split(";")][:-1]


NODE = re.compile(r"(?:change_\d+|cause_\d+|failure|node|edge)")
ABOUT = r"\[ \w+ = (?:[\w.]+|\?)(?: , \w+ = (?:[\w.]+|\?))* \]"
STATEMENT = re.compile(
    rf"rankdir = TB|{NODE.pattern} {ABOUT}|{NODE.pattern} -> {NODE.pattern} {ABOUT}"
)


def edges(dot: str) -> list[str]:
    return [one.split(" [")[0] for one in statements(dot) if "->" in one]


def test_changes_lead_to_causes_and_those_to_the_failure() -> None:
    assert edges(explain_dot(invoice())) == [
        "change_4 -> cause_0",
        "change_9 -> cause_0",
        "cause_0 -> failure",
        "cause_1 -> cause_0",
    ]


def test_an_edge_has_the_critical_predicate() -> None:
    dot = explain_dot(invoice())
    assert r'label="i < count was true\lsrc/invoice.c:19\ldecided that it ran\l"' in dot
    assert r"due == atol(argv[1]) was false\lgood: it was true\l" in dot


def test_a_missing_statement_is_in_its_cause() -> None:
    assert r"src/invoice.c:20  not run: sum = reduced(sum);\l" in explain_dot(invoice())


def test_root_and_auxiliary_changes_look_different() -> None:
    lines = explain_dot(invoice()).splitlines()
    root, auxiliary = (next(line for line in lines if name in line) for name in ("_4 [", "_1 ["))
    assert "bold" in root
    assert "dashed" in auxiliary


def test_without_causes_a_change_has_an_edge_to_the_failure() -> None:
    assert edges(explain_dot(isolated())) == ["change_4 -> failure", "change_9 -> failure"]


def test_the_same_explanation_gives_the_same_graph() -> None:
    assert explain_dot(invoice()) == explain_dot(invoice())


@pytest.mark.parametrize("text", [*NASTY, '"', "\\", '\\"', "&quot;", "\\N", "a\\"])
def test_no_text_ends_its_quotes(text: str) -> None:
    causes = (replace(CAUSES[0], predicate=replace(CAUSES[0].predicate, text=text)),)
    dot = explain_dot(invoice(why=replace(WHY, causes=causes)))
    assert edges(dot) == ["change_4 -> cause_0", "change_9 -> cause_0", "cause_0 -> failure"]


@given(explanations())
@settings(max_examples=40, deadline=None)
def test_any_explanation_is_a_graph(explanation: Explanation) -> None:
    dot = explain_dot(explanation)
    for statement in statements(dot):
        assert STATEMENT.fullmatch(statement), statement
    dot.encode("utf-8")
    assert "&" not in re.sub("&amp;", "", dot)
