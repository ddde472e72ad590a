"""Which value, given by one step instead of its own, makes the failing run pass?

Some faults are mended by no branch that goes the other way: a wrong sum is printed on any way.
Then the run in which one step gives another value is the passing run to compare with.  What the
failure reads itself is tried first.  Of each statement the last execution comes before the others;
steps that compute a value come before those that copy one, the last first.  From the first that
helps the search goes back to the computed values that it comes from, as long as one of these helps,
too, and then tries the first ones of the run.  So it ends near the fault, and not at an input of
the program, which would help as well.

For a number, the output says which value it takes: the value is raised by one, and the number that
is printed wrong moves by some amount.  Two runs give a line, and a third one tries the value with
which the number would be right.  Other values are those near by, and texts of the run.
"""

from __future__ import annotations

import difflib
import math
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from whence.causes.questions import FailedCondition
from whence.causes.tree import CauseSearch
from whence.chain.causality import CausalityTests, OutOfReruns
from whence.chain.given import entered_by, is_argument
from whence.chain.minimal import Induced
from whence.model import Outcome
from whence.program.ids import Op, Step
from whence.program.operations import COp
from whence.trace.flow import Flow, StoredBits
from whence.trace.rerunning import Alteration, Assign, Plain

_MAX_DEPTH = 6  # levels of the cause tree whose steps are tried; guessed
_MAX_CAUSES = 60  # causes whose steps are tried; guessed
_MAX_BEHIND = 5000  # steps behind those of the tree that are looked at; guessed
_MAX_STEPS = 40  # steps that are tried; guessed
_MAX_RUNS = 250  # reruns until the first value helps; guessed
_MAX_APART = 120  # reruns with a number of the program raised or lowered by one; guessed
_MAX_EARLY = 60  # reruns for the values at the start of the run; guessed
_MAX_HOPS = 20  # copies between a step and what computed its value; guessed
_MAX_TURNS = 4  # times that a number is moved nearer to the one that is right; guessed
_MAX_TEXTS = 6  # texts of the run that are tried for a text; guessed
_MAX_NUMBERS = 2  # numbers of the run that are tried for a number; guessed


def passing_value(
    tree: CauseSearch, tests: CausalityTests, say: Callable[[str], None]
) -> Assign | None:
    """Return the value that makes the test pass if a step gives it; None if none is found."""
    search = ValueSearch(tree, tests)
    last = tests.runs + _MAX_RUNS
    found = None
    try:
        for number, step in enumerate(search.steps()):
            say(f"looking for a value that makes the test pass: {number} steps tried")
            found = search.at(step)
            if found is not None or tests.runs > last:
                break
        found = found or search.one_apart()
        while found is not None:
            one = search.first_of(search.computed_behind(found.definition), _MAX_RUNS)
            if one is None:
                break
            found = one
        if found is not None:
            found = search.first_of(search.all_behind(found.definition), _MAX_EARLY) or found
    except OutOfReruns:
        return None
    return found


def only_hides(tree: CauseSearch, tests: CausalityTests, found: Assign) -> bool:
    """Is it a value that the failure reads itself?  Then the chain would begin at its end."""
    return found.definition in ValueSearch(tree, tests).read_by_failure()


def value_behind(tree: CauseSearch, tests: CausalityTests, branch: Step) -> Assign | None:
    """Return a value, set before a branch that tests it, that makes the test pass.

    So the branch goes the other way because of what it tests, and the chain begins before it.
    """
    search = ValueSearch(tree, tests, turned=branch)
    search.steps()  # they have the texts and numbers of the run
    try:
        found = search.first_of(search.tested_by(branch), _MAX_EARLY)
        while found is not None:
            one = search.first_of(search.computed_behind(found.definition), _MAX_EARLY)
            if one is None:
                break
            found = one
    except OutOfReruns:
        return None
    return found


