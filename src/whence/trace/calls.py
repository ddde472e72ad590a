"""What did each call of a function do, as far as two versions of a program can be compared?

A state is plain data.  None, a bool, a number, a text and bytes stand for themselves.  `(digest,)`
refers to a node, `()` is a part that was not recorded, and `(0, n)` is an object that contains
itself n levels above.  A node is `(kind, name, parts)`; the kinds are

    l, t, s   list, tuple and set of states        d   dict: pairs of states
    o         object: pairs of attribute and state b   long text or list: length, digest, start
    f         function, class or module            x   an object that cannot be looked into

The name of an object's class, of a function and of a class tells it from all others of the run;
`short_name` is the one for a person.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol

State = Any
Node = tuple[str, str, tuple[Any, ...]]
NOT_RECORDED: State = ()
Missing = object()  # there is no such part


class UnknownStateError(Exception):
    """An expression needs a part of a state that was not recorded."""


class ExpressionError(Exception):
    """An expression has no meaning; `offset` says where in its text."""

    def __init__(self, what: str, offset: int) -> None:
        super().__init__(what)
        self.offset = offset


@dataclass(frozen=True, slots=True)
class CalledFunction:
    """A function of one version."""

    file: str  # relative to the tree; absolute if it is outside
    line: int
    name: str
    params: tuple[str, ...]
    required: frozenset[str] = frozenset()  # parameters that each call must give
    is_coroutine: bool = False


class Written(NamedTuple):
    """Something that a call wrote."""

    stream: str  # "standard output", "standard error" or "a file"
    text: str | bytes


@dataclass(slots=True)
class Call:
    """One call: the states at its start, and what it did."""

    number: int
    function: int  # index into the functions of the run
    parent: int  # the number of the call around it; 0 if there is none
    place: tuple[str, int]  # file and line that called it
    given: dict[str, State]  # by parameter
    defaults: frozenset[str]  # parameters that have their default value
    # Globals that are not as they were at first, and variables of outer functions.
    around: Mapping[str, State]
    result: State = None
    raised: State = None
    yielded: tuple[State, ...] | None = None
    after: dict[str, State] = field(default_factory=dict)  # parameters, at the end
    around_after: Mapping[str, State] = field(default_factory=dict)
    order: int = -1  # the place of its end among all ends; -1: it did not end
    began: int = 0  # how many calls had ended before it began
    written: list[Written] = field(default_factory=list)  # also by the calls within it
    shown: Mapping[str, str] | None = None  # the arguments for a person; None: as `given` is
    outer: frozenset[str] = frozenset()  # names in `around` that are variables of outer functions

    @property
    def has_ended(self) -> bool:
        return self.order >= 0


class NamedCode(NamedTuple):
    """A class or function of a Python program: what another process finds it by."""

    module: str
    qualname: str
    shape: str  # what the bases and plain attributes of a class are
    rank: int  # how many classes with its base, module and name were made before it


@dataclass
class WatchedProcess:
    """The calls of one process of a test."""

    command: tuple[str, ...]
    functions: list[CalledFunction] = field(default_factory=list)
    calls: dict[int, Call] = field(default_factory=dict)  # by number, in the order of their starts
    nodes: dict[int, Node] = field(default_factory=dict)
    classes: dict[str, tuple[str, ...]] = field(default_factory=dict)  # a class and its bases
    named: dict[str, NamedCode] = field(default_factory=dict)  # Python's classes and functions
    module_names: dict[str, str] = field(default_factory=dict)  # by file
    search_path: tuple[str, ...] = ()  # folders of modules, as seen from the tree
    counts: dict[int, int] = field(default_factory=dict)  # calls of each function, logged or not
    is_cut: bool = False  # the log was full
    # Calls that were run again at the end: number of the request, whether it is the second way to
    # rebuild its state, and why there is no such call.
    again: list[tuple[int, bool, str]] = field(default_factory=list)

    @cached_property
    def children(self) -> dict[int, list[Call]]:
        """The calls within each call, by its number; those within none are under 0."""
        found: dict[int, list[Call]] = defaultdict(list)
        for call in self.calls.values():
            found[call.parent if call.parent in self.calls else 0].append(call)
        return found

    @cached_property
    def attributes(self) -> dict[str, frozenset[str]]:
        """The attributes that the objects of each class have at any time."""
        found: dict[str, set[str]] = defaultdict(set)
        for kind, name, parts in self.nodes.values():
            if kind == "o":
                found[name].update(attribute for attribute, _ in parts)
        return {name: frozenset(attributes) for name, attributes in found.items()}

    def ancestors(self, call: Call) -> Iterator[Call]:
        """Yield the calls around a call, the nearest first."""
        above = self.calls.get(call.parent)
        while above is not None:
            yield above
            above = self.calls.get(above.parent)

    def state_of(self, call: Call, place: str, *, at_end: bool) -> State:  # noqa: ARG002 - C looks
        """Return what a place held that a call neither read nor changed; `Missing`: nothing."""
        return Missing

    def short_name(self, name: str) -> str:
        """Return the name of a class or function as the source has it."""
        return self.code_named(name).qualname

    def code_named(self, name: str) -> NamedCode:
        """Return what is known about a class or function; others are known by their names alone."""
        return self.named.get(name) or NamedCode("", name, "", 0)

    def node(self, state: State) -> Node | None:
        """Return the node that a state refers to; None if it is no reference."""
        if type(state) is tuple and len(state) == 1:
            return self.nodes.get(state[0])
        return None


@dataclass(frozen=True)
class WatchedRun:
    """The calls of one run of a test, by process, and how the test ended."""

    processes: Sequence[WatchedProcess]
    status: int
    output: bytes  # the last lines, for messages
    seconds: float


@dataclass(frozen=True)
class AskedCall:
    """A call of one version whose start is to be given to a function of the other version."""

    number: int
    function: CalledFunction  # the one that is to run
    process: WatchedProcess  # with the recorded call
    call: Call
    aligned: Call | None = None  # the call of the run whose function is to run, if it has one
    aligned_process: WatchedProcess | None = None  # with that call


@dataclass(frozen=True)
class AnsweredCall:
    """What a function did on a recorded state."""

    process: WatchedProcess
    call: Call | None  # None: it was not run
    why: str = ""  # it was not run


class CallExpression(Protocol):
    """An expression over the states of a call in two versions."""

    def names(self) -> Iterator[tuple[str, int]]:
        """Yield the names that are used, each with its offset in the text."""

    def value(
        self, good_process: WatchedProcess, good: Call, bad_process: WatchedProcess, bad: Call,
        state: str, known: Mapping[str, int], /,
    ) -> Any:  # fmt: skip
        """Return its value in a state: before, good or bad.

        UnknownStateError: the state was not recorded.  ExpressionError: it has no value.
        """


class ParseExpression(Protocol):
    """Return the expression that a text spells; ExpressionError: it spells none."""

    def __call__(self, text: str, /) -> CallExpression: ...
