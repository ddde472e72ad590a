"""With which texts was a piece of input compared?

No input of the recorded length may be equal to the text: `center` is longer than `left`.  Then no
solver finds an input that turns the comparison, but the text itself is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from whence.inputs import InputByte, InputSource
from whence.paths.terms import Unknowns
from whence.program.ids import Step


@dataclass(frozen=True, slots=True)
class ComparedText:
    """The bytes of a source that a step compared with a constant text."""

    step: Step
    source: InputSource
    start: int
    stop: int
    text: bytes
    unknowns: int  # of the bytes

    def put_into(self, contents: bytes) -> bytes:
        """Return the contents of the source with the text in the place of what was compared."""
        return contents[: self.start] + self.text + contents[self.stop :]


def compared_text(
    step: Step, unknowns: Unknowns, characters: Sequence[int], text: bytes,
    ends: Mapping[InputSource, int] | None = None,
) -> ComparedText | None:  # fmt: skip
    """Return that characters were compared with a text, if they are input bytes in a row.

    Each of `characters` is the unknowns that one rests on.  `ends` are the lengths of the sources,
    if what was compared may reach beyond them.
    """
    found: list[InputByte] = []
    members = 0
    for bits in characters:
        own = [one.what for one in unknowns.members(bits)]
        if len(own) != 1 or not isinstance(own[0], InputByte):
            break
        byte = own[0]
        if ends is not None and byte.offset >= ends.get(byte.source, 0):  # the zero at its end
            break
        if found and (byte.source, byte.offset) != (found[0].source, found[-1].offset + 1):
            break
        found.append(byte)
        members |= bits
    if not found:
        return None
    start, stop = found[0].offset, found[-1].offset + 1
    return ComparedText(step, found[0].source, start, stop, text, members)
