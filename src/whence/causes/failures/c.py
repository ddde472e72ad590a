"""What failed in a run of a C program, and which steps are that?"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import replace

from whence.causes.failures.c_crash import CrashDescriber
from whence.causes.failures.c_overrun import Overrun, first_overrun, is_allocator
from whence.causes.failures.c_stack import is_return, overrun_frame
from whence.causes.hang import STILL_RUNNING, hang_rank, looping, recursing, waiting, waits_in
from whence.causes.observed_failure import ObservedFailure, failed_condition
from whence.causes.printed_bytes import call_arguments, printed_before, printed_from, quoted_output
from whence.causes.questions import FailedValue, FailureQuestion, Seeds, Silence
from whence.errors import UserError
from whence.frontend.c.process import ProcessState
from whence.logic.logic import ALL
from whence.model import Outcome
from whence.program.ids import Instance, Op, Step
from whence.trace import points
from whence.trace.c.endings import signal_name
from whence.trace.c.faults import Fault, handler_name, survived_fault
from whence.trace.c.flow import CFlow
from whence.trace.c.recording import CThread
from whence.trace.flow import Constant, Flow, Left, Operand, StoredBits, Unrecorded
from whence.trace.points import Point, find
from whence.trace.recording import Recording
from whence.trace.recursion import endless_recursion
from whence.trace.slicer import ByteRange
from whence.trace.unfinished import unfinished_loop

_NEAR = 1 << 16  # bytes between a wild pointer and the address that was accessed; guessed
_MAX_ORIGINS = 64  # limit on the steps through which an exit status is followed; guessed


def find_failure(
    recording: Recording, *, expect: bytes | None = None, process: str | None = None
) -> ObservedFailure:
    """Return the failure of a recorded run.

    `expect` is what it should have printed: the failure is then the first byte that differs.
    `process` fails by itself, or because a child that it waited for failed.
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
    if recording.is_stopped:
        return _hang(recording, process)
    return _ended(recording, process)


def _hang(recording: Recording, process: str | None) -> ObservedFailure:
    """Return the loop that a stopped test was in, or the call that it waited in."""
    found: list[ObservedFailure] = []
    for thread in points.threads(recording, process):
        assert isinstance(thread, CThread)
        if thread.log.state not in (ProcessState.RUNNING, ProcessState.TOO_LONG):
            continue
        loop = unfinished_loop(thread)
        if loop is not None and loop.repeats_from is not None:
            total = loop.iterations
            thread = thread.recording.shortened(thread, loop.repeats_from)
            loop = unfinished_loop(thread)
            loop = loop and replace(loop, iterations=total)
        flow = CFlow(thread)
        wait = waiting(flow)
        if loop is not None and wait is not None and waits_in(loop, wait):
            loop = None
        recursion = endless_recursion(thread) if loop is None else None
        hang = (
            looping(flow, loop)
            if loop is not None
            else recursing(flow, recursion, STILL_RUNNING)
            if recursion is not None
            else wait
        )
        found += [hang] if hang is not None else []
    if found:
        return min(found, key=hang_rank)
    raise UserError(
        "The test was stopped because it did not end in time, but no recorded process was running "
        "then.\n"
        "Build the program that does not end with $CC or $CXX, so that it is recorded.",
        slug="failure-not-recorded",
    )


def _ended(recording: Recording, process: str | None) -> ObservedFailure:
    """Return how the failing process ended: an assertion, a crash, or its exit status."""
    for at, make in (("assert", _assertion), ("crash", _crash), ("exit", _exit)):
        try:
            point = find(recording, at, process)
        except UserError as error:
            if error.slug != "no-such-end":
                raise
            continue
        ending = point.thread.ending("exit") if at == "exit" else None
        if process is None and ending is not None and ending.status == 0:
            break  # the program that judges the recorded one ended the test
        found = make(point)
        child = _awaited_child(found) if at == "exit" else None
        return _of_child(recording, child) or found if child else found
    raise UserError(
        "The test fails, but no recorded process does: none crashed, failed an assertion, or "
        "exited with a status other than 0.\n"
        "Build the failing program with $CC or $CXX, so that it is recorded; or let the test run "
        "only the recorded program, with --expect FILE if its output is wrong.",
        slug="failure-not-recorded",
    )


def _of_child(recording: Recording, child: str) -> ObservedFailure | None:
    """Return how a child process failed; None if it did not."""
    try:
        found = _ended(recording, child)
    except UserError:
        return None
    ending = found.flow.thread.ending("exit")
    return None if ending is not None and ending.status == 0 else found


