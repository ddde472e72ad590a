"""Does a rerun with some values altered still bring about a step, or the failure?

Each outcome is kept in a file the moment it is known, so that a search that was killed goes on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from whence.chain.minimal import Induced
from whence.model import Outcome
from whence.program.ids import Step
from whence.trace.rerunning import Alteration, AlteredRun, Came, Force, StepRerunner


@dataclass(frozen=True, slots=True)
class Judgement:
    """How a rerun ended."""

    outcome: Outcome  # FAIL: the same failure; OTHER: another one
    is_mended: bool  # what failed first is right now, though the run may fail later
    is_broken: bool = False  # another crash or exception than the failure ended it, or a limit
    lacks: float | None = None  # what the number that is printed wrong lacks, if it is a number
    wrong: int | None = None  # words of the output that are wrong, if it is known


Judge = Callable[[AlteredRun], Judgement]
# Tells by a recording of the rerun what became of a step.
Look = Callable[[StepRerunner, Sequence[Alteration], Step], Came]


class OutOfReruns(Exception):
    """The limit on reruns is reached."""


@dataclass(frozen=True, slots=True)
class RerunOutcome:
    """What a rerun showed."""

    outcome: Outcome
    is_mended: bool
    came: Came
    missed: int
    is_broken: bool = False
    lacks: float | None = None
    wrong: int | None = None


class KeptOutcomes:
    """The outcomes of reruns, in a file with one a line."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._known: dict[str, RerunOutcome] = {}
        if file is not None and file.exists():
            for line in file.read_text("utf-8").splitlines():
                self._read(line)

    def _read(self, line: str) -> None:
        try:
            key, outcome, is_mended, came, missed, is_broken, lacks, wrong = json.loads(line)
            ended = Outcome(outcome), bool(is_mended), Came(came), int(missed), bool(is_broken)
            numbers = [None if each is None else each + 0 for each in (lacks, wrong)]
            found = RerunOutcome(*ended, *numbers)
            self._known[key] = found
        except (ValueError, TypeError):
            return  # the line that a killed process was writing

    def get(self, key: str) -> RerunOutcome | None:
        return self._known.get(key)

    def put(self, key: str, found: RerunOutcome) -> None:
        """Keep an outcome."""
        self._known[key] = found
        if self._file is not None:
            what = [found.outcome.value, found.is_mended, found.came.value]
            row = [key, *what, found.missed, found.is_broken, found.lacks, found.wrong]
            with self._file.open("a", encoding="utf-8") as out:
                out.write(json.dumps(row) + "\n")


