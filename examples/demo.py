"""`make demo`: explain two bundled programs that changes broke, and two others that fail.

The commands are those of README.md beside this file.  The exit status is 0 only if the answers
are those of the examples' expected.json.  `--write` puts the answers into README.md.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

EXAMPLES = Path(__file__).parent.resolve()
README = EXAMPLES / "README.md"
BLOCK = re.compile(
    r"(?<=```console\n)\$ (whence (?:explain|isolate) .*)\n\n((?:[^`]|`(?!``))*)(?=```)"
)
ABOUT = {
    "route": "route, in C, finds the cheapest path across a map. Its new version finds dearer ones."
    "\nWhich of its 51 changes broke it, and how? whence compares a failing with a passing run.",
    "ledger": "ledger, in Python, writes invoices. The new version's invoice for March is wrong."
    "\nWhich of its 67 changes broke it, and how?",
}


def find(command: str, scratch: Path, *options: str, reads: bool = False) -> str | None:
    """Run a whence command in the checkout; return its report if `reads`, else print it.

    Outcomes are stored in `scratch`.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    arguments = [*shlex.split(command)[1:], "--store", str(scratch / "outcomes"), *options]
    ended = subprocess.run(
        [sys.executable, "-m", "whence", *arguments],
        cwd=EXAMPLES.parent,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE if reads else None,
        text=True,
    )
    return ended.stdout


def is_expected(example: str, document: Path) -> bool:
    """Did whence find the fault of the example, and nothing else?"""
    expected = json.loads((EXAMPLES / example / "expected.json").read_text())
    found = json.loads(document.read_text()) if document.exists() else {}
    return all(
        [[change["file"], change["function"]] for change in found.get(kind, [])] == places
        for kind, places in expected.items()
    )


def demonstrate() -> int:
    """Run every example; return the exit status."""
    failed = []
    with tempfile.TemporaryDirectory() as scratch:
        commands = [block[1] for block in BLOCK.finditer(README.read_text("utf-8"))]
        for (example, about), command in zip(ABOUT.items(), commands, strict=True):
            print(f"{about}\n\n$ {command}\n", flush=True)
            document = Path(scratch, f"{example}.json")
            find(command, Path(scratch), "--json", str(document))
            print(flush=True)
            if not is_expected(example, document):
                failed.append(f"This is not what examples/{example}/expected.json says.")
        failed += slice_a_run(Path(scratch))
        failed += ask_why(Path(scratch))
    print("\n".join(failed) or "Next: README.md shows how to do this with your own project.")
    return 1 if failed else 0


def slice_a_run(scratch: Path) -> list[str]:
    """Record the failing run of a C program, and slice its failure; return what went wrong."""
    print(
        "parcel, in C, computes postage. Its own check fails, and there is no older version.\n"
        "whence records the run, and lists what the failed assertion depends on.\n"
    )
    test = shlex.quote("./parcel 3500 abroad")
    run = scratch / "run"
    for command in (
        f"trace --source examples/parcel --build make --test {test} --out {run}",
        f"slice {run} --at assert",
    ):
        print(f"$ whence {command.replace(str(scratch) + '/', '')}\n", flush=True)
        ended = subprocess.run(
            [sys.executable, "-m", "whence", *shlex.split(command), "--quiet"], cwd=EXAMPLES.parent
        )
        print(flush=True)
        if ended.returncode:
            return ["The run of examples/parcel could not be recorded and sliced."]
    return []


def ask_why(scratch: Path) -> list[str]:
    """Ask for the causes of a wrong output; return what went wrong."""
    print(
        "loan, in C, computes the fine for a late book. It prints 0 cents, where 380 are due.\n"
        "whence shows what caused that, and what caused the causes.\n"
    )
    where = "--source examples/loan --build make"
    right = "--expect examples/loan/expected.txt"
    command = f"why {where} --test {shlex.quote('./loan R2035 40')} {right}"
    print(f"$ whence {command}\n", flush=True)
    document = scratch / "why.json"
    kept = ("--out", str(scratch / "loan"), "--json", str(document))
    subprocess.run(
        [sys.executable, "-m", "whence", *shlex.split(command), *kept, "--quiet"],
        cwd=EXAMPLES.parent,
    )
    print(flush=True)
    fault = json.loads((EXAMPLES / "loan" / "expected.json").read_text())["fault"]
    causes = json.loads(document.read_text())["causes"] if document.exists() else []
    found = [[cause["predicate"]["file"], cause["predicate"]["line"]] for cause in causes]
    return [] if fault in found else ["The fault of examples/loan was not found."]


def write() -> int:
    """Write the answers of the commands into README.md."""
    with tempfile.TemporaryDirectory() as scratch:

        def answered(block: re.Match[str]) -> str:
            report = find(block[1], Path(scratch), reads=True) or ""
            return f"$ {block[1]}\n\n{without_cost(report)}\n"

        README.write_text(BLOCK.sub(answered, README.read_text("utf-8")), "utf-8")
    return 0


def without_cost(report: str) -> str:
    """Return the report without its last paragraph, which differs from run to run."""
    return report.strip().rpartition("\n\n")[0]


if __name__ == "__main__":
    sys.exit(write() if "--write" in sys.argv else demonstrate())
