"""What did each step of a Python run read, and which steps came one after the other?

The log has the events of a thread in order.  Between two of them silent ops ran, which follow
from the program: the events are walked along its blocks, activation by activation, and each op
that ran becomes a step, with the steps that its operands come from and who left what it read.
"""

from __future__ import annotations

import itertools
from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from whence.frontend.python.logged import Token
from whence.frontend.python.values import STOP
from whence.program.rows import ACTIVATION
from whence.trace.columns import BRANCH, DIRECT, UNWOUND
from whence.trace.python.events import Events
from whence.trace.python.objects import ObjectHistory, identity, is_same_object
from whence.trace.python.program import Display, PythonProgram, Use


class _Missing:
    """The value of a step that the log does not tell."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()
_FARTHEST = 400  # blocks between two events
# Ops that may run other code while they are under way.
_RUNS_CODE = frozenset({
    "attr", "set_attr", "del_attr", "item", "set_item", "del_item", "binary", "inplace", "unary",
    "compare", "call", "list", "tuple", "set", "dict", "format", "comp", "next", "branch",
    "either", "phi", "raise", "resume", "with_enter", "with_exit", "import", "import_from", "def",
    "class", "genexpr", "match", "caught",
})  # fmt: skip
# Ops that may give an object which code that is not recorded had kept.
_HAND_OUT = frozenset({"call", "attr", "item", "next", "resume", "import_from"})
# Ops whose events say more than a value, or that ask what came before them.
_FRAMED = frozenset({"enter", "leave", "caught", "finally", "resume", "with_exit"})
_PRINT = ("print", "sys.stdout.write", "stdout.write", "sys.stdout.buffer.write")


@dataclass(slots=True, eq=False)
class _Activation:
    number: int
    function: int
    frame: int
    call: int  # the step that it was entered by
    scope: _Activation | None  # in which its function was made
    variables: dict[str, int] = field(default_factory=dict)
    registers: dict[int, int] = field(default_factory=dict)  # op -> its last step
    went: dict[int, int] = field(default_factory=dict)  # block -> its last branch
    elements: dict[int, list[int]] = field(default_factory=dict)  # of comprehensions under way
    parameters: Sequence[Token] = ()
    at: int = -1  # the stretch that ran last
    pending: int = 0  # the step under way
    result: tuple[int, Token] | None = None  # what code that it ran gave back: step and value
    given: list[int] = field(default_factory=list)  # all that it gave back
    raised: int = 0  # and where that code raised
    made_by: int = 0  # the call of a class that it initialises an object for
    has_run_code: bool = False  # did the step under way run recorded code?
    unwinding: int = 0  # the step that raised, while a finally clause runs
    last_instance: int = -1


class _Done(NamedTuple):
    """That a logged op came to its value."""

    activation: _Activation
    op: int
    step: int
    value: Token


@dataclass
class ReplayedRun:
    """The steps of a thread.

    Step s executed an op; its operands are `operands[start[s]:start[s + 1]]`, steps or 0.
    """

    program: PythonProgram
    events: Events
    stretch: array[int] = field(default_factory=lambda: array("I"))
    first: array[int] = field(default_factory=lambda: array("I"))
    activation: array[int] = field(default_factory=lambda: array("I"))
    control: array[int] = field(default_factory=lambda: array("I"))
    previous: array[int] = field(default_factory=lambda: array("I"))  # instance + 1; 0: none
    operands: array[int] = field(default_factory=lambda: array("I"))
    start: array[int] = field(default_factory=lambda: array("Q", [0, 0]))
    values: list[Token] = field(default_factory=lambda: [MISSING])
    source: dict[int, int] = field(default_factory=dict)  # the step whose value a step took over
    reads: dict[int, list[int]] = field(default_factory=dict)  # what else a step was made of
    raised: dict[int, int] = field(default_factory=dict)  # steps that raised: where it came from
    handed: dict[int, int] = field(default_factory=dict)  # activation -> who made its function
    activations: list[list[int]] = field(default_factory=list)  # rows as in columns
    left: list[tuple[int, Token]] = field(default_factory=list)  # raising steps nobody here caught
    prints: list[int] = field(default_factory=list)  # steps that printed something
    objects: ObjectHistory = field(default_factory=ObjectHistory)

    @property
    def steps(self) -> int:
        return len(self.values) - 1


def replay(program: PythonProgram, events: Events) -> ReplayedRun:
    """Walk the events of a thread."""
    walker = _Walker(program, events)
    for op, value in zip(events.ops, events.values, strict=True):
        walker.event(op, value)
    walker.finish()
    return walker.out


class _Walker:
    def __init__(self, program: PythonProgram, events: Events) -> None:
        self.program = program
        self.out = ReplayedRun(program, events)
        self.out.objects.types = events.types
        self.out.objects.values = self.out.values
        self.out.objects.operands_of = self._operands_of
        self._stack: list[_Activation] = []
        self._frames: dict[int, _Activation] = {}
        self._of_function: dict[int, _Activation] = {}  # the last one
        self._makers: dict[int, _Activation] = {}  # by the identity of a function object
        self._globals: dict[int, dict[str, int]] = {}  # by module
        self._defined: dict[int, int] = {}  # function -> the step that made it last
        self._bodies: dict[int, int] = {}  # identity of a function object -> function
        self._modules: dict[str, int] = {m.name: n for n, m in enumerate(program.modules)}
        self._paths: dict[tuple[int, int, int], tuple[int, ...]] = {}
        self._nexts: dict[tuple[int, int], tuple[tuple[int, ...], int | None]] = {}
        self._deciders = program.deciders
        self._functions = program.op_function
        blocks = [-1, *program.stretch_block]
        self._goes_on = [one == before for before, one in itertools.pairwise(blocks)]
        self._is_plain = [
            opcode not in _FRAMED and extra != "async" and (opcode != "next" or not in_generator)
            for opcode, extra, in_generator in zip(
                program.opcode, program.extra, program.is_in_generator, strict=True
            )
        ]
        self.out.activations.append([0] * len(ACTIVATION.names or ()))
        self._special: dict[str, Callable[[_Done], None]] = {
            "attr": self._attr,
            "item": self._item,
            "set_attr": self._set_attr,
            "del_attr": self._set_attr,
            "set_item": self._set_item,
            "del_item": self._set_item,
            "inplace": self._inplace,
            "call": self._call,
            "list": self._made,
            "tuple": self._made,
            "set": self._made,
            "dict": self._made,
            "lambda": self._made_function,
            "genexpr": self._made_function,
            "def": self._made_function,
            "class": self._made_function,
            "comp": self._comprehended,
            "next": self._next,
            "import_from": self._imported,
            "return": self._returned,
            "yield": self._yielded,
            "phi": self._phi,
        }

    # --- events ----------------------------------------------------------------------------------

    def event(self, op: int, value: Token) -> None:
        if self._is_plain[op]:  # so it is nearly always
            stack = self._stack
            if stack and stack[-1].function == self._functions[op]:
                self._ran(stack[-1], op, value)
                return
        opcode = self.program.opcode[op]
        if opcode == "enter":
            frame, parameters = value
            self._enter(op, frame, parameters)
        elif opcode == "leave":
            self._leave(op, *value)
        elif opcode == "caught":
            self._caught(op, *value)
        elif opcode == "finally":
            self._finally(op, value)
        elif opcode == "resume":
            frame, token = value
            self._resume(op, frame, token)
        elif opcode == "next" and self.program.is_in_generator[op]:
            frame, token = value
            activation = self._frames.get(frame)
            if activation is None or activation.function != self.program.function_of(op):
                self._enter(op, frame, ())
            else:
                self._go_on(activation)
            self._ran(self._stack[-1], op, token)
        elif self.program.extra[op] == "async":
            frame, token = (value, None) if opcode == "with_exit" else value
            self._resume(op, frame, token)
        else:
            activation = self._current(op)
            if activation is not None:
                if opcode == "with_exit" and activation.at != self.program.op_stretch[op]:
                    self._check_swallowed(activation)
                self._ran(activation, op, value)

    def finish(self) -> None:
        """Close the activations that are still open."""
        for activation in reversed(self._stack):
            self._close(activation, UNWOUND)

    def _current(self, op: int) -> _Activation | None:
        """The activation that an event without a frame is of."""
        function = self._functions[op]
        stack = self._stack
        while stack and stack[-1].function != function:
            if not any(one.function == function for one in stack):
                return self._of_function.get(function)  # it goes on in a way that we did not see
            self._close(stack.pop(), UNWOUND)
        return stack[-1] if stack else self._of_function.get(function)

    def _ran(self, activation: _Activation, op: int, value: Token) -> int:
        """A logged op came to its value."""
        program = self.program
        stretch = program.op_stretch[op]
        if activation.pending and activation.at == stretch:
            step = activation.pending
            self._value(_Done(activation, op, step, value))
            activation.result, activation.raised, activation.has_run_code = None, 0, False
            activation.given = []
        else:
            activation.result, activation.raised = None, 0
            if activation.at != stretch - 1 or not self._goes_on[stretch]:
                for before in self._path(activation, stretch):
                    self._emit(activation, before)
            step = self._emit(activation, stretch)
            self._value(_Done(activation, op, step, value))
            activation.result, activation.raised = None, 0
        activation.pending = 0
        return step

    def _value(self, done: _Done) -> None:
        activation, op, step, value = done
        out = self.out
        out.values[step] = value
        opcode = self.program.opcode[op]
        result = activation.result
        if result is not None and opcode != "return" and is_same_object(result[1], value):
            out.source[step] = result[0]
        elif activation.given:
            self._reads(step, activation.given)
        special = self._special.get(opcode)
        if special is not None:
            special(done)
        if type(value) is tuple:
            known = out.objects.first_seen(value)
            if known and known != step and step not in out.source and opcode in _HAND_OUT:
                self._reads(step, [known])
            out.objects.seen(value, step)

    def _reads(self, step: int, made: Sequence[int]) -> None:
        """A step was made of others, beside its operands and the one whose value it took over."""
        self.out.reads.setdefault(step, []).extend(made)

    # --- activations -----------------------------------------------------------------------------

    def _enter(self, op: int, frame: int, parameters: Sequence[Token]) -> None:
        program, out = self.program, self.out
        function = program.function_of(op)
        caller = self._stack[-1] if self._stack else None
        call = self._begin(caller) if caller is not None else 0
        activation = _Activation(
            len(out.activations), function, frame, call, self._scope(caller, call, function)
        )
        activation.parameters = parameters
        if caller is not None and self._is_handed(caller, function):
            out.handed[activation.number] = self._defined.get(function, 0)
        parent = caller.number if caller else 0
        depth = out.activations[parent][7] + 1
        row = [function, parent, call, len(out.stretch), 0, 0, DIRECT if call else 0, depth]
        out.activations.append(row)
        self._stack.append(activation)
        self._frames[frame] = activation
        self._of_function[function] = activation
        if program.functions[function].kind == "module":
            self._globals.setdefault(program.functions[function].module, activation.variables)
            activation.variables = self._globals[program.functions[function].module]
        if caller is not None and call and self._constructs(caller, activation):
            out.objects.made_by_call(parameters[0], call)
            activation.made_by = call
        if program.opcode[op] == "enter":
            self._emit(activation, program.op_stretch[op])
        activation.parameters = ()

    def _scope(
        self, caller: _Activation | None, call: int, function: int
    ) -> _Activation | None:  # fmt: skip
        """The activation in which the function that is entered was made."""
        parent = self.program.functions[function].parent
        if parent < 0:
            return None
        if caller is not None and call:
            op = self.program.last_op(self.out.stretch[self._instance(call)])
            uses = self.program.uses[op]
            token = self._token(caller, op, uses[0]) if uses else MISSING
            made = self._makers.get(identity(token) or 0)
            if made is not None and made.function == parent:
                return made
        for one in reversed(self._stack):
            if one.function == parent:
                return one
        return self._of_function.get(parent)

    def _is_handed(self, caller: _Activation, function: int) -> bool:
        """Is a function entered that is not the one which the call names?"""
        op = self.program.last_op(caller.at) if caller.at >= 0 else -1
        if (
            op < 0
            or self.program.opcode[op] != "call"
            or "." not in (name := self.program.functions[function].name)
        ):
            return False
        callee = self.program.uses[op][0]
        if callee is None or callee < 0 or name.endswith(f".{self.program.name[callee]}"):
            return False
        made = identity(self._token(caller, op, callee))
        return "<locals>" in name and self._bodies.get(made or 0) != function

    def _instance(self, step: int) -> int:
        return bisect_right(self.out.first, step) - 1

    def _close(self, activation: _Activation, flags: int = 0, ret: int = 0) -> None:
        row = self.out.activations[activation.number]
        row[4] = max(activation.last_instance, row[3])
        row[5] = ret or row[5]
        row[6] |= flags

    def _begin(self, activation: _Activation) -> int:
        """The step of an activation that runs other code now."""
        if activation.pending:
            return activation.pending
        before, stretch = self._following(activation)
        if stretch is None:
            return self.out.steps if activation.last_instance >= 0 else 0
        if self.program.opcode[self.program.last_op(stretch)] not in _RUNS_CODE:
            return activation.registers.get(self.program.last_op(activation.at), 0)
        for one in before:
            self._emit(activation, one)
        activation.pending = self._emit(activation, stretch)
        activation.has_run_code = True
        return activation.pending

    def _go_on(self, activation: _Activation) -> None:
        """An activation that was suspended runs on, called by the one on top."""
        if activation in self._stack:
            while self._stack[-1] is not activation:
                self._close(self._stack.pop(), UNWOUND)
            return
        if self._stack:
            self._begin(self._stack[-1])
        self._stack.append(activation)

    def _resume(self, op: int, frame: int, value: Token) -> None:
        activation = self._frames.get(frame)
        if activation is None:
            return
        self._go_on(activation)
        self._ran(activation, op, value)

    def _give(self, step: int, value: Token) -> None:
        """The activation on top is left, for now or for good, with a value."""
        left = self._stack.pop()
        self._close(left)
        if self._stack:
            self._stack[-1].result = (step, value)
            self._stack[-1].given.append(step)

    def _returned(self, done: _Done) -> None:
        activation, _op, step, value = done
        self.out.activations[activation.number][5] = step
        if self._stack and self._stack[-1] is activation:
            self._give(step, value)

    def _yielded(self, done: _Done) -> None:
        activation, _op, step, value = done
        if self._stack and self._stack[-1] is activation:
            self._give(step, value)

    # --- exceptions ------------------------------------------------------------------------------

    def _raising(self, activation: _Activation, value: Token) -> int:
        """The step of an activation that raised, or that ran code which did."""
        if activation.unwinding:
            step, activation.unwinding = activation.unwinding, 0
        elif activation.at >= 0 and self._has_raised(activation):
            step = activation.registers[self.program.last_op(activation.at)]
        else:
            step = self._begin(activation)
            if not activation.pending and activation.at >= 0:
                before, stretch = self._following(activation)
                for one in (*before, *([] if stretch is None else [stretch])):
                    step = self._emit(activation, one)
        if not step:
            return 0
        if value is MISSING and activation.raised:  # it came out of what this one called
            value = self.out.values[activation.raised]
        if value is not MISSING:
            self.out.values[step] = value
            if type(value) is tuple:
                self.out.objects.seen(value, step)
        self._tell_inner(activation.raised, value)
        self.out.raised[step] = activation.raised
        if activation.raised:
            self.out.source[step] = activation.raised
        activation.pending, activation.raised, activation.result = 0, 0, None
        if activation.given:
            self._reads(step, activation.given)
        activation.has_run_code, activation.given = False, []
        return step

    def _tell_inner(self, step: int, value: Token) -> None:
        """A lambda or a generator expression does not tell what it is left by; its caller does."""
        while step and value is not MISSING and self.out.values[step] is MISSING:
            self.out.values[step] = value
            step = self.out.raised.get(step, 0)

    def _has_raised(self, activation: _Activation) -> bool:
        op = self.program.last_op(activation.at)
        return self.program.opcode[op] in ("raise", "reraise") and not activation.pending

    def _on_top(self, frame: int, function: int) -> _Activation | None:
        activation = self._frames.get(frame)
        if activation is None or activation.function != function:
            return None
        if activation in self._stack:
            while self._stack[-1] is not activation:
                left = self._stack.pop()  # a lambda, say, which does not tell that it is left
                self._stack[-1].raised = self._raising(left, MISSING)
                self._close(left, UNWOUND)
        else:  # an exception was thrown into it, where it waited
            activation.raised = self._stack[-1].raised if self._stack else 0
            self._stack.append(activation)
        return activation

    def _leave(self, op: int, frame: int, value: Token) -> None:
        activation = self._on_top(frame, self.program.function_of(op))
        if activation is None:
            return
        step = self._raising(activation, value)
        self._stack.pop()
        self._close(activation, UNWOUND)
        self._frames.pop(frame, None)
        if _is_closing(value):
            return
        if self._stack:
            self._stack[-1].raised = step
        if step:
            self.out.left.append((step, value))

    def _caught(self, op: int, frame: int, value: Token) -> None:
        activation = self._on_top(frame, self.program.function_of(op))
        if activation is None:
            return
        step = self._raising(activation, value)
        branch = self.program.extra[op]
        if branch is not None:
            self.out.values[self._emit(activation, self.program.op_stretch[branch])] = value
            self.out.source[self.out.steps] = step
        caught = self._emit(activation, self.program.op_stretch[op])
        self.out.values[caught] = value
        if step:
            self.out.source[caught] = step

    def _finally(self, op: int, frame: int) -> None:
        activation = self._on_top(frame, self.program.function_of(op))
        if activation is None:
            return
        self._check_swallowed(activation)
        if activation.unwinding == 0 and activation.pending:
            activation.pending = 0
        for before in self._path(activation, self.program.op_stretch[op]):
            self._emit(activation, before)
        self._emit(activation, self.program.op_stretch[op])

    def _check_swallowed(self, activation: _Activation) -> None:
        """If control did not come to the end of a body, something in it has raised."""
        at = activation.at
        last = self.program.opcode[self.program.last_op(at)] if at >= 0 else ""
        if last not in ("jump", "return", "with_exit") or activation.pending:
            activation.unwinding = self._raising(activation, MISSING)

    # --- the way between two events --------------------------------------------------------------

    def _side(self, activation: _Activation, stretch: int) -> int:
        """Which successor a branch goes to; -1: it is not known."""
        op = self.program.last_op(stretch)
        opcode = self.program.opcode[op]
        step = activation.registers.get(op, 0)
        value = self.out.values[step]
        if opcode == "branch":
            return 0 if value is True else 1
        if opcode == "next":
            return 1 if value == STOP and type(value) is str else 0
        if opcode == "try":
            return 0 if value is None else -1
        if opcode == "match":
            return value if isinstance(value, int) else -1
        if opcode == "either":
            truth = self.out.objects.truth(value)
            goes_on = truth if self.program.name[op] == "and" else truth is False
            return -1 if truth is None else 0 if goes_on else 1
        return 0

    def _after(self, activation: _Activation) -> tuple[int, int]:
        """The stretch that ran last, and the side that it took if it ended its block."""
        at = activation.at
        if at < 0:
            return -1 - activation.function, 0
        return at, self._side(activation, at)

    def _blocks_after(self, at: int, side: int) -> tuple[int | None, tuple[int, ...]]:
        """The rest of the block after a stretch, and the blocks that may come then."""
        program = self.program
        if at < 0:
            return None, (program.functions[-1 - at].first_block,)
        block = program.stretch_block[at]
        end = program.block_first_stretch[block] + program.block_stretches[block]
        following = program.following[block]
        if side >= 0 and program.kind[program.last_op(at)] == BRANCH:
            following = following[side : side + 1]
        return (at + 1 if at + 1 < end else None), following

    def _path(self, activation: _Activation, target: int) -> tuple[int, ...]:
        """The silent stretches between the last one and the target; none if the way is unknown."""
        at, side = self._after(activation)
        key = (at, side, target)
        found = self._paths.get(key)
        if found is None:
            found = self._paths[key] = self._searched(at, side, target)
        return found

    def _searched(self, at: int, side: int, target: int) -> tuple[int, ...]:
        program = self.program
        goal = program.stretch_block[target]
        rest, starts = self._blocks_after(at, side)
        if rest is not None:
            if program.stretch_block[rest] == goal and rest <= target:
                return ()
            if not program.is_silent(rest):
                return ()
        begun = () if rest is None else (rest,)
        work: list[tuple[int, tuple[int, ...]]] = [(block, begun) for block in reversed(starts)]
        seen: set[int] = set()
        while work and len(seen) < _FARTHEST:
            block, way = work.pop()
            if block == goal:
                return way
            if block in seen:
                continue
            seen.add(block)
            first, count = program.block_first_stretch[block], program.block_stretches[block]
            after = program.following[block]
            if count == 1 and program.opcode[program.last_op(first)] == "next":
                work += [(one, (*way, first)) for one in after[1:2]]
            elif count == 0 or (count == 1 and program.is_silent(first)):
                more = (first,) if count else ()
                work += [(one, way + more) for one in reversed(after)]
        return ()

    def _following(self, activation: _Activation) -> tuple[tuple[int, ...], int | None]:
        """The silent stretches that come next, and the one with the next logged op."""
        key = self._after(activation)
        found = self._nexts.get(key)
        if found is None:
            found = self._nexts[key] = self._next_logged(*key)
        return found

    def _next_logged(self, at: int, side: int) -> tuple[tuple[int, ...], int | None]:
        program = self.program
        rest, starts = self._blocks_after(at, side)
        way: list[int] = []
        if rest is not None:
            if not program.is_silent(rest):
                return (), rest
            way.append(rest)
        seen: set[int] = set()
        while starts and starts[0] not in seen:
            block = starts[0]
            seen.add(block)
            first, count = program.block_first_stretch[block], program.block_stretches[block]
            for stretch in range(first, first + count):
                if not program.is_silent(stretch):
                    return tuple(way), stretch
                way.append(stretch)
            starts = program.following[block]
        return tuple(way), None

    # --- steps -----------------------------------------------------------------------------------

    def _emit(self, activation: _Activation, stretch: int) -> int:
        """The ops of a stretch ran; returns the step of the last."""
        program, out = self.program, self.out
        block = program.stretch_block[stretch]
        out.stretch.append(stretch)
        out.first.append(len(out.values))
        out.activation.append(activation.number)
        out.control.append(self._decider(activation, block))
        out.previous.append(activation.last_instance + 1)
        activation.last_instance = len(out.stretch) - 1
        activation.at = stretch
        registers, operands, values = activation.registers, out.operands, out.values
        first = program.stretch_first[stretch]
        step = 0
        for op in range(first, first + program.stretch_ops[stretch]):
            step = len(values)
            values.append(MISSING)
            opcode = program.opcode[op]
            for use in program.uses[op]:
                operands.append(0 if use is None or use < 0 else registers.get(use, 0))
            out.start.append(len(operands))
            registers[op] = step
            if not program.logged[op] or opcode == "next":
                self._silent(activation, op, opcode, step)
            elif opcode == "inplace" and program.extra[op]:
                self._read_before(activation, op, step)
        if program.kind[op] == BRANCH:
            activation.went[block] = step
        elif activation.elements and op in activation.elements:
            activation.elements[op].append(step)
        return step

    def _decider(self, activation: _Activation, block: int) -> int:
        found = 0
        for decider in self._deciders[block]:
            step = activation.went.get(decider, 0)
            if step > found:
                found = step
        return found or activation.call

    def _silent(self, activation: _Activation, op: int, opcode: str, step: int) -> None:
        program, out = self.program, self.out
        if opcode == "load":
            definer = self._variables(activation, op).get(program.name[op] or "", 0)
            if definer:
                out.source[step] = definer
                out.values[step] = out.objects.now(out.values[definer])
        elif opcode in ("store", "delete"):
            self._variables(activation, op)[program.name[op] or ""] = step
            uses = program.uses[op]
            if uses:
                out.values[step] = self._token(activation, op, uses[0])
        elif opcode == "param":
            activation.variables[program.name[op] or ""] = step
            self._parameter(activation, op, step)
        elif opcode == "unpack":
            self._unpacked(activation, op, step)
        elif opcode == "phi":
            self._alternative(activation, op, step)
        elif opcode in ("set_attr", "set_item"):
            self._special[opcode](_Done(activation, op, step, MISSING))
        elif opcode in ("list", "tuple", "set", "dict"):
            uses = program.uses[op]
            if all(use is not None and use < 0 for use in uses):
                held = tuple(self._token(activation, op, use) for use in uses)
                out.values[step] = Display(opcode, held)
        elif opcode == "next":
            out.values[step] = STOP

    def _read_before(self, activation: _Activation, op: int, step: int) -> None:
        """`a.b += c` and `a[b] += c` read what they set: who had set it before?"""
        extra, uses = self.program.extra[op], self.program.uses[op]
        holder = self._token(activation, op, uses[0])
        objects = self.out.objects
        found = (
            objects.item(holder, self._token(activation, op, uses[1]), MISSING)
            if extra == "item"
            else objects.attribute(holder, extra[1], MISSING)
        ) or objects.maker(holder)
        if found:
            self._reads(step, [found])

    def _alternative(self, activation: _Activation, op: int, step: int) -> None:
        """The alternative of an `and` or `or` that a test came to: the one that ran last."""
        steps = [one for one in self._operands_of(step) if one]
        if steps:
            self.out.source[step] = max(steps)
            self.out.values[step] = self.out.values[max(steps)]

    def _variables(self, activation: _Activation, op: int) -> dict[str, int]:
        """The variables of the function that owns what an op loads or stores."""
        owner = self.program.extra[op]
        scope: _Activation | None = activation
        while scope is not None and scope.function != owner:
            scope = scope.scope
        if scope is not None:
            return scope.variables
        function = self.program.functions[owner]
        if function.kind == "module":
            return self._globals.setdefault(function.module, {})
        known = self._of_function.get(owner)
        return known.variables if known is not None else {}

    def _token(self, activation: _Activation, op: int, use: Use) -> Token:
        if use is None:
            return MISSING
        if use < 0:
            return self.program.constant(op, use)
        return self.out.values[activation.registers.get(use, 0)]

    def _parameter(self, activation: _Activation, op: int, step: int) -> None:
        """What a parameter got: the argument that is it, if there is one."""
        number = op - self.program.functions[activation.function].first_op
        if number >= len(activation.parameters):
            return
        value = activation.parameters[number]
        self.out.values[step] = value
        call = activation.call
        if not call:
            return
        if activation.made_by and not number:
            self.out.source[step] = activation.made_by
            return
        given = [one for one in self._operands_of(call) if one]
        same = [one for one in given if is_same_object(self.out.values[one], value)]
        receiver = given[0] if given else 0
        if not same and receiver:  # what a method was looked up on is its first argument
            looked = (one for one in self._operands_of(receiver) if one)
            same = [one for one in looked if is_same_object(self.out.values[one], value)]
        if same:
            best = min(same, key=lambda one: abs(given.index(one) - 1 - number) if one in given
                       else 0)  # fmt: skip
            self.out.source[step] = best

    def _unpacked(self, activation: _Activation, op: int, step: int) -> None:
        whole = self._token(activation, op, self.program.uses[op][0])
        name = self.program.name[op] or ""
        elements = self.out.objects.elements(whole)
        if name.isdigit() and elements is not None and int(name) < len(elements):
            self.out.values[step] = elements[int(name)]
        holder = activation.registers.get(self.program.uses[op][0] or 0, 0)
        if name.isdigit() and holder:
            part = self._part(whole, int(name), holder)
            if part:
                self.out.source[step] = part

    # --- what ops did ----------------------------------------------------------------------------

    def _operands_of(self, step: int) -> Sequence[int]:
        return self.out.operands[self.out.start[step] : self.out.start[step + 1]]

    def _attr(self, done: _Done) -> None:
        activation, op, step, value = done
        if step in self.out.source:
            return
        holder = self._token(activation, op, self.program.uses[op][0])
        name = self.program.name[op] or ""
        found = self._setter(holder, name, value)
        if found:
            self.out.source[step] = found
        elif made := self.out.objects.maker(holder):
            self._reads(step, [made])

    def _got(self, call: int, holder: Token, name: str) -> None:
        """An attribute was read by its name: who set it shows in what the call gave."""
        value = self.out.values[call]
        found = self._setter(holder, name, value)
        if found:
            self._reads(call, [found])

    def _setter(self, holder: Token, name: str, value: Token) -> int:
        return self.out.objects.attribute(holder, name, value) or self._of_module(holder, name)

    def _of_module(self, holder: Token, name: str) -> int:
        if self.out.objects.kind(holder) != "module":
            return 0
        number = self._modules.get(str(holder[2]))
        return 0 if number is None else self._globals.get(number, {}).get(name, 0)

    def _imported(self, done: _Done) -> None:
        activation, op, step, _value = done
        module, _, name = (self.program.name[op] or "").rpartition(":")
        if module.startswith("."):
            own = self.program.modules[self.program.functions[activation.function].module].name
            module = self._absolute(own, module)
        number = self._modules.get(module)
        found = 0 if number is None else self._globals.get(number, {}).get(name, 0)
        if found:
            self.out.source[step] = found

    def _absolute(self, own: str, relative: str) -> str:
        dots = len(relative) - len(relative.lstrip("."))
        for package in (own, own.rpartition(".")[0]):  # a package, or a module in one
            parts = package.split(".") if package else []
            base = parts[: len(parts) - dots + 1]
            name = ".".join([*base, relative.lstrip(".")]).strip(".")
            if name in self._modules:
                return name
        return relative

    def _item(self, done: _Done) -> None:
        activation, op, step, value = done
        if step in self.out.source:
            return
        holder, key = (self._token(activation, op, use) for use in self.program.uses[op][:2])
        found = self.out.objects.item(holder, key, value)
        made = found or self.out.objects.maker(holder)
        part = self._part(holder, key, made) if made else 0
        if part or found:
            self.out.source[step] = part or found
        elif made:
            self._reads(step, [made])

    def _part(self, holder: Token, key: Token, made: int) -> int:
        """The operand of what made an object that became an element of it; 0 if there is none."""
        out, program = self.out, self.program
        op = program.last_op(out.stretch[self._instance(made)])
        opcode, steps = program.opcode[op], self._operands_of(made)
        if opcode == "call":  # `xs.append(x)`
            is_one = len(steps) == 2 and out.objects.kind(holder) in ("list", "set")
            return steps[1] if is_one else 0
        if opcode not in ("list", "tuple", "dict") or program.extra[op]:
            return 0
        if opcode == "dict":
            names = (self._constant(op, use) for use in program.uses[op][::2])
            found = (at for at, name in enumerate(names) if is_same_object(name, key))
            at = next(found, None)
            return 0 if at is None else steps[2 * at + 1]
        if type(key) is not int or not -len(steps) <= key < len(steps):
            return 0
        return steps[key]

    def _constant(self, op: int, use: Use) -> object:
        return self.program.constant(op, use) if use is not None and use < 0 else MISSING

    def _set_attr(self, done: _Done) -> None:
        activation, op, step, _value = done
        uses = self.program.uses[op]
        holder = self._token(activation, op, uses[0])
        if len(uses) > 1:
            self.out.values[step] = self._token(activation, op, uses[1])
        self.out.objects.set_attribute(holder, self.program.name[op] or "", step)

    def _set_item(self, done: _Done) -> None:
        activation, op, step, _value = done
        uses = self.program.uses[op]
        holder, key = (self._token(activation, op, use) for use in uses[:2])
        if len(uses) > 2:
            self.out.values[step] = self._token(activation, op, uses[2])
        self.out.objects.set_item(holder, key, step, is_gone=len(uses) < 3)

    def _inplace(self, done: _Done) -> None:
        activation, op, step, value = done
        extra, uses = self.program.extra[op], self.program.uses[op]
        if not extra:
            self.out.objects.written(value, step)  # `xs += [1]` changes the list itself
            return
        self.out.values[step] = MISSING
        holder = self._token(activation, op, uses[0])
        if extra == "item":
            self.out.objects.set_item(holder, self._token(activation, op, uses[1]), step)
        else:
            self.out.objects.set_attribute(holder, extra[1], step)

    def _made(self, done: _Done) -> None:
        _activation, _op, step, value = done
        self.out.objects.made(value, step)

    def _made_function(self, done: _Done) -> None:
        activation, op, step, value = done
        self.out.objects.made(value, step)
        made = identity(value)
        if made is None:
            return
        self._makers[made] = activation
        body = self.program.extra[op]
        if body is not None:
            self._defined[body], self._bodies[made] = step, body
        objects = self.out.objects
        (objects.classes if self.program.opcode[op] == "class" else objects.functions).add(made)
        if self.program.opcode[op] == "class" and body is not None:
            known = self._of_function.get(body)
            for name, store in (known.variables if known is not None else {}).items():
                self.out.objects.set_attribute(value, name, store)

    def _comprehended(self, done: _Done) -> None:
        activation, op, step, value = done
        self.out.objects.made(value, step)
        for use in self.program.uses[op]:
            if use is not None and use >= 0:
                for element in activation.elements.pop(use, [activation.registers.get(use, 0)]):
                    self.out.objects.written(value, element, is_element=True)

    def _next(self, done: _Done) -> None:
        activation, op, step, value = done
        if step in self.out.source or value == STOP:
            return
        holder = self._token(activation, op, self.program.uses[op][0])
        found = self.out.objects.element(holder, value)
        if found:
            self.out.source[step] = found
        self._watch_elements(activation, op)

    def _watch_elements(self, activation: _Activation, op: int) -> None:
        """Have the elements of the comprehension around a `next` gathered."""
        for use in self.program.elements.get(self._functions[op], ()):
            activation.elements.setdefault(use, [])

    def _call(self, done: _Done) -> None:
        activation, op, step, value = done
        program, out = self.program, self.out
        uses = program.uses[op]
        callee = uses[0]
        arguments = [self._token(activation, op, use) for use in uses[1:]]
        if callee is not None and callee >= 0 and program.opcode[callee] == "method":
            receiver = self._token(activation, callee, program.uses[callee][0])
            if not activation.has_run_code or out.objects.is_container(receiver):
                out.objects.method(receiver, program.name[callee] or "", arguments, step)
        elif callee is not None and callee >= 0 and not activation.has_run_code:
            out.objects.called(program.name[callee] or "", arguments, step)
        if step not in out.source and not activation.has_run_code:
            name = program.name[callee] if callee is not None and callee >= 0 else None
            out.objects.given(value, step, name or "")
            if name == "getattr" and len(arguments) > 1 and type(arguments[1]) is str:
                self._got(step, arguments[0], arguments[1])
        if callee is not None and callee >= 0 and program.text[callee] in _PRINT:
            out.prints.append(step)
        made = self._token(activation, op, callee)
        if out.objects.kind(made) == "class" and out.objects.kind(value) != "class":
            out.objects.made_by_call(value, step)

    def _constructs(self, caller: _Activation, entered: _Activation) -> bool:
        """Is a new object being initialised?  Then nothing is known of what lay there before."""
        name = self.program.functions[entered.function].name
        op = self.program.last_op(caller.at)
        if not name.endswith(".__init__") or not entered.parameters:
            return False
        callee = self.program.uses[op][0] if self.program.opcode[op] == "call" else None
        return callee is not None and callee >= 0 and self.program.name[callee] != "__init__"

    def _phi(self, done: _Done) -> None:
        """Of the alternatives, the one that ran last and came to this; else it is a constant."""
        _activation, _op, step, value = done
        values = self.out.values
        steps = [
            one for one in self._operands_of(step) if one and is_same_object(values[one], value)
        ]
        if steps:
            self.out.source[step] = max(steps)


def _is_closing(exception: Token) -> bool:
    """Is it what a generator is closed with?  That is how it ends, and raises nothing elsewhere."""
    shape = exception[2] if type(exception) is tuple and len(exception) == 3 else None
    return type(shape) is tuple and shape[:1] == ("GeneratorExit",)
