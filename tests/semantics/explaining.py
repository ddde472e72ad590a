"""Record a program that fails, and read its cause tree.

A line of a program that a test speaks of ends in a comment with a name for it: `x = 1; // [set]`.
What is claimed of causes is then said in such names.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.frontend import corpus
from tests.frontend.corpus import Program
from whence.frontend.c.record import keep_sources, record
from whence.model import Cause
from whence.semantics.tree import Tree, open_tree
from whence.subject.trial import Recipe
from whence.trace.recording import Recording

PROGRAMS = Path(__file__).parent / "programs"
DEEP = 1000  # levels: all of them
_NAME = re.compile(r"// \[([^]]+)\]$")


def recorded(program: Program, folder: Path) -> Recording:
    """A run of a program; its recording is in the new `folder`/trace."""
    source, out = folder / "source", folder / "trace"
    source.mkdir(parents=True)
    out.mkdir()
    name = f"program{program.source.suffix}"
    (source / name).write_bytes(program.source.read_bytes())
    (source / "stdin").write_bytes(program.stdin)
    compiler = "$CC" if name.endswith(".c") else "$CXX"
    flags = shlex.join(program.flags)
    recipe = Recipe(
        test=f"./program {shlex.join(program.args)} < stdin",
        build=f"{compiler} -g -w -o program {name} {flags}",
        asked_timeout=60,
    )
    record(source, recipe, out)
    keep_sources(source, {name}, out)
    return Recording(out)


def recorded_text(text: str, folder: Path, suffix: str = ".c") -> Recording:
    """A run of the program with this text, which may say at its top how to run it."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"given{suffix}"
    source.write_text(text)
    return recorded(corpus.program(source), folder)


def whole_tree(
    recording: Recording, expect: bytes | None = None, trust: Sequence[str] = ()
) -> Tree:
    tree = open_tree(recording, expect, trust)
    tree.grow(DEEP)
    return tree


def explained(text: str, folder: Path, expect: bytes | None = None) -> Tree:
    """The whole tree of the program with this text."""
    return whole_tree(recorded_text(text, folder), expect)


# --- what a tree says --------------------------------------------------------------------------


def causes(tree: Tree) -> list[Cause]:
    return [tree.cause(number) for number in range(len(tree))]


def names(cause: Cause) -> set[str]:
    """The lines of a cause that have a name."""
    found = (_NAME.search(statement.text) for statement in cause.statements)
    return {match[1] for match in found if match}


def all_names(tree: Tree) -> set[str]:
    return set().union(*map(names, causes(tree)))


def predicate(tree: Tree, cause: Cause) -> str:
    """The name of the line of its predicate."""
    match = _NAME.search(tree.source(cause.predicate.file)[cause.predicate.line - 1])
    return match[1] if match else ""


def of_predicate(tree: Tree, name: str) -> Cause:
    """The only cause of a predicate on the line of this name."""
    (found,) = (cause for cause in causes(tree) if predicate(tree, cause) == name)
    return found


Shape = tuple[str, tuple["Shape", ...]]


def shape(tree: Tree, number: int = 0) -> Shape:
    """A cause and those below it, by the names of their predicates."""
    below = sorted(shape(tree, child) for child in tree.children(number))
    return predicate(tree, tree.cause(number)), tuple(below)


def descendants(tree: Tree, number: int) -> Iterator[int]:
    for child in tree.children(number):
        yield child
        yield from descendants(tree, child)
