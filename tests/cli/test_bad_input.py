"""What does a user see after a mistake?  One message that says what to do, and status 2.

`User.whence` also checks that no file of the user was changed and that no files are left over.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from whence.cli.main import main

from .prompt import (
    SOURCES,
    TEST,
    CommandResult,
    User,
    check_found,
    check_refused,
    command,
    isolating,
)


def test_without_a_mistake_the_change_is_found(user: User) -> None:
    check_found(user.isolate())


# -- the test and the build ------------------------------------------------------------------


def test_good_fails(user: User) -> None:
    result = user.isolate(test="echo is wrong; false")
    check_refused(result, "fails on the good version (good)", "    is wrong", slug="good-fails")


def test_bad_passes(user: User) -> None:
    result = user.isolate(test="true")
    check_refused(result, "passes on the bad version (bad)", "swap --good", slug="bad-passes")


def test_good_is_killed_by_a_signal(user: User) -> None:
    result = user.isolate(test="kill -SEGV $$")
    check_refused(result, "good version (good)", "segmentation fault", slug="good-fails")


@pytest.mark.parametrize("test", ["no-such-command --flag", "./no-such-script"])
def test_there_is_no_such_test_command(user: User, test: str) -> None:
    result = user.isolate(test=test)
    check_refused(result, f"was not found: {test}", "absolute path", slug="test-not-found")


def test_a_test_that_prints_not_found_is_not_a_missing_command(user: User) -> None:
    result = user.isolate(test="echo user not found; exit 1")
    check_refused(result, "fails on the good version", slug="good-fails")


def test_good_does_not_build(user: User) -> None:
    result = user.isolate("--build", "echo no compiler; false")
    check_refused(result, "(good) does not build: the build", "no compiler", slug="good-is-broken")


def test_bad_does_not_build(user: User) -> None:
    result = user.isolate("--build", TEST)
    check_refused(
        result, "(bad) does not build", f"We ran: {TEST}", "as --test", slug="bad-is-broken"
    )


def test_good_takes_too_long(user: User) -> None:
    result = user.isolate("--timeout", "0.5", test="sleep 50")
    check_refused(result, "within 0.5 s", "We ran: sleep 50", "--timeout", slug="good-is-slow")


def test_the_build_takes_too_long(user: User) -> None:
    result = user.isolate("--timeout", "0.5", "--build", "sleep 50")
    check_refused(result, "We ran: sleep 50", "--timeout", slug="good-is-broken")


def test_the_test_cannot_judge_bad(user: User) -> None:
    """The message is about the test, not about the build."""
    test = f"{TEST} || exit 125"
    result = user.isolate("--build", "true", test=test)
    check_refused(result, "status 125", f"We ran: {test}", "125 (cannot", slug="bad-is-broken")


# -- the versions ----------------------------------------------------------------------------


def test_the_versions_are_the_same(user: User) -> None:
    result = user.isolate("--bad", "good")
    check_refused(result, "good and good have the same files", "--bad", slug="no-changes")


def test_there_is_no_such_directory(user: User) -> None:
    result = user.isolate("--good", "gone/away")
    check_refused(result, "'gone/away'", "Check the path", slug="not-a-repository")


def test_there_is_no_such_revision(user: User) -> None:
    subprocess.run(("git", "init", "-q", "good"), cwd=user.here, check=True)
    result = user.isolate("--bad", "v9", "--repo", "good")
    check_refused(result, "'v9'", "in good", "HEAD~3", slug="no-such-source")


@pytest.mark.parametrize("repo", ["bad", "nowhere"])
def test_there_is_no_repository(user: User, repo: str) -> None:
    result = user.isolate("--good", "v1", "--repo", repo)
    check_refused(result, "'v1'", f"of {repo}", "--repo", slug="not-a-repository")


@pytest.mark.parametrize("name", ["a.tar.gz", "a.zip"])
def test_an_archive_is_damaged(user: User, name: str) -> None:
    user.write(name, "this is no archive")
    result = user.isolate("--good", name)
    check_refused(result, f"{name} cannot be unpacked", "Fetch it again", slug="archive-corrupt")


def test_an_archive_is_larger_than_is_allowed(user: User) -> None:
    with zipfile.ZipFile(user.here / "a.zip", "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("numbers", bytes(2**20 + 1))
    result = user.isolate("--good", "a.zip", "--max-unpacked", "1M")
    check_refused(result, "more than 1 MB", "--max-unpacked SIZE", slug="archive-too-large")


def test_an_archive_has_a_path_outside_its_root(user: User) -> None:
    with tarfile.open(user.here / "a.tar", "w") as tar:
        tar.addfile(tarfile.TarInfo("../evil"), io.BytesIO())
    with zipfile.ZipFile(user.here / "a.zip", "w") as zipped:
        zipped.writestr("/evil", "")
    for name, entry in ("a.tar", "../evil"), ("a.zip", "/evil"):
        result = user.isolate("--good", name)
        check_refused(result, repr(entry), "unpack it yourself", slug="archive-escapes")


def test_a_file_cannot_be_read(
    user: User, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(source: Path, _: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(source))

    (user.here / "good" / "numbers").chmod(0)
    if os.geteuid() == 0:  # root may read everything
        monkeypatch.setattr(shutil, "copyfile", refuse)
    monkeypatch.setattr(sys, "argv", ["whence", *isolating()])
    monkeypatch.chdir(user.here)
    with pytest.raises(SystemExit) as ended:
        main()
    result = CommandResult(ended.value.code, *capsys.readouterr())  # type: ignore[arg-type]  # it is 2
    check_refused(result, "good/numbers", "able to read every file", slug="unreadable-source")


# -- the store -------------------------------------------------------------------------------


def test_the_store_is_damaged(user: User) -> None:
    store = user.write("store", "this is no database, but long enough to look like one")
    result = user.isolate("--store", store)
    check_refused(result, f"{store} cannot be used", "--store FILE", slug="store-unusable")


def test_the_store_is_of_a_newer_whence(user: User) -> None:
    with closing(sqlite3.connect(user.here / "store")) as store:
        store.execute("PRAGMA user_version=99")
    result = user.isolate("--store", "store")
    check_refused(result, "it has version 99", "--store FILE", slug="store-unusable")


def test_the_store_is_another_database(user: User) -> None:
    with closing(sqlite3.connect(user.here / "store")) as store:
        store.execute("CREATE TABLE customer (name)")
    result = user.isolate("--store", "store")
    check_refused(result, "database of another program", "--store FILE", slug="store-unusable")


def test_an_outcome_in_the_store_is_damaged(user: User) -> None:
    check_found(user.isolate())
    with closing(sqlite3.connect(user.cache / "whence" / "runs.sqlite")) as store, store:
        store.execute("UPDATE run SET run = substr(run, 1, 8) || '{'")
    check_refused(user.isolate(), "runs.sqlite cannot be used", slug="store-unusable")


def test_the_store_is_a_directory(user: User) -> None:
    check_refused(user.isolate("--store", "good"), "'--store': File 'good' is a directory")


def test_the_store_cannot_be_made(user: User) -> None:
    result = user.isolate("--store", "good/words/store")
    check_refused(result, "good/words/store cannot be used", slug="store-unusable")


# -- the cluster -----------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "no address"])
def test_there_is_no_cluster(user: User, address: str) -> None:
    pytest.importorskip("distributed")
    result = user.isolate("--cluster", address)
    check_refused(result, f"no Dask cluster at {address}", "tcp://HOST:8786", slug="no-cluster")


def test_the_cluster_needs_a_package_that_is_missing(user: User) -> None:
    shadow = user.kept / "distributed.py"
    shadow.write_text("raise ModuleNotFoundError(__name__)")
    result = user.isolate("--cluster", "h:1", PYTHONPATH=f"{user.kept}{os.pathsep}{SOURCES}")
    check_refused(result, "pip install 'whence-explain[cluster]'", slug="no-distributed")


# -- the options -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "claims"),
    [
        (("--memory", "lots"), ("--memory", "'lots'", "512M")),
        (("--memory", "1"), ("--memory", "'1'", "too small", "512M")),
        (("--jobs", "0"), ("--jobs", "0 is not in the range 1<=x<=1000")),
        (("--method", "magic"), ("--method", "'magic'", "ddmin")),
        (("--repo", "good/words"), ("--repo", "good/words")),
        (("--patch", "good"), ("--patch", "is a directory")),
        (("--good",), ("--good", "requires an argument")),
        (("--god", "v1"), ("--god", "--good")),
    ],
)
def test_an_option_is_wrong(user: User, options: tuple[str, ...], claims: tuple[str, ...]) -> None:
    check_refused(user.isolate(*options), *claims)


@pytest.mark.parametrize("missing", ["--good", "--bad", "--test"])
def test_an_option_is_missing(user: User, missing: str) -> None:
    given = list(isolating())
    del given[given.index(missing) : given.index(missing) + 2]
    check_refused(user.whence(*given), f"Missing option '{missing}'")


def test_there_is_no_such_command(user: User) -> None:
    check_refused(user.whence("isolat"), "No such command 'isolat'")


def test_the_same_failure_is_not_a_regular_expression(user: User) -> None:
    result = user.isolate("--same-failure", "(")
    check_refused(result, "'('", "regular expression", slug="bad-same-failure")


@pytest.mark.parametrize("option", ["--json", "--patch"])
def test_the_directory_of_a_report_does_not_exist(user: User, option: str) -> None:
    result = user.isolate(option, "gone/report")
    check_refused(result, "gone/report cannot be written", slug="cannot-write")


@pytest.mark.parametrize(
    ("name", "why"), [("good", "it is a directory"), ("", "directory"), ("/dev/full", "No space")]
)
def test_a_report_cannot_be_written(user: User, name: str, why: str) -> None:
    result = user.isolate("--json", name)
    assert (result.status, "Traceback" in result.err) == (2, False)
    assert f"{name} cannot be written: " in result.err
    assert why in result.err
    assert result.err.endswith("[cannot-write]\n")


# -- the machine -----------------------------------------------------------------------------


@pytest.mark.parametrize("good", ["v1", "repository", "good"])
def test_git_is_not_installed(user: User, good: str) -> None:
    subprocess.run(("git", "init", "-q", "repository"), cwd=user.here, check=True)
    result = user.isolate("--good", good, PATH=str(user.kept))
    check_refused(result, "git is not installed", "Install git", slug="no-git")


ON_A_SMALL_DISK = """
mount -t tmpfs -o size=$SIZE tmpfs "$TMPDIR" && "$@"; status=$?
ls -A "$TMPDIR"; exit $status
"""


def isolate_on_a_small_disk(user: User, size: int, *arguments: str) -> CommandResult:
    """Isolate with a temporary directory of `size` bytes, and print its remaining content."""
    mounting = ["unshare", "--map-root-user", "--mount", "sh", "-c", ON_A_SMALL_DISK, "sh"]
    done = subprocess.run(
        [*mounting, *command(*isolating(), *arguments)],
        cwd=user.here,
        env=user.environment(SIZE=str(size)),
        capture_output=True,
        text=True,
    )
    if "unshare" in done.stderr or "mount: " in done.stderr:
        pytest.skip("we cannot make a small disk here")
    return CommandResult(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("kilobytes", [8, 16, 24, 40, 56])
def test_the_disk_is_full(user: User, kilobytes: int) -> None:
    """First the versions do not fit, then the workspace does not."""
    result = isolate_on_a_small_disk(user, kilobytes * 1024, "--store", str(user.kept / "store"))
    check_refused(result, "The disk is full", "TMPDIR", slug="disk-full")


def test_a_build_that_fills_the_disk_does_not_count_as_broken(user: User) -> None:
    build = f"{TEST} || head -c 9000000 /dev/zero >big"
    result = isolate_on_a_small_disk(user, 8_000_000, "--build", build)
    check_refused(result, "The disk is full", "TMPDIR", slug="disk-full")


# A build that works with any compiler except the one that records.
PICKY = """case "$CC" in *whence*) echo "x.c:3:1: error: not for you" >&2; exit 3;; esac"""


def test_a_build_that_fails_only_with_the_recording_compiler_is_reported_before_the_search(
    user: User,
) -> None:
    explaining = ("explain", *isolating()[1:], "--frontend", "c", "--build", PICKY)
    result = user.whence(*explaining)
    assert result.status == 1, result
    reason = "does not build with whence-cc, which records it: the build ended with status 3"
    assert f"whence: not recorded: The good version (good) {reason}" in result.err
    assert result.err.index("x.c:3:1: error: not for you") < result.err.index("searching")
    assert "error: not for you" in " ".join(result.out.split())
    assert "+44" in result.out
