"""What ends a build or a test if whence itself is killed?

A killed process cannot tidy up.  So a small shell process, the guardian, waits at the end of a
pipe.  whence tells it which process groups it starts and which have ended.  When whence ends,
however it does, the pipe closes, and the guardian kills the groups that are left.  A process that
has left its group (setsid) is found by the tree that its environment names.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from typing import IO

_SCRIPT = r"""
groups= patterns=
newline='
'
while read -r what group tree; do
    others=
    for one in $groups; do [ "$one" = "$group" ] || others="$others $one"; done
    groups=$others
    if [ "$what" = started ]; then groups="$groups $group"; fi
    case $tree in /*)
        case $patterns in
            *"WHENCE_TREE=$tree$newline"*) ;;
            *) patterns="${patterns}WHENCE_TREE=$tree$newline" ;;
        esac ;;
    esac
done
[ "$groups" ] || exit 0
for group in $groups; do kill -s KILL -- "-$group"; done
[ "$patterns" ] || exit 0
for turn in 1 2; do
    printf %s "$patterns" | grep -alF -f - /proc/[0-9]*/environ |
        while IFS=/ read -r _ _ process _; do kill -s KILL "$process"; done
done
"""


class _Guardian:
    """The guardian of this process; a forked process gets its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: IO[bytes] | None = None
        self._owner = 0  # the process that started the guardian

    def say(self, what: str, group: int, tree: str | None = None) -> None:
        with self._lock, contextlib.suppress(OSError):  # a guardian that was killed guards nothing
            if self._owner != os.getpid():
                self._start()
            assert self._pipe is not None
            place = tree if tree and "\n" not in tree else ""
            self._pipe.write(f"{what} {group} {place}\n".encode("utf-8", "surrogateescape"))
            self._pipe.flush()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", _SCRIPT],
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # what kills our group must not kill the guardian
        )
        self._pipe, self._owner = self._process.stdin, os.getpid()


_GUARDIAN = _Guardian()


def guard(group: int, tree: str | None = None) -> None:
    """Let this process group be killed if this process ends before `release`.

    The processes whose environment names `tree` are killed then, too.
    """
    _GUARDIAN.say("started", group, tree)


def release(group: int) -> None:
    """Say that a process group has ended: its number may soon be that of another one."""
    _GUARDIAN.say("ended", group)
