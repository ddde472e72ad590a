"""Which first steps of a build need not run again?

A build such as `./configure && make` is a sequence of steps.  A step that ended well need not run
again in the same workspace while every file that it and the steps before it read is unchanged.
The file system knows which files a command read: it notes the time of the first access.  If it does
not, every step runs.

A variant changes only the touched paths, so only these are looked at.  What a step has read is
collected over all its runs: an incremental step does not read everything again.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

from whence.changes.tree import TreeNode
from whence.subject.shell_steps import changes_the_shell, split_steps
from whence.subject.workspace import Workspace

# Seconds in which the clock of the file system surely advances.  Within one tick it cannot be seen
# which of two steps read a file, and an access is noted again if it follows in the tick of `utime`.
_TICK = 0.02
_OLD = 1_000_000_000  # nanoseconds; a time of access before any build


class BuildSteps:
    """Runs the builds of one workspace without the steps that would do nothing new."""

    def __init__(self, workspace: Workspace, folder: Path) -> None:
        """`folder` is for files of this object."""
        self._workspace = workspace
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self._marks = folder
        self._notes_reads = notes_reads(folder)
        self._steps: list[str] = []
        self._first = 0  # number of steps that the current build leaves out
        self._ended = 0  # number of steps that ended well
        self._read: list[set[str]] = []  # by step: touched paths that it was the first to read
        self._nodes: list[dict[str, TreeNode]] = []  # by step: the touched paths when it ran
        self._outdated: set[str] = set()  # paths that count as changed in the next build

    def begin(self, command: str) -> str:
        """Return the command without the steps that need not run; it is about to be run."""
        steps = split_steps(command)
        if not self._notes_reads:
            return command
        if steps != self._steps:
            self._steps, self._ended = steps, 0
            self._read = [set() for _ in steps]
            self._nodes = [{} for _ in steps]
        self._first = self._unchanged_steps()
        now = dict(self._workspace.nodes)
        for number in range(self._first, len(steps)):
            self._nodes[number] = now
            self._mark(number).unlink(missing_ok=True)
        for path in now:
            with contextlib.suppress(OSError):
                file = self._workspace.tree / path
                modified = file.stat(follow_symlinks=False).st_mtime_ns
                os.utime(file, ns=(_OLD, modified), follow_symlinks=False)
        time.sleep(_TICK)
        pause = f" && {{ sleep {_TICK} || :; }} && "
        kept = (
            f"{step} && : >{shlex.quote(str(self._mark(number)))}"
            for number, step in enumerate(steps)
            if number >= self._first or changes_the_shell(step)
        )
        return pause.join(kept) or ":"

    def outdate(self, paths: Iterable[str]) -> None:
        """Let the steps that read these paths run in the next build."""
        self._outdated |= set(paths)

    def end(self) -> None:
        """Note which steps of the build ended well, and what they read."""
        if not self._notes_reads:
            return
        ends = []
        for number in range(self._first, len(self._steps)):
            try:
                ends.append(self._mark(number).stat().st_mtime_ns)
            except FileNotFoundError:
                break
        self._ended = self._first + len(ends)
        if self._ended == len(self._steps):
            self._outdated.clear()
        for path in self._workspace.nodes:
            try:
                at = (self._workspace.tree / path).stat(follow_symlinks=False).st_atime_ns
            except OSError:
                at = ends[0] if ends else 0  # the build removed it
            if at > _OLD:
                reader = self._first + sum(end < at for end in ends)
                self._read[min(reader, len(self._steps) - 1)].add(path)

    @property
    def unread(self) -> frozenset[str]:
        """The touched paths of this variant that no step has read, once a build ended well."""
        if not self._notes_reads or self._ended < len(self._steps) or not self._steps:
            return frozenset()
        return frozenset(self._workspace.nodes.keys() - set().union(*self._read))

    def _unchanged_steps(self) -> int:
        """Return the number of steps, from the first on, that need not run."""
        now = self._workspace.nodes
        read: set[str] = set()
        for number in range(self._ended):
            before = self._nodes[number]
            read |= self._read[number] & now.keys()
            if before.keys() != now.keys() or read & self._outdated:
                return number
            if any(before[path] != now[path] for path in read):
                return number
        return self._ended

    def _mark(self, number: int) -> Path:
        return self._marks / str(number)


def notes_reads(folder: Path) -> bool:
    """Does the file system note when a file is read, also by `cp`, which may share its blocks?"""
    probe = folder / "probe"
    probe.write_bytes(b"x" * 100_000)
    try:
        for command in (["cat", str(probe)], ["cp", str(probe), f"{probe}.copy"]):
            os.utime(probe, ns=(_OLD, probe.stat().st_mtime_ns))
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
            if probe.stat().st_atime_ns <= _OLD:
                return False
    except (OSError, subprocess.CalledProcessError):
        return False
    return True
