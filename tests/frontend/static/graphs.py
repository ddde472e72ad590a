"""Functions that consist only of control flow, and paths through them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from whence.frontend.c.ir import (
    VOID,
    Block,
    Function,
    FunctionType,
    Global,
    Instruction,
    Int,
    IntType,
    Label,
    Module,
    OtherType,
    Typed,
    Value,
)

LABEL = OtherType("label")
Shape = Sequence[Sequence[int]]  # the successors of each block, repeats allowed


def op(opcode: str, *operands: Value, labels: Sequence[str] = (), callee: str = "") -> Instruction:
    """Return an instruction whose types do not matter."""
    return Instruction(
        opcode=opcode,
        type=VOID,
        operands=tuple(
            Typed(LABEL if isinstance(value, Label) else IntType(64), value) for value in operands
        ),
        line=0,
        labels=tuple(labels),
        callee=Global(callee) if callee else None,
        function=FunctionType(VOID, ()) if callee else None,
    )


def function(
    shape: Shape,
    calls: dict[int, str] | None = None,
    invokes: frozenset[int] = frozenset(),
    resumes: frozenset[int] = frozenset(),
    name: str = "f",
) -> Function:
    """Return a function of this shape.

    Blocks begin with their `calls`.  Blocks in `invokes` end in an invoke of `g` whose second
    successor is a landing pad.  Blocks in `resumes` end by going on to unwind.
    """
    landing = {shape[block][1] for block in invokes}
    blocks = []
    for i, targets in enumerate(shape):
        body = [op("landingpad")] if i in landing else []
        if calls and i in calls:
            body.append(op("call", callee=calls[i]))
        labels = [f"b{to}" for to in targets]
        if i in invokes:
            body.append(op("invoke", labels=labels, callee="g"))
        elif i in resumes:
            body.append(op("resume", Int(0)))
        elif not targets:
            body.append(op("unreachable" if calls and i in calls else "ret"))
        elif len(targets) == 1:
            body.append(op("br", Label(labels[0])))
        elif len(targets) == 2:
            body.append(op("br", Int(1), *map(Label, labels)))
        else:
            cases = [v for k, to in enumerate(labels[1:]) for v in (Int(k), Label(to))]
            body.append(op("switch", Int(1), Label(labels[0]), *cases))
        blocks.append(Block(label=f"b{i}", instructions=tuple(body), line=0))
    return Function(
        name=name, type=FunctionType(VOID, ()), parameters=(), blocks=tuple(blocks), declares=(),
        linkage="", dso_local=True, line=0, end=0,
    )  # fmt: skip


def module(*functions: Function) -> Module:
    return Module(
        source="t.c", triple="", layout="", types={}, variables={},
        functions={f.name: f for f in functions}, declarations={}, aliases={}, metadata={},
    )  # fmt: skip


@st.composite
def shapes(draw: st.DrawFn) -> list[list[int]]:
    """Draw any graph without an edge to the entry."""
    size = draw(st.integers(1, 9))
    if size == 1:
        return [[]]
    block = st.integers(1, size - 1)
    return draw(st.lists(st.lists(block, max_size=3), min_size=size, max_size=size))


def reachable(shape: Shape, start: int, avoid: int | None = None) -> set[int]:
    """Return all blocks on paths from `start` (inclusive) that do not pass through `avoid`."""
    if start == avoid:
        return set()
    found, work = {start}, [start]
    while work:
        new = {to for to in shape[work.pop()] if to != avoid} - found
        found |= new
        work.extend(new)
    return found
