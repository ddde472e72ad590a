"""Which variables was an expression computed from, and what were their values?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from whence.program.ids import Step
from whence.trace.flow import Flow, Operand
from whence.trace.step_names import StepNames

_MAX_EXPRESSION = 200  # limit on steps of one condition; guessed


@dataclass(frozen=True)
class VariableRead:
    """A variable that an expression read."""

    name: str
    value: str
    step: Step  # the load
    is_argument: bool = False  # it is a text that the call `step` was given


def variables_read(flow: Flow, names: StepNames, seeds: Sequence[Operand]) -> list[VariableRead]:
    """Return the variables that some operands were computed from, each once."""
    found: dict[str, VariableRead] = {}
    for load in _loads(flow, names, seeds):
        named = names.loaded(load)
        if named is not None:
            found.setdefault(named.name, VariableRead(named.name, named.value, load))
        for text in names.texts(load):
            found.setdefault(text.name, VariableRead(text.name, text.value, load, True))
    return list(found.values())


def _loads(flow: Flow, names: StepNames, seeds: Sequence[Operand]) -> Iterator[Step]:
    """Yield the loads and calls whose values an expression uses."""
    seen: set[Operand] = set()
    work = list(reversed(seeds))
    while work and len(seen) < _MAX_EXPRESSION:
        operand = work.pop()
        if operand in seen or not isinstance(operand, int):
            continue
        seen.add(operand)
        if flow.is_load(operand) or flow.is_call(operand):
            if not names.is_inside_macro(operand):
                yield operand
            else:  # the arguments of the macro may be in an index
                work += filter(None, (flow.node(operand).pointer,))
            continue
        work += reversed(flow.node(operand).operands)
