"""Which programs of several files are broken, and how is that hidden among harmless changes?

programs/NAME/*.c, *.cc, *.h  a correct program
programs/NAME/faults.toml     faults, each with an input
packages/NAME.toml            faults of a public package, whose sources are fetched, with inputs

A list of a package says which `sources` of its `folder` are the program, what they are called here
(`rename`), which `files` and `copies` of the package stand beside them, and with which `flags` and
`libs` they are built.

A fault has:
  edits          edits of the bad version, or `file`, `old` and `new` for a single one
  base           edits of both versions
  args           arguments; the test then compares the output with that of good
  test           a command instead; the test then compares the exit status
  output         true if it compares the output of the command all the same
  files          files beside the sources, in both versions
  input          the file for standard input; `input` if it is left out.  In a package: `stdin`
  changes        the number of harmless changes around it; CHANGES if it is left out

An edit has a `kind`: "fault" if it is left out; "dodge" if the test also passes with these edits
reverted, but not in the way of the good version; or "harmless".  Where other edits need a fault's
edit to build, `mend` is the text that makes it right beside them.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import random
import shlex
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from bench.explain import features, refactorings, renames, reorderings
from bench.explain.desk import Desk, Fault, Recipe
from bench.explain.harmless import Files, Pool, _choose, _compared, _culprits, _place, write
from bench.isolate.score import Place
from bench.real.releases import unpacked_release

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROGRAMS = Path(__file__).parent / "programs"
PACKAGES = Path(__file__).parent / "packages"
CHANGES = 40  # harmless changes around a fault, unless it says another number
ATTEMPTS = 8
Kinds = dict[tuple[Recipe, ...], float]
# Names that several files share are not renamed: `renames` looks at one file.
KINDS: Kinds = {
    (renames.local,): 1.0,
    reorderings.REORDERINGS: 1.5,
    refactorings.RECIPES: 4.0,
    features.RECIPES: 2.0,
    reorderings.LAYOUT: 1.5,
}
# In C++, `+` has an order, a type may have no assignment, and a name may be a member.
CXX_KINDS: Kinds = {
    (reorderings.swap_statements, reorderings.swap_includes): 1.0,
    (
        refactorings.parenthesise,
        refactorings.spell_assignment,
        refactorings.name_constant,
        refactorings.add_braces,
        refactorings.invert_condition,
        refactorings.loop_with_while,
        refactorings.return_by_branches,
        refactorings.extract_result,
        refactorings.extract_condition,
    ): 4.0,
    (features.count_calls, features.call_new_function, features.add_field): 2.0,
    reorderings.LAYOUT: 1.5,
}


class BadCaseError(Exception):
    """A fault that does not behave as it says, or that cannot be hidden."""


@dataclass(frozen=True)
class Omission:
    """One fault of a program; in most cases, something that it no longer does."""

    program: str
    name: str
    good: Files
    faulty: Files
    mended: Files  # the faulty version without the fault: other edits may need it
    dodged: Files  # the faulty version without the dodge
    test: str
    is_output: bool  # does the test compare the output?  If not, the exit status
    beside: Files  # what the test reads: the same in all versions, "stdin" among it
    flags: str = ""
    libs: str = ""
    changes: int = CHANGES  # harmless changes around the fault

    @property
    def is_cxx(self) -> bool:
        return any(name.endswith(".cc") for name in self.good)

    @property
    def has_dodge(self) -> bool:
        return self.dodged != self.faulty

    @property
    def build(self) -> str:
        words = [self.compiler, "-g -w -o program", f"*.c{'c' * self.is_cxx}", self.libs]
        return " ".join(word for word in words if word)

    @property
    def compiler(self) -> str:
        return f"{'$CXX -std=c++17' if self.is_cxx else '$CC'} {self.flags}".rstrip()


@dataclass(frozen=True)
class Pair:
    """Two versions in a folder: `good`, and `bad` with the fault among harmless changes."""

    folder: Path
    culprits: tuple[Place, ...]
    changes: int


def load_all(releases: Path, only: Collection[str] = ("",)) -> Iterator[Omission]:
    """Yield the faults with one of the texts `only` in PROGRAM/NAME.

    `releases` keeps the packages that were fetched.  Only packages with such a fault are.
    """
    for folder in sorted(path.parent for path in PROGRAMS.glob("*/faults.toml")):
        yield from (case for case in load(folder) if _is_wanted(case.program, case.name, only))
    for file in sorted(PACKAGES.glob("*.toml")):
        names = [entry["name"] for entry in tomllib.loads(file.read_text("utf-8"))["fault"]]
        if any(_is_wanted(file.stem, name, only) for name in names):
            cases = load_package(file, releases)
            yield from (case for case in cases if _is_wanted(case.program, case.name, only))


def _is_wanted(program: str, name: str, only: Collection[str]) -> bool:
    return any(each in f"{program}/{name}" for each in only)


def load(folder: Path) -> Iterator[Omission]:
    """Yield the faults of a program."""
    files = [*folder.glob("*.[ch]"), *folder.glob("*.cc")]
    program = {path.name: path.read_bytes() for path in sorted(files)}
    for entry in tomllib.loads((folder / "faults.toml").read_text("utf-8"))["fault"]:
        stdin = (folder / entry.get("input", "input")).read_bytes()
        yield _omission(folder.name, program, entry, {"stdin": stdin})


def load_package(file: Path, releases: Path) -> Iterator[Omission]:
    """Yield the faults of a public package."""
    document = tomllib.loads(file.read_text("utf-8"))
    release = unpacked_release(document["package"], document["version"], releases)
    folder = release / document.get("folder", "")
    paths = {path for pattern in document["sources"] for path in folder.glob(pattern)}
    names = document.get("rename", {})
    program = {names.get(path.name, path.name): path.read_bytes() for path in sorted(paths)}
    own = {name: text.encode() for name, text in document.get("files", {}).items()}
    program |= {name: text for name, text in own.items() if name.endswith((".c", ".cc", ".h"))}
    beside = {name: text for name, text in own.items() if name not in program}
    for copied in document.get("copies", ()):
        beside[Path(copied).name] = (folder / copied).read_bytes()
    for entry in document["fault"]:
        stdin = entry.get("stdin", document.get("stdin", "")).encode()
        more = {name: text.encode() for name, text in entry.get("files", {}).items()}
        case = _omission(file.stem, program, entry, {**beside, **more, "stdin": stdin})
        yield replace(case, flags=document.get("flags", ""), libs=document.get("libs", ""))


def _omission(name: str, program: Files, entry: dict[str, Any], beside: Files) -> Omission:
    edits = entry.get("edits", [entry])
    chosen = [[*_without(edits, left_out)] for left_out in ("", "fault", "dodge")]
    good = _edited(program, entry.get("base", []), f"{name}/{entry['name']}")
    faulty, mended, dodged = (_edited(good, each, entry["name"]) for each in chosen)
    is_output = entry.get("output", "test" not in entry)
    test = f"{shlex.join(['./program', *entry.get('args', ())])} < stdin"
    return Omission(
        name, entry["name"], good, faulty, mended, dodged,
        entry.get("test", test), is_output, beside, changes=entry.get("changes", CHANGES),
    )  # fmt: skip


def _without(edits: list[dict[str, str]], kind: str) -> Iterator[dict[str, str]]:
    """Yield the edits of other kinds, and the mends of those of this `kind`."""
    for edit in edits:
        if edit.get("kind", "fault") != kind:
            yield edit
        elif "mend" in edit:
            yield {**edit, "new": edit["mend"]}


def _edited(files: Files, edits: list[dict[str, str]], name: str) -> Files:
    found = dict(files)
    for edit in edits:
        old, new = edit["old"].encode(), edit["new"].encode()
        if found[edit["file"]].count(old) != 1:
            raise BadCaseError(f"{name}: `{edit['old']}` does not occur once")
        found[edit["file"]] = found[edit["file"]].replace(old, new)
    return found


def hidden(case: Omission, folder: Path) -> Pair:
    """Write both versions into the new `folder`, after checking how they behave."""
    name = f"{case.program}/{case.name}"
    truth = _behaviour(case, case.good, folder / "check")
    if case.has_dodge and _behaviour(case, case.dodged, folder / "check") != truth:
        raise BadCaseError(f"{name}: the test fails without the dodge")
    for attempt in range(ATTEMPTS):
        rng = random.Random(f"{name}/{attempt}")
        places = list(_places(case))
        desk = Desk(dict(case.faulty), [fault for fault, _ in places], rng)
        kinds = CXX_KINDS if case.is_cxx else KINDS
        pool: Pool = {r: (weight / len(k), set()) for k, weight in kinds.items() for r in k}
        changes = _compared(case.good, desk.files)
        while len(changes.changes) < case.changes:
            for _ in range(max(1, (case.changes - len(changes.changes)) // 4)):
                desk.apply(_choose(pool, desk))
            changes = _compared(case.good, desk.files)
        if _behaviour(case, desk.mended(), folder / "check") != truth:
            continue  # a change was not harmless in a program of several files
        if _behaviour(case, desk.files, folder / "check") == truth:
            raise BadCaseError(f"{name}: the test passes")
        for version, files in (("good", case.good), ("bad", desk.files)):
            write({**files, **case.beside}, folder / version)
        # The desk keeps the order of its faults.
        own = [fault for fault, (_, is_fault) in zip(desk.faults, places, strict=True) if is_fault]
        desk.faults = own
        culprits = tuple(_place(change) for change in _culprits(changes, desk))
        return Pair(folder, culprits, len(changes.changes))
    raise BadCaseError(f"{name}: no harmless changes around it")


def _places(case: Omission) -> Iterator[tuple[Fault, bool]]:
    """Yield the lines in which the faulty program differs from the correct one.

    The second value says whether they are the fault.
    """
    for file, text in case.good.items():
        # Without the fault, the other edits are still there.
        others = {(i, j, new) for i, j, _, new in _differences(text, case.mended[file])}
        lines = text.splitlines(keepends=True)
        for i, j, start, new in _differences(text, case.faulty[file]):
            fault = Fault(file, start, start + len(new), b"".join(lines[i:j]))
            yield fault, (i, j, new) not in others


def _differences(old: bytes, new: bytes) -> Iterator[tuple[int, int, int, bytes]]:
    """Yield the lines [i, j) of `old` that differ, where `new` has others, and the others."""
    before, after = (text.splitlines(keepends=True) for text in (old, new))
    starts = [0, *accumulate(len(line) for line in after)]
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for what, i, j, k, m in matcher.get_opcodes():
        if what != "equal":
            yield i, j, starts[k], b"".join(after[k:m])


def _behaviour(case: Omission, files: Files, folder: Path) -> tuple[int | None, bytes]:
    """Return exit status and output of a version; None for a test that does not end."""
    shutil.rmtree(folder, ignore_errors=True)
    write({**files, **case.beside}, folder)
    env = {**os.environ, "CC": "cc", "CXX": "c++"}
    for command in _commands(case, files, folder):
        built = subprocess.run(
            command, shell=True, cwd=folder, env=env, capture_output=True, check=False
        )
        if built.returncode:
            return built.returncode, json.dumps(built.stderr.decode(errors="replace")).encode()
    try:
        ended = subprocess.run(
            case.test, shell=True, cwd=folder, capture_output=True, timeout=10, check=False
        )
    except subprocess.TimeoutExpired:
        return None, b""
    return ended.returncode, ended.stdout if case.is_output else b""


def _commands(case: Omission, files: Files, folder: Path) -> Iterator[str]:
    """Yield the commands that build a version.  Objects are kept beside the folder of the case."""
    headers = b"".join(text for name, text in sorted(files.items()) if name.endswith(".h"))
    objects = folder.parent.parent / "objects"
    objects.mkdir(exist_ok=True)
    built = []
    for name, text in files.items():
        if name.endswith((".c", ".cc")):
            made = (
                objects
                / f"{hashlib.sha256(case.flags.encode() + headers + text).hexdigest()[:24]}.o"
            )
            out = shlex.quote(str(made))
            built.append(out)
            if not made.exists():
                yield f"{case.compiler} -w -c -o {out}.new {name} && mv {out}.new {out}"
    yield f"{case.compiler} -o program {' '.join(built)} {case.libs}"
