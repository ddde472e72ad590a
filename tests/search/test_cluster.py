"""Does a Dask cluster give the answers of local workers, even if its workers are killed?"""

from __future__ import annotations

import logging
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.changes.trees import Files, comparison, pairs, subsets
from whence.changes.changeset import ChangeSet, compare_trees
from whence.changes.tree import read_tree
from whence.errors import UserError
from whence.model import ChangeId, Outcome, Result, Run
from whence.search import cluster
from whence.search.cluster import ClusterWorkers, pack
from whence.search.session import IsolateRequest, Watcher, run_request
from whence.search.workers import Job
from whence.subject.trial import BuildAndTest, RunWay
from whence.subject.workspace import Workspace

distributed: Any = pytest.importorskip("distributed")

KILL_THE_WORKER = "kill -9 $PPID"  # the worker is the parent of the command's shell
_PATIENCE = 120.0  # seconds; a busy machine needs long to start a new worker


def kill_the_worker_once(marker: Path) -> str:
    return f"test -e {marker} || {{ touch {marker}; {KILL_THE_WORKER}; }}"


@contextmanager
def dask(folder: Path, *, workers: int) -> Iterator[str]:
    """Give the address of a cluster whose workers are processes that nannies restart."""
    with distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        local_directory=str(folder / "scratch"),
        silence_logs=logging.CRITICAL,
    ) as started:
        yield started.scheduler_address


@pytest.fixture(scope="module")
def running_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with dask(tmp_path_factory.mktemp("dask"), workers=2) as address:
        yield address


