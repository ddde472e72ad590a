"""What does a user see whose Python test cannot be explained as it is?

One message that says what to do, and status 2; or an answer despite the problem.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from .prompt import CommandResult, User, check_refused

PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider"
PRICE = """\
def discount(n):
    return 0.1 if n >= 10 else 0


def total(n, price):
    return n * price * (1 - discount(n))


def label(n):
    return f"{n} pieces"
"""
TESTS = """\
import price

def test_first():
    price.rate = 2

def test_second():
    assert not hasattr(price, "rate")

def test_ten():
    assert price.total(10, 2) == 18
"""


@pytest.fixture
def shop(user: User) -> User:
    """A user with a Python project whose `test_ten` fails on bad because `discount` changed."""
    for version in ("good", "bad"):
        user.write(f"{version}/test_price.py", TESTS)
    user.write("good/price.py", PRICE)
    user.write("bad/price.py", PRICE.replace(">= 10", "> 10").replace("pieces", "items"))
    return user


def explained(user: User, test: str, *options: str, **env: str) -> CommandResult:
    versions = ("--good", "good", "--bad", "bad", "--test", test)
    quick = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return user.whence("explain", "--quiet", *versions, *options, **quick, **env)


def root(user: User, test: str, *options: str, **env: str) -> list[str]:
    """Return the added lines of the changes that were found."""
    result = explained(user, test, "--frontend", "none", "--json", "-", *options, **env)
    assert result.status == 0, result
    document = json.loads(result.out)
    texts = [change["text"] for change in (*document["root"], *document["auxiliary"])]
    return sorted(line for text in texts for line in text.splitlines() if line[0] == "+")


# -- the test --------------------------------------------------------------------------------


def test_without_a_mistake_the_change_is_found(shop: User) -> None:
    found = root(shop, f"{PYTEST} test_price.py::test_ten")
    assert found == ["+    return 0.1 if n > 10 else 0"]


def test_it_fails_on_good_too(shop: User) -> None:
    result = explained(shop, f"{PYTEST} test_price.py::test_second test_price.py")
    check_refused(result, "fails on the good version (good)", "test_second", slug="good-fails")


def test_it_passes_alone_but_not_in_the_suite(shop: User) -> None:
    result = explained(shop, f"{PYTEST} test_price.py::test_second")
    check_refused(result, "passes on the bad", "only after other tests", slug="bad-passes")


def test_it_fails_only_after_another_test(shop: User) -> None:
    """It is explained if the command runs the other test too."""
    shop.write("good/test_price.py", TESTS.replace("price.rate", "rate"))
    found = root(shop, f"{PYTEST} test_price.py -k 'first or second'")
    assert found == ["+    price.rate = 2"]


@pytest.mark.parametrize(
    ("test", "claim"),
    [
        ("test_price.py::test_eleven", "ERROR: not found: test_price.py::test_eleven"),
        ("test_gone.py", "ERROR: file or directory not found: test_gone.py"),
        ("--no-such-option", "unrecognized arguments: --no-such-option"),
        ("-k nothing", "exit status 5"),
    ],
)
def test_there_is_no_such_test(shop: User, test: str, claim: str) -> None:
    check_refused(explained(shop, f"{PYTEST} {test}"), claim, "We ran: ", slug="good-fails")


def test_a_module_is_not_installed(shop: User) -> None:
    result = explained(shop, f"{sys.executable} -m no_such_runner")
    check_refused(result, "No module named no_such_runner", slug="good-fails")


@pytest.mark.parametrize("python", ["python9", "/opt/no-such-environment/bin/python"])
def test_there_is_no_such_interpreter(shop: User, python: str) -> None:
    result = explained(shop, f"{python} -m pytest")
    check_refused(result, f"was not found: {python} -m pytest", slug="test-not-found")


@pytest.mark.parametrize(
    "call",
    [
        "import urllib.request as r; r.urlopen('http://nowhere.invalid')",
        "import socket; socket.create_connection(('127.0.0.1', 1))",
    ],
)
def test_it_needs_the_network(shop: User, call: str) -> None:
    for version in ("good", "bad"):
        shop.write(f"{version}/test_net.py", f"def test_net():\n    {call}\n")
    result = explained(shop, f"{PYTEST} --tb=line test_net.py")
    check_refused(result, "seems to need the network", "(good)", slug="needs-network")


# -- flaky -----------------------------------------------------------------------------------


def counting(user: User, asserted: str) -> str:
    """Write a test that counts its runs; return the command that runs it."""
    count = user.kept / "count"
    test = f"""\
