"""The Unifier allows everything that assignments of pointers do, in any order."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from whence.frontend.c.unify import FieldStep, Target, Unifier

OBJECTS, VARIABLES, SIZE = 3, 6, 64

variables = st.integers(0, VARIABLES - 1)
slots = st.integers(0, SIZE // 8 - 1).map(lambda slot: slot * 8)
steps = st.tuples(
    slots.map(lambda by: by - 16), st.sampled_from([0, 0, 8, 16, 24]), st.integers(-1, 2)
)
statements = st.one_of(
    st.tuples(st.just("address"), variables, st.integers(0, OBJECTS - 1), slots),
    st.tuples(st.just("copy"), variables, variables),
    st.tuples(st.just("step"), variables, variables, steps),
    st.tuples(st.just("element"), variables, variables, st.integers(0, 2)),
    st.tuples(st.just("load"), variables, variables),
    st.tuples(st.just("store"), variables, variables),
)


class Pointer(NamedTuple):
    thing: int
    offset: int
    low: int = 0  # it stays in the array that it points into
    high: int = SIZE

    def moved(self, by: int) -> Pointer:
        return self._replace(offset=self.offset + by)


class Run:
    """Executes the statements, and remembers every pointer that each variable ever held."""

    def __init__(self) -> None:
        self.now: dict[int, Pointer] = {}
        self.memory: dict[tuple[int, int], Pointer] = {}
        self.held: set[tuple[int, Pointer]] = set()

    def do(self, kind: str, to: int, *rest: object) -> None:
        match (kind, rest):
            case "address", (int(thing), int(offset)):
                self.put(to, Pointer(thing, offset))
            case "store", (int(source),):
                if to in self.now and source in self.now:
                    self.memory[self.now[to][:2]] = self.now[source]
            case _, (int(source), *more) if source in self.now:
                self.derive(kind, to, self.now[source], more)

    def derive(self, kind: str, to: int, at: Pointer, more: list[object]) -> None:
        match (kind, more):
            case "copy", []:
                self.put(to, at)
            case "step", [(int(add), int(stride), int(times))]:
                self.put(to, at.moved(add + stride * times))
            case "element", [int(index)]:  # of an array of three that starts at the pointer
                if at.high - at.low == SIZE:
                    at = at._replace(low=at.offset, high=min(at.offset + 24, SIZE - 1))
                self.put(to, at.moved(8 * index))
            case "load", [] if at[:2] in self.memory:
                self.put(to, self.memory[at[:2]])

    def put(self, to: int, at: Pointer) -> None:
        if at.low <= at.offset < at.high:
            self.now[to] = at
            self.held.add((to, at))


def add_statement(unifier: Unifier, values: list[int], kind: str, to: int, *rest: object) -> None:
    match (kind, rest):
        case "address", (int(thing), int(offset)):
            unifier.point(values[to], Target(thing, offset))
        case "copy", (int(source),):
            unifier.join(values[to], values[source])
        case "step", (int(source), (int(add), int(stride), _)):
            unifier.join(values[to], unifier.step(values[source], FieldStep(add, stride)))
        case "element", (int(source), _):
            unifier.join(values[to], unifier.step(values[source], FieldStep(0, 8, 0, 24)))
        case "load", (int(source),):
            unifier.join(values[to], unifier.star(values[source]))
        case "store", (int(source),):
            unifier.join(unifier.star(values[to]), values[source])


def allows(unifier: Unifier, value: int, place: Pointer) -> bool:
    at = unifier.target(value)
    if at is None:
        return False
    for thing, shift in unifier.members[at.cls]:
        offset = place[1] + shift
        if thing == place[0] and at.low <= offset < at.high:
            apart = offset - at.offset
            if apart == 0 or (at.stride and apart % at.stride == 0):
                return True
    return False


@settings(max_examples=500)
@given(st.lists(statements, min_size=8, max_size=25), st.randoms(use_true_random=False))
def test_every_pointer_that_a_variable_holds_is_allowed(
    program: list[tuple[object, ...]], random: object
) -> None:
    run = Run()
    for statement in program:
        run.do(*statement)  # type: ignore[arg-type]
    unifier = Unifier()
    for thing in range(OBJECTS):
        unifier.cls(thing)
    values = [unifier.value() for _ in range(VARIABLES)]
    random.shuffle(program)  # type: ignore[attr-defined]
    for i, statement in enumerate(program):
        add_statement(unifier, values, *statement)  # type: ignore[arg-type]
        if i % 3 == 0:
            unifier.settle()
    unifier.settle()
    for variable, place in run.held:
        assert allows(unifier, values[variable], place), (variable, place)


def test_a_pointer_to_either_of_two_fields_leaves_the_fields_apart() -> None:
    """p = &s.a; p = &s.b; the fields s.a and s.b stay separate."""
    unifier = Unifier()
    s = unifier.cls(0)
    a, b, p = (unifier.value() for _ in range(3))
    unifier.point(a, Target(s, 8))
    unifier.point(b, Target(s, 16))
    unifier.join(p, unifier.step(a, FieldStep(0)))
    unifier.join(p, unifier.step(b, FieldStep(0)))
    unifier.settle()
    assert unifier.target(a) == Target(s, 8)
    assert unifier.target(p) == Target(s, 0, 8)


def test_steps_of_a_value_are_updated_when_it_gets_a_target() -> None:
    unifier = Unifier()
    s = unifier.cls(0)
    known, unknown = unifier.value(), unifier.value()
    unifier.point(known, Target(s, 0))
    unifier.step(known, FieldStep(8))
    unifier.step(known, FieldStep(16))
    later = unifier.step(unknown, FieldStep(24))
    stored = unifier.star(unknown)
    unifier.settle()
    unifier.join(known, unknown)
    unifier.settle()
    assert unifier.target(later) == Target(s, 24)
    assert unifier.find(stored) == unifier.find(unifier.content(Target(s, 0)))
