"""Which call of the good version's run corresponds to which call of the bad version's run?

Two calls correspond if their functions do and the calls around them correspond.  Of several calls
of one function there, those that start in the same states are paired first, in order, and then the
others, in order.  A function that only one version has counts as a part of its callers.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence

from whence.contract.compared_names import ComparedNames
from whence.trace.calls import Call, CalledFunction, State, WatchedProcess

FunctionIndex = int


class CallPairs:
    """The paired calls of two processes; `functions` pairs bad functions with good ones."""

    def __init__(
        self, good: WatchedProcess, bad: WatchedProcess,
        functions: Mapping[FunctionIndex, FunctionIndex],
    ) -> None:  # fmt: skip
        self.good, self.bad, self.functions = good, bad, functions
        self._names = ComparedNames(good, bad)
        self._good_functions = frozenset(functions.values())
        self.pairs: dict[int, int] = {}  # number of a bad call -> number of its good call
        self._pair_all()

    def unpaired(self) -> Iterator[Call]:
        """Yield the bad calls of paired functions that have no good call."""
        for call in self.bad.calls.values():
            if call.function in self.functions and call.number not in self.pairs:
                yield call

    def _pair_all(self) -> None:
        waiting = [(0, 0)]
        while waiting:
            bad, good = waiting.pop()
            bad_calls = self._within(self.bad, bad, self.functions)
            good_calls = self._within(self.good, good, self._good_functions)
            for one, other in self._pair(bad_calls, good_calls):
                self.pairs[one.number] = other.number
                waiting.append((one.number, other.number))

    def _within(
        self, process: WatchedProcess, number: int,
        paired: Mapping[FunctionIndex, object] | frozenset[FunctionIndex],
    ) -> list[Call]:  # fmt: skip
        """Return the calls within a call; those of unpaired functions are replaced by theirs."""
        found: list[Call] = []
        waiting = deque(process.children.get(number, ()))
        while waiting:
            call = waiting.popleft()
            if call.function in paired:
                found.append(call)
            else:
                waiting.extendleft(reversed(process.children.get(call.number, ())))
        return found

    def _pair(
        self, bad: Sequence[Call], good: Sequence[Call]
    ) -> Iterator[tuple[Call, Call]]:  # fmt: skip
        by_function: dict[FunctionIndex, list[Call]] = defaultdict(list)
        for call in good:
            by_function[call.function].append(call)
        bad_by_function: dict[FunctionIndex, list[Call]] = defaultdict(list)
        for call in bad:
            bad_by_function[self.functions[call.function]].append(call)
        for function, calls in bad_by_function.items():
            others = by_function.get(function, [])
            if others:
                ours, theirs = self.good.functions[function], self.bad.functions[calls[0].function]
                names = _compared_names(ours, theirs)
                names |= dict.fromkeys(calls[0].outer ^ others[0].outer, "")
                yield from self._pair_by_start(calls, others, names)

    def _pair_by_start(
        self, bad: Sequence[Call], good: Sequence[Call], names: Mapping[str, str]
    ) -> Iterator[tuple[Call, Call]]:  # fmt: skip
        waiting: dict[object, deque[Call]] = defaultdict(deque)
        for call in good:
            waiting[start_of(call, self._good_key, names)].append(call)
        taken: set[int] = set()
        left: list[Call] = []
        for call in bad:
            same = waiting.get(start_of(call, self._bad_key, names))
            if same:
                other = same.popleft()
                taken.add(other.number)
                yield call, other
            else:
                left.append(call)
        free = [call for call in good if call.number not in taken]
        yield from zip(left, free, strict=False)

    def _good_key(self, state: State) -> str:
        return self._names.key(state, is_good=True)

    def _bad_key(self, state: State) -> str:
        return self._names.key(state, is_good=False)


def new_parameter_names(good: CalledFunction, bad: CalledFunction) -> dict[str, str]:
    """Return the new names of required parameters that have other names now.

    Those that only one version has correspond by their order, if both have as many.
    """
    gone = [name for name in good.params if name in good.required and name not in bad.params]
    new = [name for name in bad.params if name in bad.required and name not in good.params]
    return dict(zip(gone, new, strict=True)) if len(gone) == len(new) else {}


def _compared_names(good: CalledFunction, bad: CalledFunction) -> dict[str, str]:
    """Return how parameters are called when calls are paired; "": they are left out."""
    names = new_parameter_names(good, bad)
    for one, other in ((good, bad), (bad, good)):
        for name in one.required:
            if name not in other.params and name not in names and name not in names.values():
                names[name] = ""
    return names


def start_of(
    call: Call, key: Callable[[State], str] = repr, names: Mapping[str, str] | None = None
) -> object:
    """Return what identifies the states at the start of a call.

    `names` has other names of parameters; one that is called "" is left out.
    """
    called = {} if names is None else names
    given = (
        (called.get(name, name), key(state))
        for name, state in call.given.items()
        if name not in call.defaults and called.get(name, name)
    )
    return (
        tuple(sorted(given)),
        tuple(
            sorted(
                (name, key(state))
                for name, state in call.around.items()
                if called.get(name, name) or name not in call.outer
            )
        ),
    )
