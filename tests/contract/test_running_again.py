"""Is the good function run on the recorded state where no call of the good run starts in it?"""

from __future__ import annotations

import pytest

from whence.model import ContractFunction, ContractResult, ContractVerdict

from .two_versions import TwoVersions, origins, verdict_on

# `made` gives another value in the bad version, so each call of `used` starts in another state.
START = "from shop import *\n"


def used(result: ContractResult) -> ContractFunction:
    return verdict_on(result, "used")


def parted(two_versions: TwoVersions, made: str, body: str, fault: str) -> ContractResult:
    """Compare versions whose `made` and `used` differ; the test gives one to the other."""
    text = "class Box:\n    def __init__(self, **held):\n        self.__dict__.update(held)\n\n"
    text += "def made(flag=FLAG):\n    return {}\n\n\ndef used(value):\n{}\n"
    versions = [
        text.replace("FLAG", flag).format(made, "    " + lines.replace("\n", "\n    "))
        for flag, lines in (("False", body), ("True", fault))
    ]
    return two_versions.check(versions[0], versions[1], START + "used(made())\n")


def test_a_fault_behind_a_change_is_found(two_versions: TwoVersions) -> None:
    result = parted(two_versions, "[1, 2, flag]", "return len(value)", "return len(value) + 1")
    assert origins(result) == ["made", "used"]
    found = used(result)
    assert (found.compared, found.rerun) == (1, 1)
    assert found.first is not None
    assert found.first.way == "rerun"
    assert (found.first.good, found.first.bad) == ("returns 3", "returns 4")


@pytest.mark.parametrize(
    "made",
    [
        "{'a': 1, 'b': (2, flag)}",
        "{1, 2, flag + 5}",
        "Box(inner=Box(n=flag), list=[1])",
        "b'x' * (flag + 1)",
        "__import__('datetime').date(2020, 1, 1 + flag)",
        "__import__('decimal').Decimal(1 + flag)",
        "__import__('pathlib').PurePosixPath('/a') / str(flag)",
        "__import__('re').compile('a' + str(flag))",
        "KeyError(flag)",
        "__import__('collections').OrderedDict(a=flag, b=2)",
        "(len, Box, str(flag))",
        "Box(lock=__import__('threading').RLock(), other=__import__('threading').Lock(), n=flag)",
        "__import__('functools').partial(int, str(flag + 1), base=10)",
        "__import__('xml.etree.ElementTree').etree.ElementTree.XML(f'<a n=\"{flag}\"><b/>t</a>')",
        "range(flag, 5)",
        "'x' * (900 + flag)",
        "Box(size=flag).__init__",
    ],
)
def test_what_the_test_gave_is_rebuilt(two_versions: TwoVersions, made: str) -> None:
    """The same function gives the same, whatever it got."""
    body = "value = [value, 1]\nreturn repr(type(value[0])), value[0], len(value)"
    result = parted(two_versions, made, body, body.replace("len(value)", "0 + len(value)"))
    assert used(result).rerun == 1, result.notes
    assert used(result).verdict is ContractVerdict.SAME


def test_an_object_that_holds_itself_is_rebuilt(two_versions: TwoVersions) -> None:
    result = parted(
        two_versions,
        "[box := Box(n=flag), setattr(box, 'self', box)][0]",
        "value.n = 7\nreturn value.self.n",
        "value.n = 7\nreturn value.self.n + 1",
    )
    first = used(result).first
    assert first is not None
    assert first.good == "returns 7"


def test_a_changed_global_is_put_in(two_versions: TwoVersions) -> None:
    good = """
    SEEN = []
    def note(name):
        SEEN.append(name)
    def used(n):
        return len(SEEN) * n
    """
    bad = good.replace("append(name)", "append(name + '!')").replace("* n", "* n + 1")
    test = "from shop import *\nused(1); note('a'); used(2); note('b'); used(3)\n"
    result = two_versions.check(good, bad, test)
    found = used(result)
    assert (found.compared, found.rerun, found.differing) == (3, 2, 3)


def test_what_cannot_be_rebuilt_is_said(two_versions: TwoVersions) -> None:
    result = parted(two_versions, "'x' * (9000 + flag)", "return 1", "return 2")
    assert used(result).compared == 0
    assert "only the start of a long str was recorded (1)" in result.notes[-1]


def test_a_call_that_depends_on_more_than_its_state_is_not_judged(
    two_versions: TwoVersions,
) -> None:
    body = "import os\nfound = os.path.exists('mark')\nopen('mark', 'w').close()\nreturn found"
    result = parted(two_versions, "flag", body, body.replace("return", "return 1 ==  "))
    assert used(result).compared == 0
    assert "it depends on more than the recorded state (1)" in result.notes[-1]


def test_the_order_of_a_dict_is_not_guessed(two_versions: TwoVersions) -> None:
    result = parted(
        two_versions, "{'b': flag, 'a': 2}", "return len(value)", "return list(value)[0] > 'a'"
    )
    assert used(result).compared == 0
    assert "depends on what a state leaves open" in result.notes[-1]


def test_a_caller_is_not_blamed_for_an_edited_function_that_it_calls(
    two_versions: TwoVersions,
) -> None:
    good = """
    def made():
        return [1, 2]
    def inner(values):
        return sum(values)
    def outer(values):
        return inner(values) * 2
    """
    bad = good.replace("[1, 2]", "[1, 3]").replace("sum(values)", "sum(values) + 1")
    result = two_versions.check(good, bad, "from shop import *\nouter(made())\n")
    assert origins(result) == ["made", "inner"]
    assert verdict_on(result, "outer").through == ("inner",)


def test_an_object_in_a_set_that_it_holds_is_rebuilt(two_versions: TwoVersions) -> None:
    made = "__import__('copy').copy(Box(n=5 + flag, held=set()))"
    loop = f"[(box := {made}), box.held.add(box)][0].held"
    fault = "value = [*value][0]\nreturn value.n + len(value.held) - 1"
    result = parted(two_versions, loop, fault, fault.replace("- 1", "- 1 + 0"))
    assert used(result).rerun == 1, result.notes
