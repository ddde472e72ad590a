"""Which changes do the given tests reach and expose?"""

from __future__ import annotations

from dataclasses import dataclass

from whence.augment.changed_code import ChangedCode
from whence.augment.plain_builds import PlainBuild
from whence.augment.search import ends_differently
from whence.augment.seen_runs import SeenRun, VersionRuns
from whence.errors import UserError
from whence.explain.meeting.version_index import Ids
from whence.paths.program import Contents, InputProgram
from whence.subject.command import Ended


@dataclass(frozen=True)
class GivenTest:
    """A test that the user gave, with how both versions end with it."""

    command: str
    good: Ended
    bad: Ended

    @property
    def differs(self) -> bool:
        return ends_differently(self.good, self.bad)


def run_given(command: str, good: PlainBuild, bad: PlainBuild) -> GivenTest:
    """Run a test in both versions, twice; raise a UserError if it does not end the same way."""
    ended = [[build.run(command) for _ in range(2)] for build in (good, bad)]
    for name, (first, second) in zip(("good", "bad"), ended, strict=True):
        if first.timed_out:
            raise UserError(
                f"The test does not end in time on the {name} version.\nWe ran: {command}\n"
                "Give a test that ends, or a longer --timeout.",
                slug="test-does-not-end",
            )
        if ends_differently(first, second):
            raise UserError(
                f"The test ends differently each time on the {name} version, so no difference "
                f"between the versions means anything.\nWe ran twice: {command}\n"
                "Give a test that prints the same each time: no clock, no random numbers.",
                slug="test-varies",
            )
    return GivenTest(command, ended[0][0], ended[1][0])


class OpenedTest:
    """A given test whose program is open in both versions."""

    def __init__(
        self,
        given: GivenTest,
        good: InputProgram,
        bad: InputProgram,
        codes: tuple[ChangedCode, ChangedCode],
    ) -> None:
        self.given = given
        self.good, self.bad = VersionRuns(good, codes[0]), VersionRuns(bad, codes[1])
        self._seen: dict[Ids, tuple[SeenRun, SeenRun]] = {}

    @property
    def first(self) -> Contents:
        return {**self.good.program.first, **self.bad.program.first}

    def seen(self, changes: Ids) -> tuple[SeenRun, SeenRun]:
        """Return the runs of the good and the bad version, seen from some changes."""
        if changes not in self._seen:
            known = next(iter(self._seen.values()), None)
            if known is None:
                found = self.good.run(self.first, changes), self.bad.run(self.first, changes)
            else:
                found = self.good.again(known[0], changes), self.bad.again(known[1], changes)
            self._seen[changes] = found
        return self._seen[changes]

    def reaches(self, changes: Ids) -> bool:
        """Does the test execute code that the changes alter, in either version?"""
        return any(run.first is not None for run in self.seen(changes))

    def distance(self, changes: Ids) -> float:
        """Return how many branches the test is away from the changes."""
        good, bad = self.seen(changes)
        run = bad if bad.targets else good
        found = [turned.distance for turned in run.turned(run.to_change)]
        return 0 if self.reaches(changes) else min(found, default=float("inf")) + 1

    def close(self) -> None:
        for version in (self.good, self.bad):
            version.program.close()
