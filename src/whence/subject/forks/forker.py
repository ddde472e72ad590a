"""Can this test be run in forks, does that pay, and does it end there as in fresh processes?

What is believed of a fork was seen: the bad and the good version have to end the same both ways.
If they do not, or a server is lost, there are no more forks for that test.  Forks of one server
have one hash seed: that of the environment, or else one that Python chose for the server.
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
from whence.subject.forks.choice import Learned, Touched, preimportable
from whence.subject.forks.client import Server, ServerLost
from whence.subject.forks.program import PythonCommand
from whence.subject.workspace import Variants, Workspace

_log = logging.getLogger(__name__)
_BAD: Reverted = frozenset()
_MOST_SAVED = 1.0  # seconds that a fork can spare us, at a guess
_PAYS_AFTER = 2  # runs of the test, which is what it costs to find out whether it can be forked
_MOST_ATTEMPTS = 10  # to leave out what cannot be imported early; each costs a server's start


class Unforkable(Exception):
    """Forks would not do for this test; the message says why."""


@dataclass(frozen=True)
class Test:
    """A test as one trial runs it, in whatever its workspace is just now."""

    program: PythonCommand
    memory: int | None
    timeout: float | None
    stop: threading.Event | None
    workspace: Workspace
    run_fresh: Callable[[], Ended]
    look: Callable[[Ended], Hashable]  # what has to be the same both ways
    lessons: Lessons


@dataclass
class Lessons:
    """What all trials of a session know of forking one test."""

    at_once: bool = False  # whether it pays or not
    imports: list[str] | None = None  # what to import before forking; None: not known yet
    brought: Mapping[str, list[str]] = field(default_factory=dict)
    refused: str | None = None  # why it is not to be forked
    forked: int = 0  # how many runs were forks
    learning: threading.Lock = field(default_factory=threading.Lock)
    _seen: dict[Reverted, set[Hashable]] = field(default_factory=lambda: defaultdict(set))
    _saved: float = 0.0  # seconds that forks could have spared us so far
    _last: float = 0.0  # seconds of the last run

    def ran_fresh(self, seconds: float, *, might_fork: bool) -> None:
        """Note what a process of its own took; `might_fork`: where a fork would have done."""
        self._last = seconds
        self._saved += min(seconds, _MOST_SAVED) if might_fork else 0.0

    def saw(self, version: Reverted, look: Hashable) -> None:
        """Note how a version ends in a process of its own."""
        self._seen[version].add(look)

    def has_seen(self, version: Reverted, look: Hashable) -> bool:
        return look in self._seen[version]

    @property
    def pays(self) -> bool:
        """Is it time to learn?  One buys skis when the rent paid so far would have bought them."""
        return self.at_once or 0 < _PAYS_AFTER * self._last <= self._saved

    def refuse(self, why: str) -> None:
        self.refused = why
        _log.debug("the test is not forked: %s", why)


class Forks:
    """The lessons of a session.  `at_once`: fork from the first run on, whether it pays or not."""

    def __init__(self, *, at_once: bool = False) -> None:
        self._at_once = at_once
        self._lessons: dict[Hashable, Lessons] = {}

    def of(self, *test: Hashable) -> Lessons:
        return self._lessons.setdefault(test, Lessons(self._at_once))


class Forker:
    """Runs the test of one trial in forks, once it is known that they do."""

    def __init__(self, scratch: Path, variants: Variants) -> None:
        self._scratch = scratch
        self._variants = variants
        self.server: Server | None = None
        self._lessons: Lessons | None = None  # of the test that the server is for
        self.own_seconds = 0.0  # of the last fork: those of the test itself

    def get_ready(self, test: Test) -> bool:
        """Is there a server for this test, now?  The workspace may become other variants."""
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

    def run(self, test: Test) -> Ended | None:
        """Run the test in a fork; None if that cannot be done for this variant, or any more."""
        if self.server is None or not _is_there(test):
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

    def _start(self, test: Test) -> Server:
        return Server(test.program, test.workspace.tree, test.memory, self._scratch)

    def _get_server(self, test: Test, lessons: Lessons) -> Server | None:
        if lessons.imports is None:
            if not lessons.learning.acquire(blocking=False):
                return None  # another worker is about to find out
            try:
                return self._learn(test, lessons)
            finally:
                lessons.learning.release()
        server = self._start(test)
        if failed := server.preimport(lessons.imports, lessons.brought):
            server.close()
            raise Unforkable(" ".join(failed))
        return server

    def _learn(self, test: Test, lessons: Lessons) -> Server:
        """Find out what to import before forking, and whether the test bears it."""
        learned = self._watched(test)
        # Modules of one project like to change each other when they are imported, and a variant
        # may import them later than we do.  If so, try it without them.
        project = f"{test.workspace.tree}/"
        inside = [name for name, (_, file) in learned.found.items() if file.startswith(project)]
        try:
            return self._try(test, lessons, learned, [])
        except Unforkable:
            return self._try(test, lessons, learned, inside)

    def _watched(self, test: Test) -> Learned:
        test.workspace.become(_BAD)
        server = self._start(test)
        try:
            before = test.workspace.files()
            learned = server.learn(test.timeout, test.stop)
            test.workspace.clear_up(before)
        finally:
            server.close()
        if learned is None:
            raise Unforkable("it does not leave its interpreter in the regular way")
        return learned

    def _try(self, test: Test, lessons: Lessons, learned: Learned, unfit: list[str]) -> Server:
        """Return a server that ran both versions as a fresh process does."""
        touched = _touched(self._variants, test.workspace.tree)
        for _ in range(_MOST_ATTEMPTS):
            imports = preimportable(learned, touched, unfit)
            server = self._start(test)
            try:
                failed = server.preimport(imports, learned.brought)
                if not failed:
                    for version in (_BAD, self._variants.everything):
                        _compare(test, server, version, lessons)
                    lessons.brought, lessons.imports = learned.brought, imports
                    return server
            except BaseException:
                server.close()
                raise
            server.close()
            unfit = [*unfit, failed[0]]
        raise Unforkable(" ".join(failed))


def _compare(test: Test, server: Server, version: Reverted, lessons: Lessons) -> None:
    """Raise Unforkable unless a version ends in a fork as in a fresh process."""
    workspace = test.workspace
    workspace.become(version)
    if not _is_there(test):
        raise Unforkable("its file is not there in every version")
    before = workspace.files()
    forked = test.look(server.run(test.timeout, test.stop))
    workspace.clear_up(before)
    if lessons.has_seen(version, forked):
        return
    fresh = test.look(test.run_fresh())
    workspace.finished()
    workspace.clear_up(before)
    if fresh != forked:
        raise Unforkable(f"it ends differently there: {forked} instead of {fresh}")


def _is_there(test: Test) -> bool:
    target = test.workspace.tree / test.program.target
    return test.program.kind != "script" or target.is_file()


def _touched(variants: Variants, tree: Path) -> Touched:
    bad, good = (variants.nodes(version).keys() for version in (_BAD, variants.everything))
    return Touched(tree, variants.touched, frozenset(bad ^ good))
