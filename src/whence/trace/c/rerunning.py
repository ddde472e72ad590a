"""How is a C or C++ test run again with steps of its failing run altered?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from whence.frontend.c.tables import OpCode
from whence.frontend.rerun.c import CRerunner
from whence.frontend.rerun.interventions import (
    Action,
    AlwaysSide,
    FlipBranch,
    Intervention,
    KeepAddress,
    PatchedProcess,
    PokeKept,
    PokeRecorded,
    RunPoint,
    SetBytes,
    WatchedValue,
    WatchOperation,
)
from whence.program.ids import Step
from whence.trace.alignment import Alignment
from whence.trace.c.flow import CFlow
from whence.trace.c.mapped_values import MappedValues
from whence.trace.c.recording import CThread
from whence.trace.c.run_points import run_point
from whence.trace.flow import Flow
from whence.trace.recording import Comparable, program_place
from whence.trace.rerunning import (
    Alteration,
    AlteredRun,
    Assign,
    BuiltTest,
    Came,
    Force,
    Overwrite,
    Replace,
    StepRerunner,
)

_STORES = (OpCode.STORE, OpCode.LSTORE)
_DECIDES = (OpCode.CBR, OpCode.SWITCH)
_ADDRESS = 8  # bytes
_NUMBERS = (1, 2, 4, 8)  # bytes
_MAX_DISTANCE = 200_000  # steps between a definition and a read that are looked at; guessed


class CStepRerunner(StepRerunner):
    """Alters steps of a C run by setting memory at stores, branches and switches."""

    def __init__(
        self, rerunner: CRerunner, failing: CFlow, alignment: Alignment | None = None
    ) -> None:
        """`alignment` is with the passing run that values come from; None: branches only."""
        thread = failing.thread
        assert isinstance(thread, CThread)
        self.failing = failing
        self._rerunner, self._flow, self._thread = rerunner, failing, thread
        self._values = None if alignment is None else MappedValues(alignment)
        self._codes = thread.image.program.ops["code"]
        self._process = PatchedProcess(*program_place(thread.image.process, thread.recording))
        self._places = thread.image.process.places

    def can(self, alteration: Alteration) -> bool:
        if isinstance(alteration, Force):
            code = self._code(alteration.branch)
            return code == OpCode.CBR or (code == OpCode.SWITCH and not alteration.is_always)
        if isinstance(alteration, Assign):
            return self.plain_value(alteration.definition) is not None
        return self._content(alteration) is not None

    def plain_value(self, step: Step) -> int | None:
        """Return a number as signed: of what type it is the program does not say."""
        if self._code(step) not in _STORES or _is_address(self.failing, step):
            return None
        size = self._size(step)
        if size not in _NUMBERS:
            return None
        value = int(self.failing.value(step)) & (1 << 8 * size) - 1
        return value - (1 << 8 * size) if value >> (8 * size - 1) else value

    def can_watch(self, step: Step) -> bool:
        return self._code(step) in (*_STORES, *_DECIDES)

    def rerun(
        self,
        alterations: Sequence[Alteration],
        watched: Step | None = None,
        record_into: Path | None = None,
    ) -> AlteredRun:
        interventions = list(self._interventions(alterations))
        if watched is not None:
            start = min((each.point.offset for each in interventions), default=0)
            point = self._point(watched)
            moved = RunPoint(point.thread, start, point.operation)
            interventions.append(
                Intervention(moved, WatchOperation(_is_address(self.failing, watched)))
            )
        rerun = self._rerunner.run(
            interventions, process=self._process, places=self._places, record_into=record_into
        )
        others = (KeepAddress, WatchOperation)  # they change nothing
        missed = [each for each in rerun.missed if not isinstance(each.action, others)]
        came = Came.UNKNOWN
        if watched is not None:
            reports = rerun.watched.get(len(interventions) - 1, ())
            came = self._came(watched, alterations, reports)
        return AlteredRun(rerun.run, rerun.ended, len(missed), came)

    # --- interventions -------------------------------------------------------------------------

    def _interventions(self, alterations: Sequence[Alteration]) -> Iterator[Intervention]:
        for slot, alteration in enumerate(alterations):
            if isinstance(alteration, Force):
                yield Intervention(self._point(alteration.branch), self._forced(alteration))
                continue
            if isinstance(alteration, Assign):
                action = SetBytes(self._bytes(alteration))
                yield Intervention(self._point(alteration.definition), action)
                continue
            content = self._content(alteration)
            assert content is not None, "alterations are possible"
            offset, data = content
            assert self._values is not None
            is_address = len(data) == _ADDRESS and _is_address(
                self._values.passing, alteration.passing
            )
            if isinstance(alteration, Overwrite) and not self._stores_all(alteration):
                at = self._last_hook(alteration)
                assert at is not None, "alterations are possible"
                address = self._flow.address(alteration.reader)
                yield Intervention(self._point(at), PokeRecorded(address, data, is_address))
                continue
            yield Intervention(self._point(alteration.definition), KeepAddress(slot))
            at = alteration.definition
            if isinstance(alteration, Overwrite):
                at = self._last_hook(alteration) or at
            yield Intervention(self._point(at), PokeKept(slot, offset, data, is_address))

    def _forced(self, force: Force) -> Action:
        if force.is_always:
            return AlwaysSide(not self.failing.value(force.branch) & 1)
        if self._code(force.branch) == OpCode.CBR or force.passing is None:
            return FlipBranch()
        assert self._values is not None
        return SetBytes(int(self._values.passing.value(force.passing)).to_bytes(8, "little"))

    def _bytes(self, assign: Assign) -> bytes:
        size = self._size(assign.definition)
        return (int(assign.value) & (1 << 8 * size) - 1).to_bytes(size, "little")

    def _content(self, alteration: Overwrite | Replace) -> tuple[int, bytes] | None:
        """Return the bytes to write, and where: relative to what the definition wrote."""
        definition, passing = alteration.definition, alteration.passing
        offset = 0
        if isinstance(alteration, Overwrite) and self.failing.is_load(alteration.reader):
            size = self.failing.node(alteration.reader).operation.width // 8 or 1
            if self._stores_all(alteration):
                offset = self._flow.address(alteration.reader) - self._flow.address(definition)
            elif self._last_hook(alteration) is None:
                return None
        elif self._code(definition) in _STORES:
            size = self._size(definition)
        else:
            return None
        if not 0 < size <= 8:
            return None
        value = None if self._values is None else self._values.mapped(passing)
        if value is None:
            return None
        return offset, (value & (1 << 8 * size) - 1).to_bytes(size, "little")

    def _stores_all(self, overwrite: Overwrite) -> bool:
        """Did the definition store what is read?

        Otherwise a call wrote or copied it, or several definitions did, and it is known only where
        it lay.
        """
        definition, reader = overwrite.definition, overwrite.reader
        if self._code(definition) not in _STORES:
            return False
        if not self.failing.is_load(reader):
            return True
        if any(map(self.failing.is_call_or_copy, self.failing.node(reader).through)):
            return False
        return self._flow.address(reader) >= self._flow.address(definition)

    def _size(self, store: Step) -> int:
        return self.failing.node(store).operation.width // 8 or 1

    def _last_hook(self, overwrite: Overwrite) -> Step | None:
        """Return the last store or branch after the definition, before it is read."""
        first = max(overwrite.definition, overwrite.reader - _MAX_DISTANCE)
        for step in range(overwrite.reader - 1, first, -1):
            if self._code(Step(step)) in (*_STORES, *_DECIDES):
                return Step(step)
        return None

    def _code(self, step: Step) -> int:
        return int(self._codes[self.failing.op_of(step)])

    def _point(self, step: Step) -> RunPoint:
        return run_point(self._thread, step)

    # --- what is seen --------------------------------------------------------------------------

    def _came(
        self, step: Step, alterations: Sequence[Alteration], reports: Sequence[WatchedValue]
    ) -> Came:
        """Find the report of the step at its place in the log.

        If the run went another way before it, a report may be of another execution.
        """
        if not reports:
            return Came.NOT
        wanted = self._point(step).offset
        found = next((each for each in reports if each.offset == wanted), None)
        if found is None or any(isinstance(each, Force) for each in alterations):
            return Came.UNSURE
        if self._code(step) == OpCode.CBR:
            value = self.failing.value(step) & 1
            return Came.SAME if found.content[0] & 1 == value else Came.OTHER
        size = min(len(found.content), 8)
        value = int(self.failing.value(step)) & (1 << 8 * size) - 1
        same = int.from_bytes(found.content[:size], "little") == value
        return Came.SAME if same else Came.OTHER


def _is_address(flow: Flow, step: Step) -> bool:
    return flow.compared_as(step) is Comparable.POINTER


def c_rerunner(test: BuiltTest, failing: Flow, alignment: Alignment | None = None) -> CStepRerunner:
    """Return what alters the steps of a failing run that `test` recorded."""
    assert isinstance(test, CRerunner)
    assert isinstance(failing, CFlow)
    return CStepRerunner(test, failing, alignment)
