"""How are a class and a function known, so that another process finds them again?

A class is known by its module and its qualified name.  Several classes may share these (`type(name,
...)` in a function makes a new one at each call), so each one has a number within the run.  Another
process finds it by its shape: its bases and plain attributes.  Of several with one shape it takes
the one that was made in the same place of the order in which Python made them.
"""

from __future__ import annotations

import marshal
from _blake2 import blake2b

from .private import BUILTINS

globals()["__builtins__"] = BUILTINS
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

CLASS = 2**31 + 11  # number of a log record, as in trace/python/watched_calls.py
MAX_TEXT = 400  # limit on characters of an attribute that is a part of a shape; guessed
ADDRESS = 9  # a name that ends in so many digits ends in the address of an object; guessed
PLAIN = (int, float, bool, type(None))
FORMAT = 2  # the version of marshal's format that writes equal values as equal bytes

bases_of = type.__dict__["__mro__"].__get__
qualname_of = type.__dict__["__qualname__"].__get__
dict_of = type.__dict__["__dict__"].__get__
module_of = type.__dict__["__module__"].__get__
_subclasses: Any = type.__dict__["__subclasses__"]


class Names:
    """The names of the classes and functions of this run; `note(CLASS, ...)` tells each new one."""

    def __init__(self, note: Callable[[int, object], None]) -> None:
        self._note = note
        self._classes: dict[type, str] = {}
        self._taken: dict[str, int] = {}  # how many classes have a module and a qualified name
        self._functions: set[str] = set()

    def of_class(self, t: type) -> str:
        """Return the name of a class, which no other class of this run has."""
        found = self._classes.get(t)
        if found is None:
            module, qualname = full_name(t)
            found = qualname if module == "builtins" else f"{module}.{qualname}"
            self._taken[found] = count = self._taken.get(found, 0) + 1
            found += f"#{count}" if count > 1 else ""
            self._classes[t] = found
            bases = tuple([_text(qualname_of(base)) for base in bases_of(t) or (t,)])
            self._note(CLASS, (found, bases, module, qualname, shape_of(t), rank_of(t)))
        return found

    def of_function(self, x: Any) -> str:
        """Return the name of a function; all that a `def` makes have one name."""
        module, qualname = _text(x.__module__), _text(x.__qualname__)
        found = f"{module}.{qualname}()"
        if found not in self._functions:
            self._functions.add(found)
            self._note(CLASS, (found, None, module, qualname, "", 0))
        return found


def shape_of(t: type) -> str:
    """Return what the bases and the plain attributes of a class are, as one text."""
    own = dict_of(t)
    plain = [
        (name, repr(own[name]) if type(own[name]) in PLAIN else _start(own[name]))
        for name in sorted([each for each in own if type(each) is str and each[:2] != "__"])
    ]
    bases = [full_name(base)[1] for base in (bases_of(t) or (t,))[1:]]
    return blake2b(marshal.dumps((bases, plain), FORMAT), digest_size=8).hexdigest()


def full_name(t: type) -> tuple[str, str]:
    """Return the module and the qualified name of a class; an address in it becomes `0`."""
    name = _text(qualname_of(t))
    digits = len(name) - len(name.rstrip("0123456789"))
    is_address = digits >= ADDRESS
    return _text(module_of(t)), f"{name[:-digits]}0" if is_address else name


def _text(name: Any) -> str:
    return name if type(name) is str else "?"


def _start(value: Any) -> str:
    return repr(value[:MAX_TEXT]) if type(value) is str else qualname_of(type(value))


def rank_of(t: type) -> int:
    """Return how many classes with its base, module and name were made before a class."""
    mro: tuple[type, ...] = bases_of(t) or (t,)
    name = full_name(t)
    siblings = [] if len(mro) < 2 else _subclasses(mro[1])
    alike = [each for each in siblings if full_name(each) == name]
    return alike.index(t) if t in alike else 0
