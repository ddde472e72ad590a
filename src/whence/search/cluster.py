"""How do the workers of a Dask cluster run the variants?

1. The two trees are sent once, as a parcel.  A task names only the changes to revert.
2. A worker process keeps its workspaces as long as it holds the parcel.  The scheduler releases the
   parcel when our client closes or is lost.
3. A stopped run ends soon: its Dask task is cancelled, and the worker checks for that.
4. A run whose worker is lost is sent again.  Other runs are not affected.
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
from whence.changes.changeset import ChangeSet, FileChanges, render_variant
from whence.changes.tree import EntryKind, TreeNode
from whence.errors import UserError, install_command
from whence.model import Reverted, Run
from whence.search.workers import Job
from whence.subject.command import Stopped
from whence.subject.forks.forker import Forks
from whence.subject.trial import BuildAndTest, RunWay, Trial

_MAX_CONNECT = 10.0  # limit in seconds on connecting, and on waiting for a first worker; guessed
_MAX_RESTART = 60.0  # limit in seconds on waiting for lost workers to restart; guessed
_MAX_LOSSES = 5  # limit on lost workers per run: with more, the run itself kills them; guessed


def _distributed() -> Any:
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise UserError(
            "Running on a cluster needs the package `distributed`, which is not installed here.\n"
            f"Install it with: {install_command('cluster')}",
            slug="no-distributed",
        ) from None


# -- what is sent ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Parcel:
    """What a worker needs to make any variant.  Once unpacked, it implements `Variants`."""

    archive: bytes  # the files that no change touches
    base_kinds: Mapping[str, EntryKind]
    touched: frozenset[str]
    file_changes: tuple[FileChanges, ...]
    hollow: frozenset[str]
    everything: Reverted
    times: Mapping[bool, Mapping[str, int]]  # when the files were written; the key: of good?
    base: Path = Path()

    def nodes(self, reverted: Reverted) -> dict[str, TreeNode]:
        return render_variant(self.file_changes, self.hollow, reverted)

    def written(self, *, of_good: bool) -> Mapping[str, int]:
        return self.times[of_good]

    def unpack(self, folder: Path) -> Parcel:
        with tarfile.open(fileobj=io.BytesIO(self.archive)) as archive:
            # We packed this archive, so it is safe.  The default filter would refuse links that
            # lead out of the tree, which a project may have.
            archive.extraction_filter = lambda member, _: member
            archive.extractall(folder)
        return replace(self, archive=b"", base=folder)

    def run(self, request: bytes) -> Run | Refusal | None:
        """Run one variant on this worker; None if the run was stopped."""
        task: ClusterTask = pickle.loads(request)
        try:
            with _desk(self).trial() as trial:
                return trial.run(
                    task.reverted,
                    task.commands,
                    stop=_Unwanted(),
                    way=task.way,
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
        changes.file_changes,
        changes.hollow,
        changes.everything,
        {of_good: changes.written(of_good=of_good) for of_good in (True, False)},
    )


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


@dataclass(frozen=True, slots=True)
class ClusterTask:
    """One run, as it is sent to a worker."""

    reverted: Reverted
    commands: BuildAndTest
    way: RunWay


@dataclass(frozen=True, slots=True)
class Refusal:
    """A UserError sent back by a worker: a pickled exception would lose its slug."""

    message: str
    slug: str


# -- on a worker -----------------------------------------------------------------------------


class _Desk:
    """What a worker process keeps between runs: the unpacked parcel and its trials."""

    def __init__(self, parcel: Parcel) -> None:
        worker = _distributed().get_worker()
        scratch = Path(worker.local_directory).resolve()
        try:
            self._folder = Path(tempfile.mkdtemp(prefix="whence-", dir=scratch))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)  # also at exit
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
        """Lend a trial that no other thread uses."""
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
    """Is set once this thread's task was cancelled, or its worker is closing.

    Dask does not stop a running task in either case, but the worker's state shows it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._worker = _distributed().get_worker()
        self._key = self._worker.get_current_task()

    def is_set(self) -> bool:
        task = self._worker.state.tasks.get(self._key)
        closing = self._worker.status.name in ("closing", "closed")
        return closing or task is None or task.state == "cancelled"


# -- on the client ---------------------------------------------------------------------------


