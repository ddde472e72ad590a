"""Which process of a recorded Python test reads the inputs, and which inputs has it?"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from whence.frontend.python.rerun_inputs import PythonStart
from whence.frontend.python.values import Obj, items
from whence.inputs import STDIN, InputRange, InputSource, SourceKind
from whence.paths.input_spec import InputSpec, chosen_inputs, no_such_input
from whence.paths.python.literals import Literal, find_literals
from whence.paths.python.runs import main_thread
from whence.subject.forks.program import read_program
from whence.trace.python.inputs import program_arguments
from whence.trace.python.recording import PythonRecording, PythonThread

_REDIRECTED = re.compile(r"<\s*([^\s<>|&;()]+)\s*$")  # `< FILE` at the end of a command


@dataclass(frozen=True)
class TestedScript:
    """How the program of a test is started, and the inputs that it has."""

    process: int  # the number of the process that reads the inputs
    start: PythonStart
    contents: dict[InputSource, bytes]
    free: frozenset[InputSource]
    literals: tuple[Literal, ...]  # that may change
    notes: tuple[str, ...]


def find_script(
    recording: PythonRecording, tree: Path, test: str, specs: Sequence[InputSpec]
) -> TestedScript:
    """Return the program of a recorded test with the inputs that may change."""
    if not recording.processes:
        raise recording.nothing()
    threads = [main_thread(recording, k) for k in range(len(recording.processes))]
    known = [outside_inputs(thread, tree, test) for thread in threads]
    literals = [[one for one in find_literals(thread) if one.is_input] for thread in threads]
    wants_literals = any(spec.kind is SourceKind.LITERAL for spec in specs)
    if wants_literals or not (specs or any(known)):
        at = max(range(len(threads)), key=lambda k: len(literals[k]))
        return _with_literals(at, literals[at], specs)
    at = max(range(len(threads)), key=lambda k: sum(map(len, known[k].values())))
    free = chosen_inputs(specs, known[at], test)
    return _as_program(threads[at], at, known[at], free, tree, test)


def _with_literals(
    at: int, literals: Sequence[Literal], specs: Sequence[InputSpec]
) -> TestedScript:
    contents = {one.source: one.contents for one in literals}
    others = [spec for spec in specs if spec.kind is not SourceKind.LITERAL]
    if others:
        raise no_such_input(others[0], contents)
    if specs and not contents:
        raise no_such_input(specs[0], contents)
    return TestedScript(at, PythonStart(), contents, frozenset(contents), tuple(literals), ())


def _as_program(
    thread: PythonThread, at: int, known: dict[InputSource, bytes], free: frozenset[InputSource],
    tree: Path, test: str,
) -> TestedScript:  # fmt: skip
    process = thread.image.process
    variables = {
        source.name: os.fsdecode(value)
        for source, value in known.items()
        if source.kind is SourceKind.VARIABLE
    }
    start = PythonStart(
        tuple(process.arguments), str(process.document.get("cwd", tree)), variables,
        known.get(STDIN),
    )  # fmt: skip
    notes: tuple[str, ...] = ()
    if read_program(test.partition("<")[0].strip(), tree, dict(os.environ)) is None:
        notes = ("the program is started itself, without the rest of the test command",)
    return TestedScript(at, start, known, free, (), notes)


def outside_inputs(thread: PythonThread, tree: Path, test: str) -> dict[InputSource, bytes]:
    """Return the inputs that a recorded program read and that can be replaced."""
    found: dict[InputSource, bytes] = {}
    texts = program_arguments(thread.image.process.arguments)
    stdin = bytearray()
    for step, ranges in sorted(thread.read_by.items()):
        for one in ranges:
            kind = one.source.kind
            if kind is SourceKind.ARGUMENT and 0 < one.source.number <= len(texts):
                found[one.source] = os.fsencode(texts[one.source.number - 1])
            elif kind is SourceKind.VARIABLE and isinstance(thread.value(step), str):
                found[one.source] = os.fsencode(str(thread.value(step)))
            elif kind is SourceKind.FILE and (tree / one.source.name).is_file():
                if not Path(one.source.name).is_absolute():
                    found[one.source] = (tree / one.source.name).read_bytes()
            elif kind is SourceKind.STDIN:
                _fill(stdin, one, thread.value(step))
                found[STDIN] = b""
    if STDIN in found:
        found[STDIN] = _redirected(test, tree) or bytes(stdin)
    return found


def _fill(stdin: bytearray, read: InputRange, value: object) -> None:
    """Put what a step read into the contents of standard input."""
    parts = (items(value) if isinstance(value, Obj) else None) or (value,)
    given = b"".join(
        part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        for part in parts
        if isinstance(part, str | bytes)
    )
    if len(given) == read.stop - read.start:
        # `input()` takes a newline that it does not return.
        stdin.extend(b"\n" * (read.start - len(stdin)))
        stdin[read.start : read.stop] = given


def _redirected(test: str, tree: Path) -> bytes | None:
    match = _REDIRECTED.search(test)
    path = tree / match[1].strip("'\"") if match else None
    return path.read_bytes() if path is not None and path.is_file() else None


def argument_place(arguments: Sequence[str], number: int) -> int:
    """Return the place of argument `number` of the program among the words that start it."""
    return len(arguments) - len(program_arguments(arguments)) + number - 1
