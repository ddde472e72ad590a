"""In which loop was a thread when it was stopped?

A test that does not end in time is stopped in the middle of a loop, in one of the functions that
were running.  Loops lie inside each other, and a loop of a caller lies around those of its callee.
The loop that did not end is the outermost one that still turned at the end of the run: a loop
around it stands still in one iteration, and a loop inside it ends again and again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from whence.program.graph import components
from whence.program.ids import Activation, Block, Instance, Step
from whence.trace.columns import BRANCH, UNWOUND
from whence.trace.recording import Thread

_MIN_ITERATIONS = 3  # in the last half of the run, of a loop that counts as turning; guessed
_ENOUGH = 500  # iterations of a loop that show why it does not end; guessed
_MAX_OPEN = 1000  # limit on the functions whose loops are looked at, the outermost ones; guessed


@dataclass(frozen=True)
class UnfinishedLoop:
    """A loop that was turning when its thread was stopped."""

    activation: Activation
    head: Block
    body: frozenset[Block]
    iterations: int  # how often it turned since it was last entered
    repeats_from: Step | None  # a step after enough iterations to see why the loop does not end
    exits: tuple[Step, ...]  # branches of the last full iteration that could have left the loop
    last: Step  # the last step of the last full iteration


def open_activations(thread: Thread) -> npt.NDArray[np.intp]:
    """Return the activations that were running when the thread ended, the outermost first."""
    rows = thread.stream.activations
    is_open = (rows["ret"] == 0) & (rows["flags"] & UNWOUND == 0)
    is_open[:1] = False  # row 0 is not an activation
    return np.flatnonzero(is_open)


def unfinished_loop(thread: Thread) -> UnfinishedLoop | None:
    """Return the loop that did not end; None if no loop was turning."""
    for number in open_activations(thread)[:_MAX_OPEN].tolist():
        found = _turning(thread, Activation(number))
        if found is not None:
            return found
    return None


def _turning(thread: Thread, activation: Activation) -> UnfinishedLoop | None:
    stream, code = thread.stream, thread.image.code
    instances = np.flatnonzero(stream.activation == activation)
    stretches = stream.stretch[instances]
    blocks = code.stretch_block[stretches]
    # A block with calls has several stretches; the first of them begins the block.
    begins = np.append(True, blocks[1:] != blocks[:-1]) | _is_first(code.stretch_block, stretches)
    half = stream.steps // 2
    following = thread.image.branching(int(stream.activations[activation]["function"])).following
    for head, body in loops_around(following, Block(int(blocks[-1]))):
        heads = np.flatnonzero((blocks == head) & begins)
        recent = int((stream.first[instances[heads]] > half).sum())
        if recent < _MIN_ITERATIONS:
            continue
        is_entry = ~np.isin(blocks[heads - 1], list(body)) | (heads == 0)
        entered = int(np.flatnonzero(is_entry)[-1]) if is_entry.any() else 0
        steps = stream.first[instances[heads[entered:]]].astype(np.int64)
        start, end = int(heads[-2]), int(heads[-1])
        turn = [Instance(int(instance)) for instance in instances[start:end]]
        exits = tuple(_exits(thread, turn, following, body))
        last = thread.queries.last_step(turn[-1])
        return UnfinishedLoop(
            activation, head, body, len(steps) - 1, _repeats_from(steps), exits, last
        )
    return None


def _repeats_from(heads: npt.NDArray[np.int64]) -> Step | None:
    """Return the first step of an iteration after which a run need not go on; None: it is short.

    Most of the run up to there is in the loop, so the loop is still found to be unfinished.
    """
    if len(heads) <= _ENOUGH:
        return None
    at = max(_ENOUGH, int(np.searchsorted(heads, 4 * heads[0])))
    return Step(int(heads[at])) if at < len(heads) else None


def _is_first(
    stretch_block: npt.NDArray[np.uint32], stretches: npt.NDArray[np.uint32]
) -> npt.NDArray[np.bool_]:
    """For each stretch: is it the first stretch of its block?"""
    before = np.maximum(stretches.astype(np.int64) - 1, 0)
    is_other = stretch_block[before] != stretch_block[stretches]
    return np.asarray(is_other | (stretches == 0), np.bool_)


def _exits(
    thread: Thread,
    turn: Sequence[Instance],
    following: Mapping[Block, Sequence[Block]],
    body: frozenset[Block],
) -> Iterator[Step]:
    """Yield the branches of one iteration that have a side outside of the loop."""
    code, queries = thread.image.code, thread.queries
    for instance in turn:
        step = queries.last_step(instance)
        if code.kind[queries.op_of(step)] != BRANCH:
            continue
        if not body.issuperset(following.get(queries.block_of(instance), ())):
            yield step


def loops_around(
    following: Mapping[Block, Sequence[Block]], block: Block
) -> Iterator[tuple[Block, frozenset[Block]]]:
    """Yield the loops that a block lies in, the outermost first: the first block and all blocks.

    The first block of a loop is the one with the lowest number that is entered from outside.
    """
    inside = set(following)
    while True:
        loop = _component(following, inside, block)
        if not loop:
            return
        entered = {to for at, targets in following.items() if at not in loop for to in targets}
        head = min(entered & loop, default=min(loop))
        yield head, frozenset(loop)
        if head == block:
            return
        inside = loop - {head}


def _component(
    following: Mapping[Block, Sequence[Block]], inside: set[Block], block: Block
) -> set[Block]:
    """Return the cycle through a block, of the blocks `inside`; empty if there is none."""

    def successors(at: int) -> list[int]:
        return [to for to in following[Block(at)] if to in inside]

    for found in components([block], successors):
        if block in found:
            is_cycle = len(found) > 1 or block in successors(block)
            return {Block(at) for at in found} if is_cycle else set()
    return set()
