"""Do lines stand alone, in a program whose language whence does not parse?

A block replaces old lines with new ones.  If each half is whole statements, the removal and the
addition are two changes.  This is read from brackets, quotes and the ends of lines: a guess, which
costs runs if it is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import PurePosixPath

from whence.changes.syntax import depth_changes

# Languages with statements on lines of their own; data and prose are not split.
_PROGRAMS = frozenset(
    {
        *(".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".dart", ".php"),
        *(".sh", ".bash", ".zsh", ".awk", ".tcl", ".pl", ".pm", ".rb", ".lua"),
        *(".go", ".rs", ".java", ".kt", ".scala", ".swift", ".cs"),
    }
)
_QUOTES = (b'"', b"'", b"`")
# A first line that continues, or a last line that is continued.
_CONTINUES = re.compile(
    rb"([.)\]}?:,|&=<>+*/%]|(else|elif|catch|finally|case|default|then|do|fi|done|esac|end|in)\b)"
)
_CONTINUED = re.compile(rb"([-.(\[{?:,|&=<>+*/%\\]|\b(else|then|do|in|return|begin))$")
_SAME_STATEMENT = 0.6  # similarity from which on old and new lines are one statement; guessed
_COMMENT = re.compile(rb"(//|#|/\*|\*|--)")
_DECLARED = re.compile(
    rb"\b(?:const|let|var|function|class|local|func|fn|def|sub|type|enum|interface)\s+\*?(\w+)"
)


def has_statements(path: str) -> bool:
    """Is the file a program, by its name?"""
    return PurePosixPath(path).suffix.lower() in _PROGRAMS


def stand_alone(old: Sequence[bytes], new: Sequence[bytes]) -> bool:
    """Is each half whole statements, and can both be in the program at once?

    Lines that resemble each other are one statement that was changed.
    """
    if not (_is_whole(old) and _is_whole(new)):
        return False
    if SequenceMatcher(None, b"".join(old), b"".join(new)).ratio() >= _SAME_STATEMENT:
        return False
    declared = [set(_DECLARED.findall(b"".join(lines))) for lines in (old, new)]
    return declared[0].isdisjoint(declared[1])


def _is_whole(lines: Sequence[bytes]) -> bool:
    text = b"".join(lines)
    code = [line.strip() for line in lines if line.strip()]
    if not code or all(_COMMENT.match(line) for line in code):
        return False
    depths = depth_changes(list(lines))
    if depths[-1] != 0 or min(depths) < 0 or any(text.count(quote) % 2 for quote in _QUOTES):
        return False
    return not _CONTINUES.match(code[0]) and not _CONTINUED.search(code[-1])
