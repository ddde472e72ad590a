"""How is a Python test run again with other inputs, recorded or plain?"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from whence.frontend.python.forked_reruns import ForkedReruns, PlainRun
from whence.frontend.python.record import COMPARABLE, build_plain, hooked, keep_sources
from whence.frontend.recorded_run import MODULES, write_run
from whence.frontend.rerun.built_tree import BuiltTree
from whence.frontend.test_execution import fixed_addresses, run_in_tree
from whence.subject.command import Ended
from whence.subject.forks.program import read_program
from whence.subject.layouts import run_variables
from whence.subject.trial import BuildAndTest, environment, judge
from whence.temporary import temporary_folder


@dataclass(frozen=True, slots=True)
class PythonStart:
    """One way to run a test: the test command itself, or its program without the command."""

    arguments: Sequence[str] | None = None  # of the program; None: the test command is run
    folder: str = ""  # where the program runs
    variables: Mapping[str, str] = field(default_factory=dict)  # that are set for the run
    stdin: bytes | None = None  # None: that of the test command, or empty
    files: Mapping[str, bytes] = field(default_factory=dict)  # by path, below the tree

    def command(self, test: str, stdin: Path) -> str:
        """Return a shell command; `stdin` is the file that takes standard input."""
        if self.arguments is None:
            return test
        return (
            f"cd {shlex.quote(self.folder)} && exec {shlex.join(self.arguments)} "
            f"< {shlex.quote(str(stdin))}"
        )


class PythonInputRerunner:
    """A test that is run many times, each time from the same tree."""

    def __init__(self, tree: Path, commands: BuildAndTest, folder: Path) -> None:
        """Build `tree`, a workspace of ours, in place.  `folder` is empty and is kept."""
        self.tree, self._commands = tree, commands
        self._environment = environment(tree) | COMPARABLE
        if commands.build is not None:
            build_plain(commands, tree, self._environment)
        self.folder = folder.absolute()
        self._built = BuiltTree(tree, folder.absolute() / "tree")
        self.forks = ForkedReruns(tree, commands.memory, folder.absolute() / "forks")

    def moved(self) -> None:
        """A copy of the tree has come to its place."""
        self._built.moved()

    def run(
        self, start: PythonStart, record_into: Path | None = None, seconds: float | None = None
    ) -> Ended:
        """Run the test; without a folder nothing is recorded."""
        self._prepare(start)
        variables = self._environment | dict(start.variables)
        with temporary_folder("inputs") as scratch:
            stdin = scratch / "stdin"
            stdin.write_bytes(start.stdin or b"")
            command = start.command(self._commands.test, stdin)
            if record_into is None:
                return self._plain(start, command, variables, stdin, seconds)
            return self._recorded(command, variables, record_into, scratch, seconds)

    def _prepare(self, start: PythonStart) -> None:
        """Put the files of a run into the tree."""
        self._built.restore()
        for name, contents in start.files.items():
            self._built.write(name, contents)

    def _plain(
        self, start: PythonStart, command: str, variables: dict[str, str], stdin: Path,
        seconds: float | None,
    ) -> Ended:  # fmt: skip
        """Run the program in a fork if it can be forked, else in a fresh process."""
        words = command if start.arguments is None else shlex.join(start.arguments)
        is_test = start.arguments is None
        layout = run_variables(self._commands.layout) if is_test else {}
        program = read_program(words, self.tree, variables | layout)
        run = None
        if program is not None and start.folder in ("", str(self.tree)):
            limit = seconds or self._commands.timeout or self._commands.asked_timeout
            run = PlainRun(program, stdin, limit, lambda: self._prepare(start))
            forked = self.forks.run(run)
            if forked is not None:
                return forked
        ended = run_in_tree(command, self.tree, variables, self._commands, seconds)
        if run is not None:
            self.forks.ran_fresh(run, ended)
        return ended

    def close(self) -> None:
        """End the fork server."""
        self.forks.close()

    def _recorded(
        self, command: str, variables: dict[str, str], out: Path, scratch: Path,
        seconds: float | None,
    ) -> Ended:  # fmt: skip
        (out / MODULES).mkdir()
        hook = hooked(scratch, self.tree, out, variables)
        with fixed_addresses():
            ended = run_in_tree(
                hook.command(command), self.tree, hook.environment(variables), self._commands,
                seconds,
            )  # fmt: skip
        keep_sources(self.tree, out)
        commands = replace(self._commands, test=command)
        run = judge(ended, commands, self.tree)
        write_run(out, self.tree, commands, run, ended, None, frontend="python")
        return ended
