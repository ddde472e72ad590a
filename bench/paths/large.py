"""How many branches of a program of 18,000 lines are turned in a minute of CPU time?

    python bench/paths/large.py FOLDER [--seconds S] [--copies N]

FOLDER is `src` of cmark (github.com/commonmark/cmark).  Explores its command line by path on a
small Markdown file, or on N copies of it in one file; prints conditions, branches that inputs
decide, runs, and runs that diverged.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path

from whence.paths.c.program import open_c_program
from whence.paths.explore import ExploreSearch
from whence.paths.program import ChosenConditions, Contents
from whence.paths.solver import Solver
from whence.subject.trial import BuildAndTest

TEXT = b"# Title\n\nSome *text* and [a](b).\n\n- item `code`\n\n> q\n"
HEADERS = {
    "cmark_version.h": '#define CMARK_VERSION 0\n#define CMARK_VERSION_STRING "0"\n',
    "cmark_export.h": "#define CMARK_EXPORT\n#define CMARK_NO_EXPORT\n",
    "config.h": "#define HAVE_STDBOOL_H\n#include <stdbool.h>\n",
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0, help="of CPU time")
    parser.add_argument("--copies", type=int, default=1, help="of the text in the file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="whence-bench-") as scratch:
        tree, kept = Path(scratch, "tree"), Path(scratch, "kept")
        shutil.copytree(options.folder, tree)
        kept.mkdir()
        (tree / "in.md").write_bytes(TEXT * options.copies)
        for name, text in HEADERS.items():
            (tree / name).write_text(text)
        sources = " ".join(sorted(path.name for path in tree.glob("*.c")))
        build = f"$CC -g -I. -o cmark {sources}"
        program = open_c_program(tree, BuildAndTest(test="./cmark in.md", build=build), kept, [])
        solver, conditions = Solver(), 0
        branches: set[object] = set()
        sides: set[object] = set()

        def run(contents: Contents) -> ChosenConditions:
            nonlocal conditions
            recorded = program.run(contents)
            found = ChosenConditions.of(recorded, None)
            recorded.release()
            conditions += len(found.conditions)
            sides.update(found.ways)
            branches.update(way[1] for way in found.ways if isinstance(way, tuple))
            return found

        search = ExploreSearch(run, solver)
        began = time.process_time()
        search.start(program.first)
        first = len(search.found.runs[0].run.conditions)
        print(f"first run: {first} conditions, {time.process_time() - began:.1f} CPU s", flush=True)
        while time.process_time() - began < options.seconds and search.step():
            pass
        found = search.found
        turned = {(one.origin[0], one.origin[1]) for one in found.runs if one.origin is not None}
        print(f"{len(turned)} conditions of runs were turned, {len(search.asked)} questions known")
        print(
            f"{time.process_time() - began:.0f} CPU s: {found.executed} runs, {conditions} "
            f"conditions, {len(branches)} branches of the source, {len(sides)} sides of them, "
            f"{found.infeasible} questions without an input, {found.diverged} diverged, "
            f"{found.unknown} unknown"
        )
        program.close()


if __name__ == "__main__":
    main()
