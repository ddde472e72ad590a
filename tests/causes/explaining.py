"""Record a program that fails, and read its cause tree.

A line of a program that a test refers to ends in a comment with its name: `x = 1; // [set]`.
Claims about causes use these names.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from tests.frontend import corpus
from tests.frontend.corpus import Program
from whence.causes.questions import Question
from whence.causes.tree import CauseSearch
from whence.frontend.c.record import record
from whence.frontend.recorded_run import MODULES, keep_sources
from whence.languages import open_recording, open_search
from whence.model import Cause
from whence.subject.trial import BuildAndTest
from whence.trace.c.recording import CThread
from whence.trace.recording import Recording

PROGRAMS = Path(__file__).parent / "programs"
ALL_LEVELS = 1000  # more levels than any tree here has
_NAME = re.compile(r"// \[([^]]+)\]$")


class Built:
    """A program that is compiled once; each run is recorded."""

    def __init__(self, program: Program, folder: Path) -> None:
        self.program, self.folder = program, folder
        self.source = folder / "source"
        self.source.mkdir(parents=True)
        self.name = f"program{program.source.suffix}"
        shutil.copyfile(program.source, self.source / self.name)
        self._runs: list[Path] = []

    def run(self, *args: str, stack: int | None = None) -> Recording:
        """Record a run with these arguments, or with those in the comment at the top.

        `stack` limits the stack, in KiB.
        """
        out = self.folder / f"trace-{len(self._runs)}"
        out.mkdir()
        (self.source / "stdin").write_bytes(self.program.stdin)
        limit = f"ulimit -s {stack} && " if stack else ""
        test = f"{limit}./program {shlex.join(args or self.program.args)} < stdin"
        record(
            self.source,
            BuildAndTest(test, None if self._runs else self._build, asked_timeout=600),
            out,
        )
        keep_sources(self.source, {self.name}, out)
        if self._runs:  # only the first run built the program and its tables
            (out / MODULES).rmdir()
            (out / MODULES).symlink_to(self._runs[0] / MODULES)
        self._runs.append(out)
        return open_recording(out)

    @property
    def _build(self) -> str:
        compiler = "$CC" if self.name.endswith(".c") else "$CXX"
        return f"{compiler} -g -w -o program {self.name} {shlex.join(self.program.flags)}"


def threads(recording: Recording) -> list[CThread]:
    """Return the threads of all processes of a recording."""
    found = [
        recording.thread(recording.image(process), log)
        for process in recording.processes
        for log in process.logs
    ]
    return [thread for thread in found if isinstance(thread, CThread)]


def built(text: str, folder: Path, suffix: str = ".c") -> Built:
    """Build the program with this text; a comment at its top may say how to run it."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"given{suffix}"
    source.write_text(text)
    return Built(corpus.program(source), folder)


def recorded(source: Path, folder: Path) -> Recording:
    return Built(corpus.program(source), folder).run()


def whole_tree(
    recording: Recording, expect: bytes | None = None, trust: Sequence[str] = ()
) -> CauseSearch:
    tree = open_search(recording, expect, trust)
    tree.grow(ALL_LEVELS)
    return tree


def explained(text: str, folder: Path, expect: bytes | None = None) -> CauseSearch:
    """Return the whole cause tree of the program with this text."""
    return whole_tree(built(text, folder).run(), expect)


# --- reading a tree ----------------------------------------------------------------------------


def causes(tree: CauseSearch) -> list[Cause]:
    return [tree.cause(number) for number in range(len(tree))]


def names(cause: Cause) -> set[str]:
    """Return the names of the lines of a cause."""
    found = (_NAME.search(statement.text) for statement in cause.statements)
    return {match[1] for match in found if match}


def all_names(tree: CauseSearch) -> set[str]:
    return set().union(*map(names, causes(tree)))


def predicate(tree: CauseSearch, cause: Cause) -> str:
    """Return the name of the line of a cause's predicate."""
    found = cause.predicate
    match = _NAME.search(tree.source(found.file)[found.line - 1]) if found.line else None
    return match[1] if match else ""


def of_predicate(tree: CauseSearch, name: str) -> Cause:
    """Return the only cause whose predicate is on the line of this name."""
    (found,) = (cause for cause in causes(tree) if predicate(tree, cause) == name)
    return found


def question_of(tree: CauseSearch, number: int) -> Question:
    """Return the question that a cause answers; this looks inside the search."""
    return tree._entries[number].question


Shape = tuple[str, tuple["Shape", ...]]


def shape(tree: CauseSearch, number: int = 0) -> Shape:
    """Return the subtree of a cause, by the names of the predicates."""
    below = sorted(shape(tree, child) for child in tree.children(number))
    return predicate(tree, tree.cause(number)), tuple(below)
