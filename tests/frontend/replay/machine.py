"""A machine that runs small programs slowly and records everything about the run: the oracle.

It knows nothing about tables or the kernel.  Programs are plain values (Function, Op).  `Machine`
executes them with real memory and writes the log as instrumented code would.  It notes each step
with its value and, by brute force from the definitions, the definers of what it read and its
controlling branch.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class K:
    """A constant operand, by slots."""

    values: tuple[int, ...]


@dataclass(frozen=True)
class Address:
    """The address of a symbol, as an operand."""

    symbol: str
    plus: int = 0


Operand = int | K | Address  # an int is a slot


@dataclass(frozen=True)
class Op:
    """An op by name; as in the tables, its code decides which fields have a meaning."""

    name: str
    dst: int | None = None
    a: Operand | None = None
    b: Operand | None = None
    c: Operand | None = None
    x: int = 0
    bits: int = 64
    number: int = 0  # predicate, source width, local offset, slot offset, kind of overflow
    number2: int = 0  # second local offset
    layout: tuple[tuple[int, int], ...] = ()
    targets: tuple[int, ...] = ()
    cases: tuple[int, ...] = ()
    items: tuple[tuple[Operand, int, int], ...] = ()  # (operand, slots, a number)
    slots: int = 1
    sure: bool = False
    invoke: bool = False
    twice: int | None = None  # number of the site
    checked: bool = False
    # effect of an OPAQUE or external call
    effect: Callable[[Machine, list[int]], bytes] | None = None


@dataclass(frozen=True)
class Function:
    name: str
    blocks: tuple[tuple[Op, ...], ...]
    n_slots: int
    local: int = 0
    params: tuple[tuple[int, int, int, int], ...] = ()  # slot, size, n_slots, byval size or 0
    logs_params: bool = True
    lands: bool = False
    wide: bool = False
    landings: tuple[int, ...] = ()  # blocks that are landing pads: the first sites
    setjmps: tuple[tuple[int, int], ...] = ()  # (block, op in it): the sites after them
    variadic: bool = False


External = Callable[["Machine", list[int]], bytes]  # returns the bytes of its result
TERMINATORS = {"BR", "CBR", "SWITCH", "INDIRECTBR", "RET", "UNREACHABLE", "RESUME"}


def ipdoms(function: Function) -> list[int | None]:
    """Return the immediate postdominators by definition; None is the exit."""
    n = len(function.blocks)
    succ = [_successors(function, block) for block in function.blocks]
    after: list[set[int]] = [set(range(n + 1)) for _ in range(n)] + [{n}]
    changed = True
    while changed:
        changed = False
        for b in range(n):
            meet = set.intersection(*(after[s] for s in succ[b] or [n])) | {b}
            changed |= meet != after[b]
            after[b] = meet
    found = []
    for b in range(n):
        strict = after[b] - {b}
        near = next(d for d in strict if strict <= after[d])
        found.append(None if near == n else near)
    return found


def _successors(function: Function, block: Sequence[Op]) -> list[int]:
    last = block[-1]
    return [*last.targets, *(function.landings if last.invoke else ())]


def marked(function: Function) -> set[int]:
    """Return the blocks that log their number: after a branch, or to break a cycle."""
    found = set()
    for number, block in enumerate(function.blocks):
        last = block[-1]
        several = len(set(last.targets)) > 1 or last.name == "INDIRECTBR"
        found |= {t for t in last.targets if several or t <= number}
    return found


class Crash(Exception):
    """The program ends here, in the middle of a step."""


@dataclass
class Throw(Exception):
    frame: int
    site: int
    value: bytes


@dataclass
class Activation:
    function: Function
    number: int
    call: int  # the step of the call
    parent: int
    direct: bool
    depth: int
    address: int
    slots: list[int]
    local: bytearray
    local_definer: list[int]
    history: list[tuple[str, int, int | None]] = field(default_factory=list)
    block: int = 0
    came_from: int = -1
    instances: list[int] = field(default_factory=list)
    ret: int = 0
    unwound: bool = False
    control: int = 0


@dataclass
class Event:
    """A write to a byte; `contents` is None if they are not known."""

    address: int
    contents: bytes | None
    size: int
    definer: int
    fresh: bool = False


@dataclass
class Step:
    op: tuple[str, int, int]  # function, block, op
    value: int | None = None
    address: int | None = None
    offset: int = 0
    after: int = 0  # offset of the log after execution (of a call: after it has begun)
    definers: list[tuple[int, int]] | None = None  # (offset, step) of each byte read


@dataclass
class Instance:
    stretch: tuple[str, int, int]  # function, block, first op
    first: int
    activation: int
    control: int


def mask(value: int, bits: int) -> int:
    return value & ((1 << bits) - 1)


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


class Machine:
    def __init__(
        self,
        functions: Sequence[Function],
        externals: dict[str, External],
        symbols: dict[str, int],
        fids: dict[str, int],
        memory: dict[int, int] | None = None,
        fuel: int = 10**9,
    ) -> None:
        self.functions = {f.name: f for f in functions}
        self.externals, self.symbols, self.fids = externals, symbols, fids
        self.by_address = {symbols[f.name]: f for f in functions}
        self.externals_at = {symbols[name]: call for name, call in externals.items()}
        self.memory = dict(memory or {})
        self.known_initially = set(self.memory)
        self.ipdoms = {f.name: ipdoms(f) for f in functions}
        self.marked = {f.name: marked(f) for f in functions}
        self.log = bytearray(4096)
        self.steps = [Step(("", 0, 0))]
        self.instances: list[Instance] = []
        self.activations: list[Activation] = []
        self.stack: list[Activation] = []
        self.events: list[Event] = []
        self.external = 0
        self.fuel = fuel
        self.effects: list[tuple[int, int, list[tuple[int, int]] | None]] = []
        self.writes: list[tuple[int, int, int]] = []
        self.copies: list[tuple[int, int, int, int]] = []  # step, to, from, size
        self.copied: list[tuple[int, int, int]] = []  # loads of copied bytes: (address, step, size)
        self.call_step = 0
        self.call_results: dict[int, int] = {}
        self.call_arguments: dict[int, list[int]] = {}
        self.next_frame = 0x7FFF0000
        self.waiting: dict[int, int] = {}  # activation -> the step of its latest call

    # --- the log and memory ---

    def put(self, data: bytes) -> None:
        if self.fuel < 0:
            raise Crash
        self.log += data

    def read(self, address: int, size: int) -> bytes:
        return bytes(self.memory.get(address + i, 0) for i in range(size))

    def write(self, address: int, data: bytes) -> None:
        self.memory.update({address + i: byte for i, byte in enumerate(data)})

    def definer_of(self, address: int, value: int | None) -> int:
        """Return the step that defined one byte, by the definition of the stale-load rule."""
        for event in reversed(self.events):
            if not 0 <= address - event.address < event.size:
                continue
            if event.fresh:
                return self.external
            if event.contents is None or value is None:
                return event.definer
            if event.contents[address - event.address] == value:
                return event.definer
            return self.external if self.external > event.definer else 0
        if address in self.known_initially and (value is None or self.initial(address) == value):
            return 0
        return self.external

    def initial(self, address: int) -> int:
        return self.first_memory[address]

    def defined(self, address: int, size: int, contents: bytes | None, step: int) -> None:
        self.events.append(Event(address, contents, size, step))

    # --- effects, called by externals ---

    def effect_read(self, address: int, size: int) -> None:
        self.put(struct.pack("<BBQQ", 3, 1, address, size))
        found = [(i, self.definer_of(address + i, None)) for i in range(size)]
        self.effects.append((self.call_step, 1, found))

    def effect_write(self, address: int, data: bytes) -> None:
        self.write(address, data)
        self.put(struct.pack("<BBQQ", 3, 2, address, len(data)))
        self.defined(address, len(data), None, self.call_step)
        self.effects.append((self.call_step, 2, None))
        self.writes.append((address, self.call_step, len(data)))

    def effect_copy(self, to: int, start: int, size: int) -> None:
        self.put(struct.pack("<BBQQQ", 3, 3, to, start, size))
        self.copy(to, start, size, self.call_step)

    def copy(self, to: int, start: int, size: int, step: int) -> None:
        found = [(i, self.definer_of(start + i, None)) for i in range(size)]
        self.effects.append((step, 3, found))
        self.copies.append((step, to, start, size))
        known = [self.seen(start + i) for i in range(size)]
        self.write(to, self.read(start, size))
        for i, byte in enumerate(known):
            self.defined(to + i, 1, None if byte is None else bytes([byte]), step)
        self.writes.append((to, step, size))

    def copy_local(self, to: int, start: int, step: int) -> None:
        """Copy out of local memory: add a row only if the step's link is not enough."""
        found = self.steps[step].definers or []
        if len({definer_of for _, definer_of in found}) > 1 or self.is_copied(step):
            self.effects.append((step, 3, found))
            self.copies.append((step, to, start, len(found)))

    def is_copied(self, step: int) -> bool:
        """Did a copy write one of the bytes that the step read?"""
        copies = {copy for copy, *_ in self.copies}
        return any(definer_of in copies for _, definer_of in self.steps[step].definers or [])

    def load_copied(self, address: int, size: int, step: int) -> None:
        if self.is_copied(step):
            self.copied.append((address, step, size))

    def seen(self, address: int) -> int | None:
        """Return the contents of a byte according to the log so far."""
        for event in reversed(self.events):
            if 0 <= address - event.address < event.size:
                known = event.contents
                return None if known is None else known[address - event.address]
        return self.first_memory[address] if address in self.known_initially else None

    def effect_alloc(self, address: int, size: int) -> None:
        self.put(struct.pack("<BBQQ", 3, 6, address, size))
        self.events.append(Event(address, None, size, 0, fresh=True))
        self.effects.append((self.call_step, 6, None))

    # --- running ---

    def run(self, name: str, arguments: Sequence[int] = ()) -> bool:
        """Run from the top level; return False if it crashed."""
        self.first_memory = dict(self.memory)
        try:
            self.enter(self.functions[name], [[a] for a in arguments], 0, direct=False)
        except Crash:
            return False
        return True

    def value(self, act: Activation, operand: Operand | None) -> int:
        return self.values(act, operand, 1)[0]

    def values(self, act: Activation, operand: Operand | None, n: int) -> list[int]:
        if isinstance(operand, K):
            return list(operand.values[:n])
        if isinstance(operand, Address):
            return [self.symbols[operand.symbol] + operand.plus]
        assert operand is not None
        return act.slots[operand : operand + n]

    def enter(
        self, f: Function, arguments: list[list[int]], call: int, *, direct: bool
    ) -> list[int]:
        address = self.next_frame = self.next_frame - 0x100
        data = struct.pack("<Q", self.fids[f.name])[:6]
        if f.lands:
            data += struct.pack("<Q", address)
        parent = self.stack[-1].number if self.stack else 0
        act = Activation(
            f, len(self.activations) + 1, call, parent, direct, len(self.stack) + 1, address,
            [0] * f.n_slots, bytearray(f.local), [0] * f.local,
        )  # fmt: skip
        copies = []
        for i, (slot, size, n, byval) in enumerate(f.params):
            given = arguments[i] if i < len(arguments) else []
            if byval:
                place = address + 0x1000 + 64 * i
                copies.append((place, given[0] if given else 0, byval))
                given = [place]
            given = (given + [0] * n)[:n]
            act.slots[slot : slot + n] = given
            if f.logs_params or byval:
                data += b"".join(v.to_bytes(8, "little") for v in given)[:size]
        if not direct and self.stack:
            self.external = call
        self.put(b"\0" + data)
        self.activations.append(act)
        self.stack.append(act)
        for to, start, size in copies:
            if direct:
                self.copy(to, start, size, call)
        act.control = call
        return self.body(act)

    def body(self, act: Activation) -> list[int]:
        number, target = 0, 0
        while True:
            act.came_from, act.block = act.block, target
            act.history.append(("block", target, None))
            act.control = self.controller(act)
            try:
                result = self.block(act, target)
            except Throw as thrown:
                if thrown.frame != act.address:
                    act.unwound = True
                    self.stack.pop()
                    raise
                target = self.land(act, thrown)
                continue
            if isinstance(result, list):
                self.stack.pop()
                return result
            target = result
            number += 1

    def land(self, act: Activation, thrown: Throw) -> int:
        """Return the landing block; the throwing step controls it."""
        target = act.function.landings[thrown.site]
        act.history.append(("branch", len(self.steps) - 1, self.ipdom(act)))
        return target

    def ipdom(self, act: Activation) -> int | None:
        return self.ipdoms[act.function.name][act.block]

    def controller(self, act: Activation) -> int:
        """Return the latest branch whose ipdom has not been entered since."""
        entered: set[int] = set()
        for kind, what, ipdom in reversed(act.history):
            if kind == "block":
                entered.add(what)
            elif ipdom is None or ipdom not in entered:
                return what
        return act.call

    def begin(self, act: Activation, block: int, op: int) -> None:
        act.instances.append(len(self.instances))
        stretch = (act.function.name, block, op)
        self.instances.append(Instance(stretch, len(self.steps), act.number, act.control))

    def block(self, act: Activation, number: int) -> list[int] | int:
        """Run a block; return the next block or the returned value."""
        ops = act.function.blocks[number]
        if number in act.function.landings:
            site = act.function.landings.index(number)
            self.put(struct.pack("<BQH", 2, act.address, site))
        elif number in self.marked[act.function.name] and len(act.history) > 1:
            self.put(number.to_bytes(2 if act.function.wide else 1, "little"))
        fresh = True
        incoming: dict[int, list[int]] = {}
        for i, op in enumerate(ops):
            if fresh:
                self.begin(act, number, i)
                fresh = False
                incoming = self.phis(act, ops) if i == 0 else {}
            self.fuel -= 1
            step = Step((act.function.name, number, i), None, None, len(self.log), len(self.log))
            self.steps.append(step)
            n = len(self.steps) - 1
            try:
                done = self.execute(act, op, step, n, incoming.get(i))
            except Crash:
                if op.name != "CALL" and op.name not in TERMINATORS:
                    self.steps.pop()
                raise
            if op.name == "CALL":
                fresh = True
            elif op.name not in TERMINATORS:
                step.after = len(self.log)
            if done is not None:
                return done
        raise AssertionError("a block has no end")

    def phis(self, act: Activation, ops: Sequence[Op]) -> dict[int, list[int]]:
        found = {}
        for i, op in enumerate(ops):
            if op.name == "PHI":
                pick = next(item for item in op.items if item[2] == act.came_from)
                found[i] = self.values(act, pick[0], op.slots)
        return found

    def decide(self, act: Activation, step: int, targets: Sequence[int]) -> None:
        if len(set(targets)) > 1:
            act.history.append(("branch", step, self.ipdom(act)))

    def execute(
        self, act: Activation, op: Op, step: Step, n: int, incoming: list[int] | None
    ) -> list[int] | int | None:
        if op.name == "BR":
            return op.targets[0]
        if op.name == "CBR":
            step.value = self.value(act, op.a)
            self.decide(act, n, op.targets)
            return op.targets[0 if step.value & 1 else 1]
        if op.name == "SWITCH":
            step.value = self.value(act, op.a)
            self.decide(act, n, op.targets)
            found = op.cases.index(step.value) + 1 if step.value in op.cases else 0
            return op.targets[found]
        if op.name == "INDIRECTBR":
            self.decide(act, n, op.targets)
            return op.targets[self.value(act, op.a) % len(op.targets)]
        if op.name == "RET":
            act.ret = n
            returned = [] if op.a is None else self.values(act, op.a, op.x)
            step.value = returned[0] if returned else 0
            return returned
        if op.name == "CALL":
            return self.call(act, op, step, n)
        result = incoming if incoming is not None else self.compute(act, op, step, n)
        if result is not None:
            assert op.dst is not None
            act.slots[op.dst : op.dst + len(result)] = result
            step.value = result[0] if result else 0
            if op.checked:
                self.put(_checked(op, result))
        return None

    def call(self, act: Activation, op: Op, step: Step, n: int) -> int | None:
        callee = self.value(act, op.a)
        step.address = callee
        arguments = [self.values(act, operand, slots) for operand, slots, _ in op.items]
        self.call_arguments[n] = [v for values in arguments for v in values]
        self.waiting[act.number] = n
        before, self.call_step = self.call_step, n
        if callee in self.by_address:
            f = self.by_address[callee]
            returned = self.enter(f, arguments, n, direct=True)
            size = op.x if op.dst is not None else 0
            result = (returned + [0] * op.slots)[: op.slots] if size else []
            data = b"".join(v.to_bytes(8, "little") for v in result)[:size]
        else:
            data = self.externals_at[callee](self, [v for values in arguments for v in values])
            self.external = n
            result = _unpack(data, op.layout, op.slots) if op.dst is not None else []
        self.call_step = before
        if not op.sure:
            self.put(b"\1" + data)
        if op.dst is not None:
            act.slots[op.dst : op.dst + len(result)] = result
            self.call_results[n] = result[0] if result else 0
        if op.invoke:
            act.history.append(("branch", n, self.ipdom(act)))
            return op.targets[0]
        return None

    def callback(self, name: str, arguments: Sequence[int]) -> list[int]:
        step = self.call_step
        result = self.enter(self.functions[name], [[a] for a in arguments], step, direct=False)
        self.call_step = step
        return result

    def throw(self, frame: int, site: int, value: bytes) -> None:
        self.external = self.call_step
        raise Throw(frame, site, value)

    # --- ops that compute, load and store ---

    def compute(self, act: Activation, op: Op, step: Step, n: int) -> list[int] | None:
        if op.name in ("LOAD", "STORE", "LLOAD", "LSTORE", "COPY", "FILL", "LFILL", "LCOPYOUT",
                       "LCOPY", "LALLOCA", "RMW", "NOP", "VASTART"):  # fmt: skip
            return self.access(act, op, step, n)
        if op.name in ("OPAQUE", "ALLOCA", "LANDINGPAD"):
            assert op.effect is not None
            data = op.effect(self, [v for o, s, _ in op.items for v in self.values(act, o, s)])
            self.put(data)
            return _unpack(data, op.layout, op.slots)
        if op.name in ("MOVE", "EXTRACT"):
            start = op.number if op.name == "EXTRACT" else 0
            moved = self.values(act, op.a, start + op.x)[start:]
            return [mask(moved[0], op.bits)] if op.x == 1 and op.name == "MOVE" else moved
        if op.name == "SELECT":
            return self.values(act, op.b if self.value(act, op.a) & 1 else op.c, op.x)
        if op.name == "INSERT":
            whole, part = self.values(act, op.a, op.x), self.values(act, op.b, op.bits)
            return [*whole[: op.number], *part, *whole[op.number + op.bits :]]
        if op.name == "GEP":
            total = self.value(act, op.a) + op.number
            for operand, bits, scale in op.items:
                total += signed(self.value(act, operand), bits) * scale
            return [mask(total, 64)]
        if op.name == "GEPC":
            return [mask(self.value(act, op.a) + op.number, 64)]
        operands = [self.value(act, o) for o in (op.a, op.b, op.c) if o is not None]
        if _traps(op, operands):
            raise Crash
        return arithmetic(op, operands)

    def access(self, act: Activation, op: Op, step: Step, n: int) -> list[int] | None:
        leaves = op.layout or ((0, op.x),)
        slots = len(op.layout) or (op.x + 7) // 8
        local, definer = act.local, act.local_definer
        at = op.number
        if op.name == "LOAD":
            address = step.address = self.value(act, op.a)
            data = b"".join(self.read(address + o, size) for o, size in leaves)
            self.put(data)
            step.definers = []
            for offset, size in leaves:
                for i in range(offset, offset + size):
                    step.definers.append(
                        (i, self.definer_of(address + i, self.memory.get(address + i, 0)))
                    )
            for i, definer_of in step.definers:
                self.defined(address + i, 1, self.read(address + i, 1), definer_of)
            self.load_copied(address, op.x, n)
            return _unpack(data, op.layout, slots)
        if op.name == "STORE":
            address = step.address = self.value(act, op.b)
            values = self.values(act, op.a, slots)
            step.value = values[0]
            for offset, data in _spread(values, leaves, bool(op.layout)):
                self.write(address + offset, data)
                self.defined(address + offset, len(data), data, n)
            self.writes.append((address, n, op.x))
        elif op.name == "LLOAD":
            step.address = at
            data = b"".join(bytes(local[at + o : at + o + size]) for o, size in leaves)
            step.definers = [(i, definer[at + i]) for o, s in leaves for i in range(o, o + s)]
            self.load_copied(at, op.x, n)
            return _unpack(data, op.layout, slots)
        elif op.name == "LSTORE":
            step.address = at
            values = self.values(act, op.a, slots)
            step.value = values[0]
            for offset, data in _spread(values, leaves, bool(op.layout)):
                local[at + offset : at + offset + len(data)] = data
                definer[at + offset : at + offset + len(data)] = [n] * len(data)
        elif op.name == "LALLOCA":
            local[at : at + op.x] = bytes(op.x)
            definer[at : at + op.x] = [0] * op.x
        elif op.name == "LFILL":
            local[at : at + op.x] = bytes([self.value(act, op.a) & 255]) * op.x
            definer[at : at + op.x] = [n] * op.x
        elif op.name == "LCOPY":
            step.definers = [(i, definer[op.number2 + i]) for i in range(op.x)]
            self.copy_local(at, op.number2, n)
            local[at : at + op.x] = bytes(local[op.number2 : op.number2 + op.x])
            definer[at : at + op.x] = [n] * op.x
        elif op.name == "LCOPYOUT":
            address = step.address = self.value(act, op.a)
            step.definers = [(i, definer[at + i]) for i in range(op.x)]
            self.copy_local(address, at, n)
            data = bytes(local[at : at + op.x])
            self.write(address, data)
            self.defined(address, op.x, data, n)
            self.writes.append((address, n, op.x))
        elif op.name == "COPY":
            step.address = self.value(act, op.a)
            self.copy(step.address, self.value(act, op.b), self.value(act, op.c), n)
        elif op.name == "FILL":
            address = step.address = self.value(act, op.a)
            data = bytes([self.value(act, op.b) & 255]) * self.value(act, op.c)
            self.write(address, data)
            self.defined(address, len(data), data, n)
            self.effects.append((n, 2, None))
            self.writes.append((address, n, len(data)))
        elif op.name == "RMW":
            return self.exchange(act, op, step, n)
        return None

    def exchange(self, act: Activation, op: Op, step: Step, n: int) -> list[int]:
        """An atomic add; or, if `cases`, a cmpxchg that fails when the machine's step is odd."""
        address = step.address = self.value(act, op.a)
        old = self.read(address, op.x)
        fails = bool(op.cases) and n % 2 == 1
        self.put(old + (bytes([not fails]) if op.cases else b""))
        step.definers = [(i, self.definer_of(address + i, old[i])) for i in range(op.x)]
        for i, definer_of in step.definers:
            self.defined(address + i, 1, old[i : i + 1], definer_of)
        self.load_copied(address, op.x, n)
        value = int.from_bytes(old, "little")
        if not fails:
            self.write(address, mask(value + 1, 8 * op.x).to_bytes(op.x, "little"))
            self.defined(address, op.x, None, n)
            self.writes.append((address, n, op.x))
        return [value, int(not fails)] if op.cases else [value]


