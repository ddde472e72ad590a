"""Which values of one input byte fulfil a fact, without a solver?"""

from __future__ import annotations

import z3

from whence.inputs import InputByte, argument
from whence.paths.byte_domains import ByteDomains
from whence.paths.terms import Fact, Unknowns


def test_a_choice_between_truth_values_has_no_width() -> None:
    unknowns = Unknowns(lambda _: 0)
    byte = unknowns.byte(InputByte(argument(1), 0))
    is_upper = z3.ULT(byte.term, 97)
    formula = z3.If(is_upper, byte.term == 65, byte.term == 98)
    found = ByteDomains(unknowns).allowed(Fact(formula, byte.unknowns))
    assert found is not None
    assert [value for value in range(256) if found[value]] == [65, 98]
