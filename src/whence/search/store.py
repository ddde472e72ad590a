"""Which outcomes are known from earlier sessions?  Each is stored as soon as it is known.

The key is a hash of the variant's files and of the commands.  It does not depend on the two
versions that are compared.  Several processes can share a store.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
import zlib
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from whence.errors import UserError
from whence.model import Complaint, Failure, Outcome, Run

_VERSION = 1  # of the schema
_FIELDS = {field.name for field in fields(Run)}
_MAX_WAIT = 60.0  # limit in seconds on waiting for another process that writes; guessed


class Store:
    """A database of runs.  With `fresh`, runs stored before now are ignored."""

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        self.path = path
        self._since = time.time() if fresh else 0.0
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=_MAX_WAIT, check_same_thread=False)
            self._prepare()
        except (OSError, sqlite3.Error, ValueError) as error:  # ValueError: no UTF-8
            raise self._unusable(error) from None

    def _prepare(self) -> None:
        # Read first: never write to a foreign database or to that of a later whence.
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        others = self._connection.execute(
            "SELECT count(*) FROM sqlite_master WHERE tbl_name <> 'run'"
        ).fetchone()[0]
        if version == 0 and others:
            raise sqlite3.DatabaseError("it is a database of another program")
        if version not in (0, _VERSION):
            raise sqlite3.DatabaseError(
                f"it has version {version}, and this whence reads only version {_VERSION}"
            )
        self._log_ahead()
        self._connection.execute("PRAGMA synchronous=NORMAL")
        with self._connection:
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS run"
                " (key BLOB PRIMARY KEY, run TEXT NOT NULL, output BLOB, at REAL NOT NULL)"
                " WITHOUT ROWID"
            )
            self._connection.execute(f"PRAGMA user_version={_VERSION}")

    def _log_ahead(self) -> None:
        """Use a write-ahead log: a commit survives kill -9, and readers do not block writers."""
        deadline = time.monotonic() + _MAX_WAIT
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                # SQLite does not wait by itself if two processes switch at the same time.
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def get(self, key: bytes) -> Run | None:
        try:
            with self._lock:
                row = self._connection.execute(
                    "SELECT run, output FROM run WHERE key = ? AND at >= ?", (key, self._since)
                ).fetchone()
            return None if row is None else _decode(key, row[0], row[1])
        except (sqlite3.Error, ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._unusable(error) from None

    def put(self, key: bytes, run: Run) -> None:
        try:
            with self._lock, self._connection:
                self._connection.execute(
                    "INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?)",
                    (key, _encode(key, run), run.output, time.time()),
                )
        except (sqlite3.Error, ValueError) as error:
            raise self._unusable(error) from None

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def _unusable(self, error: Exception) -> UserError:
        return UserError(
            f"The store {self.path} cannot be used: {error}.\n"
            "Give another file with --store FILE. If the file is a store of whence, you can delete "
            "it: it holds only outcomes, and whence runs again what it needs.",
            slug="store-unusable",
        )


def default_store() -> Path:
    """Return the path of the store that is used without --store."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "whence" / "runs.sqlite"


def _encode(key: bytes, run: Run) -> str:
    values = asdict(run)
    values["outcome"] = run.outcome.value
    del values["output"]
    if run.covered is not None:
        values["covered"] = {path: sorted(lines) for path, lines in run.covered.items()}
    text = json.dumps(values)
    return f"{_checksum(key, text, run.output):08x}{text}"


def _checksum(key: bytes, text: str, output: bytes | None) -> int:
    """Return a number that damage to any of the three changes."""
    known = zlib.crc32(text.encode("utf-8", "surrogatepass"), zlib.crc32(key))
    return zlib.crc32(output or b"", known)


def _decode(key: bytes, stored: str, output: bytes | None) -> Run | None:
    """Return a stored run; None if another whence stored it: one that is too old or newer."""
    if stored.startswith("{"):  # it wrote no checksum
        return None
    checksum, text = stored[:8], stored[8:]
    if int(checksum, 16) != _checksum(key, text, output):
        raise ValueError("a stored outcome is damaged")
    values: dict[str, Any] = json.loads(text)
    if not values.keys() <= _FIELDS:
        return None
    covered = values.pop("covered")
    failure = values.pop("failure")
    complaints = values.pop("complaints")
    return Run(
        **(values | {"outcome": Outcome(values["outcome"])}),
        failure=Failure(**failure) if failure else None,
        complaints=tuple(Complaint(**c | {"names": tuple(c["names"])}) for c in complaints),
        output=output,
        covered=covered and {path: frozenset(lines) for path, lines in covered.items()},
    )
