"""Which functions, statements and names do these lines of C, C++ or Python have?

The results help to split, order and describe changes.  They may be wrong: every claim about a
change is checked by running the test.
"""

from __future__ import annotations

import bisect
import re
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, wraps
from pathlib import PurePosixPath
from threading import Lock
from typing import Any, Concatenate, ParamSpec, TypeVar

import tree_sitter
import tree_sitter_c
import tree_sitter_cpp
import tree_sitter_python

from whence.changes.column_functions import column_functions
from whence.source_lines import only_newlines

_SUFFIXES = {
    **dict.fromkeys((".c", ".h"), "c"),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".ipp", ".tpp"), "cpp"),
    **dict.fromkeys((".py", ".pyi", ".pyw"), "python"),
}

_FUNCTIONS = {
    "c": "(function_definition) @f",
    "cpp": "(function_definition) @f",
    "python": "(function_definition) @f (class_definition) @f",
}

_STATEMENTS = {
    "c": "(_ [(declaration) (expression_statement) (return_statement) (if_statement)"
    " (for_statement) (while_statement) (do_statement) (switch_statement) (case_statement)"
    " (break_statement) (continue_statement) (goto_statement) (labeled_statement)"
    " (function_definition) (type_definition) (field_declaration) (preproc_def)"
    " (preproc_function_def) (preproc_include) (preproc_call) (enumerator) (comment)] @s)",
    "python": "[(expression_statement) (return_statement) (if_statement) (elif_clause)"
    " (else_clause) (for_statement) (while_statement) (try_statement) (except_clause)"
    " (with_statement) (raise_statement) (assert_statement) (import_statement)"
    " (import_from_statement) (function_definition) (class_definition) (decorated_definition)"
    " (pass_statement) (break_statement) (continue_statement) (delete_statement)"
    " (global_statement) (nonlocal_statement) (match_statement) (case_clause) (comment)"
    " (block (_))] @s",
}
_STATEMENTS["cpp"] = _STATEMENTS["c"]

# Queries for names that are introduced.  A @local name is visible only in its function, a @global
# one everywhere (functions, types, macros, fields, methods, attributes).  The name of an @inside or
# @parameter node has still to be found in its declarator.
_C_DEFINITIONS = """
(function_declarator declarator: (identifier) @global)
(function_declarator declarator: (field_identifier) @global)
(field_declaration declarator: (_) @inside)
(declaration declarator: (_) @inside)
(parameter_declaration declarator: (_) @parameter)
(type_definition declarator: (type_identifier) @global)
(struct_specifier name: (type_identifier) @global body: (_))
(union_specifier name: (type_identifier) @global body: (_))
(enum_specifier name: (type_identifier) @global body: (_))
(enumerator name: (identifier) @global)
(preproc_def name: (identifier) @global)
(preproc_function_def name: (identifier) @global)
"""
_DEFINITIONS = {
    "c": _C_DEFINITIONS,
    "cpp": _C_DEFINITIONS + "(class_specifier name: (type_identifier) @global body: (_))",
    "python": """
(function_definition name: (identifier) @global)
(class_definition name: (identifier) @global)
(parameters (identifier) @local)
(parameters (default_parameter name: (identifier) @local))
(parameters (typed_parameter (identifier) @local))
(parameters (typed_default_parameter name: (identifier) @local))
(parameters (list_splat_pattern (identifier) @local))
(parameters (dictionary_splat_pattern (identifier) @local))
(assignment left: (identifier) @local)
(assignment left: (pattern_list (identifier) @local))
(assignment left: (tuple_pattern (identifier) @local))
(assignment left: (attribute attribute: (identifier) @global))
(named_expression name: (identifier) @local)
(for_statement left: (identifier) @local)
(for_statement left: (pattern_list (identifier) @local))
(as_pattern_target (identifier) @local)
(import_statement name: (dotted_name . (identifier) @local))
(import_from_statement name: (dotted_name (identifier) @local))
(aliased_import alias: (identifier) @local)
""",
}
_NAMES = {
    "c": "[(identifier) (field_identifier) (type_identifier)] @n",
    "cpp": "[(identifier) (field_identifier) (type_identifier) (namespace_identifier)] @n",
    "python": "(identifier) @n",
}
_IMPORTS = """
(import_statement name: (dotted_name . (identifier) @n))
(import_from_statement name: (dotted_name (identifier) @n))
(aliased_import alias: (identifier) @n)
"""
_PARAMETERS = {
    "c": "(function_declarator declarator: (_) @name parameters: (_) @parameters)",
    "cpp": "(function_declarator declarator: (_) @name parameters: (_) @parameters)",
    "python": "(function_definition name: (_) @name parameters: (_) @parameters)",
}

