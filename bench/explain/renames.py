"""Which harmless changes give something another name, everywhere?"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from bench.explain.desk import Desk, Rewrite
from bench.explain.source import Function, Source, is_use, text_of

MOST_USES = 12  # limit on uses: a name with more uses would make up most of the changes
_KEPT = {b"main", b"NULL", b"EOF", b"true", b"false"}
_ENDS = (b"_value", b"_now", b"_here", b"_item", b"_of_it", b"_next", b"_found", b"_new")
_SHORT = {
    b"i": b"index", b"j": b"inner", b"k": b"third", b"n": b"amount", b"c": b"letter",
    b"p": b"pointer", b"s": b"string", b"a": b"left_one", b"b": b"right_one",
}  # fmt: skip


def another_name(old: bytes, desk: Desk) -> bytes:
    """Return a name of the same style that is not in use."""
    wishes = [_SHORT[old]] if old in _SHORT else []
    ends = list(_ENDS)
    desk.rng.shuffle(ends)
    for wish in [*wishes, *(old + end for end in ends)]:
        name = wish.upper() if old.isupper() and len(old) > 1 else wish
        if name not in desk.words:
            return name
    return desk.fresh(old)


def local(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """Rename a parameter or a local variable."""
    for function in desk.shuffled(source.functions):
        for name in desk.shuffled(_renamable(function, source)):
            uses = function.uses(name)
            if len(uses) <= MOST_USES:
                new = another_name(name, desk)
                edits = [source.instead(node, new) for node in uses]
                span = (function.node.start_byte, function.node.end_byte)
                yield Rewrite("rename", edits, name, new, within=span)


def _renamable(function: Function, source: Source) -> list[bytes]:
    """Return the names that mean one thing in the whole function."""
    return [
        name
        for name, places in function.declarations.items()
        if len(places) == 1 and name not in source.globals and name not in source.macro_words
    ]


def shared(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """Rename a function, a variable of the file, a macro or an enumerator in every file."""
    for name in desk.shuffled(sorted(source.globals - _KEPT)):
        if any(name in each.macro_words for each in desk.sources.values()):
            continue
        if any(name in f.declarations for each in desk.sources.values() for f in each.functions):
            continue
        new = another_name(name, desk)
        edits = [
            each.instead(node, new)
            for each in desk.sources.values()
            for node in each.nodes("identifier", "type_identifier")
            if is_use(node, name)
        ]
        if 1 < len(edits) <= MOST_USES:
            yield Rewrite("rename", edits, name, new)


def field(source: Source, desk: Desk) -> Iterator[Rewrite]:
    """Rename a field, in all structs with a field of this name."""
    declared = [
        text_of(name)
        for node in source.nodes("field_declaration")
        for name in _fields(node.children_by_field_name("declarator"))
    ]
    for name in desk.shuffled(sorted(set(declared))):
        if any(name in each.macro_words for each in desk.sources.values()):
            continue
        new = another_name(name, desk)
        edits = [
            each.instead(node, new)
            for each in desk.sources.values()
            for node in each.nodes("field_identifier")
            if text_of(node) == name
        ]
        if 1 < len(edits) <= MOST_USES:
            yield Rewrite("rename", edits, name)


def _fields(declarators: list[Node]) -> Iterator[Node]:
    for declarator in declarators:
        node: Node | None = declarator
        while node is not None and node.type != "field_identifier":
            node = node.child_by_field_name("declarator")
        if node is not None:
            yield node
