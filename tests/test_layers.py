"""Do later phases import earlier ones, and never the reverse?"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import whence

SOURCES = Path(whence.__file__).parents[1]

# Each layer with the layers that it may import, the lowest first.
LAYERS: dict[str, tuple[str, ...]] = {
    "whence": (),  # the version
    "errors": ("whence",),
    "inputs": ("whence",),
    "temporary": ("whence",),
    "source_lines": ("whence",),
    "file_trees": ("whence",),
    "model": ("whence", "errors", "inputs"),
    "changes": ("whence", "errors", "temporary", "source_lines", "model"),
    "subject": (
        *("whence", "errors", "temporary", "source_lines", "file_trees", "model", "changes"),
    ),
    "search": ("whence", "errors", "source_lines", "model", "changes", "subject"),
    "program": ("whence", "errors", "source_lines", "model", "changes", "subject"),
    "frontend": (
        *("whence", "errors", "temporary", "source_lines", "model", "changes", "subject"),
        *("file_trees", "program"),
    ),
    "trace": (
        *("whence", "errors", "source_lines", "inputs", "model", "changes", "subject", "program"),
        *("file_trees", "frontend"),
    ),
    "logic": ("whence", "errors", "inputs", "model", "program", "frontend", "trace"),
    "paths": (
        *(
            "whence",
            "errors",
            "inputs",
            "source_lines",
            "model",
            "subject",
            "program",
            "frontend",
            "trace",
        ),
        "logic",
    ),
    "causes": ("whence", "errors", "inputs", "model", "program", "frontend", "trace", "logic"),
    "languages": (
        *("whence", "errors", "source_lines", "model", "subject"),
        *("program", "frontend", "trace", "logic", "paths", "causes"),
    ),
    "chain": (
        *("whence", "errors", "model", "subject", "program", "frontend", "trace", "logic"),
        "causes",
    ),
    "explain": (
        *("whence", "errors", "source_lines", "model", "changes", "subject", "search"),
        *("program", "frontend", "trace", "logic", "causes", "languages", "chain"),
    ),
    "environment": ("whence", "errors", "model", "subject", "program"),
    "darwin": (
        *("whence", "errors", "inputs", "model", "changes", "subject", "program", "trace"),
        *("paths", "causes", "languages"),
    ),
    "contract": (
        *("whence", "errors", "source_lines", "model", "changes", "subject", "search"),
        *("file_trees", "program", "frontend", "trace", "languages", "explain"),
    ),
    "augment": (
        *("whence", "errors", "inputs", "model", "changes", "subject", "search", "program"),
        *("frontend", "trace", "paths", "causes", "languages", "explain", "darwin"),
        "file_trees",
    ),
    "report": (
        "whence",
        "errors",
        "source_lines",
        "inputs",
        "model",
        "changes",
    ),  # draws any result
    "service": (
        *("whence", "errors", "source_lines", "model", "changes", "subject", "search"),
        *("program", "frontend", "trace", "logic", "paths", "causes", "languages", "explain"),
        *("inputs", "temporary", "file_trees", "darwin", "augment", "chain", "contract"),
    ),
    "cli": (
        *("whence", "errors", "temporary", "source_lines", "model", "changes", "subject", "search"),
        *("program", "frontend", "trace", "logic", "paths", "causes", "languages"),
        *("explain", "environment", "darwin", "augment", "chain", "contract", "report", "service"),
    ),
    "__main__": ("cli",),
    "pytest_plugin": (),  # starts a process of cli
}

# The only module that lists the languages.
TABLE_OF_LANGUAGES = "whence.languages"
LANGUAGES = ("c", "python")
WITH_LANGUAGES = (
    "frontend",
    "trace",
    "logic",
    "paths",
    "causes",
)  # layers with a part per language

Graph = dict[str, set[str]]


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCES).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(source: str, package: str, modules: frozenset[str]) -> Iterator[str]:
    """Yield the modules of ours that a source imports, anywhere in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")
            base = ".".join(parents[: len(parents) + 1 - node.level]) if node.level else ""
            origin = ".".join(filter(None, (base, node.module)))
            for alias in node.names:
                inner = f"{origin}.{alias.name}"
                yield from [name for name in (inner, origin) if name in modules][:1]


