"""Which branches of a Python run could have put more into what a step read, gone the other way?

An untaken side may change a container, yield from a generator or add to a comprehension.  Which
container it would have changed follows from what the variables and attributes held then, by which
the side calls it: so it is told apart from all others.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from whence.frontend.python.logged import Token
from whence.trace.python.maydefine import sides
from whence.trace.python.objects import MUTATING_METHODS
from whence.trace.python.program import PythonProgram, Use
from whence.trace.python.replayed_run import MISSING, ReplayedRun
from whence.trace.queries import Queries

_GENERATORS = ("generator", "genexpr")
_MOST_TURNS = 24  # of a branch that are looked at, the last ones
_MOST_BACK = 64  # executions of a store
_MOST_INSTANCES = 2000  # of a generator, for one step
_DEEPEST = 3  # calls
_WRITABLE = frozenset({"list", "dict", "set", "object"})


class OmittedPath(NamedTuple):
    """How the program calls an object: a variable of a function, and attributes of that."""

    owner: int
    name: str
    attributes: tuple[str, ...] = ()


class BranchSide(NamedTuple):
    """What a branch does if it goes to a block: containers that it changes, comprehensions that
    it adds to, and whether it yields."""

    stretch: int
    block: int
    paths: frozenset[OmittedPath]
    elements: frozenset[int]
    yields: bool


class Omitted:
    """Asks the branches of one thread's run."""

    def __init__(self, run: ReplayedRun, queries: Queries, op_of: Callable[[int], int]) -> None:
        self._run, self._program, self._queries, self._op_of = run, run.program, queries, op_of
        self._known: dict[int, tuple[int, ...]] = {}

    def branches(self, step: int) -> tuple[int, ...]:
        """The last steps of branches that could have given a step more to read."""
        if step not in self._known:
            self._known[step] = tuple(sorted({*self._found(step)}))
        return self._known[step]

    def _found(self, step: int) -> Iterator[int]:
        run, op = self._run, self._op_of(step)
        if self._program.opcode[op] == "comp":
            for side in self._sides:
                if side.elements & set(self._program.uses[op]):
                    yield from self._turns(side, self._start(step), step, activation=True)
            return
        if self._program.opcode[op] not in ("load", "store", "param", "attr", "method"):
            for made in run.operands[run.start[step] : run.start[step + 1]]:
                yield from self._unwritten(run.values[made], step)
            looked = self._method(step)
            if looked:
                yield from self._unwritten(run.values[looked], step)
        yield from self._unyielded(step)

    def _start(self, step: int) -> int:
        row = self._run.activations[self._queries.activation_of(step)]
        return self._run.first[row.first_instance]

    def _method(self, step: int) -> int:
        """The object that a step calls a method of."""
        run = self._run
        given = run.operands[run.start[step] : run.start[step + 1]]
        if not given or not given[0]:
            return 0
        op = self._op_of(given[0])
        return run.operands[run.start[given[0]]] if self._program.opcode[op] == "method" else 0

    # --- containers ----------------------------------------------------------------------------

    def _unwritten(self, token: Token, step: int) -> Iterator[int]:
        objects = self._run.objects
        if objects.kind(token) not in _WRITABLE:
            return
        known = objects.at(token, step)
        if known is None or not known.made:
            return
        for side in self._sides:
            if not side.paths:
                continue
            for branch in self._turns(side, known.made, step):
                tokens = (self._named(path, branch) for path in side.paths)
                if any(objects.at(one, branch) is known for one in tokens if one is not MISSING):
                    yield branch

    def _turns(
        self, side: BranchSide, since: int, until: int, *, activation: bool = False
    ) -> Iterator[int]:
        """The last times between two steps that a branch did not go to a side."""
        run = self._run
        instances = self._queries.instances_of(side.stretch).tolist()
        size = self._program.stretch_ops[side.stretch] - 1
        low = bisect_left(instances, since, key=lambda instance: run.first[instance])
        high = bisect_left(instances, until, key=lambda instance: run.first[instance])
        own = self._queries.activation_of(until) if activation else None
        for instance in instances[max(low, high - _MOST_TURNS) : high]:
            after = self._following.get(instance)
            went = None if after is None else self._program.stretch_block[run.stretch[after]]
            if went is not None and went != side.block and own in (None, run.activation[instance]):
                yield run.first[instance] + size

    @cached_property
    def _following(self) -> dict[int, int]:
        """The instance after each one in its activation."""
        return {before - 1: at for at, before in enumerate(self._run.previous) if before}

    def _named(self, path: OmittedPath, step: int) -> Token:
        """What the program calls by a path at a step."""
        made = self._last_set(path, step)
        token = self._run.values[made] if made else MISSING
        for attribute in path.attributes:
            known = self._run.objects.at(token, step) if type(token) is tuple else None
            setters = [] if known is None else known.attribute_writers
            before = setters[: bisect_right(setters, step)]
            found = (one for one in reversed(before) if self._sets(one) == attribute)
            token = self._run.values[next(found, 0)]
        return token

    def _sets(self, step: int) -> str | None:
        return self._program.name[self._op_of(step)]

    def _last_set(self, path: OmittedPath, step: int) -> int:
        """The last step before another that set a variable, of its activation if it is local."""
        run, found = self._run, 0
        activation = self._queries.activation_of(step)
        is_own = run.activations[activation].function == path.owner
        for op in self._setters.get((path.owner, path.name), ()):
            stretch = self._program.op_stretch[op]
            instances = self._queries.instances_of(stretch)
            inside = op - self._program.stretch_first[stretch]
            at = bisect_left(instances, step, key=lambda instance: run.first[int(instance)])
            for instance in map(int, instances[max(0, at - _MOST_BACK) : at][::-1]):
                if not is_own or run.activation[instance] == activation:
                    found = max(found, run.first[instance] + inside)
                    break
        return found

    @cached_property
    def _setters(self) -> dict[tuple[int, str], list[int]]:
        found: dict[tuple[int, str], list[int]] = {}
        for op, opcode in enumerate(self._program.opcode):
            if opcode in ("store", "param"):
                key = (self._program.extra[op], self._program.name[op] or "")
                found.setdefault(key, []).append(op)
        return found

    # --- generators ----------------------------------------------------------------------------

    def _unyielded(self, step: int) -> Iterator[int]:
        """Branches of generators that ran for a step, and could have yielded."""
        run, instance = self._run, self._queries.instance_of(step)
        own, end = run.activation[instance], self._following.get(instance, len(run.stretch))
        for at in range(instance + 1, min(end, instance + _MOST_INSTANCES)):
            row = run.activations[run.activation[at]]
            is_generator = self._program.functions[row.function].kind in _GENERATORS
            if not is_generator or row.parent != own:
                continue
            if blocks := self._yielding.get(run.stretch[at]):
                after = self._following.get(at)
                went = None if after is None else self._program.stretch_block[run.stretch[after]]
                if went is not None and went not in blocks:
                    yield run.first[at] + self._program.stretch_ops[run.stretch[at]] - 1

    @cached_property
    def _yielding(self) -> dict[int, set[int]]:
        """The sides of each branch that yield."""
        found: dict[int, set[int]] = {}
        for side in self._sides:
            if side.yields:
                found.setdefault(side.stretch, set()).add(side.block)
        return found

    @cached_property
    def _sides(self) -> list[BranchSide]:
        return [side for side in _sides(self._program) if side[2:] != (frozenset(),) * 2 + (False,)]