def _unpack(data: bytes, layout: tuple[tuple[int, int], ...], slots: int) -> list[int]:
    sizes = [size for _, size in layout] or [8] * slots
    found, at = [], 0
    for size in sizes:
        found.append(int.from_bytes(data[at : at + size], "little"))
        at += size
    return found


def _spread(
    values: list[int], leaves: tuple[tuple[int, int], ...], by_layout: bool
) -> list[tuple[int, bytes]]:
    if by_layout:
        return [
            (offset, v.to_bytes(8, "little")[:size])
            for v, (offset, size) in zip(values, leaves, strict=True)
        ]
    return [(0, b"".join(v.to_bytes(8, "little") for v in values)[: leaves[0][1]])]


def _checked(op: Op, result: list[int]) -> bytes:
    if op.name in ("ICMP", "FCMP"):
        size = 1
    elif op.name in ("GEP", "GEPC"):
        size = 8
    elif op.name in ("FPTRUNC", "FPEXT"):
        size = 4 if op.name == "FPTRUNC" else 8
    elif op.name == "LLOAD":
        size = op.x
    else:
        size = (op.bits + 7) // 8
    data = result[0].to_bytes(8, "little")[:size]
    return data + (bytes([result[1]]) if op.name == "OVERFLOW" else b"")


