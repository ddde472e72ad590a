"""How are the two versions of a dodge made?

A dodge case has a program of bench/why (C) or the program in `ledger/` (Python), edits of both
versions (`base`), and edits of the bad version only (`edit`).  One of the edits is the culprit.
Another can be reverted alone: then the test passes, but not in the way of the good version.
Harmless changes are added around them, as in `bench.explain.harmless`.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.explain.harmless import Files, hide, write
from bench.why.suite import PROGRAMS, Fault

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parent
LEDGER = FOLDER / "ledger"
HARMLESS = 40  # changes of a C case, about
PYTHON_TEST = f"{sys.executable} check.py"
_RETURN = re.compile(r"^( +)return (\S.*[^,(\[{])$")
_EVERY = 2  # every second line that can be rewritten is rewritten


@dataclass(frozen=True)
class Dodge:
    """Two versions of a program, and the texts of the lines that matter."""

    name: str
    about: str
    culprit: str  # occurs in the changed lines that are at fault
    dodge: str  # occurs in the changed lines that can be reverted instead; "" if none can
    good: Files
    bad: Files
    test: str
    build: str | None

    def write(self, folder: Path) -> None:
        write(self.good, folder / "good")
        write(self.bad, folder / "bad")


def load_all() -> list[Dodge]:
    return [load(path) for path in sorted(FOLDER.glob("*.toml"))]


def load(path: Path) -> Dodge:
    """Read a case and make its versions; the same file gives the same versions."""
    entry = tomllib.loads(path.read_text("utf-8"))
    make = _python_case if entry["program"] == "ledger" else _c_case
    return make(path.stem, entry)


def _edited(text: str, edits: list[dict[str, str]], file: str) -> str:
    for edit in edits:
        if edit.get("file", file) == file:
            old, new = edit["old"], edit["new"]
            assert text.count(old) == 1, (file, old, text.count(old))
            text = text.replace(old, new)
    return text


def _c_case(name: str, entry: dict[str, Any]) -> Dodge:
    program = entry["program"]
    source = (PROGRAMS / program / f"{program}.c").read_text("utf-8")
    correct = _edited(source, entry.get("base", []), f"{program}.c")
    faulty = _edited(correct, entry["edit"], f"{program}.c")
    fault = Fault(program, name, "", correct, faulty, ())
    hidden = hide(fault, HARMLESS, tangled=entry.get("tangled", False))
    given = {"stdin": entry["stdin"].lstrip("\n").encode()}
    return Dodge(
        name, entry["about"], entry["culprit"], entry["dodge"],
        {**hidden.good, **given}, {**hidden.bad, **given},
        entry["test"], f"$CC -std=c99 -g -w -o {program} *.c",
    )  # fmt: skip


def _python_case(name: str, entry: dict[str, Any]) -> Dodge:
    good: Files = {}
    bad: Files = {}
    for path in sorted(LEDGER.glob("*.py.in")):
        file = path.stem
        text = path.read_text("utf-8").replace("TEST", entry["check"])
        correct = _edited(text, entry.get("base", []), file)
        faulty = _edited(correct, entry["edit"], file)
        good[file], bad[file] = correct.encode(), faulty.encode()
        if file != "check.py":
            bad[file] = "\n".join(_rewritten(faulty, correct)).encode() + b"\n"
    return Dodge(
        name, entry["about"], entry["culprit"], entry["dodge"], good, bad, PYTHON_TEST, None
    )


def _rewritten(text: str, correct: str) -> list[str]:
    """Return the lines of a module with harmless changes, away from the lines that are new."""
    known = set(correct.splitlines())
    lines = text.splitlines()
    found: list[str] = []
    count = 0
    for number, line in enumerate(lines):
        around = lines[max(0, number - 2) : number + 3]
        match = _RETURN.match(line)
        if match and known.issuperset(around):
            count += 1
            if count % _EVERY:
                found += [f"{match[1]}result = {match[2]}", f"{match[1]}return result"]
                continue
        if line.strip().startswith('"""Return ') and known.issuperset(around):
            line = line.replace('"""Return ', '"""Get ')
        found.append(line)
    return found
