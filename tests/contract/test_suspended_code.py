"""Is a generator that a function returns compared without a look at its code?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from whence.model import ContractVerdict
from whence.subject.trial import BuildAndTest
from whence.trace.python.watched_calls import watch_calls

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


WAYS = {
    "yield from": "yield from (x for x in xs if x)",
    "yield": "for x in xs:\n        if x:\n            yield x",
    "a generator of its own": (
        "def inner():\n        yield from filter(None, xs)\n    yield from inner()"
    ),
    "an iterator": "return filter(None, xs)",
}
LISTED = """
from shop import *
print(list(kept([3, 0, 1])))
"""


@pytest.mark.parametrize("good", WAYS)
@pytest.mark.parametrize("bad", WAYS)
def test_the_way_to_yield_the_same_values_does_not_matter(
    tmp_path: Path, good: str, bad: str
) -> None:
    versions = [f"def kept(xs):\n    {WAYS[way]}\n" for way in (good, bad)]
    found = TwoVersions(tmp_path).verdict(versions[0], versions[1], LISTED, "kept")
    assert found.verdict is ContractVerdict.SAME


def test_another_value_of_a_yield_from_is_a_difference(tmp_path: Path) -> None:
    good, bad = "def kept(xs):\n    yield from xs\n", "def kept(xs):\n    yield from xs[1:]\n"
    found = TwoVersions(tmp_path).verdict(good, bad, LISTED, "kept")
    assert found.verdict is ContractVerdict.CHANGED
    assert found.first is not None
    assert "yielded[0]: 3 before, 0 now" in found.first.differs


DELEGATING = """
def inner():
    got = []
    try:
        while True:
            try:
                got.append((yield len(got)))
            except KeyError as error:
                got.append(str(error))
    finally:
        print("closed", got)

def outer():
    result = yield from numbers()
    print(result)
    yield from inner()

def numbers():
    yield from range(2)
    return "done"

def over(x):
    yield from x
"""
SENDING = """
from shop import *
one = outer()
print(next(one), next(one), next(one), one.send("x"), one.throw(KeyError("k")), one.send(None))
one.close()
for wrong in (3, iter([1])):
    two = over(wrong)
    try:
        next(two), two.throw(KeyError), two.send(1)
    except (TypeError, KeyError, AttributeError) as error:
        print(type(error), error)
class Old:
    def __getitem__(self, n):
        if n > 1: raise IndexError
        return n
print(list(over(Old())))
"""


def test_a_generator_that_delegates_behaves_as_it_does_unwatched(tmp_path: Path) -> None:
    """What is sent and thrown reaches the inner generator; its result comes back."""
    versions = TwoVersions(tmp_path)
    versions.write(DELEGATING, DELEGATING, SENDING)
    plain = subprocess.run(
        [sys.executable, "test.py"], cwd=tmp_path / "good", capture_output=True, check=True
    )
    run = watch_calls(
        tmp_path / "good", BuildAndTest(test=f"{sys.executable} test.py"), made(tmp_path / "out"),
        (), 0,
    )  # fmt: skip
    assert plain.stdout
    assert run.output == plain.stdout


def made(folder: Path) -> Path:
    folder.mkdir()
    return folder
