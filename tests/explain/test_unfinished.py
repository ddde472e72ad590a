"""What does whence explain if the limit on runs stops the search?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.explain.explaining import explain_python
from whence.explain import loop
from whence.explain import session as explain_session
from whence.search import session

REWRITTEN = """
     class Queue:
         def __init__(self):
    -        self._early = []
    -        self._late = []
    +        self._all = []
         def add(self, call, late=False):
    -        entry = (call, len(self._early))
    -        target = self._late if late else self._early
    -        target.append(entry)
    +        where = len(self._all) if late else 0
    +        self._all.insert(where, (call, len(self._all)))
         def each(self):
    -        return self._early + self._late
    +        return list(self._all)
     def run(queue):
         results = []
         for call, number in queue.each():
    -        result = call(number)
    +        result = call(number) if number else None  # [fault]
             if result is not None:
                 results.append(result)
         return results
     queue = Queue()
     queue.add(lambda number: "first")
     queue.add(lambda number: "last", late=True)
     assert run(queue) == ["first", "last"]  # [fails]
"""


def test_the_root_is_looked_for_in_the_smallest_set_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "_RESERVED_PART", 1)
    answer = explain_python(tmp_path, REWRITTEN, max_runs=12)
    assert answer.result.runs <= 12
    assert answer.result.status == "explained"
    assert answer.root == {"fault"}
    assert not answer.result.is_guess
    assert any("The search did not end" in note for note in answer.result.notes)


def test_without_a_reserve_the_smallest_set_so_far_is_shown(tmp_path: Path) -> None:
    """A reserve that is a large part of the runs would leave none for the search."""
    answer = explain_python(tmp_path, REWRITTEN, max_runs=3)
    assert answer.result.runs <= 3
    if answer.result.status == "unexplained":
        assert "--max-runs" in (answer.result.reason or "")


def test_a_search_among_rewritten_code_ends_when_the_root_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "_try_suspects", lambda *_: None)
    monkeypatch.setattr(loop, "_MAX_SUSPECTS", 0)
    monkeypatch.setattr(explain_session, "_PAUSES", (0,))
    answer = explain_python(tmp_path, REWRITTEN)
    assert answer.result.status == "explained"
    assert answer.root == {"fault"}
    assert any("The search did not end" in note for note in answer.result.notes)


def test_a_search_goes_on_if_nothing_is_known_at_its_pause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "_try_suspects", lambda *_: None)
    monkeypatch.setattr(loop, "_MAX_SUSPECTS", 0)
    monkeypatch.setattr(explain_session, "_PAUSES", (0, 0))
    monkeypatch.setattr(explain_session, "choose_unfinished", lambda *_: None)
    answer = explain_python(tmp_path, REWRITTEN)
    assert answer.result.status == "explained"
    assert answer.root == {"fault"}
    assert not any("The search did not end" in note for note in answer.result.notes)
