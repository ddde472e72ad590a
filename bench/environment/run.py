"""Locate every fault of cases.py: `python -m bench.environment.run [--programs DIR] [--only NAME]`.

DIR is a folder into which Debian packages were unpacked (dpkg -x), for servers that this machine
does not have.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.environment.cases import CASES, Case

_SECONDS = 300  # for one case, in all


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=Path)
    parser.add_argument("--only")
    arguments = parser.parse_args()
    print("| fault | located | line | candidate runs | allowed | seconds | calls | answer |")
    print("|---|---|---|---|---|---|---|---|")
    done = [
        measure(case, arguments.programs)
        for case in CASES
        if not arguments.only or arguments.only in case.name
    ]
    run = [one for one in done if one is not None]
    lines = [one["line"] for one in run if one["line"] is not None]
    print(f"\n{sum(one['located'] for one in run)} of {len(run)} located, "
          f"{sum(lines)} of {len(lines)} with the line")  # fmt: skip


def environment(programs: Path | None) -> dict[str, str]:
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    if programs:
        found = [*programs.glob("usr/*bin"), *programs.glob("usr/lib/postgresql/*/bin")]
        env["PATH"] = os.pathsep.join([*map(str, found), env["PATH"]])
        env["LD_LIBRARY_PATH"] = os.pathsep.join(map(str, programs.glob("**/x86_64-linux-gnu")))
    return env


def measure(case: Case, programs: Path | None) -> dict[str, Any] | None:
    """Make, record, damage and locate one case; print its row."""
    env = environment(programs)
    has = subprocess.run(["sh", "-c", f"command -v {case.needs}"], env=env, capture_output=True)
    if has.returncode:
        print(f"| {case.name} | {case.needs} is not installed | | | | | | |")
        return None
    whence = f"{sys.executable} -m whence environment"
    with tempfile.TemporaryDirectory() as folder:
        env["W"] = folder

        def shell(script: str) -> subprocess.CompletedProcess[bytes]:
            return subprocess.run(["sh", "-c", script], cwd=folder, env=env, capture_output=True,
                                  timeout=_SECONDS, check=False)  # fmt: skip

        try:
            shell(case.make)
            command = case.command
            recorded = shell(f"{case.there} {whence} record --out {folder}.rec -- {command}")
            shell(case.damage)
            began = time.monotonic()
            located = shell(f"{case.here} {whence} locate --json - -q {folder}.rec -- {command}")
            seconds = time.monotonic() - began
        finally:
            shell("kill $(cat holder) 2>/dev/null; umount full 2>/dev/null; true")
            Path(f"{folder}.rec").unlink(missing_ok=True)
    try:
        document = json.loads(located.stdout)
    except ValueError:
        words = " ".join((recorded.stderr + located.stderr).decode(errors="replace").split())
        print(f"| {case.name} | no | | | | {seconds:.1f} | | {words[:300]} |", flush=True)
        return {"located": False, "line": False if case.line else None}
    return _scored(case, document, seconds)


def _scored(case: Case, document: dict[str, Any], seconds: float) -> dict[str, Any]:
    answers = document["answers"]
    texts = [str(answer[key]) for answer in answers
             for key in ("path", "variable", "call", "difference")]  # fmt: skip
    named = any(case.names in text for text in texts)
    line = None if case.line is None else any(answer["line"] == case.line for answer in answers)
    allowed = 2 * math.ceil(math.log2(max(document["calls"], 2))) + 10
    said = "; ".join(answer["difference"] for answer in answers) or document["reason"] or ""
    lined = "" if line is None else "yes" if line else "no"
    row = [case.name, "yes" if named else "no", lined, document["runs"], allowed]
    row += [f"{seconds:.1f}", document["calls"], said.replace("|", " ")[:200]]
    print("|", " | ".join(map(str, row)), "|", flush=True)
    return {"located": named, "line": line}


if __name__ == "__main__":
    main()
