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
from bench.real.releases import unpacked_release

LIST = Path(__file__).with_name("cases.toml")  # from git histories; their recipes are elsewhere
REGISTRY = Path(__file__).with_name("registry.toml")  # from registries, with their recipes
DRIVERS = Path(__file__).with_name("drivers")
VERSIONS = ("good", "bad")


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a version is built and tested; `files` are added to both versions."""

    build: str
    test: str
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RealCase:
    """A regression of a public project; cases.toml and registry.toml say what each field means.

    It comes from a git `repository`, whose recipe `recipe` is the sum of, or from a `package` of
    a registry, whose recipe is in the list.
    """

    name: str
    good: str
    bad: str
    fixed_by: str
    language: str
    system: str
    kind: str
    about: str
    needs: tuple[str, ...]
    culprits: tuple[Place, ...]
    recipe: str | Recipe
    repository: str = ""
    package: str = ""
    folder: str = ""

    def missing_programs(self) -> list[str]:
        return [program for program in self.needs if shutil.which(program) is None]


def load_list(*files: Path) -> list[RealCase]:
    """Return the cases of the given lists, or else all cases."""
    documents = [tomllib.loads(file.read_text("utf-8")) for file in files or (LIST, REGISTRY)]
    return [_case(entry) for document in documents for entry in document["case"]]


def _case(entry: dict[str, Any]) -> RealCase:
    culprits = tuple(
        Place(one["file"], _span(one["good"]), _span(one["bad"])) for one in entry.pop("culprit")
    )
    if "recipe" not in entry:
        files = entry.pop("files", {})
        for name, driver in entry.pop("drivers", {}).items():
            files[name] = (DRIVERS / driver).read_text("utf-8")
        entry["recipe"] = Recipe(entry.pop("build"), entry.pop("test"), files)
    return RealCase(**entry | {"needs": tuple(entry["needs"]), "culprits": culprits})


def _span(numbers: list[int]) -> tuple[int, int]:
    start, count = numbers
    return start, count


def load_recipe(case: RealCase, cases: Path | None) -> Recipe:
    """Return the recipe in the list, or else in `cases` if the list was written for that one."""
    if isinstance(case.recipe, Recipe):
        return case.recipe
    if cases is None:
        raise NotInstallableError("its recipe is in no folder; see --cases")
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
    for version, revision in zip(VERSIONS, (case.good, case.bad), strict=True):
        tree = env / version
        if case.package:
            release = unpacked_release(case.package, revision, env.parent / "releases")
            shutil.copytree(_folder_in(release, case.folder), tree, symlinks=True)
        else:
            tree.mkdir(parents=True)
            repository = _repository(case, env.parent / "clones", mirrors)
            _unpack(repository, f"{revision}:{case.folder}", tree)
        for name, text in recipe.files.items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text, "utf-8")
    done.write_text(made_from, "utf-8")


def _folder_in(release: Path, pattern: str) -> Path:
    """Return the only folder that fits the pattern; releases move the same sources about."""
    found = [path for path in release.glob(pattern) if path.is_dir()] if pattern else [release]
    if len(found) != 1:
        raise NotInstallableError(f"{len(found)} folders of {release.name} fit {pattern}")
    return found[0]


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
