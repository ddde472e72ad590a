"""Does a rerun of a Python test alter what it is asked to, and nothing else?"""

from __future__ import annotations

import sys

import pytest

from whence.frontend.rerun.interventions import PatchedProcess
from whence.frontend.rerun.python import AlteredValue, PythonRerunner
from whence.languages import flow_of, open_recording
from whence.model import Outcome
from whence.program.ids import Step
from whence.subject.trial import BuildAndTest
from whence.trace.python.flow import PythonFlow
from whence.trace.recording import program_place

PROGRAM = """\
import os
class Box:
    pass
def grow(box, by):
    box.size = by
    box.size += 1
    return box
total = 0
for i in range(3):
    total += 10
box = grow(Box(), total)
if box.size > 25:
    print("much")
print(total, box.size)
open("count", "a").write("x")
print(os.path.getsize("count"))
assert total == 30
"""
COMMANDS = BuildAndTest(f"{sys.executable} program.py")


@pytest.fixture(scope="module")
def rerunner(tmp_path_factory: pytest.TempPathFactory) -> PythonRerunner:
    tree, folder = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("kept")
    (tree / "program.py").write_text(PROGRAM)
    return PythonRerunner(tree, COMMANDS, folder)


@pytest.fixture(scope="module")
def flow(rerunner: PythonRerunner, tmp_path_factory: pytest.TempPathFactory) -> PythonFlow:
    trace = tmp_path_factory.mktemp("trace")
    rerunner.record(trace)
    recording = open_recording(trace)
    assert recording.outcome is Outcome.PASS
    (process,) = recording.processes
    found = flow_of(recording.thread(recording.image(process), process.logs[0]))
    assert isinstance(found, PythonFlow)
    return found


def altered(
    rerunner: PythonRerunner, flow: PythonFlow, *values: AlteredValue, number: int = 0
) -> tuple[bytes, int]:
    """Return what the test prints with some values altered, and how many were not reached."""
    thread = flow.thread
    name, _ = program_place(thread.image.process, thread.recording)
    rerun = rerunner.run(values, PatchedProcess(name, number))
    return rerun.ended.stdout, len(rerun.missed)


def ops(flow: PythonFlow, opcode: str, line: int) -> list[int]:
    """Return the operations of a kind on a line."""
    place = flow.thread.image.place
    return [
        op
        for op in dict.fromkeys(map(flow.op_of, map(Step, flow.thread.stream.every_step)))
        if flow.program.opcode[op] == opcode and (at := place(op)) is not None and at.line == line
    ]


def test_without_alterations_the_test_runs_as_it_is(
    rerunner: PythonRerunner, flow: PythonFlow
) -> None:
    for _ in range(2):  # and what one run writes into the tree the next does not see
        assert altered(rerunner, flow) == (b"much\n30 31\n1\n", 0)


def test_one_execution_of_a_variable_is_set(rerunner: PythonRerunner, flow: PythonFlow) -> None:
    (store,) = ops(flow, "store", 10)
    assert altered(rerunner, flow, AlteredValue(store, 2, "set", 7))[0] == b"7 8\n1\n"
    assert altered(rerunner, flow, AlteredValue(store, 0, "set", 5))[0] == b"25 26\n1\n".replace(
        b"25", b"much\n25", 1
    )


def test_a_read_is_set_and_the_variable_stays(rerunner: PythonRerunner, flow: PythonFlow) -> None:
    (load,) = [op for op in ops(flow, "load", 11) if flow.program.name[op] == "total"]
    assert altered(rerunner, flow, AlteredValue(load, 0, "set", 3)) == (b"30 4\n1\n", 0)


def test_an_attribute_is_set(rerunner: PythonRerunner, flow: PythonFlow) -> None:
    (store,) = ops(flow, "set_attr", 5)
    assert altered(rerunner, flow, AlteredValue(store, 0, "set", 1)) == (b"30 2\n1\n", 0)


def test_a_branch_goes_the_other_way(rerunner: PythonRerunner, flow: PythonFlow) -> None:
    (branch,) = ops(flow, "branch", 12)
    assert altered(rerunner, flow, AlteredValue(branch, 0, "flip")) == (b"30 31\n1\n", 0)


def test_an_object_of_the_run_is_given_in_another_place(
    rerunner: PythonRerunner, flow: PythonFlow
) -> None:
    kept = next(op for op in ops(flow, "load", 10) if flow.program.name[op] == "total")
    (load,) = [op for op in ops(flow, "load", 11) if flow.program.name[op] == "total"]
    values = (AlteredValue(kept, 1, "keep", 0), AlteredValue(load, 0, "kept", 0))
    assert altered(rerunner, flow, *values) == (b"30 11\n1\n", 0)


def test_what_is_not_reached_is_reported(rerunner: PythonRerunner, flow: PythonFlow) -> None:
    (store,) = ops(flow, "store", 10)
    late = AlteredValue(store, 3, "set", 7)
    assert altered(rerunner, flow, late) == (b"much\n30 31\n1\n", 1)
    first = AlteredValue(store, 0, "set", 7)
    assert altered(rerunner, flow, first, number=1) == (b"much\n30 31\n1\n", 1)


def test_a_watch_reports_each_value(rerunner: PythonRerunner, flow: PythonFlow) -> None:
    (store,) = ops(flow, "store", 10)
    thread = flow.thread
    name, _ = program_place(thread.image.process, thread.recording)
    rerun = rerunner.run([AlteredValue(store, 1, "watch")], PatchedProcess(name, 0))
    assert rerun.watched[0] == ((1, "20"), (2, "30"))
