"""Does the command pass, untraced, if it alone sees a file as it was recorded?

The command runs in a mount namespace of its own.  A copy with the recorded lines is bound over the
file; a missing file or folder is added by an overlay over the nearest folder that exists.  Nobody
else sees either, and both vanish with the command.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from whence.environment.tracing import CommandEnd, Setting, run_untraced

# Run as `python -c`: the mounts as pairs of words, then --, then the command.
_ENTER = r"""
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def check(result):
    if result != 0:
        sys.exit(125)
user, group = os.getuid(), os.getgid()
if libc.unshare(0x20000) != 0:  # CLONE_NEWNS; without privileges, in a user namespace too
    check(libc.unshare(0x10020000))
    open("/proc/self/setgroups", "w").write("deny")
    open("/proc/self/uid_map", "w").write(f"{user} {user} 1")
    open("/proc/self/gid_map", "w").write(f"{group} {group} 1")
check(libc.mount(b"none", b"/", None, 0x44000, None))  # MS_REC | MS_PRIVATE
words = sys.argv[1:]
at = words.index("--")
for kind, source, target in zip(words[:at:3], words[1:at:3], words[2:at:3]):
    if kind == "bind":
        check(libc.mount(source.encode(), target.encode(), None, 0x1000, None))
    else:
        data = f"lowerdir={target},upperdir={source}/upper,workdir={source}/work"
        check(libc.mount(b"overlay", target.encode(), b"overlay", 0, data.encode()))
os.chdir(os.getcwd())
os.execvp(words[at + 1], words[at + 1 :])
"""
_NO_VIEW = 125  # the exit status if the system allows no such view


def run_in_view(
    command: Sequence[str],
    setting: Setting,
    path: str,
    content: bytes | None,
    status: os.stat_result | tuple[int, int, int],
    folder: Path,
    *,
    stdin: Path,
    timeout: float,
) -> CommandEnd | None:
    """Run a command that sees `content` at `path` (None: a folder); None if no view is possible.

    `status` is the recorded mode, user and group.
    """
    mount = _mount(path, content, (status[0], status[1], status[2]), folder)
    if mount is None:
        return None
    words = [sys.executable, "-I", "-S", "-c", _ENTER, *mount, "--", *command]
    ended = run_untraced(words, setting, stdin=stdin, timeout=timeout)
    return None if ended.status == _NO_VIEW else ended


def _mount(
    path: str, content: bytes | None, status: tuple[int, int, int], folder: Path
) -> list[str] | None:
    if any(character in f"{path}{folder}" for character in ",:\\"):  # they separate mount options
        return None
    if os.path.lexists(path) and content is not None and os.path.isfile(path):
        copy = folder / "copy"
        copy.write_bytes(content)
        _dress(copy, status)
        return ["bind", str(copy), path]
    if os.path.lexists(path):
        return None
    parent = os.path.dirname(path)
    while not os.path.isdir(parent):
        parent = os.path.dirname(parent)
    if parent == "/":
        return None  # an overlay over everything would hide all other mounts
    (folder / "work").mkdir()
    below = folder / "upper" / os.path.relpath(path, parent)
    if content is None:
        below.mkdir(parents=True)
    else:
        below.parent.mkdir(parents=True)
        below.write_bytes(content)
    (folder / "upper").chmod(stat.S_IMODE(os.stat(parent).st_mode))
    _dress(below, status)
    return ["overlay", str(folder), parent]


def _dress(path: Path, status: tuple[int, int, int]) -> None:
    """Give a copy the recorded mode and, if we may, owner."""
    mode, user, group = status
    with suppress(PermissionError):
        os.chown(path, user, group)
    path.chmod(stat.S_IMODE(mode))


def has_views() -> bool:
    """Does the system allow us a private view of files?"""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _ENTER, "--", "true"], capture_output=True, check=False
    )
    return done.returncode == 0
