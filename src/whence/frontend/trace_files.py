"""Are the files of a trace as they were written?

When a run has been recorded, the size and a checksum of each file of its trace are written down.
They are compared when the trace is opened.  Folders of columns (`*.index`) and the files that
begin with `relevance-` are not in the list: they are derived from the others, and
`whence.program.kept` says whether they may be used again.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile

from whence.errors import UserError

CHECKSUMS = "checksums.json"
_DERIVED = ".index"  # the end of the name of a folder that holds columns
_KEPT = "relevance-"  # the start of the name of a file that is derived, too
_PART = 1 << 24  # bytes that are read at a time
# What damaged content can make the readers of a trace raise.
_UNREADABLE = (
    ArithmeticError, AssertionError, AttributeError, EOFError, LookupError, MemoryError,
    BadZipFile, RecursionError, RuntimeError, TypeError, ValueError, struct.error, zlib.error,
)  # fmt: skip


class DamagedTrace(UserError):
    """A file of a trace is not as the recorder wrote it."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(
            f"The trace is damaged: {path} {what}.\nRecord the run again with whence trace.",
            slug="damaged-trace",
        )


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Report what goes wrong while a file of a trace is read as damage of that file."""
    try:
        yield
    except (OSError, *_UNREADABLE) as error:
        what = str(error).partition("\n")[0] or type(error).__name__
        raise DamagedTrace(path, f"cannot be read ({what})") from error


def write_checksums(trace: Path) -> None:
    """Write down the sizes and checksums of the files that a trace holds now."""
    found = {name: _measured(trace / name) for name in _files(trace)}
    partial = trace / f"{CHECKSUMS}.partial"
    partial.write_text(json.dumps(found, indent=0, sort_keys=True), "utf-8")
    partial.replace(trace / CHECKSUMS)


def check_files(trace: Path) -> None:
    """Raise a DamagedTrace if a file of a trace was changed, removed or added."""
    listed = _listed(trace)
    for name, (size, checksum) in listed.items():
        path = trace / name
        try:
            found = _measured(path)
        except FileNotFoundError:
            raise DamagedTrace(path, "is missing") from None
        except OSError as error:
            raise DamagedTrace(path, f"cannot be read ({error.strerror})") from None
        if found[0] != size:
            raise DamagedTrace(path, f"has {found[0]:,} bytes instead of {size:,}")
        if found[1] != checksum:
            raise DamagedTrace(path, "has other contents than the recorder wrote")
    for name in _files(trace):
        # A user may keep a file beside those of the trace.  In a folder it would be read.
        if name not in listed and "/" in name:
            raise DamagedTrace(trace / name, "was added after the run was recorded")


def _listed(trace: Path) -> dict[str, tuple[int, int]]:
    path = trace / CHECKSUMS
    try:
        found = json.loads(path.read_text("utf-8"))
        listed = {str(name): (int(size), int(crc)) for name, (size, crc) in found.items()}
    except FileNotFoundError:
        raise DamagedTrace(path, "is missing") from None
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        raise DamagedTrace(path, "is no list of checksums") from None
    if any(Path(name).is_absolute() or ".." in Path(name).parts for name in listed):
        raise DamagedTrace(path, "names files outside of the trace")
    return listed


def _files(trace: Path) -> Iterator[str]:
    """Yield the files of a trace, without those that are derived from others."""
    for folder, folders, names in os.walk(trace):
        folders[:] = sorted(name for name in folders if not name.endswith(_DERIVED))
        for name in sorted(names):
            path = (Path(folder) / name).relative_to(trace).as_posix()
            if path.startswith((CHECKSUMS, _KEPT)) or not (trace / path).is_file():
                continue
            yield path


def _measured(path: Path) -> tuple[int, int]:
    """Return the size and the checksum of a file."""
    size = checksum = 0
    with path.open("rb", buffering=0) as file:
        while part := file.read(_PART):
            size += len(part)
            checksum = zlib.crc32(part, checksum)
    return size, checksum
