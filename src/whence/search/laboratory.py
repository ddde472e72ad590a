"""How does a search get its runs?  Each variant is run once, the likely next ones in advance."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass
from typing import Protocol, TypeVar

from whence.changes.changeset import ChangeSet
from whence.model import Outcome, Reverted, Run
from whence.search.space import Search
from whence.search.store import Store
from whence.search.structure import Structure
from whence.search.workers import Job, Workers
from whence.subject.trial import BuildAndTest, Reference, RunWay

T = TypeVar("T")


class Listener(Protocol):
    """Is called with every outcome that a search uses, as it becomes known."""

    def __call__(self, reverted: Reverted, run: Run, *, from_store: bool) -> None: ...


class OutOfRuns(Exception):
    """The search needs more runs than the user allows."""


@dataclass
class RunCost:
    """What the runs of a session cost so far."""

    runs: int = 0  # test runs and failed builds; outcomes from the store do not count
    builds: int = 0
    rejected: int = 0  # variants that were not built because their sources do not compile
    cached: int = 0  # outcomes taken from the store
    seconds: float = 0.0  # sum over the runs of all workers


class Laboratory:
    """Knows the outcomes of variants that were run, and runs the others."""

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
        self.surroundings = b""  # a hash of what runs read outside of their tree, once it is known
        self.cost = RunCost()
        self.known: dict[Reverted, Run] = {}
        self._store = store
        self._workers = workers
        self._listen = listen
        self._in_progress: dict[Reverted, Job] = {}
        self._structure = Structure(changes)

    def run(
        self,
        reverted: Reverted,
        way: RunWay = RunWay.WARM,
        *,
        trust: Callable[[Run], bool] = lambda _: True,
    ) -> Run:
        """Run one variant, unless the store has a run for which `trust` holds."""
        key = self._key(reverted, way.value)
        stored = self._recall(key)
        if stored is not None and trust(stored):
            self.cost.cached += 1
            return stored
        job = self._start(reverted, way)
        try:
            return self._finish(job, key)
        except BaseException:
            job.stop()
            raise

    def remember(self, reverted: Reverted, run: Run) -> None:
        self.known[reverted] = run

    def answer(self, make: Callable[[], Search[T]]) -> T:
        """Run the search that `make` returns to its end.

        `make` is called again to replay the search.  The answer is the same for any number of
        workers.
        """
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
            return end.value  # type: ignore[no-any-return]  # StopIteration.value is Any
        finally:
            for job in self._in_progress.values():
                job.stop()
            self._in_progress.clear()

    @property
    def _may_run(self) -> bool:
        return self.max_runs is None or self.cost.runs < self.max_runs

    # -- one run -----------------------------------------------------------------------------

    def _key(self, reverted: Reverted, salt: bytes = b"") -> bytes:
        files = self.changes.fingerprint(reverted)
        return files + self.commands.key() + salt + self.surroundings

    def _judged(self, run: Run) -> Run:
        return self.reference.judge(run) if self.reference else run

    def _recall(self, key: bytes) -> Run | None:
        """Return the run that the store has, judged against the reference."""
        stored = self._store.get(key) if self._store else None
        return None if stored is None else self._judged(stored)

    def _lookup(self, reverted: Reverted) -> Run | None:
        if reverted not in self.known and reverted not in self._in_progress:
            if self._structure.is_lost(reverted):
                self.cost.rejected += 1
                self._learn(reverted, _MALFORMED, from_store=False)
                return _MALFORMED
            stored = self._recall(self._key(reverted))
            if stored is not None:
                self.cost.cached += 1
                self._learn(reverted, stored, from_store=True)
        return self.known.get(reverted)

    def _learn(self, reverted: Reverted, run: Run, *, from_store: bool) -> None:
        self.known[reverted] = run
        if self._listen:
            self._listen(reverted, run, from_store=from_store)

    def _start(self, reverted: Reverted, way: RunWay = RunWay.WARM) -> Job:
        if not self._may_run:
            raise OutOfRuns
        self.cost.runs += 1
        return self._workers.submit(reverted, self.commands, way)

    def _finish(self, job: Job, key: bytes) -> Run:
        run = job.future.result()
        self.cost.seconds += run.seconds
        if run.rejected:
            self.cost.runs -= 1
            self.cost.rejected += 1
        else:
            self.cost.builds += self.commands.build is not None
        if self._store:
            self._store.put(key, run)
        return self._judged(run)

    def _await(self, asked: Reverted) -> None:
        """Wait until the outcome of `asked` is known; record other runs that end before."""
        while asked not in self.known:
            jobs = {job.future: reverted for reverted, job in self._in_progress.items()}
            done, _ = wait(jobs, return_when=FIRST_COMPLETED)
            for future in done:
                reverted = jobs[future]
                job = self._in_progress.pop(reverted)
                run = self._finish(job, self._key(reverted))
                self._learn(reverted, run, from_store=False)

    # -- looking ahead -----------------------------------------------------------------------

    def _look_ahead(self, make: Callable[[], Search[T]], asked: Reverted) -> None:
        """Run `asked`, and on idle workers the variants that the search would ask for next."""
        if asked not in self._in_progress:
            self._make_room()
            self._in_progress[asked] = self._start(asked)
        wanted = list(self._foresee(make, asked)) if self._workers.size > 1 else []
        if self._in_progress[asked].future.done():
            return  # the run ended while we looked ahead: its outcome decides what is next
        for reverted in self._in_progress.keys() - {asked, *wanted}:
            self._cancel(reverted)  # the search will not ask for it: free its worker
        for reverted in wanted:
            idle = len(self._running()) < self._workers.size and self._may_run
            if idle and reverted not in self._in_progress:
                self._in_progress[reverted] = self._start(reverted)

    def _running(self) -> list[Reverted]:
        return [r for r, job in self._in_progress.items() if not job.future.done()]

    def _make_room(self) -> None:
        """Free a worker for the variant that is asked for, at the cost of a speculative run."""
        running = self._running()
        if running and (len(running) == self._workers.size or not self._may_run):
            self._cancel(running[-1])  # the run that began last is the least likely to be needed

    def _cancel(self, reverted: Reverted) -> None:
        """Stop a run, unless it has ended: then its outcome is kept."""
        if not self._in_progress[reverted].future.done():
            self._in_progress.pop(reverted).stop()
            self.cost.runs -= 1

    def _foresee(self, make: Callable[[], Search[T]], asked: Reverted) -> Iterable[Reverted]:
        """Return the variants that may be asked for next, the likeliest first.

        Looking ahead stops when the run of `asked` ends.
        """
        found: dict[Reverted, None] = {}
        todo: deque[dict[Reverted, Run]] = deque([{asked: Run(o)} for o in _LIKELY])
        ended = self._in_progress[asked].future.done
        while todo and len(found) < self._workers.size - 1 and not ended():
            assumed = todo.popleft()
            next_asked = self._asked_next(make, assumed, ended)
            if next_asked is not None:
                found.setdefault(next_asked)
                todo.extend(assumed | {next_asked: Run(outcome)} for outcome in _LIKELY)
        return found

    def _asked_next(
        self,
        make: Callable[[], Search[T]],
        assumed: dict[Reverted, Run],
        too_late: Callable[[], bool],
    ) -> Reverted | None:
        """Replay the search with assumed runs; return the first variant without a known run."""
        search = make()
        try:
            asked = next(search)
            while not too_late():
                run = assumed.get(asked) or self.known.get(asked)
                if run is None and self._structure.is_lost(asked):
                    run = _MALFORMED
                run = run or self._recall(self._key(asked))
                if run is None:
                    return asked
                asked = search.send(run)
        except StopIteration:
            pass
        return None


_MALFORMED = Run(
    Outcome.BROKEN, rejected=True, built=False, note="Python code of this variant does not parse."
)
_LIKELY = (Outcome.FAIL, Outcome.PASS)  # the outcomes that looking ahead assumes, likeliest first
