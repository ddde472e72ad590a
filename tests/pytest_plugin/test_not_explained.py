"""What is reported about a failing test that cannot be explained?  One plain line.

Every test also checks that pytest keeps its exit status and that there is no traceback.
"""

from __future__ import annotations

import shutil
import signal
import time
from pathlib import Path

import pytest

from .suites import BROKEN, PRICE, TEST, CommandResult, Suite, shop

TEN = "tests/test_price.py::test_ten"


def check_line(result: CommandResult, test: str, *claims: str) -> None:
    assert result.status == 1
    (line,) = result.about(test).splitlines()
    for claim in claims:
        assert claim in line, line


def test_it_passes_alone_but_not_in_the_suite(tmp_path: Path) -> None:
    suite = shop(tmp_path)
    test = """
        import price
        def test_first():
            price.rate = 2
        def test_second():
            assert not hasattr(price, "rate")
    """
    suite.put({"tests/test_rate.py": test})
    result = suite.pytest("--whence", "good", "tests/test_rate.py")
    whole = "git whence good -- python -m pytest tests/test_rate.py"
    check_line(
        result, "tests/test_rate.py::test_second", "passes alone but failed in the suite", whole
    )


def test_it_fails_on_good_too_or_needs_the_network_or_is_skipped_there(tmp_path: Path) -> None:
    suite = shop(tmp_path)
    test = """
        import pytest, socket, price
        def test_new():
            assert price.total(0, 0) == 1
        def test_net():
            socket.getaddrinfo("nowhere.invalid", 80)
        def test_skipped():
            if price.label(1) == "1 pieces":
                pytest.skip("not there yet")
            assert 0
    """
    suite.put({"tests/test_new.py": test})
    result = suite.pytest("--whence", "good", "tests/test_new.py")
    check_line(
        result, "tests/test_new.py::test_new", "fails on the good version (good)", "assert 0 == 1"
    )
    offline = "tests that need the network cannot be compared offline"
    check_line(result, "tests/test_new.py::test_net", "(good) already: ", "gaierror", offline)
    check_line(result, "tests/test_new.py::test_skipped", "is skipped on good")


def test_there_is_no_such_revision(tmp_path: Path) -> None:
    """The error is reported once for all failing tests."""
    suite = shop(tmp_path)
    suite.put({"tests/test_z.py": "def test_z(): assert 0"})
    result = suite.pytest("--whence", "v9")
    check_line(result, TEN, "no revision 'v9' in")
    assert result.out.count("whence: why") == 1


def test_there_is_no_repository(tmp_path: Path) -> None:
    suite = shop(tmp_path)
    shutil.rmtree(suite.here / ".git")
    result = suite.pytest("--whence", "good", GIT_CEILING_DIRECTORIES=str(tmp_path))
    check_line(result, TEN, "is not in a git repository")


def test_only_tests_differ(tmp_path: Path) -> None:
    suite = Suite(tmp_path)
    suite.commit({"price.py": BROKEN, "tests/test_price.py": "", "conftest.py": ""})
    suite.put({"tests/test_price.py": TEST, "conftest.py": "import price", "tests/new.txt": "x"})
    line = "differ from good, so no change to the program"
    check_line(suite.pytest("--whence", "good"), TEN, line)


def test_a_flaky_test(tmp_path: Path) -> None:
    """It is explained by running it several times."""
    suite = shop(tmp_path)
    count = tmp_path / "count"
    test = f"""
        from price import total
        def test_ten():
            with open({str(count)!r}, "a+") as file:
                file.write("x")
                file.seek(0)
                runs = len(file.read())
            assert runs in (3, 4) or total(10, 2) == 18
    """
    suite.put({"tests/test_price.py": test})
    result = suite.pytest("--whence", "good")
    result.finds(TEN)
    assert len(count.read_text()) > 10


def test_a_setting_is_not_a_number(tmp_path: Path) -> None:
    result = shop(tmp_path).pytest("--whence", "good", "-o", "whence_max=some")
    assert result.status == 4
    assert "whence_max must be a number, not 'some'" in result.out


# -- stopped ---------------------------------------------------------------------------------


def slow(home: Path, seconds: float) -> Suite:
    """Return a suite whose test takes `seconds` in runs of whence, each noted in file `begun`."""
    suite = Suite(home)
    lines = "".join(f"x{n} = 0\n" for n in range(20))
    test = f"""
        import os, time, lines
        def test_slow():
            if "WHENCE_TREE" in os.environ:
                open({str(home / "begun")!r}, "a").write("x")
                time.sleep({seconds})
            assert lines.x3 == 0
    """
    suite.commit({"lines.py": lines})
    suite.put({"lines.py": lines.replace("0\n", "1\n"), "test_slow.py": test})
    return suite


def begun(suite: Suite, count: int) -> None:
    """Wait until whence has begun `count` runs."""
    file, deadline = suite.home / "begun", time.monotonic() + 60
    while not file.exists() or len(file.read_text()) < count:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_the_time_limit_holds(tmp_path: Path) -> None:
    suite = slow(tmp_path, 60)
    suite.put({"test_z.py": "def test_z(): assert 0"})
    result = suite.pytest("--whence", "good", "--whence-time", "1.5")
    check_line(
        result, "test_slow.py::test_slow", "stopped after 1.5 s", "before anything was found"
    )
    assert "whence: no time left to explain 1 failing test (--whence-time)" in result.out


@pytest.mark.parametrize(("runs", "known"), [(1, False), (4, True)])
def test_an_interruption_shows_what_is_known(tmp_path: Path, runs: int, known: bool) -> None:
    suite = slow(tmp_path, 0.4 if known else 60)
    suite.put({"test_z.py": "def test_z(): assert 0"})
    with suite.start("--whence", "good") as process:
        begun(suite, runs)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
    assert process.returncode == 1
    result = CommandResult(process.returncode, out)
    about = result.about("test_slow.py::test_slow")
    assert "interrupted" in about
    assert ("smallest set known so far" in about) == known
    assert ("anything was found" in about) != known
    assert out.count("whence: why") == 1


def test_an_interrupted_run_is_not_explained(tmp_path: Path) -> None:
    suite = shop(tmp_path)
    suite.put({"tests/test_z.py": "def test_z(): raise KeyboardInterrupt"})
    result = suite.pytest("--whence", "good")
    assert result.status == 2
    assert "1 failed" in result.out
    assert "whence:" not in result.out


# -- not used --------------------------------------------------------------------------------


def test_without_the_option_nothing_of_whence_is_imported(tmp_path: Path) -> None:
    """The same holds if nothing fails, and for the process in which the tests ran."""
    suite = Suite(tmp_path)
    suite.commit({"price.py": PRICE, "test_price.py": TEST})
    names = """
        import sys, pytest
        @pytest.hookimpl(trylast=True)
        def pytest_unconfigure(config):
            names = {name for name in sys.modules if name.partition(".")[0] in ("whence", "z3",
                "numpy", "rich", "click", "tree_sitter", "llvmlite")}
            print("loaded:", *sorted(names))
    """
    suite.put({"conftest.py": names})
    for arguments in ([], ["--whence", "good"]):
        assert "loaded: whence whence.pytest_plugin\n" in suite.pytest(*arguments).out
    suite.put({"price.py": BROKEN})
    assert "loaded: whence whence.pytest_plugin\n" in suite.pytest("--whence", "good").out
