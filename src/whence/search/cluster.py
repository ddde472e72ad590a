"""Who runs the variants when there is a cluster?  The workers of a Dask scheduler.

1. The two trees travel once, as a parcel; a run names only the changes that it reverts.
2. A worker process keeps its workspaces as long as it holds the parcel: the scheduler takes the
   parcel away when we are done, or gone.
3. A run that nobody wants ends soon: its task is cancelled, and the worker watches for that.
4. A run whose worker is lost is sent again; every other run goes on.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import logging
import operator
import pickle
import pkgutil
import shutil
import tarfile
import tempfile
import threading
import uuid
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from whence import __version__
from whence.changes.changeset import ChangeSet, FileDelta, render_variant
from whence.changes.tree import EntryKind, TreeNode
from whence.errors import UserError, install_command
from whence.model import Reverted, Run
from whence.search.workers import Job
from whence.subject.command import Stopped
from whence.subject.forks.forker import Forks
from whence.subject.trial import BuildAndTest, Trial

_PATIENCE = 10.0  # seconds for a cluster to answer, and for its first worker to appear
_RESTART = 60.0  # seconds for lost workers to come back
_MOST_LOSSES = 5  # of one run: then it is the run that kills its workers


def _distributed() -> Any:
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise UserError(
            "Running on a cluster needs the package `distributed`, which is not installed here.\n"
            f"Install it with: {install_command('cluster')}",
            slug="no-distributed",
        ) from None


# -- what travels ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Parcel:
    """All that a worker needs to make any variant; once unpacked, it is the `Variants` there."""

    archive: bytes  # the files that no change touches
    base_kinds: Mapping[str, EntryKind]
    touched: frozenset[str]
    deltas: tuple[FileDelta, ...]
    hollow: frozenset[str]
    everything: Reverted
    base: Path = Path()

    def nodes(self, reverted: Reverted) -> dict[str, TreeNode]:
        return render_variant(self.deltas, self.hollow, reverted)

    def unpack(self, folder: Path) -> Parcel:
        with tarfile.open(fileobj=io.BytesIO(self.archive)) as archive:
            # We packed it ourselves.  The filter that is usual now refuses a link that leads
            # out of the tree, which a project may well have.
            archive.extraction_filter = lambda member, _: member
            archive.extractall(folder)
        return replace(self, archive=b"", base=folder)

    def run(self, request: bytes) -> Run | Refusal | None:
        """Run one variant on the worker we are on; None if it was stopped."""
        task: ClusterTask = pickle.loads(request)
        try:
            with _desk(self).trial() as trial:
                return trial.run(
                    task.reverted,
                    task.commands,
                    stop=_Unwanted(),
                    with_coverage=task.with_coverage,
                    clean=task.clean,
                )
        except Stopped:
            return None
        except UserError as error:
            return Refusal(str(error), error.slug)


def pack(changes: ChangeSet) -> Parcel:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
        for path in sorted(changes.base_kinds.keys() - changes.touched):
            archive.add(changes.base / path, path, recursive=False, filter=_without_owner)
    return Parcel(
        packed.getvalue(),
        changes.base_kinds,
        changes.touched,
        changes.deltas,
        changes.hollow,
        changes.everything,
    )


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


@dataclass(frozen=True, slots=True)
class ClusterTask:
    reverted: Reverted
    commands: BuildAndTest
    with_coverage: bool
    clean: bool


@dataclass(frozen=True, slots=True)
class Refusal:
    """A UserError on its way from a worker: an exception would lose its slug."""

    message: str
    slug: str


# -- on a worker -----------------------------------------------------------------------------


class _Desk:
    """What a worker process keeps of one job from run to run: the base tree and its trials."""

    def __init__(self, parcel: Parcel) -> None:
        worker = _distributed().get_worker()
        scratch = Path(worker.local_directory).resolve()
        try:
            self._folder = Path(tempfile.mkdtemp(prefix="whence-", dir=scratch))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)  # or at exit
            self._variants = parcel.unpack(self._folder / "base")
        except OSError as error:
            raise UserError(
                f"The worker {worker.address} cannot unpack the project below {scratch}: "
                f"{error.strerror or error}.\n"
                "Free some space there, or start it with --local-directory on a larger disk.",
                slug="disk-full",
            ) from None
        self._idle: list[Trial] = []
        self._made = 0
        self._forks = Forks()

    @contextlib.contextmanager
    def trial(self) -> Iterator[Trial]:
        """Lend a trial that no other thread has."""
        with _desks_lock:
            if not self._idle:
                folder = self._folder / f"trial-{self._made}"
                self._idle.append(Trial(folder, self._variants, self._forks))
                self._made += 1
            trial = self._idle.pop()
        try:
            yield trial
        finally:
            self._idle.append(trial)


_desks: weakref.WeakKeyDictionary[Parcel, _Desk] = weakref.WeakKeyDictionary()
_desks_lock = threading.Lock()


def _desk(parcel: Parcel) -> _Desk:
    with _desks_lock:
        if parcel not in _desks:
            _desks[parcel] = _Desk(parcel)
        return _desks[parcel]


class _Unwanted(threading.Event):
    """Is set once the task that this thread is at was cancelled, or its worker is closing.

    Neither stops a running task, but the worker knows of both.
    """

    def __init__(self) -> None:
        super().__init__()
        self._worker = _distributed().get_worker()
        self._key = self._worker.get_current_task()

    def is_set(self) -> bool:
        task = self._worker.state.tasks.get(self._key)
        closing = self._worker.status.name in ("closing", "closed")
        return closing or task is None or task.state == "cancelled"


# -- on our side -----------------------------------------------------------------------------


class _ClusterJob(Job):
    """`task` and `parcel` are the cluster's futures, as of the last time it was sent."""

    def __init__(self, request: ClusterTask) -> None:
        super().__init__()
        # The scheduler looks into what passes through it, and need not have whence: it sees the
        # name of a method and some bytes.
        self.call = operator.methodcaller("run", pickle.dumps(request))
        self.losses = 0
        self.task: Any = None
        self.parcel: Any = None

    def stop(self) -> None:
        super().stop()
        if self.task is not None:
            with contextlib.suppress(Exception):  # the cluster may be gone
                self.task.cancel()

    def deliver(self, reply: Run | Exception) -> None:
        if not self.future.set_running_or_notify_cancel():
            return
        if isinstance(reply, Run):
            self.future.set_result(reply)
        else:
            self.future.set_exception(reply)


