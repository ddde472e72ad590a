"""Which conditions over its inputs does a C run fulfil?

One pass forward over the steps that inputs reach.  A step whose value inputs decide gets a term; a
branch, an address or a division that they decide gives a condition.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import z3

from whence.frontend.c.models import ERRNO_LOCATION
from whence.frontend.c.tables import OpCode, OpKind
from whence.inputs import InputByte, InputRange, InputSource, SourceKind
from whence.logic.c.encode import applied, defined, encode
from whence.paths.c.calls import LibraryCall
from whence.paths.c.library import MODELS
from whence.paths.c.reach import reached_steps
from whence.paths.c.sorts import Sorts
from whence.paths.c.tables import Tables
from whence.paths.c.values import MAX_WIDTH, RunValues, Value, joined, resized
from whence.paths.compared import ComparedText
from whence.paths.conditions import Condition, ConditionKind, PathCondition
from whence.paths.terms import Fact, Pinned, Term, Unknowns
from whence.program.ids import Op, Step
from whence.program.operations import COp, Operation
from whence.program.rows import COPY, OUTPUT, READ
from whence.trace.c.flow import CFlow
from whence.trace.flow import Constant, FlowNode, Initial, Left, Operand, StoredBits

_MAX_READ = 4096  # bytes of what a call read that are pinned one by one; guessed
_COPIES = frozenset({
    "memcpy", "memmove", "mempcpy", "memset", "strncpy", "strncat", "bcopy", "bzero", "read",
    "fread", "fgets",
})  # fmt: skip


class PathPass(RunValues):
    """One pass over a run; `contents` are the bytes of each source in it."""

    def __init__(
        self, flow: CFlow, contents: Mapping[InputSource, bytes], free: Collection[InputSource]
    ) -> None:
        self.flow, self.contents, self.free = flow, contents, frozenset(free)
        self.unknowns = Unknowns(lambda byte: self._recorded(byte) or 0)
        self.terms: dict[Step, Term] = {}
        self.conditions: list[Condition] = []
        self.written: dict[tuple[Step, int], int | Term] = {}  # bytes that modelled calls left
        self.options = None
        self.sees_errno = _calls(flow, ERRNO_LOCATION)
        self.looked_at: dict[Step, list[tuple[int, int]]] = {}
        self.notes: dict[str, None] = {}
        self.compared: list[ComparedText] = []
        self._truths: dict[Step, Any] = {}  # terms of comparisons, as truth values
        self._opaque: dict[Step, str] = {}  # calls without a formula that read what inputs decide
        self._pins: dict[Step, list[Fact]] = {}
        self._tables = Tables(self)
        self._sorts = Sorts(self)

    def run(self) -> PathCondition:
        """Return the conditions of the run over its free inputs."""
        for step in reached_steps(self.flow.thread, self.free).tolist():
            self._step(step)
        self.unknowns.tie_overlapping()
        return PathCondition(
            self.flow.thread,
            self.unknowns,
            tuple(self.conditions),
            tuple(self.notes),
            self.terms,
            tuple(self.compared),
        )

    # --- inputs ----------------------------------------------------------------------------------

    def _recorded(self, byte: InputByte) -> int | None:
        contents = self.contents.get(byte.source)
        if contents is None or byte.offset > len(contents):
            return None
        if byte.offset == len(contents):
            is_string = byte.source.kind in (SourceKind.ARGUMENT, SourceKind.VARIABLE)
            return 0 if is_string else None
        return contents[byte.offset]

    def byte(self, byte: InputByte) -> Value:
        """Return the value of an input byte."""
        value = self._recorded(byte)
        if value is None or byte.source not in self.free:
            return value
        is_new = byte not in self.unknowns
        found = self.unknowns.byte(byte)
        if is_new and byte.source.kind in (SourceKind.ARGUMENT, SourceKind.VARIABLE):
            is_end = byte.offset == len(self.contents[byte.source])
            formula = found.term == 0 if is_end else found.term != 0
            self.unknowns.add_fact(byte, Fact(formula, found.unknowns))
        return found

    # --- operands --------------------------------------------------------------------------------

    def of(self, operand: Operand) -> Value:
        """Return the value of an operand."""
        if isinstance(operand, int):
            found = self.terms.get(operand)
            if found is None and operand in self._opaque:
                found = self._pinned(operand)
            if found is None:
                found = self._returned(operand)
            return self.flow.value(operand) if found is None else found
        if isinstance(operand, Constant):
            return operand.value
        if isinstance(operand, StoredBits):
            whole = self.of(operand.step)
            if isinstance(whole, Term):
                if operand.low + operand.width > whole.term.size():
                    return None
                bits = z3.Extract(operand.low + operand.width - 1, operand.low, whole.term)
                return Term(bits, whole.unknowns)
            return None if whole is None else whole >> operand.low & (1 << operand.width) - 1
        if isinstance(operand, InputByte):
            return self.byte(operand)
        if isinstance(operand, InputRange):
            return joined([(self.byte(byte), 8) for byte in operand.bytes()])
        if isinstance(operand, Left):
            return joined([(self.left(operand, k), 8) for k in range(operand.width // 8)])
        if isinstance(operand, Initial):
            return self._tables.initial(operand)
        return None

    def _returned(self, call: Step) -> Term | None:
        """Return the term of what a call of a recorded function returned.

        The steps of the function come after the step of the call.
        """
        returned = self.flow.returned(call) if self.flow.kind(call) == OpKind.CALL else None
        operands = () if returned is None else self.flow.node(returned).operands
        found = self.of(operands[0]) if operands else None
        if not isinstance(found, Term):
            return None
        self.terms[call] = Term(
            resized(found.term, self.flow.node(call).operation.width), found.unknowns
        )
        return self.terms[call]

    def left(self, left: Left, offset: int) -> Value:
        """Return one byte of what a call or an operation on memory left there."""
        source = self.flow.input_byte(left, offset)
        if source is not None:
            return self.byte(source)
        known = self.written.get((left.step, left.address + offset))
        if known is not None:
            return known
        op = self.flow.op_of(left.step)
        if self.flow.thread.image.program.ops["code"][op] in (OpCode.FILL, OpCode.LFILL):
            filled = self.flow.argument(left.step, 1)
            value = None if filled is None else self.of(filled)
            if isinstance(value, Term):
                return Term(z3.Extract(7, 0, value.term), value.unknowns)
            return None if value is None else value & 0xFF
        return None

    # --- steps -----------------------------------------------------------------------------------

    def _step(self, step: Step) -> None:
        node, kind = self.flow.node(step), self.flow.kind(step)
        code = self.flow.thread.image.program.ops["code"][self.flow.op_of(step)]
        pointer = None if node.pointer is None else self.of(node.pointer)
        if kind == OpKind.BRANCH:
            self._branch(step, node)
        elif kind == OpKind.CALL and node.operation.op is COp.OPAQUE:
            self._call(step)
        elif code in (OpCode.LOAD, OpCode.LLOAD):
            self._load(step, node, pointer)
        else:
            if isinstance(pointer, Term):
                self.pin(step, pointer, self.flow.address(step))
            self._compute(step, node)
            self._sorts.returned(step, self.terms.get(step))

    def _load(self, step: Step, node: FlowNode, pointer: Value) -> None:
        width = node.operation.width
        if isinstance(pointer, Term):
            chosen = self._tables.chosen(step, node, pointer)
            if chosen is not None:
                if isinstance(chosen, Term):
                    self.terms[step] = chosen
                return
            self.pin(step, pointer, self.flow.address(step))
        if self._sorts.moves(self.flow.address(step), step):
            held = self.memory(self.flow.address(step), width // 8, step)
            moved = joined([(byte, 8) for byte in held], self.flow.value(step))
            if isinstance(moved, Term):
                self.terms[step] = moved
            return
        parts = [(self.of(part), self.flow.width_of(part)) for part in node.operands]
        known = self.flow.value(step) if width <= MAX_WIDTH else None
        made_by = [
            part.step for part in node.operands
            if isinstance(part, Left) and part.step in self._opaque and self.of(part) is None
        ]  # fmt: skip
        if made_by:
            self._pin_to(step, made_by, width)
            return
        if sum(part_width for _, part_width in parts) != width and len(parts) > 1:
            return
        found = joined(parts, known)
        if isinstance(found, Term):
            self.terms[step] = Term(resized(found.term, width), found.unknowns)

    def _compute(self, step: Step, node: FlowNode) -> None:
        operation = node.operation
        values = [self.of(operand) for operand in node.operands]
        if not any(isinstance(value, Term) for value in values):
            return
        if operation.op is COp.SELECT and isinstance(values[0], Term):
            self._select(step, node, values)
            return
        unknowns = _union(values)
        if operation.op is COp.ADDRESS:
            values = self._with_base(step, operation, node, values)
        terms = _terms(operation, values)
        if terms is None or not 0 < operation.width <= MAX_WIDTH:
            self._pin_values(step, node.operands, operation.width, "an operation without a formula")
            return
        if operation.op is COp.COPY:
            self.terms[step] = Term(resized(terms[0], operation.width), unknowns)
            self._keep_truth(step, node)
            return
        if not self._is_defined(step, operation, terms, unknowns):
            self._pin_values(step, node.operands, operation.width, "an undefined operation")
            return
        found = applied(operation, terms)
        if found is None:
            self._define(step, operation, terms, unknowns)
        elif z3.is_bool(found):
            self._truths[step] = found
            self.terms[step] = Term(z3.If(found, _ONE, _ZERO), unknowns)
        else:
            self.terms[step] = Term(found, unknowns)

    def _is_defined(
        self, step: Step, operation: Operation, terms: list[Any], unknowns: int
    ) -> bool:
        """Was the result of an operation defined?  Add the condition that it is, or is not.

        What an operation without a defined result gives (a shift by too many bits, a float that
        fits into no integer) depends on the machine.
        """
        needed = defined(operation, terms)
        if needed is None or z3.is_true(self.unknowns.recorded(needed, unknowns)):
            if needed is not None:
                self.add(step, ConditionKind.DEFINED, Fact(needed, unknowns))
            return True
        self.add(step, ConditionKind.DEFINED, Fact(z3.Not(needed), unknowns), "undefined")
        return False

    def _select(self, step: Step, node: FlowNode, values: Sequence[Value]) -> None:
        """`a ? b : c` is a branch of the source, also where the compiler makes none of it."""
        is_first = bool(self.flow.value_of(node.operands[0]))
        self._decide(step, node.operands[0], values[0], is_first)
        taken = values[1 if is_first else 2]
        if isinstance(taken, Term):
            self.terms[step] = taken

    def _keep_truth(self, step: Step, node: FlowNode) -> None:
        of = node.operands[0]
        if isinstance(of, int) and of in self._truths and node.operation.width == 1:
            self._truths[step] = self._truths[of]

    def _with_base(
        self, step: Step, operation: Operation, node: FlowNode, values: list[Value]
    ) -> list[Value]:
        """Return the operands of an address; the linker's choice of a base follows from the sum."""
        if values[0] is not None or any(value is None for value in values[1:]):
            return values
        rest = operation.extra[-1]
        for operand, scale, width in zip(
            node.operands[1:], operation.extra, operation.widths[1:], strict=False
        ):
            index = self.flow.value_of(operand)
            if index is None:
                return values
            signed = index - (1 << width) if index >> (width - 1) & 1 else index
            rest += signed * scale
        return [(self.flow.value(step) - rest) & (1 << operation.width) - 1, *values[1:]]

    def _define(self, step: Step, operation: Operation, terms: list[Any], unknowns: int) -> None:
        """Give a step an unknown of its own, which the operation defines: floats have no terms."""
        what = Pinned(step, "")
        result = self.unknowns.pinned(what, z3.BitVecSort(operation.width), self.flow.value(step))
        constraint = encode(operation, terms, result.term)
        if constraint is None:
            constraint = z3.And(
                result.term == self.flow.value(step),
                *(term == z3.simplify(term) for term in terms if z3.is_bv_value(term)),
            )
        self.unknowns.add_fact(what, Fact(constraint, unknowns | result.unknowns))
        self.terms[step] = result

    # --- conditions ------------------------------------------------------------------------------

    def add(self, step: Step, kind: ConditionKind, fact: Fact, value: object = None) -> None:
        """Add a condition, unless it holds for all inputs."""
        if fact.unknowns and not z3.is_true(fact.formula):
            self.conditions.append(Condition(step, kind, fact, value))

    def pin(self, step: Step, value: Term, recorded: int) -> None:
        """Add the condition that an address or a size is as recorded."""
        fact = Fact(value.term == recorded, value.unknowns)
        self.add(step, ConditionKind.ADDRESS, fact, self._tables.place(step, recorded))

    def _branch(self, step: Step, node: FlowNode) -> None:
        if not node.operands:
            return
        value = self.of(node.operands[0])
        if not isinstance(value, Term):
            return
        recorded = self.flow.value_of(node.operands[0])
        if node.operation.op is COp.SWITCH:
            cases = node.operation.extra
            formula = value.term == recorded
            if recorded not in cases:
                formula = z3.And([value.term != case for case in cases])
            self.add(step, ConditionKind.CASE, Fact(formula, value.unknowns))
            return
        if node.operation.op is not COp.COPY:
            self.pin(step, value, recorded or 0)
            return
        self._decide(step, node.operands[0], value, bool(self.flow.value(step) & 1))

    def _decide(self, step: Step, operand: Operand, value: Value, is_true: bool) -> None:
        """Add the condition that a truth value comes out as it did."""
        assert isinstance(value, Term)
        truth = self._truths.get(operand) if isinstance(operand, int) else None
        if truth is None:
            truth = resized(value.term, 1) == 1
        formula = truth if is_true else z3.Not(truth)
        self.add(step, ConditionKind.BRANCH, Fact(formula, value.unknowns))

    # --- calls -----------------------------------------------------------------------------------

    def _call(self, step: Step) -> None:
        callee = self.flow.callee(step)
        target = None if callee is None else self.of(callee)
        if isinstance(target, Term) and callee is not None:
            recorded = self.flow.value_of(callee)
            fact = Fact(target.term == recorded, target.unknowns)
            self.add(step, ConditionKind.CALLEE, fact, recorded)
        if self.flow.returned(step):
            return
        name = self.flow.thread.image.sort(self.flow.op_of(step)).callee or ""
        call = LibraryCall(self, step, name.removeprefix("__isoc99_").removeprefix("__isoc23_"))
        model = MODELS.get(call.name)
        if model is not None and model(call):
            return
        if self._sorts.called(call):
            return
        if call.name.removeprefix("llvm.").split(".")[0] in _COPIES:
            self._pin_arguments(step)
        self._opaque[step] = name or "a function that a pointer names"

    def _pin_arguments(self, step: Step) -> None:
        """Where and how much a copy writes is as recorded."""
        for number in range(self.flow.arguments(step)):
            operand = self.flow.argument(step, number)
            value = None if operand is None else self.of(operand)
            is_fill = number == 1 and self.flow.thread.image.sort(self.flow.op_of(step)).callee in (
                "memset",
                "llvm.memset.p0.i64",
            )
            if isinstance(value, Term) and operand is not None and not is_fill:
                self.pin(step, value, self.flow.value_of(operand) or 0)

    def result(self, step: Step, value: Value) -> None:
        """Set what a modelled call returned."""
        if isinstance(value, Term):
            self.terms[step] = value

    def _pinned(self, step: Step) -> Term | None:
        """Return the result of a call without a formula, which rests on all that the call read."""
        width = self.flow.node(step).operation.width
        if step not in self.terms and 0 < width <= MAX_WIDTH:
            self._pin_to(step, [step], width)
        return self.terms.get(step)

    def _pin_to(self, step: Step, calls: Iterable[Step], width: int) -> None:
        """The value of a step is as recorded if all that these calls read is."""
        facts = [fact for call in calls for fact in self._read_by(call)]
        self._pin(step, facts, width, self._opaque[next(iter(calls))])

    def _pin_values(self, step: Step, operands: Sequence[Operand], width: int, by: str) -> None:
        facts = [self._equal(operand) for operand in operands]
        self._pin(step, [fact for fact in facts if fact], width, by)

    def _pin(self, step: Step, facts: Sequence[Fact], width: int, by: str) -> None:
        if not facts or not width:
            return
        what = Pinned(step, by)
        value = self.flow.value(step) if width <= MAX_WIDTH else 0
        result = self.unknowns.pinned(what, z3.BitVecSort(width), value)
        for fact in facts:
            self.unknowns.add_fact(what, fact)
        if width <= MAX_WIDTH:
            self.unknowns.add_fact(what, Fact(result.term == value, result.unknowns))
        self.terms[step] = result

    def _equal(self, operand: Operand) -> Fact | None:
        value, recorded = self.of(operand), self.flow.value_of(operand)
        if not isinstance(value, Term):
            return None
        if recorded is None:
            recorded = self._recorded(operand) if isinstance(operand, InputByte) else None
        if recorded is None:
            return None
        return Fact(value.term == recorded, value.unknowns)

    def _read_by(self, call: Step) -> list[Fact]:
        """Return that all that a call read is as recorded, also what functions returned to it."""
        if call not in self._pins:
            arguments = (self.flow.argument(call, k) for k in range(self.flow.arguments(call)))
            steps = (one for one in self.flow.node(call).operands if isinstance(one, int))
            found = [self._equal(one) for one in (*arguments, *steps) if one is not None]
            found += [self._byte_fact(value) for value in self._bytes_read(call)]
            self._pins[call] = [fact for fact in found if fact is not None]
        return self._pins[call]

    def _byte_fact(self, value: Value) -> Fact | None:
        if not isinstance(value, Term):
            return None
        members = list(self.unknowns.members(value.unknowns))
        facts = [one.term == one.recorded for one in members]
        return Fact(z3.And(facts), value.unknowns)

    def _bytes_read(self, call: Step) -> Iterable[Value]:
        for number in self.flow.queries.effects_of(call):
            row = self.flow.thread.stream.effects[number]
            if row["kind"] not in (READ, COPY, OUTPUT):
                continue
            address = int(row["addr2"] if row["kind"] == COPY else row["addr"])
            size = min(int(row["len"]), _MAX_READ)
            if address:
                self.looks_at(address, size, call)
                yield from self.memory(address, size, call)

    def looks_at(self, address: int, size: int, step: Step) -> None:
        """Note memory that a step may read, depending on inputs; a constant never changes."""
        if not self._tables.is_constant(address):
            self.looked_at.setdefault(step, []).append((address, size))

    def memory(self, address: int, size: int, before: Step) -> list[Value]:
        """Return the bytes of memory just before a step."""
        if self._sorts.moves(address, before):
            places = (self._sorts.origin(address + k, before) for k in range(size))
            return [self._tables.bytes(at, 1, then)[0] for at, then in places]
        return self._tables.bytes(address, size, before)


_ONE, _ZERO = z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)


def _calls(flow: CFlow, name: str) -> bool:
    """Does the code of a program call a function?"""
    image = flow.thread.image
    calls = np.flatnonzero(image.code.kind == OpKind.CALL).tolist()
    return any(image.sort(Op(op)).callee == name for op in calls)


def _union(values: Iterable[Value]) -> int:
    found = 0
    for value in values:
        if isinstance(value, Term):
            found |= value.unknowns
    return found


def _terms(operation: Operation, values: Sequence[Value]) -> list[Any] | None:
    """Return operands as terms of the widths that an operation takes; None if one is unknown."""
    if len(values) != len(operation.widths) or None in values:
        return None
    found = []
    for value, width in zip(values, operation.widths, strict=True):
        if isinstance(value, Term):
            if value.term.size() != width and operation.op is not COp.COPY:
                return None
            found.append(value.term)
        else:
            found.append(z3.BitVecVal(value, width))
    return found
