"""How is a C program run with given inputs, after one build?"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from whence.frontend.c.rerun_inputs import InputRerunner, ProgramInputs
from whence.inputs import InputSource, SourceKind
from whence.model import MadeTest
from whence.paths.c.runs import CRun, opened
from whence.paths.c.start import TestedProgram, find_start
from whence.paths.c.terms import PathPass
from whence.paths.input_spec import InputSpec
from whence.paths.made_test import StartedProgram, write_command_test
from whence.paths.run_memory import RunMemory
from whence.subject.command import Ended
from whence.subject.trial import BuildAndTest
from whence.trace.c.analysis import CAnalysis
from whence.trace.c.image import CImage
from whence.trace.c.recording import CRecording
from whence.trace.c.replayed import ReplayedLog

_MIN_SECONDS = 5.0  # that a run may take at least; guessed
_SLOWER = 20  # how many times longer than the first run another one may take; guessed
# Variables that a shell sets by itself, or that are ours.
_SHELL_VARIABLES = ("PWD", "OLDPWD", "SHLVL", "_", "CC", "CXX", "WHENCE_TREE")


def open_c_program(
    tree: Path, commands: BuildAndTest, folder: Path, specs: Sequence[InputSpec],
    say: Callable[[str], None] = lambda _: None,
) -> CInputProgram:  # fmt: skip
    """Build a program and find the inputs of its test."""
    kept, runs = folder / "kept", folder / "runs"
    kept.mkdir()
    runs.mkdir()
    say("building it, recorded")
    rerunner = InputRerunner(tree, commands, kept)
    say("running the test, recorded")
    return CInputProgram(rerunner, runs, find_start(rerunner, commands, runs, specs))


class CInputProgram:
    """A C or C++ program that was built once, and the inputs of its test."""

    def __init__(self, rerunner: InputRerunner, folder: Path, start: TestedProgram) -> None:
        """`folder` is empty and takes the recorded runs."""
        self._rerunner, self.runs, self._start = rerunner, folder, start
        self._memory = RunMemory()
        self.free, self.first, self.notes = start.free, start.contents, start.notes
        self.starts_slowly = False
        self._image: CImage | None = None  # of the last run; the program is the same in all runs
        self._seconds = max(_MIN_SECONDS, _SLOWER * start.seconds)

    def run(self, contents: Mapping[InputSource, bytes]) -> CRun:
        """Run the program with these inputs, recorded."""
        out = Path(tempfile.mkdtemp(dir=self.runs))
        ended = self._recorded(contents, out)
        return self.opened(contents, self._memory.kept(out), ended)

    def record(self, contents: Mapping[InputSource, bytes], out: Path) -> Ended:
        """Run the program with these inputs, recorded into an empty folder."""
        ended = self._recorded(contents, out)
        self._thread(out)  # now what is computed of its log is in the folder
        return ended

    def _recorded(self, contents: Mapping[InputSource, bytes], out: Path) -> Ended:
        return self._rerunner.run(self.inputs(contents), out, seconds=self._seconds)

    def opened(self, contents: Mapping[InputSource, bytes], out: Path, ended: Ended) -> CRun:
        """Return a run that was recorded into a folder."""
        recording, thread = self._thread(out)
        return CRun(ended, recording, PathPass(CAnalysis().flow(thread), contents, self.free))

    def _thread(self, out: Path) -> tuple[CRecording, ReplayedLog]:
        recording = opened(out)
        recording.known = self._image
        process = recording.processes[0]
        self._image = recording.image(process)
        return recording, recording.thread(self._image, process.logs[0])

    def run_plain(
        self, contents: Mapping[InputSource, bytes], seconds: float | None = None
    ) -> Ended:
        """Run the program with these inputs; nothing is recorded."""
        limit = min(seconds or self._seconds, self._seconds)
        return self._rerunner.run(self.inputs(contents), seconds=limit)

    @property
    def folders(self) -> Sequence[Path]:
        """The folders that a run writes to, besides the one of the recorded runs."""
        return (self._rerunner.tree,)

    def moved(self) -> None:
        """Copies of the folders have come to their places."""
        self._rerunner.moved()

    def inputs(self, contents: Mapping[InputSource, bytes]) -> ProgramInputs:
        """Return how the program is started with these inputs."""
        inputs = self._start.inputs
        arguments, variables = list(inputs.arguments), dict(inputs.variables)
        files, stdin = dict(inputs.files), inputs.stdin
        for source in self.free:
            if source.kind is SourceKind.ARGUMENT and source.number < len(arguments):
                arguments[source.number] = os.fsdecode(contents[source])
            elif source.kind is SourceKind.VARIABLE:
                variables[source.name] = os.fsdecode(contents[source])
            elif source.kind is SourceKind.STDIN:
                stdin = contents[source]
            elif source.kind is SourceKind.FILE:
                files[source.name] = contents[source]
        return replace(
            inputs, arguments=tuple(arguments), variables=variables, stdin=stdin, files=files
        )

    def write_test(
        self, contents: Mapping[InputSource, bytes], folder: Path, name: str
    ) -> MadeTest:
        """Write a test with these inputs that runs without whence."""
        inputs, tree = self.inputs(contents), self._rerunner.tree
        start = Path(inputs.folder)
        is_inside = start.is_relative_to(tree)
        program = _relative(inputs.arguments[0], start, tree)
        started = StartedProgram(
            (program, *inputs.arguments[1:]),
            str(start.relative_to(tree)) if is_inside else inputs.folder,
            inputs.stdin,
            inputs.files,
            self._own_variables(inputs),
        )
        return write_command_test(started, folder, name)

    def _own_variables(self, inputs: ProgramInputs) -> dict[str, str]:
        """Return the variables that the test sets, or that may change."""
        given = self._rerunner.variables
        free = {source.name for source in self.free if source.kind is SourceKind.VARIABLE}
        return {
            name: value
            for name, value in inputs.variables.items()
            if name in free or (given.get(name) != value and name not in _SHELL_VARIABLES)
        }

    def close(self) -> None:
        """Delete what was kept between the runs."""
        shutil.rmtree(self.runs, ignore_errors=True)
        self._memory.close()


def _relative(program: str, start: Path, tree: Path) -> str:
    """Return a program of the tree as a path from the folder where it is started."""
    path = Path(os.path.normpath(start / program))
    if not path.is_relative_to(tree) or not start.is_relative_to(tree):
        return program
    found = os.path.relpath(path, start)
    return found if "/" in found else f"./{found}"
