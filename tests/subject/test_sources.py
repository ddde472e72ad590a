"""Every kind of source arrives whole, exact and harmless."""

from __future__ import annotations

import errno
import io
import os
import shutil
import socket
import stat
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from whence.errors import UserError
from whence.subject.sources import fetch
from whence.subject.sources import pypi as sources

LATIN1 = os.fsdecode(b"caf\xe9.txt")  # no UTF-8

Fetch = Callable[[object], "dict[str, object]"]


@pytest.fixture
def get(tmp_path: Path) -> Fetch:
    """Fetch a source, with `tmp_path/repo` as the repository, and say what came."""

    def get_(spec: object) -> dict[str, object]:
        into = tmp_path / "into" / "tree"
        shutil.rmtree(into, ignore_errors=True)
        assert fetch(str(spec), repo=tmp_path / "repo", into=into) == into
        return contents(into)

    return get_


def contents(top: Path) -> dict[str, object]:
    """A tree as a value: bytes, `("x", bytes)` if executable, `"-> target"`, or None if empty."""
    found: dict[str, object] = {}
    for path in top.rglob("*"):
        name = str(path.relative_to(top))
        if path.is_symlink():
            found[name] = f"-> {os.readlink(path)}"
        elif path.is_file():
            data = path.read_bytes()
            found[name] = ("x", data) if path.stat().st_mode & stat.S_IXUSR else data
        elif not any(path.iterdir()):
            found[name] = None
    return found


def write(top: Path, **files: bytes) -> None:
    write_all(top, {name.replace("__", "."): data for name, data in files.items()})


