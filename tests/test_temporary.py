"""Are temporary folders found that a killed process left behind, and no others?"""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from whence.temporary import held_folder, left_behind, temporary_folder

HOLDS = (
    "import sys, time; from pathlib import Path; from whence.temporary import held_folder\n"
    "with held_folder('x', Path(sys.argv[1])) as folder: print(folder, flush=1); time.sleep(600)\n"
)


def test_a_folder_is_left_behind_only_when_its_process_is_dead(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        assert list(left_behind(tmp_path)) == []
        process.send_signal(signal.SIGKILL)
    assert list(left_behind(tmp_path)) == [folder]


def test_links_and_files_are_no_folders_of_ours(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "whence-of-1-link").symlink_to(tmp_path / "mine")
    (tmp_path / "whence-of-1-file").write_text("")
    assert list(left_behind(tmp_path)) == []


def test_a_temporary_folder_is_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with temporary_folder("x") as folder:
        (folder / "f").write_text("1")
    with held_folder("y", tmp_path) as kept:
        pass
    assert list(tmp_path.iterdir()) == [kept]


def test_a_folder_that_cannot_be_named_is_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, "refused")

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(OSError, match="refused"), held_folder("x", tmp_path):
        pass
    assert not list(tmp_path.iterdir())


def test_a_folder_that_was_never_named_is_left_behind_after_a_while(tmp_path: Path) -> None:
    new, old = tmp_path / "whence-new-1", tmp_path / "whence-new-2"
    new.mkdir()
    old.mkdir()
    os.utime(old, (0, 0))
    assert list(left_behind(tmp_path)) == [old]


def test_a_folder_that_was_never_named_is_left_behind_when_its_maker_is_dead(
    tmp_path: Path,
) -> None:
    make = (
        "import os, pathlib, sys; from whence.temporary import held_folder\n"
        "pathlib.Path.rename = lambda *_: os._exit(0)\n"
        "with held_folder('x', pathlib.Path(sys.argv[1])): pass\n"
    )
    subprocess.run([sys.executable, "-c", make, str(tmp_path)], check=True)
    (made,) = tmp_path.iterdir()
    assert made.name.startswith("whence-new-")
    assert list(left_behind(tmp_path)) == [made]
    unknown = re.sub(r"whence-new-\d+-", "whence-new-1-", made.name)  # another namespace
    made.rename(tmp_path / unknown)
    assert list(left_behind(tmp_path)) == []