def _flow(point: Point) -> CFlow:
    assert isinstance(point.thread, CThread)
    return CFlow(point.thread)


def _assertion(point: Point) -> ObservedFailure:
    """Return the condition that led to the call; without one, the call itself."""
    flow = _flow(point)
    call = max(step for step in point.criteria if isinstance(step, int))
    branch = flow.controlling_branch(call)
    if branch is None:
        return replace(_failed_value(flow, point, call, frozenset(), (), "called"), subject="")
    if flow.in_tree(branch) != branch:  # a condition of library code, which nobody wants to see
        shown, seeds = flow.in_tree(call), frozenset({(branch, ALL)})
        return replace(_failed_value(flow, point, shown, seeds, (), "called"), subject="")
    question = failed_condition(flow, branch, call)
    return ObservedFailure(flow, question, point.words, "failed", point.notes)


def _crash(point: Point) -> ObservedFailure:
    """Return the wrong operand: a pointer that leads nowhere, a divisor of zero."""
    thread = point.thread
    assert isinstance(thread, CThread)
    flow = CFlow(thread)
    last, op = Step(thread.stream.steps), thread.stop_op
    name = signal_name(thread.log)
    instance = Instance(len(thread.stream.stretch) - 1)
    overflow = _stack_overflow(flow, last, op, instance)
    if overflow is not None:
        return overflow
    if op is not None:
        return _fault(flow, point, last, op, instance, thread.log.signal, name)
    return _fault_in_call(flow, point, last, thread.log.address, name)


def _stack_overflow(
    flow: CFlow, last: Step, op: Op | None, instance: Instance
) -> ObservedFailure | None:
    """Return the recursion that filled the stack; None if a wild pointer made the crash."""
    log = flow.thread.log
    recursion = endless_recursion(flow.thread) if log.signal in _ADDRESSES else None
    if recursion is None:
        return None
    pointers = flow.operands_of(op, instance)[:1] if op is not None else _arguments(flow, last)
    wild = [pointer for pointer in pointers if _is_near(flow.value_of(pointer), log.address)]
    if any(not CrashDescriber(flow).is_of_frame(pointer) for pointer in wild):
        return None
    return recursing(flow, recursion, f"{signal_name(log)}: stack overflow")


def _arguments(flow: CFlow, call: Step) -> tuple[Operand, ...]:
    count = flow.arguments(call) if flow.is_call(call) else 0
    given = (flow.argument(call, number) for number in range(count))
    return tuple(operand for operand in given if operand is not None)


def _fault(
    flow: CFlow, point: Point, last: Step, op: Op, instance: Instance, number: int, name: str
) -> ObservedFailure:
    """Return the failure of an operation that a signal interrupted after the step `last`."""
    operands = flow.operands_of(op, instance)
    wrong = operands[:1] if number in _ADDRESSES else operands[1:2] or operands
    controlling = Step(int(flow.queries.stream.control[instance])) or None
    return _crashed(flow, point, last, wrong, wrong, _branch(flow, controlling), name)


def _fault_in_call(
    flow: CFlow, point: Point, call: Step, address: int, name: str
) -> ObservedFailure:
    """Return the failure of a call of code that is not recorded, with the wrong arguments."""
    arguments = _arguments(flow, call)
    wrong = tuple(operand for operand in arguments if _is_near(flow.value_of(operand), address))
    if is_allocator(flow, call):
        overrun = first_overrun(flow)
        if overrun is not None:
            return _overran(flow, point, call, overrun, name)
    if is_return(flow, call):
        overrun = overrun_frame(flow, call)
        if overrun is not None:
            return _overran_frame(flow, point, call, overrun, name)
    if not wrong and CrashDescriber(flow).frees(call):
        wrong = arguments[:1]  # the library found that this memory cannot be freed
    return _crashed(flow, point, call, wrong or arguments, wrong, (), name)


def _overran(flow: CFlow, point: Point, call: Step, overrun: Overrun, name: str) -> ObservedFailure:
    """Return the write beyond a block that an allocator noticed later.

    It went there, or the block was too small: both the place and the size may be wrong.
    """
    step, allocation = overrun
    is_call = flow.is_call(step)
    wrote = _arguments(flow, step) if is_call else flow.node(step).pointers
    seeds = _seeds((*wrote, *_arguments(flow, allocation)))
    lines = flow.describer().names
    where, made = lines.line(flow.in_tree(step)), lines.line(flow.in_tree(allocation))
    words = f"{name}: {where} wrote beyond the memory that {made} allocated"
    found = _failed_value(flow, replace(point, words=words), step, seeds, (), name)
    assert isinstance(found.question, FailedValue)
    bears_on = found.question.bears_on | {call, allocation, step}
    return replace(found, question=replace(found.question, bears_on=bears_on))


