"""What is the result if nothing can be explained, or if the work is stopped early?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.explain.explaining import Pair, explain
from whence.errors import UserError
from whence.model import Outcome, Reverted, Run
from whence.search.session import Watcher

PROGRAM = """
     #include <assert.h>
     static int base = 1;
     static int first(int x) {
    -    return x + base;  // [first]
    +    return x + 2;  // [first]
     }
     static int second(int x) {
    -    return x * 2;  // [second]
    +    return x * 3;  // [second]
     }
     int main(void) {
         int sum = first(1) + second(2);
         assert(sum == 6);  // [fails]
         return 0;
     }
"""


def test_a_good_version_that_fails_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        explain(tmp_path, PROGRAM, "false")
    assert caught.value.slug == "good-fails"


def test_a_bad_version_that_passes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        explain(tmp_path, PROGRAM, "true")
    assert caught.value.slug == "bad-passes"


def test_versions_that_are_the_same_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        explain(tmp_path, "== program.c\n int main(void) { return 1; }", harmless=False)
    assert caught.value.slug == "no-changes"


class Impatient(Watcher):
    """Interrupts once: after a number of outcomes, or when a phase begins."""

    def __init__(self, *, after: int = 10**9, phase: str = "-") -> None:
        self._left, self._phase = after, phase

    def outcome(self, reverted: Reverted, run: Run, *, from_store: bool) -> None:
        assert isinstance(run.outcome, Outcome), (reverted, from_store)
        self._left -= 1
        if self._left == 0:
            raise KeyboardInterrupt

    def phase(self, text: str) -> None:
        if text.startswith(self._phase):
            self._phase = "-"
            raise KeyboardInterrupt


@pytest.mark.parametrize(
    "watcher",
    [
        pytest.param(Impatient(after=3), id="first variant"),
        pytest.param(Impatient(phase="recording the failing"), id="recording"),
        pytest.param(Impatient(phase="looking for causes"), id="causes"),
    ],
)
def test_an_interrupt_returns_what_is_known(tmp_path: Path, watcher: Watcher) -> None:
    try:
        answer = explain(tmp_path, PROGRAM, watcher=watcher)
    except KeyboardInterrupt:
        pytest.fail("what was known is lost")  # an interrupt would end all tests
    assert answer.result.status == "unexplained"
    assert answer.result.reason is not None
    assert answer.result.reason.startswith("interrupted")
    assert answer.passes({change for reported in answer.result.root for change in reported.ids})


def test_an_interrupt_while_the_answer_is_explained_keeps_the_answer(tmp_path: Path) -> None:
    answer = explain(tmp_path, PROGRAM, watcher=Impatient(phase="explaining"))
    assert answer.result.status == "isolated"
    assert answer.result.reason is not None
    assert answer.result.reason.startswith("interrupted")
    assert "perhaps not minimal" not in answer.result.reason


SHORT_CUT = """
     #include <stdio.h>
     static int cost(int weight) {
    -    return weight * 3 + 1;  // [fault]
    +    return weight * 3 - 1;  // [fault]
     }
     static int price(int weight) {
    -    if (weight > 100)  // [way]
    +    if (weight > 10)  // [way]
             return cost(weight);
         return weight * 3 + 1;
     }
     int main(void) {
         printf("%d\\n", price(20));  // [fails]
         return 0;
     }
"""


@pytest.mark.parametrize("phase", ["checking whether", "looking for changes that"])
def test_an_interrupt_in_the_check_for_dodges_keeps_the_chain(tmp_path: Path, phase: str) -> None:
    watcher = Impatient(phase=phase)
    answer = explain(tmp_path, SHORT_CUT, watcher=watcher, compares_output=True)
    assert answer.result.status == "explained"
    assert answer.links[-1] == "fails"
    assert any("may be a dodge" in note and "interrupted" in note for note in answer.result.notes)


def test_an_interrupt_in_the_last_check_keeps_the_chain(tmp_path: Path) -> None:
    watcher = Impatient(phase="checking the answer with other contents")
    answer = explain(tmp_path, PROGRAM, watcher=watcher)
    assert answer.result.status == "explained"
    assert any("whence was interrupted" in note for note in answer.result.notes)


@pytest.mark.parametrize("limit", [2, 3])
def test_reaching_the_limit_on_runs_is_reported(tmp_path: Path, limit: int) -> None:
    answer = explain(tmp_path, PROGRAM, max_runs=limit)
    if answer.result.status == "unexplained":
        assert answer.result.reason is not None
        assert "--max-runs" in answer.result.reason
    assert answer.result.runs <= limit
    reported = (*answer.result.root, *answer.result.auxiliary)
    assert answer.passes({change for each in reported for change in each.ids})


@pytest.mark.parametrize("seconds", [0.1, 3, 6])
def test_reaching_the_limit_on_time_is_reported(tmp_path: Path, seconds: float) -> None:
    """Wherever the limit interrupts the work, the best answer so far is reported."""
    answer = explain(tmp_path, PROGRAM, max_time=seconds)
    if answer.result.status == "unexplained":
        assert answer.result.reason is not None
        assert f"stopped after {seconds:g} s, as --max-time requires" in answer.result.reason
    else:
        assert seconds > 1
    reported = (*answer.result.root, *answer.result.auxiliary)
    assert answer.passes({change for each in reported for change in each.ids})


def test_a_pair_is_read_as_a_diff() -> None:
    pair = Pair.of("== a\n one\n-two  // [gone]\n+three", harmless=False)
    assert pair.good == {"a": ["one", "two"]}
    assert pair.bad == {"a": ["one", "three"]}
    assert pair.good_names == {("a", 2): "gone"}


ENDLESS = """
     static int next(int at, int last) { return at < last ? at + 1 : 0; }
     int main(void) {
         int at = 2, start = 2;
         do {
             at = next(at, 4);
    -    } while (at != start);
    +    } while (at != start + 3); // [failure]
         return 0;
     }
"""


def test_a_loop_that_does_not_end_shows_what_its_condition_was_made_of(tmp_path: Path) -> None:
    answer = explain(tmp_path, ENDLESS, "timeout 1 ./program")
    failing = answer.link("failure").failing
    assert failing["start"] == "2"
    assert failing["at"] in "01234"
