"""Which harmless changes express the same thing in another way?"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from bench.explain.desk import Desk, Rewrite
from bench.explain.source import (
    Edit,
    Source,
    child,
    is_pure,
    names_in,
    operator,
    specifiers,
    text_of,
    walk,
)

_MIRRORED = {
    b"+": b"+", b"*": b"*", b"&": b"&", b"|": b"|", b"^": b"^", b"==": b"==", b"!=": b"!=",
    b"<": b">", b">": b"<", b"<=": b">=", b">=": b"<=",
}  # fmt: skip
_PLAIN = {"identifier", "number_literal", "char_literal", "field_expression"}
_PLAIN |= {"subscript_expression", "call_expression", "parenthesized_expression"}
_JUMPS_BACK = {"continue_statement", "labeled_statement", "goto_statement"}


def _refactored(*edits: Edit) -> Rewrite:
    return Rewrite("refactoring", edits)


def _in_parentheses(node: Node) -> bytes:
    return text_of(node) if node.type in _PLAIN else b"(" + text_of(node) + b")"


def _is_one_line(node: Node) -> bool:
    return node.start_point[0] == node.end_point[0]


def _inner(condition: Node) -> Node:
    """Return the condition of an `if` or a `while`."""
    return next(each for each in condition.named_children if each.type != "comment")


def _is_in_block(node: Node) -> bool:
    """Can declarations and other statements stand before and after the statement?"""
    return node.parent is not None and node.parent.type == "compound_statement"


# --- expressions -------------------------------------------------------------------------------


def parenthesise(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """`return a + b;` becomes `return (a + b);`"""
    for node in desk.shuffled(source.nodes("binary_expression", "conditional_expression")):
        parent = node.parent
        if parent is None or not _is_one_line(node) or source.function_around(node) is None:
            continue
        is_operand = parent.type == "binary_expression" and operator(parent) in (b"&&", b"||")
        is_value = parent.type in ("return_statement", "init_declarator", "assignment_expression")
        if is_operand or is_value:
            yield _refactored(source.instead(node, b"(" + text_of(node) + b")"))


def mirror(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """`a < b` becomes `b > a`."""
    for node in desk.shuffled(source.nodes("binary_expression")):
        left, right, sign = child(node, "left"), child(node, "right"), operator(node)
        if sign in _MIRRORED and is_pure(node) and _is_one_line(node):
            swapped = b" ".join((_in_parentheses(right), _MIRRORED[sign], _in_parentheses(left)))
            if source.function_around(node) and text_of(left) != text_of(right):
                yield _refactored(source.instead(node, swapped))


def spell_assignment(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """`x++` becomes `x += 1`, and `x += y` becomes `x = x + y`, if the value is not used."""
    for node in desk.shuffled(source.nodes("update_expression", "assignment_expression")):
        parent = node.parent
        if parent is None or parent.type not in ("expression_statement", "for_statement"):
            continue
        if node.type == "update_expression":
            target = child(node, "argument")
            new = b"%s %s= 1" % (text_of(target), operator(node)[:1])
        else:
            target, sign = child(node, "left"), operator(node)
            if sign == b"=" or not _is_one_line(node):
                continue
            value = _in_parentheses(child(node, "right"))
            new = b"%s = %s %s %s" % (text_of(target), text_of(target), sign[:-1], value)
        if is_pure(target):
            yield _refactored(source.instead(node, new))


def spell_zero_test(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """`p == NULL` becomes `!p`, and `!x` becomes `x == 0`."""
    for node in desk.shuffled(source.nodes("binary_expression", "unary_expression")):
        if node.type == "unary_expression" and operator(node) == b"!":
            new = b"(%s == 0)" % _in_parentheses(child(node, "argument"))
        elif node.type == "binary_expression" and operator(node) == b"==":
            if text_of(child(node, "right")) not in (b"NULL", b"0"):
                continue
            new = b"!" + _in_parentheses(child(node, "left"))
        else:
            continue
        if source.function_around(node) and _is_one_line(node):
            yield _refactored(source.instead(node, new))


def name_constant(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """A number becomes a macro that is defined above the function."""
    for node in desk.shuffled(source.nodes("number_literal")):
        function = source.function_around(node)
        if function and text_of(node).isdigit() and len(text_of(node)) > 1:
            name = desk.fresh(function.name.upper() + b"_LIMIT")
            define = b"#define %s %s\n\n" % (name, text_of(node))
            yield _refactored(
                source.put(source.above(function), define), source.instead(node, name)
            )


# --- statements --------------------------------------------------------------------------------


def add_braces(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """The single statement of an `if` or a loop gets braces."""
    for node in desk.shuffled(source.nodes("if_statement", "while_statement", "for_statement")):
        field = "consequence" if node.type == "if_statement" else "body"
        body = child(node, field)
        before = body.prev_sibling
        is_plain = body.type in ("expression_statement", "return_statement", "break_statement")
        if node.child_by_field_name("alternative") is not None or not source.starts_line(node):
            continue
        if is_plain and before and source.has_own_lines(body):
            close = source.put(source.line_end(body.end_byte), source.indent(node) + b"}\n")
            yield _refactored(source.put(before.end_byte, b" {"), close)


def invert_condition(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """`if (a) b; else c;` becomes `if (!(a)) { c; } else { b; }`"""
    for node in desk.shuffled(source.nodes("if_statement")):
        alternative = node.child_by_field_name("alternative")
        if alternative is None or not source.starts_line(node):
            continue
        other = alternative.named_children[-1]
        if other.type == "if_statement" or len(alternative.named_children) > 1:
            continue
        condition, then = child(node, "condition"), child(node, "consequence")
        new = b"if (%s) %s else %s" % (
            _negated(_inner(condition)),
            _block(other, source.indent(node)),
            _block(then, source.indent(node)),
        )
        yield _refactored(source.instead(node, new))


def _negated(node: Node) -> bytes:
    if node.type == "binary_expression" and operator(node) in (b"==", b"!="):
        sign = b"!=" if operator(node) == b"==" else b"=="
        return b"%s %s %s" % (text_of(child(node, "left")), sign, text_of(child(node, "right")))
    if node.type == "unary_expression" and operator(node) == b"!":
        return text_of(child(node, "argument"))
    return b"!(" + text_of(node) + b")"


def _block(node: Node, indent: bytes) -> bytes:
    if node.type == "compound_statement":
        return text_of(node)
    return b"{\n%s    %s\n%s}" % (indent, text_of(node), indent)


def loop_with_while(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """`for (i = 0; i < n; i++) { ... }` becomes a `while` loop that ends in `i++;`"""
    for node in desk.shuffled(source.nodes("for_statement")):
        body, begin = child(node, "body"), node.child_by_field_name("initializer")
        update, condition = (node.child_by_field_name(f) for f in ("update", "condition"))
        if begin is None or update is None or not _is_in_block(node):
            continue
        if any(each.type in _JUMPS_BACK for each in walk(body)) or not source.has_own_lines(node):
            continue
        if begin.type == "declaration" and _declares_twice(begin, source):
            continue
        indent = source.indent(node)
        test = text_of(condition) if condition else b"1"
        first = text_of(begin).rstrip(b"; ") + b";"
        head = b"%s\n%swhile (%s) {" % (first, indent, test)
        last = b"%s    %s;\n" % (indent, text_of(update))
        if body.type == "compound_statement":
            if body.start_point[0] == node.start_point[0] and not _is_one_line(body):
                opened = Edit(source.file, node.start_byte, body.start_byte + 1, head)
                yield _refactored(opened, source.put(source.line_start(body.end_byte - 1), last))
        elif source.has_own_lines(body) and _is_one_line(body):
            before = body.prev_sibling
            assert before is not None
            opened = Edit(source.file, node.start_byte, before.end_byte, head)
            closed = b"%s%s}\n" % (last, indent)
            yield _refactored(opened, source.put(source.line_end(body.end_byte), closed))


def _declares_twice(declaration: Node, source: Source) -> bool:
    """Would a name of the loop clash with a name of the block?"""
    function = source.function_around(declaration)
    if function is None:  # in a member function of a class
        return True
    return any(
        name in source.globals or len(function.declarations.get(name, ())) > 1
        for name in names_in(declaration)
    )


def return_by_branches(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """`return a ? b : c;` becomes an `if` with a `return`, and another `return`."""
    for node in desk.shuffled(source.nodes("return_statement")):
        value = node.named_children[0] if node.named_children else None
        if value and value.type == "conditional_expression" and _is_in_block(node):
            indent = source.indent(node)
            consequence = value.child_by_field_name("consequence")
            if consequence and source.has_own_lines(node):
                new = b"if (%s)\n%s    return %s;\n%sreturn %s;" % (
                    text_of(child(value, "condition")), indent, text_of(consequence),
                    indent, text_of(child(value, "alternative")),
                )  # fmt: skip
                yield _refactored(source.instead(node, new))


# --- names for what has none -------------------------------------------------------------------


def extract_result(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """`return a + b;` becomes `int result = a + b;` and `return result;`"""
    for node in desk.shuffled(source.nodes("return_statement")):
        function = source.function_around(node)
        value = node.named_children[0] if node.named_children else None
        if not function or not value or not _is_in_block(node) or not source.has_own_lines(node):
            continue
        if value.type in ("number_literal", "identifier", "null", "true", "false"):
            continue
        if _returns_twice(value):
            continue
        name = desk.fresh(b"result")
        gap = b"" if function.result.endswith(b"*") else b" "
        new = b"%s%s%s = %s;\n%sreturn %s;" % (
            function.result, gap, name, text_of(value), source.indent(node), name
        )  # fmt: skip
        yield _refactored(source.instead(node, new))


def extract_condition(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """`if (a < b)` becomes `int is_so = a < b;` and `if (is_so)`."""
    for node in desk.shuffled(source.nodes("if_statement")):
        condition = child(node, "condition")
        if not _is_in_block(node) or not source.starts_line(node) or not _is_one_line(condition):
            continue
        if _returns_twice(condition):
            continue
        name = desk.fresh(b"is_so")
        value = b"(%s) != 0" % text_of(_inner(condition))
        declared = b"%sint %s = %s;\n" % (source.indent(node), name, value)
        at = source.line_start(node.start_byte)
        yield _refactored(source.put(at, declared), source.instead(condition, b"(%s)" % name))


def extract_helper(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """The value of a `return` or of an `if` becomes a function."""
    for node in desk.shuffled(source.nodes("return_statement", "if_statement")):
        function = source.function_around(node)
        is_if = node.type == "if_statement"
        held = child(node, "condition") if is_if else node
        value = _inner(held) if held.named_children else None
        if function is None or value is None or not _is_one_line(node if not is_if else held):
            continue
        if value.type not in ("binary_expression", "call_expression", "conditional_expression"):
            continue
        locals_ = sorted(names_in(value) & function.declarations.keys())
        if function.name in names_in(value) or _writes(value) or _returns_twice(value):
            continue
        if not all(name in function.types for name in locals_):
            continue
        name = desk.fresh(function.name + b"_part")
        type_, shown_value = (b"int", b"(%s) != 0") if is_if else (function.result, b"%s")
        parameters = b", ".join(_declared(function.types[each], each) for each in locals_)
        helper = b"static %s(%s)\n{\n    return %s;\n}\n\n" % (
            _declared(type_, name), parameters or b"void", shown_value % text_of(value)
        )  # fmt: skip
        call = b"%s(%s)" % (name, b", ".join(locals_))
        yield _refactored(source.put(source.above(function), helper), source.instead(value, call))


def _writes(node: Node) -> bool:
    """Does the expression write a variable, take an address, or jump out through a macro?"""
    kinds = {"assignment_expression", "update_expression"}
    return any(
        each.type in kinds or (each.type == "pointer_expression" and operator(each) == b"&")
        for each in walk(node)
    )


def _returns_twice(node: Node) -> bool:
    """Does the expression call something that C allows only in some places?"""
    return b"setjmp" in text_of(node)


def _declared(type_: bytes, name: bytes) -> bytes:
    return type_ + (b"" if type_.endswith(b"*") else b" ") + name


def split_declaration(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """`int a, b = 1;` becomes two declarations; `int a = f();` a declaration and an assignment."""
    for node in desk.shuffled(source.nodes("declaration")):
        if not _is_in_block(node) or not source.has_own_lines(node) or not _is_one_line(node):
            continue
        if any(
            each.type in ("storage_class_specifier", "type_qualifier") for each in node.children
        ):
            continue
        type_, indent = specifiers(node), source.indent(node)
        if b"{" in type_:
            continue
        declarators = node.children_by_field_name("declarator")
        if len(declarators) > 1:
            first, *rest = (text_of(each) for each in declarators)
            new = b"%s %s;\n%s%s %s;" % (type_, first, indent, type_, b", ".join(rest))
            yield _refactored(source.instead(node, new))
        elif declarators[0].type == "init_declarator":
            name, value = child(declarators[0], "declarator"), child(declarators[0], "value")
            if name.type == "identifier" and value.type != "initializer_list":
                new = b"%s %s;\n%s%s = %s;" % (
                    type_, text_of(name), indent, text_of(name), text_of(value)
                )  # fmt: skip
                yield _refactored(source.instead(node, new))


RECIPES = (
    parenthesise, mirror, spell_assignment, spell_zero_test, name_constant, add_braces,
    invert_condition, loop_with_while, return_by_branches, extract_result, extract_condition,
    extract_helper, split_declaration,
)  # fmt: skip
