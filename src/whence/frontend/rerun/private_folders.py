"""How does a process get copies of folders of its own, at the same paths?

Programs know where they were built, and print it.  So two runs at the same time need two trees with
one path.  Linux gives a process its own view of the file system (a mount namespace); there a copy
takes the place of the folder.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from pathlib import Path

from whence.file_trees import copy_tree

# Arguments of unshare(2) and mount(2).
_NEW_MOUNTS, _NEW_USERS = 0x00020000, 0x10000000
_BIND, _RECURSIVE, _PRIVATE = 4096, 16384, 1 << 18


def use_private_copies(folders: Sequence[Path], below: Path) -> None:
    """Put copies of folders, made in the new folder `below`, in their places for this process.

    Raises OSError if the machine does not permit that.
    """
    library = ctypes.CDLL(None, use_errno=True)
    _leave_shared_mounts(library)
    below.mkdir(parents=True)
    for number, folder in enumerate(folders):
        copy = below / str(number)
        copy_tree(folder, copy)
        _mount(library, os.fsencode(copy), os.fsencode(folder), _BIND | _RECURSIVE)


def _leave_shared_mounts(library: ctypes.CDLL) -> None:
    user, group = os.getuid(), os.getgid()
    if library.unshare(_NEW_MOUNTS):
        _checked(library.unshare(_NEW_MOUNTS | _NEW_USERS))
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    _mount(library, None, b"/", _RECURSIVE | _PRIVATE)


def _mount(library: ctypes.CDLL, source: bytes | None, target: bytes, flags: int) -> None:
    _checked(library.mount(source, target, None, ctypes.c_ulong(flags), None))


def _checked(status: int) -> None:
    if status:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
