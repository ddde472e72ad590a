"""Do the sentences about `whence contract` fit their numbers?"""

from __future__ import annotations

import pytest

from whence.model import ContractFunction, ContractResult, ContractVerdict
from whence.report.contract import differing_calls, headline


def changed(*through: str, compared: int = 1) -> ContractFunction:
    return ContractFunction(
        "shop.py", 1, "total", 2, compared, ContractVerdict.CHANGED, through=through, differing=1
    )


@pytest.mark.parametrize(
    ("passing", "said"), [(0, "says so ("), (1, "and 1 passes it on"), (2, "and 2 pass it on")]
)
def test_the_headline_counts_the_functions_that_pass_a_difference_on(
    passing: int, said: str
) -> None:
    functions = (changed(), *(changed("total") for _ in range(passing)))
    assert said in headline(ContractResult(functions, (), 1, {}))


@pytest.mark.parametrize(
    ("compared", "said"),
    [(1, "the one compared call differs"), (3, "1 of 3 compared calls differ")],
)
def test_one_compared_call_is_told_as_one(compared: int, said: str) -> None:
    assert differing_calls(changed(compared=compared)) == said
