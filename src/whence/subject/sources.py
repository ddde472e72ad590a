"""How do we get one version of a project as a plain tree of files?

A version comes from a directory, an archive, the package index or a git revision.  What holds
for all of them:

1. Nothing is written outside `into`: names are checked before they are used, and symbolic links
   are made after everything else, so that no file is ever written through one.
2. Contents are the exact bytes of the source.  Of a file's mode only the executable bit is sure
   to survive; every file is writable by its owner.
3. `into` holds the whole version or does not exist.
"""

from __future__ import annotations

import errno
import lzma
import os
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from whence.errors import UserError

_VERSION_CONTROL = frozenset({".git", ".hg", ".svn"})
_ZIPS = (".zip", ".whl")
_TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")


def fetch(spec: str, *, repo: Path, into: Path) -> Path:
    """Return `into`, which then holds the version that `spec` names, and nothing else.

    `spec` is a directory, an archive, `pypi:NAME==VERSION` or a revision of the git repository
    that `repo` lies in; where it could be a path or a revision, it is the path.  `into` must be
    empty or absent.  Only `into` is written to.
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
            raise _told_to_user(spec, into, error) from error
        raise
    return into


def _bring(spec: str, repo: Path, into: Path) -> None:
    path = Path(spec)
    if spec.startswith("pypi:"):
        _install(spec, into)
    elif not spec or "\0" in spec:
        raise _no_such_source(spec, repo)
    elif path.is_dir():
        _copy(path, into)
    elif path.exists():
        _extract(path, into)
    else:
        _check_out(spec, repo, into)


def _told_to_user(spec: str, into: Path, error: OSError) -> UserError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return UserError(
            f"The disk is full: {spec} does not fit into {into}.\n"
            f"Free some space there, or let TMPDIR name a directory with more.",
            slug="disk-full",
        )
    return UserError(
        f"{spec} cannot be read: {error}\nEvery file of it must be readable by you.",
        slug="unreadable-source",
    )


def _no_such_source(spec: str, repo: Path) -> UserError:
    return UserError(
        f"There is no file or directory {spec!r}, and no such git revision in {repo}.\n"
        f"A version is one of\n"
        f"  a directory\n"
        f"  an archive ({' '.join(_TARS + _ZIPS)})\n"
        f"  pypi:NAME==VERSION\n"
        f"  a git revision of --repo, such as HEAD~3 or v1.4"
        f" (heads/NAME if a file is called NAME too)",
        slug="no-such-source",
    )


class _Tree:
    """A tree that is being written, under `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.links: dict[Path, str] = {}

    def place(self, name: str) -> Path:
        """Where to write `name`: inside `root`, in a directory that exists."""
        path = self.root.joinpath(*_parts_inside(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        self.links.pop(path, None)  # of two entries with one name, the later one counts
        return path

    def link(self, name: str, target: str) -> None:
        self.links[self.place(name)] = target

    def make_links(self) -> None:
        for path, target in self.links.items():
            path.unlink(missing_ok=True)
            path.symlink_to(target)


def _parts_inside(name: str) -> tuple[str, ...]:
    """The directories and the file that `name` consists of; refused if it leaves the root."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise _escapes(name, "lies outside the tree")
    return path.parts


def _escapes(name: str, how: str) -> UserError:
    return UserError(
        f"The entry {name!r} {how}, so we do not unpack it.\n"
        f"If you trust where it comes from, unpack it yourself and name the directory.",
        slug="archive-escapes",
    )


def _make_executable(path: Path) -> None:
    """Whoever may read it may run it."""
    mode = path.stat().st_mode
    path.chmod(mode | (mode & 0o444) >> 2)


# Directories


def _copy(top: Path, into: Path) -> None:
    tree = _Tree(into)
    for name in _names_in(top, into, by_git=_is_work_tree(top)):
        source = top / name
        status = source.lstat()
        if stat.S_ISLNK(status.st_mode):
            tree.link(name, os.readlink(source))
        elif stat.S_ISDIR(status.st_mode):
            tree.place(name).mkdir(exist_ok=True)
        elif stat.S_ISREG(status.st_mode):
            copy = tree.place(name)
            shutil.copyfile(source, copy)
            copy.chmod(status.st_mode & 0o777 | stat.S_IRUSR | stat.S_IWUSR)
            os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))
    tree.make_links()


def _is_work_tree(directory: Path) -> bool:
    return (directory / ".git").exists()


def _names_in(top: Path, into: Path, *, by_git: bool) -> Iterator[str]:
    """Everything under `top` that belongs to the version, directories before their contents."""
    for name in _listed_by_git(top) if by_git else sorted(os.listdir(top)):
        path = top / name
        is_directory = path.is_dir() and not path.is_symlink()
        if _VERSION_CONTROL.intersection(name.split("/")) or (is_directory and path.samefile(into)):
            continue
        yield name
        # A directory in git's own list is a submodule, or a repository inside the repository.
        # Without a .git it is a submodule that was never checked out, and stays empty.
        if is_directory and (not by_git or _is_work_tree(path)):
            for inner in _names_in(path, into, by_git=by_git):
                yield f"{name}/{inner}"


def _listed_by_git(top: Path) -> list[str]:
    """The tracked and the new files of a work tree, without deleted and ignored ones."""
    listing = _git("-C", top, "ls-files", "-co", "--exclude-standard", "-z")
    if listing.returncode != 0:
        raise UserError(
            f"git cannot list the files of {top}: {_what_git_says(listing.stderr)}\n"
            f"See: git -C {top} ls-files",
            slug="git-failed",
        )
    names = sorted({name.rstrip("/") for name in os.fsdecode(listing.stdout).split("\0") if name})
    links = {name for name in names if (top / name).is_symlink()}
    return [
        name
        for name in names
        if os.path.lexists(top / name)
        # Where a directory was replaced by a link, git still lists what was tracked in it.
        and not links.intersection(map(str, PurePosixPath(name).parents))
    ]


# Archives


@dataclass(frozen=True, slots=True)
class _Member:
    """One entry of an archive."""

    name: str
    type: int  # as in st_mode
    executable: bool
    modified: float
    target: str  # of a symbolic link
    open: Callable[[], IO[bytes] | None]


def _extract(archive: Path, into: Path) -> None:
    kind = archive.name.lower()
    if not kind.endswith(_ZIPS + _TARS) or not archive.is_file():
        raise UserError(
            f"{archive} is neither a directory nor an archive that we know.\n"
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
        *(FileExistsError, NotADirectoryError, IsADirectoryError),  # a file and a directory at once
        RuntimeError,  # encrypted, or compressed in a way we do not know
        *(ValueError, OverflowError),  # dates and sizes beyond reason
    ) as error:
        raise _corrupt(archive, error) from error
    except OSError as error:
        # Raised by gzip and bz2 themselves, or for going to a place before the file's start.
        if error.errno in (None, errno.EINVAL):
            raise _corrupt(archive, error) from error
        raise


def _corrupt(archive: Path, error: Exception) -> UserError:
    return UserError(
        f"{archive} cannot be unpacked: {error}\n"
        f"It may be damaged or incomplete; fetch it again, or name an unpacked directory.",
        slug="archive-corrupt",
    )


def _unpack(members: list[_Member], into: Path, *, keep_top: bool = False) -> None:
    tree = _Tree(into)
    parts = [_parts_inside(member.name) for member in members]
    skip = 0 if keep_top else _has_single_top(parts, members)
    for member, path in zip(members, parts, strict=True):
        if len(path) > skip and not _VERSION_CONTROL.intersection(path):
            _unpack_member(member, "/".join(path[skip:]), tree)
    tree.make_links()
    root = os.path.realpath(into)
    for link, target in tree.links.items():
        # Only now can a link that leads through other links be followed.
        where = os.path.realpath(link)
        if target.startswith("/") or os.path.commonpath([root, where]) != root:
            raise _escapes(str(link.relative_to(into)), f"is a link to {target!r}, out of the tree")


def _has_single_top(parts: list[tuple[str, ...]], members: list[_Member]) -> bool:
    """Does everything lie in one directory?"""
    return len({path[0] for path in parts if path}) == 1 and all(
        len(path) != 1 or stat.S_ISDIR(member.type)
        for member, path in zip(members, parts, strict=True)
    )


def _unpack_member(member: _Member, name: str, tree: _Tree) -> None:
    if stat.S_ISLNK(member.type):
        tree.link(name, member.target)
    elif stat.S_ISDIR(member.type):
        tree.place(name).mkdir(exist_ok=True)
    elif stat.S_ISREG(member.type):
        path = tree.place(name)
        try:
            source = member.open()
        except KeyError:  # how tarfile says that a hard link leads to nothing in the archive
            raise _escapes(member.name, "is a link out of the archive") from None
        assert source is not None
        with source, path.open("wb") as file:
            shutil.copyfileobj(source, file)
        if member.executable:
            _make_executable(path)
        # Kept, because make would rebuild generated files that look older than their sources.
        os.utime(path, (member.modified, member.modified))
    else:
        raise _escapes(member.name, "is a device or a pipe")


def _tar_members(tar: tarfile.TarFile) -> list[_Member]:
    infos = tar.getmembers()
    # tarfile takes a damaged header for the end; the real end is a block of zeros.
    assert tar.fileobj is not None
    tar.fileobj.seek(tar.offset)
    if tar.fileobj.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
        raise tarfile.ReadError(f"unexpected end of data after {len(infos)} entries")
    while tar.fileobj.read(1 << 20):
        pass  # the checksum of the compressed data comes last
    return [
        _Member(
            name=info.name,
            type=_tar_type(info),
            executable=bool(info.mode & 0o111),
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
    # A hard link becomes a file of its own: nobody edits two files by editing one.
    return stat.S_IFREG if info.isreg() or info.islnk() else stat.S_IFCHR


def _zip_members(zipped: zipfile.ZipFile) -> list[_Member]:
    members = []
    for info in zipped.infolist():
        mode = info.external_attr >> 16  # zero if it was not made on Unix
        kind = stat.S_IFDIR if info.is_dir() else stat.S_IFMT(mode) or stat.S_IFREG
        members.append(
            _Member(
                name=_zip_name(info),
                type=kind,
                executable=bool(mode & 0o111),
                modified=time.mktime((*info.date_time, 0, 0, -1)),
                target=os.fsdecode(zipped.read(info)) if stat.S_ISLNK(kind) else "",
                open=partial(zipped.open, info),
            )
        )
    return members


def _zip_name(info: zipfile.ZipInfo) -> str:
    """The name as the system that made the archive had it."""
    is_unicode = info.flag_bits & 0x800 or info.filename != info.orig_filename
    # What is not marked as Unicode was decoded as cp437, but Unix tools store raw bytes.
    return info.filename if is_unicode else os.fsdecode(info.filename.encode("cp437"))


# The package index


def _install(spec: str, into: Path) -> None:
    requirement = spec.removeprefix("pypi:")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9.+!_-]*", requirement):
        name = re.split(r"[^A-Za-z0-9._-]", requirement)[0] or "NAME"
        raise UserError(
            f"{spec} does not name one version of a package.\nWrite it as pypi:{name}==VERSION",
            slug="pypi-version",
        )
    pip = _run_pip(requirement, into)
    if pip.returncode != 0:
        errors = os.fsdecode(pip.stderr)
        if os.strerror(errno.ENOSPC) in errors:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        raise UserError(
            f"{spec} cannot be installed. pip says:\n{_what_pip_says(errors)}\n"
            f"Try: python -m pip download --no-deps {requirement}",
            slug="pypi-failed",
        )
    # These describe the act of installing: they differ between any two versions, and mean nothing.
    for name in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json"):
        for file in into.glob(f"*.dist-info/{name}"):
            file.unlink()


def _run_pip(requirement: str, into: Path) -> subprocess.CompletedProcess[bytes]:
    """Install with the first pip there is: of the Python that runs us, or of python3."""
    install = (
        *("-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"),
        *("--no-deps", "--no-compile", "--no-user", "--target", into, requirement),
    )
    for python in dict.fromkeys([sys.executable, shutil.which("python3")]):
        if python:
            # In the still empty `into`, no file of the user's can be imported in pip's place.
            command = (python, *install)
            pip = subprocess.run(command, cwd=into, stdin=subprocess.DEVNULL, capture_output=True)
            if b"No module named pip" not in pip.stderr:
                return pip
    raise UserError(
        "pip is needed to get a version from the package index, and no Python here has it.\n"
        "Run: python -m ensurepip",
        slug="no-pip",
    )


def _what_pip_says(errors: str) -> str:
    """The last error; without a network, also the failed connection that is behind it."""
    lines = errors.strip().splitlines()
    retried = [line for line in lines if "Retrying" in line]
    failed = [line for line in lines if line.startswith("ERROR:")] or lines
    return "\n".join(f"  {line.strip()}" for line in retried[-1:] + failed[-1:])


# Git revisions

# Git sets these for its hooks and subcommands; we look at the repository that we were given.
_NAMES_A_REPOSITORY = frozenset(
    f"GIT_{name}"
    for name in (
        *("DIR", "WORK_TREE", "INDEX_FILE", "PREFIX", "COMMON_DIR", "NAMESPACE"),
        *("OBJECT_DIRECTORY", "ALTERNATE_OBJECT_DIRECTORIES"),
    )
)


def _git_environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _NAMES_A_REPOSITORY}
    return kept | {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


def _git(*arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ("git", *arguments),
            env=_git_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
    except FileNotFoundError:
        raise UserError(
            "git is not installed, or not on the PATH.\n"
            "Install it, or name directories or archives that hold no repository.",
            slug="no-git",
        ) from None


def _what_git_says(errors: bytes) -> str:
    """All of it: where there is more than one line, the rest says what to do."""
    return os.fsdecode(errors).strip()


@dataclass(frozen=True, slots=True)
class _Repository:
    """Where commits and their files are read from."""

    git_dir: Path
    work_tree: Path | None  # where its submodules may be checked out

    def command(self, *arguments: str) -> tuple[str | Path, ...]:
        # A submodule's own idea of its work tree may lead nowhere, and git would stop there.
        return ("--git-dir", self.git_dir, "--work-tree", self.git_dir, *arguments)

    def ask(self, *arguments: str) -> bytes | None:
        """What git prints, or None if it fails."""
        answer = _git(*self.command(*arguments))
        return answer.stdout if answer.returncode == 0 else None

    def has_commit(self, commit: str) -> bool:
        return self.ask("cat-file", "-e", f"{commit}^{{commit}}") is not None


def _repository_at(directory: Path) -> _Repository | None:
    found = _git("-C", directory, "rev-parse", "--absolute-git-dir")
    if found.returncode != 0:
        return None
    top = _git("-C", directory, "rev-parse", "--show-toplevel")  # fails in a bare repository
    return _Repository(
        git_dir=_path_printed(found.stdout),
        work_tree=_path_printed(top.stdout) if top.returncode == 0 else None,
    )


def _path_printed(line: bytes) -> Path:
    return Path(os.fsdecode(line.removesuffix(b"\n")))


def _check_out(revision: str, repo: Path, into: Path) -> None:
    repository = _repository_at(repo)
    if repository is None:
        why = _what_git_says(_git("-C", repo, "rev-parse", "--git-dir").stderr)
        raise UserError(
            f"There is no file or directory {revision!r}, and it cannot be a git revision"
            f" of {repo}: {why}\n"
            f"Check the path, or name a git repository with --repo.",
            slug="not-a-repository",
        )
    commit = None
    if not revision.startswith("-"):  # git would take it for an option
        commit = repository.ask("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if commit is None:
        raise _no_such_source(revision, repo)
    tree = _Tree(into)
    _plant(repository, commit.decode().strip(), tree, prefix="")
    tree.make_links()


def _plant(repository: _Repository, commit: str, tree: _Tree, *, prefix: str) -> None:
    """Put the files of `commit` under `prefix`.

    Not by `git archive` or a checkout: attributes and filters would change the bytes.
    """
    listing = repository.ask("ls-tree", "-r", "-z", "--full-tree", commit)
    if listing is None:
        raise _unreadable_object(repository, commit)
    with subprocess.Popen(
        ("git", *repository.command("cat-file", "--batch")),
        env=_git_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as batch:
        for entry in os.fsdecode(listing).split("\0")[:-1]:
            description, _, name = entry.partition("\t")
            mode, _, object_id = description.split(" ")
            if mode == "160000":
                _plant_submodule(repository, commit, name, object_id, tree, prefix=prefix)
                continue
            content = _read_object(batch, object_id)
            if content is None:
                raise _unreadable_object(repository, object_id)
            if mode == "120000":
                tree.link(prefix + name, os.fsdecode(content))
            else:
                path = tree.place(prefix + name)
                path.write_bytes(content)
                if mode == "100755":
                    _make_executable(path)


def _read_object(batch: subprocess.Popen[bytes], object_id: str) -> bytes | None:
    assert batch.stdin is not None
    assert batch.stdout is not None
    batch.stdin.write(object_id.encode() + b"\n")
    batch.stdin.flush()
    header = batch.stdout.readline().split()  # id, type and size, or: id "missing"
    if len(header) != 3:
        return None
    size = int(header[2])
    content = batch.stdout.read(size + 1)[:-1]  # a newline follows
    return content if len(content) == size else None


def _unreadable_object(repository: _Repository, object_id: str) -> UserError:
    return UserError(
        f"The git repository {repository.git_dir} lacks the object {object_id}.\n"
        f"If the clone is shallow or partial, fetch the rest; see: git fsck",
        slug="git-failed",
    )


def _plant_submodule(
    repository: _Repository, commit: str, name: str, pinned: str, tree: _Tree, *, prefix: str
) -> None:
    """Put the pinned commit of the submodule in its place, or nothing if we do not have it."""
    tree.place(prefix + name).mkdir(exist_ok=True)
    for submodule in _possible_repositories(repository, commit, name):
        if submodule.has_commit(pinned):
            _plant(submodule, pinned, tree, prefix=f"{prefix}{name}/")
            return


def _possible_repositories(
    repository: _Repository, commit: str, name: str
) -> Iterator[_Repository]:
    """Where the submodule at the path `name` may have been cloned to."""
    if repository.work_tree and _is_work_tree(repository.work_tree / name):
        checked_out = _repository_at(repository.work_tree / name)
        if checked_out:
            yield checked_out
    common = repository.ask("rev-parse", "--git-common-dir") or b""
    for git_dir in (repository.git_dir, repository.git_dir / _path_printed(common)):
        clone = git_dir / "modules" / _submodule_name(repository, commit, name)
        if clone.is_dir():
            yield _Repository(clone, work_tree=None)


def _submodule_name(repository: _Repository, commit: str, path: str) -> str:
    """What .gitmodules calls the submodule at `path`: the name it had when it was added."""
    settings = repository.ask(
        *("config", "-z", "--blob", f"{commit}:.gitmodules"),
        *("--get-regexp", r"^submodule\..*\.path$"),
    )
    for setting in os.fsdecode(settings or b"").split("\0"):
        key, _, value = setting.partition("\n")
        if value == path:
            return key.removeprefix("submodule.").removesuffix(".path")
    return path
