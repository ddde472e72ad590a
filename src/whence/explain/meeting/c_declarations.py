"""What does a C or C++ file declare outside of executable statements?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile

from tree_sitter import Node

from whence.changes.syntax import ParsedSource, declared
from whence.explain.meeting.declarations import (
    DeclarationKind,
    SourceDeclaration,
    byte_range,
    declaration_lines,
    declaration_text,
    function_node,
)
from whence.explain.meeting.lexemes import lexemes, uses

_TYPES = {"struct_specifier", "union_specifier", "class_specifier", "enum_specifier"}
_DECLARATIONS = {"declaration", "field_declaration", "parameter_declaration"} | {
    "optional_parameter_declaration"
}
# Nodes that can hold global declarations or members.
_AROUND = {
    *("translation_unit", "linkage_specification", "declaration_list", "namespace_definition"),
    *("template_declaration", "ERROR", "field_declaration_list"),
    *("preproc_if", "preproc_ifdef", "preproc_elif", "preproc_elifdef", "preproc_else"),
}
_DECLARED = "[(declaration) (parameter_declaration)] @d"
_MACROS = "[(preproc_def) (preproc_function_def)] @m"


def read_c(source: ParsedSource) -> Iterator[SourceDeclaration]:
    """Yield the macros of a file and its declarations outside of functions."""
    for node in source.captures(_MACROS, 1, source.last_line).get("m", ()):
        yield from _macro(node)
    yield from _inside(source.root, "")


def read_c_locals(source: ParsedSource, function: SourceDeclaration) -> Iterator[SourceDeclaration]:
    """Yield the local declarations of a function and its parameters."""
    lines = declaration_lines(function_node(source, function))[0]
    for node in source.captures(_DECLARED, lines.start, lines.stop - 1).get("d", ()):
        for declaration in _declaration(node, function.name, is_local=True):
            yield replace(declaration, scope=_scope(node))


def _scope(node: Node) -> range:
    """Return the lines of the statement or function around a local declaration."""
    around: Node | None = node.parent
    while around is not None and not around.type.endswith(("_statement", "_definition")):
        around = around.parent
    return declaration_lines(around or node)[0]


def _inside(around: Node, owner: str) -> Iterator[SourceDeclaration]:
    """Yield the declarations in a file, namespace or type body."""
    todo = list(reversed(around.named_children))
    while todo:  # no recursion: a chain of `#elif` nests as deep as it is long
        node = todo.pop()
        if node.type in _DECLARATIONS:
            yield from _declaration(node, owner)
        elif node.type == "function_definition":
            yield from _function(node, owner)
        elif node.type == "type_definition":
            yield from _typedef(node)
        elif node.type == "alias_declaration":
            yield from _declaration_of(
                DeclarationKind.TYPE,
                node.child_by_field_name("name"),
                "",
                [node],
                uses_=declaration_text(node),
            )
        elif node.type in _TYPES:
            yield from _type(node, None)
        elif node.type in _AROUND:
            todo += reversed(node.named_children)


def _declaration_of(
    sort: DeclarationKind,
    name: Node | None,
    owner: str,
    nodes: list[Node],
    *,
    text: bytes | None = None,  # of the shape, if that is not the text of all nodes
    uses_: bytes = b"",
    types: bytes = b"",
    is_shared: bool = False,
    is_layout: bool = False,
    is_local: bool = False,
    function: Node | None = None,
) -> Iterator[SourceDeclaration]:
    """Yield the declaration that consists of `nodes`, if it has a name."""
    if name is None or not name.text:
        return
    word = name.text.decode("utf-8", "replace")
    own = {use for use in uses("c", uses_) | uses("c", types) if use.name == word}
    yield SourceDeclaration(
        sort,
        word,
        owner,
        declaration_lines(*nodes),
        lexemes("c", declaration_text(*nodes) if text is None else text),
        uses("c", uses_) - own,
        uses("c", types) - own,
        is_shared,
        is_layout,
        is_local,
        body=byte_range(function) if function is not None else None,
    )


def _macro(node: Node) -> Iterator[SourceDeclaration]:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("value")
    parameters = {
        use.name for use in uses("c", declaration_text(node.child_by_field_name("parameters")))
    }
    for macro in _declaration_of(
        DeclarationKind.MACRO, name, "", [node], uses_=declaration_text(body)
    ):
        used = frozenset(use for use in macro.uses if use.name not in parameters)
        yield replace(macro, uses=used)


def _declaration(node: Node, owner: str, is_local: bool = False) -> Iterator[SourceDeclaration]:
    """Yield each name of `static const struct s {...} a = 1, *b[2];`, and the type's members."""
    shared, groups = _parts(node)
    for part in shared:
        yield from _type(part, None)
    is_static = any(part.text == b"static" for part in shared)
    is_field = node.type == "field_declaration"
    for group in groups:
        declarator = group[0]
        value = declarator.child_by_field_name("value")
        is_function = _is_function(declarator)
        # Then its initialiser is an executable statement.  Of a constant, compilers read the value.
        runs = is_local and not is_static and not _is_constant(shared, declarator)
        sort = (
            DeclarationKind.FUNCTION
            if is_function
            else DeclarationKind.FIELD
            if is_field
            else DeclarationKind.VARIABLE
        )
        declares = (
            _without_bodies(shared)
            + b" "
            + declaration_text(*_without_child(declarator, value), *group[1:])
        )
        yield from _declaration_of(
            sort,
            declared(declarator),
            owner,
            [*shared, *group],
            text=declares if runs or value is None else None,
            uses_=b"" if runs else declaration_text(value),
            types=declares,
            is_shared=not (owner or is_static),
            is_local=is_local,
        )


