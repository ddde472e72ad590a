"""How is a Python test run again with steps of its failing run altered?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whence.frontend.python.values import (
    CONTAINERS,
    Long,
    Obj,
    Unknown,
    Value,
    is_builtin,
    items,
    likeness,
)
from whence.frontend.rerun.interventions import PatchedProcess
from whence.frontend.rerun.python import AlteredValue, PythonRerunner
from whence.program.ids import Step
from whence.program.operations import COp
from whence.trace.alignment import Alignment
from whence.trace.flow import Flow
from whence.trace.python.flow import PythonFlow
from whence.trace.recording import Comparable, program_place
from whence.trace.rerunning import (
    Alteration,
    AlteredRun,
    Assign,
    BuiltTest,
    Came,
    Force,
    Overwrite,
    Plain,
    StepRerunner,
)

_VARIABLES = frozenset({"load", "store", "set_attr", "set_item"})  # hooked, though not logged
_PASSED_ON = frozenset({"store", "param"})  # variables that are set to what an expression gave
_CONDITIONS = frozenset({"branch", "either"})
# Operations whose value passes through a function of the recorder on its way.
_VALUES = frozenset({
    "attr", "item", "call", "binary", "unary", "compare", "either", "branch", "phi", "return",
    "yield", "format", "list", "tuple", "set", "dict", "comp", "resume", "await",
})  # fmt: skip
_MAX_MAKING = 200  # steps that an object was made from that are compared; guessed
_MAX_HOPS = 200  # copies between a value and where it was made that are followed; guessed


@dataclass(frozen=True, slots=True)
class KeptObject:
    """An object of the failing run itself, by the step that gave it."""

    step: Step


class PythonStepRerunner(StepRerunner):
    """Alters steps of a Python run by giving values to expressions and variables."""

    def __init__(
        self, rerunner: PythonRerunner, failing: PythonFlow, alignment: Alignment | None = None
    ) -> None:
        """`alignment` is with the passing run that values come from; None: branches only."""
        thread = failing.thread
        self.failing, self._flow, self._rerunner = failing, failing, rerunner
        self._alignment = alignment
        self._process = PatchedProcess(*program_place(thread.image.process, thread.recording))

    def can(self, alteration: Alteration) -> bool:
        if isinstance(alteration, Force):
            return self._flow.opcode(alteration.branch) in _CONDITIONS
        at = self._place(alteration)
        if isinstance(alteration, Assign):
            return self._is_hooked(at)
        return self._is_hooked(at) and self._content(alteration.passing, at) is not None

    def plain_value(self, step: Step) -> Plain | None:
        value = self._flow.value(step) if self._is_hooked(step) else None
        return value if isinstance(value, bool | int | float | str) else None

    def can_watch(self, step: Step) -> bool:
        return self._is_hooked(step) and self._flow.opcode(step) != "load"

    def rerun(
        self,
        alterations: Sequence[Alteration],
        watched: Step | None = None,
        record_into: Path | None = None,
    ) -> AlteredRun:
        values = [value for each in enumerate(alterations) for value in self._values(*each)]
        if watched is not None:
            values.append(AlteredValue(self._flow.op_of(watched), self._count(watched), "watch"))
        rerun = self._rerunner.run(values, self._process, record_into=record_into)
        came = Came.UNKNOWN
        if watched is not None:
            came = self._came(watched, alterations, rerun.watched.get(len(values) - 1, ()))
        return AlteredRun(rerun.run, rerun.ended, len(rerun.missed), came)

    # --- alterations ---------------------------------------------------------------------------

    def _values(self, slot: int, alteration: Alteration) -> Iterator[AlteredValue]:
        if isinstance(alteration, Force):
            branch = alteration.branch
            op, count = self._flow.op_of(branch), self._count(branch)
            if alteration.is_always:
                yield AlteredValue(op, count, "always", not self._flow.value(branch))
            else:
                yield AlteredValue(op, count, "flip")
            return
        at = self._place(alteration)
        if isinstance(alteration, Assign):
            yield AlteredValue(self._flow.op_of(at), self._count(at), "set", alteration.value)
            return
        content = self._content(alteration.passing, at)
        assert content is not None, "alterations are possible"
        op, count = self._flow.op_of(at), self._count(at)
        if isinstance(content[0], KeptObject):
            kept = content[0].step
            yield AlteredValue(self._flow.op_of(kept), self._count(kept), "keep", slot)
            yield AlteredValue(op, count, "kept", slot)
        else:
            yield AlteredValue(op, count, "set", content[0])

    def _place(self, alteration: Alteration) -> Step:
        """Return the step whose value a rerun alters."""
        if isinstance(alteration, Assign):
            return self._logged_source(alteration.definition)
        if isinstance(alteration, Overwrite):
            return alteration.reader
        return alteration.branch if isinstance(alteration, Force) else alteration.definition

    def _logged_source(self, step: Step) -> Step:
        """Return the logged step that a variable is set from; the step itself if there is none.

        A recording of the rerun shows what a logged step gave.  What a variable holds it follows
        from that.
        """
        at, node = step, self._flow.node(step)
        for _ in range(_MAX_HOPS):
            if self._flow.opcode(at) in _VALUES and self._is_hooked(at):
                return at
            is_copy = node.operation.op is COp.COPY and len(node.operands) == 1
            operand = node.operands[0] if is_copy else None
            if not isinstance(operand, int) or self._flow.opcode(at) not in _PASSED_ON:
                return step
            at, node = operand, self._flow.node(operand)
        return step

    def _is_hooked(self, step: Step) -> bool:
        opcode = self._flow.opcode(step)
        logged = bool(self._flow.program.logged[self._flow.op_of(step)])
        return opcode in _VARIABLES or (logged and opcode in _VALUES)

    def _count(self, step: Step) -> int:
        return self._flow.executions(self._flow.op_of(step)).before(step)

    def _content(self, passing: Step, before: Step) -> tuple[Any] | None:
        """Return the value to give; an object is one of the failing run's own; None: unknown."""
        assert self._alignment is not None
        value = self._alignment.passing.value(passing)
        literal = literal_of(value)
        return literal if literal is not None else self._own_object(passing, before)

    def _own_object(self, passing: Step, before: Step) -> tuple[KeptObject] | None:
        """Return the failing run's object that was made where the passing run's was."""
        assert self._alignment is not None
        at = passing
        for _ in range(_MAX_HOPS):
            own = self._alignment.failing_counterpart(at)
            if own is not None and own < before and self._is_hooked(own):
                if not self._is_same_object(own):
                    return None
                node = self._alignment.passing.node(at)
                if node.operation.op is not COp.COPY or self._flow.opcode(own) == "store":
                    return (KeptObject(own),)
            operands = self._alignment.passing.node(at).operands
            is_copy = self._alignment.passing.node(at).operation.op is COp.COPY
            if not is_copy or len(operands) != 1 or not isinstance(operands[0], int):
                return None
            at = operands[0]
        return None

    def _is_same_object(self, own: Step) -> bool:
        """Is the object that a step gave what its counterpart gave, too?

        An instance of a class of the program is: what it holds was written by other steps.  An
        object that other code made, such as a date, is it if it was made from the same values.
        """
        assert self._alignment is not None
        flow, passing = self._flow, self._alignment.passing
        work, seen = [own], {own}
        while work and len(seen) < _MAX_MAKING:
            step = work.pop()
            other = self._alignment.passing_counterpart(step)
            if other is None or likeness(flow.value(step)) != likeness(passing.value(other)):
                return False
            is_whole = flow.compared_as(step) is not Comparable.POINTER
            if is_whole or flow.run.objects.is_program_instance(flow.run.values[step]):
                continue
            for operand in flow.node(step).operands:
                if isinstance(operand, int) and operand not in seen:
                    seen.add(operand)
                    work.append(operand)
        return True

    # --- what is seen --------------------------------------------------------------------------

    def _came(
        self, step: Step, alterations: Sequence[Alteration], reports: Sequence[tuple[int, str]]
    ) -> Came:
        """Find the report of the step by the number of its execution.

        If the run went another way, a report may be of another execution.
        """
        if not reports:
            return Came.NOT
        wanted = self._count(step)
        found = next((text for count, text in reports if count == wanted), None)
        total = len(self._flow.executions(self._flow.op_of(step)))
        is_forced = any(isinstance(each, Force) for each in alterations)
        if found is None or is_forced or len(reports) != total - wanted:
            return Came.UNSURE
        if found != text_of_report(self._flow.value(step)):
            return Came.OTHER
        return Came.UNSURE if found[0] in "<?" else Came.SAME  # only its type is known


