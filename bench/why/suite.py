"""Which programs have which seeded faults, and on which lines?

    programs/NAME/NAME.c       a correct program
    programs/NAME/faults.toml  its tests, and edits that break it

README.md explains the entries.
"""

from __future__ import annotations

import difflib
import re
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROGRAMS = Path(__file__).parent / "programs"
KINDS = (
    "operator", "constant", "missing condition", "wrong variable", "missing code",
    "wrong function", "initialisation",
)  # fmt: skip
REQUIRED = {"name", "kind", "old", "new", "tests"}
# Braces, labels, comments, empty lines.  A line that begins with a star goes on with a comment only
# if a space, a slash or nothing follows: `*p = 1;` is code.
_NO_CODE = re.compile(r"[\s{};]*(else|case .*:|default:)?[\s{};]*(//.*|/\*.*|\*+(/|\s.*)?)?")


class BadSuiteError(Exception):
    """An entry of a faults.toml without meaning, or a fault that does not behave as it says."""


@dataclass(frozen=True, slots=True)
class Test:
    """An input of a program."""

    name: str
    args: tuple[str, ...]
    stdin: bytes

    def command(self, program: str) -> str:
        """Return the shell command that runs it, with its standard input in a file `stdin`."""
        return shlex.join([f"./{program}", *self.args]) + " < stdin"


@dataclass(frozen=True)
class Fault:
    """One mistake in a program, and tests that fail because of it."""

    program: str
    name: str
    kind: str
    correct: str  # the whole source
    faulty: str
    tests: tuple[Test, ...]
    found_at: tuple[str, ...] = ()  # other lines that show the mistake

    @cached_property
    def lines(self) -> frozenset[int]:
        """Return the lines of the faulty source of which one has to be seen."""
        after = self.faulty.splitlines()
        return frozenset(
            edited_lines(self.correct.splitlines(), after)
            | {number for text in self.found_at for number in _lines_reading(text, after)}
        )


@dataclass(frozen=True)
class Program:
    """A correct program with its faults."""

    name: str
    source: str
    tests: tuple[Test, ...]
    faults: tuple[Fault, ...]


def load_all(folder: Path = PROGRAMS) -> list[Program]:
    return [load(path.parent) for path in sorted(folder.glob("*/faults.toml"))]


def load(folder: Path) -> Program:
    """Read a program and its faults; a BadSuiteError says what is wrong with them."""
    name = folder.name
    source = (folder / f"{name}.c").read_text("utf-8")
    document = tomllib.loads((folder / "faults.toml").read_text("utf-8"))
    tests = {key: _test(name, key, entry) for key, entry in document["tests"].items()}
    faults = tuple(_fault(name, source, tests, entry) for entry in document["fault"])
    names = [fault.name for fault in faults]
    if len(set(names)) < len(names):
        raise BadSuiteError(f"{name}: two faults have the same name")
    return Program(name, source, tuple(tests.values()), faults)


def _test(program: str, name: str, entry: dict[str, Any]) -> Test:
    if unknown := entry.keys() - {"args", "stdin"}:
        raise BadSuiteError(f"{program}: test {name} has {sorted(unknown)}")
    return Test(name, tuple(entry.get("args", ())), entry.get("stdin", "").encode())


def _fault(program: str, source: str, tests: dict[str, Test], entry: dict[str, Any]) -> Fault:
    where = f"{program}/{entry.get('name', '?')}"
    if unknown := (entry.keys() ^ REQUIRED) - {"found_at"}:
        raise BadSuiteError(f"{where}: {sorted(unknown)} missing or unknown")
    if entry["kind"] not in KINDS:
        raise BadSuiteError(f"{where}: kind {entry['kind']!r}; there are {', '.join(KINDS)}")
    old, new = entry["old"], entry["new"]
    if source.count(old) != 1:
        raise BadSuiteError(f"{where}: `old` occurs {source.count(old)} times in the program")
    if lacking := [test for test in entry["tests"] if test not in tests]:
        raise BadSuiteError(f"{where}: no test {lacking}")
    fault = Fault(
        program=program,
        name=entry["name"],
        kind=entry["kind"],
        correct=source,
        faulty=source.replace(old, new),
        tests=tuple(tests[test] for test in entry["tests"]),
        found_at=tuple(entry.get("found_at", ())),
    )
    if not fault.lines:
        raise BadSuiteError(f"{where}: nothing of the program is different")
    return fault


def _lines_reading(text: str, lines: Sequence[str]) -> list[int]:
    found = [number for number, line in enumerate(lines, 1) if line.strip() == text.strip()]
    if len(found) != 1:
        raise BadSuiteError(f"found_at {text!r} is {len(found)} lines of the faulty program")
    return found


# --- where an edit is --------------------------------------------------------------------------


def edited_lines(before: Sequence[str], after: Sequence[str]) -> set[int]:
    """Return the lines of `after` that an edit wrote, or the lines beside the gap that it left.

    before: a();    after: a();   lines 1 and 2
            b();           c();
            c();
    """
    found: set[int] = set()
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for what, _, _, start, end in matcher.get_opcodes():
        if what != "equal":
            written = {n for n in range(start + 1, end + 1) if not _NO_CODE.fullmatch(after[n - 1])}
            found |= written or _beside(after, start, end)
    return found


def _beside(lines: Sequence[str], start: int, end: int) -> set[int]:
    """Return the nearest lines with code before and after a gap, within its function."""
    return {
        number
        for numbers in (range(start, 0, -1), range(end + 1, len(lines) + 1))
        if (number := _first_with_code(lines, numbers)) is not None
    }


def _first_with_code(lines: Sequence[str], numbers: Iterable[int]) -> int | None:
    for number in numbers:
        line = lines[number - 1]
        if line[:1] not in ("", " ", "\t"):  # a function begins or ends
            return None
        if not _NO_CODE.fullmatch(line):
            return number
    return None
