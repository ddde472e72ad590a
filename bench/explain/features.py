"""Which harmless changes add something?  Counters, functions, fields, parameters, whole files."""

from __future__ import annotations

from collections.abc import Iterator

from bench.explain.desk import Desk, Rewrite
from bench.explain.filler import helper
from bench.explain.source import Edit, Function, Source, child, is_use, text_of


def _added(*edits: Edit) -> Rewrite:
    return Rewrite("feature", edits)


def _opened(function: Function, source: Source) -> int | None:
    """Return where the first line of a function's body can be inserted."""
    brace = function.body.children[0]
    return source.line_end(brace.end_byte) if source.ends_line(brace) else None


def count_calls(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """Add a variable that counts the calls of a function."""
    for function in desk.shuffled(source.functions):
        at = _opened(function, source)
        if at is not None:
            name = desk.fresh(function.name + b"_calls")
            variable = b"static unsigned long %s;\n\n" % name
            counted = b"    %s++;\n" % name
            yield _added(source.put(source.above(function), variable), source.put(at, counted))


def call_new_function(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """Add a function that is called at the start of another one; its result is unused."""
    for function in desk.shuffled(source.functions):
        at = _opened(function, source)
        if at is not None:
            name = desk.fresh(b"estimate")
            defined = helper(name.decode(), desk.rng).encode() + b"\n"
            called = b"    (void)%s(%d);\n" % (name, desk.rng.randint(1, 99))
            yield _added(source.put(source.above(function), defined), source.put(at, called))


def print_when_asked(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """Print something if an option is set; the option is never set."""
    if b"#include <stdio.h>" not in source.text:
        return
    for function in desk.shuffled(source.functions):
        at = _opened(function, source)
        if at is not None:
            name = desk.fresh(b"is_verbose")
            option = b"static int %s;\n\n" % name
            said_ = b'        fprintf(stderr, "%s\\n");\n' % function.name
            asked = b"    if (%s)\n%s" % (name, said_)
            yield _added(source.put(source.above(function), option), source.put(at, asked))


def add_field(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """Add a field after all others to a struct; nothing reads it."""
    for node in desk.shuffled(source.nodes("field_declaration_list")):
        fields = node.named_children
        is_open = any(text_of(each).endswith(b"[];") for each in fields)
        if fields and not is_open and source.has_own_lines(fields[-1]):
            name = desk.fresh(b"spare")
            at = source.line_end(fields[-1].end_byte)
            indent = source.indent(fields[-1])
            yield _added(source.put(at, b"%sint %s;\n" % (indent, name)))


def add_parameter(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """Add an unused parameter to a function, and an argument to every call."""
    for function in desk.shuffled(source.functions):
        uses = [
            (each, use)
            for each in desk.sources.values()
            for use in each.nodes("identifier", "type_identifier")
            if is_use(use, function.name)
        ]
        lists = []
        for each, use in uses:
            parent = use.parent
            kinds = {"call_expression": "arguments", "function_declarator": "parameters"}
            field = kinds.get(parent.type) if parent is not None else None
            if parent is None or field is None:
                break
            lists.append((each, child(parent, field), field))
        if len(lists) < len(uses) or len(lists) > 10 or function.name == b"main":
            continue
        if any(function.name in each.macro_words for each in desk.sources.values()):
            continue
        name = desk.fresh(b"flags")
        edits = []
        for each, node, field in lists:
            new = b"int " + name if field == "parameters" else b"0"
            inside = text_of(node)[1:-1].strip()
            if inside in (b"", b"void"):
                edits.append(each.instead(node, b"(" + new + b")"))
            else:
                edits.append(each.put(node.end_byte - 1, b", " + new))
        yield Rewrite("feature", edits, function.name)


def add_file(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """Add a file with a function; a function of another file calls it, and its result is unused."""
    if b"#include" not in source.text:
        return
    for function in desk.shuffled(source.functions):
        at = _opened(function, source)
        if at is not None:
            name = desk.fresh(b"survey").decode()
            defined = helper(name, desk.rng).replace(f"static int {name}(", f"int {name}(")
            declared = f"int {name}(int {name}_of);\n\n".encode()
            new = Edit(f"{name}.c", 0, 0, defined.encode())
            called = f"    (void){name}({desk.rng.randint(1, 99)});\n".encode()
            yield _added(new, source.put(source.above(function), declared), source.put(at, called))


RECIPES = (
    count_calls, call_new_function, print_when_asked, add_field, add_parameter, add_file,
)  # fmt: skip
