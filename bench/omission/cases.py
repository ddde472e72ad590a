"""Which programs of several files lose something, and how is that hidden among harmless changes?

programs/NAME/*.c, *.h     a correct program
programs/NAME/faults.toml  edits that leave something out, each with arguments and an input
"""

from __future__ import annotations

import difflib
import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from bench.explain import features, refactorings, renames, reorderings
from bench.explain.desk import Desk, Fault, Recipe
from bench.explain.harmless import Files, Pool, _choose, _compared, _culprits, _place, write
from bench.isolate.score import Place

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROGRAMS = Path(__file__).parent / "programs"
CHANGES = 40  # harmless changes around a fault
ATTEMPTS = 8
# Names that several files share are not renamed: `renames` looks at one file.
KINDS: dict[tuple[Recipe, ...], float] = {
    (renames.local,): 1.0,
    reorderings.REORDERINGS: 1.5,
    refactorings.RECIPES: 4.0,
    features.RECIPES: 2.0,
    reorderings.LAYOUT: 1.5,
}


class BadCaseError(Exception):
    """A fault that does not behave as it says, or that cannot be hidden."""


@dataclass(frozen=True)
class Omission:
    """One thing that a program no longer does."""

    program: str
    name: str
    good: Files
    faulty: Files
    arguments: tuple[str, ...]
    stdin: bytes


@dataclass(frozen=True)
class Pair:
    """Two versions in a folder: `good`, and `bad` with the fault among harmless changes."""

    folder: Path
    culprits: tuple[Place, ...]
    changes: int


def load(folder: Path) -> Iterator[Omission]:
    """Yield the faults of a program."""
    good = {path.name: path.read_bytes() for path in sorted(folder.glob("*.[ch]"))}
    for entry in tomllib.loads((folder / "faults.toml").read_text("utf-8"))["fault"]:
        faulty = dict(good)
        for edit in entry.get("edits", [entry]):
            old, new = edit["old"].encode(), edit["new"].encode()
            if faulty[edit["file"]].count(old) != 1:
                raise BadCaseError(f"{folder.name}/{entry['name']}: `old` does not occur once")
            faulty[edit["file"]] = faulty[edit["file"]].replace(old, new)
        stdin = (folder / entry.get("input", "input")).read_bytes()
        arguments = tuple(entry.get("args", ()))
        yield Omission(folder.name, entry["name"], good, faulty, arguments, stdin)


def hidden(case: Omission, folder: Path) -> Pair:
    """Write both versions into the new `folder`, after checking how they behave."""
    truth = _behaviour(case, case.good, folder / "check")
    for attempt in range(ATTEMPTS):
        rng = random.Random(f"{case.program}/{case.name}/{attempt}")
        desk = Desk(dict(case.faulty), list(_places(case)), rng)
        pool: Pool = {r: (weight / len(k), set()) for k, weight in KINDS.items() for r in k}
        changes = _compared(case.good, desk.files)
        while len(changes.changes) < CHANGES:
            for _ in range(max(1, (CHANGES - len(changes.changes)) // 4)):
                desk.apply(_choose(pool, desk))
            changes = _compared(case.good, desk.files)
        if _behaviour(case, desk.mended(), folder / "check") != truth:
            continue  # a change was not harmless in a program of several files
        if _behaviour(case, desk.files, folder / "check") == truth:
            raise BadCaseError(f"{case.program}/{case.name}: the test passes")
        for version, files in (("good", case.good), ("bad", desk.files)):
            write({**files, "stdin": case.stdin}, folder / version)
        culprits = tuple(_place(change) for change in _culprits(changes, desk))
        return Pair(folder, culprits, len(changes.changes))
    raise BadCaseError(f"{case.program}/{case.name}: no harmless changes around it")


def _places(case: Omission) -> Iterator[Fault]:
    """Yield the lines in which the faulty program differs from the correct one."""
    for file, text in case.good.items():
        old, new = (t.splitlines(keepends=True) for t in (text, case.faulty[file]))
        starts = [0, *accumulate(len(line) for line in new)]
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        for what, i, j, k, m in matcher.get_opcodes():
            if what != "equal":
                yield Fault(file, starts[k], starts[m], b"".join(old[i:j]))


def _behaviour(case: Omission, files: Files, folder: Path) -> tuple[int | None, bytes]:
    """Return exit status and output of a version; None for a test that does not end."""
    shutil.rmtree(folder, ignore_errors=True)
    write(files, folder)
    sources = [name for name in files if name.endswith(".c")]
    built = subprocess.run(
        ["cc", "-w", "-g", "-o", "program", *sources], cwd=folder, capture_output=True, check=False
    )
    if built.returncode:
        return built.returncode, json.dumps(built.stderr.decode(errors="replace")).encode()
    try:
        ended = subprocess.run(
            ["./program", *case.arguments],
            cwd=folder, input=case.stdin, capture_output=True, timeout=10, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None, b""
    return ended.returncode, ended.stdout
