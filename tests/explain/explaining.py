"""How does a test write two versions of a program and check their explanation?

A pair of versions is written as a diff of whole files.  A line of both versions begins with a
space, a line of only the good version with `-`, a line of only the bad one with `+`.  `== NAME`
begins a file other than `program.c` or `program.py`.  A line that a test refers to ends with a
comment that names it: `-    sum += x;  // [add]`.  The versions are written without these comments.

Harmless changes are added to every program: in code before main, in code that never runs, and in a
comment.  They have no names, so a root with one of them never equals an expected root.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

from whence.changes.changeset import ChangeSet, compare_trees
from whence.changes.tree import read_tree
from whence.explain.session import ExplainRequest, explain_failure
from whence.model import ChangeId, Explanation, Link, LinkKind, Outcome, Reported, Result, Run, Span
from whence.search.session import IsolateRequest, Watcher
from whence.subject.trial import BuildAndTest, Trial

HARMLESS = """
    -/* counted before main */
    +/* counted before main begins */
     static int warmth;
     __attribute__((constructor)) static void warm_up(void) {
    -    int degrees = 3;
    +    int degrees = 4;
         while (degrees > 0)
             degrees--;
    -    warmth = 20;
    +    warmth = 21;
     }
     __attribute__((used)) static int cool_down(int degrees) {
    -    return degrees - 1;
    +    return degrees - 2;
     }
"""
HARMLESS_PYTHON = """
    -# set when it is imported
    +# set when the module is imported
    -warmth = 20
    +warmth = 21
     def cool_down(degrees):
    -    return degrees - 1
    +    return degrees - 2
     for degrees in (1, 2):
    -    warmth += degrees
    +    warmth += degrees * 2
"""
PYTHON = f"{sys.executable} program.py"
GCC = "$CC -g -w -o program program.c"
_NAME = re.compile(r"\s*(?://|#) \[([^]]+)\]$")
_MAX_SECONDS = 10.0  # limit on the run of one variant
_MAX_UNITS = 6  # limit on root units of which every subset is tried

Files = dict[str, list[str]]
Names = dict[tuple[str, int], str]


@dataclass(frozen=True)
class Pair:
    """Two versions: the lines of their files, and the names of some lines."""

    good: Files
    bad: Files
    good_names: Names
    bad_names: Names

    @classmethod
    def of(cls, text: str, *, harmless: bool = True, file: str = "program.c") -> Pair:
        pair = cls({}, {}, {}, {})
        whole = _undented(text)
        if harmless and file.endswith(".py"):  # these must run before the test fails
            whole = f"== {file}\n{_undented(HARMLESS_PYTHON)}\n== {file}\n{whole}"
        elif harmless:
            whole += f"\n== {file}\n{_undented(HARMLESS)}"
        for line in whole.split("\n"):  # a program may contain other line breaks
            if line.startswith("=="):
                file = line.removeprefix("==").strip()
                continue
            assert line[:1] in ("", " ", "-", "+"), line
            if line[:1] != "+":
                _append(pair.good, pair.good_names, file, line[1:])
            if line[:1] != "-":
                _append(pair.bad, pair.bad_names, file, line[1:])
        return pair

    def write(self, folder: Path) -> None:
        for name, files in (("good", self.good), ("bad", self.bad)):
            (folder / name).mkdir(parents=True)
            for file, lines in files.items():
                path = folder / name / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("".join(f"{line}\n" for line in lines))
                path.chmod(0o755 if file.endswith(".sh") else 0o644)


def _undented(text: str) -> str:
    return textwrap.dedent(text).strip("\n")


def _append(files: Files, names: Names, file: str, line: str) -> None:
    lines = files.setdefault(file, [])
    if match := _NAME.search(line):
        names[file, len(lines) + 1] = match[1]
        line = line[: match.start()]
    lines.append(line)


@dataclass(frozen=True)
class ExplainedPair:
    """The explanation of a pair, in the names of the pair's lines."""

    pair: Pair
    explanation: Explanation
    changes: ChangeSet
    commands: BuildAndTest
    folder: Path

    @property
    def result(self) -> Result:
        return self.explanation.result

    @property
    def chain(self) -> tuple[Link, ...]:
        return self.explanation.chain

    @property
    def root(self) -> set[str]:
        return self.names(self.result.root)

    @property
    def auxiliary(self) -> set[str]:
        return self.names(self.result.auxiliary)

    def names(self, reported: Iterable[Reported]) -> set[str]:
        """Return the names of changed lines; for a change without names, its place."""
        return {name for change in reported for name in self._names(change)}

    def _names(self, change: Reported) -> set[str]:
        old = {self.pair.good_names.get((change.old_file, at)) for at in _lines(change, "old")}
        new = {self.pair.bad_names.get((change.file, at)) for at in _lines(change, "new")}
        return {name for name in old | new if name} or {f"{change.file}:{change.new.start}"}

    @property
    def links(self) -> list[str]:
        """The names of the chain's lines, or their numbers; the failure comes last."""
        return [self._name(link) for link in self.chain]

    def link(self, name: str) -> Link:
        """Return the first link at the line with this name."""
        return next(link for link in self.chain if self._name(link) == name)

    def _name(self, link: Link) -> str:
        if link.step is LinkKind.MISSING:
            return self._missing_name(link)
        return self.pair.bad_names.get((link.file, link.line), str(link.line))

    def _missing_name(self, link: Link) -> str:
        found = {
            name
            for (file, line), name in self.pair.good_names.items()
            if self.pair.good[file][line - 1].strip() == link.text.strip()
        }
        return min(found, default=link.text.strip())

    @property
    def missing(self) -> list[Link]:
        return [link for link in self.chain if link.step is LinkKind.MISSING]

    @property
    def in_tree(self) -> set[str]:
        """The names of all lines that a cause contains or misses."""
        assert self.explanation.why is not None
        found: set[str | None] = set()
        for cause in self.explanation.why.causes:
            found |= {self.pair.bad_names.get((s.file, s.line)) for s in cause.statements}
            found.add(self.pair.bad_names.get((cause.predicate.file, cause.predicate.line)))
            found |= {
                self.pair.good_names.get((m.statement.file, m.statement.line))
                for m in cause.missing
            }
        return {name for name in found if name}

    @property
    def others(self) -> list[set[str]]:
        """The roots of the alternatives."""
        return [self.names(other.root) for other in self.explanation.alternatives]

    @cached_property
    def _trial(self) -> Trial:
        return Trial(self.folder / "again", self.changes)

    def passes(self, reverted: Iterable[ChangeId]) -> bool:
        """Does the test pass with these reverted?  A separate trial runs it."""
        limit = self.commands.asked_timeout or _MAX_SECONDS
        run = self._trial.run(frozenset(reverted), replace(self.commands, timeout=limit))
        return run.outcome is Outcome.PASS


