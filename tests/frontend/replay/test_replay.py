"""Does the kernel reconstruct from its log what a program did?"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.frontend.replay.assembler import Assembled, assemble, stream
from tests.frontend.replay.machine import Machine, Step
from tests.frontend.replay.programs import machine
from whence.frontend.c.replay import Replay, Status
from whence.program.rows import MIXED

SEEDS = st.integers(0, 2**32)
MODULES = st.sampled_from([[["main", "f", "g", "h"]], [["h", "main"], ["g", "f"]]])


@contextmanager
def replayed(made: Assembled, file: bytes) -> Iterator[Replay]:
    with tempfile.TemporaryDirectory() as folder:
        yield Replay.open(made.program, file, Path(folder), checkpoint_every=50)


INSTANCES = ("stretch.u32", "first.u32", "activation.u32", "control.u32")


def rows_of(replay: Replay) -> list[tuple[int, int, int, int]]:
    return list(zip(*(replay.column(name).tolist() for name in INSTANCES), strict=True))


def instances_of(m: Machine, made: Assembled) -> list[tuple[int, int, int, int]]:
    return [(made.stretch_at[i.stretch], i.first, i.activation, i.control) for i in m.instances]


def link_of(step: Step) -> list[tuple[int, int, int]]:
    """Return the runs (offset, length, step) of what a step read."""
    runs: list[tuple[int, int, int]] = []
    for offset, who in step.definers or []:
        if runs and runs[-1][2] == who and sum(runs[-1][:2]) == offset:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1, who)
        else:
            runs.append((offset, 1, who))
    return runs


def check_links(m: Machine, replay: Replay, links: list[int]) -> None:
    mixed, all_runs = replay.column("mixed.u32"), replay.column("runs")
    reads = [step for step in m.steps if step.definers is not None]
    for step, link in zip(reads, links, strict=False):
        runs = link_of(step)
        if link < MIXED:
            assert {who for _, _, who in runs} <= {link}
            assert runs or link == 0
        else:
            first, n = mixed[link - MIXED].tolist()
            assert all_runs[first : first + n].tolist() == runs


def check_everything(m: Machine, made: Assembled, replay: Replay) -> None:
    assert rows_of(replay) == instances_of(m, made)
    assert replay.meta.steps == len(m.steps) - 1
    check_links(m, replay, replay.column("links.u32").tolist())
    assert replay.meta.links == sum(step.definers is not None for step in m.steps)
    check_bases(m, replay)
    check_activations(m, made, replay)
    check_effects(m, replay)
    check_values(m, replay)


def check_bases(m: Machine, replay: Replay) -> None:
    reads = np.cumsum([step.definers is not None for step in m.steps])
    first = [i.first for i in m.instances]
    assert replay.column("linkbase.u64").tolist() == [int(reads[f - 1]) for f in first[::64]]
    where = np.searchsorted(first, range(0, len(m.steps), 64), side="right") - 1
    assert replay.column("instmap.u32").tolist() == np.maximum(where, 0).tolist()


def check_activations(m: Machine, made: Assembled, replay: Replay) -> None:
    expected = [
        (made.function_at[a.function.name], a.parent, a.call, a.instances[0], a.instances[-1],
         a.ret, a.direct + 2 * a.unwound, a.depth)
        for a in m.activations
    ]  # fmt: skip
    assert replay.column("activations").tolist()[1:] == expected


def check_effects(m: Machine, replay: Replay) -> None:
    effects, runs = replay.column("effects"), replay.column("runs")
    assert sorted(effects[["step", "kind"]].tolist()) == sorted(e[:2] for e in m.effects)
    steps = effects["step"].tolist()
    assert steps == sorted(steps)
    by_step = sorted(m.effects, key=lambda e: e[0])
    for row, (_, _, definers) in zip(effects, by_step, strict=True):
        found = runs[row["first_run"] : row["first_run"] + row["n_runs"]].tolist()
        assert found == link_of(Step(("", 0, 0), definers=definers))
    copies = effects[effects["kind"] == 3][["step", "addr", "addr2", "len"]].tolist()
    assert copies == sorted(m.copies, key=lambda c: c[0])
    assert replay.column("copied").tolist() == m.copied
    assert replay.column("writes").tolist() == sorted(m.writes, key=lambda w: w[1])


def check_values(m: Machine, replay: Replay) -> None:
    window = replay.window(1, replay.meta.steps + 1)
    for n, step in enumerate(m.steps[1:], start=1):
        if n in m.call_results:
            assert window.value[n - 1] == m.call_results[n]
        elif step.value is not None:
            assert window.value[n - 1] == step.value, step
        if step.address is not None:
            assert window.address[n - 1] == step.address
        assert window.offset[n - 1] == step.offset


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, checked=st.booleans(), modules=MODULES)
def test_a_random_program_is_reconstructed(
    seed: int, checked: bool, modules: list[list[str]]
) -> None:
    """Every instance, link, activation, effect and value equals the machine's."""
    m = machine(seed, checked=checked)
    made = assemble(m, modules)
    ended = m.run("main")
    with replayed(made, stream(m.log, crash=None if ended else 1)) as replay:
        assert (replay.meta.status == Status.OK) >= ended, replay.meta.message
        assert replay.meta.mismatch_count == 0, replay.meta.mismatches
        check_everything(m, made, replay)


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, data=st.data())
def test_a_cut_log_gives_the_steps_before_the_cut(seed: int, data: st.DataObject) -> None:
    m = machine(seed, checked=seed % 2 == 0)
    made = assemble(m, [["main", "f", "g", "h"]])
    m.run("main")
    end = data.draw(st.integers(4096, len(m.log)))
    with replayed(made, stream(m.log, end=end)) as replay:
        begun = sum(m.steps[i.first].offset <= end for i in m.instances if i.first < len(m.steps))
        assert rows_of(replay)[:begun] == instances_of(m, made)[:begun]
        assert len(rows_of(replay)) - begun in (0, 1)
        done = sum(step.after <= end for step in m.steps[1:])
        assert replay.meta.steps == done
        assert replay.meta.status in (Status.OK, Status.CUT)
        reads = sum(s.definers is not None for s in m.steps[: done + 1])
        assert replay.meta.links == reads
        check_links(m, replay, replay.column("links.u32").tolist())


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, data=st.data())
def test_a_damaged_log_gives_the_steps_before_the_damage(seed: int, data: st.DataObject) -> None:
    m = machine(seed)
    made = assemble(m, [["main", "f", "g", "h"]])
    m.run("main")
    log, r = bytearray(m.log), random.Random(seed)
    at = data.draw(st.integers(4096, len(log) - 1))
    for _ in range(r.randrange(1, 4)):
        place = r.randint(at, max(at, len(log) - 1))
        log[place : place + r.randrange(3)] = r.randbytes(r.randrange(4))
    with replayed(made, stream(log)) as replay:
        whole = sum(m.steps[i.first].offset <= at for i in m.instances if i.first < len(m.steps))
        assert rows_of(replay)[:whole] == instances_of(m, made)[:whole]
        assert replay.meta.log_bytes <= len(log)
        if replay.meta.status == Status.DAMAGED:
            assert "offset" in replay.meta.message
        replay.window(1, replay.meta.steps + 1)


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, data=st.data())
def test_a_window_gives_the_same_values_as_the_whole_run(seed: int, data: st.DataObject) -> None:
    m = machine(seed)
    made = assemble(m, [["main", "f", "g", "h"]])
    m.run("main")
    with replayed(made, stream(m.log)) as replay:
        whole = replay.window(1, replay.meta.steps + 1)
        first = data.draw(st.integers(1, replay.meta.steps))
        end = data.draw(st.integers(first, replay.meta.steps + 1))
        window = replay.window(first, end)
        assert (window.offset == whole.offset[first - 1 : end - 1]).all()
        assert (window.address == whole.address[first - 1 : end - 1]).all()
        inside = [n for n in range(first, end) if n not in m.call_results]
        assert [window.value[n - first] for n in inside] == [whole.value[n - 1] for n in inside]


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS)
@example(seed=652003568)  # trunc of a signalling NaN
def test_arguments_and_wide_values_of_one_step(seed: int) -> None:
    m = machine(seed)
    made = assemble(m, [["main", "f", "g", "h"]])
    m.run("main")
    with replayed(made, stream(m.log)) as replay:
        for call, arguments in list(m.call_arguments.items())[:5]:
            assert replay.arguments(call) == arguments
        for n, step in enumerate(m.steps[1:], start=1):
            if step.value is not None and n % 7 == 0:
                found = replay.wide(n)
                assert found[:8] == step.value.to_bytes(8, "little") or not found
