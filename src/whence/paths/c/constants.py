"""What did constant tables of a C program hold?"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from whence.frontend.c import ir
from whence.frontend.c.layout import Layout
from whence.trace.c.replayed import ReplayedLog


class ConstantMemory:
    """The static variables of a process, as they were before the run."""

    def __init__(self, thread: ReplayedLog) -> None:
        self._thread = thread

    def around(self, address: int) -> tuple[int, int] | None:
        """Return where the static variable at an address begins, and its size."""
        at = bisect_right(self._areas, address, key=lambda area: area[0]) - 1
        if at < 0:
            return None
        start, size, _ = self._areas[at]
        return (start, size) if address < start + size else None

    def read(self, address: int, size: int) -> bytes | None:
        """Return bytes of a constant; None if they are not known."""
        at = bisect_right(self._areas, address, key=lambda area: area[0]) - 1
        if at < 0:
            return None
        start, _, contents = self._areas[at]
        found = None if contents is None else contents[address - start :][:size]
        return found if found is not None and len(found) == size else None

    def is_constant(self, address: int) -> bool:
        """Is an address in a variable that never changes, such as a string of the source?"""
        found = self.around(address)
        return found is not None and found[0] in self._unchanging

    @cached_property
    def _unchanging(self) -> set[int]:
        """The addresses of variables that are constant."""
        found: set[int] = set()
        image = self._thread.image
        for module, loaded in zip(image.modules, image.process.modules, strict=True):
            names = module.description.names
            rows = module.description.arrays["symbols"]["name"].tolist()
            for row, address in zip(rows, loaded.addresses, strict=True):
                variable = module.module.variables.get(names[row])
                if variable is not None and variable.constant:
                    found.add(address)
        return found

    @cached_property
    def _areas(self) -> list[tuple[int, int, bytes | None]]:
        """The static variables by address: (address, size, contents if known)."""
        image = self._thread.image
        found: dict[int, tuple[int, int, bytes | None]] = {
            area.address: (area.address, area.size, area.contents) for area in image.program.initial
        }
        for module, loaded in zip(image.modules, image.process.modules, strict=True):
            names = module.description.names
            rows = module.description.arrays["symbols"]["name"].tolist()
            layout = Layout(module.module)
            for row, address in zip(rows, loaded.addresses, strict=True):
                variable = module.module.variables.get(names[row])
                if variable is None or not variable.constant or variable.initial is None:
                    continue
                size = layout.size(variable.type)
                contents = constant_bytes(layout, variable.type, variable.initial)
                found[address] = (address, size, contents)
        found.pop(0, None)
        return sorted(found.values())


def constant_bytes(layout: Layout, kind: ir.Type, value: ir.Value) -> bytes | None:
    """Return how a constant lies in memory; None if it holds an address."""
    size = layout.size(kind)
    if isinstance(value, ir.Zero | ir.Undefined):
        return bytes(size)
    if isinstance(value, ir.Bytes):
        return value.data.ljust(size, b"\0")
    if isinstance(value, ir.Int):
        stored = layout.store_size(kind)
        return (value.value & (1 << 8 * stored) - 1).to_bytes(stored, "little").ljust(size, b"\0")
    if isinstance(value, ir.Float):
        stored = layout.store_size(kind)
        return value.bits.to_bytes(stored, "little").ljust(size, b"\0")
    if isinstance(value, ir.Elements):
        return _elements(layout, kind, value)
    return None


def _elements(layout: Layout, kind: ir.Type, value: ir.Elements) -> bytes | None:
    found = bytearray(layout.size(kind))
    if isinstance(kind, ir.ArrayType):
        step = layout.size(kind.element)
        offsets: tuple[int, ...] = tuple(range(0, step * len(value.elements), step))
    else:
        offsets = layout.offsets(kind)
    for offset, element in zip(offsets, value.elements, strict=False):
        part = constant_bytes(layout, element.type, element.value)
        if part is None:
            return None
        found[offset : offset + len(part)] = part
    return bytes(found)
