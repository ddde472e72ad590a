"""At which branches does one program leave its path while the other one keeps its own?

Given the runs of the failing test in a reference and a failing program, each condition of the
failing program is broken in turn, with the path of the reference kept (thesis, 5.2.1).  If that
finds no input that both programs treat alike, the programs change their roles: code that the
failing program lacks is in the reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import z3

from whence.causes.comparison import Comparison
from whence.causes.tree import CauseSearch
from whence.darwin.describing import BranchPlace, RunDescriber, edited_bytes
from whence.darwin.going_back import OwnCode, SharedBranch, beginnings
from whence.darwin.joint import Joint
from whence.darwin.questions import QuestionCounts, Questions, distinct, narrowed
from whence.darwin.sides import Side
from whence.darwin.trials import InputTrial, keeps_path, leaves_path, try_input
from whence.darwin.values import ValueComparison, ValueOrigin, computed_from
from whence.languages import flow_of
from whence.model import VersionName
from whence.paths.conditions import Condition
from whence.paths.program import Contents, PathRun
from whence.paths.solver import Solver, SolverAnswer
from whence.paths.terms import Fact
from whence.program.ids import Op, Step
from whence.trace.alignment import Alignment

_MAX_TRIALS = 3  # inputs that are run for one branch of the source; guessed
MAX_RUNS = 240  # runs of one search; guessed
_MAX_UNKNOWN = 40  # questions of one search that the solver gives up; each takes seconds; guessed
_MAX_VALUES = 6  # places of differing values that are shown; guessed
_MAX_UNTRIED = 2  # such places without an input at which the programs agree; guessed
_MAX_BEGINNINGS = 2  # places that the failure goes back to; guessed
_MAX_DISAGREEING = 3  # branches whose inputs the programs still treat differently; guessed
_JUST_BEFORE = 1e-9  # of a run: a value that a branch tests comes before the branch


@dataclass(frozen=True)
class Parting:
    """A branch of the source at which a program leaves its path, and an input that shows it."""

    leaving: Side
    keeping: Side
    number: int  # of the condition
    branch: Op
    trial: InputTrial
    edited: int  # bytes of the input that differ
    alternate: PathRun | None = None  # the run that leaves the path; None: not recorded yet
    is_shared: bool = False  # a branch of both programs that went the same way in both

    @property
    def condition(self) -> Condition:
        return self.leaving.chosen.conditions[self.number]

    @property
    def step(self) -> Step:
        return self.condition.step

    @property
    def rank(self) -> tuple[object, ...]:
        """The likeliest first: both programs agree on the input; near the failure; a small edit."""
        group = 3 if not self.trial.agrees else 2 if self.is_shared else 0
        return group, -_nearness(self.leaving, self.step), self.edited


@dataclass(frozen=True)
class ValueParting:
    """A place where the failing program computes another value, and an input where it does not.

    If there is no such input, `alternate` is None, and the trial is that of the failing test.
    """

    origin: ValueOrigin
    trial: InputTrial
    edited: int
    side: Side  # whose run `alternate` is
    alternate: PathRun | None
    near: float  # to the failure: the share of the run before it
    tested_by: Parting | None = None  # the branch that tests the value; None: both keep their paths

    @property
    def step(self) -> Step:
        return self.origin.step

    @property
    def rank(self) -> tuple[object, ...]:
        """A value that a branch tests comes just before that branch."""
        return 0 if self.trial.agrees else 1, -self.near, self.edited


@dataclass(frozen=True)
class CodeParting:
    """A place of code that only one program has, that the failure goes back to."""

    code: OwnCode
    side: Side
    trial: InputTrial  # of the failing test
    level: int

    @property
    def step(self) -> Step:
        return self.code.step

    @property
    def rank(self) -> tuple[object, ...]:
        return 1, -self.level, 0


@dataclass(frozen=True)
class SharedParting:
    """The first branch of both programs that went another way because of what it read."""

    branch: SharedBranch
    trial: InputTrial  # of the failing test

    @property
    def step(self) -> Step:
        return self.branch.step

    @property
    def rank(self) -> tuple[object, ...]:
        return 4, 0, 0


def _nearness(side: Side, step: Step) -> float:
    """Return which share of a run is before a step: the runs of two programs differ in length."""
    conditions = side.run.path.conditions
    return step / max(conditions[-1].step, step, 1) if conditions else 0.0


@dataclass
class PartingSearch:
    """Looks for the branches; holds what was found so far."""

    good: Side
    bad: Side
    contents: Contents  # of the failing test, in both programs
    compares_output: bool
    predicates: bool | None = None  # None: as far as the branches do not tell enough
    say: Callable[[str], None] = lambda _: None
    # What gives both sides with smaller slices; None: there are none.
    narrower: Callable[[], tuple[Side, Side]] | None = None
    # What gives the causes of the failure as it shows beside the reference; None: it is not seen.
    causes: Callable[[], CauseSearch | None] = lambda: None
    solver: Solver = field(default_factory=Solver)
    found: list[Parting] = field(default_factory=list)  # those that do what they should
    values: list[ValueParting] = field(default_factory=list)
    codes: list[CodeParting] = field(default_factory=list)
    shared: SharedParting | None = None
    counts: QuestionCounts = field(default_factory=QuestionCounts)
    dropped: int = 0  # inputs that did not do what they were made for
    runs: int = 0
    is_stopped: bool = False  # by the limit on runs, or on questions that are given up
    is_interrupted: bool = False  # by the user
    _waiting: list[Parting] = field(default_factory=list)  # their inputs make no agreement

    def run(self) -> None:
        """Look in the failing program, and then in the reference if need be."""
        try:
            self._look_in_both()
            if not self.found and self.narrower is not None:
                before = self._asked_steps()
                self.good, self.bad = self.narrower()
                if self._asked_steps() != before:
                    self.say("asking about the first byte of the output that differs")
                    self._look_in_both()
            if self.predicates is not False:
                self._compare_values()
            if not (self.found or self.values or self.codes or self.shared):
                self._validate_waiting()
        except KeyboardInterrupt:
            if not self.found:
                raise
            self.is_interrupted = True

    @property
    def disagreeing(self) -> int:
        """The number of other branches whose input the programs still treat differently."""
        shown = {(one.leaving.version, one.branch) for one in self.found}
        return len({(one.leaving.version, one.branch) for one in self._waiting} - shown)

    def _asked_steps(self) -> list[list[Step]]:
        """Return the steps of both programs whose conditions are asked about."""
        return [[one.step for one in side.chosen.conditions] for side in (self.good, self.bad)]

    def _look_in_both(self) -> None:
        self._look(self.bad, self.good)
        if not self.found:
            self._look(self.good, self.bad)

    def _look(self, leaving: Side, keeping: Side) -> None:
        conditions, version = leaving.chosen.conditions, leaving.version.value
        questions = self._questions(leaving, keeping)
        describer = RunDescriber(leaving.run)
        trials: Counter[Op] = Counter()
        settled: set[Op] = set()
        self.say(f"asking about {len(conditions)} conditions of the {version} version")
        for number, condition in enumerate(conditions):
            if self._is_over():
                return
            branch = describer.branch(condition.step)
            if branch in settled or trials[branch] >= _MAX_TRIALS:
                continue
            answer = questions.ask(number)
            if answer.contents is None:
                continue
            trials[branch] += 1
            for contents in self._candidates(questions, number, answer):
                parting = self._tried(contents, number, branch, leaving, keeping)
                if not parting.trial.agrees:
                    self._waiting.append(parting)
                elif self._validate(parting):
                    settled.add(branch)
                    break

    def _is_over(self) -> bool:
        """Is a limit reached?  Hard questions, and runs, take time."""
        is_hard = self.counts.unknown >= _MAX_UNKNOWN
        self.is_stopped |= is_hard or self.runs >= MAX_RUNS
        return self.is_stopped

    def _compare_values(self) -> None:
        """Look for values that only the failing program computes so.

        A value that a branch tests, which was found, explains that branch.  Others are looked for
        if no branch of the failing program was found, or if the user asks for it.
        """
        flows = flow_of(self.bad.run.path.thread), flow_of(self.good.run.path.thread)
        comparison = ValueComparison(Comparison(Alignment(*flows)))
        in_failing = comparison.comparison.alignment.failing_counterpart
        self.found = [
            replace(one, is_shared=comparison.is_shared(own))
            for one in self.found
            for own in [one.step if one.leaving is self.bad else in_failing(one.step)]
        ]
        origins = list(comparison.of_inputs(self.bad.run, self.good.run))
        describer = RunDescriber(self.bad.run)
        places: set[BranchPlace] = set()
        for one in self.found:
            is_bad = one.leaving is self.bad
            leaving = RunDescriber(one.leaving.run)
            behind = computed_from(leaving.flow, [one.step])
            for origin in origins:
                own = origin.step if is_bad else origin.counterpart
                place = describer.place(origin.step)
                if own not in behind or place in places:
                    continue
                if leaving.place(own) == leaving.place(one.step):
                    continue  # it is the test itself
                places.add(place)
                near = _nearness(one.leaving, one.step) + _JUST_BEFORE
                self.values.append(
                    ValueParting(
                        origin, one.trial, one.edited, one.leaving, one.alternate, near, one
                    )
                )
        in_bad = [one for one in self.found if one.leaving is self.bad]
        is_told = bool(in_bad)
        if origins and (self.predicates or not is_told):
            self._ask_values(origins, describer, places)
        if not self.values and not any(comparison.begins_at(one.step) for one in in_bad):
            self._go_back()
        if not (is_told or self.values or self.codes or self.shared):
            self._take_values(origins, describer)

    def _go_back(self) -> None:
        """No branch that was found differs itself: take places that the failure goes back to."""
        tree = self.causes()
        if tree is None:
            return
        self.say("going back from the failure")
        trial = InputTrial(self.contents, self.good.run.ended, self.bad.run.ended, agrees=False)
        places: set[object] = set()
        shared: list[SharedBranch] = []
        for one in sorted(beginnings(tree), key=lambda one: -one.level):
            what = one.what
            if isinstance(what, SharedBranch):
                shared.append(what)
                continue
            if isinstance(what, OwnCode):
                side = self.good if what.version is VersionName.GOOD else self.bad
            else:
                side = self.bad
            place = side.version, RunDescriber(side.run).place(what.step)
            if place in places or len(places) >= _MAX_BEGINNINGS:
                continue
            places.add(place)
            if isinstance(what, OwnCode):
                self.codes.append(CodeParting(what, side, trial, one.level))
            else:
                self.values.append(ValueParting(what, trial, 0, self.bad, None, one.level))
        if shared:
            first = min(shared, key=lambda one: one.step)
            self.shared = SharedParting(first, trial)

    def _take_values(self, origins: Sequence[ValueOrigin], describer: RunDescriber) -> None:
        """No branch of the failing program tells: take the first values that differ."""
        places: set[BranchPlace] = set()
        trial = InputTrial(self.contents, self.good.run.ended, self.bad.run.ended, agrees=False)
        for origin in origins:
            place = describer.place(origin.step)
            if self._is_truth(origin):
                continue  # the question about its branch has been asked
            if place not in places and len(places) < _MAX_UNTRIED:
                places.add(place)
                near = -_nearness(self.bad, origin.step)  # the first one may explain the others
                self.values.append(ValueParting(origin, trial, 0, self.bad, None, near))

    def _is_truth(self, origin: ValueOrigin) -> bool:
        """Is the value only true or false?"""
        term = self.bad.run.path.terms[origin.step].term
        return bool(z3.is_bool(term) or (z3.is_bv(term) and term.size() == 1))

    def _ask_values(
        self, origins: Sequence[ValueOrigin], describer: RunDescriber, places: set[BranchPlace]
    ) -> None:
        """Ask for inputs with which both programs keep their paths and compute equal values."""
        self.say(f"asking about {len(origins)} values of the bad version")
        joint = Joint([self.good.run.unknowns, self.bad.run.unknowns])
        facts = [joint.fact(0, one.fact) for one in self.good.chosen.conditions]
        facts += [joint.fact(1, one.fact) for one in self.bad.chosen.conditions]
        for origin in origins:
            place = describer.place(origin.step)
            if place in places or len(places) >= _MAX_VALUES:
                continue
            equal = self._equality(joint, origin)
            answer = None if equal is None else self._equal_values(joint, facts, equal)
            if answer is not None and self._validate_value(origin, answer):
                places.add(place)

    def _equality(self, joint: Joint, origin: ValueOrigin) -> Fact | None:
        own = self.bad.run.path.terms[origin.step]
        other = self.good.run.path.terms[origin.counterpart]
        if own.term.sort() != other.term.sort():
            return None
        left = joint.term(1, own)
        right = joint.term(0, other)
        return Fact(left.term == right.term, left.unknowns | right.unknowns)

    def _equal_values(self, joint: Joint, facts: list[Fact], equal: Fact) -> Contents | None:
        """Return inputs with which both programs keep their paths and compute the same value."""
        free, _ = joint.unknowns.closed(equal.unknowns)
        for kept in (narrowed(joint.unknowns, distinct(facts), free), distinct(facts)):
            answer = self.solver.solve(joint.unknowns, kept, equal, self.contents)
            if answer.contents is not None:
                return answer.contents
        return None

    def _validate_value(self, origin: ValueOrigin, contents: Contents) -> bool:
        self.runs += 4
        trial = try_input(contents, self.bad, self.good, compares_output=self.compares_output)
        if not trial.agrees:
            return False
        good, bad = self.good.program.run(contents), self.bad.program.run(contents)
        is_valid = keeps_path(self.good, good) and keeps_path(self.bad, bad)
        good.release()
        if is_valid:
            edited = edited_bytes(self.contents, contents)
            near = _nearness(self.bad, origin.step)
            self.values.append(ValueParting(origin, trial, edited, self.bad, bad, near))
            return True
        bad.release()
        self.dropped += 1
        return False

    def _questions(self, leaving: Side, keeping: Side) -> Questions:
        joint = Joint([keeping.run.unknowns, leaving.run.unknowns])
        kept = [joint.fact(0, one.fact) for one in keeping.chosen.conditions]
        own = [joint.fact(1, one.fact) for one in leaving.chosen.conditions]
        return Questions(joint, kept, own, self.contents, self.solver, self.counts)

    def _candidates(
        self, questions: Questions, number: int, answer: SolverAnswer
    ) -> Iterator[Contents]:
        """Yield inputs that should leave the path at a condition, the smallest edit first."""
        assert answer.contents is not None
        smaller = questions.smaller(number, answer).contents
        if smaller is not None:
            yield smaller
        if smaller != answer.contents:
            yield answer.contents

    def _tried(
        self, contents: Contents, number: int, branch: Op, leaving: Side, keeping: Side
    ) -> Parting:
        self.runs += 2
        trial = try_input(contents, leaving, keeping, compares_output=self.compares_output)
        edited = edited_bytes(self.contents, contents)
        return Parting(leaving, keeping, number, branch, trial, edited)

    def _validate(self, one: Parting) -> bool:
        """Keep a parting if its input does what it should, in recorded runs of both programs."""
        if self._is_over():
            return False
        self.runs += 2
        alternate = one.leaving.program.run(one.trial.contents)
        kept = one.keeping.program.run(one.trial.contents)
        is_valid = leaves_path(one.leaving, one.number, alternate) and keeps_path(one.keeping, kept)
        kept.release()
        if is_valid:
            self.found.append(replace(one, alternate=alternate))
            return True
        alternate.release()
        self.dropped += 1
        return False

    def _validate_waiting(self) -> None:
        """No input makes the programs agree: take those that only lead them another way."""
        done: set[tuple[object, Op]] = set()
        for one in sorted(self._waiting, key=lambda one: one.rank):
            key = one.leaving.version, one.branch
            if len(done) < _MAX_DISAGREEING and key not in done and self._validate(one):
                done.add(key)
