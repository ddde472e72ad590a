"""Does `whence contract` detect wrong changes of our own programs, and name the wrong function?

The programs and their faults are those of `changes/`, bench/omission (C and C++) and bench/chain.
Only the fault differs between good and bad, so every function that is reported as the origin of a
difference and was not edited is a false alarm.  Good is also compared with good.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.chain.run import CASES, versions
from bench.omission.cases import PROGRAMS, load
from bench.trace.table import text_table
from whence.contract.session import ContractRequest, ContractSession
from whence.errors import UserError
from whence.model import ContractVerdict
from whence.subject.trial import BuildAndTest

_COMPILERS = {".c": "$CC", ".cpp": "$CXX"}
NEW = Path(__file__).with_name("changes")  # written before whence was run on them
WRONG = (ContractVerdict.CHANGED, ContractVerdict.BROKEN)


@dataclass(frozen=True)
class WrongChange:
    """Two versions that differ in one fault."""

    name: str
    good: dict[str, bytes]
    bad: dict[str, bytes]
    test: str
    build: str | None


@dataclass(frozen=True)
class Row:
    """What was seen of one wrong change."""

    case: str
    detected: bool
    rank: int | None  # of the first edited function among the origins
    origins: int
    false: int  # origins that were not edited
    functions: int
    calls: int
    compared: int
    itself: int  # functions that are reported for good against good
    cpu: float
    first: str
    error: str = ""


def omissions(each: int) -> Iterator[WrongChange]:
    """Yield the first faults of each C and C++ program."""
    for folder in sorted(path for path in PROGRAMS.iterdir() if path.is_dir()):
        for number, case in enumerate(load(folder)):
            if number < each:
                stdin = {"stdin": case.beside["stdin"]}
                yield WrongChange(
                    f"{case.program}/{case.name}", {**case.good, **stdin},
                    {**case.faulty, **stdin}, case.test, case.build,
                )  # fmt: skip


def marked(folder: Path) -> Iterator[WrongChange]:
    """Yield the faults of small programs that mark them as @{bad|good}, as in bench/chain."""
    for path in sorted(folder.iterdir()):
        name = "program.py" if path.name.endswith(".py.txt") else f"program{path.suffix}"
        compiler = _COMPILERS.get(path.suffix)
        bad, good = ({name: text.encode()} for text in versions(path))
        yield WrongChange(
            path.name.partition(".")[0], good, bad,
            "./program" if compiler else "python program.py",
            f"{compiler} -g -o program {name}" if compiler else None,
        )  # fmt: skip


def measured(change: WrongChange, folder: Path) -> Row:
    """Compare the two versions of a wrong change, and good with good."""
    for version, files in (("good", change.good), ("bad", change.bad)):
        (folder / version).mkdir()
        for name, content in files.items():
            (folder / version / name).write_bytes(content)
    (folder / "work").mkdir()
    commands = BuildAndTest(test=change.test, build=change.build, asked_timeout=300)
    request = ContractRequest(str(folder / "good"), str(folder / "bad"), commands)
    session = ContractSession(request, folder / "work", lambda _: None)
    began = _cpu()
    try:
        opened = session.open()
        runs = session.watched(opened)
        result = session.judged(opened, runs, {})
        itself = session.against_itself(opened, runs)
    except UserError as error:
        why = str(error).partition("\n")[0]
        return Row(change.name, False, None, 0, 0, 0, 0, 0, 0, round(_cpu() - began, 1), "", why)
    wrong = [function for function in result.functions if function.verdict in WRONG]
    origins = [function for function in wrong if not function.through]
    edited = opened.sources.changed[1]
    ranks = [n for n, each in enumerate(origins, 1) if (each.file, each.line) in edited]
    return Row(
        change.name, bool(wrong), min(ranks, default=None), len(origins),
        sum((each.file, each.line) not in edited for each in origins), len(result.functions),
        sum(each.calls for each in result.functions),
        sum(each.compared for each in result.functions),
        sum(each.verdict in WRONG for each in itself.functions), round(_cpu() - began, 1),
        origins[0].function if origins else "",
    )  # fmt: skip


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=5, help="faults of each C and C++ program")
    parser.add_argument("--only", default="", help="only changes with this in their names")
    parser.add_argument("--out", type=Path, help="write the table to this file")
    options = parser.parse_args(arguments)
    rows = []
    for change in (*marked(NEW), *marked(CASES), *omissions(options.each)):
        if options.only in change.name:
            with tempfile.TemporaryDirectory(prefix="whence-bench-") as folder:
                rows.append(measured(change, Path(folder)))
            print(json.dumps(asdict(rows[-1])), file=sys.stderr, flush=True)
    cells = [[str(value) for value in asdict(row).values()] for row in rows]
    text = text_table([*asdict(rows[0])], cells) if rows else "no change"
    total = (
        f"{sum(row.detected for row in rows)} of {len(rows)} detected, "
        f"{sum(row.rank == 1 for row in rows)} with an edited function first, "
        f"{sum(row.false for row in rows)} false alarms, "
        f"{sum(row.itself for row in rows)} reported for good against good, "
        f"{sum(row.cpu for row in rows):.0f} CPU s"
    )
    print(text, total, sep="\n")
    if options.out:
        options.out.write_text(f"{text}\n\n{total}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
