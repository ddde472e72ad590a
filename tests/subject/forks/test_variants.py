"""Do variants of a test end the same in forks and in fresh processes?"""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.subject.forks.served import PYTHON, is_alive
from tests.subject.forks.trials import BAD, GOOD, ONE, Files, ForkingTrial
from whence.model import Outcome

PYTEST = shlex.quote(str(Path(sys.executable).with_name("pytest")))


def test_a_module_that_depends_on_a_change_is_imported_for_each_variant(tmp_path: Path) -> None:
    forking = ForkingTrial(tmp_path, GOOD, BAD)
    outcomes = [run.outcome for run in forking.check_forked(frozenset(), ONE, frozenset(), ONE)]
    assert outcomes == [Outcome.FAIL, Outcome.PASS] * 2
    assert forking.lessons.imports is not None
    assert {"json", "plain"} <= set(forking.lessons.imports)
    assert {"user", "changed"}.isdisjoint(forking.lessons.imports)
    forking.close()


PYTEST_FILES = {
    "tests/conftest.py": "import pytest\n@pytest.fixture\ndef two(): return 2",
    "tests/test_it.py": "import changed\ndef test_one(two):\n    assert changed.VALUE == two\n",
    "tests/test_case.py": "import unittest, changed\nclass T(unittest.TestCase):\n"
    "    def test(self): self.assertEqual(changed.VALUE, 2)\n",
    "pkg/__main__.py": "import changed, sys\nassert changed.VALUE == 2, sys.argv",
}


@pytest.mark.parametrize(
    "test",
    [
        f"{PYTHON} -m pytest -q tests/test_it.py",
        f"PYTHONPATH={{tree}} {PYTEST} -x tests",
        f"PYTHONPATH=tests {PYTHON} -m unittest test_case",
        f"{PYTHON} -m unittest discover -s tests",
        f"{PYTHON} -m pkg a 'b c'",
        f"PYTHONPATH=$WHENCE_TREE {PYTHON} -B -c 'import user; assert user.twice() == 4, 1'",
        f"{PYTHON} -W error {{tree}}/test.py",
    ],
)
def test_every_way_to_start_a_python_test(
    test: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # ours would take most of the time
    forking = ForkingTrial(tmp_path, GOOD | PYTEST_FILES, BAD | PYTEST_FILES, test)
    bad, good = forking.check_forked()
    assert (bad.outcome, good.outcome) == (Outcome.FAIL, Outcome.PASS)
    forking.close()


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ({"changed.py": "VALUE = 2"}, {"changed.py": "VALUE ="}),  # which is no Python
        ({"changed.py": "VALUE = 2"}, {"changed.py": "import os; os._exit(1)"}),
        ({}, {"json.py": "1 / 0"}),  # a module of the standard library is hidden
        ({"collections.py": "1 / 0"}, {}),
        ({"more.py": ""}, {}),
        ({"data.txt": "2"}, {"data.txt": "3"}),
        ({"changed.py": "VALUE = 2; import xml.dom"}, {"changed.py": "VALUE = 2"}),
        ({"changed.py": "VALUE = 2"}, {"changed/__init__.py": "VALUE = 2"}),
        ({"pkg/__init__.py": ""}, {"pkg/__init__.py": "from .sub import N as sub"}),
    ],
)
def test_every_kind_of_change(good: Files, bad: Files, tmp_path: Path) -> None:
    both = {
        "test.py": "import early, user, pkg, xml, sys\n"
        "print(user.twice(), early.DATA, early.MORE)\n"
        "print(sorted(sys.modules), 'sub' in dir(pkg), 'dom' in dir(xml))\nxml.dom",
        "early.py": "try: import more\nexcept ImportError: MORE = 0\nelse: MORE = 1\n"
        "try: DATA = open('data.txt').read()\nexcept OSError: DATA = None\nimport json",
        "user.py": GOOD["user.py"],
        "pkg/sub.py": "N = 1",
    }
    both = both | {"changed.py": "VALUE = 2"} if "changed.py" not in {*good, *bad} else both
    both = both | {"pkg/__init__.py": ""} if "pkg/__init__.py" not in good else both
    forking = ForkingTrial(tmp_path, both | good, both | bad)
    forking.commands = replace(forking.commands, compares_output=True)
    forking.check(frozenset(), forking.changes.everything, frozenset())
    forking.close()


def test_a_script_that_a_variant_lacks_is_not_forked(tmp_path: Path) -> None:
    forking = ForkingTrial(tmp_path, {"test.py": "", "a": "1"}, {"a": "2"})
    forking.check()
    assert forking.lessons.forked == 0
    forking.close()


def test_closing_a_trial_ends_its_server(tmp_path: Path) -> None:
    forking = ForkingTrial(tmp_path, GOOD | PARENT, BAD | PARENT)
    assert forking.trial.run(ONE, forking.commands).outcome is Outcome.FAIL
    assert forking.trial.forker.server is not None
    process = forking.trial.forker.server.process.pid
    assert is_alive(process)
    forking.close()
    assert not is_alive(process)


PARENT = {"test.py": "import os, json, changed; raise ValueError(json, changed)"}


# -- arbitrary packages ----------------------------------------------------------------------


@st.composite
def versions(draw: st.DrawFn) -> tuple[Files, Files]:
    """Draw two versions of a few modules that import each other."""
    good, bad = {}, {}
    count = draw(st.integers(2, 5))
    for number in range(count):
        lines = ["import " + draw(st.sampled_from(["json", "re", "string", "xml.dom", "sys"]))]
        imported = [other for other in range(number) if draw(st.booleans())]
        lines += [f"from pkg import m{other}; N = m{other}.f()" for other in imported]
        lines.append("calls = []\ndef f(): calls.append(1); return len(globals())")
        versions = [draw(st.sampled_from(["", "N = 7", "N = 1 / 0", "N =", "import m0"])), ""]
        good[f"pkg/m{number}.py"] = "\n".join([*lines, versions[1]])
        bad[f"pkg/m{number}.py"] = "\n".join([*lines, versions[0]])
    both = {
        "pkg/__init__.py": "",
        "test.py": "import sys\n"
        + "\n".join(f"import pkg.m{n}; print(pkg.m{n}.f())" for n in range(count))
        + "\nprint(sorted(n for n in sys.modules if n[0] != '_')); assert not sys.path",
    }
    return good | both, bad | both | {"note": ""}


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(pair=versions(), data=st.data())
def test_arbitrary_variants_end_the_same_in_forks(
    pair: tuple[Files, Files], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    forking = ForkingTrial(tmp_path_factory.mktemp("forking"), *pair)
    forking.commands = replace(forking.commands, compares_output=True)
    ids = st.sampled_from(sorted(forking.changes.everything))
    forking.check_forked(frozenset(), data.draw(st.frozensets(ids)), forking.changes.everything)
    forking.close()
