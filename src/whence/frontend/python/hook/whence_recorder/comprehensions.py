"""How does a comprehension or a generator expression get its elements?"""

from __future__ import annotations

from .conditions import ConditionRewriter
from .ops import OpBlock, RecordedOp
from .scopes import Scope, ScopeNames
from .storage import value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ops import Node, Use
    from .storage import Rewritten


class ComprehensionRewriter(ConditionRewriter):
    """Rewrites the comprehensions of one function."""

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
        """Rewrite the `for`s and `if`s, and return the head of the innermost loop.

        `after` is the block after all loops; `function` logs the values of the loops.
        """
        head = OpBlock()
        for i, clause in enumerate(whole.generators):
            if i > 0:
                clause.iter, iterable = self.searched(clause.iter)
            exhausted, head = head if i > 0 else after, OpBlock()
            self.begin(head)
            logging = "g" if clause.is_async else function
            value, op = self.next(clause.target, clause.iter, iterable, bool(clause.is_async))
            body = OpBlock()
            self.block.close([body, exhausted])
            self.start(body)
            clause.target = self.assign(clause.target, op, logs=False)
            conditions = [self.calls(logging, op, clause.target, value)]
            for condition in clause.ifs:
                passed = OpBlock()
                conditions.append(self.branch(condition, "comp", passed, head, whole))
                self.start(passed)
            clause.ifs = conditions
        return head

    def next(
        self, target: Node, at: Node, iterable: Use, is_async: bool = False
    ) -> tuple[Node, RecordedOp]:
        """Emit the operation that gives a loop its next value; return it after its value."""
        name = self.module.text(target)
        op = self.emit("next", at, [iterable], name, "async" if is_async else None)
        return value_of(target), op
