"""Print the events of a recorded run, for whoever looks for a mistake in the recorder.

python -m whence.frontend.python.dump FOLDER
"""

from __future__ import annotations

import json
import marshal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from whence.frontend.run import MODULES

MODULE = 2**31
NAMES = {MODULE: "MODULE", MODULE + 1: "END", MODULE + 2: "TYPE"}


def events(log: Path) -> Iterator[tuple[int, Any]]:
    data = log.read_bytes()
    at = 0
    while at < len(data):
        size = int.from_bytes(data[at : at + 8], "little")
        ops, values = marshal.loads(data[at + 8 : at + 8 + size])
        yield from zip(ops, values, strict=True)
        at += 8 + size


def lines(folder: Path, log: Path) -> Iterator[str]:
    """Each event of a thread with the operation that it is of."""
    loaded = [value for op, value in events(log.with_name("0.log")) if op == MODULE]
    modules = [
        (base, count, json.loads((folder / MODULES / f"{digest}.json").read_text("utf-8")))
        for base, _, _, digest, count in loaded
    ]
    for op, value in events(log):
        if op in NAMES:
            yield f"{NAMES[op]} {value}"
        else:
            base, _, found = next(m for m in modules if m[0] <= op < m[0] + m[1])
            ops, k = found["ops"], op - base
            where = f"{Path(found['file']).name}:{ops['row'][k]}"
            yield f"{op:6} {where:20} {ops['opcode'][k]:10} {(ops['text'][k] or '')[:40]:40} {value}"


def main() -> None:
    folder = Path(sys.argv[1])
    for log in sorted(folder.glob("*/*.log")):
        print(f"--- {log.relative_to(folder)}")
        for line in lines(folder, log):
            print(line)


if __name__ == "__main__":
    main()
