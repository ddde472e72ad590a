"""Which tests and modules are not forked or imported early?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.subject.forks.trials import BAD, GOOD, ONE, ForkingTrial
from whence.subject.forks.forker import Lessons
from whence.subject.trial import RunWay

SERVED = "import os; served = b'server.py' in open(f'/proc/{os.getppid()}/cmdline', 'rb').read()"


@pytest.mark.parametrize(
    ("test", "why"),
    [
        (f"import json, changed\n{SERVED}\nassert not served", "differently"),
        (f"import json, changed\n{SERVED}\nif served: os.kill(os.getppid(), 9)", "ended"),
        ("import os, changed; os._exit(changed.VALUE)", "regular"),
    ],
)
def test_a_test_that_behaves_differently_in_a_fork_is_not_forked(
    test: str, why: str, tmp_path: Path
) -> None:
    forking = ForkingTrial(tmp_path, GOOD | {"test.py": test}, BAD | {"test.py": test})
    forking.check(frozenset(), ONE, frozenset())
    assert forking.lessons.refused is not None
    assert why in forking.lessons.refused
    assert forking.lessons.forked == 0
    forking.close()


@pytest.mark.parametrize(
    "text",
    [
        "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()",
        "print('hello')",
        "import warnings; warnings.warn('w')",
        "import os; os.environ['A'] = 'b'",
        "import __main__; __main__.script_only",
    ],
)
def test_a_module_whose_import_has_side_effects_is_not_imported_early(
    text: str, tmp_path: Path
) -> None:
    more = {"plain.py": text, "test.py": "script_only = 1\n" + GOOD["test.py"]}
    forking = ForkingTrial(tmp_path, GOOD | more, BAD | more)
    forking.check_forked()
    assert forking.lessons.imports is not None
    assert "plain" not in forking.lessons.imports
    assert "json" in forking.lessons.imports
    forking.close()


def test_a_failed_import_does_not_prevent_an_early_import(tmp_path: Path) -> None:
    more = {
        "plain.py": "try: import windows\nexcept ImportError: windows = None",
        "windows.py": "import json, no_such_module",
    }
    forking = ForkingTrial(tmp_path, GOOD | more, BAD | more)
    forking.check_forked()
    assert forking.lessons.imports is not None
    assert "plain" in forking.lessons.imports
    forking.close()


def test_modules_that_change_each_other_are_left_out(tmp_path: Path) -> None:
    """The test reads one module before it imports the other, which changes the first."""
    more = {
        "test.py": f"import plain; print(plain.SEEN); import late\n{GOOD['test.py']}",
        "late.py": "import plain; plain.SEEN.append(1)",
    }
    forking = ForkingTrial(tmp_path, GOOD | more, BAD | more)
    forking.check_forked()
    assert forking.lessons.imports is not None
    assert {"plain", "late"}.isdisjoint(forking.lessons.imports)
    assert "json" in forking.lessons.imports
    forking.close()


def test_clean_runs_and_those_with_coverage_are_never_forked(tmp_path: Path) -> None:
    forking = ForkingTrial(tmp_path, GOOD, BAD)
    forking.trial.run(ONE, forking.commands, way=RunWay.CLEAN)
    forking.trial.run(ONE, forking.commands, way=RunWay.COVERED)
    assert forking.lessons.forked == 0
    assert forking.lessons.imports is None


def test_forking_starts_when_it_saves_time() -> None:
    """A quick test is forked soon; for a slow one a fork saves little in comparison."""
    quick, slow = Lessons(), Lessons()
    for number in range(10):
        assert quick.pays == (number >= 2)
        assert not slow.pays
        quick.ran_fresh(0.1, might_fork=True)
        slow.ran_fresh(60.0, might_fork=True)
