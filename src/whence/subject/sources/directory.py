"""Which files of a directory belong to the version?  Those are copied."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from whence.errors import UserError
from whence.subject.sources.git import git, is_work_tree, what_git_says
from whence.subject.sources.tree import VERSION_CONTROL, TreeWriter

_NEVER = VERSION_CONTROL | {"__pycache__"}  # a test run by hand may have left __pycache__


def copy_directory(top: Path, into: Path) -> None:
    tree = TreeWriter(into)
    for name in _names_in(top, into, by_git=is_work_tree(top)):
        source = top / name
        status = source.lstat()
        if stat.S_ISLNK(status.st_mode):
            tree.link(name, _inside(os.readlink(source), name, top))
        elif stat.S_ISDIR(status.st_mode):
            tree.place(name).mkdir(exist_ok=True)
        elif stat.S_ISREG(status.st_mode):
            copy = tree.place(name)
            shutil.copyfile(source, copy)
            copy.chmod(status.st_mode & 0o777 | stat.S_IRUSR | stat.S_IWUSR)
            os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))
    tree.make_links()


def _inside(target: str, name: str, top: Path) -> str:
    """Return the target of a link in the copy of `top`.

    A link by an absolute path into `top` would lead from the copy to the user's files.  In the copy
    it leads by a relative path to the same place of the copy.
    """
    if not os.path.isabs(target):
        return target
    folder, last = os.path.split(os.path.normpath(target))
    real = os.path.join(os.path.realpath(folder), last)
    below = os.path.relpath(real, os.path.realpath(top))
    if below == ".." or below.startswith("../"):
        return target
    return os.path.relpath(below, os.path.dirname(name) or ".")


def _names_in(top: Path, into: Path, *, by_git: bool) -> Iterator[str]:
    """Yield the paths below `top` that belong to the version, directories before contents."""
    waiting = [""]
    while waiting:  # without recursion: a version may nest a thousand directories
        below = waiting.pop()
        inner = []
        folder = top / below
        for listed in _listed_by_git(folder) if by_git else sorted(os.listdir(folder)):
            name = f"{below}{listed}"
            path = top / name
            is_directory = path.is_dir() and not path.is_symlink()
            if _NEVER.intersection(listed.split("/")) or (is_directory and path.samefile(into)):
                continue
            yield name
            # A directory in git's list is a submodule, or a repository inside the repository.
            # Without a .git it is a submodule that was never checked out, and stays empty.
            if is_directory and (not by_git or is_work_tree(path)):
                inner.append(f"{name}/")
        waiting += reversed(inner)


def _listed_by_git(top: Path) -> list[str]:
    """Return the tracked and the new files of a work tree, without deleted and ignored ones."""
    listing = git("-C", top, "ls-files", "-co", "--exclude-standard", "-z")
    if listing.returncode != 0:
        raise UserError(
            f"git cannot list the files of {top}: {what_git_says(listing.stderr)}\n"
            f"See: git -C {top} ls-files",
            slug="git-failed",
        )
    names = sorted({name.rstrip("/") for name in os.fsdecode(listing.stdout).split("\0") if name})
    links = {name for name in names if (top / name).is_symlink()}
    return [
        name
        for name in names
        if os.path.lexists(top / name)
        # If a link replaced a directory, git still lists the files that were tracked in it.
        and not links.intersection(map(str, PurePosixPath(name).parents))
    ]
