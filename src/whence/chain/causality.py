"""Does a rerun with some values altered still bring about a step, or the failure?

Each outcome is kept in a file the moment it is known, so that a search that was killed goes on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from whence.chain.minimal import Induced
from whence.model import Outcome
from whence.program.ids import Step
from whence.trace.rerunning import Alteration, AlteredRun, Came, Force, StepRerunner

Judge = Callable[[AlteredRun], Outcome]  # FAIL: the same failure; OTHER: another one


class OutOfReruns(Exception):
    """The limit on reruns is reached."""


@dataclass(frozen=True, slots=True)
class Tested:
    """What a rerun showed."""

    outcome: Outcome
    came: Came
    missed: int


class KeptOutcomes:
    """The outcomes of reruns, in a file with one a line."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._known: dict[str, Tested] = {}
        if file is not None and file.exists():
            for line in file.read_text("utf-8").splitlines():
                self._read(line)

    def _read(self, line: str) -> None:
        try:
            key, outcome, came, missed = json.loads(line)
            self._known[key] = Tested(Outcome(outcome), Came(came), int(missed))
        except (ValueError, TypeError):
            return  # the line that a killed process was writing

    def get(self, key: str) -> Tested | None:
        return self._known.get(key)

    def put(self, key: str, found: Tested) -> None:
        """Keep an outcome."""
        self._known[key] = found
        if self._file is not None:
            row = [key, found.outcome.value, found.came.value, found.missed]
            with self._file.open("a", encoding="utf-8") as out:
                out.write(json.dumps(row) + "\n")


class CausalityTests:
    """Tests what alterations of a failing run bring about."""

    def __init__(
        self, rerunner: StepRerunner, judge: Judge, kept: KeptOutcomes, limit: int
    ) -> None:
        self.rerunner, self._judge, self._kept, self._limit = rerunner, judge, kept, limit
        self.runs = self.cached = 0

    def outcome(self, alterations: Sequence[Alteration]) -> Outcome:
        """Return how the test ends with these alterations."""
        return self._tested(alterations, None).outcome

    def failure(self, alterations: Sequence[Alteration]) -> Induced:
        """Does the failure still come about?"""
        found = self._tested(alterations, None)
        if found.outcome is Outcome.FAIL:
            return Induced.YES
        return Induced.NO if found.outcome is Outcome.PASS else Induced.UNCLEAR

    def step(self, alterations: Sequence[Alteration], step: Step) -> Induced:
        """Does a step still come about with its failing value?"""
        found = self._tested(alterations, step)
        if found.came is Came.SAME:
            return Induced.YES
        is_unclear = found.came is Came.UNKNOWN or (found.missed and found.came is Came.NOT)
        return Induced.UNCLEAR if is_unclear and not _forces(alterations) else Induced.NO

    def _tested(self, alterations: Sequence[Alteration], step: Step | None) -> Tested:
        ordered = sorted(alterations, key=repr)
        key = f"{step or 'failure'} " + "; ".join(map(repr, ordered))
        found = self._kept.get(key)
        if found is not None:
            self.cached += 1
            return found
        if self.runs >= self._limit:
            raise OutOfReruns
        self.runs += 1
        rerun = self.rerunner.rerun(ordered, step)
        found = Tested(self._judge(rerun), rerun.came, rerun.missed)
        self._kept.put(key, found)
        return found


def _forces(alterations: Sequence[Alteration]) -> bool:
    """Do they change the way of the run?  Then values after that may not be reached."""
    return any(isinstance(each, Force) for each in alterations)
