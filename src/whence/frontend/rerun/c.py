"""Run the test of a C or C++ program again and again, with interventions, after one build."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from whence.frontend.c.record import build_recorded, recording_environment
from whence.frontend.recorded_run import DEFAULT_MAX_TRACE, MODULES, write_run
from whence.frontend.rerun.built_tree import BuiltTree
from whence.frontend.rerun.interventions import Intervention, encode_interventions
from whence.frontend.test_execution import fixed_addresses, run_in_tree
from whence.model import Run
from whence.subject.command import Ended
from whence.subject.trial import BuildAndTest, judge


@dataclass(frozen=True, slots=True)
class Rerun:
    """How the test ended with some interventions."""

    run: Run
    ended: Ended
    reached: tuple[Intervention, ...]  # those that happened
    missed: tuple[Intervention, ...]  # those whose point was not reached


class CRerunner:
    """A test that was built once and can be run with interventions."""

    def __init__(self, tree: Path, commands: BuildAndTest, folder: Path) -> None:
        """Build `tree` in place, so that its programs allow interventions.

        `tree` is a workspace of ours.  `folder` is empty and takes what is kept between runs.
        """
        self._tree, self._commands = tree, commands
        self._modules = folder.absolute() / MODULES
        self._modules.mkdir()
        self._environment = recording_environment(tree, self._modules, "patch")
        if commands.build is not None:
            build_recorded(commands, tree, self._environment)
        self._built = BuiltTree(tree, folder.absolute() / "tree")

    def run(
        self, interventions: Sequence[Intervention] = (), *, record_into: Path | None = None
    ) -> Rerun:
        """Run the test with these interventions.

        The trace goes into the empty folder `record_into`; without one nothing is recorded.
        """
        self._built.restore()
        with tempfile.TemporaryDirectory(prefix="whence-rerun-") as scratch:
            reached = Path(scratch) / "reached"
            environment = self._environment | {
                "WHENCE_PATCH": encode_interventions(interventions),
                "WHENCE_REACHED": str(reached),
            }
            if record_into is not None:
                environment |= {
                    "WHENCE_TRACE": str(record_into.absolute()),
                    "WHENCE_MAX_TRACE": str(DEFAULT_MAX_TRACE),
                }
            with fixed_addresses():
                ended = run_in_tree(self._commands.test, self._tree, environment, self._commands)
            happened = _numbers(reached)
        run = judge(ended, self._commands, self._tree)
        if record_into is not None:
            (record_into / MODULES).symlink_to(self._modules)
            write_run(record_into, self._tree, self._commands, run, ended, None, frontend="c")
        return Rerun(
            run,
            ended,
            tuple(each for number, each in enumerate(interventions) if number in happened),
            tuple(each for number, each in enumerate(interventions) if number not in happened),
        )


def _numbers(file: Path) -> set[int]:
    """Read the numbers of the interventions that happened, one a line."""
    return set(map(int, file.read_text("ascii").split())) if file.exists() else set()
