"""What is in a recording, the one file that is carried from one machine to another?

It is a zip archive: `meta.json`, `log` (the calls, see log.py), `stdin` (what the program read from
a pipe) and `content/SHA256` for each file that was opened.  `meta.json` has the version, the
machine, and the size and checksum of every other member.  All are checked when it is opened.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import struct
import time
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from whence.environment.log import (
    ProgramStart,
    RunLog,
    SystemCall,
    read_run_log,
    with_blocks,
    write_run_log,
)
from whence.environment.tracing import TracedRun
from whence.errors import UserError

_KEY, _VERSION = "whence-environment", 1
_REDACTED = "(redacted)"
_LEVEL = 3  # of compression; guessed: higher levels cost more seconds than they save bytes


@dataclass(frozen=True, slots=True)
class EnvironmentRecording:
    """A recorded run.  `contents` maps the checksum of a kept content to its length."""

    path: Path
    machine: str
    kernel: str
    command: tuple[str, ...]
    status: int
    seconds: float
    clock: int  # the time of day when the run began, in nanoseconds
    redacted: tuple[str, ...]
    log: RunLog
    contents: dict[str, int]
    stdin: bytes

    @property
    def start(self) -> ProgramStart:
        """The start of the recorded command itself, after a prefix such as `env A=1`."""
        starts = self.log.starts
        return next((start for start in starts if start.command == self.command), starts[0])

    def role(self, call: SystemCall) -> str | None:
        """Return the role of a call's process, seen from the command; None: it is not below."""
        return below(self.log.roles[call.process], self.log.roles[self.start.process])

    def content_of(self, call: SystemCall) -> str | None:
        """Return the checksum of the content that a call opened."""
        return call.blocks[0].decode() if call.opens and call.blocks and call.blocks[0] else None

    def read_content(self, checksum: str) -> bytes:
        """Return a kept content."""
        with zipfile.ZipFile(self.path) as archive:
            return archive.read(f"content/{checksum}")

    def is_redacted(self, name: str) -> bool:
        """Was the content of this path, or the value of this variable, left out?"""
        return any(fnmatchcase(name, pattern) for pattern in self.redacted)


def below(role: str, top: str) -> str | None:
    """Return a role seen from the process with the role `top`, which is then "0"."""
    if role == top:
        return "0"
    return f"0{role[len(top) :]}" if role.startswith(f"{top}.") else None


# --- writing -------------------------------------------------------------------------------------


def save(
    run: TracedRun, command: Sequence[str], out: Path, *, clock: int, redact: Sequence[str] = ()
) -> EnvironmentRecording:
    """Write a run to the file `out`."""
    log, contents = _with_checksums(run, redact)
    members = {"log": write_run_log(_without_variables(log, redact)), "stdin": stdin_of(log)}
    meta = {
        _KEY: _VERSION,
        "machine": platform.machine(),
        "kernel": platform.release(),
        "command": list(command),
        "status": run.ended.status,
        "seconds": run.ended.seconds,
        "clock": clock,
        "redacted": list(redact),
        "members": {name: [len(data), _checksum(data)] for name, data in members.items()},
        "contents": {checksum: os.path.getsize(file) for checksum, file in contents.items()},
    }
    unfinished = out.with_name(f"{out.name}.part")
    try:
        with zipfile.ZipFile(
            unfinished, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL
        ) as archive:
            archive.writestr("meta.json", json.dumps(meta))
            for name, data in members.items():
                archive.writestr(name, data)
            for checksum, file in contents.items():
                archive.write(file, f"content/{checksum}")
        unfinished.replace(out)  # the file is whole, or it is not there
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise UserError(
            f"{out} cannot be written: {error.strerror}.\n"
            "Name a file in an existing directory that you may write to.",
            slug="cannot-write",
        ) from None
    return open_recording_file(out)


