"""What does a C function do on a state that was recorded in the other version?

The program runs again, and at the call that is aligned with the recorded one its parameters and the
memory that it reads get the recorded values.  Numbers can be put in, and NULL; other addresses are
those of the run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from whence.frontend.c.terms import bare
from whence.frontend.recorded_run import RUN
from whence.frontend.rerun.c import CRerunner
from whence.frontend.rerun.interventions import Intervention, PatchedProcess, PokeAt, SetBytes
from whence.program.ids import Step
from whence.subject.trial import BuildAndTest
from whence.trace.c.c_expressions import CallScope, located
from whence.trace.c.object_paths import is_pointer
from whence.trace.c.recording import CRecording, CThread
from whence.trace.c.run_points import run_point
from whence.trace.c.source_functions import source_functions
from whence.trace.c.watched_calls import CWatchedProcess, SourcePlaces, watched_processes
from whence.trace.calls import NOT_RECORDED, AnsweredCall, AskedCall, Call
from whence.trace.recording import program_place

_MAX_RUNS = 8  # limit on runs of the program with other states; guessed
_MAX_STEPS = 16_000_000  # limit on the steps of all these runs; guessed
_NUMBERS = (1, 2, 4, 8)  # bytes


class _RefusedError(Exception):
    """A state cannot be put in; the message says why."""


def run_calls_again(
    tree: Path, commands: BuildAndTest, out: Path, asked: Sequence[AskedCall]
) -> Mapping[int, Sequence[AnsweredCall]]:
    """Run the program once, and again for each call whose state has to be put in.

    A call that starts in the state of its aligned call is answered by that call, without a run.
    """
    found: dict[int, Sequence[AnsweredCall]] = {}
    waiting: list[AskedCall] = []
    for each in asked:
        try:
            process, call = _recorded(each)
            if [*_interventions(process, call, each)]:
                _check_effort(process, len(waiting))
                waiting.append(each)
            else:
                found[each.number] = [AnsweredCall(process, call)]
        except _RefusedError as why:
            found[each.number] = [AnsweredCall(each.process, None, str(why))]
    return found | (_answers(tree, commands, out, waiting) if waiting else {})


def _recorded(asked: AskedCall) -> tuple[CWatchedProcess, Call]:
    """Return the aligned call as it was recorded, with its process."""
    process, call = asked.aligned_process, asked.aligned
    if not isinstance(process, CWatchedProcess) or call is None:
        raise _RefusedError("the run of the good version has no call of the function there")
    if not call.has_ended:
        raise _RefusedError("it does not end")
    return process, call


def _check_effort(process: CWatchedProcess, runs: int) -> None:
    """Refuse a further run if runs of this program are too long, or if there are too many."""
    assert process.reader is not None
    steps = process.reader.log.thread.stream.steps
    if runs >= _MAX_RUNS:
        raise _RefusedError(f"only {_MAX_RUNS} calls are run again in C")
    if (runs + 1) * steps > _MAX_STEPS:
        raise _RefusedError(
            f"a run has {steps:,} steps, and at most {_MAX_STEPS:,} are run again in C"
        )


def _answers(
    tree: Path, commands: BuildAndTest, out: Path, asked: Sequence[AskedCall]
) -> dict[int, Sequence[AnsweredCall]]:
    """Build the program, and run it for each call."""
    kept, plain = out / "kept", out / "plain"
    kept.mkdir()
    plain.mkdir()
    rerunner = CRerunner(tree, commands, kept)
    places = SourcePlaces([*source_functions(tree)])
    rerunner.record(plain)
    wanted = frozenset(each.aligned.number for each in asked if each.aligned is not None)
    recording = _recording(plain)
    processes = [*watched_processes(recording, places, frozenset(), wanted)]
    found: dict[int, Sequence[AnsweredCall]] = {}
    for each in asked:
        try:
            process, call = _aligned(processes, each)
            interventions = [*_interventions(process, call, each)]
            folder = out / str(each.number)
            folder.mkdir()
            again = _altered(rerunner, recording, process, interventions, folder)
            answering = [*watched_processes(again, places, frozenset(), frozenset({call.number}))]
            process, call = _aligned(answering, each)
            _put_arguments(process, call, each)
            if not call.has_ended:
                raise _RefusedError("it does not end")
            found[each.number] = [AnsweredCall(process, call)]
        except _RefusedError as why:
            found[each.number] = [AnsweredCall(processes[0], None, str(why))]
    return found


def _recording(folder: Path) -> CRecording:
    return CRecording(folder, json.loads((folder / RUN).read_text("utf-8")))


def _altered(
    rerunner: CRerunner, recording: CRecording, process: CWatchedProcess,
    interventions: Sequence[Intervention], folder: Path,
) -> CRecording:  # fmt: skip
    """Run the program with a state put in, and return its recording."""
    assert process.reader is not None
    of_process = process.reader.log.thread.image.process
    patched = PatchedProcess(*program_place(of_process, recording))
    rerun = rerunner.run(
        interventions, process=patched, places=of_process.places, record_into=folder
    )
    if rerun.missed:
        raise _RefusedError("the run has another course when it is repeated")
    return _recording(folder)


def _put_arguments(process: CWatchedProcess, call: Call, asked: AskedCall) -> None:
    """Note the arguments that were put in: the record has what the caller gave."""
    assert isinstance(asked.process, CWatchedProcess)
    scope, other = process.scopes[call.number], asked.process.scopes[asked.call.number]
    arguments = dict(scope.arguments)
    for param in scope.function.params:
        if not is_pointer(param.type) or not other.arguments[param.name]:
            call.given[param.name] = asked.call.given[param.name]
            arguments[param.name] = other.arguments[param.name]
    process.nodes.update(asked.process.nodes)
    process.scopes[call.number] = replace(scope, arguments=arguments)


def _aligned(
    processes: Sequence[CWatchedProcess], asked: AskedCall
) -> tuple[CWatchedProcess, Call]:  # fmt: skip
    """Return the aligned call, as another run of the same version has it."""
    if asked.aligned is None:
        raise _RefusedError("the run of the good version has no call of the function there")
    for process in processes:
        call = process.calls.get(asked.aligned.number)
        if process.command == asked.process.command and call is not None:
            function = process.functions[call.function]
            if (function.file, function.name) == (asked.function.file, asked.function.name):
                return process, call
    raise _RefusedError("the run has another course when it is repeated")


def _interventions(
    process: CWatchedProcess, call: Call, asked: AskedCall
) -> Iterator[Intervention]:  # fmt: skip
    """Yield what gives a call the state of another one."""
    assert isinstance(asked.process, CWatchedProcess)
    own, other = process.scopes[call.number], asked.process.scopes[asked.call.number]
    thread = own.reader.log.thread
    assert isinstance(thread, CThread)
    stores: list[Step] = []
    values = []
    for param in own.function.params:
        step = Step(own.first + param.op - int(thread.queries.op_of(own.first)))
        stores.append(step)
        if param.name not in other.arguments:
            raise _RefusedError(f"the parameter {param.name} is new")
        value = other.arguments[param.name]
        if asked.call.given.get(param.name) == call.given.get(param.name):
            continue
        if is_pointer(param.type) and value:
            raise _RefusedError(f"the pointer {param.name} leads to another object")
        kind = bare(param.type)
        if kind is None or kind.size not in _NUMBERS:
            raise _RefusedError(f"the parameter {param.name} is no number")
        size = kind.size
        content = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
        values.append(Intervention(run_point(thread, step), SetBytes(content)))
    pokes = [*_pokes(process, call, asked)]
    if pokes and not stores:
        raise _RefusedError("the function has no parameter at which memory could be set")
    yield from (Intervention(run_point(thread, stores[0]), poke) for poke in pokes)
    yield from values


def _pokes(process: CWatchedProcess, call: Call, asked: AskedCall) -> Iterator[PokeAt]:
    """Yield what gives the memory that a call reads the values of another call."""
    assert isinstance(asked.process, CWatchedProcess)
    own, other = process.scopes[call.number], asked.process.scopes[asked.call.number]
    for place in {**asked.call.around, **call.around}:
        states = [
            each.around[place] if place in each.around else of.state_of(each, place, at_end=False)
            for of, each in ((process, call), (asked.process, asked.call))
        ]
        if states[0] == states[1] or NOT_RECORDED in states:
            continue
        if place.startswith(("the position", "<", "(new", "\\")) or "{" in place:
            raise _RefusedError(f"{place} cannot be set")
        yield _poke(own, other, place)


def _poke(own: CallScope, other: CallScope, place: str) -> PokeAt:
    here, there = located(own, place), located(other, place)
    if here is None or there is None or here.size != there.size:
        raise _RefusedError(f"where {place} lies is not known")
    content = other.reader.log.read(there.address, there.size, other.first)
    if content is None:
        raise _RefusedError(f"the value of {place} is not known")
    if here.is_pointer and any(content):
        raise _RefusedError(f"{place} leads to another object")
    return PokeAt(here.address, bytes(content))