class CausalityTests:
    """Tests what alterations of a failing run bring about.

    `others` are rerunners of the same test in trees of their own: with them, tests that may be
    asked next run at the same time.  The answers do not depend on their number.
    """

    def __init__(
        self,
        rerunner: StepRerunner,
        judge: Judge,
        kept: KeptOutcomes,
        limit: int,
        others: Sequence[StepRerunner] = (),
        look: Look = lambda *_: Came.UNKNOWN,
    ) -> None:
        self.rerunner, self._judge, self._kept, self._limit = rerunner, judge, kept, limit
        self._others, self._look = others, look
        self._wrong: dict[Alteration, int] = {}  # what single alterations left wrong
        self._mends: set[Alteration] = set()  # those after which what failed first was right
        self._asked: set[str] = set()
        self._ahead: set[str] = set()  # outcomes that were made ahead and not asked for yet
        self.runs = self.cached = 0

    def of_altered_run(self, rerunner: StepRerunner, judge: Judge) -> CausalityTests:
        """Return the tests of a run that was altered.

        Their outcomes are not kept: their steps are those of another run.
        """
        return CausalityTests(rerunner, judge, KeptOutcomes(None), self._limit - self.runs)

    @property
    def jobs(self) -> int:
        return 1 + len(self._others)

    @property
    def different(self) -> int:
        """Return how many different outcomes were asked for, kept ones included."""
        return max(self.runs, len(self._asked))

    def outcome(self, alterations: Sequence[Alteration]) -> Outcome:
        """Return how the test ends with these alterations."""
        return self._tested(alterations, None).outcome

    def lacks(self, alterations: Sequence[Alteration]) -> float | None:
        """Return by how much the first number that is wrong in the failing run is wrong here."""
        return self._tested(alterations, None).lacks

    def wrong(self, alterations: Sequence[Alteration]) -> int | None:
        """Return how many words of the output are wrong; None if it is not known."""
        return self._tested(alterations, None).wrong

    def mends(self, alterations: Sequence[Alteration]) -> bool:
        """Is the first word that is wrong in the run without these alterations right with them?"""
        return self._tested(alterations, None).is_mended

    def nearer(self) -> list[Alteration]:
        """Return the single alterations that brought the output nearer, the best first.

        Fewer words were wrong, or the first wrong one was right, though more may be wrong after it.
        """
        own = self.wrong([])
        if own is None:
            return []
        found = [each for each, wrong in self._wrong.items() if wrong < own or each in self._mends]
        return sorted(found, key=lambda each: self._wrong[each])

    def failure(self, alterations: Sequence[Alteration]) -> Induced:
        """Does the failure still come about?"""
        found = self._tested(alterations, None)
        if found.outcome is Outcome.FAIL:
            return Induced.UNCLEAR if _missed_all(found, alterations) else Induced.YES
        return Induced.NO if found.is_mended else Induced.UNCLEAR

    def step(self, alterations: Sequence[Alteration], step: Step) -> Induced:
        """Does a step still come about with its failing value?

        If the run broke off before the step, in another way than the failing run, that says
        nothing: a value that does not fit there can do this.
        """
        found = self._tested(alterations, step)
        if found.came is Came.SAME:
            return Induced.UNCLEAR if _missed_all(found, alterations) else Induced.YES
        if found.came is Came.NOT and found.is_broken:
            return Induced.UNCLEAR
        is_unclear = found.came is Came.UNKNOWN or (found.missed and found.came is Came.NOT)
        return Induced.UNCLEAR if is_unclear and not _forces(alterations) else Induced.NO

    def of_failure(self) -> TargetTest:
        """Return the test of whether the failure comes about."""
        return TargetTest(self, ())

    def of_steps(self, steps: Sequence[Step]) -> TargetTest:
        """Return the test of whether all of these steps come about with their failing values."""
        return TargetTest(self, tuple(steps))

    def run_ahead(self, tests: Sequence[tuple[Sequence[Alteration], Step | None]]) -> None:
        """Run tests that may be asked next, as many at a time as there are rerunners."""
        if not self._others:
            return
        todo = {_key(altered, step): (altered, step) for altered, step in tests}
        todo = {key: test for key, test in todo.items() if self._kept.get(key) is None}
        idle = [self.rerunner, *self._others]
        keys = [*todo][: self._limit - self.runs]
        with ThreadPoolExecutor(len(idle)) as pool:
            for first in range(0, len(keys), len(idle)):
                part = keys[first : first + len(idle)]
                made = pool.map(self._rerun, idle, [todo[key] for key in part])
                for key, found in zip(part, made, strict=True):
                    self.runs += 1
                    self._ahead.add(key)
                    self._kept.put(key, found)

    def _tested(self, alterations: Sequence[Alteration], step: Step | None) -> RerunOutcome:
        found = self._known_or_run(alterations, step)
        if found.wrong is not None and len(alterations) == 1:
            self._wrong[alterations[0]] = found.wrong
            self._mends |= {alterations[0]} if found.is_mended else set()
        return found

    def _known_or_run(self, alterations: Sequence[Alteration], step: Step | None) -> RerunOutcome:
        key = _key(alterations, step)
        found = self._kept.get(key)
        self._asked.add(key)
        if found is not None:
            self.cached += key not in self._ahead
            self._ahead.discard(key)
            return found
        if self.runs >= self._limit:
            raise OutOfReruns
        self.runs += 1
        found = self._rerun(self.rerunner, (alterations, step))
        self._kept.put(key, found)
        return found

    def _rerun(
        self, rerunner: StepRerunner, test: tuple[Sequence[Alteration], Step | None]
    ) -> RerunOutcome:
        alterations, step = test
        is_watched = step is not None and rerunner.can_watch(step)
        rerun = rerunner.rerun(sorted(alterations, key=repr), step if is_watched else None)
        judged, came = self._judge(rerun), rerun.came
        if step is not None and (came is Came.UNSURE or not is_watched):
            self.runs += 1
            came = self._look(rerunner, alterations, step)
        wrong = None if rerun.missed else judged.wrong
        return RerunOutcome(
            judged.outcome,
            judged.is_mended,
            came,
            rerun.missed,
            judged.is_broken,
            judged.lacks,
            wrong,
        )


@dataclass(frozen=True, slots=True)
class TargetTest:
    """Says whether steps come about, or the failure if there are none."""

    tests: CausalityTests
    steps: tuple[Step, ...]

    def __call__(self, alterations: Sequence[Alteration], /) -> Induced:
        if not self.steps:
            return self.tests.failure(alterations)
        results = {self.tests.step(alterations, step) for step in self.steps}
        if Induced.NO in results:
            return Induced.NO
        return Induced.UNCLEAR if Induced.UNCLEAR in results else Induced.YES

    def ahead(self, alterations: Sequence[Sequence[Alteration]], /) -> None:
        """Run some tests at once that may be asked next."""
        steps: tuple[Step | None, ...] = self.steps or (None,)
        self.tests.run_ahead([(each, step) for each in alterations for step in steps])


def _key(alterations: Sequence[Alteration], step: Step | None) -> str:
    return f"{step or 'failure'} " + "; ".join(sorted(map(repr, alterations)))


def _missed_all(found: RerunOutcome, alterations: Sequence[Alteration]) -> bool:
    """Was no point of the alterations reached, so that nothing was altered?"""
    return found.missed >= len(alterations) > 0


def _forces(alterations: Sequence[Alteration]) -> bool:
    """Do they change the way of the run?  Then values after that may not be reached."""
    return any(isinstance(each, Force) for each in alterations)
