"""Which blocks of a C function are one condition of the source?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from whence.frontend.c.ir import Function, Module

_SCOPE = re.compile(r"\bscope: (!\d+)")


def conditions(
    module: Module, function: Function, following: list[list[int]]
) -> Iterator[set[int]]:
    """The blocks of each source condition.

    They decide one after another between the same two ways on, and nothing comes in from
    elsewhere but at the first.  A nested `if` has a scope of its own.
    """
    coming: dict[int, set[int]] = {}
    for block, targets in enumerate(following):
        for target in targets:
            coming.setdefault(target, set()).add(block)
    ends = [block.instructions[-1] for block in function.blocks]
    scopes = [_scope(module, end.location) for end in ends]
    decides = [end.opcode == "br" and len(following[at]) == 2 for at, end in enumerate(ends)]
    taken: set[int] = set()
    for head in range(len(following)):
        if head in taken or not decides[head]:
            continue
        region, best = {head}, {head}
        while True:
            grown = {
                after
                for block in region
                for after in following[block]
                if after not in region | taken
                and decides[after]
                and scopes[after] == scopes[head]
                and coming[after] <= region
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
