"""Do execution indexes of recorded programs lead to their steps, and to those of another run?"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.frontend import corpus
from tests.trace import running
from whence.trace.execution_index import ExecutionIndexes
from whence.trace.recording import Thread


@pytest.mark.parametrize("name", ["callbacks.c", "varargs.c", "jumps.c", "exceptions.cc"])
def test_an_index_leads_back_to_its_step(name: str, tmp_path: Path) -> None:
    program = corpus.program(corpus.PROGRAMS / name)
    _, thread = running.run(program, running.build(program, tmp_path), tmp_path / "trace")
    indexes, choose = ExecutionIndexes(thread.queries), random.Random(3)
    steps = sorted(choose.sample(thread.stream.every_step, 150))
    assert [indexes.step_at(indexes.index_of(step)) for step in steps] == steps


READS = """
#include <stdio.h>
static int worth(int c) { return c == 'x' ? 100 : c > 'm' ? 2 : 1; }
int main(void) {
    int c, sum = 0;
    while ((c = getchar()) != EOF) {
        if (c == ' ') continue;
        for (int i = 0; i < c % 4; i++) sum += i;
        sum += worth(c);
    }
    if (sum > 50) puts("much");
    printf("%d\\n", sum);
    return sum & 1;
}
"""


def test_steps_of_two_runs_correspond_if_their_indexes_are_equal(tmp_path: Path) -> None:
    program = running.of_text(READS, tmp_path)
    executable = running.build(program, tmp_path)

    def run(stdin: bytes) -> Thread:
        where = tmp_path / f"on-{stdin.decode()}"
        return running.run(replace(program, stdin=stdin), executable, where)[1]

    one, other = run(b"ab x z"), run(b"qb  zebra")
    steps = one.stream.every_step
    own, others = ExecutionIndexes(one.queries), ExecutionIndexes(other.queries)
    counterparts = [others.step_at(own.index_of(step)) for step in steps]
    pairs = [(step, found) for step, found in zip(steps, counterparts, strict=True) if found]
    for step, counterpart in pairs:
        assert one.queries.op_of(step) == other.queries.op_of(counterpart)
        assert own.index_of(step) == others.index_of(counterpart)
    # Both runs execute these steps in the same order.
    assert np.all(np.diff([counterpart for _, counterpart in pairs]) > 0)
    # The first steps correspond, and the last: the return of main.
    assert pairs[0] == (1, 1)
    assert pairs[-1] == (one.stream.steps, other.stream.steps)
    # "much" and the iterations for which i > 0 are in one run only, so they have no counterpart.
    assert len(pairs) < len(steps)
