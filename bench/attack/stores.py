"""Is an answer right, or a message, if the store of outcomes is damaged?"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

from bench.attack.attempts import Attempt
from bench.attack.projects import Project, judged, run_whence
from bench.attack.traces import DAMAGES


def attack(work: Path, count: int) -> Iterator[Attempt]:
    """Damage the store of a finished search, and run the same command again."""
    originals = {language: _searched(work, language) for language in ("text", "python")}
    for number in range(count):
        chance = random.Random(f"store {number}")
        language = ("text", "python")[number % 2]
        folder = work / f"store-{number}"
        shutil.copytree(originals[language].folder, folder)
        project = Project(folder, language)
        store = folder / "store"
        damages = [chance.choice(DAMAGES) for _ in range(chance.choice((1, 1, 3)))]
        content: bytes | None = store.read_bytes()
        for damage in damages:
            content = damage(content, chance) if content else content
        store.unlink()
        if content is not None:
            store.write_bytes(content)
        name = f"{number} {' '.join(damage.__name__[1:] for damage in damages)}"
        before = project.fingerprint()
        run = run_whence(project, project.words("isolate"))
        yield judged(name, project, "isolate", run, before)
        shutil.rmtree(folder, ignore_errors=True)


def _searched(work: Path, language: str) -> Project:
    project = Project.make(work / f"searched-{language}", language)
    run = run_whence(project, project.words("isolate"))
    if run.status != 0:
        raise RuntimeError(f"the search does not work: {run}")
    (project.folder / "answer.json").unlink()
    return project
