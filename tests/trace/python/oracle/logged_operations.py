"""What did an operation with an event read, write or make?"""

from __future__ import annotations

from collections.abc import Callable

from tests.trace.python.oracle.objects import identity, is_same_object
from tests.trace.python.oracle.replayed_run import MISSING, ReplayedRun
from tests.trace.python.oracle.running_activation import RunningActivation
from tests.trace.python.oracle.variable_scopes import VariableScopes
from whence.frontend.python.logged import Token
from whence.frontend.python.values import STOP
from whence.program.ids import Op, Step
from whence.trace.python.program import Use
from whence.trace.python.program_tables import PURE_FUNCTIONS

Handler = Callable[[RunningActivation, Op, Step, Token], None]

# Operations that can return an object which unrecorded code had kept.
_MAX_COPIES = 16  # limit on the copies of a method that are followed back, as in replay.c
_RETURN_KEPT_OBJECT = frozenset({"call", "attr", "item", "next", "resume", "import_from"})
# The source texts of callees that print to standard output.
_PRINT = ("print", "sys.stdout.write", "stdout.write", "sys.stdout.buffer.write")


class LoggedOperations:
    """Completes the steps whose value an event contains."""

    def __init__(self, run: ReplayedRun, scopes: VariableScopes) -> None:
        self._run, self._program, self._scopes = run, run.program, scopes
        self._handlers: dict[str, Handler] = {
            "attr": self._attr,
            "item": self._item,
            "set_attr": self.set_attr,
            "del_attr": self.set_attr,
            "set_item": self.set_item,
            "del_item": self._del_item,
            "inplace": self._inplace,
            "call": self._call,
            "list": self._display,
            "tuple": self._display,
            "set": self._display,
            "dict": self._display,
            "unpack": self._display,  # the list of a starred target
            "lambda": self._function,
            "genexpr": self._function,
            "def": self._function,
            "class": self._class,
            "comp": self._comprehension,
            "next": self._next,
            "import_from": self._import_from,
            "phi": self._phi,
        }

    def complete(self, activation: RunningActivation, op: Op, step: Step, value: Token) -> None:
        """Give a step its value, and note what the step did to reach it."""
        run = self._run
        run.values[step] = value
        opcode = self._program.opcode[op]
        result = activation.result
        if result is not None and opcode != "return" and is_same_object(result[1], value):
            run.source[step] = result[0]
        elif activation.results:
            run.add_reads(step, activation.results)
        handler = self._handlers.get(opcode)
        if handler is not None:
            handler(activation, op, step, value)
        if type(value) is tuple:
            first = run.objects.first_seen(value)
            is_kept = opcode in _RETURN_KEPT_OBJECT and step not in run.source
            if first and first != step and is_kept:
                run.add_reads(step, [first])
            run.objects.note_seen(value, step)

    def _used(self, activation: RunningActivation, op: int, use: Use) -> Token:
        return self._run.used_value(activation.registers, op, use)

    # --- attributes ----------------------------------------------------------------------------

    def _attr(self, activation: RunningActivation, op: Op, step: Step, value: Token) -> None:
        run = self._run
        if step in run.source:
            return
        holder = self._used(activation, op, self._program.uses[op][0])
        setter = self._setter(holder, self._program.name[op] or "", value)
        if setter:
            run.source[step] = setter
        elif owner := run.objects.last_owner(holder):
            run.add_reads(step, [owner])

    def _setter(self, holder: Token, name: str, value: Token) -> Step | None:
        """Return the step that set an attribute of an object or a module; None: unknown."""
        objects = self._run.objects
        setter = objects.attribute(holder, name, value)
        if setter or objects.kind(holder) != "module":
            return setter
        return self._scopes.module_variable(str(holder[2]), name)

    def _import_from(self, activation: RunningActivation, op: Op, step: Step, _: Token) -> None:
        imported = self._program.name[op] or ""
        setter = self._scopes.imported_variable(activation.function, imported)
        if setter:
            self._run.source[step] = setter

    def set_attr(self, activation: RunningActivation, op: Op, step: Step, _: Token) -> None:
        """Note that a step set or deleted an attribute."""
        uses = self._program.uses[op]
        holder = self._used(activation, op, uses[0])
        if len(uses) > 1:
            self._run.values[step] = self._used(activation, op, uses[1])
        self._run.objects.set_attribute(holder, self._program.name[op] or "", step)

    # --- items ---------------------------------------------------------------------------------

    def _item(self, activation: RunningActivation, op: Op, step: Step, value: Token) -> None:
        run = self._run
        if step in run.source:
            return
        uses = self._program.uses[op]
        holder, key = self._used(activation, op, uses[0]), self._used(activation, op, uses[1])
        setter = run.objects.item(holder, key, value)
        writer = setter or run.objects.last_owner(holder)
        if writer is None:
            return
        source = self.element_operand(holder, key, writer) or setter
        if source is not None:
            run.source[step] = source
        else:
            run.add_reads(step, [writer])

    def element_operand(self, holder: Token, key: Token, writer: Step) -> Step | None:
        """Return the operand of `writer` that became the element at `key`."""
        run, program = self._run, self._program
        op = program.last_op(run.stretch[run.instance_of(writer)])
        opcode, operands = program.opcode[op], run.operands_of(writer)
        if opcode == "call":  # `xs.append(x)`
            is_append = len(operands) == 2 and run.objects.kind(holder) in ("list", "set")
            return (operands[1] or None) if is_append else None
        if opcode not in ("list", "tuple", "dict") or program.extra[op]:
            return None
        if opcode == "dict":
            keys = (self._constant(op, use) for use in program.uses[op][::2])
            matching = (at for at, constant in enumerate(keys) if is_same_object(constant, key))
            at = next(matching, None)
            return None if at is None else operands[2 * at + 1] or None
        if type(key) is not int or not -len(operands) <= key < len(operands):
            return None
        return operands[key] or None

    def _constant(self, op: int, use: Use) -> object:
        return self._program.constant(op, use) if use is not None and use < 0 else MISSING

    def set_item(self, activation: RunningActivation, op: Op, step: Step, _: Token) -> None:
        """Note that a step set an item."""
        uses = self._program.uses[op]
        holder, key = self._used(activation, op, uses[0]), self._used(activation, op, uses[1])
        self._run.values[step] = self._used(activation, op, uses[2])
        self._run.objects.set_item(holder, key, step)

    def _del_item(self, activation: RunningActivation, op: Op, step: Step, _: Token) -> None:
        uses = self._program.uses[op]
        holder, key = self._used(activation, op, uses[0]), self._used(activation, op, uses[1])
        self._run.objects.delete_item(holder, key, step)

    # --- in place ------------------------------------------------------------------------------

    def read_target(self, activation: RunningActivation, op: Op, step: Step) -> None:
        """Note which step set `a.b` or `a[b]` before `a.b += c` or `a[b] += c` reads it."""
        extra, uses = self._program.extra[op], self._program.uses[op]
        holder = self._used(activation, op, uses[0])
        objects = self._run.objects
        setter = (
            objects.item(holder, self._used(activation, op, uses[1]), MISSING)
            if extra == "item"
            else objects.attribute(holder, extra[1], MISSING)
        ) or objects.last_owner(holder)
        if setter:
            self._run.add_reads(step, [setter])

    def _inplace(self, activation: RunningActivation, op: Op, step: Step, value: Token) -> None:
        run = self._run
        extra, uses = self._program.extra[op], self._program.uses[op]
        if not extra:
            run.objects.note_changed(value, step)  # `xs += [1]` changes the list itself
            return
        run.values[step] = MISSING
        holder = self._used(activation, op, uses[0])
        if extra == "item":
            run.objects.set_item(holder, self._used(activation, op, uses[1]), step)
        else:
            run.objects.set_attribute(holder, extra[1], step)

    # --- new objects ---------------------------------------------------------------------------

    def _display(self, _activation: RunningActivation, _op: Op, step: Step, value: Token) -> None:
        self._run.objects.note_made(value, step)

    def _function(self, activation: RunningActivation, op: Op, step: Step, value: Token) -> None:
        address = identity(value)
        if address is not None:
            decorated = self._set_since(activation, value, step)
            self._run.objects.note_function(value, step)
            self._keep(value, decorated)
            self._scopes.define(activation, op, step, address)

    def _set_since(self, activation: RunningActivation, value: Token, step: Step) -> list[Step]:
        """Return the steps that set attributes in code that a definition ran: a decorator's."""
        return self._run.objects.setters_since(value, step) if activation.has_run_code else []

    def _keep(self, value: Token, setters: list[Step]) -> None:
        for setter in setters:
            op = self._run.op_of(setter)
            is_inplace = self._program.opcode[op] == "inplace"
            name = self._program.extra[op][1] if is_inplace else self._program.name[op]
            self._run.objects.set_attribute(value, name or "", setter)

    def _class(self, activation: RunningActivation, op: Op, step: Step, value: Token) -> None:
        address = identity(value)
        if address is None:
            return
        decorated = self._set_since(activation, value, step)
        self._run.objects.note_class(value, step)
        self._scopes.define(activation, op, step, address)
        function = self._program.extra[op]
        body = None if function is None else self._scopes.latest(function)
        for name, store in ({} if body is None else body.variables).items():
            self._run.objects.set_attribute(value, name, store)
        self._keep(value, decorated)

    def _comprehension(
        self, activation: RunningActivation, op: Op, step: Step, value: Token
    ) -> None:  # fmt: skip
        self._run.objects.note_made(value, step)
        for use in self._program.uses[op]:
            if use is not None and use >= 0:
                last = activation.registers.get(use)
                elements = activation.elements.pop(use, [] if last is None else [last])
                for element in elements:
                    self._run.objects.add_element(value, element)

    # --- loops, calls and alternatives ---------------------------------------------------------

    def _next(self, activation: RunningActivation, op: Op, step: Step, value: Token) -> None:
        run, program = self._run, self._program
        if step in run.source or value == STOP:
            return
        holder = self._used(activation, op, program.uses[op][0])
        adder = run.objects.element(holder, value)
        if adder:
            run.source[step] = adder
        # If the loop is part of a comprehension, collect the elements of that.
        for use in program.elements.get(program.op_function[op], ()):
            activation.elements.setdefault(use, [])

    def _call(self, activation: RunningActivation, op: Op, step: Step, value: Token) -> None:
        program, run = self._program, self._run
        objects = run.objects
        uses = program.uses[op]
        callee = uses[0]
        name = "" if callee is None or callee < 0 else program.name[callee] or ""
        arguments = [self._used(activation, op, use) for use in uses[1:]]
        if callee is not None and callee >= 0 and program.opcode[callee] == "method":
            receiver = self._used(activation, callee, program.uses[callee][0])
            if (
                not activation.has_run_code
                or objects.is_container(receiver)
                or self._is_calling_back(receiver, step, name)
            ):
                objects.call_method(receiver, name, arguments, step)
        elif kept := self._kept_method(activation, callee):
            holder = run.operands[run.start[kept]]
            method = program.name[run.op_of(kept)] or ""
            objects.call_method(run.values[holder], method, arguments, step)
        elif callee is not None and callee >= 0:
            function = self._used(activation, op, callee)
            if not activation.has_run_code or self._is_calling_back(function, step, name):
                objects.call_function(name, arguments, step)
        if step not in run.source and not activation.has_run_code:
            objects.note_result(value, step, name)
            if name == "getattr" and len(arguments) > 1 and type(arguments[1]) is str:
                setter = self._setter(arguments[0], arguments[1], run.values[step])
                if setter:
                    run.add_reads(step, [setter])
        if callee is not None and callee >= 0 and program.text[callee] in _PRINT:
            run.prints.append(step)
        called = self._used(activation, op, callee)
        if objects.kind(called) == "class" and objects.kind(value) != "class":
            objects.note_constructed(value, step)

    def _is_calling_back(self, holder: Token, step: Step, name: str) -> bool:
        """Did a call of code that is not recorded run recorded code only as a callback?"""
        is_library = self._run.objects.kind(holder) in ("module", "builtin")
        return step not in self._run.source and name not in PURE_FUNCTIONS and is_library

    def _kept_method(self, activation: RunningActivation, callee: Use) -> Step | None:
        """Return the step that read a method of a container, if a variable kept it for a call."""
        run = self._run
        if callee is None or callee < 0:
            return None
        step = activation.registers.get(callee)
        if not step or run.objects.kind(run.values[step]) != "builtin":
            return None
        for _ in range(_MAX_COPIES):
            if not step:
                return None
            opcode, source = self._program.opcode[run.op_of(step)], run.source.get(step)
            holder = next(iter(run.operands_of(step)), None)
            if opcode == "store":
                source = holder
            elif opcode == "attr" and not source:
                is_container = holder and run.objects.is_container(run.values[holder])
                return step if is_container else None
            step = source
        return None

    def _phi(self, activation: RunningActivation, _op: Op, step: Step, value: Token) -> None:
        """Take the last alternative with this value as the source; without one, read the branch."""
        values = self._run.values
        operands = [
            operand
            for operand in self._run.operands_of(step)
            if operand and is_same_object(values[operand], value)
        ]
        if operands:
            self._run.source[step] = max(operands)
            return
        branches = [branch for branch in activation.last_branches if branch < step]
        if branches:
            self._run.add_reads(step, branches[-1:])