class ClusterWorkers:
    """The worker threads of a Dask cluster, each with a workspace of its own."""

    def __init__(self, address: str, changes: ChangeSet) -> None:
        self._address = address
        self._client = _connect(address)
        self._jobs: list[_ClusterJob] = []
        self._lock = threading.Lock()
        try:
            self.size = max(1, _count_threads(self._client, address))
            _check_alike(self._client, address)
            self._parcel = pack(changes)
            self._shipped = self._ship()
        except BaseException:
            self._client.close()
            raise

    def submit(
        self, reverted: Reverted, commands: BuildAndTest, *, with_coverage: bool, clean: bool
    ) -> Job:
        job = _ClusterJob(ClusterTask(reverted, commands, with_coverage, clean))
        self._jobs = [j for j in self._jobs if not j.future.done()] + [job]
        self._send(job)
        return job

    def close(self) -> None:
        """Give up what is under way and leave; the workers then remove what they kept for us."""
        for job in self._jobs:
            job.stop()
        with contextlib.suppress(Exception):  # the cluster may be gone
            self._client.close()

    def _ship(self) -> Any:
        # To every worker: the scheduler likes to send tasks to where their data is already.
        return self._client.scatter(self._parcel, broadcast=True, hash=False, timeout=_RESTART)

    def _send(self, job: _ClusterJob) -> None:
        try:
            with self._lock:
                if job.parcel is self._shipped:  # lost with its last holder, as far as we know
                    self._shipped = self._ship()
                job.parcel = self._shipped
            # A key of its own: an equal run has to be run, not remembered.
            key = f"whence-{uuid.uuid4().hex}"
            job.task = self._client.submit(job.call, job.parcel, key=key)
            job.task.add_done_callback(lambda task: self._ended(job, task))
        except Exception as error:
            job.deliver(_lost(self._address, f"{type(error).__name__}: {error}"))
        if job.given_up.is_set():
            job.stop()

    def _ended(self, job: _ClusterJob, task: Any) -> None:
        """Hand over what a task came to, or send its run again."""
        if job.given_up.is_set():
            return
        reply = self._reply(job, task)
        if reply is not None:
            job.deliver(reply)
        elif job.losses < _MOST_LOSSES:
            self._send(job)
        else:
            job.deliver(_lost(self._address, f"one run lost its worker {job.losses} times"))

    def _reply(self, job: _ClusterJob, task: Any) -> Run | Exception | None:
        """Return what a task came to; None if it was lost."""
        distributed = _distributed()
        try:
            reply: Run | Refusal | None = task.result(timeout=_RESTART)
        except (distributed.CancelledError, distributed.TimeoutError):
            reply = None  # what it needs or what it found was lost
        except distributed.KilledWorker as error:
            job.losses += error.allowed_failures  # the scheduler has sent it again so often
            job.parcel = None  # is not what was lost
            reply = None
        except ImportError as error:  # on a worker that came later
            return _differs(self._address, {"a worker": error})
        except Exception as error:
            return error
        if reply is None:
            job.losses += 1
        return UserError(reply.message, slug=reply.slug) if isinstance(reply, Refusal) else reply


