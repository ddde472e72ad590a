"""Does a recorded program print what the plain one prints, and does a full replay pass?

`python -m bench.environment.differential [--only PROGRAM]` runs each invocation of invocations.py
plain, recorded, and with all recorded answers replayed, each time in a fresh folder.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from bench.environment.invocations import PREPARE, invocations
from whence.environment.plan import Planner, subjects_of
from whence.environment.recording import now, save
from whence.environment.tracing import CommandEnd, Setting, run_traced, run_untraced

T = TypeVar("T")
_SECONDS = 60.0  # for one run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only")
    only = parser.parse_args().only
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "made").mkdir()
        subprocess.run(["sh", "-c", PREPARE], cwd=folder / "made", check=True)
        for command in invocations():
            program = command.split(maxsplit=1)[0]
            if only and only != program:
                continue
            if not shutil.which(program):
                counts["not installed"] += 1
                continue
            counts.update(compared(command, folder))
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))


def compared(command: str, folder: Path) -> Counter[str]:
    """Return what was compared and what differs, counted; print the invocations that differ."""
    words = ["sh", "-c", command]
    work = folder / "work"  # always the same, since programs print it
    setting = Setting(cwd=str(work))
    plain = _fresh(folder, work, lambda: run_untraced(words, setting, stdin=None, timeout=_SECONDS))
    again = _fresh(folder, work, lambda: run_untraced(words, setting, stdin=None, timeout=_SECONDS))
    if _shown(plain) != _shown(again):
        print(f"differs by itself: {command}")
        return Counter({"differ by themselves": 1})
    clock = now()
    out = Path(tempfile.mkdtemp(dir=folder))
    run = _fresh(folder, work, lambda: run_traced(words, out / "1", setting, timeout=_SECONDS))
    recording = save(run, words, out / "rec", clock=clock)
    Planner(recording, out / "contents").write(out / "plan", subjects_of(recording))
    replayed = _fresh(
        folder,
        work,
        lambda: run_traced(words, out / "2", setting, plan=out / "plan", timeout=_SECONDS),
    )
    shutil.rmtree(out)
    found = Counter({"compared": 1})
    for name, ended in (("recorded", run.ended), ("replayed", replayed.ended)):
        if _shown(ended) != _shown(plain):
            print(f"{name} differs: {command}\n  {_shown(plain)}\n  {_shown(ended)}", flush=True)
            found[f"{name} differ"] += 1
    return found


def _fresh(folder: Path, work: Path, run: Callable[[], T]) -> T:
    """Run something in a fresh copy of the prepared folder."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(folder / "made", work, symlinks=True)
    return run()


def _shown(ended: CommandEnd) -> tuple[int, bytes]:
    return ended.status, ended.output


if __name__ == "__main__":
    main()