def _with_checksums(run: TracedRun, redact: Sequence[str]) -> tuple[RunLog, dict[str, Path]]:
    """Return the log with checksums instead of numbers of the spool, and the files to keep."""
    checksums: dict[int, str] = {}
    contents: dict[str, Path] = {}
    calls = []
    for call in run.log.calls:
        if _matches(call.name, redact):
            kept = (b"", *call.blocks[1:]) if call.opens else ()
            call = with_blocks(call, *kept)
        elif call.opens and call.blocks and call.blocks[0]:
            number = int.from_bytes(call.blocks[0], "little")
            if number not in checksums:
                file = run.spool / str(number)
                checksums[number] = _checksum(file.read_bytes())
                contents[checksums[number]] = file
            call = with_blocks(call, checksums[number].encode(), *call.blocks[1:])
        calls.append(call)
    return replace(run.log, calls=calls), contents


def _without_variables(log: RunLog, redact: Sequence[str]) -> RunLog:
    def cleaned(start: ProgramStart) -> ProgramStart:
        pairs = [pair.partition(b"=") for pair in start.environ.split(b"\0") if pair]
        kept = [
            name + b"=" + (_REDACTED.encode() if _matches(os.fsdecode(name), redact) else value)
            for name, _, value in pairs
        ]
        return replace(start, environ=b"".join(pair + b"\0" for pair in kept))

    return replace(log, starts=[cleaned(start) for start in log.starts])


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def stdin_of(log: RunLog) -> bytes:
    """Return what the program read from its standard input, if that was a pipe."""
    return b"".join(block for call in log.calls if call.name == "stdin" for block in call.blocks)


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


# --- opening -------------------------------------------------------------------------------------


def open_recording_file(path: Path) -> EnvironmentRecording:
    """Return what the file holds, after checking all of it."""
    try:
        with zipfile.ZipFile(path) as archive:
            meta = json.loads(archive.read("meta.json"))
            _check_version(path, meta)
            members = {name: archive.read(name) for name in meta["members"]}
            whole = all(
                [len(data), _checksum(data)] == meta["members"][name]
                for name, data in members.items()
            )
            if not whole or not all(
                len(content := archive.read(f"content/{checksum}")) == length
                and _checksum(content) == checksum
                for checksum, length in meta["contents"].items()
            ):
                raise _damaged(path, "a checksum is wrong")
        return _recording(path, meta, members)
    except OSError as error:
        raise UserError(
            f"The recording {path} cannot be read: {error.strerror}.\n"
            "Make one where the program passes: whence environment record --out FILE -- COMMAND",
            slug="no-environment-recording",
        ) from None
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, NotImplementedError) as error:
        raise _damaged(path, str(error)) from None
    except (KeyError, ValueError, TypeError, struct.error, IndexError, RuntimeError) as error:
        raise _damaged(path, f"{type(error).__name__}: {error}") from None
    except Exception as error:
        if type(error).__module__ == "zlib":
            raise _damaged(path, str(error)) from None
        raise


def _check_version(path: Path, meta: dict[str, Any]) -> None:
    version = meta.get(_KEY)
    if not isinstance(version, int):
        raise _damaged(path, "it is another kind of archive")
    if version > _VERSION:
        raise UserError(
            f"{path} was recorded by a newer whence (format {version}; this whence reads "
            f"{_VERSION}).\nUpdate whence here, or record again with this version.",
            slug="newer-recording",
        )


def _recording(path: Path, meta: dict[str, Any], members: dict[str, bytes]) -> EnvironmentRecording:
    log = read_run_log(members["log"])
    if not log.starts or log.status is None:
        raise _damaged(path, "the log has no end")
    return EnvironmentRecording(
        path=path,
        machine=str(meta["machine"]),
        kernel=str(meta["kernel"]),
        command=tuple(meta["command"]),
        status=int(meta["status"]),
        seconds=float(meta["seconds"]),
        clock=int(meta["clock"]),
        redacted=tuple(meta["redacted"]),
        log=log,
        contents=dict(meta["contents"]),
        stdin=members["stdin"],
    )


def _damaged(path: Path, why: str) -> UserError:
    return UserError(
        f"{path} is no recording of whence environment, or it is damaged: {why}.\n"
        "Was it copied completely?  Compare its checksum with the original's, or record again.",
        slug="damaged-recording",
    )


def now() -> int:
    """Return the time of day in nanoseconds."""
    return time.time_ns()
