"""Does `cancel` end a search that is under way, and leave the search usable?"""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from whence.causes.cancellation import Cancellation, Cancelled
from whence.causes.tree import CauseSearch
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


def children_cancelled_after(search: CauseSearch, seconds: float) -> tuple[Exception | None, float]:
    """Compute the causes of the failure; return what that raised, and when after `cancel`."""
    raised: list[Exception] = []

    def compute() -> None:
        try:
            search.children(0)
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=compute)
    thread.start()
    time.sleep(seconds)
    assert thread.is_alive(), "the search is too fast for this test"
    cancelled = time.monotonic()
    search.cancel()
    thread.join(60)
    return (raised[0] if raised else None), time.monotonic() - cancelled


def test_a_cancelled_search_ends_soon_and_can_be_used_again(run: Path) -> None:
    """Afterwards it finds what a search finds that was never cancelled."""
    undisturbed, cancelled = (open_search(open_recording(run)) for _ in range(2))
    began = time.monotonic()
    children = undisturbed.children(0)
    needed = time.monotonic() - began
    for part in (0.05, 0.2):  # of the time that the whole computation needs
        error, seconds = children_cancelled_after(cancelled, part * needed)
        assert isinstance(error, Cancelled)
        assert seconds < min(1.0, needed / 4) + 0.5
        assert len(cancelled) == 1
    assert cancelled.children(0) == children
    assert [cancelled.cause(n) for n in children] == [undisturbed.cause(n) for n in children]


def test_what_nobody_wants_any_more_is_cancelled(run: Path) -> None:
    answers: list[Answer] = []
    search = open_search(open_recording(run))
    background = Background(search, lambda _, answer: answers.append(answer))
    background.want(0, rank=0)
    time.sleep(0.1)
    background.drop(lambda _: True)
    background.stop()
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
