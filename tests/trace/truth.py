"""What is the true slice of a sample: the closure of its true dependences, computed naively?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.trace.tiny_runs import Node, Sample
from whence.trace.columns import BRANCH, DIRECT, NONE, PHI, whole
from whence.trace.queries import Part
from whence.trace.slicer import Flags, Potential


@dataclass(frozen=True)
class Branching:
    """An executed branch: its step, its stretch and the block it entered."""

    step: int
    stretch: int
    entered: int


def branchings(sample: Sample) -> list[Branching]:
    """Return the executed branches of a sample."""
    stream = sample.stream
    blocks = [int(stream.code.stretch_block[s]) for s in whole(stream.stretch)] + [NONE]
    return [
        Branching(step, int(stream.stretch[instance]), blocks[instance + 1])
        for step, instance in sample.truth.instance.items()
        if stream.code.kind[sample.truth.op[step]] == BRANCH
    ]


def true_slice(
    sample: Sample,
    nodes: list[Node],
    *,
    only: frozenset[int] = frozenset(),
    data: bool = True,
    control: bool = True,
    potential: Potential | None = None,
    guards: Flags | None = None,
    trusted: Flags | None = None,
) -> set[int]:
    """Return the steps of `nodes`, all steps that they depend on, and the steps `only`."""
    truth = sample.truth
    branches = branchings(sample)
    reached: set[Node] = set()
    hidden: set[int] = set()
    returned = callbacks(sample) if data else {}
    after = max(only, default=0)
    work = set(nodes)
    for point, part, *_ in nodes:
        known = returned.get(point, [])
        work.update((ret, Part.VALUE) for ret in known if part is Part.VALUE or ret < after)
    while work:
        node = work.pop()
        step = node[0]
        if step and node not in reached:
            reached.add(node)
            direct = set(truth.data[node] if data else [])
            if control:
                direct.add((truth.control[step], Part.ENTRY))
                direct.add((coming_from(sample, step), Part.ENTRY))
            rets = {ret for made, *_ in direct for ret in returned.get(made, []) if ret < step}
            work.update(direct, ((ret, Part.VALUE) for ret in rets))
            if potential is not None and step in truth.loads:
                could = could_redefine(sample, branches, step, potential)
                work.update((branch, Part.ENTRY) for branch in could)
            if (call := trusted_call(sample, step, trusted)) is not None:
                hidden.add(step)
                work.add((call, Part.ARGUMENTS))
        if not work and guards is not None:
            last = max({0, *only, *(step for step, *_ in reached)})
            work = {(b.step, Part.ENTRY) for b in branches if guards[b.stretch] and b.step < last}
            work -= reached
    return ({step for step, *_ in reached} | only) - hidden


def callbacks(sample: Sample) -> dict[int, list[int]]:
    """Return the steps that returned from callbacks, by the call of unrecorded code."""
    found: dict[int, list[int]] = {}
    for row in sample.stream.activations[1:]:
        if row["call"] and row["ret"] and not row["flags"] & DIRECT:
            found.setdefault(int(row["call"]), []).append(int(row["ret"]))
    return found


def coming_from(sample: Sample, step: int) -> int:
    """Return the last step before a phi's block in its activation; 0 if `step` is no phi."""
    if sample.stream.code.kind[sample.truth.op[step]] != PHI:
        return 0
    instance = sample.truth.instance[step]
    activation = sample.truth.activation[step]
    before = (
        other
        for other, number in sample.truth.instance.items()
        if number < instance and sample.truth.activation[other] == activation
    )
    return max(before, default=0)


def could_redefine(
    sample: Sample, branches: list[Branching], load: int, potential: Potential
) -> list[int]:
    """Return the branches between the load and its definition that avoided one of its edges."""
    number = int(potential.class_of_op[sample.truth.op[load]])
    if number == NONE:
        return []
    first, last = potential.class_start[number], potential.class_start[number + 1]
    edges = potential.class_edge[first:last]
    if potential.is_private[sample.truth.op[load]]:
        own = sample.truth.activation
        branches = [b for b in branches if own[b.step] == own[load]]
    return [
        b.step
        for b in branches
        if sample.truth.loads[load] < b.step < load
        and any(
            potential.edge_stretch[e] == b.stretch and potential.edge_block[e] != b.entered
            for e in edges
        )
    ]


def trusted_call(sample: Sample, step: int, trusted: Flags | None) -> int | None:
    """Return the call of the outermost trusted function around `step`; None if there is none."""
    rows = sample.stream.activations
    activation, found = sample.truth.activation[step], None
    while activation:
        if trusted is not None and trusted[rows["function"][activation]]:
            found = int(rows["call"][activation])
        activation = int(rows["parent"][activation])
    return found


def random_potential(sample: Sample, random: np.random.Generator) -> Potential:
    """Return random classes of loads with random edges, including some that cannot occur."""
    code = sample.stream.code
    branches = [op for op in range(len(code.kind)) if code.kind[op] == BRANCH]
    edges, classes = int(random.integers(1, 9)) if branches else 0, int(random.integers(1, 5))
    members = [np.flatnonzero(random.random(edges) < 0.5) for _ in range(classes)]
    class_of_op = random.integers(0, classes, len(code.kind)).astype(np.uint32)
    class_of_op[random.random(len(code.kind)) < 0.2] = NONE
    chosen = random.choice(branches, edges) if branches else np.zeros(0, int)
    return Potential(
        class_of_op=class_of_op,
        is_private=random.random(len(code.kind)) < 0.5,
        class_start=np.cumsum([0, *(len(part) for part in members)]).astype(np.uint32),
        class_edge=np.concatenate(members).astype(np.uint32),
        edge_stretch=code.op_stretch[chosen],
        edge_block=random.integers(0, len(code.block_function), edges).astype(np.uint32),
    )
