"""Where does a difference arise: parameters, callers, new functions and coroutines."""

from __future__ import annotations

from pathlib import Path

from whence.contract.session import ContractRequest, check_contracts
from whence.model import ContractResult, ContractVerdict
from whence.subject.trial import BuildAndTest

from .two_versions import origins, verdict_on

RENAMED = """
def area(width, height):
    return width * height

def label(text, size):
    return text * size

print(area(2, 3), area(4, 5), label("a", 2))
"""


def test_a_renamed_parameter_is_compared_by_its_value(tmp_path: Path) -> None:
    """Two calls with other values are not paired because a parameter has another name."""
    bad = RENAMED.replace("height", "tall").replace("print(area(2, 3), ", "print(area(7, 3), ")
    result = one_file(tmp_path, RENAMED, bad)
    assert origins(result) == []
    assert verdict_on(result, "area").compared >= 1
    wrong = RENAMED.replace("height", "tall").replace("width * tall", "width * tall + 1")
    assert origins(one_file(tmp_path, RENAMED, wrong)) == ["area"]


def test_a_new_required_parameter_is_not_compared(tmp_path: Path) -> None:
    """The other version has no such input: the function must do the same for the others."""
    bad = RENAMED.replace("(text, size)", "(text, size, upper)").replace('"a", 2', '"a", 2, True')
    assert origins(one_file(tmp_path, RENAMED, bad)) == []
    wrong = bad.replace("text * size", "text.upper() * size")
    assert origins(one_file(tmp_path, RENAMED, wrong)) == ["label"]


def test_a_new_option_that_is_used_is_another_input(tmp_path: Path) -> None:
    bad = RENAMED.replace("(text, size)", "(text, size, upper=False)")
    bad = bad.replace("text * size", "(text.upper() if upper else text) * size")
    result = one_file(tmp_path, RENAMED, bad.replace('"a", 2', '"a", 2, True'))
    assert origins(result) == []


WITHIN = """
RATE = 2

def rate():
    return RATE

def price(n):
    return n * rate() + 1

def shown(n):
    return f"{n}: {price(n)}"

print(shown(3))
"""


def test_an_edited_function_is_not_hidden_by_a_constant_within_it(tmp_path: Path) -> None:
    bad = WITHIN.replace("RATE = 2", "RATE = 3").replace("+ 1", "+ 2")
    assert origins(one_file(tmp_path, WITHIN, bad)) == ["price", "rate"]


def test_an_edited_function_that_only_passes_a_value_on_is_no_origin(tmp_path: Path) -> None:
    good = WITHIN.replace("return n * rate() + 1", "return {'rate': rate(), 'n': n}")
    bad = good.replace("RATE = 2", "RATE = 3").replace("'n': n", "'n': 0 + n")
    assert origins(one_file(tmp_path, good, bad)) == ["rate"]


def test_a_new_function_within_an_unedited_one_is_named(tmp_path: Path) -> None:
    good = """
class Lines(list):
    pass

def read(lines):
    return [line for line in lines]

print(read(Lines("ab")))
"""
    bad = good.replace("pass", "def __iter__(self):\n        return iter(self[:1])")
    result = one_file(tmp_path, good, bad)
    assert origins(result) == ["read"]
    first = verdict_on(result, "read").first
    assert first is not None
    assert first.within == ("Lines.__iter__",)


WAITING = """
import asyncio

async def numbers():
    for number in range(3):
        await asyncio.sleep(0)
        yield number

async def fill(queue):
    async for number in numbers():
        await queue.put(number)

async def take(queue):
    return [await queue.get() for _ in range(3)]

async def main():
    queue = asyncio.Queue()
    print(await asyncio.gather(fill(queue), take(queue)))

asyncio.run(main())
"""


def test_a_coroutine_that_waits_for_another_one_is_not_blamed(tmp_path: Path) -> None:
    result = one_file(tmp_path, WAITING, WAITING.replace("yield number", "yield number + 1"))
    assert origins(result) == ["numbers"]
    assert "numbers" in verdict_on(result, "take").through


def one_file(folder: Path, good: str, bad: str) -> ContractResult:
    """Compare two versions of a script."""
    for version, text in (("good", good), ("bad", bad)):
        (folder / version).mkdir(exist_ok=True)
        (folder / version / "script.py").write_text(text)
    commands = BuildAndTest(test="python script.py")
    request = ContractRequest(str(folder / "good"), str(folder / "bad"), commands)
    return check_contracts(request, lambda _: None)


CALLED = """
import sys

def shown(n, sign):
    return sign * n

def main():
    print(shown(3, "a"), len(sys.argv))

main()
"""


def test_another_exit_status_of_the_test_is_a_difference(tmp_path: Path) -> None:
    """No function differs: module code raises."""
    result = one_file(tmp_path, CALLED, CALLED + "sys.version.of\n")
    assert not result.is_kept
    assert result.reason is not None
    assert "exit status 1, not 0" in result.reason
    assert "has no attribute 'of'" in result.reason


def test_a_changed_function_that_is_no_longer_called_is_named(tmp_path: Path) -> None:
    """Its arguments do not fit any more, so the call does not begin."""
    result = one_file(tmp_path, CALLED, CALLED.replace("n, sign", "n, *, sign"))
    assert not result.is_kept
    assert "Changed functions that the bad version's run did not call: shown." in result.notes
    assert any("exit status 1, not 0" in note for note in result.notes)


CLOSURES = """
def level(signs, from_right):
    def parse(text):
        return [text, signs] if from_right else text + signs
    return parse

def unit(parse):
    return parse("a")

unit(level("+", False)); unit(level("*", True))
"""


def test_a_variable_of_an_outer_function_that_one_version_uses_is_not_compared(
    tmp_path: Path,
) -> None:
    """The other version's function has no such input: what it does must be the same."""
    bad = CLOSURES.replace("[text, signs] if from_right else text + signs", "text + signs")
    assert origins(one_file(tmp_path, CLOSURES, bad)) == ["level.<locals>.parse"]
    used = CLOSURES.replace('unit(level("+", False))', 'unit(level("-", False))')
    assert "level.<locals>.parse" not in origins(one_file(tmp_path, CLOSURES, used))


def test_an_unedited_function_is_not_blamed_for_what_an_iterator_gives(tmp_path: Path) -> None:
    good = """
def filled(pairs):
    return dict(pairs)

filled(zip("ab", (1, 2)))
"""
    assert origins(one_file(tmp_path, good, good.replace("(1, 2)", "(1, 3)"))) == []
    edited = good.replace("dict(pairs)", "[*pairs]")
    assert origins(one_file(tmp_path, good, edited)) == ["filled"]


def test_a_contract_says_that_a_given_parameter_is_new(tmp_path: Path) -> None:
    """Without it, the call of the good version starts in another state."""
    good = "def scaled(n):\n    return n * 2\n\nscaled(3)\n"
    contract = (
        "#@ changed_behavior\n#@   requires latest(by)\n#@   ensures result == prev(result) + by\n"
    )
    bad = f"{contract}def scaled(n, by=0):\n    return n * 2 + by\n\nscaled(3, 4)\n"
    assert verdict_on(one_file(tmp_path, good, bad), "scaled").verdict is ContractVerdict.KEPT
    wrong = bad.replace("+ by\n\n", "+ by + 1\n\n")
    assert verdict_on(one_file(tmp_path, good, wrong), "scaled").verdict is ContractVerdict.BROKEN
