"""Does `cancel` end a search that is under way, and leave the search usable?"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from whence.causes.cancellation import Cancellation, Cancelled
from whence.frontend.recorded_run import DEFAULT_MAX_TRACE
from whence.languages import open_recording, open_search
from whence.service.background import Answer, Background
from whence.service.recording import RecordRequest, record_run
from whence.subject.trial import BuildAndTest

# Every value depends on most of the earlier ones, so explaining the last takes seconds.
SLOW = """
def mix(values):
    n = len(values)
    table = [0] * n
    for round in range(8):
        for i in range(n):
            left = values[(i * 7 + round) % n]
            if (left * 3 + table[i - 1]) % 5 < 3:
                table[i] = (table[i - 1] * 31 + left) % 1009
            else:
                table[i] = (table[(i + 5) % n] + left * 17) % 1009
        values = [(a + b) % 997 for a, b in zip(values, table)]
    return sum(values)

total = mix(list(range(1, 60)))
assert total == 0, total
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a recorded run whose causes take seconds to compute."""
    folder = tmp_path_factory.mktemp("slow")
    (folder / "source").mkdir()
    (folder / "source" / "slow.py").write_text(SLOW)
    request = RecordRequest(
        source=str(folder / "source"),
        commands=BuildAndTest(test="python3 slow.py"),
        repo=folder,
        frontend="python",
        max_trace=DEFAULT_MAX_TRACE,
        out=None,
    )
    (folder / "run").mkdir()
    record_run(request, folder / "run", lambda _: None)
    return folder / "run"


class AtCheck:
    """Calls `act` at the nth time that a computation checks whether it is cancelled."""

    def __init__(self, number: int, act: Callable[[], None]) -> None:
        self.count = 0
        self._number, self._act = number, act
        self._check = Cancellation.check

    def check(self, cancellation: Cancellation) -> None:
        self.count += 1
        if self.count == self._number:
            self._act()
        self._check(cancellation)

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Cancellation, "check", lambda cancellation: self.check(cancellation))


def in_another_thread(act: Callable[[], None]) -> Callable[[], None]:
    def run() -> None:
        thread = threading.Thread(target=act)
        thread.start()
        thread.join()

    return run


def test_a_cancelled_search_ends_and_can_be_used_again(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Afterwards it finds what a search finds that was never cancelled."""
    undisturbed, cancelled = (open_search(open_recording(run)) for _ in range(2))
    with monkeypatch.context() as patch:
        counted = AtCheck(0, lambda: None)
        counted.install(patch)
        children = undisturbed.children(0)
    assert counted.count > 100, "the search checks too rarely"
    for number in (1, counted.count // 20, counted.count // 2, counted.count):
        with monkeypatch.context() as patch:
            at_check = AtCheck(number, in_another_thread(cancelled.cancel))
            at_check.install(patch)
            with pytest.raises(Cancelled):
                cancelled.children(0)
            assert at_check.count == number  # it ended at once
        assert len(cancelled) == 1
    assert cancelled.children(0) == children
    assert [cancelled.cause(n) for n in children] == [undisturbed.cause(n) for n in children]


def test_what_nobody_wants_any_more_is_cancelled(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[Answer] = []
    is_computing, is_dropped, is_answered = (threading.Event() for _ in range(3))

    def wait_for_the_drop() -> None:
        is_computing.set()
        is_dropped.wait()

    def note(_: int, answer: Answer) -> None:
        answers.append(answer)
        is_answered.set()

    search = open_search(open_recording(run))
    AtCheck(50, wait_for_the_drop).install(monkeypatch)
    background = Background(search, note)
    background.want(0, rank=0)
    is_computing.wait()
    background.drop(lambda _: True)
    is_dropped.set()
    background.stop()
    assert is_answered.wait(60)
    assert [type(answer) for answer in answers] == [Cancelled]


def test_cancelling_without_a_computation_does_nothing() -> None:
    cancellation = Cancellation()
    cancellation.request()
    with cancellation.computing():
        cancellation.check()


def test_a_solver_call_is_interrupted() -> None:
    cancellation, interrupted = Cancellation(), threading.Event()

    def call() -> None:
        with cancellation.computing(), cancellation.interruptible(interrupted.set):
            threading.Thread(target=cancellation.request).start()
            assert interrupted.wait(10)

    with pytest.raises(Cancelled):
        call()
