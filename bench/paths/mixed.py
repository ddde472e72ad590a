"""How does `whence explore` do on ordinary small programs that nobody tuned it for?

    python bench/paths/mixed.py [PROGRAM...] [--by slice|path] [--most N] [--seconds S] [--keep DIR]

Runs the command as a user would, and prints a row for each program; `--keep` gets its answers.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import tomllib

HERE = Path(__file__).parent / "mixed"


def main() -> None:
    parser = argparse.ArgumentParser()
    programs = tomllib.loads((HERE / "programs.toml").read_text("utf-8"))
    parser.add_argument("programs", nargs="*", default=list(programs))
    parser.add_argument("--by", action="append")
    parser.add_argument("--most", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    print("| program | by | classes | runs | diverged | without an answer | CPU s | complete |")
    print("|---|---|---|---|---|---|---|---|")
    for name in options.programs:
        for by in options.by or ("path", "slice"):
            print(_row(name, programs[name], by, options), flush=True)


def _row(name: str, program: dict[str, str], by: str, options: argparse.Namespace) -> str:
    """Explore one program and return a row of the table."""
    with tempfile.TemporaryDirectory(prefix="whence-bench-") as scratch:
        tree, out = Path(scratch, "tree"), Path(scratch, "out")
        tree.mkdir()
        for file in program["files"].split():
            shutil.copy(HERE / file, tree)
        command = [
            sys.executable, "-m", "whence", "explore", "-q", "--source", str(tree), "--test",
            program["test"], "--by", by, "--max-tests", str(options.most), "--time",
            str(options.seconds), "--out", str(out), "--json", "-",
        ]  # fmt: skip
        if "build" in program:
            command += ["--build", program["build"]]
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
    return (
        f"| {name} | {by} | {len(found['tests'])} | {counts['runs']} | {diverged} | "
        f"{counts.get('unknown', 0)} | {used:.1f} | {is_complete} |"
    )


_DIVERGED = re.compile(r"(\d+) runs went another way")


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
