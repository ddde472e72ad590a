"""Does pytest report why a test fails?"""

from __future__ import annotations

import subprocess
from pathlib import Path

from .suites import BROKEN, PRICE, TEST, Suite, shop

TEN = "tests/test_price.py::test_ten"


def test_a_failing_test_is_explained_and_its_page_is_named(tmp_path: Path) -> None:
    suite = shop(tmp_path)
    result = suite.pytest("--whence", "good")
    assert result.status == 1
    result.finds(TEN)
    assert result.out.count("whence: why") == 1
    assert result.out.index("FAILURES") < result.out.index("whence: why")
    assert result.out.index("whence: why") < result.out.index("short test summary")
    page = suite.here / ".whence" / "tests-test_price.py-test_ten.html"
    assert "Full explanation: .whence/tests-test_price.py-test_ten.html" in result.about(TEN)
    assert "n &gt; 10" in page.read_text()
    status = subprocess.run(
        ["git", "status", "--short"], cwd=suite.here, capture_output=True, text=True
    )
    assert status.stdout == " M price.py\n"


def test_without_the_option_or_without_a_failure_nothing_is_reported(tmp_path: Path) -> None:
    suite = shop(tmp_path)
    for arguments in (["tests"], ["--whence", "good", f"{TEN[:-3]}one"], ["--whence="]):
        assert "whence:" not in suite.pytest(*arguments).out
    assert not (suite.here / ".whence").exists()


def test_the_settings_are_the_defaults(tmp_path: Path) -> None:
    """Files that whence_keep names are not changes."""
    suite = Suite(tmp_path)
    suite.commit({"price.py": PRICE, "test_price.py": TEST, "rules.txt": "old\n"})
    settings = """
        [pytest]
        whence_good = good
        whence_max = 1
        whence_html = build/why
        whence_keep =
            rules.*
        addopts = --ff --color=yes -qq
    """
    suite.put({"price.py": BROKEN, "rules.txt": "new\n", "pytest.ini": settings})
    suite.put({"test_other.py": "def test_rules(): assert open('rules.txt').read() == 'old\\n'"})
    result = suite.pytest("--color=no", "test_price.py", "test_other.py")
    result.finds("test_price.py::test_ten")
    assert "whence: 1 failing test more not explained (--whence-max)" in result.out
    assert (suite.here / "build/why/test_price.py-test_ten.html").exists()
    assert "whence" not in suite.pytest("--whence=", "-p", "no:cacheprovider", "-o", "addopts=").out


def test_ids_of_all_kinds(tmp_path: Path) -> None:
    suite = shop(tmp_path)
    test = """
        import pytest, unittest
        from price import total

        @pytest.mark.parametrize("n", [10], ids=["a b/c::d 'é' $x [1]"])
        def test_ids(n):
            assert total(n, 2) == 18

        class TestCase(unittest.TestCase):
            def test_case(self):
                self.assertEqual(total(10, 2), 18)

        @pytest.fixture
        def ten():
            assert total(10, 2) == 18

        def test_in_its_fixture(ten):
            pass
    """
    suite.put({"tests/sub/test_new.py": test})
    result = suite.pytest("--whence", "good", "sub", cwd="tests")
    assert result.status == 1
    for name in (
        r"test_ids[a b/c::d '\xe9' $x [1]]",
        "TestCase::test_case",
        "test_in_its_fixture",
    ):
        result.finds(f"tests/sub/test_new.py::{name}")
    assert len(list((suite.here / ".whence").glob("*.html"))) == 3


def test_a_file_that_cannot_be_imported_and_a_source_folder(tmp_path: Path) -> None:
    """The project is imported from src, as if installed in place; new tests run on good."""
    suite = Suite(tmp_path)
    package = {"sub/src/shop/__init__.py": "", "sub/src/shop/price.py": PRICE}
    suite.commit({**package, "sub/pytest.ini": "[pytest]\n"})
    broken = BROKEN.replace("def total", "def sum_of")
    suite.put({"sub/src/shop/price.py": broken})
    suite.put({"sub/tests/helper.py": "from shop.price import total"})
    suite.put({"sub/tests/test_new.py": "from helper import total\ndef test_it(): pass\n"})
    source = f"{suite.environment()['PYTHONPATH']}:{suite.here}/sub/src"
    result = suite.pytest("--whence", "good", "sub/tests", PYTHONPATH=source)
    assert result.status == 2
    about = result.about("tests/test_new.py")
    assert "1 of 3 changes" in about
    assert "+def sum_of" in about
    assert (suite.here / "sub/.whence").is_dir()


def test_with_xdist(tmp_path: Path) -> None:
    """xdist may append a group to the id of a test."""
    suite = shop(tmp_path)
    grouped = TEST.replace("def test_ten", "@pytest.mark.xdist_group('g')\ndef test_ten")
    suite.put({"tests/test_price.py": f"import pytest\n{grouped}"})
    result = suite.pytest("-p", "xdist", "-n1", "--dist", "loadgroup", "--whence", "good", "-x")
    result.finds(TEN)
    assert result.out.count("whence: why") == 1


def test_options_that_matter_are_kept(tmp_path: Path) -> None:
    suite = shop(tmp_path)
    conftest = """
        def pytest_addoption(parser):
            parser.addoption("--count", type=int, default=1)
    """
    test = """
        from price import total
        def test_count(request, tmp_path):
            n = request.config.getoption("--count")
            assert request.config.getini("junit_family") == "xunit1"
            assert total(n, 2) == {1: 2, 10: 18}[n]
    """
    suite.put({"conftest.py": conftest, "tests/test_count.py": test, "conf/my.ini": "[pytest]\n"})
    result = suite.pytest(
        *("--count", "10", "-c", "conf/my.ini", f"--rootdir={suite.here}", "-W", "error"),
        *("--confcutdir", str(suite.here)),
        *("-o", "junit_family=xunit1", "tests/test_count.py", "--junitxml", f"{tmp_path}/r.xml"),
        *("--whence", "good", "--whence-html", f"{tmp_path}/pages", "--basetemp", f"{tmp_path}/t"),
    )
    result.finds("tests/test_count.py::test_count")
    assert (tmp_path / "pages").is_dir()
    assert (tmp_path / "t").is_dir()
    assert 'failures="1"' in (tmp_path / "r.xml").read_text()
