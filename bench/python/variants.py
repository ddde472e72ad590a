"""What does one variant of a Python test cost, in a fork and in a process of its own?

The same variants of every installed case run both ways, in turns, so that other load on the
machine affects both.  `own` is the time of the test itself in a fork, from its first line to the
end of its process; `beyond` is the rest of the run: writing the variant's tree (`tree`), forking,
reading the failure and cleaning up.  All times are in milliseconds.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench import case_folder
from bench.isolate.cases import Case, load, python_for_cases
from whence.changes.changeset import ChangeSet, compare_trees
from whence.changes.tree import read_tree
from whence.model import ChangeId, Reverted
from whence.subject.forks.forker import Forks
from whence.subject.trial import BuildAndTest, Trial
from whence.subject.workspace import Workspace

COLUMNS = (
    f"{'case':26} {'fresh':>7} {'forked':>7} {'own':>7} {'beyond':>7} {'tree':>7} {'ratio':>6}"
)


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of one variant, the median of several; without `beyond` if the test is not forked."""

    fresh: float
    forked: float
    own: float
    beyond: float | None
    tree: float
    note: str

    def line(self, case: str) -> str:
        times = [f"{1000 * t:7.0f}" for t in (self.fresh, self.forked, self.own)]
        beyond = "      -" if self.beyond is None else f"{1000 * self.beyond:7.0f}"
        rest = f"{beyond} {1000 * self.tree:7.0f} {self.fresh / self.forked:6.1f} {self.note}"
        return f"{case:26} {' '.join(times)} {rest}"


class Becoming:
    """Measures how long a workspace takes to become a variant."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._plain = Workspace.become

    def __call__(self, workspace: Workspace, reverted: Reverted) -> None:
        began = time.perf_counter()
        self._plain(workspace, reverted)
        self.seconds += time.perf_counter() - began


def variants(changes: ChangeSet, count: int) -> Iterator[Reverted]:
    """Yield variants as a search asks for them: each is similar to the one before."""
    chance = random.Random(0)
    everything = sorted(changes.everything)
    yield frozenset()
    yield changes.everything
    reverted: frozenset[ChangeId] = changes.everything
    for _ in range(count - 2):
        some = chance.sample(everything, max(1, len(everything) // 8))
        reverted = reverted ^ frozenset(some)
        yield reverted


def measure(case: Case, runs: int, becoming: Becoming) -> Cost:
    changes = compare_trees(read_tree(case.env / "good"), read_tree(case.env / "bad"))
    recipe = BuildAndTest(case.test, timeout=60.0)
    forks = Forks(at_once=True)
    lessons = forks.of(recipe.test, recipe.memory, recipe.as_recorded)
    never = Forks()
    never.of(recipe.test, recipe.memory, recipe.as_recorded).refuse("this is the other way")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        forked = Trial(folder / "forked", changes, forks)
        fresh = Trial(folder / "fresh", changes, never)
        for trial in (forked, fresh):
            trial.run(frozenset(), recipe)  # work that is done only once
        costs = []
        for reverted in variants(changes, runs):
            took = []
            ended = []
            for trial in (fresh, forked):
                becoming.seconds = 0.0
                began = time.perf_counter()
                run = trial.run(reverted, recipe)
                took.append(time.perf_counter() - began)
                ended.append((run.outcome, run.failure and run.failure.signature))
            assert ended[0] == ended[1], (case.id, sorted(reverted), ended)
            costs.append((*took, forked.forker.own_seconds, becoming.seconds))
        forked.close()
    alone, together, own, tree = (median(column) for column in zip(*costs, strict=True))
    beyond = None if lessons.refused else median(cost[1] - cost[2] for cost in costs)
    note = lessons.refused or f"{len(lessons.imports or ())} modules imported early"
    return Cost(alone, together, own, beyond, tree, note)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--env", type=Path, required=True, help="folder with the installed cases")
    case_folder.add_option(parser)
    parser.add_argument(
        "--only", default="", metavar="SUBSTR", help="only cases with this in their name"
    )
    parser.add_argument("--runs", type=int, default=12, help="number of variants of each case")
    options = parser.parse_args(arguments)
    cases = case_folder.require(parser, options.cases, hint="")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or each run would compile unchanged modules
    becoming = Becoming()
    setattr(Workspace, "become", lambda self, reverted: becoming(self, reverted))  # noqa: B010
    python = python_for_cases()
    found: list[Cost] = []
    print(COLUMNS)
    for case_file in sorted((cases / "python").glob("*/case.json")):
        env = options.env / case_file.parent.name
        if options.only in case_file.parent.name and (env / "bad").is_dir():
            found.append(measure(load(case_file.parent, env, python), options.runs, becoming))
            print(found[-1].line(case_file.parent.name), flush=True)
    beyond = [cost.beyond for cost in found if cost.beyond is not None]
    if beyond:
        print(
            f"{len(beyond)} of {len(found)} cases are forked; beyond the test itself: median "
            f"{1000 * median(beyond):.0f} ms, worst {1000 * max(beyond):.0f} ms; "
            f"fresh/forked: median {median(cost.fresh / cost.forked for cost in found):.1f}"
        )
    return 0 if found else 2


if __name__ == "__main__":
    sys.exit(main())
