"""One helper for each kind of claim about chains."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from whence.frontend.recorded_run import DEFAULT_MAX_TRACE
from whence.model import ChainResult
from whence.service.chain_session import ChainRequest, find_chain
from whence.service.recording import RecordRequest
from whence.subject.trial import BuildAndTest

C_BUILD = "$CC -g -o program *.c"
CXX_BUILD = "$CXX -g -o program *.cpp"


def chain_of(
    folder: Path,
    bad: str,
    good: str | None = None,
    *,
    test: str | None = None,
    expect: str | None = None,
    passing_test: str | None = None,
    max_runs: int = 500,
    forgets: bool = True,
    method: str = "dependence",
    jobs: int = 1,
) -> ChainResult:
    """Return the chain of one program: C or C++ if it includes a header, else Python."""
    is_c = "#include" in bad
    is_cxx = "std::" in bad
    name = "program.py" if not is_c else "program.cpp" if is_cxx else "program.c"
    for version, text in (("bad", bad), ("good", good)):
        if text is not None:
            (folder / version).mkdir(exist_ok=True)
            (folder / version / name).write_text(text)
    commands = BuildAndTest(
        test or ("./program" if is_c else f"{sys.executable} program.py"),
        build=(CXX_BUILD if is_cxx else C_BUILD) if is_c else None,
        as_recorded=True,
    )
    if expect is not None:
        commands = replace(commands, compares_output=True, expected=expect.encode())
    record = RecordRequest(
        str(folder / "bad"), commands, folder, "auto", DEFAULT_MAX_TRACE, out=None
    )
    good_folder = str(folder / "good") if good is not None else None
    request = ChainRequest(record, good_folder, passing_test, max_runs, forgets, method, jobs)
    return find_chain(request, lambda _: None)


def versions(text: str) -> tuple[str, str]:
    """Return the failing and the corrected program of a text with `@{BAD|GOOD}` in it."""
    choice = re.compile(r"@\{(.*?)\|(.*?)\}", re.DOTALL)
    return choice.sub(r"\1", text), choice.sub(r"\2", text)


def lines_of(result: ChainResult) -> list[int]:
    """Return the lines of the links, in order."""
    return [link.line for link in result.chain]


def check_chain(result: ChainResult, text: str, marks: Mapping[str, str] | None = None) -> None:
    """Check that the chain has exactly the lines that end with `// N` or `# N`, in that order.

    `marks` says what some of these links set, such as {"1": "x = 1 (passing: 0)"}.
    """
    wanted = {}
    for number, line in enumerate(text.splitlines(), 1):
        for sign in ("// ", "# "):
            _, found, order = line.rpartition(sign)
            if found and order.isdecimal():
                wanted[int(order)] = number
    assert lines_of(result) == [wanted[order] for order in sorted(wanted)], result.chain
    assert result.status == "explained"
    assert all(link.is_proved for link in result.chain), result.chain
    for order, values in (marks or {}).items():
        link = next(each for each in result.chain if each.line == wanted[int(order)])
        shown = [f"{m.name} = {m.failing} (passing: {m.passing})" for m in link.members]
        assert values in shown


def cleared(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder
