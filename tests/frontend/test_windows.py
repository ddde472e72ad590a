"""A part of a log, read again, gives the same values as the whole log."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from tests.frontend import corpus
from tests.frontend.corpus import check_recorded
from tests.trace import running
from whence.frontend.c.replay import Replay
from whence.frontend.c.tables import OpCode


@pytest.mark.parametrize("name", ["callbacks.c", "floats.c", "coroutines.cc", "jumps.c"])
def test_windows_agree_with_the_whole(name: str, tmp_path: Path) -> None:
    (log,) = check_recorded(corpus.program(corpus.PROGRAMS / name), "record", tmp_path)
    program, data = log.replay.program, log.replay.stream.data.tobytes()
    jumps = log.process.jumps_out(log.file)
    replay = Replay.open(program, data, tmp_path / "often", checkpoint_every=64, jumps=jumps)
    steps = replay.meta.steps
    whole = replay.window(1, steps + 1)
    first, stretch = replay.column("first.u32"), replay.column("stretch.u32")
    counts = (np.append(first[1:], steps + 1) - first).astype(np.int64)
    base = program.stretches["first_op"][stretch].astype(np.int64) - first
    ops = program.ops["code"][np.repeat(base, counts) + np.arange(1, steps + 1)]
    choose = random.Random(5)
    for _ in range(100):
        start = choose.randrange(1, steps)
        end = min(start + choose.randrange(1, 60), steps + 1)
        part = replay.window(start, end)
        inside = slice(start - 1, end - 1)
        for field in ("value", "address", "offset"):
            # The result of a call is known only to a window in which the call returns.
            certain = (ops[inside] != OpCode.CALL) | (field != "value")
            actual, expected = getattr(part, field), getattr(whole, field)[inside]
            assert np.array_equal(actual[certain], expected[certain]), (field, start, end)


CALLS = """
#include <stdio.h>
struct pair { long a, b; };
static __int128 times(long a, short b) { return (__int128)a * b; }
static struct pair swap(struct pair p) { return (struct pair){p.b, p.a}; }
int main(void) {
    __int128 wide = times(1L << 62, -8);
    struct pair p = swap((struct pair){5, 6});
    printf("%d %ld %ld\\n", wide < 0, p.a, p.b);
    return 0;
}
"""


def test_arguments_of_calls_and_wide_values(tmp_path: Path) -> None:
    program = running.of_text(CALLS, tmp_path)
    _, thread = running.run(program, running.build(program, tmp_path), tmp_path / "trace")
    rows = thread.stream.activations
    functions = [thread.image.function_names[f] for f in rows["function"][1:]]
    entered = dict(zip(functions, rows[1:], strict=True))
    replay = thread.replay
    times, swap = entered["times"], entered["swap"]
    assert replay.arguments(int(times["call"])) == [1 << 62, (-8) & 0xFFFF]
    assert replay.wide(int(times["ret"])) == (-8 * (1 << 62)).to_bytes(16, "little", signed=True)
    assert replay.arguments(int(swap["call"])) == [5, 6]
    assert replay.wide(int(swap["ret"])) == b"".join(n.to_bytes(8, "little") for n in (6, 5))
