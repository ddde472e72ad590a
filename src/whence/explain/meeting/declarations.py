"""What is a declaration outside of executable statements?

It declares a macro, type, field, enumerator, variable, or function (its head).  Two declarations
with the same shape mean the same to a user of the name, whatever their place and layout.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from tree_sitter import Node

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
    node: Node | None = field(default=None, compare=False)  # for a function with a body

    @property
    def key(self) -> tuple[DeclarationKind, bool, str, str]:
        """The identity of the declared thing: equal for its declarations in both versions."""
        return self.sort, self.is_local, self.owner, self.name


def declaration_text(*nodes: Node | None) -> bytes:
    return b" ".join(node.text or b"" for node in nodes if node is not None)


def declaration_lines(*nodes: Node | None) -> tuple[range, ...]:
    """Return the line range of each node.  A node that ends at column 0 is not on that line."""
    return tuple(
        range(node.start_point[0] + 1, node.end_point[0] + 1 + (node.end_point[1] > 0))
        for node in nodes
        if node is not None
    )
