"""What can be changed in a run, and where?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MAX_INTERVENTIONS = 256  # in one run; the array in runtime/patch.c has this size
MAX_BYTES = 65536  # that all interventions of one run write together; as in runtime/patch.c


@dataclass(frozen=True, slots=True)
class RunPoint:
    """One execution of a store, branch or switch, the same in every run that is alike up to it."""

    thread: int  # the number of the thread's log
    offset: int  # how far the log had been written
    operation: int  # the function's identity and the operation's number in it


@dataclass(frozen=True, slots=True)
class FlipBranch:
    """A conditional branch goes the other way."""

    @property
    def text(self) -> str:
        return "flip"


@dataclass(frozen=True, slots=True)
class AlwaysSide:
    """A conditional branch goes to one side each time, from the point's offset on."""

    side: bool

    @property
    def text(self) -> str:
        return f"always={int(self.side)}"


@dataclass(frozen=True, slots=True)
class XorBytes:
    """A store leaves its bytes combined with these by exclusive or."""

    content: bytes

    @property
    def text(self) -> str:
        return f"xor={self.content.hex()}"


@dataclass(frozen=True, slots=True)
class SetBytes:
    """A store leaves these bytes, in the order in which they lie in memory.

    A `switch` decides by these bytes instead of its own.
    """

    content: bytes

    @property
    def text(self) -> str:
        return f"set={self.content.hex()}"


@dataclass(frozen=True, slots=True)
class KeepAddress:
    """The address that a store wrote to is kept in a slot, for a `PokeKept` later in the run."""

    slot: int

    @property
    def text(self) -> str:
        return f"keep={self.slot}"


@dataclass(frozen=True, slots=True)
class PokeKept:
    """Bytes are written at `offset` after an address that was kept.

    `is_address`: they are an address of the recorded run, and become that of the same object.
    """

    slot: int
    offset: int
    content: bytes
    is_address: bool = False

    @property
    def text(self) -> str:
        kind = "move" if self.is_address else "poke"
        return f"{kind}={self.slot}+{self.offset}={self.content.hex()}"


@dataclass(frozen=True, slots=True)
class PokeAt:
    """Bytes are written at an address of this process."""

    address: int
    content: bytes

    @property
    def text(self) -> str:
        return f"poke@{self.address}={self.content.hex()}"


@dataclass(frozen=True, slots=True)
class PokeRecorded:
    """Bytes are written at an address of the recorded run, which becomes that of the same object.

    `is_address`: the bytes are an address of the recorded run, too.
    """

    address: int
    content: bytes
    is_address: bool = False

    @property
    def text(self) -> str:
        kind = "move" if self.is_address else "poke"
        return f"{kind}~{self.address}={self.content.hex()}"


@dataclass(frozen=True, slots=True)
class WatchOperation:
    """Nothing changes; from the point's offset on, each value of its operation is reported.

    `is_address`: the value is an address, and reported as that of the same object in the recorded
    run.
    """

    is_address: bool = False

    @property
    def text(self) -> str:
        return "watch=address" if self.is_address else "watch"


Action = (
    FlipBranch
    | AlwaysSide
    | XorBytes
    | SetBytes
    | KeepAddress
    | PokeKept
    | PokeAt
    | PokeRecorded
    | WatchOperation
)


@dataclass(frozen=True, slots=True)
class Intervention:
    """One thing that a rerun does differently."""

    point: RunPoint
    action: Action


@dataclass(frozen=True, slots=True)
class WatchedValue:
    """What an operation stored or decided by, each time that a `WatchOperation` reported it."""

    offset: int  # how far the log had been written
    content: bytes


@dataclass(frozen=True, slots=True)
class PatchedProcess:
    """The process that interventions change: the one with this number that ran this program."""

    program: str  # the last part of its path
    number: int  # counted from 0

    @property
    def text(self) -> str:
        return f"{self.program}/{self.number}"


def encode_interventions(interventions: Sequence[Intervention], places: Sequence[int] = ()) -> str:
    """Return the interventions as the recording runtime reads them from $WHENCE_PATCH.

    `places` are those of the recorded process: addresses are relative to them.
    """
    written = sum(_size(intervention.action) for intervention in interventions)
    if len(interventions) > MAX_INTERVENTIONS or written > MAX_BYTES:
        raise ValueError(f"{len(interventions)} interventions of {written} bytes are too many")
    prefix = f"places={','.join(map(str, places))};" if places else ""
    return prefix + ";".join(
        f"{point.thread}:{point.offset}:{point.operation}:{action.text}"
        for point, action in ((each.point, each.action) for each in interventions)
    )


def _size(action: Action) -> int:
    if isinstance(action, FlipBranch | AlwaysSide | KeepAddress | WatchOperation):
        return 0
    return len(action.content)
