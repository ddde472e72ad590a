"""What do the recorder's calls look like in the rewritten tree?

    a.b(c)   becomes   w(17, a.b(c))

where `w` and 17 are string constants until the code is loaded, so that no name is added to a
namespace.  Every inserted node has the position of the node that it belongs to.
"""

from __future__ import annotations

import _ast as ast

from .ops import MARK, RecordedOp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .ops import Node

TABLE = MARK + "table"  # the constant that becomes a script's table of recorder functions
DOOR = "\0whence"  # a key of sys.modules through which a script reaches the recorder


def end_row(node: Node) -> int:
    """Return the last line of a node; the nodes that pytest adds do not contain it."""
    row: int = node.lineno if node.end_lineno is None else node.end_lineno
    return row


def place(node: Node, at: Node) -> Node:
    """Give `node` the position of `at`, and return it."""
    node.lineno, node.col_offset = at.lineno, at.col_offset
    node.end_lineno, node.end_col_offset = at.end_lineno, at.end_col_offset
    return node


def constant(value: Any, at: Node) -> Node:
    return place(ast.Constant(value=value, kind=None), at)


def read(name: str, at: Node) -> Node:
    """Return an expression that reads a variable."""
    return place(ast.Name(id=name, ctx=ast.Load()), at)


def statement(expression: Node) -> Node:
    return place(ast.Expr(value=expression), expression)


class Calls:
    """Makes calls of the recorder's functions.

    In a script the functions are in a table, which is a constant too: a file of compiled code
    can contain a dict, but not a function.
    """

    def __init__(self, is_script: bool) -> None:
        self._is_script = is_script

    def __call__(self, function: str, op: RecordedOp, at: Node, *arguments: Node) -> Node:
        """Return a call of a recorder function that logs the event of `op`."""
        op.logged = True
        number = constant(None, at)
        op.places.append(number)
        if function == "c":  # the number of the inner operation comes first
            return self.bare(function, at, arguments[0], number, arguments[1])
        if function == "w" and (inner := getattr(arguments[0], "logs", None)) is not None:
            # One call for two events of the same value: w(k, w(j, x)) is v(j, k, x).
            return self.bare("v", at, inner[0], number, inner[1])
        call = self.bare(function, at, number, *arguments)
        if function == "w":
            call.logs = number, arguments[0]
        return call

    def hook(self, op: RecordedOp, at: Node, value: Node) -> Node:
        """Return a call by which a rerun can alter `value`, that of `op`; it logs nothing."""
        number = constant(None, at)
        op.places.append(number)
        return self.bare("p", at, number, value)

    def bare(self, function: str, at: Node, *arguments: Node) -> Node:
        """Return a call of a recorder function with just these arguments."""
        called = constant(MARK + function, at)
        if self._is_script:
            name = constant(function, at)
            called = constant(TABLE, at)
            called = place(ast.Subscript(value=called, slice=name, ctx=ast.Load()), at)
        return place(ast.Call(func=called, args=list(arguments), keywords=[]), at)
