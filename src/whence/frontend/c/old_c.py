"""Which words make clang accept old C that it rejects and gcc accepts?

Two faults are no warnings of clang that an option could turn on or off.  A call of a library
function that is not declared must have the arguments of that function; and a function that is
called before its definition must not return void.  Gcc only warns about both.  The words are known
once clang has failed, so such a source is compiled twice.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence

from whence.frontend.cache_folder import cache_directory

# The error, the line of the source, and below it the place of the called function: `~~~~~~ ^`.
_WRONG_COUNT = re.compile(
    r"error: too (?:few|many) arguments to function call.*\n.* \| (.*)\n.* \| ( *)(~+)[ ~]*\^"
)
_CONFLICT = re.compile(r"error: conflicting types for '(\w+)'")
_IMPLICIT = "previous implicit declaration is here"


def compile_old_c(
    compile_: Callable[[Sequence[str]], int], arguments: Sequence[str], env: Mapping[str, str]
) -> int:
    """Compile C; if clang rejects what gcc accepts, compile once more.  Return the exit status.

    `compile_` compiles with the given arguments.
    """
    sys.stderr.flush()
    with tempfile.TemporaryFile() as errors:
        with _errors_to(errors.fileno()):
            status = compile_(arguments)
        errors.seek(0)
        text = errors.read()
    words = accepting_words(text.decode("utf-8", "replace"), env) if status else []
    if words:
        return compile_([*words, *arguments])
    sys.stderr.buffer.write(text)
    sys.stderr.buffer.flush()
    return status


def accepting_words(errors: str, env: Mapping[str, str]) -> list[str]:
    """Return the words with which clang may accept a source, given what it wrote about it."""
    called = {
        line[len(indent) : len(indent) + len(mark)]
        for line, indent, mark in _WRONG_COUNT.findall(errors)
    }
    words = [f"-fno-builtin-{name}" for name in sorted(called) if name.isidentifier()]
    if _IMPLICIT in errors and (names := sorted(set(_CONFLICT.findall(errors)))):
        words += ["-include", _declarations("".join(f"void {name}();\n" for name in names), env)]
    return words


def _declarations(text: str, env: Mapping[str, str]) -> str:
    """Return the path of a header with this text.  The header stays: files of `make` name it."""
    from hashlib import sha256

    folder = os.path.join(cache_directory(env), "clang")
    path = os.path.join(folder, f"declarations-{sha256(text.encode()).hexdigest()[:16]}.h")
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as file:
            file.write(text)
        os.replace(file.name, path)
    return path


@contextlib.contextmanager
def _errors_to(target: int) -> Iterator[None]:
    """Send what this process and its children write to standard error to a file."""
    kept = os.dup(2)
    os.dup2(target, 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)
