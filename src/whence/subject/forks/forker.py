"""Can this test run in forks, does that save time, and are the outcomes the same?

Forks are used only after a check: the good and the bad version must each end in a fork as in a
fresh process.  If they do not, or if a server is lost, that test is not forked any more.  All forks
of one server have the same hash seed: that of the environment, or one that Python chose for it.
"""

from __future__ import annotations

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from whence.model import Reverted
from whence.subject.command import Ended
from whence.subject.forks.client import Server, ServerLost
from whence.subject.forks.preimports import ImportReport, Touched, preimportable
from whence.subject.forks.program import PythonCommand
from whence.subject.workspace import Variants, Workspace

_log = logging.getLogger(__name__)
_BAD: Reverted = frozenset()
_MAX_SAVED = 1.0  # limit on the seconds that a fork is assumed to save; guessed
_PAYS_AFTER = 2  # cost of learning whether the test can be forked, in runs of the test; estimated
_MAX_ATTEMPTS = 10  # limit on server starts while modules that cannot be imported early are dropped


class Unforkable(Exception):
    """The test cannot run in forks; the message is the reason."""


@dataclass(frozen=True)
class ForkableTest:
    """A test as one trial runs it, in the current state of its workspace."""

    program: PythonCommand
    memory: int | None
    timeout: float | None
    stop: threading.Event | None
    workspace: Workspace
    run_fresh: Callable[[], Ended]
    fingerprint: Callable[[Ended], Hashable]  # must be equal for a fork and a fresh process
    lessons: Lessons


@dataclass
class Lessons:
    """What the trials of a session have learnt about forking one test."""

    at_once: bool = False  # fork even if it does not save time
    imports: list[str] | None = None  # the modules to import before forking; None: not yet known
    loads: Mapping[str, list[str]] = field(default_factory=dict)  # as in ImportReport
    refused: str | None = None  # the reason why the test is not forked
    forked: int = 0  # number of runs that were forks
    learning: threading.Lock = field(default_factory=threading.Lock)
    _seen: dict[Reverted, set[Hashable]] = field(default_factory=lambda: defaultdict(set))
    _saved: float = 0.0  # seconds that forks could have saved so far
    _last: float = 0.0  # seconds of the last run

    def ran_fresh(self, seconds: float, *, might_fork: bool) -> None:
        """Note the duration of a fresh process; `might_fork` if a fork could have replaced it."""
        self._last = seconds
        self._saved += min(seconds, _MAX_SAVED) if might_fork else 0.0

    def saw(self, version: Reverted, fingerprint: Hashable) -> None:
        """Note the fingerprint of a version in a fresh process."""
        self._seen[version].add(fingerprint)

    def has_seen(self, version: Reverted, fingerprint: Hashable) -> bool:
        return fingerprint in self._seen[version]

    @property
    def pays(self) -> bool:
        """Is it time to learn to fork?  Yes, once forks could have saved what learning costs."""
        return self.at_once or 0 < _PAYS_AFTER * self._last <= self._saved

    def refuse(self, why: str) -> None:
        self.refused = why
        _log.debug("the test is not forked: %s", why)


class Forks:
    """The lessons of a session, by test.  With `at_once`, fork from the first run on."""

    def __init__(self, *, at_once: bool = False) -> None:
        self._at_once = at_once
        self._lessons: dict[Hashable, Lessons] = {}

    def of(self, *test: Hashable) -> Lessons:
        return self._lessons.setdefault(test, Lessons(self._at_once))


