"""How do pointers flow through a program?

`Pointers` holds what the calls and copies of the program do with pointers; `walk` adds what its
other instructions do.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import NamedTuple

from whence.frontend.c.allocators import FunctionId
from whence.frontend.c.ir import FunctionType, Module, PointerType, Type
from whence.frontend.c.pointer_objects import (
    ANYWHERE,
    OUTSIDE,
    Held,
    Place,
    PointedObject,
    PointerObjects,
)
from whence.frontend.c.summaries import library_summary
from whence.frontend.c.unify import FAR, FieldStep, Target


class PointerCall(NamedTuple):
    """A call as its caller sees it."""

    place: Place
    callee: int
    function: FunctionType
    arguments: tuple[Held, ...]
    result: int | None
    length: int | None = None  # bytes that the call reads and writes, if a single constant
    byval: tuple[Type | None, ...] = ()


def _meets(home: Target, offset: int, length: int) -> bool:
    """Does `home` overlap these bytes?"""
    if home.stride:
        return home.low < offset + length and offset < home.high
    return offset <= home.offset < offset + length


def _any_type(count: int) -> FunctionType:
    return FunctionType(PointerType(), (PointerType(),) * count, variadic=True)


class Pointers(PointerObjects):
    """The program as the Unifier sees it."""

    def __init__(self, modules: Sequence[Module]) -> None:
        super().__init__(modules)
        self.reads: dict[Place, list[tuple[Held, int]]] = {}
        self.writes: dict[Place, list[tuple[Held, int]]] = {}
        self.copies: list[tuple[Held, Held, int]] = []
        self.indirect: list[PointerCall] = []
        self.outcalls: set[Place] = set()
        self.callees: dict[Place, set[FunctionId]] = {}
        self._enter()

    def _enter(self) -> None:
        """Give the entry points of the program arguments from outside."""
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
        if fid in self.variadic:
            content = self.unifier.content(Target(self.variadic[fid], 0, 1))
            self.unifier.join(content, self.outside)

    def solve(self) -> None:
        """Apply indirect calls and copies until they add nothing."""
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
        """Return the functions that a call through a pointer may call (OUTSIDE: unknown ones)."""
        at = self.unifier.target(call.callee)
        found = self._functions_in(at)
        fitting = [number for number in found if self._fits(number, call.function)]
        if found:
            found = fitting or found
        outside = self.unifier.target(self.outside)
        if at is None:  # nothing is known about the pointer
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
        """Pass the arguments to a function, and its result back."""
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
            elif fid in self.variadic:
                self.join(self.unifier.content(Target(self.variadic[fid], 0, 1)), held)
        if call.result is not None:
            self.unifier.join(call.result, self.returns[fid])

    def call_library(self, call: PointerCall, name: str) -> None:
        """Apply the summary of a function without a body."""
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
        """Apply one word of a summary."""
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
        if held is None or fid not in self.variadic:
            return
        area = self.pointer_to(Target(self.variadic[fid], 0, 1))
        for offset in (0, 8, 16):  # the offsets at which some ABI keeps a pointer in a va_list
            place = self.stepped(held, FieldStep(offset))
            assert place is not None
            self.unifier.join(self.star(place), area)
        self._touch(self.writes, call, held)

    def allocate(self, call: PointerCall) -> None:
        """Make the result fresh memory that the call writes."""
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
        """Store at `to` what is stored at `source`."""
        target = self.resolved(to)
        origin = self.resolved(source)
        if target is None or origin is None or target == origin:
            return
        by = target.offset - origin.offset
        # A copy within one class can repeat: what was copied is copied again.
        once = length < FAR and (origin.cls != target.cls or abs(by) >= length)
        for home, stored in self.unifier.contents(origin.cls):
            if not origin.stride and not _meets(home, origin.offset, length):
                continue
            stride = gcd(origin.stride, target.stride, home.stride, 0 if once else by)
            low, high = (home.low + by, home.high + by) if home.low > -FAR else (-FAR, FAR)
            if origin.stride or target.stride or not once:
                low, high = -FAR, FAR
            at = Target(target.cls, home.offset + by, stride, low, high)
            self.unifier.join(self.unifier.content(at), stored)
