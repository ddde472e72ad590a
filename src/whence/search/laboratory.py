"""Run what a search asks for, once each, and what it would ask next if workers are idle."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass
from typing import Protocol, TypeVar

from whence.changes.changeset import ChangeSet
from whence.model import ChangeId, Outcome, Reverted, Run
from whence.search.asking import Search
from whence.search.store import Store
from whence.search.workers import Job, Workers
from whence.subject.trial import BuildAndTest, Reference

T = TypeVar("T")
_FORESIGHT = 400  # replayed steps after which an estimate is given up


class Listener(Protocol):
    """Hears of every outcome that a search uses, as it becomes known."""

    def __call__(self, reverted: Reverted, run: Run, *, from_store: bool) -> None: ...


class OutOfRuns(Exception):
    """The search needs more runs than the user allows."""


@dataclass
class RunCost:
    runs: int = 0  # tests actually run, or builds that failed
    builds: int = 0
    cached: int = 0  # outcomes taken from the store
    seconds: float = 0.0  # spent in those runs, over all workers


class Laboratory:
    """Knows the outcome of every variant that was ever run, and finds out the others."""

    def __init__(
        self,
        changes: ChangeSet,
        commands: BuildAndTest,
        store: Store | None,
        workers: Workers,
        *,
        listen: Listener | None = None,
    ) -> None:
        self.changes = changes
        self.commands = commands
        self.reference: Reference | None = None
        self.max_runs: int | None = None
        self.cost = RunCost()
        self.known: dict[Reverted, Run] = {}
        self._store = store
        self._workers = workers
        self._listen = listen
        self._under_way: dict[Reverted, Job] = {}

    def run(
        self,
        reverted: Reverted,
        *,
        with_coverage: bool = False,
        clean: bool = False,
        trust: Callable[[Run], bool] = lambda _: True,
    ) -> Run:
        """Return how one variant ends; run it unless the store has an outcome to trust."""
        key = self._key(reverted, b"watched" if with_coverage else b"clean" if clean else b"")
        stored = self._recall(key)
        if stored is not None and trust(stored):
            self.cost.cached += 1
            return stored
        job = self._start(reverted, with_coverage=with_coverage, clean=clean)
        try:
            return self._finish(job, key)
        except BaseException:
            job.stop()
            raise

    def remember(self, reverted: Reverted, run: Run) -> None:
        self.known[reverted] = run

    def answer(self, make: Callable[[], Search[T]]) -> T:
        """Run a search to its end.  The answer is the same for any number of workers."""
        search = make()
        try:
            asked = next(search)
            while True:
                run = self._lookup(asked)
                if run is None:
                    self._look_ahead(make, asked)
                    self._await(asked)
                else:
                    asked = search.send(run)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]  # StopIteration does not say its type
        finally:
            for job in self._under_way.values():
                job.stop()
            self._under_way.clear()

    def estimate(
        self, make: Callable[[], Search[T]], weight: Mapping[ChangeId, float]
    ) -> int | None:
        """Guess how many runs are left, supposing a single cause that fits all we know."""
        passed = [r for r, run in self.known.items() if run.outcome is Outcome.PASS]
        others = [r for r, run in self.known.items() if run.outcome is not Outcome.PASS]
        fits = frozenset.intersection(*passed) - frozenset().union(*others) if passed else None
        if not fits:
            return None
        cause = max(sorted(fits), key=lambda change: weight.get(change, 1.0))
        unknown: set[Reverted] = set()
        search = make()
        try:
            asked = next(search)
            for _ in range(_FORESIGHT):
                run = self.known.get(asked)
                if run is None:
                    unknown.add(asked)
                    run = Run(Outcome.PASS if cause in asked else Outcome.FAIL)
                asked = search.send(run)
        except StopIteration:
            return len(unknown)
        return None

    @property
    def _may_run(self) -> bool:
        return self.max_runs is None or self.cost.runs < self.max_runs

    # -- one run -----------------------------------------------------------------------------

    def _key(self, reverted: Reverted, salt: bytes = b"") -> bytes:
        return self.changes.fingerprint(reverted) + self.commands.key() + salt

    def _judged(self, run: Run) -> Run:
        return self.reference.judge(run) if self.reference else run

    def _recall(self, key: bytes) -> Run | None:
        """Return what an earlier session found out."""
        stored = self._store.get(key) if self._store else None
        return None if stored is None else self._judged(stored)

    def _lookup(self, reverted: Reverted) -> Run | None:
        if reverted not in self.known and reverted not in self._under_way:
            stored = self._recall(self._key(reverted))
            if stored is not None:
                self.cost.cached += 1
                self._learn(reverted, stored, from_store=True)
        return self.known.get(reverted)

    def _learn(self, reverted: Reverted, run: Run, *, from_store: bool) -> None:
        self.known[reverted] = run
        if self._listen:
            self._listen(reverted, run, from_store=from_store)

    def _start(
        self, reverted: Reverted, *, with_coverage: bool = False, clean: bool = False
    ) -> Job:
        if not self._may_run:
            raise OutOfRuns
        self.cost.runs += 1
        return self._workers.submit(
            reverted, self.commands, with_coverage=with_coverage, clean=clean
        )

    def _finish(self, job: Job, key: bytes) -> Run:
        run = job.future.result()
        self.cost.seconds += run.seconds
        self.cost.builds += self.commands.build is not None
        if self._store:
            self._store.put(key, run)
        return self._judged(run)

    def _await(self, asked: Reverted) -> None:
        """Wait until `asked` is known, taking in whatever else ends before it."""
        while asked not in self.known:
            jobs = {job.future: reverted for reverted, job in self._under_way.items()}
            done, _ = wait(jobs, return_when=FIRST_COMPLETED)
            for future in done:
                reverted = jobs[future]
                job = self._under_way.pop(reverted)
                run = self._finish(job, self._key(reverted))
                self._learn(reverted, run, from_store=False)

    # -- looking ahead -----------------------------------------------------------------------

    def _look_ahead(self, make: Callable[[], Search[T]], asked: Reverted) -> None:
        """Have `asked` run, and on idle workers what would be asked after either answer to it."""
        if asked not in self._under_way:
            self._make_room()
            self._under_way[asked] = self._start(asked)
        wanted = list(self._foresee(make, asked)) if self._workers.size > 1 else []
        if self._under_way[asked].future.done():
            return  # looking ahead took longer than the run: there is nothing to gain by it
        for reverted in self._under_way.keys() - {asked, *wanted}:
            self._give_up(reverted)  # nobody will ask for it now: its worker is wanted elsewhere
        for reverted in wanted:
            idle = len(self._running()) < self._workers.size and self._may_run
            if idle and reverted not in self._under_way:
                self._under_way[reverted] = self._start(reverted)

    def _running(self) -> list[Reverted]:
        return [r for r, job in self._under_way.items() if not job.future.done()]

    def _make_room(self) -> None:
        """See to it that one more can run: what is asked for goes before what might be."""
        running = self._running()
        if running and (len(running) == self._workers.size or not self._may_run):
            self._give_up(running[-1])  # begun last, it is the least likely to be asked for

    def _give_up(self, reverted: Reverted) -> None:
        """Stop a run, unless it has just ended: then its outcome is kept as any other."""
        if not self._under_way[reverted].future.done():
            self._under_way.pop(reverted).stop()
            self.cost.runs -= 1

    def _foresee(self, make: Callable[[], Search[T]], asked: Reverted) -> Iterable[Reverted]:
        """Return what would be asked next, the likeliest first, until `asked` has ended."""
        found: dict[Reverted, None] = {}
        todo: deque[dict[Reverted, Run]] = deque([{asked: Run(o)} for o in _LIKELY])
        ended = self._under_way[asked].future.done
        while todo and len(found) < self._workers.size - 1 and not ended():
            supposed = todo.popleft()
            after = self._asked_next(make, supposed, ended)
            if after is not None:
                found.setdefault(after)
                todo.extend(supposed | {after: Run(outcome)} for outcome in _LIKELY)
        return found

    def _asked_next(
        self,
        make: Callable[[], Search[T]],
        supposed: dict[Reverted, Run],
        too_late: Callable[[], bool],
    ) -> Reverted | None:
        search = make()
        try:
            asked = next(search)
            while not too_late():
                run = supposed.get(asked) or self.known.get(asked)
                run = run or self._recall(self._key(asked))
                if run is None:
                    return asked
                asked = search.send(run)
        except StopIteration:
            pass
        return None


_LIKELY = (Outcome.FAIL, Outcome.PASS)
