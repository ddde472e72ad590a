"""Which parameters and results do the recorded functions of a C program have?"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from whence.frontend.c import ir
from whence.frontend.c.debug import DebugType
from whence.program.ids import Op
from whence.program.source import shown_path
from whence.trace.c.image import CImage


@dataclass(frozen=True, slots=True)
class CParameter:
    """A parameter: its name, its type, and the operation whose value it is at the start."""

    name: str
    type: DebugType | None
    op: Op  # the store of the parameter into its variable


@dataclass(frozen=True)
class CFunction:
    """A function of a C program, as far as its calls are compared."""

    name: str
    file: str
    line: int  # of its name
    params: tuple[CParameter, ...]
    result: DebugType | None  # None: void
    returned_in: int | None = None  # the number of the argument that points to a large result
    in_memory: dict[int, tuple[str, DebugType | None]] = field(default_factory=dict)
    # `in_memory`: arguments that are copies of structures, by number


class CFunctions:
    """The functions of a program, each read when it is needed."""

    def __init__(self, image: CImage) -> None:
        self._image = image
        self._known: dict[int, CFunction | None] = {}

    def function(self, number: int) -> CFunction | None:
        """Return a function; None if it has no debug information."""
        if number not in self._known:
            self._known[number] = self._read(number)
        return self._known[number]

    @cached_property
    def _spoken(self) -> list[str]:
        return self._image.spoken_names

    def _read(self, number: int) -> CFunction | None:
        image = self._image
        first = int(image.code.function_first_op[number])
        source, local = image.locate(Op(first))
        body, debug = source.function(local), source.names.debug
        described = debug.subprogram(body.subprogram)
        if described is None:
            return None
        signature = described.type.signature if described.type else ()
        stores = {
            (i.operands[0].value, i.operands[1].value): Op(first + offset)
            for offset, i in enumerate(body.blocks[0].instructions)
            if i.opcode == "store"
        }
        named: dict[int, CParameter] = {}
        in_memory: dict[int, tuple[str, DebugType | None]] = {}
        for declare in body.declares:
            variable = debug.variable(declare.variable)
            if variable is None or not variable.arg or not isinstance(declare.address, ir.Local):
                continue
            for place, param in enumerate(body.parameters):
                op = stores.get((ir.Local(param.name), declare.address))
                is_reference = "DW_OP_deref" in declare.expression  # a class that is not copied
                if op is not None and is_reference:
                    in_memory[place] = (variable.name, variable.type)
                elif op is not None:
                    named[place] = CParameter(variable.name, variable.type, op)
                elif param.name == declare.address.name:
                    in_memory[place] = (variable.name, variable.type)
        unnamed = (
            (place, CParameter(f"argument {place + 1}", None, stores[key]))
            for place, param in enumerate(body.parameters)
            if place not in named and place not in in_memory
            for key in stores if key[0] == ir.Local(param.name)
        )  # fmt: skip
        named |= {place: parameter for place, parameter in unnamed if place not in named}
        sret = next((n for n, param in enumerate(body.parameters) if param.sret), None)
        return CFunction(
            self._spoken[number], shown_path(described.file), described.line,
            tuple(named[place] for place in sorted(named)), signature[0] if signature else None,
            sret, in_memory,
        )  # fmt: skip
