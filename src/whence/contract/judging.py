"""What do the calls of two runs show about each function?

The calls are judged in the order in which they end, so that a call comes before the calls around
it.  A call that contains a call with a difference may only pass that difference on.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from whence.contract.call_pairs import CallPairs
from whence.contract.changed_constants import ChangedConstants
from whence.contract.contracts import CallView, CaseOutcome, FunctionContract, SeenCall
from whence.contract.differences import Difference
from whence.contract.noise import Noise
from whence.contract.outcomes import ITERATORS, CallComparison
from whence.contract.shown import shown
from whence.contract.versions import PairedSources
from whence.model import ContractFunction, ContractVerdict, OffendingCall
from whence.trace.calls import (
    NOT_RECORDED,
    AnsweredCall,
    Call,
    CalledFunction,
    WatchedProcess,
    WatchedRun,
)
from whence.trace.function_pairs import FunctionSource

_MAX_SEEN = 200  # limit on the calls that a suggestion is made from; guessed
_MAX_WITHIN = 6  # limit on the functions that a call is said to contain; guessed
_MAX_USED = 4  # limit on the changed names that a function is said to use; guessed
_MAX_DIFFERS = 6  # limit on the sentences about one call; guessed
_EXISTENCE = re.compile(r"\b(?:latest|deprecated)\s*\(\s*(\w+)\s*\)")
FunctionKey = tuple[
    str, str, int
]  # file, name and line, in the bad version: names may be overloaded
_Place = tuple[str, int]  # file and first line
Answers = Mapping[tuple[int, int], AnsweredCall]  # by the key of a parted call
Suggest = Callable[[Sequence[SeenCall]], str | None]


@dataclass(frozen=True, slots=True)
class DifferingCall:
    """A call with a difference that nothing allows."""

    view: CallView
    function: CalledFunction
    differences: tuple[Difference, ...]
    way: str  # "aligned", or "rerun": the good function was run on its state


@dataclass
class _Tally:
    """What is known about one function so far."""

    function: CalledFunction
    good_name: str
    contract: FunctionContract | None
    is_edited: bool  # was its own code changed?
    calls: int = 0
    compared: int = 0
    rerun: int = 0
    differing: int = 0
    matched: int = 0
    unknown: int = 0  # calls for which the contract could not be evaluated
    # Is a difference passed on?  Does another function differ within it?  Order, the call.
    first: tuple[bool, bool, int, OffendingCall] | None = None
    shown: DifferingCall | None = None  # the same call, as it was recorded
    is_broken: bool = False
    through: Counter[str] = field(default_factory=Counter)
    seen: list[SeenCall] = field(default_factory=list)

    def offend(
        self, order: int, call: OffendingCall, within: _Within, shown: DifferingCall
    ) -> None:  # fmt: skip
        """Note a call with a difference that nothing allows."""
        self.through.update(within.through)
        key = (bool(within.through), bool(within.differing), order, call)
        if self.first is None or key[:3] < self.first[:3]:
            self.first, self.shown = key, shown


class _Differing(NamedTuple):
    """A function that differs in a call within another one."""

    name: str
    is_cause: bool  # is it edited, or does it call edited functions that could not be judged?
    values: frozenset[tuple[str, str]]  # what both versions have where it differs


@dataclass(frozen=True)
class _Within:
    """What differs or was not judged within a call that differs."""

    differing: tuple[str, ...] = ()
    through: tuple[str, ...] = ()  # those from which the call has its difference
    unjudged: tuple[str, ...] = ()  # new and edited functions whose calls could not be compared
    uses: tuple[str, ...] = ()  # changed names outside of functions


@dataclass(frozen=True)
class PartedCall:
    """A call of the bad version that no call of the good version's run can be compared with."""

    good_process: WatchedProcess
    function: CalledFunction  # its counterpart in the good version
    aligned: Call | None  # the paired call, which starts in another state
    process: WatchedProcess
    call: Call
    is_edited: bool  # was the function changed?

    @property
    def key(self) -> tuple[int, int]:
        """What identifies the call among those of all processes."""
        return (id(self.process), self.call.number)


