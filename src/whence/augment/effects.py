"""Where does the effect of a change go, and where does it stop?

The change effect propagation tree (thesis, Definition 4.13): statements that compute something else
in the bad version, each below the one that it got the difference from.  A leaf is a place where the
effect stops: a branch that goes the same way in both versions, an operation that gives the same
value, a value that is set and not used.
"""

from __future__ import annotations

from whence.augment.pair import RunPair
from whence.languages import describer_of
from whence.model import EffectPlace
from whence.program.ids import Step
from whence.trace.flow import Left, Operand, StoredBits

_MAX_STEPS = 20_000  # after the change that are followed; guessed
_MAX_PLACES = 40  # statements that are shown; guessed


def change_effect(pair: RunPair) -> tuple[EffectPlace, ...]:
    """Return the statements that the effect comes to, in the order of the run."""
    return _Effect(pair).places() if pair.bad.first is not None else ()


def where_it_stops(effect: tuple[EffectPlace, ...]) -> str:
    """Return a sentence that says where the effect of a change stops; empty: that is not known."""
    ends = [one for one in effect if one.end]
    if not ends:
        return "" if effect else "The changed code computes the same in both versions."
    last = ends[-1]
    return f"Its effect dies at {last.file}:{last.line}: {last.end}."


class _Effect:
    def __init__(self, pair: RunPair) -> None:
        self._pair, self._flow = pair, pair.bad.flow
        self._parents: dict[Step, Step | None] = {}  # of the steps that differ
        self._ends: dict[Step, str] = {}
        self._used: set[Step] = set()
        self._names = describer_of(self._flow.thread).names

    def places(self) -> tuple[EffectPlace, ...]:
        first = self._pair.bad.first
        assert first is not None
        last = min(self._flow.thread.stream.steps, first + _MAX_STEPS)
        for step in map(Step, range(first, last + 1)):
            self._visit(step)
        return self._by_line()

    def _visit(self, step: Step) -> None:
        """Note whether a step differs from its counterpart, and where the difference is from."""
        parent = self._origin(step)
        is_changed = self._flow.op_of(step) in self._pair.bad.targets
        if parent is None and not is_changed:
            return
        if parent is not None:
            self._used.add(parent)
        if self._differs(step):
            self._parents[step] = parent
        elif parent is not None:
            self._ends[step] = self._why(step)
            self._parents[step] = parent

    def _differs(self, step: Step) -> bool:
        comparison = self._pair.comparison
        if self._flow.is_branch(step):
            return comparison.side_differs(step)
        return not comparison.is_same(step)

    def _origin(self, step: Step) -> Step | None:
        """Return the differing step that a step reads from or is controlled by."""
        node = self._flow.node(step)
        sources = map(_step_of, (*node.operands, *node.pointers))
        around = (node.chosen_by, self._flow.controlling_step(step))
        for source in (*sources, *around):
            if source in self._parents and source not in self._ends:
                return source
        return None

    def _why(self, step: Step) -> str:
        if self._flow.is_branch(step):
            named = self._names.condition(step)
            return f"`{named.name}` is {named.value} in both"
        found = describer_of(self._flow.thread).named(step, self._flow.op_of(step))
        return (
            f"`{found.name}` is {found.value} in both"
            if found
            else "the result is the same in both"
        )

    # --- lines -----------------------------------------------------------------------------------

    def _by_line(self) -> tuple[EffectPlace, ...]:
        """Return the differing steps by source line, each line once."""
        thread = self._flow.thread
        numbers: dict[tuple[str, int], int] = {}
        found: list[EffectPlace] = []
        for step, parent in self._parents.items():
            place = thread.image.place(self._flow.op_of(step))
            if place is None or len(found) >= _MAX_PLACES:
                continue
            key = place.file, place.line
            if key in numbers:
                self._extend(found, numbers[key], step)
                continue
            above = self._line_of(parent)
            numbers[key] = len(found)
            text = thread.recording.lines.line(*key).strip()
            good, bad = self._values(step)
            found.append(
                EffectPlace(
                    place.file, place.line, self._names.function(step), text,
                    numbers.get(above) if above else None, good, bad, self._end(step),
                )
            )  # fmt: skip
        return tuple(found)

    def _extend(self, found: list[EffectPlace], number: int, step: Step) -> None:
        """Add what another step of a line shows."""
        old = found[number]
        good, bad = self._values(step)
        if not (old.good or old.bad) and (good or bad):
            found[number] = _with(old, good, bad, old.end)
        if self._flow.is_branch(step):
            found[number] = _with(found[number], old.good or good, old.bad or bad, self._end(step))

    def _end(self, step: Step) -> str | None:
        if step in self._ends:
            return self._ends[step]
        named = self._describer_named(step)
        if step not in self._used and named:
            return f"`{named}` is set and not used"
        return None

    def _describer_named(self, step: Step) -> str | None:
        if self._flow.is_branch(step) or self._flow.is_call(step) or self._flow.is_load(step):
            return None
        found = describer_of(self._flow.thread).named(step, self._flow.op_of(step))
        return found.name if found else None

    def _values(self, step: Step) -> tuple[str, str]:
        """Return what a step computed in the good and in the bad version."""
        other = self._pair.counterpart(0, step)
        good = ""
        if other is not None:
            flow = self._pair.good.flow
            named = describer_of(flow.thread).named(other, flow.op_of(other))
            good = f"{named.name} = {named.value}" if named else ""
        named = describer_of(self._flow.thread).named(step, self._flow.op_of(step))
        return good, f"{named.name} = {named.value}" if named else ""

    def _line_of(self, step: Step | None) -> tuple[str, int] | None:
        if step is None:
            return None
        place = self._flow.thread.image.place(self._flow.op_of(step))
        return (place.file, place.line) if place else None


def _with(old: EffectPlace, good: str, bad: str, end: str | None) -> EffectPlace:
    return EffectPlace(old.file, old.line, old.function, old.text, old.parent, good, bad, end)


def _step_of(operand: Operand) -> Step | None:
    if isinstance(operand, int):
        return operand
    return operand.step if isinstance(operand, StoredBits | Left) else None
