"""Which steps wrote the items that a step of a Python run reads?"""

from __future__ import annotations

from pathlib import Path

from tests.trace.python.test_replaying import recorded
from whence.languages import flow_of
from whence.program.ids import Step
from whence.trace.flow import Flow


def opened(folder: Path, text: str) -> Flow:
    recording = recorded(folder, text)
    (process,) = recording.processes
    return flow_of(recording.thread(recording.image(process), process.logs[0]))


def steps_at(flow: Flow, line: int, opcode: str) -> list[Step]:
    """Return the steps of a line that executed operations of one kind."""
    image = flow.thread.image
    return [
        step
        for step in map(Step, range(1, flow.thread.stream.steps + 1))
        for place in [image.place(flow.op_of(step))]
        if place and place.line == line and image.sort(flow.op_of(step)).opcode.split()[0] == opcode
    ]


def test_an_assignment_to_a_slice_reads_the_items_of_its_value(tmp_path: Path) -> None:
    flow = opened(tmp_path, "a = [1]\na.append(2)\nb = []\nb[:] = a\nb[0] = a\n")
    [append], [copy] = steps_at(flow, 2, "call"), steps_at(flow, 4, "set_item")
    assert append in flow.node(copy).operands
    assert flow.reads(copy)
    [whole] = steps_at(flow, 5, "set_item")
    assert append not in flow.node(whole).operands
    assert not flow.reads(whole)


def test_a_method_that_a_variable_keeps_writes_to_its_list(tmp_path: Path) -> None:
    flow = opened(tmp_path, "a = []\nadd = a.append\nadd(2)\nprint(len(a))\n")
    [added] = steps_at(flow, 3, "call")
    assert any(added in flow.node(call).operands for call in steps_at(flow, 4, "call"))
