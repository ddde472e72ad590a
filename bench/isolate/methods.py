"""What does a method answer on a case?  whence and its rival, each through its command line."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.isolate.cases import Case, NotInstallableError, last_words
from bench.isolate.score import Answer, Place

RIVAL = "commit-delta"
RIVAL_VERSION = "0.1.0"
HOUR = 3600.0  # limit for a search of whence, so that one that hangs does not stop the benchmark


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one search: the number of runs for whence, the seconds for the rival."""

    runs: int
    seconds: float
    jobs: int | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that ended, or that was stopped at its time limit."""

    status: int
    stderr: str
    seconds: float
    stopped: bool
    peak_kib: int
    cpu: float = 0.0  # seconds, of the command and all processes that it waited for


def run_limited(
    command: list[str],
    *,
    cwd: Path,
    log: Path,
    env: dict[str, str],
    seconds: float,
    out: Path | None = None,
    grace: float = 10.0,
) -> Ended:
    """Run a command; at its time limit interrupt it, and kill it after `grace` more seconds.

    The file `log` gets the standard error, and `out` the standard output.  `peak_kib` is the
    largest resident size of the command or any process that it waited for.
    """
    began = time.monotonic()
    with log.open("wb") as errors, Path(out or os.devnull).open("wb") as output:
        child = subprocess.Popen(
            command, cwd=cwd, env=env, stdout=output, stderr=errors, preexec_fn=_heed_interrupts
        )
    stopped = False
    deadline = began + seconds
    while True:
        # Only wait4 gives the resident size of this child; other calls give that of all so far.
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            break
        now = time.monotonic()
        if now > deadline:
            # SIGINT first, as by Ctrl-C, so that the command removes its temporary trees.
            child.send_signal(signal.SIGKILL if stopped else signal.SIGINT)
            stopped, deadline = True, now + grace
        time.sleep(0.02)
    child.returncode = os.waitstatus_to_exitcode(status)
    # macOS counts in bytes.
    peak = usage.ru_maxrss // 1024 if sys.platform == "darwin" else usage.ru_maxrss
    text = log.read_text(errors="replace")
    seconds, cpu = time.monotonic() - began, usage.ru_utime + usage.ru_stime
    return Ended(child.returncode, text, seconds, stopped, peak, cpu)


def _heed_interrupts() -> None:
    """Undo what a shell does to a benchmark in the background: its children ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def compiler() -> str:
    """Return the C compiler for every method: $CC, the system's, or the one from PyPI."""
    found = os.environ.get("CC") or shutil.which("gcc") or shutil.which("cc")
    return found or f"{shlex.quote(sys.executable)} -m ziglang cc"


def whence(case: Case, method: str, work: Path, limits: Limits) -> tuple[Answer, Ended]:
    """Run `whence isolate` on the case, from scratch."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    document = work / "result.json"
    command = [sys.executable, "-m", "whence", "isolate"]
    command += ["--good", str(case.env / "good"), "--bad", str(case.env / "bad")]
    command += ["--test", case.test, *(["--build", case.build] if case.build else [])]
    command += ["--method", method, "--store", str(work / "runs.sqlite")]
    command += ["--max-runs", str(limits.runs), "--json", str(document), "--quiet"]
    command += ["--jobs", str(limits.jobs)] if limits.jobs else []
    ended = run_limited(
        command,
        cwd=work,
        log=work / "stderr.log",
        env={**os.environ, "CC": compiler()},
        seconds=HOUR,
    )
    if not document.exists():
        return Answer(error=last_words(ended.stderr) or f"exit status {ended.status}"), ended
    return read_whence(json.loads(document.read_text()), limits.runs, ended.seconds), ended


def read_whence(document: dict[str, Any], max_runs: int, seconds: float) -> Answer:
    """Return the answer in whence's result document."""
    cost = document["cost"]
    solved = document["status"] != "unexplained"
    return Answer(
        tuple(
            Place(change["file"], _pair(change["old"]), _pair(change["new"]))
            for change in document["root"]
        ),
        len(document["auxiliary"]),
        document["changes"]["total"],
        cost["runs"],
        cost["builds"],
        seconds,
        cut=not solved and cost["runs"] >= max_runs,
        note="" if solved else document.get("reason") or document["status"],
    )


def _pair(span: list[int]) -> tuple[int, int]:
    start, count = span
    return start, count