_INITIALIZERS = """
(declaration type: (_) @type declarator: (init_declarator
    declarator: (_) @object value: (initializer_list) @list))
"""
_ALIASES = """
(type_definition type: [(struct_specifier) (union_specifier)] @type
    declarator: (type_identifier) @alias)
"""
_SIMPLE = {  # statements that hold no other statement
    "expression_statement",
    "return_statement",
    "assert_statement",
    "raise_statement",
    "import_statement",
    "import_from_statement",
    "delete_statement",
    "declaration",
    "field_declaration",
    "enumerator",
    "preproc_def",
    "preproc_function_def",
}
_QUALIFIERS = {"function_definition", "class_definition", "class_specifier", "struct_specifier"}
_STRUCTURES = {"struct_specifier", "union_specifier", "class_specifier"}
_DECLARATIONS = {
    "declaration",
    "field_declaration",
    "import_statement",
    "import_from_statement",
}
_DECLARED = {"identifier", "field_identifier", "type_identifier"}
_BLOCKS = {  # compound statements of Python, and what the code in them must find around it
    "function_definition": "def",
    "class_definition": "class",
    "try_statement": "try",
    "match_statement": "match",
    **dict.fromkeys(
        ("if_statement", "for_statement", "while_statement", "with_statement"), "block"
    ),
}
_DEFINED = {"function_definition", "class_definition", "decorated_definition"}
_BRACKETS = {  # expressions of Python that brackets enclose
    **dict.fromkeys(
        ("argument_list", "parameters", "parenthesized_expression", "generator_expression"), "("
    ),
    **dict.fromkeys(("tuple", "tuple_pattern"), "("),
    **dict.fromkeys(("list", "list_comprehension", "list_pattern", "subscript"), "["),
    **dict.fromkeys(("dictionary", "dictionary_comprehension"), "{"),
    **dict.fromkeys(("set", "set_comprehension"), "{"),
}
_BODIES = {"block", "compound_statement", "module", "translation_unit", "field_declaration_list"}
_MAX_TREES = 6 * 2**20  # limit on the bytes of the sources whose trees are kept: about 0.2 GB
_MIN_FREE = 2**20  # with less room, the next tree may take the place of the last; guessed
_IN_USE = 4  # the sources that were used last, whose trees stay; guessed
_MAX_NESTED = 200  # limit on functions looked at to find the innermost one; guessed

_TOKEN = re.compile(rb"[A-Za-z_]\w*|\d[\w.]*|[^\s\w]")


@dataclass(frozen=True, slots=True)
class SourceFunction:
    """A function or class, from its first line to its last (1-based, inclusive)."""

    name: str  # qualified, such as `Parser.parse`
    first: int
    last: int
    is_class: bool = False


@dataclass(frozen=True, slots=True)
class SourceName:
    """An identifier on a line.  `scope` is its function if the name is local.

    `owner` is the structure or class that the name is a field of, if it is introduced as one.
    """

    text: str
    line: int
    scope: str | None = None
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class ListedValues:
    """How many values, and how many whole objects of an array, some lines list for a structure."""

    structure: str  # as the declaration writes it; perhaps an alias
    values: int
    objects: int  # 0 if the object is not an array


def grammar_of(path: str) -> str | None:
    return _SUFFIXES.get(PurePosixPath(path).suffix.lower())


