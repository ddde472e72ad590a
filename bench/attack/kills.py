"""After whence was killed, does the same command give the right answer, and is nothing left?"""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from bench.attack.attempts import Attempt
from bench.attack.projects import COMMANDS, Project, judged, run_whence

_TARGETS = (("isolate", "text"), ("explain", "python"), ("isolate", "python"), ("explain", "text"))
_MAX_SECONDS = 2.0  # of a session before it is killed
_KILLS = 3  # in a row, before the command may end
_END_SECONDS = 5.0  # in which the test of a killed whence must have ended


def attack(work: Path, count: int) -> Iterator[Attempt]:
    """Kill whence at random moments, up to three times, and let it end then."""
    for number in range(count):
        chance = random.Random(f"kill {number}")
        command, language = _TARGETS[number % len(_TARGETS)]
        project = Project.make(work / f"kill-{number}", language)
        before = project.fingerprint()
        words = project.words(command)
        # The shell and the daemon must end with whence, too.
        words[words.index("--test") + 1] = f"sleep 0.05; {COMMANDS[language][-1]}"
        moments = [round(chance.uniform(0.02, _MAX_SECONDS), 3) for _ in range(_KILLS)]
        for moment in moments:
            if not run_whence(project, words, seconds=moment).answer.hung:
                break
        running = _still_running(project)
        attempt = judged(
            f"{command} {language} {moments}", project, command, run_whence(project, words), before
        )
        if running and attempt.failed is None:
            attempt = Attempt(attempt.name, "left", running)
        yield attempt
        shutil.rmtree(project.folder, ignore_errors=True)


def _still_running(project: Project) -> str | None:
    """Return a process that a killed whence started and that goes on."""
    deadline = time.monotonic() + _END_SECONDS
    while (found := project.left_running()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found
