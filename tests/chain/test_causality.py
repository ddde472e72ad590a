"""What do the outcomes of reruns say about a step, or the failure?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from whence.chain.causality import CausalityTests, Judgement, KeptOutcomes
from whence.chain.minimal import Induced
from whence.model import Outcome, Run
from whence.program.ids import Step
from whence.subject.command import Ended
from whence.trace.flow import Flow
from whence.trace.rerunning import Alteration, AlteredRun, Came, Overwrite, StepRerunner

STEP = Step(9)
VALUE = Overwrite(Step(5), Step(3), Step(3))


class FixedRerunner(StepRerunner):
    """Each rerun ends in the same way."""

    def __init__(self, came: Came, missed: int) -> None:
        self._came, self._missed = came, missed
        self.failing = cast(Flow, None)

    def can(self, alteration: Alteration) -> bool:
        return alteration == VALUE

    def plain_value(self, step: Step) -> None:
        raise AssertionError(f"nobody asks for the value of {step}")

    def can_watch(self, step: Step) -> bool:
        return step == STEP

    def rerun(
        self,
        alterations: Sequence[Alteration],
        watched: Step | None = None,
        record_into: Path | None = None,
    ) -> AlteredRun:
        assert [*alterations] in ([], [VALUE])
        assert (watched, record_into) in ((STEP, None), (None, None))
        ended = Ended(0, b"", b"", 0.1)
        return AlteredRun(Run(Outcome.OTHER), ended, self._missed, self._came)


def causality_of(
    came: Came, missed: int = 0, outcome: Outcome = Outcome.OTHER, *, breaks: bool = False
) -> CausalityTests:
    judgement = Judgement(outcome, is_mended=outcome is Outcome.PASS, is_broken=breaks)
    rerunner = FixedRerunner(came, missed)
    return CausalityTests(rerunner, lambda _: judgement, KeptOutcomes(None), 5)


@pytest.mark.parametrize(("breaks", "says"), [(True, Induced.UNCLEAR), (False, Induced.NO)])
def test_a_run_that_broke_off_before_a_step_says_nothing(breaks: bool, says: Induced) -> None:
    assert causality_of(Came.NOT, breaks=breaks).step([VALUE], STEP) is says


def test_a_run_that_broke_off_after_a_step_says_what_became_of_it() -> None:
    assert causality_of(Came.OTHER, breaks=True).step([VALUE], STEP) is Induced.NO
    assert causality_of(Came.SAME, breaks=True).step([VALUE], STEP) is Induced.YES


def test_a_run_in_which_nothing_was_altered_says_nothing() -> None:
    tests = causality_of(Came.SAME, missed=1, outcome=Outcome.FAIL)
    assert tests.step([VALUE], STEP) is Induced.UNCLEAR
    assert tests.failure([VALUE]) is Induced.UNCLEAR
    assert tests.failure([]) is Induced.YES
