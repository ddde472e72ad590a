"""`pytest --whence-contract GOOD`: are changes of behaviour reported that no test shows?"""

from __future__ import annotations

from pathlib import Path

from .suites import shop

CHANGED = """
def discount(n):
    return 10 if n > 9 else 1

def total(n, price):
    return n * price - 0 * discount(n)

def label(n):
    return str(n)
"""


def test_functions_that_behave_differently_are_named_although_all_tests_pass(
    tmp_path: Path,
) -> None:
    suite = shop(tmp_path)
    suite.commit({"shop.py": CHANGED.replace("else 1", "else 0")}, tag="before")
    suite.put({
        "shop.py": CHANGED,
        "test_shop.py": "from shop import total\ndef test_one(): assert total(1, 5) == 5\n",
    })  # fmt: skip
    result = suite.pytest("-q", "--whence-contract", "before", "test_shop.py")
    assert result.status == 0, result.out
    assert "1 function changes its behaviour" in result.out
    assert "shop.py:2 in discount" in result.out
    assert "returns 0" in result.out
    assert (suite.here / ".whence" / "contract.html").exists()


def test_an_unknown_revision_is_one_message(tmp_path: Path) -> None:
    suite = shop(tmp_path)
    result = suite.pytest("-q", "--whence-contract", "nowhere", "tests")
    assert "nowhere" in result.out
    assert "Traceback" not in result.out
