"""Run the test of a C or C++ program again and again, with interventions, after one build."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from whence.frontend.c.record import build_recorded, recording_environment
from whence.frontend.recorded_run import DEFAULT_MAX_TRACE, MODULES, write_run
from whence.frontend.rerun.built_tree import BuiltTree
from whence.frontend.rerun.interventions import (
    Intervention,
    PatchedProcess,
    WatchedValue,
    encode_interventions,
)
from whence.frontend.rerun.rerun_limit import RerunLimit
from whence.frontend.rerun.steady_stack import SteadyStack
from whence.frontend.test_execution import fixed_addresses, run_in_tree
from whence.model import Run
from whence.subject.command import Ended
from whence.subject.trial import BuildAndTest, judge
from whence.temporary import temporary_folder


@dataclass(frozen=True, slots=True)
class Rerun:
    """How the test ended with some interventions."""

    run: Run
    ended: Ended
    reached: tuple[Intervention, ...]  # those that happened
    missed: tuple[Intervention, ...]  # those whose point was not reached
    watched: Mapping[int, tuple[WatchedValue, ...]]  # by the number of the watch, in order


class CRerunner:
    """A test that was built once and can be run with interventions."""

    def __init__(self, tree: Path, commands: BuildAndTest, folder: Path) -> None:
        """Build `tree` in place, so that its programs allow interventions.

        `tree` is a workspace of ours.  `folder` is empty and takes what is kept between runs.
        """
        self._tree, self._commands, self._limit = tree, commands, RerunLimit()
        self._place = SteadyStack()
        self._modules = folder.absolute() / MODULES
        self._modules.mkdir()
        self._environment = recording_environment(tree, self._modules, "patch", commands.layout)
        if commands.build is not None:
            build_recorded(commands, tree, self._environment)
        self._built = BuiltTree(tree, folder.absolute() / "tree")

    def record(self, out: Path, test: str | None = None) -> None:
        """Run the test, or another command, and record it into an empty folder."""
        before = self._commands
        self._commands = replace(before, test=test) if test is not None else before
        try:
            self.run(record_into=out)
        finally:
            self._commands = before

    def run(
        self,
        interventions: Sequence[Intervention] = (),
        *,
        process: PatchedProcess | None = None,
        places: Sequence[int] = (),
        record_into: Path | None = None,
    ) -> Rerun:
        """Run the test with these interventions, in one process of the test or in each.

        `places` are those of the recorded process, if interventions have addresses.
        The trace goes into the empty folder `record_into`; without one nothing is recorded.
        """
        if interventions and self._limit.seconds is None:
            self.run()  # how long does it take?
        self._built.restore()
        with temporary_folder("rerun") as scratch:
            reached = Path(scratch) / "reached"
            environment = self._environment | {
                "WHENCE_PATCH": encode_interventions(interventions, places),
                "WHENCE_REACHED": str(reached),
            }
            if process is not None:
                environment |= {"WHENCE_PATCHED": process.text}
            if record_into is not None:
                environment |= {
                    "WHENCE_TRACE": str(record_into.absolute()),
                    "WHENCE_MAX_TRACE": str(DEFAULT_MAX_TRACE),
                }
            limit = self._limit.seconds if interventions else None
            with fixed_addresses():
                ended = run_in_tree(
                    self._commands.test,
                    self._tree,
                    self._place.filled(environment),
                    self._commands,
                    limit,
                )
            if not interventions:
                self._limit.unchanged(ended.seconds)
            happened, watched = _read_reached(reached)
        run = judge(ended, self._commands, self._tree)
        if record_into is not None:
            (record_into / MODULES).symlink_to(self._modules)
            write_run(record_into, self._tree, self._commands, run, ended, None, frontend="c")
        return Rerun(
            run,
            ended,
            tuple(each for number, each in enumerate(interventions) if number in happened),
            tuple(each for number, each in enumerate(interventions) if number not in happened),
            watched,
        )


def _read_reached(file: Path) -> tuple[set[int], dict[int, tuple[WatchedValue, ...]]]:
    """Read the numbers of the interventions that happened, and what the watches reported."""
    happened: set[int] = set()
    watched: dict[int, list[WatchedValue]] = {}
    for line in file.read_text("ascii").splitlines() if file.exists() else ():
        number, *report = line.split()
        happened.add(int(number))
        if report:
            value = WatchedValue(int(report[0]), bytes.fromhex(report[1]))
            watched.setdefault(int(number), []).append(value)
    return happened, {number: tuple(values) for number, values in watched.items()}
