"""Which predicates are critical because the failing and the passing run diverge there?

These are: a branch that only the failing run executed, or that went another way in it; a branch or
a removed statement that prevented a store whose value the passing run later read, or an output;
a load, a store or a copy that went elsewhere; what prevented an exception that the passing run
raised; what no longer catches one; and what raises one again that was caught.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from whence.causes.cancellation import Cancellation
from whence.causes.comparison import Comparison
from whence.causes.divergence_points import DivergencePoints, Lost
from whence.causes.open_questions import OpenQuestions, QuestionFinder, Raised
from whence.causes.questions import Question, controlling_branches, silence_of
from whence.causes.shifted_reads import ShiftedReads
from whence.model import Influence
from whence.program.ids import Activation, Instance, Step
from whence.trace.conditions import Conditions
from whence.trace.flow import Flow, Left, Operand, StoredBits
from whence.trace.queries import Part
from whence.trace.recording import Comparable

_MAX_ORIGINS = 50  # limit on the steps behind a pointer of the passing run; guessed


class DivergencePredicates(QuestionFinder):
    """Finds the predicates that are critical because the two runs diverge there."""

    def __init__(
        self,
        flow: Flow,
        conditions: Conditions,
        hidden: Collection[Activation],
        comparison: Comparison,
        cancellation: Cancellation | None = None,
    ) -> None:
        super().__init__(flow, conditions, hidden, cancellation)
        self.comparison, self.points = comparison, DivergencePoints(comparison)
        self._reads = ShiftedReads(comparison)

    def of(
        self, steps: Iterable[Step], question: Question, premises: Iterable[Step] = ()
    ) -> OpenQuestions:
        ordered = sorted(steps, reverse=True)
        lost: list[Lost] = []
        raised = (
            (Raised(Influence.PREMISE, branch, question.about) for branch in premises),
            self._diverging(ordered, question, lost),
            self._moved(ordered),
            self._unwritten(ordered, lost),
            self._shifted(ordered, lost),
            self._unraised(ordered, lost),
            self._uncaught(ordered, lost),
            self._raised_again(ordered),
            self._unprinted(question, lost),
        )
        return self._gathered(raised, lost)

    def _address_operands(self, steps: frozenset[Step]) -> Iterator[Operand]:
        """Yield the operands that say where steps went, and the arguments of calls that differ."""
        yield from super()._address_operands(steps)
        for step in steps:
            for argument in self.comparison.other_arguments(step):
                if isinstance(argument, int | StoredBits | Left):
                    yield argument
            yield from self._other_callees(step)
            yield from self._other_position(step)

    def _other_position(self, step: Step) -> Iterator[Operand]:
        """Yield what said where in a file a call reads, if it differs from the passing run."""
        position, other = self.flow.position(step), self.comparison.counterpart(step)
        if position is None or other is None or not isinstance(position, int | StoredBits | Left):
            return
        theirs = self.comparison.passing.position(other)
        if theirs is None or self.flow.value_of(position) != self.comparison.passing.value_of(
            theirs
        ):
            yield position

    def _other_callees(self, call: Step) -> Iterator[Step]:
        """Yield the function pointer of a call if it differs from the passing run."""
        if self.flow.is_call(call):
            for definition in self.flow.queries.definitions(call, Part.ENTRY):
                step = definition.step
                if step and not self.flow.is_branch(step) and not self.comparison.is_same(step):
                    yield step

    def _diverging(
        self, steps: Iterable[Step], question: Question, lost: list[Lost]
    ) -> Iterator[Raised]:
        own = self._own_branches(question)
        around = [(branch, question.about) for branch in controlling_branches(question)]
        seen: set[Instance] = set()
        walked: set[Step] = set()
        for step in steps:
            instance = self.flow.instance_of(step)
            if instance not in seen and not self.is_hidden(step):
                seen.add(instance)
                branches, is_known = self.points.diverging_branches(step, walked)
                around += [(branch, step) for branch in branches]
                if not is_known and not any(map(self._is_reason, branches)):
                    jump = self.points.lost_jump(step)
                    lost += [jump] if jump is not None else []
                    yield from self._entering(step)
        for branch, about in around:
            shown = self.visible(branch)
            if shown is not None and shown not in own and self.comparison.side_differs(shown):
                yield Raised(Influence.DIRECT, shown, about)

    def _entering(self, step: Step) -> Iterator[Raised]:
        """Yield the call that entered another function than in the passing run."""
        call = self.points.entering_call(step)
        if call is not None and not self.is_hidden(call) and any(self._other_callees(call)):
            yield Raised(Influence.ADDRESS, call, step)

    def _is_reason(self, branch: Step) -> bool:
        """Does a branch explain why the steps that it controls have no counterpart?

        A branch of both versions that only the failing run executed explains nothing: it has no
        counterpart itself.
        """
        if self.comparison.counterpart(branch) is not None:
            return self.comparison.side_differs(branch)
        return self.comparison.alignment.pairing.good_op(self.flow.op_of(branch)) is None

    def _moved(self, steps: Iterable[Step]) -> Iterator[Raised]:
        """Yield loads, stores and copies that went elsewhere than in the passing run."""
        for step in steps:
            if not self.is_hidden(step) and (
                any(not self._is_fixed(pointer) for pointer in self._other_pointers(step))
                or self._reads_elsewhere(step)
                or any(self._other_position(step))
            ):
                yield Raised(Influence.ADDRESS, step, step)

    def _reads_elsewhere(self, step: Step) -> bool:
        """Does a call that reads memory, such as strncpy or strchr, get another argument?

        The bytes that it read are proved without it.  They may be a text that no step wrote: then
        the pointer alone is why they differ.
        """
        if self.flow.queries.is_copy(step):
            return bool(self.comparison.other_arguments(step))
        return self.flow.is_given(step) and any(
            isinstance(argument, int) and self.flow.compared_as(argument) is Comparable.POINTER
            for argument in self.comparison.other_arguments(step)
        )

    def _other_pointers(self, step: Step) -> Iterator[Step]:
        """Yield the pointers of a step whose values differ from the passing run."""
        for pointer in self.flow.node(step).pointers:
            if isinstance(pointer, int) and not self.comparison.is_same(pointer):
                yield pointer

    def _unwritten(self, steps: Iterable[Step], lost: list[Lost]) -> Iterator[Raised]:
        """Yield branches that prevented a store whose value the passing run later read."""
        for step in steps:
            if not self.flow.reads(step):
                continue
            for definition in self.comparison.read_instead(step):
                own = self.comparison.alignment.failing_counterpart(definition)
                if own is None:
                    yield from self._preventing(definition, step, lost)
                elif self.is_hidden(own):
                    continue  # the proof has its pointer
                elif any(self._other_pointers(own)) or self.comparison.other_arguments(own):
                    yield Raised(Influence.ADDRESS, own, step, is_elsewhere=True)
                elif self.comparison.went_elsewhere(step):
                    yield Raised(Influence.ADDRESS, step, step)
                else:
                    for origin in self._lost_origins(own):
                        yield from self._preventing(origin, step, lost)

    def _lost_origins(self, step: Step) -> Iterator[Step]:
        """Yield the stores that only the passing run made a pointer of.

        A lambda that captures a variable by reference finds the variable by a pointer; one that
        captures it by value writes to its own copy.  Where it is captured, the runs differ.
        """
        other = self.comparison.counterpart(step)
        passing, alignment = self.comparison.passing, self.comparison.alignment
        if other is None:
            return
        own, theirs = self.flow.node(step).pointers, passing.node(other).pointers
        work = [
            pointer
            for mine, pointer in zip(own, theirs, strict=False)
            if isinstance(pointer, int)
            and not (isinstance(mine, int) and self.comparison.counterpart(mine) == pointer)
            and alignment.failing_counterpart(pointer) is None
        ]
        seen = set(work)
        while work and len(seen) < _MAX_ORIGINS:
            node = passing.node(work.pop())
            for operand in (*node.operands, *node.pointers):
                origin = operand.step if isinstance(operand, StoredBits | Left) else operand
                if not isinstance(origin, int) or origin in seen:
                    continue
                seen.add(origin)
                if alignment.failing_counterpart(origin) is None:
                    work.append(origin)
                    if passing.defines(origin):
                        yield origin

    def _shifted(self, steps: Iterable[Step], lost: list[Lost]) -> Iterator[Raised]:
        """Yield why a call read another part of its input: an earlier read took more or less."""
        for step in steps:
            shift = None if self.is_hidden(step) else self._reads.before(step)
            if shift is None:
                continue
            read, missing = shift
            if read is not None and self.comparison.counterpart(read) is not None:
                yield Raised(Influence.ADDRESS, read, step)
                continue
            if missing is not None:
                yield from self._preventing(missing, step, lost)
            if read is not None:
                yield from self._reading_more(read, step, lost)

    def _reading_more(self, read: Step, about: Step, lost: list[Lost]) -> Iterator[Raised]:
        """Yield why only the failing run executed a read before the step that it bears on."""
        branches, _ = self.points.diverging_branches(read, set())
        shown = [each for branch in branches if (each := self.visible(branch)) is not None]
        for branch in shown:
            if self.comparison.side_differs(branch):
                yield Raised(Influence.INDIRECT, branch, about)
        if not any(map(self._is_reason, branches)):
            jump = self.points.lost_jump(read)
            lost += [jump] if jump is not None else []
            yield from self._entering(read)

    def _unraised(self, steps: Iterable[Step], lost: list[Lost]) -> Iterator[Raised]:
        """Yield why the failing run lacks an exception that the passing run raised.

        A branch prevented it, or the step that raised it worked on something else.  That may be
        what another step left in a container, such as a key that was missing.
        """
        passing, found = self.comparison.passing, set[Step]()
        for step in steps:
            other = self.comparison.counterpart(step)
            missing = None if other is None else passing.raised_by(other)
            if missing is None or missing in found or self.flow.raised_by(step) is not None:
                continue
            found.add(missing)
            own = self.comparison.alignment.failing_counterpart(missing)
            if own is None:
                yield from self._preventing(missing, step, lost)
                continue
            operands = self.flow.node(own).operands
            moved = list(self._moved(each for each in operands if isinstance(each, int)))
            yield from moved
            is_other = any(self._other_pointers(own)) or self.comparison.other_arguments(own)
            if is_other and not moved and not self.is_hidden(own):
                yield Raised(Influence.ADDRESS, own, step)

    def _uncaught(self, steps: Iterable[Step], lost: list[Lost]) -> Iterator[Raised]:
        """Yield why the failing run did not catch an exception that both runs raised."""
        passing = self.comparison.passing
        for step in steps:
            other = self.comparison.counterpart(step) if self._raise_alike(step) else None
            handler = None if other is None else passing.caught_at(other)
            if handler and self.comparison.alignment.failing_counterpart(handler) is None:
                yield from self._preventing(handler, step, lost)

    def _raised_again(self, steps: Iterable[Step]) -> Iterator[Raised]:
        """Yield why the failing run raised again what both runs raised, and caught."""
        for step in steps:
            again = self.flow.raised_again(step) if self._raise_alike(step) else None
            if again is None or self.comparison.counterpart(again) is not None:
                continue
            branches, _ = self.points.diverging_branches(again, set())
            for branch in branches:
                shown = self.visible(branch)
                if shown is not None and self.comparison.side_differs(shown):
                    yield Raised(Influence.DIRECT, shown, step)

    def _raise_alike(self, step: Step) -> bool:
        """Did both runs raise an exception at a step?"""
        other = self.comparison.counterpart(step)
        if other is None or self.flow.raised_by(step) is None:
            return False
        return self.comparison.passing.raised_by(other) is not None

    def _unprinted(self, question: Question, lost: list[Lost]) -> Iterator[Raised]:
        """Yield branches that prevented an output of the passing run."""
        silence = silence_of(question)
        if silence is None:
            return
        missing = silence.missing
        if missing is None:
            output = self.points.unprinted(silence.after)
            missing = () if output is None else (output,)
        for step in missing:
            yield from self._preventing(step, question.about, lost)
        for step in silence.moved:
            if not self.is_hidden(step):
                yield Raised(Influence.ADDRESS, step, question.about)

    def _preventing(self, missing: Step, about: Step, lost: list[Lost]) -> Iterator[Raised]:
        """Yield the branch that prevented a step of the passing run; note what was lost."""
        found, branch = self.points.lost(missing, about)
        is_kept = found is not None and self.points.is_kept(found.passing)
        if is_kept if branch is None else not self.comparison.side_differs(branch):
            branch, jump = self.points.added_jump(missing)
            if found is not None and jump is not None:
                found = replace(found, passing=found.definition, jump=jump)
        if found is not None:
            lost.append(found)
        call = self.points.other_callee(missing) if branch is None else None
        if branch is None and call is None:
            branch = self.points.added_branch(missing)
            yield from self._leaving(missing, about)
            thrown = self.points.thrown_before(missing)
            if thrown is not None and thrown < missing:
                yield from self._preventing(thrown, about, lost)
        if call is not None and not self.is_hidden(call) and any(self._other_callees(call)):
            yield Raised(Influence.ADDRESS, call, about)
        shown = None if branch is None else self.visible(branch)
        if shown is not None:
            yield Raised(Influence.INDIRECT, shown, about)

    def _leaving(self, missing: Step, about: Step) -> Iterator[Raised]:
        """Yield the branches that led to where the failing run left a function early.

        `missing` is a step of the passing run that comes after that in the function.
        """
        left = self.points.left_at(missing)
        if left is None or self.comparison.counterpart(left) is not None:
            return
        for branch in self.points.diverging_branches(left, set())[0]:
            shown = self.visible(branch)
            if shown is not None and self.comparison.side_differs(shown):
                yield Raised(Influence.INDIRECT, shown, about)
