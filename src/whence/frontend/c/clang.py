"""Which compiler do whence-cc and whence-c++ stand for, and how is it run?

This module imports only what is cheap: a configure script starts whence-cc hundreds of times.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping, Sequence

from whence.errors import UserError, install_command
from whence.frontend.cache_folder import cache_directory

OLDEST, NEWEST = 19, 22  # LLVM versions whose IR llvmlite and our reader understand


def compiler(plus: bool, env: Mapping[str, str]) -> list[str]:
    """Return the command of the C compiler, or of the C++ compiler if `plus`.

    It is the user's ($WHENCE_CLANG, $WHENCE_CLANGXX), else a recent clang on the PATH, else zig
    from PyPI.  It is the same with and without recording, so that runs are comparable.
    """
    given = env.get("WHENCE_CLANGXX" if plus else "WHENCE_CLANG")
    if given:
        import shlex

        return shlex.split(given)
    found = _system_clang(plus, env) or _zig(plus)
    if found is None:
        raise UserError(
            f"no compiler: the PATH has no clang of version {OLDEST} to {NEWEST}, and zig is not"
            f" installed.\nInstall zig: {install_command('c')}\n"
            "or name a clang: WHENCE_CLANG=/path/to/clang WHENCE_CLANGXX=/path/to/clang++",
            slug="no-clang",
        )
    return found


def is_zig(command: Sequence[str]) -> bool:
    return any(word.endswith(("zig", "ziglang")) for word in command[:3])


def run_plain(command: Sequence[str], arguments: Sequence[str]) -> int:
    """Replace this process by the compiler; return only if several calls are needed."""
    calls = zig_calls(arguments) if is_zig(command) else [list(arguments)]
    try:
        if len(calls) > 1:
            import subprocess

            statuses = [subprocess.run([*command, *words]).returncode for words in calls]
            return next(filter(None, statuses), 0)
        sys.stderr.flush()
        os.execvp(command[0], [*command, *calls[0]])
    except OSError as error:
        raise UserError(
            f"cannot run the compiler {command[0]}: {error.strerror}.\n"
            "It comes from $WHENCE_CLANG or $WHENCE_CLANGXX; unset them to let whence find one.",
            slug="no-clang",
        ) from error


# -- differences between zig and clang -------------------------------------------------------------

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
    """Return the arguments without the languages that zig does not know.

    Preprocessed C is passed as C: preprocessing it again changes nothing.
    """
    known = {"cpp-output": "c", "c-cpp-output": "c", "c++-cpp-output": "c++"}
    words = [
        known.get(word, word) if place and arguments[place - 1] == "-x" else word
        for place, word in enumerate(arguments)
    ]
    if "-x" in words:
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


def _system_clang(plus: bool, env: Mapping[str, str]) -> list[str] | None:
    name = "clang++" if plus else "clang"
    numbered = [(f"{name}-{version}", version) for version in range(NEWEST, OLDEST - 1, -1)]
    directories = env.get("PATH", os.defpath).split(os.pathsep)
    for candidate, version in [(name, 0), *numbered]:
        for directory in directories:
            path = os.path.join(directory, candidate)
            if os.access(path, os.X_OK) and os.path.isfile(path):
                if OLDEST <= (version or _major(path, env)) <= NEWEST:
                    return [path]
                break
    return None


def _major(path: str, env: Mapping[str, str]) -> int:
    """Return the major version of a clang, 0 if unknown; the answer is kept in the cache."""
    about = os.stat(path)
    name = f"{path.replace('/', '%')}-{about.st_size}-{about.st_mtime_ns}"
    cached = os.path.join(cache_directory(env), "clang", name)
    try:
        with open(cached) as known:
            return int(known.read())
    except (OSError, ValueError):
        major = _ask_major(path)
    try:
        os.makedirs(os.path.dirname(cached), exist_ok=True)
        with open(cached, "w") as known:
            known.write(str(major))
    except OSError:
        pass  # a read-only home: run the compiler again next time
    return major


def _ask_major(path: str) -> int:
    import re
    import subprocess

    answer = subprocess.run([path, "--version"], capture_output=True, text=True, errors="replace")
    found = re.search(r"clang version (\d+)", answer.stdout)
    return int(found[1]) if found and "Apple" not in answer.stdout else 0


def _zig(plus: bool) -> list[str] | None:
    from importlib.util import find_spec

    package = find_spec("ziglang")
    if package is None or not package.submodule_search_locations:
        return None
    # Running zig by its path avoids a second Python.  By default zig turns UBSan on and compiles
    # for the CPU of this machine; other compilers do not, and objects are kept in a cache.  With
    # -fno-sanitize=all alone, zig would still build the sanitizer runtime.
    zig = os.path.join(package.submodule_search_locations[0], "zig")
    mode = "c++" if plus else "cc"
    return [zig, mode, "-fno-sanitize=all,undefined", "-mcpu=baseline"]