def _overran_frame(
    flow: CFlow, point: Point, last: Step, overrun: Overrun, name: str
) -> ObservedFailure:
    """Return the write beyond local variables that destroyed where a function returns to."""
    step, allocation = overrun
    wrote = _arguments(flow, step) if flow.is_call(step) else flow.node(step).pointers
    where, back = (flow.describer().names.line(flow.in_tree(each)) for each in (step, last))
    words = f"{name}: {where} wrote beyond local variables, and over where {back} returns to"
    found = _failed_value(flow, replace(point, words=words), step, _seeds(wrote), (), name)
    assert isinstance(found.question, FailedValue)
    bears_on = found.question.bears_on | {last, allocation}
    return replace(found, question=replace(found.question, bears_on=bears_on))


def _crashed(
    flow: CFlow,
    point: Point,
    step: Step,
    possible: tuple[Operand, ...],
    wrong: tuple[Operand, ...],
    controlling: tuple[Step, ...],
    name: str,
) -> ObservedFailure:
    """Return a crash; if a variable held the wrong pointer or divisor, it is the subject.

    `possible` are the operands that may have led to it; `wrong` those that did.
    """
    crash = CrashDescriber(flow)
    subject = crash.subject(wrong) if wrong else None
    is_null = subject is not None and subject.value in ("NULL", "0")
    freeing = None if is_null else crash.freeing(wrong)
    found = _failed_value(flow, point, step, _seeds(possible), controlling, name)
    if freeing is not None and isinstance(found.question, FailedValue):
        bears_on = found.question.bears_on | {freeing.step}
        found = replace(found, question=replace(found.question, bears_on=bears_on))
    if subject is None:
        return found
    return replace(found, words=crash.words(found.words, subject, freeing), subject=subject.name,
                   outcome=f"{subject.value} ({name})")  # fmt: skip


_ADDRESSES = (signal.SIGSEGV, signal.SIGBUS)


def _is_near(value: int | None, address: int) -> bool:
    return value is not None and abs(value - address) < _NEAR


def _branch(flow: Flow, step: Step | None) -> tuple[Step, ...]:
    """Return a step if it is a branch, or else its controlling branch, if there is one."""
    if step is None:
        return ()
    if flow.is_branch(step):
        return (step,)
    branch = flow.controlling_branch(step)
    return (branch,) if branch is not None else ()


def _exit(point: Point) -> ObservedFailure:
    """Return the exit status: the argument that gave it, or the value that main returned.

    A call that did not return may give a status that is none of its arguments.  Then only the call
    itself is the failure.
    """
    step = max(step for step in point.criteria if isinstance(step, int))
    flow = _flow(point)
    fault = survived_fault(flow.thread, [step, *_origins(flow, step)])
    if fault is not None:
        return _survived(flow, point, fault)
    ending = point.thread.ending("exit")
    status = ending.status if ending else None
    outcome = "the end of the program" if status is None else f"exit status {status}"
    if not flow.is_call(step):
        return _failed_value(flow, point, step, _seeds((step,)), (), outcome)
    given = [
        operand
        for operand in (flow.argument(step, number) for number in range(flow.arguments(step)))
        if operand is not None and _is_status(flow.value_of(operand), status)
    ]
    branches = _branch(flow, flow.queries.controlling_step(step))
    return _failed_value(flow, point, step, _seeds(tuple(given[:1])), branches, outcome)


def _awaited_child(found: ObservedFailure) -> str | None:
    """Return the recorded child whose end the failure of its parent was computed from.

    The parent learned of that end by a call such as waitpid, which returned the child's id.
    """
    flow, question = found.flow, found.question
    work: list[Operand] = [operand for operand, _ in question.seeds]
    # A constant that was returned says nothing: the branch that chose it does.
    for step in (question.about, *_origins(flow, question.about)):
        branch = flow.controlling_branch(step)
        work += [] if branch is None else [branch]
    seen: set[Operand] = set()
    while work and len(seen) < _MAX_ORIGINS:
        operand = work.pop()
        if operand in seen:
            continue
        seen.add(operand)
        if isinstance(operand, StoredBits):
            operand = operand.step
        call = operand.step if isinstance(operand, Left | Unrecorded) else operand
        if isinstance(call, int) and flow.is_call(call):
            pid = flow.value(call)
            children = [p for p in flow.thread.recording.processes if p.pid == pid]
            if children and "wait" in (flow.thread.image.sort(flow.op_of(call)).callee or ""):
                return children[-1].folder.name
        if isinstance(operand, int):
            work += flow.node(operand).operands
    return None


