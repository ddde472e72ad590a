"""Which processes of a command outlived it, although its process group was killed?

A daemon leaves its group and its session (setsid).  When its parent has ended, the kernel gives it
to the nearest *subreaper*, which is whence.  So it is a child of whence that whence did not start.
It belongs to the command whose tree its environment, its folder or its program names.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

TREE = "WHENCE_TREE"  # the variable that names the tree to a command
_PR_SET_CHILD_SUBREAPER = 36  # argument of prctl(2)
_MAX_SECONDS = 5.0  # limit on waiting for processes that were killed; guessed
_POLL_SECONDS = 0.002

_spared: set[int] = set()  # children that whence started in a tree, and that outlive commands


@cache
def adopt(process: int) -> None:  # noqa: ARG001 - once in each process: a fork is no subreaper
    """Let this process get the processes whose parents end."""
    with contextlib.suppress(OSError, AttributeError):  # not Linux
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def spare(process: int) -> None:
    """Leave this child alone: whence itself started it."""
    _spared.add(process)


def unspare(process: int) -> None:
    """Say that a child that was spared has ended."""
    _spared.discard(process)


def end_orphans(tree: str | None, session: int) -> None:
    """Kill what is left of a command that ran in `tree`, in `session`, and that has ended."""
    if not tree or not Path("/proc/self").exists():
        return
    deadline = time.monotonic() + _MAX_SECONDS
    while time.monotonic() < deadline:
        left = [child for child in _adopted() if _belongs(child, tree, session)]
        if not left:
            return
        for child in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, os.WNOHANG)
        time.sleep(_POLL_SECONDS)  # then their children are ours


def _adopted() -> list[int]:
    return [child for child in _children() if child not in _spared]


def _children() -> Iterator[int]:
    """Yield the children of this process."""
    for thread in os.listdir("/proc/self/task"):
        try:
            found = Path(f"/proc/self/task/{thread}/children").read_text().split()
        except OSError:  # the thread has ended, or the kernel has no such file
            continue
        yield from map(int, found)


def _belongs(process: int, tree: str, session: int) -> bool:
    """Is a child what a command left behind?"""
    folder = Path("/proc") / str(process)
    try:
        state = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        if int(state[3]) == session:
            return process != session
        if state[0] == "Z":
            return False  # it may be a process that another part of whence waits for
        named = f"{TREE}={tree}".encode("utf-8", "surrogateescape")
        if named in (folder / "environ").read_bytes().split(b"\0"):
            return True
        places = (os.readlink(folder / name) for name in ("cwd", "exe"))
        return any(place == tree or place.startswith(f"{tree}/") for place in places)
    except (OSError, IndexError, ValueError):  # it has ended, or belongs to another user
        return False
