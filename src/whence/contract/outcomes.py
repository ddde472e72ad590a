"""Did two corresponding calls start in the same state, and did they do the same?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from whence.contract.call_pairs import new_parameter_names
from whence.contract.differences import Difference, StateComparison
from whence.trace.calls import Call, Missing, WatchedProcess

# Iterators of Python that a function may return instead of yielding values itself.
ITERATORS = frozenset(
    {
        *("accumulate", "batched", "chain", "compress", "count", "cycle", "dropwhile", "enumerate"),
        *("filter", "filterfalse", "generator", "islice", "list_iterator", "map", "pairwise"),
        *("permutations", "combinations", "product", "repeat", "reversed", "set_iterator"),
        *("starmap", "str_iterator", "takewhile", "tuple_iterator", "zip", "zip_longest"),
    }
)
_EMPTY = (("t", "tuple", ()), ("d", "dict", ()))  # what *args and **kwargs are without arguments


class CallComparison:
    """Compares calls of a process of the good version with those of its counterpart."""

    def __init__(self, good: WatchedProcess, bad: WatchedProcess) -> None:
        self.good, self.bad = good, bad
        self._states = StateComparison(good, bad)

    def start(self, good: Call, bad: Call) -> list[Difference]:
        """Return how the states differ in which two calls start."""
        return [*self._given(good, bad), *self._around(good, bad, at_end=False)]

    def outcome(self, good: Call, bad: Call) -> list[Difference]:
        """Return how two calls differ in what they did."""
        if good.has_ended != bad.has_ended:
            ways = ["it ends" if call.has_ended else "it does not end" for call in (good, bad)]
            return [Difference("end", (), None, *ways)]
        if (good.raised is None) != (bad.raised is None):
            return [self._raised(good, bad)]
        compare = self._states.differences
        return [
            *compare("exception", good.raised, bad.raised),
            *self._results(good, bad),
            *(
                difference
                for name in good.after
                if name in bad.after and _is_changed(good, bad, name)
                for difference in compare(name, good.after[name], bad.after[name])
            ),
            *self._around(good, bad, at_end=True),
            *self._written(good, bad),
        ]

    def _given(self, good: Call, bad: Call) -> Iterator[Difference]:
        others = renamed_parameters(self.good, good, self.bad, bad)
        for name in {**good.given, **bad.given}:
            is_renamed = name in others or name in others.values()
            if is_renamed or (name in good.defaults and name in bad.defaults):
                continue
            if name in good.given and name in bad.given:
                yield from self._states.differences(name, good.given[name], bad.given[name])
            elif not self._is_added(name, good, bad):
                yield self._only_one(name, good, bad)
        for before, now in others.items():
            yield from self._states.differences(now, good.given[before], bad.given[now])

    def _is_added(self, name: str, good: Call, bad: Call) -> bool:
        """Can a parameter of one version be left out of the comparison?

        It can if nothing was given for it, or if the other version has no such input at all: each
        call of the version that has the parameter must give it.
        """
        call, process = (good, self.good) if name in good.given else (bad, self.bad)
        if name in call.defaults or process.node(call.given[name]) in _EMPTY:
            return True
        return name in process.functions[call.function].required

    def _only_one(self, name: str, good: Call, bad: Call) -> Difference:
        states = [call.given.get(name, Missing) for call in (good, bad)]
        return self._states.difference(name, (), None, *states)

    def _around(self, good: Call, bad: Call, *, at_end: bool) -> Iterator[Difference]:
        """Yield how what is around two calls differs."""
        ours, theirs = (
            call.around_after if at_end else call.around for call in (good, bad)
        )  # fmt: skip
        for name in {**theirs, **ours}:  # in the order in which objects got their names
            if name in good.outer ^ bad.outer and (name in ours) != (name in theirs):
                continue  # the other version's function does not use this variable
            one = ours[name] if name in ours else self.good.state_of(good, name, at_end=at_end)
            other = theirs[name] if name in theirs else self.bad.state_of(bad, name, at_end=at_end)
            if one is Missing or other is Missing:
                yield self._states.difference(name, (), None, one, other)
            else:
                yield from self._states.differences(name, one, other)

    def _raised(self, good: Call, bad: Call) -> Difference:
        """Return the difference between a call that raises and one that does not."""
        states = [call.result if call.raised is None else call.raised for call in (good, bad)]
        found = self._states.difference("end", (), None, *states)
        words = [
            f"raises {text}" if call.raised is not None else f"returns {text}"
            for call, text in ((good, found.good), (bad, found.bad))
        ]
        return Difference("end", (), None, words[0], words[1])

    def _results(self, good: Call, bad: Call) -> Iterator[Difference]:
        if self._returns_iterator(self.good, good, bad) or self._returns_iterator(
            self.bad, bad, good
        ):
            return  # both can be iterated over, but only the values of one are recorded
        yield from self._states.differences("result", good.result, bad.result)
        yield from self._yielded(good, bad)

    def _returns_iterator(self, process: WatchedProcess, call: Call, other: Call) -> bool:
        """Does a call return an iterator where the other one is a generator that yields?"""
        if call.yielded is not None or other.yielded is None or other.result is not None:
            return False
        node = process.node(call.result)
        return isinstance(node, tuple) and node[0] == "x" and node[1] in ITERATORS

    def _yielded(self, good: Call, bad: Call) -> Iterator[Difference]:
        ours, theirs = good.yielded or (), bad.yielded or ()
        for number, (one, other) in enumerate(zip(ours, theirs, strict=False)):
            for found in self._states.differences("yielded", one, other):
                yield replace(found, path=(f"[{number}]", *found.path))
        if len(ours) != len(theirs):
            yield Difference(
                "yielded", (), None, *(f"{len(each)} values" for each in (ours, theirs))
            )

    def _written(self, good: Call, bad: Call) -> Iterator[Difference]:
        for stream in sorted({written.stream for call in (good, bad) for written in call.written}):
            texts = [
                "".join(
                    text if isinstance(text, str) else text.decode("utf-8", "replace")
                    for name, text in call.written
                    if name == stream
                )
                for call in (good, bad)
            ]
            yield from self._states.differences(stream, texts[0], texts[1])


def renamed_parameters(
    good_process: WatchedProcess, good: Call, bad_process: WatchedProcess, bad: Call
) -> dict[str, str]:
    """Return the new names of the parameters of two calls that have other names now."""
    names = new_parameter_names(
        good_process.functions[good.function], bad_process.functions[bad.function]
    )
    is_given = {*names} <= {*good.given} and {*names.values()} <= {*bad.given}
    return names if is_given else {}


def _is_changed(good: Call, bad: Call, name: str) -> bool:
    """Has one of two calls changed what it was given for a parameter?"""
    return any(call.after[name] != call.given[name] for call in (good, bad))
