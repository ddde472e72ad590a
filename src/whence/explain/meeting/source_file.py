"""Which statements, preprocessor conditions and declarations does one file have?"""

from __future__ import annotations

import bisect
import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate

from whence.changes.syntax import ParsedSource
from whence.explain.meeting.c_declarations import read_c, read_c_locals
from whence.explain.meeting.conditions import PreprocessorConditions
from whence.explain.meeting.declarations import SourceDeclaration, declaration_lines
from whence.explain.meeting.lexemes import NameUse, lexemes, uses
from whence.explain.meeting.python_declarations import read_python, read_python_locals
from whence.explain.meeting.statements import StatementIndex
from whence.source_lines import only_newlines

_LABEL = re.compile(rb"\s*case\b[^;]*:[\s{]*(/[/*].*)?$")
_MAX_MARKERS = 50  # ignore the labels of a switch with more: it uses too many names; guessed
ByName = dict[str, list[SourceDeclaration]]


class SourceFile:
    """A file in a known language.  Each part is read when it is first needed."""

    def __init__(self, source: ParsedSource, content: bytes) -> None:
        self.source = source
        self.language = source.language
        self._content = only_newlines(content)
        self._lines = self._content.split(b"\n")
        self._locals: dict[int, ByName] = {}

    @cached_property
    def statements(self) -> StatementIndex:
        return StatementIndex(self.source.root)

    @cached_property
    def conditions(self) -> PreprocessorConditions:
        return PreprocessorConditions(b"" if self.language == "python" else self._content)

    @cached_property
    def declarations(self) -> list[SourceDeclaration]:
        return list(read_python(self.source) if self.language == "python" else read_c(self.source))

    @cached_property
    def by_name(self) -> ByName:
        return _by_name(self.declarations)

    @cached_property
    def functions(self) -> list[tuple[int, int, SourceDeclaration]]:
        found = [(*self._rows_of(d.body), d) for d in self.declarations if d.body is not None]
        return sorted(found, key=lambda item: item[:2])

    def _rows_of(self, body: tuple[int, int]) -> tuple[int, int]:
        """Return the first and the last line of a range of bytes."""
        first, end = (bisect.bisect_right(self._line_starts, byte) for byte in body)
        return first, end

    @cached_property
    def _line_starts(self) -> list[int]:
        """The first byte of each line."""
        return [0, *accumulate(len(line) + 1 for line in self._lines[:-1])]

    def function_at(self, line: int) -> SourceDeclaration | None:
        """Return the outermost function that holds the line."""
        at = bisect.bisect_right(self.functions, line, key=lambda item: item[0])
        _, last, function = self.functions[at - 1] if at else (0, 0, None)
        return function if line <= last else None

    def local_to(self, function: SourceDeclaration) -> ByName:
        """Return the declarations in a function, by name."""
        assert function.body is not None
        key = function.body[0]
        if key not in self._locals:
            reader = read_python_locals if self.language == "python" else read_c_locals
            self._locals[key] = _by_name(reader(self.source, function))
        return self._locals[key]

    def text(self, *lines: range) -> bytes:
        """Return the text of line ranges."""
        return b"\n".join(
            line for span in lines for line in self._lines[span.start - 1 : span.stop - 1]
        )

    def used_at(self, line: int) -> frozenset[NameUse]:
        """Return the names that the statement at a line and its conditions use."""
        lines = [range(line, line + 1), *self.conditions.above(line)]
        for statement in self.statements.at(line):
            lines += (*statement.head, self._labels_above(statement.head[0].start))
            if len(statement.markers) <= _MAX_MARKERS:
                lines += statement.markers
        return uses(self.language, self.text(*lines))

    def _labels_above(self, line: int) -> range:
        """Return the lines of the `case` labels right above a line."""
        first = line
        while first > 1 and _LABEL.match(self._lines[first - 2]):
            first -= 1
        return range(first, line)

    def is_code(self, line: int) -> bool:
        """Has the line more than blanks and a comment?"""
        if not 0 < line <= len(self._lines):
            return True  # both ends of the file stop a search for code
        return not self.source.is_comment(line, self._lines[line - 1])

    def comment_at(self, line: int) -> range | None:
        """Return the lines of the comment that covers a whole line, or None."""
        if self.is_code(line) or not (text := self._lines[line - 1]).strip():
            return None
        place = (line - 1, len(text) - len(text.lstrip()))
        node = self.source.root.descendant_for_point_range(place, place)
        return declaration_lines(node)[0] if node is not None else None

    def conditions_around(self, declaration: SourceDeclaration) -> list[range]:
        """Return the lines of the preprocessor directives around a declaration."""
        return self.conditions.around(declaration.lines[0].start) if declaration.lines else []

    def meaning(self, declaration: SourceDeclaration) -> tuple[bytes, ...]:
        """Return the tokens of a declaration and of the preprocessor conditions above it."""
        if not declaration.lines:  # a Python local: all its lines are executable statements
            return declaration.shape
        conditions = self.text(*self.conditions.above(declaration.lines[0].start))
        return (*lexemes(self.language, conditions), *declaration.shape)


def _by_name(declarations: Iterable[SourceDeclaration]) -> ByName:
    found: ByName = defaultdict(list)
    for declaration in declarations:
        found[declaration.name].append(declaration)
    return dict(found)
