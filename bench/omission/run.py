"""Measure whether `whence explain` names the fault of a program, and tells a dodge from it."""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench import WORK
from bench.explain.methods import is_on_chain
from bench.isolate.score import Place, hits
from bench.omission.cases import BadCaseError, Omission, Pair, hidden, load_all
from bench.trace.table import markdown_table

HEAD = ("fault", "in root", "on chain", "explained", "dodge told", "changes", "runs", "CPU s")


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", help="only faults with this in PROGRAM/NAME")
    parser.add_argument("--make", action="store_true", help="only make and verify the versions")
    parser.add_argument("--seconds", type=float, default=600.0, help="limit for one case")
    parser.add_argument("--work", type=Path, default=WORK / "omission")
    return parser.parse_args(arguments)


def explained(case: Omission, pair: Pair, seconds: float) -> dict[str, Any] | None:
    """Return the result document of `whence explain`; None if there is none."""
    out = pair.folder / "result.json"
    words = [sys.executable, "-m", "whence", "explain", "--quiet"]
    words += ["--oracle", "output"] if case.is_output else []
    words += ["--good", str(pair.folder / "good"), "--bad", str(pair.folder / "bad")]
    words += ["--test", case.test, "--build", case.build]
    words += ["--store", str(pair.folder / "runs.sqlite"), "--json", str(out)]
    with (pair.folder / "out.txt").open("wb") as log:
        try:
            subprocess.run(
                words, cwd=pair.folder, stdout=log, stderr=log, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired:
            return None
    return dict(json.loads(out.read_text())) if out.exists() else None


@dataclass(frozen=True)
class Row:
    """What whence answered to one fault."""

    name: str
    in_root: str = "-"  # the number of root changes that are the fault, of how many
    is_found: bool = False
    is_on_chain: bool = False
    is_explained: bool = False
    has_dodge: bool = False
    is_told: bool = False  # does the answer call another set than the fault a dodge?
    changes: int = 0
    runs: int = 0
    seconds: float = 0.0  # of the CPU

    @property
    def is_right(self) -> bool:
        return self.is_found and self.is_on_chain and self.is_explained

    def cells(self) -> tuple[str, ...]:
        # Whoever finds the fault first does not meet the dodge, and has nothing to tell.
        unmet = ("not met" if self.is_found else "NO") if self.has_dodge else "-"
        told = "told" if self.is_told else unmet
        return (
            self.name, self.in_root, _yes(self.is_on_chain), _yes(self.is_explained), told,
            str(self.changes), str(self.runs), f"{self.seconds:.0f}",
        )  # fmt: skip


def _cpu_seconds() -> float:
    """Return the CPU seconds of the commands that have ended, and of those that they waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def _yes(claim: bool) -> str:
    return "yes" if claim else "NO"


def row(case: Omission, pair: Pair, document: dict[str, Any] | None) -> Row:
    """Return what whence answered, compared with the fault."""
    name = f"{case.program}/{case.name}"
    if document is None:
        return Row(name, has_dodge=case.has_dodge, changes=pair.changes)
    root, cost = document["root"], document["cost"]
    found = [change for change in root if _hits(change, pair.culprits)]
    told = bool(found) and (
        bool(document.get("dodged"))
        or any(_is_told(other, pair.culprits) for other in document.get("other", []))
    )
    return Row(
        name, f"{len(found)} of {len(root)}", bool(found), is_on_chain(document, pair.culprits),
        document["status"] == "explained", case.has_dodge, told, pair.changes, cost["runs"],
    )  # fmt: skip


def _is_told(other: dict[str, Any], culprits: tuple[Place, ...]) -> bool:
    """Is another set called a dodge, and is it not the fault itself?"""
    return other["is_dodge"] and not any(_hits(change, culprits) for change in other["root"])


def _hits(change: dict[str, Any], culprits: tuple[Place, ...]) -> bool:
    place = Place(change["file"], tuple(change["old"]), tuple(change["new"]))
    return any(hits(place, culprit) for culprit in culprits)


def summary(rows: Sequence[Row]) -> str:
    """Return how many answers are right, and of the cases with a dodge, how many tell it.

    An answer that finds the fault first need not meet the dodge, and does not tell it.
    """
    right = sum(each.is_right for each in rows)
    dodges = [each for each in rows if each.has_dodge]
    told = sum(each.is_told for each in dodges)
    unmet = sum(each.is_found and not each.is_told for each in dodges)
    text = f"{right} of {len(rows)} right"
    if dodges:
        text += f"; of {len(dodges)} dodges {told} told, {unmet} not met"
    return text


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    rows: list[Row] = []
    for case in load_all(options.work.resolve() / "releases", options.only or [""]):
        name = f"{case.program}/{case.name}"
        own = options.work.resolve() / f"{case.program}-{case.name}"
        shutil.rmtree(own, ignore_errors=True)
        try:
            pair = hidden(case, own)
        except BadCaseError as error:
            print(error, flush=True)
            rows.append(Row(name))
            continue
        if options.make:
            is_made = Row(name, "-", True, True, True, changes=pair.changes)
            rows.append(is_made)
            print(f"{name}: {pair.changes} changes, fault in {pair.culprits}", flush=True)
            continue
        before = _cpu_seconds()
        document = explained(case, pair, options.seconds)
        rows.append(replace(row(case, pair, document), seconds=_cpu_seconds() - before))
        print(*rows[-1].cells(), sep="  ", flush=True)
    print(markdown_table(HEAD, [each.cells() for each in rows]))
    print(f"\n{summary(rows)}")
    return 0 if all(each.is_right for each in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
