"""A machine that runs small programs slowly and records everything about the run: the oracle.

It knows nothing about tables or the kernel.  Programs are plain values (Function, Op).  `Machine`
executes them with real memory and writes the log as instrumented code would.  It notes each step
with its value and, by brute force from the definitions, the definers of what it read and its
controlling branch.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.frontend.replay.arithmetic import arithmetic, mask, signed, traps


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
        if traps(op, operands):
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
