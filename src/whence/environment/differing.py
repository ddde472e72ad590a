"""How does a recorded answer differ from the live one, and what are the parts of the difference?"""

from __future__ import annotations

import errno
import os
import stat
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from whence.environment.log import SystemCall
from whence.environment.plan import Subject

_MAX_TEXT = 2**20  # bytes of a file that is compared line by line; guessed
_PENDING_ERROR = "getsockopt:4"  # SO_ERROR: how a connection that was begun earlier ended
_STAT = struct.Struct("<24xIII12xq")  # mode, user, group and size of a struct stat


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers to one question about a subject: there (good) and here (bad).

    `content` is the content that the call opened; None if it opened none or if it is not known.
    """

    subject: Subject
    role: str
    good: SystemCall
    bad: SystemCall
    good_content: bytes | None = None
    bad_content: bytes | None = None

    @property
    def is_text(self) -> bool:
        """Can the contents be compared line by line?"""
        both = (self.good_content, self.bad_content)
        return all(
            content is not None and b"\0" not in content and len(content) <= _MAX_TEXT
            for content in both
        )


@dataclass(frozen=True, slots=True)
class LineChange:
    """One line of a file that differs: its place in the content here, from 0, and both texts.

    `good` or `bad` is None if only the other content has the line.
    """

    at: int
    good: bytes | None
    bad: bytes | None


def line_changes(good: bytes, bad: bytes) -> list[LineChange]:
    """Return the smallest differences between two texts, line by line."""
    ours, theirs = bad.splitlines(keepends=True), good.splitlines(keepends=True)
    found = []
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            continue
        for i in range(max(b - a, d - c)):
            has_bad, has_good = a + i < b, c + i < d
            found.append(
                LineChange(
                    a + i if has_bad else b,
                    theirs[c + i] if has_good else None,
                    ours[a + i] if has_bad else None,
                )
            )
    return found


def with_changes(bad: bytes, chosen: Sequence[LineChange]) -> bytes:
    """Return the content here with some of its lines as they are there."""
    lines = bad.splitlines(keepends=True)
    replaced = {change.at: change.good or b"" for change in chosen if change.bad is not None}
    added: dict[int, list[bytes]] = {}
    for change in chosen:
        if change.bad is None:
            added.setdefault(change.at, []).append(change.good or b"")
    parts = []
    for at in range(len(lines) + 1):
        if at < len(lines):
            # Lines that are added at `at` come after the replaced ones before it.
            parts += added.get(at, [])
            parts.append(replaced.get(at, lines[at]))
        else:
            parts += added.get(at, [])
    return b"".join(parts)


# --- words ---------------------------------------------------------------------------------------


def shown_name(name: str) -> str:
    """Return a path as it is here."""
    if name.startswith("{cwd}"):
        return os.getcwd() + name[5:]
    if name.startswith("{home}"):
        return os.environ.get("HOME", "~") + name[6:]
    return name


def answer_words(call: SystemCall, content: bytes | None = None) -> str:
    """Return an answer in words, without the name of what was asked."""
    if call.result < 0:
        return _error_words(-call.result)
    if call.group == _PENDING_ERROR and len(call.blocks) == 1:
        code = int.from_bytes(call.blocks[0], "little")
        return _error_words(code) if code else "no error"
    status = call.blocks[1] if call.opens and len(call.blocks) > 1 else b""
    if not call.opens and len(call.blocks) == 1 and len(call.blocks[0]) == 144:
        status = call.blocks[0]
    words = _status_words(status) if len(status) == 144 else ""
    if content is not None and not words.startswith("a folder"):
        words = ", ".join(filter(None, (words, f"{len(content)} bytes")))
    if words:
        return words
    if call.blocks and call.blocks[0] and not call.opens:
        return repr(call.blocks[0][:80])[1:]
    return str(call.result) if call.group.startswith(("get", "umask")) else "works"


def _error_words(code: int) -> str:
    return f"{errno.errorcode.get(code, code)} ({os.strerror(code)})"


def recorded_status(call: SystemCall) -> tuple[int, int, int] | None:
    """Return mode, user and group of the file that a call asked about; None if it gave none."""
    status = call.blocks[1] if call.opens and len(call.blocks) > 1 else b""
    if not call.opens and call.blocks and len(call.blocks[0]) == 144:
        status = call.blocks[0]
    if len(status) != 144:
        return None
    mode, user, group, _ = _STAT.unpack_from(status)
    return mode, user, group


def _status_words(status: bytes) -> str:
    mode, user, group, _ = _STAT.unpack_from(status)
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFREG: "a file", stat.S_IFLNK: "a link",
             stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device"}  # fmt: skip
    kind = kinds.get(stat.S_IFMT(mode), "a special file")
    return f"{kind}, mode {stat.S_IMODE(mode):04o}, owner {user}:{group}"


def names_in(listing: bytes) -> set[str]:
    """Return the names of a folder, from what getdents64 gave."""
    found, at = set(), 0
    while at + 19 < len(listing):
        size = int.from_bytes(listing[at + 16 : at + 18], "little")
        if size < 20:
            break
        found.add(os.fsdecode(listing[at + 19 : at + size].split(b"\0")[0]))
        at += size
    return found - {".", ".."}


def is_folder(call: SystemCall) -> bool:
    """Did a call open a folder?"""
    status = call.blocks[1] if call.opens and len(call.blocks) > 1 else b""
    return len(status) == 144 and stat.S_ISDIR(_STAT.unpack_from(status)[0])


def live_content(call: SystemCall, spool: Path) -> bytes | None:
    """Return the content that a call of a traced run opened, if the tracer kept it."""
    if not call.opens or not call.blocks or not call.blocks[0]:
        return None
    return (spool / str(int.from_bytes(call.blocks[0], "little"))).read_bytes()
