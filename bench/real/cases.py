"""Which real regressions are there, and how are their two versions written to disk?"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from bench.isolate.cases import NotInstallableError, last_words
from bench.isolate.score import Place

LIST = Path(__file__).with_name("cases.toml")
VERSIONS = ("good", "bad")


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a version is built and tested; `files` are added to both versions."""

    build: str
    test: str
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RealCase:
    """A regression of a public project; cases.toml says what each field means."""

    name: str
    repository: str
    good: str
    bad: str
    fixed_by: str
    language: str
    system: str
    kind: str
    about: str
    needs: tuple[str, ...]
    recipe: str
    culprits: tuple[Place, ...]
    folder: str = ""

    def missing_programs(self) -> list[str]:
        return [program for program in self.needs if shutil.which(program) is None]


def load_list(file: Path = LIST) -> list[RealCase]:
    document = tomllib.loads(file.read_text("utf-8"))
    return [_case(entry) for entry in document["case"]]


def _case(entry: dict[str, Any]) -> RealCase:
    culprits = tuple(
        Place(one["file"], _span(one["good"]), _span(one["bad"])) for one in entry.pop("culprit")
    )
    return RealCase(**entry | {"needs": tuple(entry["needs"]), "culprits": culprits})


def _span(numbers: list[int]) -> tuple[int, int]:
    start, count = numbers
    return start, count


def load_recipe(case: RealCase, cases: Path) -> Recipe:
    """Return the recipe in the folder `cases`, if it is the one that the list was written for."""
    file = cases / "real" / f"{case.name}.toml"
    if not file.exists():
        raise NotInstallableError(f"there is no recipe {file}")
    data = file.read_bytes()
    if hashlib.sha256(data).hexdigest() != case.recipe:
        raise NotInstallableError(f"{file} is not the recipe that the list was written for")
    document = tomllib.loads(data.decode("utf-8"))
    return Recipe(document["build"], document["test"], document.get("files", {}))


def install(case: RealCase, recipe: Recipe, env: Path, mirrors: Path | None) -> None:
    """Write env/good and env/bad, unless an earlier call did this with the same list entry."""
    done = env.with_name(env.name + ".ready")
    made_from = f"{case!r}"
    if done.exists() and done.read_text("utf-8") == made_from:
        return
    shutil.rmtree(env, ignore_errors=True)
    repository = _repository(case, env.parent / "clones", mirrors)
    for version, revision in zip(VERSIONS, (case.good, case.bad), strict=True):
        tree = env / version
        tree.mkdir(parents=True)
        _unpack(repository, f"{revision}:{case.folder}", tree)
        for name, text in recipe.files.items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text, "utf-8")
    done.write_text(made_from, "utf-8")


def _repository(case: RealCase, clones: Path, mirrors: Path | None) -> Path:
    """Return a git directory with the history: of the mirrors, or a clone that is made once."""
    folder = case.repository.replace("/", "+")
    if mirrors is not None:
        mirror = mirrors / folder / "repo"
        if not mirror.is_dir():
            raise NotInstallableError(f"there is no mirror {mirror}")
        return mirror
    clone = clones / folder
    if not clone.exists():
        address = f"https://github.com/{case.repository}.git"
        _git("clone", "--quiet", "--bare", address, str(clone))
    return clone


def _unpack(repository: Path, tree_name: str, into: Path) -> None:
    archive = into.with_suffix(".tar")
    _git("-C", str(repository), "archive", "--format=tar", f"--output={archive}", tree_name)
    shutil.unpack_archive(archive, into, "tar")
    archive.unlink()


def _git(*arguments: str) -> None:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NotInstallableError(last_words(done.stderr) or f"git {arguments[0]} failed")
