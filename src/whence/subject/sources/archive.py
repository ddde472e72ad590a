"""How is an archive unpacked that may be damaged or malicious?"""

from __future__ import annotations

import errno
import lzma
import os
import stat
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from whence.errors import UserError
from whence.subject.sources.tree import (
    VERSION_CONTROL,
    TreeWriter,
    escapes,
    make_executable,
    parts_inside,
)

_ZIPS = (".zip", ".whl")
_TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
ARCHIVES = _TARS + _ZIPS  # suffixes of archive names
_MAX_TARGET = 4096  # bytes of the target of a link; the kernel allows no more
_PART = 2**20  # bytes that are copied at a time


@dataclass
class UnpackLimit:
    """How many bytes may the files of an archive have together?  The user may set it."""

    size: int = 4 * 2**30  # guessed


UNPACK_LIMIT = UnpackLimit()


@dataclass(frozen=True, slots=True)
class _Member:
    """One entry of an archive."""

    name: str
    mode: int  # as in st_mode: type and permissions
    modified: float
    target: str  # of a symbolic link
    open: Callable[[], IO[bytes] | None]


def unpack_archive(archive: Path, into: Path) -> None:
    kind = archive.name.lower()
    if not kind.endswith(_ZIPS + _TARS) or not archive.is_file():
        raise UserError(
            f"{archive} is neither a directory nor an archive that whence can read.\n"
            f"The name of an archive ends with one of {' '.join(_TARS + _ZIPS)}",
            slug="no-such-source",
        )
    try:
        if kind.endswith(_ZIPS):
            with zipfile.ZipFile(archive) as zipped:
                _unpack(_zip_members(zipped), into, keep_top=kind.endswith(".whl"))
        else:
            with tarfile.open(archive, encoding="utf-8", errors="surrogateescape") as tar:
                _unpack(_tar_members(tar), into)
    except (
        *(tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError),
        # An entry that is both a file and a directory.
        *(FileExistsError, NotADirectoryError, IsADirectoryError),
        RuntimeError,  # encrypted, or an unknown compression method
        *(ValueError, OverflowError),  # invalid dates and sizes
    ) as error:
        raise _corrupt(archive, error) from error
    except OSError as error:
        # gzip and bz2 raise it without errno; EINVAL is a seek before the start of the file.
        if error.errno in (None, errno.EINVAL):
            raise _corrupt(archive, error) from error
        raise


def _corrupt(archive: Path, error: Exception) -> UserError:
    return UserError(
        f"{archive} cannot be unpacked: {error}\n"
        f"It may be damaged or incomplete. Fetch it again, or give an unpacked directory.",
        slug="archive-corrupt",
    )


def _unpack(members: list[_Member], into: Path, *, keep_top: bool = False) -> None:
    tree = TreeWriter(into)
    named = [(parts_inside(member.name), member) for member in members]
    skip = 0 if keep_top else _has_single_top(named)
    left = UNPACK_LIMIT.size
    for path, member in named:
        if len(path) > skip and not VERSION_CONTROL.intersection(path):
            left -= _unpack_member(member, "/".join(path[skip:]), tree, left)
    tree.make_links()
    root = os.path.realpath(into)
    for link, target in tree.links.items():
        # Only now do all links exist, so that a link through other links can be resolved.
        where = os.path.realpath(link)
        if target.startswith("/") or os.path.commonpath([root, where]) != root:
            raise escapes(str(link.relative_to(into)), f"is a link to {target!r}, out of the tree")


def _has_single_top(named: list[tuple[tuple[str, ...], _Member]]) -> bool:
    """Are all members in one top directory?"""
    return len({path[0] for path, _ in named if path}) == 1 and all(
        len(path) != 1 or stat.S_ISDIR(member.mode) for path, member in named
    )


