"""What does a file declare outside of statements that run?

Macros, types, fields, enumerators, variables, and functions (their heads).  Two declarations of
the same shape mean the same to whoever uses the name, wherever they are and however laid out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from tree_sitter import Node

from whence.explain.meeting.lexemes import Use


class DeclarationKind(Enum):
    """What a declared name stands for."""

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
    shape: tuple[bytes, ...]
    uses: frozenset[Use] = frozenset()  # what its meaning rests on
    types: frozenset[Use] = frozenset()  # what it is declared with
    is_shared: bool = False  # seen from files that do not include this one
    is_layout: bool = False  # a struct, union or enum: matters to those that name it themselves
    is_local: bool = False  # to the function that owns it
    scope: range | None = None  # the lines where it is seen, if not everywhere in its file
    node: Node | None = field(default=None, compare=False)  # of a function with a body

    @property
    def key(self) -> tuple[DeclarationKind, bool, str, str]:
        """What declarations of one thing, on either side, have in common."""
        return self.sort, self.is_local, self.owner, self.name


def declaration_text(*nodes: Node | None) -> bytes:
    return b" ".join(node.text or b"" for node in nodes if node is not None)


def declaration_lines(*nodes: Node | None) -> tuple[range, ...]:
    """Return the lines of nodes; what ends with its line is not on the next."""
    return tuple(
        range(node.start_point[0] + 1, node.end_point[0] + 1 + (node.end_point[1] > 0))
        for node in nodes
        if node is not None
    )
