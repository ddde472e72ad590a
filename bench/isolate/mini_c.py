"""Does a variant of a generated project compile?  Answers in milliseconds what a compiler would.

Only for the C that `bench.isolate.rewrites` writes: one statement a line, all functions take and
return int.  The complaints are those of gcc: unbalanced braces, undeclared and doubly declared
names, unknown fields, wrong numbers of arguments, arrays used as numbers.
`tests/bench/test_rewrites.py` compares it with the compiler.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from whence.model import Complaint

_INCLUDE = re.compile(r'^#include "(.*)"$', re.M)
_FUNCTION = re.compile(r"(?:static )?int (\w+)\(((?:int \w+(?:, )?)*|void)\)(;?)$")
_FIELD = re.compile(r"    int (\w+);$")
_GLOBAL = re.compile(r"(?:extern )?int (\w+);$")
_LOCAL = re.compile(r"    (?:int|struct \w+) (\w+)(\[1\])? = (.*);$")
_STRUCT = re.compile(r"struct (\w+) \{$")
_WORD = re.compile(r"(?<![\w.\"%\\])[A-Za-z_]\w*(\()?")
_MEMBER = re.compile(r"(\w+)\.(\w+)")
_CALL = re.compile(r"(\w+)\(([^()]*)\)")
_KEYWORDS = frozenset(
    [
        "int",
        "struct",
        "return",
        "if",
        "else",
        "for",
        "while",
        "static",
        "void",
        "extern",
        "printf",
        "puts",
        "stdio",
        "h",
        "d",
        "n",
    ]
)


@dataclass
class _Names:
    """What a source knows at file scope."""

    parameters: dict[str, int] = field(default_factory=dict)  # number of each function
    globals: set[str] = field(default_factory=set)
    fields: dict[str, set[str]] = field(default_factory=dict)  # by structure
    places: dict[str, tuple[str, int]] = field(default_factory=dict)  # of each prototype


def complaints_of(files: Mapping[str, str]) -> tuple[Complaint, ...]:
    """Return the errors in the first source that has any."""
    for name in sorted(files):
        if name.endswith(".c"):
            headers = _INCLUDE.findall(files[name])
            found = _check(name, files[name], tuple((h, files.get(h, "")) for h in headers))
            if found:
                return found
    return ()


@cache
def _check(name: str, text: str, headers: tuple[tuple[str, str], ...]) -> tuple[Complaint, ...]:
    return tuple(_Source(name, dict(headers) | {name: text}).check())


class _Source:
    def __init__(self, name: str, files: Mapping[str, str]) -> None:
        self._files = files
        self._file = name
        self._known = _Names()
        self._found: list[Complaint] = []

    def check(self) -> list[Complaint]:
        lines = self._files[self._file].split("\n")
        for line in lines:
            if line.startswith('#include "'):
                self._declare(line.split('"')[1])
        number = 0
        while number < len(lines):
            line = lines[number]
            function = _FUNCTION.match(line)
            if function and not function[3]:
                self._head(function, self._file, number + 1)
                number = self._body(lines, number + 1, function[2])
                continue
            if (declared := _GLOBAL.match(line)) is not None:
                self._known.globals.add(declared[1])
            elif line and line[0] in " }":
                word = line.split()[0]
                self._complain(number + 1, (word,), f"expected identifier or '(' before '{word}'")
                return self._found  # what follows is a consequence
            number += 1
        return self._found

    def _complain(self, line: int, names: tuple[str, ...], text: str, file: str = "") -> None:
        names = tuple(name for name in names if re.fullmatch(r"\w+", name))
        self._found.append(Complaint(file or self._file, line, names, text))

    def _declare(self, header: str) -> None:
        inside: str | None = None
        for number, line in enumerate(self._files.get(header, "").split("\n"), 1):
            if struct := _STRUCT.match(line):
                inside = struct[1]
                self._known.fields[inside] = set()
            elif line == "};":
                inside = None
            elif inside and (member := _FIELD.match(line)):
                self._known.fields[inside].add(member[1])
            elif function := _FUNCTION.match(line):
                self._head(function, header, number)
            elif declared := _GLOBAL.match(line):
                self._known.globals.add(declared[1])

    def _head(self, function: re.Match[str], file: str, line: int) -> None:
        name = function[1]
        count = 0 if function[2] == "void" else function[2].count("int ")
        known = self._known.parameters.get(name)
        if known is not None and known != count:
            self._complain(line, (name,), f"conflicting types for '{name}'", file)
            at = self._known.places[name]
            self._complain(at[1], (name,), f"previous declaration of '{name}'", at[0])
        self._known.parameters.setdefault(name, count)
        self._known.places.setdefault(name, (file, line))

    def _body(self, lines: list[str], first: int, parameters: str) -> int:
        """Check a function from its opening brace; return the index of the line after it."""
        declared = dict.fromkeys(re.findall(r"int (\w+)", parameters), "int")
        complained: set[str] = set()
        depth = 0
        has_if = False
        for index in range(first, len(lines)):
            line = lines[index]
            if line == "}" and depth == 1:
                return index + 1
            if line.lstrip().startswith("else") and not has_if:
                self._complain(index + 1, ("else",), "'else' without a previous 'if'")
            has_if = bool(lines[index - 1].lstrip().startswith("if ")) or (has_if and line == "")
            if _FUNCTION.match(line):
                self._complain(index + 2, (), "function definition is not allowed here")
                self._complain(len(lines), (), "expected '}'")
                return len(lines)
            depth += line.count("{") - line.count("}")
            if depth <= 0:
                return index + 1
            self._statement(line, index + 1, declared, complained)
        self._complain(len(lines), (), "expected declaration or statement at end of input")
        return len(lines)

    def _statement(
        self, line: str, number: int, declared: dict[str, str], complained: set[str]
    ) -> None:
        if local := _LOCAL.match(line):
            name = local[1]
            if name in declared:
                self._complain(number, (name,), f"redefinition of '{name}'")
            declared[name] = "array" if local[2] else line.split()[1] if "struct" in line else "int"
            line = local[3]
        for owner, member in _MEMBER.findall(line):
            struct = declared.get(owner)
            if struct is not None and member not in self._known.fields.get(struct, ()):
                text = f"'struct {struct}' has no member named '{member}'"
                self._complain(number, (member, struct), text)
        for word in _WORD.finditer(line):
            name = word[0].rstrip("(")
            if name in _KEYWORDS or name in complained:
                continue
            if word[1]:
                self._call(name, line, number)
            elif declared.get(name) == "array" and not line[word.end() :].startswith("["):
                self._complain(number, (), "invalid operands: an array is used as a number")
            elif declared.get(name, "array") != "array" and line[word.end() :].startswith("["):
                text = "subscripted value is neither array nor pointer nor vector"
                self._complain(number, (), text)
            elif name not in declared and name not in self._known.globals:
                complained.add(name)
                self._complain(number, (name,), f"'{name}' undeclared (first use in this function)")

    def _call(self, name: str, line: str, number: int) -> None:
        if name not in self._known.parameters:
            self._complain(number, (name,), f"implicit declaration of function '{name}'")
            return
        for called, arguments in _CALL.findall(line):
            if called == name and arguments.count(",") + 1 != self._known.parameters[name]:
                few = "few" if arguments.count(",") + 1 < self._known.parameters[name] else "many"
                self._complain(number, (name,), f"too {few} arguments to function '{name}'")
                file, at = self._known.places[name]
                self._complain(at, (name,), "declared here", file)
                return
