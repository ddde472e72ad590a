"""Was this run recorded before?  Recorded runs are kept in the user's cache directory."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from whence import __version__
from whence.changes.tree import read_tree
from whence.errors import UserError
from whence.frontend.recorded_run import FORMAT
from whence.frontend.trace_files import DamagedTrace
from whence.languages import open_recording, own_sources
from whence.model import Outcome
from whence.service.failing_layout import record_failing_layout
from whence.service.recording import (
    RecordRequest,
    Say,
    clear,
    frontends_for,
    prepare,
    record_into,
)
from whence.subject.reads import changed_since
from whence.subject.scratch import scratch_folder
from whence.subject.sources import fetch
from whence.subject.trial import BuildAndTest

_ABOUT = "about.json"
_MAX_KEPT = 5  # runs kept in the cache; guessed: one trace may take gigabytes


def key_of(tree: Path, commands: BuildAndTest, frontends: Sequence[str] = ()) -> str:
    """Return a digest of the source, the commands, and the whence that records them."""
    files = [
        (path, entry.kind.value, entry.digest.hex())
        for path, entry in sorted(read_tree(tree).entries.items())
    ]
    parts = [__version__, FORMAT, own_sources().hex(), commands.key().hex(), files, *frontends]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def is_run(folder: Path, key: str | None = None) -> bool:
    """Does the folder hold a complete run: the one with this key, or any if `key` is None?"""
    found = _about(folder).get("key")
    return found is not None and key in (None, found)


def source_of(folder: Path) -> Path | None:
    """Return the directory that the recorded program came from, if it still exists."""
    found = _about(folder).get("source")
    return Path(found) if isinstance(found, str) and Path(found).is_dir() else None


def sign(folder: Path, key: str, source: str) -> None:
    """Note in a folder, once the recording is complete, which run it holds."""
    directory = str(Path(source).absolute()) if Path(source).is_dir() else None
    (folder / _ABOUT).write_text(json.dumps({"key": key, "source": directory}), "utf-8")


def _about(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / _ABOUT).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def recorded(request: RecordRequest, say: Say) -> tuple[Path, bool]:
    """Return a folder with the requested run, and whether it was recorded just now.

    A run that was recorded before with the same source and commands is used again.
    """
    commands, out = request.commands, request.out
    with scratch_folder() as scratch:
        say("fetching the source")
        tree = fetch(request.source, repo=request.repo, into=scratch / "tree")
        frontends = frontends_for(request, tree)
        key = key_of(tree, commands, frontends)
        folder = out or kept_run(key)
        is_known = is_run(folder, key) and not request.fresh
        changed = _what_changed(folder) if is_known else None
        if changed is not None:
            say(f"recording again: {changed}")
            is_known = False
        if is_known:
            say(f"using the run recorded {_when(folder)} (--fresh records it again)")
        else:
            over = request.fresh or changed is not None
            with _emptied(folder, over) if out else keeping(folder) as empty:
                found = record_into(empty, tree, request, frontends=frontends, say=say, twice=True)
                if request.seeks_failure and found.outcome is Outcome.PASS:
                    record_failing_layout(empty, request, scratch, found.seconds, say)
                sign(empty, key, request.source)
    if out is None:
        use(folder)
    return folder, not is_known


def _what_changed(folder: Path) -> str | None:
    """Return why a kept run cannot be used any more; None if it can."""
    try:
        again = open_recording(folder).again
    except DamagedTrace as error:
        return str(error).partition("\n")[0]
    reads = None if again is None or again.reads is None else changed_since(again.reads)
    return None if reads is None else f"{reads} has changed since the run was recorded"


@contextmanager
def _emptied(out: Path, fresh: bool) -> Iterator[Path]:
    """Give the folder that --out names, emptied; only `fresh` deletes a run that is in it."""
    if is_run(out):
        if not fresh:
            raise UserError(
                f"--out {out} holds a run of other commands, or of another source.\n"
                "Name another folder, or let --fresh record over that run.",
                slug="out-not-empty",
            )
        clear(out)
    prepare(out)
    yield out


def _when(folder: Path) -> str:
    return f"{datetime.fromtimestamp((folder / _ABOUT).stat().st_mtime):%Y-%m-%d at %H:%M}"


# --- runs in the cache ----------------------------------------------------------------------------


def _kept_runs() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "whence" / "recorded"


def kept_run(key: str) -> Path:
    """Return the folder of the run with this key in the cache."""
    return _kept_runs() / key


@contextmanager
def keeping(folder: Path) -> Iterator[Path]:
    """Give an empty folder that becomes `folder` on success: `folder` never holds half a run."""
    was_there = folder.exists()
    _check_writable(folder.parent)
    with scratch_folder(folder.parent) as scratch:
        run = scratch / "run"
        run.mkdir()
        yield run
        if was_there:
            shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):  # another process recorded the same run meanwhile, and uses it
            run.rename(folder)


def _check_writable(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UserError(
            f"The run cannot be kept in {folder}: {error.strerror}.\n"
            "Name a folder for it with --out DIR.",
            slug="cannot-write",
        ) from None


def use(folder: Path) -> None:
    """Note that a kept run was used, and delete the least recently used ones beyond the limit."""
    os.utime(folder)
    others = folder.parent.glob("[0-9a-f]*")
    for old in sorted(others, key=_last_use, reverse=True)[_MAX_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


def _last_use(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:  # another process deleted it
        return 0.0


def forget(folder: Path) -> None:
    """Delete a run; a folder that the user named stays, empty."""
    if folder.parent == _kept_runs():
        shutil.rmtree(folder, ignore_errors=True)
    else:
        clear(folder)
