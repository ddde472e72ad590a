"""Does replay.c replay a run as the oracle in plain Python does?"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from tests.frontend.python.programs import PROGRAMS
from tests.trace.python.generator import Writer
from tests.trace.python.replayed import differences
from whence.frontend.python.record import record
from whence.languages import open_recording
from whence.subject.trial import BuildAndTest
from whence.trace.python.events import Events
from whence.trace.python.kernel import DamagedLog
from whence.trace.python.recording import PythonRecording
from whence.trace.python.replaying import replay

SEEDS = range(20, 28)  # other programs than those of test_random_programs


def recorded(folder: Path, text: str) -> PythonRecording:
    """Record a program and open its trace."""
    tree, out = folder / "tree", folder / "out"
    tree.mkdir()
    out.mkdir()
    (tree / "p.py").write_text(text, "utf-8")
    record(tree, BuildAndTest(f"{sys.executable} p.py"), out)
    opened = open_recording(out)
    assert isinstance(opened, PythonRecording)
    return opened


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_constructs_of_python_are_replayed_as_by_the_oracle(name: str, tmp_path: Path) -> None:
    recording = recorded(tmp_path, PROGRAMS[name])
    assert recording.processes
    assert differences(recording) == []


# Its threads take turns within functions and generators, and start each other.
TURNS = """
import sys, threading
from concurrent.futures import ThreadPoolExecutor
sys.setswitchinterval(1e-6)
def squares(count):
    for number in range(count):
        yield number * number
def part(results, count):
    try:
        results[count] = sum(each for each in squares(count) if each % 3) // (count - 20)
    except ZeroDivisionError as error:
        results[count] = str(error)
    if count > 40:
        inner = threading.Thread(target=part, args=(results, count // 7))
        inner.start()
        inner.join()
results = {}
shared = squares(100)
threads = [threading.Thread(target=part, args=(results, 20 * n)) for n in range(5)]
for thread in threads:
    thread.start()
own = [next(shared) for _ in range(30)]
for thread in threads:
    thread.join()
with ThreadPoolExecutor(2) as pool:
    print(sum(pool.map(lambda n: n * own[n], range(30))), pool.submit(next, shared).result())
"""


def test_threads_are_replayed_as_by_the_oracle(tmp_path: Path) -> None:
    recording = recorded(tmp_path, TURNS)
    assert differences(recording) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_program_is_replayed_as_by_the_oracle(seed: int, tmp_path: Path) -> None:
    recording = recorded(tmp_path, Writer(seed).text)
    assert recording.processes
    assert differences(recording) == []


@pytest.mark.parametrize("seed", range(4))
def test_a_log_with_changed_bytes_is_refused_or_replayed(seed: int, tmp_path: Path) -> None:
    """Whatever the bytes are, the C code stays in its memory: else this process would crash."""
    recording = recorded(tmp_path, Writer(seed).text)
    (process,) = recording.processes
    image, log = recording.image(process), process.logs[0]
    whole, chance = log.path.read_bytes(), random.Random(seed)
    replayed = 0
    for _ in range(100):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 3, 30))):
            data[chance.randrange(8, len(data))] = chance.randrange(256)
        log.path.write_bytes(data)
        try:
            events = Events(log.path)
        except DamagedLog:
            continue
        run = replay(image.program, events, image.tables)
        assert run.steps == sum(map(len, map(image.program.ops_of, run.stretch)))
        replayed += 1
    assert replayed


def test_a_log_that_was_cut_is_replayed_up_to_its_last_whole_chunk(tmp_path: Path) -> None:
    recording = recorded(tmp_path, "total = 0\nfor n in range(300_000):\n    total += n\n")
    (process,) = recording.processes
    path = process.logs[0].path
    whole = Events(path)
    path.write_bytes(path.read_bytes()[:-5])
    cut = Events(path)
    assert (whole.is_damaged, cut.is_damaged) == (False, True)
    assert 0 < cut.count < whole.count
    assert not cut.has_ended
