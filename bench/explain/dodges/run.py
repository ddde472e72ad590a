"""Is the culprit the root where another change can be reverted instead?

python -m bench.explain.dodges.run [--only SUBSTR]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench import WORK
from bench.explain.dodges.make import FOLDER, Dodge, load
from bench.isolate.methods import compiler
from bench.trace.table import text_table

HEAD = ("case", "root", "auxiliary", "on chain", "dodge told", "status", "runs", "seconds")


def holds(change: dict[str, Any], text: str) -> bool:
    """Do the lines of a reported change hold this text?"""
    return bool(text) and text in change["text"]


def row(case: Dodge, document: dict[str, Any]) -> tuple[str, ...]:
    """Return what whence answered, in terms of culprit and dodge."""
    root, auxiliary = document["root"], document["auxiliary"]
    chain = document.get("chain", [])
    on_chain = any(
        case.culprit in link["text"] or case.culprit in (link.get("before") or "") for link in chain
    )
    told = bool(document.get("dodged")) or any(o["is_dodge"] for o in document.get("other", []))
    cost = document["cost"]
    return (
        case.name,
        _named(case, root),
        _named(case, auxiliary),
        "yes" if on_chain else "NO",
        "yes" if told else "no",
        document["status"],
        str(cost["runs"]),
        f"{cost['seconds']['total']:.0f}",
    )


def _named(case: Dodge, changes: list[dict[str, Any]]) -> str:
    found = [
        "culprit" if holds(change, case.culprit) else "dodge" if holds(change, case.dodge) else "?"
        for change in changes
    ]
    return " ".join(sorted(found)) or "-"


def explained(case: Dodge, work: Path) -> dict[str, Any] | None:
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    case.write(work)
    words = [sys.executable, "-m", "whence", "explain", "--good", "good", "--bad", "bad"]
    words += ["--test", case.test, *(["--build", case.build] if case.build else [])]
    words += ["--store", "runs.sqlite", "--json", "result.json"]
    env = {**os.environ, "CC": compiler()}
    with (work / "out.txt").open("w") as out:
        subprocess.run(words, cwd=work, env=env, stdout=out, stderr=subprocess.STDOUT, check=False)
    file = work / "result.json"
    return json.loads(file.read_text()) if file.exists() else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--work", type=Path, default=WORK / "dodges")
    options = parser.parse_args()
    rows = []
    for path in sorted(FOLDER.glob("*.toml")):
        if options.only in path.stem:
            case = load(path)
            document = explained(case, options.work.resolve() / case.name)
            rows.append(row(case, document) if document else (case.name, *["-"] * (len(HEAD) - 1)))
            print(*rows[-1], sep="  ", flush=True)
    print(text_table(HEAD, rows))
    return 0 if all("culprit" in each[1] for each in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
