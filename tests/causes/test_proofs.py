"""Do the steps of a proof force its predicate, whatever all other steps compute?"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.causes.explaining import causes, explained, threads
from tests.causes.reevaluation import Reevaluation
from whence.causes.precondition import Preconditions
from whence.causes.proof import Proof, Prover
from whence.frontend.c.tables import OpCode
from whence.logic.c.logic import CLogic
from whence.logic.logic import ALL
from whence.program.ids import Step
from whence.program.operations import COp, Operation
from whence.trace.c.flow import CFlow
from whence.trace.flow import Constant, FlowNode
from whence.trace.recording import Recording

SEEDS = 40  # steps of one thread that are proved
TIMES = 3  # reevaluations of each proof
CORES = 12  # proofs of one thread whose cores are checked
SMALL = 12  # limit on steps of a proof that is checked for being minimal

CORPUS = [
    "bitint.c", "callbacks.c", "complex_numbers.c", "exceptions.cc", "floats.c", "locals.c",
    "memory.c", "records.c", "varargs.c",
]  # fmt: skip


BRANCHES = (OpCode.CBR, OpCode.SWITCH)
STORES = (OpCode.STORE, OpCode.LSTORE)


def seeds(flow: CFlow, choose: random.Random, kinds: tuple[OpCode, ...]) -> list[Step]:
    """Return a random sample of steps of a run."""
    codes = flow.thread.image.program.ops["code"]
    steps = flow.thread.stream.every_step
    found = (
        step
        for step in choose.sample(steps, len(steps))
        if int(codes[flow.op_of(step)]) in kinds and flow.node(step).operation.width <= 64
    )
    return [step for step, _ in zip(found, range(SEEDS), strict=False)]


def proofs(
    flow: CFlow, choose: random.Random, kinds: tuple[OpCode, ...] = BRANCHES + STORES
) -> Iterator[tuple[Step, Proof]]:
    prover = Prover(flow, CLogic())
    for seed in seeds(flow, choose, kinds):
        yield seed, prover.prove([(seed, ALL)])


def test_a_value_is_compared_once_until_a_comparison_changes() -> None:
    """Many proofs pass through the same step, which may have hundreds of operands."""
    flow: Any = _Added()
    asked: list[object] = []
    revision = [0]

    def is_right(value: object) -> bool:
        asked.append(value)
        return True

    prover = Prover(flow, CLogic(), needs_none=is_right, revision=lambda: revision[0])
    first = prover.prove([(Step(9), ALL)])
    assert len(asked) == 2
    assert prover.prove([(Step(9), ALL)]).steps == first.steps
    assert len(asked) == 2
    revision[0] += 1
    prover.prove([(Step(9), ALL)])
    assert len(asked) == 4


class _Added:
    """A run in which step 9 added the values of the steps 3 and 4."""

    def node(self, step: Step) -> FlowNode:
        operands = (Step(3), Step(4)) if step == 9 else ()
        return FlowNode(Operation(COp.ADD, 32, (32, 32)), operands)

    def value(self, _step: Step) -> int:
        return 1

    def value_of(self, _operand: object) -> int:
        return 1

    def width_of(self, _operand: object) -> int:
        return 32

    def is_load(self, _step: Step) -> bool:
        return False

    def controlling_branch(self, _step: Step) -> None:
        return None


def check_forced(flow: CFlow, choose: random.Random) -> None:
    """Check that proofs force all bits of a value, or the bits that a mask selects."""
    prover = Prover(flow, CLogic())
    for seed in seeds(flow, choose, BRANCHES + STORES):
        for mask in (ALL, 1 << choose.randrange(64), choose.randrange(1 << 64)):
            proof = prover.prove([(seed, mask)])
            for _ in range(TIMES):
                found = Reevaluation(flow, proof, choose).of(seed)
                assert isinstance(found, int)
                assert found & mask == flow.value(seed) & mask, (
                    f"step {seed} at {flow.thread.image.place(flow.op_of(seed))} gave "
                    f"{flow.value(seed)}, but with all else different its proof gives {found}, "
                    f"under the mask {mask:#x}"
                )


def flow_of(recording: Recording) -> CFlow:
    (thread,) = threads(recording)
    return CFlow(thread)


@pytest.mark.parametrize("name", CORPUS)
def test_a_proof_forces_what_it_proves(name: str, flows_of: Callable[[str], list[CFlow]]) -> None:
    for flow in flows_of(name):
        check_forced(flow, random.Random(1))


def test_a_proof_forces_what_it_proves_of_generated_programs(generated: list[Recording]) -> None:
    for recording in generated:
        check_forced(flow_of(recording), random.Random(1))


def test_a_proof_without_one_of_its_steps_does_not_force_it(generated: list[Recording]) -> None:
    """Without one of its steps a proof mostly fails, so reevaluation does change values.

    It does not always fail: the solver removes some unnecessary steps only later.
    """
    needed = tried = 0
    choose = random.Random(1)
    for recording in generated:
        flow = flow_of(recording)
        for seed, proof in proofs(flow, choose):
            if len(proof.steps) > SMALL or not is_transparent(flow, proof):
                continue
            for step in sorted(computing(flow, proof, seed)):
                tried += 1
                needed += can_change(flow, proof, seed, step, choose)
    assert tried > 100
    assert needed >= tried * 0.8


def is_transparent(flow: CFlow, proof: Proof) -> bool:
    return not any(flow.node(step).operation.op is COp.OPAQUE for step in proof.steps)


def computing(flow: CFlow, proof: Proof, seed: Step) -> set[Step]:
    """Return the steps that a value was computed from, without those that only copied it."""
    run = Reevaluation(flow, proof, random.Random(1))
    run.of(seed)
    return {key for key in run.values if isinstance(key, int) and key in proof.steps} - {seed}


def can_change(flow: CFlow, proof: Proof, seed: Step, step: Step, choose: random.Random) -> bool:
    """Does one of some likely values of a step change the result?"""
    constants = {
        operand.value + near
        for one in proof.steps
        for operand in flow.node(one).operands
        if isinstance(operand, Constant) and operand.value is not None
        for near in (-1, 0, 1)
    }
    full = (1 << flow.width_of(step)) - 1
    anything = (Reevaluation(flow, proof, choose).arbitrary(step) for _ in range(20))
    for value in (*sorted(constants), *anything):
        run = Reevaluation(flow, proof, choose, {step: value & full})
        if run.of(seed) != flow.value(seed):
            return True
    return False


def test_a_core_forces_what_it_is_the_core_of(generated: list[Recording]) -> None:
    """All values from before the cut may change, if the premises come out as in the run."""
    choose = random.Random(1)
    held = cores = 0
    for recording in generated:
        flow = flow_of(recording)
        preconditions = Preconditions(flow, CLogic())
        for seed, proof in itertools.islice(proofs(flow, choose, BRANCHES), CORES):
            core = preconditions.core([(seed, flow.value(seed))], proof.steps)
            if core is None:
                continue
            cores += 1
            for _ in range(20):
                run = Reevaluation(flow, Proof(set(core.steps)), choose)
                if all(run.of(branch) == flow.value(branch) for branch in core.premises):
                    held += 1
                    assert run.of(seed) == flow.value(seed)
    assert cores > 5
    assert held > 50


TABLE = """#include <assert.h>
enum { N = 12 };
static unsigned d[N + 1][N + 1];
int main(void)
{
    for (int i = 0; i <= N; i++)
        d[i][0] = i;
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            d[i][j] = d[i - 1][j] + d[i][j - 1];
    assert(d[N][N] == 0);
}
"""


def test_a_long_proof_is_cut_and_keeps_the_last_steps_and_some_origins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = causes(explained(TABLE, tmp_path / "whole"))[0]
    monkeypatch.setattr("whence.causes.proof.MAX_STEPS", 200)
    cut = causes(explained(TABLE, tmp_path / "cut"))[0]
    assert not whole.is_cut
    assert cut.is_cut
    assert cut.instances < whole.instances
    shown = {statement.text for statement in cut.statements}
    assert {"d[i][0] = i;", "d[i][j] = d[i - 1][j] + d[i][j - 1];"} <= shown