class Judge:
    """Judges the calls of the bad version's run beside those of the good version's run."""

    def __init__(
        self,
        sources: PairedSources,
        noise: Noise,
        contracts: Mapping[FunctionKey, FunctionContract],
        suggest: Suggest,
        names: ChangedConstants | None = None,
    ) -> None:
        self._names = names
        self._sources, self._noise, self._contracts = sources, noise, contracts
        self._suggest = suggest
        self._tallies: dict[FunctionKey, _Tally] = {}
        self._judgings: list[_ProcessJudging] = []
        self._order = 0

    def read(self, good: WatchedRun, bad: WatchedRun) -> None:
        """Pair the calls of two runs."""
        for one, other in paired_processes(good, bad):
            functions = self._sources.functions(one, other)
            self._count(one, other, functions)
            self._judgings.append(_ProcessJudging(self, CallPairs(one, other, functions)))

    def parted(self) -> Iterator[PartedCall]:
        """Yield the calls that no call of the good version's run is judged with."""
        for judging in self._judgings:
            yield from judging.parted()

    def judge(self, again: Answers | None = None) -> None:
        """Judge all calls; `again` has what good functions did on the states of parted calls."""
        for judging in self._judgings:
            for call in by_end(judging.bad.calls.values()):
                self._order += 1
                judging.judge(call, self._order, again or {})

    def _count(
        self, good: WatchedProcess, bad: WatchedProcess, functions: Mapping[int, int]
    ) -> None:
        logged = Counter(call.function for call in bad.calls.values())
        for index, partner in functions.items():
            count = max(bad.counts.get(index, 0), logged[index])
            if count:
                self.tally(bad.functions[index], good.functions[partner]).calls += count

    def tally(self, bad: CalledFunction, good: CalledFunction) -> _Tally:
        key = (bad.file, bad.name, bad.line)
        if key not in self._tallies:
            is_edited = self.is_edited(bad)
            self._tallies[key] = _Tally(bad, good.name, self._contracts.get(key), is_edited)
        return self._tallies[key]

    def is_edited(self, function: CalledFunction) -> bool:
        """Was the code of a function of the bad version changed?"""
        return (function.file, function.line) in self._sources.changed[1]

    def no_longer_called(self) -> list[str]:
        """Return the edited functions that only the good version's run calls, in its order.

        Those that only such functions call are left out.
        """
        called = {each for judging in self._judgings for each in judging.called}
        partners = {(g.file, g.first): b for b, g in self._sources.pairs.items()}
        found: dict[str, None] = {}
        for judging in self._judgings:
            for function, above in judging.calls_of_good:
                partner, around = partners.get(function), partners.get(above)
                if partner is None or (partner.file, partner.first) in called:
                    continue
                is_outermost = around is None or (around.file, around.first) in called
                if is_outermost and (partner.file, partner.first) in self._sources.changed[1]:
                    found[partner.name] = None
        return [*found]

    def parameters_in_contract(self, function: CalledFunction) -> frozenset[str]:
        """Return the parameters of which the contract says that only one version has them."""
        contract = self._contracts.get((function.file, function.name, function.line))
        return frozenset(_EXISTENCE.findall(contract.text)) if contract else frozenset()

    def changed_names(self, calls: Iterable[Call], process: WatchedProcess) -> tuple[str, ...]:
        """Return the changed names outside of functions that the functions of calls use."""
        places = {
            (process.functions[call.function].file, process.functions[call.function].line): None
            for call in calls
        }
        if self._names is None:
            return ()
        functions = [self._by_place[place] for place in places if place in self._by_place]
        known = " ".join(each for call in calls for each in _arguments(process, call).values())
        return tuple(str(name) for name in self._names.used_by(functions, known))

    @cached_property
    def _by_place(self) -> dict[_Place, FunctionSource]:
        return {(each.file, each.first): each for each in self._sources.bad}

    def is_new(self, function: CalledFunction) -> bool:
        """Is a function of the tree one that only the bad version has?"""
        return (function.file, function.line) in self._sources.new

    def without_noise(self, function: str, differences: Iterable[Difference]) -> list[Difference]:
        return self._noise.without(function, differences)

    def verdicts(self) -> Iterator[ContractFunction]:
        """Yield the verdicts: first the functions that differ, in the order of the run.

        Where a difference arises in a function whose own code is the same in both versions, it
        comes from a constant, or from a state that is not recorded: these follow the edited ones.
        """
        for tally in sorted(self._tallies.values(), key=_rank):
            yield _verdict(tally, self._suggest)

    def differing_call(self, function: ContractFunction) -> DifferingCall | None:
        """Return the first call of a function with a difference that nothing allows."""
        tally = self._tallies.get((function.file, function.function, function.line))
        return None if tally is None else tally.shown

    def unevaluated(self) -> dict[str, int]:
        """Return how many calls of each function its contract could not be evaluated for."""
        found: Counter[str] = Counter()
        for tally in self._tallies.values():
            found[tally.function.name] += tally.unknown
        return +found


