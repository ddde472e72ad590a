"""How does one failing test run alone, in a copy of the repository?"""

from __future__ import annotations

import shlex
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from whence.pytest_plugin import _editable
from whence.service.pytest_request import PytestRequest, command, globs_of_tests, options


def request(top: Path, **more: Any) -> PytestRequest:
    facts = {"test": "tests/test_a.py::test_b", "collects": False, "good": "v1", "root": str(top)}
    facts |= {"started_in": str(top), "arguments": [], "named": [], "plugins": [], "path": []}
    facts |= {"keep": [], "trust": [], "html": "", "width": 80, "colour": False, "seconds": 1.0}
    return PytestRequest(**facts | more)  # type: ignore[arg-type]  # a wrong type would fail in the test


def words(top: Path, **more: Any) -> list[str]:
    return shlex.split(command(request(top, **more), top))


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ("tests/a.py -x", ""),
        ("-k tests tests", "-k tests"),
        ("--whence v1 --runslow -n 4 --whence-max=2 -p no:randomly", "--runslow -p no:randomly"),
        ("--junitxml r.xml -W error -- tests", "-W error"),
        ("--pdb --import-mode importlib -o a=b --tb=no", "--import-mode importlib -o a=b"),
    ],
)
def test_options_that_only_concern_the_users_run_are_left_out(given: str, left: str) -> None:
    named = [word for word in ("tests/a.py", "tests") if word in given.split()]
    assert options(given.split(), named) == left.split()


def test_it_runs_where_pytest_was_started(tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    found = words(tmp_path, started_in=str(tmp_path / "a b"), root=str(tmp_path / "a b"))
    assert found[:2] == ["cd", "a b"]
    assert found[5:9] == [sys.executable, "-m", "pytest", "tests/test_a.py::test_b"]
    assert "--rootdir={tree}/a b" in found


def test_started_outside_of_the_repository_it_runs_in_the_root(tmp_path: Path) -> None:
    top = tmp_path / "top"
    assert words(top, started_in=str(tmp_path))[:4] == [
        sys.executable,
        "-m",
        "pytest",
        request(top).test,
    ]


def test_a_test_outside_of_the_repository_stays_where_it_is(tmp_path: Path) -> None:
    top = tmp_path / "top"
    assert f"{tmp_path}/t.py::test_b" in words(top, test="../t.py::test_b")
    assert globs_of_tests(request(top, test="../t.py::test_b"), top) == ["conftest.py"]


def test_paths_in_options_lead_into_the_copy(tmp_path: Path) -> None:
    found = words(tmp_path, arguments=[f"--confcutdir={tmp_path}/a", f"{tmp_path}x"])
    assert "--confcutdir={tree}/a" in found
    assert f"{tmp_path}x" in found


def test_a_project_that_is_installed_in_place_is_imported_from_the_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packages of an environment inside the repository are not."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    path = [f"{tmp_path}/src", "/usr/lib", f"{tmp_path}/.venv/site", "", f"{tmp_path}/src"]
    assert words(tmp_path, path=path)[0] == "PYTHONPATH={tree}/src${PYTHONPATH:+:$PYTHONPATH}"
    finder = types.SimpleNamespace(MAPPING={"shop": "/p/src/shop", "cart": "/p/src/cart"})
    monkeypatch.setitem(sys.modules, "__editable___shop_1_finder", finder)
    assert _editable() == ["/p/src"]


def test_plugins_that_disturb_get_other_options(tmp_path: Path) -> None:
    found = " ".join(words(tmp_path, plugins=["xdist", "pytest_cov", "cacheprovider"]))
    assert " -n0 --no-cov -o cache_dir=.pytest_cache " in found


@pytest.mark.parametrize(
    ("test", "globs"),
    [
        ("test_a.py::test_b", ["test_a.py"]),
        ("tests/unit/test_a.py::T::test_b[x.y]", ["tests/unit/test_a.py", "tests"]),
        ("src/p/tests/test_a.py", ["src/p/tests/test_a.py", "src/p/tests"]),
        ("src/p/a.py::p.a.f", []),
        ("docs/a.rst::a.rst", ["docs/a.rst"]),
    ],
)
def test_files_of_the_tests_are_not_changes(tmp_path: Path, test: str, globs: list[str]) -> None:
    assert globs_of_tests(request(tmp_path, test=test), tmp_path) == ["conftest.py", *globs]
