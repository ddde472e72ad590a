"""What happens if the nth build, solver call, file write or process does not work?

The answer must be right, or say what it does not know, or be one message.
"""

from __future__ import annotations

import builtins
import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.attack.attempts import Attempt
from bench.attack.projects import COMMANDS, Project, judged, run_whence

NUMBERS = (1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 29, 38, 50, 65, 85, 110, 145, 190, 250, 330, 430)
TARGETS = (
    ("isolate", "text"), ("isolate", "python"), ("isolate", "c"), ("why", "python"), ("why", "c"),
    ("explain", "python"), ("explain", "c"),
)  # fmt: skip
_ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES)


class Faults:
    """Counts one kind of operation in this process, and lets the nth one fail."""

    def __init__(self, n: int, hit: Path) -> None:
        self._n, self._count, self._hit = n, 0, os.open(hit, os.O_WRONLY | os.O_CREAT, 0o600)
        self._owner = 0

    def is_due(self) -> bool:
        """Count an operation: is it the nth?"""
        self._count += 1
        if self._count != self._n:
            return False
        os.write(self._hit, b"1")
        return True

    # --- kinds ---

    def writes(self) -> None:
        """Let the nth file that is opened for writing, renamed or made fail."""
        code = _ERRORS[self._n % len(_ERRORS)]

        def failing(real: Callable[..., Any], is_write: Callable[..., bool]) -> Callable[..., Any]:
            def call(*args: Any, **kwargs: Any) -> Any:
                if is_write(*args, **kwargs) and self.is_due():
                    raise OSError(code, os.strerror(code), str(args[0]) if args else None)
                return real(*args, **kwargs)

            return call

        def opens_for_writing(_: Any, mode: Any = "r", *__: Any, **___: Any) -> bool:
            return isinstance(mode, str) and bool(set(mode) & set("wax+"))

        def has_flags(_: Any, flags: int = 0, *__: Any, **___: Any) -> bool:
            return bool(flags & (os.O_WRONLY | os.O_RDWR))

        import io

        io.open = builtins.open = failing(builtins.open, opens_for_writing)
        os.open = failing(os.open, has_flags)
        for name in ("mkdir", "rename", "replace", "symlink", "link"):
            setattr(os, name, failing(getattr(os, name), lambda *_, **__: True))

    def processes(self) -> None:
        """Let the nth process not start."""
        real = subprocess.Popen.__init__

        def start(process: Any, *args: Any, **kwargs: Any) -> None:
            if self.is_due():
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), "fork")
            real(process, *args, **kwargs)

        setattr(subprocess.Popen, "__init__", start)  # noqa: B010 - mypy knows better

    def solver_calls(self) -> None:
        """Let the nth question to the solver have no answer."""
        import z3

        real = z3.Solver.check

        def check(solver: Any, *args: Any) -> Any:
            if self.is_due():
                if self._n % 2:
                    return z3.unknown
                raise z3.Z3Exception("out of memory")
            return real(solver, *args)

        z3.Solver.check = check


def attack(work: Path, count: int) -> Iterator[Attempt]:
    """Let the nth operation fail, for growing n, until no nth one is there: at most `count`."""
    plans = [
        _attempts(work, command, language, kind)
        for kind in ("build", "solver call", "write", "process")
        for command, language in TARGETS
        if not (kind == "build" and "--build" not in COMMANDS[language])
        and not (kind == "solver call" and command == "isolate")
    ]
    made = 0
    while plans and made < count:  # one n for each plan in turn
        for plan in tuple(plans):
            attempt = next(plan, None)
            if attempt is None:
                plans.remove(plan)
            else:
                yield attempt
                made += 1
            if made >= count:
                return


def _attempts(work: Path, command: str, language: str, kind: str) -> Iterator[Attempt]:
    for n in NUMBERS:
        name = f"{command} {language}: {kind} {n}"
        folder = work / name.replace(" ", "-").replace(":", "")
        project = Project.make(folder, language)
        before, hit = project.fingerprint(), folder / "hit"
        build = None
        if kind == "build":
            own = COMMANDS[language][1]
            counter = shutil.which("sh")
            assert counter is not None
            build = (
                f"echo >> {folder}/built; [ $(wc -l < {folder}/built) -ne {n} ] || "
                f"{{ echo 1 > {hit}; exit 1; }}; {own}"
            )

        def prepare(n: int = n, hit: Path = hit) -> None:
            faults = Faults(n, hit)
            if kind == "write":
                faults.writes()
            elif kind == "process":
                faults.processes()
            elif kind == "solver call":
                faults.solver_calls()

        words = [*project.words(command, build=build)]
        run = run_whence(project, words, prepare if kind != "build" else (lambda: None))
        attempt = judged(name, project, command, run, before)
        was_hit = hit.exists() and hit.stat().st_size > 0
        yield attempt
        if attempt.failed is None:
            shutil.rmtree(folder, ignore_errors=True)
        if not was_hit:
            return


def main() -> None:
    """Try out one plan: COMMAND LANGUAGE KIND."""
    command, language, kind = sys.argv[1:4]
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for attempt in _attempts(Path(folder), command, language, kind):
            print(attempt, flush=True)


if __name__ == "__main__":
    main()