def _unpack_member(member: _Member, name: str, tree: TreeWriter, room: int) -> int:
    """Write one entry of at most `room` bytes; return how many bytes it has."""
    if stat.S_ISLNK(member.mode):
        if len(os.fsencode(member.target)) > _MAX_TARGET:
            raise escapes(member.name, f"is a link to a name of more than {_MAX_TARGET} bytes")
        tree.link(name, member.target)
    elif stat.S_ISDIR(member.mode):
        tree.place(name).mkdir(exist_ok=True)
    elif stat.S_ISREG(member.mode):
        return _unpack_file(member, tree.place(name), room)
    else:
        raise escapes(member.name, "is a device or a pipe")
    return 0


def _unpack_file(member: _Member, path: Path, room: int) -> int:
    try:
        source = member.open()
    except KeyError:  # from tarfile: the target of a hard link is not in the archive
        raise escapes(member.name, "is a link out of the archive") from None
    if source is None:
        raise escapes(member.name, "is a hard link to something that is no file")
    size = 0
    with source, path.open("wb") as file:
        while part := source.read(_PART):
            size += len(part)
            if size > room:
                raise _too_large(member.name)
            file.write(part)
    if member.mode & 0o111:
        make_executable(path)
    # Keep the time: make would rebuild generated files that look older than their sources.
    os.utime(path, (member.modified, member.modified))
    return size


def _too_large(name: str) -> UserError:
    return UserError(
        f"The files of the archive have more than {UNPACK_LIMIT.size // 2**20} MB together; "
        f"whence stopped at {name!r}.\n"
        "If you trust the archive, allow more with --max-unpacked SIZE.",
        slug="archive-too-large",
    )


def _tar_members(tar: tarfile.TarFile) -> list[_Member]:
    infos = tar.getmembers()
    # tarfile treats a damaged header as the end; the real end is a block of zeros.
    assert tar.fileobj is not None
    tar.fileobj.seek(tar.offset)
    if tar.fileobj.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
        raise tarfile.ReadError(f"unexpected end of data after {len(infos)} entries")
    while tar.fileobj.read(1 << 20):
        pass  # read to the end: the checksum of the compressed data comes last
    return [
        _Member(
            name=info.name,
            mode=_tar_type(info) | info.mode & 0o777,
            modified=info.mtime,
            target=info.linkname,
            open=partial(tar.extractfile, info),
        )
        for info in infos
    ]


def _tar_type(info: tarfile.TarInfo) -> int:
    if info.issym():
        return stat.S_IFLNK
    if info.isdir():
        return stat.S_IFDIR
    # A hard link becomes a separate file, so that a change edits only one of them.
    return stat.S_IFREG if info.isreg() or info.islnk() else stat.S_IFCHR


def _zip_members(zipped: zipfile.ZipFile) -> list[_Member]:
    members = []
    for info in zipped.infolist():
        mode = info.external_attr >> 16  # zero if the archive was not made on Unix
        kind = stat.S_IFDIR if info.filename.endswith("/") else stat.S_IFMT(mode) or stat.S_IFREG
        members.append(
            _Member(
                name=_zip_name(info),
                mode=kind | mode & 0o777,
                modified=time.mktime((*info.date_time, 0, 0, -1)),
                target=_zip_target(zipped, info) if stat.S_ISLNK(kind) else "",
                open=partial(zipped.open, info),
            )
        )
    return members


def _zip_target(zipped: zipfile.ZipFile, info: zipfile.ZipInfo) -> str:
    """Return the target of a link; one byte more than is allowed shows that it is too long."""
    with zipped.open(info) as file:
        return os.fsdecode(file.read(_MAX_TARGET + 1))


def _zip_name(info: zipfile.ZipInfo) -> str:
    """Return the name of a member as on the system that made the archive."""
    is_unicode = info.flag_bits & 0x800 or info.filename != info.orig_filename
    # zipfile decodes other names as cp437, but Unix tools store raw bytes.
    return info.filename if is_unicode else os.fsdecode(info.filename.encode("cp437"))
