"""Do replay.c and the oracle say the same about a recorded run?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.trace.python.oracle.events import read_events
from tests.trace.python.oracle.objects import ObjectState
from tests.trace.python.oracle.replayed_run import ReplayedRun as OracleRun
from tests.trace.python.oracle.replaying import replay
from whence.trace.python.recording import PythonRecording, PythonThread
from whence.trace.python.replayed_run import ReplayedRun

_COLUMNS = ("stretch", "first", "activation", "control", "prints")


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
    operands = [list(oracle.operands[oracle.start[s] : oracle.start[s + 1]]) for s in steps]
    yield from _unequal("operands", [*map(run.operands_of, steps)], operands)
    wanted = [*range(1, run.steps + 1, 3)]
    users = [s for s, used in zip(steps, operands, strict=True) if not {0}.issuperset(used)]
    using = [s for s in users if not {*operands[s - 1]}.isdisjoint(wanted)]
    yield from _unequal("users", run.users_of(wanted).tolist(), using)
    yield from _in_order(run, list(oracle.previous))
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


def _in_order(run: ReplayedRun, previous: list[int]) -> Iterator[str]:
    """Compare which instance follows which; `previous` has instance + 1, or 0."""
    instances = range(len(previous))
    own = [run.order.previous(instance) for instance in instances]
    yield from _unequal("previous", own, [before - 1 if before else None for before in previous])
    after = {before - 1: at for at, before in enumerate(previous) if before}
    following = run.order.following(np.array(instances, np.int64)).tolist()
    yield from _unequal("following", following, [after.get(at, 0) for at in instances])
    yield from _unequal("next", [*map(run.order.next, instances)], [*map(after.get, instances)])


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
