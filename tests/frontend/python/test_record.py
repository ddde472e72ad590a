"""Are commands of every kind recorded, and does the trace contain what is needed to read it?"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.frontend.python.recorded import check, lines, run_both
from whence.errors import UserError
from whence.frontend.python.logged import STARTED, STARTS, THREAD, read_log
from whence.frontend.python.record import record
from whence.frontend.recorded_run import RecordedRun
from whence.model import Outcome
from whence.subject.trial import BuildAndTest
from whence.trace.python.process import python_processes

SHAPES = """\
def area(width, height):
    return width * height
"""
USES = """\
import shapes
print(shapes.area(2, 3))
"""


class Project:
    """A tree with Python files, and the folder of its trace."""

    def __init__(self, root: Path) -> None:
        self.tree, self.out = root / "tree", root / "out"
        self.tree.mkdir()
        self.out.mkdir()

    def write(self, **files: str) -> None:
        for name, text in files.items():
            (self.tree / f"{name}.py").write_text(text)

    def record(self, test: str, **options: object) -> RecordedRun:
        recipe = BuildAndTest(test=test.replace("python ", f"{sys.executable} "))
        return record(self.tree, recipe, self.out, **options)  # type: ignore[arg-type]

    def modules(self) -> dict[str, dict[str, object]]:
        """Return the descriptions of the recorded modules by file name."""
        found = [json.loads(file.read_text()) for file in (self.out / "modules").iterdir()]
        return {Path(module["file"]).name: module for module in found}

    def log(self) -> str:
        """Return the events of all threads in readable form."""
        return "\n".join(lines(self.out))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("WHENCE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return Project(tmp_path)


def test_a_script_and_its_modules_are_recorded(project: Project) -> None:
    project.write(shapes=SHAPES, uses=USES)
    done = project.record("python uses.py")
    assert (done.run.outcome, done.stdout) == (Outcome.PASS, b"6\n")
    assert set(project.modules()) == {"shapes.py", "uses.py"}
    assert "binary     width * height                           6" in project.log()
    assert (project.out / "source/shapes.py").read_text() == SHAPES
    assert json.loads((project.out / "run.json").read_text())["frontend"] == "python"
    assert check(project.out) > 10


def test_the_text_of_a_command_is_recorded(project: Project) -> None:
    project.write(shapes=SHAPES)
    project.record("python -c 'import shapes; print(shapes.area(4, 5))'")
    assert (project.out / "source/<string>").read_text().startswith("import shapes")
    assert "shapes.area(4, 5)                        20" in project.log()


@pytest.mark.parametrize(
    "command",
    [
        "python -m uses",
        "python -B -W ignore -X utf8 uses.py",
        "PYTHONPATH=. python -Bc 'import uses'",
        "env -u PYTHONPATH python3 uses.py",
    ],
)
def test_a_program_is_recorded_however_it_is_started(project: Project, command: str) -> None:
    project.write(shapes=SHAPES, uses=USES)
    done = project.record(command)
    assert done.stdout == b"6\n"
    assert "shapes.py" in project.modules()


def test_only_the_tree_and_the_folders_of_also_are_recorded(
    project: Project, tmp_path: Path
) -> None:
    for name in ("elsewhere", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"of_{name}.py").write_text("import json\n")
    project.write(uses=f"import sys\nsys.path += [r'{tmp_path}/elsewhere', r'{tmp_path}/other']\n"
                  "import of_elsewhere, of_other\n")  # fmt: skip
    project.record("python uses.py", also=[tmp_path / "other"])
    assert set(project.modules()) == {"uses.py", "of_other.py"}
    kept = (tmp_path / "other/of_other.py").relative_to("/")
    assert (project.out / "source" / kept).exists()


def test_a_module_with_a_mistake_fails_as_without_the_recorder(tmp_path: Path) -> None:
    files = {"bad.py": "x = 1\nif x\n    pass\n", "uses.py": "import bad\n"}
    both = run_both(tmp_path, files, sys.executable, "uses.py")
    assert both.recorded == both.plain


def test_a_warning_of_the_compiler_is_shown_once(tmp_path: Path) -> None:
    files = {
        "odd.py": "x = 1\nprint(x is 1, '\\d')\n",
        "uses.py": "import odd\nx = 'a'\nx is 'b'\n",
    }
    both = run_both(tmp_path, files, sys.executable, "-W", "always", "uses.py")
    assert both.recorded == both.plain
    assert "SyntaxWarning" in both.plain


def test_the_log_says_which_thread_goes_on(project: Project) -> None:
    project.write(
        uses="import threading\ndef work(n): return n * 7\n"
        "ts = [threading.Thread(target=work, args=(n,)) for n in (1, 2)]\n"
        "[t.start() for t in ts]; [t.join() for t in ts]; print(work(3))\n"
    )
    project.record("python uses.py")
    (path,) = project.out.glob("*/*.log")
    switches = [value for op, value in read_log(path) if op == THREAD]
    assert len(set(switches)) == 3 or len(switches) > 3  # an ended thread gives its number away
    assert all(one != other for one, other in pairwise(switches))
    starts = [op for op, _ in read_log(path) if op in (STARTS, STARTED)]
    assert starts == [STARTS, STARTED] * 2
    assert check(project.out) > 10


def test_the_log_of_a_forked_child_begins_with_its_parents_events(project: Project) -> None:
    project.write(
        uses="import os\ndef work(n): return n * 7\nwork(1)\nif os.fork() == 0:\n"
        "    work(2)\n    os._exit(0)\nos.wait()\nwork(3)\n"
    )
    project.record("python uses.py")
    log = project.log()
    processes = sorted(project.out.glob("*/process.json"))
    assert len(processes) == 2
    assert log.count("work(1)") == 2
    assert log.count("work(2)") == log.count("work(3)") == 1
    assert check(project.out) > 10


def test_a_log_ends_at_its_size_limit(project: Project) -> None:
    project.write(uses="for i in range(500_000):\n    i = i\nprint(i)\n")
    done = project.record("python uses.py", max_trace=1000)
    assert done.stdout == b"499999\n"
    (process,) = project.out.glob("*/process.json")
    assert json.loads(process.read_text())["full"] is True


def test_a_killed_process_loses_few_events(project: Project) -> None:
    project.write(
        uses="import os\nfor i in range(300_000): pass\nos.kill(os.getpid(), 9)\n",
    )
    assert project.record("python uses.py").status == 128 + 9
    assert check(project.out) > 150_000


def test_instrumented_code_is_cached_for_the_next_run(project: Project, tmp_path: Path) -> None:
    project.write(shapes=SHAPES, uses=USES)
    project.record("python uses.py")
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "cache/python/code").iterdir()}
    assert len(kept) == 2
    project.out = tmp_path / "again"
    project.out.mkdir()
    project.record("python uses.py")
    assert kept == {
        path: path.stat().st_mtime_ns for path in (tmp_path / "cache/python/code").iterdir()
    }
    assert set(project.modules()) == {"shapes.py", "uses.py"}


def test_damaged_code_in_the_cache_is_made_again(project: Project, tmp_path: Path) -> None:
    project.write(shapes=SHAPES, uses=USES)
    project.record("python uses.py")
    for path in (tmp_path / "cache/python/code").iterdir():
        path.write_bytes(path.read_bytes()[:-10])
    project.out = tmp_path / "again"
    project.out.mkdir()
    assert project.record("python uses.py").stdout == b"6\n"
    assert set(project.modules()) == {"shapes.py", "uses.py"}


def test_the_outcome_of_a_second_run_is_in_the_trace(project: Project) -> None:
    project.write(uses="import os\nprint(os.path.exists('made'))\nopen('made', 'w').close()\n")
    project.record("python uses.py", twice=True)
    again = json.loads((project.out / "run.json").read_text())["again"]
    assert "$PATH" in again.pop("reads")
    assert again == {"outcome": "pass", "failure": None, "same_output": True}


def test_a_process_that_is_killed_while_it_describes_itself_is_no_process(tmp_path: Path) -> None:
    # The pool of multiprocessing kills its workers at any time.
    killed = f"""