def install_rival(folder: Path) -> Path:
    """Return the rival's program, installed into its own virtual environment."""
    program = folder / "bin" / RIVAL
    if not program.exists():
        venv.create(folder, with_pip=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        got = subprocess.run(
            [*pip, f"{RIVAL}=={RIVAL_VERSION}"], capture_output=True, text=True, check=False
        )
        if got.returncode:
            raise NotInstallableError(f"{RIVAL}: {last_words(got.stderr)}")
    return program


def rival(case: Case, program: Path, work: Path, limits: Limits) -> Answer:
    """Run commit-delta on a repository whose HEAD is good and whose working tree is bad."""
    shutil.rmtree(work, ignore_errors=True)
    repo = work / "repo"
    make_repository(case.env / "good", case.env / "bad", repo)
    answer = _rival_once(case, program, work, limits, [])
    if "working tree is UNRESOLVED" in answer.error:
        # The rival treats TypeError and the like as "cannot be judged", and so refuses a regression
        # that ends in one.  A user would try its own flag against that.
        answer = _rival_once(case, program, work, limits, ["--strict-exits"])
    return answer


def _rival_once(case: Case, program: Path, work: Path, limits: Limits, flags: list[str]) -> Answer:
    document = work / "result.json"
    document.unlink(missing_ok=True)
    temporary = work / "tmp"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    # Exit status 125 tells the rival, like git bisect, that a variant does not build; otherwise
    # the rival would take a compiler's error for the failure.
    build = f"( {case.build} ) || exit 125; " if case.build else ""
    script = (build + case.test).replace("{tree}", "$PWD")
    command = [str(program), "--verbose", "--timeout", "120s", "--json", str(document), *flags]
    ended = run_limited(
        [*command, "--", "sh", "-c", script],
        cwd=work / "repo",
        log=work / "stderr.log",
        env={**os.environ, "CC": compiler(), "TMPDIR": str(temporary)},
        seconds=limits.seconds,
    )
    shutil.rmtree(temporary, ignore_errors=True)
    note = " ".join(flags)
    if document.exists():
        changes = changes_of(work / "repo")
        return read_rival(json.loads(document.read_text()), changes, ended, case.build, note)
    if not ended.stopped:
        return Answer(error=last_words(ended.stderr) or f"exit status {ended.status}")
    runs = logged_runs(ended.stderr)
    builds = runs if case.build else 0
    return Answer(
        runs=runs,
        builds=builds,
        seconds=ended.seconds,
        cut=True,
        note=f"{note} stopped after {ended.seconds:.0f} s".strip(),
    )


def make_repository(good: Path, bad: Path, repo: Path) -> None:
    """Make a git repository whose HEAD is `good` and whose working tree is `bad`."""
    shutil.copytree(good, repo, symlinks=True)
    # Without the user's settings: they could ignore or convert a file.
    settings = {
        "user.name": "bench",
        "user.email": "bench@localhost",
        "core.autocrlf": "false",
        "core.excludesFile": os.devnull,
        "commit.gpgSign": "false",
    }
    _git(repo, "init", "--quiet")
    for name, value in settings.items():
        _git(repo, "config", name, value)
    _git(repo, "add", "--all", "--force")
    _git(repo, "commit", "--quiet", "--message", "good")
    for entry in repo.iterdir():
        if entry.name == ".git":
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    shutil.copytree(bad, repo, symlinks=True, dirs_exist_ok=True)


def _git(repo: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=repo, check=True, capture_output=True
    ).stdout.decode(errors="replace")


def changes_of(repo: Path) -> dict[tuple[str, int], Place]:
    """Return the place of each tracked change, by file and number in the file, from 1 on.

    They are read from git again: the rival's patch counts lines as if only the changes that it
    kept existed.
    """
    diff = _git(repo, "diff", "HEAD", "--no-color", "--no-ext-diff", "--text", "-U0", "--")
    places: dict[tuple[str, int], Place] = {}
    file, number = "", 0
    for line in diff.splitlines():
        if line.startswith("diff --git "):
            file, number = line.split(" b/", 1)[1], 0
        elif head := re.match(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", line):
            number += 1
            old, old_count, new, new_count = (1 if n is None else int(n) for n in head.groups())
            places[file, number] = Place(file, (old, old_count), (new, new_count))
    return places


def read_rival(
    document: dict[str, Any],
    changes: dict[tuple[str, int], Place],
    ended: Ended,
    build: str | None,
    note: str = "",
) -> Answer:
    """Return the answer in commit-delta's result document."""
    stats = document["stats"]
    runs = stats["trials"] - stats["cache_hits"]
    kept = [
        # A file that git does not list exists only in the bad version.
        changes.get((change["path"], change["hunk_index"]))
        or Place(change["path"], (0, 0), (1, change["changed_lines"]))
        for change in document["minimal"]
    ]
    return Answer(
        tuple(kept),
        changes=stats["input_hunks"],
        runs=runs,
        builds=runs if build else 0,
        seconds=ended.seconds,
        note=note,
    )


def logged_runs(log: str) -> int:
    """Return how many runs a verbose log of commit-delta shows."""
    trials = [line for line in log.splitlines() if re.match(r"\s*\[\d+\] ", line)]
    return sum(not line.endswith("(cache)") for line in trials)
