"""Which pairs are there, and what are the files of their two versions?"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomllib

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
_LANGUAGES = {".py": "Python", ".c": "C", ".cpp": "C++"}


@dataclass(frozen=True)
class Fault:
    """A faulty line: of the bad version, or one of the good version that the bad one lacks."""

    version: str
    file: str
    line: int


@dataclass(frozen=True)
class Pair:
    """Two versions of a program, or two programs, and a test that fails on the bad one."""

    name: str
    kind: str
    good: tuple[str, str]  # the name and the text of the program
    bad: tuple[str, str]
    arguments: tuple[str, ...]
    stdin: str | None
    faults: tuple[Fault, ...]
    function: str

    @property
    def language(self) -> str:
        return _LANGUAGES[Path(self.bad[0]).suffix]

    @property
    def lines(self) -> int:
        return max(text.count("\n") for _, text in (self.good, self.bad))

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write both versions; return their folders."""
        for version, (name, text) in (("good", self.good), ("bad", self.bad)):
            (folder / version).mkdir(parents=True)
            (folder / version / name).write_text(text)
            if self.stdin is not None:
                (folder / version / "input").write_text(self.stdin)
        return folder / "good", folder / "bad"

    def commands(self, version: str) -> tuple[str | None, str]:
        """Return the build command and the test command of a version."""
        name = (self.good if version == "good" else self.bad)[0]
        compiler = {".c": "$CC", ".cpp": "$CXX"}.get(Path(name).suffix)
        start = f"./{Path(name).stem}" if compiler else f"python3 {name}"
        test = " ".join([start, *map(shlex.quote, self.arguments)])
        build = f"{compiler} -g -o {Path(name).stem} {name}" if compiler else None
        return build, test if self.stdin is None else f"{test} < input"


def edited(text: str, edits: Sequence[Sequence[str]], name: str) -> str:
    """Return a text with each edit made at the one place that it fits."""
    for old, new in edits:
        if text.count(old) != 1:
            raise ValueError(f"{name}: {old!r} is there {text.count(old)} times")
        text = text.replace(old, new)
    return text


def read_pairs(file: Path = HERE / "pairs.toml") -> list[Pair]:
    return [_pair(one) for one in tomllib.loads(file.read_text("utf-8"))["pair"]]


def _pair(one: dict[str, Any]) -> Pair:
    names = one["program"], one.get("program_bad", one["program"])
    texts = [
        edited((PROGRAMS / name).read_text("utf-8"), one.get(version, []), one["name"])
        for name, version in zip(names, ("good", "bad"), strict=True)
    ]
    good, bad = zip(names, texts, strict=True)
    wrong = [one[key] for key in ("fault", "also") if key in one]
    faults = [_fault("bad", *bad, text) for text in wrong]
    faults += [_fault("good", *good, text) for text in one.get("fault_good", [])]
    return Pair(
        one["name"], one["kind"], good, bad, tuple(one.get("arguments", ())), one.get("stdin"),
        tuple(faults), one["function"],
    )  # fmt: skip


def _fault(version: str, name: str, text: str, fault: str) -> Fault:
    found = [number for number, line in enumerate(text.splitlines(), 1) if line.strip() == fault]
    if not found:
        raise ValueError(f"{name} has no line {fault!r}")
    return Fault(version, name, found[0])
