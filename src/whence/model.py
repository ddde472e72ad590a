"""Which nouns do all phases share?  Change, Outcome, Failure, Run, Statement, Cause and others."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import NewType, Protocol

from whence.inputs import InputRange

ChangeId = NewType("ChangeId", int)  # index into one list of changes; meaningless in another

Reverted = frozenset[ChangeId]
"""A variant: the bad version with these changes reverted.

The empty set is the bad version itself, the set of all changes is the good version."""


class ChangeKind(Enum):
    """What a change does to the tree."""

    EDIT = "edit"  # some lines of a text file
    ADD = "add"  # a file that only the bad version has
    DELETE = "delete"  # a file that only the good version has
    RENAME = "rename"  # only the path; edits inside the file are separate changes
    MODE = "mode"  # only the executable bit
    REPLACE = "replace"  # binary or generated content, a link's target, what became something else


@dataclass(frozen=True, slots=True)
class Span:
    """`count` lines from line `start` on (1-based); if `count` is 0, the place after `start`.

    This is the convention of a unified diff without context.
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
    file: str  # the path in the bad tree; in the good tree if the file was deleted
    old_file: str  # the path in the good tree; in the bad tree if the file is new
    old: Span
    new: Span
    removed: bytes  # the old lines, for EDIT
    added: bytes  # the new lines, for EDIT
    block: int  # changes of one block are pieces of the same contiguous changed lines
    function: str | None = None  # the function around the change, if we know the language
    # The change that added the moved code which this one edits.  If that is reverted, this one has
    # no effect.
    inside: ChangeId | None = None


class Outcome(Enum):
    """How the test ended on a variant."""

    PASS = "pass"  # the test passes
    FAIL = "fail"  # the failure that is to be explained
    OTHER = "other"  # another failure
    BROKEN = "broken"  # does not build, runs out of time, or cannot be judged


@dataclass(frozen=True, slots=True)
class Failure:
    """How a run failed.

    `signature` does not change when unrelated code moves: it has no line numbers, addresses or
    values.  Two runs have the same failure if their signatures are equal.
    """

    kind: str  # assert, abort, crash, exit, output, exception, timeout
    message: str
    signature: str
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Complaint:
    """A message of a compiler or interpreter about a variant that does not build or run."""

    file: str | None  # relative to the tree
    line: int | None
    names: tuple[str, ...]  # the identifiers that it mentions
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
    rejected: bool = False  # its changed sources do not compile, so it was not built
    note: str = ""  # the last lines that a broken build or run printed
    output: bytes | None = None  # standard output, if other runs are compared with it
    status: int = 0  # the exit status of such a run
    stopped_a_part: bool = False  # it passed although a `timeout` in the test stopped a program
    covered: dict[str, frozenset[int]] | None = field(default=None, compare=False)
    # Fingerprints of the files outside the tree that it read, and of variables; None: not known.
    reads: dict[str, str] | None = field(default=None, compare=False)
    # The changed files of the tree that it did not open: "asked" about, "listed" with their folder,
    # or ""; None: not known.
    unread: dict[str, str] | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Hunk:
    """Some old lines and the new lines that replaced them."""

    old: Span
    new: Span
    removed: bytes
    added: bytes


@dataclass(frozen=True)
class Reported:
    """One change as a report shows it: a change, or pieces that belong together."""

    id: ChangeId  # that of its first piece
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
    """What a command found out; all reports are made from it."""

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
    rejected: int = 0  # variants that were not built because their sources do not compile
    needs_all: bool = True  # does the test fail with any one change of the root left in?
    is_guess: bool = False  # is it a guess which of the reverted changes are the root?


@dataclass(frozen=True)
class Statement:
    """A line of the program that ran, with the values of its last execution."""

    file: str
    line: int
    function: str
    text: str  # the source line; empty if we do not have the source
    values: dict[str, str] = field(
        default_factory=dict
    )  # names and values as in the source language
    instances: int = 1  # number of executions
    passing: dict[str, str] = field(
        default_factory=dict
    )  # values in the passing run, if they differ


