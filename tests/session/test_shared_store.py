"""Can several sessions use one store at the same time?"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.session.projects import numbered
from whence.model import Outcome, Run
from whence.search.store import Store


def test_sessions_that_share_a_store_find_their_answers(tmp_path: Path) -> None:
    """Two sessions isolate the same failure, a third another one, all at the same time."""
    store = ("--store", str(tmp_path / "one store"))
    one = numbered(tmp_path / "one", 10, "has 7 && ends 1", *store)
    other = numbered(tmp_path / "other", 10, "has 4 && ends 1", *store)
    sessions = [one.start(), other.start(), one.start()]
    ends = [session.communicate(timeout=60) for session in sessions]
    assert [session.returncode for session in sessions] == [0, 0, 0], ends
    assert not any(stderr for _, stderr in ends)
    assert (one.found().culprits, other.found().culprits) == ({7}, {4})
    assert (one.found().runs, other.found().runs) == (0, 0)


def test_many_processes_can_create_a_store_at_once(tmp_path: Path) -> None:
    """The first process creates the store; no other fails because it is locked."""
    stores = [tmp_path / f"store-{i}" for i in range(60)]
    with ProcessPoolExecutor(4) as pool:
        assert list(pool.map(uses, sorted(stores * 4))) == [Run(Outcome.PASS)] * 240


def uses(path: Path) -> Run | None:
    store = Store(path)
    store.put(b"key", Run(Outcome.PASS))
    found = store.get(b"key")
    store.close()
    return found
