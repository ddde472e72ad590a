"""Which branches of a Python run could have put more into what a step read?

The untaken side of a branch may change a container, yield from a generator or add to a
comprehension.  The code of the side names the container by variables and attributes.  What these
held when the branch ran decides which container the side would have changed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from whence.frontend.python.logged import Token
from whence.program.ids import Block, Op, Step, Stretch
from whence.trace.python.maydefine import branch_sides
from whence.trace.python.objects import MUTATING_METHODS
from whence.trace.python.program import PythonProgram, Use
from whence.trace.python.replayed_run import MISSING, NO_STEP, ReplayedRun
from whence.trace.queries import Queries

_GENERATORS = ("generator", "genexpr")
_MAX_EXECUTIONS = 24  # limit on the last executions of a branch that are considered; guessed
_MAX_STORES = 64  # limit on the last executions of a store that are considered; guessed
_MAX_INSTANCES = 2000  # limit on the instances of generators that ran for one step; guessed
_MAX_DEPTH = 3  # limit on nested calls whose effects a side has; guessed
_WRITABLE = frozenset({"list", "dict", "set", "object"})  # kinds of values that can be changed


class OmittedPath(NamedTuple):
    """How the program names an object: by a variable, and attributes of its value."""

    owner: int  # the function that owns the variable
    name: str
    attributes: tuple[str, ...] = ()


class BranchSide(NamedTuple):
    """One side of a branch, and what the code of this side does."""

    stretch: Stretch  # the stretch that ends with the branch
    block: Block  # the first block of the side
    paths: frozenset[OmittedPath]  # the containers that it changes
    elements: frozenset[int]  # operations that add elements to comprehensions
    yields: bool


class OmittedWrites:
    """Finds the branches of one thread whose other side would have added something."""

    def __init__(self, run: ReplayedRun, queries: Queries, op_of: Callable[[Step], Op]) -> None:
        self._run, self._program, self._queries, self._op_of = run, run.program, queries, op_of
        self._known: dict[int, tuple[Step, ...]] = {}

    def branches(self, step: Step) -> tuple[Step, ...]:
        """Return the last executions of branches that could have given a step more to read."""
        if step not in self._known:
            self._known[step] = tuple(sorted({*self._search(step)}))
        return self._known[step]

    def _search(self, step: Step) -> Iterator[Step]:
        run, op = self._run, self._op_of(step)
        if self._program.opcode[op] == "comp":
            for side in self._sides:
                if side.elements & set(self._program.uses[op]):
                    yield from self._executions(side, self._start(step), step, activation=True)
            return
        if self._program.opcode[op] not in ("load", "store", "param", "attr", "method"):
            for operand in run.operands_of(step):
                yield from self._unwritten(run.values[operand], step)
            receiver = self._receiver(step)
            if receiver:
                yield from self._unwritten(run.values[receiver], step)
        yield from self._unyielded(step)

    def _start(self, step: Step) -> Step:
        """Return the first step of the activation of a step."""
        row = self._run.activations[self._queries.activation_of(step)]
        return self._run.first[row.first_instance]

    def _receiver(self, step: Step) -> Step | None:
        """Return the step of the object whose method a step calls."""
        run = self._run
        operands = run.operands_of(step)
        if not operands or not operands[0]:
            return None
        op = self._op_of(Step(operands[0]))
        is_method = self._program.opcode[op] == "method"
        return (run.operands_of(operands[0])[0] or None) if is_method else None

    # --- containers ----------------------------------------------------------------------------

    def _unwritten(self, token: Token, step: Step) -> Iterator[Step]:
        """Yield branches that could have changed a container before `step` read it."""
        objects = self._run.objects
        if objects.kind(token) not in _WRITABLE:
            return
        state = objects.at(token, step)
        if state is None or not state.made:
            return
        for side in self._sides:
            if not side.paths:
                continue
            for branch in self._executions(side, state.made, step):
                named = (self._named(path, branch) for path in side.paths)
                if any(objects.at(one, branch) is state for one in named if one is not MISSING):
                    yield branch

    def _executions(
        self, side: BranchSide, since: int, until: Step, *, activation: bool = False
    ) -> Iterator[Step]:
        """Yield the last executions of a branch between two steps that did not take a side.

        With `activation` only those in the activation of `until`.
        """
        run = self._run
        instances = self._queries.instances_of(Stretch(side.stretch))[:]
        size = self._program.stretch_ops[side.stretch] - 1
        low = bisect_left(instances, since, key=lambda instance: run.first[int(instance)])
        high = bisect_left(instances, until, key=lambda instance: run.first[int(instance)])
        own = self._queries.activation_of(until) if activation else None
        for instance in map(int, instances[max(low, high - _MAX_EXECUTIONS) : high]):
            went = self._went_to(instance)
            if went is not None and went != side.block and own in (None, run.activation[instance]):
                yield Step(run.first[instance] + size)

    def _went_to(self, instance: int) -> Block | None:
        """Return the block in which an activation continued after an instance; None: it did not."""
        after = self._run.order.next(instance)
        return None if after is None else self._program.stretch_block[self._run.stretch[after]]

    def _named(self, path: OmittedPath, step: Step) -> Token:
        """Return the value that a path names at a step."""
        setter = self._last_set(path, step)
        token = self._run.values[setter] if setter else MISSING
        for attribute in path.attributes:
            state = self._run.objects.at(token, step) if type(token) is tuple else None
            setters = [] if state is None else state.attribute_writers
            before = setters[: bisect_right(setters, step)]
            found = (setter for setter in reversed(before) if self._sets(setter) == attribute)
            token = self._run.values[next(found, NO_STEP)]
        return token

    def _sets(self, step: int) -> str | None:
        """Return the name of the attribute that a step sets."""
        return self._program.name[self._op_of(Step(step))]

    def _last_set(self, path: OmittedPath, step: Step) -> Step | None:
        """Return the last step before `step` that set a variable.

        Only the activation of `step` counts if the variable belongs to its function.
        """
        run = self._run
        found: Step | None = None
        activation = self._queries.activation_of(step)
        is_own = run.activations[activation].function == path.owner
        for op in self._setters.get((path.owner, path.name), ()):
            stretch = self._program.op_stretch[op]
            instances = self._queries.instances_of(stretch)
            inside = op - self._program.stretch_first[stretch]
            at = bisect_left(instances, step, key=lambda instance: run.first[int(instance)])
            for instance in map(int, instances[max(0, at - _MAX_STORES) : at][::-1]):
                if not is_own or run.activation[instance] == activation:
                    found = Step(max(found or 0, run.first[instance] + inside))
                    break
        return found

    @cached_property
    def _setters(self) -> dict[tuple[int, str], list[Op]]:
        """The operations that set each variable, by its owner and name."""
        found: dict[tuple[int, str], list[Op]] = {}
        for op, opcode in enumerate(self._program.opcode):
            if opcode in ("store", "param"):
                key = (self._program.extra[op], self._program.name[op] or "")
                found.setdefault(key, []).append(Op(op))
        return found

    # --- generators ----------------------------------------------------------------------------

    def _unyielded(self, step: Step) -> Iterator[Step]:
        """Yield the branches of generators that ran for a step and could have yielded."""
        run, instance = self._run, self._queries.instance_of(step)
        own, end = run.activation[instance], run.order.next(instance) or len(run.stretch)
        for at in range(instance + 1, min(end, instance + _MAX_INSTANCES)):
            row = run.activations[run.activation[at]]
            is_generator = self._program.functions[row.function].kind in _GENERATORS
            if not is_generator or row.parent != own:
                continue
            if blocks := self._yielding.get(run.stretch[at]):
                went = self._went_to(at)
                if went is not None and went not in blocks:
                    yield Step(run.first[at] + self._program.stretch_ops[run.stretch[at]] - 1)

    @cached_property
    def _yielding(self) -> dict[int, set[int]]:
        """For each branch, the first blocks of its sides that yield."""
        found: dict[int, set[int]] = {}
        for side in self._sides:
            if side.yields:
                found.setdefault(side.stretch, set()).add(side.block)
        return found

    @cached_property
    def _sides(self) -> list[BranchSide]:
        return [side for side in _sides(self._program) if side[2:] != (frozenset(),) * 2 + (False,)]


# --- effects of a side, by the program alone -----------------------------------------------------


def _sides(program: PythonProgram) -> Iterator[BranchSide]:
    """Yield each side of each branch."""
    changed = _ChangedPaths(program)
    elements = {
        use
        for op, opcode in enumerate(program.opcode) if opcode == "comp"
        for use in program.uses[op] if use is not None and use >= 0
    }  # fmt: skip
    for stretch, target, blocks in branch_sides(program):
        ops = [op for block in blocks for op in program.block_ops(block)]
        yield BranchSide(
            stretch,
            target,
            frozenset(path for op in ops for path in changed.by(op, _MAX_DEPTH)),
            frozenset(elements.intersection(ops)),
            any(program.opcode[op] == "yield" for op in ops),
        )


class _ChangedPaths:
    """Finds the paths of the objects that operations change."""

    def __init__(self, program: PythonProgram) -> None:
        self._program = program
        self._functions: dict[str, list[int]] = {}
        for number, function in enumerate(program.functions):
            self._functions.setdefault(function.name.rpartition(".")[2], []).append(number)
        self._summaries: dict[tuple[int, int], frozenset[OmittedPath]] = {}

    def by(self, op: int, depth: int) -> Iterator[OmittedPath]:
        """Yield what an operation changes, calls included up to `depth`."""
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
                arguments = [program.uses[callee][0] if is_method else None, *uses[1:]]
                yield from self._called(program.name[callee] or "", arguments, depth, is_method)

    def _called(
        self, name: str, arguments: Sequence[Use], depth: int, is_method: bool
    ) -> Iterator[OmittedPath]:
        """Yield what the functions of a name change, as paths of the caller."""
        for number in self._functions.get(name, ()):
            params = self._program.functions[number].params
            given = arguments if is_method and params[:1] == ("self",) else arguments[1:]
            for path in self._summary(number, depth - 1):
                if path.owner != number:
                    yield path
                elif path.name in params and params.index(path.name) < len(given):
                    for root in self._path(given[params.index(path.name)]):
                        yield root._replace(attributes=root.attributes + path.attributes)

    def _summary(self, number: int, depth: int) -> frozenset[OmittedPath]:
        """Return what a function changes, as paths of its own."""
        key = (number, depth)
        if key not in self._summaries:
            self._summaries[key] = frozenset()  # used if the function calls itself
            ops = self._program.function_ops(number)
            self._summaries[key] = frozenset(path for op in ops for path in self.by(op, depth))
        return self._summaries[key]

    def _path(self, use: Use) -> Iterator[OmittedPath]:
        """Yield the path by which a use names an object, if it has one."""
        attributes: list[str] = []
        program = self._program
        while use is not None and use >= 0 and program.opcode[use] == "attr":
            attributes.append(program.name[use] or "")
            use = program.uses[use][0]
        if use is not None and use >= 0 and program.opcode[use] == "load":
            yield OmittedPath(
                program.extra[use], program.name[use] or "", tuple(reversed(attributes))
            )
