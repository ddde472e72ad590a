"""Which branches of a Python program could have defined what a step read?

A branch could have if its other side may define the same *location*: a variable by its function and
name, an attribute by its name, or any item.  A side may define all locations that its code defines,
and those of the functions that it calls.  Functions are found by their names alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator

import numpy as np

from whence.program.graph import post_dominators
from whence.program.ids import Block, Stretch
from whence.trace.columns import NONE
from whence.trace.python.objects import MUTATING_METHODS
from whence.trace.python.program import PythonProgram
from whence.trace.relevance import Relevance
from whence.trace.slicer import Potential

_ITEM = "items"  # the location of all items
_MAY_RAISE = "may raise"
_DIVISIONS = ("/", "//", "%", "**", "<<", ">>")
# Functions and methods that raise if they get something else than they expect.
_RAISERS = frozenset({
    "int", "float", "index", "rindex", "remove", "pop", "popitem", "next", "chr", "min", "max",
    "decode", "encode", "fromisoformat", "Decimal", "fromhex", "rsplit", "divmod", "pow", "loads",
    "strptime", "eval", "literal_eval", "array", "unpack", "group", "sqrt", "log",
})  # fmt: skip
_LEAVE = "leave"  # stands for code after which the next statement may not run


def analysed(program: PythonProgram) -> Relevance:
    """Return which branches could have defined what each operation reads."""
    reads = [_read(program, op) for op in range(len(program.opcode))]
    classes: dict[Hashable, int] = {
        location: number for number, location in enumerate(dict.fromkeys(filter(None, reads)))
    }
    sides = list(_defining_sides(program))
    edges: list[list[int]] = [[] for _ in classes]
    for number, (_, _, defined) in enumerate(sides):
        for location in defined:
            if location in classes:
                edges[classes[location]].append(number)
    printing = [(stretch, block) for stretch, block, defined in sides if "print" in defined]
    reading = [(stretch, block) for stretch, block, defined in sides if "read" in defined]
    raising = [(stretch, block) for stretch, block, defined in sides if _MAY_RAISE in defined]
    guards = np.zeros(len(program.stretch_first), bool)
    guards[[stretch for stretch, _, defined in sides if _LEAVE in defined]] = True
    of_op = [NONE if location is None else classes[location] for location in reads]
    private = [_is_private(program, op) for op in range(len(program.opcode))]
    empty = np.zeros(0, np.uint32)
    return Relevance(
        potential=Potential(
            class_of_op=np.array(of_op, np.uint32),
            is_private=np.array(private, bool),
            class_start=np.cumsum([0, *map(len, edges)]).astype(np.uint32),
            class_edge=np.array([edge for of_class in edges for edge in of_class], np.uint32),
            edge_stretch=np.array([stretch for stretch, _, _ in sides], np.uint32),
            edge_block=np.array([block for _, block, _ in sides], np.uint32),
        ),
        guards=guards,
        printing=np.array(printing, np.uint32).reshape(-1, 2),
        raising=np.array(raising, np.uint32).reshape(-1, 2),
        reading=np.array(reading, np.uint32).reshape(-1, 2),
        writers_of_op=np.full(len(program.opcode), NONE, np.uint32),
        writers_start=np.zeros(1, np.uint32),
        writers=empty,
    )


def _read(program: PythonProgram, op: int) -> tuple[Hashable, ...] | None:
    """Return the location that an operation reads."""
    opcode, name = program.opcode[op], program.name[op]
    if opcode == "load":
        return "name", program.extra[op], name
    if opcode == "attr":
        return "attr", name
    return (_ITEM,) if opcode in ("item", "next") else None


def _is_private(program: PythonProgram, op: int) -> bool:
    """Does an operation read a variable of its own function?

    Then usually only the same activation sets it.
    """
    return program.opcode[op] == "load" and program.extra[op] == program.function_of(op)


def _written(program: PythonProgram, op: int) -> Iterator[Hashable]:
    """Yield the locations that an operation may define; "print" if it prints, "read" if it reads,
    "leave" if it raises, and "may raise" if its operands decide that.

    A call that ends the process counts as one that raises.
    """
    opcode, name = program.opcode[op], program.name[op]
    if may_raise(program, op):
        yield _MAY_RAISE
    if opcode == "raise":
        yield _LEAVE
    elif opcode in ("store", "delete"):
        yield "name", program.extra[op], name
    elif opcode in ("set_attr", "del_attr"):
        yield "attr", name
    elif opcode in ("set_item", "del_item"):
        yield (_ITEM,)
    elif opcode == "inplace" and program.extra[op]:
        yield (_ITEM,) if program.extra[op] == "item" else ("attr", program.extra[op][1])
    elif opcode == "call":
        called = _called(program, op)
        if called in MUTATING_METHODS:
            yield (_ITEM,)
        if called in ("print", "write"):
            yield "print"
        if called in ("input", "readline", "readlines", "read", "next"):
            yield "read"
        if called in ("exit", "_exit", "abort", "quit"):
            yield _LEAVE


def may_raise(program: PythonProgram, op: int) -> bool:
    """Do the operands of an operation decide whether it raises?"""
    opcode, name = program.opcode[op], program.name[op]
    if opcode == "call":
        return _called(program, op) in _RAISERS
    if opcode == "inplace" and program.extra[op] == "item":
        return True
    is_division = opcode in ("binary", "inplace") and (name or "").removesuffix("=") in _DIVISIONS
    return is_division or opcode in ("item", "unpack", "del_item")


def _called(program: PythonProgram, op: int) -> str | None:
    """Return the name of the function or method that a call names."""
    use = program.uses[op][0]
    return program.name[use] if use is not None and use >= 0 else None


def _defining_sides(program: PythonProgram) -> Iterator[tuple[Stretch, Block, frozenset[Hashable]]]:
    """Yield the stretch of each branch, the first block of a side, and what it may define."""
    defined = _definitions(program)
    for last, target, blocks in branch_sides(program):
        yield last, target, frozenset().union(*(defined[block] for block in blocks))


def branch_sides(program: PythonProgram) -> Iterator[tuple[Stretch, Block, set[Block]]]:
    """Yield the stretch of each branch, the first block of a side, and all its blocks.

    A side ends where all sides of the branch meet again.
    """
    for function in program.functions:
        first, count = function.first_block, function.n_blocks
        following = [[to - first for to in program.following[first + k]] for k in range(count)]
        meeting = post_dominators(following)
        for block, targets in enumerate(following):
            if len(targets) < 2:
                continue
            count = program.block_stretches[first + block]
            last = Stretch(program.block_first_stretch[first + block] + count - 1)
            for target in targets:
                inside = _region(following, target, meeting[block])
                yield last, Block(first + target), {Block(first + inner) for inner in inside}


def _region(following: list[list[int]], target: int, meet: int | None) -> set[int]:
    """Return the blocks that can be reached from `target` without passing `meet`."""
    found: set[int] = set()
    work = [target]
    while work:
        block = work.pop()
        if block != meet and block not in found:
            found.add(block)
            work += following[block]
    return found


def _definitions(program: PythonProgram) -> list[set[Hashable]]:
    """Return what each block may define, with the functions that it may call."""
    own: list[set[Hashable]] = [set() for _ in program.following]
    calls: list[set[str]] = [set() for _ in program.following]
    for op in range(len(program.opcode)):
        block = program.stretch_block[program.op_stretch[op]]
        own[block].update(_written(program, op))
        if program.opcode[op] == "call" and (name := _called(program, op)):
            calls[block].add(name)
    named: dict[str, list[int]] = defaultdict(list)
    for number, function in enumerate(program.functions):
        parts = function.name.split(".")
        named[parts[-1]].append(number)
        if parts[-1] == "__init__" and len(parts) > 1:
            named[parts[-2]].append(number)
    effects = _effects(program, own, calls, named)
    return [
        own[block].union(*(effects[f] for name in calls[block] for f in named.get(name, ())))
        for block in range(len(own))
    ]


def _effects(
    program: PythonProgram,
    own: list[set[Hashable]],
    calls: list[set[str]],
    named: dict[str, list[int]],
) -> list[set[Hashable]]:
    """Return what each function and its callees may define, except its own variables."""
    found: list[set[Hashable]] = []
    callees: list[set[int]] = []
    for number, function in enumerate(program.functions):
        blocks = range(function.first_block, function.first_block + function.n_blocks)
        whole: set[Hashable] = set().union(*(own[block] for block in blocks))
        found.append({location for location in whole if not _is_local(location, number)})
        names = set().union(*(calls[block] for block in blocks))
        callees.append({f for name in names for f in named.get(name, ())})
    callers: list[set[int]] = [set() for _ in found]
    for number, called in enumerate(callees):
        for other in called:
            callers[other].add(number)
    work = set(range(len(found)))
    while work:
        number = work.pop()
        for caller in callers[number]:
            size = len(found[caller])
            found[caller] |= found[number]
            if len(found[caller]) > size:
                work.add(caller)
    return found


def _is_local(location: Hashable, function: int) -> bool:
    return isinstance(location, tuple) and location[0] == "name" and location[1] == function
