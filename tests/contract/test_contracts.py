"""Does a contract allow what it says, and nothing else?"""

from __future__ import annotations

from pathlib import Path

import pytest

from whence.contract.session import ContractRequest, ContractSession
from whence.errors import UserError
from whence.model import ContractVerdict
from whence.subject.trial import BuildAndTest

from .two_versions import TwoVersions, verdict_on

GOOD = """
class Bag(dict):
    pass

LIMIT = 100

def total(prices, code=None):
    if prices is None:
        raise TypeError("no prices")
    return sum(prices)

def caller(prices):
    return total(prices, "HALF") + 1
"""
BAD = GOOD.replace("return sum(prices)", 'return sum(prices) // (2 if code == "HALF" else 1)')
TEST = """
from shop import *
total([4, 6]); total([10], "HALF"); caller([20])
try:
    total(None)
except TypeError:
    pass
"""


class Watched:
    """Two versions whose runs are watched once, and judged with many contracts."""

    def __init__(self, folder: Path, bad: str) -> None:
        self._files = TwoVersions(folder)
        self._files.write(GOOD, bad, TEST)
        request = ContractRequest(*self._files.names, BuildAndTest(test="python test.py"))
        (folder / "work").mkdir()
        self._session = ContractSession(request, folder / "work", lambda _: None)
        self._versions = self._session.open()
        self._runs = self._session.watched(self._versions)

    def verdict(self, contract: str) -> ContractVerdict:
        """Return the verdict on `total` with this contract."""
        file = self._files.contracts(f"function total\n{contract}")
        contracts = self._versions.contracts([file])
        result = self._session.judged(self._versions, self._runs, contracts)
        return verdict_on(result, "total").verdict


