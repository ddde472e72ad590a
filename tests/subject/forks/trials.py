"""Two versions whose test runs both in forks and in fresh processes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.subject.forks.served import TEST
from whence.changes.changeset import compare_trees
from whence.changes.tree import read_tree
from whence.model import ChangeId, Run
from whence.subject.forks.forker import Forks, Lessons
from whence.subject.trial import BuildAndTest, RunWay, Trial

Files = dict[str, str]


class ForkingTrial:
    """A trial of two versions that forks as soon as it can, and one that never forks."""

    def __init__(self, folder: Path, good: Files, bad: Files, test: str = TEST) -> None:
        for version, files in (("good", good), ("bad", bad)):
            for path, text in files.items():
                (folder / version / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / version / path).write_text(text)
        self.changes = compare_trees(read_tree(folder / "good"), read_tree(folder / "bad"))
        self.commands = BuildAndTest(test, timeout=30)
        forks = Forks(at_once=True)
        self.lessons: Lessons = forks.of(test, None, False)
        self.trial = Trial(folder / "trial", self.changes, forks)
        self.fresh = Trial(folder / "fresh", self.changes)

    def check(self, *variants: frozenset[ChangeId]) -> list[Run]:
        """Check that every variant ends the same in forks and fresh processes; return the runs."""
        found = []
        for variant in variants or (frozenset(), self.changes.everything):
            runs = [
                self.trial.run(variant, self.commands),
                self.fresh.run(variant, self.commands, way=RunWay.CLEAN),
            ]
            forked, fresh = (replace(run, seconds=0.0, note="") for run in runs)
            assert forked == fresh, (runs, self.lessons.refused)
            found.append(fresh)
        return found

    def check_forked(self, *variants: frozenset[ChangeId]) -> list[Run]:
        runs = self.check(*variants)
        assert self.lessons.refused is None
        assert self.lessons.forked == len(runs)
        return runs

    def close(self) -> None:
        self.trial.close()


GOOD = {
    "test.py": "import json, user, plain\nprint(user.twice())\nassert user.twice() == 4",
    "user.py": "import changed\ndef twice(): return 2 * changed.VALUE",
    "changed.py": "VALUE = 2\n",
    "plain.py": "import collections\nSEEN = []",
}
BAD = GOOD | {"changed.py": "VALUE = 3\n"}
ONE = frozenset({ChangeId(0)})
