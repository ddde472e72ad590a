"""Which silent stretches ran between two events of one activation?

The log contains no event for a stretch that ends with a silent operation.  Which of them ran
follows from the blocks of the program and from the side that the last branch took.  A position is
the last executed stretch, or -1 - function before the first one, and the side that its branch
took, or -1 if the side is unknown.
"""

from __future__ import annotations

from whence.program.ids import Block, Stretch
from whence.trace.columns import BRANCH
from whence.trace.python.program import PythonProgram

_MAX_BLOCKS = 400  # limit on the blocks searched between two events; guessed


class SilentPaths:
    """Finds and remembers the silent stretches after each position of a program."""

    def __init__(self, program: PythonProgram) -> None:
        self._program = program
        self._paths: dict[tuple[int, int, int], tuple[Stretch, ...]] = {}
        self._nexts: dict[tuple[int, int], tuple[tuple[Stretch, ...], Stretch | None]] = {}

    def between(self, stretch: int, side: int, target: Stretch) -> tuple[Stretch, ...]:
        """Return the silent stretches from a position to `target`; () if no path is known."""
        key = (stretch, side, target)
        found = self._paths.get(key)
        if found is None:
            found = self._paths[key] = self._search(stretch, side, target)
        return found

    def next_logged(self, stretch: int, side: int) -> tuple[tuple[Stretch, ...], Stretch | None]:
        """Return the silent stretches after a position, and the next stretch with an event."""
        key = (stretch, side)
        found = self._nexts.get(key)
        if found is None:
            found = self._nexts[key] = self._search_logged(stretch, side)
        return found

    def _blocks_after(self, stretch: int, side: int) -> tuple[Stretch | None, tuple[Block, ...]]:
        """Return the next stretch of the same block, and the blocks that can follow it."""
        program = self._program
        if stretch < 0:
            return None, (program.functions[-1 - stretch].first_block,)
        block = program.stretch_block[stretch]
        end = program.block_first_stretch[block] + program.block_stretches[block]
        following = program.following[block]
        if side >= 0 and program.kind[program.last_op(stretch)] == BRANCH:
            following = following[side : side + 1]
        return (Stretch(stretch + 1) if stretch + 1 < end else None), following

    def _search(self, stretch: int, side: int, target: Stretch) -> tuple[Stretch, ...]:
        program = self._program
        goal = program.stretch_block[target]
        rest, starts = self._blocks_after(stretch, side)
        if rest is not None:
            if program.stretch_block[rest] == goal and rest <= target:
                return ()
            if not program.is_silent(rest):
                return ()
        begun: tuple[Stretch, ...] = () if rest is None else (rest,)
        work = [(block, begun) for block in reversed(starts)]
        seen: set[int] = set()
        while work and len(seen) < _MAX_BLOCKS:
            block, path = work.pop()
            if block == goal:
                return path
            if block in seen:
                continue
            seen.add(block)
            first, count = program.block_first_stretch[block], program.block_stretches[block]
            after = program.following[block]
            if count == 1 and program.opcode[program.last_op(first)] == "next":
                # The end of a comprehension's loop is not logged.
                work += [(following, (*path, first)) for following in after[1:2]]
            elif count == 0 or (count == 1 and program.is_silent(first)):
                more = (first,) if count else ()
                work += [(following, path + more) for following in reversed(after)]
        return ()

    def _search_logged(self, stretch: int, side: int) -> tuple[tuple[Stretch, ...], Stretch | None]:
        program = self._program
        rest, starts = self._blocks_after(stretch, side)
        path: list[Stretch] = []
        if rest is not None:
            if not program.is_silent(rest):
                return (), rest
            path.append(rest)
        seen: set[int] = set()
        while starts and starts[0] not in seen:
            block = starts[0]
            seen.add(block)
            first, count = program.block_first_stretch[block], program.block_stretches[block]
            for following in map(Stretch, range(first, first + count)):
                if not program.is_silent(following):
                    return tuple(path), following
                path.append(following)
            starts = program.following[block]
        return tuple(path), None
