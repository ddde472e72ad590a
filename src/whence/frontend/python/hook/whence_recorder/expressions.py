"""What does evaluating an expression do, operation by operation?

Each method gives the rewritten expression and what a later operation uses for its value.
Nodes are changed in place.  What is evaluated, how often and in which order stays as it was:

1. The truth of a value is asked for by the program's own code and once, never by the recorder:
   a test `x` becomes `b(k, not x)`, and the recorder gets a plain bool.
2. The operands of `and` and `or` are wrapped, but no inner `and` or `or` as a whole: Python asks
   for the truth of each operand once, however they are nested.
3. A method is looked up and called by one operation, as `o.m` alone may make another object.
"""

from __future__ import annotations

import _ast as ast
import sys

from .ops import OpBlock, OpFlow, RecordedOp
from .recorder_calls import constant, place, read
from .scopes import Scope, ScopeNames

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from .ops import Constants, Node, RecordedFunction, Use
    from .recorder_calls import Calls

    Rewritten = tuple[Node, Use]

    class Surroundings(Protocol):
        """The module, which lowers what has a body of its own; its function's number is given."""

        calls: Calls
        constants: Constants

        def text(self, node: Node, /) -> str: ...
        def lower_function(self, node: Node, around: Expressions, /) -> int: ...
        def lower_lambda(self, node: Node, around: Expressions, /) -> int: ...
        def lower_class(self, node: Node, around: Expressions, /) -> int: ...
        def lower_genexpr(self, node: Node, around: Expressions, /) -> int: ...


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
MANY = 64
DISPLAYS = {ast.List: "list", ast.Tuple: "tuple", ast.Set: "set"}
OF_3_11 = sys.version_info[:2] == (3, 11)
NOTHING = object()  # no constant