def _origins(flow: Flow, step: Step) -> Iterator[Step]:
    """Yield the steps that passed a value on to `step` unchanged: loads, stores and returns."""
    for _ in range(_MAX_ORIGINS):
        operands = [] if flow.is_call(step) else flow.node(step).operands
        steps = [operand for operand in operands if isinstance(operand, int)]
        if len(steps) != 1:
            return
        step = steps[0]
        yield step


def _survived(flow: CFlow, point: Point, fault: Fault) -> ObservedFailure:
    """Return a fault as the failure: its handler jumped to the code that ended the run."""
    thread, number = flow.thread, fault.handler.handled
    name = signal.Signals(number).name
    handler = handler_name(thread.recording, thread, fault.handler)
    place = thread.image.place(flow.op_of(fault.step) if fault.op is None else fault.op)
    where = f" at {place.file}:{place.line}" if place else ""
    by = f"the handler `{handler}`" if handler else "a signal handler"
    point = replace(point, words=f"{name}{where}, then {by} jumped on to {point.words}")
    if fault.op is not None:
        return _fault(flow, point, fault.step, fault.op, fault.instance, number, name)
    return _fault_in_call(flow, point, fault.step, fault.handler.address, name)


def _is_status(value: int | None, status: int | None) -> bool:
    """Is a value the argument of a call that exited with this status?"""
    return value is not None and status is not None and value & 0xFF == status


def _failed_value(
    flow: Flow,
    point: Point,
    step: Step,
    seeds: Seeds,
    controlling: tuple[Step, ...],
    outcome: str,
) -> ObservedFailure:
    question = FailedValue(op=flow.op_of(step), step=step, seeds=seeds, controlling=controlling)
    return ObservedFailure(
        flow, question, point.words, outcome, point.notes, "how the program ended"
    )


def _seeds(operands: tuple[Operand, ...]) -> Seeds:
    return frozenset((operand, ALL) for operand in operands if not isinstance(operand, Constant))


# --- output ------------------------------------------------------------------------------------


def _output(recording: Recording, expect: bytes, process: str | None) -> ObservedFailure:
    """Return the first byte of standard output that is not as expected."""
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
    step = Step(int(point.thread.stream.effects[criterion.effect]["step"]))
    is_blank = printed[shared : shared + 1] in b" 0"
    seeds = frozenset(printed_from(flow, criterion, is_blank=is_blank))
    words = point.words.replace(f"byte {shared - before} ", f"byte {shared} ", 1)
    words += f": {quoted_output(printed[shared:])} instead of {quoted_output(expect[shared:])}"
    silence = Silence(printed_before(point.thread, step), step)
    question = FailedValue(op=flow.op_of(step), step=step, seeds=seeds, silence=silence)
    outcome = quoted_output(printed[shared:])
    return ObservedFailure(flow, question, words, outcome, point.notes, _output_from(shared))


def _output_from(byte: int) -> str:
    return f"the output from byte {byte} on"


def _printer(recording: Recording, byte: int, process: str | None) -> tuple[str, int]:
    """Return the process that printed a byte of the test's output, and the bytes before it.

    Each process counts its own bytes only, so every byte must come from a recorded process.
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


def _too_short(
    recording: Recording, expect: bytes, at: int, process: str | None
) -> ObservedFailure:
    """Return the failure of a run that ended before it had printed everything."""
    found = _ended(recording, process) if recording.outcome is not Outcome.PASS else None
    if found is None:
        found = _exit(find(recording, "exit", process))
    words = (
        f"the output ends after {at} bytes instead of going on with {quoted_output(expect[at:])}"
    )
    question = _with_silence(found.question, found.flow)
    return ObservedFailure(found.flow, question, words, "the end", found.notes, _output_from(at))


def _with_silence(question: FailureQuestion, flow: Flow) -> FailureQuestion:
    """Return a question that also asks for the output between the last output and the end."""
    end = max(question.steps)
    last = printed_before(flow.thread, end)
    bears_on = question.bears_on | ({last} if last else set())
    if not isinstance(question, FailedValue) or not question.seeds:
        return replace(question, silence=Silence(last, end), bears_on=bears_on)
    # The last output may have been too short.
    arguments = {(operand, ALL) for operand in call_arguments(flow, last)} if last else set()
    seeds = question.seeds | arguments
    return replace(question, silence=Silence(last, end), bears_on=bears_on, seeds=seeds)
