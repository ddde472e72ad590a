"""Print the events of a recorded run, to look for a mistake in the recorder.

Usage: `python -m whence.frontend.python.dump FOLDER`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from whence.frontend.python.logged import END, MODULE, STARTED, STARTS, THREAD, TYPE, read_log
from whence.frontend.recorded_run import MODULES

RECORDS = {
    MODULE: "MODULE", END: "END", TYPE: "TYPE", THREAD: "THREAD", STARTS: "STARTS",
    STARTED: "STARTED",
}  # fmt: skip


def event_lines(folder: Path, log: Path) -> Iterator[str]:
    """Yield a line for each event of a process, with its operation."""
    loaded = [value for op, value in read_log(log.with_name("0.log")) if op == MODULE]
    modules = [
        (base, count, json.loads((folder / MODULES / f"{digest}.json").read_text("utf-8")))
        for base, _, _, digest, count in loaded
    ]
    for op, value in read_log(log):
        if op in RECORDS:
            yield f"{RECORDS[op]} {value}"
        else:
            base, _, module = next(m for m in modules if m[0] <= op < m[0] + m[1])
            ops, k = module["ops"], op - base
            where = f"{Path(module['file']).name}:{ops['row'][k]}"
            text = (ops["text"][k] or "")[:40]
            yield f"{op:6} {where:20} {ops['opcode'][k]:10} {text:40} {value}"


def main() -> None:
    """Print the events of all processes of the trace that the command line names."""
    folder = Path(sys.argv[1])
    for log in sorted(folder.glob("*/*.log")):
        print(f"--- {log.relative_to(folder)}")
        for line in event_lines(folder, log):
            print(line)


if __name__ == "__main__":
    main()
