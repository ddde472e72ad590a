"""Which operands was a byte of the output printed from?"""

from __future__ import annotations

from collections.abc import Iterator

from whence.logic.logic import ALL
from whence.program.ids import Step
from whence.program.rows import OUTPUT
from whence.trace.flow import Constant, Flow, Left, Operand
from whence.trace.queries import OUTSIDE
from whence.trace.recording import Thread
from whence.trace.slicer import ByteRange

_SHOWN = 12  # bytes of output that a sentence quotes; guessed


def printed_from(flow: Flow, criterion: ByteRange, *, is_blank: bool) -> set[tuple[Operand, int]]:
    """Return the operands that a byte of the output was printed from.

    If the byte is part of the format itself, the argument before it may have been too short, and
    a blank may pad the argument after it.  How wide an argument is printed, the arguments right
    before it may say (`%*d`).
    """
    effects = flow.thread.stream.effects
    row = effects[criterion.effect]
    step, argument = Step(int(row["step"])), int(row["arg"])
    wanted = [criterion.effect] if argument >= 0 or row["n_runs"] else []
    rows = flow.queries.effects_of(step)
    before = [
        other
        for other in rows
        if effects[other]["kind"] == OUTPUT
        and int(effects[other]["arg"]) >= 0
        and effects[other]["offset"] < row["offset"]
    ]
    if argument < 0 or criterion.start == 0:
        wanted += before[-1:]
        if is_blank and argument < 0:
            wanted += [other for other in rows if other > criterion.effect][:1]
    # A width, and an argument that was printed as an empty text, have no row.
    known = int(effects[before[-1]]["arg"]) if before else -1
    end = argument if argument >= 0 else _next_argument(flow, step, int(row["offset"]))
    seeds = {(operand, ALL) for operand in call_arguments(flow, step, known + 1, end)}
    for effect in wanted:
        for operand in byte_sources(flow, effect, 0, int(effects[effect]["len"])):
            seeds.add((operand, ALL))
    return seeds


def _next_argument(flow: Flow, step: Step, offset: int) -> int | None:
    """Return the first argument that was printed after `offset`; None: all are before it."""
    effects = flow.thread.stream.effects
    rows = [effects[row] for row in flow.queries.effects_of(step)]
    after = [int(row["arg"]) for row in rows if row["kind"] == OUTPUT and row["offset"] > offset]
    return next((argument for argument in after if argument >= 0), None)


def byte_sources(flow: Flow, effect: int, start: int, stop: int) -> Iterator[Operand]:
    """Yield the operands that bytes start..stop of a row of `effects` were computed from."""
    step = int(flow.thread.stream.effects[effect]["step"])
    for part in flow.queries.bytes_of(effect, start, stop):
        if part.kind in OUTSIDE or not part.step or part.step == step:
            continue
        is_left = part.kind == "memory" and flow.is_call_or_copy(part.step)
        yield Left(part.step, part.address or 0, 8 * part.length) if is_left else part.step


def call_arguments(
    flow: Flow, call: Step, first: int = 0, end: int | None = None
) -> Iterator[Operand]:
    """Yield the arguments first..end of a call that are not constants."""
    if not flow.is_call(call):
        return
    for number in range(first, flow.arguments(call) if end is None else end):
        argument = flow.argument(call, number)
        if argument is not None and not isinstance(argument, Constant):
            yield argument


def printed_before(thread: Thread, step: Step) -> Step | None:
    """Return the last step before this one that printed something, if there is one."""
    effects = thread.stream.effects
    steps = effects["step"][(effects["kind"] == OUTPUT) & (effects["step"] < step)]
    return Step(int(steps.max())) if len(steps) else None


def quoted_output(data: bytes) -> str:
    """Return the start of some output as a C string, or "the end" if there is none."""
    if not data:
        return "the end"
    text = data[:_SHOWN].decode("utf-8", "replace")
    return '"' + text.encode("unicode_escape").decode() + ('"…' if len(data) > _SHOWN else '"')
