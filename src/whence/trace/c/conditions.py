"""Which blocks of a C function are one condition of the source?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from whence.frontend.c.ir import Function, Module

_SCOPE = re.compile(r"\bscope: (!\d+)")


def conditions(
    module: Module, function: Function, following: list[list[int]]
) -> Iterator[set[int]]:
    """Yield the blocks of each source condition.

    `a && b` is compiled to two blocks that end in a branch.  The blocks of one condition lead to
    the same two blocks outside it, and only the first of them can be entered from outside.  A
    nested `if` looks the same but has a debug scope of its own.

    `following`: for each block, the blocks that its end leads to.
    """
    preceding: dict[int, set[int]] = {}
    for block, targets in enumerate(following):
        for target in targets:
            preceding.setdefault(target, set()).add(block)
    ends = [block.instructions[-1] for block in function.blocks]
    scopes = [_scope(module, end.location) for end in ends]
    is_branch = [end.opcode == "br" and len(following[at]) == 2 for at, end in enumerate(ends)]
    taken: set[int] = set()
    for head in range(len(following)):
        if head in taken or not is_branch[head]:
            continue
        region, best = {head}, {head}
        while True:
            grown = {
                after
                for block in region
                for after in following[block]
                if after not in region | taken
                and is_branch[after]
                and scopes[after] == scopes[head]
                and preceding[after] <= region
            }
            if not grown:
                break
            region |= {min(grown)}
            if len({after for block in region for after in following[block]} - region) == 2:
                best = set(region)
        taken |= best
        yield best


def _scope(module: Module, location: int | None) -> str | None:
    match = _SCOPE.search(module.metadata.get(location, "")) if location is not None else None
    return match[1] if match else None
