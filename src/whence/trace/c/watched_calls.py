"""Which calls did a recorded run of a C or C++ program make?"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from whence.changes.syntax import grammar_of
from whence.frontend.c.debug import DebugType
from whence.frontend.c.record import record
from whence.frontend.c.terms import bare
from whence.frontend.recorded_run import RUN
from whence.program.ids import Op, Step
from whence.program.rows import INPUT, OUTPUT
from whence.subject.trial import BuildAndTest
from whence.trace.c.c_expressions import CallScope, evaluated_path, parse_expression
from whence.trace.c.call_states import StateReader, steps_in
from whence.trace.c.called_functions import CFunction, CFunctions
from whence.trace.c.memory_log import MAX_STEPS, MemoryLog
from whence.trace.c.object_paths import STRUCTURES
from whence.trace.c.recording import CRecording, CThread
from whence.trace.c.source_functions import source_functions
from whence.trace.calls import (
    NOT_RECORDED,
    Call,
    CalledFunction,
    State,
    UnknownStateError,
    WatchedProcess,
    WatchedRun,
    Written,
)
from whence.trace.columns import DIRECT, IN_MEMORY, UNWOUND
from whence.trace.function_pairs import FunctionSource
from whence.trace.written import named_sources

_MAX_CALLS = 100  # calls of one function that are compared; guessed
_MAX_CHANGED = 1500  # calls of a changed function that are compared; guessed
_MAX_OUTPUTS = 2000  # pieces of output of one call; guessed
_REGISTER = 8  # bytes
_STREAMS = {"stdout": "standard output", "stderr": "standard error"}


def watch_calls(
    tree: Path, commands: BuildAndTest, out: Path, changed: Iterable[tuple[str, int]], seed: int  # noqa: ARG001 - C leaves nothing to chance
) -> WatchedRun:  # fmt: skip
    """Build a tree, run its test, and return the calls that its functions got."""
    functions = SourcePlaces([*source_functions(tree)])
    run = record(tree, commands, out)
    recording = CRecording(out, json.loads((out / RUN).read_text("utf-8")))
    processes = [*watched_processes(recording, functions, frozenset(changed))]
    text = (run.stdout or b"") + (run.stderr or b"")
    return WatchedRun(processes, run.status or 0, text, run.seconds)


class SourcePlaces:
    """The functions of a tree, by a line in them."""

    def __init__(self, functions: Sequence[FunctionSource]) -> None:
        self._by_file: dict[str, list[FunctionSource]] = defaultdict(list)
        for function in functions:
            self._by_file[function.file].append(function)

    def at(self, file: str, line: int) -> FunctionSource | None:
        """Return the innermost function that holds a line."""
        holding = [f for f in self._by_file.get(file, ()) if f.first <= line <= f.last]
        return max(holding, key=lambda function: function.first, default=None)


def watched_processes(
    recording: CRecording, places: SourcePlaces, changed: frozenset[tuple[str, int]],
    only: frozenset[int] | None = None,
) -> Iterator[CWatchedProcess]:  # fmt: skip
    """Yield the calls of each thread of a recorded run; `only` has the numbers of those to read."""
    for process in recording.processes:
        image = recording.image(process)
        for log in process.logs:
            thread = recording.thread(image, log)
            name = () if log.kind == "main" else (f"{log.kind} {log.number}",)
            command = (*process.arguments, *name)
            yield _Reader(thread, command, places, changed, only).read()


@dataclass
class CWatchedProcess(WatchedProcess):
    """The calls of one thread of a C program, with its memory."""

    reader: StateReader | None = None
    scopes: dict[int, CallScope] = field(default_factory=dict)  # by number of the call

    def state_of(self, call: Call, place: str, *, at_end: bool) -> State:
        scope = self.scopes.get(call.number)
        if scope is None or place.startswith(("<", "(new", "\\")) or "{" in place:
            return NOT_RECORDED
        known = {**call.around, **(call.around_after if at_end else {})}
        if not at_end and scope.is_initial(place):
            return NOT_RECORDED  # a part of the version
        if place in known:
            return known[place]
        return evaluated_path(scope, place, at_end=at_end)


class _Reader:
    """Reads the calls of one thread."""

    def __init__(
        self, thread: CThread, command: tuple[str, ...], places: SourcePlaces,
        changed: frozenset[tuple[str, int]], only: frozenset[int] | None = None,
    ) -> None:  # fmt: skip
        self._thread, self._places, self._changed = thread, places, changed
        self._only = only
        self._process = CWatchedProcess(command)
        self._functions = CFunctions(thread.image)
        self._index: dict[int, int | None] = {}  # function -> index into the process's functions
        self._by_source: dict[FunctionSource, int] = {}
        self._seen: Counter[int] = Counter()

    def read(self) -> CWatchedProcess:
        thread, process = self._thread, self._process
        if thread.stream.steps > MAX_STEPS:
            process.is_cut = True
            return process
        log = MemoryLog(thread)
        process.reader = StateReader(log, process.nodes)
        self._outputs, self._output_steps = self._effects(OUTPUT)
        self._inputs, self._input_steps = self._effects(INPUT)
        self._names = dict(named_sources(thread))
        rows = thread.stream.activations
        logged: dict[int, int] = {0: 0}  # activation -> number of the call that it belongs to
        for number in range(1, len(rows)):
            row = rows[number]
            index = self._function(int(row["function"]))
            above = logged.get(int(row["parent"]), 0)
            logged[number] = above
            if index is None:
                continue
            process.counts[index] = process.counts.get(index, 0) + 1
            is_asked = self._only is None or number in self._only
            if is_asked and self._is_wanted(index) and self._call(log, number, index, above):
                logged[number] = number
        self._order()
        return process

    def _is_wanted(self, index: int) -> bool:
        self._seen[index] += 1
        function = self._process.functions[index]
        is_changed = (function.file, function.line) in self._changed
        return self._seen[index] <= (_MAX_CHANGED if is_changed else _MAX_CALLS)

    def _function(self, number: int) -> int | None:
        """Return the index of a function that the tree defines; None for another one."""
        if number not in self._index:
            found = self._functions.function(number)
            source = None if found is None else self._places.at(found.file, found.line)
            if source is not None and found is not None and _is_made_by_macro(found, source):
                source = None  # its calls are no calls of the function that follows the macro
            self._index[number] = None
            if found is not None and source is not None:
                params = tuple(each.name for each in found.params)
                self._index[number] = self._by_source.setdefault(
                    source, len(self._process.functions)
                )  # a constructor may be compiled twice
                if self._index[number] == len(self._process.functions):
                    self._process.functions.append(
                        CalledFunction(
                            source.file, source.first, source.name, params, frozenset(params)
                        )
                    )
        return self._index[number]

    def _call(self, log: MemoryLog, number: int, index: int, parent: int) -> bool:
        stream = self._thread.stream
        row = stream.activations[number]
        function = self._functions.function(int(row["function"]))
        assert function is not None
        assert self._process.reader is not None
        first = Step(int(stream.first[int(row["first_instance"])]))
        last = self._last(number)
        arguments = {
            each.name: int(log.values[step])
            for each in function.params
            if (step := self._step(first, each.op)) is not None
        }
        pointers = dict(self._pointers(function, row))
        has_result = bool(row["ret"]) and function.result is not None
        result = self._result(log, int(row["ret"]), function) if has_result else None
        memory = self._process.reader.memory(function, first, last, arguments, pointers, result)
        if memory.pointed is None:  # it touched too much
            return False
        call = Call(
            number, index, parent, self._called_from(row), memory.given, frozenset(),
            memory.reads | dict(self._input_offsets(first, last)),
        )  # fmt: skip
        call.shown = memory.shown
        call.result, call.around_after = memory.result, memory.writes
        call.written = [*self._written(first, last)]
        if row["ret"] or row["flags"] & UNWOUND:
            call.order = last
        if not row["ret"] and row["flags"] & UNWOUND:
            call.raised, kind = self._process.reader.thrown(last)
            bases = self._process.reader.exceptions.bases
            self._process.classes.setdefault(kind, bases.get(kind, (kind,)))
        self._process.calls[number] = call
        self._process.scopes[number] = CallScope(
            self._process.reader, function, first, last, arguments, pointers, result,
            memory.pointed,
        )  # fmt: skip
        return True

    def _result(self, log: MemoryLog, step: int, function: CFunction) -> int:
        """Return what a call returned in registers; a structure may need two of them."""
        kind = bare(function.result)
        if kind is not None and kind.kind in STRUCTURES and kind.size > _REGISTER:
            return int.from_bytes(self._thread.replay.wide(step)[: 2 * _REGISTER], "little")
        return int(log.values[step])

    def _step(self, first: Step, op: Op) -> Step | None:
        """Return the step that executed an operation of the first stretch of an activation."""
        step = first + op - int(self._thread.queries.op_of(first))
        return Step(step) if first <= step <= self._thread.stream.steps else None

    def _last(self, number: int) -> Step:
        """Return the last step of a call; one that an exception left ends where it was thrown."""
        row = self._thread.stream.activations[number]
        if row["ret"] or not row["flags"] & UNWOUND:
            return Step(int(row["ret"]) or self._thread.stream.steps)
        return Step(self._unwound[number])

    @cached_property
    def _unwound(self) -> dict[int, int]:
        """The last steps of the calls that an exception left, and of the calls within them."""
        stream, found = self._thread.stream, dict[int, int]()
        rows = stream.activations
        for number in range(len(rows) - 1, 0, -1):
            row, following = rows[number], int(rows[number]["last_instance"]) + 1
            own = int(row["ret"])
            if not own:
                is_open = not row["flags"] & UNWOUND or following >= len(stream.first)
                own = stream.steps if is_open else int(stream.first[following]) - 1
            last = max(own, found.get(number, 0))
            found[number] = last
            parent = int(row["parent"])
            found[parent] = max(last, found.get(parent, 0))
        return found

    def _pointers(
        self, function: CFunction, row: np.void
    ) -> Iterator[tuple[str, tuple[int, DebugType | None]]]:
        """Yield the arguments that lie in memory, and the place of a large result."""
        if function.returned_in is None and not function.in_memory:
            return
        if not row["call"] or not row["flags"] & DIRECT:
            return
        given = self._thread.replay.arguments(int(row["call"]))
        for place, (name, kind) in function.in_memory.items():
            if place < len(given):
                yield name, (given[place], kind)
        if function.returned_in is not None and function.returned_in < len(given):
            yield "\\result", (given[function.returned_in], function.result)

    def _called_from(self, row: np.void) -> tuple[str, int]:
        if not row["call"]:
            return ("the start of the program", 0)
        place = self._thread.image.nearest_place(self._thread.queries.op_of(Step(int(row["call"]))))
        return (place.file, place.line) if place else ("an unknown line", 0)

    def _order(self) -> None:
        ended = sorted(
            (call for call in self._process.calls.values() if call.order >= 0),
            key=lambda call: (call.order, -call.number),
        )
        for order, call in enumerate(ended):
            call.order = order

    # --- the outside --------------------------------------------------------------------------

    def _effects(self, kind: int) -> tuple[Sequence[int], np.ndarray]:
        effects = self._thread.stream.effects
        rows = np.flatnonzero((effects["kind"] == kind) & (effects["source"] != IN_MEMORY))
        rows = rows[np.argsort(effects["step"][rows], kind="stable")]
        return rows.tolist(), effects["step"][rows].astype(np.int64)

    def _input_offsets(self, first: Step, last: Step) -> Iterator[tuple[str, State]]:
        """Yield where in each source a call began to read."""
        effects = self._thread.stream.effects
        seen: set[int] = set()
        for at in steps_in(self._input_steps, first, last):
            row = effects[self._inputs[at]]
            source = int(row["source"])
            if source not in seen:
                seen.add(source)
                yield f"the position in {self._names.get(source, 'an input')}", int(row["offset"])

    def _written(self, first: Step, last: Step) -> Iterator[Written]:
        effects = self._thread.stream.effects
        for count, at in enumerate(steps_in(self._output_steps, first, last)):
            if count >= _MAX_OUTPUTS:
                return
            row = self._outputs[at]
            text = self._thread.output_text(row) or b""
            name = self._names.get(int(effects["source"][row]), "a file")
            yield Written(_STREAMS.get(name, "a file"), text)


def _is_made_by_macro(found: CFunction, source: FunctionSource) -> bool:
    """Is a function of C another one than the source has at its line?

    A macro that gives a function another name stands where its name does.
    """
    if grammar_of(source.file) != "c" or found.name == source.name:
        return False
    return source.name not in source.text[found.line - source.first]


class CCallExpression:
    """An expression of C over the states of a call in two versions."""

    def __init__(self, text: str) -> None:
        self._expression = parse_expression(text)

    def names(self) -> Iterator[tuple[str, int]]:
        """Yield the names that are used, each with its offset in the text."""
        return self._expression.names()

    def value(
        self, good_process: WatchedProcess, good: Call, bad_process: WatchedProcess, bad: Call,
        state: str, known: Mapping[str, int], /,
    ) -> Any:  # fmt: skip
        """Return its value in a state: before, good or bad."""
        scopes = []
        for process, call in ((good_process, good), (bad_process, bad)):
            scope = (
                process.scopes.get(call.number) if isinstance(process, CWatchedProcess) else None
            )
            if scope is None:
                raise UnknownStateError("the call was not recorded")
            scopes.append(scope)
        moments = {
            "before": scopes[1].at(at_end=False),
            "good": scopes[0].at(at_end=True),
            "bad": scopes[1].at(at_end=True),
        }
        return self._expression.value(moments, state, known)
