"""Which lines of the tree did this test run execute?

The answer only ranks changes, so it may miss lines (a process with a cleaned environment, a
compiler that is not `$CC`) but looking for it must not change how the test ends.  Python is seen
line by line, C and C++ function by function.

One gap is known.  Object files that report cannot always be linked where plain ones can: C99
`inline` functions that have no external definition, C++ linked by a C compiler.  A build that
fails while we watch has to be repeated without us before anybody believes it.
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

from whence.subject.definitions import lines_of
from whence.subject.elf import functions_at

HOOKS = Path(__file__).with_name("hooks")
PYTHON = re.compile(r"python(3(\.\d+t?)?)?")


class Coverage:
    """Watches one build and test of one version, through the environment both run in.

    `scratch` is an empty directory outside the tree; all that is ours is in there.
    """

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch.absolute()
        self.hook = self.scratch / "python"
        self.shims = self.scratch / "bin"

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """`env` with the hooks in it.  Its WHENCE_TREE names the tree."""
        watched = dict(env)
        # A copy: its log is beside it, so that no variable has to say where it is.
        unwanted = shutil.ignore_patterns("__pycache__")
        shutil.copytree(HOOKS / "python", self.hook, ignore=unwanted, dirs_exist_ok=True)
        watched["PYTHONPATH"] = _before(str(self.hook), env.get("PYTHONPATH", ""))
        if os.name == "posix":
            # A command such as `PYTHONPATH=src python3 test.py` puts our hook out, these put it
            # back in.
            self._write_shims(env.get("PATH", ""))
            watched["PATH"] = _before(str(self.shims), env.get("PATH", ""))
        if sys.platform == "linux" and not re.search(r"\s", str(self.scratch)):  # make splits $CC
            shutil.copy(HOOKS / "functions.c", self.scratch)
            watched.update(
                {name: self._wrapped(name, env[name]) for name in ("CC", "CXX") if env.get(name)}
            )
        return watched

    def command(self, command: str) -> str:
        """A shell command with the hook in the PYTHONPATH that it sets itself."""
        hook = f"PYTHONPATH={shlex.quote(str(self.hook))}:"
        return re.sub(r"\bPYTHONPATH=(\S?)", lambda m: (hook + m[1]).rstrip(":"), command)

    def read(self, tree: Path) -> dict[str, frozenset[int]] | None:
        """The executed lines of the files of `tree`, by relative path; None if we saw nothing."""
        return {**self._python_lines(), **self._c_lines(tree)} or None

    def _write_shims(self, path: str) -> None:
        self.shims.mkdir(exist_ok=True)
        folders = [Path(folder) for folder in path.split(os.pathsep) if folder]
        names = {file.name for folder in folders for file in folder.glob("python*")}
        for name in sorted(filter(PYTHON.fullmatch, names)):
            real = shutil.which(name, path=path)
            if real and Path(real).is_absolute():  # its links are kept: a venv's python is one
                _write_script(self.shims / name, self._shim(Path(real)))

    def _shim(self, real: Path) -> str:
        hook, shims = shlex.quote(str(self.hook)), shlex.quote(str(self.shims))
        lines = [
            "#!/bin/sh",
            f"case $PYTHONPATH: in {hook}:*) ;;",
            f"*) export PYTHONPATH={hook}${{PYTHONPATH:+:$PYTHONPATH}} ;; esac",
        ]
        if _is_script(real):
            # A version manager's dispatcher looks for `python` on the PATH again, and must not
            # find us.
            lines += [
                f"case :$PATH: in *:{shims}:*)",
                f"before=:$PATH: after=${{before#*:{shims}:}} before=${{before%%:{shims}:*}}",
                "before=${before#:} PATH=${before:+$before:}${after%:} ;; esac",
            ]
        return "\n".join([*lines, f'exec {shlex.quote(str(real))} "$@"', ""])

    def _wrapped(self, variable: str, compiler: str) -> str:
        """The path of a script that compiles as `compiler` does, and lets functions report."""
        wrapper = self.scratch / variable.lower()
        log = f"-DWHENCE_LOG={json.dumps(str(self.scratch / 'functions'))}"
        text = (HOOKS / "compiler.sh").read_text()
        for placeholder, value in (
            ("@COMPILER@", shlex.join(compiler.split())),
            ("@SCRATCH@", shlex.quote(str(self.scratch))),
            ("@LOG@", shlex.quote(log)),
        ):
            text = text.replace(placeholder, value)
        _write_script(wrapper, text)
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
        return lines_of(entered, tree) if entered else {}


def _records(log: Path, separator: str) -> set[tuple[str, str]]:
    """The pairs that processes have appended, one a line."""
    if not log.exists():
        return set()
    pairs = {line.partition(separator)[::2] for line in os.fsdecode(log.read_bytes()).split("\n")}
    return {(left, right) for left, right in pairs if right}


def _before(first: str, rest: str) -> str:
    """A search path.  No entry is empty if `rest` is: that would mean the current directory."""
    return first + os.pathsep + rest if rest else first


def _is_script(program: Path) -> bool:
    with program.open("rb") as file:
        return file.read(2) == b"#!"


def _write_script(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)
