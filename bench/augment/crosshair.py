"""How many of the changes in Python functions does CrossHair's `diffbehavior` show?

    python -m bench.augment.crosshair CROSSHAIR [--cpu SECONDS]

CROSSHAIR is its command, in a virtual environment of its own.  It compares two functions, and
needs the types of their parameters; these are added to copies of the programs.  What it finds is
run once more, in both versions.  The programs that read standard input are not for it.
"""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import tempfile
from pathlib import Path

from bench.augment.cases import Case, read_cases

# By program: the functions with the types of their parameters, tried one after the other.
_FUNCTIONS = {
    "tariff": {
        "total_price": "grams: int, length: int, width: int, height: int, zone: int, count: int, "
        "day: int",
        "euros": "cents: int",
    },
    "tokens": {"shown": "text: str"},
    "invoice": {
        "is_leap": "year: int",
        "month_length": "year: int, month: int",
        "day_number": "text: str",
        "cents": "text: str",
        "share": "amount: int, percent: int",
    },
    "loan": {
        "price": "kind: str, days: int, copies: int, age: int, visits: int, debt: int",
        "fine": "kind: str, days: int",
        "bonus": "visits: int",
        "is_blocked": "debt: int, owed: int, visits: int",
        "reduced": "cents: int, age: int",
    },
    "roster": {
        "shift_pay": "minutes: int, night: int, sunday: bool, share: int, rate: int",
        "overtime": "minutes: int, rate: int",
        "overlap": "first_start: int, first_end: int, second_start: int, second_end: int",
        "night_minutes": "start: int, end: int",
        "parse_line": "line: str",
    },
}
_SHOWN = re.compile(r"^Given: \((.*)\),?$", re.MULTILINE)


def measure(case: Case, crosshair: str, seconds: float) -> tuple[str, float]:
    """Return what CrossHair says about a change, and its CPU seconds."""
    functions = _FUNCTIONS[case.program]
    with tempfile.TemporaryDirectory(prefix="whence-bench-") as name:
        folder = Path(name)
        for version, tree in zip(("good", "bad"), case.write(folder / "trees"), strict=True):
            text = (tree / case.file).read_text("utf-8")
            for function, parameters in functions.items():
                text = re.sub(rf"def {function}\(.*\):", f"def {function}({parameters}):", text)
            (folder / f"{version}.py").write_text(text, "utf-8")
        before = _used()
        said = "not found"
        for function in functions:
            words = [crosshair, "diffbehavior", f"good.{function}", f"bad.{function}"]
            words += ["--per_condition_timeout", str(seconds / len(functions))]
            ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
            found = _SHOWN.search(ended.stdout)
            if found is not None:
                said = f"{function}({found[1]})"
                break
            lines = ended.stdout.splitlines()
            ends = [one for one in lines if "All paths explored" in one or "No differences" in one]
            said = ends[-1].strip() if ends else said
        return said, _used() - before


def _used() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("crosshair")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--cpu", type=float, default=10.0)
    given = parser.parse_args()
    print("| change | CrossHair | CPU s |\n|---|---|---|")
    for case in read_cases():
        name = f"{case.program}/{case.name}"
        if case.program in _FUNCTIONS and (not given.names or name in given.names):
            said, used = measure(case, given.crosshair, given.cpu)
            print(f"| {name} | {said} | {used:.1f} |", flush=True)


if __name__ == "__main__":
    main()
