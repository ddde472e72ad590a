"""The changes of the benchmark: each is a bad version of a program of `programs`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tomllib

PROGRAMS = Path(__file__).with_name("programs")
_HIDDEN = ".in"  # the end of the names of Python files, so that no tool takes them for ours
_LIST = "changes.toml"


@dataclass(frozen=True)
class Case:
    """One change of a program, with the test that the program has."""

    program: str
    name: str
    is_refactoring: bool  # it alters nothing that the program does
    build: str | None
    test: str
    inputs: tuple[str, ...]  # values of --input
    file: str  # that the change is in
    old: str
    new: str

    @property
    def language(self) -> str:
        suffixes = {".c": "C", ".cc": "C++", ".py": "Python"}
        return suffixes[Path(self.file).suffix]

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write both versions below a folder; return the good one and the bad one."""
        for version in ("good", "bad"):
            (folder / version).mkdir(parents=True)
            for source in sorted((PROGRAMS / self.program).iterdir()):
                if source.name != _LIST:
                    target = folder / version / source.name.removesuffix(_HIDDEN)
                    target.write_bytes(source.read_bytes())
        changed = folder / "bad" / self.file
        text = changed.read_text("utf-8")
        if text.count(self.old) != 1:
            raise ValueError(
                f"{self.program}/{self.name}: `old` is there {text.count(self.old)} times"
            )
        changed.write_text(text.replace(self.old, self.new), "utf-8")
        return folder / "good", folder / "bad"


def read_cases(programs: Path = PROGRAMS) -> Iterator[Case]:
    """Yield the changes and refactorings of all programs."""
    for folder in sorted(programs.iterdir()):
        data = tomllib.loads((folder / _LIST).read_text("utf-8"))
        for kind in ("change", "refactoring"):
            for one in data.get(kind, []):
                yield Case(
                    program=folder.name,
                    name=one["name"],
                    is_refactoring=kind == "refactoring",
                    build=data.get("build"),
                    test=data["test"].replace("python3", sys.executable),
                    inputs=tuple(data["input"].split()) if "input" in data else (),
                    file=one.get("file", data["file"]),
                    old=one["old"],
                    new=one["new"],
                )
