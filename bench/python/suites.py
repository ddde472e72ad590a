"""Which test suites run plain and recorded, and how does a suite become a tree?

A tree holds the modules under test and their tests, so that both are instrumented.  A standard
library module in the tree hides the interpreter's own, in the plain run as well.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import venv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bench.isolate.cases import NotInstallableError, last_words

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SUITES = Path(__file__).resolve().parent / "suites.toml"
INSIDE = SUITES.parent / "inside"

# The interpreter's own folder is searched too, for modules that were not copied.
_PACKAGE = "from pkgutil import extend_path\n\n__path__ = extend_path(__path__, __name__)\n"


@dataclass(frozen=True, slots=True)
class Library:
    """Tests of the standard library; the names are those of files or folders, without .py."""

    name: str
    tests: tuple[str, ...]
    modules: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()  # patterns of other files in the folder `test` that the tests need
    only: tuple[str, ...] = ()  # if not empty, only these tests: the others take too long


@dataclass(frozen=True, slots=True)
class Package:
    """A package from PyPI with the tests in its sdist."""

    name: str
    version: str
    source: str = ""  # the folder of the sdist with the package
    tests: tuple[str, ...] = ("tests",)
    needs: tuple[str, ...] = ()  # other packages that the tests need
    options: tuple[str, ...] = ()  # options for pytest


Suite = Library | Package


@dataclass(frozen=True, slots=True)
class Prepared:
    """A tree and the command that tests it; OUT in the command stands for the file of results."""

    tree: Path
    command: tuple[str, ...]
    path: tuple[str, ...]  # PYTHONPATH
    wanted: tuple[str, ...] = ()  # files that must be recorded, or the comparison says nothing


def suites() -> list[Suite]:
    """Return all suites of suites.toml, in its order."""
    document = _read_suites()
    found: list[Suite] = [Library(**_tuples(entry)) for entry in document["library"]]
    return found + [Package(**_tuples(entry)) for entry in document["package"]]


def known_difference(test: str) -> str | None:
    """Return why the test cannot end the same, or None if it can."""
    for why, names in _read_suites()["known"].items():
        for name in names:
            if test == name or (name.endswith("*") and test.startswith(name[:-1])):
                return str(why)
    return None


@cache
def _read_suites() -> dict[str, Any]:
    return tomllib.loads(SUITES.read_text("utf-8"))


def _tuples(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}


# --- trees -------------------------------------------------------------------------------------


def library_of(python: str) -> Path:
    """Return the folder of the interpreter's own library."""
    asked = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(asked.stdout.strip())


def prepare_library(suite: Library, python: str, place: Path) -> Prepared:
    """Copy modules and tests into a new tree, without those that this version of Python lacks."""
    lib = library_of(python)
    if not (lib / "test" / "support").is_dir():
        raise NotInstallableError("this interpreter has no `test` package")
    tree = place / "tree"
    shutil.rmtree(place, ignore_errors=True)
    (tree / "test").mkdir(parents=True)
    (tree / "test" / "__init__.py").write_text(_PACKAGE)
    modules = [_copy(lib, name, tree) for name in suite.modules]
    # The copied tests look for each other beside `test.support`.
    _copy(lib / "test", "support", tree / "test")
    tests = {name: _copy(lib / "test", name, tree / "test") for name in suite.tests}
    for pattern in suite.extras:
        for file in (lib / "test").glob(pattern):
            _copy(lib / "test", file.name, tree / "test")
    names = [f"test.{name}" for name, copied in tests.items() if copied]
    if not names:
        raise NotInstallableError("this version of Python has no such tests")
    if suite.only:
        names = [f"{names[0]}.{name}" for name in suite.only if _has(tree, names[0], name)]
    command = (python, "-m", "bench_unittest", "OUT", *names)
    wanted = [str(file) for file in (*modules, *tests.values()) if file is not None]
    return Prepared(tree, command, (str(tree), str(INSIDE)), tuple(wanted))


def _copy(folder: Path, name: str, to: Path) -> Path | None:
    """Copy a file, module or package of this name, if there is one; return the copied file."""
    for source in (folder / name, folder / f"{name}.py"):
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, to / name, ignore=ignored, dirs_exist_ok=True)
            return to / name / "__init__.py"
        if source.is_file():
            return Path(shutil.copy(source, to))
    return None


def _has(tree: Path, package: str, module: str) -> bool:
    return (tree / package.replace(".", "/") / f"{module}.py").exists()


def prepare_package(suite: Package, python: str, place: Path, downloads: Path) -> Prepared:
    """Unpack the sdist.  All packages share one environment with pytest and their needs."""
    interpreter = environment(python, place.parent / "venv")
    archive = fetched(suite, interpreter, downloads)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    with tarfile.open(archive) as packed:
        packed.extractall(place, filter="data")
    (unpacked,) = place.iterdir()
    tree = unpacked.rename(place / "tree")
    command = [str(interpreter), "-m", "pytest", "-q", "-p", "bench_results"]
    command += ["-p", "no:cacheprovider", *suite.options, *suite.tests]
    return Prepared(tree, tuple(command), (str(tree / suite.source), str(INSIDE)), ())


def environment(python: str, place: Path) -> Path:
    """Return an interpreter with pytest and the packages' needs."""
    interpreter = place / "bin" / "python"
    document = _read_suites()
    needs = [f"pytest=={document['pytest']}"]
    needs += [need for entry in document["package"] for need in entry.get("needs", ())]
    ready = place / "ready"
    if not ready.exists() or ready.read_text() != " ".join(needs):
        if python == sys.executable:
            venv.create(place, with_pip=True, clear=True)
        else:
            subprocess.run([python, "-m", "venv", "--clear", str(place)], check=True)
        _pip(interpreter, "install", "--quiet", *needs)
        ready.write_text(" ".join(needs))
    return interpreter


def fetched(suite: Package, interpreter: Path, downloads: Path) -> Path:
    """Download the sdist and return its path."""
    folder = downloads / f"{suite.name}-{suite.version}"
    if not folder.exists():
        wanted = f"{suite.name}=={suite.version}"
        _pip(interpreter, "download", "--quiet", "--no-deps", "--no-binary", ":all:",
             "--dest", str(folder), wanted)  # fmt: skip
    return next(iter(sorted(folder.glob("*.tar.gz"))))


def _pip(interpreter: Path, *arguments: str) -> None:
    words = [str(interpreter), "-m", "pip", *arguments]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotInstallableError(last_words(done.stderr))
