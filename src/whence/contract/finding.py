"""Which contracts are written in the sources of the bad version and in files?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from whence.contract.clauses import ContractLine, complain, contract_blocks
from whence.contract.contracts import FunctionContract
from whence.contract.python_clauses import KnownNames
from whence.contract.python_contract import read_contract
from whence.contract.versions import PairedSources
from whence.errors import UserError
from whence.source_lines import decoded_lines
from whence.trace.function_pairs import FunctionSource

_COMMENT = re.compile(r"^(\s*#@ ?)(.*)$")
_HEADER = re.compile(r"^\s*function\s+(\S+)\s*$")
FunctionKey = tuple[str, str]


class ContractReader:
    """Reads the contracts for the functions that both versions have."""

    def __init__(self, sources: PairedSources, good: Path, bad: Path) -> None:
        self._sources, self._trees = sources, (good, bad)
        self._modules: dict[Path, ast.Module | None] = {}
        self._classes: frozenset[str] | None = None

    def read(self, files: Sequence[Path]) -> dict[FunctionKey, FunctionContract]:
        """Return the contracts in the sources and in `files`, by file and name of the function."""
        found: dict[FunctionKey, FunctionContract] = {}
        for function, lines in (*self._in_sources(), *self._in_files(files)):
            key = (function.file, function.name)
            if key in found:
                complain(lines, 0, f"{function.name} has another contract already")
            found[key] = read_contract(lines, self._known(function, lines))
        return found

    # --- in sources ---

    def _in_sources(self) -> Iterator[tuple[FunctionSource, tuple[ContractLine, ...]]]:
        by_file: dict[str, list[FunctionSource]] = {}
        for function in self._sources.bad:
            by_file.setdefault(function.file, []).append(function)
        for file, functions in sorted(by_file.items()):
            if not file.endswith(".py"):
                continue
            content = (self._trees[1] / file).read_bytes()
            if b"#@" not in content:
                continue
            lines = decoded_lines(content)
            for block in contract_blocks(_comments(lines, file)):
                yield self._after(block, functions), block

    def _after(
        self, block: tuple[ContractLine, ...], functions: Sequence[FunctionSource]
    ) -> FunctionSource:
        following = block[-1].line + 1
        found = next((each for each in functions if each.first == following), None)
        if found is None:
            complain(block, 0, "no function follows this contract",
                     "Write it directly before the function, above its decorators.")  # fmt: skip
        return found

    # --- in files ---

    def _in_files(
        self, files: Sequence[Path]
    ) -> Iterator[tuple[FunctionSource, tuple[ContractLine, ...]]]:
        for file in files:
            try:
                content = file.read_bytes()
            except OSError as error:
                raise UserError(
                    f"--contracts {file} cannot be read: {error.strerror}.\n"
                    "Name a file with contracts; docs/contract.md describes it.",
                    slug="bad-contract",
                ) from None
            yield from self._in_file(str(file), decoded_lines(content))

    def _in_file(
        self, file: str, lines: Sequence[str]
    ) -> Iterator[tuple[FunctionSource, tuple[ContractLine, ...]]]:
        function: FunctionSource | None = None
        block: list[ContractLine] = []
        for number, text in enumerate(lines, 1):
            line = ContractLine(file, number, 0, text, text)
            header = _HEADER.match(text)
            if header is not None:
                if function is not None:
                    yield function, tuple(block)
                function, block = self._named(header[1], line, header.start(1)), []
            elif text.strip() and not text.lstrip().startswith("#"):
                if function is None:
                    complain([line], 0, "a file of contracts begins with: function NAME")
                block.append(line)
        if function is not None:
            yield function, tuple(block)

    def _named(self, name: str, line: ContractLine, column: int) -> FunctionSource:
        """Return the function that FILE:NAME or NAME means."""
        file, _, short = name.rpartition(":")
        found = [
            function for function in self._sources.bad
            if function.name == short and (not file or function.file == file)
        ]  # fmt: skip
        places = ", ".join(f"{each.file}:{each.name}" for each in found[:4])
        what = f"several functions are called {short}: {places}"
        if not found:
            what = f"the bad version has no function {name!r}"
        if len(found) != 1:
            complain([line], column, what, "Name it as FILE:NAME, with the path in the tree.")
        return found[0]

    # --- names ---

    def _known(self, function: FunctionSource, lines: Sequence[ContractLine]) -> KnownNames:
        good = self._sources.pairs.get(function)
        if good is None:
            complain(lines, 0, f"{function.name} is new: the good version has no such function",
                     "A contract is about a function that both versions have.")  # fmt: skip
        module = self._module(self._trees[1] / function.file)
        constants = dict(_literals(module)) if module else {}
        return KnownNames(
            _parameters(self._module(self._trees[0] / good.file), good),
            _parameters(module, function),
            constants,
            frozenset(_globals(module)) if module else frozenset(),
            self._all_classes(),
        )

    def _module(self, path: Path) -> ast.Module | None:
        if path not in self._modules:
            try:
                self._modules[path] = ast.parse(path.read_bytes())
            except (OSError, SyntaxError, ValueError):
                self._modules[path] = None
        return self._modules[path]

    def _all_classes(self) -> frozenset[str]:
        """Return the names of the classes that the modules of the bad version define."""
        if self._classes is None:
            paths = {self._trees[1] / function.file for function in self._sources.bad}
            modules = (self._module(path) for path in sorted(paths))
            self._classes = frozenset(
                node.name
                for module in modules if module
                for node in ast.walk(module) if isinstance(node, ast.ClassDef)
            )  # fmt: skip
        return self._classes


def _comments(lines: Sequence[str], file: str) -> Iterator[ContractLine]:
    for number, text in enumerate(lines, 1):
        match = _COMMENT.match(text)
        if match is not None:
            yield ContractLine(file, number, len(match[1]), match[2], text)


def _parameters(module: ast.Module | None, function: FunctionSource) -> tuple[str, ...]:
    for node in ast.walk(module) if module else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first == function.first:
                return tuple(each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg))
    return ()


def _literals(module: ast.Module) -> Iterator[tuple[str, object]]:
    """Yield the names of a module that are assigned a literal."""
    for node in module.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                yield node.targets[0].id, ast.literal_eval(node.value)
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                continue


def _globals(module: ast.Module) -> Iterator[str]:
    """Yield the names that a module assigns or imports."""
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)


ContractsByFunction = Mapping[FunctionKey, FunctionContract]
