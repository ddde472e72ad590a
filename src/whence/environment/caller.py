"""Which line of the program made a call?

In a Python program, a signal at the call makes the interpreter print where it is (faulthandler).
In a compiled one, addr2line looks up the addresses on the stack in the debug information.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from whence.environment.log import Stack
from whence.subject.elf import address_at

TELLS_WHERE = {"PYTHONFAULTHANDLER": "1"}  # a Python program with it prints where it was aborted
_FRAME = re.compile(r'^  File "(.+)", line (\d+) in (.+)$', re.MULTILINE)
_DUMP = re.compile(r"^(?:Current thread|Stack) .*\(most recent call first\):\n", re.MULTILINE)
_LIBRARY = re.compile(r"^<frozen |/lib/python3[^/]*/")
_MAPPING = re.compile(rb"^([0-9a-f]+)-([0-9a-f]+) r.x. ([0-9a-f]+) \S+ \d+ +(/.+)$", re.MULTILINE)
_SYSTEM = ("/lib/", "/lib64/", "/usr/lib/")  # libraries, whose lines say nothing to a user
_MAX_ADDRESSES = 64  # of the stack that are looked up; guessed
_SECONDS = 20  # for addr2line; guessed


@dataclass(frozen=True, slots=True)
class CallSite:
    """The line and the function from which a call was made."""

    file: str
    line: int
    function: str

    @property
    def words(self) -> str:
        return f"{self.file}:{self.line} in {self.function}"


def is_python(program: str) -> bool:
    """Is this the path of a Python interpreter?"""
    return re.fullmatch(r"python[0-9.]*", Path(program).name) is not None


def python_call_site(output: bytes) -> CallSite | None:
    """Return the line of an aborted Python program; lines of libraries count only without others.

    `output` is what the program printed last.
    """
    text = output.decode(errors="replace")
    start = _DUMP.search(text)
    if start is None:
        return None
    own = text[start.end() :].split("\n\n", 1)[0]
    frames = [CallSite(file, int(line), name) for file, line, name in _FRAME.findall(own)]
    of_program = [frame for frame in frames if not _LIBRARY.search(frame.file)]
    return next(iter(of_program or frames), None)


# --- compiled programs ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Mapping:
    """Code of a file in the memory of a process."""

    start: int
    stop: int
    offset: int
    file: str


def compiled_call_site(stack: Stack) -> CallSite | None:
    """Return the innermost line on the stack that debug information knows."""
    if not shutil.which("addr2line"):
        return None
    mappings = [
        _Mapping(int(start, 16), int(stop, 16), int(offset, 16), path.decode(errors="replace"))
        for start, stop, offset, path in _MAPPING.findall(stack.maps)
        if not path.decode(errors="replace").startswith(_SYSTEM)
    ]
    contents = {one.file: _content(one.file) for one in mappings}
    for mapping, offset in list(_return_addresses(stack, mappings, contents))[:_MAX_ADDRESSES]:
        address = address_at(contents[mapping.file], offset)
        site = None if address is None else _looked_up(mapping.file, address - 1)
        if site is not None:
            return site
    return None


def _content(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError:  # it was deleted, or is not a file
        return b""


def _return_addresses(
    stack: Stack, mappings: Sequence[_Mapping], contents: dict[str, bytes]
) -> Iterator[tuple[_Mapping, int]]:
    """Yield the places in files behind calls, the innermost first: where functions return to."""
    for at in range(0, len(stack.content) - 7, 8):
        word = int.from_bytes(stack.content[at : at + 8], "little")
        for mapping in mappings:
            if mapping.start < word <= mapping.stop:
                offset = word - mapping.start + mapping.offset
                if _follows_call(contents[mapping.file], offset):
                    yield mapping, offset


def _follows_call(code: bytes, offset: int) -> bool:
    """Does a call instruction end at this place: E8, or FF /2 through a register or memory?"""
    if code[offset - 5 : offset - 4] == b"\xe8":
        return True
    return any(
        code[offset - size] == 0xFF and code[offset - size + 1] & 0x38 == 0x10
        for size in (2, 3, 4, 6, 7)
        if offset >= size and offset - size + 1 < len(code)
    )


def _looked_up(file: str, address: int) -> CallSite | None:
    done = subprocess.run(
        ["addr2line", "-f", "-C", "-e", file, hex(address)],
        capture_output=True, text=True, check=False, timeout=_SECONDS, errors="replace",
    )  # fmt: skip
    lines = done.stdout.splitlines()
    place = re.match(r"(.+):(\d+)(?: |$)", lines[1]) if len(lines) == 2 else None
    if place is None or place[1] == "??" or place[2] == "0":
        return None
    return CallSite(place[1], int(place[2]), lines[0])
