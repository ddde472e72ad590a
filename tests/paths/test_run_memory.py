from __future__ import annotations

from pathlib import Path

from whence.paths.run_memory import RunMemory


def recorded(folder: Path, size: int) -> Path:
    (folder / "0").mkdir(parents=True)
    (folder / "0" / "log").write_bytes(b"x" * size)
    return folder


def test_a_small_run_is_moved_and_deleted_in_the_end(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    memory = RunMemory(tmp_path / "memory")
    kept = memory.kept(recorded(tmp_path / "run", 100))
    assert kept.is_relative_to(tmp_path / "memory")
    assert (kept / "0" / "log").read_bytes() == b"x" * 100
    assert not (tmp_path / "run").exists()
    memory.close()
    assert not list((tmp_path / "memory").iterdir())


def test_a_large_run_and_one_without_such_a_file_system_stay(tmp_path: Path) -> None:
    large, small = recorded(tmp_path / "large", 1 << 21), recorded(tmp_path / "small", 100)
    memory, none = RunMemory(tmp_path), RunMemory(tmp_path / "none")
    assert memory.kept(large) == large
    assert none.kept(small) == small
    memory.close()
