"""How is a run with new inputs written down as a test that needs no whence?

A test is a command line for the built tree.  What does not fit on a command line lies in files
beside a script with the same command.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from whence.model import MadeTest


@dataclass(frozen=True, slots=True)
class StartedProgram:
    """How a program is started in its tree."""

    arguments: Sequence[str]  # the first is the program, relative to `folder`
    folder: str = "."  # where it runs, relative to the tree
    stdin: bytes | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)  # by path in the tree
    variables: Mapping[str, str] = field(default_factory=dict)  # that the test sets


def write_command_test(program: StartedProgram, folder: Path, name: str) -> MadeTest:
    """Write a test that starts a program; the names of its files begin with `name`."""
    folder.mkdir(parents=True, exist_ok=True)
    stdin = None
    if program.stdin is not None:
        stdin = f"{name}.stdin"
        (folder / stdin).write_bytes(program.stdin)
    files = {}
    for number, (path, contents) in enumerate(sorted(program.files.items()), 1):
        files[path] = f"{name}.file{number}"
        (folder / files[path]).write_bytes(contents)
    script = _script(program, stdin, files)
    runner = folder / f"{name}.sh"
    runner.write_bytes(os.fsencode(script))
    runner.chmod(0o755)
    is_plain = not files and program.folder == "."
    command = f"sh {shlex.quote(str(runner))}"
    if is_plain:
        given = "" if stdin is None else f" < {shlex.quote(str(folder / stdin))}"
        command = f"{_command(program)}{given}"
    return MadeTest(command, tuple(program.arguments), stdin, files, None, runner.name)


def remove_test(made: MadeTest, folder: Path) -> None:
    """Remove the files of a test that shows nothing."""
    for name in (made.script, made.stdin, made.module, *made.files.values()):
        if name is not None:
            (folder / name).unlink(missing_ok=True)


def _command(program: StartedProgram) -> str:
    settings = [f"{name}={shlex.quote(value)}" for name, value in program.variables.items()]
    return " ".join([*settings, shlex.join(program.arguments)])


def _script(program: StartedProgram, stdin: str | None, files: Mapping[str, str]) -> str:
    """Return a script that runs the test in a built tree: its argument, or where it is started."""
    lines = [
        "#!/bin/sh",
        "# Usage: sh SCRIPT [TREE], where TREE is the built program (default: this folder).",
        'here=$(cd "$(dirname "$0")" && pwd) && cd "${1:-.}" || exit 125',
    ]
    if files:  # the user's tree stays as it is
        lines += [
            'copy=$(mktemp -d) && trap \'rm -rf "$copy"\' EXIT && cp -a . "$copy" && cd "$copy" '
            "|| exit 125"
        ]
        lines += [
            f'cp "$here"/{shlex.quote(own)} {shlex.quote(path)} || exit 125'
            for path, own in sorted(files.items())
        ]
    if program.folder != ".":
        lines.append(f"cd {shlex.quote(program.folder)} || exit 125")
    given = "" if stdin is None else f' < "$here"/{shlex.quote(stdin)}'
    lines.append(f"{_command(program)}{given}")
    return "\n".join(lines) + "\n"
