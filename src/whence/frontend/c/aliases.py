"""Which memory may an instruction read or write, in any run of the program?

All modules of the program are taken together, linked by the names of their symbols.  What an
instruction does to memory it names itself (`x = 1`, `s.a[i] = 2`) is known from the
instruction; for the rest `unify` finds what pointers may point to.

Memory is made of objects: variables, parameters passed by value, memory from the heap by the
place where it is allocated, and all that is outside the program.  We assume what C demands:
no access leaves its object, and arithmetic on a pointer into an array does not leave the array.
Not seen are pointers taken apart into integers narrower than 64 bits and put together again
(except copies byte by byte).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import gcd
from typing import NamedTuple

from whence.frontend.c.ir import (
    ArrayType,
    Elements,
    Expression,
    Function,
    FunctionType,
    Global,
    Instruction,
    Int,
    IntType,
    Local,
    Module,
    NamedType,
    PointerType,
    StructType,
    Type,
    Typed,
    Value,
    Variable,
    VectorType,
)
from whence.frontend.c.layout import Layout
from whence.frontend.c.summaries import summary
from whence.frontend.c.unify import FAR, Step, Target, Unifier

OUTSIDE = 0  # the object that stands for all memory that the program does not define
FunctionId = tuple[int, str]  # module, name
Place = tuple[int, str, int]  # module, function, line of the instruction
# What a register holds: a pointer into an object that is known (the `cls` of the Target is the
# object's number), a value of the Unifier, or nothing that could be a pointer.
Held = Target | int | None
ANYWHERE = Step(0, 1)
_CALLS = frozenset({"call", "invoke", "callbr"})
_PASSING = frozenset({"bitcast", "addrspacecast", "inttoptr", "ptrtoint", "freeze"})
_MIXING = frozenset({
    "phi", "select", "insertvalue", "extractvalue", "insertelement", "extractelement",
    "shufflevector",
})  # fmt: skip


class Object(NamedTuple):
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


class Cell(NamedTuple):
    """`size` bytes of an object, from `offset` on; somewhere in it if that is None."""

    object: int
    offset: int | None
    size: int


class Access(NamedTuple):
    """What is read or written, in terms of a root class of the Unifier.

    Those that say which object they mean overlap only if it is the same.  `size` bytes at
    `offset`, plus any multiple of `stride`, between `low` and `high`.
    """

    cls: int
    object: int  # -1: any
    offset: int
    size: int
    stride: int
    low: int
    high: int


class Aliases:
    def __init__(self, modules: Sequence[Module]) -> None:
        self.modules = modules
        self.objects: list[Object] = []
        self._unifier = Unifier()
        self._layouts = [Layout(module) for module in modules]
        self._exposed: set[int] = set()
        self._pointers: dict[Target, int] = {}
        self._reads: dict[Place, list[tuple[Held, int]]] = {}
        self._writes: dict[Place, list[tuple[Held, int]]] = {}
        self._copies: list[tuple[Held, Held, int]] = []
        self._indirect: list[_Call] = []
        self._outcalls: set[Place] = set()
        self._callees: dict[Place, set[FunctionId]] = {}
        self._cells: dict[Access, frozenset[Cell]] = {}
        self._variadic: dict[FunctionId, int] = {}
        self._object(Object("outside"))
        self._outside = self._pointer(Target(OUTSIDE, 0, 1))
        self._unifier.join(self._unifier.content(Target(OUTSIDE, 0, 1)), self._outside)
        self._link()
        self._parameters: dict[FunctionId, list[int]] = {}
        self._returns: dict[FunctionId, int] = {}
        self._byval: dict[tuple[FunctionId, int], int] = {}
        for m, module in enumerate(modules):
            for function in module.functions.values():
                self._announce(m, function)
        self._allocators = _allocators(self)
        for m, module in enumerate(modules):
            for variable in module.variables.values():
                self._initialise(m, variable)
            for function in module.functions.values():
                _Walk(self, m, function).run()
        self._enter()
        self._solve()

    # --- questions

    def may_write(self, module: int, function: str, op: Instruction) -> frozenset[Cell]:
        """The cells that the instruction may write by itself.

        What a called function of the program writes is no part of it, see `called`.
        """
        found = self.writes(module, function, op)
        return frozenset().union(*(self.cells(access) for access in found))

    def may_read(self, module: int, function: str, op: Instruction) -> frozenset[Cell]:
        """The cells that the instruction may read by itself."""
        found = self.reads(module, function, op)
        return frozenset().union(*(self.cells(access) for access in found))

    def called(self, module: int, function: str, op: Instruction) -> frozenset[FunctionId]:
        """The functions of the program that a call may run, also through a library function."""
        place = (module, function, op.line)
        found = self._callees.get(place, set())
        return frozenset(found | self.escaped if place in self._outcalls else found)

    def writes(self, module: int, function: str, op: Instruction) -> list[Access]:
        """As `may_write`, in a form that can be compared quickly."""
        return self._accesses(self._writes.get((module, function, op.line), ()))

    def reads(self, module: int, function: str, op: Instruction) -> list[Access]:
        """As `may_read`, in a form that can be compared quickly."""
        return self._accesses(self._reads.get((module, function, op.line), ()))

    def is_private(self, number: int) -> bool:
        """Is the object a local one that only its own activation can touch?"""
        kind = self.objects[number].kind
        return kind in ("local", "parameter") and number not in self._exposed

    def cells(self, access: Access) -> frozenset[Cell]:
        """The bytes of objects that an access may mean."""
        if access not in self._cells:
            members = self._unifier.members[access.cls]
            self._cells[access] = frozenset(
                cell
                for number, shift in members
                if access.object in (-1, number)
                for cell in self._cell(number, shift, access)
            )
        return self._cells[access]

    def _accesses(self, found: Iterable[tuple[Held, int]]) -> list[Access]:
        result = []
        for held, size in found:
            # A pointer of which nobody says where it comes from comes from outside.
            at = self._resolved(held) or self._resolved(self._outside)
            if at is not None:
                number = held.cls if isinstance(held, Target) else -1
                low, high = (at.low, at.high) if at.stride else (at.offset, at.offset + size)
                result.append(Access(at.cls, number, at.offset, size, at.stride, low, high))
        return result

    def _cell(self, number: int, shift: int, access: Access) -> Iterator[Cell]:
        """The bytes of one object, which lies `shift` bytes on in its class."""
        thing = self.objects[number]
        if thing.kind == "function":
            return
        end = FAR if thing.size is None else thing.size
        low, high = access.low - shift, access.high - shift
        if not access.stride:
            if low >= 0 and high <= end:
                yield Cell(number, low, access.size)
        elif low < end and high > 0:
            if (low > 0 or high < end) and high - low < FAR:
                yield Cell(number, max(low, 0), min(high, end) - max(low, 0))
            else:
                yield Cell(number, None, 0 if end == FAR else end)

    # --- building

    def _object(self, thing: Object) -> int:
        self.objects.append(thing)
        return self._unifier.cls(len(self.objects) - 1)  # numbered alike

    def _link(self) -> None:
        self._symbols: list[dict[str, int]] = [{} for _ in self.modules]
        # An inline function may be in several modules, and any of them may be the one that runs.
        self._functions: dict[int, list[FunctionId]] = {}
        shared: dict[str, int] = {}
        for m, module in enumerate(self.modules):
            for name, function in module.functions.items():
                self._define(shared, m, name, function.linkage, Object("function", m, "", name))
            for name, variable in module.variables.items():
                if variable.initial is not None:
                    size = self._layouts[m].size(variable.type)
                    thing = Object("global", m, "", name, variable.line, size)
                    self._define(shared, m, name, variable.linkage, thing)
        self._shared = shared

    def _define(
        self, shared: dict[str, int], m: int, name: str, linkage: str, thing: Object
    ) -> None:
        local = linkage in ("internal", "private")
        number = None if local else shared.get(name)
        if number is None:
            number = self._object(thing)
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
            number = self._object(Object("function", -1, "", name))
        else:
            number = self._object(Object("global", -1, "", name))
            self._unifier.join(self.pointer(Target(number, 0)), self._outside)
        self._shared[name] = number
        return number

    def bodies(self, number: int) -> Sequence[FunctionId]:
        """The function that an object is, wherever it has a body."""
        return self._functions.get(number, ())

    def _announce(self, m: int, function: Function) -> None:
        fid = (m, function.name)
        self._parameters[fid] = [self._unifier.value() for _ in function.parameters]
        self._returns[fid] = self._unifier.value()
        for i, parameter in enumerate(function.parameters):
            if parameter.byval is not None:
                size = self._layouts[m].size(parameter.byval)
                thing = Object("parameter", m, function.name, parameter.name, function.line, size)
                self._byval[fid, i] = self._object(thing)
        if function.type.variadic:
            self._variadic[fid] = self._object(Object("variadic", m, function.name))

    def _initialise(self, m: int, variable: Variable) -> None:
        if variable.initial is not None:
            number = self._symbols[m][variable.name]
            self._fill(m, number, 0, Typed(variable.type, variable.initial))

    def _fill(self, m: int, number: int, offset: int, what: Typed) -> None:
        """Store the pointers of a constant in an object."""
        if isinstance(what.value, Elements):
            kind = self._plain(m, what.type)
            layout = self._layouts[m]
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
                stored = self._unifier.content(Target(number, offset))
                self._unifier.join(stored, self.pointer(held))

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

    def gep(self, m: int, element: Type, indices: Sequence[Typed]) -> Step:
        """How far a getelementptr goes."""
        layout = self._layouts[m]
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
        return Step(add, stride, array, length)

    # --- values

    def pointer(self, held: Target | int) -> int:
        """The value of the Unifier that `held` is; what it points to can now be passed on."""
        if isinstance(held, int):
            return held
        self._exposed.add(held.cls)
        return self._pointer(held)

    def _pointer(self, at: Target) -> int:
        if at not in self._pointers:
            self._pointers[at] = self._unifier.value()
            self._unifier.point(self._pointers[at], at)
        return self._pointers[at]

    def stepped(self, held: Held, step: Step) -> Held:
        if isinstance(held, Target):
            return step.apply(held)
        return None if held is None else self._unifier.step(held, step)

    def star(self, held: Target | int) -> int:
        """What is stored where `held` points."""
        if isinstance(held, Target):
            return self._unifier.content(held)
        return self._unifier.star(held)

    def mixed(self, parts: Sequence[Held]) -> Held:
        """One of the parts, or all of them."""
        known = [part for part in parts if part is not None]
        if len(set(known)) < 2:
            return known[0] if known else None
        whole = self._unifier.value()
        for part in known:
            self._unifier.join(whole, self.pointer(part))
        return whole

    def join(self, one: int, held: Held) -> None:
        if held is not None:
            self._unifier.join(one, self.pointer(held))

    def escape(self, held: Held) -> None:
        self.join(self._outside, held)

    # --- the program as a whole

    def _enter(self) -> None:
        """Who calls the program gives it what is outside."""
        starts = [fid for fid in self._parameters if fid[1] == "main"] or [
            (m, f.name)
            for m, module in enumerate(self.modules)
            for f in module.functions.values()
            if f.linkage not in ("internal", "private")
        ]
        for fid in starts:
            self._called_from_outside(fid)

    def _called_from_outside(self, fid: FunctionId) -> None:
        for parameter in [*self._parameters[fid], self._returns[fid]]:
            self._unifier.join(parameter, self._outside)
        for i in range(len(self._parameters[fid])):
            if (fid, i) in self._byval:
                content = self._unifier.content(Target(self._byval[fid, i], 0, 1))
                self._unifier.join(content, self._outside)
        if fid in self._variadic:
            content = self._unifier.content(Target(self._variadic[fid], 0, 1))
            self._unifier.join(content, self._outside)

    def _solve(self) -> None:
        """Calls through pointers, and copies, until they add nothing."""
        self.escaped: set[FunctionId] = set()
        self._taken = {
            number for number in self._exposed if self.objects[number].kind == "function"
        }
        done: set[tuple[int, int]] = set()
        while True:
            self._unifier.settle()
            before = (self._unifier.changes, len(done), len(self.escaped))
            for i, call in enumerate(self._indirect):
                for number in self._possible(call):
                    if (i, number) not in done:
                        done.add((i, number))
                        self._call_object(call, number)
            for number in self._functions_in(self._unifier.target(self._outside)):
                for fid in self.bodies(number):
                    if fid not in self.escaped:
                        self.escaped.add(fid)
                        self._called_from_outside(fid)
            for copy in self._copies:
                self._copy(*copy)
            self._unifier.settle()
            if before == (self._unifier.changes, len(done), len(self.escaped)):
                return

    def _functions_in(self, at: Target | None) -> list[int]:
        if at is None:
            return []
        members = self._unifier.members[at.cls]
        return [number for number, _ in members if self.objects[number].kind == "function"]

    def _possible(self, call: _Call) -> list[int]:
        """What a call through a pointer may call (OUTSIDE: something unknown)."""
        at = self._unifier.target(call.callee)
        found = self._functions_in(at)
        fitting = [number for number in found if self._fits(number, call.function)]
        if found:
            found = fitting or found
        outside = self._unifier.target(self._outside)
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

    def _call_object(self, call: _Call, number: int) -> None:
        if number == OUTSIDE:
            self.call_unknown(call)
        elif not self.bodies(number):
            self.call_library(call, self.objects[number].name)
        for fid in self.bodies(number):
            self.call_function(call, fid)

    def call_function(self, call: _Call, fid: FunctionId) -> None:
        """Pass the arguments, and the result."""
        self._callees.setdefault(call.place, set()).add(fid)
        parameters = self._parameters[fid]
        for i, held in enumerate(call.arguments):
            if held is None:
                continue
            if (fid, i) in self._byval:
                number = self._byval[fid, i]
                self._copies.append((Target(number, 0), held, self.objects[number].size or 0))
            elif i < len(parameters):
                if call.byval[i : i + 1] in ((), (None,)):
                    self.join(parameters[i], held)
                else:
                    self.escape(held)
            elif fid in self._variadic:
                self.join(self._unifier.content(Target(self._variadic[fid], 0, 1)), held)
        if call.result is not None:
            self._unifier.join(call.result, self._returns[fid])

    def call_library(self, call: _Call, name: str) -> None:
        """Do what a function without a body does."""
        words = summary(name)
        if words is None:
            self.call_unknown(call)
            return
        if name.startswith("llvm.va_start"):
            self._va_start(call)
        for word in words:
            self._do(call, word)

    def call_unknown(self, call: _Call) -> None:
        for held in call.arguments:
            self.escape(held)
        if call.result is not None:
            self._unifier.join(call.result, self._outside)
        self.note(self._reads, call.place, self._outside, 1)
        self.note(self._writes, call.place, self._outside, 1)
        self._outcalls.add(call.place)

    def _do(self, call: _Call, word: str) -> None:
        """One word of a summary."""
        arguments = call.arguments
        numbers = [int(letter) for letter in word if letter.isdigit()]
        held = arguments[numbers[0]] if numbers and numbers[0] < len(arguments) else None
        if word == "out":
            self.join(self._outside, call.result)
        elif word == "new":
            self.allocate(call)
        elif held is None:
            return
        elif word[0] in "rw":
            table = self._reads if word[0] == "r" else self._writes
            for each in arguments[numbers[0] :] if word[-1] == "*" else [held]:
                self._touch(table, call, each)
        elif word[0] in "=~" and call.result is not None:
            self.join(call.result, held if word[0] == "=" else self.stepped(held, ANYWHERE))
        elif word[0] == "c" and arguments[numbers[1]] is not None:
            self._copies.append((held, arguments[numbers[1]], call.length or FAR))
        elif word[0] == "n":
            self.join(self.star(held), self._heap(call))
        elif word[0] == "s":
            self.join(self.star(held), self.stepped(arguments[numbers[1]], ANYWHERE))
        elif word[0] == "k":
            passed = tuple(arguments[i] for i in numbers[1:])
            inner = _Call(call.place, self.pointer(held), _any_type(len(passed)), passed, None)
            self._indirect.append(inner)

    def _touch(self, table: dict[Place, list[tuple[Held, int]]], call: _Call, held: Held) -> None:
        if call.length is None:
            self.note(table, call.place, self.stepped(held, ANYWHERE), 1)
        else:
            self.note(table, call.place, held, call.length)

    def _va_start(self, call: _Call) -> None:
        fid = call.place[:2]
        held = call.arguments[0]
        if held is None or fid not in self._variadic:
            return
        area = self._pointer(Target(self._variadic[fid], 0, 1))
        for offset in (0, 8, 16):  # wherever the ABI keeps the pointers in a va_list
            place = self.stepped(held, Step(offset))
            assert place is not None
            self._unifier.join(self.star(place), area)
        self._touch(self._writes, call, held)

    def allocate(self, call: _Call) -> None:
        """Let the result be fresh memory, which the call writes."""
        fresh = self._heap(call)
        self.join(call.result if call.result is not None else self._unifier.value(), fresh)
        self.note(self._writes, call.place, Target(fresh.cls, 0, 1), 1)

    def _heap(self, call: _Call) -> Target:
        m, function, line = call.place
        return Target(self._object(Object("heap", m, function, "", line)), 0)

    def note(
        self, table: dict[Place, list[tuple[Held, int]]], place: Place, held: Held, size: int
    ) -> None:
        if held is not None:
            table.setdefault(place, []).append((held, size))

    def _copy(self, to: Held, source: Held, length: int) -> None:
        """Whatever is stored at `source` is stored at `to`, too."""
        there = self._resolved(to)
        here = self._resolved(source)
        if there is None or here is None or there == here:
            return
        by = there.offset - here.offset
        # What is copied may be copied on and on, through a class into itself.
        once = length < FAR and (here.cls != there.cls or abs(by) >= length)
        for home, stored in self._unifier.contents(here.cls):
            if not here.stride and not _meets(home, here.offset, length):
                continue
            stride = gcd(here.stride, there.stride, home.stride, 0 if once else by)
            low, high = (home.low + by, home.high + by) if home.low > -FAR else (-FAR, FAR)
            if here.stride or there.stride or not once:
                low, high = -FAR, FAR
            at = Target(there.cls, home.offset + by, stride, low, high)
            self._unifier.join(self._unifier.content(at), stored)

    def _resolved(self, held: Held) -> Target | None:
        if isinstance(held, Target):
            return self._unifier.rooted(held)
        return None if held is None else self._unifier.target(held)


class _Call(NamedTuple):
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


class _Walk:
    """Goes once over the instructions of a function."""

    def __init__(self, aliases: Aliases, m: int, function: Function) -> None:
        self.aliases = aliases
        self.m = m
        self.function = function
        self.layout = aliases._layouts[m]
        self.held: dict[str, Held] = {}
        self.bytes: dict[str, Held] = {}  # registers loaded as single bytes: from where
        self.differences: set[str] = set()  # registers that hold a pointer as a number

    def run(self) -> None:
        fid = (self.m, self.function.name)
        for i, parameter in enumerate(self.function.parameters):
            number = self.aliases._byval.get((fid, i))
            value = self.aliases._parameters[fid][i]
            self.held[parameter.name] = value if number is None else Target(number, 0)
        for block in self.function.blocks:
            for op in block.instructions:
                self._visit(op)

    def _visit(self, op: Instruction) -> None:
        opcode = op.opcode
        if opcode == "load":
            self._load(op)
        elif opcode == "store":
            self._store(op)
        elif opcode == "getelementptr":
            assert op.element is not None
            step = self.aliases.gep(self.m, op.element, op.operands[1:])
            self._set(op, self.aliases.stepped(self._get(op.operands[0]), step))
        elif opcode in _CALLS:
            self._call(op)
        elif opcode == "alloca":
            self._alloca(op)
        elif opcode in _PASSING:
            self._set(op, self._get(op.operands[0]))
            if opcode == "ptrtoint" and op.result is not None:
                self.differences.add(op.result)
        elif opcode in _MIXING:
            if self._carries(op.type):
                self._set(op, self.aliases.mixed([self._get(operand) for operand in op.operands]))
        elif opcode in ("add", "sub", "and", "or", "xor"):
            self._arithmetic(op)
        elif opcode == "ret":
            if op.operands:
                returned = self.aliases._returns[self.m, self.function.name]
                self.aliases.join(returned, self._get(op.operands[0]))
        elif opcode in ("atomicrmw", "cmpxchg"):
            self._exchange(op)
        elif opcode in ("landingpad", "va_arg"):
            self._set(op, self.aliases._outside)

    def _place(self, op: Instruction) -> Place:
        return self.m, self.function.name, op.line

    def _get(self, operand: Typed) -> Held:
        value = operand.value
        if isinstance(value, Local):
            if value.name not in self.held and self._carries(operand.type):
                self.held[value.name] = self.aliases._unifier.value()  # defined further down
            return self.held.get(value.name)
        return self.aliases.constant(self.m, operand)

    def _set(self, op: Instruction, held: Held) -> None:
        assert op.result is not None
        known = self.held.get(op.result)
        if isinstance(known, int):
            self.aliases.join(known, held)
        elif held is not None:
            self.held[op.result] = held

    def _carries(self, kind: Type) -> bool:
        """Can a value of this type have a pointer in it?"""
        if isinstance(kind, PointerType):
            return True
        if isinstance(kind, IntType):
            return kind.bits >= 64
        if isinstance(kind, StructType | ArrayType | VectorType | NamedType):
            return any(self._carries(leaf) for leaf, _ in self._leaves(kind))
        return False

    def _leaves(self, kind: Type) -> Iterable[tuple[Type, int]]:
        if isinstance(kind, VectorType):
            return [(kind.element, 0)]
        return self.layout.leaves(kind)

    def _alloca(self, op: Instruction) -> None:
        assert op.element is not None
        count = op.operands[0].value if op.operands else Int(1)
        size = self.layout.size(op.element) * count.value if isinstance(count, Int) else None
        thing = Object("local", self.m, self.function.name, op.result or "", op.line, size)
        self._set(op, Target(self.aliases._object(thing), 0))

    def _load(self, op: Instruction) -> None:
        pointer = self._get(op.operands[0])
        if pointer is None:
            return
        kind = op.type
        size = self.layout.store_size(kind)
        self.aliases.note(self.aliases._reads, self._place(op), pointer, size)
        assert op.result is not None
        if isinstance(kind, IntType) and kind.bits == 8:
            self.bytes[op.result] = pointer
        elif self._carries(kind):
            self._set(op, self._stored(pointer, kind))

    def _store(self, op: Instruction) -> None:
        what, where = op.operands
        pointer = self._get(where)
        if pointer is None:
            return
        size = self.layout.store_size(what.type)
        self.aliases.note(self.aliases._writes, self._place(op), pointer, size)
        if isinstance(what.value, Local) and what.value.name in self.bytes:
            source = self.bytes[what.value.name]
            assert source is not None
            self.aliases._copies.append((pointer, source, 1))
        elif self._carries(what.type):
            held = self._get(what)
            if held is not None:
                self.aliases.join(self._stored(pointer, what.type), held)

    def _stored(self, pointer: Target | int, kind: Type) -> int:
        """The value of this type at a place in memory."""
        if isinstance(kind, PointerType | IntType):
            return self.aliases.star(pointer)
        whole = self.aliases._unifier.value()
        for leaf, offset in self._leaves(kind):
            if self._carries(leaf):
                place = self.aliases.stepped(pointer, Step(offset))
                assert place is not None
                self.aliases.join(whole, self.aliases.star(place))
        return whole

    def _arithmetic(self, op: Instruction) -> None:
        """Numbers that are made from pointers may become pointers again, to elsewhere."""
        if not self._carries(op.type):
            return
        names = [o.value.name for o in op.operands if isinstance(o.value, Local)]
        if op.opcode == "sub" and len(names) == 2 and self.differences.issuperset(names):
            return
        operands = op.operands[:1] if op.opcode == "sub" else op.operands
        held = self.aliases.mixed([self._get(operand) for operand in operands])
        self._set(op, self.aliases.stepped(held, ANYWHERE))

    def _exchange(self, op: Instruction) -> None:
        pointer = self._get(op.operands[0])
        if pointer is None:
            return
        size = self.layout.store_size(op.operands[1].type)
        self.aliases.note(self.aliases._reads, self._place(op), pointer, size)
        self.aliases.note(self.aliases._writes, self._place(op), pointer, size)
        if self._carries(op.operands[1].type):
            stored = self.aliases.star(pointer)
            for operand in op.operands[1:]:
                self.aliases.join(stored, self._get(operand))
            self._set(op, stored)

    def _call(self, op: Instruction) -> None:
        assert op.function is not None
        arguments = tuple(self._get(o) if self._carries(o.type) else None for o in op.operands)
        result = self.aliases._unifier.value() if self._carries(op.type) else None
        known = self.held.get(op.result) if op.result is not None else None
        if result is not None and isinstance(known, int):
            result = known
        call = _Call(self._place(op), -1, op.function, arguments, result, _length(op), op.byval)
        if result is not None and op.result is not None:
            self.held[op.result] = result
        callee = op.callee
        if isinstance(callee, Global):
            self._call_symbol(call, callee.name)
        elif isinstance(callee, Local | Expression):
            held = self._get(Typed(PointerType(), callee))
            if held is not None:
                self.aliases._indirect.append(call._replace(callee=self.aliases.pointer(held)))
        else:
            self.aliases.call_unknown(call)

    def _call_symbol(self, call: _Call, name: str) -> None:
        aliases = self.aliases
        bodies = aliases.bodies(aliases.symbol(self.m, name).cls)
        if not bodies:
            aliases.call_library(call, name)
        for fid in bodies:
            returned = aliases._allocators.get(fid)
            if returned is None or call.result is None:
                aliases.call_function(call, fid)
                continue
            aliases.call_function(call._replace(result=None), fid)
            aliases.allocate(call)
            for i in returned:
                aliases.join(call.result, call.arguments[i])


def _length(op: Instruction) -> int | None:
    """The bytes that a call of memcpy, memmove or memset is about, if that is a constant."""
    name = op.callee.name if isinstance(op.callee, Global) else ""
    if name.startswith(("llvm.mem", "memcpy", "memmove", "memset")) and len(op.operands) > 2:
        length = op.operands[2].value
        return length.value if isinstance(length, Int) else None
    return None


def _allocators(aliases: Aliases) -> dict[FunctionId, set[int]]:
    """The functions that do nothing with the memory they return but get it from an allocator.

    Each call of one makes an object of its own.  With each go the numbers of the parameters
    that it may return instead, as realloc does.
    """
    found: dict[FunctionId, set[int]] = {}
    candidates = [
        (m, function)
        for m, module in enumerate(aliases.modules)
        for function in module.functions.values()
        if isinstance(function.type.result, PointerType)
    ]
    grown = True
    while grown:
        grown = False
        for m, function in candidates:
            if (m, function.name) not in found:
                returned = _Fresh(aliases, found, m, function).parameters()
                if returned is not None:
                    found[m, function.name] = returned
                    grown = True
    return found


_HARMLESS = frozenset({"free", "memset", "realloc", "llvm.memset"})


class _Fresh:
    """Where does a function have the pointer from that it returns?"""

    def __init__(
        self, aliases: Aliases, known: dict[FunctionId, set[int]], m: int, function: Function
    ) -> None:
        self.aliases = aliases
        self.known = known
        self.m = m
        self.numbers = {p.name: i for i, p in enumerate(function.parameters)}
        self.ops = [op for block in function.blocks for op in block.instructions]
        self.made = {op.result: op for op in self.ops if op.result is not None}

    def parameters(self) -> set[int] | None:
        """The parameters that may be returned in place of fresh memory; None if anything may."""
        returned: set[int] = set()
        fresh = False
        traced: set[str] = set()
        work: list[Value] = [op.operands[0].value for op in self.ops if op.opcode == "ret"]
        while work:
            value = work.pop()
            if not isinstance(value, Local):
                if isinstance(value, Global | Expression):
                    return None
                continue
            if value.name in traced:
                continue
            traced.add(value.name)
            if value.name in self.numbers:
                returned.add(self.numbers[value.name])
                continue
            op = self.made[value.name]
            sources = self._sources(op)
            if sources is None:
                return None
            fresh = fresh or op.opcode in _CALLS
            work.extend(sources)
        if not fresh or not all(self._harmless(op, traced) for op in self.ops):
            return None
        return returned

    def _sources(self, op: Instruction) -> list[Value] | None:
        """The values that the result of `op` may be; None if they cannot be followed."""
        if op.opcode == "load":
            place = op.operands[0].value
            if isinstance(place, Local) and place.name in self.made:
                home = self.made[place.name]
                return [place] if home.opcode == "alloca" else None
            return None
        if op.opcode == "alloca":
            return [
                store.operands[0].value
                for store in self.ops
                if store.opcode == "store" and store.operands[1].value == Local(op.result or "")
            ]
        if op.opcode in ("phi", "select"):
            skip = 1 if op.opcode == "select" else 0
            return [o.value for o in op.operands[skip:] if isinstance(o.type, PointerType)]
        if op.opcode in _CALLS:
            returned = self._allocates(op)
            return None if returned is None else [op.operands[i].value for i in returned]
        return None

    def _allocates(self, op: Instruction) -> set[int] | None:
        """If the call allocates: the arguments that it may return instead."""
        if not isinstance(op.callee, Global):
            return None
        for fid in self.aliases.bodies(self.aliases.symbol(self.m, op.callee.name).cls):
            return self.known.get(fid)
        words = summary(op.callee.name) or ()
        return {int(word[1]) for word in words if word[0] == "="} if "new" in words else None

    def _harmless(self, op: Instruction, traced: set[str]) -> bool:
        """Does `op` leave the traced pointers, and what they point to, alone?"""
        used = {o.value.name for o in op.operands if isinstance(o.value, Local)} & traced
        if not used or op.opcode in ("icmp", "ret", "phi", "select"):
            return True
        if op.opcode == "load":
            return op.result in traced or self._unused(op, traced)
        if op.opcode == "store":
            where = op.operands[1].value
            home = self.made.get(where.name) if isinstance(where, Local) else None
            return home is not None and home.opcode == "alloca" and home.result in traced
        if op.opcode in _CALLS and isinstance(op.callee, Global):
            return op.callee.name.startswith(tuple(_HARMLESS)) or self._allocates(op) is not None
        return False

    def _unused(self, load: Instruction, traced: set[str]) -> bool:
        """Is what was loaded only compared, or passed to what does no harm?"""
        name = load.result or ""
        users = [op for op in self.ops if any(o.value == Local(name) for o in op.operands)]
        return all(self._harmless(op, {*traced, name}) for op in users)
