"""A cause tree for tests, which computes nothing and notes requests."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from pathlib import Path

from whence.model import Cause, Influence, Mark, Predicate, Statement

SOURCE = """\
#include <assert.h>
enum { SCALENE, RIGHT, EQUILATERAL };

double area(int a, int b, int c) {
    int class = SCALENE;
    if (a < b || b < c)
        return 0;
    if (a * a != b * b + c * c)
        class = RIGHT;
    if (a == b && b == c)
        class = EQUILATERAL;
    if (class == RIGHT)
        return b * c / 2;
    return heron(a, b, c);
}

int main(void) {
    assert(near(area(6, 5, 4), 9.92));
}
""".splitlines()

VALUES = {4: {"a": "6", "b": "5", "c": "4"}, 9: {"class": "RIGHT"}, 12: {"class": "RIGHT"}}
VALUES |= {13: {"b": "5", "c": "4", "return": "10"}, 18: {"area(6, 5, 4)": "10"}}


@dataclass
class Node:
    """The content of a cause, and the nodes below it."""

    text: str
    line: int
    influence: Influence = Influence.DIRECT
    below: list[Node] = field(default_factory=list)
    outcome: str = "true"
    lines: tuple[int, ...] = ()
    times: int = 1
    because: str = ""


def triangle() -> Node:
    """Return why the area of a triangle is wrong: line 8 mistakes it for a right triangle."""
    squares = Node("a * a != b * b + c * c", 8, Influence.DIRECT, lines=(4, 8))
    order = Node("a < b || b < c", 6, Influence.INDIRECT, outcome="false", lines=(4, 6))
    equal = Node("a == b && b == c", 10, Influence.INDIRECT, outcome="false", lines=(4, 10))
    order_again = Node("a < b", 6, Influence.PREMISE, outcome="false", lines=(4, 6), times=3)
    squares.below = [order_again]
    kind = Node("class == RIGHT", 12, Influence.DIRECT, [squares, equal], lines=(9, 12))
    return Node("near(area, 9.92)", 18, Influence.FAILURE, [kind, order], "false", (4, 13, 18))


class FakeTree:
    """A tree made from nodes; `asked` lists the causes whose children were computed.

    A node below several others becomes a cause below the first of them that is computed.
    """

    def __init__(
        self,
        root: Node | None = None,
        *,
        folder: Path | None = None,
        source: list[str] = SOURCE,
        values: dict[str, str] | None = None,
    ) -> None:
        self.asked: list[int] = []
        self.cancelled = 0
        self.sources = {"src/shape.c": source}
        self.gate: threading.Event | None = None  # if set, computations wait for it
        self.started = threading.Event()
        self.error: Exception | None = None  # if set, computations raise it
        self._folder = folder
        self._values = values  # values of all statements, if given
        self._marks: dict[int, Mark] = {}
        self._causes: list[Cause] = []
        self._nodes: list[Node] = []
        self._grow(root or triangle(), None)

    def cause(self, number: int, /) -> Cause:
        return self._causes[number]

    def children(self, number: int, /) -> tuple[int, ...]:
        known = self._causes[number].children
        if known is not None:
            return known
        self.asked.append(number)
        self.started.set()
        if self.gate is not None:
            assert self.gate.wait(10), "nobody opened the gate"
        if self.error is not None:
            raise self.error
        below = [node for node in self._nodes[number].below if not self._has(node)]
        found = tuple(self._grow(node, number) for node in below)
        self._causes[number] = replace(self._causes[number], children=found)
        return found

    def mark(self, number: int, mark: Mark | None, /) -> None:
        self._marks.pop(number, None)
        if mark is not None:
            self._marks[number] = mark

    @property
    def marks(self) -> dict[int, Mark]:
        return dict(self._marks)

    def source(self, file: str, /) -> list[str]:
        return self.sources.get(file, [])

    def source_path(self, file: str, /) -> Path | None:
        return self._folder / file if self._folder else None

    def cancel(self) -> None:
        self.cancelled += 1

    def number(self, text: str) -> int:
        """Return the number of the cause with this predicate; it must be computed."""
        return next(each.id for each in self._causes if each.predicate.text == text)

    def _has(self, node: Node) -> bool:
        return any(node is known for known in self._nodes)

    def _grow(self, node: Node, parent: int | None) -> int:
        number = len(self._causes)
        above = "" if parent is None else self._causes[parent].key
        predicate = Predicate("src/shape.c", node.line, "area", node.text, node.outcome)
        source = self.sources["src/shape.c"]
        statements = tuple(
            Statement(
                "src/shape.c", line, "area", source[line - 1], self._values or VALUES.get(line, {})
            )
            for line in node.lines or (node.line,)
        )
        because = f"`{node.text}` was {node.outcome} because of what line {statements[0].line} set"
        self._nodes.append(node)
        self._causes.append(
            Cause(
                id=number,
                key=f"{above}/{node.text}",
                parent=parent,
                level=0 if parent is None else self._causes[parent].level + 1,
                influence=node.influence,
                predicate=predicate,
                because=node.because or because,
                statements=statements,
                instances=7 * len(statements),
                times=node.times,
            )
        )
        return number
