"""Does one word mean one thing, in code, commands and documents?

The glossary is in ARCHITECTURE.md.  These tests hold the part of it that a machine can check.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

import click
import pytest

from whence.cli.git import git_whence
from whence.cli.main import cli

CHECKOUT = Path(__file__).resolve().parents[1]
SOURCES = CHECKOUT / "src"
OWN = Path(__file__).resolve()
HISTORY = CHECKOUT / "notes" / "vocabulary.md"  # lists old names on purpose
LANGUAGES = ("c", "python")
CHOOSER = "whence.languages"  # the only package that knows more than one language
TEXTS = {".md", ".py", ".c", ".h", ".toml", ".yml", ".html", ".js", ".cfg", ".txt", ""}
# Words that the glossary replaces.  They are forbidden as words of names of modules, classes and
# functions; in prose a machine cannot tell whether they are meant.
REPLACED = {
    "twin": "counterpart", "partner": "counterpart", "decider": "controlling branch",
    "narrator": "describer", "teller": "describer", "weaver": "builder", "namer": "names",
    "theta": "candidates", "wish": "request", "workshop": "scratch", "told": "describe",
    "narrate": "describe", "weave": "build", "invocation": "activation",
}  # fmt: skip


@lru_cache
def texts() -> Mapping[Path, str]:
    """Return every text of the checkout, without what was built or installed there."""
    found = {}
    for path in sorted(CHECKOUT.rglob("*")):
        inside = path.relative_to(CHECKOUT).parts
        hidden = any(part.startswith(".") and part != ".ci" for part in inside)
        if hidden or "__pycache__" in inside or path.suffix not in TEXTS or not path.is_file():
            continue
        found[path] = path.read_text("utf-8", errors="replace")
    return found


# --- the distribution ----------------------------------------------------------------------------

STRANGER = re.compile(
    r"\bwhence\[\w"  # whence with extras
    r"|\b(?:(?:pip3?|pipx|uv|uv pip|uv tool|poetry) (?:install|run|add)|uvx)\b"
    r"[^\n`;&|]*[ '\"]whence(?=['\"`\s=<>~]|$)"
    r"|\b(?:version|metadata|distribution|requires)\(['\"]whence['\"]\)"
    r"|^name = \"whence\"",
    re.MULTILINE,
)


@pytest.mark.parametrize(
    "text",
    [
        "pip install whence", "pip install 'whence[c]'", "python -m pip install --quiet 'whence'",
        "uvx whence", "pipx run whence", "uv add whence", "pip install -U whence==0.1",
        'version("whence")', 'name = "whence"',
    ],
)  # fmt: skip
def test_the_other_distribution_is_recognised(text: str) -> None:
    assert STRANGER.search(text)


@pytest.mark.parametrize(
    "text",
    [
        "pip install whence-explain", "pip install 'whence-explain[c]'", "pip install .",
        'pip install "whence-explain[c] @ git+https://example.org/whence.git"',
        "pip install --editable .", 'name = "whence-explain"',
    ],
)  # fmt: skip
def test_our_own_distribution_is_not_mistaken_for_it(text: str) -> None:
    assert not STRANGER.search(text)


def test_no_text_tells_a_user_to_install_the_project_called_whence_on_pypi() -> None:
    found = [
        f"{path.relative_to(CHECKOUT)}: {match[0]}"
        for path, text in texts().items()
        if path != OWN
        for match in STRANGER.finditer(text)
    ]
    assert found == []


# --- public names --------------------------------------------------------------------------------

Definition = tuple[str, str]  # the package of a module, and the module


def public_names(source: str) -> Iterator[str]:
    """Yield the names of the public classes and functions of a module."""
    for node in ast.parse(source).body:
        kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        if isinstance(node, kinds) and not node.name.startswith("_"):
            yield node.name


def definitions() -> dict[str, list[Definition]]:
    """Return where each public name is defined."""
    found: dict[str, list[Definition]] = defaultdict(list)
    for path in sorted((SOURCES / "whence").rglob("*.py")):
        package = ".".join(path.parent.relative_to(SOURCES).parts)
        module = package if path.stem == "__init__" else f"{package}.{path.stem}"
        for name in public_names(path.read_text("utf-8")):
            found[name].append((package, module))
    return found


def is_one_meaning(name: str, places: Iterable[Definition]) -> bool:
    """May these definitions share a name?

    They may if they are in one package, or if they are the parts of one thing for several
    languages (trace/c/flow.py, trace/python/flow.py) with a function beside them or in `languages`
    that chooses.  A script may call its entry point `main`.
    """
    found = {_without_language(*place) for place in places}
    if any(set(LANGUAGES) & set(module.split(".")) for _, module in places):
        found.discard(CHOOSER)
    return name == "main" or len(found) == 1


def _without_language(package: str, module: str) -> str:
    """Return the name of a package; if it is for a language, up to the part that names it."""
    parts = module.split(".")
    languages = [number for number, part in enumerate(parts) if part in LANGUAGES]
    return ".".join(parts[: languages[0]]) if languages else package


def test_no_public_name_is_defined_in_two_packages() -> None:
    found = {
        name: [module for _, module in places]
        for name, places in definitions().items()
        if not is_one_meaning(name, places)
    }
    assert found == {}


def test_definitions_of_one_name_are_told_apart() -> None:
    c, python = ("w.trace.c", "w.trace.c.flow"), ("w.trace", "w.trace.python")
    assert is_one_meaning("flow_of", [c, python, ("w.trace", "w.trace.opening")])
    assert not is_one_meaning("flow_of", [c, ("w.causes", "w.causes.tree")])
    assert is_one_meaning("main", [c, ("w.causes", "w.causes.tree")])
    assert list(public_names("class A: pass\ndef _b(): pass\ndef c(): pass")) == ["A", "c"]


def words_of(name: str) -> list[str]:
    """Return the words of an identifier: `read_lines`, `ReadLines`."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]


