"""Which literals of a test module may change, and how is the module written with others?

A literal is an *input* if it stands in an argument of a call, at any depth of displays and
operators, or is assigned to a name (or looped over by one) that stands in an argument of a call.
All others are expected values or belong to the test's own working: the sides of comparisons,
subscripts, defaults, decorators, docstrings, and the arguments of assertion functions
(`assertEqual`, `approx`, `raises` and the like) and of the modules that tests themselves use
(`sys`, `os`, `pytest`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whence.inputs import InputSource
from whence.paths.python.module_trees import ModuleTree, ModuleTrees
from whence.paths.python.observing import HELPER, OWN_SYS, SourceEdits
from whence.paths.python.sources import literal_contents, literal_text
from whence.trace.python.descriptions import Display
from whence.trace.python.literals import WHOLE
from whence.trace.python.recording import PythonThread

# Functions whose arguments are expected values, or belong to the test's own working.
_CHECKS = re.compile(
    r"assert\w*|approx|raises|warns|skip\w*|fail|mark|parametrize|fixture|print|isinstance|"
    r"issubclass|getattr|setattr|hasattr|is_?close|allclose|import_module|__import__|Path|open|"
    rf"{HELPER}"
)
_OWN = frozenset({"sys", "os", "pytest", "unittest", "importlib", "logging", "warnings", "mock",
                  OWN_SYS})  # fmt: skip
_MAKERS = frozenset({
    "list", "tuple", "set", "dict", "frozenset", "str", "bytes", "int", "float", "sorted",
    "reversed", "range", "enumerate", "zip", "iter",
})  # fmt: skip
_SIGNED: tuple[type, ...] = (int, float)
_PASSED = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.UnaryOp, ast.BinOp, ast.Starred, ast.keyword,
           ast.IfExp)  # fmt: skip


@dataclass(frozen=True)
class Literal:
    """A literal of a test module."""

    source: InputSource
    place: tuple[int, int]  # the operation that uses it, and the number of the use
    file: str  # as users write it
    node: ast.expr
    is_input: bool

    @property
    def kind(self) -> str:
        """The type of its value."""
        return type(ast.literal_eval(self.node)).__name__

    @property
    def contents(self) -> bytes:
        return literal_contents(self.node)


def find_literals(thread: PythonThread) -> list[Literal]:
    """Return the literals of the test modules of a recorded run whose places are known."""
    trees, program = ModuleTrees(thread), thread.program
    found: list[Literal] = []
    claimed: set[ast.expr] = set()
    for (op, at), source in thread.literals.sources.items():
        module = program.functions[program.function_of(op)].module
        tree = trees.of(module)
        if tree is None:
            continue
        value = None if at == WHOLE else program.constant(op, program.uses[op][at] or 0)
        node = _node_of(tree, program.row[op], program.col[op], value, at == WHOLE, claimed)
        if node is not None:
            claimed.add(node)
            file = thread.image.module_files[module]
            found.append(Literal(source, (op, at), file, node, _is_input(tree, node)))
    return found


def _node_of(
    tree: ModuleTree, row: int, col: int, value: Any, is_display: bool, claimed: set[ast.expr]
) -> ast.expr | None:
    """Return the literal that an operation at a place uses.

    Operations stand in the order of evaluation, inner ones first.  So it is the first literal of
    that value which no operation before has claimed.
    """
    if is_display:
        for kind in (ast.List, ast.Set, ast.Dict):
            found = tree.at(row, col, kind)
            if found is not None and found not in claimed:
                return found
        return None
    for around in (ast.stmt, ast.expr):
        outer = tree.at(row, col, around)
        for node in () if outer is None else _units(outer):
            if node not in claimed and _is_same(ast.literal_eval(node), value):
                return node
    return None


def _units(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the literals in a node, in the order of the source; a tuple of literals is one."""
    if isinstance(node, ast.expr) and _is_unit(node):
        yield node
        return
    if isinstance(node, ast.List | ast.Set) and all(map(_is_unit, node.elts)):
        return  # it is one literal, of an operation of its own
    if isinstance(node, ast.Dict):
        parts = [*node.keys, *node.values]
        if all(one is not None and _is_unit(one) for one in parts):
            return
    for child in ast.iter_child_nodes(node):
        yield from _units(child)


def _is_unit(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return node.value is not None and node.value is not ...
    if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load):
        return bool(node.elts) and all(_is_unit(one) for one in node.elts)
    if not isinstance(node, ast.UnaryOp) or not isinstance(node.op, ast.USub | ast.UAdd):
        return False
    operand = node.operand
    return isinstance(operand, ast.Constant) and type(operand.value) in _SIGNED


def _is_same(a: Any, b: Any) -> bool:
    if isinstance(b, Display):
        return isinstance(a, tuple) and len(a) == len(b.items) and all(map(_is_same, a, b.items))
    return type(a) is type(b) and bool(a == b)


# --- inputs and expected values -----------------------------------------------------------------


def _is_input(tree: ModuleTree, node: ast.expr) -> bool:
    inner: ast.AST = node
    for outer in tree.around(node):
        if isinstance(outer, ast.Call):
            if inner is not outer.func and getattr(outer.func, "id", "") in _MAKERS:
                inner = outer
                continue
            is_argument = inner is not outer.func
            return is_argument and not _is_check(outer) and not _is_in_decorator(tree, outer)
        if isinstance(outer, ast.Assign | ast.AnnAssign):
            return inner is outer.value and _are_passed(tree, outer, _targets(outer))
        if isinstance(outer, ast.For | ast.comprehension):
            return inner is outer.iter and _are_passed(tree, outer, _names(outer.target))
        if not isinstance(outer, _PASSED):
            return False
        inner = outer
    return False


def _is_check(call: ast.Call) -> bool:
    name: ast.expr = call.func
    text = name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")
    while isinstance(name, ast.Attribute):
        name = name.value
    return _CHECKS.fullmatch(text) is not None or getattr(name, "id", "") in _OWN


def _is_in_decorator(tree: ModuleTree, node: ast.AST) -> bool:
    inner = node
    for outer in tree.around(node):
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return inner in outer.decorator_list
        inner = outer
    return False


def _targets(node: ast.Assign | ast.AnnAssign) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {name for target in targets for name in _names(target)}


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _are_passed(tree: ModuleTree, node: ast.AST, names: set[str]) -> bool:
    """Does one of the names stand in an argument of a call, in the same function or module?"""
    scope: ast.AST = tree.tree
    for outer in tree.around(node):
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef):
            scope = outer
            break
    for call in ast.walk(scope):
        if isinstance(call, ast.Call) and not _is_check(call):
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            if any(names & _names(one) for one in given):
                return True
    return False


# --- a module with other literals ---------------------------------------------------------------


def rewritten(
    source: bytes, literals: Sequence[Literal], contents: Mapping[InputSource, bytes]
) -> bytes:
    """Return the source of a module with other contents of its literals."""
    edits = SourceEdits(source)
    for literal in literals:
        new = contents.get(literal.source)
        if new is not None and new != literal.contents:
            text = literal_text(new, literal.kind).encode("utf-8")
            edits.replace(*edits.place(literal.node), text)
    return edits.result()
