"""Random small programs, run by an interpreter that knows every dependence by definition.

`generate` makes a program (if, loops of all kinds, early returns, recursion, cells of memory that
overlap, copies, external calls that read, write and call back).  It has no values: the branches
are decided by chance.  `run` runs it for some steps and writes the columns of the stream, and
beside them the truth, from its own registers and memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

import numpy as np

from whence.program.rows import (
    ACTIVATION,
    ALLOC,
    COPY,
    EFFECT,
    INPUT,
    MIXED,
    OUTPUT,
    READ,
    RUN,
    WRITE,
    WRITTEN,
)
from whence.trace.columns import (
    BRANCH,
    CALL,
    DIRECT,
    IN_MEMORY,
    LINK,
    NONE,
    PARAMETER,
    PHI,
    PLAIN,
    RETURN,
    Code,
    Stream,
)
from whence.trace.queries import Part

# --- programs --------------------------------------------------------------------------------

DEPTH = 150  # so many activations, or Python's own stack would end
KINDS = ("plain", "load", "load", "store", "store", "copy", "local copy", "exchange")
PIECE = -OUTPUT  # of what was printed into memory
CELLS = 12  # bytes of global memory, and of each activation's own


@dataclass(frozen=True)
class Parameter:
    number: int


@dataclass(eq=False, repr=False)
class Op:
    name: str
    kind: int = PLAIN
    uses: list[Value] = field(default_factory=list)
    ways: list[Block] = field(default_factory=list)  # of a phi, beside uses
    link: bool = False
    place: Place = (0, 0)
    source: Place = (0, 0)
    size: int = 0
    callee: Function | None = None
    target: int = 0  # the same by its place, for `straight`
    effects: list[tuple[int, Place, Place, int, int]] = field(default_factory=list)
    callbacks: list[Function] = field(default_factory=list)
    late: int = 0  # so many of the effects come after the callbacks
    targets: list[Block] = field(default_factory=list)
    number: int = -1


Value = Op | Parameter | None
Place = tuple[int, int]  # 0 global or 1 local, offset


@dataclass(eq=False, repr=False)
class Block:
    ops: list[Op] = field(default_factory=list)
    number: int = -1
    first_stretch: int = -1
    after: Block | None = None  # its immediate post-dominator; None: the exit


@dataclass(eq=False, repr=False)
class Function:
    params: int
    blocks: list[Block] = field(default_factory=list)
    number: int = -1


def generate(random: Random) -> list[Function]:
    """A program; its first function is where it starts."""
    functions = [Function(random.randrange(4)) for _ in range(random.randint(1, 4))]
    for function in functions:
        _Writer(random, function, functions).write()
        _post_dominate(function)
    return functions


class _Writer:
    def __init__(self, random: Random, function: Function, functions: list[Function]) -> None:
        self.random = random
        self.function = function
        self.functions = functions
        self.leaf = function is not functions[0] and random.random() < 0.7  # calls none of ours
        self.loops: list[tuple[Block, Block]] = []  # where continue and break go
        self.at: Block | None = None

    def write(self) -> None:
        self.at = self.block()
        scope: list[Value] = [Parameter(k) for k in range(self.function.params)]
        self.statements(scope, 3)
        if self.at:
            self.add(Op("ret", RETURN, [self.pick(scope)]))
        entry, *others = self.function.blocks
        self.random.shuffle(others)  # where a block lies says nothing of when it runs
        self.function.blocks = [entry, *others]

    def block(self) -> Block:
        self.function.blocks.append(Block())
        return self.function.blocks[-1]

    def add(self, op: Op) -> Op:
        assert self.at
        self.at.ops.append(op)
        return op

    def jump(self, *targets: Block, on: Value = None) -> None:
        kind = BRANCH if len(targets) > 1 else PLAIN
        self.add(Op("jump", kind, [on] if len(targets) > 1 else [], targets=list(targets)))
        self.at = None

    def pick(self, scope: Sequence[Value]) -> Value:
        return self.random.choice([None, *scope, *scope[-2:]])

    def place(self, size: int) -> Place:
        return self.random.randrange(2), self.random.randrange(CELLS - size + 1)

    def statements(self, scope: list[Value], depth: int) -> None:
        for _ in range(self.random.randint(1, 4)):
            if self.at is None:
                return
            kinds: list[Callable[[list[Value], int], None]] = [self.simple] * 4
            kinds += [self.call, self.external, self.invoke, self.leave]
            if depth:
                kinds += [self.branch] * 2 + [self.loop, self.turn, self.endless]
            self.random.choice(kinds)(scope, depth - 1)

    def simple(self, scope: list[Value], _: int) -> None:
        size = self.random.randint(1, 4)
        uses = [self.pick(scope) for _ in range(self.random.randrange(3))]
        name = self.random.choice(KINDS)
        op = Op(name, PLAIN, uses, place=self.place(size), source=self.place(size), size=size)
        op.link = name in ("load", "exchange", "local copy")
        self.add(op)
        if name not in ("store", "copy", "local copy"):
            scope.append(op)

    def call(self, scope: list[Value], _: int) -> None:
        if self.leaf:
            self.external(scope, 0)
            return
        callee = self.random.choice(self.functions)
        given = max(0, callee.params + self.random.choice([0, 0, 0, -1, 1]))
        uses = [self.pick(scope) for _ in range(given)]
        target = self.pick(scope) if self.random.random() < 0.3 else None
        op = Op("call", CALL, [*uses, target], callee=callee)
        if self.random.random() < 0.3:
            kind = self.random.choice([WRITE, COPY])
            op.effects = [(kind, self.place(2), self.place(2), 2, -1)]
        scope.append(self.add(op))

    def external(self, scope: list[Value], _: int) -> None:
        uses = [self.pick(scope) for _ in range(self.random.randrange(3))]
        op = Op("external", CALL, [*uses, self.pick(scope)])
        for _ in range(self.random.randrange(4)):
            kind = self.random.choice([READ, WRITE, COPY, INPUT, OUTPUT, PIECE, ALLOC])
            size = self.random.randint(1, 6)
            argument = self.random.randrange(-1, len(uses))
            place = self.place(size)
            if kind == PIECE:
                op.effects.append((WRITE, place, (0, 0), size, -1))
            op.effects.append((kind, place, self.place(size), size, argument))
            if kind == ALLOC:
                op.effects.append((COPY, place, self.place(size), size, -1))
        if not self.leaf and self.random.random() < 0.4:
            op.callbacks = self.random.choices(
                self.functions[1:] or self.functions, k=self.random.randint(1, 2)
            )
        op.late = self.random.randrange(len(op.effects) + 1)
        scope.append(self.add(op))

    def invoke(self, scope: list[Value], depth: int) -> None:
        """A call that ends its block; what comes after may take from there."""
        self.random.choice([self.call, self.external])(scope, depth)
        assert self.at
        before, after = self.at, self.block()
        before.ops[-1].targets = [after]
        self.at = after
        scope.append(self.add(Op("phi", PHI, [self.pick(scope)], [before])))

    def leave(self, scope: list[Value], _: int) -> None:
        """Return, break or continue; mostly nothing, or little would run."""
        chance = self.random.random()
        if chance < 0.15:
            self.add(Op("ret", RETURN, [self.pick(scope)]))
            self.at = None
        elif chance < 0.5 and self.loops:
            self.jump(self.random.choice(self.random.choice(self.loops)))

    def branch(self, scope: list[Value], depth: int) -> None:
        arms = [self.block() for _ in range(self.random.choice([1, 2, 2, 3]))]
        join = self.block()
        assert self.at
        ways: list[Block] = []
        values: list[Value] = []
        if len(arms) == 1:
            ways.append(self.at)
            values.append(self.pick(scope))
        self.jump(*arms, *([join] if len(arms) == 1 else []), on=self.pick(scope))
        for arm in arms:
            self.at = arm
            inner = list(scope)
            self.statements(inner, depth)
            if self.at:
                ways.append(self.at)
                values.append(self.pick(inner))
                self.jump(join)
        if not ways:
            self.function.blocks.remove(join)
            return
        self.at = join
        if self.random.random() < 0.7:
            scope.append(self.add(Op("phi", PHI, values, ways)))

    def loop(self, scope: list[Value], depth: int) -> None:
        """while: the phis of its head take turns."""
        head, body, out = self.block(), self.block(), self.block()
        assert self.at
        # Jumps to the head from inside take nothing: their way is not among the phi's.
        phi = Op("phi", PHI, [self.pick(scope)], [self.at])
        self.jump(head)
        self.at = head
        inner = [*scope, self.add(phi)]
        if self.random.random() < 0.5:
            self.simple(inner, 0)
        if self.random.random() < 0.2:
            self.external(inner, 0)
        self.jump(body, out, on=self.pick(inner))
        self.at = body
        self.loops.append((head, out))
        within = list(inner)
        self.statements(within, depth)
        self.loops.pop()
        if self.at:
            phi.uses.append(self.pick(within))
            phi.ways.append(self.at)
            self.jump(head)
        self.at = out
        scope[:] = inner

    def turn(self, scope: list[Value], _: int) -> None:
        """do-while in one block, which comes from itself."""
        body, out = self.block(), self.block()
        assert self.at
        phi, other = (
            Op("phi", PHI, [self.pick(scope)], [self.at]),
            Op("phi", PHI, [None], [self.at]),
        )
        self.jump(body)
        self.at = body
        scope += [self.add(phi), self.add(other)]
        for _ in range(self.random.randint(1, 3)):
            self.random.choice([self.simple, self.simple, self.external, self.call])(scope, 0)
        phi.uses.append(self.pick(scope))
        other.uses.append(phi)
        phi.ways.append(body)
        other.ways.append(body)
        self.jump(body, out, on=self.pick(scope))
        self.at = out

    def endless(self, scope: list[Value], depth: int) -> None:
        """for (;;): only a break or return leaves it; the end of the run does as well."""
        if self.random.random() < 0.7:
            return  # too many runs would end in one
        body, out = self.block(), self.block()
        self.jump(body)
        self.at = body
        self.loops.append((body, out))
        inner = list(scope)
        self.statements(inner, depth)
        self.loops.pop()
        if self.at:
            self.jump(body)
        self.at = out


def _post_dominate(function: Function) -> None:
    """Set `after` of each block, by what lies on all ways to the exit."""
    blocks = function.blocks
    after = {block: set(blocks) for block in blocks}
    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            targets = block.ops[-1].targets
            common = set.intersection(*(after[t] for t in targets)) if targets else set[Block]()
            if common | {block} != after[block]:
                after[block] = common | {block}
                changed = True
    leaving = _reach_exit(blocks)
    for block in blocks:
        strict = after[block] - {block} if block in leaving else set[Block]()
        block.after = max(strict & leaving, key=lambda b: len(after[b]), default=None)


def _reach_exit(blocks: list[Block]) -> set[Block]:
    found = {block for block in blocks if not block.ops[-1].targets}
    while more := {b for b in blocks if b not in found and found & set(b.ops[-1].targets)}:
        found |= more
    return found


# --- code ------------------------------------------------------------------------------------


def _stretches(block: Block) -> Iterator[list[Op]]:
    current: list[Op] = []
    for op in block.ops:
        current.append(op)
        if op.kind == CALL:
            yield current
            current = []
    if current:
        yield current


def code_of(functions: list[Function]) -> Code:
    """Number everything, and write the static tables."""
    ops: list[Op] = []
    stretches: list[tuple[int, int, int, int]] = []
    blocks: list[tuple[int, int, int]] = []
    spans: list[tuple[int, int, int, int]] = []
    for number, function in enumerate(functions):
        function.number = number
        span = (len(blocks), len(function.blocks), len(ops))
        for block in function.blocks:
            block.number, block.first_stretch = len(blocks), len(stretches)
            for stretch in _stretches(block):
                links = sum(op.link for op in stretch)
                stretches.append((len(ops), len(stretch), links, block.number))
                for op in stretch:
                    op.number = len(ops)
                    ops.append(op)
            blocks.append((block.first_stretch, len(stretches) - block.first_stretch, number))
        spans.append((*span, len(ops) - span[2]))
    u32 = np.uint32
    uses = [(_use(v), w) for op in ops for v, w in _ways(op)]
    starts = np.cumsum([0, *(len(op.uses) for op in ops)])
    s, b, f = (np.array(table, u32).T.copy() for table in (stretches, blocks, spans))
    return Code(
        use_start=starts.astype(u32),
        use_def=np.array([use for use, _ in uses], u32),
        use_block=np.array([way for _, way in uses], u32),
        kind=np.array([op.kind for op in ops], np.uint8),
        flags=np.array([LINK * op.link for op in ops], np.uint8),
        stretch_first_op=s[0],
        stretch_ops=s[1],
        stretch_links=s[2],
        stretch_block=s[3],
        block_first_stretch=b[0],
        block_stretches=b[1],
        block_function=b[2],
        function_first_block=f[0],
        function_blocks=f[1],
        function_first_op=f[2],
        function_ops=f[3],
        names=tuple(f"f{number}" for number in range(len(functions))),
    )


def _use(value: Value) -> int:
    if value is None:
        return NONE
    return PARAMETER | value.number if isinstance(value, Parameter) else value.number


def _ways(op: Op) -> Iterator[tuple[Value, int]]:
    for k, value in enumerate(op.uses):
        yield value, op.ways[k].number if op.ways else NONE


# --- runs ------------------------------------------------------------------------------------

# A step and what of it; with an address: of what it copied, only the byte that it copied there.
Node = tuple[int, Part] | tuple[int, Part, int]
Runs = list[tuple[int, int, int]]  # offset, length, step


@dataclass(frozen=True)
class Made:
    """What the bytes of an effect are made of."""

    bytes_: list[Node]  # one for each byte read
    uses: list[list[Node]]  # of the op, one for each operand
    argument: int


@dataclass
class Truth:
    """What is so, by definition; steps are the keys."""

    data: dict[Node, list[Node]] = field(default_factory=lambda: defaultdict(list))
    control: dict[int, int] = field(default_factory=dict)
    activation: dict[int, int] = field(default_factory=dict)
    instance: dict[int, int] = field(default_factory=dict)
    op: dict[int, int] = field(default_factory=dict)
    loads: dict[int, int] = field(default_factory=dict)  # the earliest definition
    effects: dict[int, Made] = field(default_factory=dict)  # by row of the column


@dataclass
class _Frame:
    activation: int
    call: int
    params: list[list[Node]]
    registers: dict[Op, int] = field(default_factory=dict)
    regions: list[tuple[int, Block | None]] = field(default_factory=list)


class _End(Exception):
    """The run has had its steps."""


class _Run:
    def __init__(self, random: Random, code: Code, limit: int) -> None:
        self.random, self.code, self.limit = random, code, limit
        self.truth = Truth()
        self.step = 0
        self.memory: dict[int, int] = defaultdict(int)
        self.instances: list[tuple[int, int, int, int]] = []
        self.links: list[tuple[int, int]] = []  # link, its step
        self.mixed: list[int] = []
        self.runs: Runs = []
        self.activations: list[list[int]] = [[0] * 8]
        self.effects: list[tuple[int, ...]] = []
        self.writes: list[tuple[int, int, int]] = []
        self.copied: list[tuple[int, int, int]] = []
        self.copies: set[int] = set()
        # For each step, what it depends on besides the bytes it copied; and these, by address.
        self.besides: dict[int, list[Node]] = defaultdict(list)
        self.sources: dict[tuple[int, int], list[Node]] = defaultdict(list)
        # The pieces that a step printed, as it says: argument, where, how many bytes.
        self.pieces: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        # Where it allocated memory; and what it copied where, if only its result is meant.
        self.allocated: dict[int, set[int]] = defaultdict(set)
        self.moved: list[tuple[int, Part, int, list[Node]]] = []
        self.given: dict[int, list[list[Node]]] = {}

    def function(
        self, function: Function, call: int, parent: int, params: list[list[Node]], flags: int
    ) -> int:
        """Run it and return the step of its return."""
        number, first = len(self.activations), len(self.instances)
        depth = self.activations[parent][7] + 1
        self.activations.append([function.number, parent, call, first, first, 0, flags, depth])
        frame = _Frame(number, call, params)
        block, before = function.blocks[0], None
        try:
            while True:
                follower = self.block(block, before, frame)
                if follower is None:
                    self.activations[number][5] = self.step
                    return self.step
                block, before = follower, block
        finally:
            self.activations[number][4] = len(self.instances) - 1

    def block(self, block: Block, before: Block | None, frame: _Frame) -> Block | None:
        while frame.regions and frame.regions[-1][1] is block:
            frame.regions.pop()
        control = frame.regions[-1][0] if frame.regions else frame.call
        incoming = dict(frame.registers)  # phis take all at once
        fresh, stretch = True, block.first_stretch
        for op in block.ops:
            if self.step == self.limit:
                raise _End
            if fresh:
                self.instances.append((stretch, self.step + 1, frame.activation, control))
            self.step += 1
            self.truth.control[self.step] = control
            self.truth.activation[self.step] = frame.activation
            self.truth.instance[self.step] = len(self.instances) - 1
            self.truth.op[self.step] = op.number
            step = self.step
            if op.kind == PHI:
                for value, way in zip(op.uses, op.ways, strict=True):
                    if way is before:
                        self.depend(step, self.nodes(value, frame, incoming))
            elif op.kind == CALL:
                self.call(op, frame)
            else:
                self.plain(op, frame)
            frame.registers[op] = step
            fresh = op.kind == CALL
            stretch += fresh
        if not op.targets:
            return None
        target = self.random.choice(op.targets)
        if op.kind == BRANCH:
            frame.regions.append((self.step, block.after))
        return target

    def plain(self, op: Op, frame: _Frame) -> None:
        step = self.step
        uses = [self.nodes(value, frame) for value in op.uses]
        for nodes in uses:
            self.depend(step, nodes)
        place, source = (self.address(p, frame) for p in (op.place, op.source))
        if op.name == "local copy":
            self.local_copy(op, place, source, step, uses)
        elif op.link:
            runs = self.readers(place, op.size)
            self.links.append((self.link(runs), step))
            self.truth.loads[step] = min(definer for _, _, definer in runs)
            if any(definer in self.copies for *_, definer in runs):
                self.copied.append((place, step, op.size))
                self.depend(step, self.bytes_of(place, runs))
            else:
                self.depend(step, [(definer, Part.ARGUMENTS) for _, _, definer in runs])
        if op.name == "copy":
            self.effect(COPY, place, source, op.size, -1, step, uses)
        elif op.name in ("store", "exchange"):
            self.write(place, op.size, step)

    def local_copy(
        self, op: Op, at: int, origin: int, step: int, uses: list[list[Node]]
    ) -> None:  # fmt: skip
        """A copy that has a link, and rows of `effects` only if the link does not say it all."""
        runs = self.readers(origin, op.size)
        self.links.append((self.link(runs), step))
        self.truth.loads[step] = min(definer for _, _, definer in runs)
        if len(runs) > 1 or runs[0][2] in self.copies:
            self.effect(COPY, at, origin, op.size, -1, step, uses)
        else:
            self.depend(step, [(runs[0][2], Part.ARGUMENTS)])
            self.write(at, op.size, step)

    def call(self, op: Op, frame: _Frame) -> None:
        step = self.step
        uses = [self.nodes(value, frame) for value in op.uses]
        *given, callee = uses
        everything = [node for nodes in given for node in nodes]
        self.depend(step, callee)
        cut = self.step == self.limit or len(self.activations) > DEPTH
        if op.callee and not cut:
            self.depend(step, everything, [Part.ARGUMENTS])
            for effect in op.effects:
                self.model(effect, step, frame, uses, [Part.ARGUMENTS])
            params: list[list[Node]] = [
                [(step, Part.ENTRY), *given[k]] if k < len(given) else [(step, Part.ARGUMENTS)]
                for k in range(op.callee.params)
            ]
            result = self.function(op.callee, step, frame.activation, params, DIRECT)
            self.truth.data[(step, Part.VALUE)].append((result, Part.VALUE))
            return
        for part in Part:
            self.truth.data[(step, part)] += everything
        self.given[step] = given
        early = len(op.effects) - op.late
        for effect in op.effects[:early]:
            self.model(effect, step, frame, uses)
        if cut:
            raise _End  # nothing is known of what it would have entered
        for callback in op.callbacks:
            entry: list[list[Node]] = [[(step, Part.ENTRY)] for _ in range(callback.params)]
            self.function(callback, step, frame.activation, entry, 0)
        for effect in op.effects[early:]:
            self.model(effect, step, frame, uses)

    def model(
        self,
        effect: tuple[int, Place, Place, int, int],
        step: int,
        frame: _Frame,
        uses: list[list[Node]],
        parts: Iterable[Part] = Part,
    ) -> None:
        kind, place, source, size, argument = effect
        at, origin = self.address(place, frame), self.address(source, frame)
        self.effect(kind, at, origin, size, argument, step, uses, parts)

    def effect(
        self,
        kind: int,
        at: int,
        origin: int,
        size: int,
        arg: int,
        step: int,
        uses: list[list[Node]],
        parts: Iterable[Part] = Part,
    ) -> None:
        runs: Runs = []
        bytes_: list[Node] = []
        if kind in (READ, COPY, OUTPUT):
            read = origin if kind == COPY else at
            runs = self.readers(read, size)
            bytes_ = self.bytes_of(read, runs)
            for part in parts:
                if kind == COPY and part is not Part.ARGUMENTS:
                    self.moved.append((step, part, at, bytes_))
                else:
                    self.truth.data[(step, part)] += bytes_
        if kind == ALLOC:
            self.allocated[step].add(at)
        if kind == PIECE:
            self.copies.add(step)
            self.pieces[step].append((arg, at, size))
        if kind == COPY:
            self.copies.add(step)
            for offset, node in enumerate(bytes_):
                self.sources[step, at + offset].append(node)
        else:
            self.besides[step] += bytes_
        if kind in (WRITE, COPY, INPUT):
            self.write(at, size, step)
        self.truth.effects[len(self.effects)] = Made(bytes_, uses, arg)
        source = IN_MEMORY if kind == PIECE else 7
        row = (step, abs(kind), 0, 0, source, arg, at, origin, size, 3, len(self.runs), len(runs))
        self.effects.append(row)
        self.runs += runs

    def bytes_of(self, address: int, runs: Runs) -> list[Node]:
        """Who defined each byte, and where it lay."""
        return [
            (definer, Part.ARGUMENTS, address + offset + k)
            for offset, size, definer in runs
            for k in range(size)
        ]

    def depend(self, step: int, nodes: list[Node], parts: Iterable[Part] = Part) -> None:
        self.besides[step] += nodes
        for part in parts:
            self.truth.data[(step, part)] += nodes

    def settle(self) -> None:
        """Now that it is known who copied: a byte of another step is all of that step."""
        truth = self.truth
        for step, part, at, bytes_ in self.moved:
            if self.pieces[step] or at not in self.allocated[step]:
                truth.data[(step, part)] += bytes_
        for made in truth.effects.values():
            made.bytes_[:] = self.settled(made.bytes_)
        for node in list(truth.data):
            truth.data[node] = self.settled(truth.data[node])
        wanted = {node for nodes in truth.data.values() for node in nodes if len(node) == 3}
        while wanted:
            step, _, address = node = wanted.pop()
            given = self.printed(step, address)
            found = self.settled(self.besides[step] + given + self.sources[step, address])
            truth.data[node] = found
            wanted |= {node for node in found if len(node) == 3 and node not in truth.data}

    def printed(self, step: int, address: int) -> list[Node]:
        """The arguments of a call, but for those that only other bytes were printed from."""
        named = {argument for argument, _, _ in self.pieces[step]}
        here = {k for k, at, size in self.pieces[step] if at <= address < at + size}
        kept = [n for k, n in enumerate(self.given.get(step, [])) if k not in named or k in here]
        return [node for nodes in kept for node in nodes]

    def settled(self, nodes: list[Node]) -> list[Node]:
        return [node if node[0] in self.copies else node[:2] for node in nodes]

    def nodes(
        self, value: Value, frame: _Frame, registers: dict[Op, int] | None = None
    ) -> list[Node]:
        if value is None:
            return []
        if isinstance(value, Parameter):
            return frame.params[value.number]
        return [((frame.registers if registers is None else registers)[value], Part.VALUE)]

    def address(self, place: Place, frame: _Frame) -> int:
        local, offset = place
        return (100_000 + 100 * frame.activation if local else 1000) + offset

    def readers(self, address: int, size: int) -> Runs:
        runs: Runs = []
        for offset in range(size):
            definer = self.memory[address + offset]
            if runs and runs[-1][2] == definer:
                runs[-1] = (runs[-1][0], runs[-1][1] + 1, definer)
            else:
                runs.append((offset, 1, definer))
        return runs

    def link(self, runs: Runs) -> int:
        if len(runs) == 1:
            return runs[0][2]
        self.mixed += [len(self.runs), len(runs)]
        self.runs += runs
        return MIXED + len(self.mixed) // 2 - 1

    def write(self, address: int, size: int, step: int) -> None:
        self.writes.append((address, step, size))
        self.memory.update(dict.fromkeys(range(address, address + size), step))

    def stream(self) -> Stream:
        u32 = np.uint32
        stretch, first, activation, control = np.array(self.instances, u32).T.copy()
        steps = [step for _, step in self.links]
        starts = first[::64]
        every = np.arange(0, self.step + 1, 64)
        return Stream(
            code=self.code,
            steps=self.step,
            stretch=stretch,
            first=first,
            activation=activation,
            control=control,
            links=np.array([link for link, _ in self.links], u32),
            linkbase=np.searchsorted(steps, starts).astype(np.uint64),
            instmap=np.maximum(np.searchsorted(first, every, "right") - 1, 0).astype(u32),
            mixed=np.array(self.mixed, u32),
            runs=np.array(self.runs, RUN),
            activations=np.array([tuple(row) for row in self.activations], ACTIVATION),
            effects=np.array(self.effects, EFFECT),
            writes=np.array(self.writes, WRITTEN),
            copied=np.array(self.copied, WRITTEN),
        )


@dataclass(frozen=True)
class Sample:
    """A program, a run of it, and the truth about the run."""

    functions: list[Function]
    stream: Stream
    truth: Truth


def sample(seed: int, limit: int = 250) -> Sample:
    """The program and run of this seed; the run ends after `limit` steps, wherever it is."""
    random = Random(seed)
    return run(generate(random), random, limit, limit // 2)


def run(functions: list[Function], random: Random, limit: int, enough: int = 1) -> Sample:
    """Call the first function as the outside would, and again until there are `enough` steps."""
    trace = _Run(random, code_of(functions), limit)
    try:
        while trace.step < enough:
            trace.function(functions[0], 0, 0, [[] for _ in range(functions[0].params)], 0)
    except _End:
        pass
    trace.settle()
    return Sample(functions, trace.stream(), trace.truth)


def straight(*functions: tuple[int, list[Op]]) -> Sample:
    """The run of the first function; they have parameters and ops, but no branches."""
    made = [Function(params, [Block(ops)]) for params, ops in functions]
    for op in [op for function in made for op in function.blocks[0].ops]:
        op.callee = made[op.target] if op.target else None
    return run(made, Random(0), 1000)
