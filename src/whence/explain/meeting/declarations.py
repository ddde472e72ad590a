"""What is a declaration outside of executable statements?

It declares a macro, type, field, enumerator, variable, or function (its head).  Two declarations
with the same shape mean the same to a user of the name, whatever their place and layout.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from tree_sitter import Node

from whence.changes.syntax import ParsedSource
from whence.explain.meeting.lexemes import NameUse


class DeclarationKind(Enum):
    """The kind of thing that a declared name means."""

    MACRO = "macro"
    TYPE = "type"
    FIELD = "field"
    VARIABLE = "variable"
    FUNCTION = "function"
    ENUMERATOR = "enumerator"


@dataclass(frozen=True, slots=True)
class SourceDeclaration:
    """One declaration of one name."""

    sort: DeclarationKind
    name: str
    owner: str  # the type that it is a member of, or the function that it is local to
    lines: tuple[range, ...]
    shape: tuple[bytes, ...]  # its tokens, without layout and comments
    uses: frozenset[NameUse] = frozenset()  # the names that its value or body uses
    types: frozenset[NameUse] = frozenset()  # the names that its type uses
    is_shared: bool = False  # visible in files that do not include this one
    is_layout: bool = False  # a struct, union or enum: only a direct use by value depends on it
    is_local: bool = False  # to the function `owner`
    scope: range | None = None  # the lines that see it; None: the whole file
    # The first byte of a function with a body, and the byte after its last.  No node is kept: it
    # would hold the syntax tree of its file, which takes fifty times the memory of the text.
    body: tuple[int, int] | None = field(default=None, compare=False)

    @property
    def key(self) -> tuple[DeclarationKind, bool, str, str]:
        """The identity of the declared thing: equal for its declarations in both versions."""
        return self.sort, self.is_local, self.owner, self.name


def function_node(source: ParsedSource, function: SourceDeclaration) -> Node:
    """Return the syntax tree of a function with a body."""
    assert function.body is not None
    node = source.root.descendant_for_byte_range(*function.body)
    while node is not None and node.type != "function_definition":
        node = node.parent
    assert node is not None, "the text of a file does not change"
    return node


def byte_range(node: Node) -> tuple[int, int]:
    return node.start_byte, node.end_byte


def declaration_text(*nodes: Node | None) -> bytes:
    return b" ".join(node.text or b"" for node in nodes if node is not None)


def declaration_lines(*nodes: Node | None) -> tuple[range, ...]:
    """Return the line range of each node.  A node that ends at column 0 is not on that line."""
    return tuple(
        range(node.start_point[0] + 1, node.end_point[0] + 1 + (node.end_point[1] > 0))
        for node in nodes
        if node is not None
    )
