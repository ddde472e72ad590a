"""Do operations give what a real run recorded, and do its values satisfy all constraints?"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
import z3

from whence.frontend.python.record import record
from whence.frontend.python.values import UNKNOWN, python_text
from whence.languages import flow_of, open_recording
from whence.logic.python.evaluate import agrees, evaluate
from whence.logic.python.formula import PythonFormula
from whence.logic.python.terms import equal, python_literal
from whence.program.ids import Step
from whence.program.operations import PyOp
from whence.subject.trial import BuildAndTest
from whence.trace.flow import Flow

PROGRAM = """
import math

LIMITS = ((0, 59), (0, 23))
NAMES = {"jan": 1, "feb": 2, "mar": 3}


class Odd:
    def __eq__(self, other):
        return True

    def __bool__(self):
        return False

    def __contains__(self, item):
        return "x"

    def __add__(self, other):
        return 17


def number(text, default=None):
    if not text or text.isspace():
        return default
    negative = text.startswith("-")
    total = 0
    for letter in text.lstrip("-"):
        if letter not in "0123456789":
            raise ValueError(f"{text}: {letter}")
        total = total * 10 + ord(letter) - ord("0")
    return -total if negative else total


def fields(line):
    parts = line.split(",")
    first, *rest = parts
    seen = set()
    for at, part in enumerate(rest):
        key = part.strip().lower()
        if key in NAMES and key not in seen:
            seen.add(key)
            yield NAMES[key], at % 2 == 0, key[:2] + key[-1]
    yield NAMES.get(first, 0), 0 <= len(parts) < 9, first or "none"


rows = list(fields("x, Feb,mar ,feb, dec"))
rows.append((1, True, "end"))
found = [row[0] << 2 | 1 for row in rows if row[2] != "none" and row[1] is not None]
numbers = [number(one) for one in ("12", "-7", "", " ")]
try:
    number("1x")
except ValueError as error:
    text = str(error)
odd = Odd()
odds = (odd == 3, odd in [1], 3 in odd, odd + 1, odd or 5, odd and 6, not odd)
low, high = LIMITS[1]
nan = math.nan
strange = (nan == nan, nan in [nan], [nan] == [nan], 0.0 == -0.0, 1 == True, 7 // -2, -7 % 3)
total = sum(found) + max(high, low) + min(3, 5) + abs(-4) + round(2.5) + len(rows) * 2 ** 3
same = rows == [(1, True, "end")] or rows[-1] == (1, True, "end")
print(total, "%s-%d" % ("a", 3), sorted(NAMES, reverse=True), "/".join(sorted(NAMES)))
print(odds, strange)
"""


@pytest.fixture(scope="module")
def flow(tmp_path_factory: pytest.TempPathFactory) -> Flow:
    folder = tmp_path_factory.mktemp("recorded")
    tree, out = folder / "tree", folder / "trace"
    tree.mkdir()
    out.mkdir()
    (tree / "program.py").write_text(PROGRAM, "utf-8")
    record(tree, BuildAndTest(f"{sys.executable} {Path('program.py')}"), out)
    recording = open_recording(out)
    process = recording.processes[0]
    return flow_of(recording.thread(recording.image(process), process.logs[0]))


def steps(flow: Flow) -> Sequence[Step]:
    return flow.thread.stream.every_step


def test_computed_results_are_the_recorded_ones(flow: Flow) -> None:
    computed: Counter[str] = Counter()
    for step in steps(flow):
        node, value = flow.node(step), flow.value(step)
        op = node.operation.op
        if not isinstance(op, PyOp) or value is UNKNOWN:
            continue
        values = [flow.value_of(operand) for operand in node.operands]
        found = evaluate(node.operation, values)
        if found is not UNKNOWN:
            operands = [*map(python_text, values)]
            both = f"{python_text(found)}, recorded {python_text(value)}"
            assert agrees(found, value), f"{node.operation} of {operands}: {both}"
            computed[op.name] += 1
    expected = "ADD MUL MOD FLOORDIV EQ IN NOTIN CHAIN ITEM TUPLE TRUTH NEG METHOD BUILTIN"
    assert {*expected.split()} <= {*computed}


def test_recorded_values_satisfy_all_constraints(flow: Flow) -> None:
    formula = PythonFormula(flow)
    solver = z3.Solver()
    constraints = 0
    for step in steps(flow):
        definition = formula._definition(step)
        solver.add(*definition)
        constraints += len(definition)
        if flow.is_branch(step) and flow.value(step) is not UNKNOWN:
            solver.add(formula.outcome(step))
    for operand, term in formula._variables.items():
        value = flow.value_of(operand)
        if value is not UNKNOWN:
            solver.add(equal(term, python_literal(value)))
    assert constraints > len(steps(flow)) / 2
    assert solver.check() == z3.sat
