"""Which class, function or module of this process has a name in a state that was recorded?"""

from __future__ import annotations

import sys

from .names import full_name, rank_of, shape_of
from .private import BUILTINS
from .states import FUNCTION, MODULE

globals()["__builtins__"] = BUILTINS
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_subclasses = type.__dict__["__subclasses__"]


class RefusedError(Exception):
    """A state cannot be rebuilt; the message says why, after "it cannot be rebuilt: "."""


class Classes:
    """The classes and functions of this process; `known` has those of the recorded states."""

    def __init__(self, known: dict[str, tuple[str, str, str, int]]) -> None:
        self._known = known  # by name: module, qualified name, shape and rank
        self._classes: dict[str, list[type]] | None = None
        self._functions: dict[str, list[Any]] | None = None

    def classes(self) -> dict[str, list[type]]:
        """Return all classes that exist, by their qualified names."""
        if self._classes is None:
            self._classes = {}
            waiting, met = [object], {object}
            while waiting:
                each = waiting.pop()
                self._classes.setdefault(full_name(each)[1], []).append(each)
                for below in _subclasses(each):
                    if below not in met:
                        met.add(below)
                        waiting.append(below)
        return self._classes

    def class_named(self, name: str, *, is_second: bool = False) -> tuple[type, bool]:
        """Return the class that has a name in the recorded states, and whether that was open.

        If several classes fit as well, the first way takes the one that was made in the same
        place of the order, and the second way another one.
        """
        module, qualname, shape, rank = self._known.get(name, ("builtins", name, "", 0))
        found = self.classes().get(qualname, [])
        fitting = [each for each in found if full_name(each)[0] == module] or found
        if len(fitting) > 1:
            fitting = [each for each in fitting if shape_of(each) == shape] or fitting
            of_rank = [each for each in fitting if rank_of(each) == rank]
            fitting = [*of_rank, *[each for each in fitting if each not in of_rank]]
        if not fitting:
            raise RefusedError(f"no class is called {qualname}")
        return fitting[min(is_second, len(fitting) - 1)], len(fitting) > 1

    def functions(self) -> dict[str, list[Any]]:
        """Return all functions that exist, by their qualified names."""
        import gc

        if self._functions is None:
            self._functions = {}
            for each in gc.get_objects():
                if type(each) is FUNCTION:
                    self._functions.setdefault(each.__qualname__, []).append(each)
        return self._functions

    def is_class(self, name: str) -> bool:
        """Is a name of the recorded states that of a class?"""
        return name in self._known and not name.endswith("()")

    def function_or_module(self, name: str) -> Any:
        """Return the function or module that has a name; it must be the only one."""
        module, qualname = self._known.get(name, ("", name))[:2]
        found = [*self.functions().get(qualname, ())]
        found = [each for each in found if each.__module__ == module] or found
        if len(found) > 1:
            meant = _global_of(module, qualname)
            found = [each for each in found if each is meant] or found
        if not module and name in sys.modules:
            found.append(sys.modules[name])
        found += () if module else self.classes().get(name, ())
        if not found and qualname in BUILTINS:
            found.append(BUILTINS[qualname])
        if len(found) != 1:
            how = "nothing is" if not found else f"{len(found)} functions or classes are"
            raise RefusedError(f"{how} called {qualname}")
        return found[0]


def _global_of(module: str, qualname: str) -> Any:
    """Return what a global of a module is; None if there is none."""
    found = sys.modules.get(module)
    return vars(found).get(qualname) if type(found) is MODULE else None
