"""How does instrumented code append to the log, and where does it ask for room?

The code asks for room where a function and each iteration of a loop begins, and after a call,
before the next byte.  No path between two such places logs more than WH_SLACK bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from whence.frontend.c import flow
from whence.frontend.c.ir import Block, FloatType, Function, IntType, PointerType
from whence.frontend.c.lower import FunctionLog, Logging
from whence.frontend.c.tables import BlockFlag, CallFlag
from whence.program import graph

MAX_UNCHECKED = 4096  # limit on the bytes a block logs without asking for room; below WH_SLACK
# Limit on the bytes that all blocks of a function together log if only its loops ask for room.  No
# path without an iteration logs more.  Above the limit, every marked block asks.  It is half of
# WH_SLACK.
MAX_UNCHECKED_PATH = 32 << 10


class LogCursor:
    """Emits code that appends to the log, and tracks the cursor."""

    def __init__(self, new: Callable[[], str]) -> None:
        self.new = new
        self.header = ""  # the register that holds wh_log; empty if it must be loaded again
        self.base = ""
        self.offset = 0  # bytes written beyond `base`
        self.stored = 0  # ... that the stored cursor already includes
        self.owes = False  # must the code ask for room before the next byte?
        self.written = 0

    def forget(self) -> None:
        """Forget the cursor after a call, which may have moved it."""
        self.header = ""

    def room(self) -> list[str]:
        lines = [*self.commit(), "  call void @wh_room()"]
        self.forget()
        self.owes = False
        return lines

    def load(self) -> list[str]:
        if self.header:
            return []
        self.header, self.base, self.offset, self.stored = self.new(), self.new(), 0, 0
        return [
            f"  {self.header} = load ptr, ptr @wh_log",
            f"  {self.base} = load ptr, ptr {self.header}",
        ]

    def put(self, typed: str, size: int) -> list[str]:
        """Append `typed`, such as "i32 %5", which takes `size` bytes."""
        lines = self.room() if self.owes else []
        lines += self.load()
        spot = self.base
        if self.offset:
            spot = self.new()
            lines.append(f"  {spot} = getelementptr i8, ptr {self.base}, i64 {self.offset}")
        lines.append(f"  store {typed}, ptr {spot}, align 1")
        self.offset += size
        self.written += size
        return lines

    def commit(self) -> list[str]:
        """Emit code that stores the cursor after all written bytes."""
        if not self.header or self.stored == self.offset:
            return []
        self.stored = self.offset
        spot = self.new()
        return [
            f"  {spot} = getelementptr i8, ptr {self.base}, i64 {self.offset}",
            f"  store ptr {spot}, ptr {self.header}",
        ]


def room_blocks(
    function: Function, log: FunctionLog, everywhere: bool
) -> tuple[set[int], set[int]]:
    """Return the blocks that ask for room at once, and those that ask before they log.

    A block owes a check if a predecessor ends owing one: with a call after which it logs nothing.
    """
    following = flow.block_successors(function)
    asking = {0} | graph.loop_heads(following)
    landing, marked = (
        {block.number for block in log.blocks if flag in block.flags}
        for flag in (BlockFlag.LANDING, BlockFlag.MARKED)
    )
    if everywhere:
        asking |= marked
    asking -= landing  # landing blocks ask in any case
    ends = [
        _ends_owing(block, logging)
        for block, logging in zip(function.blocks, log.instructions, strict=True)
    ]
    owing: set[int] = set()
    work = [number for number, end in enumerate(ends) if end]
    while work:
        for after in following[work.pop()]:
            if after in asking or after in landing or after in owing:
                continue
            if after in marked:  # it logs its number first
                asking.add(after)
            else:
                owing.add(after)
                if ends[after] is None:
                    work.append(after)
    return asking, owing - asking


def _ends_owing(block: Block, logging: Sequence[Logging]) -> bool | None:
    """Must code ask for room after this block?  None: only if it had to before the block."""
    for instruction, log in zip(reversed(block.instructions), reversed(logging), strict=True):
        if log.call is not None:
            return CallFlag.SURE in log.call or CallFlag.NORETURN in log.call
        if log.value and isinstance(instruction.type, (IntType, FloatType, PointerType)):
            return False
    return None
