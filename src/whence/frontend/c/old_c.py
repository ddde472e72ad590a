"""Which words make clang accept old C that it rejects and gcc accepts?

Some faults are no warnings of clang that an option could turn on or off.  A call of a library
function that is not declared must have the arguments of that function; a variable must not have
the name of such a function (`int log;`); a function that is called before its definition must not
return void; and an array must not be `register`.  Gcc at most warns about them.  The words are
known once clang has failed, so such a source is compiled twice.

This module imports only what is cheap, until a source does not compile.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from whence.frontend.cache_folder import cache_directory

# The error, the line of the source, and below it the place of the called function: `~~~~~~ ^`.
_WRONG_COUNT = (
    r"error: too (?:few|many) arguments to function call.*\n.* \| (.*)\n.* \| ( *)(~+)[ ~]*\^"
)
_OTHER_KIND = r"error: redefinition of '(\w+)' as different kind of symbol"
_REGISTER = "error: address of register variable requested"
_CONFLICT = r"error: conflicting types for '(\w+)'"
_IMPLICIT = "previous implicit declaration is here"


def accepting_words(errors: str, env: Mapping[str, str]) -> list[str]:
    """Return the words with which clang may accept a source, given what it wrote about it."""
    import re

    called = {
        line[len(indent) : len(indent) + len(mark)]
        for line, indent, mark in re.findall(_WRONG_COUNT, errors)
    }
    called |= set(re.findall(_OTHER_KIND, errors))
    words = [f"-fno-builtin-{name}" for name in sorted(called) if name.isidentifier()]
    words += ["-Dregister="] if _REGISTER in errors else []
    if _IMPLICIT in errors and (names := sorted(set(re.findall(_CONFLICT, errors)))):
        words += ["-include", _declarations("".join(f"void {name}();\n" for name in names), env)]
    return words


def _declarations(text: str, env: Mapping[str, str]) -> str:
    """Return the path of a header with this text.  The header stays: files of `make` name it."""
    import tempfile
    from hashlib import sha256

    folder = os.path.join(cache_directory(env), "clang")
    path = os.path.join(folder, f"declarations-{sha256(text.encode()).hexdigest()[:16]}.h")
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as file:
            file.write(text)
        os.replace(file.name, path)
    return path
