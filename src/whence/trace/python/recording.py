"""What does a recorded run of a Python program contain?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from whence.errors import UserError
from whence.frontend.python.values import STOP, UNKNOWN, Obj, Value, decode, python_text
from whence.inputs import InputRange
from whence.model import Outcome
from whence.program.ids import Instance, Op, Step
from whence.trace.columns import LINK, U32, Stream
from whence.trace.python.columns import stream_of
from whence.trace.python.descriptions import Display, OtherConstant
from whence.trace.python.endings import (
    Likelihood,
    ended_by,
    likelihood,
    origin,
    status_of,
    type_of,
    uncaught,
)
from whence.trace.python.image import PythonImage
from whence.trace.python.inplace import InplaceValues
from whence.trace.python.inputs import PythonInputs, inputs_of
from whence.trace.python.literals import Literals
from whence.trace.python.noise import is_only_noise, may_vary, noisy_steps
from whence.trace.python.printing import PrintCall, locate_prints, print_text, printer_of
from whence.trace.python.process import PythonLog, PythonProcess, python_processes
from whence.trace.python.replayed_run import MISSING, NO_STEP, ReplayedRun
from whence.trace.python.replaying import replay
from whence.trace.python.variables import definers
from whence.trace.queries import Dependence, Queries, in_memory
from whence.trace.recording import (
    Ending,
    Image,
    Output,
    Process,
    Progress,
    Recording,
    Thread,
    ThreadLog,
)


class PythonQueries(Queries):
    """Queries in which the instances of a generator follow each other, whoever resumed it."""

    def __init__(self, stream: Stream, run: ReplayedRun) -> None:
        super().__init__(stream)
        self._run = run

    def previous_instance(self, instance: Instance) -> Instance | None:
        return self._run.order.previous(instance)

    @cached_property
    def _by_stretch(self) -> tuple[U32, U32]:
        start = np.append(np.uint32(0), np.cumsum(self.stream.instance_counts(), dtype=np.uint32))
        return self._run.events.kernel.by_stretch(start), start

    def loaded(self, instance: Instance, op: Op) -> list[Dependence]:
        if not self.code.flags[op] & LINK:
            return []
        step = self.step_of(instance, op)
        source = None if step is None else self._run.source.get(step)
        return [in_memory(source or NO_STEP)]


class PythonThread(Thread):
    """One thread of a Python process, opened."""

    image: PythonImage

    def __init__(self, recording: Recording, image: PythonImage, log: PythonLog) -> None:
        self.program = image.program
        self.run: ReplayedRun = replay(image.program, log.events, image.tables)
        super().__init__(recording, image, log, stream_of(self.run, image.code))
        self.queries = PythonQueries(self.stream, self.run)
        self._events = log.events
        self._values: dict[int, Value] = {}
        self._second: PythonThread | None = None  # of a second run of the same version

    # --- values --------------------------------------------------------------------------------

    def value(self, step: int) -> Value:
        """Return the value of a step, or the exception that it raised."""
        if step not in self._values:
            token = self.run.values[step]
            if token is not MISSING:
                self._values[step] = self.decoded(token)
            elif self.program.opcode[self.op_at(step)] == "inplace":
                self._values.update(self._inplace.compute(step))
            else:
                self._values[step] = UNKNOWN
        return self._values[step]

    def has_value(self, step: int) -> bool:
        """Was the value of a step asked for before?"""
        return step in self._values

    def op_at(self, step: int) -> Op:
        """Return the operation that a step executed."""
        return self.queries.op_of(Step(step))

    @cached_property
    def _inplace(self) -> InplaceValues:
        return InplaceValues(self)

    def decoded(self, token: object) -> Value:
        """Return the value that a token or a constant stands for."""
        if isinstance(token, tuple) and token[-1] is None and self.run.objects.is_container(token):
            return UNKNOWN  # the container has changed since the log described it
        if isinstance(token, OtherConstant):
            return Obj(0, "object", "constant", token.text)
        if isinstance(token, Display):
            items = tuple(map(self.decoded, token.items))
            size = len(items) // 2 if token.kind == "dict" else len(items)
            return Obj(0, token.kind, token.kind, (size, items))
        return decode(token, self._events.types)

    def constant(self, op: int, use: int) -> Value:
        """Return the constant that a negative use of an operation stands for."""
        return self.decoded(self.program.constant(op, use))

    def text(self, step: Step) -> str:
        """Return the source of the expression that a step evaluated."""
        op = self.queries.op_of(step)
        return self.program.text[op] or self.program.name[op] or self.program.opcode[op]

    def has_item(self, step: Step) -> bool:
        """Did a loop get another item?"""
        token = self.run.values[step]
        return not (type(token) is str and token == STOP)

    def compare_with(self, again: PythonThread) -> None:
        """Note which values differ in the same thread of a second run of the same version."""
        self._second, self.noise = again, noisy_steps(self, again)

    def is_only_noise(self, step: Step, value: Value) -> bool:
        """Does a value of another run differ from a step's only where a second run does, too?"""
        if step not in self.noise or self._second is None:
            return False
        return is_only_noise(value, self.value(step), self._second.value(step))

    # --- endings and outputs -------------------------------------------------------------------

    @property
    def is_whole(self) -> bool:
        return self._events.has_ended and not self._events.is_damaged

    @property
    def stop_op(self) -> Op | None:
        return None

    @property
    def events(self) -> int:
        return self._events.count

    def ending(self, how: str) -> Ending | None:
        step = self._failing_step()
        value = None if step is None else self.value(step)
        if how == "exit":
            return self._exit(step if type_of(value) == "SystemExit" else None)
        if step is None or type_of(value) == "SystemExit":
            return None
        where = self.line_at(step)
        if type_of(value) == "AssertionError":
            return Ending((step,), f"the failed assertion at {where}")
        return Ending((step,), f"{python_text(value)} at {where}") if how == "crash" else None

    def _failing_step(self) -> Step | None:
        """Return the step that raised the failure of this process, if it is in this thread."""
        assert isinstance(self.recording, PythonRecording)
        found = self.recording.failing_exception([self.image.process])
        return found[1] if found is not None and found[0].log is self.log else None

    def _exit(self, failing: Step | None) -> Ending | None:
        """Return the exit that is the failure, or else the last one."""
        exceptions = {step: self.decoded(token) for step, token in uncaught(self.run)}
        exits = [step for step, value in exceptions.items() if type_of(value) == "SystemExit"]
        step = failing or (exits[-1] if exits else None)
        if step is None:
            return None
        return Ending((step,), f"the exit at {self.line_at(step)}", status_of(self.value(step)))

    def criteria(self, steps: Sequence[Step], line: int, variable: str) -> tuple[Step, ...]:
        return definers(self.run, self.queries, max(steps), variable)

    def printed(self, byte: int) -> Output | None:
        calls = [call for call in map(self._printing, self.run.prints) if call.text != ""]
        where = self.line_at(calls[-1].step) if calls else ""
        found = printer_of(byte, locate_prints(calls, self.recording.printed()), where)
        return None if found is None else Output(found.step, found.step)

    def printed_size(self) -> int:
        return sum(len(self._printing(step).text or "") for step in self.run.prints)

    def _printing(self, step: Step) -> PrintCall:
        """Return a call that printed, with its text."""
        op = self.queries.op_of(step)
        operands, uses = self.run.operands_of(step), self.program.uses[op]
        values = [
            UNKNOWN if use is None else self.constant(op, use) if use < 0
            else self.value(operands[at])
            for at, use in enumerate(uses)
        ]  # fmt: skip
        names = self.program.extra[op] or [None] * (len(uses) - 1)
        arguments = list(zip(names, values[1:], strict=True))
        is_print = self.program.name[uses[0] or 0] == "print"
        if not is_print:  # a `write` ends no line
            arguments.append(("end", ""))
        return PrintCall(step, print_text(arguments))

    def inputs(self, steps: U32 | None = None) -> tuple[InputRange, ...]:
        return inputs_of(self._inputs, self.literals, steps)

    @property
    def read_by(self) -> Mapping[int, Sequence[InputRange]]:
        """For each step that read input: what it read."""
        return self._inputs.read_by

    @cached_property
    def _inputs(self) -> PythonInputs:
        cwd = str(self.image.process.document.get("cwd", ""))
        tree = str(self.recording.document.get("tree", ""))
        return PythonInputs(self, self.image.process.arguments, tree, cwd)

    @cached_property
    def literals(self) -> Literals:
        return Literals(self.program, self.image.module_files)

    def reading_notes(self) -> tuple[str, ...]:
        if self._events.is_damaged:
            return ("the log is incomplete; only the part before the gap is used",)
        return ()

    def notes(self) -> list[str]:
        return list(self.reading_notes())


