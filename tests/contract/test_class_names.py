"""Are classes that share a name told apart, and is a class that moved still the same?"""

from __future__ import annotations

from whence.contract.session import ContractRequest, check_contracts
from whence.subject.trial import BuildAndTest

from .two_versions import TwoVersions, origins, verdict_on

# `version` gives another value in the bad version, so that the good function runs on the states.
KINDS = """
def kind(high):
    return type("Config", (), {"high": high})
Small, Large = kind(3), kind(100)
def version():
    return 1
def clipped(config, number, version):
    return number if number < config.high else config.high
"""
USE = "from shop import *\nclipped(Small(), 2, version()); clipped(Large(), 40, version())\n"


def test_classes_of_one_name_are_found_by_their_shape(two_versions: TwoVersions) -> None:
    bad = KINDS.replace("return 1", "return 2").replace("number < config", "number < 1 + config")
    result = two_versions.check(KINDS, bad, USE.replace("Small(), 2", "Small(), 3"))
    found = verdict_on(result, "clipped")
    assert (found.compared, found.rerun, found.differing) == (2, 2, 0)
    fault = bad.replace("1 + config.high", "config.high // 2")
    found = verdict_on(two_versions.check(KINDS, fault, USE), "clipped")
    assert (found.rerun, found.differing) == (2, 1)
    assert found.first is not None
    assert (found.first.good, found.first.bad) == ("returns 2", "returns 3")


def test_classes_of_one_name_in_two_modules_are_rebuilt(two_versions: TwoVersions) -> None:
    """One `Config` is that of the test's own module, the other one that of the library."""
    good = """
    class Config:
        sign = "+"
    def version():
        return 1
    def signed(config, version):
        return config.sign * 2
    """
    bad = good.replace("return 1", "return 2").replace("* 2", "* 3")
    test = """
    from shop import signed, version
    import shop
    class Config:
        sign = "-"
    signed(shop.Config(), version()); signed(Config(), version())
    """
    found = verdict_on(two_versions.check(good, bad, test), "signed")
    assert (found.rerun, found.differing) == (2, 2)


def test_objects_of_two_classes_of_one_name_are_not_the_same(two_versions: TwoVersions) -> None:
    good = """
    class Box: ...
    Other = type("Box", (), {"__module__": "elsewhere"})
    def both():
        return [Box(), Other()]
    def made():
        return Box()
    """
    bad = good.replace("return Box", "return Other")
    result = two_versions.check(good, bad, "from shop import *\nboth(), made()\n")
    assert origins(result) == ["made"]


def test_a_class_that_moved_to_another_module_is_the_same(two_versions: TwoVersions) -> None:
    """Its objects are the same also as elements of a set and as keys of a dict."""
    body = """
    def made():
        box = Box()
        box.n = 1
        return {box}, {box: 2}, box
    """
    good = "class Box: ...\n" + "\n".join(line[4:] for line in body.splitlines())
    two_versions.write(good, good, "from shop import *\nmade()\n")
    bad = two_versions.folder / "bad"
    (bad / "boxes.py").write_text("class Box: ...\n")
    (bad / "shop.py").write_text(good.replace("class Box: ...", "from boxes import Box"))
    request = ContractRequest(*two_versions.names, BuildAndTest(test="python test.py"))
    result = check_contracts(request, lambda _: None)
    assert not origins(result)
    assert verdict_on(result, "made").compared == 1


def test_a_name_that_holds_an_address_is_no_difference(two_versions: TwoVersions) -> None:
    good = """
    def made():
        kind = type(f"Kind_{id(made) + 10 ** 12}", (), {})
        return kind()
    def version():
        return 1
    def used(value, version):
        return 1
    """
    bad = good.replace("return 1", "return 2", 1).replace("return 1", "return 3")
    result = two_versions.check(good, bad, "from shop import *\nused(made(), version())\n")
    assert origins(result) == ["version", "used"]


def test_a_key_that_is_an_object_is_written_as_python_writes_it(two_versions: TwoVersions) -> None:
    good = "def made():\n    return {('a', 1): 2}\n"
    bad = good.replace("2}", "3}")
    first = verdict_on(two_versions.check(good, bad, "import shop\nshop.made()\n"), "made").first
    assert first is not None
    assert first.differs == ("result[('a', 1)]: 2 before, 3 now",)
