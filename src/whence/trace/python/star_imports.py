"""Which steps decided that a module has no such name?

`from module import *` gives a module the names that `__all__` of another one lists.  An import of a
name that is not there fails, and reads no variable that could tell why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from whence.program.ids import Op, Step
from whence.trace.python.program import PythonProgram

_PACKAGE = "__init__.py"


class StarImports:
    """The imports of one thread's run that took all names of a module."""

    def __init__(self, program: PythonProgram, executions: Callable[[Op], list[Step]]) -> None:
        self._program, self._executions = program, executions

    def behind(self, op: Op) -> Iterator[Step]:
        """Yield what a module that an `import_from` operation names got by star imports.

        The operation may have started before them: an import executes the module.
        """
        return self.into(self._origin(op))

    def around(self, op: Op) -> Iterator[Step]:
        """Yield what the module that holds an operation got by star imports."""
        return self.into(self._program.modules[self._module_of(op)].name)

    def into(self, name: str) -> Iterator[Step]:
        """Yield what the module `name` got by star imports.

        These are the imports, and the steps that set the names which they took.
        """
        todo, seen = [name], set[str]()
        while todo:
            module = todo.pop()
            if module in seen:
                continue
            seen.add(module)
            for own in self._stars.get(module, ()):
                yield from map(Step, self._executions(own))
                origin = self._origin(own)
                todo.append(origin)
                for store in self._lists.get(origin, ()):
                    yield from map(Step, self._executions(store))

    def _origin(self, op: Op) -> str:
        """Return the full name of the module from which an operation imports."""
        named, _, _ = (self._program.name[op] or "").partition(":")
        module = named.lstrip(".")
        level = len(named) - len(module)
        if not level:
            return module
        own = self._program.modules[self._module_of(op)]
        parts = own.name.split(".")
        parts = parts[: len(parts) - level + own.file.endswith(_PACKAGE)]
        return ".".join([*parts, module] if module else parts)

    def _module_of(self, op: int) -> int:
        return self._program.functions[self._program.op_function[op]].module

    def _by_module(self, wanted: Callable[[int], bool]) -> dict[str, list[Op]]:
        found: dict[str, list[Op]] = {}
        for op in filter(wanted, range(len(self._program.opcode))):
            module = self._program.modules[self._module_of(op)]
            found.setdefault(module.name, []).append(Op(op))
        return found

    @cached_property
    def _stars(self) -> dict[str, list[Op]]:
        """By module: the operations that give it all names of another module."""
        opcode, name = self._program.opcode, self._program.name
        return self._by_module(
            lambda op: opcode[op] == "import_from" and (name[op] or "").endswith(":*")
        )

    @cached_property
    def _lists(self) -> dict[str, list[Op]]:
        """By module: the operations that set the list of names which a star import takes."""
        opcode, name = self._program.opcode, self._program.name
        return self._by_module(lambda op: opcode[op] == "store" and name[op] == "__all__")
