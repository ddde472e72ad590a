"""What do whence-cc and whence-c++ do?

They stand for one compiler: as it is, or, with $WHENCE_MODE set, recording.  Nothing heavy
is imported before that is known.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from whence.errors import UserError
from whence.frontend.c.clang import compiler, run_plain

MODES = ("record", "check", "patch")


def cc() -> None:
    """Entry point of whence-cc."""
    sys.exit(main(False, sys.argv[1:], os.environ))


def cxx() -> None:
    """Entry point of whence-c++."""
    sys.exit(main(True, sys.argv[1:], os.environ))


def main(plus: bool, arguments: Sequence[str], env: Mapping[str, str]) -> int:
    """Do what the arguments ask of a compiler; return its exit status."""
    try:
        mode = env.get("WHENCE_MODE") or "plain"
        command = compiler(plus, env)
        if mode == "plain":
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
