"""What failed in a run of a C program, and which steps of it is that?"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import replace

from whence.causes.observed_failure import ObservedFailure, calls_around
from whence.causes.predicates import Question
from whence.errors import UserError
from whence.logic.logic import ALL
from whence.model import Influence, Outcome
from whence.program.rows import OUTPUT
from whence.trace import points
from whence.trace.c.endings import signal_name
from whence.trace.c.flow import CFlow
from whence.trace.c.recording import CThread
from whence.trace.flow import Constant, Flow, Left, Operand
from whence.trace.points import Point, find
from whence.trace.queries import OUTSIDE
from whence.trace.recording import Recording, Thread
from whence.trace.slicer import ByteRange

_NEAR = 1 << 16  # how far from a wild pointer the address that was used may lie


def find_failure(
    recording: Recording, *, expect: bytes | None = None, process: str | None = None
) -> ObservedFailure:
    """The failure of a recorded run.

    `expect` is what it should have printed: the failure is then the first byte that differs.
    """
    if expect is not None:
        return _output(recording, expect, process)
    if recording.outcome is Outcome.PASS:
        raise UserError(
            "The test passes, so there is no failure to explain.\n"
            f"We ran: {recording.document['test']}   (built without optimisation, to be recorded)\n"
            "If what it printed is wrong, say what is right with --expect FILE.",
            slug="nothing-fails",
        )
    return _ended(recording, process)


def _ended(recording: Recording, process: str | None) -> ObservedFailure:
    """How the failing process ended: an assertion, a crash, or its exit status."""
    for at, made in (("assert", _assertion), ("crash", _crash), ("exit", _exit)):
        try:
            point = find(recording, at, process)
        except UserError as error:
            if error.slug != "no-such-end":
                raise
            continue
        ending = point.thread.ending("exit") if at == "exit" else None
        if process is None and ending is not None and ending.status == 0:
            break  # another program, which judges what this one did, ended the test
        return made(point)
    if recording.failure is not None and recording.failure.kind == "timeout":
        raise UserError(
            "The test was stopped because it did not end in time, so the run has no point where it "
            "failed.\n"
            "Allow more with --timeout, or have the program fail by itself, such as by an "
            "assertion in its loop.",
            slug="failure-not-recorded",
        )
    raise UserError(
        "The test fails, but no recorded process does: none crashed, failed an assertion, or "
        "exited with another status than 0.\n"
        "Build what fails with $CC or $CXX, which record it; or let the test run the recorded "
        "program alone, with --expect FILE if what it prints is wrong.",
        slug="failure-not-recorded",
    )


def _flow(point: Point) -> CFlow:
    assert isinstance(point.thread, CThread)
    return CFlow(point.thread)


def _assertion(point: Point) -> ObservedFailure:
    """The branch that led to it, or, if nothing decided it, the call itself."""
    flow = _flow(point)
    call = int(max(step for step in point.criteria if isinstance(step, int)))
    decided = flow.controlling_branch(call)
    if decided is None:
        return replace(_found(flow, point, call, frozenset(), (), "called"), subject="")
    side = flow.side_of(decided) or 0
    question = Question(
        Influence.FAILURE,
        flow.op_of(decided),
        side,
        frozenset({decided}),
        call,
        frozenset({call, *calls_around(flow, call, flow.activation_of(decided))}),
    )
    return ObservedFailure(flow, question, point.words, "failed", point.notes)


def _crash(point: Point) -> ObservedFailure:
    """The operand that was wrong: a pointer that leads nowhere, a divisor of zero."""
    thread = point.thread
    assert isinstance(thread, CThread)
    flow = CFlow(thread)
    name = signal_name(thread.log)
    last = thread.stream.steps
    op = thread.stop_op
    if op is not None:
        instance = len(thread.stream.stretch) - 1
        operands = flow.operands_of(op, instance)
        wrong = operands[:1] if thread.log.signal in _ADDRESSES else operands[1:2] or operands
        decided = flow.queries.stream.control[instance]
        deciders = _branch(flow, int(decided))
        return _found(flow, point, last, _seeds(wrong), deciders, name)
    count = flow.arguments(last) if flow.is_call(last) else 0
    arguments = [one for k in range(count) if (one := flow.argument(last, k)) is not None]
    wrong = tuple(one for one in arguments if _is_near(flow.value_of(one), thread.log.address))
    return _found(flow, point, last, _seeds(wrong or tuple(arguments)), (), name)


_ADDRESSES = (signal.SIGSEGV, signal.SIGBUS)


def _is_near(value: int | None, address: int) -> bool:
    return value is not None and abs(value - address) < _NEAR


def _branch(flow: Flow, step: int) -> tuple[int, ...]:
    if not step:
        return ()
    if flow.is_branch(step):
        return (step,)
    decided = flow.controlling_branch(step)
    return (decided,) if decided is not None else ()


def _exit(point: Point) -> ObservedFailure:
    step = int(max(step for step in point.criteria if isinstance(step, int)))
    flow = _flow(point)
    given = flow.argument(step, 0) if flow.is_call(step) else step
    ending = point.thread.ending("exit")
    status = ending.status if ending else 0
    if point.thread.log.is_crashed or given is None:
        given = step
    return _found(flow, point, step, _seeds((given,)), (), f"exit status {status}")


def _found(
    flow: Flow,
    point: Point,
    step: int,
    seeds: frozenset[tuple[Operand, int]],
    deciders: tuple[int, ...],
    outcome: str,
) -> ObservedFailure:
    question = Question(
        Influence.FAILURE,
        flow.op_of(step),
        0,
        frozenset({step}),
        step,
        seeds=seeds,
        deciders=deciders,
    )
    return ObservedFailure(
        flow, question, point.words, outcome, point.notes, "how the program ended"
    )


def _seeds(operands: tuple[Operand, ...]) -> frozenset[tuple[Operand, int]]:
    return frozenset((one, ALL) for one in operands if not isinstance(one, Constant))


# --- output ------------------------------------------------------------------------------------


def _output(recording: Recording, expect: bytes, process: str | None) -> ObservedFailure:
    """The first byte of standard output that is not as expected."""
    printed = recording.printed()
    shared = next(
        (k for k, (a, b) in enumerate(zip(printed, expect, strict=False)) if a != b),
        min(len(printed), len(expect)),
    )
    if shared == len(printed) == len(expect):
        raise UserError(
            "The run printed exactly what was expected, so there is no failure to explain.\n"
            "Leave out --expect to explain how the test ended.",
            slug="nothing-fails",
        )
    if shared == len(printed):
        return _too_short(recording, expect, shared, process)
    process, before = _printer(recording, shared, process)
    point = find(recording, f"output:{shared - before}", process)
    (criterion,) = point.criteria
    assert isinstance(criterion, ByteRange)
    flow = _flow(point)
    step = int(point.thread.stream.effects[criterion.effect]["step"])
    seeds = _printed_from(flow, criterion, is_blank=printed[shared : shared + 1] in b" 0")
    words = point.words.replace(f"byte {shared - before} ", f"byte {shared} ", 1)
    words += f": {_shown(printed[shared:])} instead of {_shown(expect[shared:])}"
    question = Question(
        Influence.FAILURE,
        flow.op_of(step),
        0,
        frozenset({step}),
        step,
        seeds=frozenset(seeds),
        silence=(_printed_before(point.thread, step), step),
    )
    what = _shown(printed[shared:])
    return ObservedFailure(flow, question, words, what, point.notes, _from(shared))


def _from(byte: int) -> str:
    return f"the output from byte {byte} on"


def _printer(recording: Recording, byte: int, process: str | None) -> tuple[str, int]:
    """The process that printed a byte of what the test printed, and how much others had before it.

    A process counts its own bytes only, so all that was printed has to come from recorded ones.
    """
    size = len(recording.printed())
    sizes = {p.folder.name: points.printed_size(recording, p) for p in recording.processes}
    chosen = [name for name in sizes if process in (None, name, name.partition("-")[0])]
    alone = [name for name in chosen if sizes[name] == size]
    if alone:
        return alone[-1], 0
    before = 0
    for name, own in sizes.items():  # in the order in which they ran
        if sum(sizes.values()) == size and before <= byte < before + own and name in chosen:
            return name, before
        before += own
    raise UserError(
        f"The test printed {size} bytes and the recorded programs {before}, so it is not known "
        f"which of them printed byte {byte}, the first that is not as expected.\n"
        "Let the test print what one recorded program prints, and nothing else.",
        slug="failure-not-recorded",
    )


def _printed_from(flow: Flow, criterion: ByteRange, *, is_blank: bool) -> set[tuple[Operand, int]]:
    """What a byte of the output was printed from.

    Where it is not what an argument came to but what stands around it, the argument before it
    may have come to too little, and a blank may fill up the argument after it.
    """
    effects = flow.thread.stream.effects
    row = effects[criterion.effect]
    step, argument = int(row["step"]), int(row["arg"])
    seeds: set[tuple[Operand, int]] = set()
    wanted = [criterion.effect] if argument >= 0 or row["n_runs"] else []
    if argument < 0 or criterion.start == 0:
        rows = flow.queries.effects_of(step)
        before = [
            other
            for other in rows
            if effects[other]["kind"] == OUTPUT
            and int(effects[other]["arg"]) >= 0
            and effects[other]["offset"] < row["offset"]
        ]
        wanted += before[-1:]
        if is_blank and argument < 0:
            wanted += [other for other in rows if other > criterion.effect][:1]
        # An argument that came to nothing at all has left no trace in the output.
        known = int(effects[before[-1]]["arg"]) if before else -1
        seeds |= {(one, ALL) for one in _arguments(flow, step, known + 1, argument)}
    for effect in wanted:
        for one in flow.queries.bytes_of(effect, 0, int(effects[effect]["len"])):
            if one.kind in OUTSIDE or not one.step or one.step == step:
                continue
            left = one.kind == "memory" and flow.is_call(one.step)
            seeds.add((Left(one.step, one.address or 0, 8 * one.length) if left else one.step, ALL))
    return seeds


def _arguments(flow: Flow, call: int, first: int = 0, end: int | None = None) -> Iterator[Operand]:
    if not flow.is_call(call):
        return
    for number in range(first, flow.arguments(call) if end is None else end):
        argument = flow.argument(call, number)
        if argument is not None and not isinstance(argument, Constant):
            yield argument


def _printed_before(thread: Thread, step: int) -> int:
    """The last step before this one that printed something; 0 if there is none."""
    effects = thread.stream.effects
    steps = effects["step"][(effects["kind"] == OUTPUT) & (effects["step"] < step)]
    return int(steps.max()) if len(steps) else 0


def _shown(data: bytes) -> str:
    """The start of some output, as a string of C; at its end, that it ended."""
    if not data:
        return "the end"
    text = data[:12].decode("utf-8", "replace")
    return '"' + text.encode("unicode_escape").decode() + ('"…' if len(data) > 12 else '"')


def _too_short(
    recording: Recording, expect: bytes, at: int, process: str | None
) -> ObservedFailure:
    """That the run ended before it had printed all: as it failed, or where it should not."""
    found = _ended(recording, process) if recording.outcome is not Outcome.PASS else None
    if found is None:
        found = _exit(find(recording, "exit", process))
    words = f"the output ends after {at} bytes instead of going on with {_shown(expect[at:])}"
    end = max(found.question.steps)
    last = _printed_before(found.flow.thread, end)
    # The last print may have come to too little.
    given = frozenset((one, ALL) for one in _arguments(found.flow, last)) if last else frozenset()
    question = replace(
        found.question,
        silence=(last, end),
        bears_on=found.question.bears_on | ({last} if last else set()),
        seeds=found.question.seeds | given if found.question.seeds else frozenset(),
    )
    return ObservedFailure(found.flow, question, words, "the end", found.notes, _from(at))
