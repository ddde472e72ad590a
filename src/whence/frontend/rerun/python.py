"""Run the test of a Python program again and again, with values of its run altered."""

from __future__ import annotations

import marshal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whence.frontend.python.record import COMPARABLE, build_plain, hooked, keep_sources
from whence.frontend.recorded_run import MODULES, write_run
from whence.frontend.rerun.built_tree import BuiltTree
from whence.frontend.rerun.interventions import PatchedProcess
from whence.frontend.rerun.python_forks import REACHED, ForkedAlterations, comparable_events
from whence.frontend.rerun.rerun_limit import RerunLimit
from whence.frontend.test_execution import fixed_addresses, run_in_tree
from whence.model import Run
from whence.subject.command import Ended
from whence.subject.trial import BuildAndTest, environment, judge
from whence.temporary import temporary_folder

_PAYS_AFTER = 5  # reruns after which a fork server is started: it costs about as many; estimated


@dataclass(frozen=True, slots=True)
class AlteredValue:
    """One thing that a rerun does differently, or reports: see hook/whence_recorder/altering.py."""

    operation: int  # its number in the process
    execution: int  # how often the operation ran before
    action: str  # set, flip, always, keep, kept or watch
    content: Any = None


@dataclass(frozen=True, slots=True)
class PythonRerun:
    """How the test ended with some values altered."""

    run: Run
    ended: Ended
    missed: tuple[AlteredValue, ...]  # those whose execution was not reached
    watched: Mapping[int, tuple[tuple[int, str], ...]]  # by watch: executions with their values


class PythonRerunner:
    """A Python test that can be run with values altered."""

    def __init__(
        self, tree: Path, commands: BuildAndTest, folder: Path, forks_after: int = _PAYS_AFTER
    ) -> None:
        """Build `tree` in place, if it has a build command.

        `tree` is a workspace of ours.  `folder` is empty and takes what is kept between runs.
        From rerun number `forks_after` on, reruns that are not recorded are forks.
        """
        self._tree, self._commands, self._limit = tree, commands, RerunLimit()
        self._environment = environment(tree) | COMPARABLE
        if commands.build is not None:
            build_plain(commands, tree, self._environment)
        self._built = BuiltTree(tree, folder.absolute() / "tree")
        self._reruns, self._forks_after = 0, forks_after
        self._unchanged: tuple[Ended, list[object]] | None = None  # a run without alterations
        variables, restore = self._environment, self._built.restore
        self.forks = ForkedAlterations(tree, commands, variables, folder / "forks", restore)

    def record(self, out: Path, test: str | None = None) -> None:
        """Run the test, or another command, and record it into an empty folder."""
        self.run((), PatchedProcess("", 0), record_into=out, test=test)

    def run(
        self,
        values: Sequence[AlteredValue],
        process: PatchedProcess,
        *,
        record_into: Path | None = None,
        test: str | None = None,
    ) -> PythonRerun:
        """Run the test with values of one process altered.

        The trace goes into the empty folder `record_into`.
        """
        if values and self._limit.seconds is None:
            self.run((), process)  # how long does it take?
        limit = self._limit.seconds if values else None
        contents = [(v.operation, v.execution, v.action, _content(v)) for v in values]
        rows = marshal.dumps((process.program, process.number, contents))
        if record_into is None and test is None:
            forked = self._in_a_fork(rows, limit)
            if forked is not None:
                return self._rerun(values, forked, self.forks.folder)
        self._built.restore()
        command = test if test is not None else self._commands.test
        with temporary_folder("rerun") as name:
            scratch = Path(name)
            out = record_into or scratch / "trace"
            (out / MODULES).mkdir(parents=True)
            file = scratch / "alterations"
            file.write_bytes(rows)
            hook = hooked(scratch, self._tree, out, self._environment, alterations=file)
            with fixed_addresses():
                words, variables = hook.command(command), hook.environment(self._environment)
                ended = run_in_tree(words, self._tree, variables, self._commands, limit)
            if not values:
                self._limit.unchanged(ended.seconds)
                if test is None:
                    self._unchanged = ended, comparable_events(out)
            rerun = self._rerun(values, ended, scratch)
            if record_into is not None:
                keep_sources(self._tree, out)
                write_run(
                    out, self._tree, self._commands, rerun.run, ended, None, frontend="python"
                )
        return rerun

    def _in_a_fork(self, rows: bytes, limit: float | None) -> Ended | None:
        """Run the test in a fork; None if there is no server for it."""
        self._reruns += 1
        if self._reruns == self._forks_after and self._unchanged is not None:
            self.forks.start(*self._unchanged)
        return self.forks.run(rows, limit) if self.forks.is_ready else None

    def _rerun(self, values: Sequence[AlteredValue], ended: Ended, folder: Path) -> PythonRerun:
        """Return how a rerun ended; `folder` has what it reported."""
        happened, watched = _read_reached(folder / REACHED)
        run = judge(ended, self._commands, self._tree)
        missed = (v for n, v in enumerate(values) if n not in happened and v.action != "watch")
        return PythonRerun(run, ended, tuple(missed), watched)


def _content(value: AlteredValue) -> Any:
    return marshal.dumps(value.content) if value.action == "set" else value.content


def _read_reached(file: Path) -> tuple[set[int], dict[int, tuple[tuple[int, str], ...]]]:
    """Read which alterations happened, and what the watches reported."""
    happened: set[int] = set()
    watched: dict[int, list[tuple[int, str]]] = {}
    for line in file.read_text("ascii").splitlines() if file.exists() else ():
        number, *report = line.split()
        happened.add(int(number))
        if report:
            text = bytes.fromhex(report[1]).decode("utf-8", "surrogatepass")
            watched.setdefault(int(number), []).append((int(report[0]), text))
    return happened, {number: tuple(values) for number, values in watched.items()}
