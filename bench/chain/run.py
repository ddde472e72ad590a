"""How much of the ideal chain does `whence chain` find with only the failing program?

The ideal chain compares the failing run with the run of the corrected program (FIC, section 2).
The approximate one has no corrected program: it compares with the failing run in which one branch
is switched.  Coverage is the share of the ideal chain's lines that the approximate chain has,
relevance the share of the approximate chain's lines that are in the ideal one.  Both say nothing
if the ideal chain ends before the fault: so the table tells which chains have a line of the fault.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import resource
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import whence

CASES = Path(__file__).with_name("cases")
_COMPILERS = {".c": "$CC", ".cpp": "$CXX"}
_CHOICE = re.compile(r"@\{(.*?)\|(.*?)\}", re.DOTALL)  # bad, good


@dataclass(frozen=True)
class Measured:
    """The chain of one case."""

    lines: tuple[int, ...]
    proved: int
    runs: int
    seconds: float  # of CPU
    status: str


def versions(case: Path) -> tuple[str, str]:
    """Return the failing and the corrected text of a case."""
    text = case.read_text("utf-8")
    return _CHOICE.sub(r"\1", text), _CHOICE.sub(r"\2", text)


def faulty_lines(case: Path) -> set[int]:
    """Return the lines of the fault in the failing program; none if only something is left out."""
    text, lines, at, before = case.read_text("utf-8"), set[int](), 0, 1
    for choice in _CHOICE.finditer(text):
        before += text.count("\n", at, choice.start())
        bad = choice[1]
        if bad.strip() or _is_within_line(text, choice):
            lines |= set(range(before, before + bad.strip("\n").count("\n") + 1))
        before, at = before + bad.count("\n"), choice.end()
    return lines


def _is_within_line(text: str, choice: re.Match[str]) -> bool:
    """Does something that is left out leave a rest of its line?"""
    start = text.rfind("\n", 0, choice.start()) + 1
    end = text.find("\n", choice.end())
    return bool((text[start : choice.start()] + text[choice.end() : end]).strip())


def measure(case: Path, folder: Path, *, ideal: bool) -> Measured:
    """Run `whence chain` on a case, with the corrected program or without it."""
    bad, good = versions(case)
    is_c = case.suffix in _COMPILERS
    name = f"program{case.suffix}" if is_c else "program.py"
    for version, text in (("bad", bad), ("good", good)):
        (folder / version).mkdir(exist_ok=True)
        (folder / version / name).write_text(text)
    test = "./program" if is_c else f"{sys.executable} program.py"
    expected = _printed(folder / "good", test, case.suffix)
    (folder / "expected").write_bytes(expected)
    words = [sys.executable, "-m", "whence", "chain", "--bad", str(folder / "bad")]
    words += ["--test", test, "--expect", str(folder / "expected"), "--fresh", "--json", "-"]
    words += ["--build", f"{_COMPILERS[case.suffix]} -g -o program {name}"] if is_c else []
    words += ["--good", str(folder / "good")] if ideal else []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if not ended.stdout:
        return Measured((), 0, 0, seconds, ended.stderr.strip().splitlines()[-1])
    found = json.loads(ended.stdout)
    lines = tuple(dict.fromkeys(link["line"] for link in found["chain"]))
    proved = sum(link["proved"] for link in found["chain"])
    return Measured(lines, proved, found["cost"]["runs"], seconds, found["status"])


def _printed(tree: Path, test: str, suffix: str) -> bytes:
    if suffix in _COMPILERS:
        compiler = "cc" if suffix == ".c" else "c++"
        subprocess.run([compiler, "-o", "program", f"program{suffix}"], cwd=tree, check=True)
    printed = subprocess.run(test.split(), cwd=tree, check=True, capture_output=True).stdout
    if suffix in _COMPILERS:
        (tree / "program").unlink()
    return printed


def measured(case: Path, kept: Path | None) -> tuple[Measured, Measured]:
    """Return the ideal and the approximate chain of a case.

    `kept` is a folder with what was measured before.  Only the same case and the same code count.
    """
    file = None if kept is None else kept / f"{case.name}.json"
    state = _state(case)
    if file is not None and file.exists():
        known = json.loads(file.read_text("utf-8"))
        if known["state"] == state:
            return _read(known["ideal"]), _read(known["approximate"])
    with tempfile.TemporaryDirectory() as name:
        ideal = measure(case, Path(name), ideal=True)
        found = measure(case, Path(name), ideal=False)
    if file is not None:
        row = {"state": state, "ideal": asdict(ideal), "approximate": asdict(found)}
        part = file.with_suffix(".part")  # a killed run leaves no half of a result
        part.write_text(json.dumps(row) + "\n", "utf-8")
        part.replace(file)
    return ideal, found


def _read(row: dict[str, Any]) -> Measured:
    return Measured(**row | {"lines": tuple(row["lines"])})


def _state(case: Path) -> str:
    """Return a text that changes with the case and with the code of whence."""
    digest = hashlib.sha256(case.read_bytes())
    top = Path(whence.__file__).parent
    for path in sorted(top.rglob("*")):
        if path.suffix in (".py", ".c", ".h"):
            digest.update(path.relative_to(top).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="cases whose name contains one of A,B,...")
    parser.add_argument("--verbose", action="store_true", help="name the lines of both chains")
    parser.add_argument("--out", type=Path, help="keep each result here; go on where a run ended")
    options = parser.parse_args()
    only: list[str] = options.only.split(",")
    verbose: bool = options.verbose
    kept: Path | None = options.out
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
    cases = [case for case in sorted(CASES.iterdir()) if any(each in case.name for each in only)]
    if not cases:
        parser.error(f"no case has {options.only} in its name")
    total: list[tuple[float, float]] = []
    print("| case | ideal | approximate | coverage | relevance | fault | proved | runs | CPU s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for case in cases:
        ideal, found = measured(case, kept)
        both = len(set(ideal.lines) & set(found.lines))
        coverage = both / len(ideal.lines) if ideal.lines else 0.0
        relevance = both / len(found.lines) if found.lines else 0.0
        total.append((coverage, relevance))
        fault = faulty_lines(case)
        reached = [bool(fault & {*each.lines}) for each in (ideal, found)]
        shown = ", ".join("yes" if each else "no" for each in reached) if fault else "left out"
        if verbose:
            print(f"{case.name}: ideal {ideal.lines}, approximate {found.lines}", file=sys.stderr)
        print(
            f"| {case.name} | {len(ideal.lines)} {ideal.status} | {len(found.lines)} "
            f"{found.status} | {coverage:.0%} | {relevance:.0%} | {shown} "
            f"| {ideal.proved}, {found.proved} | {ideal.runs}, {found.runs} "
            f"| {ideal.seconds:.1f}, {found.seconds:.1f} |",
            flush=True,
        )
    means = [sum(each) / len(total) for each in zip(*total, strict=True)]
    print(f"\n{len(total)} cases: mean coverage {means[0]:.1%}, mean relevance {means[1]:.1%}")


if __name__ == "__main__":
    main()