import price

def test_flaky():
    with open({str(count)!r}, "a+") as file:
        file.write("x")
        file.seek(0)
        runs = len(file.read())
    assert {asserted}
"""
    for version in ("good", "bad"):
        user.write(f"{version}/test_flaky.py", test)
    return f"{PYTEST} test_flaky.py"


def test_it_is_flaky_on_good(shop: User) -> None:
    test = counting(shop, "runs % 2")
    result = explained(shop, test, "--confirm", "3")
    check_refused(result, "is flaky: it passes, then fails", "(good)", slug="good-fails")


def test_it_fails_on_bad_only_sometimes(shop: User) -> None:
    test = counting(shop, "runs % 3 or price.total(10, 2) == 18")
    assert root(shop, test, "--confirm", "3") == ["+    return 0.1 if n > 10 else 0"]


# -- the versions ----------------------------------------------------------------------------


def test_variants_with_syntax_errors_are_not_answers(shop: User) -> None:
    """Each line alone is a syntax error, so both are found."""
    good = "def f(n):\n    try:\n        x = 1\n    except E:\n        x = 0\n    return x\n"
    shop.write("good/parse.py", good)
    shop.write("bad/parse.py", good.replace("try:", "if n:").replace("except E:", "else:"))
    test = f"{sys.executable} -c 'import parse; assert parse.f(0) == 1'"
    assert root(shop, test) == ["+    else:", "+    if n:"]


def test_bad_has_a_syntax_error(shop: User) -> None:
    """A syntax error is a failure like any other."""
    shop.write("bad/price.py", PRICE.replace("def label(n):", "def label(n:"))
    assert root(shop, f"{PYTEST} test_price.py::test_ten") == ["+def label(n:"]


def test_there_is_no_such_revision(shop: User) -> None:
    subprocess.run(("git", "init", "-q"), cwd=shop.here, check=True)
    result = explained(shop, PYTEST, "--good", "v9")
    check_refused(result, "'v9'", "no such git revision", slug="no-such-source")


# -- packages: there is no network, only a folder of archives ---------------------------------


def archive(folder: Path, name: str, backend: str) -> None:
    """Make a source distribution with its own build backend."""
    project = f"""\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "{name}"
version = "1.0"
"""
    top = folder / f"{name}-1.0"
    top.mkdir()
    (top / "pyproject.toml").write_text(project)
    (top / "backend.py").write_text(backend)
    (top / "PKG-INFO").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    with tarfile.open(folder / f"{name}-1.0.tar.gz", "w:gz") as tar:
        tar.add(top, top.name)


def from_index(user: User, package: str) -> CommandResult:
    # pip runs other tools, which may write to the home directory.
    index = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(user.kept), "HOME": str(user.kept)}
    return explained(user, "true", "--bad", f"pypi:{package}", **index)


def test_there_is_no_such_version(shop: User) -> None:
    archive(shop.kept, "shop", "")
    result = from_index(shop, "shop==9.9")
    check_refused(result, "pypi:shop==9.9 cannot be installed", "No matching", slug="pypi-failed")


def test_a_package_does_not_build(shop: User) -> None:
    backend = "def build_wheel(*_, **__):\n    raise RuntimeError('there is no Fortran compiler')\n"
    archive(shop.kept, "shop", backend)
    result = from_index(shop, "shop==1.0")
    check_refused(
        *(result, "pypi:shop==1.0 cannot be installed", "did not run successfully"),
        *("RuntimeError: there is no Fortran compiler", "pip download"),
        slug="pypi-failed",
    )


# -- the language ----------------------------------------------------------------------------


def test_there_is_no_python_to_explain(user: User) -> None:
    """The change is found, and the report says why it is not explained."""
    result = explained(user, "! grep -q 44 numbers", "--frontend", "python")
    assert result.status == 1, result
    assert "numbers:4" in result.out
    assert "the test ran no Python code of the tree" in result.out
