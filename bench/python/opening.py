"""How long does opening a recorded Python run take, and how much memory does it need?

`python -m bench.python.opening` records programs of its own with millions of events, opens each in
a fresh process and prints a table: events per second of processor time, and bytes per event.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from whence.frontend.python.record import record
from whence.subject.trial import BuildAndTest

MAX_TRACE = 2**33  # bytes
# Each program repeats its work N times when it is imported.
PROGRAMS = {
    "set": """
known = set()
for code in range(N):
    if code % 3:
        known.add(chr(code % 1_114_111))
assert len(known) > 1
""",
    "calls": """
class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y
    def moved(self, by):
        return Point(self.x + by, self.y)
def length(point):
    return abs(point.x) + abs(point.y)
total = 0
for n in range(N):
    total += length(Point(n, 1).moved(2))
assert total
""",
    "containers": """
rows, index = [], {}
for n in range(N):
    row = [n, str(n), (n, None)]
    rows.append(row)
    index[row[1]] = row
    a, b, _ = rows[n // 2]
    if b in index:
        index[b][0] += a
        del index[b]
assert rows
""",
    "generators": """
def numbers(n):
    for k in range(n):
        yield k * k
def evens(source):
    return [k for k in source if k % 2 == 0]
def checked(n):
    try:
        if n % 4 == 0:
            raise ValueError(n)
        return n
    except ValueError as error:
        return len(error.args)
    finally:
        pass
total = 0
for n in range(N):
    total += sum(evens(numbers(5))) + checked(n)
assert total
""",
}
HEAD = (
    *("program", "events", "steps", "log, bytes/event", "s", "events/s", "µs/event", "peak MB"),
    "bytes/event",
)
OPEN = """
import json, resource, sys, time
from pathlib import Path
from whence.languages import open_recording
def used():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
started = time.process_time()
recording = open_recording(Path(sys.argv[1]))
process = recording.processes[0]
image = recording.image(process)
before = used()
thread = recording.thread(image, process.logs[0])
found = {"seconds": time.process_time() - started, "peak": used(), "events": thread.events}
kept = [line for line in Path("/proc/self/status").read_text().splitlines() if "VmRSS" in line]
found["kept"] = int(kept[0].split()[1]) * 1024
found["steps"] = thread.stream.steps
print(json.dumps(found))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=200_000, help="turns of each program's loop")
    parser.add_argument("--only", choices=PROGRAMS, help="one program")
    options = parser.parse_args()
    print(f"| {' | '.join(HEAD)} |\n{'|---' * len(HEAD)}|")
    base = _opened("assert True\n")
    for name, text in PROGRAMS.items():
        if options.only in (None, name):
            print(_row(name, _opened(f"N = {options.turns}\n{text}"), base), flush=True)


def _opened(text: str) -> dict[str, float]:
    """Record a program, open the recording in another process, and return what that measured."""
    with tempfile.TemporaryDirectory() as scratch:
        tree, out = Path(scratch, "tree"), Path(scratch, "out")
        tree.mkdir()
        out.mkdir()
        (tree / "p.py").write_text(text, "utf-8")
        record(tree, BuildAndTest(f"{sys.executable} p.py"), out, max_trace=MAX_TRACE)
        command = [sys.executable, "-c", OPEN, str(out)]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        found: dict[str, float] = json.loads(ran.stdout)
        found["log"] = sum(log.stat().st_size for log in out.glob("*/*.log"))
    return found


def _row(name: str, found: dict[str, float], base: dict[str, float]) -> str:
    """Return a row of the table; the memory of an empty run (`base`) does not count."""
    events, seconds = found["events"], found["seconds"]
    return (
        f"| {name} | {events:,} | {found['steps']:,} | {found['log'] / events:.0f} | {seconds:.2f} "
        f"| {events / seconds:,.0f} | {1e6 * seconds / events:.2f} | {found['peak'] / 1e6:,.0f} "
        f"| {(found['kept'] - base['kept']) / events:.0f} |"
    )


if __name__ == "__main__":
    main()
