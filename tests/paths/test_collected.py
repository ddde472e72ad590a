"""Are the unknowns of a term found, however often it has a part?"""

from __future__ import annotations

import z3

from whence.paths.python.collected import _constants


def test_a_part_that_a_term_has_often_is_looked_at_once() -> None:
    """Followed along all ways, this term has 3 ** 60 parts."""
    first, term = z3.Int("first"), z3.Int("second")
    for _ in range(60):
        term = z3.If(term > first, term + 1, term)
    assert {str(one) for one in _constants(term)} == {"first", "second"}
