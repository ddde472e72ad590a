"""How does the rewritten body of a function, class or module begin and end?

The body becomes

    try: enter(k, parameter, ...); ...; e(return)
    except: x(leave); raise

Raising the exception again adds nothing to a traceback.
"""

from __future__ import annotations

import _ast as ast

from .compound_statements import CompoundStatementRewriter
from .ops import OpBlock
from .recorder_calls import place, read, statement
from .statements import end_of, first_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ops import Node
    from .statements import Rewritings


class BodyRewriter(CompoundStatementRewriter):
    """Rewrites the body of one function, class or module."""

    def framed(self, nodes: list[Node], params: list[str], at: Node) -> Rewritings:
        """Return the rewritten body of the definition `at`, with its beginning and end."""
        opening = opening_length(nodes, self.function.kind)
        unchanged, rest = nodes[:opening], nodes[opening:]
        first = (rest or unchanged or [at])[0]
        self.loops, self.finals = [], []
        entering = self.enter(params, first, at)
        rewritten = [statement(entering), *self.statements(rest)]
        if not self.is_dead:
            last = end_of(nodes[-1] if nodes else at)
            op = self.emit("return", last, [self.constant_use(None)])
            self.block.close([None])
            rewritten.append(self.done(op, last))
        return [*unchanged, self._guarded(rewritten, first, at)]

    def enter(self, params: list[str], at: Node, definition: Node) -> Node:
        """Return a call that logs that the function was entered with these parameters."""
        head = first_line(definition)
        for name in params:
            found, owner = self.scope.find(name)
            self.emit("param", head, [], found, owner)
        values = [read(name, at) for name in params]
        op = self.emit("enter", head)
        function = f"enter{len(values)}" if len(values) <= 2 else "enter"
        return self.calls(function, op, at, *values)

    def _guarded(self, body: Rewritings, at: Node, definition: Node) -> Node:
        """Return the body in a `try` that logs an exception which leaves it."""
        self.start(OpBlock())
        op = self.emit("leave", first_line(definition))
        self.block.close([None])
        # At the recursion limit the call of the recorder fails, which is ignored.
        leaving = statement(self.calls("x", op, at))
        ignoring = [handler([place(ast.Pass(), at)], at)]
        noting = place(ast.Try(body=[leaving], handlers=ignoring, orelse=[], finalbody=[]), at)
        raising = place(ast.Raise(exc=None, cause=None), at)
        return place(
            ast.Try(body=body, handlers=[handler([noting, raising], at)], orelse=[], finalbody=[]),
            at,
        )


def opening_length(nodes: list[Node], kind: str) -> int:
    """Return how many statements must stay first: the docstring and `__future__` imports."""
    length = 0
    if nodes and isinstance(nodes[0], ast.Expr) and isinstance(nodes[0].value, ast.Constant):
        length = int(isinstance(nodes[0].value.value, str))
    while kind == "module" and length < len(nodes):
        node = nodes[length]
        if not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            break
        length += 1
    return length


def handler(body: Rewritings, at: Node) -> Node:
    """Return an `except:` clause."""
    return place(ast.ExceptHandler(type=None, name=None, body=body), at)
