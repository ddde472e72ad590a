"""Is there one message, or the right answer, if the disk for temporary files is full?

The folder for temporary files is a small file system in a namespace of its own, which needs no
rights of an administrator where the system has user namespaces.
"""

from __future__ import annotations

import ctypes
import os
import random
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench.attack.attempts import Attempt, in_child
from bench.attack.projects import Project, judged, run_whence

_TARGETS = (
    ("isolate", "text"), ("explain", "python"), ("why", "python"), ("isolate", "python"),
    ("explain", "c"), ("why", "c"), ("isolate", "c"), ("contract", "python"),
)  # fmt: skip
_NEW_NAMESPACES = 0x00020000 | 0x10000000  # CLONE_NEWNS | CLONE_NEWUSER
_PRIVATE = 1 << 18 | 1 << 14  # MS_PRIVATE | MS_REC


def attack(work: Path, count: int) -> Iterator[Attempt]:
    """Give whence a disk of a random size."""
    (work / "try").mkdir()
    possible = in_child(partial(_mount_small, work / "try", 100))
    if possible.trace:
        print(f"  full disk: no small file system can be mounted here: {possible.detail}")
        return
    for number in range(count):
        chance = random.Random(f"disk {number}")
        command, language = _TARGETS[number % len(_TARGETS)]
        kilobytes = int(2 ** chance.uniform(4, 13))
        project = Project.make(work / f"disk-{number}", language)
        before = project.fingerprint()
        mount = partial(_mount_small, project.folder / "tmp", kilobytes)
        run = run_whence(project, project.words(command), mount)
        yield judged(f"{command} {language} {kilobytes} KB", project, command, run, before)
        shutil.rmtree(project.folder, ignore_errors=True)


def _mount_small(folder: Path, kilobytes: int) -> None:
    """Mount a small file system, which this process and its children see alone."""
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    _check(libc.unshare(_NEW_NAMESPACES))
    for name, text in (
        ("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1"),
    ):  # fmt: skip
        Path("/proc/self", name).write_text(text)
    _check(libc.mount(b"none", b"/", None, ctypes.c_ulong(_PRIVATE), None))
    options = f"size={kilobytes}k".encode()
    _check(libc.mount(b"none", os.fsencode(folder), b"tmpfs", ctypes.c_ulong(0), options))


def _check(status: int) -> None:
    if status:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
