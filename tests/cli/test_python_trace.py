"""Do `whence trace`, `slice` and `why` answer for Python programs as they do for C?"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from .prompt import CommandResult, User, check_refused
from .terminal import Terminal

SHOP = """\
RATE = 10
NAME = "shop"


class Basket:
    def __init__(self):
        self.items = []
        self.label = NAME.title()

    def put(self, name, price):
        if price > 5:
            self.items.append((name, price))
        return self


def total(basket):
    result = 0
    for name, price in basket.items:
        result += price
    return result


def discount(amount):
    return amount * RATE // 100
"""
CHECK = """\
from shop import Basket, discount, total

basket = Basket().put("pen", 5).put("book", 20)
unused = discount(1000)
print(basket.label, len(basket.items))
found = total(basket)
assert found == 25, found
"""
EXIT = """\
import sys
from shop import discount

amount = discount(300)
if amount > 20:
    sys.exit(amount)
"""
CAUGHT = """\
from shop import total

def quiet(basket):
    try:
        return total(basket)
    except AttributeError:
        return None

quiet(3)
table = {"a": 1}
print(table["b"])
"""
TESTS = """\
from shop import Basket, total

def test_total():
    basket = Basket().put("pen", 5)
    assert total(basket) == 5
"""
PYTHON = sys.executable
PYTEST = f"{PYTHON} -m pytest -q -p no:cacheprovider test_shop.py::test_total"


class Shopper(User):
    """A user with a Python project, who records its tests into `out`."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.out = self.kept / "out"
        (self.here / "project").mkdir()
        for name, text in (("shop", SHOP), ("check", CHECK), ("leave", EXIT), ("catch", CAUGHT)):
            self.write(f"project/{name}.py", text)
        self.write("project/test_shop.py", TESTS)

    def trace(self, test: str, *arguments: object) -> CommandResult:
        where = ("--source", "project", "--out", str(self.out))
        return self.whence("trace", *where, "--test", test, "-q", *arguments)

    def slice(self, at: str, *arguments: object) -> CommandResult:
        return self.whence("slice", str(self.out), "--at", at, "-q", *arguments)

    def lines(self, at: str, *arguments: object) -> set[str]:
        """Return the lines of a slice, as FILE:LINE."""
        result = self.slice(at, "--json", "-", *arguments)
        assert (result.status, result.err) == (0, ""), result
        return {f"{one['file']}:{one['line']}" for one in json.loads(result.out)["statements"]}


@pytest.fixture
def user(tmp_path: Path) -> Shopper:
    return Shopper(tmp_path)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Shopper:
    """A user who has recorded check.py, which fails."""
    user = Shopper(tmp_path_factory.mktemp("recorded"))
    result = user.trace(f"{PYTHON} check.py")
    assert (result.status, result.err) == (0, ""), result
    return user


# --- recording -------------------------------------------------------------------------------


def test_the_summary_says_what_ran_and_how_it_ended(user: Shopper) -> None:
    result = user.trace(f"{PYTHON} check.py", "--json", "-")
    assert (result.status, result.err) == (0, ""), result
    found = json.loads(result.out)
    (process,) = found["processes"]
    assert process["files"] == ["check.py", "shop.py"]
    assert process["ended"] == "the failed assertion at check.py:7"
    assert process["instructions"] > process["events"] > 20


def test_a_program_that_runs_no_python_is_tried_as_c_and_then_refused(user: Shopper) -> None:
    user.write("project/data.h", "int unused;\n")
    result = user.trace("true")
    check_refused(result, "Nothing was recorded", slug="nothing-recorded")
    assert not any(user.out.iterdir())


def test_a_front_end_that_does_not_fit_says_so(user: Shopper) -> None:
    result = user.trace(f"{PYTHON} check.py", "--frontend", "c")
    check_refused(result, "Nothing was recorded", slug="nothing-recorded")


def test_a_log_that_becomes_too_long_is_refused(user: Shopper) -> None:
    user.write("project/long.py", "for number in range(400_000):\n    found = str(number)\n")
    result = user.trace(f"{PYTHON} long.py", "--max-trace", "1M")
    check_refused(result, "--max-trace", slug="trace-too-long")


# --- slices ----------------------------------------------------------------------------------

FOUND = {"shop.py:7", "shop.py:11", "shop.py:12", "shop.py:17", "shop.py:18", "shop.py:19"}


def test_the_slice_of_an_assertion_has_the_lines_that_computed_its_value(recorded: Shopper) -> None:
    lines = recorded.lines("assert")
    assert FOUND | {"check.py:3", "check.py:6", "check.py:7", "shop.py:20"} <= lines
    assert not lines & {"shop.py:1", "shop.py:2", "shop.py:8", "shop.py:24", "check.py:4"}
    assert recorded.lines("crash") == lines