@dataclass(frozen=True)
class SliceResult:
    """What a point of a run depends on."""

    point: str  # a description
    statements: tuple[Statement, ...]  # distinct lines, by file and line
    order: tuple[Statement, ...]  # every execution, in order; empty unless requested
    lines: int  # in the slice; `statements` may hold only the nearest of them
    near: frozenset[tuple[str, int]]  # file and line of the lines that a short report shows
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
    functions: int  # recorded functions that ran
    files: tuple[str, ...]
    inputs: tuple[InputRange, ...]  # the input bytes that it read, and its arguments
    ended: str  # "exit status 1", "killed by SIGSEGV"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class TraceSummary:
    """A summary of a recording."""

    folder: str
    outcome: Outcome
    failure: Failure | None
    processes: tuple[ProcessSummary, ...]
    seconds: float  # of the recorded run
    notes: tuple[str, ...] = ()
    compilers: str | None = None  # which compilers and libraries built the program, in words


class Influence(Enum):
    """How a predicate bears on the cause above it in a cause tree."""

    FAILURE = "failure"  # it is the failure itself
    DIRECT = "direct"  # it decided that a statement of that cause ran
    INDIRECT = "indirect"  # by going the other way, it could have changed what a statement read
    PREMISE = "premise"  # the proof of that cause rests on it
    ADDRESS = "address"  # it says which memory a statement read or wrote


class Mark(Enum):
    """A user's verdict on a cause."""

    BENIGN = "benign"  # it is correct, so the causes below it do not matter
    ROOT = "root"  # this is the fault


@dataclass(frozen=True)
class Predicate:
    """A condition that held in the run, and that a cause explains."""

    file: str  # empty if the place is unknown
    line: int
    function: str
    text: str  # as the programmer writes it: `a * a != b * b + c * c`
    outcome: str  # its value: "true", "false", "RIGHT", "3"
    values: dict[str, str] = field(default_factory=dict)  # of the variables that it reads
    passing: str | None = None  # its value in the passing run, if it differs
    passing_text: str | None = None  # its text in the passing version, if it differs
    passing_values: dict[str, str] = field(default_factory=dict)  # those of `values` that differ


@dataclass(frozen=True)
class Missing:
    """A statement that only the passing run executed."""

    statement: Statement  # its file and line are those of the passing version
    file: str  # it would have run after this line of the failing version
    line: int
    changes: tuple[ChangeId, ...] = ()  # the changes that removed it, or added the jump
    jump: Statement | None = None  # the added jump of the failing version that avoided it
    elsewhere: bool = False  # did the failing run execute it at another time?


@dataclass(frozen=True)
class StaticRead:
    """A line that read the initial value of a static variable, perhaps through a pointer."""

    name: str  # of the variable
    file: str
    line: int


@dataclass(frozen=True)
class Cause:
    """Why a predicate held: the statements of its proof."""

    id: int  # in order of discovery
    key: str  # identifies the cause, in whatever order the tree is computed
    parent: int | None
    level: int
    influence: Influence
    predicate: Predicate
    because: str  # a sentence; "`class` was RIGHT because line 10 set it"
    statements: tuple[
        Statement, ...
    ]  # in the order in which they ran; that of the predicate is last
    instances: int  # number of executed instructions in the statements
    times: int = 1  # number of iterations of a loop that it stands for
    also: tuple[int, ...] = ()  # other causes that its predicate bears on
    children: tuple[int, ...] | None = None  # nearest first; None: not computed
    is_proved: bool = True  # False: the solver gave up, so some statements may be unnecessary
    is_cut: bool = False  # True: its proof is too long, and has only some of the statements
    changes: tuple[ChangeId, ...] = ()
    missing: tuple[Missing, ...] = ()
    about: tuple[str, int] | None = None  # file and line of the step that its predicate bears on
    static_reads: tuple[StaticRead, ...] = ()


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
    point: str  # a description of the failure: "the failed assertion at shape.c:22"
    causes: tuple[Cause, ...]  # sorted by number
    marks: dict[int, Mark]
    sources: dict[str, tuple[str, ...]]  # the lines of each file that a cause names
    of_steps: int  # instructions that the thread executed
    of_lines: int
    solver_calls: int
    events: int
    seconds: dict[str, float]
    notes: tuple[str, ...] = ()