class _ProcessJudging:
    """The judging of the calls of one process."""

    def __init__(self, judge: Judge, pairs: CallPairs) -> None:
        self._judge, self._pairs = judge, pairs
        self.good, self.bad = pairs.good, pairs.bad
        self._aligned = CallComparison(self.good, self.bad)
        self._alike: dict[int, bool] = {}  # bad call -> does it start as its good call does?
        self._inner: dict[int, list[_Differing]] = defaultdict(list)  # differing within a call
        self._waiting = _WaitingCalls(self.bad)
        self._judged: set[int] = set()  # calls of the bad version
        self._meant: set[int] = set()  # calls that contain a difference which is meant

    @property
    def called(self) -> Iterator[_Place]:
        """The place of each function that the bad version's run calls."""
        logged = {call.function for call in self.bad.calls.values()}
        for index in {*logged, *(index for index, count in self.bad.counts.items() if count)}:
            yield self.bad.functions[index].file, self.bad.functions[index].line

    @property
    def calls_of_good(self) -> Iterator[tuple[_Place, _Place]]:
        """The places of the function of each call of the good version, and of that around it."""
        for call in self.good.calls.values():
            above = self.good.calls.get(call.parent)
            indexes = (call.function, call.function if above is None else above.function)
            ours, around = (self.good.functions[index] for index in indexes)
            yield (ours.file, ours.line), ("", 0) if above is None else (around.file, around.line)

    def parted(self) -> Iterator[PartedCall]:
        """Yield the calls that have no call of the good version that starts in the same state."""
        judged: set[int] = set()
        parted: list[Call] = []
        for call in self.bad.calls.values():
            if call.function in self._pairs.functions:
                if self._is_alike(call):
                    judged.add(call.function)
                else:
                    parted.append(call)
        for call in parted:
            function = self.bad.functions[call.function]
            counterpart = self.good.functions[self._pairs.functions[call.function]]
            is_edited = self._judge.tally(function, counterpart).is_edited
            if is_edited or call.function not in judged:
                number = self._pairs.pairs.get(call.number)
                aligned = None if number is None else self.good.calls[number]
                yield PartedCall(self.good, counterpart, aligned, self.bad, call, is_edited)

    def _is_alike(self, bad: Call) -> bool:
        """Does a call start in the same state as the call that is paired with it?"""
        found = self._alike.get(bad.number)
        if found is None:
            number = self._pairs.pairs.get(bad.number)
            if number is None:
                return False
            good = self.good.calls[number]
            name = self.good.functions[good.function].name
            meant = self._judge.parameters_in_contract(self.bad.functions[bad.function])
            starts = (each for each in self._aligned.start(good, bad) if each.part not in meant)
            differences = self._judge.without_noise(name, starts)
            found = self._alike[bad.number] = not differences
        return found

    def judge(self, bad: Call, order: int, again: Answers) -> None:
        """Judge one call of the bad version, with a call of the good version."""
        if self._is_alike(bad):
            good = self.good.calls[self._pairs.pairs[bad.number]]
            self._judge_with(self._aligned, good, bad, order, "aligned")
            return
        answer = again.get((id(self.bad), bad.number))
        if answer is not None and answer.call is not None:
            comparison = CallComparison(answer.process, self.bad)
            self._judge_with(comparison, answer.call, bad, order, "rerun")

    def _judge_with(
        self, comparison: CallComparison, good: Call, bad: Call, order: int, way: str
    ) -> None:  # fmt: skip
        function = self.bad.functions[bad.function]
        counterpart = comparison.good.functions[good.function]
        tally = self._judge.tally(function, counterpart)
        self._judged.add(bad.number)
        tally.compared += 1
        tally.rerun += way == "rerun"
        differences = self._judge.without_noise(counterpart.name, comparison.outcome(good, bad))
        view = CallView(comparison.good, good, self.bad, bad)
        if len(tally.seen) < _MAX_SEEN:
            tally.seen.append(SeenCall(view, bool(differences)))
        outcome = self._by_contract(tally, view)
        if outcome is not None and outcome.is_known:
            tally.matched += 1
            if outcome.is_kept:
                if differences:
                    tally.differing += 1
                    self._meant.update(each.number for each in self.bad.ancestors(bad))
                return
            tally.is_broken = True
            self._offend(tally, view, order, differences, _Within(), way, outcome.why)
        elif differences and bad.number not in self._meant and outcome is None:
            tally.differing += 1
            within = self._within(tally, bad, way, differences)
            if not tally.is_edited and not within.differing and _takes_iterator(self.bad, bad):
                tally.differing -= 1  # what it takes from the iterator is not recorded
                return
            self._offend(tally, view, order, differences, within, way)

    def _by_contract(self, tally: _Tally, view: CallView) -> CaseOutcome | None:
        """Return what the contract says; None if it has no case for this call."""
        if tally.contract is None:
            return None
        outcome = tally.contract.check(view)
        if outcome is not None and not outcome.is_known:
            tally.unknown += 1
        return outcome

    def _within(
        self, tally: _Tally, bad: Call, way: str, differences: Sequence[Difference]
    ) -> _Within:  # fmt: skip
        """Return what a difference of a call may come from, besides the function's own code.

        A function that was not edited has it from any function within it that differs.  An edited
        one may differ by itself, unless an edited function within it differs: functions that were
        not edited differ because of a constant or of a state that is not recorded.  Values that
        differ within it in the same way are passed on.
        """
        inner = [*self._inner[bad.number], *self._waiting.differing(bad)]
        names = tuple(dict.fromkeys(each.name for each in inner))
        if tally.is_edited:
            seen = frozenset[tuple[str, str]]().union(*(each.values for each in inner))
            if {(each.good, each.bad) for each in differences} <= seen:
                return _Within(names, names)
            through = tuple(dict.fromkeys(each.name for each in inner if each.is_cause))
            return _Within(names, through)
        if not names and way == "rerun":  # the good function called the good ones of these
            names = tuple(dict.fromkeys(self._edited_within(bad, set())))
        unjudged = () if names else tuple(dict.fromkeys(self._edited_within(bad, self._judged)))
        readers = () if names else (bad, *self._unedited_within(bad))
        uses = self._judge.changed_names(readers, self.bad)
        return _Within(names, names, unjudged, uses)

    def _unedited_within(self, call: Call) -> Iterator[Call]:
        """Yield the calls within a call that could not be judged, and so may read what it reads."""
        for each in self.bad.children.get(call.number, ()):
            if each.number not in self._judged:
                yield each
                yield from self._unedited_within(each)

    def _edited_within(self, call: Call, judged: set[int]) -> Iterator[str]:
        """Yield the new and edited functions that a call calls, but for calls that were judged."""
        waiting = list(reversed(self.bad.children.get(call.number, ())))
        while waiting:
            each = waiting.pop()
            waiting.extend(reversed(self.bad.children.get(each.number, ())))
            function = self.bad.functions[each.function]
            is_edited = self._judge.is_new(function) or self._judge.is_edited(function)
            if is_edited and each.number not in judged:
                yield function.name

    def _offend(
        self, tally: _Tally, view: CallView, order: int, differences: Sequence[Difference],
        within: _Within, way: str, broken: str = "",
    ) -> None:  # fmt: skip
        sentences = (*([broken] if broken else ()), *_sentences(differences))
        offending = OffendingCall(
            called_from=f"{view.bad.place[0]}:{view.bad.place[1]}",
            arguments=_arguments(self.bad, view.bad),
            good=_did(view.good_process, view.good),
            bad=_did(self.bad, view.bad),
            differs=sentences[:_MAX_DIFFERS],
            way=way,
            within=within.unjudged[:_MAX_WITHIN],
            uses=within.uses[:_MAX_USED],
        )
        differing = DifferingCall(view, tally.function, tuple(differences), way)
        tally.offend(order, offending, within, differing)
        found = _Differing(
            tally.function.name, tally.is_edited or bool(within.unjudged),
            frozenset((each.good, each.bad) for each in differences),
        )  # fmt: skip
        self._waiting.note(view.bad, found)
        for above in self.bad.ancestors(view.bad):
            self._inner[above.number].append(found)


