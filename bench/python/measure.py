"""What does a method find on a Python case, and does the chain pass through the culprit?"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.explain import table
from bench.explain.cases import Regression
from bench.explain.methods import EXPLAIN, Limits, Measured, is_on_line, measure
from bench.isolate import methods
from bench.isolate.cases import NotInstallableError
from bench.isolate.score import Answer, score
from bench.python.cases import PythonCase

ISOLATE = "fast"  # the default method of `whence isolate`
METHODS = (EXPLAIN, ISOLATE, methods.RIVAL)


@dataclass(frozen=True, slots=True)
class Seen:
    """One method on one case.

    `has_line`: is a link of the chain a line of a culprit, or does it name a root change that
    hits one?  `has_exact_line`: is a link a line of a culprit?  `has_function`: is a link in a
    culprit's function?
    """

    measured: Measured
    has_line: bool = False
    has_exact_line: bool = False
    has_function: bool = False
    reason: str = ""  # why there is no explanation


def seen(case: PythonCase, method: str, work: Path, limits: Limits) -> Seen:
    """Run the method on the case, from scratch, in the folder `work`."""
    if method == methods.RIVAL:
        return Seen(_rival(case, work, limits))
    measured = measure(Regression(case.case), method, work, limits)
    file = work / "result.json"
    document = json.loads(file.read_text()) if file.exists() else {}
    return judged(case, measured, document)


def judged(case: PythonCase, measured: Measured, document: dict[str, Any]) -> Seen:
    """Return what the result document says about the culprits, beyond the common measurements."""
    chain = document.get("chain", [])
    return Seen(
        measured,
        has_line=measured.is_on_chain,
        has_exact_line=any(is_on_line(link, case.case.culprits) for link in chain),
        has_function=any(is_in_function(link, case.functions) for link in chain),
        reason=document.get("reason") or "",
    )


def is_in_function(link: dict[str, Any], functions: Iterable[tuple[str, str]]) -> bool:
    """Is the link in one of the functions, or in a function that is defined in one of them?"""
    name = (link.get("function") or "").replace(".<locals>", "")
    return any(
        link["file"] == file and (name == function or name.startswith(f"{function}."))
        for file, function in functions
    )


def _rival(case: PythonCase, work: Path, limits: Limits) -> Measured:
    program = work.parents[2] / methods.RIVAL  # installed once for all cases
    try:
        bounds = methods.Limits(limits.runs, limits.seconds)
        answer = methods.rival(case.case, methods.install_rival(program), work, bounds)
    except NotInstallableError as error:
        answer = Answer(error=str(error))
    described = case.case
    return Measured(
        score(
            described.id,
            described.group,
            methods.RIVAL,
            described.culprits,
            described.supporting,
            answer,
        )
    )


def to_json(row: Seen) -> str:
    return json.dumps(asdict(row), indent=1) + "\n"


def from_json(text: str) -> Seen:
    document = json.loads(text)
    return Seen(table.from_json(json.dumps(document.pop("measured"))), **document)
