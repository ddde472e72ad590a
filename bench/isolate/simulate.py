"""How many variants does a search need where functions were rewritten?  No compiler is run.

    python -m bench.isolate.simulate                      # 24 projects, isolate and explain
    python -m bench.isolate.simulate --write DIR          # only write the projects, for a real run
    python -m bench.isolate.simulate --log tied-48-2      # every variant of one project

`bench.isolate.rewrites` makes the projects, `bench.isolate.mini_c` stands for the compiler.  The
search is that of whence.  For `explain`, causes meet the changes of the functions from `main` down
to the culprit, one function a level, half of the changes of each.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from bench.isolate.mini_c import complaints_of
from bench.isolate.rewrites import PLACES, WRONG, Project, make_project, write_project
from whence.changes.changeset import ChangeSet, compare_trees
from whence.changes.tree import read_tree
from whence.explain.loop import find_root
from whence.model import ChangeId, Outcome, Reverted, Run
from whence.search.dependencies import read_dependencies
from whence.search.isolate import Answer, IsolateProblem, isolate_changes
from whence.search.laboratory import OutOfRuns
from whence.search.space import Search
from whence.search.suspicion import Evidence, executed, find_minor, find_renamings, weigh

SIZES = (12, 24, 48, 96)  # functions
SEEDS = (1, 2)
MAX_VARIANTS = 1000


@dataclass(frozen=True)
class Row:
    """What one search needed."""

    name: str
    changes: int
    found: bool  # is the culprit in the root?
    root: int
    auxiliary: int
    runs: int  # variants that were built and run
    rejected: int  # variants that do not compile
    seconds: float  # of the processor, for the search itself


@dataclass
class Oracle:
    """Answers what the test would, and remembers every variant."""

    project: Project
    changes: ChangeSet
    log: Callable[[str], None] = lambda _: None
    known: dict[Reverted, Run] = field(default_factory=dict)

    def __call__(self, reverted: Reverted) -> Run:
        if reverted not in self.known:
            if len(self.known) >= MAX_VARIANTS:
                raise OutOfRuns
            run = self._run(reverted)
            self.known[reverted] = run
            names = [name for complaint in run.complaints for name in complaint.names]
            said = run.complaints[0].text if run.complaints else ""
            shown = sorted(reverted) if len(reverted) < 12 else "..."
            self.log(f"{len(reverted):4} {run.outcome.name:6} {shown} {said} {names[:5]}")
        return self.known[reverted]

    def _run(self, reverted: Reverted) -> Run:
        nodes = self.changes.nodes(reverted)
        touched = {path: node.content.decode() for path, node in nodes.items()}
        files = self.project.bad | touched
        complaints = complaints_of(files)
        if complaints:
            return Run(Outcome.BROKEN, complaints=complaints, rejected=True)
        for name, text in files.items():
            units = {line.split()[3] for line in text.split("\n") if line[:13] == "    return n "}
            if name.endswith(".c") and len(units) > 1:
                return Run(Outcome.OTHER, built=True)
        failed = any(f" {WRONG};" in text for text in files.values())
        return Run(Outcome.FAIL if failed else Outcome.PASS, built=True)


def simulate(
    name: str, project: Project, way: str, log: Callable[[str], None] = lambda _: None
) -> Row:
    """Search one project as `whence isolate` or `whence explain` would."""
    with tempfile.TemporaryDirectory() as folder:
        write_project(project, Path(folder))
        good, bad = (read_tree(Path(folder) / tree) for tree in ("good", "bad"))
        changes = compare_trees(good, bad)
        problem = _problem(project, changes)
    oracle = Oracle(project, changes, log)
    for reference in (changes.everything, frozenset[ChangeId]()):
        oracle(reference)
    began = time.process_time()
    try:
        if way == "isolate":
            answer = run_search(lambda: isolate_changes(problem), oracle)
        else:
            answer = _explain(project, changes, problem, oracle)
    except OutOfRuns:
        answer = Answer((), holds=False)
    seconds = time.process_time() - began
    root = frozenset().union(*answer.root)
    found = any(WRONG.encode() in changes.changes[change].added for change in root)
    runs = list(oracle.known.values())
    rejected = sum(run.rejected for run in runs)
    return Row(
        name,
        len(changes.changes),
        found and answer.holds,
        len(answer.root),
        len(answer.auxiliary),
        len(runs) - rejected,
        rejected,
        seconds,
    )


def _problem(project: Project, changes: ChangeSet) -> IsolateProblem:
    """Return what whence knows before the first variant, with coverage of both versions."""
    good, bad = (_covered(project, changes, of_good=of_good) for of_good in (True, False))
    evidence = Evidence(good, bad)
    ran, minor = executed(changes, evidence), find_minor(changes)
    return IsolateProblem(
        changes.changes,
        read_dependencies(changes),
        weigh(changes, evidence, ran, minor),
        ran,
        minor,
        find_renamings(changes),
    )


def _covered(project: Project, changes: ChangeSet, *, of_good: bool) -> dict[str, frozenset[int]]:
    found: dict[str, frozenset[int]] = {}
    for file, text in (project.good if of_good else project.bad).items():
        source = changes.source(file, of_good=of_good)
        if source is None or not file.endswith(".c"):
            continue
        lines = range(1, text.count("\n") + 1)
        functions = {line: source.function_at(line) for line in lines}
        live = project.executed | {"main"}
        found[file] = frozenset(
            line
            for line, function in functions.items()
            if function and (function.name in live or function.name.endswith(("_put", "_get")))
        )
    return found


def run_search(make: Callable[[], Search[Any]], oracle: Oracle) -> Any:
    """Run a search to its end."""
    search = make()
    try:
        asked = next(search)
        while True:
            asked = search.send(oracle(asked))
    except StopIteration as end:
        return end.value


class _Candidates:
    """Stands for the causes: a level meets half of the changes of the next function down."""

    def __init__(self, project: Project, changes: ChangeSet) -> None:
        rng = random.Random(project.culprit)
        self._levels: list[list[ChangeId]] = []
        for name in project.chain:
            own = [c for c in changes.changes if c.function == name]
            met = [c.id for c in own if rng.random() < 0.5 or WRONG.encode() in c.added]
            called = [c.id for c in changes.changes if c.file.endswith(".h") and name in str(c)]
            self._levels.append([*met, *called])
        self.met: dict[ChangeId, float] = {}
        self.depth = 0

    def grow(self) -> bool:
        if self.depth >= len(self._levels):
            return False
        for change in self._levels[self.depth]:
            self.met.setdefault(change, float(self.depth))
        self.depth += 1
        return True

    def where_runs_part(self) -> tuple[ChangeId, ...]:
        return ()

    def suspects(self) -> tuple[ChangeId, ...]:
        return tuple(sorted(self.met, key=lambda change: (self.met[change], change)))


def _explain(
    project: Project, changes: ChangeSet, problem: IsolateProblem, oracle: Oracle
) -> Answer:
    @contextmanager
    def timed(_phase: str) -> Iterator[None]:
        yield

    def search(make: Callable[[], Search[Any]], _: Mapping[ChangeId, float], **_how: bool) -> Any:
        return run_search(make, oracle)

    context = SimpleNamespace(
        watcher=SimpleNamespace(phase=lambda text: oracle.log(f"-- {text}")),
        session=SimpleNamespace(search=search, notes=[]),
        timed=timed,
    )
    candidates = _Candidates(project, changes)
    return find_root(cast("Any", context), cast("Any", candidates), problem)


def projects() -> Iterator[tuple[str, Project]]:
    for place in PLACES:
        for size in SIZES:
            for seed in SEEDS:
                yield f"{place}-{size}-{seed}", make_project(place, size, seed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", type=Path, metavar="DIR")
    parser.add_argument("--log", metavar="NAME", help="print every variant of this project")
    parser.add_argument("--way", choices=("isolate", "explain"))
    options = parser.parse_args()
    for way in (options.way,) if options.way else ("isolate", "explain"):
        rows = []
        for name, project in projects():
            if options.write:
                write_project(project, options.write / name)
                continue
            if options.log in (None, name):
                log = print if options.log else lambda _: None
                rows.append(simulate(name, project, way, log))
                _print(rows[-1])
        if len(rows) > 1:
            _summary(way, rows)


def _print(row: Row) -> None:
    print(
        f"{row.name:14} {row.changes:5} changes  {'found' if row.found else 'NOT FOUND':9} "
        f"root {row.root:2} aux {row.auxiliary:2}  runs {row.runs:3}  rejected {row.rejected:3}  "
        f"{row.seconds:5.1f} s",
        flush=True,
    )


def _summary(way: str, rows: list[Row]) -> None:
    print(
        f"{way}: found {sum(r.found for r in rows)} of {len(rows)}; "
        f"runs {sum(r.runs for r in rows)} (median {statistics.median(r.runs for r in rows):g}, "
        f"most {max(r.runs for r in rows)}); "
        f"rejected {sum(r.rejected for r in rows)} "
        f"(median {statistics.median(r.rejected for r in rows):g}, "
        f"most {max(r.rejected for r in rows)}); "
        f"auxiliary {sum(r.auxiliary for r in rows)}; "
        f"{sum(r.seconds for r in rows):.0f} s"
    )


if __name__ == "__main__":
    main()
