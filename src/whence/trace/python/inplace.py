"""Which value did `a.b += c` or `a[b] += c` give its target?

The recorder does not log that value: it would have to read the target once more, which may run
code of the program.  The value follows from the step that set the target before, and from `c`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Protocol

from whence.frontend.python.values import UNKNOWN, Obj, Value, items
from whence.program.ids import Op
from whence.trace.python.program import PythonProgram
from whence.trace.python.replayed_run import MISSING, ReplayedRun

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+=": operator.add, "-=": operator.sub, "*=": operator.mul, "//=": operator.floordiv,
    "/=": operator.truediv, "%=": operator.mod, "&=": operator.and_, "|=": operator.or_,
    "^=": operator.xor,
}  # fmt: skip
_NUMBERS, _TEXTS = (bool, int, float), (str, bytes)
_MAX_SIZE = 4096  # characters or bits of a value that is computed, as the recorder keeps whole


class _Thread(Protocol):
    """What is read of a thread."""

    run: ReplayedRun
    program: PythonProgram

    def value(self, step: int) -> Value: ...
    def constant(self, op: int, use: int) -> Value: ...
    def has_value(self, step: int) -> bool: ...
    def op_at(self, step: int) -> Op: ...


class InplaceValues:
    """The values that in-place operations gave attributes and items of one thread."""

    def __init__(self, thread: _Thread) -> None:
        self._thread, self._run, self._program = thread, thread.run, thread.program

    def compute(self, step: int) -> dict[int, Value]:
        """Return the values of the step and of the earlier ones that it continues."""
        steps = [step]
        while (before := self._continued(steps[-1])) is not None:
            steps.append(before)
        found: dict[int, Value] = {}
        for at in reversed(steps):
            found[at] = self._result(at, found)
        return found

    def _continued(self, step: int) -> int | None:
        """Return the in-place operation on the same target before, if its value is not known."""
        setter = self._setter(step)
        if setter is None or self._thread.has_value(setter):
            return None
        is_alike = self._program.opcode[self._thread.op_at(setter)] == "inplace"
        return setter if is_alike and self._run.values[setter] is MISSING else None

    def _setter(self, step: int) -> int | None:
        """Return the step that set the target before; None if that is not known."""
        extra = self._program.extra[self._thread.op_at(step)]
        for read in self._run.reads.get(step, ()):
            op = self._thread.op_at(read)
            opcode, name, own = self._program.opcode[op], self._program.name[op], None
            if opcode == "inplace":
                own = self._program.extra[op]
            elif opcode in ("set_attr", "store"):  # a variable of a class is an attribute of it
                own = ["attr", name]
            elif opcode in ("set_item", "dict", "list"):
                own = "item"
            if read < step and own == extra:
                return read
        return None

    def _result(self, step: int, found: dict[int, Value]) -> Value:
        setter, op = self._setter(step), self._thread.op_at(step)
        if setter is None:
            return UNKNOWN
        before = found[setter] if setter in found else self._thread.value(setter)
        if self._program.opcode[self._thread.op_at(setter)] in ("dict", "list"):
            before = _element(before, self._operand(step, op, 1))
        name = self._program.name[op] or ""
        return _computed(name, before, self._operand(step, op, len(self._program.uses[op]) - 1))

    def _operand(self, step: int, op: Op, at: int) -> Value:
        use = self._program.uses[op][at]
        if use is None:
            return UNKNOWN
        if use < 0:
            return self._thread.constant(op, use)
        operand = self._run.operands_of(step)[at]
        return self._thread.value(operand) if operand else UNKNOWN


def _element(holder: Value, at: Value) -> Value:
    """Return an element of a list or a dict of which all elements are known."""
    own = items(holder)
    if own is None or not isinstance(holder, Obj) or type(at) not in (int, str):
        return UNKNOWN
    if holder.kind == "dict":
        pairs = zip(own[::2], own[1::2], strict=True)
        return next((v for k, v in pairs if type(k) is type(at) and k == at), UNKNOWN)
    return own[at] if isinstance(at, int) and -len(own) <= at < len(own) else UNKNOWN


def _computed(name: str, before: Value, operand: Value) -> Value:
    """Return the result of an operation on two plain values; UNKNOWN if they are not."""
    if name not in _OPERATORS:
        return UNKNOWN
    is_number = type(before) in _NUMBERS and type(operand) in _NUMBERS
    is_text = name == "+=" and type(before) in _TEXTS and type(operand) is type(before)
    if not is_number and not is_text:
        return UNKNOWN
    try:
        result: Value = _OPERATORS[name](before, operand)
    except (ArithmeticError, TypeError):
        return UNKNOWN
    size = len(result) if isinstance(result, _TEXTS) else _bits(result)
    return result if size <= _MAX_SIZE else UNKNOWN


def _bits(value: Value) -> int:
    return value.bit_length() if isinstance(value, int) else 0
