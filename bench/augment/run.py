"""How many changes does `whence augment` reach and show?

    python -m bench.augment.run [NAME...] [--cpu SECONDS] [--json FILE]

NAME is PROGRAM or PROGRAM/CHANGE.  The limit counts CPU seconds, so that other jobs on the machine
do not count.  Each test that is said to show a change is run once more by the benchmark itself, on
builds of its own of both versions.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.augment.cases import Case, read_cases
from whence.model import AugmentedChange, AugmentResult, ChangeStatus
from whence.paths.input_spec import parse_input_spec
from whence.service.augmenting import AugmentRequest, augment_tests
from whence.subject.command import run_command
from whence.subject.trial import BuildAndTest, environment

_REACHED, _EXPOSED = ChangeStatus.REACHED.value, ChangeStatus.EXPOSED.value
_EQUAL = ChangeStatus.EQUAL.value
_RESCAN = 0.3  # seconds for which the time of running processes is taken as known; guessed
_DEPTH = 6  # generations of processes that are looked for; guessed
_PATIENCE = 40  # how often the limit on the clock is the one on the CPU; guessed


@dataclass(frozen=True)
class Score:
    """What `whence augment` says about one change."""

    name: str
    language: str
    is_refactoring: bool
    status: str  # "failed" if there is no answer
    is_verified: bool | None  # does its test end differently?  None: there is no such test
    runs_to_reach: int
    runs: int
    solver_calls: int
    search: float  # CPU seconds for the change
    total: float  # CPU seconds with the builds
    because: str


def measure(case: Case, seconds: float) -> Score:
    """Run `whence augment` on one change, in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="whence-bench-") as name:
        words = [sys.executable, "-m", "bench.augment.run", f"{case.program}/{case.name}"]
        words += ["--inside", name, "--cpu", str(seconds)]
        before = _cpu_of_children()
        try:
            ended = subprocess.run(
                words, capture_output=True, text=True, check=False, timeout=_PATIENCE * seconds
            )
            said, found = ended.stderr, Path(name, "score.json")
        except subprocess.TimeoutExpired:
            said, found = "out of time", Path(name, "score.json")
        total = _cpu_of_children() - before
        if found.exists():
            return Score(**{**json.loads(found.read_text()), "total": total})
        last = (said.strip().splitlines() or ["no answer"])[-1]
        identity = f"{case.program}/{case.name}", case.language, case.is_refactoring
        return Score(*identity, "failed", None, 0, 0, 0, 0.0, total, last)


def score(case: Case, folder: Path, seconds: float) -> Score:
    """Run `whence augment` on one change, in this process."""
    good, bad = case.write(folder)
    request = AugmentRequest(
        good=str(good),
        bad=str(bad),
        commands=BuildAndTest(test=case.test, build=case.build),
        specs=tuple(map(parse_input_spec, case.inputs)),
        seconds=seconds,
        clock=_cpu,
    )
    result = augment_tests(request, folder / "out", lambda _: None)
    return _scored(case, result, lambda one: _is_verified(case, one, folder))


def _scored(
    case: Case, result: AugmentResult, verify: Callable[[AugmentedChange], bool | None]
) -> Score:
    """Return one score; a change that whence takes for several counts by the best of them."""
    order = [ChangeStatus.EXPOSED, ChangeStatus.REACHED, ChangeStatus.UNREACHED]
    rank = {status: place for place, status in enumerate(order)}
    best = min(result.changes, key=lambda one: rank.get(one.status, len(order)))
    return Score(
        name=f"{case.program}/{case.name}",
        language=case.language,
        is_refactoring=case.is_refactoring,
        status=best.status.value,
        is_verified=verify(best),
        runs_to_reach=best.runs_to_reach,
        runs=sum(one.runs for one in result.changes),
        solver_calls=result.solver_calls,
        search=sum(one.seconds for one in result.changes),
        total=0.0,
        because=best.because,
    )


