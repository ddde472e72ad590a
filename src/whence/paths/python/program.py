"""How is a Python program run with given inputs?"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from whence.errors import UserError
from whence.frontend.python.rerun_inputs import PythonInputRerunner, PythonStart
from whence.inputs import InputSource, SourceKind
from whence.model import MadeTest
from whence.paths.input_spec import InputSpec
from whence.paths.made_test import StartedProgram, write_command_test
from whence.paths.python.runs import PythonRun, main_thread, opened
from whence.paths.python.start import TestedScript, argument_place, find_script
from whence.paths.python.test_modules import TestModules
from whence.paths.python.walk import path_condition
from whence.paths.run_memory import RunMemory
from whence.subject.command import Ended
from whence.subject.trial import BuildAndTest
from whence.trace.python.flow import PythonFlow

_MIN_SECONDS = 10.0  # that a run may take at least; guessed
_SLOWER = 20  # how many times longer than the first run another one may take; guessed


def open_python_program(
    tree: Path, commands: BuildAndTest, folder: Path, specs: Sequence[InputSpec],
    say: Callable[[str], None] = lambda _: None,
) -> PythonInputProgram:  # fmt: skip
    """Record the test once and find its inputs."""
    kept, runs = folder / "kept", folder / "runs"
    kept.mkdir()
    runs.mkdir()
    rerunner = PythonInputRerunner(tree, commands, kept)
    say("running the test, recorded")
    first = runs / "first"
    first.mkdir()
    ended = rerunner.run(PythonStart(), first)
    script = find_script(opened(first), tree, commands.test, specs)
    if not script.free:
        raise UserError(
            "No input of the test can be changed: it reads no argument, standard input or file, "
            "and has no literals that are arguments of calls.\n"
            f"We ran: {commands.test}",
            slug="no-free-input",
        )
    seconds = max(_MIN_SECONDS, _SLOWER * ended.seconds)
    shutil.rmtree(first)
    if script.literals:
        modules = TestModules(tree, commands.test, kept, script.literals)
        return PythonInputProgram(rerunner, runs, script, seconds, modules)
    return PythonInputProgram(rerunner, runs, script, seconds, None)


class PythonInputProgram:
    """A Python program, and the inputs of its test."""

    def __init__(
        self, rerunner: PythonInputRerunner, folder: Path, script: TestedScript, seconds: float,
        modules: TestModules | None,
    ) -> None:  # fmt: skip
        """`folder` is empty and takes the recorded runs.  `modules`: literals may change."""
        self._rerunner, self.runs, self._script = rerunner, folder, script
        self._seconds, self._modules = seconds, modules
        self._memory = RunMemory()
        self.free, self.first, self.notes = script.free, script.contents, script.notes
        self.starts_slowly = modules is not None

    @property
    def folders(self) -> Sequence[Path]:
        """The folders that a run writes to, besides the one of the recorded runs."""
        return self._rerunner.tree, self._rerunner.folder

    def moved(self) -> None:
        """Copies of the folders have come to their places."""
        self._rerunner.moved()

    def run(self, contents: Mapping[InputSource, bytes]) -> PythonRun:
        """Run the program with these inputs, recorded."""
        out = Path(tempfile.mkdtemp(dir=self.runs))
        ended = self.record(contents, out)
        return self.opened(contents, self._memory.kept(out), ended)

    def record(self, contents: Mapping[InputSource, bytes], out: Path) -> Ended:
        """Run the program with these inputs, recorded into an empty folder."""
        return self._run(contents, out)

    def opened(self, contents: Mapping[InputSource, bytes], out: Path, ended: Ended) -> PythonRun:
        """Return a run that was recorded into a folder."""
        recording = opened(out)
        if not recording.processes:
            raise recording.nothing()
        number = min(self._script.process, len(recording.processes) - 1)
        flow = PythonFlow(main_thread(recording, number))
        literals = {} if self._modules is None else self._modules.places(flow.python)
        find = partial(path_condition, flow, contents, self.free, literals)
        return PythonRun(contents, ended, recording, flow, find)

    def run_plain(
        self, contents: Mapping[InputSource, bytes], seconds: float | None = None
    ) -> Ended:
        """Run the program with these inputs; nothing is recorded."""
        return self._run(contents, None, seconds)

    def _run(
        self, contents: Mapping[InputSource, bytes], out: Path | None, seconds: float | None = None
    ) -> Ended:
        limit = min(seconds or self._seconds, self._seconds)
        if self._modules is None:
            return self._rerunner.run(self.start(contents), out, limit)
        self._modules.forget()
        start = PythonStart(files=self._modules.observing(contents))
        return self._modules.seen(self._rerunner.run(start, out, limit))

    def start(self, contents: Mapping[InputSource, bytes]) -> PythonStart:
        """Return how the program is started with these inputs."""
        start = self._script.start
        assert start.arguments is not None
        arguments, variables = list(start.arguments), dict(start.variables)
        files, stdin = dict(start.files), start.stdin
        for source in self.free:
            if source.kind is SourceKind.ARGUMENT:
                place = argument_place(start.arguments, source.number)
                arguments[place] = os.fsdecode(contents[source])
            elif source.kind is SourceKind.VARIABLE:
                variables[source.name] = os.fsdecode(contents[source])
            elif source.kind is SourceKind.STDIN:
                stdin = contents[source]
            elif source.kind is SourceKind.FILE:
                files[source.name] = contents[source]
        return replace(start, arguments=arguments, variables=variables, stdin=stdin, files=files)

    def write_test(
        self, contents: Mapping[InputSource, bytes], folder: Path, name: str
    ) -> MadeTest:
        """Write a test with these inputs that runs without whence."""
        if self._modules is not None:
            self.run_plain(contents)
            return self._modules.write(contents, folder, name)
        start, tree = self.start(contents), self._rerunner.tree
        assert start.arguments is not None
        runs_in = Path(start.folder)
        words = ["python3", *start.arguments[1:]]
        inside = str(runs_in.relative_to(tree)) if runs_in.is_relative_to(tree) else start.folder
        program = StartedProgram(words, inside, start.stdin, start.files, start.variables)
        return write_command_test(program, folder, name)

    def close(self) -> None:
        """Delete what was kept between the runs."""
        self._rerunner.close()
        shutil.rmtree(self.runs, ignore_errors=True)
        self._memory.close()
