"""Which expression of the source text is at a place: a condition, a call, a macro?

The compiler gives every operation the place of an operator or of a name; code from a macro has the
place where the macro is used.  The syntax tree of the file leads from that place to the expression
as the programmer wrote it.  A file that cannot be parsed there has no expression.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Node

from whence.changes.syntax import ParsedSource, grammar_of
from whence.program.source import Place, SourceLines

# Nodes that belong to the same operand of a condition as their children.
_THROUGH = frozenset({
    "binary_expression", "unary_expression", "pointer_expression", "call_expression",
    "field_expression", "subscript_expression", "cast_expression", "parenthesized_expression",
    "assignment_expression", "update_expression", "sizeof_expression", "qualified_identifier",
    "template_function", "template_method", "dependent_name",
})  # fmt: skip
_CONSTRUCTS = frozenset({
    "if_statement", "while_statement", "do_statement", "for_statement", "switch_statement",
    "conditional_expression", "condition_clause",
})  # fmt: skip
_NAMES = frozenset({"identifier", "field_identifier", "type_identifier", "namespace_identifier"})
_QUALIFIED = ("qualified_identifier", "template_function", "template_method")
_MAX_TEXT = 160  # limit on the characters of an expression that is shown whole; guessed


@dataclass(frozen=True)
class Operand:
    """An operand of a condition: `b` in `a && (b || c)`, or the whole condition `x < 3`."""

    node: Node
    is_tested: bool  # does the source test its truth?  A macro with a branch inside may not be.

    @property
    def id(self) -> int:
        return self.node.id

    @property
    def text(self) -> str:
        return _text(self.node)


class SourceSyntax:
    """The syntax of the source files of one recording."""

    def __init__(self, lines: SourceLines) -> None:
        self._lines = lines
        self._roots: dict[tuple[str, str], Node | None] = {}

    def _root(self, file: str, *, is_cpp: bool) -> Node | None:
        grammar = "cpp" if is_cpp else grammar_of(file) or "c"
        key = (file, grammar)
        if key not in self._roots:
            lines = self._lines.of(file)
            content = "\n".join(lines).encode("utf-8", "replace")
            self._roots[key] = ParsedSource(grammar, content).root if lines else None
        return self._roots[key]

    def _node(self, place: Place, *, is_cpp: bool) -> Node | None:
        """Return the token at a place."""
        root = self._root(place.file, is_cpp=is_cpp)
        if root is None or not place.line or not place.column:
            return None
        point = (place.line - 1, place.column - 1)
        node = root.descendant_for_point_range(point, point)
        return None if node is None or node.has_error else node

    # --- conditions ---

    def operand(self, place: Place, *, is_cpp: bool) -> Operand | None:
        """Return the operand of a condition whose test is at a place."""
        node = self._node(place, is_cpp=is_cpp)
        if node is None or node.parent is None:
            return None
        while (parent := node.parent) is not None and _is_part(node, parent):
            node = parent
        if parent is None or not (node.is_named or _range_header(node)):
            return None
        node = _without_parentheses(node)
        header = _range_header(node)
        if header is not None:
            return Operand(header, is_tested=True)
        if _is_statement(node):
            return None
        return Operand(node, is_tested=_is_tested(node))

    def combined(self, operand: Operand) -> Operand:
        """Return the chain of && and || that an operand belongs to."""
        node = operand.node
        while (parent := node.parent) is not None and (
            parent.type == "parenthesized_expression" or _logical(parent) in ("&&", "||")
        ):
            node = parent
        return Operand(_without_parentheses(node), is_tested=True)

    def construct(self, place: Place, *, is_cpp: bool) -> Operand | None:
        """Return the condition of the loop or `if` that begins at a place."""
        node = self._node(place, is_cpp=is_cpp)
        while node is not None and node.type not in _CONSTRUCTS:
            parent = node.parent
            if parent is None or parent.start_point != node.start_point:
                return None
            node = parent
        found = node.child_by_field_name("condition") if node is not None else None
        if found is None:
            return None
        if found.type == "condition_clause":
            found = found.child_by_field_name("value") or found
        return Operand(_without_parentheses(found), is_tested=True)

    # --- calls and macros ---

    def called(self, place: Place, *, is_cpp: bool) -> tuple[str, str] | None:
        """Return the call, or the use of a macro, that a place names: (name, whole text)."""
        node = self._node(place, is_cpp=is_cpp)
        if node is None or node.type not in _NAMES:
            return None
        name = _text(node)
        inner = node
        while (parent := inner.parent) is not None:
            if parent.type == "call_expression":
                is_callee = parent.child_by_field_name("function") == inner
                return (name, _text(parent)) if is_callee else (name, name)
            is_member = parent.type == "field_expression" and (
                parent.child_by_field_name("field") == inner
            )
            is_name = parent.type in (
                "qualified_identifier",
                "template_function",
                "template_method",
            )
            if not is_member and not is_name:
                break
            inner = parent
        return name, name


@lru_cache(maxsize=8)
def syntax_of(lines: SourceLines) -> SourceSyntax:
    """Return the syntax of the files of a recording; each file is parsed once."""
    return SourceSyntax(lines)


def settled(operand: Operand, known: Mapping[int, bool]) -> tuple[str, bool]:
    """Return the largest part of the condition around an operand whose truth is known.

    `known` has the truth of the operands that were evaluated, `operand` among them.
    """
    best, truth = operand.node, known[operand.id]
    node = operand.node
    while (parent := node.parent) is not None and (
        _logical(parent) or parent.type == "parenthesized_expression"
    ):
        node = parent
        found = _truth(node, known)
        if found is None:
            break
        best, truth = node, found
    return _text(_without_parentheses(best)), truth


def _truth(node: Node, known: Mapping[int, bool]) -> bool | None:
    """Return the truth of a part of a condition; None if an operand that counts did not run."""
    if node.id in known:
        return known[node.id]
    if node.type == "parenthesized_expression" and node.named_child_count:
        return _truth(node.named_children[-1], known)
    operator = _logical(node)
    if operator == "!":
        inner = node.child_by_field_name("argument")
        found = None if inner is None else _truth(inner, known)
        return None if found is None else not found
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if not operator or left is None or right is None:
        return None
    first = _truth(left, known)
    if first is None or first is (operator in ("||", "or")):
        return first
    return _truth(right, known)


def _logical(node: Node) -> str:
    """Return the operator of a node that combines truths; "" if it is none."""
    if node.type not in ("binary_expression", "unary_expression"):
        return ""
    operator = node.child_by_field_name("operator")
    text = _text(operator) if operator is not None else ""
    return {"and": "&&", "or": "||", "not": "!"}.get(text, text) if text in _LOGICAL else ""


_LOGICAL = frozenset({"&&", "||", "!", "and", "or", "not"})


def _is_part(node: Node, parent: Node) -> bool:
    """Does `parent` belong to the same operand of a condition as `node`?"""
    if parent.type not in _THROUGH or _logical(parent):
        return False
    if parent.type == "assignment_expression":
        return parent.child_by_field_name("right") != node
    return not (parent.type == "call_expression" and node.type == "argument_list")


def _is_tested(node: Node) -> bool:
    """Does the source test the truth of this expression?"""
    parent = node.parent
    while parent is not None and parent.type == "parenthesized_expression":
        node, parent = parent, parent.parent
    if parent is None:
        return False
    if parent.type == "conditional_expression":
        return parent.child_by_field_name("condition") == node
    return bool(_logical(parent)) or parent.type in _CONSTRUCTS


def _is_statement(node: Node) -> bool:
    return node.type.endswith(("_statement", "declaration", "definition", "_list", "_unit"))


def _range_header(node: Node) -> Node | None:
    """Return the header of a range-based `for` if the node is a part of it."""
    parent = node.parent
    if parent is None or parent.type != "for_range_loop" or node.type == "compound_statement":
        return None
    return parent


def _without_parentheses(node: Node) -> Node:
    while node.type == "parenthesized_expression" and node.named_child_count == 1:
        node = node.named_children[0]
    return node


def _text(node: Node) -> str:
    """Return the text of an expression on one line, without its middle if it is long."""
    data = node.text or b""
    if node.type == "for_range_loop":  # only its header, without the parentheses
        right = node.child_by_field_name("right")
        end = right.end_byte - node.start_byte if right is not None else len(data)
        data = data[data.find(b"(") + 1 : end]
    text = data.decode("utf-8", "replace")
    text = re.sub(r"\s*//[^\n]*\n|/\*.*?\*/|\\\n", " ", text, flags=re.DOTALL)
    text = re.sub(r"\s+", " ", text).strip()
    half = _MAX_TEXT // 2
    return text if len(text) <= _MAX_TEXT else f"{text[:half]} … {text[-half:]}"
