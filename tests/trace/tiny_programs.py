"""Random small programs for the tests of slices and queries.

`generate` makes a program with ifs, loops of all kinds, early returns, recursion, overlapping
cells of memory, copies, and external calls that read, write and call back.  It computes no values:
the interpreter in `tiny_runs` decides its branches by chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

import numpy as np

from whence.program.rows import ALLOC, COPY, INPUT, OUTPUT, READ, WRITE
from whence.trace.columns import BRANCH, CALL, LINK, NONE, PARAMETER, PHI, PLAIN, RETURN, Code

KINDS = ("plain", "load", "load", "store", "store", "copy", "local copy", "exchange")
PIECE = -OUTPUT  # kind of an effect: a piece of text printed into memory
CELLS = 12  # bytes of global memory, and of the memory of each activation


@dataclass(frozen=True)
class Parameter:
    number: int


@dataclass(eq=False, repr=False)
class Op:
    name: str
    kind: int = PLAIN
    uses: list[Value] = field(default_factory=list)
    ways: list[Block] = field(default_factory=list)  # for a phi: the block of each use
    link: bool = False
    place: Place = (0, 0)
    source: Place = (0, 0)
    size: int = 0
    callee: Function | None = None
    target: int = 0  # for `straight`: the callee, by its place in the list of functions
    effects: list[tuple[int, Place, Place, int, int]] = field(default_factory=list)
    callbacks: list[Function] = field(default_factory=list)
    late: int = 0  # the number of effects that come after the callbacks
    targets: list[Block] = field(default_factory=list)
    number: int = -1


Value = Op | Parameter | None
Place = tuple[int, int]  # (0 for global or 1 for local memory, offset)


@dataclass(eq=False, repr=False)
class Block:
    ops: list[Op] = field(default_factory=list)
    number: int = -1
    first_stretch: int = -1
    after: Block | None = None  # the immediate post-dominator; None: the exit


@dataclass(eq=False, repr=False)
class Function:
    params: int
    blocks: list[Block] = field(default_factory=list)
    number: int = -1


def generate(random: Random) -> list[Function]:
    """Return a program; it starts with its first function."""
    functions = [Function(random.randrange(4)) for _ in range(random.randint(1, 4))]
    for function in functions:
        _Writer(random, function, functions).write()
        _post_dominate(function)
    return functions


class _Writer:
    """Writes the body of one function."""

    def __init__(self, random: Random, function: Function, functions: list[Function]) -> None:
        self.random = random
        self.function = function
        self.functions = functions
        self.leaf = function is not functions[0] and random.random() < 0.7  # no calls
        self.loops: list[tuple[Block, Block]] = []  # the targets of continue and break
        self.at: Block | None = None  # the block being written; None after a jump

    def write(self) -> None:
        self.at = self.block()
        scope: list[Value] = [Parameter(k) for k in range(self.function.params)]
        self.statements(scope, 3)
        if self.at:
            self.add(Op("ret", RETURN, [self.pick(scope)]))
        entry, *others = self.function.blocks
        self.random.shuffle(others)  # the number of a block must not tell when it runs
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
                kinds += [self.branch] * 2 + [self.loop, self.do_while, self.endless]
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
        """Write a call that ends its block; a phi of the next block may use its value."""
        self.random.choice([self.call, self.external])(scope, depth)
        assert self.at
        before, after = self.at, self.block()
        before.ops[-1].targets = [after]
        self.at = after
        scope.append(self.add(Op("phi", PHI, [self.pick(scope)], [before])))

    def leave(self, scope: list[Value], _: int) -> None:
        """Write a return, break or continue; mostly nothing, so that runs are long enough."""
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
        """Write a while loop with a phi at its head."""
        head, body, out = self.block(), self.block(), self.block()
        assert self.at
        # The phi has no use for a `continue`: it then takes no value.
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

    def do_while(self, scope: list[Value], _: int) -> None:
        """Write a do-while loop of one block, which is its own predecessor."""
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
        """Write a for (;;) loop, which only a break, a return or the end of the run leaves."""
        if self.random.random() < 0.7:
            return  # or too many runs would end in one
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
    """Set `after` of each block: the nearest block on all paths to the exit."""
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
    """Yield the operations of each stretch: a call ends one."""
    current: list[Op] = []
    for op in block.ops:
        current.append(op)
        if op.kind == CALL:
            yield current
            current = []
    if current:
        yield current


def code_of(functions: list[Function]) -> Code:
    """Number functions, blocks, stretches and operations, and return the tables of the code."""
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
