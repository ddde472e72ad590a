"""How are files below a folder written and deleted, whatever a build or a test did to the folder?

A test may replace a directory by a link to the user's files, take away permissions, or nest a
thousand directories.  Every operation here walks from an open descriptor of the folder, follows no
link below it, and gives itself the permissions that it needs.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MAX_ATTEMPTS = 4  # to delete a tree; guessed
_PAUSE = 0.05  # seconds before the second attempt to delete a tree; later ones wait longer; guessed
_NOTHING = (FileNotFoundError, NotADirectoryError)  # the path does not exist
_LEFT = ".whence-left-"  # start of the names of directories that are about to be deleted


class Beneath:
    """A folder and the paths below it.  Paths are relative, with `/`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._folder = os.open(root, _FOLDER)

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError, OSError):  # it was never opened
            os.close(self._folder)

    @property
    def is_in_place(self) -> bool:
        """Is the folder still where it was, and no link or other folder in its place?"""
        try:
            return os.path.samestat(os.lstat(self.root), os.fstat(self._folder))
        except OSError:
            return False

    def status(self, path: str) -> os.stat_result | None:
        """Return what `lstat` says of a path; None if there is none."""
        with contextlib.suppress(OSError), self._opened(path) as (folder, name):
            return os.stat(name, dir_fd=folder, follow_symlinks=False)
        return None

    def is_folder(self, path: str) -> bool:
        """Is the path a directory, and not a link to one?"""
        status = self.status(path)
        return status is not None and stat.S_ISDIR(status.st_mode)

    def names(self, path: str) -> list[str]:
        """Return the names in a directory; none if it is no directory."""
        with contextlib.suppress(OSError), self._opened(f"{path}/.") as (folder, _):
            return os.listdir(folder)
        return []

    def make_folder(self, path: str) -> None:
        """Make an empty directory in place of whatever is at the path."""
        with self._room(path) as (folder, name):
            os.mkdir(name, dir_fd=folder)

    def make_link(self, path: str, target: str) -> None:
        """Make a symbolic link in place of whatever is at the path."""
        with self._room(path) as (folder, name):
            os.symlink(target, name, dir_fd=folder)

    def write(self, path: str, content: bytes, mode: int) -> None:
        """Write a file in place of whatever is at the path."""
        with self._created(path, mode) as file, open(file, "wb", closefd=False) as stream:
            stream.write(content)

    def copy(self, source: Path, path: str) -> None:
        """Copy a file with its mode and times, or a link, in place of whatever is at the path."""
        status = source.lstat()
        if stat.S_ISLNK(status.st_mode):
            self.make_link(path, os.readlink(source))
            return
        with self._created(path, stat.S_IMODE(status.st_mode)) as file:
            with open(source, "rb") as original, open(file, "wb", closefd=False) as stream:
                shutil.copyfileobj(original, stream)
            os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))

    def delete(self, path: str) -> None:
        """Delete whatever is at the path; nothing if there is nothing."""
        with contextlib.suppress(*_NOTHING), self._opened(path) as (folder, name):
            _delete_entry(folder, name)

    def remove_empty(self, path: str) -> bool:
        """Remove a directory if it is empty; was it?"""
        try:
            with self._opened(path) as (folder, name):
                os.rmdir(name, dir_fd=folder)
        except OSError:
            return False
        return True

    def set_time(self, path: str, modified: int | None = None) -> None:
        """Set the modification time of a file, in nanoseconds; None: now."""
        when = time.time_ns() if modified is None else modified
        with contextlib.suppress(*_NOTHING), self._opened(path) as (folder, name):
            os.utime(name, ns=(when, when), dir_fd=folder, follow_symlinks=False)

    def set_mode(self, path: str, mode: int) -> None:
        """Set the permissions of a file or directory, not of what a link leads to."""
        with self._opened(path) as (folder, name):
            _set_mode(folder, name, mode)

    # -- descriptors -------------------------------------------------------------------------

    @contextlib.contextmanager
    def _opened(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """Give an open directory and the name in it that the path stands for.

        With `make`, missing directories are made, and what is no directory is replaced by one.
        """
        *folders, name = path.split("/")
        current = os.dup(self._folder)
        try:
            for part in folders:
                inner = _open_folder(current, part, make=make)
                os.close(current)
                current = inner
            yield current, name
        finally:
            os.close(current)

    @contextlib.contextmanager
    def _room(self, path: str) -> Iterator[tuple[int, str]]:
        """Give the directory of a path and its name, at which there is nothing any more."""
        with self._opened(path, make=True) as (folder, name):
            _give_permission(folder)
            with contextlib.suppress(FileNotFoundError):
                _delete_entry(folder, name)
            yield folder, name

    @contextlib.contextmanager
    def _created(self, path: str, mode: int) -> Iterator[int]:
        """Give a new file that is open for writing."""
        with self._room(path) as (folder, name):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            file = os.open(name, flags, 0o600, dir_fd=folder)
            try:
                yield file
                os.fchmod(file, mode)
            finally:
                os.close(file)


def delete_tree(path: Path) -> None:
    """Delete a file, a link, or a directory with its contents, as far as the system allows.

    A process that was just killed may still write to it, so a failure is tried again.
    """
    for attempt in range(_MAX_ATTEMPTS):
        time.sleep(_PAUSE * attempt)
        with contextlib.suppress(OSError):
            folder = os.open(path.parent, _FOLDER & ~os.O_NOFOLLOW)
            try:
                _delete_entry(folder, path.name)
            finally:
                os.close(folder)
        if not os.path.lexists(path):
            return


def _open_folder(folder: int, name: str, *, make: bool = False) -> int:
    """Open a directory, which must not be a link, and may lack permissions."""
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except PermissionError:
        _give_permission(folder)
        _set_mode(folder, name, 0o700)
    except OSError as error:
        if error.errno == errno.ELOOP:  # a link; some systems say so, others "not a directory"
            error = NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name)
        if not make or not isinstance(error, _NOTHING):
            raise error from None
        _give_permission(folder)
        with contextlib.suppress(FileNotFoundError):
            _delete_entry(folder, name)
        os.mkdir(name, dir_fd=folder)
    return os.open(name, _FOLDER, dir_fd=folder)


