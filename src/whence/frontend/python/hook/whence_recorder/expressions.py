"""What does evaluating an expression do, operation by operation?

What is evaluated, how often and in which order stays the same.  A method is looked up and called by
one operation, because `o.m` alone may make another object.
"""

from __future__ import annotations

import _ast as ast

from .comprehensions import ComprehensionRewriter
from .recorder_calls import constant
from .storage import DISPLAYS, all_constant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ops import Node, Use
    from .storage import Rewritten

BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>", ast.BitOr: "|", ast.BitXor: "^",
    ast.BitAnd: "&", ast.MatMult: "@",
}  # fmt: skip
UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}
COMPARISON = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip


class ExpressionRewriter(ComprehensionRewriter):
    """Rewrites the expressions of one function."""

    # --- operators ---

    def _binop(self, node: Node) -> Rewritten:
        node.left, left = self.expression(node.left)
        node.right, right = self.expression(node.right)
        op = self.emit("binary", node, [left, right], BINARY[type(node.op)])
        return self.logged(node, op)

    def _unaryop(self, node: Node) -> Rewritten:
        node.operand, operand = self.expression(node.operand)
        return self.logged(node, self.emit("unary", node, [operand], UNARY[type(node.op)]))

    def _compare(self, node: Node) -> Rewritten:
        node.left, first = self.expression(node.left)
        uses = [first]
        for i, part in enumerate(node.comparators):
            if isinstance(node.ops[i], (ast.In, ast.NotIn)):
                node.comparators[i], use = self.searched(part)
            else:
                node.comparators[i], use = self.expression(part)
            uses.append(use)
        name = " ".join(COMPARISON[type(op)] for op in node.ops)
        return self.logged(node, self.emit("compare", node, uses, name))

    # --- calls and displays ---

    def _call(self, node: Node) -> Rewritten:
        uses: list[Use] = []
        if isinstance(node.func, ast.Attribute):
            node.func.value, value = self.expression(node.func.value)
            name = self.scope.mangled(node.func.attr)
            uses.append(self.emit("method", node.func, [value], name))
        else:
            node.func, callee = self.expression(node.func)
            uses.append(callee)
        kinds: list[str | None] = []
        for i, argument in enumerate(node.args):
            starred = isinstance(argument, ast.Starred)
            node.args[i], use = self.element(argument)
            uses.append(use)
            kinds.append("*" if starred else None)
        for keyword in node.keywords:
            keyword.value, use = self.expression(keyword.value)
            uses.append(use)
            kinds.append(keyword.arg or "**")
        return self.logged(node, self.emit("call", node, uses, None, kinds))

    def element(self, node: Node) -> Rewritten:
        """Rewrite an element of a display or call, which may have a star."""
        if isinstance(node, ast.Starred):
            node.value, use = self.expression(node.value)
            return node, use
        return self.expression(node)

    def _display(self, node: Node) -> Rewritten:
        if all_constant(node.elts):
            return self.logged(node, self._constants(node, node.elts))
        stars = ["*" if isinstance(part, ast.Starred) else None for part in node.elts]
        uses: list[Use] = []
        for i, part in enumerate(node.elts):
            node.elts[i], use = self.element(part)
            uses.append(use)
        extra = stars if any(stars) else None
        return self.logged(node, self.emit(DISPLAYS[type(node)], node, uses, None, extra))

    _list = _tuple = _set = _display

    def _dict(self, node: Node) -> Rewritten:
        parts = [part for pair in zip(node.keys, node.values, strict=True) for part in pair]
        if None not in parts and all_constant(parts):
            return self.logged(node, self._constants(node, parts))
        uses: list[Use] = []
        for i in range(len(node.values)):
            key = None
            if node.keys[i] is not None:
                node.keys[i], key = self.expression(node.keys[i])
            node.values[i], value = self.expression(node.values[i])
            uses += (key, value)
        return self.logged(node, self.emit("dict", node, uses))

    def _joinedstr(self, node: Node) -> Rewritten:
        uses: list[Use] = []
        self._formatted(node, uses)
        return self.logged(node, self.emit("format", node, uses))

    def _formatted(self, node: Node, uses: list[Use]) -> None:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                part.value, use = self.expression(part.value)
                uses.append(use)
                if isinstance(part.format_spec, ast.JoinedStr):
                    self._formatted(part.format_spec, uses)

    # --- suspension ---

    def resumed(self, node: Node) -> Rewritten:
        """Have the value logged with which a suspended function continues."""
        op = self.emit("resume", node)
        return self.calls("r", op, node, node), op

    def _yield(self, node: Node) -> Rewritten:
        value: Node = constant(None, node)
        use: Use = self.constant_use(None)
        if node.value is not None:
            value, use = self.expression(node.value)
        node.value = self.calls("w", self.emit("yield", node, [use]), value, value)
        return self.resumed(node)

    def awaited(self, node: Node, name: str) -> Rewritten:
        """Rewrite an expression whose value the function waits for."""
        value, use = self.expression(node)
        op = self.emit("await", node, [use], name)
        return self.calls("w", op, value, value), op

    def _yieldfrom(self, node: Node) -> Rewritten:
        node.value, _ = self.awaited(node.value, "yield from")
        return self.resumed(node)

    def _await(self, node: Node) -> Rewritten:
        node.value, _ = self.awaited(node.value, "await")
        return self.resumed(node)

    # --- lambdas ---

    def _lambda(self, node: Node) -> Rewritten:
        uses = self.defaults(node.args)
        number = self.module.lower_lambda(node, self)
        return self.logged(node, self.emit("lambda", node, uses, None, number))

    def defaults(self, args: ast.arguments) -> list[Use]:
        """Rewrite the default values of parameters."""
        uses: list[Use] = []
        for values in (args.defaults, args.kw_defaults):
            for i, value in enumerate(values):
                if value is not None:
                    values[i], use = self.expression(value)
                    uses.append(use)
        return uses
