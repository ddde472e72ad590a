"""How does each test of a suite end, plain and recorded?"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.python.recorded import plain_environment, recorded_environment, recorded_modules
from bench.python.suites import Prepared, known_difference

WHOLE = "the whole suite"  # the name in the table if there are no results


@dataclass(frozen=True, slots=True)
class Outcome:
    """How each test ended, and the messages of those that failed."""

    ended: Mapping[str, str]
    told: Mapping[str, str]
    seconds: float


@dataclass(frozen=True, slots=True)
class Compared:
    """One suite, plain and recorded."""

    suite: str
    plain: Outcome
    recorded: Outcome
    unsteady: frozenset[str] = frozenset()  # tests that end differently in a second plain run
    modules: int = 0  # number of instrumented modules
    left_plain: Mapping[str, str] = field(default_factory=dict)  # uninstrumented files, and why
    unseen: tuple[str, ...] = ()  # files that should have been recorded and were not

    @property
    def differences(self) -> dict[str, tuple[str, str]]:
        """Return the tests that ended differently."""
        names = {*self.plain.ended, *self.recorded.ended} - self.unsteady
        if WHOLE in names:
            names = {WHOLE}
        pairs = {
            name: (self.plain.ended.get(name, "-"), self.recorded.ended.get(name, "-"))
            for name in sorted(names)
        }
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}

    @property
    def unknown(self) -> dict[str, tuple[str, str]]:
        """Return the differences that are not known ones."""
        return {name: pair for name, pair in self.differences.items() if not known_difference(name)}

    @property
    def is_same(self) -> bool:
        """Do all tests end the same, and was the code under test recorded?"""
        is_real = bool(self.plain.ended and self.modules) and not self.unseen
        return is_real and not self.unknown


def compare(suite: str, prepared: Prepared, work: Path, limit: float) -> Compared:
    """Run a suite plain and recorded; if they differ, plain again, to find unsteady tests."""
    plain_env = plain_environment(prepared.path)
    plain = run(prepared, work / "plain", plain_env, limit)
    trace = work / "trace"
    env = recorded_environment(prepared.path, prepared.tree, trace)
    recorded = run(prepared, work / "recorded", env, limit)
    seen = recorded_modules(trace, prepared.tree)
    shutil.rmtree(trace)
    unsteady: frozenset[str] = frozenset()
    if plain.ended != recorded.ended:
        again = run(prepared, work / "again", plain_env, limit)
        names = {*plain.ended, *again.ended}
        unsteady = frozenset(n for n in names if plain.ended.get(n) != again.ended.get(n))
    left_plain = {_short(file, prepared): why for file, why in seen.items() if why}
    unseen = tuple(_short(file, prepared) for file in prepared.wanted if file not in seen)
    modules = len(seen) - len(left_plain)
    return Compared(suite, plain, recorded, unsteady, modules, left_plain, unseen)


def _short(file: str, prepared: Prepared) -> str:
    is_within = Path(file).is_relative_to(prepared.tree)
    return os.path.relpath(file, prepared.tree) if is_within else file


def run(prepared: Prepared, place: Path, env: Mapping[str, str], limit: float) -> Outcome:
    """Run the tests in a fresh folder and return how they end; `log` in it keeps their output."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    out = place / "results.json"
    words = [str(out) if word == "OUT" else word for word in prepared.command]
    # Suites of packages name their tests within the tree; Python's write where they run.
    cwd = prepared.tree if "pytest" in words else place
    began = time.monotonic()
    with (place / "log").open("wb") as sink:
        process = subprocess.Popen(
            words, cwd=cwd, env={**env, "BENCH_RESULTS": str(out)}, stdin=subprocess.DEVNULL,
            stdout=sink, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    seconds = time.monotonic() - began
    if not out.exists():
        how = f"exit status {process.returncode} without results"
        return Outcome({WHOLE: how}, {WHOLE: last_lines(place)}, seconds)
    document = json.loads(out.read_text("utf-8"))
    return Outcome(document["ended"], document["told"], seconds)


def last_lines(place: Path) -> str:
    return "\n".join((place / "log").read_text(errors="replace").splitlines()[-25:])


# --- on disk -----------------------------------------------------------------------------------


def to_json(row: Compared) -> str:
    return json.dumps(asdict(row) | {"unsteady": sorted(row.unsteady)}, indent=1) + "\n"


def from_json(text: str) -> Compared:
    document = json.loads(text)
    plain, recorded = Outcome(**document.pop("plain")), Outcome(**document.pop("recorded"))
    unsteady, unseen = frozenset(document.pop("unsteady")), tuple(document.pop("unseen"))
    return Compared(plain=plain, recorded=recorded, unsteady=unsteady, unseen=unseen, **document)
