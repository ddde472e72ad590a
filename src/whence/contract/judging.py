"""What do the calls of two runs show about each function?

The calls are judged in the order in which they end, so that a call comes before the calls around
it.  A call that contains a call with a difference may only pass that difference on.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from whence.contract.call_pairs import CallPairs
from whence.contract.contracts import CallView, CaseOutcome, FunctionContract, SeenCall
from whence.contract.differences import Difference
from whence.contract.noise import Noise
from whence.contract.outcomes import CallComparison
from whence.contract.shown import shown
from whence.contract.versions import PairedSources
from whence.model import ContractFunction, ContractVerdict, OffendingCall
from whence.trace.calls import Call, CalledFunction, WatchedProcess, WatchedRun

_MAX_SEEN = 200  # limit on the calls that a suggestion is made from; guessed
_MAX_DIFFERS = 6  # limit on the sentences about one call; guessed
FunctionKey = tuple[str, str]  # file and name, in the bad version
Suggest = Callable[[Sequence[SeenCall]], str | None]


@dataclass
class _Tally:
    """What is known about one function so far."""

    function: CalledFunction
    good_name: str
    contract: FunctionContract | None
    is_edited: bool  # was its own code changed?
    calls: int = 0
    compared: int = 0
    differing: int = 0
    matched: int = 0
    unknown: int = 0  # calls for which the contract could not be evaluated
    first: tuple[bool, int, OffendingCall] | None = None  # passed on?, order, the call
    is_broken: bool = False
    through: Counter[str] = field(default_factory=Counter)
    seen: list[SeenCall] = field(default_factory=list)

    def offend(self, order: int, call: OffendingCall, through: Iterable[str]) -> None:
        """Note a call with a difference that nothing allows."""
        names = tuple(through)
        self.through.update(names)
        key = (bool(names), order, call)
        if self.first is None or key[:2] < self.first[:2]:
            self.first = key


class Judge:
    """Judges the calls of the bad version's run beside those of the good version's run."""

    def __init__(
        self,
        sources: PairedSources,
        noise: Noise,
        contracts: Mapping[FunctionKey, FunctionContract],
        suggest: Suggest,
    ) -> None:
        self._sources, self._noise, self._contracts = sources, noise, contracts
        self._suggest = suggest
        self._tallies: dict[FunctionKey, _Tally] = {}
        self._order = 0

    def judge_run(self, good: WatchedRun, bad: WatchedRun) -> None:
        """Judge all calls of a run."""
        for one, other in paired_processes(good, bad):
            self._judge_process(one, other)

    def _judge_process(self, good: WatchedProcess, bad: WatchedProcess) -> None:
        functions = self._sources.functions(good, bad)
        pairs = CallPairs(good, bad, functions)
        self._count(good, bad, functions)
        judging = _ProcessJudging(self, CallComparison(good, bad), pairs)
        for call in by_end(bad.calls.values()):
            number = pairs.pairs.get(call.number)
            if number is not None:
                self._order += 1
                judging.judge(good.calls[number], call, self._order)

    def _count(
        self, good: WatchedProcess, bad: WatchedProcess, functions: Mapping[int, int]
    ) -> None:
        logged = Counter(call.function for call in bad.calls.values())
        for index, partner in functions.items():
            count = max(bad.counts.get(index, 0), logged[index])
            if count:
                self.tally(bad.functions[index], good.functions[partner]).calls += count

    def tally(self, bad: CalledFunction, good: CalledFunction) -> _Tally:
        key = (bad.file, bad.name)
        if key not in self._tallies:
            is_edited = (bad.file, bad.line) in self._sources.changed[1]
            self._tallies[key] = _Tally(bad, good.name, self._contracts.get(key), is_edited)
        return self._tallies[key]

    def without_noise(self, function: str, differences: Iterable[Difference]) -> list[Difference]:
        return self._noise.without(function, differences)

    def verdicts(self) -> Iterator[ContractFunction]:
        """Yield the verdicts: first the functions that differ, in the order of the run.

        Where a difference arises in a function whose own code is the same in both versions, it
        comes from a constant, or from a state that is not recorded: these follow the edited ones.
        """
        for tally in sorted(self._tallies.values(), key=_rank):
            yield _verdict(tally, self._suggest)

    def unevaluated(self) -> dict[str, int]:
        """Return how many calls of each function its contract could not be evaluated for."""
        return {t.function.name: t.unknown for t in self._tallies.values() if t.unknown}


class _ProcessJudging:
    """The judging of the calls of one process."""

    def __init__(
        self, judge: Judge, comparison: CallComparison, pairs: CallPairs, way: str = "aligned"
    ) -> None:
        self._judge, self._comparison, self._pairs, self._way = judge, comparison, pairs, way
        self._good, self._bad = comparison.good, comparison.bad
        self._inner: dict[int, list[str]] = defaultdict(list)  # differing functions in a call
        self._meant: set[int] = set()  # calls that contain a difference which is meant

    def judge(self, good: Call, bad: Call, order: int) -> None:
        """Judge one call of the bad version, with its call of the good version."""
        function = self._bad.functions[bad.function]
        partner = self._good.functions[good.function]
        started = self._judge.without_noise(partner.name, self._comparison.start(good, bad))
        if started:
            return
        tally = self._judge.tally(function, partner)
        tally.compared += 1
        differences = self._judge.without_noise(partner.name, self._comparison.outcome(good, bad))
        if len(tally.seen) < _MAX_SEEN:
            tally.seen.append(SeenCall(self._view(good, bad), bool(differences)))
        outcome = self._by_contract(tally, good, bad)
        if outcome is not None and outcome.is_known:
            tally.matched += 1
            if outcome.is_kept:
                if differences:
                    tally.differing += 1
                    self._meant.update(each.number for each in self._bad.ancestors(bad))
                return
            tally.is_broken = True
            self._offend(tally, good, bad, order, (outcome.why, *_sentences(differences)), ())
        elif differences and bad.number not in self._meant and outcome is None:
            tally.differing += 1
            inner = tuple(dict.fromkeys(self._inner[bad.number]))
            self._offend(tally, good, bad, order, _sentences(differences), inner)

    def _by_contract(self, tally: _Tally, good: Call, bad: Call) -> CaseOutcome | None:
        """Return what the contract says; None if it has no case for this call."""
        if tally.contract is None:
            return None
        outcome = tally.contract.check(self._view(good, bad))
        if outcome is not None and not outcome.is_known:
            tally.unknown += 1
        return outcome

    def _view(self, good: Call, bad: Call) -> CallView:
        return CallView(self._good, good, self._bad, bad)

    def _offend(
        self, tally: _Tally, good: Call, bad: Call, order: int, sentences: tuple[str, ...],
        through: tuple[str, ...],
    ) -> None:  # fmt: skip
        offending = OffendingCall(
            called_from=f"{bad.place[0]}:{bad.place[1]}",
            arguments=_arguments(self._bad, bad),
            good=_did(self._good, good),
            bad=_did(self._bad, bad),
            differs=sentences[:_MAX_DIFFERS],
            way=self._way,
        )
        tally.offend(order, offending, through)
        for above in self._bad.ancestors(bad):
            self._inner[above.number].append(tally.function.name)


def _arguments(process: WatchedProcess, call: Call) -> dict[str, str]:
    if call.shown is not None:
        return dict(call.shown)
    return {name: shown(process, state) for name, state in call.given.items()}


def _rank(tally: _Tally) -> tuple[bool, bool, bool, int, str, int]:
    """Return the place of a function in the report."""
    is_passing, order = tally.first[:2] if tally.first else (False, 0)
    place = (tally.function.file, tally.function.line)
    return (tally.first is None, is_passing, not tally.is_edited, order, *place)


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
        first=tally.first[2] if tally.first else None,
        suggestion=suggest(tally.seen) if is_origin and not tally.is_broken else None,
        through=() if is_origin else tuple(tally.through),
        good_name=tally.good_name if tally.good_name != function.name else None,
        differing=tally.differing,
    )


def _did(process: WatchedProcess, call: Call) -> str:
    """Return what a call did, in words."""
    if not call.has_ended:
        return "does not end"
    if call.raised is not None:
        return f"raises {shown(process, call.raised)}"
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
