"""Which preprocessor conditions decide whether a line is compiled?"""

from __future__ import annotations

import bisect
import re

_DIRECTIVE = re.compile(
    rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(?:\\\r?\n|[^\n])*", re.M
)


class PreprocessorConditions:
    """The conditional directives of one file.  They need not nest as the code does."""

    def __init__(self, content: bytes) -> None:
        # From line _starts[i] on, the groups _open[i] are open, the outermost first.  A group
        # holds the lines of its directives: #if, #elif, #else, #endif.
        self._starts: list[int] = [0]
        self._open: list[tuple[list[range], ...]] = [()]
        line, done = 1, 0
        for match in _DIRECTIVE.finditer(content):
            line += content.count(b"\n", done, match.start())
            done = match.start()
            self._add(match[1], range(line, line + 1 + match[0].count(b"\n")))

    def _add(self, word: bytes, lines: range) -> None:
        stack = self._open[-1]
        if word.startswith(b"if"):
            stack = (*stack, [lines])
        elif stack:
            stack[-1].append(lines)
            if word == b"endif":
                stack = stack[:-1]
        self._starts.append(lines.stop)
        self._open.append(stack)

    def above(self, line: int) -> list[range]:
        """Return the directives above a line that decide whether it is compiled."""
        return [lines for lines in self.around(line) if lines.stop <= line]

    def around(self, line: int) -> list[range]:
        """Return the lines of all directives around a line, including `#else` and `#endif`."""
        at = bisect.bisect_right(self._starts, line) - 1
        return [lines for group in self._open[at] for lines in group]
