"""Has this source been compiled before?

The result of compiling a source is kept under a hash of everything that determines it.  If one file
differs between two trees, only that file is compiled.  Builds run concurrently: an entry appears
whole or not at all, and a damaged entry is ignored.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from hashlib import blake2b
from pathlib import Path

SIZE = 4 << 30  # bytes that the cache may take unless $WHENCE_CACHE_SIZE is set; guessed
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
MAGIC = b"WHENCEO1"
DIGEST = 32


@dataclass(frozen=True, slots=True)
class Compiled:
    """The result of compiling a recorded source."""

    object: bytes  # or assembler text
    module: bytes  # the module's id
    description: bytes  # the description of the module for the trace: a .npz file
    text: bytes  # the IR before instrumentation, gzipped
    diagnostics: bytes  # the compiler's diagnostics
    skipped: bytes  # functions that are not recorded, with the reasons: a JSON object

    def pack(self) -> bytes:
        parts = [getattr(self, field.name) for field in fields(self)]
        return struct.pack(f"<{len(parts)}Q", *map(len, parts)) + b"".join(parts)

    @classmethod
    def unpack(cls, data: bytes) -> Compiled:
        head = struct.Struct(f"<{len(fields(cls))}Q")
        parts, at = [], head.size
        for length in head.unpack_from(data):
            parts.append(data[at : at + length])
            at += length
        return cls(*parts)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that no reader ever sees a part of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Cache:
    """A directory of compiled sources, by key."""

    directory: Path
    size: int = SIZE

    @classmethod
    def of(cls, directory: Path, env: Mapping[str, str]) -> Cache:
        """Return the cache in `directory`, as large as $WHENCE_CACHE_SIZE (such as 500M or 4G)."""
        given = re.fullmatch(r"(\d+)\s*([KMGT]?)(i?B)?", env.get("WHENCE_CACHE_SIZE", ""), re.I)
        return cls(directory, int(given[1]) * UNITS[given[2].upper()] if given else SIZE)

    def find(self, key: str) -> Compiled | None:
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        start = len(MAGIC) + DIGEST
        if data[:start] != _head(data[start:]):
            path.unlink(missing_ok=True)
            return None
        with suppress(OSError):  # another build pruned the entry, or the cache is read-only
            os.utime(path)  # the time of the last use
        return Compiled.unpack(data[start:])

    def store(self, key: str, compiled: Compiled) -> None:
        """Keep a result; a full disk or a read-only cache is not an error."""
        data = compiled.pack()
        with suppress(OSError):
            write_whole(self._path(key), _head(data) + data)
            if int(key[-1], 16) == 0:  # only sometimes, because it looks at every entry
                self.prune()

    def prune(self) -> None:
        """Delete the entries that were unused for the longest time, until the rest fits."""
        entries = []
        for path in self.directory.glob("*/*"):
            try:
                about = path.stat()
            except OSError:
                continue  # another build pruned the entry
            entries.append((about.st_mtime_ns, about.st_size, path))
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= self.size:
                break
            path.unlink(missing_ok=True)
            total -= size

    def _path(self, key: str) -> Path:
        return self.directory / key[:2] / key[2:]


def _head(data: bytes) -> bytes:
    return MAGIC + blake2b(data, digest_size=DIGEST).digest()


def c_source_hash() -> bytes:
    """Return a hash of this front end's Python sources, which determine objects and tables."""
    digest = blake2b(digest_size=DIGEST)
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()