class _WaitingCalls:
    """Which functions differ while a coroutine waits?  It may have its difference from them."""

    def __init__(self, process: WatchedProcess) -> None:
        self._process = process
        self._differing: list[tuple[Call, _Differing]] = []

    def note(self, call: Call, found: _Differing) -> None:
        """Note a call that differs."""
        self._differing.append((call, found))

    def differing(self, waiting: Call) -> Iterator[_Differing]:
        """Yield what ended while a coroutine was under way, in another task or generator."""
        if self._process.functions[waiting.function].is_coroutine:
            for call, found in self._differing:
                if waiting.began <= call.order < waiting.order and call.parent != waiting.number:
                    yield found


def _takes_iterator(process: WatchedProcess, call: Call) -> bool:
    """Was a call given an iterator, of which only the type is compared?"""
    nodes = map(process.node, call.given.values())
    return any(node is not None and node[0] == "x" and node[1] in ITERATORS for node in nodes)


def _arguments(process: WatchedProcess, call: Call) -> dict[str, str]:
    if call.shown is not None:
        return dict(call.shown)
    return {name: shown(process, state) for name, state in call.given.items()}


def _rank(tally: _Tally) -> tuple[bool, bool, bool, bool, int, str, int]:
    """Return the place of a function in the report."""
    is_passing, has_inner, order = tally.first[:3] if tally.first else (False, False, 0)
    place = (tally.function.file, tally.function.line)
    return (tally.first is None, is_passing, not tally.is_edited, has_inner, order, *place)


