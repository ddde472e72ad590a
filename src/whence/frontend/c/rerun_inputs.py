"""How is a recorded C or C++ program run again with other inputs, after one build?

The program is started itself, not the script around it: its recorded arguments, folder and
variables are known, so other inputs reach it wherever the script took them from.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from whence.frontend.c.process import CProcess, cut_logs
from whence.frontend.c.record import MAX_HANG_LOG, build_recorded, recording_environment
from whence.frontend.recorded_run import DEFAULT_MAX_TRACE, MODULES, SOURCES, write_run
from whence.frontend.rerun.built_tree import BuiltTree
from whence.frontend.rerun.steady_stack import SteadyStack
from whence.frontend.test_execution import fixed_addresses, run_in_tree
from whence.subject.command import Ended
from whence.subject.trial import BuildAndTest, judge
from whence.temporary import temporary_folder

_OURS = "WHENCE_"  # variables that begin so are the recorder's


@dataclass(frozen=True, slots=True)
class ProgramInputs:
    """One way to start a program."""

    folder: str  # where it runs
    arguments: tuple[str, ...]  # the first is the name that it is called by
    variables: Mapping[str, str]
    stdin: bytes | None = None  # None: it is empty
    files: Mapping[str, bytes] = field(default_factory=dict)  # by path, below the tree

    @property
    def command(self) -> str:
        """The command line, without standard input."""
        return shlex.join(self.arguments)


def inputs_of_process(process: CProcess) -> ProgramInputs:
    """Return how a recorded process was started; standard input is added by the caller."""
    variables = dict(text.split("=", 1) for text in process.facts.get("env", []) if "=" in text)
    called = process.arguments[0] if process.arguments else process.fact("exe")
    name = called if "/" in called else process.fact("exe")
    return ProgramInputs(
        process.fact("cwd"),
        (name, *process.arguments[1:]),
        {key: value for key, value in variables.items() if not key.startswith(_OURS)},
    )


class InputRerunner:
    """A program that was built once and can be run with any inputs."""

    def __init__(self, tree: Path, commands: BuildAndTest, folder: Path) -> None:
        """Build `tree`, a workspace of ours, in place.  `folder` is empty and is kept."""
        self.tree, self._commands = tree, commands
        self._modules = folder.absolute() / MODULES
        self._modules.mkdir()
        self._environment = recording_environment(tree, self._modules, "record", commands.layout)
        if commands.build is not None:
            build_recorded(commands, tree, self._environment)
        self._built = BuiltTree(tree, folder.absolute() / "tree")
        self._place = SteadyStack()

    @property
    def variables(self) -> Mapping[str, str]:
        """The environment that the test command gets."""
        return self._environment

    def built_file(self, name: str) -> bytes | None:
        """Return a file of the tree as the build left it; None if there is none."""
        return self._built.read(name)

    def moved(self) -> None:
        """A copy of the tree has come to its place."""
        self._built.moved()

    def run_test(self, record_into: Path, *, keeps_stdin: bool = False) -> Ended:
        """Run the test command as it is, recorded.

        `keeps_stdin`: write what each program gets from a pipe into the trace.
        """
        more = {"WHENCE_STDIN": "1"} if keeps_stdin else {}
        return self._run(self._commands.test, self._environment | more, record_into)

    def run(
        self, inputs: ProgramInputs, record_into: Path | None = None, seconds: float | None = None
    ) -> Ended:
        """Run the program with these inputs; without a folder nothing is recorded.

        `seconds` limits the run, unless the user gave another limit.
        """
        environment = {**inputs.variables, **self._ours()}
        with temporary_folder("inputs") as scratch:
            stdin = Path(scratch) / "stdin"
            stdin.write_bytes(inputs.stdin or b"")
            command = (
                f"cd {shlex.quote(inputs.folder)} && exec {inputs.command} "
                f"< {shlex.quote(str(stdin))}"
            )
            return self._run(command, environment, record_into, inputs, seconds)

    def _ours(self) -> dict[str, str]:
        return {key: value for key, value in self._environment.items() if key.startswith(_OURS)}

    def _run(
        self, command: str, environment: Mapping[str, str], record_into: Path | None,
        inputs: ProgramInputs | None = None, seconds: float | None = None,
    ) -> Ended:  # fmt: skip
        self._built.restore()
        for name, contents in (inputs.files if inputs is not None else {}).items():
            self._built.write(name, contents)
        environment = dict(environment)
        if record_into is not None:
            environment["WHENCE_TRACE"] = str(record_into.absolute())
            environment["WHENCE_MAX_TRACE"] = str(DEFAULT_MAX_TRACE)
        arguments = inputs.arguments if inputs is not None else ()
        environment = self._place.filled(environment, arguments)
        with fixed_addresses():
            limit = self._commands.timeout or self._commands.asked_timeout or seconds
            ended = run_in_tree(command, self.tree, environment, self._commands, limit)
        if record_into is not None:
            if ended.timed_out:
                cut_logs(record_into, MAX_HANG_LOG)
            (record_into / MODULES).symlink_to(self._modules)
            (record_into / SOURCES).symlink_to(self.tree)
            commands = replace(self._commands, test=command)
            run = judge(ended, commands, self.tree)
            write_run(record_into, self.tree, commands, run, ended, None, frontend="c")
        return ended
