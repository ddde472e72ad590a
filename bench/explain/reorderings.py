"""Which harmless changes reorder things, or only change the layout?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tree_sitter import Node

from bench.explain.desk import Desk, Rewrite
from bench.explain.source import (
    Edit,
    Source,
    child,
    declared_names,
    is_pure,
    names_in,
    operator,
    text_of,
)

_SIMPLE = ("declaration", "expression_statement")
_BY_VALUE = {"identifier", "number_literal", "char_literal", "null", "true", "false"}
_REMARKS = (
    "Nothing else depends on this.", "See the notes on the format.", "The order matters little.",
    "Kept simple on purpose.", "This was measured.", "The caller has looked at it already.",
    "Both cases are the same here.", "An empty one is fine, too.", "This is the usual way.",
)  # fmt: skip


# --- order -------------------------------------------------------------------------------------


def swap_statements(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """Swap two neighbours that write different locals, if neither names the other's."""
    for first, second in desk.shuffled(list(pairwise(source.nodes(*_SIMPLE)))):
        if first.parent != second.parent or first.next_named_sibling != second:
            continue
        if source.function_around(first) is None or first.end_point[0] + 1 != second.start_point[0]:
            continue
        if not (source.has_own_lines(first) and source.has_own_lines(second)):
            continue
        one, other = _written(first), _written(second)
        if one and other and not one & names_in(second) and not other & names_in(first):
            yield Rewrite("reordering", _swapped(source, first, second))


def _written(node: Node) -> set[bytes]:
    """Return what a statement writes if nothing else could notice when it runs, else nothing."""
    if node.type == "declaration":
        is_static = any(each.type == "storage_class_specifier" for each in node.children)
        names = {text_of(name) for name in declared_names(node)}
        return names if is_pure(node) and not is_static else set()
    inner = node.named_children[0] if node.named_children else None
    if inner is None or inner.type != "assignment_expression" or operator(inner) != b"=":
        return set()
    target, value = child(inner, "left"), child(inner, "right")
    is_plain = target.type == "identifier" and value.type in _BY_VALUE
    return {text_of(target)} if is_plain else set()


def _swapped(source: Source, first: Node, second: Node) -> list[Edit]:
    """Move the second above the first: one change adds it above, one removes it below."""
    # The node of an include ends where the next line begins.
    start, end = source.line_start(second.start_byte), source.line_end(second.end_byte - 1)
    at = source.line_start(first.start_byte)
    return [source.put(at, source.text[start:end]), Edit(source.file, start, end, b"")]


def swap_includes(source: Source, desk: Desk) -> Iterator[Rewrite]:
    for first, second in desk.shuffled(list(pairwise(source.nodes("preproc_include")))):
        are_neighbours = first.start_point[0] + 1 == second.start_point[0]
        if are_neighbours and b"<" in text_of(first) and b"<" in text_of(second):
            yield Rewrite("reordering", _swapped(source, first, second))


def move_function(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """Move a function below a later one, and leave a prototype in its place."""
    functions = source.functions
    for place, function in desk.shuffled(list(enumerate(functions[:-1]))):
        start, end = source.above(function), source.line_end(function.node.end_byte)
        if source.text[start:end].count(b"\n") > 30 or function.name == b"main":
            continue
        later = [each for each in functions[place + 1 : place + 4] if each.name != b"main"]
        if not later:
            continue
        after = desk.rng.choice(later)
        head = source.text[function.node.start_byte : function.body.start_byte].rstrip()
        prototype = Edit(source.file, start, end, head + b";\n")
        at = source.line_end(after.node.end_byte)
        if any(fault.file == source.file and start <= fault.start <= at for fault in desk.faults):
            continue  # a diff could show the faulty function as moved instead
        yield Rewrite("reordering", [prototype, source.put(at, b"\n" + source.text[start:end])])


# --- layout ------------------------------------------------------------------------------------


def _remark(desk: Desk) -> bytes:
    return desk.rng.choice(_REMARKS).encode()


def comment_above(source: Source, desk: Desk) -> Iterator[Rewrite]:
    kinds = ("expression_statement", "return_statement", "if_statement", "for_statement")
    for node in desk.shuffled(source.nodes(*kinds)):
        if source.starts_line(node) and node.parent and node.parent.type == "compound_statement":
            comment = b"%s/* %s */\n" % (source.indent(node), _remark(desk))
            yield Rewrite("comment", [source.put(source.line_start(node.start_byte), comment)])


def comment_beside(source: Source, desk: Desk) -> Iterator[Rewrite]:
    for node in desk.shuffled(source.nodes("expression_statement", "declaration")):
        if source.has_own_lines(node) and text_of(node).endswith(b";"):
            yield Rewrite("comment", [source.put(node.end_byte, b" /* %s */" % _remark(desk))])


def reword_comment(source: Source, desk: Desk) -> Iterator[Rewrite]:
    for node in desk.shuffled(source.nodes("comment")):
        if text_of(node).startswith(b"/*") and node.start_point[0] == node.end_point[0]:
            words = text_of(node)[2:-2].strip().rstrip(b".")
            yield Rewrite("comment", [source.instead(node, b"/* %s, as ever. */" % words)])


def blank_line(source: Source, desk: Desk) -> Iterator[Rewrite]:
    for node in desk.shuffled(source.nodes("expression_statement", "return_statement")):
        if source.starts_line(node) and node.parent and node.parent.type == "compound_statement":
            yield Rewrite("comment", [source.put(source.line_start(node.start_byte), b"\n")])


def wrap_arguments(source: Source, desk: Desk) -> Iterator[Rewrite]:
    for node in desk.shuffled(source.nodes("argument_list")):
        if node.named_child_count > 1 and node.start_point[0] == node.end_point[0]:
            comma = next((each for each in node.children if each.type == ","), None)
            if comma and source.function_around(node):
                column = node.start_byte + 1 - source.line_start(node.start_byte)
                gap = Edit(source.file, comma.end_byte, comma.end_byte + 1, b"\n" + b" " * column)
                if source.text[comma.end_byte : comma.end_byte + 1] == b" ":
                    yield Rewrite("comment", [gap])


REORDERINGS = (swap_statements, swap_includes, move_function)
LAYOUT = (comment_above, comment_beside, reword_comment, blank_line, wrap_arguments)
