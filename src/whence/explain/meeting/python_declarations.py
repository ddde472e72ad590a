"""What does a Python file declare outside of functions, and local to them?

Constants of modules and classes, imports, functions and classes (their heads with decorators).
These statements run when the module is imported.  A later use of such a name meets their changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tree_sitter import Node

from whence.changes.syntax import ParsedSource
from whence.explain.meeting.declarations import (
    DeclarationKind,
    SourceDeclaration,
    byte_range,
    declaration_lines,
    declaration_text,
    function_node,
)
from whence.explain.meeting.lexemes import lexemes, uses

_IMPORTS = {"import_statement", "import_from_statement", "future_import_statement"}
_NAMED = {"identifier", "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern"}
_ASSIGNING = {"assignment", "augmented_assignment", "for_statement", "for_in_clause"}


def read_python(source: ParsedSource) -> Iterator[SourceDeclaration]:
    """Yield the declarations of a file outside of functions."""
    todo: list[tuple[Node, str]] = [(source.root, "")]
    while todo:
        node, owner = todo.pop()
        kind = node.type
        if kind in ("function_definition", "class_definition"):
            yield _head(node, owner)
            owner = declaration_text(node.child_by_field_name("name")).decode("utf-8", "replace")
        if kind in ("assignment", "augmented_assignment"):
            yield from _constants(node, owner)
        elif kind in _IMPORTS:
            yield from _imports(node)
        elif kind != "function_definition":
            todo += ((child, owner) for child in reversed(node.named_children))


def read_python_locals(
    source: ParsedSource, function: SourceDeclaration
) -> Iterator[SourceDeclaration]:
    """Yield the parameters of a function, and the local variables that it assigns.

    An assignment is executable, so the declaration of a local variable has no lines.
    """
    definition = function_node(source, function)
    name, parameters = function.name, definition.child_by_field_name("parameters")
    for parameter in parameters.named_children if parameters else ():
        yield from _named(parameter, name, parameter, is_local=True)
    not_local: set[bytes | None] = set()
    assigned: list[Node] = []
    todo = definition.named_children
    while todo:
        node = todo.pop()
        left = node.child_by_field_name("left") if node.type in _ASSIGNING else None
        if node.type in ("global_statement", "nonlocal_statement"):
            not_local |= {target.text for target in _identifiers(node)}
        elif left is not None and left.type in _NAMED:
            assigned += _identifiers(left)
        todo += node.named_children
    for target in assigned:
        if target.text not in not_local:
            yield from _named(target, name, is_local=True)


def _named(
    holder: Node, owner: str, *nodes: Node, is_local: bool = False
) -> Iterator[SourceDeclaration]:
    """Yield a declaration of the first name in `holder`; `nodes` are its text."""
    yield from _all_named([holder], owner, *nodes, is_local=is_local)


def _all_named(
    holders: Iterable[Node], owner: str, *nodes: Node, is_local: bool = False
) -> Iterator[SourceDeclaration]:
    """Yield a declaration of the first name in each holder; `nodes` are the text of all of them.

    An import can have hundreds of names, so its text is read once.
    """
    text = declaration_text(*nodes)
    lines, shape, used = declaration_lines(*nodes), lexemes("python", text), uses("python", text)
    for holder in holders:
        name = next(_identifiers(holder), None)
        if name is not None:
            word = declaration_text(name).decode("utf-8", "replace")
            yield SourceDeclaration(
                DeclarationKind.VARIABLE,
                word,
                owner,
                lines,
                shape,
                used - {use for use in used if use.name == word},
                is_local=is_local,
            )


def _identifiers(node: Node) -> Iterator[Node]:
    todo = [node]
    while todo:
        node = todo.pop()
        if node.type == "identifier":
            yield node
        todo += reversed(node.named_children)


def _head(node: Node, owner: str) -> SourceDeclaration:
    """Return the declaration of a function or class: its decorators and its head.

    The fields that a class only annotates belong to it: what a decorator or a base class generates
    comes from them, and they are no statements that run.
    """
    around = node.parent
    decorators = (
        [child for child in around.children if child.type == "decorator"]
        if around is not None and around.type == "decorated_definition"
        else []
    )
    body = node.child_by_field_name("body")
    head = [*decorators, *(c for c in node.children if c != body and c.type != "comment")]
    is_class = node.type == "class_definition"
    if is_class and (decorators or node.child_by_field_name("superclasses") is not None):
        head += _annotated_fields(body)
    return SourceDeclaration(
        DeclarationKind.TYPE if is_class else DeclarationKind.FUNCTION,
        declaration_text(node.child_by_field_name("name")).decode("utf-8", "replace"),
        owner,
        declaration_lines(*head),
        lexemes("python", declaration_text(*head)),
        uses("python", declaration_text(*head)) if is_class else frozenset(),
        body=None if is_class else byte_range(node),
    )


def _annotated_fields(body: Node | None) -> Iterator[Node]:
    """Yield the fields in the body of a class that have a type and no value."""
    for statement in body.named_children if body is not None else ():
        field = next(iter(statement.named_children), None)
        if field is None or field.type != "assignment":
            continue
        if field.child_by_field_name("right") is None:
            yield statement


def _constants(node: Node, owner: str) -> Iterator[SourceDeclaration]:
    left = node.child_by_field_name("left")
    if left is not None and left.type in _NAMED:
        yield from _all_named(_identifiers(left), owner, node)


def _imports(node: Node) -> Iterator[SourceDeclaration]:
    names = node.children_by_field_name("name")
    yield from _all_named((n.child_by_field_name("alias") or n for n in names), "", node)
