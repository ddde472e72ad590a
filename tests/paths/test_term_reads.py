"""Are the unknowns of a term found, however often it has a part?"""

from __future__ import annotations

import z3

from whence.paths.python.term_reads import TermReader


def test_a_part_that_a_term_has_often_is_looked_at_once() -> None:
    """Followed along all ways, this term has 3 ** 60 parts."""
    first, term = z3.Int("u0"), z3.Int("u1")
    for _ in range(60):
        term = z3.If(term > first, term + 1, term)
    assert TermReader().read(term) == (0b11, False)


def test_a_float_in_a_term_is_found() -> None:
    reader = TermReader()
    assert reader.read(z3.ToReal(z3.Int("u2")) > 0.5) == (0b100, True)
    assert reader.read(z3.Int("u2") > 0) == (0b100, False)
