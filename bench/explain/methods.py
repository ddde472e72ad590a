"""What does whence answer on a case, explaining or isolating, and at what cost?"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.explain.cases import Regression
from bench.isolate.cases import last_words
from bench.isolate.methods import Ended, compiler, read_whence, run_limited
from bench.isolate.score import Answer, Place, Row, hits, score

EXPLAIN = "explain"
_TO_END = 1.25  # time for whence to end after its own limit, as a part of it
METHODS = (EXPLAIN, "dd", "add", "after")
PHASES = ("trace", "semantics", "solver", "search", "total")


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one search."""

    runs: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Measured:
    """The result of one method on one case."""

    row: Row
    status: str = ""  # explained, isolated, unexplained; empty without an answer
    causes: int = 0
    chain: int = 0  # number of links
    is_on_chain: bool = False  # does the chain show a culprit?
    solver_calls: int = 0
    phases: dict[str, float] | None = None  # seconds by phase, from the result document
    cpu: float = 0.0  # processor seconds, without variants that a server forked
    megabytes: int = 0  # the largest resident size of a process


def measure(regression: Regression, method: str, work: Path, limits: Limits) -> Measured:
    """Run whence on the case, from scratch, in the folder `work`."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    file = work / "result.json"
    env = {**os.environ, "CC": compiler()}
    words = command(regression, method, work, limits)
    most = limits.seconds * (_TO_END if method == EXPLAIN else 1)
    ended = run_limited(words, cwd=work, log=work / "stderr.log", env=env, seconds=most)
    document = json.loads(file.read_text()) if file.exists() else None
    return measured(regression, method, document, ended, limits, work / "runs.sqlite")


def command(regression: Regression, method: str, work: Path, limits: Limits) -> list[str]:
    case = regression.case
    words = [sys.executable, "-m", "whence", "explain" if method == EXPLAIN else "isolate"]
    words += ["--good", str(case.env / "good"), "--bad", str(case.env / "bad")]
    words += ["--test", case.test, *(["--build", case.build] if case.build else [])]
    words += ["--oracle", regression.oracle, "--store", str(work / "runs.sqlite")]
    words += [] if method == EXPLAIN else ["--method", method]
    # whence stops itself, so that it explains what it found; it is stopped if it does not.
    words += ["--max-time", str(limits.seconds)] if method == EXPLAIN else []
    words += ["--max-runs", str(limits.runs), "--json", str(work / "result.json"), "--quiet"]
    return words


def measured(
    regression: Regression,
    method: str,
    document: dict[str, Any] | None,
    ended: Ended,
    limits: Limits,
    store: Path,
) -> Measured:
    """Return the result in the document; without a document, the number of runs in the store."""
    case = regression.case
    if document is None:
        answer = _without_document(ended, store)
    else:
        answer = read_whence(document, limits.runs, ended.seconds)
        if ended.stopped:
            answer = _cut(answer, ended)
    row = score(case.id, case.group, method, case.culprits, case.supporting, answer)
    used: dict[str, Any] = {"cpu": ended.cpu, "megabytes": ended.peak_kib // 1024}
    if document is None:
        return Measured(row, **used)
    cost, chain = document["cost"], document.get("chain", [])
    return Measured(
        row,
        document["status"],
        causes=len(document["causes"]),
        chain=len(chain),
        is_on_chain=is_on_chain(document, case.culprits),
        solver_calls=cost.get("solver_calls", 0),
        phases={phase: cost["seconds"].get(phase, 0.0) for phase in PHASES},
        **used,
    )


def _without_document(ended: Ended, store: Path) -> Answer:
    if not ended.stopped:
        return Answer(error=last_words(ended.stderr) or f"exit status {ended.status}")
    return _cut(Answer(runs=stored_runs(store)), ended)


def _cut(answer: Answer, ended: Ended) -> Answer:
    note = f"stopped after {ended.seconds:.0f} s"
    return Answer(
        answer.root, answer.auxiliary, answer.changes, answer.runs, answer.builds,
        ended.seconds, cut=True, note=note,
    )  # fmt: skip


def stored_runs(store: Path) -> int:
    """Return how many outcomes the store of an ended search has."""
    if not store.exists():
        return 0
    connection = sqlite3.connect(store)
    try:
        return int(connection.execute("SELECT count(*) FROM run").fetchone()[0])
    finally:
        connection.close()


def is_on_chain(document: dict[str, Any], culprits: tuple[Place, ...]) -> bool:
    """Does a link of the chain show a culprit?"""
    return any(_shows(link, document["root"], culprits) for link in document.get("chain", []))


def _shows(link: dict[str, Any], root: list[dict[str, Any]], culprits: tuple[Place, ...]) -> bool:
    """Is the link a line of a culprit, or does it name a root change that hits one?

    A missing line is a line of the good version.
    """
    named = [change for change in root if set(change["pieces"]) & set(link["changes"])]
    if any(hits(_place(change), culprit) for change in named for culprit in culprits):
        return True
    return is_on_line(link, culprits)


def is_on_line(link: dict[str, Any], culprits: tuple[Place, ...]) -> bool:
    """Is the link a line of a culprit?"""
    is_missing = link.get("step") == "missing"
    return any(
        link["file"] == culprit.file
        and link["line"] in _lines(culprit.old if is_missing else culprit.new)
        for culprit in culprits
    )


def _place(change: dict[str, Any]) -> Place:
    (old, old_count), (new, new_count) = change["old"], change["new"]
    return Place(change["file"], (old, old_count), (new, new_count))


def _lines(span: tuple[int, int]) -> range:
    return range(span[0], span[0] + span[1])
