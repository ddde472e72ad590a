"""Which inputs did a Python program read, and are they the same things in every recording?"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from whence.frontend.python.record import record
from whence.inputs import STDIN, InputRange, InputSource, SourceKind, argument, variable
from whence.languages import open_recording
from whence.subject.trial import BuildAndTest
from whence.trace.python.inputs import program_arguments
from whence.trace.python.recording import PythonThread

DATA = InputSource(SourceKind.FILE, "data/in.txt")


def run(folder: Path, test: str, files: dict[str, str]) -> PythonThread:
    """Record a test in a tree of these files."""
    tree, out = folder / "tree", folder / "out"
    (tree / "data").mkdir(parents=True)
    out.mkdir()
    for name, text in files.items():
        (tree / name).write_bytes(text.encode())
    record(tree, BuildAndTest(test=test.replace("python", sys.executable)), out)
    recording = open_recording(out)
    process = recording.processes[-1]
    thread = recording.thread(recording.image(process), process.logs[0])
    assert isinstance(thread, PythonThread)
    return thread


def inputs_at(thread: PythonThread, fragment: str) -> set[InputRange]:
    """Return what the steps read on the source lines that have this fragment."""
    source = thread.recording.folder / "source"
    rows = {
        number
        for path in source.rglob("*.py")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if fragment in line
    }
    assert rows
    steps = thread.stream.every_step
    own = [step for step in steps if thread.program.row[thread.queries.op_of(step)] in rows]
    found = thread.inputs(np.array(own, np.uint32))
    return {one for one in found if one.source.kind is not SourceKind.LITERAL}


PROGRAM = """
import os
import sys
from pathlib import Path

def main():
    a = sys.argv[1]
    last = sys.argv[-1]
    rest = sys.argv[1:]
    for each in sys.argv: print(each)
    b = os.environ["INPUT"]
    c = os.getenv("OTHER", "d")
    d = os.environ.get("INPUT")
    line = sys.stdin.readline()
    typed = input()
    remaining = sys.stdin.read()
    with open("data/in.txt") as file:
        first = file.readline()
        for other in file: print(other)
    raw = open("data/in.txt", "rb").read(2)
    sought = open("data/in.txt", "rb"); sought.seek(3); tail = sought.read()
    text = (Path("data") / "in.txt").read_text()
    lines = list(open(Path("data", "in.txt")))
    recoded = open("data/in.txt", encoding="latin-1").read()
    with open("data/out.txt", "w") as out: out.write("x")

main()
"""
CASES = {
    "a = sys": {InputRange(argument(1), 0, 3)},
    "last = ": {InputRange(argument(2), 0, 1)},
    "rest = ": {InputRange(argument(1), 0, 3), InputRange(argument(2), 0, 1)},
    "for each": {InputRange(argument(1), 0, 3), InputRange(argument(2), 0, 1)},
    "b = os": {InputRange(variable("INPUT"), 0, 2)},
    "c = os": {InputRange(variable("OTHER"), 0, 1)},
    "d = os": {InputRange(variable("INPUT"), 0, 2)},
    "line = sys": {InputRange(STDIN, 0, 4)},
    "typed = ": {InputRange(STDIN, 4, 6)},
    "remaining = ": {InputRange(STDIN, 7, 13)},
    "first = ": {InputRange(DATA, 0, 3)},
    "for other": {InputRange(DATA, 3, 6)},
    "raw = ": {InputRange(DATA, 0, 2)},
    "sought = ": {InputRange(DATA, 3, 6)},
    "text = ": {InputRange(DATA, 0, 6)},
    "lines = ": {InputRange(DATA, 0, 0)},
    "recoded = ": {InputRange(DATA, 0, 0)},
    "out.write": set(),
}


@pytest.fixture(scope="module")
def thread(tmp_path_factory: pytest.TempPathFactory) -> PythonThread:
    return run(
        tmp_path_factory.mktemp("inputs"),
        "INPUT=xx python program.py 3,4 5 < stdin",
        {"program.py": PROGRAM, "data/in.txt": "ab\ncd\n", "stdin": "one\nab\n\u00e4\nxyz"},
    )


@pytest.mark.parametrize("fragment", CASES)
def test_what_a_line_reads(thread: PythonThread, fragment: str) -> None:
    assert inputs_at(thread, fragment) == CASES[fragment]


def test_a_whole_run_lists_no_variables_and_no_literals(thread: PythonThread) -> None:
    assert thread.inputs() == (
        InputRange(argument(1), 0, 3),
        InputRange(argument(2), 0, 1),
        InputRange(STDIN, 0, 6),
        InputRange(STDIN, 7, 13),
        InputRange(DATA, 0, 6),
    )


# --- literals --------------------------------------------------------------------------------

TEST = """from parsing import parse

def test_parse():
    assert parse("a,b") == ["a", "c"]
"""
# The same test in a file with other tests, and with another layout.
MOVED = """from parsing import parse

OTHER = "something"

def test_before():
    assert parse("x") == ["x"]

def test_parse():
    # A comment.
    expected = None
    assert parse(
        "a,b"
    ) == ["a", "c"]
"""
PARSING = """def parse(text):
    return text.split(",")
"""


@pytest.mark.parametrize("test", [TEST, MOVED])
def test_the_literals_of_a_test_are_inputs_wherever_it_stands(tmp_path: Path, test: str) -> None:
    files = {"parsing.py": PARSING, "test_parsing.py": test}
    thread = run(tmp_path, "python -m pytest -q test_parsing.py -k test_parse", files)
    name = "test_parsing.py::test_parse"
    found = thread.inputs(np.arange(1, thread.run.steps + 1, dtype=np.uint32))
    assert [one for one in found if one.source.name == name] == [
        InputRange(InputSource(SourceKind.LITERAL, name, 0), 0, 3),
        InputRange(InputSource(SourceKind.LITERAL, name, 1), 0, 0),  # a list is one literal
    ]
    assert not [one for one in found if one.source.name.startswith("parsing.py")]


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("python program.py 1 2", "1 2"),
        ("python -W error -m pytest -q", "-q"),
        ("python -c code x", "x"),
        ("python -ccode x", "x"),
        ("python -u -X dev program.py", ""),
        ("python - x", "x"),
        ("python", ""),
    ],
)
def test_the_arguments_of_a_program_are_those_after_the_script(
    command: str, arguments: str
) -> None:
    assert program_arguments(command.split()) == arguments.split()