def _give_permission(folder: int) -> None:
    """Let us list an open directory and change what is in it."""
    mode = stat.S_IMODE(os.fstat(folder).st_mode)
    if mode & stat.S_IRWXU != stat.S_IRWXU:
        os.fchmod(folder, mode | stat.S_IRWXU)


def _set_mode(folder: int, name: str, mode: int) -> None:
    # chmod follows links, and opening a file may need permissions that it lacks.  A descriptor of
    # the path alone needs none, and leads to the file itself.
    file = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        if not stat.S_ISLNK(os.fstat(file).st_mode):
            os.chmod(f"/proc/self/fd/{file}", mode)
    finally:
        os.close(file)


def _delete_entry(folder: int, name: str) -> None:
    """Delete a name in an open directory, and all that is below it.

    Directories inside are first moved to its top: nesting of any depth needs three descriptors.
    They stay below the name, so that what a killed whence leaves is found by the next one.
    """
    _give_permission(folder)
    if not _is_folder(folder, name):
        os.unlink(name, dir_fd=folder)
        return
    top = _open_folder(folder, name)
    try:
        waiting = _emptied(top, top, "")
        prefix = f"{_LEFT}{secrets.token_hex(4)}"
        number = 0
        while waiting:
            current = waiting.pop()
            inner = _open_folder(top, current)
            try:
                waiting += _emptied(inner, top, f"{prefix}-{number}")
            finally:
                os.close(inner)
            number += 1
            os.rmdir(current, dir_fd=top)
    finally:
        os.close(top)
    os.rmdir(name, dir_fd=folder)


def _emptied(folder: int, top: int, prefix: str) -> list[str]:
    """Delete the files in a directory, and move the directories in it to `top`; return their names.

    Their names begin with `prefix`; without one they are in `top` already.
    """
    _give_permission(folder)
    found = []
    for number, entry in enumerate(os.listdir(folder)):
        with contextlib.suppress(FileNotFoundError):  # another process deleted it
            if not _is_folder(folder, entry):
                os.unlink(entry, dir_fd=folder)
                continue
            name = entry
            if prefix:
                _set_mode(folder, entry, 0o700)  # to move a directory changes its entry `..`
                name = f"{prefix}-{number}"
                os.rename(entry, name, src_dir_fd=folder, dst_dir_fd=top)
            found.append(name)
    return found


def _is_folder(folder: int, name: str) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
