"""Do a slice and the cause search agree on which exception is the failure of a Python run?"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from whence.errors import UserError
from whence.frontend.python.record import record
from whence.languages import find_failure, open_recording
from whence.subject.trial import BuildAndTest
from whence.trace.points import find
from whence.trace.recording import Recording

# By name: the point that `whence slice --at` is asked for, and the program.  The failure is
# raised on the only line that ends in "# failure".
FAILING = {
    "an exception nobody caught": ("crash", """
def parse(text):
    return int(text)  # failure
parse("x")
"""),
    "an assertion": ("assert", """
total = 3
assert total == 4  # failure
"""),
    "an exit": ("exit", """
import sys
sys.exit(3)  # failure
"""),
    "an exception with the same type was caught before": ("crash", """
def look(key):
    return {"a": 1}[key]  # failure
try:
    look("b")
except KeyError:
    pass
look("c")
"""),
    "unrecorded code caught an exception before": ("crash", """
class Odd:
    def __getattr__(self, name):
        raise AttributeError(name)
found = getattr(Odd(), "x", None)
raise ValueError("wrong")  # failure
"""),
    "an exception was raised from another": ("crash", """
try:
    {}["x"]
except KeyError as error:
    raise RuntimeError("no x") from error  # failure
"""),
    "another thread raised an exception too": ("crash", """
import threading
def work():
    raise ValueError("in a thread")
thread = threading.Thread(target=work)
thread.start()
thread.join()
raise RuntimeError("in main")  # failure
"""),
    "an assertion inside a call": ("assert", """
def check(value):
    assert value > 0, "positive"  # failure
for value in (1, 2, -1):
    check(value)
"""),
}  # fmt: skip


def recorded(text: str, folder: Path, test: str = "program.py") -> Recording:
    """Record a Python program that is run as a script, or by the command `test`."""
    tree, out = folder / "tree", folder / "trace"
    tree.mkdir()
    out.mkdir()
    (tree / "program.py").write_text(text, "utf-8")
    record(tree, BuildAndTest(f"{sys.executable} {test}"), out)
    return open_recording(out)


@pytest.mark.parametrize("name", FAILING)
def test_a_slice_and_the_search_start_at_the_same_step(name: str, tmp_path: Path) -> None:
    at, text = FAILING[name]
    recording = recorded(text, tmp_path)
    point, failure = find(recording, at), find_failure(recording)
    assert point.criteria == (failure.question.about,)
    lines = text.splitlines()
    assert failure.place is not None
    assert lines[failure.place.line - 1].endswith("# failure")


def test_a_loop_of_a_generator_expression_that_cannot_iterate_shows_its_exception(
    tmp_path: Path,
) -> None:
    text = "rows = [[1, 2], 3]\nprint(sum(cell for row in rows for cell in row))\n"
    failure = find_failure(recorded(text, tmp_path))
    assert failure.words.startswith("TypeError: 'int' object is not iterable")


def test_they_agree_on_a_failure_that_a_test_runner_caught(tmp_path: Path) -> None:
    text = """
import pytest
def fail(message):
    raise ValueError(message)
def test_expected():
    with pytest.raises(ValueError):
        fail("expected")
def test_unexpected():
    fail("unexpected")
"""
    recording = recorded(text, tmp_path, "-m pytest -q -p no:cacheprovider program.py")
    point, failure = find(recording, "crash"), find_failure(recording)
    assert point.criteria == (failure.question.about,)
    assert "unexpected" in failure.words


def test_a_run_that_passes_has_no_failure(tmp_path: Path) -> None:
    recording = recorded("try:\n    {}['x']\nexcept KeyError:\n    pass\n", tmp_path)
    with pytest.raises(UserError):
        find_failure(recording)
    for at in ("crash", "assert", "exit"):
        with pytest.raises(UserError):
            find(recording, at)


def test_they_agree_on_a_failure_that_nobody_printed(tmp_path: Path) -> None:
    """The report of the run does not name the exception, so neither can rely on it."""
    text = 'def test_it():\n    raise ValueError("wrong")\n'
    quiet = "-m pytest -q --tb=no -rN -p no:cacheprovider program.py"
    recording = recorded(text, tmp_path, quiet)
    point, failure = find(recording, "crash"), find_failure(recording)
    assert point.criteria == (failure.question.about,)
    assert failure.words == "ValueError: wrong at program.py:2"


# --- wrong output --------------------------------------------------------------------------------

PRINTS = """
def scale(n):
    return n * 2
for n in range(3):
    print("n", scale(n))
"""


def printed_run(folder: Path, program: str = PRINTS) -> Recording:
    tree, out = folder / "tree", folder / "out"
    tree.mkdir()
    out.mkdir()
    (tree / "program.py").write_text(program)
    record(tree, BuildAndTest(f"{sys.executable} program.py"), out)
    return open_recording(out)


def test_the_first_byte_that_is_not_as_expected_is_the_failure(tmp_path: Path) -> None:
    failure = find_failure(printed_run(tmp_path), expect=b"n 0\nn 3\nn 6\n")
    assert failure.place is not None
    assert failure.place.line == 5
    assert failure.words.startswith('byte 6 of the output, printed at program.py:5: "2')
    assert failure.flow.value(failure.question.about) is None  # print returned


@pytest.mark.parametrize(
    ("expect", "slug"),
    [
        (b"n 0\nn 2\nn 4\n", "nothing-fails"),
        (b"n 0\nn 2\nn 4\nn 6\n", "failure-not-recorded"),
    ],
)
def test_output_without_a_wrong_byte_is_no_failure(
    expect: bytes, slug: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError) as error:
        find_failure(printed_run(tmp_path), expect=expect)
    assert error.value.slug == slug


def test_output_that_no_recorded_call_printed_is_not_explained(tmp_path: Path) -> None:
    run = printed_run(tmp_path, "import os\nos.write(1, b'one')\n")
    with pytest.raises(UserError) as error:
        find_failure(run, expect=b"two")
    assert error.value.slug == "failure-not-recorded"