class PythonRecording(Recording):
    """A recorded run of a Python program, opened from its folder."""

    @cached_property
    def processes(self) -> list[PythonProcess]:
        return python_processes(self.folder)

    def image(self, process: Process) -> PythonImage:
        assert isinstance(process, PythonProcess)
        if process not in self._images:
            loaded = process.logs[0].events.modules if process.logs else []
            tree = Path(str(self.document["tree"]))
            self._images[process] = PythonImage(process, self.folder, tree, loaded)
        return self._images[process]

    @cached_property
    def _images(self) -> dict[PythonProcess, PythonImage]:
        return {}

    def thread(
        self, image: Image, log: ThreadLog, progress: Progress | None = None
    ) -> PythonThread:
        assert isinstance(image, PythonImage)
        assert isinstance(log, PythonLog)
        if log not in self._threads:
            self._threads[log] = PythonThread(self, image, log)
        return self._threads[log]

    @cached_property
    def _threads(self) -> dict[PythonLog, PythonThread]:
        return {}

    def may_vary(self) -> bool:
        return any(map(may_vary, self._all_threads()))

    def compare_with(self, again: Recording) -> None:
        assert isinstance(again, PythonRecording)
        own, others = self._all_threads(), again._all_threads()
        if [t.image.key for t in own] != [t.image.key for t in others]:
            return
        self.second_run = again
        for thread, other in zip(own, others, strict=True):
            thread.compare_with(other)

    def _all_threads(self) -> list[PythonThread]:
        return [self.thread(self.image(p), log) for p in self.processes for log in p.logs]

    def failing_exception(self, processes: Sequence[Process]) -> tuple[PythonThread, Step] | None:
        """Return the exception by which a run failed: its thread and the step that raised it.

        Only exceptions that left the recorded code of these processes count.  Of these it is the
        last one that fits the reported failure best.  In a run that passed, it is the exception
        that ended the latest thread which an exception ended.
        """
        threads = [self.thread(self.image(p), log) for p in processes for log in p.logs]
        if self.outcome is Outcome.PASS:
            ended = ((thread, ended_by(thread.run)) for thread in reversed(threads))
            return next(((thread, step) for thread, step in ended if step is not None), None)
        best: tuple[tuple[Likelihood, int], PythonThread, Step] | None = None
        for number, thread in enumerate(threads):
            for left_at, token in thread.run.left:
                step = origin(thread.run, left_at)
                place = thread.image.place(thread.queries.op_of(step))
                rank = likelihood(thread.decoded(token), place, self.failure), number
                if best is None or rank >= best[0]:
                    best = rank, thread, step
        return None if best is None else best[1:]

    def failing_thread(self, processes: Sequence[Process]) -> PythonThread | None:
        found = self.failing_exception(processes)
        return None if found is None else found[0]

    def check(self, max_trace: int) -> None:
        if not self.is_stopped and any(process.is_full for process in self.processes):
            raise UserError(
                f"The run logs more than {max_trace:,} bytes, so it was not recorded to its end.\n"
                "Raise the limit with --max-trace, or run a smaller test.",
                slug="trace-too-long",
            )

    def nothing(self) -> UserError:
        return UserError(
            "Nothing was recorded: the test ran no Python code of the tree.\n"
            f"We ran: {self.document['test']}\n"
            "whence records CPython 3.10 to 3.13 only.  The test must import the project from the "
            "tree, not an installed copy (for example with PYTHONPATH={tree}).",
            slug="nothing-recorded",
        )

    def notes(self, files: set[str]) -> list[str]:
        return []

    def ended(self, threads: Sequence[Thread]) -> str:
        for thread in threads:
            for how in ("assert", "crash", "exit"):
                ending = thread.ending(how)
                if ending is not None and thread.log.is_crashed:
                    return ending.words
        return f"exit status {self.document.get('status', 0)}"
