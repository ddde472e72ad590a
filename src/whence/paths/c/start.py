"""Which process of a recorded test reads the inputs, and which inputs has it?

A test may be a script that starts several programs.  One of them is then run with other inputs: it
is started itself, without the script.
"""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from whence.errors import UserError
from whence.frontend.c.process import CProcess
from whence.frontend.c.rerun_inputs import InputRerunner, ProgramInputs, inputs_of_process
from whence.inputs import STDIN, InputSource, SourceKind, argument, variable
from whence.paths.c.runs import opened
from whence.paths.input_spec import InputSpec, chosen_inputs, no_such_input
from whence.subject.trial import BuildAndTest
from whence.trace.c.recording import CRecording

_KEPT_STDIN = "stdin"  # the file of a trace's process with what standard input gave
_MAX_TEXT = 60  # characters of a command line in a note


@dataclass(frozen=True)
class TestedProgram:
    """How the program of a test is started, and the inputs that it has."""

    inputs: ProgramInputs
    contents: dict[InputSource, bytes]
    free: frozenset[InputSource]
    seconds: float  # that the recorded test took
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Candidate:
    """A process of the test, and its inputs that can be replaced."""

    process: CProcess
    number: int  # among all processes
    contents: dict[InputSource, bytes]
    read: int  # bytes of input that it read, besides arguments


def find_start(
    rerunner: InputRerunner, commands: BuildAndTest, folder: Path, specs: Sequence[InputSpec]
) -> TestedProgram:
    """Run the test as it is, recorded, and return its program with the inputs that may change."""
    with tempfile.TemporaryDirectory(dir=folder) as out:
        ended = rerunner.run_test(Path(out))
        recording = opened(Path(out))
        candidates = list(_candidates(recording, rerunner.tree))
        if not candidates:
            raise recording.nothing()
        best = _best(candidates, specs)
        contents = best.contents
        if STDIN in contents and _needs_copy(best.process):
            contents = {**contents, STDIN: _captured(rerunner, best, folder)}
        free = chosen_inputs(specs, contents, commands.test)
        if not free:
            raise UserError(
                f"The test gives the program no input that could be another one.\n"
                f"We ran: {commands.test}   (arguments, standard input and files of the tree are "
                "inputs)\nName an input with --input, such as --input env:NAME.",
                slug="no-free-input",
            )
        inputs = replace(
            inputs_of_process(best.process),
            stdin=contents.get(STDIN),
            files=_made_files(contents, rerunner),
        )
        notes = _notes(candidates, best, commands, rerunner.tree)
        return TestedProgram(inputs, contents, free, ended.seconds, notes)


def _candidates(recording: CRecording, tree: Path) -> list[_Candidate]:
    """Return the processes that can be started again: not those that are forks of another one."""
    found = []
    for number, process in enumerate(recording.processes):
        if process.fact("parent") or not process.has_main_log:
            continue
        read = recording.thread(recording.image(process), process.logs[0]).inputs()
        sources = {one.source for one in read}
        size = sum(one.stop - one.start for one in read if one.source.kind in _FROM_CALLS)
        contents = _contents(process, sources, tree)
        found.append(_Candidate(process, number, contents, size))
    return found


_FROM_CALLS = (SourceKind.STDIN, SourceKind.FILE)


def _contents(
    process: CProcess, sources: Collection[InputSource], tree: Path
) -> dict[InputSource, bytes]:
    """Return the inputs of a process that can be replaced."""
    found = {argument(number): os.fsencode(text) for number, text in enumerate(process.arguments)}
    for text in process.facts.get("env", []):
        name, _, value = text.partition("=")
        if not name.startswith("WHENCE_"):
            found[variable(name)] = os.fsencode(value)
    for source in sorted(sources):
        path = tree / source.name
        is_own = source.kind is SourceKind.FILE and not source.name.startswith("/")
        if is_own and path.is_file():
            found[source] = path.read_bytes()
        elif source.kind is SourceKind.STDIN:
            found[source] = _redirected(process)
    return found


def _redirected(process: CProcess) -> bytes:
    """Return the file that standard input leads to; nothing if it leads elsewhere."""
    path = Path(process.standard_targets[0])
    return path.read_bytes() if path.is_file() else b""


def _needs_copy(process: CProcess) -> bool:
    """Does standard input come from a pipe, or from a file that has no name?"""
    target = process.standard_targets[0]
    return not Path(target).exists()


def _captured(rerunner: InputRerunner, wanted: _Candidate, folder: Path) -> bytes:
    """Run the test once more and return all that the program gets from standard input."""
    with tempfile.TemporaryDirectory(dir=folder) as out:
        rerunner.run_test(Path(out), keeps_stdin=True)
        same = [
            one for one in opened(Path(out)).processes
            if one.arguments == wanted.process.arguments and (one.folder / _KEPT_STDIN).exists()
        ]  # fmt: skip
        if not same:
            raise UserError(
                "Standard input of the program cannot be replaced: what a process writes to it "
                "could not be read in advance.\nGive it as a file: --test 'PROGRAM < FILE'.",
                slug="input-not-replaceable",
            )
        return (same[0].folder / _KEPT_STDIN).read_bytes()


def _best(candidates: Sequence[_Candidate], specs: Sequence[InputSpec]) -> _Candidate:
    """Return the process that reads most of the inputs; of equal ones, the last."""

    def matched(one: _Candidate) -> int:
        return sum(any(map(spec.matches, one.contents)) for spec in specs)

    def size(one: _Candidate) -> int:
        return one.read + sum(map(len, one.process.arguments[1:]))

    best = max(candidates, key=lambda one: (matched(one), size(one), one.number))
    for spec in specs:
        if not any(map(spec.matches, best.contents)):
            raise no_such_input(spec, best.contents)
    return best


def _made_files(contents: dict[InputSource, bytes], rerunner: InputRerunner) -> dict[str, bytes]:
    """Return the files that the script around the program made for it."""
    return {
        source.name: text
        for source, text in contents.items()
        if source.kind is SourceKind.FILE and rerunner.built_file(source.name) != text
    }


def _notes(
    candidates: Sequence[_Candidate], best: _Candidate, commands: BuildAndTest, tree: Path
) -> tuple[str, ...]:
    shown = shlex.join(best.process.arguments).replace(f"{tree}/", "")
    shown = shown if len(shown) <= _MAX_TEXT else f"{shown[: _MAX_TEXT - 3]}..."
    notes = []
    if len(candidates) > 1:
        notes.append(
            f"the test runs {len(candidates)} recorded programs; other inputs are given to: {shown}"
        )
    if len(candidates) > 1 or Path(best.process.arguments[0]).name not in commands.test:
        notes.append(f"the program is started without the script around it: {shown}")
    return tuple(notes)
