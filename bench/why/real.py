"""Does the cause tree of a real, documented failure reach the lines that its authors changed?

    python -m bench.why.real                       # every case of real.toml
    python -m bench.why.real --only lua-break --again

The releases are fetched once into `.bench/why/real`; later runs work offline.  The recordings stay
in `runs` there.  The exit status is 0 if every tree reaches its lines.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from bench import CHECKOUT, WORK
from bench.trace.projects import NPM, PIP, UnavailableError
from bench.trace.table import markdown_table, text_table
from bench.why.reading import (
    Place,
    Read,
    breadth_first,
    lines_of,
    read_in,
    read_on_the_way,
    sliced,
)
from whence.causes.tree import CauseSearch
from whence.errors import UserError
from whence.frontend.c.record import record
from whence.frontend.recorded_run import DEFAULT_MAX_TRACE, SOURCES, RecordedRun
from whence.languages import open_recording, open_search
from whence.subject.sources import fetch
from whence.subject.trial import BuildAndTest
from whence.trace.points import Point, find
from whence.trace.recording import Recording
from whence.trace.slice_at import lines_that_ran
from whence.trace.summary import summarise

CASES = Path(__file__).with_name("real.toml")
DRIVERS = CHECKOUT / "bench" / "trace" / "drivers"
STORE = WORK / "why" / "real"
PATIENCE = 120  # limit in CPU seconds for a tree; other load does not count
BUILD = 900.0  # limit in seconds for a build


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of the faulty release."""

    file: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Case:
    """A documented failure of a release; real.toml says what each field means."""

    name: str
    program: str
    release: str
    sha256: str
    build: str
    test: str
    failure: str
    told: str
    fix: str
    fixed: tuple[SourceLine, ...]
    found_at: tuple[SourceLine, ...] = ()
    inner: str = ""
    root: str = "."
    driver: str = ""
    files: dict[str, str] = field(default_factory=dict)
    expect: str | None = None

    @property
    def expected(self) -> bytes | None:
        return None if self.expect is None else self.expect.encode()

    @property
    def changed(self) -> frozenset[Place]:
        return frozenset((one.file, one.line) for one in self.fixed)

    @property
    def lines(self) -> frozenset[Place]:
        """Return the wanted lines; one of them has to be seen."""
        return self.changed | {(one.file, one.line) for one in self.found_at}


def cases() -> list[Case]:
    document: dict[str, Any] = tomllib.loads(CASES.read_text("utf-8"))
    return [
        Case(**one | {kind: _lines(one.get(kind, [])) for kind in ("fixed", "found_at")})
        for one in document["case"]
    ]


def _lines(document: list[dict[str, Any]]) -> tuple[SourceLine, ...]:
    return tuple(SourceLine(**one) for one in document)


# --- the faulty release --------------------------------------------------------------------------


