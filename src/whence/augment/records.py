"""Where do the records of an input begin, and which inputs have the same records in another order?

A program that reads records asks the same of the first bytes of each: is this the mark, which kind
is it?  So the bytes that one branch tested, one after the other, are where the records begin, or a
few bytes behind.
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
_MAX_TESTED = 8  # bytes that a branch which tells records apart looks at; guessed
_SHIFTS = (0, 0, 0, 1, 2, 4)  # bytes of a record before those that are tested; guessed
_MAX_BLOCK = 4  # records that are copied, moved or left out together; guessed


def record_starts(seen: SeenRun) -> dict[InputSource, list[tuple[int, ...]]]:
    """Return where records may begin in each input of a run, once for each way to see it."""
    tested: defaultdict[tuple[Op, InputSource], list[int]] = defaultdict(list)
    known = seen.run.unknowns.all
    for condition in seen.conditions:
        members = condition.fact.unknowns
        if members.bit_count() > _MAX_TESTED:
            continue
        tests = [one.what for at, one in enumerate(known) if members >> at & 1]
        read = [what for what in tests if isinstance(what, InputByte)]
        if read and len(read) == len(tests) and len({what.source for what in read}) == 1:
            first = min(what.offset for what in read)
            tested[seen.flow.op_of(condition.step), read[0].source].append(first)
    found: defaultdict[InputSource, dict[tuple[int, ...], None]] = defaultdict(dict)
    for (_, source), offsets in tested.items():
        gaps = [after - before for before, after in pairwise(offsets)]
        if gaps and min(gaps) >= _MIN_GAP and len(offsets) <= _MAX_RECORDS:
            found[source][tuple(offsets)] = None
    return {source: list(ways) for source, ways in found.items()}


def split_at(text: bytes, starts: Sequence[int], pick: Random) -> list[bytes]:
    """Return what comes before the first record of a text, and the records.

    What tells the records apart may stand behind their first bytes, such as a length.
    """
    shift = min(pick.choice(_SHIFTS), starts[0])
    return [text[a:b] for a, b in pairwise([0, *(at - shift for at in starts), len(text)])]


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