def tokens(text: bytes) -> list[bytes]:
    """Split any text into words, numbers and single punctuation characters."""
    return _TOKEN.findall(text)


def is_word(token: bytes) -> bool:
    return token[:1].isalpha() or token[:1] == b"_"


@lru_cache(maxsize=3)
def _language(language: str) -> tree_sitter.Language:
    module = {"c": tree_sitter_c, "cpp": tree_sitter_cpp, "python": tree_sitter_python}[language]
    return tree_sitter.Language(module.language())


@lru_cache(maxsize=64)
def _query(language: str, text: str) -> tree_sitter.Query:
    return tree_sitter.Query(_language(language), text)


P = ParamSpec("P")
R = TypeVar("R")


def _remembered(
    method: Callable[Concatenate[ParsedSource, P], R],
) -> Callable[Concatenate[ParsedSource, P], R]:
    """Keep the results of a method, which need not parse the file again when asked once more."""

    @wraps(method)
    def remembered(source: ParsedSource, /, *args: P.args, **kwargs: P.kwargs) -> R:
        key: Hashable = (method, args, *kwargs.items())
        found = source.answers.get(key, source)  # no method returns the source itself
        if found is source:
            found = source.answers[key] = method(source, *args, **kwargs)
        result: R = found
        return result

    return remembered


