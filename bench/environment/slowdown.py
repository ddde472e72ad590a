"""How much slower is a recorded program, beside strace?

`python -m bench.environment.slowdown [--turns N]` runs each program plain, recorded and under
`strace -f` in turn, and prints the smallest time of each as a multiple of the plain one.
"""

# ruff: noqa: E501 - a shell command on one line is easier to read

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from whence.environment.tracing import Setting, run_traced, run_untraced

# Programs that compute come first, programs that mostly ask the system last.
_PROGRAMS = {
    "python, a loop": "python3 -c 'x = 0\nfor i in range(10**7): x += i * i'",
    "gzip, 30 MB": "gzip -9c big > out",
    "sort, 300,000 lines": "sort lines > out",
    "sqlite3, 200,000 rows": "sqlite3 :memory: 'create table t(x); with recursive n(i) as (select 1 union all "
    "select i + 1 from n where i < 200000) insert into t select i from n; select sum(x) from t'",
    "gcc -O2": "gcc -O2 -c big.c -o out.o",
    "python, imports": "python3 -c 'import asyncio, json, http.server, unittest'",
    "tar, 2,000 files": "tar cf out many",
}
_PREPARE = (
    "head -c 30000000 /dev/urandom | od -An -tx1 | head -c 30000000 > big; seq 300000 | sort -R > lines; "
    "for i in $(seq 400); do echo \"int f$i(int x) { return x * $i + x / ($i + 1); }\"; done > big.c; "
    "mkdir many; for i in $(seq 2000); do echo $i > many/$i; done"
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=5)
    turns = parser.parse_args().turns
    has_strace = shutil.which("strace") is not None
    print("| program | plain, s | recorded | strace -f |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        setting = Setting(cwd=name)
        run_untraced(["sh", "-c", _PREPARE], setting, stdin=None, timeout=None)
        for title, command in _PROGRAMS.items():
            plain_way = partial(_plain, ["sh", "-c", command], setting)
            ways: list[Callable[[], object]] = [plain_way, partial(_recorded, command, folder)]
            if has_strace:
                log = str(folder / "strace.log")
                strace = ["strace", "-f", "-o", log, "sh", "-c", command]
                ways.append(partial(_plain, strace, setting))
            plain, recorded, *traced = _smallest(ways, turns)
            shown = f"{traced[0] / plain:.2f}" if traced else "not installed"
            print(f"| {title} | {plain:.2f} | {recorded / plain:.2f} | {shown} |", flush=True)


def _plain(words: list[str], setting: Setting) -> None:
    run_untraced(words, setting, stdin=None, timeout=None)


def _recorded(command: str, folder: Path) -> None:
    out = Path(tempfile.mkdtemp(dir=folder))
    run_traced(["sh", "-c", command], out, Setting(cwd=str(folder)))


def _smallest(ways: list[Callable[[], object]], turns: int) -> list[float]:
    """Return the smallest seconds of each way to run, measured in turn."""
    found = [float("inf")] * len(ways)
    for _ in range(turns):
        for at, run in enumerate(ways):
            began = time.monotonic()
            run()
            found[at] = min(found[at], time.monotonic() - began)
    return found


if __name__ == "__main__":
    main()
