"""What happens to an interrupt while bitwuzla answers a question?"""

from __future__ import annotations

import signal
from typing import Any

import pytest
import z3

from whence.paths.bitwuzla_solver import answered

pytest.importorskip("bitwuzla")


class Interrupted(Exception):
    """What the handler of a signal raised."""


def test_an_interrupt_during_a_question_is_not_lost() -> None:
    """It comes out of the call, or right behind it, and not as a message of the solver."""
    factors = z3.BitVecs("a b", 64)
    hard = [factors[0] * factors[1] == 0xFFFF_FFFB_0000_0037, *(z3.UGT(one, 1) for one in factors)]
    is_interrupted = False

    def interrupt(*_: Any) -> None:
        nonlocal is_interrupted
        is_interrupted = True
        raise Interrupted

    def ask_until_interrupted() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        while not is_interrupted:
            answered(hard, [], 3000)

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(Interrupted):
            ask_until_interrupted()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