class LinkKind(Enum):
    """What a link of a chain shows."""

    CHANGE = "change"  # a changed statement ran
    MISSING = "missing"  # a statement did not run: it was removed, or a branch avoided it
    VALUE = "value"  # a value was computed from wrong values
    BRANCH = "branch"  # a condition had another outcome
    FAILURE = "failure"  # the test failed


@dataclass(frozen=True)
class Link:
    """One statement of the chain from a change to the failure."""

    step: LinkKind
    file: str
    line: int
    function: str
    text: str  # the source line; that of the passing version if the statement is missing
    says: str  # a sentence
    failing: dict[str, str] = field(default_factory=dict)  # the values that differ
    passing: dict[str, str] = field(default_factory=dict)
    changes: tuple[ChangeId, ...] = ()  # changes of the root on this line
    cause: int | None = None  # the number of the cause that it belongs to
    times: int = 1
    before: str | None = None  # the line in the good version; "": it is new; None: it is the same
    gap: bool = False  # True: how the link before this one led here was not followed
    elsewhere: bool = False  # does the failing run execute a missing statement at another time?
    # With --prove: does the test pass with the fixed values put in here?  None: it was not tested.
    proved: bool | None = None
    proof: str = ""  # a sentence: what was tested, and how it ended


@dataclass(frozen=True)
class Alternative:
    """Another set of changes whose reverting makes the test pass."""

    root: tuple[Reported, ...]
    auxiliary: tuple[Reported, ...] = ()
    is_dodge: bool = False  # reverting it only avoids the faulty code
    why: str = ""  # a sentence: why another set is preferred


@dataclass(frozen=True)
class Explanation:
    """Which changes broke the test, and how: the full answer of `whence explain`."""

    result: Result
    chain: tuple[Link, ...] = ()  # in the order of execution; the failure is last
    why: WhyResult | None = None  # the cause tree; None if nothing could be explained
    alternatives: tuple[Alternative, ...] = ()
    dodged: str | None = None  # a sentence, if reverting the root only avoids the faulty code
    passing: str = (
        "good"  # which run passing values are from: "good", or "reverted" (the fixed run)
    )
    sources: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of the passing version
    recorded: int = 0  # number of the result's runs that were recorded
    proving_runs: int | None = None  # runs that tested the chain; None: it was not tested


@dataclass(frozen=True, slots=True)
class SetMember:
    """A variable or condition of a failure-inducing set, with its value in both runs."""

    name: str
    failing: str
    passing: str | None  # None: the passing run does not have it


@dataclass(frozen=True, slots=True)
class ChainLink:
    """One statement of a failure-inducing chain: what it set, and what was shown about it."""

    file: str
    line: int
    function: str
    text: str  # the source line
    members: tuple[SetMember, ...]
    is_proved: bool  # did reruns show that the links before it bring it about, and are needed?
    says: str  # a sentence: what it comes from, and how that was tested
    times: int = 1  # executions that it stands for
    is_root: bool = False
    is_failure: bool = False


@dataclass(frozen=True, slots=True)
class PassingRun:
    """The passing run that values came from."""

    by: str  # good, test, switch or value
    file: str | None = None  # of the switched branch, or of the step that gave another value
    line: int | None = None
    words: str = ""  # a clause, such as "with `x > 0` at m.c:7 false instead of true"


