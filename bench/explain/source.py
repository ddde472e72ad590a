"""What does a C or C++ file contain now: its nodes, functions, and the names they declare?"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import tree_sitter
import tree_sitter_c
import tree_sitter_cpp
from tree_sitter import Node

_LANGUAGE = tree_sitter.Language(tree_sitter_c.language())
_CXX = tree_sitter.Language(tree_sitter_cpp.language())
_WORD = re.compile(rb"[A-Za-z_]\w*")
_TAGGED = ("struct_specifier", "union_specifier", "enum_specifier")
_IMPURE = {"call_expression", "assignment_expression", "update_expression"}


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace bytes [start, end) of a file by `new`.  A file that does not exist is empty."""

    file: str
    start: int
    end: int
    new: bytes


class Source:
    """One parsed file.  Nodes are in the order of the text."""

    def __init__(self, file: str, text: bytes) -> None:
        self.file, self.text = file, text
        # Kept, because each use of `.children` makes new objects for all children.
        self.of_type: dict[str, list[Node]] = defaultdict(list)
        language = _CXX if file.endswith(".cc") else _LANGUAGE
        self.root = tree_sitter.Parser(language).parse(text).root_node
        for node in walk(self.root):
            self.of_type[node.type].append(node)

    def nodes(self, *types: str) -> list[Node]:
        return [node for each in types for node in self.of_type.get(each, ())]

    @cached_property
    def words(self) -> frozenset[bytes]:
        """Return everything that could be a name, also in macros, strings and comments."""
        return words_of(self.text)

    @cached_property
    def macro_words(self) -> frozenset[bytes]:
        """Return the names in the bodies of macros; we do not know what they mean."""
        bodies = self.nodes("preproc_arg", "string_content")
        return frozenset(word for body in bodies for word in _WORD.findall(text_of(body)))

    @cached_property
    def functions(self) -> list[Function]:
        found = (Function.of(node) for node in self.of_type.get("function_definition", ()))
        return [function for function in found if function is not None]

    @cached_property
    def globals(self) -> frozenset[bytes]:
        """Return what is declared outside functions, apart from fields and tags."""
        outer = [node for node in self.root.named_children if node.type == "declaration"]
        declared = [text_of(name) for node in outer for name in declared_names(node)]
        others = [text_of(child(node, "name")) for node in self.nodes("preproc_def", "enumerator")]
        return frozenset([*declared, *others, *(function.name for function in self.functions)])

    def function_around(self, node: Node) -> Function | None:
        for function in self.functions:
            if function.node.start_byte <= node.start_byte < function.node.end_byte:
                return function
        return None

    # --- lines ---------------------------------------------------------------------------------

    def line_start(self, at: int) -> int:
        return self.text.rfind(b"\n", 0, at) + 1

    def line_end(self, at: int) -> int:
        """Return where the next line begins."""
        found = self.text.find(b"\n", at)
        return len(self.text) if found < 0 else found + 1

    def indent(self, node: Node) -> bytes:
        line = self.text[self.line_start(node.start_byte) : node.start_byte]
        return line[: len(line) - len(line.lstrip())]

    def starts_line(self, node: Node) -> bool:
        return not self.text[self.line_start(node.start_byte) : node.start_byte].strip()

    def ends_line(self, node: Node) -> bool:
        return not self.text[node.end_byte : self.line_end(node.end_byte)].strip()

    def has_own_lines(self, node: Node) -> bool:
        return self.starts_line(node) and self.ends_line(node)

    def above(self, function: Function) -> int:
        """Return where text can be inserted above a function and its comment."""
        node = function.node
        before = node.prev_named_sibling
        is_next = before is not None and before.end_point[0] == node.start_point[0] - 1
        if before is not None and is_next and before.type == "comment":
            node = before
        return self.line_start(node.start_byte)

    def put(self, at: int, new: bytes) -> Edit:
        return Edit(self.file, at, at, new)

    def instead(self, node: Node, new: bytes) -> Edit:
        return Edit(self.file, node.start_byte, node.end_byte, new)


