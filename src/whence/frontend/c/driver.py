"""What do whence-cc and whence-c++ do?

They stand for one compiler: as it is, or, with $WHENCE_MODE set, recording.  Nothing heavy
is imported before that is known.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from whence.errors import UserError
from whence.frontend.c.clang import compiler, is_zig, run_plain

MODES = ("record", "check", "patch")

# Where cmake and meson try the compiler; configure scripts call what they compile "conftest".
PROBING = ("/CMakeFiles/CMakeScratch/", "/CMakeFiles/CMakeTmp/", "/CompilerIdC", "/meson-private/")


def cc() -> None:
    """Entry point of whence-cc."""
    sys.exit(main(False, sys.argv[1:], os.environ))


def cxx() -> None:
    """Entry point of whence-c++."""
    sys.exit(main(True, sys.argv[1:], os.environ))


def is_probe(arguments: Sequence[str], directory: str) -> bool:
    """Does a configure script only try the compiler?  Then nobody asks how the program ran."""
    paths = [f"{directory}/", *(word for word in arguments if word[:1] != "-")]
    return any(
        os.path.basename(path).startswith("conftest") or any(part in path for part in PROBING)
        for path in paths
    )


def main(plus: bool, arguments: Sequence[str], env: Mapping[str, str]) -> int:
    """Do what the arguments ask of a compiler; return its exit status."""
    try:
        mode = env.get("WHENCE_MODE") or "plain"
        command = compiler(plus, env)
        if is_zig(command):
            os.environ.pop("CC", None)  # zig asks $CC where the C library is, but that is us
        if mode == "plain" or (mode in MODES and is_probe(arguments, os.getcwd())):
            return run_plain(command, arguments)
        if mode not in MODES:
            raise UserError(
                f"WHENCE_MODE={mode} is no way to compile.\n"
                f"It is one of plain, {', '.join(MODES)}; unset, it is plain.",
                slug="bad-mode",
            )
        from whence.frontend.c.compiling import compile_recorded

        return compile_recorded(command, plus, arguments, mode, env)
    except UserError as error:
        print(f"whence-c{'++' if plus else 'c'}: {error} [{error.slug}]", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":  # python -m whence.frontend.c.driver cc|c++ ARGUMENT...
    sys.exit(main(sys.argv[1] == "c++", sys.argv[2:], os.environ))
