"""What do the rewritten tree of a module and the description of its operations contain?"""

from __future__ import annotations

import _ast as ast

from .bodies import BodyRewriter
from .ops import Constants, RecordedFunction, RecordedOp, number_ops
from .recorder_calls import DOOR, TABLE, Calls, constant, end_row, place, read, statement
from .scopes import FUNCTIONS, Scope, ScopeNames, children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ops import Node, OpBlock, Use
    from .storage import StorageRewriter

MAX_TEXT = 80  # limit on the characters of an operation's text; guessed
MAX_LINES = 6  # limit on the lines that the text is made of; guessed


class InstrumentedModule:
    """Rewrites `tree` in place so that it logs what it does, and describes its operations."""

    def __init__(
        self, tree: Node, source: bytes, *, is_script: bool = False, is_alterable: bool = False
    ) -> None:
        self.is_alterable = is_alterable
        self.calls = Calls(is_script)
        self.constants = Constants()
        self.functions: list[RecordedFunction] = []
        self._lines = source.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        whole = ast.Pass(
            lineno=1, col_offset=0, end_lineno=max(len(self._lines), 1), end_col_offset=0
        )
        function = self._new("<module>", "module", whole, None)
        scope = Scope("module", None, 0, None)
        body = BodyRewriter(self, function, scope)
        tree.body = body.framed(tree.body, [], whole)
        if is_script:
            tree.body.insert(len(tree.body) - 1, self._recorder_call(tree.body[-1]))
        self.n_ops = number_ops(self.functions)

    def _recorder_call(self, at: Node) -> Node:
        """Return the statement with which a script calls the recorder at its start."""
        door = place(
            ast.Call(func=read("__import__", at), args=[constant(DOOR, at)], keywords=[]), at
        )
        return statement(place(ast.Call(func=door, args=[constant(TABLE, at)], keywords=[]), at))

    def _new(
        self, name: str, kind: str, at: Node, parent: RecordedFunction | None
    ) -> RecordedFunction:
        above = parent.number if parent else None
        function = RecordedFunction(len(self.functions), name, kind, at, above)
        self.functions.append(function)
        return function

    def _nested(self, name: str, kind: str, at: Node, around: StorageRewriter) -> RecordedFunction:
        outer = around.function
        prefix = around.scope.comprehensions()
        if outer.kind == "class":
            prefix = f"{outer.name}.{prefix}"
        elif outer.kind != "module":
            prefix = f"{outer.name}.<locals>.{prefix}"
        declared = name in around.scope.globals
        return self._new(name if declared else prefix + name, kind, at, outer)

    # --- nodes with a body of their own ---

    def lower_function(self, node: Node, around: StorageRewriter) -> int:
        """Rewrite a function definition and return its number."""
        is_async = isinstance(node, ast.AsyncFunctionDef)
        kind = "generator" if yields(node.body) else "coroutine" if is_async else "function"
        function = self._nested(node.name, kind, node, around)
        scope, params = self._scope_of(node.args, node.body, function, around)
        body = BodyRewriter(self, function, scope)
        node.body = body.framed(node.body, params, node)
        return function.number

    def lower_lambda(self, node: Node, around: StorageRewriter) -> int:
        """Rewrite a lambda and return its number."""
        kind = "generator" if yields([node.body]) else "lambda"
        function = self._nested("<lambda>", kind, node, around)
        scope, params = self._scope_of(node.args, [node.body], function, around)
        body = BodyRewriter(self, function, scope)
        body.loops, body.finals = [], []
        entering = body.enter(params, node.body, node)
        value, use = body.expression(node.body)
        op = body.emit("return", node.body, [use])
        body.block.close([None])
        # `enter` returns None
        both = ast.BoolOp(op=ast.Or(), values=[entering, value])
        both.lineno, both.col_offset = value.lineno, value.col_offset
        both.end_lineno, both.end_col_offset = value.end_lineno, value.end_col_offset
        node.body = self.calls("w", op, value, both)
        return function.number

    def _scope_of(
        self,
        args: ast.arguments,
        nodes: list[Node],
        function: RecordedFunction,
        around: StorageRewriter,
    ) -> tuple[Scope, list[str]]:
        arguments = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
        params = [arg.arg for arg in arguments if arg is not None]
        scope = Scope("function", around.scope, function.number, around.scope.private)
        names = ScopeNames(nodes)
        names.bound.update(params)
        scope.bind(names)
        function.params = [scope.mangled(name) for name in params]
        return scope, params

    def lower_class(self, node: Node, around: StorageRewriter) -> int:
        """Rewrite a class body and return its number."""
        function = self._nested(node.name, "class", node, around)
        scope = Scope("class", around.scope, function.number, node.name.lstrip("_") or None)
        scope.bind(ScopeNames(node.body))
        node.body = BodyRewriter(self, function, scope).framed(node.body, [], node)
        return function.number

    def lower_genexpr(self, node: Node, around: StorageRewriter) -> int:
        """Rewrite a generator expression, except its first iterable: that is evaluated outside."""
        function = self._nested("<genexpr>", "genexpr", node, around)
        scope = Scope("genexpr", around.scope, function.number, around.scope.private)
        scope.bind(ScopeNames(clause.target for clause in node.generators))
        body = BodyRewriter(self, function, scope)
        body.loops, body.finals = [], []
        inner = body.clauses(node, None, None, "g")
        element, use = body.expression(node.elt)
        node.elt = self.calls("w", body.emit("yield", element, [use]), element, element)
        body.go(inner)
        return function.number

    # --- the description ---

    def text(self, node: Node) -> str:
        """Return the source of a node on one line, cut at MAX_TEXT characters."""
        first, last = node.lineno - 1, min(end_row(node), node.lineno + MAX_LINES) - 1
        if node.end_lineno is None or not 0 <= first < len(self._lines):
            return ""
        if last == first and node.end_lineno == node.lineno:
            piece = self._lines[first][node.col_offset : node.end_col_offset]
        else:
            piece = b"\n".join(self._lines[first : last + 1])[node.col_offset :]
            if node.end_lineno - 1 == last:
                surplus = len(self._lines[last]) - node.end_col_offset
                piece = piece[: len(piece) - surplus] if surplus > 0 else piece
        return " ".join(piece.decode("utf-8", "replace").split())[:MAX_TEXT]

    def description(self, name: str, file: str) -> dict[str, object]:
        """Return functions, blocks, operations and constants in the form of the trace."""
        functions = []
        blocks: list[object] = []
        ops: list[RecordedOp] = []
        for function in self.functions:
            functions.append(_function(function, len(ops), len(blocks)))
            for block in function.blocks:
                blocks.append([len(ops), len(block.ops), list(map(_block, block.successors))])
                ops += block.ops
            functions[-1]["n_ops"] = len(ops) - int(str(functions[-1]["first_op"]))
        return {
            "file": file,
            "name": name,
            "constants": self.constants.written,
            "functions": functions,
            "blocks": blocks,
            "ops": {
                "opcode": [op.opcode for op in ops],
                "uses": [list(map(_use, op.uses)) for op in ops],
                "row": [op.at.lineno for op in ops],
                "end": [end_row(op.at) for op in ops],
                "col": [op.at.col_offset for op in ops],
                "name": [op.name for op in ops],
                "extra": [
                    _use(op.extra) if isinstance(op.extra, RecordedOp) else op.extra for op in ops
                ],
                "text": [None if op.opcode == "param" else self.text(op.at) for op in ops],
                "logged": [int(op.logged) for op in ops],
            },
        }


def _function(function: RecordedFunction, first_op: int, first_block: int) -> dict[str, object]:
    return {
        "name": function.name, "kind": function.kind, "row": function.row, "last": function.last,
        "params": function.params, "first_op": first_op, "n_ops": 0,
        "first_block": first_block, "n_blocks": len(function.blocks), "parent": function.parent,
    }  # fmt: skip


def _use(use: Use) -> int | None:
    return use.number if isinstance(use, RecordedOp) else use


def _block(block: OpBlock | None) -> int:
    return -1 if block is None else block.number


def yields(nodes: list[Node]) -> bool:
    """Does a body contain a `yield` of its own function?"""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
            waiting.extend(children(node))
    return False
