"""How does a condition ask for the truth of its parts?

1. The program's own code asks for the truth of a value, and asks once.  The recorder never asks: a
   test `x` becomes `b(k, not x)`, and the recorder gets a plain bool.
2. The operands of `and` and `or` are wrapped, but not a nested `and` or `or` as a whole: Python
   asks for the truth of each operand once, however they are nested.
"""

from __future__ import annotations

import _ast as ast
import sys

from .ops import OpBlock, RecordedOp
from .recorder_calls import constant, place
from .storage import StorageRewriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ops import Node, Use
    from .storage import Rewritten

IS_3_11 = sys.version_info[:2] == (3, 11)


class ConditionRewriter(StorageRewriter):
    """Rewrites the conditions of one function."""

    def condition(self, node: Node) -> Rewritten:
        """Rewrite an expression whose truth is asked for once and whose value is not used."""
        if isinstance(node, ast.BoolOp):
            return self._choice(node, wanted="truth")
        if is_negation(node):
            return self._negation(node)
        rewritten, use = self.expression(node)
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            # Python leaves the chain without asking for the truth a second time.
            truths = constant(True, node), constant(False, node)
            whole = place(ast.IfExp(test=node, body=truths[0], orelse=truths[1]), node)
            rewritten.args[1] = whole
            rewritten.logs = rewritten.args
        return rewritten, use

    def _negation(self, node: Node) -> Rewritten:
        operand, use = self.condition(node.operand)
        op = self.emit("unary", node, [use], "not")
        negated = ast.UnaryOp(op=node.op, operand=operand)
        return self.calls("w", op, node, place(negated, self._asked_at(node))), op

    def truth(self, op: RecordedOp, at: Node, value: Node) -> Node:
        """Return an expression for the truth of `value` that logs the event of `op`."""
        asked, inner = self._asked_at(at), getattr(value, "logs", None)
        if inner is not None and is_bool(inner[1]):
            return self.calls("c", op, at, inner[0], inner[1])
        negated = place(ast.UnaryOp(op=ast.Not(), operand=value), asked)
        return self.calls("b", op, at, negated)

    def branch(
        self, node: Node, kind: str, yes: OpBlock | None, no: OpBlock | None, within: Node
    ) -> Node:
        """Rewrite a test and emit its branch; `within` is what the test belongs to."""
        around, self._testing = self._testing, within
        rewritten, use = self.condition(node)
        op = self.emit("branch", node, [use], kind)
        self.block.close([yes, no])
        test = self.truth(op, node, rewritten)
        if IS_3_11 and kind == "assert" and isinstance(self._testing, ast.Compare):
            # A traceback then shows this comparison as the place of the AssertionError.
            true = constant(True, node)
            compared = ast.Compare(left=test, ops=[ast.Is()], comparators=[true])
            test = place(compared, self._testing)
        self._testing = around
        return test

    def _asked_at(self, node: Node) -> Node:
        """Return the node that a traceback shows when asking for the truth of a value raises.

        Python 3.11 shows the whole test, or its last comparison.
        """
        while isinstance(node, ast.BoolOp) or is_negation(node):
            node = node.operand if is_negation(node) else node.last_operand
        if not IS_3_11:
            return node
        if isinstance(node, ast.Compare):
            self._testing = node
        return self._testing

    _testing: Node = None  # the node that a traceback of Python 3.11 shows for the current test

    # --- operands of `and` and `or` ---

    def _boolop(self, node: Node) -> Rewritten:
        return self._choice(node, wanted="value")

    def _choice(self, node: Node, wanted: str) -> Rewritten:
        """Rewrite an `and` or `or` whose "truth" or "value" is `wanted`."""
        join = OpBlock()
        results: list[Use] = []
        node.last_operand = last_operand(node)  # before it is rewritten
        self._operands(node, join, join, None, wanted, results, join)
        self.begin(join)
        phi = self.emit("phi", node, results)
        return self.logged(node, phi) if wanted == "value" else (node, phi)

    def _operands(
        self, node: Node, yes: OpBlock, no: OpBlock, name: str | None, wanted: str,
        results: list[Use], join: OpBlock,
    ) -> None:  # fmt: skip
        """Rewrite operands whose truth leads to `yes` or `no`.

        `name` is the operator that asks for the truth of the last operand, or None.  `wanted` is
        "truth" or "value"; the uses of the results are appended to `results`.
        """
        is_and = isinstance(node.op, ast.And)
        operator = "and" if is_and else "or"
        for i, operand in enumerate(node.values):
            last = i == len(node.values) - 1
            following = OpBlock()
            asks = name if last else operator
            truthy = yes if last or not is_and else following
            falsy = no if last or is_and else following
            if isinstance(operand, ast.BoolOp):
                self._operands(operand, truthy, falsy, asks, wanted, results, join)
            else:
                lower = self.condition if wanted == "truth" else self.expression
                rewritten, use = lower(operand)
                if join in (truthy, falsy):
                    results.append(use)
                if asks is None:
                    self.go(join)
                else:
                    op = self.emit("either", operand, [use], asks)
                    self.block.close([truthy, falsy] if asks == "and" else [falsy, truthy])
                    if wanted == "truth":
                        rewritten = self.truth(op, operand, rewritten)
                    else:
                        rewritten, _ = self.logged(rewritten, op)
                node.values[i] = rewritten
            if not last:
                self.start(following)

    def _ifexp(self, node: Node) -> Rewritten:
        yes, no, join = OpBlock(), OpBlock(), OpBlock()
        node.test = self.branch(node.test, "ifexp", yes, no, node)
        self.start(yes)
        node.body, first = self.expression(node.body)
        self.go(join)
        self.start(no)
        node.orelse, second = self.expression(node.orelse)
        self.begin(join)
        return self.logged(node, self.emit("phi", node, [first, second]))


def last_operand(node: Node) -> Node:
    """Return the last operand of nested `and`s and `or`s."""
    while isinstance(node, ast.BoolOp):
        node = node.values[-1]
    return node


def is_bool(node: Node) -> bool:
    """Is the value of an expression always True or False?"""
    if isinstance(node, ast.IfExp):  # a comparison chain, rewritten by `condition`
        return isinstance(node.body, ast.Constant) and node.body.value is True
    always = isinstance(node, ast.Compare) and len(node.ops) == 1
    return is_negation(node) or (
        always and isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn))
    )


def is_negation(node: Node) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
