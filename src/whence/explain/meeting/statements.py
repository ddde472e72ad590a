"""Which lines are one statement?

A statement that holds others (`if`, `while`, a function) consists of its head and its markers:
braces, `else`, `case` labels.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class SourceStatement:
    """The lines of one statement, as ranges that hold no other statement."""

    head: tuple[range, ...]
    markers: tuple[range, ...]

    @property
    def lines(self) -> tuple[range, ...]:
        return self.head + self.markers


# Nodes whose markers belong to the statement around them, and that hold further statements.
_CONTAINERS = {
    *("compound_statement", "case_statement", "else_clause", "field_declaration_list"),
    *("declaration_list", "block", "finally_clause"),
}
_MORE_STATEMENTS = {
    *("declaration", "field_declaration", "type_definition", "function_definition"),
    *("class_definition", "decorated_definition", "elif_clause", "except_clause", "case_clause"),
    *("class_specifier", "struct_specifier", "union_specifier", "for_range_loop"),
    *("preproc_def", "preproc_function_def", "preproc_include", "preproc_call"),
}
_CONDITIONS = {"preproc_if", "preproc_ifdef", "preproc_elif", "preproc_elifdef", "preproc_else"}
_HEADS = {"for_statement", "for_range_loop", "condition_clause", "init_statement"}


class _StatementBuilder:
    """A statement whose lines are still being collected."""

    def __init__(self) -> None:
        self.ranges: list[range] = []
        self.are_markers: list[bool] = []
        self.is_interrupted = True  # another statement began after the last range

    def add(self, first: int, last: int, is_marker: bool) -> range:
        """Add lines; return those that were not part of the statement before."""
        if self.is_interrupted or is_marker != self.are_markers[-1]:
            self.ranges.append(range(first, first))
            self.are_markers.append(is_marker)
        # Comments and blank lines between two lines of this statement belong to it.
        start, stop = self.ranges[-1].start, self.ranges[-1].stop
        self.ranges[-1] = range(start, max(last + 1, stop))
        self.is_interrupted = False
        return range(stop, last + 1)

    def statement(self) -> SourceStatement:
        both = list(zip(self.ranges, self.are_markers, strict=True))
        return SourceStatement(
            tuple(lines for lines, is_marker in both if not is_marker),
            tuple(lines for lines, is_marker in both if is_marker),
        )


class StatementIndex:
    """The statements of one file."""

    def __init__(self, root: Node) -> None:
        self._all: list[_StatementBuilder] = []
        self._at: dict[int, set[int]] = defaultdict(set)
        self._read(root)

    def at(self, line: int) -> list[SourceStatement]:
        """Return the statements whose heads are on a line; none if the line has only markers."""
        return [self._all[number].statement() for number in sorted(self._at.get(line, ()))]

    def _read(self, root: Node) -> None:
        outside = self._new(None)
        todo: list[tuple[Node, str, int, bool]] = [(root, "", outside, False)]
        while todo:  # no recursion: a chain of `else if` nests as deep as it is long
            node, parent, owner, is_marker = todo.pop()
            kind, (first, last) = node.type, _rows(node)
            if kind == "comment":
                continue
            if kind in _CONTAINERS:
                is_marker = True
            elif _is_statement(kind, parent):
                owner, is_marker = self._new(owner), False
            children = node.children if first != last or kind in _CONTAINERS else []
            if kind in _CONDITIONS:
                children = [child for child in children if child.start_point[0] + 1 > first]
            elif not children and owner != outside:
                self._add(owner, first, last, is_marker)
            todo += ((child, kind, owner, is_marker) for child in reversed(children))

    def _new(self, owner: int | None) -> int:
        if owner is not None:
            self._all[owner].is_interrupted = True
        self._all.append(_StatementBuilder())
        return len(self._all) - 1

    def _add(self, owner: int, first: int, last: int, is_marker: bool) -> None:
        for line in self._all[owner].add(first, last, is_marker):
            if not is_marker:
                self._at[line].add(owner)


def _is_statement(kind: str, parent: str) -> bool:
    if kind == "declaration" and parent in _HEADS:
        return False
    return kind.endswith("_statement") or kind in _MORE_STATEMENTS


def _rows(node: Node) -> tuple[int, int]:
    """Return the first and last line of a node.

    A node that ends at column 0 of a line does not reach that line.
    """
    (first, _), (last, column) = node.start_point, node.end_point
    return first + 1, max(first, last - (column == 0)) + 1