class ParsedSource:
    """A parsed file.  Lines are 1-based.  Code with syntax errors is parsed as far as possible."""

    def __init__(self, language: str, content: bytes) -> None:
        content = only_newlines(content)  # tree-sitter counts these
        self._lines = content.split(b"\n")
        self.language = language
        self.size = len(content)
        self.answers: dict[Hashable, Any] = {}  # by method and arguments
        self.last_line = self.root.end_point[0] + 1
        functions = [*self._functions()]
        functions += self._unseen_functions(functions)
        self.functions = sorted(functions, key=lambda f: (f.first, -f.last))
        self._starts = [function.first for function in self.functions]

    @property
    def root(self) -> tree_sitter.Node:
        """The root of the syntax tree.

        A tree takes fifty times the memory of its source, so not all of them are kept.
        """
        return _kept_trees.root(self)

    def parse(self) -> tree_sitter.Node:
        """Return the root of a new syntax tree."""
        parser = tree_sitter.Parser(_language(self.language))
        return parser.parse(b"\n".join(self._lines)).root_node

    def prepare(self, edits: Iterable[range]) -> None:
        """Answer what a search asks about edited lines, now that the tree is at hand.

        The trees of many files do not fit into memory together.  A search that asks about one
        thing after the other, each time of all files, would parse most of them each time.
        """
        if not _kept_trees.is_full:
            return
        self.definitions(1, self.last_line)
        self.imported_names()
        for lines in edits:
            if self.language == "python":
                after = lines.stop if lines else lines.start + 1
                self.open_before(after)
                self.is_definition(after)
            if lines:
                first, last = lines.start, lines.stop - 1
                self.names(first, last)
                self.parameters_at(first, last)
                self.statement_lines(first, last)
                if self.language == "python":
                    self.has_annotation(first, last)
                # Those who ask stop at the first line that is not what they look for.
                all(self.is_declaration(line, self._lines[line - 1]) for line in lines)

    def function_at(self, line: int) -> SourceFunction | None:
        """Return the innermost function (or class) that holds the line."""
        last = bisect.bisect_right(self._starts, line)
        # Functions nest, so the innermost is the last to start among those that have not ended.
        for function in reversed(self.functions[max(0, last - _MAX_NESTED) : last]):
            if function.last >= line:
                return function
        return None

    def statement_starts(self, first: int, last: int) -> set[int]:
        """Return the lines from `first` to `last` on which a statement begins."""
        found = self.captures(_STATEMENTS[self.language], first, last)
        return {node.start_point[0] + 1 for nodes in found.values() for node in nodes}

    @_remembered
    def statement_lines(self, first: int, last: int) -> range:
        """Return the lines of the statement around these lines; only the head of a compound one.

        If the lines are part of neither, return them unchanged.
        """
        node = self._between(first, last)
        while node is not None and node.type not in _BODIES:
            body = next((child for child in node.children if child.type in _BODIES), None)
            head_ends = body.prev_sibling if body is not None else None
            if head_ends is not None:
                head = _line_range(node, head_ends)
                return head if last in head else range(first, last + 1)
            if node.type in _SIMPLE:
                return _line_range(node, node)
            node = node.parent
        return range(first, last + 1)

    def _between(self, first: int, last: int) -> tree_sitter.Node | None:
        """Return the smallest node that holds all text of the lines except indentation."""
        head, tail = self._lines[first - 1], self._lines[last - 1].rstrip()
        begin = (first - 1, len(head) - len(head.lstrip()))
        return self.root.descendant_for_point_range(begin, max(begin, (last - 1, len(tail))))

    @_remembered
    def is_comment(self, line: int, text: bytes) -> bool:
        """Does the line hold only blanks, a comment or part of a docstring?"""
        stripped = text.strip()
        if not stripped:
            return True
        first = len(text) - len(text.lstrip())
        node = self.root.descendant_for_point_range(
            (line - 1, first), (line - 1, first + len(stripped))
        )
        if node is None or node.type == "comment":
            return node is not None
        while node.type.startswith("string") and node.parent:
            node = node.parent
        return node.type == "expression_statement" and all(
            child.type == "string" for child in node.named_children
        )

    @_remembered
    def is_declaration(self, line: int, text: bytes) -> bool:
        """Does the line only declare or import something, or is it a comment?"""
        if self.is_comment(line, text):
            return True
        first = len(text) - len(text.lstrip())
        node = self.root.descendant_for_point_range((line - 1, first), (line - 1, len(text)))
        while node is not None and node.type not in _SIMPLE and node.type not in _BODIES:
            node = node.parent
        if node is None or node.type not in _DECLARATIONS:
            return False
        return not any(child.type == "init_declarator" for child in node.named_children)

    @_remembered
    def open_before(self, line: int) -> tuple[tuple[str, int], ...]:
        """Return what begins before a line of Python and holds it, the outermost first.

        That is blocks with their columns, brackets, a string of several lines, and decorators of a
        definition that follows.  Blank lines and comments belong to the code after them.  Only
        blocks have columns: others are -1.
        """
        node = self._code_at(line)
        found: list[tuple[str, int]] = []
        while node is not None:
            row, column = node.start_point
            if row < line - 1:
                is_block = node.type in _BLOCKS
                found += ((kind, column if is_block else -1) for kind in _opened(node, line - 1))
            node = node.parent
        return tuple(reversed(found))

    @_remembered
    def is_definition(self, line: int) -> bool:
        """Does the first code from a line on begin the definition of a function or class?"""
        node = self._code_at(line)
        while node is not None and node.parent is not None and node.parent.type not in _BODIES:
            node = node.parent
        return node is not None and node.type in _DEFINED

    def _code_at(self, line: int) -> tree_sitter.Node | None:
        """Return the first node on a line, or on the first line after it that has code."""
        for number in range(line, self.last_line + 1):
            text = self._lines[number - 1]
            point = (number - 1, len(text) - len(text.lstrip()))
            node = self.root.descendant_for_point_range(point, point)
            if node is not None and (_in_string(node) or (text.strip() and node.type != "comment")):
                return node
        return None

    @_remembered
    def definitions(self, first: int, last: int) -> tuple[SourceName, ...]:
        """Return the names that the lines introduce."""
        return tuple(self._definitions(first, last))

    def _definitions(self, first: int, last: int) -> Iterator[SourceName]:
        for kind, nodes in self.captures(_DEFINITIONS[self.language], first, last).items():
            for node in nodes:
                name = declared(node) if kind in ("inside", "parameter") else node
                if name is None:
                    continue
                line = name.start_point[0] + 1
                local = kind == "local" or (kind != "global" and name.type == "identifier")
                function = self.function_at(line) if local else None
                if kind == "parameter" and function is None:
                    continue  # a parameter in the declaration of a function without a body
                scope = function.name if function and not function.is_class else None
                yield SourceName(_text(name), line, scope, _structure_around(node))

    def postpones_annotations(self) -> int | None:
        """Return the line of `from __future__ import annotations`; None if there is none."""
        for number, line in enumerate(self._lines, 1):
            if line.startswith(b"from __future__ import") and b"annotations" in line:
                return number
        return None

    @_remembered
    def has_annotation(self, first: int, last: int) -> bool:
        """Do the lines of Python annotate a variable, a parameter or a result?"""
        return bool(self.captures("(type) @t", first, last))

    @_remembered
    def imported_names(self) -> dict[str, set[int]]:
        """Return the names that a module of Python imports for all its functions, with lines."""
        found: dict[str, set[int]] = {}
        if self.language != "python":
            return found
        for nodes in self.captures(_IMPORTS, 1, self.last_line).values():
            for node in nodes:
                line = node.start_point[0] + 1
                function = self.function_at(line)
                if function is None or function.is_class:
                    found.setdefault(_text(node), set()).add(line)
        # A name that is also defined is one of the module's own.
        own = {name.text for name in self.definitions(1, self.last_line) if not name.scope
               and name.line not in found.get(name.text, ())}  # fmt: skip
        return {name: lines for name, lines in found.items() if name not in own}

    @_remembered
    def names(self, first: int, last: int) -> tuple[SourceName, ...]:
        """Return every identifier on the lines, whether introduced or used."""
        return tuple(self._names(first, last))

    def _names(self, first: int, last: int) -> Iterator[SourceName]:
        for node in self.captures(_NAMES[self.language], first, last).get("n", ()):
            line = node.start_point[0] + 1
            function = self.function_at(line)
            yield SourceName(_text(node), line, function.name if function else None)

    @_remembered
    def parameters_at(self, first: int, last: int) -> tuple[str, ...]:
        """Return the functions whose parameter lists the lines touch."""
        return tuple(self._parameters_at(first, last))

    def _parameters_at(self, first: int, last: int) -> Iterator[str]:
        cursor = tree_sitter.QueryCursor(_query(self.language, _PARAMETERS[self.language]))
        cursor.set_point_range((first - 1, 0), (last, 0))
        for _, found in cursor.matches(self._around(first, last)):
            parameters = found["parameters"][0]
            if parameters.start_point[0] < last and parameters.end_point[0] >= first - 1:
                yield _text(found["name"][0])

    def parameter_names(self, first: int, last: int) -> Iterator[str]:
        """Yield the names of the parameters of the function that begins on a line."""
        found = self.captures(_DEFINITIONS[self.language], first, last).get("parameter", ())
        for node in found:
            name = declared(node)
            if name is not None:
                yield _text(name)

    def listed_values(self, first: int, last: int) -> Iterator[ListedValues]:
        """Yield the values that the lines list for the fields of structures, by position."""
        if last < first or self.language not in ("c", "cpp"):
            return
        cursor = tree_sitter.QueryCursor(_query(self.language, _INITIALIZERS))
        cursor.set_point_range((first - 1, 0), (last, 0))
        for _, found in cursor.matches(self._outermost(first, last)):
            listing, of_array = found["list"][0], found["object"][0].type == "array_declarator"
            objects = [c for c in listing.named_children if c.type == "initializer_list"]
            lists = objects if of_array else [listing]
            values = sum(_begins(child, first, last) for each in lists for child in _values(each))
            if structure := _structure_name(found["type"][0]):
                count = sum(_begins(child, first, last) for child in objects) if of_array else 0
                yield ListedValues(structure, values, count)

    def aliases(self) -> Iterator[tuple[str, str]]:
        """Yield the names that a typedef gives to a structure with a name of its own."""
        cursor = tree_sitter.QueryCursor(_query(self.language, _ALIASES))
        for _, found in cursor.matches(self.root):
            if structure := _structure_name(found["type"][0]):
                yield _text(found["alias"][0]), structure

    def _outermost(self, first: int, last: int) -> tree_sitter.Node:
        """Return the declaration around the lines; the root if there is none."""
        node = self.root.descendant_for_point_range((first - 1, 0), (last, 0))
        while node is not None and node.type != "declaration":
            node = node.parent
        return node or self.root

    def captures(self, query: str, first: int, last: int) -> dict[str, list[tree_sitter.Node]]:
        """Return the nodes that a tree-sitter query captures on the lines, by capture name."""
        if last < first:
            return {}
        cursor = tree_sitter.QueryCursor(_query(self.language, query))
        cursor.set_point_range((first - 1, 0), (last, 0))
        found = cursor.captures(self._around(first, last))
        # The query returns every node that touches the range; keep those that begin in it.
        return {
            kind: [node for node in nodes if first - 1 <= node.start_point[0] < last]
            for kind, nodes in found.items()
        }

    def _around(self, first: int, last: int) -> tree_sitter.Node:
        """Return a node that holds the lines: a query from the root would visit the whole file."""
        node = self.root.descendant_for_point_range((first - 1, 0), (last, 0))
        return node.parent if node and node.parent else self.root

    def _functions(self) -> Iterator[SourceFunction]:
        cursor = tree_sitter.QueryCursor(_query(self.language, _FUNCTIONS[self.language]))
        for node in cursor.captures(self.root).get("f", ()):
            if name := _qualified(node):
                first, last = node.start_point[0] + 1, node.end_point[0] + 1
                yield SourceFunction(name, first, last, is_class=node.type == "class_definition")

    def _unseen_functions(self, seen: list[SourceFunction]) -> Iterator[SourceFunction]:
        """Yield functions of old C that the grammar takes for something else."""
        if self.language not in ("c", "cpp"):
            return
        bodies = {function.last for function in seen}
        for name, first, last in column_functions(self._lines):
            if last not in bodies:
                yield SourceFunction(name, first, last)


