"""Values that differ between two runs of the same version are not differences of the versions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.explain.explaining import explain, explain_python
from whence.explain.recorder import Recorder
from whence.frontend.python.values import Value
from whence.subject.trial import BuildAndTest
from whence.trace.python.noise import is_only_noise
from whence.trace.python.recording import PythonRecording
from whence.trace.recording import Recording
from whence.trace.written import first_difference, without_noise

# The clock is printed before the wrong number, on the same line.
CLOCK = """
     #include <stdio.h>
     #include <time.h>
     static int scale(int n) {
    -    return n * 3;  // [scale]
    +    return n * 2;  // [scale]
     }
     int main(void) {
         struct timespec now;
         clock_gettime(CLOCK_REALTIME, &now);
         long stamp = now.tv_sec % 100000 * 1000000000L + now.tv_nsec;  // [clock]
         printf("%014ld result %d\\n", stamp, scale(7));  // [printed]
         return 0;
     }
"""


def test_the_clock_is_not_the_failure(tmp_path: Path) -> None:
    explained = explain(tmp_path, CLOCK, "./program > out; grep -q 'result 21' out")
    assert explained.root == {"scale"}
    assert "clock" not in explained.in_tree
    assert explained.chain[-1].failing == {"scale(7)": "14"}


def test_only_a_test_with_varying_calls_is_recorded_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def note(self: Recorder, recording: Recording, tree: Path, commands: BuildAndTest) -> None:
        seen.append((self, recording, tree, commands))

    monkeypatch.setattr(Recorder, "_compare_with_second_run", note)
    plain = CLOCK.replace("clock_gettime(CLOCK_REALTIME, &now)", "now.tv_sec = now.tv_nsec = 3")
    explain(tmp_path / "plain", plain, "./program > out; grep -q 'result 21' out")
    assert not seen
    explained = explain(tmp_path / "clock", CLOCK, "./program > out; grep -q 'result 21' out")
    assert seen
    assert "clock" in explained.in_tree  # without a second run, the clock is a difference


# --- outputs -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("printed", "passing", "second", "byte"),
    [
        (b"12 sum 3\n", b"15 sum 4\n", b"19 sum 4\n", 7),
        (b"12 sum 4\n", b"15 sum 4\n", b"19 sum 4\n", None),
        (b"12 sum 3\n", b"15 sum 4\n", None, 1),
        (b"12 sum 3\n", b"15 sum 4\n", b"5 sum 4\n", 1),  # the words are not in the same places
        (b"12", b"15 sum 4\n", b"19 sum 4\n", 2),
    ],
)
def test_words_that_vary_are_not_compared(
    printed: bytes, passing: bytes, second: bytes | None, byte: int | None
) -> None:
    assert first_difference(without_noise(printed, passing, second), passing) == byte


@given(
    printed=st.binary(max_size=20), passing=st.binary(max_size=20), second=st.binary(max_size=20)
)
def test_what_is_the_same_in_both_passing_runs_is_compared(
    printed: bytes, passing: bytes, second: bytes
) -> None:
    """A byte between words that do not vary is as it was printed; no output changes its length."""
    found = without_noise(printed, passing, second)
    assert len(found) == len(printed)
    assert without_noise(passing, passing, second) == passing
    for before, after, right in zip(printed, found, passing, strict=False):
        assert after in (before, right)


# --- Python --------------------------------------------------------------------------------------

# Each run has another directory, and another number.
TEMPORARY = """
     import os, random, tempfile
     def place(folder, name):
         return os.path.join(folder, name)
     def written(path):
    -    return path + ".txt"  # [fault]
    +    return path + ".tmp"  # [fault]
     folder = tempfile.mkdtemp()  # [folder]
     chance = random.random
     lucky = chance()  # [random]
     path = written(place(folder, "notes"))
     os.rmdir(folder)
     found = path.endswith(".txt"), lucky < 2
     assert found == (True, True), found  # [fails]
"""


def test_random_values_of_python_are_not_on_the_chain(tmp_path: Path) -> None:
    explained = explain_python(tmp_path, TEMPORARY)
    assert explained.root == {"fault"}
    assert explained.links[0] == "fault"
    assert not {"folder", "random"} & explained.in_tree


def test_without_a_second_run_the_random_values_of_python_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PythonRecording, "may_vary", lambda _: False)
    assert {"folder", "random"} & explain_python(tmp_path, TEMPORARY).in_tree


@pytest.mark.parametrize(
    ("value", "passing", "second", "is_noise"),
    [
        ("/tmp/a1/x", "/tmp/b2/x", "/tmp/c3/x", True),
        ("/tmp/a1/y", "/tmp/b2/x", "/tmp/c3/x", False),
        ("/tmp/a1/x", "/tmp/ba/x", "/tmp/bb/x", True),  # the same letter by chance
        ("a at 12:01", "a at 12:02", "a at 12:03", True),
        ("b at 12:01", "a at 12:02", "a at 12:03", False),
        ("", "ab", "ac", True),
        (3, 4, 5, True),
    ],
)
def test_only_the_words_of_a_text_that_vary_are_noise(
    value: Value, passing: Value, second: Value, is_noise: bool
) -> None:
    assert is_only_noise(value, passing, second) is is_noise


@given(passing=st.text(max_size=12), second=st.text(max_size=12))
def test_what_a_second_run_had_is_only_noise(passing: str, second: str) -> None:
    assert is_only_noise(second, passing, second)
    assert is_only_noise(passing, passing, second)
