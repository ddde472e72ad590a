"""Does every operation give the result that was recorded in real runs?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.frontend import corpus
from tests.trace import running
from whence.frontend.c.ir import Instruction, Label, Local, Typed
from whence.frontend.c.meaning import Meaning, Meanings
from whence.frontend.c.source import ModuleSource
from whence.frontend.c.tables import OpCode
from whence.languages import describer_of
from whence.logic.c.evaluate import evaluate
from whence.program.ids import Op, Step
from whence.program.operations import COp, PyOp
from whence.trace.c.recording import CThread

MAX_STEPS = 20_000  # limit on steps of one run that are compared; for speed


def ops(names: str) -> set[COp]:
    return {COp[name] for name in names.split()}


# For each program, the least number of steps that agree, and operations that are among them.
EXPECTED = {
    "integers": (2500, ops(
        "ADD SUB MUL UDIV SDIV UREM SREM SHL LSHR ASHR AND OR XOR ZEXT SEXT TRUNC ULT SLT SGE"
    )),
    "floats": (5000, ops(
        "FADD FSUB FMUL FDIV FNEG FABS SQRT FLOOR CEIL TRUNCF RINT FCMP FPTRUNC FPEXT FPTOUI"
        " FPTOSI UITOFP SITOFP COPYSIGN FREM"
    )),
    "intrinsics": (80, ops("FMULADD FREM")),
    "builtins": (250, ops("CTPOP CTLZ CTTZ BSWAP BITREVERSE FSHL FSHR ABS OVERFLOW")),
    "bitint": (1500, ops("ADD MUL SDIV SHL")),
    "control": (4000, ops("ADDRESS SLT EQ NE")),
    "overflowing": (5000, ops("SREM")),
    "complex_numbers": (150, ops("FMUL FADD FCMP")),
    "records": (250, ops("COPY ADDRESS SHL")),
    "varargs": (1000, ops("COPY ULE")),
    "triangle": (40, ops("NE MUL")),
    "memory": (400, ops("COPY ADDRESS")),
    "corners": (8000, ops(
        "FADD FSUB FMUL FDIV FREM FMULADD SQRT FMIN FMAX COPYSIGN ROUND FLOOR CEIL TRUNCF"
        " RINT FPCLASS FCMP FPTRUNC FPEXT FPTOSI OVERFLOW SMAX SMIN UMAX UMIN SWITCH"
    )),
}  # fmt: skip


class Run:
    """The steps of a recorded run, with their operations, operands and results."""

    def __init__(self, thread: CThread, limit: int) -> None:
        self.thread = thread
        steps = thread.meta.steps
        self.steps = np.unique(np.linspace(1, steps, min(steps, limit)).astype(np.uint32))
        self.values = thread.replay.window(1, steps + 1).value
        self.wide: dict[int, int] = {}
        self.meanings = {source: Meanings(source.module) for source in thread.image.modules}

    def __iter__(self) -> Iterator[tuple[Step, Op, ModuleSource, int]]:
        for step, op in zip(self.steps, describer_of(self.thread).ops(self.steps), strict=True):
            yield Step(int(step)), Op(int(op)), *self.thread.image.locate(Op(int(op)))

    def meaning(self, source: ModuleSource, op: int) -> Meaning | None:
        def definition(name: str) -> Instruction | None:
            number = source.register(op, name)
            return None if number is None else source.instruction(number)

        return self.meanings[source].of(source.instruction(op), definition)

    def operand(self, step: Step, op: Op, typed: Typed, width: int) -> int | None:
        """Return the bits of an operand; None for parameters and addresses of globals."""
        source, local = self.thread.image.locate(op)
        if not isinstance(typed.value, Local):
            return self.meanings[source].constant(typed)
        register = source.register(local, typed.value.name)
        if register is None:
            return None
        definer = Op(op - local + register)
        before = self.thread.last_execution(definer, step)
        return None if before is None else self.value(before, definer, width)

    def value(self, step: int, op: int, width: int) -> int | None:
        code = self.thread.image.program.ops["code"][op]
        if width <= 64:
            return None if code == OpCode.NOP else int(self.values[step - 1])
        if code == OpCode.CALL:
            return None  # only 64 bits of a returned value are recorded
        if step not in self.wide:
            self.wide[step] = int.from_bytes(self.thread.replay.wide(step), "little")
        return self.wide[step]

    def entered(self, step: Step) -> str | None:
        """Return the label of the block that a step went to."""
        block, code = self.thread.queries.side_of(step), self.thread.image.code
        if block is None:
            return None
        function = int(code.block_function[block])
        source, local = self.thread.image.locate(Op(int(code.function_first_op[function])))
        return source.function(local).blocks[block - int(code.function_first_block[function])].label


def compared(run: Run) -> tuple[Counter[COp | PyOp], list[str]]:
    """Count the steps that agree, by operation, and describe those that do not."""
    agreed: Counter[COp | PyOp] = Counter()
    different = []
    for step, op, source, local in run:
        meaning = run.meaning(source, local)
        if meaning is None:
            continue
        operation = meaning.operation
        widths = zip(meaning.operands, operation.widths, strict=True)
        operands = [run.operand(step, op, typed, width) for typed, width in widths]
        known = [value for value in operands if value is not None]
        found = evaluate(operation, known) if len(known) == len(operands) else None
        recorded: int | str | None = run.value(step, op, operation.width)
        computed: int | str | None = found
        if operation.op is COp.SWITCH and found is not None:
            recorded, computed = run.entered(step), _target(source.instruction(local), found)
        if found is None or recorded is None:
            continue
        if recorded == computed:
            agreed[operation.op] += 1
        else:
            text = source.module.text[source.instruction(local).line].strip()
            different.append(
                f"step {step}: {text}: {operation} of {known}: {computed}, not {recorded}"
            )
    return agreed, different


def _target(switch: Instruction, case: int) -> str:
    labels = [*switch.operands[3::2], switch.operands[1]]
    target = labels[case].value
    assert isinstance(target, Label)
    return target.name


def source_of(name: str) -> Path:
    own = Path(__file__).parent / f"{name}.c"
    return own if own.exists() else corpus.PROGRAMS / f"{name}.c"


@pytest.mark.parametrize("name", EXPECTED)
def test_operations_give_what_was_recorded(name: str, tmp_path: Path) -> None:
    program = corpus.program(source_of(name))
    _, thread = running.run(program, running.build(program, tmp_path), tmp_path / "trace")
    agreed, different = compared(Run(thread, MAX_STEPS))
    assert not different, "\n".join(different[:20])
    many, kinds = EXPECTED[name]
    assert agreed.total() >= many
    assert kinds <= set(agreed), f"not compared: {kinds - set(agreed)}"
