"""How many links of `whence explain`'s chains hold, on real regressions?

`--cases DIR` has the folders python/ and c/ with a case.json and a setup.sh each, as bench/python
and bench/isolate use them.  Each case is one run of `whence explain --prove`.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from bench import WORK, case_folder
from bench.isolate.cases import Case, NotInstallableError, install, load, python_for_cases


def row_of(case: Case, seconds: int) -> str:
    """Explain a case and return its line of the table."""
    words = [sys.executable, "-m", "whence", "explain", "--quiet", "--prove", "--json", "-"]
    words += ["--good", str(case.env / "good"), "--bad", str(case.env / "bad")]
    words += ["--test", case.test, *(["--build", case.build] if case.build else [])]
    before, began = _cpu(), time.monotonic()
    try:
        ended = subprocess.run(words, capture_output=True, text=True, check=False, timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"| {case.id} | not ended in {seconds} s | | | | | {_cpu() - before:.0f} |"
    cost = f"{_cpu() - before:.0f}, {time.monotonic() - began:.0f}"
    try:
        found = json.loads(ended.stdout)
    except ValueError:
        said = (ended.stderr.strip().splitlines() or ["nothing printed"])[-1]
        return f"| {case.id} | {said} | | | | | {cost} |"
    links = [link for link in found["chain"] if link["step"] != "failure"]
    tested = Counter(link.get("proved") for link in links)
    kinds = Counter(link["step"] for link in links if link.get("proved") is None)
    why = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    counts = f"{tested[True]} | {tested[False]} | {tested[None]}"
    return f"| {case.id} | {len(links)} | {counts} | {why} | {cost} |"


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    case_folder.add_option(parser)
    parser.add_argument("--only", default="", help="cases named A,B,...; default: all")
    parser.add_argument("--seconds", type=int, default=460, help="limit for each case")
    options = parser.parse_args()
    only: list[str] = [name for name in options.only.split(",") if name]
    cases: Path = case_folder.require(parser, options.cases, hint="")
    python = python_for_cases()
    print("| case | links | proved | not proved | not tested | of which | CPU, clock s |")
    print("| --- | ---: | ---: | ---: | ---: | --- | ---: |")
    for file in sorted(cases.glob("*/*/case.json")):
        if only and file.parent.name not in only:
            continue
        env = WORK / "prove" / file.parent.name
        try:
            install(file.parent, env, python)
        except NotInstallableError as error:
            print(f"| {file.parent.name} | {error} | | | | | |", flush=True)
            continue
        (env / "deps").mkdir(exist_ok=True)
        print(row_of(load(file.parent, env, python), options.seconds), flush=True)


if __name__ == "__main__":
    main()
