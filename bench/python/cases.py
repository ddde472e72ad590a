"""Which Python cases are there, and where do they run so that their originals stay unchanged?"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.isolate.cases import Case, NotInstallableError, install, load

PARTS = ("good", "bad", "deps")


@dataclass(frozen=True, slots=True)
class PythonCase:
    """A case in a folder of our own, with the functions that contain its culprits."""

    case: Case
    functions: frozenset[tuple[str, str]]  # file, qualified name


@dataclass(frozen=True, slots=True)
class Shelf:
    """Descriptions of cases, cases installed earlier (`env`), and our copies (`work`)."""

    described: Path
    env: Path
    work: Path
    python: str


def python_cases(shelf: Shelf, only: str, missing: dict[str, str]) -> Iterator[PythonCase]:
    """Yield the chosen cases one by one; `missing` gets those that cannot be installed."""
    for case_file in sorted((shelf.described / "python").glob("*/case.json")):
        if only in case_file.parent.name:
            try:
                yield copied(case_file.parent, shelf)
            except NotInstallableError as error:
                missing[case_file.parent.name] = str(error)


def copied(folder: Path, shelf: Shelf) -> PythonCase:
    """Return a fresh copy of the case, because Python writes compiled files beside its modules."""
    env = installed(folder, shelf)
    place = shelf.work / "cases" / folder.name
    shutil.rmtree(place, ignore_errors=True)
    for part in PARTS:
        shutil.copytree(env / part, place / part, symlinks=True)
    copy = shutil.copytree(folder, place / "case")
    culprits = json.loads((copy / "case.json").read_text())["culprit"]
    functions = frozenset((each["file"], each["function"]) for each in culprits)
    return PythonCase(load(copy, place, shelf.python), functions)


def installed(folder: Path, shelf: Shelf) -> Path:
    """Return the folder with the two versions, in `env`, or else installed into `work`."""
    there = shelf.env / folder.name
    if all((there / part).is_dir() for part in PARTS):
        return there
    ours = shelf.work / "env" / folder.name
    install(folder, ours, shelf.python)
    (ours / "deps").mkdir(exist_ok=True)
    return ours
