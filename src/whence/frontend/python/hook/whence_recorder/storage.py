"""How does an expression read and store variables, attributes and items?

Each method of a rewriter returns the rewritten node and a use: what a later operation names as
its operand.  Nodes are changed in place.
"""

from __future__ import annotations

import _ast as ast

from .ops import OpFlow, RecordedOp
from .recorder_calls import constant, place, read
from .scopes import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from .ops import Constants, Node, RecordedFunction, Use
    from .recorder_calls import Calls

    Rewritten = tuple[Node, Use]

    class Surroundings(Protocol):
        """The module, which rewrites nodes with a body of their own and returns their number."""

        calls: Calls
        constants: Constants
        is_alterable: bool  # can a rerun alter the values of variables?

        def text(self, node: Node, /) -> str: ...
        def lower_function(self, node: Node, around: StorageRewriter, /) -> int: ...
        def lower_lambda(self, node: Node, around: StorageRewriter, /) -> int: ...
        def lower_class(self, node: Node, around: StorageRewriter, /) -> int: ...
        def lower_genexpr(self, node: Node, around: StorageRewriter, /) -> int: ...


MAX_CONSTANTS = 64  # limit on the constants of a display that are operands; guessed
DISPLAYS = {ast.List: "list", ast.Tuple: "tuple", ast.Set: "set"}
NOT_CONSTANT = object()  # the result of `constant_value` for any other expression


class StorageRewriter(OpFlow):
    """Rewrites what one function loads and stores."""

    def __init__(self, module: Surroundings, function: RecordedFunction, scope: Scope) -> None:
        super().__init__(function)
        self.module, self.scope = module, scope
        self.calls = module.calls
        self.constant_use = module.constants.use
        self.new_lists: list[
            tuple[RecordedOp, Node]
        ] = []  # what starred names got, and these names

    def expression(self, node: Node) -> Rewritten:
        """Rewrite an expression by the method that is named after its kind."""
        value = constant_value(node)
        if value is not NOT_CONSTANT:
            return node, self.constant_use(value)
        lower = getattr(self, "_" + type(node).__name__.lower())
        rewritten: Rewritten = lower(node)
        return rewritten

    def logged(self, node: Node, op: RecordedOp) -> Rewritten:
        """Have the value of an expression logged as the event of `op`."""
        return self.calls("w", op, node, node), op

    # --- names, attributes, items ---

    def load(self, name: str, at: Node) -> RecordedOp:
        """Emit the load of a variable."""
        found, owner = self.scope.find(name)
        return self.emit("load", at, [], found, owner)

    def store(self, name: str, at: Node, value: Use, scope: Scope | None = None) -> None:
        """Emit the store of a variable."""
        found, owner = (scope or self.scope).find(name)
        self.emit("store", at, [value], found, owner)

    def _name(self, node: Node) -> Rewritten:
        op = self.load(node.id, node)
        return (self.calls.hook(op, node, node) if self.module.is_alterable else node), op

    def _namedexpr(self, node: Node) -> Rewritten:
        node.value, value = self.expression(node.value)
        self.store(node.target.id, node.target, value, self.scope.binder())
        return node, value

    def _attribute(self, node: Node) -> Rewritten:
        node.value, value = self.expression(node.value)
        return self.logged(node, self.emit("attr", node, [value], self.scope.mangled(node.attr)))

    def _subscript(self, node: Node) -> Rewritten:
        node.value, value = self.expression(node.value)
        node.slice, key = self.key(node.slice)
        return self.logged(node, self.emit("item", node, [value, key]))

    def key(self, node: Node) -> Rewritten:
        """Rewrite what stands in brackets.  Slices and tuples of slices cannot be wrapped."""
        if isinstance(node, ast.Slice):
            return self._slice(node)
        if isinstance(node, ast.Tuple) and any(isinstance(part, ast.Slice) for part in node.elts):
            uses: list[Use] = []
            for i, part in enumerate(node.elts):
                node.elts[i], use = self.key(part)
                uses.append(use)
            return node, self.emit("tuple", node, uses)
        return self.expression(node)

    def _slice(self, node: Node) -> Rewritten:
        uses: list[Use] = []
        for field in ("lower", "upper", "step"):
            part, use = getattr(node, field), None
            if part is not None:
                part, use = self.expression(part)
                setattr(node, field, part)
            uses.append(use)
        return node, self.emit("slice", node, uses)

    # --- targets ---

    def assign(self, target: Node, value: Use, *, logs: bool) -> Node:
        """Emit the stores of an assignment, and return the rewritten target.

        `logs`: can the store be logged before the statement evaluates anything else?
        """
        if isinstance(target, ast.Name):
            self.store(target.id, target, value)
        elif isinstance(target, ast.Attribute):
            target.value, owner = self.expression(target.value)
            name = self.scope.mangled(target.attr)
            self._after(self.emit("set_attr", target, [owner, value], name), logs)
        elif isinstance(target, ast.Subscript):
            target.value, owner = self.expression(target.value)
            target.slice, key = self.key(target.slice)
            self._after(self.emit("set_item", target, [owner, key, value]), logs)
        elif isinstance(target, ast.Starred):
            if isinstance(target.value, ast.Name) and isinstance(value, RecordedOp):
                self.new_lists.append((value, target.value))
            target.value = self.assign(target.value, value, logs=logs)
        else:
            for i, part in enumerate(target.elts):
                element = self.emit("unpack", part, [value], _place_of(i, target.elts))
                last = i == len(target.elts) - 1
                target.elts[i] = self.assign(part, element, logs=logs and last)
        return target

    def _after(self, op: RecordedOp, logs: bool) -> None:
        if logs:
            self.logged_after = op

    logged_after: RecordedOp | None = None  # to be logged after the current statement

    # --- constants ---

    def searched(self, node: Node) -> Rewritten:
        """Rewrite an iterable or the right side of `in`.

        Python makes a constant of a display of constants there, so it is not wrapped.
        """
        if isinstance(node, (ast.List, ast.Set)) and all_constant(node.elts):
            return node, self._constants(node, node.elts)
        return self.expression(node)

    def _constants(self, node: Node, parts: list[Node]) -> RecordedOp:
        """Emit a display that consists of constants."""
        uses: list[Use] = [self.constant_use(constant_value(part)) for part in parts]
        name = DISPLAYS.get(type(node), "dict")
        return self.emit(name, node, uses if len(uses) <= MAX_CONSTANTS else [])


