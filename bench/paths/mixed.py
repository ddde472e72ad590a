"""How does `whence explore` do on ordinary small programs that nobody tuned it for?

    python bench/paths/mixed.py [PROGRAM...] [--set mixed|outcomes] [--by slice|path] [--most N]
                                [--seconds S] [--keep DIR]

Runs the command as a user would, and prints a row for each program; `--keep` gets its answers.  The
programs of `outcomes` name all that they can print: the row says what of it no class printed.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import tomllib

HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--set", choices=["mixed", "outcomes"], default="mixed")
    parser.add_argument("--by", action="append")
    parser.add_argument("--most", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    programs = tomllib.loads((HERE / options.set / "programs.toml").read_text("utf-8"))
    title = "| program | by | classes | runs | diverged | without an answer | CPU s | complete |"
    print(title + (" not printed by any class |" if options.set == "outcomes" else ""))
    print("|---" * (9 if options.set == "outcomes" else 8) + "|")
    for name in options.programs or programs:
        for by in options.by or ("path", "slice"):
            print(_row(name, programs[name], by, options), flush=True)


def _row(name: str, program: dict[str, Any], by: str, options: argparse.Namespace) -> str:
    """Explore one program and return a row of the table."""
    with tempfile.TemporaryDirectory(prefix="whence-bench-") as scratch:
        tree, out = Path(scratch, "tree"), Path(scratch, "out")
        tree.mkdir()
        for file in program["files"].split():
            shutil.copy(HERE / options.set / file, tree)
        command = [
            sys.executable, "-m", "whence", "explore", "-q", "--source", str(tree), "--test",
            program["test"], "--by", by, "--max-tests", str(options.most), "--time",
            str(options.seconds), "--out", str(out), "--json", "-",
        ]  # fmt: skip
        if "build" in program:
            command += ["--build", program["build"]]
        command += shlex.split(program.get("more", ""))
        before = _cpu()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        used = _cpu() - before
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        kept = options.keep / f"{name}-{by}"
        kept.with_suffix(".json").write_text(done.stdout, "utf-8")
        kept.with_suffix(".err").write_text(done.stderr, "utf-8")
    if done.returncode not in (0, 1) or not done.stdout:
        last = done.stderr.strip().splitlines()[-1:]
        return f"| {name} | {by} | - | - | - | - | {used:.1f} | {' '.join(last)} |"
    found = json.loads(done.stdout)
    counts = found["cost"]
    diverged = sum(int(one[1]) for note in found["notes"] if (one := _DIVERGED.match(note)))
    is_complete = "yes" if found["status"] == "complete" else f"no: {found['reason']}"
    row = (
        f"| {name} | {by} | {len(found['tests'])} | {counts['runs']} | {diverged} | "
        f"{counts.get('unknown', 0)} | {used:.1f} | {is_complete} |"
    )
    if "outcomes" not in program:
        return row
    printed = "\n".join(one["output"] or "" for one in found["tests"])
    missed = [one for one in program["outcomes"] if not _is_printed(one, printed)]
    return f"{row} {len(missed)} of {len(program['outcomes'])}: {', '.join(missed) or '-'} |"


def _is_printed(outcome: str, printed: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(outcome)}(?![a-z-])", printed) is not None


_DIVERGED = re.compile(r"(\d+) runs went another way")


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
