"""Does a store give back what was put into it, or say that it is damaged?"""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from whence.errors import UserError
from whence.model import Complaint, Failure, Outcome, Run
from whence.search import store as store_module
from whence.search.store import Store

KEYS = [bytes([number]) * 32 for number in range(20)]


def a_run(number: int) -> Run:
    return Run(
        outcome=Outcome.FAIL,
        failure=Failure("exit", f"exit status {number}", f"exit {number}", "a.c", number),
        complaints=(Complaint("a.c", number, ("x", "y"), "undeclared"),),
        output=b"printed\n" * number,
        covered={"a.c": frozenset({1, number})},
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    store = Store(tmp_path / "store")
    for number, key in enumerate(KEYS):
        store.put(key, a_run(number))
    store.close()
    return tmp_path / "store"


def read(path: Path) -> list[Run | None]:
    store = Store(path)
    try:
        return [store.get(key) for key in KEYS]
    finally:
        store.close()


def read_or_complaint(path: Path) -> list[Run | None] | None:
    """Return the runs of a store; None if it says that it is unusable."""
    try:
        return read(path)
    except UserError as error:
        if error.slug != "store-unusable":
            raise
        return None


def test_runs_come_back(path: Path) -> None:
    assert read(path) == [a_run(number) for number in range(len(KEYS))]


@pytest.mark.parametrize(
    "change",
    [
        "run = replace(run, 'exit status 7', 'exit status 8')",
        "run = replace(run, '\"fail\"', '\"pass\"')",
        "output = x'00'",
        "output = 'text'",
        "run = 7",
        "run = '{'",
        "run = ''",
        "run = x'ff00'",
        "run = 'zzzzzzzz{}'",
        "run = '00000000[]'",
        "key = (SELECT max(key) FROM run) || x'00'",
    ],
)
def test_a_changed_row_is_not_believed(path: Path, change: str) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE run SET {change} WHERE key = ?", (KEYS[7],))
    connection.close()
    found = read_or_complaint(path)
    assert found is None or found[7] is None


def test_rows_of_a_newer_whence_are_not_used(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = store_module._FIELDS - {"flaky"}
    monkeypatch.setattr(store_module, "_FIELDS", known)
    assert read(path) == [None] * len(KEYS)


def test_rows_of_an_older_whence_are_not_used(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE run SET run = substr(run, 9)")
    connection.close()
    assert read(path) == [None] * len(KEYS)


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_file_gives_no_other_run(path: Path, seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice((1, 5, 200))):
        data[chance.randrange(len(data))] = chance.randrange(256)
    if seed % 5 == 0:
        del data[chance.randrange(len(data)) :]
    path.write_bytes(data)
    for extra in ("-wal", "-shm"):
        path.with_name(path.name + extra).unlink(missing_ok=True)
    for number, run in enumerate(read_or_complaint(path) or []):
        assert run is None or run == a_run(number)