def _verdict(tally: _Tally, suggest: Suggest) -> ContractFunction:
    function, contract = tally.function, tally.contract
    if tally.is_broken:
        verdict = ContractVerdict.BROKEN
    elif tally.first is not None:
        verdict = ContractVerdict.CHANGED
    elif contract is not None and tally.compared and not tally.matched and not tally.unknown:
        verdict = ContractVerdict.UNMATCHED
    else:
        verdict = ContractVerdict.KEPT if tally.matched else ContractVerdict.SAME
    is_origin = tally.first is not None and not tally.first[0]
    return ContractFunction(
        file=function.file,
        line=function.line,
        function=function.name,
        calls=tally.calls,
        compared=tally.compared,
        verdict=verdict,
        contract=contract.text if contract else None,
        first=tally.first[3] if tally.first else None,
        suggestion=suggest(tally.seen) if is_origin and not tally.is_broken else None,
        through=() if is_origin else tuple(tally.through),
        good_name=tally.good_name if tally.good_name != function.name else None,
        differing=tally.differing,
        rerun=tally.rerun,
    )


def _did(process: WatchedProcess, call: Call) -> str:
    """Return what a call did, in words."""
    if not call.has_ended:
        return "does not end"
    if call.raised is not None:
        is_known = call.raised != NOT_RECORDED
        return f"raises {shown(process, call.raised) if is_known else 'an exception'}"
    if call.yielded is not None:
        values = ", ".join(shown(process, state, 60) for state in call.yielded[:6])
        return f"yields {values}{', …' if len(call.yielded) > 6 else ''}"
    if call.shown is not None and call.result is None:
        return "returns"
    return f"returns {shown(process, call.result)}"


def _sentences(differences: Iterable[Difference]) -> tuple[str, ...]:
    return tuple(f"{each.where}: {each.good} before, {each.bad} now" for each in differences)


def by_end(calls: Iterable[Call]) -> list[Call]:
    """Return calls in the order of their ends; those that did not end come last."""
    return sorted(calls, key=lambda call: (not call.has_ended, call.order, -call.number))


def paired_processes(
    good: WatchedRun, bad: WatchedRun
) -> Iterator[tuple[WatchedProcess, WatchedProcess]]:
    """Yield the processes that both runs started with the same command, in order."""
    waiting: dict[tuple[str, ...], list[WatchedProcess]] = defaultdict(list)
    for process in good.processes:
        waiting[process.command].append(process)
    for process in bad.processes:
        if waiting[process.command]:
            yield waiting[process.command].pop(0), process


def find_noise(
    sources: PairedSources, first: WatchedRun, second: WatchedRun, note: Callable[[str], None]
) -> Noise:
    """Return what differs between two runs of the good version."""
    noise = Noise()
    own = PairedSources(sources.good, sources.good)
    for one, other in paired_processes(first, second):
        comparison = CallComparison(one, other)
        pairs = CallPairs(one, other, own.functions(one, other))
        for bad, good in pairs.pairs.items():
            call, again = one.calls[good], other.calls[bad]
            name = one.functions[call.function].name
            noise.add(name, comparison.start(call, again))
            noise.add(name, comparison.outcome(call, again))
    if len(first.processes) != len(second.processes):
        note("two runs of the good version started different processes")
    return noise
