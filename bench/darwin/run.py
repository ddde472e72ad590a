"""How often is the faulty line among the suspects of `whence darwin`?

python -m bench.darwin.run [--by path] [--predicates] [--into FOLDER] [NAME...]
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.darwin.pairs import Pair, read_pairs

_SECONDS = 150  # of the clock, for one pair


@dataclass(frozen=True)
class Score:
    """What one run of `whence darwin` on a pair says."""

    name: str
    kind: str
    language: str
    line: int | None  # the rank of the suspect on a faulty line
    function: int | None  # the rank of the first suspect in the faulty function
    suspects: int
    places: tuple[str, ...]
    dropped: int
    runs: int
    solver_calls: int
    questions: dict[str, int]
    seconds: float  # of the processor
    problem: str


def measure(pair: Pair, options: Sequence[str]) -> Score:
    """Run `whence darwin` on a pair."""
    with tempfile.TemporaryDirectory(prefix="whence-bench-") as folder:
        good, bad = pair.write(Path(folder))
        build, test = pair.commands("bad")
        build_good, test_good = pair.commands("good")
        command = [sys.executable, "-m", "whence", "darwin", "--quiet", "--json", "-"]
        command += ["--good", str(good), "--bad", str(bad), "--test", test]
        command += ["--test-good", test_good, *options]
        if build and build_good:
            command += ["--build", build, "--build-good", build_good]
        before = _used()
        try:
            ended = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
            text, said = ended.stdout, ended.stderr.decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            text, said = b"", "out of time"
        seconds = _used() - before
    return score(pair, json.loads(text) if text else {}, seconds, said)


def score(pair: Pair, document: dict[str, Any], seconds: float, said: str) -> Score:
    """Compare the suspects with the fault."""
    suspects = document.get("suspects", [])
    wrong = {(fault.version, fault.file, fault.line) for fault in pair.faults}
    lines = [one["rank"] for one in suspects if wrong & _places(one)]
    inside = [one["rank"] for one in suspects if one["function"].endswith(pair.function)]
    problem = document.get("reason") or (said.strip().splitlines() or ["no answer"])[0]
    return Score(
        name=pair.name,
        kind=pair.kind,
        language=pair.language,
        line=min(lines, default=None),
        function=min(inside, default=None),
        suspects=len(suspects),
        places=tuple(f"{one['version']}:{one['file']}:{one['line']}" for one in suspects),
        dropped=document.get("dropped", 0),
        runs=document.get("cost", {}).get("runs", 0),
        solver_calls=document.get("cost", {}).get("solver_calls", 0),
        questions=document.get("questions", {}),
        seconds=seconds,
        problem="" if suspects else problem,
    )


def _places(suspect: dict[str, Any]) -> set[tuple[str, str, int]]:
    """Return the lines that a suspect names: its own, and where it belongs in the bad version."""
    found = {(suspect["version"], suspect["file"], suspect["line"])}
    if suspect["changed"] and suspect["in_bad"]:
        found.add(("bad", suspect["in_bad"]["file"], suspect["in_bad"]["line"]))
    return found


def _used() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def table(scores: Sequence[Score]) -> str:
    """Return the scores as a table in Markdown, with a summary."""
    rows = [
        "| pair | kind | line | function | suspects | dropped | solver calls | runs | CPU s |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    rows += [
        f"| {one.name} | {one.kind}, {one.language} | {one.line or 'no'} | "
        f"{one.function or 'no'} | "
        f"{one.suspects} | {one.dropped} | {one.solver_calls} | {one.runs} | {one.seconds:.1f} |"
        for one in scores
    ]
    return "\n".join([*rows, "", summary(scores)])


def summary(scores: Sequence[Score]) -> str:
    """Return the figures of all pairs in one line."""
    on_line = sum(one.line is not None for one in scores)
    inside = sum(one.function is not None or one.line is not None for one in scores)
    median = statistics.median(one.suspects for one in scores)
    seconds = statistics.median(one.seconds for one in scores)
    return (
        f"{len(scores)} pairs: {on_line} on the line, {inside} in the function; median "
        f"{median:g} suspects, {seconds:.1f} CPU seconds."
    )


def read_scores(folder: Path) -> list[Score]:
    """Return the scores in a folder, in the order of the pairs."""
    found = []
    for pair in read_pairs():
        file = folder / f"{pair.name}.json"
        if file.exists():
            fields = json.loads(file.read_text("utf-8"))
            found.append(Score(**{**fields, "places": tuple(fields["places"])}))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--by", default="slice")
    parser.add_argument("--predicates", action="store_true")
    parser.add_argument("--no-predicates", action="store_true")
    parser.add_argument("--language")
    parser.add_argument(
        "--into", type=Path, help="keep a score for each pair here; pairs that have one are not run"
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=1e9,
        help="begin no pair later; exit status 3 if any is left",
    )
    given = parser.parse_args()
    options = ["--by", given.by]
    options += ["--predicates"] * given.predicates + ["--no-predicates"] * given.no_predicates
    with tempfile.TemporaryDirectory(prefix="whence-bench-") as temporary:
        into = given.into or Path(temporary)
        into.mkdir(parents=True, exist_ok=True)
        is_done = _measure_all(_chosen(given.names, given.language), options, into, given.seconds)
        print(table(read_scores(into)))
    sys.exit(0 if is_done else 3)


def _chosen(names: Sequence[str], language: str | None) -> list[Pair]:
    pairs = read_pairs()
    unknown = set(names) - {pair.name for pair in pairs}
    if unknown:
        sys.exit(f"no such pair: {', '.join(sorted(unknown))}")
    return [
        pair
        for pair in pairs
        if (not names or pair.name in names) and language in (None, pair.language)
    ]


def _measure_all(pairs: Sequence[Pair], options: Sequence[str], into: Path, seconds: float) -> bool:
    """Measure the pairs that have no score yet; return whether all have one now."""
    started = time.monotonic()
    for pair in pairs:
        file = into / f"{pair.name}.json"
        if file.exists():
            continue
        if time.monotonic() - started > seconds:
            return False
        measured = measure(pair, options)
        print(measured, file=sys.stderr, flush=True)
        file.write_text(json.dumps(asdict(measured), indent=1))
    return True


if __name__ == "__main__":
    main()