def _connect(address: str) -> Any:
    distributed = _distributed()
    # It logs tracebacks where we have an error message of our own.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    try:
        return distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
    except Exception as error:  # a bad address, a name unknown, nobody there, no answer
        reason = str(error)
    # A half-made client ends its thread when it is collected.  That has to be now: in the middle
    # of starting another client, the two would wait for each other.
    gc.collect()
    raise UserError(
        f"There is no Dask cluster at {address}: {reason}\n"
        "Give --cluster the address that the scheduler prints when it starts, such as "
        "tcp://HOST:8786.",
        slug="no-cluster",
    )


def _count_threads(client: Any, address: str) -> int:
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except Exception:
        raise UserError(
            f"The Dask cluster at {address} has no workers (we waited {_PATIENCE:.0f} s).\n"
            f"Start some: dask worker {address}",
            slug="no-cluster-workers",
        ) from None
    return sum(client.nthreads().values())


def _check_alike(client: Any, address: str) -> None:
    """Make sure that every worker has our whence, and all that it needs for a run."""
    # A function of the standard library: one of ours could not be sent to whom we look for.
    found = client.run(pkgutil.resolve_name, f"{__name__}:__version__", on_error="return")
    others = {worker: version for worker, version in found.items() if version != __version__}
    if others:
        raise _differs(address, others)


def _differs(address: str, found: Mapping[str, object]) -> UserError:
    lines = (
        f"    {worker}: {what if isinstance(what, Exception) else f'whence {what}'}"
        for worker, what in sorted(found.items())
    )
    return UserError(
        f"The Dask cluster at {address} cannot run what this whence ({__version__}) sends it:\n"
        + "\n".join(lines)
        + f"\nInstall whence {__version__} there, from the same checkout: pip install '.[cluster]'",
        slug="cluster-differs",
    )


def _lost(address: str, what: str) -> UserError:
    return UserError(
        f"The Dask cluster at {address} could not finish the work: {what}.\n"
        "See its logs for what ended them (often memory). With --store, the same command goes on "
        "from what is known so far.",
        slug="cluster-lost",
    )
