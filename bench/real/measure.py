"""What does `whence explain` find on a real regression, and at what cost?"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from bench.explain.methods import is_on_chain, stored_runs
from bench.isolate.cases import last_words
from bench.isolate.methods import Ended, read_whence, run_limited
from bench.isolate.score import Answer, hits
from bench.real.cases import RealCase, Recipe
from whence.model import Outcome
from whence.search.store import Store

# What whence reports while it works on a run that was recorded.  Only used for a command that was
# stopped before it wrote a result.
RECORDED_LOG = "looking for causes"
GRACE = 60.0  # seconds to write the best answer after an interrupt; the machine may be busy


@dataclass(frozen=True, slots=True)
class Measured:
    """The result of one case.  `None`: the command was stopped before that was known."""

    case: str
    changes: int
    built: bool | None  # with the recording compiler
    seen: bool | None
    explained: bool
    root: int
    is_minimal: bool  # was the search for the root finished?
    is_in_root: bool  # only of a minimal root: a large set says nothing
    is_on_chain: bool
    runs: int
    builds: int
    wasted: int
    seconds: float
    cpu: float
    note: str


def measure(
    case: RealCase, recipe: Recipe, env: Path, work: Path, python: str, seconds: float
) -> Measured:
    """Run `whence explain` of the interpreter `python`, from scratch, in the folder `work`."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    result, store = work / "result.json", work / "runs.sqlite"
    command = [python, "-m", "whence", "explain", "--test", recipe.test, "--build", recipe.build]
    command += ["--good", str(env / "good"), "--bad", str(env / "bad")]
    command += ["--store", str(store), "--json", str(result), "--html", str(work / "report.html")]
    # All cases of a measurement share a cache of their own; a compiler that the shell names would
    # be used for some builds and not for others.
    environment = {k: v for k, v in os.environ.items() if k not in ("CC", "CXX")}
    ended = run_limited(
        command,
        cwd=work,
        log=work / "stderr.log",
        out=work / "report.txt",
        env=environment | {"XDG_CACHE_HOME": str(work.parent / "cache")},
        seconds=seconds,
        grace=GRACE,
    )
    document = json.loads(result.read_text("utf-8")) if result.exists() else None
    row = measured(case, document, ended, store)
    return replace(row, note=row.note.replace(f"{env}{os.sep}", ""))  # no paths of this machine


def measured(
    case: RealCase, document: dict[str, Any] | None, ended: Ended, store: Path
) -> Measured:
    """Return what the result document shows; without one, what the log and the store show."""
    if document is None:
        answer, causes, chain = Answer(runs=stored_runs(store)), [], []
        is_recorded, is_minimal = RECORDED_LOG in ended.stderr, False
        note = "" if ended.stopped else last_words(ended.stderr) or f"exit status {ended.status}"
    else:
        answer = read_whence(document, 0, ended.seconds)
        causes, chain = document["causes"], document.get("chain", [])
        is_recorded = document["cost"].get("recorded", 0) > 0 or RECORDED_LOG in ended.stderr
        is_minimal = document["status"] != "unexplained"
        note = document.get("reason") or ("" if chain else "; ".join(document["notes"]))
    if ended.stopped:
        note = f"stopped after {ended.seconds:.0f} s; {note}".removesuffix("; ")
    in_root = any(hits(one, culprit) for one in answer.root for culprit in case.culprits)
    unknown = None if ended.stopped else False  # a stopped command may not have come so far
    return Measured(
        case.name,
        answer.changes,
        built=is_recorded or unknown,
        seen=bool(causes) or unknown,
        explained=bool(chain),
        root=len(answer.root),
        is_minimal=is_minimal,
        is_in_root=is_minimal and in_root,
        is_on_chain=document is not None and is_on_chain(document, case.culprits),
        runs=answer.runs,
        builds=answer.builds,
        wasted=wasted_builds(store),
        seconds=ended.seconds,
        cpu=ended.cpu,
        note=" ".join(note.split()),
    )


def wasted_builds(store: Path) -> int:
    """Return how many runs in the store of a search ended with a build that failed."""
    if not store.exists():
        return 0
    connection = sqlite3.connect(store)
    try:
        keys = [key for (key,) in connection.execute("SELECT key FROM run")]
    finally:
        connection.close()
    kept = Store(store)
    runs = [kept.get(key) for key in keys]
    kept.close()
    return sum(run is not None and run.outcome is Outcome.BROKEN and not run.built for run in runs)


def to_json(row: Measured) -> str:
    return json.dumps(asdict(row), indent=1) + "\n"


def from_json(text: str) -> Measured:
    return Measured(**json.loads(text))
