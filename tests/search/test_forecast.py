"""Does the stated range of the runs left contain the truth?"""

from __future__ import annotations

from random import Random

import pytest

from tests.search.oracles import Oracle, changes, passes_without, with_dependencies
from whence.model import ChangeId, Outcome, Reverted, Run
from whence.search import forecast
from whence.search.dependencies import Dependencies
from whence.search.forecast import Forecaster, RunsLeft
from whence.search.isolate import IsolateProblem, isolate_changes
from whence.search.space import Search

_EVERY = 3  # forecasts cost more than the rest of a simulated search


def forecasts(problem: IsolateProblem, oracle: Oracle) -> list[tuple[RunsLeft | None, int]]:
    """Run a search; return every third forecast, with the number of runs left in truth."""
    everything = frozenset(change.id for change in problem.changes)
    known: dict[Reverted, Run] = {frozenset(): Run(Outcome.FAIL), everything: Run(Outcome.PASS)}
    forecaster = Forecaster(lambda: isolate_changes(problem), known, problem.weight)
    stated: list[tuple[int, RunsLeft | None]] = []
    search = isolate_changes(problem)
    try:
        asked = next(search)
        while True:
            if asked not in known:
                if len(known) % _EVERY == 0:
                    stated.append((len(known), forecaster.runs_left()))
                known[asked] = oracle(asked)
            asked = search.send(known[asked])
    except StopIteration:
        pass
    return [(range_, len(known) - before) for before, range_ in stated]


def simulated(seed: int) -> tuple[IsolateProblem, Oracle]:
    """Return a random project: up to 60 changes, of which up to four broke the test."""
    random = Random(seed)
    count = random.choice([5, 20, 49, 60])
    made = changes(count, block_size=random.choice([1, 1, 3]), functions=random.choice([0, 0, 6]))
    ids = [ChangeId(number) for number in range(count)]
    causes = frozenset(random.sample(ids, min(random.choice([1, 1, 1, 2, 4]), count)))
    requires = {
        change: frozenset({random.choice(ids)})
        for change in ids
        if random.random() < random.choice([0.0, 0.05, 0.3])
    }
    judge = with_dependencies(causes, requires) if requires else passes_without(causes)
    # The weights are better than chance in half of the projects, as those of real ones are.
    good = random.random() < 0.5
    weight = {c: random.random() * (5.0 if good and c in causes else 1.0) for c in ids}
    problem = IsolateProblem(made, Dependencies(), weight, None, frozenset(), method="fast")
    return problem, Oracle(judge)


def test_the_range_contains_the_truth_in_most_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecast, "_MAX_SECONDS", 60.0)  # the result depends on no clock
    inside = stated = moments = 0
    widths: list[float] = []
    for seed in range(200, 224):  # the constants were measured with other seeds
        for range_, left in forecasts(*simulated(seed)):
            moments += 1
            if range_ is None:
                continue
            stated += 1
            inside += range_.least <= left <= range_.most
            widths.append(range_.most / max(range_.least, 1))
    widths.sort()
    width = widths[len(widths) // 2]
    print(f"{moments} moments, {stated} stated, {inside} inside, median width {width:.1f}")
    assert inside >= 0.8 * stated
    # A range that is never stated, or is from 0 to infinity, would always be true.
    assert stated >= 0.4 * moments
    assert width < 12


@pytest.mark.parametrize("count", [1, 2, 40])
def test_nothing_is_forecast_if_no_root_fits(count: int) -> None:
    """The good version passes, and so does a set without any change in common with another."""
    first, second = (frozenset({ChangeId(number)}) for number in (0, count))
    known = {first: Run(Outcome.PASS), second: Run(Outcome.PASS)}
    problem, _ = simulated(1)
    assert Forecaster(lambda: isolate_changes(problem), known, {}).runs_left() is None


def test_a_long_search_is_replayed_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of replays grows with the logarithm of the known outcomes."""
    monkeypatch.setattr(forecast, "_MAX_SECONDS", 60.0)
    problem, oracle = simulated(317)  # a search of more than a hundred runs
    everything = frozenset(change.id for change in problem.changes)
    known: dict[Reverted, Run] = {frozenset(): Run(Outcome.FAIL), everything: Run(Outcome.PASS)}
    replays = 0

    def make() -> Search[object]:
        nonlocal replays
        replays += 1
        return isolate_changes(problem)

    forecaster = Forecaster(make, known, problem.weight)
    search: Search[object] = isolate_changes(problem)
    try:
        asked = next(search)
        while True:
            if asked not in known:
                known[asked] = oracle(asked)
                forecaster.runs_left()
            asked = search.send(known[asked])
    except StopIteration:
        pass
    assert len(known) > 100
    assert replays < 25 * 12, replays  # it was twelve for each outcome


def test_a_range_that_was_too_short_makes_the_next_ones_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The search that is replayed always ends after eight more runs; the real one does not."""
    monkeypatch.setattr(forecast, "_MAX_SECONDS", 60.0)
    ids = [ChangeId(number) for number in range(200)]
    known: dict[Reverted, Run] = {frozenset(): Run(Outcome.FAIL), frozenset(ids): Run(Outcome.PASS)}
    fresh = (frozenset(ids) - {change} for change in ids)

    def eight_more() -> Search[object]:
        for change in ids[:8]:
            yield frozenset({change})
        return None

    forecaster = Forecaster(eight_more, known, {})
    stated = []
    for _ in range(100):
        known[next(fresh)] = Run(Outcome.FAIL)
        if left := forecaster.runs_left():
            stated.append(left.most)
    assert stated[0] <= 13  # eight, times the factor
    assert max(stated[-10:]) > 50


@pytest.mark.parametrize("seed", [5, 6, 7])
def test_a_long_search_has_a_range_from_how_it_went(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Replays end too late to count."""
    monkeypatch.setattr(forecast, "_MAX_SECONDS", -1.0)
    random = Random(seed)
    ids = [ChangeId(number) for number in range(150)]
    causes = frozenset(random.sample(ids, 6))
    requires = {change: frozenset({random.choice(ids)}) for change in ids if random.random() < 0.1}
    problem = IsolateProblem(
        changes(len(ids), block_size=1, functions=0),
        Dependencies(),
        {change: random.random() for change in ids},
        None,
        frozenset(),
        method="fast",
    )
    found = forecasts(problem, Oracle(with_dependencies(causes, requires)))
    stated = [(range_, left) for range_, left in found if range_ is not None]
    assert len(found) > 40
    assert len(stated) > 0.7 * len(found)
    assert sum(range_.least <= left <= range_.most for range_, left in stated) > 0.8 * len(stated)
