"""Which steps wrote the file that a step opens or reads?

Files are no objects of the program, so what was written to one is found by its path.  A file is
known by a path that a call was given in full, as `open` and the methods of `pathlib.Path` are.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

from whence.frontend.python.values import Obj, Value
from whence.program.ids import Op, Step
from whence.trace.python.replayed_run import ReplayedRun

_WRITES = frozenset({"write_text", "write_bytes"})
_READS = frozenset({"read_text", "read_bytes"})
_OPENS = "open"
_MAX_WRITERS = 200  # limit on the last steps that wrote a file; guessed


class _Touched(NamedTuple):
    """A call that may have written a file, or opened it."""

    step: Step
    is_open: bool


class WrittenFiles:
    """The files that one thread wrote."""

    def __init__(
        self,
        run: ReplayedRun,
        op_of: Callable[[Step], Op],
        executions: Callable[[Op], list[Step]],
        value: Callable[[Step], Value],
        constant: Callable[[Op, int], Value],
    ) -> None:
        self._run, self._op_of, self._executions = run, op_of, executions
        self._value, self._constant = value, constant

    def writers(self, call: Step) -> list[Step]:
        """Return the steps that wrote the file which a call opens or reads."""
        op = self._op_of(call)
        if not self._by_path or self._callee(op) not in (_OPENS, *_READS):
            return []
        path = self._path(call, op)
        found: list[Step] = []
        for step, is_open in self._by_path.get(path or "", ()):
            if step < call:
                found.append(step)
                found += self._written_through(step, call) if is_open else ()
        return found[-_MAX_WRITERS:]

    def writes(self, op: Op) -> bool:
        """Does a call write its argument to a file, as far as its name says so?"""
        return self._callee(op) in _WRITES

    def _written_through(self, opened: Step, before: Step) -> list[Step]:
        """Return the steps that wrote to the file object that a call of `open` returned."""
        state = self._run.objects.at(self._run.values[opened], before)
        return [] if state is None else [step for step in state.writers if step < before]

    @cached_property
    def _by_path(self) -> dict[str, list[_Touched]]:
        """The calls that opened or wrote a file, in order; none if nothing reads a file."""
        calls = {
            Op(op): name
            for op, opcode in enumerate(self._run.program.opcode)
            if opcode == "call" and (name := self._callee(Op(op))) in (_OPENS, *_WRITES, *_READS)
        }
        found: dict[str, list[_Touched]] = {}
        for op, name in calls.items():
            for step in self._executions(op) if name not in _READS else ():
                path = self._path(step, op)
                if path is not None:
                    found.setdefault(path, []).append(_Touched(step, name == _OPENS))
        return {path: sorted(touched) for path, touched in found.items()}

    def _path(self, call: Step, op: Op) -> str | None:
        """Return the path that a call was given; a method's object comes before its arguments."""
        program = self._run.program
        uses = program.uses[op]
        callee = uses[0] if uses else None
        operands = self._run.operands_of(call)
        if callee is not None and callee >= 0 and program.opcode[callee] == "method":
            method = operands[0]
            receiver = next(iter(self._run.operands_of(method)), None) if method else None
            path = None if receiver is None else _path_of(self._value(receiver))
            if path is not None:
                return path
        if len(uses) < 2 or uses[1] is None:
            return None
        if uses[1] < 0:
            return _path_of(self._constant(op, uses[1]))
        given = operands[1]
        return _path_of(self._value(Step(given))) if given else None

    def _callee(self, op: Op) -> str | None:
        """Return the last part of the name by which a call names what it calls."""
        use = next(iter(self._run.program.uses[op]), None)
        return None if use is None or use < 0 else self._run.program.name[use]


def _path_of(value: Value) -> str | None:
    """Return the path that a text or a `pathlib.Path` stands for."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Obj) or value.kind != "known" or not isinstance(value.shape, str):
        return None
    if not value.type.startswith("pathlib"):
        return None
    try:
        text = ast.literal_eval(value.shape)
    except (SyntaxError, ValueError):
        return None
    return text if isinstance(text, str) else None