@pytest.fixture(scope="module")
def halved(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    return Watched(tmp_path_factory.mktemp("halved"), BAD)


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    return Watched(tmp_path_factory.mktemp("unchanged"), GOOD)


@pytest.mark.parametrize(
    "contract",
    [
        "changed_behavior",  # something changes
        "changed_behavior\n  requires code == 'HALF'",  # where
        "requires code == 'HALF'\nensures result < prev(result)",  # how, in part
        "changed_behavior\n  requires code == 'HALF'\n  ensures \\result == \\prev(\\result) // 2",
        "changed_behavior\n  requires code == 'HALF'; ensures result == sum(old(prices)) // 2;",
        "requires code == 'HALF'\nrequires all(p > 0 for p in prices)\nensures result < LIMIT",
        "when_ensured result >= 10 and code is not None\nensures isinstance(result, int)",
        "changed_behavior requires code == 'HALF' and len(prices) == 1 ensures True\n"
        "also changed_behavior requires code == 'HALF' ensures result == prev(result) / 2",
    ],
)
def test_a_true_contract_is_kept(halved: Watched, contract: str) -> None:
    assert halved.verdict(contract) is ContractVerdict.KEPT


@pytest.mark.parametrize(
    "contract",
    [
        "requires code == 'HALF'\nensures result == prev(result) // 3",
        "requires code == 'HALF'\nsignals (ValueError e) True",
        "ensures result == prev(result)",
    ],
)
def test_a_false_contract_is_broken(halved: Watched, contract: str) -> None:
    assert halved.verdict(contract) is ContractVerdict.BROKEN


def test_a_call_that_fits_no_case_must_be_equal(halved: Watched, unchanged: Watched) -> None:
    assert halved.verdict("requires code == 'OTHER'") is ContractVerdict.CHANGED
    assert unchanged.verdict("requires code == 'OTHER'") is ContractVerdict.UNMATCHED


def test_a_caller_of_a_function_whose_change_is_meant_is_not_blamed(
    two_versions: TwoVersions,
) -> None:
    bad = BAD.replace("def total", "#@ requires code == 'HALF'\ndef total")
    assert two_versions.check(GOOD, bad, TEST).is_kept


def test_a_fixed_exception_is_said_with_signals(tmp_path: Path, unchanged: Watched) -> None:
    fixed = Watched(tmp_path, GOOD.replace('raise TypeError("no prices")', "return 0"))
    contract = "when_signaled (TypeError e) 'no prices' in e.args\nensures result == 0\n"
    assert fixed.verdict(contract) is ContractVerdict.KEPT
    never = "when_signaled (TypeError) True\nsignals (TypeError) False"
    assert fixed.verdict(never) is ContractVerdict.KEPT
    assert unchanged.verdict(never) is ContractVerdict.BROKEN
    assert fixed.verdict("when_signaled (KeyError) True") is ContractVerdict.CHANGED


def test_another_exception_is_said_with_signals(tmp_path: Path) -> None:
    other = Watched(tmp_path, GOOD.replace('TypeError("no', 'ValueError("no'))
    allowed = "when_signaled (TypeError) True\nsignals (ValueError) True"
    assert other.verdict(allowed) is ContractVerdict.KEPT
    assert other.verdict(allowed.replace("Value", "Key")) is ContractVerdict.BROKEN


def test_added_and_deleted_parameters_have_names(two_versions: TwoVersions) -> None:
    good = "def area(a, unit=1):\n    return a * a\n"
    bad = "#@ requires latest(b) and deprecated(unit)\n#@ ensures result == a * b\n"
    bad += "def area(a, b=2):\n    return a * b\n"
    found = two_versions.check(good, bad, "import shop\nshop.area(3)\n")
    assert verdict_on(found, "area").verdict is ContractVerdict.KEPT


def test_contracts_can_be_in_a_file(two_versions: TwoVersions) -> None:
    contracts = """
    # about the library
    function shop.py:total
      changed_behavior
        requires code == "HALF"
        ensures result == prev(result) // 2
    """
    result = two_versions.check(GOOD, BAD, TEST, contracts)
    assert verdict_on(result, "total").verdict is ContractVerdict.KEPT
    assert "prev(result)" in (verdict_on(result, "total").contract or "")


@pytest.mark.parametrize(
    ("contract", "message", "caret"),
    [
        ("requires code = 1", "no expression", 12),
        ("requires cod == 1", "'cod' is unknown here", 12),
        ("ensures result ==", "no expression", None),
        ("ensures", "ensures has no expression", None),
        ("requires result == 1", "not known at the start", 12),
        ("signals (ValuError e) True", "'ValuError' is unknown here", 12),
        ("signals ValueError True", "names the exception in brackets", None),
        ("nonsense code == 1", "begins with changed_behavior", 3),
        ("requires (lambda: 1)()", "no lambda", None),
        ("requires code.__class__ == 1", "__class__ cannot be used", None),
        ("ensures latest(nothing)", "neither version has a parameter 'nothing'", None),
        ("ensures result == 1\nalso changed_behavior ensures result == 2", "contradict", None),
        ("ensures result == 2 ** 10 ** 9", "raises OverflowError", None),
        ("ensures result == 1 << 10 ** 9", "raises OverflowError", None),
        ("ensures all(n for n in range(10 ** 9))", "at most 1,000,000 numbers", None),
        ("ensures result.missing == 1", "raises AttributeError", None),
    ],
)
def test_a_mistake_in_a_contract_is_shown_with_its_place(
    two_versions: TwoVersions, contract: str, message: str, caret: int | None
) -> None:
    comment = "".join(f"#@ {line}\n" for line in contract.splitlines())
    with pytest.raises(UserError) as caught:
        two_versions.check(GOOD, BAD.replace("def total", f"{comment}def total"), TEST)
    lines = str(caught.value).splitlines()
    assert message in lines[0]
    assert lines[0].startswith("shop.py:")
    assert caught.value.slug == "bad-contract"
    if caret is not None:
        assert lines[2].index("^") == caret + 2


@pytest.mark.parametrize(
    ("contracts", "message"),
    [
        ("function nothing\n  ensures True", "no function 'nothing'"),
        ("ensures True", "begins with: function NAME"),
        ("function total\n ensures True\nfunction total\n ensures True", "another contract"),
    ],
)
def test_a_mistake_in_a_file_of_contracts(
    two_versions: TwoVersions, contracts: str, message: str
) -> None:
    with pytest.raises(UserError, match=message) as caught:
        two_versions.check(GOOD, BAD, TEST, contracts)
    assert "contracts.txt:" in str(caught.value)


def test_a_suggested_contract_is_kept(two_versions: TwoVersions, halved: Watched) -> None:
    found = verdict_on(two_versions.check(GOOD, BAD, TEST), "total")
    assert found.suggestion is not None
    assert halved.verdict(found.suggestion) is ContractVerdict.KEPT
    assert "requires" in found.suggestion