class _KeptTrees:
    """Some syntax trees; others are parsed again.

    Our passes over all changes go through the files in the same order.  So the trees that were used
    last, except the few in use, are those that will not be needed for longest.
    """

    def __init__(self) -> None:
        self._roots: dict[ParsedSource, tree_sitter.Node] = {}  # the last used last
        self._size = 0  # bytes of their sources
        self._lock = Lock()

    @property
    def is_full(self) -> bool:
        """Will the tree that was used last be dropped soon?"""
        return self._size > _MAX_TREES - _MIN_FREE

    def root(self, source: ParsedSource) -> tree_sitter.Node:
        with self._lock:
            root = self._roots.pop(source, None)
            if root is None:
                root = source.parse()
                self._size += source.size
            self._roots[source] = root
            while self._size > _MAX_TREES and len(self._roots) > _IN_USE:
                dropped = list(self._roots)[-_IN_USE - 1]
                self._size -= dropped.size
                del self._roots[dropped]
        return root


_kept_trees = _KeptTrees()


def _in_string(node: tree_sitter.Node) -> bool:
    """Is the node a part of a string?"""
    return node.type.startswith("string")


def _opened(node: tree_sitter.Node, row: int) -> Iterator[str]:
    """Yield what a node of Python that begins before a row opens for the code at that row."""
    kind = _BLOCKS.get(node.type)
    if kind == "try":
        # Until its first clause, a try block still needs one.
        clauses = (child for child in node.children if child.type.endswith("_clause"))
        has_clause = any(clause.start_point[0] < row for clause in clauses)
        yield "handled try" if has_clause else "try"
    elif kind is not None:
        yield kind
    elif node.type in _BRACKETS:
        yield _BRACKETS[node.type]
    elif node.type == "string":
        yield _text(node.children[0]) if node.children else "string"
    elif node.type in _SIMPLE:
        yield "statement"
    elif node.type == "decorated_definition":
        definition = node.child_by_field_name("definition")
        if definition is not None and definition.start_point[0] >= row:
            yield "decorator"