# --- arithmetic, in Python's own numbers ----------------------------------------------------------


def to_float(value: int, bits: int) -> float:
    if bits == 32:
        return float(struct.unpack("<f", struct.pack("<I", value))[0])
    return float(struct.unpack("<d", struct.pack("<Q", value))[0])


def of_float(value: float, bits: int) -> int:
    with np.errstate(all="ignore"):
        if bits == 32:
            return int(np.float32(value).view(np.uint32))
    return int(np.float64(value).view(np.uint64))


def arithmetic(op: Op, v: list[int]) -> list[int]:
    name, bits = op.name, op.bits
    if name in FLOATS:
        with np.errstate(all="ignore"):
            return [FLOATS[name](op, v)]
    if name == "OVERFLOW":
        a, b = v if op.number % 2 else [signed(x, bits) for x in v]
        exact = [a + b, a + b, a - b, a - b, a * b, a * b][op.number]
        low = mask(exact, bits)
        return [low, int(exact != (low if op.number % 2 else signed(low, bits)))]
    return [mask(INTEGERS[name](op, *v), bits if name not in ("ICMP",) else 1)]


def _traps(op: Op, v: list[int]) -> bool:
    if op.name not in ("UDIV", "SDIV", "UREM", "SREM"):
        return False
    least = -(1 << op.bits - 1), -1
    signs = tuple(signed(x, op.bits) for x in v)
    return v[1] == 0 or (op.name[0] == "S" and op.bits > 1 and signs == least)