def value_of(target: Node) -> Node:
    """Return an expression for the value that was just assigned to a target.

    It is the constant None if reading the target could run code of the program.
    """
    if isinstance(target, ast.Name):
        return read(target.id, target)
    if isinstance(target, (ast.Tuple, ast.List)):
        parts = [value_of(part) for part in target.elts]
        if all(not isinstance(part, ast.Constant) for part in parts):
            return place(ast.Tuple(elts=parts, ctx=ast.Load()), target)
    if isinstance(target, ast.Starred):
        inner = value_of(target.value)
        if isinstance(inner, ast.Name):
            return place(ast.Starred(value=inner, ctx=ast.Load()), target)
    return constant(None, target)


def constant_value(node: Node) -> object:
    """Return the value of a constant, a signed number or a tuple of constants."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load):
        parts = [constant_value(part) for part in node.elts]
        return NOT_CONSTANT if NOT_CONSTANT in parts else tuple(parts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        operand = node.operand
        if isinstance(operand, ast.Constant) and type(operand.value) in (int, float, complex):
            value = operand.value
            return -value if isinstance(node.op, ast.USub) else value  # type: ignore[operator]
    return NOT_CONSTANT


def all_constant(nodes: list[Node]) -> bool:
    return all(constant_value(node) is not NOT_CONSTANT for node in nodes)


def _place_of(number: int, targets: list[Node]) -> str:
    """Return which part of a value a target gets: `0`, `*1:1` for all between, `-1` for the last.

    Behind a starred target, places count from the end.
    """
    stars = [at for at, part in enumerate(targets) if isinstance(part, ast.Starred)]
    if not stars or number < stars[0]:
        return str(number)
    after = len(targets) - 1 - stars[0]
    return f"*{number}:{after}" if number == stars[0] else str(number - len(targets))
