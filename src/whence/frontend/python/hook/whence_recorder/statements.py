"""What stands for a statement in the rewritten tree?

Each `_..._statement` method returns the statements that replace one.  A statement after it logs
what was done; where a body begins, its first statement logs that.
"""

from __future__ import annotations

import _ast as ast

from .expressions import ExpressionRewriter
from .ops import OpBlock, RecordedOp
from .recorder_calls import end_row, place, read, statement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ops import Node, Use

    Rewritings = list[Node]  # the statements that replace one

LONG_LINE = 10**6  # a column past the end of every line
UNCHANGED = {"Pass", "Global", "Nonlocal"}  # statements that are not rewritten


class Final:
    """A `finally` clause around the current statement, and the blocks it can lead to."""

    def __init__(self) -> None:
        self.block = OpBlock()
        self.exits: list[OpBlock | None] = []


class Loop:
    """A loop around the current statement; `depth` is the number of `finally`s around it."""

    def __init__(self, head: OpBlock, after: OpBlock, depth: int) -> None:
        self.head, self.after, self.depth = head, after, depth


class StatementRewriter(ExpressionRewriter):
    """Rewrites statements, each by the method that is named after its kind."""

    loops: list[Loop]  # around the current statement, the innermost last
    finals: list[Final]  # likewise

    def statements(self, nodes: list[Node]) -> Rewritings:
        """Rewrite a list of statements."""
        return [rewritten for node in nodes for rewritten in self.statement(node)]

    def statement(self, node: Node) -> Rewritings:
        kind = type(node).__name__
        if kind in UNCHANGED:
            return [node]
        lower = getattr(self, "_" + kind.lower() + "_statement")
        rewritten: Rewritings = lower(node)
        return rewritten

    def done(self, op: RecordedOp, at: Node) -> Node:
        """Return a statement that logs that `op` was executed."""
        return statement(self.calls("e", op, at))

    def assigned(self, target: Node, value: Use, *, logs: bool) -> tuple[Node, Rewritings]:
        """Emit the stores of an assignment; return the target and what logs its new lists.

        A starred target gets a list that is made for it, often where a freed one was.  Nothing else
        says that it is another object.
        """
        self.new_lists = []
        target = self.assign(target, value, logs=logs)
        made, self.new_lists = self.new_lists, []
        return target, [self.note("w", op, name, read(name.id, name)) for op, name in made]

    def note(self, function: str, op: RecordedOp, at: Node, value: Node) -> Node:
        """Return a statement that logs the value of `op`."""
        return statement(self.calls(function, op, at, value))


def first_line(node: Node) -> Node:
    """Return a node with the position of a definition's first line."""
    first = place(ast.Pass(), node)
    if end_row(node) != node.lineno:
        first.end_lineno, first.end_col_offset = node.lineno, LONG_LINE
    return first


def end_of(node: Node) -> Node:
    """Return a node with the position of the end of a node."""
    last = ast.Pass()
    last.lineno = last.end_lineno = end_row(node)
    last.col_offset = last.end_col_offset = node.end_col_offset or node.col_offset
    return last
