"""What does executing a statement do, operation by operation?

Each method gives the statements that stand for one.  What was done is logged by a statement after
it; where a body begins, by its first statement.  The body of every function is

    try: enter(k, parameter, ...); ...; e(return)
    except: x(leave); raise

Re-raising adds nothing to a traceback.
"""

from __future__ import annotations

import _ast as ast

from .expressions import BINARY, Expressions, value_of
from .ops import OpBlock, RecordedOp
from .recorder_calls import constant, end_row, place, read, statement
from .scopes import bound_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ops import Node, Use

    Statements_ = list[Node]

STOP = "\0stop"
LONG_LINE = 10**6  # columns: more than a line has
PLAIN = {"Pass", "Global", "Nonlocal"}


class Final:
    """A `finally` that is around the place: whoever leaves goes through it."""

    def __init__(self) -> None:
        self.block = OpBlock()
        self.exits: list[OpBlock | None] = []


class Loop:
    def __init__(self, head: OpBlock, after: OpBlock, depth: int) -> None:
        self.head, self.after, self.depth = head, after, depth


class BodyRewriter(Expressions):
    """Lowers and rewrites the body of one function, class or module."""

    loops: list[Loop]
    finals: list[Final]

    def statements(self, nodes: list[Node]) -> Statements_:
        return [written for node in nodes for written in self.statement(node)]

    def statement(self, node: Node) -> Statements_:
        kind = type(node).__name__
        if kind in PLAIN:
            return [node]
        lower = getattr(self, "_" + kind.lower() + "_statement")
        written: Statements_ = lower(node)
        return written

    def done(self, op: RecordedOp, at: Node) -> Node:
        return statement(self.calls("e", op, at))

    def note(self, function: str, op: RecordedOp, at: Node, value: Node) -> Node:
        return statement(self.calls(function, op, at, value))

    # --- the frame around a body ---

    def framed(self, nodes: list[Node], params: list[str], at: Node) -> Statements_:
        """The body with its own beginning and end; `at` is its definition."""
        opening = opening_length(nodes, self.function.kind)
        kept, rest = nodes[:opening], nodes[opening:]
        first = (rest or kept or [at])[0]
        self.loops, self.finals = [], []
        entering = self.enter(params, first, at)
        written = [statement(entering), *self.statements(rest)]
        if not self.is_dead:
            last = end_of(nodes[-1] if nodes else at)
            op = self.emit("return", last, [self.constant_use(None)])
            self.block.close([None])
            written.append(self.done(op, last))
        return [*kept, self._guarded(written, first, at)]

    def enter(self, params: list[str], at: Node, definition: Node) -> Node:
        head = first_line(definition)
        for name in params:
            found, owner = self.scope.find(name)
            self.emit("param", head, [], found, owner)
        values = [read(name, at) for name in params]
        op = self.emit("enter", head)
        function = f"enter{len(values)}" if len(values) <= 2 else "enter"
        return self.calls(function, op, at, *values)

    def _guarded(self, body: Statements_, at: Node, definition: Node) -> Node:
        self.start(OpBlock())
        op = self.emit("leave", first_line(definition))
        self.block.close([None])
        # The deepest frame of a recursion without end has no room left for a call.
        leaving = statement(self.calls("x", op, at))
        forgiving = [handler([place(ast.Pass(), at)], at)]
        noting = place(ast.Try(body=[leaving], handlers=forgiving, orelse=[], finalbody=[]), at)
        raising = place(ast.Raise(exc=None, cause=None), at)
        return place(
            ast.Try(body=body, handlers=[handler([noting, raising], at)], orelse=[], finalbody=[]),
            at,
        )

    # --- simple statements ---

    def _expr_statement(self, node: Node) -> Statements_:
        if not isinstance(node.value, ast.Constant):
            node.value, _ = self.expression(node.value)
        return [node]

    def _assign_statement(self, node: Node) -> Statements_:
        node.value, value = self.expression(node.value)
        last = len(node.targets) - 1
        for i, target in enumerate(node.targets):
            node.targets[i] = self.assign(target, value, logs=i == last)
        return [node, *self._rest(node)]

    def _annassign_statement(self, node: Node) -> Statements_:
        if node.value is None:
            return [node]
        node.value, value = self.expression(node.value)
        node.target = self.assign(node.target, value, logs=True)
        return [node, *self._rest(node)]

    def _rest(self, node: Node) -> Statements_:
        op, self.logged_after = self.logged_after, None
        return [self.done(op, node)] if op is not None else []

    def _augassign_statement(self, node: Node) -> Statements_:
        target, name = node.target, BINARY[type(node.op)]
        if isinstance(target, ast.Name):
            old = self.load(target.id, target)
            node.value, value = self.expression(node.value)
            op = self.emit("inplace", node, [old, value], name)
            self.store(target.id, target, op)
            return [node, self.note("w", op, node, read(target.id, target))]
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

    def _delete_statement(self, node: Node) -> Statements_:
        return [part for target in flat(node.targets) for part in self._delete(target, node)]

    def _delete(self, target: Node, at: Node) -> Statements_:
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

    def _import_statement(self, node: Node) -> Statements_:
        written = []
        for alias in node.names:
            bound = bound_by(alias)
            op = self.emit("import", node, [], alias.name)
            self.store(bound, node, op)
            alone = place(ast.Import(names=[alias]), node)
            written += [alone, self.note("w", op, node, read(bound, node))]
        return written

    def _importfrom_statement(self, node: Node) -> Statements_:
        written = [node]
        origin = "." * node.level + (node.module or "")
        for alias in node.names:
            op = self.emit("import_from", node, [], f"{origin}:{alias.name}")
            if alias.name == "*":
                written.append(self.done(op, node))
            else:
                bound = bound_by(alias)
                self.store(bound, node, op)
                written.append(self.note("w", op, node, read(bound, node)))
        return written

    def _typealias_statement(self, node: Node) -> Statements_:
        self.store(node.name.id, node, None)
        return [node]

    # --- leaving ---

    def _return_statement(self, node: Node) -> Statements_:
        if node.value is None:
            op = self.emit("return", node, [self.constant_use(None)])
            written = [self.done(op, node), node]
        else:
            value, use = self.expression(node.value)
            op = self.emit("return", node, [use])
            node.value = self.calls("w", op, value, value)
            written = [node]
        self._leave_to(None, 0)
        return written

    def _raise_statement(self, node: Node) -> Statements_:
        if node.exc is None:
            op = self.emit("reraise", node)
            self.block.close([None])
            return [self.done(op, node), node]
        node.exc, raised = self.expression(node.exc)
        wrapped, uses = "exc", [raised]
        if node.cause is not None:
            node.cause, cause = self.expression(node.cause)
            uses.append(cause)
            # What is evaluated last is wrapped; but a name or a constant logs nothing.
            if not isinstance(node.cause, (ast.Name, ast.Constant)):
                wrapped = "cause"
        op = self.emit("raise", node, uses)
        self.block.close([None])
        inner = getattr(node, wrapped)
        setattr(node, wrapped, self.calls("w", op, inner, inner))
        return [node]

    def _break_statement(self, node: Node) -> Statements_:
        op = self.emit("jump", node, [], "break")
        self._leave_to(self.loops[-1].after, self.loops[-1].depth)
        return [self.done(op, node), node]

    def _continue_statement(self, node: Node) -> Statements_:
        op = self.emit("jump", node, [], "continue")
        self._leave_to(self.loops[-1].head, self.loops[-1].depth)
        return [self.done(op, node), node]

    def _leave_to(self, target: OpBlock | None, depth: int) -> None:
        """Go to `target` by way of each `finally` that is around the place from `depth` on."""
        for final in self.finals[depth:]:
            final.exits.append(target)
            target = final.block
        self.block.close([target])

    def _assert_statement(self, node: Node) -> Statements_:
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

    # --- branches and loops ---

    def _if_statement(self, node: Node) -> Statements_:
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
        """A test that is a constant decides nothing."""
        if isinstance(node.test, ast.Constant):
            self.block.close([yes if node.test.value else no])
            return node.test
        return self.branch(node.test, kind, yes, no, node)

    def _while_statement(self, node: Node) -> Statements_:
        head, body, otherwise, after = OpBlock(), OpBlock(), OpBlock(), OpBlock()
        self.begin(head)
        node.test = self._test_of(node, "while", body, otherwise)
        self.start(body)
        node.body = self._loop(node.body, head, after)
        self.start(otherwise)
        node.orelse = self.statements(node.orelse)
        self.begin(after)
        return [node]

    def _loop(self, body: list[Node], head: OpBlock, after: OpBlock) -> Statements_:
        self.loops.append(Loop(head, after, len(self.finals)))
        written = self.statements(body)
        self.loops.pop()
        self.go(head)
        return written

    def _for_statement(self, node: Node) -> Statements_:
        return self._for(node, "n", is_async=False)

    def _asyncfor_statement(self, node: Node) -> Statements_:
        return self._for(node, "g", is_async=True)

    def _for(self, node: Node, function: str, *, is_async: bool) -> Statements_:
        if is_async:
            node.iter, use = self._awaited(node.iter, "async for")
        else:
            node.iter, use = self.searched(node.iter)
        head, body, otherwise, after = OpBlock(), OpBlock(), OpBlock(), OpBlock()
        self.begin(head)
        value, op = self.next(node.target, node.iter, use, is_async)
        head.close([body, otherwise])
        self.start(body)
        node.target = self.assign(node.target, op, logs=False)
        begun = self.note(function, op, node.target, value)
        node.body = [begun, *self._loop(node.body, head, after)]
        self.start(otherwise)
        stop = constant(STOP, node.target)
        node.orelse = [
            self.note(function, op, node.target, stop),
            *self.statements(node.orelse),
        ]
        self.begin(after)
        return [node]

    def _awaited(self, node: Node, name: str) -> tuple[Node, Use]:
        value, use = self.expression(node)
        op = self.emit("await", node, [use], name)
        return self.calls("w", op, value, value), op

    # --- exceptions and contexts ---

    def _try_statement(self, node: Node) -> Statements_:
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
            if type(node).__name__ == "TryStar":  # the next one may have its part too
                self.block.successors = [*self.block.successors, *handlers[i + 1 :]]

    def _handler(self, clause: Node, tried: RecordedOp) -> None:
        types = self.module.text(clause.type) if clause.type is not None else ""
        op = self.emit("caught", clause.type or clause, [], types, tried)
        if clause.name:
            self.store(clause.name, clause, op)
        body = self.statements(clause.body)
        if clause.name and not self.is_dead:
            found, owner = self.scope.find(clause.name)
            self.emit("delete", clause, [], found, owner)
        clause.body = [statement(self.calls("h", op, clause)), *body]

    def _completed(self, node: Node, final: Final | None, after: OpBlock) -> Statements_:
        """A part of a `try` has run to its end."""
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
        self.start(final.block)
        at = node.finalbody[0]
        op = self.emit("finally", at)
        body = self.statements(node.finalbody)
        if not self.is_dead:
            self.block.close([after, *unique(final.exits)])
        node.finalbody = [statement(self.calls("f", op, at)), *body]

    def _with_statement(self, node: Node) -> Statements_:
        return self._with(node, node.items, is_async=False)

    def _asyncwith_statement(self, node: Node) -> Statements_:
        return self._with(node, node.items, is_async=True)

    def _with(self, node: Node, items: list[Node], *, is_async: bool) -> Statements_:
        """One `with` an item, as Python takes them."""
        item, further = items[0], items[1:]
        mark = "async" if is_async else None
        if is_async:
            item.context_expr, manager = self._awaited(item.context_expr, "async with")
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
        self.start(after)  # reached even if the body is left in other ways: it may be suppressed
        leaving = self.emit("with_exit", at, [manager], None, mark)
        kind = type(node)
        whole = place(kind(items=[item], body=[begun, *body, *ends], type_comment=None), node)
        end = end_of(node)
        return [whole, statement(self.calls("f" if is_async else "e", leaving, end))]

    # --- definitions ---

    def _functiondef_statement(self, node: Node) -> Statements_:
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

    def _classdef_statement(self, node: Node) -> Statements_:
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

    # --- match ---

    def _match_statement(self, node: Node) -> Statements_:
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


