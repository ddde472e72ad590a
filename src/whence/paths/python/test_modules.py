"""How is a test run whose literals are changed, and how is it written down?"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from whence.inputs import InputSource
from whence.model import MadeTest
from whence.paths.python.literals import Literal, find_literals, rewritten
from whence.paths.python.observing import (
    HELPER,
    helper_module,
    observing,
    seen_lines,
    with_expectations,
)
from whence.subject.command import Ended
from whence.subject.failure import read_failure
from whence.subject.output_text import without_colours
from whence.trace.python.recording import PythonThread


class TestModules:
    """The test modules of a tree whose literals may change."""

    __test__ = False  # pytest would collect it

    def __init__(self, tree: Path, test: str, folder: Path, literals: Sequence[Literal]) -> None:
        """`literals` are those of the tree as it is.  `folder` takes what is kept between runs."""
        self._tree, self._test = tree, test
        self._literals = {
            file: sorted(own, key=_place)
            for file, own in groupby(
                sorted(literals, key=lambda one: one.file), lambda one: one.file
            )
        }
        self._sources = {file: (tree / file).read_bytes() for file in self._literals}
        self._helper = folder / "helper"
        self._helper.mkdir()
        self._seen = folder / "seen"
        (self._helper / f"{HELPER}.py").write_bytes(helper_module(str(self._seen)))

    def observing(self, contents: Mapping[InputSource, bytes]) -> dict[str, bytes]:
        """Return the modules with these literals; their assertions note what they see."""
        return {
            file: observing(rewritten(source, self._literals[file], contents), str(self._helper))
            for file, source in self._sources.items()
        }

    def forget(self) -> None:
        """Forget what was seen in the last run."""
        self._seen.unlink(missing_ok=True)

    def seen(self, ended: Ended) -> Ended:
        """Return a run whose output is what its assertions saw, and how it failed."""
        lines = [f"{line}: {value}" for line, value in self._lines()]
        if ended.status:
            lines.append(self._failure(ended))
        text = "".join(f"{line}\n" for line in lines)
        return replace(ended, stdout=text.encode(), stderr=ended.stdout + ended.stderr)

    def _lines(self) -> list[tuple[int, str]]:
        return seen_lines(self._seen.read_text("utf-8")) if self._seen.exists() else []

    def _failure(self, ended: Ended) -> str:
        found = read_failure(
            stdout=ended.stdout.decode("utf-8", "replace"),
            stderr=ended.stderr.decode("utf-8", "replace"),
            status=ended.status, tree=self._tree, timed_out=ended.timed_out,
        )  # fmt: skip
        return without_colours(found.message.splitlines()[0] if found.message else found.kind)

    def places(self, thread: PythonThread) -> dict[tuple[int, int], InputSource]:
        """Return which operations of a recorded run use which literals.

        In a copy of a module the literals have the same order.
        """
        found: dict[tuple[int, int], InputSource] = {}
        known = [one for one in find_literals(thread) if one.is_input]
        for file, originals in self._literals.items():
            own = sorted((one for one in known if one.file == file), key=_place)
            if [one.kind for one in own] == [one.kind for one in originals]:
                found |= {
                    one.place: original.source for one, original in zip(own, originals, strict=True)
                }
        return found

    def write(self, contents: Mapping[InputSource, bytes], folder: Path, name: str) -> MadeTest:
        """Write the test module with these literals; it expects what the last run saw."""
        folder.mkdir(parents=True, exist_ok=True)
        file, source = next(iter(self._sources.items()))
        seen = dict(self._lines())
        text = with_expectations(rewritten(source, self._literals[file], contents), seen)
        module = folder / f"{name}.py"
        module.write_bytes(text)
        command = self._test.replace(file, shlex.quote(str(module)))
        return MadeTest(command, tuple(shlex.split(command)), module=module.name)


def _place(literal: Literal) -> tuple[int, int]:
    return literal.node.lineno, literal.node.col_offset
