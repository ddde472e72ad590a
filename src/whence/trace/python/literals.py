"""Which literals of a Python test are inputs?

In a test, literals are inputs: `assert parse("a,b") == ...` has no other.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from whence.inputs import InputRange, InputSource, SourceKind
from whence.trace.python.program import PythonProgram

_TEST_FILE = re.compile(r"(test_.*|.*_test|test|tests|check.*)\.py")  # a file with a test

# In a copy of a script this module notes what its assertions see, in place of them.
OBSERVER = "_whence_seen"
_DISPLAYS = frozenset({"list", "set", "dict"})
WHOLE = -1  # in place of the number of a use: all uses of a display of constants


class Literals:
    """The literals of the test modules of a program, each an input of its own.

    A literal is identified by its function and by its number among the literals in it, so that
    edits elsewhere in the file leave its identity as it is.
    """

    def __init__(self, program: PythonProgram, files: Sequence[str]) -> None:
        """`files`: for each module, its path as a user writes it."""
        self._found: dict[int, list[InputRange]] = {}
        # By operation and number of a use; WHOLE stands for all uses of a display of constants.
        self.sources: dict[tuple[int, int], InputSource] = {}
        for number, function in enumerate(program.functions):
            if not _has_test(program, function.module):
                continue
            name = f"{files[function.module]}::{_qualified(program, number)}"
            count = 0
            for op in range(function.first_op, function.first_op + function.n_ops):
                for at, constant in _literals(program, op):
                    source = InputSource(SourceKind.LITERAL, name, count)
                    size = utf8_size(constant) if isinstance(constant, str | bytes) else 0
                    self._found.setdefault(op, []).append(InputRange(source, 0, size or 0))
                    self.sources[op, at] = source
                    count += 1

    def of(self, op: int) -> Sequence[InputRange]:
        return self._found.get(op, ())


def _literals(program: PythonProgram, op: int) -> Iterator[tuple[int, object]]:
    """Yield the literals that an operation uses, each with the number of its use.

    A list, set or dict of constants is one literal.
    """
    if _is_made_by_pytest(program, op):
        return
    uses = program.uses[op]
    constants = [program.constant(op, use) if use is not None and use < 0 else None for use in uses]
    if (
        program.opcode[op] in _DISPLAYS
        and uses
        and all(use is not None and use < 0 for use in uses)
    ):
        yield WHOLE, tuple(constants)
        return
    for at, constant in enumerate(constants):
        if constant is not None:
            yield at, constant


def _has_test(program: PythonProgram, module: int) -> bool:
    """Is the module a test: by the name of its file, or a script with assertions?"""
    one = program.modules[module]
    if _TEST_FILE.fullmatch(posixpath.basename(one.file)):
        return True
    if one.name != "__main__":
        return False
    following = program.modules[module + 1].base if module + 1 < len(program.modules) else None
    ops = range(one.base, len(program.opcode) if following is None else following)
    return any(_is_assertion(program, op) for op in ops)


def _is_assertion(program: PythonProgram, op: int) -> bool:
    if program.opcode[op] == "raise":
        return program.name[op] == "assert"
    return program.opcode[op] == "import_from" and program.name[op] == f"{OBSERVER}:{OBSERVER}"


def _is_made_by_pytest(program: PythonProgram, op: int) -> bool:
    """Is the operation a part of what pytest puts in place of an assertion to describe it?

    Such an operation stands where the statement does; so do the stores of the operands.
    """
    return (program.text[op] or "").startswith("assert ") and program.opcode[op] != "store"


def _qualified(program: PythonProgram, function: int) -> str:
    """Return the name of a function with those of the functions and classes around it."""
    names: list[str] = []
    while function >= 0:
        names.append(program.functions[function].name)
        function = program.functions[function].parent
    return ".".join(reversed(names[:-1])) or names[-1]


def utf8_size(literal: str | bytes) -> int:
    """Return the number of bytes of a literal, a string in UTF-8."""
    return len(literal.encode("utf-8", "surrogatepass") if isinstance(literal, str) else literal)