@dataclass(frozen=True)
class ChainResult:
    """How damage travelled to the failure, proved by reruns: the answer of `whence chain`."""

    status: str  # explained or unexplained
    reason: str | None
    failure: Failure
    point: str  # a description of the failure
    passing: PassingRun | None
    chain: tuple[ChainLink, ...]  # in the order of execution; the failure is last
    runs: int
    cached: int  # outcomes that were known from an earlier search
    seconds: dict[str, float]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EnvironmentAnswer:
    """One answer of the operating system, or one inherited value, that differs between machines.

    `difference` is a sentence; `good` and `bad` are the answers there (passes) and here (fails).
    """

    sentence: str
    call: str
    path: str | None
    variable: str | None
    process: str
    good: str
    bad: str
    difference: str
    line: int | None = None  # of the file here, from 1
    called_from: str | None = None  # the line of the program that made the call, if it is known
    verified: bool = False
    verified_by: str = ""


@dataclass(frozen=True, slots=True)
class EnvironmentResult:
    """What `whence environment` answers; `is_located` is False for a plain comparison."""

    answers: tuple[EnvironmentAnswer, ...]
    reason: str | None
    notes: tuple[str, ...]
    calls: int
    runs: int = 0
    seconds: float = 0.0
    is_located: bool = True
    empty_status: str = "unexplained"


@dataclass(frozen=True, slots=True)
class MadeTest:
    """A test that whence made and that runs without it."""

    command: str  # a shell command for the built tree
    argv: tuple[str, ...]
    stdin: str | None = None  # names of files in the folder of the tests
    files: dict[str, str] = field(default_factory=dict)  # by the path that each takes in the tree
    module: str | None = None  # a Python test module
    script: str | None = None  # runs the command in the tree that its argument names


@dataclass(frozen=True, slots=True)
class ExploredTest:
    """One class of inputs: a test with such an input, and what the program does."""

    id: int
    test: MadeTest
    condition: str  # in the words of the source: "x + y > 10 and x > y"
    result: str  # "prints x"
    exit: int
    output: str
    origin: tuple[int, int] | None  # the test and the number of its condition that was negated
    trouble: str | None = None  # a crash, a hang or the report of a sanitizer
    parts: tuple[str, ...] = ()  # of the condition, all of them
    own: str = ""  # the condition without what all classes share


@dataclass(frozen=True)
class ExploreResult:
    """What `whence explore` answers."""

    is_complete: bool
    reason: str | None  # why it stopped
    point: str  # what the classes are about: "the output", "the path"
    folder: str  # of the tests
    inputs: tuple[str, ...]  # that were free, in words
    tests: tuple[ExploredTest, ...]
    runs: int
    solver_calls: int
    infeasible: int
    unknown: int  # questions that the solver did not answer
    seconds: float
    notes: tuple[str, ...] = ()
    open_questions: int = 0  # that were not asked when it stopped
    shared: str = ""  # what the conditions of all classes have in common


class VersionName(Enum):
    """Which of the two versions or programs."""

    GOOD = "good"
    BAD = "bad"


@dataclass(frozen=True)
class Suspect:
    """A branch at which a program treats two inputs differently that the other treats alike."""

    version: VersionName  # whose branch it is
    file: str
    line: int
    function: str
    text: str  # the source line
    condition: str  # what the branch tests, in the words of the source
    because: str  # a sentence
    is_changed: bool  # does the line lie in a change?
    in_bad: tuple[str, int] | None  # file and line of the bad version where this line is, or was
    failing: dict[str, str]  # what the condition was computed from, with the failing test
    alternate: dict[str, str]  # the same, with the other input
    test: MadeTest  # the other input
    agrees: bool  # do both programs do the same with the other input?
    good: str  # how the good program ends with the other input
    bad: str
    edited: int  # bytes of the input that differ

    @property
    def is_validated(self) -> bool:
        """Was another input run?  Of a value that no input makes equal, there is none."""
        return self.edited > 0


@dataclass(frozen=True)
class DarwinResult:
    """What `whence darwin` answers."""

    suspects: tuple[Suspect, ...]  # the likeliest first
    reason: str | None  # why there are none
    failure: str  # how the two programs differ with the failing test
    notes: tuple[str, ...]
    by: str  # slice or path
    conditions: dict[str, int]  # by version: how many the input of the failing test fulfils
    questions: dict[str, int]  # how many ended at each step of the simplification
    dropped: int  # inputs that did not do what they were made for
    disagreeing: int  # branches whose input the programs still treat differently, and not shown
    runs: int
    solver_calls: int
    seconds: dict[str, float] = field(default_factory=dict)