@pytest.mark.parametrize(
    ("at", "inside", "outside"),
    [
        ("check.py:4:unused", {"shop.py:1", "shop.py:24"}, FOUND),
        ("check.py:6:basket.label", {"shop.py:2", "shop.py:8"}, FOUND),
        ("shop.py:19:result", {"shop.py:17", "shop.py:12"}, {"shop.py:1", "shop.py:20"}),
        ("check.py:5", {"shop.py:8", "shop.py:7", "check.py:5"}, {"shop.py:17", "shop.py:24"}),
        ("output:2", {"shop.py:2", "check.py:5"}, {"shop.py:17", "shop.py:24"}),
    ],
)
def test_the_slice_of_a_point_has_the_lines_that_computed_it(
    recorded: Shopper, at: str, inside: set[str], outside: set[str]
) -> None:
    lines = recorded.lines(at)
    assert inside <= lines
    assert not outside & lines


def test_a_relevant_slice_has_the_branch_that_skipped_an_item(recorded: Shopper) -> None:
    """A branch did not put the pen into the basket; the dynamic slice does not contain it."""
    counts = [
        json.loads(recorded.slice("assert", "--steps", "--json", "-", *more).out)["order"]
        for more in ((), ("--relevant",))
    ]
    plain, relevant = (
        [one for one in order if (one["file"], one["line"]) == ("shop.py", 11)] for order in counts
    )
    assert len(plain) < len(relevant)


def test_a_trusted_function_is_shown_as_its_call(recorded: Shopper) -> None:
    lines = recorded.lines("assert", "--trust", "total")
    assert "shop.py:18" not in lines
    assert {"check.py:6", "shop.py:12"} <= lines


def test_sys_exit_is_an_exit(user: Shopper) -> None:
    user.trace(f"{PYTHON} leave.py")
    assert {"leave.py:4", "leave.py:5", "shop.py:1"} <= user.lines("exit")
    check_refused(user.slice("crash"), "No recorded process crashed", slug="no-such-end")


def test_an_exception_that_was_caught_is_not_a_crash(user: Shopper) -> None:
    user.trace(f"{PYTHON} catch.py")
    lines = user.lines("crash")
    assert {"catch.py:10", "catch.py:11"} <= lines
    assert not any(line.startswith("shop.py") for line in lines)


@pytest.mark.parametrize(
    ("at", "words", "slug"),
    [
        ("check.py:6:nothing", "no variable 'nothing'", "unknown-variable"),
        ("check.py:99", "has no code", "line-not-executed"),
        ("other.py:1", "is no file of the recorded program", "no-such-file"),
        ("output:999", "printed byte 999", "no-such-byte"),
        ("exit", "No recorded process exited", "no-such-end"),
    ],
)
def test_points_that_do_not_exist(recorded: Shopper, at: str, words: str, slug: str) -> None:
    check_refused(recorded.slice(at), words, slug=slug)


# --- why -------------------------------------------------------------------------------------


def why(user: Shopper, test: str, *arguments: object) -> dict[str, Any]:
    result = user.whence(
        "why", "--source", "project", "--test", test, "-q", "--json", "-", *arguments
    )
    assert result.status == 0, result
    found: dict[str, Any] = json.loads(result.out)
    return found


def conditions(found: dict[str, Any], level: int) -> set[str]:
    predicates = (cause["predicate"] for cause in found["causes"] if cause["level"] <= level)
    return {f"{each['text']}: {each['outcome']}" for each in predicates}


@pytest.mark.parametrize("test", [f"{PYTHON} check.py", PYTEST])
def test_the_branch_that_skipped_an_item_is_a_cause(user: Shopper, test: str) -> None:
    found = why(user, test)
    assert found["status"] == "explained"
    assert "price > 5: false" in conditions(found, 2)
    assert conditions(found, 0) <= {"found == 25: false", "total(basket) == 5: false"}


def test_an_exception_is_a_failure_with_the_operation_that_raised_it(user: Shopper) -> None:
    found = why(user, f"{PYTHON} catch.py")
    assert conditions(found, 0) == {"table[\"b\"]: KeyError: 'b'"}


def test_the_same_command_finds_the_run_recorded(user: Shopper) -> None:
    test = f"{PYTHON} check.py"
    result = [user.whence("why", "--source", "project", "--test", test) for _ in range(2)]
    assert "running it, recorded" in result[0].err
    assert "using the run recorded" in result[1].err


def test_a_page_and_a_screen_show_the_tree(user: Shopper) -> None:
    page = user.kept / "why.html"
    why(user, f"{PYTHON} check.py", "--html", page, "--out", user.out)
    assert re.search(r"price (>|&gt;|\\u003e) 5", page.read_text())
    script = (
        "import sys; from whence.cli.main import main\n"
        f"sys.argv = ['whence', 'why', {str(user.out)!r}, '--interactive']\n"
        "try:\n    main()\nfinally:\n    print('bye')"
    )
    with Terminal(script, XDG_CACHE_HOME=str(user.cache)) as terminal:
        terminal.wait_for("found == 25")
        terminal.wait_for("price > 5")
        terminal.type("q")
        terminal.check_left_as_found()


def test_a_test_that_passes_has_nothing_to_explain(user: Shopper) -> None:
    result = user.whence("why", "--source", "project", "--test", f"{PYTHON} shop.py", "-q")
    check_refused(result, "there is no failure to explain", slug="nothing-fails")
