"""What does a test see whose literals were changed?

The expected values of a test are right for its own literals alone.  So a copy of the test module is
run in which an assertion notes what it sees instead: for `assert f(x) == 3` the value of `f(x)`.  A
test that is made from a run expects what this run saw.

    assert total("1,2") == 3     becomes     _whence_seen(3, total("1,2"))

where the first argument is the line.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

from whence.source_lines import lines_with_ends
from whence.trace.python.literals import OBSERVER

HELPER = OBSERVER  # the module, and the function in it
OWN_SYS = "_whence_sys"  # the name of the module `sys` in a copy of a test module
_HELPER_SOURCE = """\
def _whence_seen(line, *values):
    with open({path!r}, "a", encoding="utf-8", errors="backslashreplace") as file:
        file.write(f"{{line}} {{', '.join(map(ascii, values))}}\\n")
"""
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_EQUALITIES = {"assertEqual": 2, "assertEquals": 2, "assertListEqual": 2, "assertDictEqual": 2,
               "assertTupleEqual": 2, "assertTrue": 1, "assertFalse": 1, "assertIsNone": 1,
               "assertNotEqual": 2, "assertIn": 2, "assertAlmostEqual": 2}  # fmt: skip


def helper_module(path: str) -> bytes:
    """Return the source of the module that writes down what assertions see."""
    return _HELPER_SOURCE.format(path=path).encode()


def seen_lines(text: str) -> list[tuple[int, str]]:
    """Return what assertions saw, each with its line."""
    found = []
    for line in text.splitlines():
        number, _, value = line.partition(" ")
        found.append((int(number), _ADDRESS.sub("", value)))
    return found


@dataclass(frozen=True)
class Check:
    """An assertion: its statement, what it looks at, and what it expects of that."""

    statement: ast.stmt
    seen: tuple[ast.expr, ...]
    expected: ast.expr | None  # None: it is no comparison with a value


def checks_of(tree: ast.AST) -> list[Check]:
    """Return the assertions of a module, in the order of its source."""
    found = [_check(node) for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    return sorted((one for one in found if one is not None), key=lambda one: one.statement.lineno)


def _check(node: ast.stmt) -> Check | None:
    if isinstance(node, ast.Assert):
        return _of_test(node, node.test)
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return None
    call = node.value
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if name not in _EQUALITIES or len(call.args) < _EQUALITIES[name]:
        return None
    if _EQUALITIES[name] == 1:
        return Check(node, (call.args[0],), None)
    return _of_sides(node, call.args[0], call.args[1], name.endswith("Equal"))


def _of_test(node: ast.stmt, test: ast.expr) -> Check:
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        is_equality = isinstance(test.ops[0], ast.Eq | ast.Is)
        return _of_sides(node, test.left, test.comparators[0], is_equality)
    return Check(node, (test,), None)


def _of_sides(node: ast.stmt, left: ast.expr, right: ast.expr, is_equality: bool) -> Check:
    sides = [one for one in (left, right) if not _is_constant(one)]
    constant = [one for one in (left, right) if _is_constant(one)]
    is_plain = is_equality and len(constant) == 1
    return Check(node, tuple(sides), constant[0] if is_plain else None)


def _is_constant(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return False
    return True


class SourceEdits:
    """Edits of a source, by the places of nodes in it."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self._starts = [0]
        for line in lines_with_ends(source):
            self._starts.append(self._starts[-1] + len(line))
        self._edits: list[tuple[int, int, bytes]] = []

    def place(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return where a node begins and ends, in bytes."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._starts[node.lineno - 1] + node.col_offset
        return start, self._starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.expr | ast.stmt) -> bytes:
        start, stop = self.place(node)
        return self.source[start:stop]

    def replace(self, start: int, stop: int, text: bytes) -> None:
        self._edits.append((start, stop, text))

    def result(self) -> bytes:
        found = self.source
        for start, stop, text in sorted(self._edits, reverse=True):
            found = found[:start] + text + found[stop:]
        return found


def observing(source: bytes, folder: str) -> bytes:
    """Return the source of a test module whose assertions note what they see.

    `folder` has the helper module; it lies outside the tree, so that it is not recorded.
    """
    tree, edits = ast.parse(source), SourceEdits(source)
    checks = checks_of(tree)
    if not checks:
        return source
    for one in checks:
        seen = b", ".join(b"(%b)" % edits.text(part) for part in one.seen)
        start, stop = edits.place(one.statement)
        # A line break inside the statement stays inside of the brackets.
        edits.replace(start, stop, b"%b(%d, %b)" % (HELPER.encode(), one.statement.lineno, seen))
    first = next((one for one in tree.body if not _comes_first(one)), tree.body[0])
    start, _ = edits.place(first)
    is_simple = not hasattr(first, "body") and not any(one.statement is first for one in checks)
    end = b"; " if is_simple else b"\n"
    importing = (
        f"import sys as {OWN_SYS}; {OWN_SYS}.path.insert(0, {folder!r}); "
        f"from {HELPER} import {HELPER}"
    )
    edits.replace(start, start, importing.encode() + end)
    return edits.result()


def _comes_first(node: ast.stmt) -> bool:
    """Must a statement stay at the beginning of its module?"""
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_docstring or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


def with_expectations(source: bytes, seen: Mapping[int, str]) -> bytes:
    """Return the source of a test module that expects what was seen, by the line of assertions."""
    tree, edits = ast.parse(source), SourceEdits(source)
    for one in checks_of(tree):
        value = seen.get(one.statement.lineno)
        if value is None:
            continue
        if one.expected is not None:
            edits.replace(*edits.place(one.expected), value.encode())
        elif len(one.seen) == 1 and value in ("True", "False") and value != "True":
            text = edits.text(one.seen[0])
            edits.replace(*edits.place(one.statement), b"assert not (%b)" % text)
    return edits.result()