class Forker:
    """Runs the test of one trial in forks, once it is known that they end as fresh processes."""

    def __init__(self, scratch: Path, variants: Variants) -> None:
        self._scratch = scratch
        self._variants = variants
        self.server: Server | None = None
        self._lessons: Lessons | None = None  # of the test that the server runs
        self.own_seconds = 0.0  # duration of the test in the last fork, without the server

    def get_ready(self, test: ForkableTest) -> bool:
        """Start a server for this test if that pays; return whether there is one.

        This may turn the workspace into other variants.
        """
        lessons = test.lessons
        if lessons is not self._lessons:
            self.close()
            self._lessons = lessons
        if lessons.refused is None and self.server is None and lessons.pays:
            try:
                self.server = self._get_server(test, lessons)
            except (ServerLost, Unforkable) as error:
                lessons.refuse(str(error))
        return lessons.refused is None and self.server is not None

    def run(self, test: ForkableTest) -> Ended | None:
        """Run the test in a fork; None if this variant cannot be forked, or the server is lost."""
        if self.server is None or not _target_exists(test):
            return None
        before = test.workspace.files()
        try:
            ended = self.server.run(test.timeout, test.stop)
        except ServerLost as error:
            self.close()
            test.lessons.refuse(str(error))
            return None
        finally:
            test.workspace.clear_up(before)
        self.own_seconds = self.server.own_seconds
        test.lessons.forked += 1
        return ended

    def close(self) -> None:
        if self.server is not None:
            self.server.close()
        self.server = None

    def _start(self, test: ForkableTest) -> Server:
        return Server(test.program, test.workspace.tree, test.memory, self._scratch)

    def _get_server(self, test: ForkableTest, lessons: Lessons) -> Server | None:
        if lessons.imports is None:
            if not lessons.learning.acquire(blocking=False):
                return None  # another worker is learning
            try:
                return self._learn(test, lessons)
            finally:
                lessons.learning.release()
        server = self._start(test)
        if failed := server.preimport(lessons.imports, lessons.loads):
            server.close()
            raise Unforkable(" ".join(failed))
        return server

    def _learn(self, test: ForkableTest, lessons: Lessons) -> Server:
        """Find out what to import before forking, and check that forks end as fresh processes."""
        report = self._watched(test)
        # The modules of one project may change each other on import, and a variant may import them
        # later than we do.  If the check fails, import only modules from outside the project.
        project = f"{test.workspace.tree}/"
        inside = [name for name, (_, file) in report.found.items() if file.startswith(project)]
        try:
            return self._try(test, lessons, report, [])
        except Unforkable:
            return self._try(test, lessons, report, inside)

    def _watched(self, test: ForkableTest) -> ImportReport:
        """Run the bad version once and report its imports."""
        test.workspace.become(_BAD)
        server = self._start(test)
        try:
            before = test.workspace.files()
            report = server.learn(test.timeout, test.stop)
            test.workspace.clear_up(before)
        finally:
            server.close()
        if report is None:
            raise Unforkable("the test does not end its interpreter regularly")
        return report

    def _try(
        self, test: ForkableTest, lessons: Lessons, report: ImportReport, unfit: list[str]
    ) -> Server:
        """Return a server whose forks of both versions ended as fresh processes."""
        touched = _touched(self._variants, test.workspace.tree)
        for _ in range(_MAX_ATTEMPTS):
            imports = preimportable(report, touched, unfit)
            server = self._start(test)
            try:
                failed = server.preimport(imports, report.loads)
                if not failed:
                    for version in (_BAD, self._variants.everything):
                        _compare(test, server, version, lessons)
                    lessons.loads, lessons.imports = report.loads, imports
                    return server
            except BaseException:
                server.close()
                raise
            server.close()
            unfit = [*unfit, failed[0]]
        raise Unforkable(" ".join(failed))


def _compare(test: ForkableTest, server: Server, version: Reverted, lessons: Lessons) -> None:
    """Raise Unforkable if a version ends differently in a fork and in a fresh process."""
    workspace = test.workspace
    workspace.become(version)
    if not _target_exists(test):
        raise Unforkable("its file does not exist in every version")
    before = workspace.files()
    forked = test.fingerprint(server.run(test.timeout, test.stop))
    workspace.clear_up(before)
    if lessons.has_seen(version, forked):
        return
    fresh = test.fingerprint(test.run_fresh())
    workspace.finished()
    workspace.clear_up(before)
    if fresh != forked:
        raise Unforkable(f"it ends differently in a fork: {forked} instead of {fresh}")


def _target_exists(test: ForkableTest) -> bool:
    target = test.workspace.tree / test.program.target
    return test.program.kind != "script" or target.is_file()


def _touched(variants: Variants, tree: Path) -> Touched:
    bad, good = (variants.nodes(version).keys() for version in (_BAD, variants.everything))
    return Touched(tree, variants.touched, frozenset(bad ^ good))