def test_no_name_uses_a_word_that_the_glossary_replaces() -> None:
    names = {name: places[0][1] for name, places in definitions().items()}
    modules = {path.stem: str(path) for path in (SOURCES / "whence").rglob("*.py")}
    found = {
        f"{where}: {name}": [REPLACED[word] for word in words_of(name) if word in REPLACED]
        for name, where in (names | modules).items()
    }
    assert {name: words for name, words in found.items() if words} == {}


# Phrases of the old prose, with the plain words for them.
OLD_PHRASES = {
    r"holds? together": "builds and runs",
    r"otherwise than": "differs from",
    r"c[ao]me to the same": "has the same value",
    r"steers? around": "avoids",
    r"something to mend": "usage or setup error",
    r"who (?:made|left) it what": "definition",
}


def test_no_text_uses_the_old_phrases() -> None:
    found = [
        f"{path.relative_to(CHECKOUT)}: {match[0]!r}: {plain}"
        for path, text in texts().items()
        if path not in (OWN, HISTORY)
        for phrase, plain in OLD_PHRASES.items()
        for match in re.finditer(rf"\b{phrase}\b", " ".join(text.split()))
    ]
    assert found == []


# --- documents -----------------------------------------------------------------------------------

MODULE = re.compile(r"\bwhence(?:\.(?!(?:h|toml|yml|sarif|html)\b)[a-z_]\w*)+")
FILE = re.compile(r"`((?:[\w.+-]+/)+[\w.+-]+\.py)`")


def exists_as_module(dotted: str) -> bool:
    """Is this the name of a module, or of something in a module?"""
    parts = dotted.split(".")
    for length in range(len(parts), 1, -1):
        path = SOURCES.joinpath(*parts[:length])
        if path.is_dir():
            return length == len(parts) or _defines(path / "__init__.py", parts[length])
        if path.with_suffix(".py").is_file():
            return length == len(parts) or _defines(path.with_suffix(".py"), parts[length])
    return False


def _defines(path: Path, name: str) -> bool:
    return path.is_file() and re.search(rf"\b{name}\b", path.read_text("utf-8")) is not None


def documents() -> list[Path]:
    return [path for path in texts() if path.suffix == ".md" and path != HISTORY]


@pytest.mark.parametrize(
    "page", documents(), ids=lambda path: path.relative_to(CHECKOUT).as_posix()
)
def test_a_document_names_only_modules_and_files_that_exist(page: Path) -> None:
    text = texts()[page]
    roots = (page.parent, CHECKOUT, SOURCES / "whence", CHECKOUT / "tests", CHECKOUT / "examples")
    missing = [name for name in MODULE.findall(text) if not exists_as_module(name)]
    missing += [
        name for name in FILE.findall(text) if not any((root / name).exists() for root in roots)
    ]
    assert missing == []


def test_an_old_module_name_is_found() -> None:
    assert exists_as_module("whence.errors")
    assert exists_as_module("whence.errors.UserError")
    assert not exists_as_module("whence.semantics")
    assert not exists_as_module("whence.errors.NoSuchThing")


# --- options -------------------------------------------------------------------------------------


def commands(command: click.Command, name: str = "whence") -> Iterator[tuple[str, click.Command]]:
    """Yield a command and all below it."""
    yield name, command
    if isinstance(command, click.Group):
        for below, found in command.commands.items():
            yield from commands(found, f"{name} {below}")


@pytest.mark.parametrize(("name", "command"), [*commands(cli), *commands(git_whence, "git whence")])
def test_every_option_has_help(name: str, command: click.Command) -> None:
    assert command.help, name
    assert [
        option.name
        for option in command.params
        if isinstance(option, click.Option)
        and not option.hidden
        and not (option.help or "").strip()
    ] == []