def _text(node: tree_sitter.Node) -> str:
    # Interned, because names are kept and most of them occur many times.
    return sys.intern((node.text or b"").decode("utf-8", "replace"))


def _line_range(first: tree_sitter.Node, last: tree_sitter.Node) -> range:
    """Return the lines from the start of one node to the end of another."""
    row, column = last.end_point
    # A node that ends at column 0 does not reach that line.
    return range(first.start_point[0] + 1, row + 1 + (column > 0))


def declared(node: tree_sitter.Node | None) -> tree_sitter.Node | None:
    """Find the name in a C declarator: `*x`, `&x`, `x[3]`, `x = 1`, `(*x)(int)`."""
    while node is not None and node.type not in _DECLARED:
        node = _inner(node)
    return node


def _inner(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the declarator inside this one.  In `&x` and `(x)` the grammar does not name it."""
    if node.type == "qualified_identifier":
        return node.child_by_field_name("name")
    if node.type in ("parenthesized_declarator", "reference_declarator"):
        return next((child for child in node.named_children if child.type != "comment"), None)
    return node.child_by_field_name("declarator")


def _structure_around(node: tree_sitter.Node) -> str | None:
    """Return the name of the structure, union or class whose field a declarator declares."""
    declaration = node.parent
    if declaration is None or declaration.type != "field_declaration":
        return None
    body = declaration.parent
    structure = body.parent if body is not None else None
    if structure is None or structure.type not in _STRUCTURES:
        return None
    name = structure.child_by_field_name("name")
    if name is None and structure.parent is not None:
        name = structure.parent.child_by_field_name("declarator")  # typedef struct {...} name;
    return _text(name) if name is not None else None


def _structure_name(node: tree_sitter.Node) -> str | None:
    """Return the name in `struct name` or of an alias; None for other types."""
    if node.type in _STRUCTURES:
        name = node.child_by_field_name("name")
        return _text(name) if name is not None else None
    return _text(node) if node.type == "type_identifier" else None


def _values(listing: tree_sitter.Node) -> list[tree_sitter.Node]:
    """Return the values of an initialiser that are listed by position, not by a field's name."""
    skipped = ("comment", "initializer_pair")
    return [child for child in listing.named_children if child.type not in skipped]


def _begins(node: tree_sitter.Node, first: int, last: int) -> bool:
    return first <= node.start_point[0] + 1 <= last


def _untyped_name(function: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the name in `half(n) { ... }`: old C leaves out the type of functions and parameters.

    Of `DEFINE (name) { ... }`, with a macro, it is what stands in parentheses.
    """
    declarator = function.child_by_field_name("declarator")
    if declarator is None or declarator.type != "parenthesized_declarator":
        return None
    name = function.child_by_field_name("type")
    inner = declarator.named_children
    return inner[0] if name and _text(name).isupper() and len(inner) == 1 else name


def _qualified(node: tree_sitter.Node) -> str | None:
    parts: list[str] = []
    walk: tree_sitter.Node | None = node
    while walk is not None:
        if walk.type in _QUALIFIERS:
            name = walk.child_by_field_name("name")
            if name is None:
                name = _function_name(walk.child_by_field_name("declarator")) or _untyped_name(walk)
            if name is not None:
                parts.append(_text(name))
            elif walk is node:
                return None
        walk = walk.parent
    return ".".join(reversed(parts))


def _function_name(node: tree_sitter.Node | None) -> tree_sitter.Node | None:
    """Find the name before the innermost parameter list: `f` in `(*f(int a))(int b)`."""
    name = None
    while node is not None:
        inner = _inner(node)
        if node.type == "function_declarator":
            name = inner
        node = inner
    return name


def depth_changes(units: list[bytes]) -> list[int]:
    """Return the number of open brackets before each unit and after the last unit."""
    depths = [0]
    for unit in units:
        opened = sum(unit.count(sign) for sign in (b"(", b"[", b"{"))
        closed = sum(unit.count(sign) for sign in (b")", b"]", b"}"))
        depths.append(depths[-1] + opened - closed)
    return depths
