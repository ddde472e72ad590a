"""Do replay.c and the oracle say the same about a recorded run?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.trace.python.oracle.events import read_events
from tests.trace.python.oracle.objects import ObjectState
from tests.trace.python.oracle.replayed_run import ReplayedRun as OracleRun
from tests.trace.python.oracle.replaying import replay
from whence.trace.python.recording import PythonRecording, PythonThread

_COLUMNS = (
    *("stretch", "first", "activation", "control", "previous", "operands", "start", "prints"),
)


def differences(recording: PythonRecording) -> list[str]:
    """Return what differs between the two replays of each thread of a recording."""
    found: list[str] = []
    for process in recording.processes:
        for log in process.logs:
            thread = recording.thread(recording.image(process), log)
            events = read_events(log.path, log.path.with_name("0.log"))
            assert thread.events == len(events.ops)
            found += _different(thread, replay(thread.program, events))
    return found


def _different(thread: PythonThread, oracle: OracleRun) -> Iterator[str]:
    run, columns = thread.run, thread.run.columns
    for name in _COLUMNS:
        yield from _unequal(name, columns[name].tolist(), list(getattr(oracle, name)))
    yield from _unequal("values", [*map(repr, run.values)], [*map(repr, oracle.values)])
    steps = range(1, run.steps + 1)
    own = {step: run.source[step] for step in steps if step in run.source}
    yield from _unequal("source", own, oracle.source)
    yield from _unequal("reads", dict(run.reads), dict(oracle.reads))
    raised = {step: by or 0 for step, by in oracle.raised.items()}
    yield from _unequal("raised", dict(run.raised), raised)
    yield from _unequal("left", run.left, oracle.left)
    yield from _unequal("handed", dict(run.handed), oracle.handed)
    rows = [row.as_tuple() for row in oracle.activations]
    yield from _unequal("activations", columns["activations"].tolist(), rows)
    objects = oracle.objects
    yield from _unequal("changers", {*columns["changers"].tolist()}, objects._changers)
    yield from _unequal("functions", {*columns["functions"].tolist()}, objects._functions)
    yield from _unequal("classes", {*columns["classes"].tolist()}, objects._classes)
    known: dict[int, list[Any]] = {}
    for number, row in enumerate(columns["states"].tolist()):
        if number:
            known.setdefault(row[0], []).append(_facts(run.objects._state(number)))
    expected = {address: [*map(_facts, states)] for address, (_, states) in objects._all.items()}
    yield from _unequal("objects", known, expected)


def _facts(state: Any) -> tuple[object, ...]:
    assert isinstance(state, ObjectState) or hasattr(state, "writers")
    lists = (state.writers, state.attribute_writers, state.shifts, state.touches)
    return (state.made, state.rewritten, *map(list, lists))


def _unequal(name: str, own: Any, oracle: Any) -> Iterator[str]:
    if own == oracle:
        return
    if isinstance(own, dict):
        for key in sorted({*own, *oracle}):
            if own.get(key) != oracle.get(key):
                yield f"{name}[{key}]: {own.get(key)}, but the oracle has {oracle.get(key)}"
                return
    if isinstance(own, list):
        for at, (one, other) in enumerate(zip(own, oracle, strict=False)):
            if one != other:
                yield f"{name}[{at}]: {one}, but the oracle has {other}"
                return
        yield f"{name}: {len(own)} entries, but the oracle has {len(oracle)}"
        return
    yield f"{name}: {own}, but the oracle has {oracle}"
