"""Build a variant, run the test on it, and judge how it ended."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shlex
import shutil
import threading
from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from whence.errors import UserError
from whence.model import Failure, Outcome, Reverted, Run
from whence.subject.command import Ended, readable, run_command
from whence.subject.complaints import read_complaints
from whence.subject.coverage import Coverage
from whence.subject.failure import read_failure, same_failure
from whence.subject.forks.forker import Forker, Forks, Test
from whence.subject.forks.program import read_program
from whence.subject.toolchain import compilers, recording_compilers
from whence.subject.workspace import Variants, Workspace

CANNOT_JUDGE = 125  # git bisect's convention
_NOTE_LINES = 15
_NO_SPACE = 64 * 2**10  # bytes
_LITTLE_SPACE = 64 * 2**20  # bytes: what failed for want of space may have made some by now
_KEPT_BACK = (
    # A hook or a git subcommand has these set; the test must not see the user's repository.
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"),
    # Compiled Python outside the tree would be taken for that of the next variant.
    "PYTHONPYCACHEPREFIX",
    # Whoever records says so after this.
    "WHENCE_MODE",
)


@dataclass(frozen=True, slots=True)
class BuildAndTest:
    """How to build and test any variant.  Two equal commands judge a tree alike."""

    test: str
    build: str | None = None
    timeout: float | None = None
    asked_timeout: float | None = None  # what the user said; `timeout` may follow from other runs
    memory: int | None = None  # bytes
    confirm: int = 1  # so many passes in a row make a pass
    compares_output: bool = False
    expected: bytes | None = None  # standard output of the good version, if outputs are compared
    as_recorded: bool = False  # built by the compilers that recording uses, so that runs compare

    def key(self) -> bytes:
        """Return what tells two commands apart, the files that their commands name included."""
        fields = asdict(self) | {"expected": _hash(self.expected or b"").hex()}
        del fields["timeout"]  # it differs from machine to machine
        named = {word: _fingerprint(word) for word in _words(self.test, self.build or "")}
        return _hash(json.dumps([fields, named], sort_keys=True).encode())


@dataclass(frozen=True, slots=True)
class Reference:
    """THE failure, and how alike another one has to be to count as it."""

    failure: Failure
    same: str = "exact"

    def judge(self, run: Run) -> Run:
        """Tell THE failure from others."""
        if run.failure is None:
            return run
        if same_failure(self.failure, run.failure, self.same):
            return replace(run, outcome=Outcome.FAIL)
        # A variant that takes too long cannot be judged, unless that is the failure itself.
        late = run.failure.kind == "timeout"
        return replace(run, outcome=Outcome.BROKEN if late else Outcome.OTHER)


class Trial:
    """Runs variants one after another in a workspace of its own."""

    def __init__(self, folder: Path, variants: Variants, forks: Forks | None = None) -> None:
        self._folder = folder
        self._variants = variants
        self._workspace: Workspace | None = None
        self._forks = Forks() if forks is None else forks
        self.forker = Forker(folder.with_name(f"{folder.name}-forks"), variants)

    def close(self) -> None:
        """End what is kept running from one run to the next."""
        self.forker.close()

    def run(
        self,
        reverted: Reverted,
        commands: BuildAndTest,
        *,
        stop: threading.Event | None = None,
        with_coverage: bool = False,
        clean: bool = False,
    ) -> Run:
        """Return how the test ends with these changes reverted.

        A failing test is FAIL, whatever the failure: `Reference.judge` tells them apart.
        `clean` builds from nothing.  `with_coverage` also says what the test executed.  Only
        without either may the test run in a fork of a process that was there before.
        """
        if clean or with_coverage or self._workspace is None:
            self._workspace = None
            shutil.rmtree(self._folder, ignore_errors=True)
        # While it is in use it is nobody's: a run that is stopped leaves it half built.
        workspace, self._workspace = self._workspace, None
        try:
            workspace = workspace or Workspace(self._folder / "tree", self._variants)
            test = self._forkable(workspace, commands, stop)
            ended = None
            if test is not None and not (clean or with_coverage) and self.forker.get_ready(test):
                workspace.become(reverted)
                ended = self.forker.run(test)
            if ended is not None:
                run = judge(_unless_full(ended, workspace.tree), commands, workspace.tree)
            else:
                workspace.become(reverted)
                run, ended = self._build_and_test(workspace, commands, stop, with_coverage)
                if test is not None:
                    might_fork = not (clean or with_coverage)
                    test.lessons.ran_fresh(ended.seconds, might_fork=might_fork)
                    if reverted in (frozenset(), self._variants.everything):
                        test.lessons.saw(reverted, test.look(ended))
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise UserError(
                f"The disk is full: {error.filename or self._folder}.\n"
                "Free some space, or set TMPDIR to a larger disk, and run the same command again: "
                "what is known so far is kept.",
                slug="disk-full",
            ) from None
        if not with_coverage:  # else it was built with other compilers
            self._workspace = workspace
        return run

    def _environment(self, tree: Path, commands: BuildAndTest) -> dict[str, str]:
        env = environment(tree, as_recorded=commands.as_recorded)
        # Else zig would fill the user's cache: it keeps every object of every variant.
        env.setdefault("ZIG_LOCAL_CACHE_DIR", str(self._folder.parent / "zig"))
        return env

    def _forkable(
        self, workspace: Workspace, commands: BuildAndTest, stop: threading.Event | None
    ) -> Test | None:
        """Return the test as a program that can be forked, if it is one."""
        # Who wants a pass to be confirmed wants processes that have nothing in common.
        if commands.build is not None or commands.confirm > 1:
            return None
        tree, env = workspace.tree, self._environment(workspace.tree, commands)
        program = read_program(_in_tree(commands.test, tree), tree, env)
        if program is None:
            return None
        return Test(
            program,
            commands.memory,
            commands.timeout,
            stop,
            workspace,
            run_fresh=lambda: _run(commands.test, tree, env, commands, stop),
            look=lambda ended: _look(ended, commands, tree),
            lessons=self._forks.of(commands.test, commands.memory, commands.as_recorded),
        )

    def _build_and_test(
        self,
        workspace: Workspace,
        commands: BuildAndTest,
        stop: threading.Event | None,
        with_coverage: bool,
    ) -> tuple[Run, Ended]:
        tree, env = workspace.tree, self._environment(workspace.tree, commands)
        coverage = Coverage(_fresh(self._folder / "coverage")) if with_coverage else None
        if coverage:
            env = coverage.environment(env)
            commands = replace(commands, test=coverage.command(commands.test))
        seconds = 0.0
        if commands.build is not None:
            built = _run(commands.build, tree, env, commands, stop)
            seconds += built.seconds
            workspace.finished()
            if built.status != 0 or built.timed_out or built.flooded:
                return _broken(built, tree, seconds, "build"), built
        before = workspace.files()
        runs = []
        for _ in range(commands.confirm):
            ended = _run(commands.test, tree, env, commands, stop)
            workspace.finished()
            workspace.clear_up(before)
            runs.append(judge(ended, commands, tree))
            if runs[-1].outcome is not Outcome.PASS:
                break
        run = replace(
            runs[-1],
            seconds=seconds + sum(run.seconds for run in runs),
            built=commands.build is not None,
            flaky=len({run.outcome for run in runs}) > 1,
            covered=coverage.read(tree) if coverage else None,
        )
        return run, ended


def judge(ended: Ended, commands: BuildAndTest, tree: Path) -> Run:
    """Return how a test ended, all failures alike."""
    if ended.status == CANNOT_JUDGE or ended.flooded:
        return _broken(ended, tree, ended.seconds, "test")
    stdout = ended.stdout.replace(os.fsencode(tree), b"{tree}")
    kept = stdout if commands.compares_output and commands.expected is None else None
    if ended.status == 0 and not ended.timed_out:
        if commands.expected is None or stdout == commands.expected:
            return Run(Outcome.PASS, seconds=ended.seconds, output=kept)
        failure = _wrong_output(stdout, commands.expected)
        return Run(Outcome.FAIL, failure, seconds=ended.seconds)
    failure = read_failure(
        stdout=readable(ended.stdout),
        stderr=readable(ended.stderr),
        status=ended.status,
        tree=tree,
        timed_out=ended.timed_out,
    )
    # The workspace is ours and gone when the message is read.
    failure = replace(failure, message=failure.message.replace(f"{tree}/", ""))
    return Run(
        Outcome.FAIL,
        failure,
        read_complaints(ended.text, tree=tree),
        ended.seconds,
        note=_last_lines(ended),
    )


def _wrong_output(got: bytes, expected: bytes) -> Failure:
    same = len(os.path.commonprefix([got, expected]))
    line = expected.count(b"\n", 0, same)
    was = (expected.split(b"\n")[line:] or [b""])[0].decode("utf-8", "replace")
    now = (got.split(b"\n")[line:] or [b""])[0].decode("utf-8", "replace")
    message = f"output differs from byte {same} on (line {line + 1}): {was!r} became {now!r}"
    return Failure("output", message, "output")


def _broken(ended: Ended, tree: Path, seconds: float, what: str) -> Run:
    complaints = read_complaints(ended.text, tree=tree)
    reason = (
        f"the {what} took too long (--timeout allows more)"
        if ended.timed_out
        else f"the {what} printed without end"
        if ended.flooded
        else f"the {what} ended with status {ended.status}"
    )
    note = f"{reason}\n{_last_lines(ended)}"
    return Run(Outcome.BROKEN, None, complaints, seconds, built=what == "test", note=note)


def _last_lines(ended: Ended) -> str:
    lines = ended.text.strip().splitlines()
    return "\n".join(line[:500] for line in lines[-_NOTE_LINES:])


def _run(
    command: str,
    tree: Path,
    env: Mapping[str, str],
    commands: BuildAndTest,
    stop: threading.Event | None,
) -> Ended:
    ended = run_command(
        _in_tree(command, tree),
        cwd=tree,
        env=env,
        timeout=commands.timeout,
        memory=commands.memory,
        stop=stop,
    )
    return _unless_full(ended, tree)


def _in_tree(command: str, tree: Path) -> str:
    return command.replace("{tree}", shlex.quote(str(tree)))


def _look(ended: Ended, commands: BuildAndTest, tree: Path) -> Hashable:
    """Return what of an end is the same for the same variant, whoever ran it."""
    run = judge(ended, commands, tree)
    stdout = ended.stdout
    if not commands.compares_output:  # there may be times, addresses and lines as wide as these
        stdout = re.sub(rb"0x[0-9a-f]+|[0-9]+(?:\.[0-9]+)?", b"0", stdout)
        stdout = re.sub(rb"([-=_ ])\1+", rb"\1", stdout)
    signature = run.failure and run.failure.signature
    return run.outcome.value, ended.status, signature, _hash(stdout).hex()


def _unless_full(ended: Ended, tree: Path) -> Ended:
    """Raise an OSError for a run that says nothing of the variant, and must not be kept."""
    if ended.status != 0 and _is_full(tree, ended):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(tree))
    return ended


def _is_full(tree: Path, ended: Ended) -> bool:
    """Did a command fail because there was no room for its files, or for what it printed?"""
    free = shutil.disk_usage(tree).free
    # The words alone may be about something else: tests like to write to /dev/full.
    said_so = os.strerror(errno.ENOSPC) in ended.text
    return free < _NO_SPACE or (said_so and free < _LITTLE_SPACE)


def environment(tree: Path, *, as_recorded: bool = False) -> dict[str, str]:
    """Return the user's environment with the tree and the compilers in it."""
    env = {name: value for name, value in os.environ.items() if name not in _KEPT_BACK}
    chosen = recording_compilers() if as_recorded else compilers(env)
    return env | chosen | {"WHENCE_TREE": str(tree)}


def _fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _hash(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def _words(*commands: str) -> list[str]:
    words = set()
    for command in commands:
        try:
            words.update(shlex.split(command, comments=False))
        except ValueError:  # an unclosed quote: the shell will say so
            continue
    return sorted(words)


def _fingerprint(word: str) -> str | None:
    """Return what identifies the file that a word of a command names, if it names one."""
    path = Path(word)
    try:
        if not path.is_absolute() or not path.is_file():
            return None
        return _hash(path.read_bytes()).hex()
    except OSError:
        return None
