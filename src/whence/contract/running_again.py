"""What does the good function do where no call of the good run starts in the same state?

The function is run on the state that was recorded in the bad version.  First the bad function is
run on it: only if that does again what it did, everything that matters was recorded and put in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from whence.contract.call_pairs import start_of
from whence.contract.judging import Judge, PartedCall
from whence.contract.outcomes import CallComparison
from whence.trace.calls import AnsweredCall, AskedCall

_MAX_ALL = 40  # limit on calls that are run again; guessed, each is run twice or more
_MAX_OF_FUNCTION = 6  # limit on those of one function; guessed
Run = Callable[[Sequence[AskedCall]], Mapping[int, Sequence[AnsweredCall]]]
_OPEN = "what it does depends on what a state leaves open, such as the order of a dict"


@dataclass
class GoodFunctions:
    """Runs functions of both versions on recorded states; each of the two runs the test."""

    run_good: Run
    run_bad: Run
    unanswered: Counter[str] = field(default_factory=Counter)  # reasons

    def answers(self, judge: Judge) -> dict[tuple[int, int], AnsweredCall]:
        """Return what the good functions did on the states of the parted calls that matter."""
        chosen = dict(enumerate(_chosen(judge.parted())))
        valid = self._valid(judge, chosen)
        if not valid:
            return {}
        asked = [_asked(number, call, is_good=True) for number, call in valid.items()]
        found: dict[tuple[int, int], AnsweredCall] = {}
        given = self.run_good(asked)
        for number, call in valid.items():
            answer = self._checked(judge, call, given.get(number, ()))
            if answer is not None:
                found[call.key] = answer
        return found

    def notes(self) -> Iterator[str]:
        """Yield a note on the calls for which the good function could not be run."""
        if self.unanswered:
            count = sum(self.unanswered.values())
            reasons = "; ".join(
                f"{why} ({n})" for why, n in sorted(self.unanswered.items(), key=_often)
            )
            yield (
                f"{count} calls start in a state that no call of the good run has, and the good "
                f"function could not be run on it: {reasons}."
            )

    def _valid(self, judge: Judge, chosen: Mapping[int, PartedCall]) -> dict[int, PartedCall]:
        """Return the calls that do the same when the bad function is run on their states."""
        if not chosen:
            return {}
        given = self.run_bad([_asked(n, call, is_good=False) for n, call in chosen.items()])
        found = {}
        for number, call in chosen.items():
            answer = self._checked(judge, call, given.get(number, ()))
            if answer is not None and answer.call is not None:
                comparison = CallComparison(answer.process, call.process)
                differences = comparison.outcome(answer.call, call.call)
                if judge.without_noise(call.function.name, differences):
                    self.unanswered["it depends on more than the recorded state"] += 1
                else:
                    found[number] = call
        return found

    def _checked(
        self, judge: Judge, call: PartedCall, answers: Sequence[AnsweredCall]
    ) -> AnsweredCall | None:
        """Return the answer, if it is the only one and was given for the state of the call."""
        why = "its process did not run" if not answers else ""
        why = why or next((each.why for each in answers if each.call is None), "")
        if why or answers[0].call is None:
            self.unanswered[why] += 1
            return None
        first, name = answers[0], call.function.name
        assert first.call is not None
        comparison = CallComparison(first.process, call.process)
        if judge.without_noise(name, comparison.start(first.call, call.call)):
            self.unanswered["the state could not be put in as a whole"] += 1
            return None
        for other in answers[1:]:
            assert other.call is not None
            between = CallComparison(first.process, other.process)
            if judge.without_noise(name, between.outcome(first.call, other.call)):
                self.unanswered[_OPEN] += 1
                return None
        return first


def _chosen(parted: Iterable[PartedCall]) -> list[PartedCall]:
    """Return the calls to run again: those of edited functions first, each state once."""
    found: list[PartedCall] = []
    seen: set[object] = set()
    of_function: Counter[tuple[str, int]] = Counter()
    for call in sorted(parted, key=lambda each: not each.is_edited):
        start = (id(call.process), call.call.function, start_of(call.call))
        place = (call.function.file, call.function.line)
        if start not in seen and of_function[place] < _MAX_OF_FUNCTION:
            seen.add(start)
            of_function[place] += 1
            found.append(call)
    return found[:_MAX_ALL]


def _asked(number: int, parted: PartedCall, *, is_good: bool) -> AskedCall:
    if is_good:
        good = (parted.aligned, parted.good_process)
        return AskedCall(number, parted.function, parted.process, parted.call, *good)
    function = parted.process.functions[parted.call.function]
    own = (parted.call, parted.process)
    return AskedCall(number, function, parted.process, parted.call, *own)


def _often(row: tuple[str, int]) -> tuple[int, str]:
    return (-row[1], row[0])