def _divide(op: Op, a: int, b: int) -> int:
    if op.name[0] == "U":
        return a // b if op.name == "UDIV" else a % b
    x, y = signed(a, op.bits), signed(b, op.bits)
    quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    return quotient if op.name == "SDIV" else x - quotient * y


def _icmp(op: Op, a: int, b: int) -> int:
    x, y = signed(a, op.bits), signed(b, op.bits)
    return int(
        [a == b, a != b, a > b, a >= b, a < b, a <= b, x > y, x >= y, x < y, x <= y][op.number]
    )


def _funnel(op: Op, a: int, b: int, c: int) -> int:
    n, both = c % op.bits, a << op.bits | b
    return both >> (op.bits - n) if op.name == "FSHL" else both >> n


def _digits(op: Op, a: int) -> str:
    return f"{a:0{op.bits}b}"


INTEGERS: dict[str, Callable[..., int]] = {
    "ADD": lambda _, a, b: a + b, "SUB": lambda _, a, b: a - b, "MUL": lambda _, a, b: a * b,
    "UDIV": _divide, "SDIV": _divide, "UREM": _divide, "SREM": _divide,
    "SHL": lambda o, a, b: a << b if b < o.bits else 0,
    "LSHR": lambda o, a, b: a >> b if b < o.bits else 0,
    "ASHR": lambda o, a, b: signed(a, o.bits) >> b if b < o.bits else 0,
    "AND": lambda _, a, b: a & b, "OR": lambda _, a, b: a | b, "XOR": lambda _, a, b: a ^ b,
    "ICMP": _icmp, "TRUNC": lambda _, a: a, "SEXT": lambda o, a: signed(a, o.number),
    "ABS": lambda o, a: abs(signed(a, o.bits)),
    "SMAX": lambda o, a, b: max(signed(a, o.bits), signed(b, o.bits)),
    "SMIN": lambda o, a, b: min(signed(a, o.bits), signed(b, o.bits)),
    "UMAX": lambda _, a, b: max(a, b), "UMIN": lambda _, a, b: min(a, b),
    "CTPOP": lambda _, a: a.bit_count(), "FSHL": _funnel, "FSHR": _funnel,
    "CTLZ": lambda o, a: _digits(o, a).index("1") if a else o.bits,
    "CTTZ": lambda o, a: _digits(o, a)[::-1].index("1") if a else o.bits,
    "BITREVERSE": lambda o, a: int(_digits(o, a)[::-1], 2),
    "BSWAP": lambda o, a: int.from_bytes(a.to_bytes(o.bits // 8, "little"), "big"),
}  # fmt: skip


def _fbinary(op: Op, v: list[int]) -> int:
    kind = np.float32 if op.bits == 32 else np.float64
    a, b = (kind(to_float(x, op.bits)) for x in v)
    if op.name == "FREM":
        return of_float(float(np.fmod(a, b)), op.bits)
    done = {"FADD": np.add, "FSUB": np.subtract, "FMUL": np.multiply, "FDIV": np.divide}
    return of_float(float(done[op.name](a, b)), op.bits)


def _fcmp(op: Op, v: list[int]) -> int:
    a, b = (to_float(x, op.bits) for x in v)
    unordered = math.isnan(a) or math.isnan(b)
    if op.number in (7, 8):
        return int(unordered == (op.number == 8))
    names = [0, a == b, a > b, a >= b, a < b, a <= b, a != b]
    if op.number < 7:
        return int(bool(names[op.number]) and not unordered)
    return int(unordered or bool(op.number == 15 or names[op.number - 8]))


def _cut(value: float, bits: int) -> int:
    """Convert as cvttsd2si does: a value that does not fit becomes the smallest number."""
    fits = math.isfinite(value) and -(1 << bits - 1) <= int(value) < 1 << bits - 1
    return int(value) if fits else -(1 << bits - 1)


def _to_int(op: Op, v: list[int]) -> int:
    value = to_float(v[0], op.number)
    if op.name == "FPTOSI":
        return mask(_cut(value, 64 if op.bits > 32 else 32), op.bits)
    if op.bits <= 32:
        return mask(_cut(value, 64 if op.bits == 32 else 32), op.bits)
    low, high = _cut(value, 64), _cut(value - 2.0**63, 64)
    return mask(high & (low >> 63) | low, op.bits)


def _of_int(op: Op, v: list[int]) -> int:
    value = signed(v[0], op.number) if op.name == "SITOFP" else v[0]
    whole = np.uint64(value) if value >= 0 else np.int64(value)
    return of_float(float(np.float32(whole) if op.bits == 32 else np.float64(whole)), op.bits)


def _funary(op: Op, v: list[int]) -> int:
    kind = np.float32 if op.bits == 32 else np.float64
    done = {
        "SQRT": np.sqrt,
        "FLOOR": np.floor,
        "CEIL": np.ceil,
        "TRUNCF": np.trunc,
        "RINT": np.rint,
    }
    return of_float(float(done[op.name](kind(to_float(v[0], op.bits)))), op.bits)


FLOATS: dict[str, Callable[[Op, list[int]], int]] = {
    **dict.fromkeys(("FADD", "FSUB", "FMUL", "FDIV", "FREM"), _fbinary),
    **dict.fromkeys(("SQRT", "FLOOR", "CEIL", "TRUNCF", "RINT"), _funary),
    **dict.fromkeys(("FPTOUI", "FPTOSI"), _to_int), **dict.fromkeys(("UITOFP", "SITOFP"), _of_int),
    "FCMP": _fcmp, "FNEG": lambda o, v: v[0] ^ 1 << (o.bits - 1),
    "FABS": lambda o, v: v[0] & ~(1 << (o.bits - 1)),
    "COPYSIGN": lambda o, v: v[0] & ~(1 << (o.bits - 1)) | v[1] & 1 << (o.bits - 1),
    "FPTRUNC": lambda _, v: of_float(to_float(v[0], 64), 32),
    "FPEXT": lambda _, v: of_float(to_float(v[0], 32), 64),
}  # fmt: skip
