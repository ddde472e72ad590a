"""How do pointers go through a program?

Holds the objects of the program, linked by the names of their symbols, and what its calls,
copies and constants do with pointers; `walk` adds what its instructions do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd
from typing import NamedTuple

from whence.frontend.c.allocators import FunctionId, allocators
from whence.frontend.c.ir import (
    ArrayType,
    Elements,
    Expression,
    Function,
    FunctionType,
    Global,
    Int,
    Module,
    NamedType,
    PointerType,
    StructType,
    Type,
    Typed,
    Variable,
    VectorType,
)
from whence.frontend.c.layout import Layout
from whence.frontend.c.summaries import library_summary
from whence.frontend.c.unify import FAR, FieldStep, Target, Unifier

OUTSIDE = 0  # the object that stands for all memory that the program does not define
Place = tuple[int, str, int]  # module, function, line of the instruction
# What a register holds: a pointer into an object that is known (the `cls` of the Target is the
# object's number), a value of the Unifier, or nothing that could be a pointer.
Held = Target | int | None
ANYWHERE = FieldStep(0, 1)


class PointedObject(NamedTuple):
    """`kind` is local, parameter (passed by value), variadic (the unnamed arguments), global,
    heap, function or outside.  `line` is that of the alloca, or of the call that allocates, in
    the text of the module: a call of malloc, or of a function that only passes on what it got
    from there.  `size` is None if it is not known before the run."""

    kind: str
    module: int = -1
    function: str = ""
    name: str = ""
    line: int = -1
    size: int | None = None


class PointerCall(NamedTuple):
    """A call, seen from its caller."""

    place: Place
    callee: int
    function: FunctionType
    arguments: tuple[Held, ...]
    result: int | None
    length: int | None = None  # bytes that it reads and writes, if that is one constant
    byval: tuple[Type | None, ...] = ()


def _meets(home: Target, offset: int, length: int) -> bool:
    """Is some of `home` among these bytes?"""
    if home.stride:
        return home.low < offset + length and offset < home.high
    return offset <= home.offset < offset + length


def _any_type(count: int) -> FunctionType:
    return FunctionType(PointerType(), (PointerType(),) * count, variadic=True)


class Pointers:
    """The program as the Unifier sees it."""

    def __init__(self, modules: Sequence[Module]) -> None:
        self.modules = modules
        self.objects: list[PointedObject] = []
        self.unifier = Unifier()
        self.layouts = [Layout(module) for module in modules]
        self.exposed: set[int] = set()
        self._pointers: dict[Target, int] = {}
        self.reads: dict[Place, list[tuple[Held, int]]] = {}
        self.writes: dict[Place, list[tuple[Held, int]]] = {}
        self.copies: list[tuple[Held, Held, int]] = []
        self.indirect: list[PointerCall] = []
        self.outcalls: set[Place] = set()
        self.callees: dict[Place, set[FunctionId]] = {}
        self._variadic: dict[FunctionId, int] = {}
        self.add(PointedObject("outside"))
        self.outside = self._pointer(Target(OUTSIDE, 0, 1))
        self.unifier.join(self.unifier.content(Target(OUTSIDE, 0, 1)), self.outside)
        self._link()
        self.parameters: dict[FunctionId, list[int]] = {}
        self.returns: dict[FunctionId, int] = {}
        self.by_value: dict[tuple[FunctionId, int], int] = {}
        for m, module in enumerate(modules):
            for function in module.functions.values():
                self._announce(m, function)
        self.allocators = allocators(modules, self.named)
        for m, module in enumerate(modules):
            for variable in module.variables.values():
                self._initialise(m, variable)
        self._enter()

    # --- building

    def add(self, thing: PointedObject) -> int:
        self.objects.append(thing)
        return self.unifier.cls(len(self.objects) - 1)  # numbered alike

    def _link(self) -> None:
        self._symbols: list[dict[str, int]] = [{} for _ in self.modules]
        # An inline function may be in several modules, and any of them may be the one that runs.
        self._functions: dict[int, list[FunctionId]] = {}
        shared: dict[str, int] = {}
        for m, module in enumerate(self.modules):
            for name, function in module.functions.items():
                self._define(
                    shared, m, name, function.linkage, PointedObject("function", m, "", name)
                )
            for name, variable in module.variables.items():
                if variable.initial is not None:
                    size = self.layouts[m].size(variable.type)
                    thing = PointedObject("global", m, "", name, variable.line, size)
                    self._define(shared, m, name, variable.linkage, thing)
        self._shared = shared

    def _define(
        self, shared: dict[str, int], m: int, name: str, linkage: str, thing: PointedObject
    ) -> None:
        local = linkage in ("internal", "private")
        number = None if local else shared.get(name)
        if number is None:
            number = self.add(thing)
        if not local:
            shared[name] = number
        self._symbols[m][name] = number
        if thing.kind == "function":
            self._functions.setdefault(number, []).append((m, name))

    def symbol(self, m: int, name: str) -> Target:
        """What the name of a global means in a module."""
        alias = self.modules[m].aliases.get(name)
        if alias is not None:
            held = self.constant(m, alias.target)
            if isinstance(held, Target):
                return held
        number = self._symbols[m].get(name, self._shared.get(name))
        if number is None:
            number = self._declare(m, name)
        return Target(number, 0)

    def _declare(self, m: int, name: str) -> int:
        """An object for what is defined outside the program."""
        variable = self.modules[m].variables.get(name)
        if variable is None:
            number = self.add(PointedObject("function", -1, "", name))
        else:
            number = self.add(PointedObject("global", -1, "", name))
            self.unifier.join(self.pointer(Target(number, 0)), self.outside)
        self._shared[name] = number
        return number

    def named(self, m: int, name: str) -> Sequence[FunctionId]:
        return self.bodies(self.symbol(m, name).cls)

    def bodies(self, number: int) -> Sequence[FunctionId]:
        """The function that an object is, wherever it has a body."""
        return self._functions.get(number, ())

    def _announce(self, m: int, function: Function) -> None:
        fid = (m, function.name)
        self.parameters[fid] = [self.unifier.value() for _ in function.parameters]
        self.returns[fid] = self.unifier.value()
        for i, parameter in enumerate(function.parameters):
            if parameter.byval is not None:
                size = self.layouts[m].size(parameter.byval)
                thing = PointedObject(
                    "parameter", m, function.name, parameter.name, function.line, size
                )
                self.by_value[fid, i] = self.add(thing)
        if function.type.variadic:
            self._variadic[fid] = self.add(PointedObject("variadic", m, function.name))

    def _initialise(self, m: int, variable: Variable) -> None:
        if variable.initial is not None:
            number = self._symbols[m][variable.name]
            self._fill(m, number, 0, Typed(variable.type, variable.initial))

    def _fill(self, m: int, number: int, offset: int, what: Typed) -> None:
        """Store the pointers of a constant in an object."""
        if isinstance(what.value, Elements):
            kind = self._plain(m, what.type)
            layout = self.layouts[m]
            if isinstance(kind, StructType):
                places: Iterable[int] = layout.offsets(kind)
            else:
                assert isinstance(kind, ArrayType | VectorType)
                step = layout.size(kind.element)
                places = range(0, step * kind.count, step) if step else ()
            for place, element in zip(places, what.value.elements, strict=False):
                self._fill(m, number, offset + place, element)
        elif isinstance(what.value, Global | Expression):
            held = self.constant(m, what)
            if held is not None:
                stored = self.unifier.content(Target(number, offset))
                self.unifier.join(stored, self.pointer(held))

    def _plain(self, m: int, kind: Type) -> Type:
        return self.modules[m].types[kind.name] if isinstance(kind, NamedType) else kind

    def constant(self, m: int, what: Typed) -> Held:
        """The pointer that a constant is, if it is one."""
        value = what.value
        if isinstance(value, Global):
            return self.symbol(m, value.name)
        if isinstance(value, Expression) and value.operands:
            held = self.constant(m, value.operands[0])
            if value.opcode == "getelementptr" and value.element is not None:
                return self.stepped(held, self.gep(m, value.element, value.operands[1:]))
            if value.opcode in ("add", "sub", "and", "or", "xor"):
                held = held if held is not None else self.constant(m, value.operands[1])
                return self.stepped(held, ANYWHERE)
            return held
        if isinstance(value, Elements):
            return self.mixed([self.constant(m, element) for element in value.elements])
        return None

    def gep(self, m: int, element: Type, indices: Sequence[Typed]) -> FieldStep:
        """How far a getelementptr goes."""
        layout = self.layouts[m]
        add = stride = array = length = 0
        inside: Type = ArrayType(0, element)
        for place, index in enumerate(indices):
            inside = self._plain(m, inside)
            if isinstance(inside, StructType):
                assert isinstance(index.value, Int)
                add += layout.offsets(inside)[index.value.value]
                inside = inside.fields[index.value.value]
                continue
            if not isinstance(inside, ArrayType | VectorType):
                break
            count, inside = inside.count, inside.element
            size = layout.size(inside)
            if place and not length and not stride:
                # An array of one or none at the end of a struct has as many as there is room.
                array, length = add, count * size if count > 1 else FAR
            if isinstance(index.value, Int):
                add += index.value.value * size
            else:
                stride = gcd(stride, size)
        return FieldStep(add, stride, array, length)

    # --- values

    def pointer(self, held: Target | int) -> int:
        """The value of the Unifier that `held` is; what it points to can now be passed on."""
        if isinstance(held, int):
            return held
        self.exposed.add(held.cls)
        return self._pointer(held)

    def _pointer(self, at: Target) -> int:
        if at not in self._pointers:
            self._pointers[at] = self.unifier.value()
            self.unifier.point(self._pointers[at], at)
        return self._pointers[at]

    def stepped(self, held: Held, step: FieldStep) -> Held:
        if isinstance(held, Target):
            return step.apply(held)
        return None if held is None else self.unifier.step(held, step)

    def star(self, held: Target | int) -> int:
        """What is stored where `held` points."""
        if isinstance(held, Target):
            return self.unifier.content(held)
        return self.unifier.star(held)

    def mixed(self, parts: Sequence[Held]) -> Held:
        """One of the parts, or all of them."""
        known = [part for part in parts if part is not None]
        if len(set(known)) < 2:
            return known[0] if known else None
        whole = self.unifier.value()
        for part in known:
            self.unifier.join(whole, self.pointer(part))
        return whole

    def join(self, one: int, held: Held) -> None:
        if held is not None:
            self.unifier.join(one, self.pointer(held))

    def escape(self, held: Held) -> None:
        self.join(self.outside, held)

    # --- the program as a whole

    def _enter(self) -> None:
        """Who calls the program gives it what is outside."""
        starts = [fid for fid in self.parameters if fid[1] == "main"] or [
            (m, f.name)
            for m, module in enumerate(self.modules)
            for f in module.functions.values()
            if f.linkage not in ("internal", "private")
        ]
        for fid in starts:
            self._called_from_outside(fid)

    def _called_from_outside(self, fid: FunctionId) -> None:
        for parameter in [*self.parameters[fid], self.returns[fid]]:
            self.unifier.join(parameter, self.outside)
        for i in range(len(self.parameters[fid])):
            if (fid, i) in self.by_value:
                content = self.unifier.content(Target(self.by_value[fid, i], 0, 1))
                self.unifier.join(content, self.outside)
        if fid in self._variadic:
            content = self.unifier.content(Target(self._variadic[fid], 0, 1))
            self.unifier.join(content, self.outside)

    def solve(self) -> None:
        """Calls through pointers, and copies, until they add nothing."""
        self.escaped: set[FunctionId] = set()
        self._taken = {number for number in self.exposed if self.objects[number].kind == "function"}
        done: set[tuple[int, int]] = set()
        while True:
            self.unifier.settle()
            before = (self.unifier.changes, len(done), len(self.escaped))
            for i, call in enumerate(self.indirect):
                for number in self._possible(call):
                    if (i, number) not in done:
                        done.add((i, number))
                        self._call_object(call, number)
            for number in self._functions_in(self.unifier.target(self.outside)):
                for fid in self.bodies(number):
                    if fid not in self.escaped:
                        self.escaped.add(fid)
                        self._called_from_outside(fid)
            for copy in self.copies:
                self._copy(*copy)
            self.unifier.settle()
            if before == (self.unifier.changes, len(done), len(self.escaped)):
                return

    def _functions_in(self, at: Target | None) -> list[int]:
        if at is None:
            return []
        members = self.unifier.members[at.cls]
        return [number for number, _ in members if self.objects[number].kind == "function"]

    def _possible(self, call: PointerCall) -> list[int]:
        """What a call through a pointer may call (OUTSIDE: something unknown)."""
        at = self.unifier.target(call.callee)
        found = self._functions_in(at)
        fitting = [number for number in found if self._fits(number, call.function)]
        if found:
            found = fitting or found
        outside = self.unifier.target(self.outside)
        if at is None:  # nobody says where it comes from
            found = [number for number in self._taken if self._fits(number, call.function)]
        elif outside is not None and at.cls == outside.cls:
            found.append(OUTSIDE)
        return found

    def _fits(self, number: int, kind: FunctionType) -> bool:
        for m, name in self.bodies(number)[:1]:
            have = self.modules[m].functions[name].type
            return have.variadic or kind.variadic or have.params == kind.params
        return True

    def _call_object(self, call: PointerCall, number: int) -> None:
        if number == OUTSIDE:
            self.call_unknown(call)
        elif not self.bodies(number):
            self.call_library(call, self.objects[number].name)
        for fid in self.bodies(number):
            self.call_function(call, fid)

    def call_function(self, call: PointerCall, fid: FunctionId) -> None:
        """Pass the arguments, and the result."""
        self.callees.setdefault(call.place, set()).add(fid)
        parameters = self.parameters[fid]
        for i, held in enumerate(call.arguments):
            if held is None:
                continue
            if (fid, i) in self.by_value:
                number = self.by_value[fid, i]
                self.copies.append((Target(number, 0), held, self.objects[number].size or 0))
            elif i < len(parameters):
                if call.byval[i : i + 1] in ((), (None,)):
                    self.join(parameters[i], held)
                else:
                    self.escape(held)
            elif fid in self._variadic:
                self.join(self.unifier.content(Target(self._variadic[fid], 0, 1)), held)
        if call.result is not None:
            self.unifier.join(call.result, self.returns[fid])

    def call_library(self, call: PointerCall, name: str) -> None:
        """Do what a function without a body does."""
        words = library_summary(name)
        if words is None:
            self.call_unknown(call)
            return
        if name.startswith("llvm.va_start"):
            self._va_start(call)
        for word in words:
            self._do(call, word)

    def call_unknown(self, call: PointerCall) -> None:
        for held in call.arguments:
            self.escape(held)
        if call.result is not None:
            self.unifier.join(call.result, self.outside)
        self.note(self.reads, call.place, self.outside, 1)
        self.note(self.writes, call.place, self.outside, 1)
        self.outcalls.add(call.place)

    def _do(self, call: PointerCall, word: str) -> None:
        """One word of a summary."""
        arguments = call.arguments
        numbers = [int(letter) for letter in word if letter.isdigit()]
        held = arguments[numbers[0]] if numbers and numbers[0] < len(arguments) else None
        if word == "out":
            self.join(self.outside, call.result)
        elif word == "new":
            self.allocate(call)
        elif held is None:
            return
        elif word[0] in "rw":
            table = self.reads if word[0] == "r" else self.writes
            for each in arguments[numbers[0] :] if word[-1] == "*" else [held]:
                self._touch(table, call, each)
        elif word[0] in "=~" and call.result is not None:
            self.join(call.result, held if word[0] == "=" else self.stepped(held, ANYWHERE))
        elif word[0] == "c" and arguments[numbers[1]] is not None:
            self.copies.append((held, arguments[numbers[1]], call.length or FAR))
        elif word[0] == "n":
            self.join(self.star(held), self._heap(call))
        elif word[0] == "s":
            self.join(self.star(held), self.stepped(arguments[numbers[1]], ANYWHERE))
        elif word[0] == "k":
            passed = tuple(arguments[i] for i in numbers[1:])
            inner = PointerCall(
                call.place, self.pointer(held), _any_type(len(passed)), passed, None
            )
            self.indirect.append(inner)

    def _touch(
        self, table: dict[Place, list[tuple[Held, int]]], call: PointerCall, held: Held
    ) -> None:
        if call.length is None:
            self.note(table, call.place, self.stepped(held, ANYWHERE), 1)
        else:
            self.note(table, call.place, held, call.length)

    def _va_start(self, call: PointerCall) -> None:
        fid = call.place[:2]
        held = call.arguments[0]
        if held is None or fid not in self._variadic:
            return
        area = self._pointer(Target(self._variadic[fid], 0, 1))
        for offset in (0, 8, 16):  # wherever the ABI keeps the pointers in a va_list
            place = self.stepped(held, FieldStep(offset))
            assert place is not None
            self.unifier.join(self.star(place), area)
        self._touch(self.writes, call, held)

    def allocate(self, call: PointerCall) -> None:
        """Let the result be fresh memory, which the call writes."""
        fresh = self._heap(call)
        self.join(call.result if call.result is not None else self.unifier.value(), fresh)
        self.note(self.writes, call.place, Target(fresh.cls, 0, 1), 1)

    def _heap(self, call: PointerCall) -> Target:
        m, function, line = call.place
        return Target(self.add(PointedObject("heap", m, function, "", line)), 0)

    def note(
        self, table: dict[Place, list[tuple[Held, int]]], place: Place, held: Held, size: int
    ) -> None:
        if held is not None:
            table.setdefault(place, []).append((held, size))

    def _copy(self, to: Held, source: Held, length: int) -> None:
        """Whatever is stored at `source` is stored at `to`, too."""
        there = self.resolved(to)
        here = self.resolved(source)
        if there is None or here is None or there == here:
            return
        by = there.offset - here.offset
        # What is copied may be copied on and on, through a class into itself.
        once = length < FAR and (here.cls != there.cls or abs(by) >= length)
        for home, stored in self.unifier.contents(here.cls):
            if not here.stride and not _meets(home, here.offset, length):
                continue
            stride = gcd(here.stride, there.stride, home.stride, 0 if once else by)
            low, high = (home.low + by, home.high + by) if home.low > -FAR else (-FAR, FAR)
            if here.stride or there.stride or not once:
                low, high = -FAR, FAR
            at = Target(there.cls, home.offset + by, stride, low, high)
            self.unifier.join(self.unifier.content(at), stored)

    def resolved(self, held: Held) -> Target | None:
        if isinstance(held, Target):
            return self.unifier.rooted(held)
        return None if held is None else self.unifier.target(held)
