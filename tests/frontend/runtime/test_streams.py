"""Is everything that a program logged in its files, however it ended?"""

from __future__ import annotations

import os
import struct
import subprocess
from pathlib import Path

from tests.frontend.runtime import decoding as d
from tests.frontend.runtime.conftest import Record


def test_a_run_is_complete_and_its_file_ends_with_the_log(record: Record) -> None:
    run = record("fine")
    assert run.status == 0
    assert run.stream.marks == [*range(100), 77]  # 77: by a function that exit() calls
    assert run.stream.state == d.ENDED
    assert run.stream.file_size == run.stream.size


def test_the_process_is_described(record: Record, built: Path) -> None:
    run = record("fine", "a b%\n", env={"STRANGE": "\x7f ä"})
    facts = run.process.facts
    assert facts["version"] == [b"1"]
    assert facts["arg"] == [str(built).encode(), b"fine", b"a b%\n"]
    assert facts["exe"] == [os.fsencode(built.resolve())]
    assert facts["cwd"] == [os.fsencode(Path.cwd())]
    assert "STRANGE=\x7f ä".encode() in facts["env"]
    assert run.process.name == f"{facts['pid'][0].decode()}-0"
    assert "parent" not in facts


def test_arguments_and_environment_come_first(record: Record) -> None:
    run = record("fine", "four")
    arguments = [effect for effect in run.stream.effects if effect[0] == d.ARGV]
    assert [effect[2:4] for effect in arguments][1:] == [(5, 1), (5, 2), (0, 3)]
    lengths = [effect[2] for effect in run.stream.effects if effect[0] == d.ENV]
    ours = [x for x in run.process.facts["env"] if not x.startswith(b"WHENCE_")]
    assert lengths == [*(len(x) + 1 for x in ours), 0]


def test_the_pointers_to_the_arguments_lie_one_after_the_other(record: Record) -> None:
    effects = record("fine", "four").stream.effects
    slots = [effect[4] for effect in effects if effect[0] == d.ARGV]
    assert slots == [slots[0] + 8 * index for index in range(4)]
    assert [effect[1] == 0 for effect in effects if effect[0] == d.ARGV] == [False] * 3 + [True]


def test_modules_are_written_down_with_their_contents(record: Record) -> None:
    data = record("fine").process.modules
    assert data[:4] == b"WHMD"
    assert data[4:18] == struct.pack("<I6sI", 6, b"abc123", 3)
    addresses = struct.unpack_from("<3Q", data, 18)
    assert addresses[2] == 0
    assert struct.unpack_from("<IIIQI", data, 42) == (2, 0, 0, 4, 7)
    assert struct.unpack_from("<IIQ", data, 66) == (1, 0, 1 << 20)
    large = data[82:]
    assert len(large) == 1 << 20
    assert large[500000] == 5
    assert large.count(0) == len(large) - 1


def test_without_a_trace_folder_the_program_just_runs(built: Path, tmp_path: Path) -> None:
    for place in ({}, {"WHENCE_TRACE": str(tmp_path / "none")}, {"WHENCE_TRACE": str(built)}):
        env = {key: value for key, value in os.environ.items() if key != "WHENCE_TRACE"}
        done = subprocess.run([built, "long"], env={**env, **place}, stdout=-1, check=True)
        assert done.stdout == b"went on\n"
    assert not list(tmp_path.iterdir())


def test_a_kill_loses_nothing(record: Record) -> None:
    run = record("killed")
    assert run.status == -9
    assert run.stream.marks == list(range(300000))
    assert run.stream.state == d.RUNNING


def test_windows_follow_one_another(record: Record) -> None:
    assert record("long").stream.marks == list(range(2000000))


def test_each_thread_has_its_stream(record: Record) -> None:
    streams = record("threads").process.streams
    assert streams[0].marks == [1, 2]
    for stream in (streams[1], streams[2], streams[3]):
        assert stream.kind == 1
        assert stream.marks == list(range(stream.marks[0], stream.marks[0] + 100000))
        assert stream.state == d.ENDED
        assert stream.file_size == stream.size
        assert (stream.parent, stream.parent_offset) == (0, streams[0].size - 7)


def test_a_forked_child_has_its_parents_past_and_its_own_files(record: Record) -> None:
    run = record("forks")
    child, parent = sorted(run.processes, key=lambda process: "parent" not in process.facts)
    assert parent.streams[0].marks == [*range(150000), 9]
    assert child.streams[0].marks == [*range(100000), *range(200000, 300000)]
    assert child.facts["parent"] == [parent.name.encode()]
    assert child.facts["ppid"] == parent.facts["pid"]
    assert child.modules == parent.modules
    assert [process.streams[0].state for process in run.processes] == [d.ENDED, d.ENDED]


def test_exec_ends_one_record_and_begins_the_next(record: Record) -> None:
    before, after = record("execs").processes
    assert before.streams[0].marks == [1, 2]  # the first exec fails
    assert before.streams[0].state == d.EXECED
    assert after.streams[0].marks == [*range(100), 77]
    assert (before.name[:-1], before.name[-1], after.name[-1]) == (after.name[:-1], "0", "1")


def check_cut(record: Record, state: int, limit: int, **how: object) -> None:
    """The recorded part is the beginning of the run, the rest is counted, the program continues."""
    run = record("long", **how)
    assert (run.status, run.output) == (0, b"went on\n")
    assert run.stream.state == state
    assert run.stream.marks == list(range(len(run.stream.marks)))
    assert run.stream.file_size == run.stream.size <= limit
    assert run.stream.size > limit - (200 << 10)  # little room is left unused
    assert len(run.stream.marks) * 7 + run.stream.lost == 2000000 * 7


def test_a_full_disk_cuts_the_record_and_not_the_program(record: Record) -> None:
    check_cut(record, d.DISK_FULL, 3 << 20, file_limit=3 << 20)


def test_a_trace_over_its_limit_is_cut(record: Record) -> None:
    check_cut(record, d.TOO_LONG, 3000000, env={"WHENCE_MAX_TRACE": "3000000"})


def test_a_disk_full_from_the_start_does_not_stop_the_program(built: Path, tmp_path: Path) -> None:
    command = f"ulimit -f 1; WHENCE_TRACE={tmp_path} exec {built} long"
    done = subprocess.run(["bash", "-c", command], stdout=-1, check=True)
    assert done.stdout == b"went on\n"
