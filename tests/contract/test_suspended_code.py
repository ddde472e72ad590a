"""Is a generator that a function returns compared without a look at its code?"""

from __future__ import annotations

from pathlib import Path

from whence.model import ContractVerdict

from .two_versions import TwoVersions

GOOD = """
def doubled(xs):
    return (2 * x for x in xs)

async def later(x):
    return x

def started(x):
    return later(x)
"""
TEST = """
from shop import *
print(list(doubled([1, 2])))
started(1).close()
"""


def test_a_generator_expression_that_is_only_written_otherwise_is_the_same(tmp_path: Path) -> None:
    bad = GOOD.replace("2 * x for", "x + x for").replace("return later(x)", "return (later(x))")
    result = TwoVersions(tmp_path).check(GOOD, bad, TEST)
    verdicts = {each.function: each.verdict for each in result.functions}
    assert verdicts["doubled"] is ContractVerdict.SAME
    assert verdicts["started"] is ContractVerdict.SAME
    assert not any("gi_code" in note or "cr_code" in note for note in result.notes)
