"""Simulated programs: which changes break them, and which must be reverted together to build."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from hypothesis import strategies as st

from whence.model import Change, ChangeId, ChangeKind, Complaint, Outcome, Reverted, Run, Span
from whence.search.isolate import Answer, IsolateProblem, isolate_changes
from whence.search.space import Search


def changes(count: int, *, block_size: int = 1, functions: int = 0) -> tuple[Change, ...]:
    """Make changes with minimal content; each block has `block_size` of them."""
    return tuple(
        Change(
            id=ChangeId(i),
            kind=ChangeKind.EDIT,
            file="file",
            old_file="file",
            old=Span(i + 1, 1),
            new=Span(i + 1, 1),
            removed=b"",
            added=f"name{i}\n".encode(),
            block=i // block_size,
            function=f"f{i * functions // count}" if functions else None,
        )
        for i in range(count)
    )


@dataclass
class Oracle:
    """Returns the outcome of each variant, and remembers which variants were asked for."""

    judge: Callable[[Reverted], Outcome]
    complain: Callable[[Reverted], tuple[Complaint, ...]] = lambda _: ()
    asked: dict[Reverted, Outcome] = field(default_factory=dict)

    def __call__(self, reverted: Reverted) -> Run:
        outcome = self.asked.setdefault(reverted, self.judge(reverted))
        return Run(outcome, complaints=self.complain(reverted))


def answer(problem: IsolateProblem, oracle: Oracle) -> Answer:
    """Run a search against an oracle; fail if it does not end."""
    search: Search[Answer] = isolate_changes(problem)
    try:
        asked = next(search)
        for _ in range(100_000):
            asked = search.send(oracle(asked))
    except StopIteration as end:
        result: Answer = end.value
        return result
    raise AssertionError("the search does not end")


def passes_without(causes: frozenset[ChangeId]) -> Callable[[Reverted], Outcome]:
    """Return a judge: the test passes if and only if all `causes` are reverted."""
    return lambda reverted: Outcome.PASS if causes <= reverted else Outcome.FAIL


def with_dependencies(
    causes: frozenset[ChangeId], requires: Mapping[ChangeId, frozenset[ChangeId]]
) -> Callable[[Reverted], Outcome]:
    """Return the same judge, except that a set without a change that it requires is BROKEN."""

    def judge(reverted: Reverted) -> Outcome:
        if any(not requires.get(change, frozenset()) <= reverted for change in reverted):
            return Outcome.BROKEN
        return passes_without(causes)(reverted)

    return judge


def any_oracles(count: int) -> st.SearchStrategy[Oracle]:
    """Draw oracles with a random but fixed outcome for each set."""

    def make(seed: int) -> Oracle:
        everything = frozenset(ChangeId(i) for i in range(count))

        def judge(reverted: Reverted) -> Outcome:
            if reverted == everything:
                return Outcome.PASS
            if not reverted:
                return Outcome.FAIL
            mixed = hash((seed, tuple(sorted(reverted)))) % 10
            return [Outcome.PASS, Outcome.FAIL, Outcome.OTHER, Outcome.BROKEN][
                0 if mixed < 3 else 1 if mixed < 6 else 2 if mixed < 8 else 3
            ]

        return Oracle(judge)

    return st.integers(0, 2**32).map(make)
