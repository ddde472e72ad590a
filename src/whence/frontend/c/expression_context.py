"""Which names does the source give to the functions and globals of a module?"""

from __future__ import annotations

import re

from whence.frontend.c import ir, terms
from whence.frontend.c.bodies import FunctionBody
from whence.frontend.c.debug import Debug, Subprogram
from whence.frontend.c.mangled_names import read_mangled_name
from whence.frontend.c.objects import SourceObjects
from whence.frontend.c.terms import CTerm

_MANGLED = re.compile(r"(?:_ZT[VIST])?(?:_Z)?(?:N[KVr]*)?(St)?(?:L)?")


class ExpressionContext:
    """A module with the names that its source gives to things."""

    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self.debug = Debug(module.metadata)
        self.objects = SourceObjects(module, self.debug)
        self._bodies: dict[str, FunctionBody] = {}

    def body(self, function: str) -> FunctionBody:
        if function not in self._bodies:
            self._bodies[function] = FunctionBody(self.module.functions[function], self.debug)
        return self._bodies[function]

    def global_term(self, name: str) -> CTerm:
        """Return a global as an object, and a string literal as a value."""
        variable = self.module.variables.get(name)
        if variable is None:
            return CTerm(self.function_name(name), place=False)
        known = None if variable.debug is None else self.debug.global_variable(variable.debug)
        if known and known.name:
            return CTerm(known.name, terms.PRIMARY, known.type, place=True)
        if variable.constant and isinstance(variable.initial, ir.Bytes):
            text = terms.c_string(variable.initial.data.removesuffix(b"\0"))
            if known:
                return CTerm(text, terms.PRIMARY, known.type, place=True)
            return CTerm(text, opaque=True)
        # Of a variable that is defined elsewhere, such as `optind`, only the IR type is known.
        kind, seen = (known.type, None) if known else (None, variable.type)
        return CTerm(unmangled_name(name), terms.PRIMARY, kind, place=True, seen=seen)

    def subprogram(self, name: str) -> Subprogram | None:
        function = self.module.functions.get(name)
        return self.debug.subprogram(function.subprogram) if function else None

    def function_name(self, name: str) -> str:
        known = self.subprogram(name)
        return known.name if known else unmangled_name(name)


def unmangled_name(name: str) -> str:
    """Return the name in the source of a mangled or private name, as far as simple rules can tell.

    _ZN2ns3Foo3barEi  ->  ns::Foo::bar        __const.main.table  ->  table
    """
    mangled = read_mangled_name(name)
    if mangled is not None:
        return "::".join(mangled.scopes) if mangled.is_constructor else mangled.text
    if name.startswith(("_Zn", "_Zd")):
        return "operator new" if name[2] == "n" else "operator delete"
    if name.startswith("_Z"):
        at, parts = _MANGLED.match(name), list[str]()
        rest = name[at.end() :] if at else ""
        while found := re.match(r"\d+", rest):
            end = found.end() + int(found[0])
            parts.append(rest[found.end() : end])
            rest = rest[end:]
        names = [part for part in parts if part != "__1"]  # libc++ puts its version in names
        return "::".join((["std"] if at and at[1] else []) + names) if names else name
    if name.startswith("__const."):
        return name.rsplit(".", 1)[-1]
    return name
