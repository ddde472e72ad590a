"""What did memory hold at a step, and where was a variable then?"""

from __future__ import annotations

from whence.errors import UserError
from whence.frontend.c.ir import Global
from whence.frontend.c.tables import Code
from whence.frontend.c.variables import Place, Visible
from whence.trace.recording import Thread

POINTER = 8


class Memory:
    """The memory of a thread's process, as that thread left it."""

    def __init__(self, thread: Thread) -> None:
        self.thread = thread

    def read(self, address: int, size: int, before: int) -> bytes | None:
        """The bytes at an address just before a step; None where nobody told us."""
        found = bytearray(size)
        for run in self.thread.queries.last_write(address, size, before):
            part = self._written(address + run.offset, run.length, run.step)
            if part is None:
                return None
            found[run.offset : run.offset + run.length] = part
        return bytes(found)

    def _written(self, address: int, size: int, step: int) -> bytes | None:
        """What a step wrote there; step 0: what was there at the start."""
        if step == 0:
            return self._initial(address, size)
        op = self.thread.image.program.ops[self.thread.queries.op_of(step)]
        if op["code"] == Code.FILL:
            value = int(self.thread.replay.window(step, step + 1).value[0])
            return bytes([value & 0xFF]) * size
        if op["code"] != Code.STORE or op["c"]:
            return None
        start = address - int(self.thread.replay.window(step, step + 1).address[0])
        return self.thread.replay.wide(step)[start : start + size]

    def _initial(self, address: int, size: int) -> bytes | None:
        for area in self.thread.image.program.initial:
            start = address - area.address
            if area.contents is not None and start >= 0 and start + size <= area.size:
                return area.contents[start : start + size]
        return None

    def address_of(
        self, step: int, op: int, visible: Visible, place: Place, text: str
    ) -> tuple[int, int, list[int]]:
        """Where a variable's part is at a step, how big it is, and who wrote the pointers to it."""
        address = self._variable(step, op, visible, text)
        hops = (0, *place.hops) if visible.is_indirect else place.hops
        address += hops[0]
        followed: list[int] = []
        for hop in hops[1:]:
            pointer = self.read(address, POINTER, step + 1)
            if pointer is None:
                raise _unknown(text)
            written = self.thread.queries.last_write(address, POINTER, step + 1)
            followed += [run.step for run in written if run.step]
            address = int.from_bytes(pointer, "little") + hop
        size = place.type.size if place.type is not None else 1
        return address & 0xFFFFFFFFFFFFFFFF, max(size, 1), followed

    def _variable(self, step: int, op: int, visible: Visible, text: str) -> int:
        image = self.thread.image
        source, local = image.locate(op)
        if isinstance(visible.address, Global):
            for module, loaded in zip(image.modules, image.process.modules, strict=True):
                if module is source:
                    names = module.description.names
                    symbols = module.description.arrays["symbols"]["name"].tolist()
                    for row, name in enumerate(symbols):
                        if names[name] == visible.address.name:
                            return loaded.addresses[row]
            raise _unknown(text)
        number = source.register(local, visible.address.name)
        defined = None if number is None else self._defined(op - local + number, step)
        if defined is None:
            raise _unknown(text)
        return int(self.thread.replay.window(defined, defined + 1).value[0])

    def _defined(self, op: int, step: int) -> int | None:
        if self.thread.image.program.ops[op]["code"] == Code.LALLOCA:
            return None
        return self.thread.last_execution(op, step + 1)


def _unknown(text: str) -> UserError:
    return UserError(
        f"Where {text} was at that point cannot be told from the trace.\n"
        "Ask for a variable that a line near it reads or writes.",
        slug="unknown-place",
    )
