"""How does a test compare two small programs?"""

from __future__ import annotations

from pathlib import Path

from whence.model import DarwinResult, Suspect
from whence.service.program_pair import DarwinRequest, compare_programs
from whence.subject.trial import BuildAndTest

_BUILDS = {"p.c": "$CC -g -o p p.c", "p.cpp": "$CXX -g -o p p.cpp"}


def compared(
    folder: Path, good: str, bad: str, arguments: str, *, stdin: str | None = None,
    by: str = "slice", predicates: bool | None = None, name: str = "p.c",
) -> DarwinResult:  # fmt: skip
    """Compare two programs of one file."""
    for version, text in (("good", good), ("bad", bad)):
        (folder / version).mkdir()
        (folder / version / name).write_text(text)
        if stdin is not None:
            (folder / version / "in").write_text(stdin)
    start = "./p" if name in _BUILDS else f"python3 {name}"
    test = f"{start} {arguments}" + ("" if stdin is None else " < in")
    commands = BuildAndTest(test=test, build=_BUILDS.get(name))
    request = DarwinRequest(
        good=str(folder / "good"),
        bad=str(folder / "bad"),
        commands_good=commands,
        commands_bad=commands,
        repo=folder,
        by=by,
        predicates=predicates,
    )
    return compare_programs(request, folder / "out", lambda _: None)


def line_of(text: str, part: str) -> int:
    """Return the number of the one line of a program that has a part."""
    found = [number for number, line in enumerate(text.splitlines(), 1) if part in line]
    assert len(found) == 1, part
    return found[0]


def check_suspect(result: DarwinResult, version: str, line: int) -> Suspect:
    """The only suspect is on this line, and its input makes the programs agree."""
    found = [(one.version.value, one.line) for one in result.suspects]
    assert found == [(version, line)], (found, result.reason)
    assert result.suspects[0].agrees
    return result.suspects[0]
