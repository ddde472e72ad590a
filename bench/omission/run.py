"""Measure whether `whence explain` names what a program no longer does."""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench import WORK
from bench.explain.methods import is_on_chain
from bench.isolate.score import Place, hits
from bench.omission.cases import PROGRAMS, BadCaseError, Omission, Pair, hidden, load

BUILD = "$CC -g -w -o program *.c"


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="only faults with this in PROGRAM/NAME")
    parser.add_argument("--make", action="store_true", help="only make and verify the versions")
    parser.add_argument("--seconds", type=float, default=600.0, help="limit for one case")
    parser.add_argument("--work", type=Path, default=WORK / "omission")
    return parser.parse_args(arguments)


def explained(case: Omission, pair: Pair, seconds: float) -> dict[str, Any] | None:
    """Return the result document of `whence explain`; None if there is none."""
    out = pair.folder / "result.json"
    words = [sys.executable, "-m", "whence", "explain", "--oracle", "output", "--quiet"]
    words += ["--good", str(pair.folder / "good"), "--bad", str(pair.folder / "bad")]
    words += ["--test", f"{shlex.join(['./program', *case.arguments])} < stdin", "--build", BUILD]
    words += ["--store", str(pair.folder / "runs.sqlite"), "--json", str(out)]
    try:
        subprocess.run(words, cwd=pair.folder, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return None
    return dict(json.loads(out.read_text())) if out.exists() else None


def row(case: Omission, pair: Pair, document: dict[str, Any] | None) -> tuple[bool, str]:
    """Return whether the answer is right, and a line about it."""
    name = f"{case.program}/{case.name}"
    if document is None:
        return False, f"{name}: no answer"
    found = [change for change in document["root"] if _hits(change, pair.culprits)]
    on_chain = is_on_chain(document, pair.culprits)
    text = (
        f"{name}: {document['status']}, {len(found)} of {len(document['root'])} root changes are "
        f"the fault, {'' if on_chain else 'NOT '}on the chain, {len(document['causes'])} causes, "
        f"{document['cost']['runs']} runs, {pair.changes} changes, "
        f"{document['cost']['seconds']['total']:.0f} s"
    )
    return bool(found) and on_chain, text


def _hits(change: dict[str, Any], culprits: tuple[Place, ...]) -> bool:
    place = Place(change["file"], tuple(change["old"]), tuple(change["new"]))
    return any(hits(place, culprit) for culprit in culprits)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    right = count = 0
    for folder in sorted(path.parent for path in PROGRAMS.glob("*/faults.toml")):
        for case in load(folder):
            if options.only not in f"{case.program}/{case.name}":
                continue
            count += 1
            own = options.work.resolve() / f"{case.program}-{case.name}"
            shutil.rmtree(own, ignore_errors=True)
            try:
                pair = hidden(case, own)
            except BadCaseError as error:
                print(error, flush=True)
                continue
            if options.make:
                print(f"{case.program}/{case.name}: {pair.changes} changes", flush=True)
                right += 1
                continue
            is_right, text = row(case, pair, explained(case, pair, options.seconds))
            right += is_right
            print(text, flush=True)
    print(f"{right} of {count}")
    return 0 if right == count else 1


if __name__ == "__main__":
    sys.exit(main())