import os
from whence.frontend.python.hook.whence_recorder.log import EventLog
log = EventLog({str(tmp_path)!r}, 1000)
log._write = lambda *_: os._exit(7)
log.note(1, 2)
log.flush()
"""
    assert subprocess.run([sys.executable, "-c", killed], check=False).returncode == 7
    assert len(list(tmp_path.iterdir())) == 1
    assert python_processes(tmp_path) == []


def test_a_failed_build_is_an_error(project: Project) -> None:
    with pytest.raises(UserError, match="ended with status 3"):
        record(project.tree, BuildAndTest(test="true", build="exit 3"), project.out)


TESTS = """\
import pytest
from shapes import area

@pytest.fixture
def width():
    yield 3

@pytest.mark.parametrize("height", [1, 2])
def test_area(width, height):
    assert area(width, height) == 3, "wrong"

def test_parts():
    sizes = [area(n, n) for n in range(3)]
    assert 5 in sizes and sizes
"""


def test_tests_that_pytest_rewrites_are_recorded(tmp_path: Path) -> None:
    files = {"shapes.py": SHAPES, "test_shapes.py": TESTS, "conftest.py": ""}
    options = ("-q", "-p", "no:cacheprovider", "--no-header", "--tb=long")
    both = run_both(tmp_path, files, sys.executable, "-m", "pytest", *options, "test_shapes.py")
    assert _untimed(both.recorded) == _untimed(both.plain)
    assert "assert (5 in [0, 1, 4])" in both.recorded
    assert check(both.trace) > 30
    assert any("test_shapes.py:14" in line for line in lines(both.trace))
    assert not list(tmp_path.glob("tree/**/*.pyc"))


def _untimed(printed: str) -> list[str]:
    """Return the lines of pytest's output without durations and the signs around them."""
    return [re.sub(r"=* *(.* in )[\d.]+s.*", r"\1", line) for line in printed.splitlines()]
