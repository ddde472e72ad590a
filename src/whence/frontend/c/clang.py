"""Which compiler do whence-cc and whence-c++ stand for, and how is it run?

This module imports only what is cheap: a configure script starts whence-cc hundreds of times.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence

from whence.errors import UserError, install_command
from whence.frontend.c.zig_driver import uses_zig_driver, zig_calls
from whence.frontend.cache_folder import cache_directory
from whence.temporary import temporary_folder

OLDEST, NEWEST = 19, 22  # LLVM versions whose IR llvmlite and our reader understand


def compiler(plus: bool, env: Mapping[str, str]) -> list[str]:
    """Return the command of the C compiler, or of the C++ compiler if `plus`.

    It is the user's ($WHENCE_CLANG, $WHENCE_CLANGXX), else a recent clang on the PATH, else the
    clang in zig from PyPI.  That clang uses the system's C and C++ libraries and linker if they
    work, else those of zig.  It is the same with and without recording, so that runs are
    comparable.
    """
    given = env.get("WHENCE_CLANGXX" if plus else "WHENCE_CLANG")
    if given:
        import shlex

        return shlex.split(given)
    found = _system_clang(plus, env) or _zig(plus, env)
    if found is None:
        raise UserError(
            f"no compiler: the PATH has no clang of version {OLDEST} to {NEWEST}, and zig is not"
            f" installed.\nInstall zig: {install_command('c')}\n"
            "or name a clang: WHENCE_CLANG=/path/to/clang WHENCE_CLANGXX=/path/to/clang++",
            slug="no-clang",
        )
    return found


def describe_compiler(plus: bool, env: Mapping[str, str]) -> str:
    """Return which compiler and libraries build C (or C++ if `plus`), in words for the user."""
    command = compiler(plus, env)
    given = "WHENCE_CLANGXX" if plus else "WHENCE_CLANG"
    if env.get(given):
        return f"{' '.join(command)} (${given})"
    if uses_zig_driver(command):
        return "zig's compiler with its own libraries (libc++) and linker"
    if list(command[1:2]) == ["clang"]:
        return "zig's clang with the system's libraries (libstdc++) and linker"
    return f"{command[0]} with the system's libraries"


def run_plain(command: Sequence[str], arguments: Sequence[str], *, returns: bool = False) -> int:
    """Replace this process by the compiler; return only if several calls are needed, or on request.

    `returns`: the caller goes on after the compiler.
    """
    calls = zig_calls(arguments) if uses_zig_driver(command) else [list(arguments)]
    try:
        if returns or len(calls) > 1:
            statuses = [_status([*command, *words]) for words in calls]
            return next(filter(None, statuses), 0)
        sys.stderr.flush()
        os.execvp(command[0], [*command, *calls[0]])
    except OSError as error:
        raise UserError(
            f"cannot run the compiler {command[0]}: {error.strerror}.\n"
            "It comes from $WHENCE_CLANG or $WHENCE_CLANGXX; unset them to let whence find one.",
            slug="no-clang",
        ) from error


def _status(words: list[str]) -> int:
    """Run a command; return its exit status, as a shell gives it."""
    # `subprocess` takes longer to load than all of whence-cc.
    pid = os.posix_spawnp(words[0], words, os.environ)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return 128 - status if status < 0 else status


# -- a clang on the PATH ---------------------------------------------------------------------------


def _system_clang(plus: bool, env: Mapping[str, str]) -> list[str] | None:
    name = "clang++" if plus else "clang"
    numbered = [(f"{name}-{version}", version) for version in range(NEWEST, OLDEST - 1, -1)]
    for candidate, version in [(name, 0), *numbered]:
        path = on_path(candidate, env)
        if path and OLDEST <= (version or _major(path, env)) <= NEWEST:
            return [path]
    return None


def on_path(name: str, env: Mapping[str, str]) -> str | None:
    """Return the path of a program on the PATH."""
    for directory in env.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(directory, name)
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    return None


def _major(path: str, env: Mapping[str, str]) -> int:
    """Return the major version of a clang, 0 if unknown."""
    answer = remembered(f"version {executable_state(path)}", lambda: str(_ask_major(path)), env)
    return int(answer) if answer.isdigit() else 0


def _ask_major(path: str) -> int:
    import re
    import subprocess

    answer = subprocess.run([path, "--version"], capture_output=True, text=True, errors="replace")
    found = re.search(r"clang version (\d+)", answer.stdout)
    return int(found[1]) if found and "Apple" not in answer.stdout else 0


# -- the clang in zig ------------------------------------------------------------------------------

# These programs must compile, link and run before zig's clang uses the system's libraries.
_TRIALS = {
    False: "#include <stdio.h>\nint main(void) { return puts(\"\") < 0; }\n",
    True: "#include <string>\n#include <stdexcept>\n"
    "int main() { try { throw std::runtime_error(std::string(\"x\")); }"
    " catch (std::exception &e) { return e.what()[0] != 'x'; } }\n",
}  # fmt: skip


def _zig(plus: bool, env: Mapping[str, str]) -> list[str] | None:
    from importlib.util import find_spec

    package = find_spec("ziglang")
    if package is None or not package.submodule_search_locations:
        return None
    folder = package.submodule_search_locations[0]
    # Running zig by its path avoids a second Python.
    zig = os.path.join(folder, "zig")
    return _zig_clang(zig, os.path.join(folder, "lib"), plus, env) or _zig_driver(zig, plus)


def _zig_clang(zig: str, resources: str, plus: bool, env: Mapping[str, str]) -> list[str] | None:
    """Return zig's clang with the system's libraries and linker, if it makes working programs.

    `zig clang` is clang's own driver.  By default its target is musl; the folder of its headers
    has another name than clang expects.
    """
    if not on_path("ld", env):
        return None
    mode = ["--driver-mode=g++"] if plus else []
    target = f"--target={os.uname().machine}-linux-gnu"
    command = [zig, "clang", *mode, target, "-resource-dir", resources]
    # The answer is asked anew after an installation of another zig, linker or system compiler.
    programs = [zig, *(on_path(name, env) for name in ("ld", "gcc", "g++"))]
    states = [executable_state(path) for path in programs if path]
    question = " ".join(["works", *mode, target, *states])
    works = remembered(question, lambda: str(int(_makes_programs(command, plus))), env)
    return command if works == "1" else None


def _makes_programs(command: Sequence[str], plus: bool) -> bool:
    """Does this compiler make a program that runs?"""
    import subprocess

    with temporary_folder("cc") as folder:
        program = os.path.join(folder, "program")
        words = [*command, "-x", "c++" if plus else "c", "-", "-o", program]
        try:
            made = subprocess.run(words, input=_TRIALS[plus].encode(), capture_output=True)
            return made.returncode == 0 and subprocess.run(
                [program], capture_output=True
            ).returncode == 0  # fmt: skip
        except OSError:
            return False


def _zig_driver(zig: str, plus: bool) -> list[str]:
    # By default zig turns UBSan on and compiles for the CPU of this machine; other compilers do
    # not, and objects are kept in a cache.  With -fno-sanitize=all alone, zig would still build
    # the sanitizer runtime.
    mode = "c++" if plus else "cc"
    return [zig, mode, "-fno-sanitize=all,undefined", "-mcpu=baseline"]


# -- answers kept in the cache ---------------------------------------------------------------------


def executable_state(path: str) -> str:
    """Return a text that changes when the file does."""
    about = os.stat(path)
    return f"{path} {about.st_size} {about.st_mtime_ns}"


def remembered(question: str, ask: Callable[[], str], env: Mapping[str, str]) -> str:
    """Return the answer to a question about compilers, asked once and then kept in the cache."""
    known = known_answers(question, env)
    if known:
        return known[0]
    answer = ask()
    keep_answers(question, [answer], env)
    return answer


def known_answers(question: str, env: Mapping[str, str]) -> list[str]:
    """Return the answers, one a line, that were kept for a question."""
    try:
        with open(_answer_file(question, env), errors="surrogateescape") as known:
            lines = known.read().split("\n")
    except OSError:
        return []
    # The last line may be incomplete, and another question may have the same file name.
    return lines[1:-1] if lines[0] == question else []


def keep_answers(question: str, answers: Sequence[str], env: Mapping[str, str]) -> None:
    """Add answers, none of which contains a line break, to those that are known."""
    path = _answer_file(question, env)
    lines = [*answers, ""] if known_answers(question, env) else [question, *answers, ""]
    mode = "a" if lines[0] != question else "w"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, mode, errors="surrogateescape") as file:
            file.write("\n".join(lines))
    except OSError:
        pass  # a read-only home: ask again next time


def _answer_file(question: str, env: Mapping[str, str]) -> str:
    from zlib import crc32  # hashlib takes longer to load than all of whence-cc

    name = f"{crc32(question.encode('utf-8', 'surrogateescape')):08x}"
    return os.path.join(cache_directory(env), "clang", name)
