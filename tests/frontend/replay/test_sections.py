"""A run that is laid out in sections has the columns of a run that is laid out as a whole."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.frontend import corpus
from tests.frontend.corpus import check_recorded
from whence.frontend.c.replay import COLUMNS, Jump, Replay
from whence.frontend.c.replay.program import CProgram

PROGRAMS = (
    *("callbacks.c", "varargs.c", "memory.c", "records.c", "locals.c", "printing.c", "jumps.c"),
    *("files.c", "null_pointer.c", "exceptions.cc"),
)


def cut_open(
    program: CProgram, data: bytes, out: Path, jumps: Sequence[Jump], first: int, section: int
) -> Replay:
    return Replay.open(
        program, data, out, jumps=jumps, first_section=first, section=section, saved_per_step=0
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_sections_agree_with_the_whole(name: str, tmp_path: Path) -> None:
    for number, log in enumerate(
        check_recorded(corpus.program(corpus.PROGRAMS / name), "record", tmp_path)
    ):
        program, data = log.replay.program, log.replay.stream.data.tobytes()
        jumps = log.process.jumps_out(log.file)
        whole = Replay.open(program, data, tmp_path / f"{number}-whole", jumps=jumps)
        assert not whole.meta.sections
        steps = whole.meta.steps
        for seed, (first, section) in enumerate([(1, steps // 50 + 1), (300, steps // 9 + 1)]):
            out = tmp_path / f"{number}-{seed}"
            cut = cut_open(program, data, out, jumps, first, section)
            assert cut.meta.steps == whole.meta.steps
            if jumps or whole.meta.steps < 2 * first:
                continue
            assert cut.meta.sections > 1
            sections = list(range(cut.meta.sections))
            random.Random(seed).shuffle(sections)
            for each in sections:
                cut.lay_out(each)
            ordered = set(COLUMNS) if whole.meta.is_ordered else set(COLUMNS) - {"writes"}
            for column in sorted(ordered):
                assert (cut.out / column).read_bytes() == (whole.out / column).read_bytes(), column
            rows = [sorted(replay.column("writes").tolist()) for replay in (whole, cut)]
            assert rows[0] == rows[1]


def test_only_the_asked_sections_are_laid_out(tmp_path: Path) -> None:
    (log,) = check_recorded(corpus.program(corpus.PROGRAMS / "memory.c"), "record", tmp_path)
    program, data = log.replay.program, log.replay.stream.data.tobytes()
    cut = cut_open(program, data, tmp_path / "cut", (), 100, 100)
    whole = log.replay.column("first.u32")
    saved = cut.sections
    last = len(saved) - 1
    cut.lay_out(last)
    first = cut.column("first.u32")
    start, middle = (int(saved.rows["instance"][number]) for number in (last, 1))
    assert first[start:].tolist() == whole[start:].tolist()
    assert first[:middle].tolist() == whole[:middle].tolist()
    assert not first[middle:start].any()
    again = Replay(program, cut.stream, cut.out, cut.meta)
    assert [again.sections.is_laid_out(n) for n in (0, 1, last)] == [True, False, True]


def test_a_section_that_does_not_fit_is_an_error(tmp_path: Path) -> None:
    (log,) = check_recorded(corpus.program(corpus.PROGRAMS / "memory.c"), "record", tmp_path)
    program, data = log.replay.program, log.replay.stream.data.tobytes()
    cut = cut_open(program, data, tmp_path / "cut", (), 100, 100)
    cut.sections.rows["links"][2] += 1
    with pytest.raises(RuntimeError, match="section 1 does not end where the next begins"):
        cut.lay_out(1)
