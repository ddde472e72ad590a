"""Which arguments make clang accept what gcc accepts with the user's arguments?

- Clang makes errors of faults that gcc 12 warns about, such as an implicit declaration.  They
  become warnings again, unless the user asks for errors.
- Clang rejects options that only gcc has, such as -fconserve-stack.  They are left out.
- Clang warns about more than gcc, so -Werror would fail a build that gcc makes.  It is left out,
  except when a configure script tries the compiler: then the answer must be exact.

This module imports only what is cheap: a configure script starts whence-cc hundreds of times.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from whence.frontend.c.clang import executable_state, keep_answers, known_answers, on_path
from whence.frontend.c.zig_driver import uses_zig_driver, zig_arguments
from whence.temporary import temporary_folder

# Clang's errors that gcc 12 accepts, by their warning group; tests/frontend/driver/test_like_gcc.py
# has a program for each and compares with gcc.
ACCEPTED = (
    "implicit-function-declaration",
    "implicit-int",
    "incompatible-pointer-types",
    "incompatible-function-pointer-types",
    "int-conversion",
    "return-mismatch",
    "c++11-narrowing",
    "missing-template-arg-list-after-template-kw",
    "non-pod-varargs",
    "register",
    "reserved-user-defined-literal",
)
# Groups of gcc that contain some of these.
_CONTAINING = ("implicit", "narrowing", "return-type")
# Clang warns about options that it ignores; with -Werror that would be an error.
_QUIET = ("-Wno-ignored-optimization-argument", "-Wno-unused-command-line-argument")

# The next word is the value of these options, whatever it looks like.
_VALUED = (
    "-o", "-x", "-D", "-U", "-I", "-L", "-T", "-u", "-z", "-include", "-imacros", "-isystem",
    "-iquote", "-idirafter", "-MF", "-MT", "-MQ", "-Xclang", "-Xlinker", "-Xassembler",
    "-Xpreprocessor", "-mllvm", "--param",
)  # fmt: skip
# The clang in zig has neither a linker plugin nor the runtimes for these.  Recording leaves most of
# them out with any compiler.
_LACKING = ("-flto", "-ffat-lto", "-fuse-linker-plugin", "-fprofile", "-fcoverage", "-fopenmp",
            "-ftest-coverage", "--coverage", "-coverage", "-fsanitize")  # fmt: skip
_ASKED = ("-f", "-m", "-W", "-g")  # how the options begin that gcc may have and clang may not
_NOT_ASKED = ("-Wl,", "-Wa,", "-Wp,", "-Werror", "-fsyntax-only", "-fplugin")
ASKING = "WHENCE_ASKING_COMPILER"  # is set while we ask gcc, which could be a link to whence-cc


def like_gcc(
    command: Sequence[str],
    plus: bool,
    arguments: Sequence[str],
    env: Mapping[str, str],
    *,
    probing: bool,
) -> list[str]:
    """Return the arguments with which clang accepts what gcc accepts with `arguments`.

    `probing`: a configure script tries the compiler, so what gcc rejects must be rejected too.
    """
    words = _expanded(arguments)
    places = _options(words)
    given = [words[place] for place in places]
    left_out = set() if env.get(ASKING) else _gcc_only(command, plus, given, env, probing=probing)
    if list(command[1:2]) == ["clang"]:  # `zig clang`
        left_out |= {word for word in given if word.startswith(_LACKING)}
    is_silent = "-w" in given
    changed = {place: _error_option(words[place], is_silent, probing) for place in places}
    kept = [
        word
        for place, given_word in enumerate(words)
        for word in changed.get(place, [given_word])
        if place not in changed or word not in left_out
    ]
    wants_errors = "-pedantic-errors" in given or (probing and _last_error(given) == "-Werror")
    demoted = [] if wants_errors and not is_silent else [f"-Wno-error={name}" for name in ACCEPTED]
    return [*demoted, *_QUIET, *kept]  # the user's options come last, so that they win


def _expanded(arguments: Sequence[str]) -> list[str]:
    if not any(word[:1] == "@" for word in arguments):
        return list(arguments)
    from whence.frontend.c.arguments import expand

    return list(expand(arguments))


def _options(words: Sequence[str]) -> list[int]:
    """Return the indices of the words that are options and not values of options."""
    return [
        place
        for place, word in enumerate(words)
        if word[:1] == "-" and (place == 0 or words[place - 1] not in _VALUED)
    ]


def _last_error(options: Sequence[str]) -> str | None:
    return next((word for word in reversed(options) if word in ("-Werror", "-Wno-error")), None)


def _error_option(word: str, is_silent: bool, probing: bool) -> list[str]:
    """Return the words for one option: a warning that gcc may not have is no error."""
    if word == "-Werror":
        return [word] if probing else []
    if not word.startswith("-Werror="):
        return [word]
    name = word.partition("=")[2]
    if is_silent:  # for gcc, -w wins
        return []
    return [word] if probing or name in ACCEPTED + _CONTAINING else [f"-W{name}"]


# -- options that only gcc has ---------------------------------------------------------------------


def _gcc_only(
    command: Sequence[str],
    plus: bool,
    options: Sequence[str],
    env: Mapping[str, str],
    *,
    probing: bool,
) -> set[str]:
    """Return those options that gcc takes and this clang does not.

    Without a gcc to ask, these are all options that clang does not take, but none in a probe.
    """
    gcc = on_path("g++" if plus else "gcc", env)
    if gcc is None and probing:
        return set()
    asked = {
        word for word in options if word.startswith(_ASKED) and not word.startswith(_NOT_ASKED)
    }
    asked = {word for word in asked if "/" not in word and "\n" not in word}  # paths differ a build
    if not asked:
        return set()
    executable = on_path(command[0], env) if "/" not in command[0] else command[0]
    states = [executable_state(path) for path in (executable, gcc) if path and os.path.exists(path)]
    question = " ".join(["options", *command, *states])
    known = dict(line.rpartition(" ")[::2] for line in known_answers(question, env))
    new = sorted(asked - known.keys())
    if new:
        found = {word: word in _rejected(command, plus, new, gcc) for word in new}
        keep_answers(question, [f"{word} {int(out)}" for word, out in found.items()], env)
        known |= {word: str(int(out)) for word, out in found.items()}
    return {word for word in asked if known[word] == "1"}


def _rejected(
    command: Sequence[str], plus: bool, options: Sequence[str], gcc: str | None
) -> set[str]:
    """Return the options that `command` does not take, but gcc does if there is one."""
    if _takes(command, plus, options):
        return set()
    return {
        word
        for word in options
        if not _takes(command, plus, [word]) and (gcc is None or _takes([gcc], plus, [word]))
    }


def _takes(command: Sequence[str], plus: bool, options: Sequence[str]) -> bool:
    """Does the compiler know all these options?"""
    import subprocess

    words = [*options, "-fsyntax-only", "-x", "c++" if plus else "c", "/dev/null"]
    if uses_zig_driver(command):
        words = zig_arguments(words)
    with temporary_folder("cc") as folder:  # some options write files
        done = subprocess.run(
            [*command, *words],
            cwd=folder,
            env=os.environ | {ASKING: "1", "LC_ALL": "C", "WHENCE_MODE": ""},
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
    return done.returncode == 0 and b"unknown-warning-option" not in done.stderr
