"""Which faulty values does a step of the failing run come from?

A value is faulty if it differs from that of its counterpart in the passing run, or has none.  The
state difference of FIC at the point before a step is all of them.  Those that the step does not
read, directly or through steps that only the failing run has, cannot bring it about.  The trace
says which are read, so the program is not stopped to look at its memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from whence.causes.comparison import Comparison
from whence.causes.divergence_points import DivergencePoints
from whence.program.ids import Step
from whence.program.operations import COp
from whence.trace.flow import Constant, Flow, Left, Operand, StoredBits
from whence.trace.queries import Part
from whence.trace.recording import Comparable
from whence.trace.rerunning import Alteration, Assign, Force, Overwrite, Replace

_MAX_CONDITION = 20  # operations of a condition that are looked at; guessed
_MAX_WALKED = 20_000  # steps behind one step that are looked at; guessed


@dataclass(frozen=True, slots=True, order=True)
class FaultyValue:
    """What one step of the failing run defined, and how a rerun gives it the passing value."""

    step: Step  # the definition, or the branch
    alteration: Alteration | None  # None: the passing value is not known
    is_branch: bool = False
    is_kept: bool = False  # the step is right, and the passing run replaced its value later
    instead: Alteration | None = None  # of a branch that left a definition out: what it would set
    is_address: bool = False  # it decides which memory is read, and the content is looked at, too


class _Read(NamedTuple):
    """An operand of a step.

    `is_content`: the step may have read it from a variable or memory.  `is_address`: it comes from
    the address of what was read.
    """

    reader: Step
    operand: Operand
    is_content: bool
    is_address: bool = False


def had_value_at(flow: Flow, step: Step) -> Step:
    """Return the step after which a step had its value.

    A loop over a generator has its item after steps of the generator that come after its own.
    """
    return max(step, *(each for each in flow.node(step).operands if isinstance(each, int)), Step(0))


class FaultyState:
    """Finds the faulty values behind steps of a failing run."""

    def __init__(self, comparison: Comparison, altered: Iterable[Assign] = ()) -> None:
        """`altered`: other values that definitions were given, which made the passing run."""
        self.comparison = comparison
        self._altered = {each.definition: each for each in altered}
        self._failing, self._passing = comparison.failing, comparison.passing
        self._points = DivergencePoints(comparison)
        self._other_conditions: set[Step] = set()  # they decide otherwise in the good version

    def before(self, step: Step) -> list[FaultyValue]:
        """Return the faulty values made before a step that it comes from, the last first."""
        until = had_value_at(self._failing, step)
        return [
            each for each in self.behind(step) if had_value_at(self._failing, each.step) < until
        ]

    def behind(self, step: Step) -> list[FaultyValue]:
        """Return the faulty values that a definition or a branch comes from, the last first."""
        node = self._failing.node(step)
        found = dict.fromkeys([*self._read(self._behind(step)), *self._lacking(step)])
        if not found and self._compares_pointers(step):
            found = dict.fromkeys(self._read(self._behind(step)))
        found |= dict.fromkeys([*self.deciding(step), *self.entering(step)])
        if node.chosen_by is not None:
            found |= dict.fromkeys(self._branches([node.chosen_by]))
        found = found or dict.fromkeys(self._returning(step))
        if step not in self._other_conditions:
            found = found or dict.fromkeys(self.around(step))
        others = (value for value in found if value.step != step)
        return sorted(others, reverse=True, key=lambda each: each.step)

    def _returning(self, step: Step) -> Iterator[FaultyValue]:
        """Yield the steps that returned what a step has from the functions that it came through.

        All that a `return` read may be right: then its own code is at fault, and not the call.
        """
        flow, comparison = self._failing, self.comparison
        work, seen = [step], set[Step]()
        while work and len(seen) < _MAX_CONDITION:
            at = work.pop()
            seen.add(at)
            node = flow.node(at)
            steps = [each for each in (*node.operands, *node.through) if isinstance(each, int)]
            for each in steps:
                if each in seen or comparison.is_same(each):
                    continue
                returned = flow.returned(each) if flow.is_call(each) else None
                other = comparison.counterpart(each)
                if returned is not None:
                    put = None if other is None else Replace(each, other)
                    yield FaultyValue(returned, put)
                elif not self._is_definition(at, each):
                    work.append(each)

    def _compares_pointers(self, branch: Step) -> bool:
        """Did a branch go another way because of a pointer that seemed to be the same?

        Pointers are compared as far back as is quick.  Here one of them must differ.
        """
        if not self._failing.is_branch(branch) or self.comparison.counterpart(branch) is None:
            return False
        if not self.comparison.side_differs(branch):
            return False
        work, seen = [branch], set[Step]()
        while work and len(seen) < _MAX_CONDITION:
            at = work.pop()
            seen.add(at)
            operands = [each for each in self._failing.node(at).operands if isinstance(each, int)]
            for operand in operands:
                if self._failing.compared_as(operand) is not Comparable.POINTER:
                    work += [operand] if operand not in seen else []
                elif not self.comparison.has_same_origins(operand):
                    return True
        return False

    def behind_operands(self, step: Step, operands: Iterable[Operand]) -> list[FaultyValue]:
        """Return the faulty values that some operands come from, as `step` reads them."""
        read = (_Read(step, operand, is_content=True) for operand in operands)
        return sorted(dict.fromkeys(self._read(read)), reverse=True, key=lambda each: each.step)

    # --- what decided that a step ran ------------------------------------------------------------

    def deciding(self, step: Step) -> Iterator[FaultyValue]:
        """Yield the branches that went another way: so a step has no counterpart."""
        yield from self._branches(filter(self.comparison.side_differs, self._around(step)))

    def around(self, step: Step) -> Iterator[FaultyValue]:
        """Yield the branches around a step without a counterpart, whichever way they went.

        An exception may have left the code that a branch led to in both runs.
        """
        yield from self._branches(self._around(step))

    def entering(self, step: Step) -> Iterator[FaultyValue]:
        """Yield what made a call of both runs enter another function: a step has no counterpart.

        It may be a function pointer, or an object of another class.
        """
        counterpart = self.comparison.counterpart
        at: Step | None = step
        while at is not None and counterpart(at) is None:
            at = self.comparison.alignment.failing_region(at)
        if at is not None and at != step and self._failing.is_call(at):
            yield from self._called(at)

    def _called(self, call: Step) -> Iterator[FaultyValue]:
        """Yield the faulty values that say which function a call enters."""
        entered = self._failing.queries.definitions(call, Part.ENTRY)
        steps = (each.step for each in entered if each.step)
        callees = (each for each in steps if not self._failing.is_branch(each))
        yield from self._read([_Read(call, each, is_content=True) for each in callees])

    def _around(self, step: Step) -> list[Step]:
        if self.comparison.counterpart(step) is not None:
            return []
        return self._points.diverging_branches(step, set())[0]

    def missing(self, passing: Step, about: Step) -> Iterator[FaultyValue]:
        """Yield the branches that kept a step of the passing run from running."""
        _, branch = self._points.lost(passing, about)
        if branch is None:
            branch, _ = self._points.added_jump(passing)
        if branch is not None:
            yield from self._branches([branch])
            return
        call = self._points.other_callee(passing)
        if call is not None:
            yield from self._called(call)
        # A part of a condition that only the good version has may have led to the step.
        decided = self._points.added_branch(passing, is_kept=True)
        if decided is not None:
            self._other_conditions.add(decided)
            yield FaultyValue(decided, Force(decided), is_branch=True)

    def unprinted(self, since: Step | None, about: Step) -> Iterator[FaultyValue]:
        """Yield the branches that kept the first output after `since` from being made."""
        lacking = self._points.unprinted(since)
        if lacking is not None:
            yield from self.missing(lacking, about)

    def _branches(self, branches: Iterable[Step]) -> Iterator[FaultyValue]:
        for branch in branches:
            other = self.comparison.counterpart(branch)
            if other is not None and self._failing.is_branch(branch):
                yield FaultyValue(branch, Force(branch, other), is_branch=True)

    # --- what a step read ------------------------------------------------------------------------

    def _read(self, first: Iterable[_Read]) -> Iterator[FaultyValue]:
        """Yield the faulty definitions that were read on the way to some operands.

        An object whose items differ counts only if none of the steps that set items explains it.
        """
        containers: list[FaultyValue] = []
        is_any = False
        for value in self._read_values(first):
            if self._is_filled_later(value):
                containers.append(value)
            else:
                is_any = True
                yield value
        if not is_any:
            yield from containers

    def _is_filled_later(self, value: FaultyValue) -> bool:
        """Is it an object that was the same when it was defined?"""
        return (
            not value.is_branch
            and not value.is_kept
            and self._failing.holds_container(value.step)
            and self.comparison.counterpart(value.step) is not None
            and self.comparison.is_same(value.step)
        )

    def _read_values(self, first: Iterable[_Read]) -> Iterator[FaultyValue]:
        work = list(first)
        seen: set[_Read] = set()
        while work and len(seen) < _MAX_WALKED:
            read = work.pop()
            definition = _step_of(read.operand)
            if read in seen:
                continue
            seen.add(read)
            found, behind = self._one_read(read, definition)
            yield from (replace(each, is_address=read.is_address) for each in found)
            work += [
                each._replace(is_address=each.is_address or read.is_address) for each in behind
            ]

    def _one_read(
        self, read: _Read, definition: Step | None
    ) -> tuple[list[FaultyValue], list[_Read]]:
        """Return the faulty values that are the reason for a read, and the reads behind it."""
        if definition is None:
            if not read.is_content or not self._loaded_otherwise(read.reader):
                return [], []
            copied = [*self._copied(read.reader)]
            return copied or [*self._left_out(read.reader)], []
        assigned = self._assigned(definition)
        if assigned is not None:
            return [FaultyValue(assigned.definition, assigned)], []
        if isinstance(read.operand, Left):
            kept = self._kept(read, definition)
            left = () if kept else self._failing.left(read.operand)
            return kept, [_Read(definition, each, is_content=True) for each in left]
        if read.is_content and self._is_definition(read.reader, definition):
            value = self._value(read.reader, definition)
            if isinstance(value, FaultyValue):
                return [value], []
            if value is None or value:
                return value or [], []
            return [*self.deciding(definition)], [*self._behind(definition)]
        if self.comparison.is_same(definition):
            return [], []
        found = [*self._lacking(definition), *self._chosen(definition), *self.deciding(definition)]
        return found, [*self._behind(definition)]

    def _assigned(self, definition: Step) -> Assign | None:
        """Return the value that a definition is a copy of, if only the altered run had it.

        The log has no copies between variables: a recording shows the value from before there.
        """
        at = definition
        for _ in range(_MAX_CONDITION if self._altered else 0):
            if not self.comparison.is_same(at):
                return None
            if at in self._altered:
                return self._altered[at]
            node = self._failing.node(at)
            if node.operation.op is not COp.COPY or len(node.operands) != 1:
                return None
            if not isinstance(node.operands[0], int):
                return None
            at = node.operands[0]
        return None

    def _behind(self, step: Step) -> Iterator[_Read]:
        node = self._failing.node(step)
        for operand in node.operands:
            yield _Read(step, operand, is_content=True)
        for operand in node.pointers:  # of a load, these are no contents of memory
            yield _Read(step, operand, is_content=False, is_address=True)

    def _chosen(self, step: Step) -> Iterator[FaultyValue]:
        """Yield the branch that chose between two values, if it went another way."""
        branch = self._failing.node(step).chosen_by
        if branch is not None and self.comparison.side_differs(branch):
            yield from self._branches([branch])

    def _lacking(self, step: Step) -> Iterator[FaultyValue]:
        """Yield the branches that kept from running what a call or an operator read beside others.

        `sum` of a generator reads what was yielded: the failing run may have yielded less.
        """
        other = self.comparison.counterpart(step)
        if other is None:
            return
        operations = self._failing.node(step).operation, self._passing.node(other).operation
        if any(each.op is COp.OPAQUE for each in operations):
            for passing in self.comparison.read_instead(step):
                yield from self.missing(passing, step)

    def _is_definition(self, reader: Step, definition: Step) -> bool:
        """Is it the definition of a variable that was read, and not a part of an expression?"""
        return self._failing.is_load(reader) or self._failing.defines(definition)

    def _value(self, reader: Step, definition: Step) -> FaultyValue | list[FaultyValue] | None:
        """Return a definition as a faulty value; None if what was read is right.

        A list: the definition itself is no state that both runs have; the list has what it is due
        to, and the values behind it are looked at.
        """
        comparison = self.comparison
        other = comparison.counterpart(reader)
        own = comparison.counterpart(definition)
        if other is not None and self._failing.is_load(reader):
            if comparison.is_same(reader):
                return None
            if own is not None and comparison.is_same(definition):
                omitted = self._omitted(reader, definition, other)
                is_kept = isinstance(omitted, FaultyValue)
                return [*self._copied(reader)] or omitted if is_kept else omitted
            return FaultyValue(definition, Overwrite(reader, definition, other))
        if own is not None:
            if comparison.is_same(definition):
                return None
            return FaultyValue(definition, Overwrite(reader, definition, own))
        if other is not None:  # a call that read it, such as printf, ran in both runs
            return FaultyValue(definition, None)
        return []

    def _loaded_otherwise(self, step: Step) -> bool:
        """Did both runs load a value there, and not the same?"""
        comparison = self.comparison
        is_shared = self._failing.is_load(step) and comparison.counterpart(step) is not None
        return is_shared and not comparison.is_same(step)

    def _left_out(self, load: Step) -> Iterator[FaultyValue]:
        """Yield the branches that left out the definitions which the passing run's load read."""
        for each in self.comparison.read_instead(load):
            yield from self.missing(each, load)

    def _copied(self, load: Step) -> Iterator[FaultyValue]:
        """Yield the copy, such as memcpy, that brought other bytes to where a load read them.

        The bytes themselves are right: it copied them from or to another place than the passing
        run did, or only the failing run made the copy.
        """
        comparison, failing = self.comparison, self._failing
        other = comparison.counterpart(load)
        if other is None:
            return
        for copy in failing.node(load).through:
            if not failing.is_call_or_copy(copy):
                continue
            if comparison.counterpart(copy) is None or comparison.went_elsewhere(copy):
                yield FaultyValue(copy, Overwrite(load, copy, other))
                return

    def _kept(self, read: _Read, definition: Step) -> list[FaultyValue]:
        """Return why a value that a library call left is read still, if the passing run set it."""
        comparison, reader = self.comparison, read.reader
        other = comparison.counterpart(reader)
        if other is None or not read.is_content or not self._failing.is_load(reader):
            return []
        if comparison.counterpart(definition) is None or comparison.is_same(reader):
            return []
        if not any(comparison.read_instead(reader)):
            return []
        omitted = self._omitted(reader, definition, other)
        return [omitted] if isinstance(omitted, FaultyValue) else omitted

    def _omitted(
        self, reader: Step, definition: Step, other: Step
    ) -> FaultyValue | list[FaultyValue]:
        """Return why the passing run read another definition: the branches that left it out.

        If only one version has that definition, the value that was read is itself the reason.
        """
        overwrite = Overwrite(reader, definition, other)
        branches = [replace(value, instead=overwrite) for value in self._left_out(reader)]
        is_kept = any(self.comparison.read_instead(reader))
        return branches or FaultyValue(definition, overwrite, is_kept=is_kept)


def _step_of(operand: Operand) -> Step | None:
    if isinstance(operand, Constant):
        return None
    if isinstance(operand, int):
        return operand
    return operand.step if isinstance(operand, StoredBits | Left) else None
