"""Which values do the steps of a Python run have, if inputs decide them?"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from whence.frontend.python.values import UNKNOWN, Obj, truth
from whence.inputs import InputRange, InputSource, SourceKind
from whence.paths.python.builtins import BUILTIN_RULES, by_key, mapped
from whence.paths.python.callbacks import EACH_ITEM, Callbacks
from whence.paths.python.collected import CollectedConditions
from whence.paths.python.comparisons import compared, truth_of
from whence.paths.python.containers import as_items, cut, delete_item, item, set_item
from whence.paths.python.formats import f_string
from whence.paths.python.formulas import no
from whence.paths.python.heap import Heap, recorded_held
from whence.paths.python.inputs_read import read_value
from whence.paths.python.module_trees import ModuleTrees
from whence.paths.python.operations import builtin, method, operator
from whence.paths.python.options import option_value
from whence.paths.python.patterns import bound_value, chosen_case
from whence.paths.python.site import NO_RULE
from whence.paths.python.sources import InputValues
from whence.paths.python.values import (
    SYMBOLIC,
    AnyValue,
    Counted,
    Held,
    Number,
    Options,
    Record,
    Taken,
    is_symbolic,
    taken,
)
from whence.program.ids import Op, Step
from whence.program.operations import PY_BINARY, PY_COMPARISONS, PY_UNARY
from whence.trace.python.flow import PythonFlow, chained_operators
from whence.trace.python.literals import WHOLE

# Operations whose value is that of their last operand.
_COPIES = frozenset({"store", "return", "yield", "await", "set_attr", "either", "branch"})
_READS = frozenset({"item", "next", "unpack", "comp", "list", "dict", "set", "tuple"})
_DISPLAYS = frozenset({"list", "tuple", "set", "dict"})
_MAX_CHAIN = 100_000  # copies of copies that are followed


class SymbolicSteps:
    """The values of the steps of one run that inputs decide."""

    def __init__(
        self, flow: PythonFlow, inputs: InputValues,
        literals: Mapping[tuple[int, int], InputSource], to: CollectedConditions,
    ) -> None:  # fmt: skip
        self._flow, self._inputs, self._to = flow, inputs, to
        self._run, self._program, self._thread = flow.run, flow.program, flow.python
        self._known: dict[Step, AnyValue] = {}
        self._heap = Heap(self._thread, lambda step, by, held: to.pin(step, by, [held]))
        self._trees = ModuleTrees(self._thread)
        self._loops: dict[tuple[int, int], tuple[object, int, AnyValue]] = {}
        self._literals = literals
        self._callbacks = Callbacks(flow)
        self._patterns: dict[int, ast.pattern | None] = {}  # of match statements, by operation
        self._records: dict[int, Record] = {}  # by the identity of the object
        self._waiting: list[tuple[int, Step]] = []  # calls that run recorded code, with its end
        self._entered = {*self._run.columns["activations"]["call"].tolist()}

    def known(self) -> Iterator[tuple[Step, AnyValue]]:
        """Yield the steps whose values inputs decide."""
        return ((step, value) for step, value in self._known.items() if is_symbolic(value))

    @property
    def reads(self) -> frozenset[Step]:
        """The steps that read from a stream."""
        read_by = self._thread.read_by.items()
        return frozenset(Step(step) for step, ranges in read_by if any(map(_is_part, ranges)))

    def run(self) -> None:
        """Pass over all steps."""
        program, read_by = self._program, self._thread.read_by
        handlers = {opcode: getattr(self, f"_{opcode}") for opcode in _HANDLED}
        handlers["set"] = self._display
        for number in range(1, self._run.steps + 1):
            step = Step(number)
            op = self._flow.op_of(step)
            while self._waiting and self._waiting[-1][0] < number:
                _, call = self._waiting.pop()
                self._called_back(call, self._flow.op_of(call))
            if number in read_by and self._read(step, op):
                continue
            handler = handlers.get(program.opcode[op])
            if handler is not None:
                handler(step, op)
        for _, call in reversed(self._waiting):
            self._called_back(call, self._flow.op_of(call))

    # --- values ---------------------------------------------------------------------------------

    def of(self, step: Step) -> AnyValue:
        """Return the value of a step."""
        at = step
        for _ in range(_MAX_CHAIN):
            if at in self._known:
                return self._known[at]
            op = self._flow.op_of(at)
            opcode, source = self._program.opcode[op], self._run.source.get(at)
            is_made = opcode == "next" and source and self._flow.opcode(source) == "yield"
            if source and source != at and (opcode not in _READS or is_made):
                at = source
            elif opcode in _COPIES and self._program.uses[op]:
                last = len(self._program.uses[op]) - 1
                use, operand = self._program.uses[op][last], self._run.operands_of(at)[last]
                if use is not None and use < 0:
                    literal = self._literal(op, last)
                    if literal is not None:
                        return literal
                if not operand:
                    break
                at = operand
            else:
                break
        held = self._heap.get(step)
        return self._flow.value(step) if held is None else held

    def _literal(self, op: int, at: int) -> AnyValue | None:
        source = self._literals.get((op, at))
        if source is None:
            return None
        constant = self._program.constant(op, self._program.uses[op][at] or 0)
        return self._inputs.literal(source, constant)

    def _operands(self, step: Step, op: int) -> list[AnyValue]:
        """Return the operands of a step, one for each use of its operation."""
        found: list[AnyValue] = []
        for at, (use, operand) in enumerate(
            zip(self._program.uses[op], self._run.operands_of(step), strict=True)
        ):
            if use is None:
                found.append(None)
            elif use < 0:
                literal = self._literal(op, at)
                found.append(self._thread.constant(op, use) if literal is None else literal)
            else:
                found.append(self.of(operand) if operand else UNKNOWN)
        return found

    def _set(self, step: Step, value: AnyValue) -> None:
        if isinstance(value, Held):
            self._known[step] = value
            self._heap.put(step, value)
        elif isinstance(value, SYMBOLIC):
            self._known[step] = value

    def _result(self, step: Step, value: AnyValue, operands: Sequence[AnyValue], by: str) -> None:
        """Set the value of a step; if there is no rule for it, it is taken as recorded."""
        if value is not NO_RULE:
            self._set(step, value)
            return
        symbolic = [one for one in operands if is_symbolic(one)]
        if not symbolic:
            return
        site = self._to.site(step)
        if site.raised:
            site.fixed(*symbolic)
            site.note(f"{by} raises on inputs, which are taken as recorded there")
            return
        if site.result is None:
            return
        unknown = self._to.pin(step, by, symbolic)
        held = recorded_held(site.result)
        if held is None:
            self._set(step, taken(site.result, unknown))
        else:
            self._set(step, Held(held.kind, [taken(one, unknown) for one in held.items]))

    # --- inputs ---------------------------------------------------------------------------------

    def _read(self, step: Step, op: int) -> bool:
        site, ranges = self._to.site(step), self._thread.read_by[step]
        found = read_value(site, self._inputs, ranges, self._how(op))
        if found is None:
            return False
        self._set(step, found)
        return True

    def _how(self, op: int) -> str:
        """Return the name of what reads."""
        if self._program.opcode[op] != "call":
            return self._program.opcode[op]
        callee = self._program.uses[op][0]
        return "" if callee is None or callee < 0 else self._program.name[callee] or ""

    def _param(self, step: Step, op: int) -> None:
        """A parameter whose argument is a literal."""
        if self._run.source.get(step):
            return
        call = self._flow.call_of(step)
        if call is None:
            return
        calling = self._flow.op_of(call)
        if self._program.opcode[calling] != "call":
            return
        at = self._argument_of(step, op, call, calling)
        literal = None if at is None else self._literal(calling, at)
        if literal is not None:
            self._set(step, literal)
        elif at is None and not (
            self._item_of(step, call, calling) or self._unpacked(step, op, call, calling)
        ):
            self._handed(step, call, calling)

    def _argument_of(self, step: Step, op: int, call: Step, calling: int) -> int | None:
        """Return which use of a call gave a parameter its constant."""
        program = self._program
        function = program.functions[program.function_of(op)]
        name = (program.name[op] or "").rstrip("'")
        kinds, uses = program.extra[calling] or (), program.uses[calling]
        value = self._run.values[step]
        if name in kinds:
            return kinds.index(name) + 1
        if name not in function.params:
            return None
        place = function.params.index(name)
        places = (place, place + 1) if self._is_bound(call, calling) else (place + 1, place)
        for at in places:
            if 0 < at < len(uses) and kinds[at - 1] is None:
                use = uses[at]
                if use is not None and use < 0 and _is_same(program.constant(calling, use), value):
                    return at
        return None

    def _unpacked(self, step: Step, op: int, call: Step, calling: int) -> bool:
        """A parameter that a call passed as a part of `*items` or `**names`."""
        program = self._program
        function = program.functions[program.function_of(op)]
        name, kinds = (program.name[op] or "").rstrip("'"), program.extra[calling] or ()
        if name not in function.params or not {"*", "**"} & set(kinds):
            return False
        given: list[AnyValue] = [None] * self._is_bound(call, calling)
        for kind, value in zip(kinds, self._operands(call, calling)[1:], strict=True):
            if kind is None:
                given.append(value)
            elif kind == "*":
                items = as_items(value)
                if items is None:
                    return False
                given += items
            elif kind == "**" and isinstance(value, Held):
                for key, item_of_name in zip(value.items[::2], value.items[1::2], strict=True):
                    if key == name:
                        given = [None] * function.params.index(name) + [item_of_name]
        place = function.params.index(name)
        if place >= len(given) or not is_symbolic(given[place]):
            return False
        self._set(step, given[place])
        return True

    def _item_of(self, step: Step, call: Step, calling: int) -> bool:
        """A parameter of a function that `sorted`, `map` and the like call for each item."""
        if self._how(calling) not in EACH_ITEM or not self._callbacks.is_caller(call):
            return False
        items = self._items_given(call, calling)
        at = self._callbacks.number(call, self._flow.activation_of(step))
        if items is None or at >= len(items) or not is_symbolic(items[at]):
            return False
        self._set(step, items[at])
        return True

    def _items_given(self, call: Step, calling: int) -> list[AnyValue] | None:
        """Return the items that a function such as `sorted` goes through."""
        callee = self._program.uses[calling][0]
        if callee is not None and callee >= 0 and self._program.opcode[callee] == "method":
            loaded = self._run.operands_of(call)[0]
            return as_items(self._operands(loaded, callee)[0]) if loaded else None
        operands = self._operands(call, calling)
        at = 2 if self._how(calling) in ("map", "filter") else 1
        return as_items(operands[at]) if at < len(operands) else None

    def _is_bound(self, call: Step, calling: int) -> bool:
        """Does a function get an object besides the arguments of its call?"""
        loaded, callee = self._run.operands_of(call)[0], self._program.uses[calling][0]
        if not loaded or callee is None or callee < 0:
            return False
        is_method = self._program.opcode[callee] == "method"
        holder = self._run.operands_of(loaded)[0] if is_method else loaded
        value = self._flow.value(holder) if holder else None
        kind = value.kind if isinstance(value, Obj) else ""
        return kind not in ("module", "class") if is_method else kind in ("class", "method")

    def _handed(self, step: Step, call: Step, calling: int) -> None:
        """A parameter that unrecorded code passed: it rests on what that code was given."""
        if self._program.uses[calling] and not self._run.source.get(call):
            symbolic = [one for one in self._operands(call, calling) if is_symbolic(one)]
            if symbolic and not isinstance(self._flow.value(step), Obj):
                name = self._how(calling) or "a call"
                value = self._flow.value(step)
                self._set(step, taken(value, self._to.pin(step, name, symbolic)))

    # --- operators ------------------------------------------------------------------------------

    def _binary(self, step: Step, op: int) -> None:
        operands = self._operands(step, op)
        if any(map(is_symbolic, operands)):
            name = _sign(self._program.name[op])
            self._result(
                step, operator(self._to.site(step), PY_BINARY[name], operands), operands, name
            )

    def _inplace(self, step: Step, op: int) -> None:
        if self._program.extra[op]:
            self._inplace_part(step, op)
            return
        operands = self._operands(step, op)
        if not any(map(is_symbolic, operands)):
            return
        kept = recorded_held(self._flow.value(step))
        if kept is not None and kept.kind == "list" and _sign(self._program.name[op]) == "+":
            target = self._run.operands_of(step)[0]
            held, more = self._heap.of_step(target) if target else None, as_items(operands[1])
            if held is not None and more is not None:
                held.items += more
                self._set(step, held)
                return
        self._binary(step, op)

    def _inplace_part(self, step: Step, op: int) -> None:
        """`holder[key] += value` and `holder.name += value`."""
        site, sign = self._to.site(step), _sign(self._program.name[op])
        *place, value = self._operands(step, op)
        holder = self._run.operands_of(step)[0]
        is_item = self._program.extra[op] == "item"
        if is_item:
            held = self._heap.of_step(holder) if holder else None
            if held is None or not any(map(is_symbolic, (*place, value))):
                return
            old = item(site, held, place[1])
        else:
            written = self._run.reads.get(step, ())
            name = self._program.extra[op][1]
            old = self._field(place[0], name)
            if old is None and len(written) == 1:
                old = self.of(written[0])
            if not any(map(is_symbolic, (old, value))):
                return
        has_old = old is not NO_RULE and old is not None
        new = operator(site, PY_BINARY[sign], [old, value]) if has_old else NO_RULE
        if new is not NO_RULE and is_item:
            assert held is not None
            new = set_item(site, held, place[1], new)
        elif new is not NO_RULE:
            self._set(step, new)
            self._set_field(place[0], name, new)
        if new is NO_RULE and not site.raised:
            site.note(f"{sign}= of an item or attribute has no formula")

    def _unary(self, step: Step, op: int) -> None:
        operands = self._operands(step, op)
        if any(map(is_symbolic, operands)):
            name = self._program.name[op] or ""
            found = operator(self._to.site(step), PY_UNARY[name], operands)
            self._result(step, found, operands, name)

    def _compare(self, step: Step, op: int) -> None:
        operands = self._operands(step, op)
        if any(map(is_symbolic, operands)) and step not in self._entered:
            name = self._program.name[op] or ""
            operators = [PY_COMPARISONS[one] for one in chained_operators(name)]
            found = compared(self._to.site(step), operators, operands)
            self._result(step, found, operands, name)

    def _format(self, step: Step, op: int) -> None:
        operands = self._operands(step, op)
        if not any(map(is_symbolic, operands)):
            return
        node = self._trees.node(op, ast.JoinedStr)
        known = [one for one in operands if one is not UNKNOWN]
        found = NO_RULE
        if node is not None and len(known) == len(operands):
            found = f_string(self._to.site(step), node, operands)
        self._result(step, found, operands, "a format")

    # --- branches -------------------------------------------------------------------------------

    def _branch(self, step: Step, op: int) -> None:
        (operand,) = self._operands(step, op)
        if not is_symbolic(operand):
            return
        site, formula = self._to.site(step), truth_of(operand)
        is_true = truth(self._flow.value(step))
        if formula is None or is_true is None:
            site.fixed(operand)
            return
        site.branch(formula if is_true else no(formula), operand.unknowns, is_true)

    _either = _branch

    def _match(self, step: Step, op: int) -> None:
        (subject,) = self._operands(step, op)
        if not is_symbolic(subject):
            return
        site, node = self._to.site(step), self._trees.match_of(op)
        number = site.result
        formula = None
        if node is not None and isinstance(number, int):
            formula = chosen_case(node, subject, number)
        if formula is None:
            site.fixed(subject)
            site.note("what a match statement matches is taken as recorded")
        else:
            site.case(formula, subject.unknowns, number)

    def _store(self, step: Step, op: int) -> None:
        """A name that a pattern of a match statement binds."""
        if op not in self._patterns:
            self._patterns[op] = self._trees.node(op, ast.pattern)
        pattern = self._patterns[op]
        if pattern is None:
            return
        subject = self._operands(step, op)[-1]
        if is_symbolic(subject):
            found = bound_value(pattern, (self._program.name[op] or "").rstrip("'"), subject)
            if found is NO_RULE:
                self._result(step, NO_RULE, [subject], "a pattern")
            else:
                self._known[step] = found

    # --- containers -----------------------------------------------------------------------------

    def _display(self, step: Step, op: int) -> None:
        source = self._literals.get((op, WHOLE))
        if source is not None:
            held = self._inputs.literal(source, None)
            self._set(step, held)
            return
        operands = self._operands(step, op)
        is_large = len(operands) > 12  # the recorder does not log all of it
        if not self._program.extra[op] and (is_large or any(map(is_symbolic, operands))):
            kind = self._program.opcode[op]
            self._set(step, Held(kind, operands))

    _list = _tuple = _dict = _display

    def _comp(self, step: Step, op: int) -> None:
        token = self._run.values[step]
        if not self._run.objects.is_container(token):
            return
        writers = self._run.objects.element_writers(token, step)
        values = [self.of(writer) for writer in writers]
        held = recorded_held(self._flow.value(step))
        if not any(map(is_symbolic, values)) or held is None:
            return
        if held.kind == self._program.name[op] == "list" and len(values) == len(held.items):
            self._set(step, Held("list", values))
        else:
            self._result(step, NO_RULE, values, "a comprehension")

    def _item(self, step: Step, op: int) -> None:
        whole, key = self._operands(step, op)
        operand = self._run.operands_of(step)[1]
        site = self._to.site(step)
        if operand and self._flow.opcode(operand) == "slice":
            bounds = self._operands(operand, self._flow.op_of(operand))
            bounds += [None] * (3 - len(bounds))
            if any(map(is_symbolic, (whole, *bounds))):
                self._result(step, cut(site, whole, *bounds), (whole, *bounds), "a slice")
        elif isinstance(whole, Held) or is_symbolic(whole) or is_symbolic(key):
            self._result(step, item(site, whole, key), (whole, key), "an index")

    def _attr(self, step: Step, op: int) -> None:
        """An attribute of an object that code without a formula made."""
        if self._run.source.get(step):
            return
        (holder,) = self._operands(step, op)
        if isinstance(holder, Options):
            site, name = self._to.site(step), self._program.name[op] or ""
            self._set(step, option_value(site, self._inputs, holder, name))
        elif isinstance(holder, Taken):
            self._set(step, taken(self._flow.value(step), holder.unknowns))
        else:
            self._set(step, self._field(holder, self._program.name[op] or ""))

    def _field(self, holder: AnyValue, name: str) -> AnyValue:
        """Return a field of an instance that the library made; None if it is no such instance."""
        whole = self._with_fields(holder)
        if whole is None or name not in whole.names:
            return None
        return whole.items[whole.names.index(name)]

    def _with_fields(self, holder: AnyValue) -> Held | Record | None:
        """Return an instance that the library made, also where only the object is known."""
        if isinstance(holder, Held | Record):
            return holder
        found = self._records.get(holder.identity) if isinstance(holder, Obj) else None
        return found if found is not None and found.type == holder.type else None

    def _set_attr(self, step: Step, op: int) -> None:
        holder, value = self._operands(step, op)
        self._set_field(holder, self._program.name[op] or "", value)

    def _set_field(self, holder: AnyValue, name: str, value: AnyValue) -> None:
        whole = self._with_fields(holder)
        if isinstance(whole, Record) and name in whole.names:
            whole.items[whole.names.index(name)] = value

    def _set_item(self, step: Step, op: int) -> None:
        holder = self._run.operands_of(step)[0]
        operands = self._operands(step, op)
        if not holder or not any(map(is_symbolic, operands)):
            return
        held = self._heap.of_step(holder)
        if held is None or set_item(self._to.site(step), held, *operands[1:]) is NO_RULE:
            self._to.site(step).note("an assignment to an item has no formula")

    def _del_item(self, step: Step, op: int) -> None:
        holder = self._run.operands_of(step)[0]
        held = self._heap.of_step(holder) if holder else None
        key = self._operands(step, op)[1]
        if held is None or not any(map(is_symbolic, (key, *held.items))):
            return
        if delete_item(self._to.site(step), held, key) is NO_RULE:
            self._to.site(step).note("the deletion of an item has no formula")

    def _unpack(self, step: Step, op: int) -> None:
        (whole,) = self._operands(step, op)
        place = self._program.name[op] or ""
        if not isinstance(whole, SYMBOLIC):
            return
        parts = as_items(whole)
        if parts is None:
            self._result(step, NO_RULE, [whole], "unpacking")
        elif place[0] == "*":  # all between the first ones and the last ones
            first, after = map(int, place[1:].split(":"))
            self._set(step, Held("list", parts[first : max(first, len(parts) - after)]))
        elif -len(parts) <= int(place) < len(parts):
            self._set(step, parts[int(place)])
        else:
            self._result(step, NO_RULE, [whole], "unpacking")

    def _next(self, step: Step, op: int) -> None:
        """The next item of a loop."""
        whole, of = self._iterable(step, op)
        key = (self._flow.activation_of(step), op)
        loop = self._loops.get(key)
        number = loop[1] + 1 if loop is not None and loop[0] == of else 0
        self._loops[key] = (of, number, whole)
        if not isinstance(whole, SYMBOLIC):
            return
        has_item, site = self._thread.has_item(step), self._to.site(step)
        if isinstance(whole, Counted):
            now = whole.start.term + number * whole.step
            goes_on = now < whole.stop.term if whole.step > 0 else now > whole.stop.term
            site.branch(goes_on if has_item else no(goes_on), whole.unknowns, has_item)
            if has_item:
                value = whole.start.value + number * whole.step
                self._set(step, Number(now, whole.unknowns, value))
            return
        parts = as_items(whole)
        if parts is None or (has_item and number >= len(parts)):
            self._result(step, NO_RULE, [whole], "a loop")
        elif has_item:
            self._known[step] = parts[number]

    def _iterable(self, step: Step, op: int) -> tuple[AnyValue, object]:
        """Return what a loop iterates over, and the step that evaluated it."""
        operand = self._run.operands_of(step)[0]
        if operand:
            return self.of(operand), operand
        use = self._program.uses[op][0]
        if use is not None and use < 0:
            return self._operands(step, op)[0], None
        found = self._flow.iterated(step)
        if found and isinstance(found[0], int):
            return self.of(found[0]), found[0]
        return UNKNOWN, None

    # --- calls ----------------------------------------------------------------------------------

    def _call(self, step: Step, op: int) -> None:
        if self._callbacks.is_caller(step):
            self._waiting.append((self._callbacks.end(step), step))
            return
        if self._run.source.get(step) and step in self._entered:
            return  # it has the value that the recorded function returned
        uses = self._program.uses[op]
        kinds = self._program.extra[op] or ()
        operands = self._operands(step, op)
        arguments, callee = operands[1:], uses[0]
        loaded = self._run.operands_of(step)[0]
        if callee is None or callee < 0 or not loaded:
            self._result(step, NO_RULE, arguments, "a call")
            return
        name = self._program.name[callee] or ""
        keywords = [one for one in kinds if one]
        if self._program.opcode[callee] == "method":
            self._method(step, name, loaded, Op(callee), arguments, keywords)
        elif any(map(is_symbolic, arguments)):
            found = NO_RULE
            is_builtin = self._program.opcode[callee] == "load" and loaded not in self._run.source
            if is_builtin and name == "map" and len(arguments) == 2:
                found = mapped(self._to.site(step), self._name_of(uses[1]), arguments[1])
            elif is_builtin and step not in self._entered:
                found = builtin(self._to.site(step), name, arguments, keywords)
            if not self._is_own(step):
                self._result(step, found, arguments, name or "a call")
            else:
                self._instance(step, kinds, arguments, name)
        elif self._program.opcode[callee] == "load" and self._is_own(step):
            self._instance(step, kinds, arguments, name)

    def _instance(
        self, step: Step, kinds: Sequence[str | None], arguments: Sequence[AnyValue], name: str
    ) -> None:
        """A call made an instance of a class of the program."""
        value = self._flow.value(step)
        of = self._trees.record_class(value.type) if isinstance(value, Obj) else None
        fields = None if of is None else of.given(arguments, kinds)
        if of is not None and fields is not None and of.is_tuple:
            self._set(step, Held("tuple", fields, of.names))
        elif of is not None and fields is not None and isinstance(value, Obj):
            made = Record(of.names, fields, value, of.is_equal, of.is_ordered)
            self._records[value.identity] = made
            self._set(step, made)
        elif step not in self._entered:  # no recorded __init__ sets its attributes
            self._result(step, NO_RULE, arguments, name or "a call")

    def _called_back(self, step: Step, op: int) -> None:
        """A call of code that is not recorded, which has run recorded code."""
        operands = self._operands(step, op)
        made = [self._callbacks.yielded(step, one) for one in self._run.operands_of(step)]
        for at, yields in enumerate(made):
            if yields is not None:
                operands[at] = Held("list", [self.of(one) for one in yields])
        results = [self.of(one) for one in self._callbacks.results(step)]
        name, arguments = self._how(op), operands[1:]
        keywords = [one for one in self._program.extra[op] or () if one]
        site, found = self._to.site(step), NO_RULE
        if not keywords and name in BUILTIN_RULES and any(one is not None for one in made):
            found = builtin(site, name, arguments, keywords)
        elif name in ("sorted", "min", "max") and keywords == ["key"]:
            items = as_items(operands[1])
            found = by_key(site, name, items, results) if items is not None else NO_RULE
        if any(map(is_symbolic, (*operands, *results))):
            self._known.pop(step, None)
            self._result(step, found, (*operands, *results), name or "a call")

    def _name_of(self, use: int | None) -> str:
        """Return the name of a builtin function that is an operand."""
        is_load = use is not None and use >= 0 and self._program.opcode[use] == "load"
        return self._program.name[use] or "" if use is not None and is_load else ""

    def _is_own(self, step: Step) -> bool:
        """Does a call make an instance of a class of the program?"""
        return self._run.objects.is_program_instance(self._run.values[step])

    def _method(
        self, step: Step, name: str, loaded: Step, callee: Op, arguments: Sequence[AnyValue],
        keywords: Sequence[str],
    ) -> None:  # fmt: skip
        holder = self._run.operands_of(loaded)[0]
        on = self._operands(loaded, callee)[0]
        if not any(map(is_symbolic, (on, *arguments))) and not isinstance(on, Held):
            return
        if not isinstance(on, SYMBOLIC) and holder and recorded_held(on) is not None:
            on = self._heap.of_step(holder)  # it may get something that inputs decide
        found = NO_RULE
        if step not in self._entered and "*" not in keywords and "**" not in keywords:
            found = method(self._to.site(step), name, on, arguments, keywords)
        if not self._is_own(step):
            self._result(step, found, (on, *arguments), name)


_HANDLED = frozenset({
    "attr", "set_attr", "binary", "inplace", "unary", "compare", "format", "branch", "either",
    "list", "tuple", "dict", "comp", "item", "set_item", "del_item", "unpack", "next", "call",
    "param", "match", "store",
})  # fmt: skip


def _sign(name: str | None) -> str:
    """Return the operator of an operation; `x += y` computes `x + y`."""
    return (name or "").removesuffix("=")


def _is_same(constant: object, token: object) -> bool:
    """Is a constant the value that a token stands for?"""
    if isinstance(token, tuple):
        return type(constant).__name__ == "Display"
    return type(constant) is type(token) and constant == token


def _is_part(read: InputRange) -> bool:
    return read.source.kind in (SourceKind.STDIN, SourceKind.FILE, SourceKind.STREAM)