# --- what sides do, without running them -------------------------------------------------------


def _sides(program: PythonProgram) -> Iterator[BranchSide]:
    changed = _Changed(program)
    elements = {
        use
        for op, opcode in enumerate(program.opcode) if opcode == "comp"
        for use in program.uses[op] if use is not None and use >= 0
    }  # fmt: skip
    for stretch, target, blocks in sides(program):
        ops = [op for block in blocks for op in program.block_ops(block)]
        yield BranchSide(
            stretch,
            target,
            frozenset(path for op in ops for path in changed.by(op, _DEEPEST)),
            frozenset(elements.intersection(ops)),
            any(program.opcode[op] == "yield" for op in ops),
        )


class _Changed:
    """Which objects an op changes, by how the program calls them."""

    def __init__(self, program: PythonProgram) -> None:
        self._program = program
        self._functions: dict[str, list[int]] = {}
        for number, function in enumerate(program.functions):
            self._functions.setdefault(function.name.rpartition(".")[2], []).append(number)
        self._summaries: dict[tuple[int, int], frozenset[OmittedPath]] = {}

    def by(self, op: int, depth: int) -> Iterator[OmittedPath]:
        program = self._program
        opcode, uses = program.opcode[op], program.uses[op]
        if opcode in ("set_item", "del_item", "inplace"):
            yield from self._path(uses[0])
        elif opcode == "call" and uses[0] is not None and uses[0] >= 0:
            callee = uses[0]
            is_method = program.opcode[callee] == "method"
            if is_method and program.name[callee] in MUTATING_METHODS:
                yield from self._path(program.uses[callee][0])
            if depth:
                given = [program.uses[callee][0] if is_method else None, *uses[1:]]
                yield from self._called(program.name[callee] or "", given, depth, is_method)

    def _called(
        self, name: str, given: Sequence[Use], depth: int, is_method: bool
    ) -> Iterator[OmittedPath]:
        """What the functions of a name change, called by what was given to them."""
        for number in self._functions.get(name, ()):
            params = self._program.functions[number].params
            arguments = given if is_method and params[:1] == ("self",) else given[1:]
            for path in self._summary(number, depth - 1):
                if path.owner != number:
                    yield path
                elif path.name in params and params.index(path.name) < len(arguments):
                    for root in self._path(arguments[params.index(path.name)]):
                        yield root._replace(attributes=root.attributes + path.attributes)

    def _summary(self, number: int, depth: int) -> frozenset[OmittedPath]:
        key = (number, depth)
        if key not in self._summaries:
            self._summaries[key] = frozenset()  # for those that call themselves
            function = self._program.functions[number]
            ops = range(function.first_op, function.first_op + function.n_ops)
            self._summaries[key] = frozenset(path for op in ops for path in self.by(op, depth))
        return self._summaries[key]

    def _path(self, use: Use) -> Iterator[OmittedPath]:
        attributes: list[str] = []
        program = self._program
        while use is not None and use >= 0 and program.opcode[use] == "attr":
            attributes.append(program.name[use] or "")
            use = program.uses[use][0]
        if use is not None and use >= 0 and program.opcode[use] == "load":
            yield OmittedPath(
                program.extra[use], program.name[use] or "", tuple(reversed(attributes))
            )
