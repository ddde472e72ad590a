"""Which steps defined the value of a Python variable at some point of the run?"""

from __future__ import annotations

from whence.errors import UserError
from whence.frontend.python.logged import Token
from whence.program.ids import Activation, Step
from whence.trace.python.program import PythonProgram
from whence.trace.python.replayed_run import ReplayedRun
from whence.trace.queries import Queries

_DEFINE = ("store", "param", "delete")
_MENTION = (*_DEFINE, "load")
_MAX_NAMED = 12  # limit on the variables that an error message lists; guessed


def definers(run: ReplayedRun, queries: Queries, step: Step, variable: str) -> tuple[Step, ...]:
    """Return the steps that defined `variable`, such as x or self.x, as it is after `step`.

    For a container these include the steps that wrote its elements.  The result is empty if the
    variable had no value.
    """
    name, *attributes = variable.split(".")
    op = queries.op_of(step)
    owner = _owner(run.program, run.program.function_of(op), name)
    if owner is None or not all(part.isidentifier() for part in (name, *attributes)):
        raise _unknown(run.program, run.program.function_of(op), variable)
    end = _after(run, queries, step)
    found = _last_set(run, queries, owner, name, end, queries.activation_of(step))
    if found is None:
        return ()
    for attribute in attributes:
        found = _attribute(run, queries, run.values[found], attribute, end) or found
    token = run.values[found]
    writers = (
        run.objects.content_writers(token, end + 1, with_attributes=False)
        if run.objects.is_container(token)
        else []
    )
    return tuple(sorted({found, *writers}))


def _after(run: ReplayedRun, queries: Queries, step: Step) -> int:
    """Return the last step before the function of `step` continues after it."""
    instance = queries.instance_of(step)
    following = run.order.next(instance)
    if following is not None:
        return run.first[following] - 1
    row = run.activations[queries.activation_of(step)]
    return max(queries.last_step(row.last_instance), step)


def _owner(program: PythonProgram, function: int, name: str) -> int | None:
    """Return the function that owns the variable which a name denotes in a function."""
    while function >= 0:
        for op in program.function_ops(function):
            if program.opcode[op] in _MENTION and program.name[op] == name:
                return int(program.extra[op])
        function = program.functions[function].parent
    return None


def _last_set(
    run: ReplayedRun, queries: Queries, owner: int, name: str, end: int, activation: Activation
) -> Step | None:
    """Return the last step up to `end` that set a variable; None: it has no value."""
    program = run.program
    found: Step | None = None
    is_deleted = False
    for op, opcode in enumerate(program.opcode):
        if opcode not in _DEFINE or program.name[op] != name or program.extra[op] != owner:
            continue
        stretch = program.op_stretch[op]
        inside = op - program.stretch_first[stretch]
        # An operation of the owner sets the variable of its own activation.
        # Operations of nested functions set that of an enclosing activation.
        is_own = program.function_of(op) == owner == run.activations[activation].function
        for instance in map(int, queries.instances_of(stretch)[::-1]):
            step = Step(run.first[instance] + inside)
            if found is not None and step <= found:
                break
            if step <= end and (not is_own or run.activation[instance] == activation):
                found, is_deleted = step, opcode == "delete"
                break
    return None if is_deleted else found


def _attribute(
    run: ReplayedRun, queries: Queries, holder: Token, name: str, end: int
) -> Step | None:
    """Return the last step up to `end` that set an attribute of an object."""
    state = run.objects.at(holder, end)
    for step in reversed(state.attribute_writers if state is not None else []):
        op = queries.op_of(step)
        extra = run.program.extra[op]
        if step <= end and name in (run.program.name[op], extra[1] if extra else None):
            return step
    return None


def _unknown(program: PythonProgram, function: int, variable: str) -> UserError:
    names = dict.fromkeys(
        program.name[op] or ""
        for op in program.function_ops(function)
        if program.opcode[op] in _DEFINE
    )
    known = [name for name in names if name.isidentifier()]
    listed = ", ".join(known[:_MAX_NAMED]) + (" ..." if len(known) > _MAX_NAMED else "")
    return UserError(
        f"There is no variable {variable!r} in {program.functions[function].name}.\n"
        f"Its variables: {listed or 'none'}.  Write NAME or NAME.ATTRIBUTE.",
        slug="unknown-variable",
    )
