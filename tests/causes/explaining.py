"""Record a program that fails, and read its cause tree.

A line of a program that a test speaks of ends in a comment with a name for it: `x = 1; // [set]`.
What is claimed of causes is then said in such names.
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
DEEP = 1000  # levels: all of them
_NAME = re.compile(r"// \[([^]]+)\]$")


class Built:
    """A program that is compiled once, and recorded as often as it is run."""

    def __init__(self, program: Program, folder: Path) -> None:
        self.program, self.folder = program, folder
        self.source = folder / "source"
        self.source.mkdir(parents=True)
        self.name = f"program{program.source.suffix}"
        shutil.copyfile(program.source, self.source / self.name)
        self._runs: list[Path] = []

    def run(self, *args: str, stack: int | None = None) -> Recording:
        """A recorded run with these arguments, or those that the program says at its top.

        `stack` is how many KiB of stack it has, if not as many as usual.
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
        if self._runs:  # what the compiler told of the program is where it was built
            (out / MODULES).rmdir()
            (out / MODULES).symlink_to(self._runs[0] / MODULES)
        self._runs.append(out)
        return open_recording(out)

    @property
    def _build(self) -> str:
        compiler = "$CC" if self.name.endswith(".c") else "$CXX"
        return f"{compiler} -g -w -o program {self.name} {shlex.join(self.program.flags)}"


def threads(recording: Recording) -> list[CThread]:
    """The threads of all its processes."""
    found = [
        recording.thread(recording.image(process), log)
        for process in recording.processes
        for log in process.logs
    ]
    return [thread for thread in found if isinstance(thread, CThread)]


def built(text: str, folder: Path, suffix: str = ".c") -> Built:
    """The program with this text, which may say at its top how to run it."""
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
    tree.grow(DEEP)
    return tree


def explained(text: str, folder: Path, expect: bytes | None = None) -> CauseSearch:
    """The whole tree of the program with this text."""
    return whole_tree(built(text, folder).run(), expect)


# --- what a tree says --------------------------------------------------------------------------


def causes(tree: CauseSearch) -> list[Cause]:
    return [tree.cause(number) for number in range(len(tree))]


def names(cause: Cause) -> set[str]:
    """The lines of a cause that have a name."""
    found = (_NAME.search(statement.text) for statement in cause.statements)
    return {match[1] for match in found if match}


def all_names(tree: CauseSearch) -> set[str]:
    return set().union(*map(names, causes(tree)))


def predicate(tree: CauseSearch, cause: Cause) -> str:
    """The name of the line of its predicate."""
    said = cause.predicate
    match = _NAME.search(tree.source(said.file)[said.line - 1]) if said.line else None
    return match[1] if match else ""


def of_predicate(tree: CauseSearch, name: str) -> Cause:
    """The only cause of a predicate on the line of this name."""
    (found,) = (cause for cause in causes(tree) if predicate(tree, cause) == name)
    return found


def question_of(tree: CauseSearch, number: int) -> Question:
    """What a cause was asked, which says of which steps it is: for tests that look inside."""
    return tree._entries[number].question


Shape = tuple[str, tuple["Shape", ...]]


def shape(tree: CauseSearch, number: int = 0) -> Shape:
    """A cause and those below it, by the names of their predicates."""
    below = sorted(shape(tree, child) for child in tree.children(number))
    return predicate(tree, tree.cause(number)), tuple(below)