def opening_length(nodes: list[Node], kind: str) -> int:
    """How many statements have to stay first: the docstring and the imports from the future."""
    length = 0
    if nodes and isinstance(nodes[0], ast.Expr) and isinstance(nodes[0].value, ast.Constant):
        length = int(isinstance(nodes[0].value.value, str))
    while kind == "module" and length < len(nodes):
        node = nodes[length]
        if not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            break
        length += 1
    return length


def handler(body: Statements_, at: Node) -> Node:
    return place(ast.ExceptHandler(type=None, name=None, body=body), at)


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


def flat(targets: list[Node]) -> list[Node]:
    """The targets of a `del`, brackets removed."""
    return [
        inner
        for target in targets
        for inner in (flat(target.elts) if isinstance(target, (ast.Tuple, ast.List)) else [target])
    ]


def unique(blocks: list[OpBlock | None]) -> list[OpBlock | None]:
    """Each once, and the way out of the function: any exception takes it."""
    kept: list[OpBlock | None] = []
    for block in (*blocks, None):
        if block not in kept:
            kept.append(block)
    return kept


def captured(pattern: Node) -> list[str]:
    names = []
    name = getattr(pattern, "name", None) or getattr(pattern, "rest", None)
    for field in ("patterns", "kwd_patterns"):
        for inner in getattr(pattern, field, []):
            names += captured(inner)
    if getattr(pattern, "pattern", None) is not None:
        names += captured(pattern.pattern)
    return list(dict.fromkeys([*names, name] if name else names))


def is_irrefutable(case: Node) -> bool:
    return case.guard is None and _takes_all(case.pattern)


def _takes_all(pattern: Node) -> bool:
    if isinstance(pattern, ast.MatchAs):
        return pattern.pattern is None or _takes_all(pattern.pattern)
    return isinstance(pattern, ast.MatchOr) and any(map(_takes_all, pattern.patterns))
