"""What does a simple statement or a definition do, operation by operation?"""

from __future__ import annotations

import _ast as ast

from .expressions import BINARY
from .ops import OpBlock
from .recorder_calls import place, read
from .scopes import bound_by
from .statements import StatementRewriter, first_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ops import Node, RecordedOp, Use
    from .statements import Rewritings


class SimpleStatementRewriter(StatementRewriter):
    """Rewrites statements that contain no other statements of their function."""

    # --- assignments and imports ---

    def _expr_statement(self, node: Node) -> Rewritings:
        if not isinstance(node.value, ast.Constant):
            node.value, _ = self.expression(node.value)
        return [node]

    def _assign_statement(self, node: Node) -> Rewritings:
        node.value, value = self.expression(node.value)
        last, noted = len(node.targets) - 1, []
        for i, target in enumerate(node.targets):
            node.targets[i], lists = self.assigned(target, value, logs=i == last)
            noted += lists
        if len(node.targets) == 1:
            node.value = self._alterable(node.value, node.targets[0])
        return [node, *noted, *self._logged_store(node)]

    def _alterable(self, value: Node, target: Node) -> Node:
        """Return the value of a store that was just emitted, so that a rerun can alter it."""
        is_one = isinstance(target, (ast.Name, ast.Attribute, ast.Subscript))
        if not (self.module.is_alterable and is_one):
            return value
        return self.calls.hook(self.block.ops[-1], value, value)

    def _hooked_name(self, op: RecordedOp, target: Node) -> Node:
        """Return a statement through which a rerun can alter a variable."""
        value = self.calls.hook(op, target, read(target.id, target))
        stored = place(ast.Name(id=target.id, ctx=ast.Store()), target)
        return place(ast.Assign(targets=[stored], value=value, type_comment=None), target)

    def _annassign_statement(self, node: Node) -> Rewritings:
        if node.value is None:
            return [node]
        node.value, value = self.expression(node.value)
        node.target = self.assign(node.target, value, logs=True)
        node.value = self._alterable(node.value, node.target)
        return [node, *self._logged_store(node)]

    def _logged_store(self, node: Node) -> Rewritings:
        """Return the statement that logs the store of an assignment, if it needs one."""
        op, self.logged_after = self.logged_after, None
        return [self.done(op, node)] if op is not None else []

    def _augassign_statement(self, node: Node) -> Rewritings:
        target, name = node.target, BINARY[type(node.op)]
        if isinstance(target, ast.Name):
            old = self.load(target.id, target)
            node.value, value = self.expression(node.value)
            op = self.emit("inplace", node, [old, value], name)
            self.store(target.id, target, op)
            noted = self.note("w", op, node, read(target.id, target))
            if not self.module.is_alterable:
                return [node, noted]
            after = self._hooked_name(self.block.ops[-1], target)
            return [self._hooked_name(old, target), node, noted, after]
        target.value, owner = self.expression(target.value)
        uses: list[Use] = [owner]
        extra: object = "item"
        if isinstance(target, ast.Subscript):
            target.slice, key = self.key(target.slice)
            uses.append(key)
        else:
            extra = ["attr", self.scope.mangled(target.attr)]
        node.value, value = self.expression(node.value)
        op = self.emit("inplace", node, [*uses, value], f"{name}=", extra)
        return [node, self.done(op, node)]

    def _delete_statement(self, node: Node) -> Rewritings:
        return [part for target in flat(node.targets) for part in self._delete(target, node)]

    def _delete(self, target: Node, at: Node) -> Rewritings:
        alone = place(ast.Delete(targets=[target]), at)
        if isinstance(target, ast.Name):
            found, owner = self.scope.find(target.id)
            self.emit("delete", target, [], found, owner)
            return [alone]
        target.value, owner_use = self.expression(target.value)
        if isinstance(target, ast.Subscript):
            target.slice, key = self.key(target.slice)
            op = self.emit("del_item", target, [owner_use, key])
        else:
            op = self.emit("del_attr", target, [owner_use], self.scope.mangled(target.attr))
        return [alone, self.done(op, at)]

    def _import_statement(self, node: Node) -> Rewritings:
        rewritten = []
        for alias in node.names:
            bound = bound_by(alias)
            op = self.emit("import", node, [], alias.name)
            self.store(bound, node, op)
            alone = place(ast.Import(names=[alias]), node)
            rewritten += [alone, self.note("w", op, node, read(bound, node))]
        return rewritten

    def _importfrom_statement(self, node: Node) -> Rewritings:
        rewritten = [node]
        origin = "." * node.level + (node.module or "")
        for alias in node.names:
            op = self.emit("import_from", node, [], f"{origin}:{alias.name}")
            if alias.name == "*":
                rewritten.append(self.done(op, node))
            else:
                bound = bound_by(alias)
                self.store(bound, node, op)
                rewritten.append(self.note("w", op, node, read(bound, node)))
        return rewritten

    def _typealias_statement(self, node: Node) -> Rewritings:
        self.store(node.name.id, node, None)
        return [node]

    # --- leaving ---

    def _return_statement(self, node: Node) -> Rewritings:
        if node.value is None:
            op = self.emit("return", node, [self.constant_use(None)])
            rewritten = [self.done(op, node), node]
        else:
            value, use = self.expression(node.value)
            op = self.emit("return", node, [use])
            node.value = self.calls("w", op, value, value)
            rewritten = [node]
        self._leave_to(None, 0)
        return rewritten

    def _raise_statement(self, node: Node) -> Rewritings:
        if node.exc is None:
            op = self.emit("reraise", node)
            self.block.close([None])
            return [self.done(op, node), node]
        node.exc, raised = self.expression(node.exc)
        wrapped, uses = "exc", [raised]
        if node.cause is not None:
            node.cause, cause = self.expression(node.cause)
            uses.append(cause)
            # The part that is evaluated last is wrapped.  Names and constants log nothing.
            if not isinstance(node.cause, (ast.Name, ast.Constant)):
                wrapped = "cause"
        op = self.emit("raise", node, uses)
        self.block.close([None])
        inner = getattr(node, wrapped)
        setattr(node, wrapped, self.calls("w", op, inner, inner))
        return [node]

    def _break_statement(self, node: Node) -> Rewritings:
        op = self.emit("jump", node, [], "break")
        self._leave_to(self.loops[-1].after, self.loops[-1].depth)
        return [self.done(op, node), node]

    def _continue_statement(self, node: Node) -> Rewritings:
        op = self.emit("jump", node, [], "continue")
        self._leave_to(self.loops[-1].head, self.loops[-1].depth)
        return [self.done(op, node), node]

    def _leave_to(self, target: OpBlock | None, depth: int) -> None:
        """Lead to `target` through each surrounding `finally`, except the outermost `depth`."""
        for final in self.finals[depth:]:
            final.exits.append(target)
            target = final.block
        self.block.close([target])

    def _assert_statement(self, node: Node) -> Rewritings:
        holds, fails = OpBlock(), OpBlock()
        node.test = self.branch(node.test, "assert", holds, fails, node)
        self.start(fails)
        uses: list[Use] = []
        if node.msg is not None:
            node.msg, use = self.expression(node.msg)
            uses.append(use)
        self.emit("raise", node, uses, "assert")
        self.block.close([None])
        self.start(holds)
        return [node]

    # --- definitions ---

    def _functiondef_statement(self, node: Node) -> Rewritings:
        decorators: list[Use] = []
        for i, decorator in enumerate(node.decorator_list):
            node.decorator_list[i], use = self.expression(decorator)
            decorators.append(use)
        defaults = self.defaults(node.args)
        number = self.module.lower_function(node, self)
        op = self.emit("def", first_line(node), [*defaults, *decorators], node.name, number)
        self.store(node.name, first_line(node), op)
        return [node, self.note("w", op, node, read(node.name, node))]

    _asyncfunctiondef_statement = _functiondef_statement

    def _classdef_statement(self, node: Node) -> Rewritings:
        uses: list[Use] = []
        decorators: list[Use] = []
        for i, decorator in enumerate(node.decorator_list):
            node.decorator_list[i], use = self.expression(decorator)
            decorators.append(use)
        for i, base in enumerate(node.bases):
            node.bases[i], use = self.element(base)
            uses.append(use)
        for keyword in node.keywords:
            keyword.value, use = self.expression(keyword.value)
            uses.append(use)
        number = self.module.lower_class(node, self)
        op = self.emit("class", first_line(node), [*uses, *decorators], node.name, number)
        self.store(node.name, first_line(node), op)
        return [node, self.note("w", op, node, read(node.name, node))]


def flat(targets: list[Node]) -> list[Node]:
    """Return the targets of a `del` without brackets."""
    return [
        inner
        for target in targets
        for inner in (flat(target.elts) if isinstance(target, (ast.Tuple, ast.List)) else [target])
    ]
