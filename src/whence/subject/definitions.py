"""Which lines of the tree define these C and C++ functions?"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import tree_sitter_c
import tree_sitter_cpp
from tree_sitter import Language, Node, Parser

from whence.file_trees import files_below
from whence.source_lines import only_newlines
from whence.subject.elf import ElfFunction

SOURCES = (".c", ".cc", ".cpp", ".cxx", ".c++", ".C")
HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".tcc")
# The parts of a mangled name: the length of a word, a constructor or destructor, a back reference,
# a number, or a letter.
MANGLED = re.compile(
    r"(?P<length>\d+)|(?P<special>[CD]\d)|[ST][0-9A-Z]*_|L[a-z]n?\d+E|.",
)
NAMES = {"identifier", "field_identifier", "destructor_name", "operator_name"}


@dataclass(frozen=True, slots=True)
class Definition:
    """The definition of a function."""

    file: str  # relative to the tree
    name: str  # without its namespaces and classes
    lines: range


def definition_lines(functions: Iterable[ElfFunction], tree: Path) -> dict[str, frozenset[int]]:
    """Return all lines of the definitions that these functions can have, by file."""
    sources: dict[str, set[str | None]] = defaultdict(set)
    for function in functions:
        sources[demangled_name(function.symbol)].add(function.source)
    candidates: dict[str, list[Definition]] = defaultdict(list)
    for definition in _definitions(tree, set(sources)):
        candidates[definition.name].append(definition)

    lines: dict[str, set[int]] = defaultdict(set)
    for name, found in candidates.items():
        # Several files can have a static function of this name.  If no file fits, the function
        # comes from a header, and any definition may be the one.
        fitting = [d for d in found if d.file.rpartition("/")[2] in sources[name]]
        for definition in found if None in sources[name] else fitting or found:
            lines[definition.file].update(definition.lines)
    return {file: frozenset(numbers) for file, numbers in sorted(lines.items())}


def demangled_name(symbol: str) -> str:
    """Return the name in the source of a symbol.

    `f.part.0` and `f.cold` are parts of `f`.  `_ZN5space3VecIiE4pushEi` is
    `space::Vec<int>::push(int)`, so its name is `push`.
    """
    if not symbol.startswith("_Z"):
        return symbol.partition(".")[0]
    scoped = symbol.startswith("_ZN")
    at = 3 if scoped else 2
    nested = 0  # nesting depth of template arguments
    name = ""
    while token := MANGLED.match(symbol, at):
        at = token.end()
        if token["length"]:
            word = symbol[at : at + int(token["length"])]
            at += len(word)
            name = name if nested else word
            if not scoped:
                break  # the types of the parameters follow
        elif token["special"] and not nested:
            return "~" + name if token[0][0] == "D" else name
        elif token[0] == "E":
            nested -= 1
            if nested < 0:
                break
        elif token[0] in "INXJF":
            nested += 1
    return name


def _definitions(tree: Path, names: set[str]) -> Iterator[Definition]:
    for path in _c_files(tree):
        text = only_newlines(path.read_bytes())
        if names.isdisjoint(word.decode() for word in set(re.findall(rb"[A-Za-z_]\w*", text))):
            continue
        language = tree_sitter_c if path.suffix == ".c" else tree_sitter_cpp
        root = Parser(Language(language.language())).parse(text).root_node
        file = path.relative_to(tree).as_posix()
        lines = text.split(b"\n")
        for node in _function_nodes(root):
            name = _declared_name(node)
            if name in names:
                yield Definition(file, name, _lines(node, lines))


def _c_files(tree: Path) -> Iterator[Path]:
    for path in files_below(tree):
        is_source = path.name.endswith(SOURCES + HEADERS) and path.is_file()
        if is_source and ".git" not in path.relative_to(tree).parts:
            yield path


def _function_nodes(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.type == "function_declarator" and node.type == "ERROR":
            yield child
        elif child.type == "function_definition":
            yield child
            if not child.has_error:
                continue
            # Only the preprocessor could balance the braces: the functions that follow may appear
            # to be inside this one.
        if child.child_count and child.type not in ("declaration", "expression_statement"):
            yield from _function_nodes(child)


def _lines(node: Node, text: list[bytes]) -> range:
    first, last = node.start_point[0], node.end_point[0]
    whole = node.type == "function_definition"
    if node.has_error or not whole:
        # The layout is more reliable then: a function ends at a brace that begins a line.
        rest = range(first + 1, last + 1 if whole else len(text))
        last = next((i for i in rest if text[i].startswith(b"}")), last)
    return range(first + 1, last + 2)


def _declared_name(node: Node) -> str:
    """Return the name of a function node: `push` for `int *Vec<T>::push(int x) {...}`."""
    inner: Node | None = node
    while inner is not None and inner.type not in NAMES:
        inner = (
            inner.child_by_field_name("declarator")
            or inner.child_by_field_name("name")
            or next((c for c in inner.named_children if c.type.endswith("declarator")), None)
        )
    return inner.text.decode(errors="replace") if inner is not None and inner.text else ""