def write_all(top: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_bytes(data)


def git(where: Path, *arguments: str) -> str:
    config = ("user.name=T", "user.email=t@example.org", "protocol.file.allow=always")
    options = [option for setting in config for option in ("-c", setting)]
    done = subprocess.run(
        ["git", "-C", where, *options, *arguments], check=True, capture_output=True
    )
    return os.fsdecode(done.stdout)


def commit(where: Path, message: str = "work") -> None:
    git(where, "add", "-A")
    git(where, "commit", "-q", "--allow-empty", "-m", message)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    where = tmp_path / "repo"
    where.mkdir()
    git(where, "init", "-q", "-b", "main")
    return where


def fails(get: Fetch, spec: object, slug: str, *words: str) -> None:
    with pytest.raises(UserError) as caught:
        get(spec)
    assert caught.value.slug == slug
    for word in words:
        assert word in str(caught.value)


# Directories


def test_a_directory_is_copied_whole(tmp_path: Path, get: Fetch) -> None:
    top = tmp_path / "project"
    files = {"a/b/c.txt": b"crlf\r\nno end", LATIN1: b"\xff\0", "run": b"#!/bin/sh\n"}
    write_all(top, files)
    (top / "run").chmod(0o755)
    (top / "empty").mkdir()
    (top / "link").symlink_to("./a/b")
    (top / "dangling").symlink_to("/nowhere")
    assert get(top) == {
        **files,
        "run": ("x", b"#!/bin/sh\n"),
        "empty": None,
        "link": "-> ./a/b",
        "dangling": "-> /nowhere",
    }


def test_a_copy_keeps_times_and_can_be_written(tmp_path: Path) -> None:
    top = tmp_path / "project"
    write(top, old=b"")
    os.utime(top / "old", ns=(1_000_000_001, 2_000_000_002))
    (top / "old").chmod(0o400)
    copy = fetch(str(top), repo=tmp_path, into=tmp_path / "into") / "old"
    assert copy.stat().st_mtime_ns == 2_000_000_002
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def test_what_is_no_file_is_left_out(
    tmp_path: Path, get: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = tmp_path / "project"
    write_all(top, {"f": b"", ".hg/x": b"", "sub/.svn/x": b"", "sub/.git": b"gitdir: gone"})
    os.mkfifo(top / "pipe")
    monkeypatch.chdir(top)  # the address of a socket must be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        assert get(top) == {"f": b"", "sub": None}


def test_a_copy_into_the_directory_itself_ends(tmp_path: Path) -> None:
    write(tmp_path, f=b"1")
    into = fetch(str(tmp_path), repo=tmp_path, into=tmp_path / "work" / "bad")
    assert contents(into) == {"f": b"1", "work": None}


def test_a_work_tree_gives_its_tracked_and_new_files(repo: Path, get: Fetch) -> None:
    files = {
        ".gitignore": b"*.o\n.venv\n",
        "tracked.c": b"1",
        "gone.c": b"",
        "d/x": b"",
        "e/x": b"4",
    }
    write_all(repo, files)
    commit(repo)
    write_all(repo, {"new.c": b"2", "main.o": b"", ".venv/bin/python": b"", "tracked.c": b"3"})
    (repo / "gone.c").unlink()
    shutil.rmtree(repo / "d")
    (repo / "d").symlink_to("e")  # so d/x is still tracked, and still there
    assert get(repo) == {
        ".gitignore": files[".gitignore"],
        "tracked.c": b"3",
        "new.c": b"2",
        "d": "-> e",
        "e/x": b"4",
    }


def test_a_work_tree_gives_the_files_of_its_submodules(
    repo: Path, tmp_path: Path, get: Fetch
) -> None:
    add_submodule(repo, tmp_path / "library")
    write_all(repo / "lib", {"ignored.o": b"", "new.c": b"2"})
    found = get(repo)
    del found[".gitmodules"]
    assert found == {"lib/.gitignore": b"*.o\n", "lib/l.c": b"1", "lib/new.c": b"2"}


def test_an_unreadable_file_is_named(
    tmp_path: Path, get: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "project", secret=b"")
    copying_fails(monkeypatch, errno.EACCES)
    fails(get, tmp_path / "project", "unreadable-source", str(tmp_path / "project" / "secret"))


def test_a_full_disk_is_said_and_leaves_nothing(
    tmp_path: Path, get: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "project", big=b"")
    copying_fails(monkeypatch, errno.ENOSPC)
    fails(get, tmp_path / "project", "disk-full", "full")
    assert not (tmp_path / "into" / "tree").exists()


def copying_fails(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def copyfile(source: Path, _: Path) -> None:
        raise OSError(number, os.strerror(number), str(source))

    monkeypatch.setattr(shutil, "copyfile", copyfile)


def test_a_tree_is_not_mixed_with_what_is_there(tmp_path: Path) -> None:
    write(tmp_path / "into", precious=b"")
    with pytest.raises(ValueError, match="not empty"):
        fetch(str(tmp_path), repo=tmp_path, into=tmp_path / "into")
    assert (tmp_path / "into" / "precious").exists()


# Archives


def tar(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    mode = path.suffix.removeprefix(".").replace("tgz", "gz").replace("tar", "")
    with tarfile.open(path, f"w:{mode}", errors="surrogateescape") as archive:  # type: ignore[call-overload]  # fits
        for info, data in members:
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def entry(name: str, data: bytes = b"", **attributes: object) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    for attribute, value in attributes.items():
        setattr(info, attribute, value)
    return info, data


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tuple[tarfile.TarInfo, bytes]:
    return entry(name, type=kind, linkname=target)


@pytest.mark.parametrize("kind", ["tar", "tar.gz", "tgz", "tar.bz2", "tar.xz"])
def test_a_tar_is_unpacked_without_its_top_directory(tmp_path: Path, get: Fetch, kind: str) -> None:
    archive = tar(
        tmp_path / f"p-1.0.{kind}",
        entry("p-1.0", type=tarfile.DIRTYPE),
        entry("p-1.0/run", b"#!\r\n", mode=0o755),
        entry(f"p-1.0/{LATIN1}", b"no end", mtime=77),
        entry("p-1.0/empty", type=tarfile.DIRTYPE),
        link("p-1.0/sub/link", "../run"),
        link("p-1.0/hard", "p-1.0/run", tarfile.LNKTYPE),
        entry("p-1.0/.git/config", b""),
    )
    assert get(archive) == {
        "run": ("x", b"#!\r\n"),
        LATIN1: b"no end",
        "empty": None,
        "sub/link": "-> ../run",
        "hard": b"#!\r\n",
    }
    assert (tmp_path / "into" / "tree" / LATIN1).stat().st_mtime == 77


@pytest.mark.parametrize("names", [("./a", "./b/c"), ("a", "b/c")])
def test_a_tar_with_no_single_top_stays_as_it_is(
    tmp_path: Path, get: Fetch, names: tuple[str, ...]
) -> None:
    archive = tar(tmp_path / "p.tar", *(entry(name, b"1") for name in names))
    assert get(archive) == {"a": b"1", "b/c": b"1"}


def test_of_two_entries_with_one_name_the_later_counts(tmp_path: Path, get: Fetch) -> None:
    archive = tar(
        tmp_path / "p.tar",
        *(entry("a", b"1"), link("a", "b"), link("b", "c"), entry("b", b"2"), entry("b", b"3")),
    )
    assert get(archive) == {"a": "-> b", "b": b"3"}


@pytest.mark.parametrize(
    "members",
    [
        [entry("../evil", b"!")],
        [entry("p/../../evil", b"!")],
        [entry("/evil", b"!")],
        [link("out", "/etc/passwd")],
        [link("p/out", "../../evil"), entry("x")],
        [link("out", "../evil", tarfile.LNKTYPE)],
        [link("a/b/up", "../.."), link("out", "a/b/up/../evil")],
        [entry("null", type=tarfile.CHRTYPE)],
        [entry("pipe", type=tarfile.FIFOTYPE)],
    ],
)
def test_a_tar_that_reaches_outside_is_refused(
    tmp_path: Path, get: Fetch, members: list[tuple[tarfile.TarInfo, bytes]]
) -> None:
    fails(get, tar(tmp_path / "p.tar", *members), "archive-escapes")
    assert not list(tmp_path.rglob("evil"))


def test_nothing_is_written_through_a_link(tmp_path: Path, get: Fetch) -> None:
    archive = tar(tmp_path / "p.tar", link("out", ".."), entry("out/evil", b"!"))
    fails(get, archive, "archive-corrupt")
    assert not list(tmp_path.rglob("evil"))


@pytest.mark.parametrize("kind", ["tar", "tar.gz", "tar.bz2", "tar.xz", "zip"])
def test_a_truncated_archive_is_refused(tmp_path: Path, get: Fetch, kind: str) -> None:
    whole = tmp_path / f"whole.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(whole, "w") as archive:
            archive.writestr("a", os.urandom(6000))
    else:
        tar(whole, entry("a", os.urandom(3000)), entry("b", os.urandom(3000)))
    cut = tmp_path / f"cut.{kind}"
    data = whole.read_bytes()
    # The last of these is cut right between two entries of the plain tar.
    for size in (0, 10, len(data) // 2, 512 + 3072 + 100, 512 + 3072):
        cut.write_bytes(data[:size])
        fails(get, cut, "archive-corrupt", str(cut))


def test_a_file_that_is_no_archive_is_refused(tmp_path: Path, get: Fetch) -> None:
    write(tmp_path, README__md=b"hello", fake__zip=b"hello", fake__tar=b"hello")
    fails(get, tmp_path / "README.md", "no-such-source", "README.md", ".tar.gz")
    fails(get, tmp_path / "fake.zip", "archive-corrupt")
    fails(get, tmp_path / "fake.tar", "archive-corrupt")


def zipped(path: Path, *members: tuple[str, int, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, mode, data in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            archive.writestr(info, data)
    return path


def test_a_zip_keeps_modes_and_links(tmp_path: Path, get: Fetch) -> None:
    archive = zipped(
        tmp_path / "p.zip",
        ("p/run", stat.S_IFREG | 0o755, b"#!\r\n"),
        ("p/plain", 0, b"no end"),
        ("p/link", stat.S_IFLNK | 0o777, b"run"),
        ("p/empty/", 0, b""),
    )
    assert get(archive) == {
        "run": ("x", b"#!\r\n"),
        "plain": b"no end",
        "link": "-> run",
        "empty": None,
    }


def test_a_zip_name_that_is_no_unicode_stays_as_it_is(tmp_path: Path, get: Fetch) -> None:
    archive = zipped(tmp_path / "p.zip", ("caf_.txt", 0, b"1"))
    archive.write_bytes(archive.read_bytes().replace(b"caf_.txt", os.fsencode(LATIN1)))
    assert get(archive) == {LATIN1: b"1"}


def test_a_wheel_keeps_its_top_directory(tmp_path: Path, get: Fetch) -> None:
    assert get(zipped(tmp_path / "p.whl", ("p/a.py", 0, b""))) == {"p/a.py": b""}


@pytest.mark.parametrize(
    "member",
    [
        ("../evil", 0, b"!"),
        ("/evil", 0, b"!"),
        ("out", stat.S_IFLNK, b"../evil"),
        ("out", stat.S_IFLNK, b"/etc/passwd"),
        ("device", stat.S_IFBLK, b""),
    ],
)
def test_a_zip_that_reaches_outside_is_refused(
    tmp_path: Path, get: Fetch, member: tuple[str, int, bytes]
) -> None:
    fails(get, zipped(tmp_path / "p.zip", member), "archive-escapes")
    assert not list(tmp_path.rglob("evil"))


@pytest.mark.parametrize("kind", ["tar.gz", "tar.bz2", "tar.xz"])
def test_a_tar_with_a_wrong_checksum_is_refused(tmp_path: Path, get: Fetch, kind: str) -> None:
    archive = tar(tmp_path / f"p.{kind}", entry("a", b"hello"))
    data = bytearray(archive.read_bytes())
    data[-8] ^= 0x10
    archive.write_bytes(data)
    fails(get, archive, "archive-corrupt")


def test_a_zip_with_a_wrong_checksum_is_refused(tmp_path: Path, get: Fetch) -> None:
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        archive.writestr("a", b"hello")
    data = (tmp_path / "p.zip").read_bytes()
    (tmp_path / "p.zip").write_bytes(data.replace(b"hello", b"jello"))
    fails(get, tmp_path / "p.zip", "archive-corrupt", "CRC")


# The package index


def test_a_package_is_installed_without_traces_of_the_installation(get: Fetch) -> None:
    found = get("pypi:six==1.16.0")
    assert b'__version__ = "1.16.0"' in bytes(found["six.py"])  # type: ignore[call-overload]
    names = {Path(name).name for name in found}
    assert "METADATA" in names
    assert not names & {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "__pycache__"}


def test_a_version_that_does_not_exist_is_said_in_the_words_of_pip(get: Fetch) -> None:
    fails(get, "pypi:six==99.0", "pypi-failed", "No matching distribution found for six==99.0")


@pytest.mark.parametrize("spec", ["pypi:six", "pypi:six>=1", "pypi:six==1.*", "pypi:six==1,==2"])
def test_a_package_needs_one_version(get: Fetch, spec: str) -> None:
    fails(get, spec, "pypi-version", "pypi:six==VERSION")


def test_without_a_network_the_connection_is_named() -> None:
    said = sources._what_pip_says(
        "WARNING: Retrying (Retry(total=0)) after connection broken by 'refused'\n"
        "ERROR: Could not find a version that satisfies the requirement six (from versions: none)\n"
        "ERROR: No matching distribution found for six\n"
    )
    assert "refused" in said
    assert "No matching distribution" in said


def test_without_pip_it_says_how_to_get_it(
    tmp_path: Path, get: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python3"
    python.write_text("#!/bin/sh\necho $0: No module named pip >&2\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setenv("PATH", str(tmp_path))
    fails(get, "pypi:six==1.16.0", "no-pip", "ensurepip")


# Git revisions


def add_submodule(repo: Path, library: Path) -> None:
    """Give `repo` a submodule lib, called "library", with one file."""
    write_all(library, {".gitignore": b"*.o\n", "l.c": b"1"})
    git(library, "init", "-q")
    commit(library)
    git(repo, "submodule", "--quiet", "add", "--name", "library", str(library), "lib")
    commit(repo, "submodule")


def test_a_revision_gives_the_exact_bytes_of_its_tree(repo: Path, get: Fetch) -> None:
    files = {
        ".gitattributes": b"*.txt text eol=crlf\nsecret export-ignore\nid export-subst ident\n",
        "unix.txt": b"a\nb",
        "secret": b"1",
        "id": b"$Format:%H$ $Id$\n",
        "binary": b"\r\n\0\xff",
        LATIN1: b"\n",
        "d/with space\n": b"",
    }
    write_all(repo, files)
    write(repo, run=b"#!")
    (repo / "run").chmod(0o755)
    (repo / "link").symlink_to("./d")
    commit(repo)
    assert get("HEAD") == {**files, "run": ("x", b"#!"), "link": "-> ./d"}


def test_every_way_to_name_a_revision_works(repo: Path, get: Fetch) -> None:
    for content in (b"1", b"2", b"3"):
        write(repo, f=content)
        commit(repo)
    git(repo, "tag", "-a", "-m", "first", "v1.4", "HEAD~2")
    git(repo, "branch", "topic/two", "HEAD~1")
    short = git(repo, "rev-parse", "--short", "HEAD").strip()
    named = {spec: get(spec)["f"] for spec in ("v1.4", "topic/two", "HEAD~2", "main", short)}
    assert named == {"v1.4": b"1", "topic/two": b"2", "HEAD~2": b"1", "main": b"3", short: b"3"}


def test_the_users_repository_is_not_touched(
    repo: Path, get: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repo, a=b"1", b=b"1")
    commit(repo)
    write(repo, a=b"2")
    git(repo, "add", "a")
    write(repo, a=b"3", c=b"new")
    os.utime(repo / "b")  # git would like to refresh its index
    before = contents(repo)
    get("HEAD")
    get(repo)
    monkeypatch.chdir(repo)
    get("HEAD")
    assert contents(repo) == before
    assert git(repo, "status", "--porcelain") == "MM a\n?? c\n"


def test_a_revision_is_whole_when_repo_is_a_directory_inside(
    repo: Path, tmp_path: Path, get: Fetch
) -> None:
    write_all(repo, {"top": b"", "sub/f": b""})
    commit(repo)
    inside = fetch("HEAD", repo=repo / "sub", into=tmp_path / "inside")
    assert contents(inside) == get("HEAD") == {"top": b"", "sub/f": b""}


def test_bare_repositories_and_linked_work_trees_have_revisions(repo: Path, tmp_path: Path) -> None:
    write(repo, f=b"1")
    commit(repo)
    git(repo, "clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    git(repo, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    write(tmp_path / "linked", f=b"2")
    commit(tmp_path / "linked")
    bare = fetch("HEAD", repo=tmp_path / "bare", into=tmp_path / "1")
    linked = fetch("HEAD", repo=tmp_path / "linked", into=tmp_path / "2")
    assert (contents(bare), contents(linked)) == ({"f": b"1"}, {"f": b"2"})


@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"])
def test_variables_of_a_hook_do_not_mislead(
    repo: Path, get: Fetch, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    write(repo, f=b"1")
    commit(repo)
    monkeypatch.setenv(variable, "/nowhere")
    assert get("HEAD") == get(repo) == {"f": b"1"}


def test_a_submodule_is_part_of_a_revision(repo: Path, tmp_path: Path, get: Fetch) -> None:
    add_submodule(repo, tmp_path / "library")
    whole = get("HEAD")
    assert whole["lib/l.c"] == b"1"

    write(repo / "lib", l__c=b"2")
    commit(repo / "lib")
    commit(repo, "newer library")
    assert get("HEAD")["lib/l.c"] == b"2"
    assert get("HEAD~1") == whole

    git(repo, "submodule", "--quiet", "deinit", "--force", "lib")
    assert get("HEAD~1") == whole

    (repo / "lib").rmdir()
    assert get("HEAD~1") == whole

    shutil.rmtree(repo / ".git" / "modules")
    assert get("HEAD~1") == {".gitmodules": whole[".gitmodules"], "lib": None}


def test_a_submodule_in_a_submodule_is_part_of_a_revision(
    repo: Path, tmp_path: Path, get: Fetch
) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    add_submodule(outer, tmp_path / "library")
    git(repo, "submodule", "--quiet", "add", str(outer), "outer")
    git(repo, "submodule", "--quiet", "update", "--init", "--recursive")
    commit(repo)
    whole = get("HEAD")
    assert whole["outer/lib/l.c"] == b"1"
    git(repo, "submodule", "--quiet", "deinit", "--force", "outer")
    assert get("HEAD") == whole


def test_a_path_wins_over_a_revision(
    repo: Path, get: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_all(repo, {"docs/f": b"1"})
    commit(repo)
    git(repo, "branch", "docs")
    monkeypatch.chdir(repo)
    assert get("docs") == {"f": b"1"}
    assert get("heads/docs") == {"docs/f": b"1"}


@pytest.mark.parametrize("spec", ["v9", "./missing/dir", "missing.tar.gz", "--all", "", "HEAD:f"])
def test_what_is_no_source_is_told_what_a_source_is(repo: Path, get: Fetch, spec: str) -> None:
    write(repo, f=b"")
    commit(repo)
    fails(get, spec, "no-such-source", f"no file or directory {spec!r}", "pypi:NAME==VERSION")


def test_a_revision_needs_a_repository(tmp_path: Path, get: Fetch) -> None:
    fails(get, "HEAD", "not-a-repository", str(tmp_path / "repo"), "--repo")
    (tmp_path / "repo").mkdir()
    fails(get, "HEAD", "not-a-repository", "not a git repository")


def test_a_lost_object_is_named(repo: Path, get: Fetch) -> None:
    write(repo, f=b"1")
    commit(repo)
    name = git(repo, "rev-parse", "HEAD:f").strip()
    (repo / ".git" / "objects" / name[:2] / name[2:]).unlink()
    fails(get, "HEAD", "git-failed", name)


def test_without_git_it_says_so(repo: Path, get: Fetch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repo))
    fails(get, "HEAD", "no-git", "Install it")
