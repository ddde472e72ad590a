"""Which cases are explained?  Real C regressions, and seeded faults among harmless changes."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.explain import pairs
from bench.explain.harmless import hide, write
from bench.isolate.cases import Case, NotInstallableError, install, load, python_for_cases
from bench.isolate.score import Place
from bench.why.suite import BadSuiteError, Fault, Program

SIZES = (50, 150, 500)
BUILD = "$CC -std=c99 -g -w -o {program} *.c"


@dataclass(frozen=True, slots=True)
class Regression:
    """A case, and what judges its test."""

    case: Case
    oracle: str = "exit"  # or output
    note: str = ""


# --- real cases --------------------------------------------------------------------------------


def real_cases(
    folder: Path, work: Path, only: str, missing: dict[str, str]
) -> Iterator[Regression]:
    """Yield the C cases, installed one by one; `missing` gets those that cannot be installed."""
    for description in sorted((folder / "c").glob("*/case.json")):
        name = description.parent.name
        if only in name:
            try:
                install(description.parent, work / name, python_for_cases())
            except NotInstallableError as error:
                missing[name] = str(error)
            else:
                yield Regression(load(description.parent, work / name, python_for_cases()))


# --- hidden faults -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Plan:
    """A fault, and the number of changes among which it is hidden."""

    program: Program
    fault: Fault
    size: int
    tangled: bool  # a rename changes the faulty lines as well

    @property
    def id(self) -> str:
        tangled = "-tangled" if self.tangled else ""
        return f"{self.program.name}-{self.fault.name}-{self.size}{tangled}"


def sample(programs: Sequence[Program], sizes: Sequence[int], faults: int) -> list[Plan]:
    """Choose faults for each program and size, different ones as long as there are some.

    Every third plan is tangled.
    """
    plans = []
    for number, program in enumerate(programs):
        order = list(program.faults)
        random.Random(program.name).shuffle(order)
        for place, size in enumerate(sizes):
            for turn in range(faults):
                fault = order[(place * faults + turn) % len(order)]
                plans.append(Plan(program, fault, size, (number + place + turn) % 3 == 0))
    return plans


def hidden_case(plan: Plan, work: Path, seed: int = 1) -> Regression:
    """Write good/ and bad/ of a hidden fault and verify them, unless an earlier call did."""
    env, ready = work / plan.id, work / f"{plan.id}.json"
    made_by = _digest(plan, seed)
    description = json.loads(ready.read_text()) if ready.exists() else {}
    if description.get("made_by") != made_by:
        description = {"made_by": made_by, **_make(plan, env, seed)}
        ready.write_text(json.dumps(description))
    file, old, new = description["culprit"]
    culprits = (Place(file, tuple(old), tuple(new)),)
    test = pairs.failing(plan.fault).command(plan.program.name)
    build = BUILD.format(program=plan.program.name)
    case = Case(plan.id, f"hidden-{plan.size}", env, test, build, culprits, ())
    return Regression(case, "output", "" if description["is_alone"] else "tangled")


def _make(plan: Plan, env: Path, seed: int) -> dict[str, object]:
    shutil.rmtree(env, ignore_errors=True)
    hidden = hide(plan.fault, plan.size, seed, tangled=plan.tangled)
    with tempfile.TemporaryDirectory() as name:
        wrong = list(pairs.complaints(hidden, plan.program, plan.fault, Path(name)))
    if wrong:
        raise BadSuiteError(f"{plan.id}: {'; '.join(wrong)}")
    test = pairs.failing(plan.fault)
    for side, files in (("good", hidden.good), ("bad", hidden.bad)):
        write({**files, "stdin": test.stdin}, env / side)
    return {
        "culprit": (hidden.culprit.file, hidden.culprit.old, hidden.culprit.new),
        "is_alone": hidden.is_alone,
        "changes": hidden.changes,
        "kinds": hidden.kinds,
    }


def _digest(plan: Plan, seed: int) -> str:
    """Return a hash of the generator and the fault: if it changes, the versions are made again."""
    made_from = [plan.fault.correct, plan.fault.faulty, plan.id, str(seed)]
    made_from += [path.read_text("utf-8") for path in sorted(Path(__file__).parent.glob("*.py"))
                  if path.stem in _GENERATOR]  # fmt: skip
    return hashlib.sha256("\0".join(made_from).encode()).hexdigest()


_GENERATOR = {"desk", "features", "filler", "harmless", "refactorings", "renames", "reorderings",
              "source"}  # fmt: skip
