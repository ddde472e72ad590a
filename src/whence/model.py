"""The nouns that every phase shares: Change, Outcome, Failure, Run, Statement, Cause."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import NewType, Protocol

from whence.inputs import InputRange

ChangeId = NewType("ChangeId", int)  # index into one list of changes; means nothing in another

Reverted = frozenset[ChangeId]
"""A variant: the bad version with these changes reverted.

Nothing reverted is the bad version itself, everything reverted is the good one."""


class ChangeKind(Enum):
    """What a change does to the tree."""

    EDIT = "edit"  # some lines of a text file
    ADD = "add"  # a file that only the bad version has
    DELETE = "delete"  # a file that only the good version has
    RENAME = "rename"  # the path alone; edits inside the file are changes of their own
    MODE = "mode"  # the executable bit alone
    REPLACE = "replace"  # binary content, a symlink's target, a file that became something else


@dataclass(frozen=True, slots=True)
class Span:
    """`count` lines from line `start` on (1-based); with no lines, the place after line `start`.

    The same convention as in a unified diff with no context.
    """

    start: int
    count: int

    @property
    def lines(self) -> range:
        return range(self.start, self.start + self.count)


@dataclass(frozen=True, slots=True)
class Change:
    """One independent edit between the good and the bad version."""

    id: ChangeId
    kind: ChangeKind
    file: str  # the path in the bad tree; in the good one if the file is gone
    old_file: str  # the path in the good tree; in the bad one if the file is new
    old: Span
    new: Span
    removed: bytes  # the old lines, for EDIT
    added: bytes  # the new lines, for EDIT
    block: int  # changes of the same block are pieces of one contiguous run of changed lines
    function: str | None = None  # the function that holds it, where we know the language


class Outcome(Enum):
    """How the test ended on a variant."""

    PASS = "pass"  # the test passes
    FAIL = "fail"  # the failure we look for
    OTHER = "other"  # fails, but differently
    BROKEN = "broken"  # does not build, takes too long, or cannot be judged


@dataclass(frozen=True, slots=True)
class Failure:
    """What a failing run says of itself.

    `signature` holds only what stays the same when unrelated code moves: no line numbers, no
    addresses, no values.  Two runs have the same failure if their signatures are equal.
    """

    kind: str  # assert, abort, crash, exit, output, exception, timeout
    message: str
    signature: str
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Complaint:
    """A compiler's or interpreter's message about a variant that does not hold together."""

    file: str | None  # relative to the tree
    line: int | None
    names: tuple[str, ...]  # the identifiers it speaks of
    text: str


@dataclass(frozen=True, slots=True)
class Run:
    """One test run of one variant."""

    outcome: Outcome
    failure: Failure | None = None
    complaints: tuple[Complaint, ...] = ()
    seconds: float = 0.0
    built: bool = False
    flaky: bool = False  # repeated runs of this same variant disagreed
    note: str = ""  # the last lines that a broken build or run printed
    output: bytes | None = None  # standard output, where it is what others are compared with
    covered: dict[str, frozenset[int]] | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Hunk:
    """Some old lines and what became of them."""

    old: Span
    new: Span
    removed: bytes
    added: bytes


@dataclass(frozen=True)
class Reported:
    """One change as the answer shows it: a change, or pieces that belong together."""

    id: ChangeId  # of its first piece
    ids: tuple[ChangeId, ...]
    file: str
    old_file: str
    kind: ChangeKind
    old: Span
    new: Span
    hunks: tuple[Hunk, ...]
    function: str | None


@dataclass(frozen=True)
class Result:
    """What a command found out, for every report alike."""

    command: str
    status: str  # explained, isolated or unexplained
    reason: str | None
    failure: Failure
    total: int
    executed: int | None
    root: tuple[Reported, ...]
    auxiliary: tuple[Reported, ...]
    alternatives: tuple[tuple[ChangeId, ...], ...]
    runs: int
    builds: int
    cached: int
    seconds: dict[str, float]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Statement:
    """A line of the program that ran, with what it computed the last time."""

    file: str
    line: int
    function: str
    text: str  # the source line; empty if we do not have the source
    values: dict[str, str] = field(default_factory=dict)  # as the programmer writes both
    instances: int = 1  # how often it ran
    passing: dict[str, str] = field(default_factory=dict)  # what a passing run had, if it differs


@dataclass(frozen=True)
class SliceResult:
    """What a point of a run depends on."""

    point: str  # in words
    statements: tuple[Statement, ...]  # distinct lines, by file and line
    order: tuple[Statement, ...]  # every execution, in order; empty unless asked for
    lines: int  # how many are in the slice; if not all are told, `statements` has those nearest
    near: frozenset[tuple[str, int]]  # file and line of those that a short report shows
    steps: int
    of_steps: int
    of_lines: int
    inputs: tuple[InputRange, ...]  # the input bytes that it depends on, by source
    relevant: bool
    seconds: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProcessSummary:
    """What one process of a recorded run did."""

    name: str  # of its folder in the trace
    pid: int
    command: tuple[str, ...]
    threads: int
    instructions: int
    events: int
    bytes: int
    functions: int  # that ran, of those recorded
    files: tuple[str, ...]
    inputs: tuple[InputRange, ...]  # the input bytes that it read, and its arguments
    ended: str  # "exit status 1", "killed by SIGSEGV"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class TraceSummary:
    """What a recording saw."""

    folder: str
    outcome: Outcome
    failure: Failure | None
    processes: tuple[ProcessSummary, ...]
    seconds: float  # of the recorded run
    notes: tuple[str, ...] = ()


class Influence(Enum):
    """How a predicate bears on the cause above it in a cause tree."""

    FAILURE = "failure"  # it is the failure itself
    DIRECT = "direct"  # it decided that a statement of that cause ran
    INDIRECT = "indirect"  # gone the other way, it could have changed what a statement read
    PREMISE = "premise"  # the proof of that cause rests on it
    ADDRESS = "address"  # it says which memory a statement read or wrote


class Mark(Enum):
    """What a user says of a cause."""

    BENIGN = "benign"  # it is as it should be: nothing that leads to it matters
    ROOT = "root"  # this is the fault


@dataclass(frozen=True)
class Predicate:
    """Something that held in the run, and that a cause explains."""

    file: str  # empty if the compiler did not say where
    line: int
    function: str
    text: str  # as the programmer writes it: `a * a != b * b + c * c`
    outcome: str  # "true", "false", "RIGHT", "3": what it was
    values: dict[str, str] = field(default_factory=dict)  # of the variables that it reads
    passing: str | None = None  # what it was in a passing run, if it differs
    passing_text: str | None = None  # how the passing version writes it, if it differs


@dataclass(frozen=True)
class Missing:
    """A statement that the passing run executed and the failing one did not."""

    statement: Statement  # with file and line of the passing version
    file: str  # where it would have run: after this line of the failing version
    line: int
    changes: tuple[ChangeId, ...] = ()  # those that removed it


@dataclass(frozen=True)
class Cause:
    """Why a predicate held: the statements that made it so."""

    id: int  # in order of discovery
    key: str  # the same for the same run, in whatever order the tree is walked
    parent: int | None
    level: int
    influence: Influence
    predicate: Predicate
    because: str  # a sentence; "`class` was RIGHT because line 10 set it"
    statements: tuple[Statement, ...]  # in the order in which they ran; the predicate's own last
    instances: int  # how many executed instructions those are
    times: int = 1  # how many turns of a loop it stands for
    also: tuple[int, ...] = ()  # other causes that its predicate bears on
    children: tuple[int, ...] | None = None  # the nearest first; None: not computed
    is_proved: bool = True  # False: the solver gave up, so statements may be in excess
    changes: tuple[ChangeId, ...] = ()
    missing: tuple[Missing, ...] = ()


class CauseTree(Protocol):
    """A cause tree that is computed on demand."""

    def cause(self, number: int, /) -> Cause:
        """Return the cause of this number; number 0 is the cause of the failure."""

    def children(self, number: int, /) -> tuple[int, ...]:
        """Return the causes below a cause; compute them, perhaps for seconds, if necessary."""

    def cancel(self) -> None:
        """Make `children`, under way in another thread, raise soon; else do nothing."""

    def mark(self, number: int, mark: Mark | None, /) -> None:
        """Mark a cause, or remove its mark."""

    @property
    def marks(self) -> dict[int, Mark]: ...

    def source(self, file: str, /) -> list[str]:
        """Return the lines of a source file; none if we do not have the file."""


@dataclass(frozen=True)
class WhyResult:
    """The cause tree of one failing run, as far as it was computed."""

    status: str  # explained or unexplained
    reason: str | None
    failure: Failure
    point: str  # the failure in words: "the failed assertion at shape.c:22"
    causes: tuple[Cause, ...]  # by number
    marks: dict[int, Mark]
    sources: dict[str, tuple[str, ...]]  # the lines of each file that a cause names
    of_steps: int  # how many instructions the thread executed
    of_lines: int
    solver_calls: int
    events: int
    seconds: dict[str, float]
    notes: tuple[str, ...] = ()


class LinkKind(Enum):
    """What a link of a chain tells."""

    CHANGE = "change"  # a changed statement ran
    MISSING = "missing"  # a statement did not run: it was removed, or control went elsewhere
    VALUE = "value"  # something was computed from what is wrong already
    BRANCH = "branch"  # a condition came out differently
    FAILURE = "failure"  # and so the test failed


@dataclass(frozen=True)
class Link:
    """One step of the damage on its way from a change to the failure."""

    step: LinkKind
    file: str
    line: int
    function: str
    text: str  # the source line; the passing version's if it is missing
    says: str  # a sentence
    failing: dict[str, str] = field(default_factory=dict)  # the values that differ
    passing: dict[str, str] = field(default_factory=dict)
    changes: tuple[ChangeId, ...] = ()  # of the root, that the line lies in
    cause: int | None = None  # the number of the cause that it is of
    times: int = 1


@dataclass(frozen=True)
class Alternative:
    """Another set of changes with which reverted the test passes."""

    root: tuple[Reported, ...]
    auxiliary: tuple[Reported, ...] = ()
    is_dodge: bool = False  # it only steers around code that is at fault
    why: str = ""  # a sentence: why another one comes first


@dataclass(frozen=True)
class Explanation:
    """Which changes broke the test, and how: all that `whence explain` found out."""

    result: Result
    chain: tuple[Link, ...] = ()  # in the order in which it happened; the failure comes last
    why: WhyResult | None = None  # the causes; None if nothing could be explained
    alternatives: tuple[Alternative, ...] = ()
    dodged: str | None = None  # a sentence, if reverting root only steers around the fault
    passing: str = "good"  # the run that other values are of: "good", or "reverted"
    sources: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of the passing version
    recorded: int = 0  # how many of the result's runs were recorded
