"""What is the outcome of building and testing a variant?"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shlex
import shutil
import threading
import time
from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, replace
from enum import Enum
from pathlib import Path

from whence.errors import UserError
from whence.model import Failure, Outcome, Reverted, Run
from whence.subject.beneath import delete_tree
from whence.subject.build_errors import first_error
from whence.subject.build_steps import BuildSteps
from whence.subject.command import Ended, readable, run_command
from whence.subject.compile_calls import CallJournal
from whence.subject.complaints import read_complaints
from whence.subject.coverage import Coverage
from whence.subject.failure import read_failure, same_failure
from whence.subject.forks.forker import ForkableTest, Forker, Forks
from whence.subject.forks.program import read_program
from whence.subject.layouts import build_variables, run_variables
from whence.subject.orphans import TREE
from whence.subject.reads import ReadLog
from whence.subject.source_check import Rejection, SourceCheck
from whence.subject.stand_ins import with_stand_ins
from whence.subject.toolchain import compilers, recording_compilers
from whence.subject.workspace import Variants, Workspace

CANNOT_JUDGE = 125  # the exit status for "cannot be judged", as in git bisect
_NOT_STARTED = (126, 127)  # exit statuses of a shell that cannot start the command
_NOTE_LINES = 15  # last lines of output that a run keeps; guessed
_NO_SPACE = 64 * 2**10  # bytes; with less free space, a failure counts as a full disk; guessed
# Bytes; the same if the output says that the disk is full.  A failed command may have freed space.
_LITTLE_SPACE = 64 * 2**20  # guessed
_FILLED = "filled"  # the layout of `RunWay.FILLED`
_HIDDEN_VARIABLES = (  # that commands must not inherit
    # Git sets these for hooks and subcommands; the test must not see the user's repository.
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"),
    # Compiled Python outside the tree would be used for the next variant too.
    "PYTHONPYCACHEPREFIX",
    # A recorder sets it after this.
    "WHENCE_MODE",
)


class RunWay(Enum):
    """How a variant is built and tested.  The value is a part of the key of a stored run."""

    WARM = b""  # in the tree of the last variant; the test may run in a fork of a fork server
    CLEAN = b"clean"  # in a new tree
    READS = b"reads"  # in a new tree, noting the files outside the tree that it reads
    COVERED = b"watched"  # the same, noting the executed lines, too
    FILLED = b"filled"  # warm, with other contents of memory that the program does not set

    @property
    def is_clean(self) -> bool:
        return self in (RunWay.CLEAN, RunWay.READS, RunWay.COVERED)

    @property
    def notes_reads(self) -> bool:
        return self in (RunWay.READS, RunWay.COVERED)


@dataclass(frozen=True, slots=True)
class BuildAndTest:
    """How to build and test any variant.  Equal commands give a tree the same outcome."""

    test: str
    build: str | None = None
    timeout: float | None = None  # seconds; the limit in use
    asked_timeout: float | None = None  # the user's limit; without it, runs decide on `timeout`
    memory: int | None = None  # limit in bytes on the address space of each process
    confirm: int = 1  # number of passing runs in a row that count as a pass
    compares_output: bool = False
    expected: bytes | None = None  # standard output of the good version, if outputs are compared
    expected_status: int = 0  # the exit status of a run that passes
    may_stop_a_part: bool = (
        False  # a `timeout` in the test stops a program of the good version, too
    )
    as_recorded: bool = False  # build with the recording compilers, so that runs are comparable
    layout: str = ""  # what memory holds that the program does not set: a key of LAYOUTS, or ""

    def key(self) -> bytes:
        """Return a hash of the commands, including the files that they name."""
        fields = asdict(self) | {"expected": _hash(self.expected or b"").hex()}
        del fields["timeout"]  # it depends on the machine
        named = {word: _fingerprint(word) for word in _words(self.test, self.build or "")}
        return _hash(json.dumps([fields, named], sort_keys=True).encode())


@dataclass(frozen=True, slots=True)
class Reference:
    """THE failure, and which other failures count as the same: see `same_failure`."""

    failure: Failure
    same: str = "exact"

    def judge(self, run: Run) -> Run:
        """Return the run with outcome FAIL for THE failure, OTHER or BROKEN for another one."""
        if run.failure is None:
            return run
        if same_failure(self.failure, run.failure, self.same):
            return replace(run, outcome=Outcome.FAIL)
        # A variant that takes too long cannot be judged, unless that is the failure itself.
        is_timeout = run.failure.kind == "timeout"
        return replace(run, outcome=Outcome.BROKEN if is_timeout else Outcome.OTHER)


class _Warm:
    """A workspace with what its builds have shown."""

    def __init__(self, folder: Path, variants: Variants) -> None:
        self.workspace = Workspace(folder / "tree", variants)
        self.check = SourceCheck(self.workspace, variants)
        self.steps = BuildSteps(self.workspace, folder / "steps")
        self.passed: Reverted | None = None  # the variant that was built last, if it passed


class Trial:
    """Runs variants one after another in its own workspace."""

    def __init__(self, folder: Path, variants: Variants, forks: Forks | None = None) -> None:
        self._folder = folder
        self._variants = variants
        self._workspace: _Warm | None = None
        self._journal = CallJournal(
            folder.with_name(f"{folder.name}-calls"), folder.with_name("objects")
        )
        self._forks = Forks() if forks is None else forks
        self.forker = Forker(folder.with_name(f"{folder.name}-forks"), variants)

    def close(self) -> None:
        """End the fork server."""
        self.forker.close()

    def run(
        self,
        reverted: Reverted,
        commands: BuildAndTest,
        *,
        stop: threading.Event | None = None,
        way: RunWay = RunWay.WARM,
    ) -> Run:
        """Run the test with these changes reverted.

        The outcome of any failing test is FAIL: `Reference.judge` distinguishes failures.
        """
        if way.is_clean or self._workspace is None:
            self._workspace = None
            delete_tree(self._folder)
        # Forget the workspace while it is in use: a stopped run leaves it half built.
        warm, self._workspace = self._workspace, None
        try:
            warm = warm or _Warm(self._folder, self._variants)
            workspace = warm.workspace
            test = self._forkable(workspace, commands, stop)
            ended = None
            if test is not None and not way.is_clean and self.forker.get_ready(test):
                workspace.become(reverted)
                ended = self.forker.run(test)
            if ended is not None:
                run = judge(_unless_full(ended, workspace.tree), commands, workspace.tree)
            else:
                workspace.become(reverted)
                # A layout that is in use must not be replaced by another one.
                fills = way is RunWay.FILLED and not commands.layout
                if fills and warm.passed == reverted:
                    run, ended = self._run_filled(warm, commands, stop), None
                else:
                    run, ended = self._build_and_test(warm, reverted, commands, stop, way)
                    if not run.rejected:
                        warm.passed = reverted if run.outcome is Outcome.PASS else None
                    if fills and run.outcome is Outcome.PASS:
                        run = self._run_filled(warm, commands, stop)
                if test is not None and ended is not None:
                    test.lessons.ran_fresh(ended.seconds, might_fork=not way.is_clean)
                    if reverted in (frozenset(), self._variants.everything):
                        test.lessons.saw(reverted, test.fingerprint(ended))
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise UserError(
                f"The disk is full: {error.filename or self._folder}.\n"
                "Free some space, or set TMPDIR to a larger disk, and run the same command again: "
                "the outcomes so far are stored.",
                slug="disk-full",
            ) from None
        # With coverage, the tree was built with other compilers.
        if way is not RunWay.COVERED and not warm.workspace.is_lost:
            self._workspace = warm
        return run

    def _environment(self, tree: Path, commands: BuildAndTest) -> dict[str, str]:
        env = environment(tree, as_recorded=commands.as_recorded, layout=commands.layout)
        # By default, zig keeps every object of every variant in the user's cache.
        env.setdefault("ZIG_LOCAL_CACHE_DIR", str(self._folder.parent / "zig"))
        if commands.as_recorded and commands.build is None:  # the test may build the program
            env = with_stand_ins(env, self._folder.with_name(f"{self._folder.name}-compilers"))
        return env

    def _forkable(
        self, workspace: Workspace, commands: BuildAndTest, stop: threading.Event | None
    ) -> ForkableTest | None:
        """Return the test as a program that a fork server can run, if it is one."""
        # To confirm a pass, the runs must be independent processes.
        if commands.build is not None or commands.confirm > 1:
            return None
        tree, env = workspace.tree, self._environment(workspace.tree, commands)
        program = read_program(_in_tree(commands.test, tree), tree, env)
        if program is None:
            return None
        return ForkableTest(
            program,
            commands.memory,
            commands.timeout,
            stop,
            workspace,
            run_fresh=lambda: _run(commands.test, tree, env, commands, stop),
            fingerprint=lambda ended: _end_fingerprint(ended, commands, tree),
            lessons=self._forks.of(commands.test, commands.memory, commands.as_recorded),
        )

    def _build_and_test(
        self,
        warm: _Warm,
        reverted: Reverted,
        commands: BuildAndTest,
        stop: threading.Event | None,
        way: RunWay,
    ) -> tuple[Run, Ended | None]:
        """Build and test the variant that the workspace holds; None if it is not worth a build."""
        workspace = warm.workspace
        tree, env = workspace.tree, self._environment(workspace.tree, commands)
        build_env = env
        if commands.build is not None:
            build_env = self._journal.environment(env, finds_compilers=not commands.as_recorded)
        coverage = Coverage(_fresh(self._folder / "coverage")) if way is RunWay.COVERED else None
        if coverage:
            env, build_env = coverage.environment(env), coverage.environment(build_env)
            commands = replace(commands, test=coverage.command(commands.test))
        reads = self._read_log(tree) if way.notes_reads else None
        seconds = 0.0
        if commands.build is not None:
            began = time.monotonic()
            rejection = warm.check.rejection(reverted, build_env, warm.steps.unread, stop)
            seconds += time.monotonic() - began
            if rejection is not None:
                return _rejected(rejection, seconds), None
            built = self._build(warm, commands, build_env, stop, way, reads)
            seconds += built.seconds
            if built.status != 0 or built.timed_out or built.flooded:
                return _broken(built, tree, seconds, "build"), built
            if workspace.is_lost:
                note = "the build removed its own tree, or put something else in its place"
                return Run(Outcome.BROKEN, seconds=seconds, built=False, note=note), None
        before, present = workspace.files(), workspace.nodes.keys()
        runs = []
        for _ in range(commands.confirm):
            ended = _run(commands.test, tree, env, commands, stop, reads)
            workspace.finished()
            workspace.clear_up(before)
            runs.append(judge(ended, commands, tree))
            if runs[-1].outcome is not Outcome.PASS or workspace.is_lost:
                break
        run = replace(
            runs[-1],
            seconds=seconds + sum(run.seconds for run in runs),
            built=commands.build is not None,
            flaky=len({run.outcome for run in runs}) > 1,
            covered=coverage.read(tree) if coverage else None,
            reads=reads.read() if reads else None,
            unread=reads.unread(tree, present, self._variants.touched - present) if reads else None,
        )
        return run, ended

    def _read_log(self, tree: Path) -> ReadLog:
        log = self._folder.with_name(f"{self._folder.name}-reads")
        log.unlink(missing_ok=True)
        return ReadLog(log, tree, ours=(self._folder.parent,))

    def _run_filled(self, warm: _Warm, commands: BuildAndTest, stop: threading.Event | None) -> Run:
        """Run the test of a variant that was just built, with other contents of unset memory.

        The variables of functions and the memory from malloc hold a pattern.  Only the sources that
        differ from the bad version are compiled again, and count as changed in the next build.
        """
        warm.passed = None
        tree = warm.workspace.tree
        env = self._environment(tree, commands)
        sources, touched = warm.check.sources_unlike_bad()
        if commands.build is not None and sources:
            env_of_build = self._journal.environment(env, finds_compilers=not commands.as_recorded)
            warm.workspace.outdate(sources)
            warm.steps.outdate(touched)
            filled = env_of_build | build_variables(_FILLED)
            built = self._build(warm, commands, filled, stop, RunWay.FILLED)
            warm.workspace.outdate(sources)
            warm.steps.outdate(touched)
            if built.status != 0 or built.timed_out or built.flooded:
                return _broken(built, tree, built.seconds, "build")
        before = warm.workspace.files()
        ended = _run(commands.test, tree, env | run_variables(_FILLED), commands, stop)
        warm.workspace.finished()
        warm.workspace.clear_up(before)
        return replace(judge(ended, commands, tree), built=commands.build is not None)

    def _build(
        self,
        warm: _Warm,
        commands: BuildAndTest,
        env: dict[str, str],
        stop: threading.Event | None,
        way: RunWay,
        reads: ReadLog | None = None,
    ) -> Ended:
        """Build the variant that the workspace holds, without the steps that need not run."""
        assert commands.build is not None
        workspace = warm.workspace
        workspace.begin_build()
        build = warm.steps.begin(_in_tree(commands.build, workspace.tree))
        built = _run(build, workspace.tree, env, commands, stop, reads)
        workspace.finished()
        warm.steps.end()
        if way is not RunWay.COVERED:  # the calls with coverage have other options
            warm.check.learn(self._journal)
        return built


def was_stopped(ended: Ended, commands: BuildAndTest) -> bool:
    """Does a test fail because it, or a program that it runs, did not end in time?"""
    failed_a_part = ended.stopped_a_part and ended.status != commands.expected_status
    return ended.timed_out or (failed_a_part and not commands.may_stop_a_part)


def judge(ended: Ended, commands: BuildAndTest, tree: Path) -> Run:
    """Return the outcome of a test run; any failure is FAIL."""
    if ended.status == CANNOT_JUDGE or ended.flooded:
        return _broken(ended, tree, ended.seconds, "test")
    stdout = ended.stdout.replace(os.fsencode(tree), b"{tree}")
    kept = stdout if commands.compares_output and commands.expected is None else None
    # Where outputs are compared, the good version may end with any status: it is the right one.
    is_right = kept is not None and ended.status not in _NOT_STARTED
    if (ended.status == commands.expected_status or is_right) and not ended.timed_out:
        if commands.expected is None or stdout == commands.expected:
            return Run(
                Outcome.PASS, seconds=ended.seconds, output=kept, status=ended.status,
                stopped_a_part=ended.stopped_a_part,
            )  # fmt: skip
        failure = _wrong_output(stdout, commands.expected)
        return Run(Outcome.FAIL, failure, seconds=ended.seconds)
    if ended.status == 0 and not ended.timed_out:
        message = f"exit status 0 instead of {commands.expected_status}"
        return Run(Outcome.FAIL, Failure("exit", message, "exit status 0"), seconds=ended.seconds)
    failure = read_failure(
        stdout=readable(ended.stdout),
        stderr=readable(ended.stderr),
        status=ended.status,
        tree=tree,
        timed_out=was_stopped(ended, commands),
    )
    # The workspace is temporary: its path would mean nothing to a reader of the message.
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
        else f"the {what} printed too much output"
        if ended.flooded
        else f"the {what} ended with status {ended.status}"
    )
    error = first_error(ended.text, tree) if what == "build" else ""
    note = f"{reason}{error and f': {error}'}\n{_last_lines(ended)}"
    return Run(Outcome.BROKEN, None, complaints, seconds, built=what == "test", note=note)


def _rejected(rejection: Rejection, seconds: float) -> Run:
    note = f"the variant was not built\n{rejection.note}"
    return Run(
        Outcome.BROKEN, None, rejection.complaints, seconds, built=False, rejected=True, note=note
    )


def _last_lines(ended: Ended) -> str:
    lines = ended.text.strip().splitlines()
    return "\n".join(line[:500] for line in lines[-_NOTE_LINES:])


def _run(
    command: str,
    tree: Path,
    env: Mapping[str, str],
    commands: BuildAndTest,
    stop: threading.Event | None,
    reads: ReadLog | None = None,
) -> Ended:
    is_test = command == commands.test
    ended = run_command(
        _in_tree(command, tree),
        cwd=tree,
        env={**env, **run_variables(commands.layout)} if is_test else env,
        timeout=commands.timeout,
        memory=commands.memory,
        stop=stop,
        reads=reads,
    )
    return _unless_full(ended, tree)


def _in_tree(command: str, tree: Path) -> str:
    return command.replace("{tree}", shlex.quote(str(tree)))


def _end_fingerprint(ended: Ended, commands: BuildAndTest, tree: Path) -> Hashable:
    """Return what is equal for two runs of one variant: outcome, status, signature, output."""
    run = judge(ended, commands, tree)
    stdout = ended.stdout
    if not commands.compares_output:  # mask times, addresses, and padding that depends on them
        stdout = re.sub(rb"0x[0-9a-f]+|[0-9]+(?:\.[0-9]+)?", b"0", stdout)
        stdout = re.sub(rb"([-=_ ])\1+", rb"\1", stdout)
    signature = run.failure and run.failure.signature
    return run.outcome.value, ended.status, signature, _hash(stdout).hex()


def _unless_full(ended: Ended, tree: Path) -> Ended:
    """Raise an OSError if a run failed because the disk is full: it must not be stored."""
    if ended.status != 0 and _is_full(tree, ended):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(tree))
    return ended


def _is_full(tree: Path, ended: Ended) -> bool:
    """Did a command fail because the disk had no room for its files or its output?"""
    free = shutil.disk_usage(tree.parent).free  # the tree itself may be gone
    # The message alone is no proof: tests may write to /dev/full.
    has_message = os.strerror(errno.ENOSPC) in ended.text
    return free < _NO_SPACE or (has_message and free < _LITTLE_SPACE)


def environment(tree: Path, *, as_recorded: bool = False, layout: str = "") -> dict[str, str]:
    """Return the user's environment with variables for the tree, the compilers and the layout."""
    env = {name: value for name, value in os.environ.items() if name not in _HIDDEN_VARIABLES}
    chosen = recording_compilers() if as_recorded else compilers(env)
    return env | chosen | build_variables(layout) | {TREE: str(tree)}


def _fresh(folder: Path) -> Path:
    delete_tree(folder)
    folder.mkdir(parents=True)
    return folder


def _hash(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def _words(*commands: str) -> list[str]:
    words = set()
    for command in commands:
        try:
            words.update(shlex.split(command, comments=False))
        except ValueError:  # an unclosed quote: the shell will report it
            continue
    return sorted(words)


def _fingerprint(word: str) -> str | None:
    """Return a hash of the file that a word of a command names; None if it names none."""
    path = Path(word)
    try:
        if not path.is_absolute() or not path.is_file():
            return None
        return _hash(path.read_bytes()).hex()
    except OSError:
        return None
