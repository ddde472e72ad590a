"""Which operations did the threads of a Python program execute, one after the other?

The log contains the events of all threads in order, and says where another thread goes on.  Silent
operations ran between them; which ones follows from the program.  Replaying walks the events along
the blocks of the program, activation by activation.  Each executed operation becomes a step of the
`ReplayedRun`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from tests.trace.python.oracle.events import Events
from tests.trace.python.oracle.logged_operations import LoggedOperations
from tests.trace.python.oracle.replayed_run import MISSING, NO_STEP, ActivationRow, ReplayedRun
from tests.trace.python.oracle.running_activation import RunningActivation
from tests.trace.python.oracle.silent_operations import SilentOperations
from tests.trace.python.oracle.silent_paths import SilentPaths
from tests.trace.python.oracle.step_emitter import StepEmitter
from tests.trace.python.oracle.variable_scopes import VariableScopes
from whence.frontend.python.logged import STARTED, STARTS, THREAD, Token
from whence.frontend.python.values import STOP
from whence.program.ids import Activation, Instance, Op, Step, Stretch
from whence.trace.columns import DIRECT, UNWOUND
from whence.trace.python.program import PythonProgram

# Operations that may run other code before they have a value.
_RUNS_CODE = frozenset({
    "attr", "set_attr", "del_attr", "item", "set_item", "del_item", "binary", "inplace", "unary",
    "compare", "call", "list", "tuple", "set", "dict", "format", "comp", "next", "branch",
    "either", "phi", "raise", "resume", "with_enter", "with_exit", "import", "import_from", "def",
    "class", "genexpr", "match", "caught",
})  # fmt: skip
# Operations whose event contains more than a value, or depends on the operation before.
_SPECIAL_EVENTS = frozenset({"enter", "leave", "caught", "finally", "resume", "with_exit"})


def replay(program: PythonProgram, events: Events) -> ReplayedRun:
    """Return the steps of the threads that logged `events`."""
    walker = _Walker(program, events)
    switches, started = list(reversed(events.switches)), _started(events)
    for at, (op, value) in enumerate(zip(events.ops, events.values, strict=True)):
        while switches and switches[-1][0] <= at:
            walker.switch(switches.pop(), started)
        walker.event(op, value)
    walker.finish()
    return walker.run


def _started(events: Events) -> dict[tuple[int, int, int], int]:
    """Return, for each record of a start, which thread it started: a later record tells."""
    found: dict[tuple[int, int, int], int] = {}
    running, last = 0, dict[int, tuple[int, int, int]]()
    for switch in events.switches:
        _, record, value = switch
        if record == THREAD:
            running = value
        elif record == STARTS:
            last[running] = switch
        elif record == STARTED and running in last:
            found[last[running]] = value
    return found


class _Walker:
    """Follows the events of all threads; keeps the activations that are running."""

    def __init__(self, program: PythonProgram, events: Events) -> None:
        self.program = program
        self.run = ReplayedRun(program, events)
        self._scopes = VariableScopes(self.run)
        self._logged = LoggedOperations(self.run, self._scopes)
        silent = SilentOperations(self.run, self._scopes, self._logged)
        self._emit = StepEmitter(self.run, self._logged, silent).emit
        self._paths = SilentPaths(program)
        self._stack: list[RunningActivation] = []  # of the thread that runs
        self._stacks: dict[int, list[RunningActivation]] = {}  # by thread
        self._thread = 0  # 0: no thread was named yet
        self._begun: dict[int, tuple[Activation, Step]] = {}  # the call that started a thread
        self._frames: dict[int, RunningActivation] = {}  # by address of the frame
        self._functions = program.op_function
        blocks = [-1, *program.stretch_block]
        # For each stretch: does it continue the block of the stretch before?
        self._continues = [block == before for before, block in itertools.pairwise(blocks)]
        # For each operation: is its event just its value?
        self._is_plain = [
            opcode not in _SPECIAL_EVENTS
            and extra != "async"
            and (opcode != "next" or not in_generator)
            for opcode, extra, in_generator in zip(
                program.opcode, program.extra, program.is_in_generator, strict=True
            )
        ]
        self._gives_back = [opcode in ("return", "yield") for opcode in program.opcode]

    # --- threads ---------------------------------------------------------------------------------

    def switch(
        self, switch: tuple[int, int, int], started: dict[tuple[int, int, int], int]
    ) -> None:
        """Replay a record of threads."""
        _, record, value = switch
        if record == THREAD:
            if not self._thread:
                self._stacks[value] = self._stack
            self._thread, self._stack = value, self._stacks.setdefault(value, [])
        elif record == STARTS and self._stack:
            call = self._begin_step(self._stack[-1])
            if switch in started:
                self._begun[started[switch]] = (self._stack[-1].number, call or NO_STEP)

    # --- events ----------------------------------------------------------------------------------

    def event(self, op: Op, value: Token) -> None:
        """Replay one event of the log."""
        if self._is_plain[op]:  # nearly all events are
            stack = self._stack
            if stack and stack[-1].function == self._functions[op]:
                self._complete(stack[-1], op, value)
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
                self._continue(activation)
            self._complete(self._stack[-1], op, token)
        elif self.program.extra[op] == "async":
            frame, token = (value, None) if opcode == "with_exit" else value
            self._resume(op, frame, token)
        else:
            activation = self._current(op)
            if activation is not None:
                if opcode == "with_exit" and activation.stretch != self.program.op_stretch[op]:
                    self._check_swallowed(activation)
                self._complete(activation, op, value)

    def finish(self) -> None:
        """Close the activations that are still running."""
        stacks = [stack for stack in self._stacks.values() or [self._stack] if stack]
        is_killed = not self.run.events.has_ended
        if is_killed:
            for row in self.run.activations[1:]:
                row.flags |= 0 if row.ret else UNWOUND
            for stack in stacks:
                self._begin_step(stack[-1])  # perhaps it waited
        for activation in (each for stack in stacks for each in reversed(stack)):
            self._close(activation, UNWOUND)
            if is_killed:
                self.run.activations[activation.number].flags &= ~UNWOUND

    def _current(self, op: Op) -> RunningActivation | None:
        """Return the activation to which an event without a frame belongs."""
        function = self._functions[op]
        stack = self._stack
        while stack and stack[-1].function != function:
            if not any(activation.function == function for activation in stack):
                return self._scopes.latest(function)  # it was resumed without an event
            self._close(stack.pop(), UNWOUND)
        return stack[-1] if stack else self._scopes.latest(function)

    def _complete(self, activation: RunningActivation, op: Op, value: Token) -> None:
        """Replay that a logged operation has its value."""
        stretch = self.program.op_stretch[op]
        if activation.pending and activation.stretch == stretch:
            step = activation.pending
            self._logged.complete(activation, op, step, value)
            activation.has_run_code = False
            activation.results = []
        else:
            activation.result = None
            if activation.stretch != stretch - 1 or not self._continues[stretch]:
                self._emit_until(activation, stretch)
                if self.program.opcode[op] == "try":
                    self._end_body(activation, stretch)
            step = self._emit(activation, stretch)
            self._logged.complete(activation, op, step, value)
        activation.result = activation.raised = activation.pending = None
        if self._gives_back[op]:
            self._give_back(activation, op, step, value)

    def _end_body(self, activation: RunningActivation, stretch: Stretch) -> None:
        """Emit the silent end of a try body, such as the store of its last statement.

        A body that raised has no event for its try, so this one was executed to its end.
        """
        before = Stretch(stretch - 1)
        is_part = stretch > 0 and self._continues[stretch] and activation.stretch != before
        if is_part and self.program.is_silent(before):
            self._emit(activation, before)

    # --- positions -------------------------------------------------------------------------------

    def _side(self, activation: RunningActivation, stretch: Stretch) -> int:
        """Return the successor that the last stretch's branch goes to; -1: unknown."""
        op = self.program.last_op(stretch)
        opcode = self.program.opcode[op]
        value = self.run.values[activation.registers.get(op, NO_STEP)]
        if opcode == "branch":
            return 0 if value is True else 1
        if opcode == "next":
            return 1 if value == STOP and type(value) is str else 0
        if opcode == "try":
            return 0 if value is None else -1
        if opcode == "match":
            return value if isinstance(value, int) else -1
        if opcode == "either":
            truth = self.run.objects.truth(value)
            goes_on = truth if self.program.name[op] == "and" else truth is False
            return -1 if truth is None else 0 if goes_on else 1
        return 0

    def _position(self, activation: RunningActivation) -> tuple[int, int]:
        """Return where an activation is, as `silent_paths` defines a position."""
        stretch = activation.stretch
        if stretch is None:
            return -1 - activation.function, 0
        return stretch, self._side(activation, stretch)

    def _emit_until(self, activation: RunningActivation, target: Stretch) -> None:
        """Emit the silent stretches that ran before the stretch `target`."""
        stretch, side = self._position(activation)
        for silent in self._paths.between(stretch, side, target):
            self._emit(activation, silent)

    def _begin_step(self, activation: RunningActivation) -> Step | None:
        """Return the step of an activation that runs other code now; emit it if needed."""
        if activation.pending:
            return activation.pending
        silent, stretch = self._paths.next_logged(*self._position(activation))
        if stretch is None:
            return Step(self.run.steps) if activation.last_instance >= 0 else None
        if self.program.opcode[self.program.last_op(stretch)] not in _RUNS_CODE:
            return self._last_step(activation)
        for before in silent:
            self._emit(activation, before)
        activation.pending = self._emit(activation, stretch)
        activation.has_run_code = True
        return activation.pending

    def _last_step(self, activation: RunningActivation) -> Step | None:
        """Return the last step of an activation."""
        if activation.stretch is None:
            return None
        return activation.registers.get(self.program.last_op(activation.stretch))

    # --- activations -----------------------------------------------------------------------------

    def _enter(self, op: Op, frame: int, parameters: Sequence[Token]) -> None:
        """Replay that a function was entered."""
        program, run = self.program, self.run
        function = program.function_of(op)
        caller = self._stack[-1] if self._stack else None
        call = self._begin_step(caller) if caller is not None else None
        enclosing = self._scopes.enclosing(function, caller, call, self._stack)
        parent = caller.number if caller else Activation(0)
        if caller is None and self._thread in self._begun:
            parent, call = self._begun[self._thread]
        number = Activation(len(run.activations))
        activation = RunningActivation(number, function, frame, call, enclosing)
        activation.parameters = parameters
        if caller is not None and self._scopes.is_handed(function, caller):
            definition = self._scopes.definition(function)
            if definition is not None:
                run.handed[number] = definition
        first = Instance(len(run.stretch))
        row = ActivationRow(function, parent, call or NO_STEP, first, first)
        row.flags, row.depth = DIRECT if call else 0, run.activations[parent].depth + 1
        run.activations.append(row)
        self._stack.append(activation)
        self._frames[frame] = activation
        self._scopes.enter(activation)
        if caller is not None and call and self._constructs(caller, activation):
            run.objects.note_constructed(parameters[0], call)
            activation.constructed_by = call
        if program.opcode[op] == "enter":
            self._emit(activation, program.op_stretch[op])
        activation.parameters = ()

    def _constructs(self, caller: RunningActivation, entered: RunningActivation) -> bool:
        """Does an activation initialise the new object of a call of a class?"""
        name = self.program.functions[entered.function].name
        if not name.endswith(".__init__") or not entered.parameters or caller.stretch is None:
            return False
        op = self.program.last_op(caller.stretch)
        callee = self.program.uses[op][0] if self.program.opcode[op] == "call" else None
        return callee is not None and callee >= 0 and self.program.name[callee] != "__init__"

    def _close(self, activation: RunningActivation, flags: int = 0) -> None:
        """Note where an activation ended, or was suspended."""
        row = self.run.activations[activation.number]
        row.last_instance = Instance(max(activation.last_instance, row.first_instance))
        row.flags |= flags

    def _continue(self, activation: RunningActivation) -> None:
        """Replay that the activation on top of the stack resumed a suspended activation."""
        if activation in self._stack:
            while self._stack[-1] is not activation:
                self._close(self._stack.pop(), UNWOUND)
            return
        if self._stack:
            self._begin_step(self._stack[-1])
        self._stack.append(activation)

    def _resume(self, op: Op, frame: int, value: Token) -> None:
        """Replay an operation after which a suspended activation continues."""
        activation = self._frames.get(frame)
        if activation is None:
            return
        self._continue(activation)
        self._complete(activation, op, value)

    def _give_back(self, activation: RunningActivation, op: Op, step: Step, value: Token) -> None:
        """Replay that an activation returned or yielded a value to its caller."""
        if self.program.opcode[op] == "return":
            self.run.activations[activation.number].ret = step
        if self._stack and self._stack[-1] is activation:
            self._close(self._stack.pop())
            if self._stack:
                self._stack[-1].result = (step, value)
                self._stack[-1].results.append(step)

    # --- exceptions ------------------------------------------------------------------------------

    def _raise(self, activation: RunningActivation, value: Token) -> Step | None:
        """Return the step of an activation that raised or whose callee raised."""
        step: Step | None
        if activation.unwinding:
            step, activation.unwinding = activation.unwinding, None
        elif self._has_raised(activation):
            step = self._last_step(activation)
        else:
            step = self._begin_step(activation)
            if not activation.pending and activation.stretch is not None:
                silent, stretch = self._paths.next_logged(*self._position(activation))
                for before in (*silent, *([] if stretch is None else [stretch])):
                    step = self._emit(activation, before)
        if step is None:
            return None
        if value is MISSING and activation.raised:  # the callee's exception
            value = self.run.values[activation.raised]
        self.run.values[step] = value
        if type(value) is tuple:
            self.run.objects.note_seen(value, step)
        self._set_inner_exception(activation.raised, value)
        self.run.raised[step] = activation.raised
        if activation.raised:
            self.run.source[step] = activation.raised
        activation.pending = activation.raised = activation.result = None
        if activation.results:
            self.run.add_reads(step, activation.results)
        activation.has_run_code, activation.results = False, []
        return step

    def _set_inner_exception(self, step: Step | None, value: Token) -> None:
        """Set the exception of raising steps in lambdas and generator expressions.

        These do not log the exception by which they are left, but their caller does.
        """
        while step and value is not MISSING and self.run.values[step] is MISSING:
            self.run.values[step] = value
            step = self.run.raised.get(step)

    def _has_raised(self, activation: RunningActivation) -> bool:
        if activation.stretch is None or activation.pending:
            return False
        return self.program.opcode[self.program.last_op(activation.stretch)] in ("raise", "reraise")

    def _unwind_to(self, frame: int, function: int) -> RunningActivation | None:
        """Leave the activations above that of a frame, and return the latter."""
        activation = self._frames.get(frame)
        if activation is None or activation.function != function:
            return None
        if activation in self._stack:
            while self._stack[-1] is not activation:
                left = self._stack.pop()  # such as a lambda, which does not log its end
                self._stack[-1].raised = self._raise(left, MISSING)
                self._close(left, UNWOUND)
        else:  # an exception was thrown into the suspended activation
            activation.raised = self._stack[-1].raised if self._stack else None
            self._stack.append(activation)
        return activation

    def _leave(self, op: Op, frame: int, value: Token) -> None:
        """Replay that an exception left an activation."""
        activation = self._unwind_to(frame, self.program.function_of(op))
        if activation is None:
            return
        step = self._raise(activation, value)
        self._stack.pop()
        self._close(activation, UNWOUND)
        self._frames.pop(frame, None)
        if _is_generator_exit(value):
            return
        if self._stack:
            self._stack[-1].raised = step
        if step:
            self.run.left.append((step, value))

    def _caught(self, op: Op, frame: int, value: Token) -> None:
        """Replay that an except clause caught an exception."""
        activation = self._unwind_to(frame, self.program.function_of(op))
        if activation is None:
            return
        step = self._raise(activation, value)
        branch = self.program.extra[op]
        if branch is not None:
            branched = self._emit(activation, self.program.op_stretch[branch])
            self.run.values[branched] = value
            if step:
                self.run.source[branched] = step
        caught = self._emit(activation, self.program.op_stretch[op])
        self.run.values[caught] = value
        if step:
            self.run.source[caught] = step

    def _finally(self, op: Op, frame: int) -> None:
        """Replay that a finally clause began."""
        activation = self._unwind_to(frame, self.program.function_of(op))
        if activation is None:
            return
        self._check_swallowed(activation)
        if activation.unwinding is None:
            activation.pending = None
        self._emit_until(activation, self.program.op_stretch[op])
        self._emit(activation, self.program.op_stretch[op])

    def _check_swallowed(self, activation: RunningActivation) -> None:
        """Replay an exception if a with or try body did not reach its end."""
        stretch = activation.stretch
        last = "" if stretch is None else self.program.opcode[self.program.last_op(stretch)]
        if last not in ("jump", "return", "with_exit") or activation.pending:
            activation.unwinding = self._raise(activation, MISSING)


def _is_generator_exit(exception: Token) -> bool:
    """Is it the exception that closes a generator?  It is not raised in the caller."""
    shape = exception[2] if type(exception) is tuple and len(exception) == 3 else None
    return type(shape) is tuple and shape[:1] == ("GeneratorExit",)
