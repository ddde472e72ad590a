"""Do slices of random programs leave out nothing, and do recorded values agree with operands?"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.trace.python.generator import Writer
from whence.frontend.python.record import record
from whence.frontend.python.values import UNKNOWN, python_text
from whence.languages import flow_of, open_recording
from whence.logic.python.evaluate import agrees, evaluate
from whence.program.operations import PyOp
from whence.subject.trial import BuildAndTest
from whence.trace.python.analysis import PythonAnalysis
from whence.trace.recording import Recording
from whence.trace.slice_at import slice_at

SEEDS = range(8)
NUMBER = re.compile(r"(\s*[a-e] = )(\d+)")
OTHERS = (0, 1, 7, 59, 100)
MAX_EVENTS = 100_000  # limit on the lines and calls that a changed program may execute; guessed


def recorded(folder: Path, text: str) -> Recording:
    """Record a program and open its trace."""
    tree, out = folder / "tree", folder / "out"
    tree.mkdir()
    out.mkdir()
    (tree / "p.py").write_text(text, "utf-8")
    record(tree, BuildAndTest(f"{sys.executable} p.py"), out)
    return open_recording(out)


def result_of(lines: list[str]) -> object:
    """Return the result of a program; None if it raises or runs for too long."""
    left = MAX_EVENTS

    def count(_frame: FrameType, _event: str, _argument: object) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise TimeoutError
        return count

    space: dict[str, object] = {"__name__": "p"}
    before = sys.gettrace()
    sys.settrace(count)
    try:
        exec(compile("\n".join(lines), "p.py", "exec"), space)
    except Exception:
        return None
    finally:
        sys.settrace(before)
    return space["result"]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_number_outside_of_the_relevant_slice_does_not_matter(seed: int, tmp_path: Path) -> None:
    text = Writer(seed).text
    lines = text.splitlines()
    true = result_of(lines)
    found = slice_at(
        recorded(tmp_path, text), f"p.py:{len(lines)}:result", PythonAnalysis(), relevant=True
    )
    inside = {statement.line for statement in found.statements}
    assert len(inside) < found.of_lines
    for at, line in enumerate(lines):
        number = NUMBER.fullmatch(line)
        if number is None or at + 1 in inside:
            continue
        for other in OTHERS:
            changed = [*lines[:at], f"{number[1]}{other}", *lines[at + 1 :]]
            assert result_of(changed) in (None, true), f"{line.strip()} -> {other} in\n{text}"


@pytest.mark.parametrize("seed", SEEDS)
def test_the_value_of_every_step_agrees_with_its_operands(seed: int, tmp_path: Path) -> None:
    recording = recorded(tmp_path, Writer(seed).text)
    process = recording.processes[0]
    flow = flow_of(recording.thread(recording.image(process), process.logs[0]))
    computed = 0
    for step in flow.thread.stream.every_step:
        node, value = flow.node(step), flow.value(step)
        if not isinstance(node.operation.op, PyOp) or value is UNKNOWN:
            continue
        values = [flow.value_of(operand) for operand in node.operands]
        expected = evaluate(node.operation, values)
        if expected is not UNKNOWN:
            where = (
                f"{flow.thread.line_at(step)}: {node.operation} of {[*map(python_text, values)]}"
            )
            assert agrees(expected, value), (
                f"{where}: {python_text(expected)}, not {python_text(value)}"
            )
            computed += 1
    assert computed > flow.thread.stream.steps / 10
