"""Does `--explain FUNCTION` explain the first differing call, and refuse what it cannot?"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from whence.cli.main import cli
from whence.contract.call_test import TEST_FILE, call_test
from whence.contract.session import ContractRequest, ContractSession
from whence.errors import UserError
from whence.subject.trial import BuildAndTest

from .two_versions import TwoVersions, origins

PRICES = """
def rate(code):
    return 10 if code == "HALF" else 0

def total(prices, code):
    return sum(prices) - rate(code)
"""
BAD = PRICES.replace("10 if", "20 if")
USE = "from shop import *\ntotal([50], 'HALF'); total([5], '')\n"


def run(good: object, bad: object, test: str, *more: str) -> tuple[int, str]:
    """Return the exit status, and the report or the message of an error."""
    words = ["contract", "--good", str(good), "--bad", str(bad), "--test", test, "-q", *more]
    ended = CliRunner().invoke(cli, words, standalone_mode=False)
    if isinstance(ended.exception, UserError):
        return 2, str(ended.exception)
    return int(ended.return_value), ended.output


def explain(two_versions: TwoVersions, name: str, *more: str) -> tuple[int, str]:
    return run(*two_versions.names, "python test.py", "--explain", name, *more)


def test_the_changes_and_the_chain_of_a_differing_call_are_shown(
    two_versions: TwoVersions,
) -> None:
    two_versions.write(PRICES, BAD.replace("[50]", "[51]"), USE)
    status, output = explain(two_versions, "rate", "--json", "-")
    assert status == 1
    found = json.loads(output)["explained"]
    assert found["explanation"]["status"] == "explained"
    assert found["explanation"]["chain"][0]["line"] == 3
    assert found["test"].endswith("result = function(code)\nassert result == 10\n")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("totel", "Did you mean total?"),
        ("other.py:total", "both versions have no function with this name"),
        ("unused", "the test does not call it"),
        ("same", "its one compared call does what it did"),
    ],
)
def test_a_function_without_a_difference_is_refused(
    two_versions: TwoVersions, name: str, why: str
) -> None:
    more = "\ndef same(n):\n    return n\n\ndef unused(n):\n    return n\n"
    two_versions.write(PRICES + more, BAD + more, USE + "same(1)\n")
    status, output = explain(two_versions, name)
    assert (status, why in output) == (2, True), output


def test_a_call_that_cannot_be_run_alone_is_refused(two_versions: TwoVersions) -> None:
    good = "def size(text):\n    return len(text)\n"
    bad = good.replace("len(text)", "len(text) + 1")
    two_versions.write(good, bad, "import shop\nshop.size('x' * 9000)\n")
    status, output = explain(two_versions, "size")
    assert status == 2
    assert "only the start of a long str was recorded" in output


SHAPES = """
from collections import deque
from dataclasses import dataclass
from datetime import date
from enum import Enum

class Kind(Enum):
    BIG = 1

@dataclass
class Inner:
    n: int

class Error(ValueError):
    pass

class Names(list):
    pass

class Box:
    __slots__ = ("kind", "inner", "day")
    def __init__(self, kind, inner, day):
        self.kind, self.inner, self.day = kind, inner, day
    @property
    def value(self):
        return self.inner.n + self.day.day
    def move(self, *steps, by=1, **more):
        self.inner.n += sum(steps) * by + len(more)
    @staticmethod
    def of(queue, names):
        return {"a": [*queue], "b": names}

def failing(error):
    raise error

def each(n):
    yield n
    yield n + 1

def said(name):
    print("hello", name)

def key(name, /, n, *, flag=False):
    return (name, n, flag)
"""
USES = """
from shop import *
box = Box(Kind.BIG, Inner(3), date(2020, 1, 2))
"""


CAUGHT = """
try:
    failing(Error("x"))
except ValueError:
    pass
"""


@pytest.mark.parametrize(
    ("use", "fault", "name"),
    [
        ("box.value", ("+ self.day.day", "- self.day.day"), "Box.value"),
        ("box.move(1, 2, by=2, a=1)", ("* by +", "* by -"), "Box.move"),
        ("Box.of(deque([1, float('inf')]), Names('ab'))", ('"b": names', '"b": None'), "Box.of"),
        (CAUGHT, ("raise error", "return error"), "failing"),
        ("list(each(2))", ("yield n + 1", "yield n + 2"), "each"),
        ("list(each(2))", ("    yield n + 1\n", ""), "each"),
        ("said('you')", ('"hello"', '"Hello"'), "said"),
        ("key('a', 1, flag=True)", ("flag)", "not flag)"), "key"),
    ],
)  # fmt: skip
def test_the_script_passes_on_the_good_version_and_fails_on_the_bad_one(
    two_versions: TwoVersions, use: str, fault: tuple[str, str], name: str
) -> None:
    two_versions.write(SHAPES, SHAPES.replace(*fault), USES + use + "\n")
    request = ContractRequest(*two_versions.names, BuildAndTest(test="python test.py"))
    folder = two_versions.folder / "work"
    folder.mkdir()
    session = ContractSession(request, folder, lambda _: None)
    versions = session.open()
    judge = session.judge(versions, session.watched(versions), {})
    result = session.result_of(judge)
    assert origins(result) == [name]
    call = judge.differing_call(result.functions[0])
    assert call is not None
    text = call_test(call.view, call.function, list(call.differences), versions.bad)
    statuses = []
    for version in two_versions.names:
        (Path(version) / TEST_FILE).write_text(text)
        ended = subprocess.run([sys.executable, TEST_FILE], cwd=version, check=False)
        statuses.append(ended.returncode)
    assert statuses == [0, 1], text
