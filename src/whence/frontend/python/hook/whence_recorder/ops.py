"""What are the operations of a module, and in which order can they run?

A `RecordedFunction` is a graph of blocks, and a block is a list of operations.  Both are built
while the tree is rewritten.  `number_ops` numbers them at the end and puts the numbers into the
constants that stand for operations in the rewritten tree.
"""

from __future__ import annotations

import _ast as ast

TYPE_CHECKING = False  # `typing` is not imported: the program may never need it
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Use: TypeAlias = "RecordedOp | int | None"  # an int is a constant: -1 - its index
    Node: TypeAlias = Any  # a node of the syntax tree

MARK = "\0whence "  # prefix of the constants that are replaced when the code is loaded


class RecordedOp:
    """One operation; `at` is the node that it belongs to."""

    __slots__ = ("at", "extra", "logged", "name", "number", "opcode", "places", "uses")

    def __init__(
        self, opcode: str, at: Node, uses: list[Use], name: str | None, extra: object
    ) -> None:
        self.opcode, self.at, self.uses, self.name, self.extra = opcode, at, uses, name, extra
        self.logged = False
        self.number = -1
        self.places: list[ast.Constant] = []  # where the tree mentions its number


class OpBlock:
    """A basic block.  A successor of None leaves the function."""

    __slots__ = ("closed", "number", "ops", "reached", "successors")

    def __init__(self) -> None:
        self.ops: list[RecordedOp] = []
        self.successors: list[OpBlock | None] = []
        self.closed = False  # no more operations are added
        self.reached = False
        self.number = -1

    def close(self, successors: list[OpBlock | None]) -> None:
        """End the block: its last operation leads to one of `successors`."""
        self.successors = successors
        self.closed = True
        for block in successors:
            if block is not None:
                block.reached = True


class RecordedFunction:
    """A function, class body or module, with its blocks."""

    def __init__(self, number: int, name: str, kind: str, at: Node, parent: int | None) -> None:
        self.number, self.name, self.kind, self.parent = number, name, kind, parent
        self.row: int = getattr(at, "lineno", 1)
        self.last: int = getattr(at, "end_lineno", None) or self.row
        self.params: list[str] = []
        self.blocks: list[OpBlock] = []


class OpFlow:
    """Builds the blocks of one function; `block` takes the next operation."""

    def __init__(self, function: RecordedFunction) -> None:
        self.function = function
        self.block = OpBlock()
        function.blocks.append(self.block)

    def emit(
        self, opcode: str, at: Node, uses: list[Use] | tuple[()] = (),
        name: str | None = None, extra: object = None,
    ) -> RecordedOp:  # fmt: skip
        """Append an operation to the current block."""
        op = RecordedOp(opcode, at, list(uses), name, extra)
        if self.block.closed:  # the operation cannot be reached
            self.start(OpBlock())
        self.block.ops.append(op)
        return op

    def start(self, block: OpBlock) -> None:
        """Make `block` the current block."""
        self.function.blocks.append(block)
        self.block = block

    def go(self, block: OpBlock) -> None:
        """Lead from the current block to `block`, unless the current one is closed."""
        if not self.block.closed:
            self.block.close([block])

    def begin(self, block: OpBlock) -> None:
        """Lead to `block` and make it the current one; it is closed if nothing leads to it."""
        self.go(block)
        self.start(block)
        block.closed = not block.reached

    @property
    def is_dead(self) -> bool:
        """Can control not reach the end of the current block?"""
        return self.block.closed


class Constants:
    """The constants of a module, without duplicates."""

    def __init__(self) -> None:
        self.written: list[object] = []
        self._known: dict[object, int] = {}

    def use(self, value: object) -> int:
        """Return the use that stands for a constant."""
        key = _key(value)
        if key not in self._known:
            self._known[key] = len(self.written)
            self.written.append(_written(value))
        return -1 - self._known[key]


def _key(value: object) -> object:
    """Return a key that distinguishes constants which Python considers equal, as 1 and 1.0."""
    if isinstance(value, tuple):
        return tuple, tuple(_key(part) for part in value)
    return type(value), repr(value) if isinstance(value, (float, complex)) else value


def _written(value: object) -> object:
    """Return a constant in the form that the description has."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return {"s": value}
    if isinstance(value, bytes):
        return {"b": value.hex()}
    if isinstance(value, float):
        return {"f": repr(value)}
    if isinstance(value, int):
        return {"i": hex(value)} if value.bit_length() > 8192 else {"i": str(value)}
    if isinstance(value, tuple):
        return {"t": [_written(part) for part in value]}
    return {"x": repr(value)}


def number_ops(functions: list[RecordedFunction]) -> int:
    """Number all blocks and operations, and return how many operations there are.

    Blocks without operations are removed: their predecessors lead to their successor.
    """
    blocks = ops = 0
    for function in functions:
        blocks_with_ops = [block for block in function.blocks if block.ops]
        for block in blocks_with_ops:
            block.successors = [_first_with_ops(after) for after in block.successors]
            block.number = blocks
            blocks += 1
            for op in block.ops:
                op.number = ops
                ops += 1
                for place in op.places:
                    place.value = f"{MARK}{op.number}"
        function.blocks = blocks_with_ops
    return ops


def _first_with_ops(block: OpBlock | None) -> OpBlock | None:
    """Return the first block with operations, starting with `block`."""
    seen = set()
    while block is not None and not block.ops and id(block) not in seen:
        seen.add(id(block))
        block = block.successors[0] if block.successors else None
    return block