def fetched(case: Case) -> Path:
    """Return the folder with the released sources; fetch and unpack them if necessary."""
    unpacked = STORE / case.release.replace(":", "-")
    if not unpacked.exists():
        partial = unpacked.with_name(unpacked.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        with tempfile.TemporaryDirectory() as folder:
            fetch(str(_downloaded(case, Path(folder))), repo=CHECKOUT, into=partial)
        if case.inner:
            fetch(str(partial / case.inner), repo=CHECKOUT, into=partial / "inner")
        partial.rename(unpacked)
    return unpacked / ("inner" if case.inner else "") / case.root


def _downloaded(case: Case, folder: Path) -> Path:
    index, _, package = case.release.partition(":")
    command = (*{"pypi": PIP, "npm": NPM}[index], package)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    found = sorted(folder.iterdir())
    if done.returncode != 0 or len(found) != 1:
        raise UnavailableError(f"{case.release} cannot be fetched:\n{done.stderr.strip()}")
    if hashlib.sha256(found[0].read_bytes()).hexdigest() != case.sha256:
        raise UnavailableError(f"{case.release} is not the archive that the case was written for")
    return found[0]


def prepared(case: Case, tree: Path) -> None:
    """Write the faulty release and our files into the new folder `tree`."""
    shutil.copytree(fetched(case), tree, symlinks=True)
    for one in (*case.fixed, *case.found_at):
        lines = (tree / one.file).read_text("utf-8", "replace").splitlines()
        if "".join(lines[one.line - 1 : one.line]).strip() != one.text:
            raise UnavailableError(f"{case.name}: {one.file}:{one.line} is not {one.text!r}")
    if case.driver:
        shutil.copy(DRIVERS / case.driver, tree / "driver.c")
    for name, text in case.files.items():
        (tree / name).write_text(text, "utf-8")


# --- its recorded failure ------------------------------------------------------------------------


def recorded(case: Case, work: Path) -> Recording:
    shutil.rmtree(work, ignore_errors=True)
    tree, out = work / "tree", work / "trace"
    out.mkdir(parents=True)
    prepared(case, tree)
    done = record(tree, BuildAndTest(test=case.test, build=case.build, asked_timeout=BUILD), out)
    if not fails_as_told(case, done):
        raise UnavailableError(
            f"{case.name} does not fail as described: status {done.status}, output {done.stdout!r}"
        )
    summarise(open_recording(out), tree, max_trace=DEFAULT_MAX_TRACE)
    return open_recording(out)


def fails_as_told(case: Case, done: RecordedRun) -> bool:
    if case.failure == "output":
        return done.stdout != case.expected
    is_crash = done.status < 0 or done.status > 128  # the exit status in the shell
    return done.status != 0 and is_crash == (case.failure == "crash")


def failing_point(case: Case, recording: Recording) -> Point:
    if case.expected is None:
        return find(recording, case.failure)
    printed = (recording.folder / "stdout").read_bytes()
    pairs = enumerate(zip(printed, case.expected, strict=False))
    return find(recording, f"output:{next(at for at, (one, other) in pairs if one != other)}")


# --- what is read of it --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Walk:
    """The result of reading a cause tree breadth first, up to a wanted line."""

    read: Read
    is_changed: bool  # did the fix change the line?  If not, it only shows the mistake
    way: Read | None  # only the causes from the failure down to the one with the line
    level: int  # the level of the last cause that was read
    causes: int
    error: str = ""  # why the rest was not read


@dataclass(frozen=True, slots=True)
class Row:
    """All measurements of one case."""

    case: Case
    point: str
    steps: int
    lines: int  # instructions that ran
    dynamic: Read
    relevant: Read
    tree: Walk


def measured(case: Case, work: Path, *, again: bool = False) -> Row:
    """Record the failure in the folder `work`, slice it, and read its tree."""
    is_there = again and (work / "trace" / SOURCES).exists()
    recording = open_recording(work / "trace") if is_there else recorded(case, work)
    point = failing_point(case, recording)
    return Row(
        case=case,
        point=point.words,
        steps=point.thread.stream.steps,
        lines=lines_that_ran(point.thread),
        dynamic=sliced(point, case.lines, relevant=False),
        relevant=sliced(point, case.lines, relevant=True),
        tree=walked(case, recording),
    )


def walked(case: Case, recording: Recording) -> Walk:
    started = time.process_time()
    numbers: list[int] = []
    error = ""
    with patience():
        tree = open_search(recording, expect=case.expected)
    try:
        with patience():
            for number in breadth_first(tree):
                numbers.append(number)
                if not case.lines.isdisjoint(lines_of(tree.cause(number))):
                    break
    except TimeoutError as late:
        error = str(late)
        # If not all children of a cause were computed, the computed ones are read.
        numbers = _until_found(tree, case.lines)
    seconds = time.process_time() - started
    read = replace(read_in(tree, numbers, case.lines), seconds=seconds)
    # After a timeout, a question about the predicates beside would continue the computation.
    is_whole = read.found and not error
    way = read_on_the_way(tree, numbers[-1], case.lines) if is_whole else None
    last = tree.cause(numbers[-1])
    is_changed = not case.changed.isdisjoint(lines_of(last))
    return Walk(read, is_changed, way, last.level, len(numbers), error)


def _until_found(tree: CauseSearch, wanted: frozenset[Place]) -> list[int]:
    """Yield the causes in the order of computation, up to one with a wanted line."""
    found = (n for n in range(len(tree)) if not wanted.isdisjoint(lines_of(tree.cause(n))))
    return list(range(next(found, len(tree) - 1) + 1))


@contextmanager
def patience(seconds: float = PATIENCE) -> Iterator[None]:
    """Raise TimeoutError in code that takes longer."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"stopped after {seconds:g} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


# --- all cases -----------------------------------------------------------------------------------

HEAD = (
    *("case", "program", "failure", "instructions", "lines"),
    *("level", "line", "share", "lines", "causes", "s", "way", "lines"),
    *("DS", "share", "lines", "RS", "share", "lines", ""),
)


def shown(row: Row) -> tuple[str, ...]:
    """Return one line for a case; the columns are those of bench/why/README.md."""
    tree, way = row.tree, row.tree.way
    return (
        *(row.case.name, row.case.program, row.case.failure),
        *(f"{row.steps}", f"{row.lines}"),
        str(tree.level) if tree.read.found else "NO",
        "changed" if tree.is_changed else "shows it" if tree.read.found else "-",
        *(_share(tree.read, row), f"{tree.read.lines}", f"{tree.causes}"),
        f"{tree.read.seconds:.1f}",
        *((_share(way, row), f"{way.lines}") if way else ("-", "-")),
        *(text for one in (row.dynamic, row.relevant) for text in _slice(one, row)),
        tree.error,
    )


def _slice(read: Read, row: Row) -> tuple[str, str, str]:
    return "yes" if read.found else "NO", _share(read, row), f"{read.lines}"


def _share(read: Read, row: Row) -> str:
    return f"{100 * read.steps / row.steps:.2f}%"


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    names = [case.name for case in cases()]
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--again", action="store_true", help="use the recordings of the last time")
    parser.add_argument("--work", type=Path, default=STORE / "runs")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the table as Markdown")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    rows, broken = [], 0
    for case in cases():
        if case.name not in options.only:
            continue
        try:
            work = options.work.resolve() / case.name
            rows.append(measured(case, work, again=options.again))
            print(text_table(HEAD, [shown(rows[-1])]), flush=True)
        except (UserError, UnavailableError, TimeoutError) as error:
            broken += 1
            print(f"{case.name}: {error}", file=sys.stderr, flush=True)
    if options.out:
        options.out.write_text(markdown_table(HEAD, map(shown, rows)) + "\n", "utf-8")
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1), "utf-8")
    return 0 if not broken and all(row.tree.read.found for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
