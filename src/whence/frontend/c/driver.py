"""What do whence-cc and whence-c++ do?

Each stands for one compiler.  They run it unchanged or, if $WHENCE_MODE is set, recording.  Nothing
slow to load is imported before the mode is known.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from whence.errors import UserError
from whence.frontend.c.clang import compiler, run_plain
from whence.frontend.c.compile_request import ask_server
from whence.frontend.c.left_to_gcc import NO_LTO, compile_again, gcc_for
from whence.frontend.c.like_gcc import like_gcc
from whence.frontend.c.zig_driver import uses_zig_driver

MODES = ("record", "check", "patch")
SOURCES = (".c", ".cc", ".cp", ".cxx", ".cpp", ".c++", ".C")  # the names of C and C++ sources

# Folders in which cmake and meson try the compiler; configure scripts name their tests "conftest".
PROBING = ("/CMakeFiles/CMakeScratch/", "/CMakeFiles/CMakeTmp/", "/CompilerIdC", "/meson-private/")


def cc() -> None:
    """Entry point of whence-cc."""
    sys.exit(main(False, sys.argv[1:], os.environ))


def cxx() -> None:
    """Entry point of whence-c++."""
    sys.exit(main(True, sys.argv[1:], os.environ))


def is_probe(arguments: Sequence[str], directory: str) -> bool:
    """Is a configure script only trying the compiler?  Then the run need not be recorded."""
    paths = [f"{directory}/", *(word for word in arguments if word[:1] != "-")]
    return any(
        os.path.basename(path).startswith("conftest") or any(part in path for part in PROBING)
        for path in paths
    )


def _journal(plus: bool, arguments: Sequence[str], env: Mapping[str, str]) -> None:
    """Append this call to the journal of a search: see `subject/compile_calls.py`."""
    folder = env.get("WHENCE_CALLS")
    if folder:
        own = (sys.executable, "-m", "whence.frontend.c.driver", "c++" if plus else "cc")
        words = (os.getcwd(), *own, *arguments)
        with open(f"{folder}/{os.getpid()}", "ab") as file:
            file.write(b"".join(b"=" + os.fsencode(word) + b"\0" for word in words) + b"\0")


def _leave_stand_ins() -> None:
    """Leave the scripts out of the PATH that would call us again: see `subject/stand_ins.py`."""
    folder = os.environ.get("WHENCE_STAND_INS")
    if folder:
        folders = os.environ.get("PATH", "").split(os.pathsep)
        os.environ["PATH"] = os.pathsep.join(each for each in folders if each != folder)


def main(plus: bool, arguments: Sequence[str], env: Mapping[str, str]) -> int:
    """Compile as the arguments say; return the exit status of the compiler."""
    try:
        mode = env.get("WHENCE_MODE") or "plain"
        probing = is_probe(arguments, os.getcwd())
        status = ask_server(plus, arguments, env) if mode in MODES and not probing else None
        if status is not None:
            return status
        _leave_stand_ins()
        _journal(plus, arguments, env)
        command = compiler(plus, env)
        if uses_zig_driver(command):
            os.environ.pop("CC", None)  # zig runs $CC to find the C library, but $CC is whence-cc
        if mode != "plain" and mode not in MODES:
            raise UserError(
                f"WHENCE_MODE={mode} is not a mode.\n"
                f"Set it to one of plain, {', '.join(MODES)}, or unset it, which means plain.",
                slug="bad-mode",
            )
        fill = env.get("WHENCE_FILL")
        if fill:
            arguments = [fill, *arguments]
        words = like_gcc(command, plus, arguments, env, probing=probing)
        is_plain = mode == "plain" or probing
        has_source = any(word.endswith(SOURCES) for word in arguments)

        def compile_(words: Sequence[str], gcc: str | None) -> int:
            if is_plain and gcc:
                return run_plain([gcc], [*arguments, NO_LTO], returns=True)
            if is_plain:
                return run_plain(command, words, returns=has_source)
            from whence.frontend.c.compiling import compile_recorded

            given = (gcc, *arguments, NO_LTO) if gcc else ()
            return compile_recorded(command, plus, words, mode, env, given)

        if not has_source:
            return compile_(words, None)
        gcc = None if probing else gcc_for(command, plus, env)
        return compile_again(compile_, words, gcc, env)
    except UserError as error:
        print(f"whence-c{'++' if plus else 'c'}: {error} [{error.slug}]", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":  # python -m whence.frontend.c.driver cc|c++ ARGUMENT...
    sys.exit(main(sys.argv[1] == "c++", sys.argv[2:], os.environ))
