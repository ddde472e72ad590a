"""Which recorded answers does a run get, written for the tracer?  (tracer/plan.h has the format.)

Answers are chosen by subject: a path, an address, or a property of the system.  All calls of all
processes about a chosen subject get the recorded answers, as far as the live ones differ.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from whence.environment.log import SystemCall
from whence.environment.recording import EnvironmentRecording

_WITH_TIMES, _STREAM = 1, 2
# The calls that say when a file changed, with the place of its size in what they write.
_SIZE = {"stat": 48, "lstat": 48, "fstat": 48, "statx": 40, "lstatx": 40, "fstatx": 40}
TIMED = frozenset(_SIZE)
_OF_THE_KERNEL = ("/proc/", "/sys/", "/dev/")
_VOLATILE = frozenset({"sysinfo", "statfs"})
_WITHOUT_ANSWERS = frozenset({"stdin"})  # its bytes are given to every run


@dataclass(frozen=True, order=True, slots=True)
class Subject:
    """What some calls ask about: `kind` is path, times, address or system."""

    kind: str
    name: str

    @property
    def is_volatile(self) -> bool:
        """Does it differ in most runs, so that it is a cause only if nothing else is?"""
        return (
            self.kind == "times"
            or self.name.startswith(_OF_THE_KERNEL)
            or (self.kind == "system" and self.name.partition(":")[0] in {*_VOLATILE, "ioctl"})
        )


def subject_of(call: SystemCall) -> Subject | None:
    """Return what a call asks about; None if its answers are never replayed."""
    if call.name in _WITHOUT_ANSWERS or call.name.startswith("descriptor"):
        return None
    group = call.group.partition(":")[0]
    if group == "statfs" or not call.name:
        return Subject("system", f"{call.group} {call.name}".strip())
    if call.name.startswith(("/", "{")):
        return Subject("path", call.name)
    return Subject("address", call.name)


def subjects_of(recording: EnvironmentRecording) -> set[Subject]:
    """Return all subjects of a recording, with the times of the files."""
    found = {subject for call in recording.log.calls if (subject := subject_of(call))}
    timed = {call.name for call in recording.log.calls if call.group in _SIZE and call.name}
    return found | {Subject("times", name) for name in timed}


@dataclass(frozen=True, slots=True)
class Planner:
    """Writes plans of a recording; contents go to `folder` once."""

    recording: EnvironmentRecording
    folder: Path

    def write(
        self,
        path: Path,
        chosen: Collection[Subject],
        edits: Mapping[str, bytes] | None = None,
    ) -> None:
        """Write the answers about the chosen subjects; `edits` has other contents for paths."""
        edits = edits or {}
        answers: dict[str, list[bytes]] = {}
        flags: dict[str, int] = {}
        failed_writes = {
            call.name
            for call in self.recording.log.calls
            if call.group == "write" and call.result < 0
        }
        first_role: dict[str, str] = {}
        for call in self.recording.log.calls:
            subject, role = subject_of(call), self.recording.role(call)
            timed = Subject("times", call.name) in chosen and call.group in _SIZE
            if role is None or subject is None or (subject not in chosen and not timed):
                continue
            if call.group == "write" and call.name in failed_writes:
                continue
            answer = self._answer(call, edits)
            if answer is None:
                continue
            roles = [role]
            if first_role.setdefault(call.question, role) == role:
                roles.append("*")
            for each in roles:
                key = f"{each}\x1f{call.question}"
                answers.setdefault(key, []).append(answer)
                flags[key] = _WITH_TIMES * timed | _STREAM * (call.group == "read")
        path.write_bytes(_plan(answers, flags))

    def _answer(self, call: SystemCall, edits: Mapping[str, bytes]) -> bytes | None:
        if call.opens:
            return self._opened(call, edits)
        if self.recording.is_redacted(call.name) and call.result >= 0 and call.group == "read":
            return None
        blocks = call.blocks
        if call.group in _SIZE and blocks and call.name in edits:
            blocks = (_resized(blocks[0], _SIZE[call.group], len(edits[call.name])),)
        return _packed(call.result, blocks)

    def _opened(self, call: SystemCall, edits: Mapping[str, bytes]) -> bytes:
        status = call.blocks[1] if len(call.blocks) > 1 else b""
        if call.name in edits and call.result >= 0:
            content = edits[call.name]
            status = _resized(status, 48, len(content)) if status else status
            return _packed(0, (os.fsencode(self._written(content)), status))
        checksum = self.recording.content_of(call)
        place = os.fsencode(self._kept(checksum)) if checksum else b""
        return _packed(min(call.result, 0), (place, status))

    def _kept(self, checksum: str) -> Path:
        place = self.folder / checksum
        if not place.exists():
            self.folder.mkdir(exist_ok=True)
            place.write_bytes(self.recording.read_content(checksum))
            place.chmod(0o755)
        return place

    def _written(self, content: bytes) -> Path:
        self.folder.mkdir(exist_ok=True)
        place = self.folder / f"edit-{hash(content) & 0xFFFFFFFFFFFFFFFF:x}"
        place.write_bytes(content)
        place.chmod(0o755)
        return place


def _plan(answers: Mapping[str, list[bytes]], flags: Mapping[str, int]) -> bytes:
    parts = [b"whplan1\n", struct.pack("<I", len(answers))]
    for key, found in answers.items():
        parts += [_block(os.fsencode(key)), struct.pack("<II", flags[key], len(found)), *found]
    return b"".join(parts)


def _packed(result: int, blocks: Iterable[bytes]) -> bytes:
    blocks = list(blocks)
    return struct.pack("<qI", result, len(blocks)) + b"".join(map(_block, blocks))


def _block(content: bytes) -> bytes:
    return struct.pack("<I", len(content)) + content


def _resized(status: bytes, at: int, size: int) -> bytes:
    return status[:at] + struct.pack("<Q", size) + status[at + 8 :]