class Expressions(OpFlow):
    """Lowers and rewrites the expressions of one function."""

    def __init__(self, module: Surroundings, function: RecordedFunction, scope: Scope) -> None:
        super().__init__(function)
        self.module, self.scope = module, scope
        self.calls = module.calls
        self.constant_use = module.constants.use

    def expression(self, node: Node) -> Rewritten:
        value = constant_value(node)
        if value is not NOTHING:
            return node, self.constant_use(value)
        lower = getattr(self, "_" + type(node).__name__.lower())
        rewritten: Rewritten = lower(node)
        return rewritten

    def logged(self, node: Node, op: RecordedOp) -> Rewritten:
        return self.calls("w", op, node, node), op

    # --- names, attributes, items ---

    def load(self, name: str, at: Node) -> RecordedOp:
        found, owner = self.scope.find(name)
        return self.emit("load", at, [], found, owner)

    def store(self, name: str, at: Node, value: Use, scope: Scope | None = None) -> None:
        found, owner = (scope or self.scope).find(name)
        self.emit("store", at, [value], found, owner)

    def _name(self, node: Node) -> Rewritten:
        return node, self.load(node.id, node)

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
        """What stands in brackets.  Slices cannot be wrapped, nor can tuples of slices."""
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

    def searched(self, node: Node) -> Rewritten:
        """A display of constants stays bare where Python makes a constant of it."""
        if isinstance(node, (ast.List, ast.Set)) and all_constant(node.elts):
            return node, self._constants(node, node.elts)
        return self.expression(node)

    # --- truth ---

    def condition(self, node: Node) -> Rewritten:
        """An expression of which only the truth is asked for, once."""
        if isinstance(node, ast.BoolOp):
            return self._choice(node, wanted="truth")
        if is_negation(node):
            return self._negation(node)
        rewritten, use = self.expression(node)
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            # Python jumps out of the chain without asking a second time.
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
        asked, inner = self._asked_at(at), getattr(value, "logs", None)
        if inner is not None and is_bool(inner[1]):
            return self.calls("c", op, at, inner[0], inner[1])
        negated = place(ast.UnaryOp(op=ast.Not(), operand=value), asked)
        return self.calls("b", op, at, negated)

    def branch(
        self, node: Node, kind: str, yes: OpBlock | None, no: OpBlock | None, within: Node
    ) -> Node:
        """A test and its branch; `within` is the statement or expression that asks."""
        around, self._testing = self._testing, within
        rewritten, use = self.condition(node)
        op = self.emit("branch", node, [use], kind)
        self.block.close([yes, no])
        test = self.truth(op, node, rewritten)
        if OF_3_11 and kind == "assert" and isinstance(self._testing, ast.Compare):
            # What an assertion raises is then raised at this comparison.
            true = constant(True, node)
            compared = ast.Compare(left=test, ops=[ast.Is()], comparators=[true])
            test = place(compared, self._testing)
        self._testing = around
        return test

    def _asked_at(self, node: Node) -> Node:
        """Where Python asks for the truth of a value, as a traceback shows it.

        Python 3.11 names all that is tested, but for the last comparison on the way.
        """
        while isinstance(node, ast.BoolOp) or is_negation(node):
            node = node.operand if is_negation(node) else node.last_operand
        if not OF_3_11:
            return node
        if isinstance(node, ast.Compare):
            self._testing = node
        return self._testing

    _testing: Node = None

    def _boolop(self, node: Node) -> Rewritten:
        return self._choice(node, wanted="value")

    def _choice(self, node: Node, wanted: str) -> Rewritten:
        join = OpBlock()
        results: list[Use] = []
        node.last_operand = last_operand(node)  # as it was, before it is rewritten
        self._operands(node, join, join, None, wanted, results, join)
        self.begin(join)
        phi = self.emit("phi", node, results)
        return self.logged(node, phi) if wanted == "value" else (node, phi)

    def _operands(
        self, node: Node, yes: OpBlock, no: OpBlock, name: str | None, wanted: str,
        results: list[Use], join: OpBlock,
    ) -> None:  # fmt: skip
        """Lower operands whose truth leads to `yes` or `no`.

        `name` is the operator that asks for the truth of the last one, None if none does.
        """
        is_and = isinstance(node.op, ast.And)
        mine = "and" if is_and else "or"
        for i, operand in enumerate(node.values):
            last = i == len(node.values) - 1
            following = OpBlock()
            asks = name if last else mine
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
        node.body, one = self.expression(node.body)
        self.go(join)
        self.start(no)
        node.orelse, other = self.expression(node.orelse)
        self.begin(join)
        return self.logged(node, self.emit("phi", node, [one, other]))

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

    def _constants(self, node: Node, parts: list[Node]) -> RecordedOp:
        """A display of constants only."""
        uses: list[Use] = [self.constant_use(constant_value(part)) for part in parts]
        name = DISPLAYS.get(type(node), "dict")
        return self.emit(name, node, uses if len(uses) <= MANY else [])

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

    # --- what suspends ---

    def resumed(self, node: Node) -> Rewritten:
        op = self.emit("resume", node)
        return self.calls("r", op, node, node), op

    def _yield(self, node: Node) -> Rewritten:
        value: Node = constant(None, node)
        use: Use = self.constant_use(None)
        if node.value is not None:
            value, use = self.expression(node.value)
        node.value = self.calls("w", self.emit("yield", node, [use]), value, value)
        return self.resumed(node)

    def awaited(self, node: Node, name: str) -> Node:
        """Something to wait for, evaluated."""
        value, use = self.expression(node)
        return self.calls("w", self.emit("await", node, [use], name), value, value)

    def _yieldfrom(self, node: Node) -> Rewritten:
        node.value = self.awaited(node.value, "yield from")
        return self.resumed(node)

    def _await(self, node: Node) -> Rewritten:
        node.value = self.awaited(node.value, "await")
        return self.resumed(node)

    # --- functions and comprehensions ---

    def _lambda(self, node: Node) -> Rewritten:
        uses = self.defaults(node.args)
        number = self.module.lower_lambda(node, self)
        return self.logged(node, self.emit("lambda", node, uses, None, number))

    def defaults(self, args: ast.arguments) -> list[Use]:
        uses: list[Use] = []
        for values in (args.defaults, args.kw_defaults):
            for i, value in enumerate(values):
                if value is not None:
                    values[i], use = self.expression(value)
                    uses.append(use)
        return uses

    def _generatorexp(self, node: Node) -> Rewritten:
        first = node.generators[0]
        first.iter, use = self.searched(first.iter)
        number = self.module.lower_genexpr(node, self)
        return self.logged(node, self.emit("genexpr", node, [use], None, number))

    def _comprehension(self, node: Node, name: str, *elements: str) -> Rewritten:
        first = node.generators[0]
        first.iter, use = self.searched(first.iter)
        around = self.scope
        self.scope = Scope("comp", around, around.owner, around.private)
        self.scope.label = name
        self.scope.bind(ScopeNames(clause.target for clause in node.generators))
        after = OpBlock()
        inner = self.clauses(node, use, after, "n")
        uses: list[Use] = []
        for field in elements:
            rewritten, value = self.expression(getattr(node, field))
            setattr(node, field, rewritten)
            uses.append(value)
        self.go(inner)
        self.start(after)
        self.scope = around
        return self.logged(node, self.emit("comp", node, uses, name))

    def _listcomp(self, node: Node) -> Rewritten:
        return self._comprehension(node, "list", "elt")

    def _setcomp(self, node: Node) -> Rewritten:
        return self._comprehension(node, "set", "elt")

    def _dictcomp(self, node: Node) -> Rewritten:
        return self._comprehension(node, "dict", "key", "value")

    def clauses(self, whole: Node, iterable: Use, after: OpBlock | None, function: str) -> OpBlock:
        """Lower the `for`s and `if`s up to the element; the head of the innermost loop."""
        head = OpBlock()
        for i, clause in enumerate(whole.generators):
            if i > 0:
                clause.iter, iterable = self.searched(clause.iter)
            exhausted, head = head if i > 0 else after, OpBlock()
            self.begin(head)
            by = "g" if clause.is_async else function
            value, op = self.next(clause.target, clause.iter, iterable, bool(clause.is_async))
            body = OpBlock()
            self.block.close([body, exhausted])
            self.start(body)
            clause.target = self.assign(clause.target, op, logs=False)
            conditions = [self.calls(by, op, clause.target, value)]
            for condition in clause.ifs:
                passed = OpBlock()
                conditions.append(self.branch(condition, "comp", passed, head, whole))
                self.start(passed)
            clause.ifs = conditions
        return head

    def next(
        self, target: Node, at: Node, iterable: Use, is_async: bool = False
    ) -> tuple[Node, RecordedOp]:
        """The operation that gives a loop its next value, and the expression of that value."""
        name = self.module.text(target)
        op = self.emit("next", at, [iterable], name, "async" if is_async else None)
        return value_of(target), op

    # --- targets ---

    def assign(self, target: Node, value: Use, *, logs: bool) -> Node:
        """Store `value`; the rewritten target.

        If something else is evaluated before anything can be logged, it is not (`logs`).
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
            target.value = self.assign(target.value, value, logs=logs)
        else:
            for i, part in enumerate(target.elts):
                index = f"*{i}" if isinstance(part, ast.Starred) else str(i)
                one = self.emit("unpack", part, [value], index)
                last = i == len(target.elts) - 1
                target.elts[i] = self.assign(part, one, logs=logs and last)
        return target

    def _after(self, op: RecordedOp, logs: bool) -> None:
        if logs:
            self.logged_after = op

    logged_after: RecordedOp | None = None  # what the statement has to log once it is done


def last_operand(node: Node) -> Node:
    while isinstance(node, ast.BoolOp):
        node = node.values[-1]
    return node


def is_bool(node: Node) -> bool:
    """Can it be nothing else than True or False?"""
    if isinstance(node, ast.IfExp):  # a comparison chain of which the truth was asked
        return isinstance(node.body, ast.Constant) and node.body.value is True
    always = isinstance(node, ast.Compare) and len(node.ops) == 1
    return is_negation(node) or (
        always and isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn))
    )


def is_negation(node: Node) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def value_of(target: Node) -> Node:
    """An expression for what a target was just given; None where it cannot be told."""
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
    """The value of a constant; a tuple of constants is one, and a number with a sign."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load):
        parts = [constant_value(part) for part in node.elts]
        return NOTHING if NOTHING in parts else tuple(parts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        operand = node.operand
        if isinstance(operand, ast.Constant) and type(operand.value) in (int, float, complex):
            value = operand.value
            return -value if isinstance(node.op, ast.USub) else value  # type: ignore[operator]
    return NOTHING


def all_constant(nodes: list[Node]) -> bool:
    return all(constant_value(node) is not NOTHING for node in nodes)
