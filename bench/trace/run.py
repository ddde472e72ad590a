"""Measure what recording costs on real C projects, and what questions to the trace cost."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import CHECKOUT, WORK
from bench.trace import long_runs, table
from bench.trace.measure import Cost, Ended, interleaved, run, times_for
from bench.trace.projects import PROJECTS, SQLITE, Project, UnavailableError
from whence.frontend.c.record import record
from whence.frontend.recorded_run import MODULES
from whence.subject.trial import BuildAndTest

CC = (sys.executable, "-m", "whence.frontend.c.driver", "cc")
LEAST = 0.3  # CPU seconds that one measured row of plain runs takes at least
PATIENCE = 300.0  # limit for one question in seconds; a slower one is shown with this time
GROWTH = (500, 1000, 2000, 4000)
# A check build logs every value: a tenth of the usual work gives logs of the usual size.
CHECKED_SHARE = 10


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    names = [project.name for project in PROJECTS]
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="PROJECT")
    parser.add_argument(
        "--rounds", type=int, default=5, help="rounds, of which the best counts (%(default)s)"
    )
    parser.add_argument(
        "--check", action="store_true", help="also compare every value with the replay's"
    )
    parser.add_argument(
        "--growth",
        action="store_true",
        help="also measure SQLite at several sizes, and runs of up to 3 billion instructions",
    )
    parser.add_argument("--work", type=Path, default=WORK / "trace" / "runs")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    options.work = options.work.resolve()
    return options


@dataclass(frozen=True, slots=True)
class Build:
    """A project, built in one mode."""

    project: Project
    tree: Path
    program: Path
    modules: Path
    seconds: float

    @property
    def command(self) -> list[str]:
        return self.project.command(self.program)


def build(project: Project, mode: str, work: Path) -> Build:
    """Build the project without using anything that was compiled before."""
    tree, modules, cache = (work / f"{mode}{part}" for part in ("", "-modules", "-cache"))
    for folder in (tree, modules, cache):
        shutil.rmtree(folder, ignore_errors=True)
    work.mkdir(parents=True, exist_ok=True)
    project.fetch()
    wanted = {"WHENCE_MODE": mode, "WHENCE_MODULES": str(modules), "WHENCE_CACHE": str(cache)}
    kept = dict(os.environ)
    os.environ.update(wanted)
    started = time.monotonic()
    try:
        program = project.build(CC, tree)
    finally:
        os.environ.clear()
        os.environ.update(kept)
    return Build(project, tree, program, modules, time.monotonic() - started)


class Workload:
    """A built project with an input, to be run several times."""

    def __init__(self, built: Build, size: int, work: Path) -> None:
        self.built, self.size, self.work = built, size, work
        self.stdin = work / f"stdin-{size}"
        self.stdin.write_bytes(built.project.stdin(size))
        self.trace = work / "timed"

    def run(self, env: Mapping[str, str] | None = None) -> Ended:
        return run(self.built.command, self.stdin, self.work / "stdout", env)

    def plain(self) -> Cost:
        return self.run().cost

    def recorded(self) -> Cost:
        """Run into a folder of its own, which is deleted afterwards."""
        shutil.rmtree(self.trace, ignore_errors=True)
        self.trace.mkdir()
        cost = self.run({"WHENCE_TRACE": str(self.trace)}).cost
        shutil.rmtree(self.trace)
        return cost

    def keep(self) -> tuple[Path, Ended]:
        """Run and keep the recording, as `whence trace` would."""
        out = self.work / f"trace-{self.size}"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        output = self.work / "recorded-stdout"
        command = f"{shlex.join(self.built.command)} < {shlex.quote(str(self.stdin))}"
        done = record(self.built.tree, BuildAndTest(test=command), out)
        (out / MODULES).rmdir()  # it was built before
        (out / MODULES).symlink_to(self.built.modules)
        output.write_bytes(done.stdout)
        return out, Ended(Cost(done.seconds, 0, 0, 0), done.status, done.stdout)


def ask(question: str, *arguments: object) -> dict[str, Any]:
    """Put a question to a trace in a fresh process."""
    command = [sys.executable, "-m", "bench.trace.ask", question, *map(str, arguments)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode:
        raise RuntimeError(f"{shlex.join(command)} failed:\n{done.stderr}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def question(kind: str, trace: Path, byte: int) -> tuple[table.Question, float]:
    """Return the cost of a slice, and of opening the trace again before it."""
    try:
        answer = ask(kind, trace, byte)
    except subprocess.TimeoutExpired:
        return table.Question(PATIENCE, 0, 0, 0), PATIENCE
    return table.Question(
        answer["seconds"], answer["peak"], answer["steps"], answer["lines"]
    ), answer["open"]


def measure(project: Project, options: argparse.Namespace) -> table.Row:
    work: Path = options.work / project.name
    plain, recorded = build(project, "plain", work), build(project, "record", work)
    usual = Workload(plain, project.size, work)
    expected = usual.run()
    runs = Workload(recorded, project.size, work)
    times = times_for(LEAST, min(usual.plain().cpu for _ in range(3)))
    slow, fast = interleaved(runs.recorded, usual.plain, options.rounds, times)
    trace, ended = runs.keep()
    first = ask("open", trace, recorded.tree)
    byte = len(expected.output) // 2
    narrow, again = question("slice", trace, byte)
    wide, _ = question("relevant", trace, byte)
    shutil.rmtree(trace)
    return table.Row(
        project=project.name,
        lines=project.lines(),
        size=project.size,
        build_plain=plain.seconds,
        build_recorded=recorded.seconds,
        same=(ended.status, ended.output) == (expected.status, expected.output),
        times=times,
        plain=fast,
        recorded=slow,
        instructions=first["instructions"],
        memory_events=first["memory_events"],
        events=first["events"],
        log=first["bytes"],
        index=first["index_bytes"],
        open=first["seconds"],
        open_peak=first["peak"],
        open_again=again,
        slice=narrow,
        relevant=wide,
        check=check(project, work) if options.check else None,
    )


def check(project: Project, work: Path) -> table.Check:
    """Compare every value of a shorter run with the value that the replay computes."""
    size = max(1, project.size // CHECKED_SHARE)
    plain = Workload(build(project, "plain", work), size, work).run()
    trace, ended = Workload(build(project, "check", work), size, work).keep()
    answer = ask("check", trace)
    shutil.rmtree(trace)
    same = (ended.status, ended.output) == (plain.status, plain.output) and answer["whole"]
    return table.Check(answer["compared"], answer["mismatches"], same)


def grow(options: argparse.Namespace) -> list[table.Growth]:
    """Measure SQLite with more and more inserts."""
    work: Path = options.work / SQLITE.name
    plain, recorded = build(SQLITE, "plain", work), build(SQLITE, "record", work)
    found = []
    for size in GROWTH:
        usual, runs = Workload(plain, size, work), Workload(recorded, size, work)
        times = times_for(LEAST, min(usual.plain().cpu for _ in range(3)))
        slow, fast = interleaved(runs.recorded, usual.plain, options.rounds, times)
        trace, _ = runs.keep()
        first = ask("open", trace, recorded.tree)
        narrow, _ = question("slice", trace, len(usual.run().output) // 2)
        shutil.rmtree(trace)
        found.append(
            table.Growth(
                size=size,
                plain=fast.cpu / times,
                recorded=slow.cpu / times,
                log=first["bytes"],
                open=first["seconds"],
                slice=narrow.seconds,
            )
        )
        print(table.text_table(table.GROWING, [table.growing(found[-1])]), flush=True)
    return found


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    rows: list[table.Row] = []
    growth: list[table.Growth] = []
    missing: dict[str, str] = {}
    for project in (project for project in PROJECTS if project.name in options.only):
        try:
            rows.append(measure(project, options))
        except UnavailableError as error:
            missing[project.name] = str(error)
            print(f"{project.name}: {error}", flush=True)
            continue
        print(table.text_table(table.RUNNING, [table.running(rows[-1])]), flush=True)
        print(table.text_table(table.ASKING, [table.asking(rows[-1])]), flush=True)
        save(options, rows, growth, missing)
    if options.growth:
        growth = grow(options)
        save(options, rows, growth, missing)
        long_runs.main(["--work", str(options.work / "long")])
    if rows:
        print("\n" + table.report(rows, growth))
    return 0 if rows and all(aim.met for aim in table.aims(rows, growth)) else 1


def save(
    options: argparse.Namespace,
    rows: list[table.Row],
    growth: list[table.Growth],
    missing: dict[str, str],
) -> None:
    if options.json:
        options.json.write_text(table.document(rows, growth, missing), "utf-8")
    if options.markdown and rows:
        options.markdown.write_text(table.report(rows, growth, table.markdown_table), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
