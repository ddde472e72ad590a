"""Does an altered rerun in a fork end as it does in a fresh process?"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whence.frontend.rerun.interventions import PatchedProcess
from whence.frontend.rerun.python import AlteredValue, PythonRerunner
from whence.subject.trial import BuildAndTest

PROGRAM = """\
import json
import subprocess
import sys
import threading
from dataclasses import dataclass, field

from helper import halved


@dataclass
class Box:
    size: int
    items: list = field(default_factory=list)


def fill(box, numbers):
    for number in numbers:
        if number % 3 == 0:
            continue
        box.items.append(halved(number))
        box.size += 1
    return box


def text_of(box):
    if box.size > 3:
        return json.dumps(box.items)
    return "few"


box = fill(Box(0), range(9))
print(text_of(box), __name__, sys.argv)
thread = threading.Thread(target=print, args=("in a thread",))
thread.start()
thread.join()
open("count", "a").write("x")
print(len(open("count").read()))
child = "import helper; print(helper.halved(7))"
print(subprocess.run([sys.executable, "-c", child], capture_output=True, text=True).stdout)
if box.size > 100:
    raise ValueError(box)
"""
HELPER = "def halved(n):\n    half = n // 2\n    return half\n"
TESTED = """\
from program import Box, fill, text_of
def test_it():
    assert text_of(fill(Box(0), range(9))) == "[0]"
"""
FRAMES = """\
import sys
depth = 0
at = sys._getframe()
while at:
    at = at.f_back
    depth += 1
print(depth)
"""
PROCESS = PatchedProcess(Path(sys.executable).name, 0)
MOST_OPERATIONS = 90  # numbers of operations that are tried; the program has about as many

Both = tuple[PythonRerunner, PythonRerunner]


def both_ways(folder: Path, test: str, files: dict[str, str]) -> Both:
    """Return a rerunner that forks, and one that does not; both have run the test before."""
    found = []
    for name, forks_after in (("forked", 2), ("fresh", 10**9)):
        tree, kept = folder / name / "tree", folder / name / "kept"
        kept.mkdir(parents=True)
        tree.mkdir()
        for file, text in files.items():
            (tree / file).write_text(text)
        rerunner = PythonRerunner(tree, BuildAndTest(test), kept, forks_after)
        rerunner.run((), PROCESS)
        found.append(rerunner)
    return found[0], found[1]


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Both:
    files = {"program.py": PROGRAM, "helper.py": HELPER}
    return both_ways(tmp_path_factory.mktemp("script"), f"{sys.executable} program.py one", files)


def check_alike(both: Both, values: list[AlteredValue], number: int = 0) -> None:
    process = PatchedProcess(PROCESS.program, number)
    forked, fresh = (each.run(values, process) for each in both)
    assert both[0].forks.is_ready
    assert not both[1].forks.is_ready
    assert forked.ended.stdout == fresh.ended.stdout
    assert forked.ended.stderr.replace(b"/forked/", b"/fresh/") == fresh.ended.stderr
    assert forked.ended.status == fresh.ended.status
    assert (forked.missed, forked.watched) == (fresh.missed, fresh.watched)
    assert (forked.run.outcome, forked.run.failure) == (fresh.run.outcome, fresh.run.failure)


def test_the_modules_of_the_program_are_numbered_alike(script: Both) -> None:
    """Every operation is watched: its number and its values are those of a fresh process."""
    for first in range(0, MOST_OPERATIONS, 30):
        check_alike(script, [AlteredValue(n, 0, "watch") for n in range(first, first + 30)])


ACTIONS = st.one_of(
    st.tuples(st.just("flip"), st.none()),
    st.tuples(st.just("always"), st.booleans()),
    st.tuples(st.just("set"), st.one_of(st.integers(-3, 200), st.text("ab", max_size=2))),
)
ALTERATIONS = st.builds(
    lambda operation, execution, action: AlteredValue(operation, execution, *action),
    st.integers(0, MOST_OPERATIONS), st.integers(0, 4), ACTIONS,
)  # fmt: skip


@settings(max_examples=15, deadline=None)
@given(st.lists(ALTERATIONS, min_size=1, max_size=2), st.integers(0, 1))
def test_altered_values_have_the_same_effect(
    script: Both, values: list[AlteredValue], number: int
) -> None:
    """`number` 1 is the child that the program starts: it is no fork."""
    check_alike(script, values, number)


def test_an_object_of_the_run_can_be_given(script: Both) -> None:
    for step in range(40, 60, 4):
        check_alike(
            script, [AlteredValue(step, 0, "keep", 0), AlteredValue(step + 1, 0, "kept", 0)]
        )


def test_a_test_of_pytest_is_forked_too(tmp_path: Path) -> None:
    files = {"program.py": PROGRAM.partition("box = fill")[0], "helper.py": HELPER}
    files["test_it.py"] = TESTED
    both = both_ways(tmp_path, f"{sys.executable} -m pytest -q -p no:cacheprovider", files)
    for operation in (12,):
        value = AlteredValue(operation, 0, "flip")
        forked, fresh = (each.run([value], PROCESS) for each in both)
        assert both[0].forks.is_ready
        assert (forked.run.outcome, forked.run.failure) == (fresh.run.outcome, fresh.run.failure)
        assert forked.missed == fresh.missed


def test_a_program_that_sees_its_frames_is_not_forked(tmp_path: Path) -> None:
    forked, fresh = both_ways(tmp_path, f"{sys.executable} program.py", {"program.py": FRAMES})
    value = AlteredValue(1, 1 << 30, "flip")
    assert not forked.forks.is_ready
    assert forked.run([value], PROCESS).ended.stdout == fresh.run([value], PROCESS).ended.stdout


def test_a_server_that_has_ended_is_replaced_by_fresh_processes(script: Both) -> None:
    """This test comes last: it ends the server."""
    forked, fresh = script
    server = forked.forks._server
    assert server is not None
    server.process.kill()
    value = AlteredValue(1, 1 << 30, "flip")
    assert forked.run([value], PROCESS).ended.stdout == fresh.run([value], PROCESS).ended.stdout
    assert not forked.forks.is_ready