@dataclass
class ValueSearch:
    """Tries values for steps of the cause tree."""

    tree: CauseSearch
    tests: CausalityTests
    turned: Step | None = None  # a branch that must go the other way; no number is solved then
    _compared: list[Plain] = field(default_factory=list)  # what the turned branch compares with
    _texts: list[str] = field(default_factory=list)
    _numbers: list[float] = field(default_factory=list)

    def steps(self) -> list[Step]:
        """Return the steps whose values are tried, in this order."""
        flow, last = self.tree.failure.flow, self.tree.failure.question.about
        named = {step for step in (*self._in_tree(), *self._failed()) if step <= last}
        found = {step for step in (*named, *self._behind(named)) if flow.defines(step)}
        known = sorted(step for step in found if self._value(step) is not None)
        values = [self._value(step) for step in known]
        self._texts = sorted({value for value in values if isinstance(value, str)})
        self._numbers = sorted({v for v in values if isinstance(v, int | float)})
        turns: dict[Step, int] = {}  # of each step: how many executions of its operation come after
        seen = Counter[Op]()
        for step in reversed(known):
            turns[step] = seen[flow.op_of(step)]
            seen[flow.op_of(step)] += 1
        direct = self.read_by_failure()

        def order(step: Step) -> tuple[bool, int, bool, int]:
            return step not in direct, turns[step], not _is_computed(flow, step), -step

        known.sort(key=order)
        return known[:_MAX_STEPS]

    def one_apart(self) -> Assign | None:
        """Return a number of the program, raised or lowered by one, that makes the test pass.

        It may have decided how often a loop ran, so that something was never set: no value that
        the failure comes from tells of it.  Operations that ran the fewest times come first.
        """
        flow, tests = self.tree.failure.flow, self.tests
        most, end = tests.runs + _MAX_APART, self.tree.failure.question.about
        image, counts = flow.thread.image, list[tuple[int, Step]]()
        for op in map(Op, range(len(image.code.kind))):
            executions = flow.executions(op)
            before = 0 if image.is_library[image.function_of(op)] else executions.before(end)
            if before and self._is_set_there(Step(int(executions[before - 1 : before][0]))):
                counts.append((before, Step(int(executions[before - 1 : before][0]))))
        for _, step in sorted(counts):
            value = self._value(step)
            if isinstance(value, bool) or not isinstance(value, int):
                continue
            for by in (1, -1):
                assign = Assign(step, value + by)
                if tests.rerunner.can(assign) and self._passes(assign):
                    return assign
            if tests.runs > most:
                return None
        return None

    def _is_set_there(self, step: Step) -> bool:
        """Is it where a value is set?  What a parameter has is set where it is read."""
        flow = self.tree.failure.flow
        if flow.defines(step) or not flow.is_load(step):
            return flow.defines(step)
        return all(self._value(each) is None for each in _operands(flow, step))

    def first_of(self, steps: list[Step], most: int) -> Assign | None:
        """Return the value that helps at the first of some steps; `most` reruns are made."""
        last = self.tests.runs + most
        for step in steps:
            found = self.at(step)
            if found is not None:
                return found
            if self.tests.runs > last:
                return None
        return None

    def all_behind(self, definition: Step) -> list[Step]:
        """Return the computed definitions that a definition comes from, in the order of the run."""
        flow = self.tree.failure.flow
        behind = (step for step in self._behind({definition}) if step < definition)
        found = [each for each in behind if flow.defines(each) and _is_computed(flow, each)]
        return sorted(each for each in found if self._value(each) is not None)

    def is_computed(self, step: Step) -> bool:
        """Is the value of a definition computed, and no copy of a constant or a variable?"""
        return _is_computed(self.tree.failure.flow, step)

    def of_branch(self, branch: Step) -> ValueSearch:
        """Return a search for values with which a branch goes the other way."""
        return replace(self, turned=branch, _compared=[])

    def computed_behind(self, definition: Step) -> list[Step]:
        """Return the nearest computed definitions that a definition comes from, the last first."""
        flow, found = self.tree.failure.flow, list[Step]()
        work, seen = [definition], {definition}
        while work and len(seen) < _MAX_BEHIND:
            step = work.pop()
            is_end = step != definition and flow.defines(step) and self.is_computed(step)
            if is_end:
                found += [step] if self._value(step) is not None else []
                continue
            for behind in _operands(flow, step):
                if behind not in seen:
                    seen.add(behind)
                    work.append(behind)
        return sorted(found, reverse=True)

    def tested_by(self, branch: Step) -> list[Step]:
        """Return the definitions that a branch tests, followed through copies, the last first."""
        flow, found = self.tree.failure.flow, list[Step]()
        work, reader = [branch], {branch: branch}
        while work and len(reader) < _MAX_BEHIND:
            step = work.pop()
            behind = [each for each in _operands(flow, step) if each not in reader]
            values = map(flow.value_of, flow.node(step).operands)
            self._compared += [v for v in values if isinstance(v, bool | int | float | str)]
            own, is_computed = self._value(step), _is_computed(flow, step)
            is_part = is_computed and own is not None and not isinstance(own, bool)
            if step != branch and (is_part or (flow.defines(step) and (is_computed or not behind))):
                end = step if is_computed else self._own_carrier(step, reader, branch)
                # The value of a parameter is set where it is read.
                places = [] if end is None else [end, reader[end]]
                found += [each for each in places if self._value(each) is not None][:1]
                continue
            reader |= dict.fromkeys(behind, step)
            work += behind
        return sorted(set(found), reverse=True)

    def _own_carrier(self, constant: Step, reader: dict[Step, Step], branch: Step) -> Step | None:
        """Return the first definition on the way from a constant that the branch's function made.

        `reader` tells the way.  A constant that the function was given counts as right.
        """
        flow, at = self.tree.failure.flow, constant
        entered = entered_by(flow, branch)
        while at != branch:
            if at > entered and flow.defines(at) and not is_argument(flow, at):
                return at
            at = reader[at]
        return None

    def at(self, step: Step) -> Assign | None:
        """Return a value of one step that makes the test pass."""
        return next(filter(self._passes, self.tries(step, self.tests)), None)

    def tries(
        self, step: Step, tests: CausalityTests, altered: Sequence[Alteration] = ()
    ) -> Iterator[Assign]:
        """Yield the values that are tried for a step, in a run with some alterations.

        What is tried next depends on what the runs with the values before it printed.
        """
        value = tests.rerunner.plain_value(step)
        alike = [each for each in self._compared if type(each) is type(value) and each != value]
        for each in dict.fromkeys(alike[:_MAX_NUMBERS]) if self.turned is not None else ():
            yield Assign(step, each)
        others: Sequence[Plain] = ()
        if isinstance(value, bool):
            others = [not value]
        elif isinstance(value, int | float):
            for by in (1, -1) if self.turned is None else ():
                yield from self._solving(Assign(step, value), value + by, tests, altered)
            others = self._near_number(value)
        elif value is not None:
            others = self._near(value)
        yield from filter(tests.rerunner.can, (Assign(step, each) for each in others))

    def _solving(
        self, own: Assign, tried: float, tests: CausalityTests, altered: Sequence[Alteration]
    ) -> Iterator[Assign]:
        """Move a number until the output has the number that is expected."""
        at, lacks = own.value, tests.lacks(altered)
        assert not isinstance(at, str)
        if lacks is None:
            return
        for _ in range(_MAX_TURNS):
            assign = Assign(own.definition, tried)
            if not tests.rerunner.can(assign):
                return
            yield assign
            left = tests.lacks([*altered, assign])
            if left is None or left == lacks:
                return
            next_one = tried + left * (tried - at) / (lacks - left)
            at, lacks = tried, left
            if not math.isfinite(next_one):
                return
            tried = round(next_one) if isinstance(own.value, int) else next_one
            if tried == at:
                return

    def _near_number(self, value: float) -> list[float]:
        """Return other numbers that are often right, and those of the run that are the nearest."""
        others = [each for each in self._numbers if each != value and type(each) is type(value)]
        nearest = sorted(others, key=lambda each: (abs(each - value), each))[:_MAX_NUMBERS]
        often = [each for each in (0, 1, value + 1, value - 1, -value) if each != value]
        return [*dict.fromkeys([*often, *nearest])]

    def _near(self, text: str) -> list[str]:
        """Return other texts of the run, those that are most like it first."""
        others = {text.lower(), text.upper(), text.strip(), *self._texts} - {text}

        def likeness(other: str) -> tuple[float, str]:
            return -difflib.SequenceMatcher(None, text.lower(), other.lower()).ratio(), other

        return sorted(others, key=likeness)[:_MAX_TEXTS]

    def _passes(self, assign: Assign) -> bool:
        if self.tests.outcome([assign]) is not Outcome.PASS:
            return False
        return self.turned is None or self.tests.step([assign], self.turned) is Induced.NO

    def _value(self, step: Step) -> Plain | None:
        return self.tests.rerunner.plain_value(step)

    def _behind(self, named: set[Step]) -> Iterator[Step]:
        """Yield the steps that some steps got their values from, the nearest first."""
        flow = self.tree.failure.flow
        work, seen = deque(sorted(named, reverse=True)), set(named)
        while work and len(seen) < _MAX_BEHIND:
            step = work.popleft()
            yield step
            for behind in _operands(flow, step):
                if behind not in seen:
                    seen.add(behind)
                    work.append(behind)

    def _failed(self) -> Iterator[Step]:
        """Yield the step that failed, and those whose values are wrong there."""
        question = self.tree.failure.question
        yield question.about
        if not isinstance(question, FailedCondition):
            for operand, _ in question.seeds:
                if isinstance(operand, int):
                    yield operand

    def read_by_failure(self) -> set[Step]:
        """Return the definitions that the failure reads itself."""
        flow, work = self.tree.failure.flow, [*self._failed()]
        found, seen = set[Step](), {*work}
        while work and len(seen) < _MAX_BEHIND:
            step = work.pop()
            if flow.defines(step):
                found.add(step)
                continue
            behind = [each for each in _operands(flow, step) if each not in seen]
            seen.update(behind)
            work += behind
        return found

    def _in_tree(self) -> set[Step]:
        tree, level, found = self.tree, [0], set[Step]()
        for _ in range(_MAX_DEPTH):
            level = [child for cause in level for child in tree.children(cause)][:_MAX_CAUSES]
            for cause in level:
                found |= {Step(step) for step in tree.steps(cause).tolist()}
        return found


def _operands(flow: Flow, step: Step) -> Iterator[Step]:
    for operand in flow.node(step).operands:
        if isinstance(operand, StoredBits):
            yield operand.step
        elif isinstance(operand, int):
            yield operand


def _is_computed(flow: Flow, step: Step) -> bool:
    """Is the value of a definition computed, and no copy of a constant or a variable?"""
    at = step
    for _ in range(_MAX_HOPS):
        node = flow.node(at)
        if node.operation.op is not COp.COPY:
            return True
        if len(node.operands) != 1 or not isinstance(node.operands[0], int):
            return False
        at = node.operands[0]
        if flow.defines(at) or flow.is_load(at):
            return False
    return False