def packages_of(source: str) -> set[str]:
    """Return the top-level packages that a source imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def modules_by_name() -> dict[str, Path]:
    return {module_name(path): path for path in (SOURCES / "whence").rglob("*.py")}


def import_graph() -> Graph:
    paths = modules_by_name()
    modules = frozenset(paths)
    return {
        name: set(imports_of(path.read_text("utf-8"), _package(name, path), modules))
        for name, path in paths.items()
    }


def _package(name: str, path: Path) -> str:
    return name if path.name == "__init__.py" else name.rpartition(".")[0]


def layer(module: str) -> str:
    return module.split(".")[1] if "." in module else module


def violations(graph: Graph) -> list[str]:
    return [
        f"{module} imports {imported}"
        for module, found in sorted(graph.items())
        for imported in sorted(found)
        if layer(imported) not in (layer(module), *LAYERS[layer(module)])
    ]


def language(module: str) -> str | None:
    """Return the language of a module such as frontend.c.reader or causes.failures.c."""
    if layer(module) not in WITH_LANGUAGES:
        return None
    parts = [part.partition("_")[0] for part in module.split(".")]
    return next((part for part in parts if part in LANGUAGES), None)


def knowing(graph: Graph) -> set[str]:
    """Return the modules that import a module of a language that is not their own."""
    return {
        module
        for module, found in graph.items()
        if any(language(name) not in (None, language(module)) for name in found)
    }


def test_every_module_is_in_a_layer() -> None:
    assert {layer(module) for module in import_graph()} == set(LAYERS)


def test_no_layer_imports_what_is_above_it() -> None:
    order = list(LAYERS)
    for name, below in LAYERS.items():
        assert all(order.index(other) < order.index(name) for other in below)
    assert violations(import_graph()) == []


def test_there_is_no_import_cycle() -> None:
    TopologicalSorter(import_graph()).prepare()


def test_only_the_command_line_knows_click_and_only_it_and_reports_know_rich() -> None:
    """A web server can use everything else."""
    for name, path in modules_by_name().items():
        packages = packages_of(path.read_text("utf-8"))
        assert "click" not in packages or layer(name) == "cli", name
        assert not packages & {"rich", "textual"} or layer(name) in ("cli", "report"), name


def test_only_the_table_of_languages_knows_them() -> None:
    assert knowing(import_graph()) == {TABLE_OF_LANGUAGES}


# -- are the claims above able to fail? ------------------------------------------------------


def test_every_way_to_import_is_seen() -> None:
    source = """
import whence.a
from whence import b
from whence.c import thing
if TYPE_CHECKING:
    from . import d
def later():
    from ..e import thing
    from ..f.g import thing
"""
    names = ("a", "b", "c", "p.d", "e", "f.g", "unused")
    modules = frozenset(f"whence.{name}" for name in names)
    assert set(imports_of(source, "whence.p", modules)) == modules - {"whence.unused"}


def test_an_import_upwards_is_a_violation() -> None:
    graph = {"whence.report.text": {"whence.search.store", "whence.model"}}
    assert violations(graph) == ["whence.report.text imports whence.search.store"]


def test_a_module_that_knows_a_language_is_found() -> None:
    reader, own, other = "whence.frontend.c.reader", "whence.trace.c.flow", "whence.trace.flow"
    graph = {own: {reader}, other: {reader}, "whence.trace.python.flow": {own}}
    assert knowing(graph) == {other, "whence.trace.python.flow"}


def test_a_cycle_is_found() -> None:
    with pytest.raises(CycleError):
        TopologicalSorter({"whence.a": {"whence.b"}, "whence.b": {"whence.a"}}).prepare()
