"""Print the events of a recorded run, for whoever looks for a mistake in the recorder.

As `python -m whence.frontend.python.dump FOLDER`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from whence.frontend.python.logged import END, MODULE, TYPE, read_log
from whence.frontend.recorded_run import MODULES

RECORDS = {MODULE: "MODULE", END: "END", TYPE: "TYPE"}


def lines(folder: Path, log: Path) -> Iterator[str]:
    """Each event of a thread with the operation that it is of."""
    loaded = [value for op, value in read_log(log.with_name("0.log")) if op == MODULE]
    modules = [
        (base, count, json.loads((folder / MODULES / f"{digest}.json").read_text("utf-8")))
        for base, _, _, digest, count in loaded
    ]
    for op, value in read_log(log):
        if op in RECORDS:
            yield f"{RECORDS[op]} {value}"
        else:
            base, _, found = next(m for m in modules if m[0] <= op < m[0] + m[1])
            ops, k = found["ops"], op - base
            where = f"{Path(found['file']).name}:{ops['row'][k]}"
            text = (ops["text"][k] or "")[:40]
            yield f"{op:6} {where:20} {ops['opcode'][k]:10} {text:40} {value}"


def main() -> None:
    folder = Path(sys.argv[1])
    for log in sorted(folder.glob("*/*.log")):
        print(f"--- {log.relative_to(folder)}")
        for line in lines(folder, log):
            print(line)


if __name__ == "__main__":
    main()
