"""What did each step of a Python run compute, and from what?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from whence.frontend.python.logged import Token
from whence.frontend.python.values import CONTAINERS, UNKNOWN, Obj, Value, items, likeness
from whence.program.ids import Activation, Instance, Op, Step
from whence.program.operations import (
    PY_BINARY,
    PY_COMPARISONS,
    PY_UNARY,
    COp,
    Operation,
    PyOp,
)
from whence.trace.flow import Constant, Flow, FlowNode, Got, Left, Operand, Unrecorded
from whence.trace.python.captured import CapturedOutput
from whence.trace.python.endings import message_of, origin, type_of
from whence.trace.python.files import WrittenFiles
from whence.trace.python.function_heads import FunctionHeads
from whence.trace.python.generated import class_definitions
from whence.trace.python.got import CallReader
from whence.trace.python.namespaces import Namespaces
from whence.trace.python.objects import is_same_object
from whence.trace.python.omitted import OmittedWrites
from whence.trace.python.program import LOADS
from whence.trace.python.recording import PythonThread
from whence.trace.python.star_imports import StarImports
from whence.trace.python.statements import PythonStepDescriber
from whence.trace.recording import Comparable

_DISPLAYS = {"list": PyOp.LIST, "tuple": PyOp.TUPLE, "set": PyOp.SET, "dict": PyOp.DICT}
_COPYING = frozenset({"return", "yield", "store", "await"})  # their value is their first operand
# Operations that read what their operands hold.
_READS_CONTENTS = frozenset({
    "call", "compare", "binary", "inplace", "unary", "branch", "either", "format", "list",
    "tuple", "set", "dict", "next", "match", "item", "unpack", "raise", "resume", "comp", "attr",
    "phi",
})  # fmt: skip
# Operations that give a variable, an attribute or an item its value.
_DEFINES = frozenset({"store", "set_attr", "set_item", "param", "next", "inplace", "unpack"})
_CODE = frozenset({"function", "class", "module", "builtin", "method"})  # kinds of values
# What a class defines and thereby takes something from its instances.
_FORBIDDING = frozenset({"__eq__", "__hash__", "__slots__"})
_LOOKING_UP = frozenset({"hasattr", "getattr"})
_CALLING = frozenset({"call", "class"})  # operations that call what may be a function
_MAX_HOLDERS = 4  # limit on objects whose attributes hold each other; guessed
_MAX_BODY = 100  # limit on the steps of a try or with body that are considered; guessed
# The solver knows why these operations raise: a missing key, an index out of range.
_EXPLAINED = frozenset({"item", "attr", "binary", "unary", "compare", "call"})
# What Python says of an attribute that a module does not have.
_LACKING = re.compile(r"(?:partially initialized )?module '([\w.]+)' has no attribute ")
_COPY = Operation(COp.COPY, 0, ())
_OPAQUE = Operation(COp.OPAQUE, 0, ())


class PythonFlow(Flow):
    """The nodes of one thread's run."""

    max_table = 1 << 22

    def __init__(self, thread: PythonThread) -> None:
        super().__init__(thread)
        self.python, self.run, self.program = thread, thread.run, thread.program
        self._namespaces = Namespaces(thread.run, self.op_of, self._all_executions)
        self._captured = CapturedOutput(thread.run, self.op_of, self._all_executions)
        self._files = WrittenFiles(
            thread.run, self.op_of, self._all_executions, self.value, self.python.constant
        )
        self._omitted = OmittedWrites(thread.run, thread.queries, self.op_of)
        self._stars = StarImports(self.program, self._all_executions)
        self._heads = FunctionHeads(thread.run, self._all_executions)

    def _all_executions(self, op: Op) -> list[Step]:
        found: list[Step] = self.executions(op)[:].tolist()
        return found

    def describer(self) -> PythonStepDescriber:
        return PythonStepDescriber(self.python)

    # --- values --------------------------------------------------------------------------------

    def value(self, step: Step) -> Value:
        return self.python.value(step)

    def value_of(self, operand: Operand) -> Value:
        if isinstance(operand, int):
            return self.value(operand)
        if isinstance(operand, Constant):
            found: Value = operand.value
            return found
        return UNKNOWN

    def comparable_value(self, step: Step) -> object:
        """Return the value of a step; of a call that may change, write or print its arguments, with
        these; of an item that is set, with its key; of a function, with its parameters.

        Such a call may also call recorded code, as `update` does that iterates over a mapping.
        What that code returned to it decides as well what the call wrote.
        """
        own = likeness(self.value(step))
        if self.opcode(step) == "set_item":  # with another key it is another item
            key = self._key(self._operands(step, self.op_of(step)))
            return own if key is None else (own, likeness(self.value_of(key)))
        if self._is_function(step):
            return own, self._heads.parameters(self.run.values[step], step)
        is_write = self.opcode(step) == "call" and (
            self._files.writes(self.op_of(step)) or self._captured.is_print(step)
        )
        if not is_write and not self.run.objects.may_have_changed_arguments(step):
            return own
        given = [self.value_of(argument) for argument in self._arguments(step)]
        given += map(self.value, self.run.reads.get(step, ()))
        return own, tuple(map(likeness, given))

    def comparable_part(self, step: Step) -> object:
        return likeness(self.value(step))

    def is_only_noise(self, step: Step, value: Value) -> bool:
        return self.python.is_only_noise(step, value)

    def compared_as(self, step: Step) -> Comparable:
        """Compare a value as it is if all of it is known; else an object by its origin too."""
        value = self.value(step)
        if value is UNKNOWN and self.is_load(step):
            return Comparable.WIDE
        if not isinstance(value, Obj):
            return Comparable.PLAIN
        if self.is_branch(step) and self.opcode(step) != "next":  # a loop's branch has its item
            return Comparable.PLAIN
        if value.kind in CONTAINERS:
            return Comparable.PLAIN if _is_all_known(value) else Comparable.POINTER
        token = self.run.values[step]
        if value.kind == "function" and not self.run.objects.is_program_function(token):
            return Comparable.POINTER  # not defined in the source
        return Comparable.POINTER if value.kind == "object" else Comparable.PLAIN

    def decision(self, branch: Step) -> object:
        """Return the value of a branch: for a loop whether it went on, for a try the exception."""
        if self.opcode(branch) == "next":
            return self.python.has_item(branch)
        value = self.value(branch)
        if self.opcode(branch) == "either":
            return self.side_of(branch) if self.side_of(branch) is not None else likeness(value)
        return likeness(value)

    def address(self, step: Step) -> int:
        return 0

    def width_of(self, operand: Operand) -> int:
        return 0

    # --- places --------------------------------------------------------------------------------

    def opcode(self, step: Step) -> str:
        return self.program.opcode[self.op_of(step)]

    def is_load(self, step: Step) -> bool:
        return self.opcode(step) in LOADS

    def defines(self, step: Step) -> bool:
        return self.opcode(step) in _DEFINES

    def reads(self, step: Step) -> bool:
        opcode = self.opcode(step)
        if opcode == "set_item":
            return self._is_slice(self._key(self._operands(step, self.op_of(step))))
        return opcode in LOADS or opcode in _READS_CONTENTS

    def is_definition(self, step: Step) -> bool:
        function = self.program.functions[self.program.op_function[self.op_of(step)]]
        return function.kind in ("module", "class")

    def withheld(self, step: Step) -> tuple[Step, ...]:
        return self._omitted.branches(step)

    def is_given(self, step: Step) -> bool:
        """Is the value a new instance of a class of the program?

        Differences inside of it show when its attributes are read.
        """
        token = self.run.values[step]
        if not super().is_given(step) or not self.run.objects.is_program_instance(token):
            return False
        state = self.run.objects.at(token, step)
        return state is None or state.made is None or state.made >= step

    def returned(self, call: Step) -> Step | None:
        return self.run.source.get(call) if self.is_call(call) else None

    def raised_by(self, step: Step) -> Step | None:
        return origin(self.run, step) if step in self.run.raised else None

    def caught_at(self, step: Step) -> Step | None:
        handlers = (op for op, opcode in enumerate(self.program.opcode) if opcode == "caught")
        later = ((run, run.before(step + 1)) for run in map(self.executions, map(Op, handlers)))
        return min(
            (Step(int(run[at : at + 1][0])) for run, at in later if at < len(run)), default=None
        )

    def raised_again(self, step: Step) -> Step | None:
        raised = self.run.values[step]
        raising = (op for op, opcode in enumerate(self.program.opcode) if opcode == "raise")
        again = (
            Step(int(each))
            for run in map(self.executions, map(Op, raising))
            for each in run[run.before(step + 1) :]
            if is_same_object(self.run.values[each], raised)
        )
        return max(again, default=None)

    def made_at(self, step: Step) -> Step | None:
        return self.run.handed.get(self.activation_of(step))

    def defined_at(self, step: Step) -> Step | None:
        call = self.call_of(step)
        callee = None if call is None else next(iter(self._uses(call, self.op_of(call))), None)
        if isinstance(callee, int) and self._enters(callee):
            return None
        return self._heads.decorated(self.run.activations[self.activation_of(step)].function, step)

    def generated_from(self, step: Step) -> tuple[Step, ...]:
        """Return what defined the classes of the program that a step used without recorded code.

        Their methods may be generated from it, as those of a dataclass or of an enum are.
        """
        if self.opcode(step) not in _READS_CONTENTS or self.run.source.get(step):
            return ()
        used = self._given([use for use in self._uses(step, self.op_of(step)) if use is not None])
        tokens = [self.run.values[operand] for operand in used]
        return tuple(class_definitions(self.run.objects, tokens, step))

    def _enters(self, callee: Step) -> bool:
        """Is a callee a function or a method that the program defines?"""
        if self.opcode(callee) != "method":
            return self.run.objects.is_program_function(self.run.values[callee])
        holder = next(iter(self.run.operands_of(callee)), None)
        return holder is not None and self.run.objects.is_program_instance(self.run.values[holder])

    def previous_instance(self, instance: Instance) -> Instance | None:
        return self.queries.previous_instance(instance)

    # --- nodes ---------------------------------------------------------------------------------

    def _node(self, step: Step) -> FlowNode:
        node = self._plain_node(step)
        added = (*self._taken_out(step), *self._refusing(step), *self._lacking(step))
        return replace(node, through=(*node.through, *added)) if added else node

    def _refusing(self, step: Step) -> tuple[Step, ...]:
        """Return the definition of the function that did not take the arguments of a call.

        The function did not run, so only its parameters can tell why.  Python names it first in
        the message, such as "Loader.__init__() missing 1 required positional argument: 'path'".
        """
        if self.opcode(step) not in _CALLING or step not in self.run.raised:
            return ()
        value = self.value(step)
        if origin(self.run, step) != step or type_of(value) != "TypeError":
            return ()
        name, _, rest = message_of(value).partition("() ")
        last = self._heads.last_named(name, step) if rest else None
        return () if last is None else (last,)

    def _lacking(self, step: Step) -> tuple[Step, ...]:
        """Return what gave its names to a module in which a step did not find one."""
        if step not in self.run.raised or origin(self.run, step) != step:
            return ()
        error = type_of(self.value(step))
        if error == "ImportError" and self.opcode(step) == "import_from":
            return tuple(self._stars.behind(self.op_of(step)))
        if error == "NameError":
            return tuple(self._stars.around(self.op_of(step)))
        lacking = (
            _LACKING.match(message_of(self.value(step))) if error == "AttributeError" else None
        )
        return tuple(self._stars.into(lacking[1])) if lacking else ()

    def _taken_out(self, step: Step) -> tuple[Step, ...]:
        """Return the steps that took the attribute which a step looks up out of a class."""
        if self._namespaces.is_untouched or self.opcode(step) not in ("call", "attr"):
            return ()
        callee = self._uses(step, self.op_of(step))[:1]
        named = next((each for each in callee if isinstance(each, int)), None)
        if self.opcode(step) == "attr":
            holder, name = named, self.program.name[self.op_of(step)]
        elif named is None:
            return ()
        elif self.opcode(named) != "method":
            holder, name = self._looked_for(step, named)
        else:
            holder = next(iter(self.run.operands_of(named)), None)
            name = self.program.name[self.op_of(named)]
        return self._namespaces.removed(self.run.values[holder], name or "") if holder else ()

    def _looked_for(self, call: Step, callee: Step) -> tuple[Step | None, str | None]:
        """Return the object and the name of the attribute that `hasattr` or `getattr` looks up."""
        arguments = self._arguments(call)
        if self.program.name[self.op_of(callee)] not in _LOOKING_UP or len(arguments) < 2:
            return None, None
        holder, name = arguments[0], self.value_of(arguments[1])
        if not isinstance(holder, int) or not isinstance(name, str):
            return None, None
        return Step(holder), name

    def _plain_node(self, step: Step) -> FlowNode:
        op = self.op_of(step)
        opcode = self.program.opcode[op]
        operands = self._operands(step, op)
        if opcode == "next" and not operands:
            operands = self.iterated(step)
        source = self.run.source.get(step)
        if source:
            return self._taken(step, opcode, Step(source), operands)
        if step in self.run.raised and opcode not in _EXPLAINED:
            inside = self._inside(step, op) if opcode == "with_exit" else ()
            return FlowNode(_OPAQUE, (*self._all(step, operands), *inside))
        if opcode in _COPYING:
            return FlowNode(_COPY, operands[:1])
        if opcode in ("set_attr", "set_item"):
            key = self._key(operands) if opcode == "set_item" else None
            if self._is_slice(key):  # it copies the items of the value
                items = self._all(step, operands[-1:])
                return FlowNode(_OPAQUE, items, pointer=key, base=_step(operands, 0))
            return FlowNode(_COPY, operands[-1:], pointer=key, base=_step(operands, 0))
        if opcode == "try":
            return FlowNode(_OPAQUE, tuple(self._tried(step, op)))
        if opcode == "param":
            return self._parameter(step)
        return self._computed(step, op, opcode, operands)

    def _taken(
        self, step: Step, opcode: str, source: Step, operands: tuple[Operand, ...]
    ) -> FlowNode:
        """Return the node of a step that copied the value of another step."""
        through: tuple[Step, ...] = ()
        if opcode == "param":
            call = self.call_of(step)
            through = (call,) if call else ()
        if opcode == "call":
            return FlowNode(_COPY, (source,), base=self.called_on(step))
        if opcode in ("attr", "next"):
            return FlowNode(_COPY, (source,), through, base=_step(operands, 0))
        if opcode == "item":
            through = self._shifted(step, source)
            return FlowNode(
                _COPY, (source,), through, pointer=self._key(operands), base=_step(operands, 0)
            )
        return FlowNode(_COPY, (source,), through)

    def _parameter(self, step: Step) -> FlowNode:
        """Return the node of a parameter whose argument is no step: a constant or a default."""
        call = self.call_of(step)
        if call is None:
            return FlowNode(_OPAQUE, ())
        op, value = self.op_of(call), self.run.values[step]
        for use in self.program.uses[op][1:]:
            if use is None or use >= 0:
                continue
            if is_same_object(self.program.constant(op, use), value):
                return FlowNode(_COPY, (Constant(self.python.constant(op, use), 0),), (call,))
        return FlowNode(_OPAQUE, self._all(call, self._operands(call, op)), (call,))

    def iterated(self, step: Step) -> tuple[Operand, ...]:
        """Return what a generator expression iterates over: code outside of it evaluated that.

        The expression was made before its first step.  If several are in progress, the one that
        was made last counts.
        """
        maker = self._genexprs.get(self.program.op_function[self.op_of(step)])
        if maker is None:
            return ()
        first = int(self.thread.stream.activations["first_instance"][self.activation_of(step)])
        made = self.executions(maker)
        count = made.before(int(self.thread.stream.first[first]))
        if not count:
            return ()
        return self._operands(Step(int(made[count - 1 : count][0])), maker)

    @cached_property
    def _genexprs(self) -> dict[int, Op]:
        """By function: the operation that makes this generator expression."""
        return {
            self.program.extra[op]: Op(op)
            for op, opcode in enumerate(self.program.opcode)
            if opcode == "genexpr"
        }

    def _tried(self, step: Step, op: Op) -> Iterator[Step]:
        """Yield the steps that a try body executed: each of them could have raised."""
        rows, end = self.program.row, self.program.handlers.get(op, 0)
        for before in self._before(step):
            if not rows[op] <= rows[self.op_of(before)] < end:
                return
            yield before

    def _inside(self, step: Step, op: Op) -> Iterator[Step]:
        """Yield the steps of a with body: its context manager may have expected others."""
        manager = self.program.uses[op]
        for last in self._before(step):
            own = self.op_of(last)
            if self.program.opcode[own] == "with_enter" and self.program.uses[own] == manager:
                return
            yield last

    def _before(self, step: Step) -> Iterator[Step]:
        """Yield the logged steps of the same activation before a step, the last first."""
        activation = self.activation_of(step)
        instance = self.previous_instance(self.instance_of(step))
        for _ in range(_MAX_BODY):
            if instance is None or self.activation(instance) != activation:
                return
            last = self.queries.last_step(instance)
            if self.program.logged[self.op_of(last)]:
                yield last
            instance = self.previous_instance(instance)

    def called_on(self, call: Step) -> Step | None:
        """Return the step that decides which code a call runs: a function, or a method's object."""
        callee = next(iter(self._uses(call, self.op_of(call))), None)
        if isinstance(callee, int) and self.opcode(callee) == "method":
            callee = self._uses(callee, self.op_of(callee))[0]
        return callee if isinstance(callee, int) else None

    def given_to(self, call: Step) -> Iterator[Step]:
        """Yield the operands of a call, and the steps that wrote what they hold."""
        operands = self._operands(call, self.op_of(call))
        return (operand for operand in self._all(call, operands) if isinstance(operand, int))

    def _shifted(self, step: Step, source: int) -> tuple[Step, ...]:
        """Return the steps since `source` that moved the items of the list that `step` reads."""
        holder = self.run.operands_of(step)[0]
        if not holder:
            return ()
        return self.run.objects.shifts_between(self.run.values[holder], source, step)

    def _key(self, operands: Sequence[Operand]) -> Operand | None:
        """Return the key of an item, if it is the value of a step."""
        return _step(operands, 1) if len(operands) > 1 else None

    def _is_slice(self, key: Operand | None) -> bool:
        return isinstance(key, int) and self.opcode(key) == "slice"

    def _computed(self, step: Step, op: Op, opcode: str, operands: tuple[Operand, ...]) -> FlowNode:
        held = self._held(step, operands) if opcode in _READS_CONTENTS else ()
        operation = None if held else self._operation(step, op, opcode, operands)
        if operation is not None:
            return FlowNode(*operation)
        return FlowNode(_OPAQUE, tuple(dict.fromkeys((*operands, *held))))

    def _operation(
        self, step: Step, op: Op, opcode: str, operands: tuple[Operand, ...]
    ) -> tuple[Operation, tuple[Operand, ...]] | None:
        name, extra = self.program.name[op] or "", self.program.extra[op]
        if opcode == "binary" and name in PY_BINARY:
            return _of(PY_BINARY[name]), operands
        if opcode == "unary" and name in PY_UNARY:
            return _of(PY_UNARY[name]), operands
        if opcode == "compare":
            return self._compared(name), operands
        if opcode == "branch":
            return _of(PyOp.TRUTH), operands
        if opcode == "either":  # in a condition only its truth is recorded
            return _of(PyOp.TRUTH if isinstance(self.value(step), bool) else PyOp.EITHER), operands
        if opcode == "unpack" and name.isdigit():
            return _of(PyOp.ITEM), (*operands, Constant(int(name), 0))
        if opcode == "attr":
            return _of(PyOp.ATTR, name), operands
        if opcode in _DISPLAYS and not extra and len(operands) == len(self.program.uses[op]):
            return _of(_DISPLAYS[opcode]), operands
        if opcode == "item":
            return self._looked_up(operands)
        if opcode == "call" and not (extra and {"*", "**"} & set(extra)):
            return self._called(step, op)
        return None

    def _compared(self, name: str) -> Operation:
        comparisons = [PY_COMPARISONS[operator] for operator in chained_operators(name)]
        return _of(comparisons[0]) if len(comparisons) == 1 else _of(PyOp.CHAIN, *comparisons)

    def _looked_up(
        self, operands: tuple[Operand, ...]
    ) -> tuple[Operation, tuple[Operand, ...]] | None:
        key = operands[1]
        if not isinstance(key, int) or not self._is_slice(key):
            return _of(PyOp.ITEM), operands
        bounds = [
            Constant(None, 0) if use is None else operand
            for use, operand in zip(
                self.program.uses[self.op_of(key)], self._uses(key, self.op_of(key)), strict=True
            )
        ]
        bounds += [Constant(None, 0)] * (3 - len(bounds))
        return _of(PyOp.SLICE), (operands[0], *(bound or Constant(None, 0) for bound in bounds))

    def _called(self, step: Step, op: Op) -> tuple[Operation, tuple[Operand, ...]] | None:
        callee, arguments = self.program.uses[op][0], self._arguments(step)
        keywords = [name for name in self.program.extra[op] or () if name]
        loaded = self._uses(step, op)[0]
        if callee is None or callee < 0 or not isinstance(loaded, int):
            return None
        name = self.program.name[callee] or ""
        if self.program.opcode[callee] == "method":
            receiver = self._operands(loaded, Op(callee))
            return _of(PyOp.METHOD, name, *keywords), (*receiver[:1], *arguments)
        if self.program.opcode[callee] == "load" and loaded not in self.run.source:
            return _of(PyOp.BUILTIN, name, *keywords), arguments
        return None

    # --- operands ------------------------------------------------------------------------------

    def _uses(self, step: Step, op: Op) -> list[Operand | None]:
        """Return the operands of a step, one for each use of its operation."""
        found: list[Operand | None] = []
        steps = self.run.operands_of(step)
        for at, use in enumerate(self.program.uses[op]):
            if use is None:
                found.append(None)
            elif use < 0:
                found.append(Constant(self.python.constant(op, use), 0))
            else:
                operand = steps[at]
                found.append(operand or Unrecorded(Step(step), at, 0))
        return found

    def _operands(self, step: Step, op: Op) -> tuple[Operand, ...]:
        """Return the operands of a step; the callee of a call only if it is not known code."""
        found = [operand for operand in self._uses(step, op) if operand is not None]
        if self.program.opcode[op] != "call" or not found:
            return tuple(found)
        if self._is_known(found[0]):
            return tuple(found[1:])
        callee = self.called_on(step)
        return tuple(found) if callee is None else (callee, *found[1:])

    def _arguments(self, call: Step) -> tuple[Operand, ...]:
        uses = self._uses(call, self.op_of(call))[1:]
        return tuple(argument for argument in uses if argument is not None)

    def _is_known(self, callee: Operand) -> bool:
        """Is a callee a named function, or a method of a module or a class?

        A function that the program does not define may be made while it runs, as by `exec`.  Then
        what it does depends on what it was made from.
        """
        if not isinstance(callee, int):
            return True
        if self._is_function(callee):
            return self.run.objects.is_program_function(self.run.values[callee])
        if self.opcode(callee) == "method":
            holder = self._uses(callee, self.op_of(callee))[0]
            return isinstance(holder, int) and self._is_code(holder)
        return self._is_code(callee)

    def _is_function(self, step: Step) -> bool:
        value = self.value(step)
        return isinstance(value, Obj) and value.kind == "function"

    def holds_container(self, step: Step) -> bool:
        value = self.value(step)
        return isinstance(value, Obj) and value.kind in CONTAINERS

    def names_code(self, step: Step) -> bool:
        value = self.value(step)
        return isinstance(value, Obj) and value.kind in _CODE

    def _is_code(self, step: Step) -> bool:
        """Is the value of the step a function, a class or a module, as far as is known?

        A container whose present items are unknown is none.
        """
        is_unknown = self.value(step) is UNKNOWN
        is_container = is_unknown and self.run.objects.is_container(self.run.values[step])
        return (is_unknown and not is_container) or self.names_code(step)

    def _all(self, step: Step, operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
        """Return the operands, and the steps that wrote what they hold."""
        return tuple(dict.fromkeys((*operands, *self._held(step, operands))))

    def _held(self, step: Step, operands: Sequence[Operand]) -> tuple[Step, ...]:
        """Return the steps that wrote what the operands of a step hold, and its other reads."""
        found: dict[Step, None] = {}
        is_part = self.opcode(step) == "attr"  # the rest of the object does not matter
        for operand in () if is_part else self._given(operands):
            token = self.run.values[operand]
            if type(token) is tuple:
                whole = self.opcode(step) in ("call", "compare", "raise", "format") or (
                    self.opcode(step) in ("next", "item", "unpack", "branch")
                    and self.run.objects.kind(token) == "object"
                )
                held = self.run.objects.content_writers(token, step, with_attributes=whole)
                found.update(dict.fromkeys(writer for writer in held if writer != operand))
                if whole:
                    found.update(dict.fromkeys(self._behind_library(operand, step)))
                if whole and self._is_library_object(token):
                    found.update(dict.fromkeys(self._touching(operand, step)))
        found.update(dict.fromkeys(self._forbidding(step, operands)))
        for read in self.run.reads.get(step, ()):
            if self._is_implicit_return(read):
                continue
            found[read] = None
            if self.opcode(read) == "return":  # unrecorded code reads what it was given
                found.update(dict.fromkeys(self._written_into(read, step)))
            if self.opcode(read) == "call":  # its arguments may be part of its result
                found.update(dict.fromkeys(self._given(self._arguments(read))))
        if self.opcode(step) == "call":
            found.update(dict.fromkeys(self._captured.prints(step)))
            found.update(dict.fromkeys(self._files.writers(step)))
        if self.opcode(step) == "comp":
            token = self.run.values[step]
            found.update(dict.fromkeys(map(Step, self.run.objects.element_writers(token, step))))
        return tuple(read for read in found if read != step)

    def _forbidding(self, step: Step, operands: Sequence[Operand]) -> Iterator[Step]:
        """Yield the definitions in classes because of which unrecorded code may have raised.

        With `__eq__` and without `__hash__`, the instances of a class cannot be items of a set.
        """
        if step not in self.run.raised or origin(self.run, step) != step:
            return
        objects = self.run.objects
        for operand in self._given(operands):
            token = self.run.values[operand]
            for address in objects.classes_of(token) if objects.is_program_instance(token) else ():
                state = objects.at((address, 0, None), step)
                for writer in state.attribute_writers if state is not None else ():
                    if writer < step and self.program.name[self.op_of(writer)] in _FORBIDDING:
                        yield writer

    def _is_library_object(self, token: Token) -> bool:
        objects = self.run.objects
        return objects.kind(token) == "object" and not objects.is_program_instance(token)

    def _behind_library(self, operand: Step, step: Step) -> Iterator[Step]:
        """Yield what unrecorded code may have put into what an attribute holds.

        If no recorded step set the attribute, then unrecorded code did.  So what it holds may come
        from wherever such code got the object whose attribute it is: from the call, and from what
        recorded code gave to that call.
        """
        for _ in range(_MAX_HOLDERS):
            if self.opcode(operand) != "attr" or operand in self.run.source:
                return
            holder = _step(self._operands(operand, self.op_of(operand)), 0)
            if not isinstance(holder, int):
                return
            for call in self._touching(holder, step):
                yield call
                for read in (self.run.source.get(call), *self.run.reads.get(call, ())):
                    if read and self.opcode(read) == "return":
                        yield read
                        yield from self._written_into(read, step)
            operand = holder

    def _touching(self, holder: Step, step: Step) -> Iterator[Step]:
        """Yield the last calls of unrecorded code that got an object before a step.

        What such a call returned may hold the object, so the last call that got this comes next.
        """
        before = 0
        for _ in range(_MAX_HOLDERS):
            state = self.run.objects.at(self.run.values[holder], step)
            changed = state.changed(step) if state is not None else None
            calling = self._calling_back(holder, step)
            last = max(changed or 0, calling or 0)
            if last <= before:
                return
            yield Step(last)
            before = holder = Step(last)

    def _calling_back(self, holder: Step, step: Step) -> Step | None:
        """Return the last call before a step that got an object and ran recorded code inside.

        That code is not the function that was called: it was called back.
        """
        token = self.run.values[holder]
        for before in self._before(step):
            inside = self.run.source.get(before) or next(iter(self.run.reads.get(before, ())), None)
            if self.opcode(before) != "call" or not inside or self.opcode(inside) != "return":
                continue
            given = (self.run.values[each] for each in self._given(self._arguments(before)))
            on = self.called_on(before)
            receiver = self.run.values[on] if on is not None else None
            objects = self.run.objects
            is_library = not objects.is_program_instance(receiver) and not (
                objects.is_program_function(receiver)
            )
            if is_library and any(is_same_object(token, each) for each in (receiver, *given)):
                return before
        return None

    def _written_into(self, given: Step, step: Step) -> list[Step]:
        """Return the steps before `step` that wrote what a given object holds."""
        token = self.run.values[given]
        return self.run.objects.content_writers(token, step, with_attributes=True)

    def _is_implicit_return(self, step: Step) -> bool:
        """Is the step the end of a function without a return statement?"""
        op = self.op_of(step)
        return self.program.opcode[op] == "return" and not self.program.text[op]

    def _given(self, operands: Sequence[Operand]) -> Iterator[Step]:
        """Yield the steps among the operands; after a method, the object that it is of."""
        for operand in operands:
            if isinstance(operand, int):
                yield operand
                if self.opcode(operand) == "method":
                    yield from self._given(self._operands(operand, self.op_of(operand)))

    def left(self, left: Left) -> tuple[Operand, ...]:
        return ()

    def operands_of(self, op: Op, instance: Instance) -> tuple[Operand, ...]:
        return ()

    def argument(self, call: Step, number: int) -> Operand | None:
        uses = self._uses(call, self.op_of(call))
        return uses[number + 1] if number + 1 < len(uses) else None

    def got(self, activation: Activation) -> Got:
        reader = CallReader(self, self.program, self.run)
        return reader.got(self._first[self._start[activation]], activation)

    def arguments(self, call: Step) -> int:
        return max(len(self.program.uses[self.op_of(call)]) - 1, 0)


def _is_all_known(value: Obj) -> bool:
    """Are all items of a container recorded in full?"""
    recorded = items(value)
    return recorded is not None and all(
        not isinstance(item, Obj) or (item.kind not in CONTAINERS and item.kind != "object")
        for item in recorded
    )


def _of(op: PyOp, *extra: object) -> Operation:
    return Operation(op, 0, (), extra)


def _step(operands: Sequence[Operand], number: int) -> Operand | None:
    """Return an operand if it is a step."""
    found = operands[number] if number < len(operands) else None
    return found if isinstance(found, int) else None


def chained_operators(name: str) -> Iterator[str]:
    """Yield the operators of a chain: `a < b not in c` has the name "< not in"."""
    words = name.split()
    at = 0
    while at < len(words):
        size = 2 if words[at : at + 2] in (["not", "in"], ["is", "not"]) else 1
        yield " ".join(words[at : at + size])
        at += size
