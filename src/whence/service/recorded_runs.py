"""Was this run recorded before?  Where recorded runs are kept, and which."""

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
from whence.cli.recording import Say, clear, frontends_for, prepare, record_into
from whence.errors import UserError
from whence.frontend.languages import own_sources
from whence.subject.scratch import scratch_folder
from whence.subject.sources import fetch
from whence.subject.trial import BuildAndTest

_ABOUT = "about.json"
_MOST = 5  # runs that are kept: a trace may be large


def key_of(tree: Path, recipe: BuildAndTest, frontends: Sequence[str] = ()) -> str:
    """Return what tells two runs apart: the source, the commands, and the whence that records."""
    files = [
        (path, entry.kind.value, entry.digest.hex())
        for path, entry in sorted(read_tree(tree).entries.items())
    ]
    known = [__version__, own_sources().hex(), recipe.key().hex(), files, *frontends]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()[:32]


def is_run(folder: Path, key: str | None = None) -> bool:
    """Is the run of this key, or any, in the folder, and all of it?"""
    found = _about(folder).get("key")
    return found is not None and key in (None, found)


def source_of(folder: Path) -> Path | None:
    """The directory that the recorded program came from, if it was one."""
    found = _about(folder).get("source")
    return Path(found) if isinstance(found, str) and Path(found).is_dir() else None


def sign(folder: Path, key: str, source: str) -> None:
    """Say of a folder, once all is in it, which run it has."""
    directory = str(Path(source).absolute()) if Path(source).is_dir() else None
    (folder / _ABOUT).write_text(json.dumps({"key": key, "source": directory}), "utf-8")


def _about(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / _ABOUT).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def recorded(options: dict[str, Any], recipe: BuildAndTest, say: Say) -> tuple[Path, bool]:
    """Return a folder with the run of a recipe on a source, and whether it was recorded just now.

    The same command again finds it recorded already.
    """
    with scratch_folder() as scratch:
        say("fetching the source")
        tree = fetch(options["source"], repo=options["repo"], into=scratch / "tree")
        frontends = frontends_for(options["frontend"], tree, recipe)
        key = key_of(tree, recipe, frontends)
        out: Path | None = options["out"]
        folder = out or kept_run(key)
        is_known = is_run(folder, key) and not options["fresh"]
        if is_known:
            say(f"using the run recorded {_when(folder)} (--fresh records it anew)")
        else:
            with _given(folder, options["fresh"]) if out else keeping(folder) as empty:
                record_into(
                    empty, tree, recipe, frontends=frontends, max_trace=options["max_trace"],
                    say=say, twice=True,
                )  # fmt: skip
                sign(empty, key, options["source"])
    if out is None:
        use(folder)
    return folder, not is_known


@contextmanager
def _given(out: Path, fresh: bool) -> Iterator[Path]:
    """The folder that --out names, empty."""
    if is_run(out):
        if not fresh:
            raise UserError(
                f"--out {out} has another run: of other commands, or of another source.\n"
                "Name another folder, or have --fresh record over it.",
                slug="out-not-empty",
            )
        clear(out)
    prepare(out)
    yield out


def _when(folder: Path) -> str:
    return f"{datetime.fromtimestamp((folder / _ABOUT).stat().st_mtime):%Y-%m-%d at %H:%M}"


# --- runs that nobody named a folder for ----------------------------------------------------------


def _kept_runs() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "whence" / "recorded"


def kept_run(key: str) -> Path:
    """Where the run of this key is kept if the user does not say."""
    return _kept_runs() / key


@contextmanager
def keeping(folder: Path) -> Iterator[Path]:
    """Give an empty folder that becomes `folder` if all goes well: no run is ever there in part."""
    was_there = folder.exists()
    _check_writable(folder.parent)
    with scratch_folder(folder.parent) as scratch:
        run = scratch / "run"
        run.mkdir()
        yield run
        if was_there:
            shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):  # someone else has recorded the same meanwhile, and is using it
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
    """Note that a kept run is of use, and forget those that were of none for the longest time."""
    os.utime(folder)
    others = folder.parent.glob("[0-9a-f]*")
    for old in sorted(others, key=_last_use, reverse=True)[_MOST:]:
        shutil.rmtree(old, ignore_errors=True)


def _last_use(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:  # someone else forgot it
        return 0.0


def forget(folder: Path) -> None:
    """Take away a run; a folder that the user named stays, empty."""
    if folder.parent == _kept_runs():
        shutil.rmtree(folder, ignore_errors=True)
    else:
        clear(folder)
