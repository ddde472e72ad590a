"""Which name does the source give to a function that only its mangled name describes?

A function that is declared, not defined, has no debug information.  Only its scopes and its own
name are read from the mangled name; the types of template arguments and parameters are skipped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_OPERATORS = {
    "nw": "new", "na": "new[]", "dl": "delete", "da": "delete[]", "ps": "+", "ng": "-", "ad": "&",
    "de": "*", "co": "~", "pl": "+", "mi": "-", "ml": "*", "dv": "/", "rm": "%", "an": "&",
    "or": "|", "eo": "^", "aS": "=", "pL": "+=", "mI": "-=", "mL": "*=", "dV": "/=", "rM": "%=",
    "aN": "&=", "oR": "|=", "eO": "^=", "ls": "<<", "rs": ">>", "lS": "<<=", "rS": ">>=",
    "eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">=", "ss": "<=>", "nt": "!",
    "aa": "&&", "oo": "||", "pp": "++", "mm": "--", "cm": ",", "pm": "->*", "pt": "->", "cl": "()",
    "ix": "[]",
}  # fmt: skip
_STANDARD = {
    "Sa": "allocator", "Sb": "basic_string", "Ss": "string", "Si": "istream", "So": "ostream",
    "Sd": "iostream",
}  # fmt: skip
# Names of the standard library's headers that its users write in another way.
_USUAL = {"basic_string": "string", "basic_ostream": "ostream", "basic_istream": "istream",
          "basic_ostringstream": "ostringstream", "basic_istringstream": "istringstream",
          "basic_stringstream": "stringstream", "basic_string_view": "string_view"}  # fmt: skip
_VERSIONS = re.compile(r"__\w+")  # inline namespaces such as std::__cxx11 and std::__1
_QUALIFIERS = "rVKPROCG"
_MAX_DEPTH = 200  # limit on nested types; guessed


@dataclass(frozen=True, slots=True)
class MangledName:
    """The name of a function and of what it is declared in."""

    scopes: tuple[str, ...]
    name: str
    is_method: bool = False  # is the innermost scope surely a class?
    is_constructor: bool = False

    @property
    def text(self) -> str:
        return "::".join((*self.scopes, self.name))


@lru_cache(maxsize=4096)
def read_mangled_name(symbol: str) -> MangledName | None:
    """Return what a mangled name says; None if it is not understood."""
    if not symbol.startswith("_Z") or symbol.startswith("_ZT"):
        return None
    try:
        return _Reader(symbol, 2).name()
    except (IndexError, ValueError):
        return None


# Types of the language, as the names of their `type_info` spell them.
_BASIC_TYPES = {
    "b": "bool", "c": "char", "a": "signed char", "h": "unsigned char", "s": "short",
    "t": "unsigned short", "i": "int", "j": "unsigned int", "l": "long", "m": "unsigned long",
    "x": "long long", "y": "unsigned long long", "f": "float", "d": "double", "v": "void",
}  # fmt: skip


def type_of_symbol(symbol: str) -> str | None:
    """Return the type that a table of virtual functions or a `type_info` belongs to.

    None: the symbol is neither, or its type is not understood.
    """
    if symbol[:4] not in ("_ZTV", "_ZTI"):
        return None
    return _type_name(symbol[4:])


def _type_name(code: str) -> str | None:
    if code in _BASIC_TYPES:
        return _BASIC_TYPES[code]
    if code[:1] in ("P", "K"):
        inner = _type_name(code[1:])
        if inner is None:
            return None
        return f"const {inner}" if code[0] == "K" else f"{inner} *".replace("* *", "**")
    found = read_mangled_name(f"_Z{code}")
    return found.text if found is not None else None


class _Reader:
    """Reads the name of a function from left to right."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at = text, at
        self.depth = 0

    def name(self) -> MangledName:
        if self._skip("N"):
            return self._nested()
        parts = ["std"] if self._skip("St") else []
        self._skip("L")
        own = self._unqualified(parts)
        if own is None:
            raise ValueError
        return MangledName(tuple(parts), own)

    def _nested(self) -> MangledName:
        is_method = False
        while self.text[self.at] in "rVKRO":
            is_method |= self.text[self.at] in "VKRO"
            self.at += 1
        parts: list[str] = []
        kinds: list[str] = []
        while not self._skip("E"):
            kinds.append(self._part(parts))
        if not parts:
            raise ValueError
        is_constructor = kinds[-1] == "constructor"
        named = [kind for kind in kinds if kind != "arguments"]
        # A scope with template arguments is a class, and so are std::string and the streams.
        before_last = len(kinds) - 1 - (kinds[-1] == "arguments")
        is_method |= before_last > 0 and kinds[before_last - 1] in ("arguments", "class")
        is_method |= named[-1] in ("constructor", "destructor")
        scopes = [part for part in parts[:-1] if not _VERSIONS.fullmatch(part)]
        if scopes[:1] == ["std"]:
            scopes = [_USUAL.get(scope, scope) for scope in scopes]
        name = parts[-1]
        if is_constructor:
            name = scopes[-1] if scopes else name
        return MangledName(tuple(scopes), name, is_method, is_constructor)

    def _part(self, parts: list[str]) -> str:
        """Read one part of a nested name into `parts`; return what it is."""
        two = self.text[self.at : self.at + 2]
        if two == "St":
            self.at += 2
            parts.append("std")
            return "namespace"
        if two in _STANDARD:
            self.at += 2
            parts += ["std", _STANDARD[two]]
            return "class"
        if self.text[self.at] == "S":
            raise ValueError  # an earlier part: which one is not known here
        if self.text[self.at] == "I":
            self._arguments()
            return "arguments"
        if re.fullmatch(r"C[1-5]", two):
            self.at += 2
            parts.append(parts[-1])
            return "constructor"
        if re.fullmatch(r"D[0-5]", two):
            self.at += 2
            parts.append(f"~{_USUAL.get(parts[-1], parts[-1])}")
            return "destructor"
        self._skip("L")
        own = self._unqualified(parts)
        if own is None:
            raise ValueError
        parts.append(own)
        return "name"

    def _unqualified(self, _parts: list[str]) -> str | None:
        """Read a word or an operator, with the tags of its ABI."""
        found = re.compile(r"\d+").match(self.text, self.at)
        if found:
            end = found.end() + int(found[0])
            word = self.text[found.end() : end]
            if len(word) < int(found[0]):
                raise ValueError
            self.at = end
        else:
            two = self.text[self.at : self.at + 2]
            if two == "cv":
                self.at += 2
                self._type()
                word = "operator conversion"
            elif two in _OPERATORS:
                self.at += 2
                operator = _OPERATORS[two]
                word = f"operator{' ' if operator[0].isalpha() else ''}{operator}"
            else:
                return None
        while self._skip("B"):  # an ABI tag
            self._unqualified(_parts)
        return word

    # --- what is skipped -------------------------------------------------------------------------

    def _skip(self, what: str) -> bool:
        if not self.text.startswith(what, self.at):
            return False
        self.at += len(what)
        return True

    def _arguments(self) -> None:
        """Skip template arguments: I…E, or a pack J…E."""
        self.at += 1
        while not self._skip("E"):
            self._argument()

    def _argument(self) -> None:
        here = self.text[self.at]
        if here == "J":
            self._arguments()
        elif here == "L":
            self._literal()
        elif here == "X":
            raise ValueError  # an expression
        else:
            self._type()

    def _literal(self) -> None:
        self.at += 1
        if self._skip("_Z"):
            raise ValueError
        self._type()
        self.at = self.text.index("E", self.at) + 1

    def _type(self) -> None:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise ValueError
        here, two = self.text[self.at], self.text[self.at : self.at + 2]
        if here in _QUALIFIERS:
            self.at += 1
            self._type()
        elif here == "D" and two != "Dp":
            if two in ("DT", "Dt"):
                raise ValueError
            self.at += 2
        elif two == "Dp":
            self.at += 2
            self._type()
        elif here in "FM":
            self.at += 1
            if here == "M":
                self._type()
                self._type()
            else:
                while not self._skip("E"):
                    self._type()
        elif here == "A":
            self.at = self.text.index("_", self.at) + 1
            self._type()
        elif here == "T" or (here == "S" and two not in {*_STANDARD, "St"}):
            self.at = self.text.index("_", self.at) + 1
            self._template_arguments()
        elif here == "N":
            self.at += 1
            self._scoped_type()
        elif here == "S" or here.isdigit():
            if two in _STANDARD:
                self.at += 2
            else:
                self._skip("St")
                self._word()
            self._template_arguments()
        elif here.islower():
            self.at += 1
        else:
            raise ValueError
        self.depth -= 1

    def _word(self) -> None:
        if self._unqualified([]) is None:
            raise ValueError

    def _template_arguments(self) -> None:
        if self.text[self.at : self.at + 1] == "I":
            self._arguments()

    def _scoped_type(self) -> None:
        while not self._skip("E"):
            here, two = self.text[self.at], self.text[self.at : self.at + 2]
            if here in "rVK" or two in {*_STANDARD, "St"}:
                self.at += 1 if here in "rVK" else 2
            elif here in "ST":
                self.at = self.text.index("_", self.at) + 1
            elif here == "I":
                self._arguments()
            elif two in ("Ul", "Ut"):
                self._unnamed(two)
            else:
                self._skip("L")
                self._word()

    def _unnamed(self, kind: str) -> None:
        self.at += 2
        if kind == "Ul":
            while not self._skip("E"):
                self._type()
        self.at = self.text.index("_", self.at) + 1