class ContractVerdict(Enum):
    """What the calls of one function show about it."""

    SAME = "same"  # every compared call did what it did in the good version
    KEPT = "kept"  # calls differ, as its contract says
    CHANGED = "changed"  # calls differ, and no contract says that they should
    BROKEN = "broken"  # a call does not do what the contract says
    UNMATCHED = "unmatched"  # it has a contract, and no call fits any case of it


@dataclass(frozen=True, slots=True)
class OffendingCall:
    """A call that started in the same state in both versions and did something else."""

    called_from: str  # "file:line"
    arguments: dict[str, str]
    good: str  # what the call did: "returns 3"
    bad: str
    differs: tuple[str, ...]  # sentences
    way: str = "aligned"  # "aligned": both runs have the call; "rerun": the good function was run
    within: tuple[str, ...] = ()  # new and edited functions that it calls, and that were not judged
    uses: tuple[str, ...] = ()  # changed names outside of functions that it uses, with their places


@dataclass(frozen=True, slots=True)
class ContractFunction:
    """The verdict on one function that both versions have."""

    file: str
    line: int
    function: str
    calls: int
    compared: int
    verdict: ContractVerdict
    contract: str | None = None  # its text
    first: OffendingCall | None = None
    suggestion: str | None = None  # a contract that would allow what was seen
    through: tuple[str, ...] = ()  # functions that it calls and whose differences it passes on
    good_name: str | None = None  # its name in the good version, if that is another
    differing: int = 0  # calls that started in the same state and did something else
    rerun: int = 0  # of the compared calls, those for which the good function was run again


@dataclass(frozen=True, slots=True)
class ContractResult:
    """What `whence contract` answers."""

    functions: tuple[ContractFunction, ...]  # those that differ first, in the order of the run
    notes: tuple[str, ...]
    runs: int
    seconds: dict[str, float]
    reason: str | None = None  # why behaviour changed although no compared call shows it

    @property
    def is_kept(self) -> bool:
        wrong = (ContractVerdict.CHANGED, ContractVerdict.BROKEN)
        is_kept = all(function.verdict not in wrong for function in self.functions)
        return is_kept and self.reason is None


class ChangeStatus(Enum):
    """What the tests show of a change."""

    EXPOSED = "exposed"  # a test ends differently because of it
    REACHED = "reached"  # a test executes it, and no test was found that ends differently
    UNREACHED = "unreached"  # no test was found that executes it
    EQUAL = "equal"  # no input of the explored shape makes a difference
    MEANT = "meant"  # contracts allow every difference that was found
    UNKNOWN = "unknown"  # it is in no code that was recorded


@dataclass(frozen=True)
class EffectPlace:
    """A statement that the effect of a change comes to."""

    file: str
    line: int
    function: str
    text: str
    parent: int | None  # the place that it came from, by its number in the list
    good: str  # what the statement computed there; empty: it did not run
    bad: str
    end: str | None = None  # why the effect goes no further; None: it does


@dataclass(frozen=True)
class AugmentedChange:
    """What the tests show of one change, and the test that shows most."""

    change: Reported
    status: ChangeStatus
    because: str  # a sentence
    is_made: bool = False  # did whence make the test?  If not, it is one of the given tests
    test: MadeTest | None = None
    outputs: tuple[str, str] | None = None  # how the good and the bad version end, if they differ
    effect: tuple[EffectPlace, ...] = ()
    runs: int = 0  # recorded runs of the bad version for it
    runs_to_reach: int = 0
    solver_calls: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class AugmentResult:
    """What `whence augment` answers."""

    changes: tuple[AugmentedChange, ...]
    is_done: bool
    reason: str | None  # why it stopped
    folder: str  # of the tests
    notes: tuple[str, ...]
    runs: int
    builds: int
    solver_calls: int
    seconds: dict[str, float]
