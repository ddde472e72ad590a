"""What does zig's driver (`zig cc`) need to do what clang's driver does?

This module imports only what is cheap: a configure script starts whence-cc hundreds of times.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from itertools import pairwise


def uses_zig_driver(command: Sequence[str]) -> bool:
    """Is this command `zig cc` or `zig c++`, rather than the driver of a clang?"""
    return any(
        word.endswith(("zig", "ziglang")) and following in ("cc", "c++")
        for word, following in pairwise(command[:4])
    )


STAGES = ("-c", "-S", "-E", "-M", "-MM", "-fsyntax-only")
SOURCES = (".c", ".cc", ".cp", ".cxx", ".cpp", ".c++", ".C", ".i", ".ii", ".s", ".S")
VALUED = ("-o", "-x", "-include", "-imacros", "-MF", "-MT", "-MQ", "-D", "-I", "-Xclang")
PREPROCESSED = {".i": "c", ".ii": "c++"}


def zig_calls(arguments: Sequence[str]) -> list[list[str]]:
    """Return the calls of zig that do what one call of another clang does.

    Given several sources without linking, zig would compile only the first.
    """
    places = _sources(arguments)
    if len(places) < 2 or "-o" in arguments or not any(word in STAGES for word in arguments):
        return [zig_arguments(arguments)]
    others = [set(places) - {place} for place in places]
    return [
        zig_arguments([word for place, word in enumerate(arguments) if place not in left_out])
        for left_out in others
    ]


def zig_arguments(arguments: Sequence[str]) -> list[str]:
    """Return the arguments that make zig do what another clang does with these."""
    words = _with_known_languages(arguments)
    if "-fsyntax-only" in words:  # zig would look for an object file afterwards, and fail
        words = [word for word in words if word not in ("-fsyntax-only", "-c", "-S")]
        words[:0] = ["-E", "-Xclang", "-fsyntax-only"]
    elif any(word in ("-E", "-M", "-MM") for word in words):
        _write_to_device(words)
    if _defines_ndebug(words):
        words.insert(0, "-UNDEBUG")  # a later -DNDEBUG of the user wins
    return words


def _sources(words: Sequence[str]) -> list[int]:
    """Return the indices of the words that are sources by their names."""
    return [
        place
        for place, word in enumerate(words)
        if word.endswith(SOURCES) and word[:1] != "-" and words[max(place - 1, 0)] not in VALUED
    ]


def _with_known_languages(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with a language that zig knows wherever it needs one.

    Preprocessed C is passed as C: preprocessing it again changes nothing.
    """
    known = {"cpp-output": "c", "c-cpp-output": "c", "c++-cpp-output": "c++"}
    words = [
        known.get(word, word) if place and arguments[place - 1] == "-x" else word
        for place, word in enumerate(arguments)
    ]
    if any(word.startswith("-x") for word in words):
        return words
    if "-" in words:  # zig asks for the language of standard input, also with -E
        words.insert(words.index("-"), "-xc")
        return words
    for place in reversed(_sources(words)):
        language = PREPROCESSED.get(os.path.splitext(words[place])[1])
        if language:
            words[place : place + 1] = ["-x", language, words[place], "-x", "none"]
    return words


def _defines_ndebug(words: Sequence[str]) -> bool:
    """Would zig define NDEBUG by itself?  It does so when it optimises."""
    optimised = any(
        word[:1] == "@" or (word[:2] == "-O" and word not in ("-O0", "-Og")) for word in words
    )
    # assembler would warn about it
    return optimised and not any(word.endswith(".s") for word in words)


def _write_to_device(words: list[str]) -> None:
    """If -o names a device, write to it as standard output: zig would replace it by a file."""
    at = words.index("-o") if "-o" in words[:-1] else None
    if at is None:
        return
    try:
        mode = os.stat(words[at + 1]).st_mode
    except OSError:
        return
    if not stat.S_ISREG(mode):
        os.dup2(os.open(words[at + 1], os.O_WRONLY), 1)
        del words[at : at + 2]