def _is_verified(case: Case, one: AugmentedChange, folder: Path) -> bool | None:
    """Does the test of an exposed change end differently on builds of the two versions?"""
    if one.status is not ChangeStatus.EXPOSED or one.test is None:
        return None
    ends = []
    for number, tree in enumerate(case.write(folder / "again")):
        if case.build:
            run_command(case.build, cwd=tree, env=environment(tree), timeout=60)
        ended = run_command(one.test.command, cwd=tree, env=environment(tree), timeout=60)
        ends.append((ended.stdout, ended.status, number * ended.timed_out))
    return ends[0] != ends[1]


def _cpu() -> float:
    """Return the CPU seconds of this process and of all that it started."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system + _running.seconds()


class _Running:
    """The CPU seconds of processes that still run below this one, such as the fork server."""

    def __init__(self) -> None:
        self._seen, self._seconds = 0.0, 0.0

    def seconds(self) -> float:
        if time.monotonic() - self._seen > _RESCAN:
            self._seconds, self._seen = self._now(), time.monotonic()
        return self._seconds

    @staticmethod
    def _now() -> float:
        parents: dict[int, int] = {}
        ticks: dict[int, int] = {}
        for file in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                fields = file.read_text().rpartition(")")[2].split()
                process = int(file.parent.name)
                parents[process] = int(fields[1])
                ticks[process] = sum(map(int, fields[11:15]))  # with children that have ended
        below = {os.getpid()}
        for _ in range(_DEPTH):
            below |= {one for one, parent in parents.items() if parent in below}
        total = sum(ticks.get(one, 0) for one in below - {os.getpid()})
        return total / os.sysconf("SC_CLK_TCK")


_running = _Running()


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# --- tables --------------------------------------------------------------------------------------


def rows(score: Score) -> str:
    """Return the row of one change."""
    kind = " (refactoring)" if score.is_refactoring else ""
    verified = {True: "yes", False: "NO", None: ""}[score.is_verified]
    return (
        f"| {score.name}{kind} | {score.status} | {verified} | {score.runs_to_reach} | "
        f"{score.runs} | {score.solver_calls} | {score.search:.1f} | {score.total:.1f} |"
    )


HEAD = (
    "| change | status | both plain builds differ | runs to reach | runs | solver calls | CPU s | "
    "with builds |\n|---|---|---|---|---|---|---|---|"
)


def summary(scores: Sequence[Score]) -> Iterator[str]:
    """Yield the figures of each language and of all."""
    yield (
        "| | changes | reached | exposed | verified | refactorings | equal | exposed (wrong) | "
        "mean runs to reach | median CPU s |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|"
    languages = sorted({one.language for one in scores})
    for name in [*languages, "all"]:
        own = [one for one in scores if name in (one.language, "all")]
        changes = [one for one in own if not one.is_refactoring]
        same = [one for one in own if one.is_refactoring]
        reached = [one for one in changes if one.status in (_REACHED, _EXPOSED)]
        shown = [one for one in changes if one.status == _EXPOSED]
        mean = statistics.fmean([one.runs_to_reach for one in reached] or [0])
        yield (
            f"| {name} | {len(changes)} | {len(reached)} | {len(shown)} | "
            f"{sum(one.is_verified is True for one in shown)} | {len(same)} | "
            f"{sum(one.status == _EQUAL for one in same)} | "
            f"{sum(one.status == _EXPOSED for one in same)} | {mean:.1f} | "
            f"{statistics.median([one.search for one in changes] or [0]):.1f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--cpu", type=float, default=10.0, help="CPU seconds for each change")
    parser.add_argument("--json", type=Path, help="add one line for each score to this file")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    cases = [
        case
        for case in read_cases()
        if not given.names or {case.program, f"{case.program}/{case.name}"} & set(given.names)
    ]
    if given.inside is not None:
        found = score(cases[0], given.inside / "work", given.cpu)
        (given.inside / "score.json").write_text(json.dumps(asdict(found)))
        return
    print(HEAD)
    scores = []
    for case in cases:
        scores.append(measure(case, given.cpu))
        print(rows(scores[-1]), flush=True)
        if given.json:
            with given.json.open("a") as file:
                file.write(f"{json.dumps({**asdict(scores[-1]), 'at': time.time()})}\n")
    print("", *summary(scores), sep="\n")


if __name__ == "__main__":
    main()
