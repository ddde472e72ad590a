"""Through which parts of Python is the way from a change to the failure followed?

python -m bench.python.ways [NAME...]

Each program of ways.toml has one edit that makes its test fail, and a value that travels in one
way: through a generator, a deque, a decorator, a file, another thread.  Two harmless changes are
added to each.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tomllib

WAYS = Path(__file__).with_name("ways.toml")
_SECONDS = 200  # for one program
_HARMLESS = '\n\ndef _unused(value):\n    """Return a pair."""\n    return [value, {number}]\n'


@dataclass(frozen=True)
class Way:
    """A program, the edit that breaks it, and its test."""

    name: str
    source: str
    edits: Sequence[tuple[str, str]]
    test: str

    def write(self, folder: Path) -> None:
        """Write both versions of the program as `lib.py`, and the test beside them."""
        for number, version in enumerate(("good", "bad"), 1):
            tree = folder / version
            tree.mkdir()
            text = self.source if version == "good" else self.edited()
            (tree / "lib.py").write_text(text + _HARMLESS.format(number=number))
            (tree / "version.py").write_text(f'VERSION = "{number}.0"\n')
        (folder / "test_it.py").write_text(self.test)

    def edited(self) -> str:
        """Return the text of the bad version."""
        text = self.source
        for old, new in self.edits:
            if old not in text:
                raise ValueError(f"{self.name}: {old!r} is not in the program")
            text = text.replace(old, new, 1)
        return text


@dataclass(frozen=True)
class Followed:
    """What `whence explain` says of one program."""

    name: str
    status: str
    root: int
    links: int
    has_gap: bool
    runs: int
    seconds: float  # of the processor


def read_ways(file: Path = WAYS) -> list[Way]:
    """Return all programs."""
    return [Way(**one) for one in tomllib.loads(file.read_text("utf-8"))["way"]]


def measure(way: Way) -> Followed:
    """Run `whence explain` on a program."""
    with tempfile.TemporaryDirectory(prefix="whence-bench-") as name:
        folder = Path(name)
        way.write(folder)
        start = "-m pytest -q -p no:cacheprovider " if "\ndef test_" in way.test else ""
        test = f"PYTHONPATH={{tree}} {sys.executable} {start}{folder / 'test_it.py'}"
        command = [sys.executable, "-m", "whence", "explain", "--quiet", "--json", "-"]
        command += ["--good", str(folder / "good"), "--bad", str(folder / "bad"), "--test", test]
        before = _used()
        try:
            ended = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
            document = json.loads(ended.stdout) if ended.stdout else {}
        except subprocess.TimeoutExpired:
            document = {"status": "out of time"}
        chain = document.get("chain", [])
        return Followed(
            name=way.name,
            status=document.get("status", "no answer"),
            root=len(document.get("root", [])),
            links=len(chain),
            has_gap=any(link.get("gap") for link in chain),
            runs=document.get("cost", {}).get("runs", 0),
            seconds=_used() - before,
        )


def _used() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    names = parser.parse_args().names
    print("| program | status | root | links | gap | runs | CPU s |")
    print("| --- | --- | ---: | ---: | --- | ---: | ---: |")
    explained, ways = 0, [way for way in read_ways() if not names or way.name in names]
    for way in ways:
        one = measure(way)
        explained += one.status == "explained"
        gap = "yes" if one.has_gap else ""
        print(
            f"| {one.name} | {one.status} | {one.root} | {one.links} | {gap} | {one.runs} | "
            f"{one.seconds:.1f} |",
            flush=True,
        )
    print(f"\n{explained} of {len(ways)} explained without a gap.")


if __name__ == "__main__":
    main()
