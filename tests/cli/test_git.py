"""Does `git whence` work as a user of git expects?"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from whence.cli.git import git_whence

from .prompt import CommandResult, User, check_refused

COMMIT = ("-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false")
GREP = "! grep -q 44 numbers"  # passes on v1, fails since v2 because of line 4
NUMBERS = "1\n2\n3\n4\n5\n"


class Developer(User):
    """A developer with a repository in `here`; v1 passes GREP, the last commit broke it."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        for folder in ("good", "bad"):
            for file in (self.here / folder).iterdir():
                file.unlink()
            (self.here / folder).rmdir()
        self.bin = home / "bin"
        self.bin.mkdir()
        script = self.bin / "git-whence"
        program = "from whence.cli.git import main; main()"
        script.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, "-c", program])} "$@"\n')
        script.chmod(0o755)
        self.git("init", "--quiet")
        self.commit("first", tag="v1", numbers=NUMBERS)
        self.commit("rename", words="a\n", numbers=NUMBERS.replace("2", "22"))
        self.commit("tune", words="b\n", numbers="1\n22\n3\n44\n5\n")

    def git(self, *arguments: str, cwd: str = ".", **env: str) -> CommandResult:
        done = subprocess.run(
            ["git", *COMMIT, *arguments],
            cwd=self.here / cwd,
            env=self.environment(PATH=f"{self.bin}{os.pathsep}{os.environ['PATH']}") | env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return CommandResult(done.returncode, done.stdout, done.stderr)

    def put(self, **files: str) -> None:
        """Write files; the keyword tests__new_sh names tests/new.sh."""
        for name, text in files.items():
            path = self.here / ".".join(name.replace("__", "/").rsplit("_", 1))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def commit(self, message: str, *, tag: str | None = None, **files: str) -> None:
        self.put(**files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        if tag:
            self.git("tag", tag)

    def asks(self, *arguments: str, cwd: str = ".", **env: str) -> CommandResult:
        """Run git whence; check that the user's files are unchanged and none are left over."""
        before = self.state()
        result = self.git("whence", "--frontend", "none", *arguments, cwd=cwd, **env)
        self.check_untouched(before)
        return result

    def finds(self, *arguments: str, cwd: str = ".", **env: str) -> list[tuple[str, str]]:
        """Return the root changes that git whence finds, with their texts."""
        result = self.asks("--json", "-", *arguments, cwd=cwd, **env)
        assert result.status in (0, 1), result.err
        assert "Traceback" not in result.err
        document: dict[str, Any] = json.loads(result.out)
        return [(root["file"], root["text"].rpartition("\n")[2]) for root in document["root"]]


@pytest.fixture
def dev(tmp_path: Path) -> Developer:
    return Developer(tmp_path)


FOUND = [("numbers", "+44")]


# -- the two versions ------------------------------------------------------------------------


@pytest.mark.parametrize("versions", [["v1", "HEAD"], ["HEAD~1"], ["v1.."]])
def test_two_revisions(dev: Developer, versions: list[str]) -> None:
    assert dev.finds(*versions, "--", GREP) == FOUND


def test_the_work_tree_is_bad_unless_another_is_named(dev: Developer) -> None:
    """Edited, staged and new files count, ignored ones do not."""
    dev.commit("mend", numbers=NUMBERS, _gitignore="*.o\n")
    dev.put(numbers="1\n2\n44\n4\n5\n", new="x\n", ignored_o="x\n", staged="x\n")
    dev.git("add", "staged")
    test = f"! test -e ignored.o && test -e new -a -e staged && {GREP}"
    assert dev.finds("--keep", "new", "--keep", "staged", "HEAD", "--", test) == [
        ("numbers", "+44")
    ]


def test_a_file_with_the_name_of_a_revision_is_not_mistaken_for_it(dev: Developer) -> None:
    dev.put(v1="no version\n")
    assert dev.finds("v1", "HEAD", "--", GREP) == FOUND


def test_where_git_has_set_its_variables(dev: Developer) -> None:
    """git sets them for a hook, or for an alias that is a shell command."""
    dev.put(sub__x="")
    dev.git("config", "alias.w", '!git whence --frontend none --json - v1 HEAD -- "$@" #')
    aliased = dev.git("w", GREP, cwd="sub")
    assert '"file": "numbers"' in aliased.out, aliased.err
    assert dev.finds("v1", "HEAD", "--", GREP, GIT_DIR=".git", GIT_PREFIX="sub/") == FOUND
    elsewhere = {"GIT_DIR": str(dev.here / ".git")}
    assert dev.finds("v1", "HEAD", "--", GREP, cwd="../kept", **elsewhere) == FOUND
    result = dev.asks("v1", "--", GREP, cwd="../kept", **elsewhere)
    check_refused(result, "no work tree", "GOOD BAD", slug="no-work-tree")


def test_a_linked_work_tree(dev: Developer) -> None:
    dev.git("worktree", "add", "--quiet", "../linked", "v1")
    (dev.here.parent / "linked" / "numbers").write_text("44\n2\n3\n4\n5\n")
    assert dev.finds("HEAD", "--", GREP, cwd="../linked") == [("numbers", "+44")]


@pytest.mark.parametrize("versions", [["v9"], ["v1..v9"]])
def test_a_revision_that_does_not_exist(dev: Developer, versions: list[str]) -> None:
    check_refused(dev.asks(*versions, "--", GREP), "'v9'", "git log", slug="no-such-revision")


def test_no_repository(dev: Developer) -> None:
    result = dev.asks("v1", "--", GREP, cwd="../kept")
    check_refused(result, "not a git repository", "git -C", slug="not-a-repository")


@pytest.mark.parametrize(
    ("arguments", "claim"),
    [
        (["v1"], "after --"),
        (["--", "true"], "GOOD is missing"),
        (["v1", "HEAD", "make", "check"], "after --"),
        (["--bisect", "v1", "--", "true"], "leave them out"),
        (["--jobs", "many", "v1", "--", "true"], "--jobs"),
    ],
)
def test_a_mistake_in_the_command_is_reported(
    dev: Developer, monkeypatch: pytest.MonkeyPatch, arguments: list[str], claim: str
) -> None:
    monkeypatch.chdir(dev.here)
    result = CliRunner().invoke(git_whence, arguments)
    assert result.exit_code == 2
    assert claim in result.output


def test_help_needs_no_repository(dev: Developer) -> None:
    result = dev.git("whence", "-h", cwd="../kept")
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("Usage: git whence [OPTIONS] GOOD [BAD] -- TEST")
    assert "--html" in result.out
    assert "--repo" not in result.out


# -- the test command ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "test",
    [
        ["! cat numbers | grep -q '44'"],
        ["sh", "-c", "! grep -q \"$1\" 'numbers'", "name with spaces", "44"],
        ["sh", "-c", "cd '{tree}' && ! grep -q 44 numbers"],
        ["awk", '$1 == "44" { exit 1 }', "{tree}/numbers"],
    ],
)
def test_the_test_command_is_run_as_it_was_typed(dev: Developer, test: list[str]) -> None:
    assert dev.finds("v1", "HEAD", "--", *test) == FOUND


def test_commands_run_where_the_user_is(dev: Developer) -> None:
    dev.commit("folder", tag="v3", sub__dir__x="", numbers=NUMBERS)
    dev.commit("break", numbers="1\n2\n3\n4\n44\n")
    arguments = ("--build", "cp ../../numbers copy", "v3", "HEAD", "--", "! grep -q 44 copy")
    assert dev.finds(*arguments, cwd="sub/dir") == [("numbers", "+44")]
    result = dev.asks("v1", "HEAD", "--", GREP, cwd="sub/dir")
    check_refused(result, "cd sub/dir/", slug="good-is-broken")


def test_settings_at_the_top_of_the_repository(dev: Developer) -> None:
    dev.put(sub__x="")
    dev.put(whence_toml=f'test = "{GREP}"\nbuild = "test -f numbers"\n[explain]\nmax-runs = 50\n')
    assert dev.finds("v1", "HEAD", cwd="sub") == FOUND
    dev.put(sub__whence_toml="jobz = 1\n")
    check_refused(dev.asks("v1", cwd="sub"), "jobz", slug="bad-settings")


# -- the test itself -------------------------------------------------------------------------

CHECK = "set -e\n! grep -q 44 numbers\n"


def test_a_test_that_is_new_in_bad_is_run_on_good(dev: Developer) -> None:
    dev.commit("test", repro_sh=CHECK)
    result = dev.asks("v1", "HEAD", "--", "sh ./repro.sh")
    assert "+44" in result.out, result.err
    assert "whence: the test command names repro.sh" in result.err
    check_refused(dev.asks("--no-keep", "v1", "HEAD", "--", "sh repro.sh"), slug="good-fails")


def test_a_changed_test_is_run_on_good(dev: Developer) -> None:
    dev.commit("test", tag="v3", numbers=NUMBERS, tests__test_numbers_sh="")
    dev.commit("break", numbers="1\n2\n3\n44\n5\n", tests__test_numbers_sh=CHECK)
    for test in (["sh tests/test_numbers.sh"], ["cd tests && cd .. && sh {tree}/tests/test*.sh"]):
        assert dev.finds("v3", "HEAD", "--", *test) == [("numbers", "+44")]
    assert dev.finds("v3", "HEAD", "--", "sh -c 'cd ..; sh tests/test*' tests", cwd="tests")


def test_the_program_is_not_mistaken_for_the_test(dev: Developer) -> None:
    dev.commit("program", tag="v3", program_sh="exit 0\n")
    dev.commit("break", program_sh="exit 1\n")
    assert dev.finds("v3", "HEAD", "--", "sh", "program.sh") == [("program.sh", "+exit 1")]
    result = dev.asks("-q", "v3", "HEAD", "--", "sh program.sh && false")
    check_refused(result, "--keep program.sh", slug="good-fails")


def test_only_the_test_changed(dev: Developer) -> None:
    dev.commit("test", check_sh=CHECK)
    result = dev.asks("HEAD~1", "HEAD", "--", "sh check.sh")
    check_refused(result, "Only check.sh differs", "--no-keep", slug="only-the-test-changed")


def test_a_kept_test_that_good_never_passed(dev: Developer) -> None:
    dev.commit("test", check_sh="! grep -q 4 numbers\n")
    result = dev.asks("-q", "v1", "HEAD", "--", "sh check.sh")
    check_refused(result, "had BAD's check.sh", "--no-keep", slug="good-fails")


# -- after git bisect ------------------------------------------------------------------------


@pytest.mark.parametrize("terms", [[], ["--term-old=fine", "--term-new=wrong"]])
def test_the_last_step_of_a_bisect(dev: Developer, terms: list[str]) -> None:
    dev.commit("later", words="c\n", numbers="1\n22\n3\n44\n55\n")
    dev.git("bisect", "start", *terms, "HEAD", "v1")
    result = dev.asks("--bisect", "--", GREP)
    check_refused(result, "git bisect good", slug="bisect-not-finished")
    assert dev.git("bisect", "run", "sh", "-c", GREP).status == 0
    result = dev.asks("--bisect", "--", GREP)
    assert "tune" in result.err, result
    assert "1 of 2 changes broke the test" in result.out
    dev.git("bisect", "reset")
    check_refused(dev.asks("--bisect", "--", GREP), "git bisect", slug="no-bisect")


def test_a_bisect_that_went_on_or_had_to_skip_commits(dev: Developer) -> None:
    dev.git("bisect", "start", "HEAD", "v1")
    dev.git("bisect", "skip")
    result = dev.asks("--bisect", "--", GREP)
    check_refused(result, "one of 2", slug="bisect-not-finished")
    dev.git("bisect", "reset")
    dev.git("bisect", "start", "HEAD", "HEAD~1")
    dev.git("bisect", "bad", "HEAD~1")
    check_refused(dev.asks("--bisect", "--", GREP), slug="bisect-not-finished")