class _ClusterJob(Job):
    """A run on the cluster.  `task` and `parcel` are the Dask futures of its last submission."""

    def __init__(self, request: ClusterTask) -> None:
        super().__init__()
        # The scheduler unpickles calls and need not have whence installed.  This call consists of
        # a method name and bytes.
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
    """The worker threads of a Dask cluster, each with its own workspace."""

    def __init__(self, address: str, changes: ChangeSet) -> None:
        self._address = address
        self._client = _connect(address)
        self._jobs: list[_ClusterJob] = []
        self._lock = threading.Lock()
        try:
            self.size = max(1, _count_threads(self._client, address))
            _check_versions(self._client, address)
            self._parcel = pack(changes)
            self._shipped = self._ship()
        except BaseException:
            self._client.close()
            raise

    def submit(self, reverted: Reverted, commands: BuildAndTest, way: RunWay) -> Job:
        job = _ClusterJob(ClusterTask(reverted, commands, way))
        self._jobs = [j for j in self._jobs if not j.future.done()] + [job]
        self._send(job)
        return job

    def close(self) -> None:
        """Stop all runs and disconnect; the workers then delete their workspaces."""
        for job in self._jobs:
            job.stop()
        with contextlib.suppress(Exception):  # the cluster may be gone
            self._client.close()

    def _ship(self) -> Any:
        # Send it to every worker: the scheduler prefers workers that have a task's data.
        return self._client.scatter(self._parcel, broadcast=True, hash=False, timeout=_MAX_RESTART)

    def _send(self, job: _ClusterJob) -> None:
        try:
            with self._lock:
                if job.parcel is self._shipped:  # the job was lost, perhaps with the parcel
                    self._shipped = self._ship()
                job.parcel = self._shipped
            # A unique key: Dask would answer an equal key from memory instead of running it.
            key = f"whence-{uuid.uuid4().hex}"
            job.task = self._client.submit(job.call, job.parcel, key=key)
            job.task.add_done_callback(lambda task: self._ended(job, task))
        except Exception as error:
            job.deliver(_lost(self._address, f"{type(error).__name__}: {error}"))
        if job.stop_requested.is_set():
            job.stop()

    def _ended(self, job: _ClusterJob, task: Any) -> None:
        """Deliver the reply of a task, or send its run again if it was lost."""
        if job.stop_requested.is_set():
            return
        reply = self._reply(job, task)
        if reply is not None:
            job.deliver(reply)
        elif job.losses < _MAX_LOSSES:
            self._send(job)
        else:
            job.deliver(_lost(self._address, f"one run lost its worker {job.losses} times"))

    def _reply(self, job: _ClusterJob, task: Any) -> Run | Exception | None:
        """Return the reply of a task; None if it was lost."""
        distributed = _distributed()
        try:
            reply: Run | Refusal | None = task.result(timeout=_MAX_RESTART)
        except (distributed.CancelledError, distributed.TimeoutError):
            reply = None  # its parcel or its result was lost
        except distributed.KilledWorker as error:
            job.losses += error.allowed_failures  # the scheduler sent it that often
            job.parcel = None  # the parcel was not lost
            reply = None
        except ImportError as error:  # a worker joined later and lacks this whence
            return _differs(self._address, {"a worker": error})
        except Exception as error:
            return error
        if reply is None:
            job.losses += 1
        return UserError(reply.message, slug=reply.slug) if isinstance(reply, Refusal) else reply


def _connect(address: str) -> Any:
    distributed = _distributed()
    # Dask would log tracebacks beside our error messages.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    try:
        return distributed.Client(address, timeout=_MAX_CONNECT, set_as_default=False)
    except Exception as error:  # a bad address, an unknown host, a refused connection, a timeout
        reason = str(error)
    # A client that failed to start ends its thread when it is garbage collected.  Collect it now:
    # if that happens while another client starts, the two deadlock.
    gc.collect()
    raise UserError(
        f"There is no Dask cluster at {address}: {reason}\n"
        "Give --cluster the address that the scheduler prints when it starts, such as "
        "tcp://HOST:8786.",
        slug="no-cluster",
    )


def _count_threads(client: Any, address: str) -> int:
    try:
        client.wait_for_workers(1, timeout=_MAX_CONNECT)
    except Exception:
        raise UserError(
            f"The Dask cluster at {address} has no workers (we waited {_MAX_CONNECT:.0f} s).\n"
            f"Start some: dask worker {address}",
            slug="no-cluster-workers",
        ) from None
    return sum(client.nthreads().values())


def _check_versions(client: Any, address: str) -> None:
    """Check that every worker has this version of whence and can import what a run needs."""
    # A standard library function: a worker without whence could not load one of ours.
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
        "The logs of the workers say why they ended (often memory). With --store, the same command "
        "continues from the stored outcomes.",
        slug="cluster-lost",
    )
