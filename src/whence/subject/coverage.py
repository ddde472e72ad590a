"""Which lines of the tree did this test run execute?

Coverage only ranks changes.  It may miss lines (a process with a cleared environment, a compiler
that is not `$CC`), but measuring it must not change the outcome of the test.  Python is measured by
line, C and C++ by function.

Known gap: instrumented object files cannot always be linked where plain ones can (C99 `inline`
functions without an external definition, C++ linked by a C compiler).  A build that fails with
coverage must be repeated without it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from whence.subject.definitions import definition_lines
from whence.subject.elf import functions_at
from whence.subject.python_hook import PythonHook, write_script

HOOKS = Path(__file__).with_name("hooks")


class Coverage:
    """Measures one build and test of one version through their environment.

    `scratch` is an empty directory outside the tree for the hooks and logs.
    """

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch.absolute()
        self.hook = self.scratch / "python"
        self._python = PythonHook(self.hook, self.scratch / "bin")

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return `env` with the hooks.  Its WHENCE_TREE names the tree."""
        # The hook is copied, because it writes its log into its own folder.
        unwanted = shutil.ignore_patterns("__pycache__")
        shutil.copytree(HOOKS / "python", self.hook, ignore=unwanted, dirs_exist_ok=True)
        watched = self._python.environment(env)
        if sys.platform == "linux" and not re.search(r"\s", str(self.scratch)):  # make splits $CC
            shutil.copy(HOOKS / "functions.c", self.scratch)
            watched.update(
                {name: self._wrapped(name, env[name]) for name in ("CC", "CXX") if env.get(name)}
            )
        return watched

    def command(self, command: str) -> str:
        """Add the hook to the PYTHONPATH that a shell command itself sets."""
        return self._python.command(command)

    def read(self, tree: Path) -> dict[str, frozenset[int]] | None:
        """Return the executed lines of the files of `tree` by relative path; None without any."""
        return {**self._python_lines(), **self._c_lines(tree)} or None

    def _wrapped(self, variable: str, compiler: str) -> str:
        """Return the path of a script that runs `compiler` and instruments functions."""
        wrapper = self.scratch / variable.lower()
        log = f"-DWHENCE_LOG={json.dumps(str(self.scratch / 'functions'))}"
        text = (HOOKS / "compiler.sh").read_text()
        for placeholder, value in (
            ("@COMPILER@", shlex.join(compiler.split())),
            ("@SCRATCH@", shlex.quote(str(self.scratch))),
            ("@LOG@", shlex.quote(log)),
        ):
            text = text.replace(placeholder, value)
        write_script(wrapper, text)
        return str(wrapper)

    def _python_lines(self) -> dict[str, frozenset[int]]:
        lines: dict[str, set[int]] = defaultdict(set)
        for file, number in _records(self.hook / "lines", "\t"):
            if number.isdecimal():
                lines[file.replace(os.sep, "/")].add(int(number))
        return {file: frozenset(numbers) for file, numbers in sorted(lines.items())}

    def _c_lines(self, tree: Path) -> dict[str, frozenset[int]]:
        offsets: dict[str, set[int]] = defaultdict(set)
        for offset, program in _records(self.scratch / "functions", " "):
            offsets[program].add(int(offset, 16))
        entered = {
            function
            for program, places in offsets.items()
            for function in functions_at(Path(program), places)
        }
        return definition_lines(entered, tree) if entered else {}


def _records(log: Path, separator: str) -> set[tuple[str, str]]:
    """Return the pairs that processes have appended to a log, one per line."""
    if not log.exists():
        return set()
    pairs = {line.partition(separator)[::2] for line in os.fsdecode(log.read_bytes()).split("\n")}
    return {(left, right) for left, right in pairs if right}
