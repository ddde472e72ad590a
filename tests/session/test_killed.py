"""Does a killed session continue where it stopped, with the same answer?"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

import pytest

from tests.session.projects import Ended, Project, numbered

CHANGES = 9
JUDGE = "has 6 && has 2 && ends 1"  # passes if 6 or 2 is reverted

# Kills whence at the start of run number K of a session, before the outcome is stored.
KILL_AT = """\
echo >>{folder}/session
if [ $(wc -l <{folder}/session) -eq {k} ]; then
    until [ -s {folder}/process ]; do sleep 0.01; done
    kill -9 $(cat {folder}/process)
fi
"""


Session = tuple[Ended, Counter[str]]  # its end, and the number of runs of each variant


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Session:
    project = numbered(tmp_path_factory.mktemp("undisturbed"), CHANGES, JUDGE)
    return project.found(), project.variants()


def until_it_ends(
    project: Project, disturb: Callable[[Popen[str]], object], *options: str
) -> tuple[Ended, Counter[str], int]:
    """Repeat the command until it ends.

    Return the end, the variants that were running when it was killed, and the number of sessions.
    """
    in_progress: Counter[str] = Counter()
    for sessions in range(1, 60):
        before = len(project.logged())
        (project.folder / "session").write_text("")
        process = project.start(*options)
        (project.folder / "process").write_text(str(process.pid))
        disturb(process)
        stdout, stderr = process.communicate(timeout=60)
        (project.folder / "process").unlink()
        assert process.returncode in (0, -9), stderr
        if process.returncode == 0:
            return Ended(0, stdout, stderr), in_progress, sessions
        in_progress.update(run.variant for run in project.logged()[before:][-1:])
    raise AssertionError("the sessions make no progress")


@pytest.mark.parametrize("k", [2, 3])
def test_killed_at_every_kth_run(tmp_path: Path, undisturbed: Session, k: int) -> None:
    expected, runs = undisturbed
    kill = KILL_AT.format(folder=tmp_path, k=k)
    project = numbered(tmp_path, CHANGES, kill + JUDGE)
    ended, in_progress, sessions = until_it_ends(project, lambda _: None)
    assert ended.answer == expected.answer
    assert sessions > 1
    assert project.variants() == runs + in_progress  # no other variant was run twice
    assert not any((project.folder / "tmp").iterdir())  # folders of killed sessions are deleted


@pytest.mark.parametrize("seed", range(2))
def test_killed_at_any_moment(tmp_path: Path, undisturbed: Session, seed: int) -> None:
    expected, runs = undisturbed
    project = numbered(tmp_path, CHANGES, f"sleep 0.0{seed}\n{JUDGE}")
    ended, _, sessions = until_it_ends(project, killer(project, random.Random(seed)))
    assert ended.answer == expected.answer
    again = project.variants() - runs
    assert sum(again.values()) < sessions  # only runs that were in progress are repeated


def test_killed_while_several_runs_are_in_progress(tmp_path: Path, undisturbed: Session) -> None:
    expected, _ = undisturbed
    project = numbered(tmp_path, CHANGES, JUDGE)
    ended, _, _ = until_it_ends(project, killer(project, random.Random(7)), "--jobs", "3")
    assert ended.answer == expected.answer


def killer(project: Project, chance: random.Random) -> Callable[[Popen[str]], None]:
    """Return a function that kills whence after a random number of runs and a random delay."""

    def disturb(process: Popen[str]) -> None:
        enough = len(project.logged()) + chance.randrange(5)
        while process.poll() is None and len(project.logged()) < enough:
            time.sleep(0.01)
        time.sleep(chance.uniform(0.0, 0.15))
        process.kill()

    return disturb
