"""How is a source compiled that clang rejects and gcc accepts?

First with more words, if they make clang accept it (`old_c`).  Else gcc compiles it: clang has no
nested functions, no arrays of variable size in a structure, and no global register variables.
Such a source is not recorded, and listed as such.

This module imports only what is cheap, until a source does not compile.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence

from whence.frontend.c.clang import on_path
from whence.frontend.c.like_gcc import ASKING
from whence.frontend.c.old_c import accepting_words
from whence.frontend.c.zig_driver import uses_zig_driver

# An object for an optimising linker has no machine code, and our linker is not the one of gcc.
NO_LTO = "-fno-lto"


# Compiles with the given words for clang, or else with a gcc; returns the exit status.
Compile = Callable[[Sequence[str], "str | None"], int]


def gcc_for(command: Sequence[str], plus: bool, env: Mapping[str, str]) -> str | None:
    """Return the gcc whose objects can be linked with those of `command`, if there is one."""
    if env.get(ASKING) or uses_zig_driver(command):
        return None
    return on_path("g++" if plus else "gcc", env)


def compile_again(
    compile_: Compile, words: Sequence[str], gcc: str | None, env: Mapping[str, str]
) -> int:
    """Compile; if clang rejects the source, compile once more.  Return the exit status.

    If nothing accepts the source, what clang wrote at first is shown.
    """
    status, text = _compiled(lambda: compile_(words, None))
    more = accepting_words(text.decode("utf-8", "replace"), env) if status else []
    if more:
        status, later = _compiled(lambda: compile_([*more, *words], None))
        text = text if status and gcc else later
    if status and gcc:
        os.environ[ASKING] = "1"  # this gcc could be a link to whence-cc
        by_gcc, its_text = _compiled(lambda: compile_(words, gcc))
        status, text = (0, its_text) if by_gcc == 0 else (status, text)
    sys.stderr.buffer.write(text)
    sys.stderr.buffer.flush()
    return status


def _compiled(compile_: Callable[[], int]) -> tuple[int, bytes]:
    """Compile; return the exit status, and what was written to standard error meanwhile."""
    sys.stderr.flush()
    kept, errors = os.dup(2), os.memfd_create("errors")
    os.dup2(errors, 2)
    try:
        status = compile_()
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)
    size = os.fstat(errors).st_size
    text = os.pread(errors, size, 0)
    os.close(errors)
    return status, text