def _lines(change: Reported, version: str) -> list[int]:
    """Return the line numbers of a change; `version` is "old" or "new"."""
    spans: list[Span] = [getattr(hunk, version) for hunk in change.hunks]
    return [line for span in spans for line in span.lines]


def explain(
    folder: Path,
    text: str,
    test: str = "./program",
    *,
    build: str | None = GCC,
    harmless: bool = True,
    compares_output: bool = False,
    find_all: bool = False,
    frontend: str = "auto",
    asked_timeout: float | None = None,
    max_runs: int | None = None,
    max_time: float | None = None,
    watcher: Watcher | None = None,
    file: str = "program.c",
) -> ExplainedPair:
    """Explain a pair, and check all claims of the explanation."""
    pair = Pair.of(text, harmless=harmless, file=file)
    pair.write(folder)
    commands = BuildAndTest(
        test, build, compares_output=compares_output, asked_timeout=asked_timeout
    )
    request = IsolateRequest(
        str(folder / "good"),
        str(folder / "bad"),
        commands,
        find_all=find_all,
        max_runs=max_runs,
        max_time=max_time,
    )
    explanation, _ = explain_failure(ExplainRequest(request, frontend), watcher or Watcher())
    # Compare again: the trees of the session are deleted by now.
    changes = compare_trees(read_tree(folder / "good"), read_tree(folder / "bad"))
    if compares_output:
        good = _run_of_good(folder, changes, commands)
        commands = replace(commands, expected=good.output, expected_status=good.status)
    answer = ExplainedPair(pair, explanation, changes, commands, folder)
    check_claims(answer)
    return answer


def explain_python(folder: Path, text: str, test: str = PYTHON, **more: Any) -> ExplainedPair:
    """Explain two versions of a Python program."""
    return explain(folder, text, test, build=None, file="program.py", **more)


def _run_of_good(folder: Path, changes: ChangeSet, commands: BuildAndTest) -> Run:
    limited = replace(commands, timeout=_MAX_SECONDS)
    return Trial(folder / "good-again", changes).run(changes.everything, limited)


# --- claims of every explanation ----------------------------------------------------------------


def check_claims(answer: ExplainedPair) -> None:
    """Check what every explanation claims, whatever the program."""
    if answer.result.status != "unexplained":
        check_root(answer)
    check_chain(answer)


def check_root(answer: ExplainedPair) -> None:
    """Check that the test passes with root and auxiliary reverted.

    If the result says so, it does not pass with fewer changes reverted.
    """
    units = [change.ids for change in answer.result.root]
    auxiliary = {change for other in answer.result.auxiliary for change in other.ids}
    assert answer.passes({*auxiliary, *(change for unit in units for change in unit)})
    if not answer.result.needs_all:
        return
    least = 0 if auxiliary else 1  # with nothing reverted, the bad version is known to fail
    for size in range(least, len(units)) if len(units) <= _MAX_UNITS else ():
        for part in combinations(units, size):
            reverted = auxiliary | {change for unit in part for change in unit}
            assert not answer.passes(reverted), (part, answer.root)


def check_chain(answer: ExplainedPair) -> None:
    """Check that the chain has program lines and differing values, and ends in the failure.

    It begins at the root wherever runs were recorded.  Only a chain without a gap explains.
    """
    chain, pair = answer.chain, answer.pair
    is_whole = bool(chain) and not any(link.gap for link in chain)
    assert is_whole == (answer.result.status == "explained")
    if answer.explanation.why is not None and answer.result.status != "unexplained":
        assert chain
        assert chain[0].changes, chain[0]
    root = {change for reported in answer.result.root for change in reported.ids}
    for link in chain:
        if link.step is LinkKind.MISSING:
            good = [line.strip() for lines in pair.good.values() for line in lines]
            assert link.text.strip() in good, link
        elif link.file in pair.bad:  # a test may run a program from outside the tree
            assert pair.bad[link.file][link.line - 1].strip() == link.text.strip(), link
        same = {n for n in link.passing if link.failing.get(n) == link.passing[n]}
        assert not same, link
        assert link.says, link
        assert set(link.changes) <= root, link
    failures = [link.step is LinkKind.FAILURE for link in chain]
    assert failures == [False] * (len(chain) - 1) + [True] * bool(chain)
