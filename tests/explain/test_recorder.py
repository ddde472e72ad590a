"""Is a variant that is recorded in the tree of the last one recorded as in a clean tree?"""

from __future__ import annotations

import json
from pathlib import Path

from whence.changes.changeset import ChangeSet, compare_trees
from whence.changes.tree import read_tree
from whence.explain.recorder import Recorder, covered_lines
from whence.frontend.recorded_run import DEFAULT_MAX_TRACE, MODULES
from whence.languages import LANGUAGES
from whence.model import Outcome, Reverted
from whence.subject.trial import BuildAndTest
from whence.trace.recording import Recording

# The Makefile does not say that the sources include the header, nor that `copy` is made of `data`.
MAKEFILE = """
program: main.o other.o copy
	$(CC) main.o other.o -o program
copy:
	cp data copy
%.o: %.c
	$(CC) -c $<
	echo $< >> COMPILED
"""
MAIN = """
#include <stdio.h>
#include "limit.h"
int other(int);
int main(void) {
    FILE *file = fopen("copy", "r");
    int wanted = 0;
    fscanf(file, "%d", &wanted);
    fclose(fopen("left", "w"));
    return other(LIMIT) != wanted;
}
"""
OTHER = "int other(int n) {\n    return n + 1;\n}\n"
GOOD = {"main.c": MAIN, "other.c": OTHER, "limit.h": "#define LIMIT 4\n", "data": "5\n"}


class Recorded:
    """Records variants of a project, and knows which sources its builds compiled."""

    def __init__(self, folder: Path, changes: ChangeSet, compiled: Path) -> None:
        commands = BuildAndTest(build="make -s", test="test ! -e left && ./program")
        self._recorder = Recorder(folder, changes, commands, DEFAULT_MAX_TRACE)
        self._recorder.use(LANGUAGES["c"], commands)
        self._compiled = compiled

    def record(self, reverted: Reverted) -> tuple[Recording, list[str]]:
        self._compiled.write_text("")
        return self._recorder.recording(reverted), self._compiled.read_text().split()


def recorded(folder: Path, **differing: str) -> tuple[Recorded, ChangeSet]:
    """Two versions; `limit_h` is the text of limit.h in the bad one."""
    compiled = folder / "compiled"
    names = {name.replace("_", "."): text for name, text in differing.items()}
    makefile = MAKEFILE.replace("COMPILED", str(compiled))
    for version, files in (("good", GOOD), ("bad", GOOD | names)):
        for name, text in {**files, "Makefile": makefile}.items():
            path = folder / version / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    changes = compare_trees(read_tree(folder / "good"), read_tree(folder / "bad"))
    return Recorded(folder / "work", changes, compiled), changes


def sources(recording: Recording) -> set[str]:
    """Return the names of the sources in the program, as the journal of the build has them."""
    lines = (recording.folder / MODULES / "log").read_text().splitlines()
    return {Path(entry["source"]).name for entry in map(json.loads, lines) if "source" in entry}


def test_only_what_differs_is_compiled_again(tmp_path: Path) -> None:
    wrong = OTHER.replace("n + 1", "n + 2")
    project, changes = recorded(tmp_path, other_c=wrong)
    failing, compiled = project.record(frozenset())
    assert (failing.outcome, compiled) == (Outcome.FAIL, ["main.c", "other.c"])
    passing, compiled = project.record(changes.everything)
    assert (passing.outcome, compiled) == (Outcome.PASS, ["other.c"])
    assert sources(passing) == {"main.c", "other.c"}
    # The code of both sources is in the trace, and what the test left is gone.
    assert covered_lines(passing).keys() == {"main.c", "other.c"}


def test_a_source_that_includes_a_changed_header_is_compiled_again(tmp_path: Path) -> None:
    project, changes = recorded(tmp_path, limit_h="#define LIMIT 3\n")
    assert project.record(frozenset())[0].outcome is Outcome.FAIL
    passing, compiled = project.record(changes.everything)
    assert (passing.outcome, compiled) == (Outcome.PASS, ["main.c"])


def test_a_clean_tree_is_used_if_the_test_does_not_end_as_it_should(tmp_path: Path) -> None:
    """The build does not see that the data differ, so only a clean build has the right copy."""
    project, changes = recorded(tmp_path, data="6\n")
    assert project.record(frozenset())[0].outcome is Outcome.FAIL
    passing, compiled = project.record(changes.everything)
    assert (passing.outcome, compiled) == (Outcome.PASS, ["main.c", "other.c"])
