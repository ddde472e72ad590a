"""What does whence do on a machine that gives it little memory, or no place to keep files?"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from whence.cli.startup import MIN_ADDRESSES, usable_cache


def isolate(
    folder: Path, *words: str, prepare: Callable[[], None] | None = None, **env: str
) -> subprocess.CompletedProcess[str]:
    """Isolate the only change between two versions of a file."""
    for name in ("good", "bad"):
        (folder / name).mkdir()
        (folder / name / "text").write_text(f"{name}\n")
    given = ("--good", "good", "--bad", "bad", "--test", "grep -q good text", "-q", *words)
    return subprocess.run(
        [sys.executable, "-m", "whence", "isolate", *given],
        cwd=folder, env=os.environ | env, capture_output=True, text=True, preexec_fn=prepare,
        timeout=120,
    )  # fmt: skip


def test_a_limit_on_memory_that_is_too_low_is_reported(tmp_path: Path) -> None:
    limits = (120 << 20, 120 << 20)
    ended = isolate(tmp_path, prepare=lambda: resource.setrlimit(resource.RLIMIT_AS, limits))
    assert ended.returncode == 2
    assert ended.stderr.startswith("whence: whence may use 120 MB of address space here")
    assert "[too-little-memory]" in ended.stderr
    assert "OpenBLAS" not in ended.stderr


def test_whence_starts_with_the_memory_that_it_asks_for(tmp_path: Path) -> None:
    limits = (MIN_ADDRESSES, MIN_ADDRESSES)
    ended = isolate(
        tmp_path, "--store", "store",
        prepare=lambda: resource.setrlimit(resource.RLIMIT_AS, limits),
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr


def test_tests_do_not_see_the_threads_of_numpy() -> None:
    code = "import whence.cli.main, os; print(os.environ.get('OPENBLAS_NUM_THREADS'))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.stdout == "None\n"


@pytest.mark.parametrize("option", ["--confirm", "--jobs"])
def test_an_absurd_number_is_refused(tmp_path: Path, option: str) -> None:
    ended = isolate(tmp_path, option, "99999999999")
    assert ended.returncode == 2
    assert "1<=x<=1000" in ended.stderr


def test_a_cache_that_cannot_be_written_is_replaced(tmp_path: Path) -> None:
    """As root, permissions do not count: a file where the cache should be has the same effect."""
    (tmp_path / ".cache").write_text("")
    home = str(tmp_path)
    ended = isolate(tmp_path, HOME=home, XDG_CACHE_HOME="", TMPDIR=home)
    assert ended.returncode == 0, ended.stderr
    assert "Note: " in ended.stderr
    assert ".cache cannot be written" in ended.stderr
    assert not [*tmp_path.glob("whence-*")]


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv is not installed")
def test_a_read_only_home_does_not_stop_a_recording(tmp_path: Path) -> None:
    """Like an ordinary user: root without capabilities may not write where it is not allowed to."""
    home = tmp_path / "home"
    home.mkdir(mode=0o555)
    (tmp_path / "code.py").write_text("assert 1 + 1 == 3\n")
    drop = ("setpriv", "--inh-caps=-all", "--bounding-set=-all") if os.getuid() == 0 else ()
    ended = subprocess.run(
        [*drop, sys.executable, "-m", "whence", "trace", "--source", ".", "--out", "out",
         "--test", f"{sys.executable} code.py"],
        cwd=tmp_path, env=os.environ | {"HOME": str(home), "XDG_CACHE_HOME": ""},
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    home.chmod(0o755)
    assert ended.returncode == 0, ended.stderr
    assert "home/.cache cannot be written" in " ".join(ended.stderr.split())


def test_a_cache_that_the_user_chose_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/gone")
    with usable_cache() as note:
        assert note is None
        assert os.environ["XDG_CACHE_HOME"] == "/proc/gone"
