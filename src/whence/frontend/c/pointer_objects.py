"""What do pointers point to in a program?

`PointerObjects` holds the objects of the program, linked by their symbol names, and the pointers
that its constants are.  `pointers` adds what calls do with pointers, `walk` what other instructions
do.
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
    Global,
    Int,
    Module,
    NamedType,
    StructType,
    Type,
    Typed,
    Variable,
    VectorType,
)
from whence.frontend.c.layout import Layout
from whence.frontend.c.unify import FAR, FieldStep, Target, Unifier

OUTSIDE = 0  # number of the object that stands for all memory that the program does not define
Place = tuple[int, str, int]  # module, function, line of the instruction
# The content of a register: a pointer into a known object (the `cls` of the Target is the object's
# number), a value of the Unifier, or None if it cannot be a pointer.
Held = Target | int | None
ANYWHERE = FieldStep(0, 1)


class PointedObject(NamedTuple):
    """An object in memory.

    `kind` is local, parameter (passed by value), variadic (the unnamed arguments), global, heap,
    function or outside.  `line` is the line of the alloca or of the allocating call in the text of
    the module: a call of malloc, or of a function that only passes on memory from malloc.  `size`
    is None if it is not known before the run.
    """

    kind: str
    module: int = -1
    function: str = ""
    name: str = ""
    line: int = -1
    size: int | None = None


class PointerObjects:
    """The objects of the program, and its pointers as values of the Unifier."""

    def __init__(self, modules: Sequence[Module]) -> None:
        self.modules = modules
        self.objects: list[PointedObject] = []
        self.unifier = Unifier()
        self.layouts = [Layout(module) for module in modules]
        self.exposed: set[int] = set()
        self._pointers: dict[Target, int] = {}
        self.variadic: dict[FunctionId, int] = {}
        self.add(PointedObject("outside"))
        self.outside = self.pointer_to(Target(OUTSIDE, 0, 1))
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

    # --- building

    def add(self, thing: PointedObject) -> int:
        self.objects.append(thing)
        return self.unifier.cls(len(self.objects) - 1)  # both use the same numbers

    def _link(self) -> None:
        self._symbols: list[dict[str, int]] = [{} for _ in self.modules]
        # An inline function may be in several modules; any of the copies may be the one that runs.
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
        """Return the object that the name of a global means in a module."""
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
        """Add an object for a symbol that is defined outside the program."""
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
        """Return the bodies of the function that an object is."""
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
            self.variadic[fid] = self.add(PointedObject("variadic", m, function.name))

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
        """Return the pointer that a constant is, or None."""
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
        """Return the distance that a getelementptr moves a pointer."""
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
                # An array of length 0 or 1 at the end of a struct may be longer at run time.
                array, length = add, count * size if count > 1 else FAR
            if isinstance(index.value, Int):
                add += index.value.value * size
            else:
                stride = gcd(stride, size)
        return FieldStep(add, stride, array, length)

    # --- values

    def pointer(self, held: Target | int) -> int:
        """Return `held` as a value of the Unifier; mark what it points to as exposed."""
        if isinstance(held, int):
            return held
        self.exposed.add(held.cls)
        return self.pointer_to(held)

    def pointer_to(self, at: Target) -> int:
        if at not in self._pointers:
            self._pointers[at] = self.unifier.value()
            self.unifier.point(self._pointers[at], at)
        return self._pointers[at]

    def stepped(self, held: Held, step: FieldStep) -> Held:
        if isinstance(held, Target):
            return step.apply(held)
        return None if held is None else self.unifier.step(held, step)

    def star(self, held: Target | int) -> int:
        """Return the value stored where `held` points."""
        if isinstance(held, Target):
            return self.unifier.content(held)
        return self.unifier.star(held)

    def mixed(self, parts: Sequence[Held]) -> Held:
        """Return a pointer that may be any of the parts."""
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

    def resolved(self, held: Held) -> Target | None:
        if isinstance(held, Target):
            return self.unifier.rooted(held)
        return None if held is None else self.unifier.target(held)