@pytest.fixture
def two_workers(running_cluster: str) -> str:
    """Give the address of a cluster with two workers: an earlier test may have killed one."""
    with distributed.Client(running_cluster, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=_PATIENCE)
    return running_cluster


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A module with eight changed functions.  The change of the sixth breaks the test."""
    for name, offset in (("good", 0), ("bad", 1)):
        tree = tmp_path / name
        tree.mkdir()
        functions = (f"def f{i}():\n    return {i + offset}\n\n\n" for i in range(8))
        (tree / "numbers8.py").write_text("".join(functions))
        (tree / "check.py").write_text("import numbers8\nassert numbers8.f5() == 5\n")
        (tree / "run.sh").write_text("exit 0\n")
        (tree / "run.sh").chmod(0o755)
        (tree / "outside").symlink_to("/no/such/place")
        (tree / "empty").mkdir()
    return tmp_path


def changes_of(project: Path) -> ChangeSet:
    return compare_trees(read_tree(project / "good"), read_tree(project / "bad"))


def isolate(project: Path, address: str | None, before: str = "true") -> Result:
    test = f"{before}; {sys.executable} check.py"
    request = IsolateRequest(
        str(project / "good"), str(project / "bad"), BuildAndTest(test), jobs=2, cluster=address
    )
    return run_request(request, Watcher())[0]


def start(workers: ClusterWorkers, command: str) -> Job:
    return workers.submit(frozenset(), BuildAndTest(command), RunWay.WARM)


def run_on(workers: ClusterWorkers, command: str) -> Run:
    return start(workers, command).future.result(_PATIENCE)


def kept_in(folder: Path) -> list[Path]:
    """Return the folders that workers of a cluster in `folder` have on disk."""
    return list(folder.glob("scratch/*/*/whence-*"))


def becomes_true(claim: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + _PATIENCE
    while not claim() and time.monotonic() < deadline:
        time.sleep(0.05)
    return claim()


# -- the answer ------------------------------------------------------------------------------


def test_a_cluster_gives_the_answer_of_local_workers(project: Path, two_workers: str) -> None:
    local, remote = isolate(project, None), isolate(project, two_workers)
    assert remote.status == "isolated"
    assert [(r.file, r.function) for r in remote.root] == [("numbers8.py", "f5")]
    assert (remote.root, remote.auxiliary) == (local.root, local.auxiliary)
    assert remote.failure == local.failure


def test_a_killed_worker_costs_only_its_own_run(project: Path, two_workers: str) -> None:
    log, killed = project / "log", project / "killed"
    # The fourth run kills its worker, once.
    kill_once = kill_the_worker_once(killed)
    before = f"echo run >> {log}; test $(wc -l < {log}) -lt 4 || {kill_once}"
    found = isolate(project, two_workers, before)
    assert killed.exists()
    assert [(r.file, r.function) for r in found.root] == [("numbers8.py", "f5")]


def test_other_runs_continue_when_a_worker_is_killed(project: Path, two_workers: str) -> None:
    log, killed = project / "log", project / "killed"
    with closing(ClusterWorkers(two_workers, changes_of(project))) as workers:
        other = start(workers, f"echo run >> {log}; sleep 2")
        assert becomes_true(log.exists)
        assert run_on(workers, kill_the_worker_once(killed)).outcome is Outcome.PASS
        assert other.future.result(_PATIENCE).outcome is Outcome.PASS
    assert log.read_text() == "run\n"


def test_the_only_worker_may_be_lost_with_the_parcel(project: Path, tmp_path: Path) -> None:
    with (
        dask(tmp_path, workers=1) as address,
        closing(ClusterWorkers(address, changes_of(project))) as workers,
    ):
        assert run_on(workers, kill_the_worker_once(tmp_path / "killed")).outcome is Outcome.PASS
        assert run_on(workers, "exit 3").outcome is Outcome.FAIL
        with pytest.raises(UserError, match="lost its worker") as raised:
            run_on(workers, KILL_THE_WORKER)
    assert raised.value.slug == "cluster-lost"


# -- one run ---------------------------------------------------------------------------------


@given(pair=pairs, data=st.data())
@settings(max_examples=40, deadline=None)
def test_an_unpacked_parcel_makes_the_same_variants_as_the_changes(
    pair: tuple[Files, Files], data: st.DataObject
) -> None:
    with comparison(*pair) as (changes, folder):
        shipped = pack(changes).unpack(folder / "base")
        for reverted in (frozenset[ChangeId](), changes.everything, data.draw(subsets(changes))):
            assert shipped.nodes(reverted) == changes.nodes(reverted)
        workspace = Workspace(folder / "tree", shipped)
        workspace.become(changes.everything)
        assert read_tree(workspace.tree).entries == changes.good.entries


def test_equal_runs_are_not_answered_from_memory(project: Path, two_workers: str) -> None:
    log = project / "log"
    with closing(ClusterWorkers(two_workers, changes_of(project))) as workers:
        assert workers.size == 2
        for _ in range(4):
            run_on(workers, f"pwd >> {log}")
    trees = log.read_text().split()
    assert len(trees) == 4
    assert len(set(trees)) <= 2


def test_a_stopped_run_frees_its_worker_and_leaves_no_files(project: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    with dask(tmp_path, workers=1) as address:
        with closing(ClusterWorkers(address, changes_of(project))) as workers:
            job = start(workers, f"echo $$ > {pid}.new; mv {pid}.new {pid}; exec sleep 600")
            assert becomes_true(pid.exists)
            job.stop()
            assert run_on(workers, "exit 0").outcome is Outcome.PASS
            assert not Path("/proc", pid.read_text().strip()).exists()
            assert kept_in(tmp_path)
        assert becomes_true(lambda: not kept_in(tmp_path))


def test_a_worker_without_disk_space_is_a_user_error(project: Path, tmp_path: Path) -> None:
    with (
        dask(tmp_path, workers=1) as address,
        closing(ClusterWorkers(address, changes_of(project))) as workers,
        distributed.Client(address, set_as_default=False) as client,
    ):
        client.run(_take_its_room)
        with pytest.raises(UserError, match="cannot unpack the project") as raised:
            run_on(workers, "exit 0")
    assert raised.value.slug == "disk-full"


def _take_its_room(dask_worker: Any) -> None:
    dask_worker.local_directory = "/dev/null"  # no directory can be created there


_take_its_room.__module__ = "__main__"  # pickled by value: the workers cannot import the tests


# -- clusters that cannot be used ------------------------------------------------------------


def refusal(address: str, project: Path) -> UserError:
    with pytest.raises(UserError) as raised:
        ClusterWorkers(address, changes_of(project))
    assert address in str(raised.value)
    return raised.value


def test_an_address_without_a_cluster(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_MAX_CONNECT", 1.0)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))  # and never listens
        started = time.monotonic()
        error = refusal(f"tcp://127.0.0.1:{silent.getsockname()[1]}", project)
    assert error.slug == "no-cluster"
    assert time.monotonic() - started < 25


def test_an_invalid_address(project: Path) -> None:
    assert refusal("nonsense://here", project).slug == "no-cluster"


def test_a_cluster_without_workers(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_MAX_CONNECT", 1.0)
    with dask(tmp_path, workers=0) as address:
        assert refusal(address, project).slug == "no-cluster-workers"


def test_workers_with_another_whence(
    project: Path, two_workers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "__version__", "99.0")
    error = refusal(two_workers, project)
    assert error.slug == "cluster-differs"
    assert "99.0" in str(error)


def test_distributed_is_not_installed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UserError, match=r"pip install 'whence-explain\[cluster\]'") as raised:
        ClusterWorkers("tcp://127.0.0.1:1", changes_of(project))
    assert raised.value.slug == "no-distributed"
