"""Random runs of `tiny_programs`, by an interpreter that knows every dependence by definition.

`run` executes a program for some steps.  It writes the columns of the stream, and beside them the
truth, from its own registers and memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

import numpy as np

from tests.trace.tiny_programs import (
    PIECE,
    Block,
    Function,
    Op,
    Parameter,
    Place,
    Value,
    code_of,
    generate,
)
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
from whence.trace.columns import BRANCH, CALL, DIRECT, IN_MEMORY, PHI, Code, Stream
from whence.trace.queries import Part

DEPTH = 150  # limit on activations: deeper recursion would overflow Python's own stack

# A part of a step; with an address, only the byte that the step copied there.
Node = tuple[int, Part] | tuple[int, Part, int]
Runs = list[tuple[int, int, int]]  # offset, length, step


@dataclass(frozen=True)
class Made:
    """What the bytes of an effect are made from."""

    bytes_: list[Node]  # one for each byte read
    uses: list[list[Node]]  # one list for each operand of the operation
    argument: int


@dataclass
class Truth:
    """The true dependences and positions of each step; the keys are steps or nodes."""

    data: dict[Node, list[Node]] = field(default_factory=lambda: defaultdict(list))
    control: dict[int, int] = field(default_factory=dict)
    activation: dict[int, int] = field(default_factory=dict)
    instance: dict[int, int] = field(default_factory=dict)
    op: dict[int, int] = field(default_factory=dict)
    loads: dict[int, int] = field(default_factory=dict)  # the earliest definition (0: none)
    effects: dict[int, Made] = field(default_factory=dict)  # by row of the column `effects`


@dataclass
class _Frame:
    activation: int
    call: int
    params: list[list[Node]]
    registers: dict[Op, int] = field(default_factory=dict)
    regions: list[tuple[int, Block | None]] = field(default_factory=list)  # branch, its end


class _End(Exception):
    """The run has reached its limit of steps."""


class _Run:
    """The interpreter: one method for each kind of operation."""

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
        # For each step, what it depends on besides the bytes it copied; and for each address that
        # it copied to, what it copied there.
        self.besides: dict[int, list[Node]] = defaultdict(list)
        self.sources: dict[tuple[int, int], list[Node]] = defaultdict(list)
        # The pieces that a step printed into memory: (argument, address, size).
        self.pieces: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        # The addresses that each step allocated; and what a part of a step copied to an address.
        self.allocated: dict[int, set[int]] = defaultdict(set)
        self.moved: list[tuple[int, Part, int, list[Node]]] = []
        self.given: dict[int, list[list[Node]]] = {}

    def function(
        self, function: Function, call: int, parent: int, params: list[list[Node]], flags: int
    ) -> int:
        """Run a function and return the step with which it returned."""
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
        """Run a block and return the next one; None after a return."""
        while frame.regions and frame.regions[-1][1] is block:
            frame.regions.pop()
        control = frame.regions[-1][0] if frame.regions else frame.call
        incoming = dict(frame.registers)  # all phis of a block read before one writes
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
        """Copy frame-local bytes: with a link, and with rows of `effects` if that is not enough."""
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
            raise _End  # the call is the last step: it enters nothing
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
        """Return who defined each byte of a range, and its address."""
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
        """Reduce bytes that no copy wrote to the step that wrote them.

        This is possible only at the end, when all steps that copied are known.
        """
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
        """Return the arguments of a call, without those that only other bytes show."""
        named = {argument for argument, _, _ in self.pieces[step]}
        shown = {k for k, at, size in self.pieces[step] if at <= address < at + size}
        kept = [n for k, n in enumerate(self.given.get(step, [])) if k not in named or k in shown]
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
    """A program, a run of it, and the true dependences of the run."""

    functions: list[Function]
    stream: Stream
    truth: Truth


def sample(seed: int, limit: int = 250) -> Sample:
    """Return the program and run of a seed; the run is cut after `limit` steps."""
    random = Random(seed)
    return run(generate(random), random, limit, limit // 2)


def run(functions: list[Function], random: Random, limit: int, enough: int = 1) -> Sample:
    """Call the first function from unrecorded code, repeatedly until there are `enough` steps."""
    trace = _Run(random, code_of(functions), limit)
    try:
        while trace.step < enough:
            trace.function(functions[0], 0, 0, [[] for _ in range(functions[0].params)], 0)
    except _End:
        pass
    trace.settle()
    return Sample(functions, trace.stream(), trace.truth)


def straight(*functions: tuple[int, list[Op]]) -> Sample:
    """Return the run of the first of some functions: (number of parameters, operations)."""
    made = [Function(params, [Block(ops)]) for params, ops in functions]
    for op in [op for function in made for op in function.blocks[0].ops]:
        op.callee = made[op.target] if op.target else None
    return run(made, Random(0), 1000)
