"""The structural execution index of real runs: one step each, and the same place in another run."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.frontend import corpus
from tests.trace import running
from whence.trace.index import index_of, step_at
from whence.trace.recording import Thread


@pytest.mark.parametrize("name", ["callbacks.c", "varargs.c", "jumps.c", "exceptions.cc"])
def test_an_index_leads_back_to_its_step(name: str, tmp_path: Path) -> None:
    program = corpus.program(corpus.PROGRAMS / name)
    _, thread = running.run(program, running.build(program, tmp_path), tmp_path / "trace")
    queries, choose = thread.queries, random.Random(3)
    steps = sorted(choose.sample(range(1, thread.stream.steps + 1), 150))
    indexes = [index_of(queries, step) for step in steps]
    assert [step_at(queries, index) for index in indexes] == steps


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


def test_two_runs_meet_at_equal_indexes(tmp_path: Path) -> None:
    program = running.of_text(READS, tmp_path)
    executable = running.build(program, tmp_path)

    def run(stdin: bytes) -> Thread:
        where = tmp_path / f"on-{stdin.decode()}"
        return running.run(replace(program, stdin=stdin), executable, where)[1]

    one, other = run(b"ab x z"), run(b"qb  zebra")
    steps = range(1, one.stream.steps + 1)
    met = [step_at(other.queries, index_of(one.queries, step)) for step in steps]
    pairs = [(step, there) for step, there in zip(steps, met, strict=True) if there]
    for step, there in pairs:
        assert one.queries.op_of(step) == other.queries.op_of(there)
        assert index_of(one.queries, step) == index_of(other.queries, there)
    # They come to these places in the same order ...
    assert np.all(np.diff([there for _, there in pairs]) > 0)
    # ... and to the first and the last step both: the return of main.
    assert pairs[0] == (1, 1)
    assert pairs[-1] == (one.stream.steps, other.stream.steps)
    # What only one of them did has no counterpart: "much", and the turns for which i > 0.
    assert len(pairs) < len(steps)
