"""Where do the records of an input begin, and which inputs have the same records in another order?

A program that reads records asks the same of the first bytes of each: is this the mark, which kind
is it?  So the bytes that one branch tested, one after the other, are where the records begin.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from random import Random

from whence.augment.seen_runs import SeenRun
from whence.inputs import InputByte, InputSource
from whence.program.ids import Op

_MIN_GAP = 2  # bytes of a record at least: a branch that tests every byte marks no records
_MAX_RECORDS = 64  # of an input; guessed
_MAX_BLOCK = 4  # records that are copied, moved or left out together; guessed


def record_starts(seen: SeenRun) -> dict[InputSource, list[tuple[int, ...]]]:
    """Return where records may begin in each input of a run, once for each way to see it."""
    tested: defaultdict[tuple[Op, InputSource], list[int]] = defaultdict(list)
    known = seen.run.unknowns.all
    for condition in seen.conditions:
        members = condition.fact.unknowns
        what = known[members.bit_length() - 1].what if members.bit_count() == 1 else None
        if isinstance(what, InputByte):
            tested[seen.flow.op_of(condition.step), what.source].append(what.offset)
    found: defaultdict[InputSource, dict[tuple[int, ...], None]] = defaultdict(dict)
    for (_, source), offsets in tested.items():
        gaps = [after - before for before, after in pairwise(offsets)]
        if gaps and min(gaps) >= _MIN_GAP and len(offsets) <= _MAX_RECORDS:
            found[source][tuple(offsets)] = None
    return {source: list(ways) for source, ways in found.items()}


def split_at(text: bytes, starts: Sequence[int]) -> list[bytes]:
    """Return the records of a text; what comes before the first one belongs to it."""
    return [text[a:b] for a, b in pairwise([0, *starts[1:], len(text)])]


def other_records(records: Sequence[bytes], pick: Random) -> list[bytes]:
    """Return some records with a block of them repeated, copied elsewhere, moved or left out."""
    low = pick.randrange(len(records))
    high = pick.randint(low + 1, min(len(records), low + _MAX_BLOCK))
    block, rest = list(records[low:high]), [*records[:low], *records[high:]]
    kind = pick.randrange(6)
    if kind < 3:
        return [*records[:low], *block * pick.choice((2, 2, 3, 4)), *records[high:]]
    if kind == 3:
        return rest
    others = list(records) if kind == 4 else rest
    to = pick.randint(0, len(others))
    return [*others[:to], *block, *others[to:]]
