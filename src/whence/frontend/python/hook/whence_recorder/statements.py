"""What stands for a statement in the rewritten tree?

Each `_..._statement` method returns the statements that replace one.  A statement after it logs
what was done; where a body begins, its first statement logs that.
"""

from __future__ import annotations

import _ast as ast

from .expressions import ExpressionRewriter
from .ops import OpBlock, RecordedOp
from .recorder_calls import end_row, place, statement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ops import Node

    Rewritings = list[Node]  # the statements that replace one

LONG_LINE = 10**6  # a column past the end of every line
UNCHANGED = {"Pass", "Global", "Nonlocal"}  # statements that are not rewritten


class Final:
    """A `finally` that is around the place: whoever leaves goes through it."""

    def __init__(self) -> None:
        self.block = OpBlock()
        self.exits: list[OpBlock | None] = []


class Loop:
    def __init__(self, head: OpBlock, after: OpBlock, depth: int) -> None:
        self.head, self.after, self.depth = head, after, depth


class StatementRewriter(ExpressionRewriter):
    """Rewrites statements, each by the method that is named after its kind."""

    loops: list[Loop]
    finals: list[Final]

    def statements(self, nodes: list[Node]) -> Rewritings:
        return [written for node in nodes for written in self.statement(node)]

    def statement(self, node: Node) -> Rewritings:
        kind = type(node).__name__
        if kind in UNCHANGED:
            return [node]
        lower = getattr(self, "_" + kind.lower() + "_statement")
        written: Rewritings = lower(node)
        return written

    def done(self, op: RecordedOp, at: Node) -> Node:
        return statement(self.calls("e", op, at))

    def note(self, function: str, op: RecordedOp, at: Node, value: Node) -> Node:
        return statement(self.calls(function, op, at, value))


def first_line(node: Node) -> Node:
    """A position: where a definition begins, without its body."""
    first = place(ast.Pass(), node)
    if end_row(node) != node.lineno:
        first.end_lineno, first.end_col_offset = node.lineno, LONG_LINE
    return first


def end_of(node: Node) -> Node:
    """A position: the last line of a node."""
    last = ast.Pass()
    last.lineno = last.end_lineno = end_row(node)
    last.col_offset = last.end_col_offset = node.end_col_offset or node.col_offset
    return last