@dataclass(frozen=True)
class Function:
    """The definition of a function, or of a C++ method outside its class.

    The function returns no pointer to a function.  The name of `A::b` is `A_b`.
    """

    node: Node
    name: bytes
    body: Node
    parameters: Node
    result: bytes  # its type as the programmer writes it, without storage class

    @classmethod
    def of(cls, node: Node) -> Function | None:
        declarator, stars = node.child_by_field_name("declarator"), b""
        while declarator is not None and declarator.type == "pointer_declarator":
            declarator, stars = declarator.child_by_field_name("declarator"), stars + b"*"
        if declarator is not None and declarator.type == "reference_declarator":
            declarator, stars = declarator.named_children[-1], b"&"
        if declarator is None or declarator.type != "function_declarator":
            return None
        name = child(declarator, "declarator")
        if name.type not in ("identifier", "qualified_identifier"):
            return None
        result = (specifiers(node) + b" " + stars).strip()
        body, parameters = child(node, "body"), child(declarator, "parameters")
        return cls(node, text_of(name).replace(b"::", b"_"), body, parameters, result)

    @cached_property
    def declarations(self) -> dict[bytes, list[Node]]:
        """Return the parameters and locals by name, with every place that declares one."""
        found: dict[bytes, list[Node]] = defaultdict(list)
        for node in walk(self.node):
            if node.type in ("declaration", "parameter_declaration"):
                for name in declared_names(node):
                    found[text_of(name)].append(name)
        return found

    @cached_property
    def types(self) -> dict[bytes, bytes]:
        """Return the type of each parameter and local that is declared once and is no array."""
        return {
            name: type_
            for name, (first, *more) in self.declarations.items()
            if not more and (type_ := _type_of(first)) is not None
        }

    def uses(self, name: bytes) -> list[Node]:
        return [node for node in walk(self.node) if is_use(node, name)]


def is_use(node: Node, name: bytes) -> bool:
    """Does the node name the variable, function or macro?  Not the field, label or struct."""
    if node.type == "type_identifier":  # `sizeof(name)` can be parsed either way
        parent = node.parent
        return text_of(node) == name and not (parent and parent.type in _TAGGED)
    return node.type == "identifier" and text_of(node) == name


def words_of(text: bytes) -> frozenset[bytes]:
    return frozenset(_WORD.findall(text))


def walk(node: Node) -> Iterator[Node]:
    """Yield the node and all nodes below it, in the order of the text."""
    cursor = node.walk()
    depth = 0
    while True:
        if cursor.node is not None:
            yield cursor.node
        if cursor.goto_first_child():
            depth += 1
            continue
        while not cursor.goto_next_sibling():
            if depth == 0:
                return
            cursor.goto_parent()
            depth -= 1
        if depth == 0:
            return


def text_of(node: Node) -> bytes:
    return node.text or b""


def child(node: Node, field: str) -> Node:
    """Return the child in a field that the grammar always fills."""
    found = node.child_by_field_name(field)
    assert found is not None, (node.type, field)
    return found


def operator(node: Node) -> bytes:
    return text_of(child(node, "operator"))


def is_pure(node: Node) -> bool:
    """Can the expression be evaluated sooner, later or twice?"""
    return not any(each.type in _IMPURE for each in walk(node))


def names_in(node: Node) -> set[bytes]:
    """Return the variables, functions and macros that the node names."""
    return {text_of(each) for each in walk(node) if each.type in ("identifier", "type_identifier")}


def declared_names(node: Node) -> list[Node]:
    """Return the names that a declaration introduces."""
    found = []
    for declarator in node.children_by_field_name("declarator"):
        inner: Node | None = declarator
        while inner is not None and inner.type != "identifier":
            named = inner.child_by_field_name("declarator")
            inner = named or next(
                (each for each in inner.named_children if each.type.endswith("declarator")), None
            )
        if inner is not None:
            found.append(inner)
    return found


def specifiers(node: Node) -> bytes:
    """Return the text of a declaration before its declarators, without storage classes."""
    words = []
    for each in node.children:
        if node.field_name_for_child(node.children.index(each)) == "declarator":
            break
        if each.is_named and each.type not in ("storage_class_specifier", "comment"):
            words.append(text_of(each))
    return b" ".join(words)


def _type_of(name: Node) -> bytes | None:
    stars = b""
    node = name.parent
    while node is not None and node.type in ("pointer_declarator", "init_declarator"):
        if node.type == "pointer_declarator":
            if text_of(node).lstrip(b"* ").startswith(b"const"):
                return None
            stars += b"*"
        node = node.parent
    if node is None or node.type not in ("declaration", "parameter_declaration"):
        return None
    if any(each.type == "storage_class_specifier" for each in node.children):
        return None
    type_ = specifiers(node)
    return None if b"{" in type_ else (type_ + b" " + stars).strip()
