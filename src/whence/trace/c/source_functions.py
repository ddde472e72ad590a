"""Which functions does the source of a C or C++ project define?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from whence.changes.syntax import ParsedSource, grammar_of, tokens
from whence.file_trees import files_below
from whence.source_lines import decoded_lines
from whence.trace.function_pairs import FunctionSource

_COMMENT = re.compile(rb"/\*.*?\*/|//[^\n]*|(\"(?:\\.|[^\"\\])*\")", re.DOTALL)


def source_functions(tree: Path) -> Iterator[FunctionSource]:
    """Yield the functions of all C and C++ files below `tree`."""
    for path in sorted(files_below(tree)):
        if grammar_of(path.name) in ("c", "cpp") and path.is_file():
            yield from file_functions(path.read_bytes(), path.relative_to(tree).as_posix())


def file_functions(content: bytes, file: str) -> Iterator[FunctionSource]:
    """Yield the functions of one file."""
    grammar = grammar_of(file)
    if grammar is None:
        return
    lines = decoded_lines(content)
    for function in ParsedSource(grammar, content).functions:
        if not function.is_class:
            body = lines[function.first - 1 : function.last]
            text = tuple(line.strip() for line in body)
            name = function.name.replace(".", "::")
            meaning = _meaning("\n".join(body).encode("utf-8", "surrogateescape"))
            yield FunctionSource(name, file, function.first, function.last, text, meaning)


def _meaning(text: bytes) -> str:
    """Return what is left of a function without comments and layout."""
    plain = _COMMENT.sub(lambda match: match[1] or b" ", text)
    return " ".join(token.decode("utf-8", "replace") for token in tokens(plain))
