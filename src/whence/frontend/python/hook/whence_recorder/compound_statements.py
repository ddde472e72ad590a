"""What does a statement with a body do, operation by operation?"""

from __future__ import annotations

import _ast as ast

from .ops import OpBlock, RecordedOp
from .recorder_calls import constant, place, statement
from .simple_statements import SimpleStatementRewriter
from .statements import Final, Loop, end_of
from .storage import value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ops import Node
    from .statements import Rewritings

STOP = "\0stop"  # logged in place of a value at the end of a loop


class CompoundStatementRewriter(SimpleStatementRewriter):
    """Rewrites branches, loops, exception handling, contexts and matches."""

    # --- branches and loops ---

    def _if_statement(self, node: Node) -> Rewritings:
        yes, no, after = OpBlock(), OpBlock(), OpBlock()
        node.test = self._test_of(node, "if", yes, no)
        self.start(yes)
        node.body = self.statements(node.body)
        self.go(after)
        self.start(no)
        node.orelse = self.statements(node.orelse)
        self.begin(after)
        return [node]

    def _test_of(self, node: Node, kind: str, yes: OpBlock, no: OpBlock) -> Node:
        """Rewrite the test of a statement.  A constant needs no branch."""
        if isinstance(node.test, ast.Constant):
            self.block.close([yes if node.test.value else no])
            return node.test
        return self.branch(node.test, kind, yes, no, node)

    def _while_statement(self, node: Node) -> Rewritings:
        head, body, otherwise, after = OpBlock(), OpBlock(), OpBlock(), OpBlock()
        self.begin(head)
        node.test = self._test_of(node, "while", body, otherwise)
        self.start(body)
        node.body = self._loop(node.body, head, after)
        self.start(otherwise)
        node.orelse = self.statements(node.orelse)
        self.begin(after)
        return [node]

    def _loop(self, body: list[Node], head: OpBlock, after: OpBlock) -> Rewritings:
        """Rewrite the body of a loop."""
        self.loops.append(Loop(head, after, len(self.finals)))
        rewritten = self.statements(body)
        self.loops.pop()
        self.go(head)
        return rewritten

    def _for_statement(self, node: Node) -> Rewritings:
        return self._for(node, "n", is_async=False)

    def _asyncfor_statement(self, node: Node) -> Rewritings:
        return self._for(node, "g", is_async=True)

    def _for(self, node: Node, function: str, *, is_async: bool) -> Rewritings:
        """Rewrite a `for` loop; `function` logs its values."""
        if is_async:
            node.iter, use = self.awaited(node.iter, "async for")
        else:
            node.iter, use = self.searched(node.iter)
        head, body, otherwise, after = OpBlock(), OpBlock(), OpBlock(), OpBlock()
        self.begin(head)
        value, op = self.next(node.target, node.iter, use, is_async)
        head.close([body, otherwise])
        self.start(body)
        node.target, lists = self.assigned(node.target, op, logs=False)
        begun = self.note(function, op, node.target, value)
        node.body = [begun, *lists, *self._loop(node.body, head, after)]
        self.start(otherwise)
        stop = constant(STOP, node.target)
        node.orelse = [
            self.note(function, op, node.target, stop),
            *self.statements(node.orelse),
        ]
        self.begin(after)
        return [node]

    # --- exceptions and contexts ---

    def _try_statement(self, node: Node) -> Rewritings:
        after = OpBlock()
        final = Final() if node.finalbody else None
        if final:
            self.finals.append(final)
        node.body = self.statements(node.body)
        if node.handlers:
            self._handled(node, final, after)
        else:
            node.body += self._completed(node, final, after)
        if final:
            self.finals.pop()
            self._finally(node, final, after)
        self.begin(after)
        return [node]

    _trystar_statement = _try_statement

    def _handled(self, node: Node, final: Final | None, after: OpBlock) -> None:
        """Rewrite the `else` and `except` clauses of a `try`."""
        otherwise = OpBlock()
        handlers = [OpBlock() for _ in node.handlers]
        op = self.emit("try", node)
        self.block.close([otherwise, *handlers])
        self.start(otherwise)
        node.orelse = [self.done(op, node), *self.statements(node.orelse)]
        node.orelse += self._completed(node, final, after)
        for i, (clause, block) in enumerate(zip(node.handlers, handlers, strict=True)):
            self.start(block)
            self._handler(clause, op)
            clause.body += self._completed(clause, final, after)
            if type(node).__name__ == "TryStar":  # several clauses can handle parts of one group
                self.block.successors = [*self.block.successors, *handlers[i + 1 :]]

    def _handler(self, clause: Node, tried: RecordedOp) -> None:
        """Rewrite an `except` clause."""
        types = self.module.text(clause.type) if clause.type is not None else ""
        op = self.emit("caught", clause.type or clause, [], types, tried)
        if clause.name:
            self.store(clause.name, clause, op)
        body = self.statements(clause.body)
        if clause.name and not self.is_dead:
            found, owner = self.scope.find(clause.name)
            self.emit("delete", clause, [], found, owner)
        clause.body = [statement(self.calls("h", op, clause)), *body]

    def _completed(self, node: Node, final: Final | None, after: OpBlock) -> Rewritings:
        """Return the statements that log the regular end of a part of a `try`."""
        if final is None:
            self.go(after)
            return []
        if self.is_dead:
            return []
        at = end_of(node.body[-1])
        op = self.emit("jump", at, [], "finally")
        self.block.close([final.block])
        return [self.done(op, at)]

    def _finally(self, node: Node, final: Final, after: OpBlock) -> None:
        """Rewrite a `finally` clause."""
        self.start(final.block)
        at = node.finalbody[0]
        op = self.emit("finally", at)
        body = self.statements(node.finalbody)
        if not self.is_dead:
            self.block.close([after, *unique(final.exits)])
        node.finalbody = [statement(self.calls("f", op, at)), *body]

    def _with_statement(self, node: Node) -> Rewritings:
        return self._with(node, node.items, is_async=False)

    def _asyncwith_statement(self, node: Node) -> Rewritings:
        return self._with(node, node.items, is_async=True)

    def _with(self, node: Node, items: list[Node], *, is_async: bool) -> Rewritings:
        """Rewrite a `with` as nested statements of one item each, as Python executes it."""
        item, further = items[0], items[1:]
        mark = "async" if is_async else None
        if is_async:
            item.context_expr, manager = self.awaited(item.context_expr, "async with")
        else:
            item.context_expr, manager = self.expression(item.context_expr)
        at, target = item.context_expr, item.optional_vars
        op = self.emit("with_enter", at, [manager], self.module.text(at), mark)
        value = constant(None, at)
        if target is not None:
            value = value_of(target)
            item.optional_vars = self.assign(target, op, logs=False)
        begun = self.note("g" if is_async else "n", op, at, value)
        after = OpBlock()
        if further:
            body = self._with(node, further, is_async=is_async)
        else:
            body = self.statements(node.body)
        ends = []
        if not self.is_dead:
            end = end_of(node.body[-1])
            ends.append(self.done(self.emit("jump", end, [], "with"), end))
        self.go(after)
        self.start(after)  # also reached if the context manager suppresses an exception
        leaving = self.emit("with_exit", at, [manager], None, mark)
        kind = type(node)
        whole = place(kind(items=[item], body=[begun, *body, *ends], type_comment=None), node)
        end = end_of(node)
        return [whole, statement(self.calls("f" if is_async else "e", leaving, end))]

    # --- match ---

    def _match_statement(self, node: Node) -> Rewritings:
        node.subject, subject = self.expression(node.subject)
        head, after = OpBlock(), OpBlock()
        self.begin(head)
        op = self.emit("match", node.subject, [subject], self.module.text(node.subject))
        starts = [OpBlock() for _ in node.cases]
        nothing = OpBlock()
        head.close([*starts, nothing])
        for i, (case, start) in enumerate(zip(node.cases, starts, strict=True)):
            self.start(start)
            for name in captured(case.pattern):
                self.store(name, case.pattern, subject)
            chosen = self.calls("n", op, case.pattern, constant(i, case.pattern))
            if case.guard is None:
                case.body = [statement(chosen), *self.statements(case.body)]
            else:
                passed = OpBlock()
                guard = self.branch(case.guard, "guard", passed, head, case.pattern)
                case.guard = place(ast.BoolOp(op=ast.And(), values=[chosen, guard]), case.guard)
                self.start(passed)
                case.body = self.statements(case.body)
            self.go(after)
        self.start(nothing)
        if not is_irrefutable(node.cases[-1]):
            at = node.cases[-1].pattern
            anything = place(ast.MatchAs(pattern=None, name=None), at)
            count = constant(len(node.cases), at)
            body = [self.note("w", op, at, count)]
            node.cases.append(ast.match_case(pattern=anything, guard=None, body=body))
        self.begin(after)
        return [node]


def unique(blocks: list[OpBlock | None]) -> list[OpBlock | None]:
    """Return the blocks without duplicates, and None: an exception leaves the function."""
    found: list[OpBlock | None] = []
    for block in (*blocks, None):
        if block not in found:
            found.append(block)
    return found


def captured(pattern: Node) -> list[str]:
    """Return the names that a pattern binds."""
    names = []
    name = getattr(pattern, "name", None) or getattr(pattern, "rest", None)
    for field in ("patterns", "kwd_patterns"):
        for inner in getattr(pattern, field, []):
            names += captured(inner)
    if getattr(pattern, "pattern", None) is not None:
        names += captured(pattern.pattern)
    return list(dict.fromkeys([*names, name] if name else names))


def is_irrefutable(case: Node) -> bool:
    """Does a case match every value?"""
    return case.guard is None and _matches_all(case.pattern)


def _matches_all(pattern: Node) -> bool:
    if isinstance(pattern, ast.MatchAs):
        return pattern.pattern is None or _matches_all(pattern.pattern)
    return isinstance(pattern, ast.MatchOr) and any(map(_matches_all, pattern.patterns))
