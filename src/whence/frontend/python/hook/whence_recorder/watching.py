"""How is a function rewritten so that it reports its calls?

    def f(a, b=1):                      def f(a, b=default(0, 1, 1)):
        ...                                 try:
        return x             becomes            enter(0, a, b)
                                                ...
                                                return result(x)
                                            except: raised(); raise
                                            finally: leave()

Raising the exception again adds nothing to a traceback.  Lambdas and comprehensions are a part of
the function around them.
"""

from __future__ import annotations

import _ast as ast

from .bodies import handler, opening_length
from .ops import MARK
from .recorder_calls import DOOR, TABLE, Calls, constant, place, read, statement
from .scopes import FUNCTIONS, children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .ops import Node

WRITERS = frozenset({"write", "writelines"})  # methods whose arguments are output


class WatchedModule:
    """Rewrites `tree` in place so that its functions report their calls."""

    def __init__(
        self, tree: Node, _source: bytes, *, is_script: bool = False, is_alterable: bool = False
    ) -> None:
        assert not is_alterable
        self._calls = Calls(is_script)
        self._functions: list[dict[str, Any]] = []
        for node in tree.body:
            self._visit(node, "", is_suspended=False)
        if is_script:
            start = opening_length(tree.body, "module")
            at = tree.body[start] if start < len(tree.body) else place_at_start()
            tree.body.insert(start, _recorder_call(at))

    @property
    def n_ops(self) -> int:
        return len(self._functions)

    def description(self, name: str, file: str) -> dict[str, Any]:
        """Return what is known about the module without running it."""
        return {"file": file, "name": name, "functions": self._functions}

    def _visit(self, node: Node, prefix: str, *, is_suspended: bool) -> None:
        """Rewrite a node and all below it."""
        if isinstance(node, FUNCTIONS):
            self._function(node, prefix)
            return
        if isinstance(node, ast.ClassDef):
            prefix = f"{prefix}{node.name}."
        for child in children(node):
            self._visit(child, prefix, is_suspended=is_suspended)
        if isinstance(node, ast.Return) and node.value is not None:
            node.value = self._calls.bare("result", node.value, node.value)
        elif isinstance(node, ast.Yield) and is_suspended:
            value = node.value or constant(None, node)
            node.value = self._calls.bare("yielded", value, value)
        elif isinstance(node, ast.YieldFrom) and is_suspended:
            node.value = self._calls.bare("delegated", node.value, node.value)
        elif isinstance(node, ast.Call) and _may_write(node.func):
            node.func = self._calls.bare("writer", node.func, node.func)

    def _function(self, node: Node, prefix: str) -> None:
        number = len(self._functions)
        name = prefix + node.name
        params = _parameters(node.args)
        for outer in (*node.decorator_list, *_expressions(node.args), node.returns):
            if outer is not None:
                self._visit(outer, prefix, is_suspended=False)
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        self._functions.append(
            {
                "name": name, "line": first, "params": params, "required": _required(node.args),
                "coroutine": isinstance(node, ast.AsyncFunctionDef),
            }
        )  # fmt: skip
        self._note_defaults(node.args, number, params)
        for child in node.body:
            self._visit(child, f"{name}.<locals>.", is_suspended=True)
        opening = opening_length(node.body, "function")
        unchanged, rest = node.body[:opening], node.body[opening:]
        at = (rest or unchanged)[0]
        values = [read(param, at) for param in params]
        entering = self._calls.bare("enter", at, constant(f"{MARK}{number}", at), *values)
        node.body = [*unchanged, self._guarded([statement(entering), *rest], at)]

    def _guarded(self, body: list[Node], at: Node) -> Node:
        raising = place(ast.Raise(exc=None, cause=None), at)
        return place(
            ast.Try(
                body=body,
                handlers=[handler([self._ignoring("raised", at), raising], at)],
                orelse=[],
                finalbody=[self._ignoring("leave", at)],
            ),
            at,
        )

    def _ignoring(self, function: str, at: Node) -> Node:
        """Return a call of the watcher; at the recursion limit it fails, which is ignored."""
        called = statement(self._calls.bare(function, at))
        passing = handler([place(ast.Pass(), at)], at)
        return place(ast.Try(body=[called], handlers=[passing], orelse=[], finalbody=[]), at)

    def _note_defaults(self, arguments: Node, number: int, params: list[str]) -> None:
        """Make the definition note the default value of each parameter."""
        positional = [*arguments.posonlyargs, *arguments.args]
        start = len(positional) - len(arguments.defaults)
        names = [argument.arg for argument in positional[start:]]
        arguments.defaults = [
            self._noted(default, number, params.index(name))
            for name, default in zip(names, arguments.defaults, strict=True)
        ]
        arguments.kw_defaults = [
            None if default is None else self._noted(default, number, params.index(each.arg))
            for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        ]

    def _noted(self, default: Node, number: int, index: int) -> Node:
        mark = constant(f"{MARK}{number}", default)
        return self._calls.bare("default", default, mark, constant(index, default), default)


def _parameters(arguments: Node) -> list[str]:
    found = [*arguments.posonlyargs, *arguments.args]
    found += [arguments.vararg] if arguments.vararg else []
    found += arguments.kwonlyargs
    found += [arguments.kwarg] if arguments.kwarg else []
    return [argument.arg for argument in found]


def _required(arguments: Node) -> list[str]:
    """Return the parameters that each call must give."""
    positional = [*arguments.posonlyargs, *arguments.args]
    found = positional[: len(positional) - len(arguments.defaults)]
    keyword = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    found += [each for each, default in keyword if default is None]
    return [argument.arg for argument in found]


def _expressions(arguments: Node) -> list[Node]:
    return [*arguments.defaults, *(each for each in arguments.kw_defaults if each is not None)]


def _may_write(function: Node) -> bool:
    if isinstance(function, ast.Name):
        return function.id == "print"
    return isinstance(function, ast.Attribute) and function.attr in WRITERS


def place_at_start() -> Node:
    """Return a node that lies at the start of an empty file."""
    return ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)


def _recorder_call(at: Node) -> Node:
    """Return the statement with which a script calls the recorder at its start."""
    door = place(ast.Call(func=read("__import__", at), args=[constant(DOOR, at)], keywords=[]), at)
    return statement(place(ast.Call(func=door, args=[constant(TABLE, at)], keywords=[]), at))