def literal_of(value: Value) -> tuple[Any] | None:
    """Return a value as a new Python object, in a tuple; None if it cannot be made anew."""
    if isinstance(value, Long | Unknown):
        return None
    if not isinstance(value, Obj):
        return (value,)
    parts = items(value)
    if value.kind not in CONTAINERS or not is_builtin(value) or parts is None:
        return None
    inner = [literal_of(part) for part in parts]
    if any(part is None for part in inner):
        return None
    plain = [part[0] for part in inner if part is not None]
    try:
        if value.kind == "dict":
            return (dict(zip(plain[::2], plain[1::2], strict=True)),)
        makers: dict[str, Any] = {"list": list, "tuple": tuple, "set": set}
        is_frozen = value.type == "frozenset"
        return (frozenset(plain) if is_frozen else makers[value.kind](plain),)
    except TypeError:  # an item that cannot be hashed
        return None


def text_of_report(value: Value, is_inner: bool = False) -> str:
    """Return a value as the reports of a rerun write it: see whence_recorder/altering.py."""
    if isinstance(value, Long | Unknown):
        return "?"
    if not isinstance(value, Obj):
        return repr(value)
    kind = value.type.rpartition(".")[2]
    if value.kind not in CONTAINERS or not is_builtin(value):
        return f"<{kind}>"
    parts = items(value)
    assert isinstance(value.shape, tuple)
    if is_inner or parts is None:
        return f"<{kind} of {value.shape[0]}>"
    texts = [text_of_report(part, True) for part in parts]
    if value.kind == "dict":
        pairs = zip(texts[::2], texts[1::2], strict=True)
        texts = [f"{name}: {text}" for name, text in pairs]
    if value.kind == "set":
        texts.sort()
    opening = {"list": "[]", "tuple": "()"}.get(value.kind, "{}")
    return f"{kind}{opening[0]}{', '.join(texts)}{opening[1]}"


def python_rerunner(
    test: BuiltTest, failing: Flow, alignment: Alignment | None = None
) -> PythonStepRerunner:
    """Return what alters the steps of a failing run that `test` recorded."""
    assert isinstance(test, PythonRerunner)
    assert isinstance(failing, PythonFlow)
    return PythonStepRerunner(test, failing, alignment)
