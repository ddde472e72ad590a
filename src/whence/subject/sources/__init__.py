"""How do we get a version of a project as a plain tree of files?

A version comes from a directory, an archive, the package index or a git revision.  Invariants:

1. Nothing is written outside `into`: names are checked before use, and symbolic links are created
   last, so that no file is written through a link.
2. Files have the exact bytes of the source.  Of a file's mode, only the executable bit is
   guaranteed; every file is writable by its owner.
3. `into` holds the whole version or does not exist.
"""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

from whence.errors import UserError
from whence.subject.sources.archive import ARCHIVES, unpack_archive
from whence.subject.sources.directory import copy_directory
from whence.subject.sources.pypi import install_package
from whence.subject.sources.revision import check_out, find_commit

__all__ = ["fetch"]


def fetch(spec: str, *, repo: Path, into: Path) -> Path:
    """Put the version that `spec` names into the directory `into`, and return `into`.

    `spec` is a directory, an archive, `pypi:NAME==VERSION` or a revision of the git repository
    that contains `repo`.  If it could be a path or a revision, it is the path.  `into` must be
    empty or absent.  Nothing else is written.
    """
    into = into.absolute()
    if into.exists() and any(into.iterdir()):
        raise ValueError(f"{into} is not empty")
    try:
        into.mkdir(parents=True, exist_ok=True)
        _bring(spec, repo, into)
    except BaseException as error:
        shutil.rmtree(into, ignore_errors=True)
        if isinstance(error, OSError):
            raise _user_error(spec, into, error) from error
        raise
    return into


def _bring(spec: str, repo: Path, into: Path) -> None:
    path = Path(spec)
    if spec.startswith("pypi:"):
        install_package(spec, into)
    elif not spec or "\0" in spec:
        raise _no_such_source(spec, repo)
    elif path.is_dir():
        copy_directory(path, into)
    elif path.exists():
        unpack_archive(path, into)
    elif commit := find_commit(spec, repo):
        check_out(commit, into)
    else:
        raise _no_such_source(spec, repo)


def _user_error(spec: str, into: Path, error: OSError) -> UserError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return UserError(
            f"The disk is full: {spec} does not fit into {into}.\n"
            f"Free some space there, or set TMPDIR to a directory on a larger disk.",
            slug="disk-full",
        )
    return UserError(
        f"{spec} cannot be read: {error}\nYou must be able to read every file of it.",
        slug="unreadable-source",
    )


def _no_such_source(spec: str, repo: Path) -> UserError:
    return UserError(
        f"There is no file or directory {spec!r}, and no such git revision in {repo}.\n"
        f"A version is one of\n"
        f"  a directory\n"
        f"  an archive ({' '.join(ARCHIVES)})\n"
        f"  pypi:NAME==VERSION\n"
        f"  a git revision of --repo, such as HEAD~3 or v1.4"
        f" (heads/NAME if a file is called NAME too)",
        slug="no-such-source",
    )