def _is_constant(shared: list[Node], declarator: Node) -> bool:
    """Does a declaration give a name a value for good: `const int a = 1`, `char *const b = c`?"""
    if any(part.text == b"constexpr" for part in shared):
        return True
    inner = declarator.child_by_field_name("declarator")
    if inner is not None and inner.type in ("pointer_declarator", "reference_declarator"):
        return any(child.text == b"const" for child in inner.children)
    return any(part.text == b"const" for part in shared)


def _parts(node: Node) -> tuple[list[Node], list[list[Node]]]:
    """Cut a declaration into what all its names share and what belongs to each."""
    first = node.child_by_field_name("declarator")
    children = [child for child in node.children if child.type not in ("comment", ";")]
    shared = list(takewhile(lambda child: child != first, children))
    groups: list[list[Node]] = [[]]
    for child in children[len(shared) :]:
        if child.type == ",":
            groups.append([])
        else:
            groups[-1].append(child)
    return shared, [group for group in groups if group]


def _without_child(node: Node, left_out: Node | None) -> list[Node]:
    """Return the node; if `left_out` is a child of it, its other children."""
    children = node.children if left_out is not None else []
    return [c for c in children if c != left_out] if left_out in children else [node]


def _without_bodies(nodes: list[Node]) -> bytes:
    """Return the text of types without bodies: `struct s` for `struct s {...}`."""
    bodies = [node.child_by_field_name("body") if node.type in _TYPES else None for node in nodes]
    return b" ".join(
        declaration_text(*_without_child(node, body))
        for node, body in zip(nodes, bodies, strict=True)
    )


def _is_function(declarator: Node) -> bool:
    """Does it declare a function, such as `*f(int)`, and not a pointer to one: `(*f)(int)`?"""
    while declarator.type in ("pointer_declarator", "reference_declarator"):
        inner = declarator.child_by_field_name("declarator") or declarator.named_children[-1]
        declarator = inner
    innermost = declarator.child_by_field_name("declarator")
    return (
        declarator.type == "function_declarator"
        and innermost is not None
        and innermost.type.endswith("identifier")
    )


def _function(node: Node, owner: str) -> Iterator[SourceDeclaration]:
    body = node.child_by_field_name("body")
    head = [child for child in node.children if child != body and child.type != "comment"]
    for part in head:
        yield from _type(part, None)
    yield from _declaration_of(
        DeclarationKind.FUNCTION,
        declared(node.child_by_field_name("declarator")),
        owner,
        head,
        types=declaration_text(*head),
        is_shared=not owner and all(part.text != b"static" for part in head),
        function=node,
    )


def _typedef(node: Node) -> Iterator[SourceDeclaration]:
    shared, groups = _parts(node)
    for group in groups:
        name = declared(group[0])
        for part in shared:
            yield from _type(part, name)
        body = any(part.child_by_field_name("body") for part in shared)
        yield from _declaration_of(
            DeclarationKind.TYPE,
            name,
            "",
            [*shared, *group],
            uses_=_without_bodies(shared) + b" " + declaration_text(*group),
            is_layout=body and group[0].type == "type_identifier",
        )


def _type(node: Node, alias: Node | None) -> Iterator[SourceDeclaration]:
    """Yield a struct, union, class or enum that the node defines, and all its members."""
    body = node.child_by_field_name("body") if node.type in _TYPES else None
    if body is None:
        return
    name = node.child_by_field_name("name")
    owner = declaration_text(name or alias).decode("utf-8", "replace")
    if node.type == "enum_specifier":
        yield from _enumerators(body)
        yield from _declaration_of(DeclarationKind.TYPE, name, "", [node], is_layout=True)
    else:
        members = list(_inside(body, owner))
        yield from members
        yield from _declaration_of(
            DeclarationKind.TYPE, name, "", [node], uses_=_held_by_value(body), is_layout=True
        )


def _held_by_value(body: Node) -> bytes:
    """Return the types that the size of a struct depends on: those of its non-pointer fields."""
    fields = [child for child in body.named_children if child.type == "field_declaration"]
    return b" ".join(
        _without_bodies(_parts(field)[0]) for field in fields if b"*" not in declaration_text(field)
    )


def _enumerators(body: Node) -> Iterator[SourceDeclaration]:
    """Yield the constants of an enum.  One without a value depends on those before it."""
    base, count = body, 0
    todo = list(reversed(body.named_children))
    while todo:
        node = todo.pop()
        if node.type in _AROUND:
            todo += reversed(node.named_children)
        if node.type != "enumerator":
            continue
        base, count = (node, 0) if node.child_by_field_name("value") else (base, count + 1)
        value = declaration_text(base.child_by_field_name("value"))
        yield SourceDeclaration(
            DeclarationKind.ENUMERATOR,
            declaration_text(node.child_by_field_name("name")).decode("utf-8", "replace"),
            "",
            (range(base.start_point[0] + 1, node.end_point[0] + 2),),
            (*lexemes("c", value), b"+%d" % count),
            uses("c", value),
        )
