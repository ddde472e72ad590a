"""How often is the faulty line among the suspects of `whence darwin`?

python -m bench.darwin.run [--into FOLDER] [NAME...]

A pair is built once and compared in four ways: as `whence darwin` does without options, with
`--by path`, with `--predicates`, and with `--no-predicates`.
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
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.darwin.pairs import Pair, read_pairs
from whence.errors import UserError
from whence.report.darwin import darwin_document
from whence.service.program_pair import DarwinRequest, opened_pair
from whence.subject.trial import BuildAndTest

_SECONDS = 240  # of the clock, for one pair in all ways


_WAYS: dict[str, tuple[str, bool | None]] = {
    "default": ("slice", None),
    "--by path": ("path", None),
    "--predicates": ("slice", True),
    "--no-predicates": ("slice", False),
}


@dataclass(frozen=True)
class Score:
    """What `whence darwin` says about a pair in one way."""

    name: str
    kind: str
    language: str
    way: str
    line: int | None  # the rank of a suspect on a faulty line
    function: int | None  # the rank of the first suspect in the faulty function
    suspects: int
    places: tuple[str, ...]
    dropped: int
    runs: int
    solver_calls: int
    questions: dict[str, int]
    seconds: float  # of the processor, with what all ways share
    problem: str


def measure(pair: Pair, ways: Sequence[str]) -> Iterator[Score]:
    """Compare the two versions of a pair in some ways; yield each score."""
    with tempfile.TemporaryDirectory(prefix="whence-bench-") as folder:
        good, bad = map(str, pair.write(Path(folder)))
        commands = {
            version: BuildAndTest(build=build, test=test)
            for version in ("good", "bad")
            for build, test in [pair.commands(version)]
        }
        request = DarwinRequest(good, bad, commands["good"], commands["bad"], Path(folder))
        with opened_pair(request, lambda _: None) as opened:
            shared = _used()
            for way in ways:
                by, predicates = _WAYS[way]
                before = _used()
                out = Path(folder) / way
                document: dict[str, Any] = {}
                said = ""
                try:
                    document = darwin_document(opened.compare(out, by=by, predicates=predicates))
                except UserError as problem:
                    said = str(problem)
                yield score(pair, way, document, shared + _used() - before, said)


def score(pair: Pair, way: str, document: dict[str, Any], seconds: float, said: str) -> Score:
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
        way=way,
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
    """Return the seconds of the processor that this process and its ended children used."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


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


def read_scores(folder: Path, way: str) -> list[Score]:
    """Return the scores in a folder, in the order of the pairs."""
    found = []
    for pair in read_pairs():
        file = folder / f"{pair.name}.jsonl"
        lines = file.read_text("utf-8").splitlines() if file.exists() else []
        found += [
            Score(**{**fields, "places": tuple(fields["places"])})
            for fields in map(json.loads, lines)
            if fields["way"] == way
        ]
    return found


def beside(folder: Path) -> str:
    """Return the ways side by side: the line, the number of suspects, CPU seconds."""
    scores = {way: {one.name: one for one in read_scores(folder, way)} for way in _WAYS}
    rows = [f"| pair | {' | '.join(_WAYS)} |", f"| --- |{' --- |' * len(_WAYS)}"]
    for name in scores["default"]:
        cells = []
        for way in _WAYS:
            one = scores[way].get(name)
            place = "no" if one is None or one.line is None else one.line
            cells.append("-" if one is None else f"{place} of {one.suspects}, {one.seconds:.1f} s")
        rows.append(f"| {name} | {' | '.join(cells)} |")
    rows.append("")
    for way, own in scores.items():
        if own:
            rows.append(f"- {way}: {summary(list(own.values()))} {steps(list(own.values()))}")
    return "\n".join(rows)


def steps(scores: Sequence[Score]) -> str:
    """Return at which step the questions ended."""
    ended: Counter[str] = Counter()
    for one in scores:
        ended.update(one.questions)
    calls = sum(one.solver_calls for one in scores)
    return (
        f"Questions: {', '.join(f'{n} {part}' for part, n in ended.items())}; {calls} solver calls."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--way", action="append", choices=_WAYS, help="only in this way")
    parser.add_argument("--language")
    parser.add_argument(
        "--into",
        type=Path,
        help="keep the scores of each pair here; pairs that have some are not run",
    )
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument(
        "--seconds",
        type=float,
        default=1e9,
        help="begin no pair later; exit status 3 if any is left",
    )
    given = parser.parse_args()
    pairs, ways = _chosen(given.names, given.language), given.way or list(_WAYS)
    if given.one:
        for one in measure(pairs[0], ways):
            print(json.dumps(asdict(one)), flush=True)
        return
    with tempfile.TemporaryDirectory(prefix="whence-bench-") as temporary:
        into = given.into or Path(temporary)
        into.mkdir(parents=True, exist_ok=True)
        is_done = _measure_all(pairs, ways, into, given.seconds)
        print(table(read_scores(into, ways[0])), beside(into), sep="\n\n")
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


def _measure_all(pairs: Sequence[Pair], ways: Sequence[str], into: Path, seconds: float) -> bool:
    """Measure the pairs that have no score yet; return whether all have one now.

    Each pair has a process of its own, which ends at a limit on time.
    """
    started = time.monotonic()
    for pair in pairs:
        file = into / f"{pair.name}.jsonl"
        if file.exists():
            continue
        if time.monotonic() - started > seconds:
            return False
        command = [sys.executable, "-m", "bench.darwin.run", "--one", pair.name]
        command += [part for way in ways for part in (f"--way={way}",)]
        with file.open("wb") as out:
            try:
                subprocess.run(command, stdout=out, timeout=_SECONDS, check=False)
            except subprocess.TimeoutExpired:
                print(f"{pair.name}: out of time", file=sys.stderr)
        print(file.read_text("utf-8"), file=sys.stderr, flush=True)
        if not file.stat().st_size:
            failed = score(pair, ways[0], {}, 0.0, "no answer")
            file.write_text(json.dumps(asdict(failed)) + "\n")
    return True


if __name__ == "__main__":
    main()
